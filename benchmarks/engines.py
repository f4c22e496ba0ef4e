"""What a project costs against the number of items, on each population engine.

    python -m benchmarks.engines [--quick] [--only WORD] [--rows FILE] [--write]

Invented items, made on the spot by DuckDB: ids, a score (a fifth of the items crowded on two
decimals), calls that follow it but for two in a hundred, a text of some 60 characters. A *project*
is what a user does: read, plan, label, look, report, open again. The *counts* are what the default
method asks of a table that no array is made of: its strata, sizes, sums and first draws. Each runs
in a process of its own; its memory is the peak of all it has touched, pages of mapped files too.
PostgreSQL is a server started for it, Spark runs on this machine if pyspark and Java are there.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown
from labelcore.population.engines.sources import engine_of
from labelcore.population.engines.table_items import TableItems, Verdict
from labelcore.population.items import Part, Stretch
from labelcore.stats.strata import equal_size_edges, geometric_edges
from tests import postgres

SEED, LABELS, PARTS, TAKEN = 7, 30, 8, 2_000
BYTES_EACH = 60
"""A row in Parquet, texts and all, and room to work in."""
ARGUMENTS: dict[str, Any] = {
    "id": "id",
    "content": ["text"],
    "scores": {"lr": "score"},
    "predictions": {"lr": "call"},
}
MADE_ROWS = """
    SELECT 'item-' || n AS id, score, CAST((score >= 0.5) <> (hash(n + 3) % 50 = 0) AS INT) AS call,
        'An invented message of some sixty characters, number ' || n AS text
    FROM (SELECT n, CASE WHEN hash(n + 1) % 5 = 0 THEN round(s, 2) ELSE s END AS score
        FROM (SELECT range AS n, pow(hash(range + 2) / 18446744073709551616.0, 3) AS s
            FROM range({first}, {end})))
"""


# --- items -----------------------------------------------------------------------------------


def make_parts(folder: Path, items: int) -> Path:
    """Items as Parquet parts."""
    import duckdb

    home = duckdb.connect(config={"memory_limit": "1GB", "threads": 2})
    ends = [items * part // PARTS for part in range(PARTS + 1)]
    for part, (first, end) in enumerate(pairwise(ends)):
        rows = MADE_ROWS.format(first=first, end=end)
        home.execute(f"COPY ({rows}) TO '{folder}/part-{part}.parquet' (FORMAT parquet)")
    return folder


@contextmanager
def files(items: int, one: bool = False) -> Iterator[str]:
    """A folder of parts, or one file."""
    with tempfile.TemporaryDirectory() as name:
        if shutil.disk_usage(name).free < 2 * BYTES_EACH * items:
            raise OSError(f"{items:,} items need {2 * BYTES_EACH * items / 1e9:.0f} GB of disk")
        make_parts(Path(name), items)
        if one:
            import duckdb

            file = Path(name) / "items.parquet"
            duckdb.sql(f"COPY (FROM '{name}/part-*.parquet') TO '{file}' (FORMAT parquet)")
        yield f"{name}/items.parquet" if one else name


@contextmanager
def database(items: int) -> Iterator[str]:
    """A table of PostgreSQL with its ids as a primary key."""
    import duckdb
    import psycopg

    with postgres.running() as server, tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        rows = f"{name}/rows.csv"
        duckdb.sql(f"COPY ({MADE_ROWS.format(first=0, end=items)}) TO '{rows}' (HEADER false)")
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE TABLE items (id TEXT, score FLOAT8, call INT, text TEXT)")
            connection.execute(f"COPY items FROM '{rows}' (FORMAT csv)")
            connection.execute("ALTER TABLE items ADD PRIMARY KEY (id)")
            connection.execute("VACUUM ANALYZE items")
        Path(rows).unlink()
        yield f"{server.url()}#items"


@contextmanager
def spark(items: int) -> Iterator[str]:
    """A folder that Spark reads."""
    with files(items) as folder:
        yield f"spark:{folder}"


# --- what is timed ---------------------------------------------------------------------------


class Clock:
    """Seconds, processor seconds and the peak of memory so far, step by step."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.start()

    def start(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def stop(self, step: str, number: int = 1) -> None:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        self.add(step, wall / number, cpu / number)
        self.start()

    def add(self, step: str, seconds: float, cpu: float | None = None) -> None:
        self.rows.append({"step": step, "seconds": seconds, "cpu": cpu, "mb": peak()})


def peak() -> float:
    """The most memory that this process ever held, in MB."""
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition("VmHWM:")[2].split()[0]) / 1024


