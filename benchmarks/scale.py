"""Time, memory and disk against the number of items and of scores: from the items to the report.

    python -m benchmarks.scale [--quick] [--only WORD] [--rows FILE] [--write]

With ``--only`` and ``--write`` the rows of these jobs replace theirs in the page, and no other.

Invented items, made on the spot by DuckDB: ids, a text of some 60 characters, eight scores (a fifth
of the items crowded on two decimals), calls that follow each but for some in a hundred, and the
truth. A project is what a user does: read, freeze a plan, label, look, simulate, report; and, in
another process, open it again. Beside it each method on its own. Each runs in a process of its own
that has imported what it needs; with 10^8 items that process may take 4 GB of memory, by the
system's own limit. PostgreSQL is a server started for it; Spark runs here, where pyspark and Java
are there.
"""

import gc
import importlib.util
import os
import resource
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import cache, partial
from importlib.metadata import version
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any, TypeVar

import duckdb
import numpy as np

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from tests import postgres

SEED, LABELS, PARTS = 7, 30, 8
MOST_SCORES = 8
DEFAULT = "recalibrated_neyman"
FOUR, CURVE = ["accuracy", "precision", "recall", "f1"], ["precision_curve"]
METHODS: dict[str, dict[str, Any]] = {
    DEFAULT: {"estimands": ["precision", "recall"], "budget": 300},
    "simple_random": {"estimands": FOUR, "budget": 500},
    "stratified": {"estimands": ["accuracy"], "budget": 500},
    "oversampling": {"estimands": ["precision", "recall"], "budget": 500},
    "agreement_patterns": {
        "estimands": ["precision", "recall"], "classifier": ["s0", "s1"], "budget": 500,
    },
    "paired_comparison": {
        "estimands": ["accuracy_difference"], "classifier": ["s0", "s1"], "budget": 500,
    },
    "recycling": {
        "estimands": ["precision"], "classifier": None,
        "params": {"parent": "s1", "children": ["s0"], "sample_size": 400},
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
LISTS = ("geometric_strata", "logarithmic_stratified")
PROJECTS = [
    *(("Parquet", 10**power, scores) for power in (4, 6, 7) for scores in (1, 2, 8)),
    ("Parquet", 10**8, 1),
    ("PostgreSQL", 10**6, 1),
    ("PostgreSQL", 10**6, 2),
    ("Spark", 10**6, 2),
]
"""Source, items and scores."""
QUICK_PROJECTS = [("Parquet", 10**4, 1), ("Parquet", 10**4, 8), ("PostgreSQL", 10**4, 1)]
LARGEST_SIMULATED = 10**7
LIMITED, LIMIT = 10**8, 4 * 10**9
"""From so many items on, a process may take so many bytes: its heap and every private page."""
KNOWN_ANSWERS, LANGUAGES = 1_000, 20
BESIDE: dict[str, dict[str, Any]] = {
    "one score": {"scores": 1},
    "two scores, one helps": {"scores": 2},
    "a helper": {"scores": 1, "columns": {"helpers": {"judge": "s1"}}},
    "a claim": {"scores": 1, "plan": {"claims": ["precision >= 0.6"], "promise": "watched"}},
    "known answers": {"scores": 1, "columns": {"known": "known"}, "plan": {"existing": "random"}},
    "groups": {"scores": 1, "columns": {"groups": ["language"]}},
}
"""What may stand beside a score: how many scores, what of the columns, what in the plan."""
Source = str
Found = TypeVar("Found")


# --- items -----------------------------------------------------------------------------------

ROWS = """
    SELECT 'item-' || n AS id, 'An invented message of some sixty characters, number ' || n AS text,
        CAST((score >= 0.5) <> (hash(n + 3) % 50 = 0) AS INT) AS truth, {columns}
    FROM (SELECT n, CASE WHEN hash(n + 1) % 5 = 0 THEN round(s, 2) ELSE s END AS score
        FROM (SELECT range AS n, pow(hash(range + 2) / 18446744073709551616.0, 3) AS s
            FROM range({first}, {end})))
"""
BYTES_EACH = 60
"""A row in Parquet, texts and all, and room to work in."""


def rows(first: int, end: int, scores: int) -> str:
    """The items from ``first`` up to ``end``: each score beyond the first one is a noisier one."""
    columns = []
    for n in range(scores):
        shift = f"{n} * 0.03 * (hash(n + {10 + n}) / 18446744073709551616.0 - 0.5)"
        columns.append(f"least(greatest(score + {shift}, 0), 1) AS s{n}")
        columns.append(f"CAST(s{n} >= 0.5 - {n} * 0.01 AS INT) AS c{n}")
    return ROWS.format(first=first, end=end, columns=", ".join(columns))


MORE = """
    SELECT *, CASE WHEN hash(id) % {each} = 0 THEN truth END AS known,
        'language ' || hash(id || '?') % {languages} AS language FROM ({rows})
"""


def rows_beside(number: int) -> Callable[[int, int, int], str]:
    """``rows`` with known answers, about a thousand of so many items, and a group."""
    each = max(number // KNOWN_ANSWERS, 1)

    def made(first: int, end: int, scores: int) -> str:
        return MORE.format(each=each, languages=LANGUAGES, rows=rows(first, end, scores))

    return made


def write(query: str, path: Path, form: str = "FORMAT parquet") -> None:
    home = duckdb.connect(config={"memory_limit": "1GB", "threads": 2})
    home.execute(f"COPY ({query}) TO '{path}' ({form})")


def write_file(path: Path, number: int, scores: int = 2) -> None:
    """One file of so many items."""
    write(rows(0, number, scores), path)


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
        write_file(path, number, MOST_SCORES)
    yield str(path)


@contextmanager
def parts(number: int, scores: int, of: Callable[[int, int, int], str] = rows) -> Iterator[Source]:
    """A folder of Parquet parts."""
    folder = Path(folder_for(number).name) / f"parts-{of.__name__}-{scores}"
    if not folder.exists():
        folder.mkdir()
        ends = [number * part // PARTS for part in range(PARTS + 1)]
        for part, (first, end) in enumerate(pairwise(ends)):
            write(of(first, end, scores), folder / f"part-{part}.parquet")
    yield str(folder)


@contextmanager
def database(number: int, scores: int) -> Iterator[Source]:
    """A table of PostgreSQL with its ids as a primary key."""
    import psycopg

    with postgres.running() as server, tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # The server is another user's.
        path = Path(name) / "rows.csv"
        write(rows(0, number, scores), path, "HEADER false")
        columns = ", ".join(f"s{n} FLOAT8, c{n} INT" for n in range(scores))
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(f"CREATE TABLE items (id TEXT, text TEXT, truth INT, {columns})")
            connection.execute(f"COPY items FROM '{path}' (FORMAT csv)")
            connection.execute("ALTER TABLE items ADD PRIMARY KEY (id)")
            connection.execute("VACUUM ANALYZE items")
        path.unlink()
        yield f"{server.url()}#items"


@contextmanager
def spark(number: int, scores: int) -> Iterator[Source]:
    with parts(number, scores) as folder:
        yield f"spark:{folder}"


PLACES = {"Parquet": parts, "PostgreSQL": database, "Spark": spark}


def read(source: Source | Path, scores: int = 2, **columns: Any) -> lc.Population:
    """The items with so many classifiers, and what other ``columns`` mean."""
    return lc.read_population(
        source,
        id="id",
        content=["text"],
        scores={f"s{n}": f"s{n}" for n in range(scores)},
        predictions={f"s{n}": f"c{n}" for n in range(scores)},
        **columns,
    )


# --- what a process of its own measures ------------------------------------------------------


EVERY = 0.02
"""Seconds between two looks."""


def peak() -> float:
    """The most memory that this process ever held, pages of mapped files too, in MB."""
    return _of_status("VmHWM")


class Private:
    """The most memory that this process had for itself alone while it was watched: without pages
    of files, which others share and the system drops when it needs room."""

    def __init__(self) -> None:
        self._most, self._over = 0.0, Event()
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
            self._most = max(self._most, _of_status("RssAnon"))

    def ended(self) -> float:
        """Watch no longer; what was found, in MB."""
        self._over.set()
        return max(self._most, _of_status("RssAnon"))


def _of_status(name: str) -> float:
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition(f"{name}:")[2].split()[0]) / 1024


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


def ready() -> None:
    """Import what a session needs, so that no step pays for it."""
    rows = [{"text": f"item {row}", "call": row % 2} for row in range(20)]
    few = lc.read_population(rows, content="text", predictions={"s0": "call"})
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


def project(
    source: Source,
    method: str,
    scores: int,
    store: str,
    columns: Mapping[str, Any] = {},
    asked: Mapping[str, Any] = {},
) -> Row:
    """A user's way from the items to a report; without a store a session in memory, up to its
    figures."""
    ready()
    clock, private = Clock(), Private()
    population = clock("read", lambda: read(source, scores, **columns))
    plan = lc.Plan(method, seed=SEED, **{"classifier": "s0"} | METHODS[method] | dict(asked))
    session = clock("freeze", lambda: lc.Session(population, plan, store or None, "scale"))
    label(session, clock, LABELS)
    frame = session.engine.frame
    for group in session.population.groups.values():
        clock("groups by stratum", partial(group.counts, frame.stratum, frame.n_strata))
    found: Row = {"steps": clock.steps, "mb": peak(), "held": sum(held(session))}
    if store:
        with tempfile.TemporaryDirectory() as folder:
            clock("report", lambda: lc.write_report(session, Path(folder) / "report.html"))
        place = Path(store.removeprefix("sqlite:///")).parent
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        found |= {"steps": clock.steps, "mb": peak(), "disk": size / 1e6}
    return found | {"private": private.ended()}


def simulated(source: Source, scores: int) -> Row:
    """Seconds of one further run of the default method, answered by the truth."""
    ready()
    clock, population = Clock(), read(source, scores)
    plan = lc.Plan(DEFAULT, seed=SEED, **{"classifier": "s0"} | METHODS[DEFAULT])
    truth = duckdb.sql(f"SELECT truth FROM '{_files(source)}'").fetchnumpy()["truth"]
    for runs in (2, 22):
        clock(str(runs), partial(lc.simulate, population, plan, truth=truth, runs=runs))
    few, many = (clock.steps[runs] for runs in ("2", "22"))
    return {"seconds": [(b - a) / 20 for a, b in zip(few, many, strict=True)]}


def _files(source: Source) -> str:
    return f"{source}/*.parquet" if Path(source).is_dir() else source


def reopened(store: str) -> Row:
    """The same project up to the item that is open."""
    ready()
    clock = Clock()
    session = clock("opened again", lambda: lc.Session.open(store, "scale"))
    label(session, clock, 0)
    return {"steps": {"opened again": summed(clock.steps.values())}, "mb": peak()}


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


def alone(work: Callable[[], Row], items: int = 0) -> Row:
    """``work`` in a process of its own, which has a limit where there are many items."""
    given = (LIMIT,) if items >= LIMITED else ()
    with ProcessPoolExecutor(1, get_context("spawn"), limited, given) as pool:
        return pool.submit(work).result() | {"run": date.today().isoformat()}


def limited(memory: int | None = None) -> None:
    """Take no more memory than this from now on. Pages of mapped files do not count: the system
    drops them when it needs the room."""
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def whole(place: str, number: int, scores: int, method: str = DEFAULT) -> list[Row]:
    """A project on SQLite, opened again, and a run of its simulation."""
    with PLACES[place](number, scores) as source, tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/labels.db"
        found = alone(partial(project, source, method, scores, store), number)
        again = alone(partial(reopened, store), number)
        found["steps"] |= again["steps"]
        if place == "Parquet" and number <= LARGEST_SIMULATED and method == DEFAULT:
            run = alone(partial(simulated, source, scores))
            found["steps"]["simulate a run"] = run["seconds"]
    more = {"again, mb": again["mb"], "load": os.getloadavg()[0]}
    return [{"source": place, "items": number, "scores": scores, "method": method} | found | more]


def beside(number: int, what: str) -> list[Row]:
    """A project on SQLite with more than a score."""
    given = BESIDE[what]
    with (
        parts(number, 2, rows_beside(number)) as source,
        tempfile.TemporaryDirectory() as folder,
    ):
        store = f"sqlite:///{folder}/labels.db"
        more = given.get("columns", {}), given.get("plan", {})
        work = partial(project, source, DEFAULT, given["scores"], store, *more)
        return [{"beside": what, "items": number, **alone(work, number)}]


def in_memory(number: int, method: str) -> list[Row]:
    """A session in memory, of two classifiers."""
    with one_file(number) as source:
        found = alone(partial(project, source, method, 2, ""))
    return [{"alone": True, "items": number, "method": method, **found}]


def jobs(options: Options) -> dict[str, Job]:
    """Name -> job."""
    missing = {"PostgreSQL"} if postgres.why_not() else set()
    if importlib.util.find_spec("pyspark") is None:
        missing.add("Spark")
    found: dict[str, Job] = {
        f"{place}, {number}: {scores} scores": partial(whole, place, number, scores)
        for place, number, scores in (QUICK_PROJECTS if options.quick else PROJECTS)
        if place not in missing
    }
    many = 10**4 if options.quick else 10**7
    found |= {f"{what}: {many}": partial(beside, many, what) for what in BESIDE}
    if not options.quick:
        found[f"groups: {LIMITED}"] = partial(beside, LIMITED, "groups")
    few = 10**4 if options.quick else 10**6
    found |= {f"{method} alone: {few}": partial(in_memory, few, method) for method in METHODS}
    if not options.quick:
        found |= {f"{one} alone: {10**7}": partial(in_memory, 10**7, one) for one in LISTS}
    return found


# --- what is written -------------------------------------------------------------------------


def power(number: int) -> str:
    exponent = len(str(number)) - 1
    factor = number / 10**exponent
    return f"10^{exponent}" if factor == 1 else f"{factor:g} x 10^{exponent}"


def summed(steps: Iterable[list[float]]) -> list[float]:
    """Seconds on the clock and of the processor, together."""
    return [sum(one) for one in zip(*steps, strict=True)]


def both(seconds: list[float] | None) -> str:
    """On the clock, and of the processor in brackets."""
    if seconds is None:
        return ""
    wall, cpu = (f"{one:,.0f}" if one >= 10 else f"{one:.2g}" for one in seconds)
    return f"{wall} ({cpu})"


def projects_table(rows: list[Row]) -> str:
    steps = list(dict.fromkeys(step for row in rows for step in row["steps"]))
    head = ("source", "items", "scores", *steps, "peak, MB", "private, MB", "again, MB",
            "disk, MB", "load", "run")  # fmt: skip
    lines = [
        [row["source"], power(row["items"]), row["scores"],
         *(both(row["steps"].get(step)) for step in steps),
         *(f"{row[name]:,.0f}" for name in ("mb", "private", "again, mb", "disk")),
         f"{row['load']:.1f}", row["run"]]
        for row in rows
    ]  # fmt: skip
    return table(head, lines)


def beside_table(rows: list[Row]) -> str:
    steps = list(dict.fromkeys(step for row in rows for step in row["steps"]))
    lines = [
        [row["beside"], power(row["items"]), *(both(row["steps"].get(step)) for step in steps),
         f"{row['mb']:,.0f}", f"{row['private']:,.0f}", row["run"]]
        for row in rows
    ]  # fmt: skip
    return table(("with", "items", *steps, "peak, MB", "private, MB", "run"), lines)


def methods_table(rows: list[Row]) -> str:
    head = ("method", "items", "freeze, s", "first item, s", "bytes an item", "next item, ms",
            "figures, ms", "run")  # fmt: skip
    cpu = [{step: times[1] for step, times in row["steps"].items()} for row in rows]
    lines = [
        [row["method"], power(row["items"]), f"{one['freeze']:.2f}", f"{one['first item']:.2f}",
         f"{row['held']:.0f}", f"{1000 * one['next item']:.1f}", f"{1000 * one['figures']:.1f}",
         row["run"]]
        for row, one in zip(rows, cpu, strict=True)
    ]  # fmt: skip
    return table(head, lines)


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    projects = [row for row in every if "source" in row]
    text = [
        f"{_versions(projects)}\n\n## A project\n",
        projects_table(projects),
        f"Processes with {power(LIMITED)} items may take {LIMIT / 1e9:g} GB (`RLIMIT_DATA`); in "
        "their peak are pages of mapped files, too, which the system drops when it needs room.\n",
        f"## More than a score\n\nThe default method; about {KNOWN_ANSWERS:,} known answers, "
        f"{LANGUAGES} groups, counted by stratum:\n",
        beside_table([row for row in every if "beside" in row]),
        "## Each method\n\nTwo scores, a session in memory; of the processor:\n",
        methods_table([row for row in every if "alone" in row]),
    ]
    return "\n".join(text)


def _versions(rows: list[Row]) -> str:
    named, places = [f"DuckDB {version('duckdb')}"], {row["source"] for row in rows}
    if "PostgreSQL" in places:
        named.append(f"PostgreSQL {str(postgres.binaries()).split('/')[-2]}")
    if importlib.util.find_spec("pyspark") is not None:
        named.append(f"pyspark {version('pyspark')}")
    return f"With {', '.join(named)}."


BENCHMARK = Benchmark(
    name="scale", about=__doc__, jobs=jobs, tables=tables, page="scale.md",
    head=f"{MADE}\n", workers=1,
    keys={"A project": 3, "More than a score": 2, "Each method": 2},
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
