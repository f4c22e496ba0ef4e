"""How long ``labelcore.simulate`` takes, in one process, and how long an earlier version took.

    python -m benchmarks.simulation [--quick] [--write]

The README's example, sessions of 500 labels of the default method on 20,000 items, and sessions on
the same items that are watched until every one of four half-widths is within 5 points. Processor
time, everything included from the plan to the results. Where ``LABELCORE_BEFORE`` names a folder
that holds an earlier version, that one simulates the same beside it, a tenth of the watched
sessions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.engine import write_items
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table

NOW, BEFORE = Path(__file__).resolve().parents[1], os.environ.get("LABELCORE_BEFORE", "")
HEAD = f"""# Speed of simulations

{MADE}

Four figures: accuracy, precision, recall and F1. The processor time of one process. "Before" is the
version with one session after another and a look at every label, whose watched intervals were for
sessions without end; it ran on the same machine in the same run.

A watched session is looked at only where its interval may be within the margin: two points inside
the region, found for many labels at once, show where it is wider. Every label is still looked at
for differences of recall and of F1, for paired comparisons with few disagreements, for
`simple_random` without a planned end, for items like these with a margin beyond 20 points, for
claims settled approximately, and for choices, which are asked for no more than their status.

"""
README_ITEMS, N_ITEMS = 1_000, 20_000
CASES = {
    "README": "the README's example: 120 labels of 1,000 items, with its summary",
    "fixed": "500 labels of 20,000 items",
    "watched": "20,000 items, watched until every half-width is within 5 points",
}
CODE = """
import json, sys, time
import labelcore as lc

path, name, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
four = ("accuracy", "precision", "recall", "f1")
population = lc.read_population(
    path, id="id", content=["text"], scores={"a": "score_a"}, predictions={"a": "pred_a"}
)
asked = {
    "README": {"budget": 120, "promise": "watched"},
    "fixed": {"budget": 500, "promise": "fixed"},
    "watched": {"margin": 0.05},
}
start = time.process_time()
plan = lc.Plan("recalibrated_neyman", four, **asked[name])
found = lc.simulate(population, plan, truth="true_label", runs=runs)
labels = found.summary()["mean_labels"] if name == "README" else found.table()["labels_used"]
print(json.dumps([time.process_time() - start, float(labels.mean())]))
"""


def measure(name: str, version: str, folder: Path, runs: int) -> list[Row]:
    """Seconds and labels of one case by the version in ``folder``, in a process of its own."""
    with TemporaryDirectory() as place:
        path = Path(place) / "items.csv"
        write_items(path, README_ITEMS if name == "README" else N_ITEMS, seed=1)
        done = subprocess.run(
            [sys.executable, "-c", CODE, str(path), name, str(runs)],
            env={**os.environ, "PYTHONPATH": str(folder)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    seconds, labels = json.loads(done.stdout)
    return [{"case": name, "version": version, "runs": runs, "labels": labels, "seconds": seconds}]


def jobs(options: Options) -> dict[str, Job]:
    sizes = {"README": 50, "fixed": options.runs, "watched": max(options.runs // 5, 1)}
    found: dict[str, Job] = {}
    for name, runs in sizes.items():
        if BEFORE:
            fewer = max(runs // 10, 1) if name == "watched" else runs
            found[f"{name} before"] = partial(measure, name, "before", Path(BEFORE), fewer)
        found[name] = partial(measure, name, "now", NOW, runs)
    return found


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    each = {
        (one["case"], one["version"]): 1000 * float(one["seconds"]) / int(one["runs"])
        for one in every
    }

    def faster(one: Row) -> str:
        before = each.get((one["case"], "before"))
        now = one["version"] == "now" and before is not None
        return f"{before / each[one['case'], 'now']:.1f}" if now and before else ""

    return table(
        ("sessions", "what", "version", "labels each", "seconds", "ms each", "times as fast"),
        [
            (f"{one['runs']:,}", CASES[one["case"]], one["version"], f"{one['labels']:,.0f}",
             f"{one['seconds']:.1f}", f"{each[one['case'], one['version']]:.1f}", faster(one))
            for one in every
        ],
    )  # fmt: skip


BENCHMARK = Benchmark(
    name="simulation", about=__doc__, jobs=jobs, tables=tables, runs=1_000, quick_runs=50,
    page="speed_simulation.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
