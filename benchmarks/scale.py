"""Time and memory against the number of items: from a file to the report.

    python -m benchmarks.scale [--quick] [--only WORD] [--rows FILE] [--write]

Synthetic Parquet made on the spot with a fixed seed: an id, a text of about 70 characters, two
scores, two predictions and the truth. Each number of items has fresh processes of its own: one that
reads the file, makes a project on SQLite, labels 120 items and writes the report, and one that
opens the project again. Seconds are those of the processor; the peak is that of the process.

The second table has each method on its own: bytes that its session holds for each item, and
milliseconds of the figures after a label. The third reads the same items as JSON Lines, with all
checks, and beside it `pandas.read_json` in the same process, one after the other; medians.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from labelcore.session.session import Session

FOUR = ["accuracy", "precision", "recall", "f1"]
LABELS = 120
READINGS = 9
BLOCK = 1_000_000
CURVE = ["precision_curve"]
METHODS: Mapping[str, dict[str, Any]] = {
    "recalibrated_neyman": {"estimands": FOUR, "budget": 500},
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
        "estimands": ["precision"],
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


# --- the file ------------------------------------------------------------------------------------


def blocks(n_items: int, seed: int = 0) -> Iterator[pa.Table]:
    """The items, a million at a time."""
    for start in range(0, n_items, BLOCK):
        random = np.random.default_rng([seed, start])
        rows = np.arange(start, min(start + BLOCK, n_items))
        score = random.beta(0.4, 2.0, len(rows))
        other = np.clip(score + random.normal(0, 0.1, len(rows)), 0, 1)
        number = pa.array(rows).cast(pa.string())
        text = "a message of some words, as people write them in forms, number "
        yield pa.table(
            {
                "id": pc.binary_join_element_wise("item", number, "-"),
                "text": pc.binary_join_element_wise(text, number, ""),
                "a": score,
                "b": other,
                "a_says": (score >= 0.5).astype(np.int8),
                "b_says": (other >= 0.4).astype(np.int8),
                "truth": (random.random(len(rows)) < score).astype(np.int8),
            }
        )


def write_items(path: Path, n_items: int) -> None:
    """One Parquet file."""
    writer = None
    for block in blocks(n_items):
        writer = writer or pq.ParquetWriter(path, block.schema)
        writer.write_table(block)
    assert writer is not None
    writer.close()


def read_items(path: Path) -> lc.Population:
    return lc.read_population(
        path,
        id="id",
        content=["text"],
        scores={"a": "a", "b": "b"},
        predictions={"a": "a_says", "b": "b_says"},
        metadata=["truth"],
    )


# --- what a process of its own measures ----------------------------------------------------------


class Clock:
    """Seconds of the processor and of the wall for one step after the other, and the peak then."""

    def __init__(self) -> None:
        self.steps: dict[str, list[float]] = {}

    def __call__(self, name: str, step: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        found = step()
        used = time.process_time() - cpu, time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.steps[name] = [*used, peak]
        return found


def ready() -> None:
    """Import what a session needs, so that no step pays for it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.parquet"
        write_items(path, 200)
        plan = lc.Plan("simple_random", FOUR, classifier="a", budget=30)
        session = lc.Session(read_items(path), plan, f"sqlite:///{folder}/small.db")
        label(session, 5)
        lc.write_report(session, f"{folder}/small.html")


def label(session: lc.Session, labels: int) -> tuple[list[float], list[float]]:
    """Label so many items; processor seconds of next item and answer, and of the figures after."""
    items, figures = [], []
    for _ in range(labels):
        start = time.process_time()
        draw = session.next()
        if draw is None:
            break
        session.item(draw)
        truth = session.population.metadata(draw.item_id)["truth"]
        session.answer(draw, truth == "1")
        items.append(time.process_time() - start)
        start = time.process_time()
        session.results()
        figures.append(time.process_time() - start)
    return items, figures


def a_project(path: str, folder: str) -> dict[str, Any]:
    """From the file to the report, by the method that is proposed."""
    ready()
    clock = Clock()
    population = clock("import", lambda: read_items(Path(path)))
    plan = lc.Plan("recalibrated_neyman", FOUR, classifier="a", budget=500, seed=7)
    store = f"sqlite:///{folder}/labels.db"
    session = clock("plan", lambda: lc.Session(population, plan, store, "scale"))
    clock("first item", lambda: session.item(session.next()))
    items, figures = label(session, LABELS)
    clock("report", lambda: lc.write_report(session, f"{folder}/report.html"))
    return {
        "steps": clock.steps,
        "next item": median(items),
        "figures": median(figures),
        "held": held(session),
    }


def an_old_project(folder: str) -> dict[str, Any]:
    """Open it again, and ask for an item."""
    ready()
    clock = Clock()
    session = clock("reopen", lambda: Session.open(f"sqlite:///{folder}/labels.db", "scale"))
    clock("its next item", lambda: session.item(session.next()))
    return {"steps": clock.steps, "held": held(session)}


def a_method(path: str, name: str) -> dict[str, Any]:
    """What a session of a method holds, and its figures after a label."""
    ready()
    given = {"classifier": "a"} | METHODS[name]
    if name == "recycling":
        given.pop("classifier")
    population, clock = read_items(Path(path)), Clock()
    session = clock("plan", lambda: lc.Session(population, lc.Plan(name, seed=7, **given)))
    clock("first figures", lambda: label(session, 1))
    items, figures = label(session, LABELS)
    return {
        "steps": clock.steps,
        "next item": median(items),
        "figures": median(figures),
        "held": held(session),
    }


