"""Time and memory against the number of items, on each engine: from the items to the report.

    python -m benchmarks.scale [--quick] [--only WORD] [--rows FILE] [--write]

Invented items, made on the spot by DuckDB: ids, a text of some 60 characters, a score (a fifth of
the items crowded on two decimals), calls that follow it but for two in a hundred; for methods that
take two classifiers a second score and its calls. A project is what a user does: read, plan, label,
look, report; and, in another process, open it again. Beside it each method on its own, in memory,
and JSON Lines read by us and by pandas. Each runs in a process of its own that has imported what it
needs. PostgreSQL is a server started for it; Spark runs here, where pyspark and Java are there.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from labelcore.population.engines import sources
from tests import postgres

SEED, LABELS, PARTS, READINGS = 7, 30, 8, 9
DEFAULT = "recalibrated_neyman"
FOUR, CURVE = ["accuracy", "precision", "recall", "f1"], ["precision_curve"]
METHODS: Mapping[str, dict[str, Any]] = {
    DEFAULT: {"estimands": ["precision", "recall"], "budget": 300},
    "simple_random": {"estimands": FOUR, "budget": 500},
    "stratified": {"estimands": ["accuracy"], "budget": 500},
    "oversampling": {"estimands": ["precision", "recall"], "budget": 500},
    "agreement_patterns": {
        "estimands": ["precision", "recall"], "classifier": ["a", "b"], "budget": 500,
    },
    "paired_comparison": {
        "estimands": ["accuracy_difference"], "classifier": ["a", "b"], "budget": 500,
    },
    "recycling": {
        "estimands": ["precision"], "classifier": None,
        "params": {"parent": "b", "children": ["a"], "sample_size": 400},
    },
    "reach_selection": {
        "estimands": ["selection"], "budget": 500,
        "params": {"candidates": [1_000, 3_000], "precision_threshold": 0.6},
    },
    "geometric_strata": {"estimands": CURVE, "budget": 1_000},
    "paula": {"estimands": CURVE},
    "logarithmic_stratified": {"estimands": CURVE},
    "random_curve": {"estimands": CURVE, "budget": 500},
}  # fmt: skip
IN_MEMORY = (10**4, 10**6)
"""The numbers of items that each method is measured with on its own."""
SIZES: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("memory", 10**4): (DEFAULT,),
    ("memory", 10**5): (DEFAULT,),
    ("memory", 10**6): (DEFAULT,),
    ("DuckDB", 5 * 10**6): (DEFAULT,),
    ("DuckDB", 10**7): (DEFAULT,),
    ("DuckDB", 10**8): (DEFAULT, "simple_random", "stratified", "geometric_strata"),
    ("PostgreSQL", 10**6): (DEFAULT,),
    ("PostgreSQL", 10**7): (DEFAULT,),
    ("Spark", 10**6): (DEFAULT,),
}
QUICK_SIZES = {
    ("memory", 10**4): (DEFAULT,),
    ("DuckDB", 10**4): (DEFAULT,),
    ("DuckDB", 10**5): SIZES["DuckDB", 10**8],
    ("PostgreSQL", 10**5): (DEFAULT,),
    ("Spark", 10**5): (DEFAULT,),
}
"""(engine, items) -> the methods of the projects."""
QUICK_LIMITS = (1,)
"""From so many rows on DuckDB reads Parquet: then a first look goes the way of the large sizes."""

Source = str
Found = TypeVar("Found")


# --- items -----------------------------------------------------------------------------------

ROWS = """
    SELECT 'item-' || n AS id, score, CAST((score >= 0.5) <> (hash(n + 3) % 50 = 0) AS INT) AS call,
        'An invented message of some sixty characters, number ' || n AS text
    FROM (SELECT n, CASE WHEN hash(n + 1) % 5 = 0 THEN round(s, 2) ELSE s END AS score
        FROM (SELECT range AS n, pow(hash(range + 2) / 18446744073709551616.0, 3) AS s
            FROM range({first}, {end})))
"""
BOTH = """
    SELECT *, CAST(other >= 0.4 AS INT) AS other_call
    FROM (SELECT *, least(greatest(score + hash(id) / 1e20 - 0.09, 0), 1) AS other FROM ({rows}))