def plan() -> lc.Plan:
    estimands = ["precision", "recall"]
    return lc.Plan("recalibrated_neyman", estimands, classifier="lr", budget=300, seed=SEED)


def project(source: str, store: str) -> list[Row]:
    """A user's way from the items to a report."""
    clock = Clock()
    population = lc.read_population(source, **ARGUMENTS)
    clock.stop("import")
    session = lc.Session(population, plan(), store, "scale")
    clock.stop("plan and open")
    draw = session.next()
    assert draw is not None
    session.item(draw)
    clock.stop("first item")
    steps: dict[str, list[float]] = {"next item": [], "figures": []}
    for number in range(LABELS):
        start = time.perf_counter()
        session.answer(draw, number % 3 == 0)
        draw = session.next()
        assert draw is not None
        session.item(draw)
        middle = time.perf_counter()
        session.results()
        steps["next item"].append(middle - start)
        steps["figures"].append(time.perf_counter() - middle)
    for step, seconds in steps.items():
        clock.add(step, median(seconds))
    clock.start()
    with tempfile.TemporaryDirectory() as folder:
        lc.write_report(session, Path(folder) / "report.html")
    clock.stop("report")
    return clock.rows


def reopened(source: str, store: str) -> list[Row]:
    """The same project in another process, up to the item that is open."""
    clock = Clock()
    session = lc.Session.open(store, "scale")
    draw = session.next()
    assert draw is not None
    session.item(draw)
    clock.stop("open again")
    return clock.rows


def counted(source: str, store: str) -> list[Row]:
    """What the default method asks of a table."""
    clock = Clock()
    engine = engine_of(source, ["id"])
    assert engine is not None
    place: dict[str, int] = {}

    def find(ids: Sequence[str]) -> Any:
        """Positions, where rows have none of their own: the order in which they are asked for."""
        return [place.setdefault(one, len(place)) for one in ids]

    items = TableItems(engine, {"lr": Verdict("call", {"0": 0, "1": 1})}, find)
    sides = items.joined(["lr"], [Part()])
    clock.stop("count")
    parts = []
    for (code,), (number,) in sides.items():
        edges = equal_size_edges(number, 6) if code else geometric_edges(number, 12)
        ranks = [int(edge) for edge in edges if 0 < edge < number]
        marks = items.at_ranks(Stretch("score", True, SEED), {"lr": code}, ranks)
        ends = pairwise([None, *marks, None])
        parts += [Part({"lr": code}, (Stretch("score", True, SEED, *end),)) for end in ends]
    clock.stop("ranks of the strata")
    items.counts(parts)
    items.sums("score", parts)
    clock.stop("sizes and sums")
    items.prefetch(parts, SEED, TAKEN)
    clock.stop("first draws")
    engine.cells(0, next(iter(place), "item-0"), ["text"])
    clock.stop("one content")
    engine.close()
    return clock.rows


Steps = Callable[[str, str], list[Row]]


def run(
    items: int, where: Callable[[int], Any], steps: Sequence[Steps], large: int | None
) -> list[Row]:
    """Each in a process of its own; ``large``: from how many rows on DuckDB reads Parquet."""
    found: list[Row] = []
    with where(items) as source, tempfile.TemporaryDirectory() as folder:
        for one in steps:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                store = f"sqlite:///{folder}/labels.db"
                found += pool.submit(_alone, one, source, store, large).result()
    return [{"items": items, "load": os.getloadavg()[0], **row} for row in found]


def _alone(steps: Steps, source: str, store: str, large: int | None) -> list[Row]:
    from labelcore.population.engines import sources

    if large is not None:
        sources.LARGE = large
    lc.ESTIMANDS  # noqa: B018  what is imported at first use is no part of a step
    lc.Plan, lc.Session, lc.write_report  # noqa: B018
    return steps(source, store)


