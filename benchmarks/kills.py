"""The server killed with -9 while labels are given in a real Chromium, five hundred times.

    python -m benchmarks.kills [--quick] [--runs 50] [--only "seed 07"] [--rows FILE] [--write]

A run is ten kills of one server on one data folder, started again after each. It ends with an error
where a label is missing that the page had called saved, where a label is stored that was not
pressed on its item, or where the log does not replay.
"""

import tempfile
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from tests.browser.chromium import launch
from tests.browser.conftest import open_profile
from tests.browser.killing import LATEST_KILL_SECONDS, killed_often
from tests.browser.server import Server

KILLS, FEW_KILLS = 10, 4
WHEN = {
    "after press": f"0 to {1000 * LATEST_KILL_SECONDS:.0f} ms after the key went down",
    "on write": "inside the answer's callback, as its transaction was written",
    "between": "between two presses",
}


def run(kills: int, seed: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, launch() as browser:
        server = Server(Path(folder) / "data").start()
        try:
            page = open_profile(browser, reduced_motion="reduce").new_page()
            found, events = killed_often(page, server, kills, seed)
        finally:
            server.kill()
    return [{"seed": seed, "events": events, **asdict(one)} for one in found]


def jobs(options: Options) -> dict[str, Job]:
    kills = FEW_KILLS if options.quick else KILLS
    return {f"seed {seed:02d}": partial(run, kills, seed) for seed in range(1, options.runs + 1)}


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    labels = sum(part[-1]["stored"] for part in rows.values())
    events = sum(part[-1]["events"] for part in rows.values())
    counted = Counter((one["how"], one["outcome"]) for one in every)
    said = (
        f"{len(every)} kills in {len(rows)} data folders (seeds 1 to {len(rows)}). Labels that the "
        f"page had called saved and that were missing afterwards: **0**. At the end {labels:,} "
        f"labels and {events:,} events, and every log replays."
    )
    names = ("the kill came", "the press before it was", "times")
    lines = [(WHEN[how], outcome, times) for (how, outcome), times in sorted(counted.items())]
    return f"{said}\n\n{markdown(names, lines)}\n{FOOT}"


HEAD = f"""# The server killed with -9 while labels are given

{MADE}

`streamlit run` under a real Chromium, killed and started again on the same data. A missing or
misplaced label ends the measurement with an error.

"""
FOOT = """A kill counts as inside the answer's callback when the store's write-ahead log was seen to
change: the transaction was being written, or just had been. *Stored, not yet called saved* is
allowed: the label is there when the page opens again. The opposite never happened.

A kill ends the process, not the machine: what it shows is that an answer is committed before it is
called saved, and that a half-written transaction is never read. That the commit also survives a
power cut rests on SQLite with synchronous=FULL and on the disk.

What else is done to the keys in a real browser, by the tests (some variants only with `-m full`):

| what | test |
|---|---|
| each key held for seconds | `test_keys.py` |
| two keys at once, bursts of keys, double clicks, a press that is too quick | `test_keys.py` |
| two tabs of one person on the same item | `test_keys.py`, `test_ahead.py` |
| Undo as fast as can be, and back to the first item | `test_ahead.py`, `test_answers.py` |
| a line so slow that the next item is shown long before the server's word | `test_ahead.py` |
| a store locked by another program; a server that comes back | `test_store.py`, `test_kill.py` |
"""
BENCHMARK = Benchmark(
    name="kills", about=__doc__, jobs=jobs, tables=tables, runs=50, quick_runs=1,
    page="kill_minus_nine.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