"""
BYTES_EACH = 60
"""A row in Parquet, texts and all, and room to work in."""


def write(query: str, path: Path, form: str = "FORMAT parquet") -> None:
    import duckdb

    home = duckdb.connect(config={"memory_limit": "1GB", "threads": 2})
    home.execute(f"COPY ({query}) TO '{path}' ({form})")


def write_file(path: Path, number: int) -> None:
    """One Parquet file with both classifiers."""
    write(BOTH.format(rows=ROWS.format(first=0, end=number)), path)


@cache
def folder_for(number: int) -> tempfile.TemporaryDirectory[str]:
    """An empty folder on a disk with room, until this process ends: a number of items is made
    once for all its jobs."""
    folder = tempfile.TemporaryDirectory()
    if shutil.disk_usage(folder.name).free < 2 * BYTES_EACH * number:
        raise OSError(f"{number:,} items need {2 * BYTES_EACH * number / 1e9:.0f} GB of disk")
    return folder


@contextmanager
def one_file(number: int) -> Iterator[Source]:
    path = Path(folder_for(number).name) / "items.parquet"
    if not path.exists():
        write_file(path, number)
    yield str(path)


@contextmanager
def parts(number: int) -> Iterator[Source]:
    """A folder of Parquet parts, without the second classifier."""
    folder = Path(folder_for(number).name) / "parts"
    if not folder.exists():
        folder.mkdir()
        ends = [number * part // PARTS for part in range(PARTS + 1)]
        for part, (first, end) in enumerate(pairwise(ends)):
            write(ROWS.format(first=first, end=end), folder / f"part-{part}.parquet")
    yield str(folder)


@contextmanager
def database(number: int) -> Iterator[Source]:
    """A table of PostgreSQL with its ids as a primary key."""
    import psycopg

    with postgres.running() as server, tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # The server is another user's.
        rows = Path(name) / "rows.csv"
        write(ROWS.format(first=0, end=number), rows, "HEADER false")
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute("CREATE TABLE items (id TEXT, score FLOAT8, call INT, text TEXT)")
            connection.execute(f"COPY items FROM '{rows}' (FORMAT csv)")
            connection.execute("ALTER TABLE items ADD PRIMARY KEY (id)")
            connection.execute("VACUUM ANALYZE items")
        rows.unlink()
        yield f"{server.url()}#items"


@contextmanager
def spark(number: int) -> Iterator[Source]:
    with parts(number) as folder:
        yield f"spark:{folder}"


PLACES = {"memory": one_file, "DuckDB": parts, "PostgreSQL": database, "Spark": spark}


def read(source: Source | Path, *, both: bool = True) -> lc.Population:
    """The items with one classifier or both."""
    return lc.read_population(
        source,
        id="id",
        content=["text"],
        scores={"a": "score"} | ({"b": "other"} if both else {}),
        predictions={"a": "call"} | ({"b": "other_call"} if both else {}),
    )


# --- what a process of its own measures ------------------------------------------------------


class Clock:
    """Seconds on the clock and of the processor, step by step."""

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def __call__(self, step: str, work: Callable[[], Found]) -> Found:
        wall, cpu = time.perf_counter(), time.process_time()
        found = work()
        self._found[step].append((time.perf_counter() - wall, time.process_time() - cpu))
        return found

    @property
    def steps(self) -> dict[str, list[float]]:
        """Step -> [clock, processor], the medians where it was done more than once."""
        both = {step: zip(*times, strict=True) for step, times in self._found.items()}
        return {step: [median(one) for one in times] for step, times in both.items()}


def peak() -> float:
    """The most memory that this process ever held, pages of mapped files too, in MB."""
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition("VmHWM:")[2].split()[0]) / 1024


def ready() -> None:
    """Import what a session needs, so that no step pays for it."""
    rows = [{"text": f"item {row}", "call": row % 2} for row in range(20)]
    few = lc.read_population(rows, content="text", predictions={"a": "call"})
    with tempfile.TemporaryDirectory() as folder:
        plan, store = lc.Plan("simple_random", FOUR, budget=10), f"sqlite:///{folder}/labels.db"
        session = lc.Session(few, plan, store)
        label(session, Clock(), 3)
        lc.write_report(session, Path(folder) / "report.html")


def label(session: lc.Session, clock: Clock, labels: int) -> None:
    """The first item, then so many answers, each with the next item and the figures."""

    def shown(answer: bool | None = None) -> Any:
        if answer is not None:
            session.answer(draw, answer)
        found = session.next()
        if found is not None:
            session.item(found)
        return found

    draw = clock("first item", shown)
    for number in range(labels):
        if draw is not None:
            draw = clock("next item", partial(shown, number % 3 == 0))
            clock("figures", session.results)


def project(source: Source, method: str, store: str) -> Row:
    """A user's way from the items to a report; without a store a session in memory, of both
    classifiers, up to its figures."""
    ready()
    clock = Clock()
    population = clock("import", lambda: read(source, both=not store))
    plan = lc.Plan(method, seed=SEED, **{"classifier": "a"} | METHODS[method])
    session = clock("plan", lambda: lc.Session(population, plan, store or None, "scale"))
    label(session, clock, LABELS)
    if store:
        with tempfile.TemporaryDirectory() as folder:
            clock("report", lambda: lc.write_report(session, Path(folder) / "report.html"))
    return {"steps": clock.steps, "mb": peak(), "held": sum(held(session))}


def reopened(store: str) -> Row:
    """The same project up to the item that is open."""
    ready()
    clock = Clock()
    session = clock("opened again", lambda: lc.Session.open(store, "scale"))
    label(session, clock, 0)
    return {"steps": {"opened again": summed(clock.steps.values())}, "mb": peak()}


def reading_lines(path: str) -> Row:
    """JSON Lines as a population with all checks, and as a table of pandas."""
    clock = Clock()
    for _ in range(READINGS):
        clock("ours", lambda: read(path))
        clock("pandas", lambda: pd.read_json(path, lines=True))
    return clock.steps


def held(session: lc.Session) -> list[float]:
    """Bytes for each item of arrays that lie in memory, and of those mapped from a file."""
    n_items, found = len(session.population), [0, 0]
    for array in _arrays(session):
        if array.nbytes >= n_items // 2:
            found[isinstance(array, np.memmap) or not array.flags.owndata] += array.nbytes
    return [number / n_items for number in found]


def _arrays(root: object) -> Iterator[np.ndarray]:
    """Every array that can be reached, once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        one = waiting.pop()
        while isinstance(one, np.ndarray) and isinstance(one.base, np.ndarray):
            if isinstance(one, np.memmap):
                break
            one = one.base
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            yield one
        elif type(one).__module__.startswith("labelcore") or (
            isinstance(one, (dict, list, tuple)) and len(one) < 1_000
        ):
            waiting += gc.get_referents(one)


