"""The page *Review* with many labels: how long a search and a filter take, and what is kept.

    python -m benchmarks.review [--quick] [--runs 60] [--write]

A project of its own in a fresh data folder; the page's own script, run by Streamlit's tester, so
the browser is not counted. A press is a new run of the page: a word searched for, or another list
chosen; words repeat after some presses, as people's do. Goal: a press within 300 ms, and no more
memory after many presses than after a few.
"""

from __future__ import annotations

import csv
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import DOCS, MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown

LABELS, QUICK_LABELS = 10_000, 1_000
GOAL_MS = 300
PROJECT, OPENS = "Reviewed", "the page opens"
WORDS = ("parcel", "late", "thank you", "order 77", "invoice parcel", "nothing of this kind", "")
TEXTS = (
    "The parcel for order {n} came late and the box was open. Please tell me what to do now.",
    "Thank you for order {n}: it fits, and it came a day early.",
    "The invoice of order {n} has the wrong address; I need another one for the parcel.",
)


def made(folder: Path, labels: int) -> None:
    """A project with so many labels, the classifier wrong in a tenth of them."""
    random = np.random.default_rng(0)
    path = folder / "items.csv"
    truth = random.random(labels + 100) < 0.3
    wrong = random.random(labels + 100) < 0.1
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "score", "call"])
        for n, (yes, other) in enumerate(zip(truth, wrong, strict=True)):
            call = int(yes != other)
            writer.writerow([f"i{n}", TEXTS[n % 3].format(n=n), round(0.2 + 0.6 * call, 3), call])
    population = lc.read_population(
        path, id="id", content=["text"], scores={"m": "score"}, predictions={"m": "call"}
    )
    plan = lc.Plan("simple_random", ["accuracy"], budget=labels, promise="fixed", seed=1)
    store = f"sqlite:///{folder / 'labelcore.db'}"
    session = lc.Session(population, plan, store, PROJECT, settings={"question": "A complaint?"})
    while (draw := session.next()) is not None:
        session.answer(draw, bool(truth[int(draw.item_id[1:])]))
    session.store.close()


def run(labels: int, presses: int) -> list[Row]:
    """A row a press: what it was, how long it took, how many items it left, memory after it."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["LABELCORE_DATA"] = name
        from labelcore.store import sqlite_file

        # What a power cut leaves is of no account here.
        sqlite_file.PRAGMAS = tuple(p.replace("= FULL", "= OFF") for p in sqlite_file.PRAGMAS)
        made(Path(name), labels)
        return list(_pressed(name, presses))


def _pressed(folder: str, presses: int) -> Iterator[Row]:
    from streamlit.testing.v1 import AppTest

    from labelcore.ui import review
    from labelcore.ui.reviewed import ALL, WRONG

    page = AppTest.from_file(str(DOCS.parent / "app.py"), default_timeout=300)
    page.switch_page("pages/review.py")
    page.query_params["project"] = PROJECT
    start = now()
    page.run()
    yield _row(OPENS, start, page)
    other = lc.Session.open(f"sqlite:///{Path(folder) / 'labelcore.db'}", PROJECT)
    lists = cycle((WRONG, ALL))
    for number, word in zip(range(presses), cycle(WORDS), strict=False):
        if number % 6 == 5:
            other.revise(number + 1, "unsure", f"again-{number}")
        start = now()
        if number % 6 == 5:
            page.run()
            yield _row("after an answer was changed", start, page)
        elif number % 3 == 2:
            page.session_state[review.LIST] = next(lists)
            page.run()
            yield _row("another list", start, page)
        else:
            page.text_input[0].set_value(word).run()
            yield _row("a search", start, page)
    other.store.close()


def now() -> tuple[float, float]:
    """Seconds on the clock, and of the processor."""
    return time.perf_counter(), time.process_time()


def _row(what: str, start: tuple[float, float], page: object) -> Row:
    clock, processor = (1000 * (end - one) for end, one in zip(now(), start, strict=True))
    assert not page.exception, page.exception  # type: ignore[attr-defined]
    pages = Path("/proc/self/statm").read_text().split()[1]
    memory = int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    tables = [one.proto.ByteSize() for one in page.dataframe]  # type: ignore[attr-defined]
    return {"what": what, "ms": clock, "cpu": processor, "mb": memory, "load": os.getloadavg()[0],
            "when": when, "kb": max(tables, default=0) / 1024}  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    labels = QUICK_LABELS if options.quick else LABELS
    return {f"{labels:,} labels": partial(run, labels, options.runs)}


def tables(rows: Rows, options: Options) -> str:
    parts = []
    for name, found in rows.items():
        lines = []
        for what in dict.fromkeys(one["what"] for one in found):
            times = [one["ms"] for one in found if one["what"] == what]
            cpu = np.median([one["cpu"] for one in found if one["what"] == what])
            usual = (f"{value:.0f} ms" for value in np.quantile(times, (0.5, 0.95)))
            lines.append(
                (what, len(times), f"{cpu:.0f} ms", *usual, f"{max(times):.0f} ms",
                 f"{max(one['kb'] for one in found if one['what'] == what):,.0f} KB",
                 "–" if what == OPENS else f"{GOAL_MS} ms")
            )  # fmt: skip
        names = ("press", "times", "processor, median", "clock, median", "95th percentile",
                 "longest", "sent", "goal")  # fmt: skip
        loads = [one["load"] for one in found]
        early, late = found[len(found) // 3]["mb"], found[-1]["mb"]
        parts.append(
            f"{name}; {found[0]['when']}, load {min(loads):.1f} to {max(loads):.1f}.\n\n"
            f"{markdown(names, lines)}\n\n"
            f"Memory of the process after {len(found) // 3} presses {early:.0f} MB, after "
            f"{len(found) - 1} {late:.0f} MB."
        )
    return "\n\n".join(parts)


HEAD = f"""# Review with many labels

{MADE}

A press on the page *Review* is a new run of it: a word searched for in texts, ids and notes, or
another list chosen. Timed on the server, by Streamlit's own tester; the browser is not counted. A
page of a list is sent, not all its rows: *sent* is the largest table of a press. The processor's
time says what a press takes on a machine that does nothing else.

"""
BENCHMARK = Benchmark(
    name="review", about=__doc__, jobs=jobs, tables=tables, runs=120, quick_runs=20,
    page="speed_review.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
