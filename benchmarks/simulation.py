"""How long ``labelcore.simulate`` takes, in one process.

    python -m benchmarks.simulation [--quick] [--write]

The README's example, sessions of 500 labels of the default method on 20,000 items, and sessions on
the same items that are watched until every one of four half-widths is within 5 points. Processor
time, everything included from the plan to the results.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import labelcore as lc
from benchmarks.engine import FOUR, read_items, write_items
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table

HEAD = f"""# Speed of simulations

{MADE}

Four figures: accuracy, precision, recall and F1. The processor time of one process.

"""
README_ITEMS, N_ITEMS, LABELS, MARGIN = 1_000, 20_000, 500, 0.05
CASES = {
    "README": "the README's example: 120 labels of 1,000 items, with its summary",
    "fixed": "500 labels of 20,000 items",
    "watched": "20,000 items, watched until every half-width is within 5 points",
}


def measure(name: str, runs: int) -> list[Row]:
    """Seconds and labels of one case."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        write_items(path, README_ITEMS if name == "README" else N_ITEMS, seed=1)
        population = read_items(path)
        made: dict[str, Callable[[], lc.Plan]] = {
            "README": partial(lc.Plan, "recalibrated_neyman", FOUR, budget=120, promise="watched"),
            "fixed": partial(lc.Plan, "recalibrated_neyman", FOUR, budget=LABELS, promise="fixed"),
            "watched": partial(lc.Plan, "recalibrated_neyman", FOUR, margin=MARGIN),
        }
        start = time.process_time()
        found = lc.simulate(population, made[name](), truth="true_label", runs=runs)
        labels = found.summary() if name == "README" else found.table()
        seconds = time.process_time() - start
    used = labels["mean_labels" if name == "README" else "labels_used"].mean()
    return [{"case": name, "runs": runs, "labels": float(used), "seconds": seconds}]


def jobs(options: Options) -> dict[str, Job]:
    sizes = {"README": 50, "fixed": options.runs, "watched": max(options.runs // 5, 1)}
    return {name: partial(measure, name, runs) for name, runs in sizes.items()}


def tables(rows: Rows, options: Options) -> str:
    return table(
        ("sessions", "what", "labels each", "seconds", "ms each"),
        [
            (f"{one['runs']:,}", CASES[one["case"]], f"{one['labels']:,.0f}",
             f"{one['seconds']:.1f}", f"{1000 * one['seconds'] / one['runs']:.1f}")
            for one in flat(rows)
        ],
    )  # fmt: skip


BENCHMARK = Benchmark(
    name="simulation", about=__doc__, jobs=jobs, tables=tables, runs=1_000, quick_runs=50,
    page="speed_simulation.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