# --- jobs ------------------------------------------------------------------------------------


def alone(work: Callable[[], Row], *limits: int) -> Row:
    """``work`` in a process of its own, with the product's limits or others."""
    with ProcessPoolExecutor(1, get_context("spawn"), _set_limits, limits) as pool:
        return pool.submit(work).result()


def _set_limits(large: int = sources.LARGE) -> None:
    sources.LARGE = large


def whole(engine: str, number: int, method: str, limits: tuple[int, ...]) -> list[Row]:
    """A project on SQLite, opened again."""
    with PLACES[engine](number) as source, tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/labels.db"
        first = alone(partial(project, source, method, store), *limits)
        again = alone(partial(reopened, store), *limits)
    first["steps"] |= again["steps"]
    more = {"again, mb": again["mb"], "load": os.getloadavg()[0]}
    return [{"engine": engine, "items": number, "method": method, **first, **more}]


def in_memory(number: int, method: str) -> list[Row]:
    """A session in memory."""
    with one_file(number) as source:
        found = alone(partial(project, source, method, ""))
    return [{"items": number, "method": method, **found}]


def json_lines(number: int) -> list[Row]:
    """JSON Lines read by two."""
    with one_file(number) as source, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        write(f"FROM '{source}'", path, "FORMAT json")
        found = alone(partial(reading_lines, str(path)))
    return [{"lines": number, **found}]


def jobs(options: Options) -> dict[str, Job]:
    """Name -> job."""
    missing = {"PostgreSQL"} if postgres.why_not() else set()
    if importlib.util.find_spec("pyspark") is None:
        missing.add("Spark")
    sizes = QUICK_SIZES if options.quick else SIZES
    found: dict[str, Job] = {
        f"{engine}, {number}: {method}": partial(whole, engine, number, method, limits)
        for (engine, number), methods in sizes.items()
        for limits in [QUICK_LIMITS if options.quick and engine == "DuckDB" else ()]
        for method in methods
        if engine not in missing
    }
    found |= {
        f"{method} alone: {number}": partial(in_memory, number, method)
        for method in METHODS
        for number in IN_MEMORY[: 1 if options.quick else None]
    }
    lines = 20_000 if options.quick else 200_000
    return found | {f"JSON Lines: {lines}": partial(json_lines, lines)}


# --- what is written -------------------------------------------------------------------------


def power(number: int) -> str:
    exponent = len(str(number)) - 1
    factor = number / 10**exponent
    return f"10^{exponent}" if factor == 1 else f"{factor:g} x 10^{exponent}"


def summed(steps: Iterable[list[float]]) -> list[float]:
    """Seconds on the clock and of the processor, together."""
    return [sum(one) for one in zip(*steps, strict=True)]


def until(row: Row, last: str) -> list[float]:
    """Those of a row from its import on."""
    steps = list(row["steps"])
    return summed(row["steps"][step] for step in steps[: steps.index(last) + 1])