def jobs(options: Options) -> dict[str, Job]:
    """Name -> job: "engine what: items"."""
    memory = [10**4, 10**5] if options.quick else [10**4, 10**5, 10**6]
    here = [10**5] if options.quick else [10**6, 10**7]
    whole, never = [project, reopened], 10**12
    found: dict[str, Job] = {}
    for items in memory:
        found[f"memory, project: {items}"] = partial(
            run, items, partial(files, one=True), whole, never
        )
    for items in here:
        found[f"DuckDB, project: {items}"] = partial(run, items, files, whole, 1)
    for items in (*here, *([] if options.quick else [10**8])):
        found[f"DuckDB, counts: {items}"] = partial(run, items, files, [counted], 1)
    if not postgres.why_not():
        items = here[-1]
        found[f"PostgreSQL, project: {items}"] = partial(run, items, database, whole, None)
        found[f"PostgreSQL, counts: {items}"] = partial(run, items, database, [counted], None)
    if importlib.util.find_spec("pyspark") is not None and not options.quick:
        found[f"Spark, project: {10**6}"] = partial(run, 10**6, spark, whole, None)
        found[f"Spark, counts: {10**6}"] = partial(run, 10**6, spark, [counted], None)
    return found


# --- what is written -------------------------------------------------------------------------


def power(items: float) -> str:
    exponent = len(str(int(items))) - 1
    factor = items / 10**exponent
    return f"10^{exponent}" if factor == 1 else f"{factor:g} x 10^{exponent}"


def _of(rows: Rows, what: str) -> dict[str, list[Row]]:
    return {job: found for job, found in rows.items() if f", {what}:" in job}


def _step_table(rows: dict[str, list[Row]]) -> str:
    steps = list(dict.fromkeys(row["step"] for found in rows.values() for row in found))
    lines = []
    for job, found in rows.items():
        of_step = {row["step"]: row for row in found}
        cells = [_seconds(of_step.get(step)) for step in steps]
        most = f"{max(row['mb'] for row in found):,.0f}"
        load = f"{max(row['load'] for row in found):.1f}"
        lines.append([job.partition(",")[0], power(found[0]["items"]), *cells, most, load])
    return markdown(["engine", "items", *steps, "peak, MB", "load"], lines)


def _seconds(row: Row | None) -> str:
    if row is None:
        return ""
    seconds = f"{row['seconds']:,.3g}" if row["seconds"] < 100 else f"{row['seconds']:,.0f}"
    return seconds if row["cpu"] is None else f"{seconds} ({row['cpu']:.3g})"


def _extrapolated(rows: dict[str, list[Row]]) -> str:
    largest = max(rows.values(), key=lambda found: found[0]["items"])
    times = 2e9 / largest[0]["items"]
    total = sum(row["seconds"] for row in largest)
    return (
        f"2 x 10^9 items were not run. Every step of the counts reads all rows a fixed number of "
        f"times, so {times:,.0f} times the {total:,.0f} s of {power(largest[0]['items'])} items "
        f"would be about {times * total / 3600:.1f} hours on this machine, as busy as it was "
        f"(extrapolated). Its memory is not: DuckDB takes up to the 1 GB that it is given.\n"
    )


def tables(rows: Rows, options: Options) -> str:
    projects, counts = _of(rows, "project"), _of(rows, "counts")
    text = "## A project\n\n" + _step_table(projects) + "\n## The counts of a plan\n\n"
    return text + _step_table(counts) + ("\n" + _extrapolated(counts) if counts else "")


HEAD = """# Population engines

What a project costs against the number of items, on each population engine. The items are invented
and made on the spot by DuckDB: ids, a score (a fifth of the items crowded on two decimals), calls
that follow it but for two in a hundred, a text of some 60 characters. Seconds on the clock, those
of the processor in brackets (of this process alone: PostgreSQL and Spark work in others); "load" is
the load average of the machine, which has two cores. The peak of memory is that of the process,
pages of mapped files too.

A **project** is what a user does: read, plan and open (the default method, budget 300), the first
item, the next one after an answer, the figures after it (medians of 30), an HTML report, and
opening it again in another process. Memory: one Parquet file, read as a whole. DuckDB: a folder of
eight parts, which stays where it is. PostgreSQL: a table with its ids as a primary key, on the same
machine. Spark: the folder of parts, in local mode.

The **counts** are what the default method asks of a table that no array is made of: how many items
it calls either way; the items at the ranks where its 18 strata end; sizes and exact sums of these;
the first 2,000 draws of each; one content. Only they have been run at 10^8: a project holds arrays
of all items (some 150 bytes an item at its peak), which the 2.5 GB asked for would not hold.

"""

BENCHMARK = Benchmark(
    name="engines", about=__doc__, jobs=jobs, tables=tables, page="engines.md",
    head=HEAD + MADE + "\n\n", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