def held(session: lc.Session) -> list[float]:
    """Bytes for each item of arrays that lie in memory, and of those mapped from a file."""
    n_items, memory, mapped = len(session.population), 0, 0
    for array in _arrays(session, set(), 0):
        if array.nbytes < n_items // 2:
            continue
        if isinstance(array, np.memmap) or not array.flags.owndata:
            mapped += array.nbytes
        else:
            memory += array.nbytes
    return [memory / n_items, mapped / n_items]


def _arrays(found: Any, seen: set[int], depth: int) -> Iterator[np.ndarray]:
    """Every array that can be reached, once."""
    if isinstance(found, np.ndarray):
        while isinstance(found.base, np.ndarray) and not isinstance(found, np.memmap):
            found = found.base
    if id(found) in seen or depth > 8:
        return
    seen.add(id(found))
    if isinstance(found, np.ndarray):
        yield found
        return
    if isinstance(found, Mapping):
        inner: Any = found.values()
    elif isinstance(found, (list, tuple)):
        inner = found if len(found) < 1_000 else ()
    elif type(found).__module__.startswith("labelcore"):
        slots = [name for kind in type(found).__mro__ for name in getattr(kind, "__slots__", ())]
        inner = [*vars(found).values()] if hasattr(found, "__dict__") else []
        inner += [getattr(found, name, None) for name in slots]
    else:
        return
    for one in list(inner):
        yield from _arrays(one, seen, depth + 1)


def reading_lines(path: str) -> dict[str, Any]:
    """JSON Lines as a population, and as a table of pandas."""
    ours, theirs = [], []
    for _ in range(READINGS + 1):
        start = time.process_time()
        read_items(Path(path))
        between = time.process_time()
        pd.read_json(path, lines=True)
        ours.append(between - start)
        theirs.append(time.process_time() - between)
    return {"ours": median(ours[1:]), "pandas": median(theirs[1:])}


# --- jobs and tables -----------------------------------------------------------------------------


def alone(what: str, *given: str) -> dict[str, Any]:
    """What a function of this module gives in a process of its own."""
    code = f"import json, benchmarks.scale as one; print(json.dumps(one.{what}(*{given!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def of_size(n_items: int) -> list[Row]:
    """A project of one Parquet file, read into memory."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.parquet"
        write_items(path, n_items)
        first, again = alone("a_project", str(path), folder), alone("an_old_project", folder)
    return [{"items": n_items, "first": first, "again": again}]


def of_method(name: str, n_items: int) -> list[Row]:
    """A session of a method in memory."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.parquet"
        write_items(path, n_items)
        return [{"method": name, "items": n_items, **alone("a_method", str(path), name)}]


def of_lines(n_items: int) -> list[Row]:
    """JSON Lines read by two."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        with path.open("w") as file:
            for block in blocks(n_items):
                block.to_pandas().to_json(file, orient="records", lines=True)
        return [{"lines": n_items, **alone("reading_lines", str(path))}]


def jobs(options: Options) -> dict[str, Job]:
    sizes = (10_000, 100_000) if options.quick else (10_000, 100_000, 1_000_000)
    more = (10_000, 100_000) if options.quick else (10_000, 1_000_000)
    lines = 20_000 if options.quick else 200_000
    return {
        **{f"in memory, {size}": partial(of_size, size) for size in sizes},
        **{f"{name}, {size}": partial(of_method, name, size) for name in METHODS for size in more},
        f"JSON Lines, {lines}": partial(of_lines, lines),
    }


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    projects = [one for one in every if "again" in one]
    head = ("items", "import", "plan", "first item", "next item, ms", "figures, ms", "report",
            "opened again", "peak, MB", "opened again, MB")  # fmt: skip
    found = table(head, [_project(one) for one in projects])
    methods = [one for one in every if "method" in one]
    head = ("method", "items", "plan, s", "bytes an item", "next item, ms", "figures, ms")
    found += f"\n{table(head, [_method(one) for one in methods])}"
    head = ("rows of JSON Lines", "read and checked", "pandas.read_json", "times")
    read = [
        [f"{one['lines']:,}", f"{one['ours']:.2f} s", f"{one['pandas']:.2f} s",
         f"{one['ours'] / one['pandas']:.2f}"]
        for one in every if "lines" in one
    ]  # fmt: skip
    return f"{found}\n{table(head, read)}"


def _project(one: Row) -> list[str]:
    first, again = one["first"], one["again"]
    steps, opened = first["steps"], again["steps"]
    seconds = {name: f"{found[0]:.2f} s" for name, found in {**steps, **opened}.items()}
    return [
        f"{one['items']:,}",
        seconds["import"],
        seconds["plan"],
        seconds["first item"],
        f"{1000 * first['next item']:.1f}",
        f"{1000 * first['figures']:.1f}",
        seconds["report"],
        seconds["reopen"],
        f"{steps['report'][2]:.0f}",
        f"{opened['its next item'][2]:.0f}",
    ]


def _method(one: Row) -> list[str]:
    return [
        one["method"],
        f"{one['items']:,}",
        f"{one['steps']['plan'][0]:.2f}",
        f"{sum(one['held']):.0f}",
        f"{1000 * one['next item']:.1f}",
        f"{1000 * one['figures']:.1f}",
    ]


BENCHMARK = Benchmark(
    name="scale", about=__doc__, jobs=jobs, tables=tables, page="scale.md",
    head=f"{MADE}\n\n", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