def both(seconds: list[float] | None) -> str:
    """On the clock, and of the processor in brackets."""
    if seconds is None:
        return "not possible"
    wall, cpu = (f"{one:,.0f}" if one >= 10 else f"{one:.2g}" for one in seconds)
    return f"{wall} ({cpu})"


def projects_table(rows: list[Row]) -> str:
    steps = list(rows[0]["steps"])
    head = ("engine", "items", "method", *steps, "bytes an item", "peak, MB", "again, MB", "load")
    lines = [
        [row["engine"], power(row["items"]), row["method"],
         *(both(row["steps"].get(step)) for step in steps),
         f"{row['held']:.0f}", f"{row['mb']:,.0f}", f"{row['again, mb']:,.0f}",
         f"{row['load']:.1f}"]
        for row in rows
    ]  # fmt: skip
    return table(head, lines)


def methods_table(rows: list[Row]) -> str:
    head = ("method", "items", "plan, s", "bytes an item", "next item, ms", "figures, ms")
    cpu = [{step: times[1] for step, times in row["steps"].items()} for row in rows]
    lines = [
        [row["method"], power(row["items"]), f"{one['plan']:.2f}", f"{row['held']:.0f}",
         f"{1000 * one['next item']:.1f}", f"{1000 * one['figures']:.1f}"]
        for row, one in zip(rows, cpu, strict=True)
    ]  # fmt: skip
    return table(head, lines)


def lines_table(rows: list[Row]) -> str:
    lines = [
        [f"{row['lines']:,}", *(f"{row[who][1]:.2f} s" for who in ("ours", "pandas")),
         f"{row['ours'][1] / row['pandas'][1]:.2f}"]
        for row in rows
    ]  # fmt: skip
    return table(("rows", "read and checked", "pandas.read_json", "times"), lines)


def growth(rows: list[Row]) -> str:
    """How the steps grew from each number of items to the next one, and what that comes to."""
    text = ""
    for small, large in pairwise(rows):
        more = ", ".join(
            f"{step} {large['steps'][step][1] / small['steps'][step][1]:.1f}"
            for step in ("import", "plan", "report", "opened again")
            if step in large["steps"]
        )
        text += (
            f"- {power(small['items'])} to {power(large['items'])} items, "
            f"{large['items'] / small['items']:g} times as many, in times: {more}.\n"
        )
    times, seconds = 2e9 / rows[-1]["items"], until(rows[-1], "first item")[0]
    return text + (
        f"- **Extrapolated, not run:** 2 x 10^9 items. Every pass reads all rows, and there is a "
        f"fixed number of them: {times:,.0f} times the {seconds:,.0f} s on the clock from import "
        f"to first item with {power(rows[-1]['items'])} items would be "
        f"{times * seconds / 3600:.1f} hours on this machine. Memory is not extrapolated.\n"
    )


def goals(rows: list[Row]) -> str:
    """What DuckDB took against what it should take."""
    asked = {10**7: ("first item", "30 s, 2 GB"), 10**8: ("plan", "2 minutes, 2.5 GB")}
    lines = [
        [power(row["items"]), row["method"], f"import to {last}", goal,
         f"{both(until(row, last))} s; {row['mb']:,.0f} MB with the report"]
        for row in rows
        for last, goal in [asked.get(row["items"], ("", ""))]
        if last
    ]  # fmt: skip
    return table(("items", "method", "what", "goal", "found"), lines)


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    projects = [row for row in every if "engine" in row]
    duck = [row for row in projects if row["engine"] == "DuckDB"]
    text = [f"{_versions(projects)}\n\n## A project\n", projects_table(projects)]
    if not options.quick:
        text += [
            "## Growth\n\nSeconds of the processor of the default method on DuckDB:\n",
            growth([row for row in duck if row["method"] == DEFAULT]),
            f"## Against the goals\n\n{goals(duck)}",
        ]
    text += [
        "## Each method in memory\n\nSeconds of the processor:\n",
        methods_table([row for row in every if "held" in row and "engine" not in row]),
        "## JSON Lines\n\nSeconds of the processor, the medians of nine in one process:\n",
        lines_table([row for row in every if "lines" in row]),
    ]
    return "\n".join(text)


def _versions(rows: list[Row]) -> str:
    named, engines = [f"DuckDB {version('duckdb')}"], {row["engine"] for row in rows}
    if "PostgreSQL" in engines:
        named.append(f"PostgreSQL {str(postgres.binaries()).split('/')[-2]}")
    if "Spark" in engines:
        import pyspark

        named.append(f"pyspark {pyspark.__version__}")
    return f"With {', '.join(named)}."


BENCHMARK = Benchmark(
    name="scale", about=__doc__, jobs=jobs, tables=tables, page="scale.md",
    head=f"{MADE}\n", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
