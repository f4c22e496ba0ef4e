"""Looking after every fifth label: how many sessions are ever wrong.

    python -m benchmarks.watched [--quick] [--runs 200] [--write]

For each real file, classifier and design, sessions of 500 labels with promise "watched" are
answered by the known labels, and the interval is compared with the truth at every fifth label from
the first figure on. A session counts as missed when the interval excluded the truth at least once.
The promise at 95 % confidence is at most 5 in 100 sessions. Seeds: run r uses (11, r).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import DESIGNS, RealFile, answered, by_classifier
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.planning.simulation import run_seed, true_values
from labelcore.planning.truth import true_codes

ESTIMANDS = ("accuracy", "precision", "recall", "f1")
LABELS, LOOK_EVERY, SEED = 500, 5, 11


def session_misses(
    population: lc.Population, plan: lc.Plan, codes: np.ndarray
) -> tuple[set[str], set[str]]:
    """The estimands that got an interval in one session, and those it was ever wrong about."""
    engine = Engine(population, plan)
    truth = true_values(engine, codes, {})
    shown: set[str] = set()
    missed: set[str] = set()
    for labels in answered(engine, codes):
        if labels % LOOK_EVERY:
            continue
        for key, estimate in scalar_results(engine).items():
            if estimate.has_interval:
                shown.add(key)
                if not estimate.low - 1e-9 <= float(truth[key]) <= estimate.high + 1e-9:  # type: ignore[arg-type]
                    missed.add(key)
    return shown, missed


def measure(folder: Path, file: RealFile, classifier: str, runs: int) -> list[Row]:
    """The rows of one file and classifier."""
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    rows: list[Row] = []
    for design in DESIGNS:
        plan = lc.Plan(
            design, ESTIMANDS, classifier=classifier, budget=LABELS, promise="watched"
        ).with_planned(LABELS)
        found = [
            session_misses(population, plan.with_seed(run_seed(SEED, run)), codes)
            for run in range(runs)
        ]
        for name in ESTIMANDS:
            with_interval = sum(name in shown for shown, _ in found)
            wrong = sum(name in missed for _, missed in found)
            share = wrong / max(with_interval, 1)
            rows.append(
                {
                    "file": file.name,
                    "classifier": classifier,
                    "design": design,
                    "estimand": name,
                    "sessions with an interval": with_interval,
                    "ever wrong": wrong,
                    "share": share,
                    "noise": float(np.sqrt(0.05 * 0.95 / max(with_interval, 1))),
                }
            )
    return rows


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    table = table.sort_values("share", ascending=False, kind="stable")
    lines = [f"{options.runs} sessions each, worst first.", ""]
    totals = table.groupby("design")[["ever wrong", "sessions with an interval"]].sum()
    for design, row in totals.iterrows():
        share = row["ever wrong"] / row["sessions with an interval"]
        lines.append(f"- `{design}`: {share:.2%} of all sessions and estimands ever wrong")
    return "\n".join([*lines, "", frame_table(table, {"share": 3, "noise": 3})])


HEAD = f"""# Watching: how many sessions are ever wrong

{MADE}

Sessions of 500 labels, promise "watched", 95 % confidence, a look at every fifth label from the
first figure on. A session is wrong when the interval excluded the truth at any look; the promise is
at most 0.05. "noise" is the standard error of a share of 0.05 over that many sessions.

"""
BENCHMARK = Benchmark(
    name="watched", about=__doc__, jobs=partial(by_classifier, measure), tables=tables,
    runs=200, quick_runs=3, page="watched.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
