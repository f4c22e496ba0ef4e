"""Approximate claims: how often a false one is ever called likely.

    python -m benchmarks.likely_claims [--quick] [--runs 200] [--write]

Every claim is at its boundary, so that calling it likely and calling it likely false are both
errors. The ends of an approximate claim are those of the watched interval at the confidence
1 - 1.9 alpha (``tests/figures/test_likely_claims.py``), so one session shows all figures of a file.
It is looked at after every label up to 10, then after every sixth. The twin, ends as near at every
look as if it were the only one, must fail. Run r uses the child r of (23, job).
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.populations import MAIN, Known, known
from benchmarks.sessions import Prepared, Shown, see
from labelcore.stats.horizon import ONE_SIDED, boundary

SEED = 23
ALPHA, LABELS = 0.05, 200
LOOKS = [*range(1, 11), *range(14, LABELS + 1, 6)]
HORIZON, SMALL = 4, 60
LATER_LOOKS = [*range(12, HORIZON * SMALL + 1, 12)]
DESIGNS = ("simple_random", "recalibrated_neyman")
FILES = (
    "newsgroups_med svm", "ppdb_pairs model", "product_pairs gbm", "calibrated", "prevalence 1 %",
)  # fmt: skip
QUICK = ("newsgroups_med svm", "calibrated")


def one_figure_each(file: Known, design: str, planned: int, **params: object) -> lc.Plan:
    """A plan whose watched intervals have the ends of approximate claims at ``ALPHA``."""
    return lc.Plan(
        design,
        MAIN,
        classifier=file.classifier,
        budget=planned,
        params=params,
        promise="watched",
        confidence=1 - ONE_SIDED * ALPHA,
    ).with_planned(planned)


def false_claims(name: str, folder: Path, design: str, runs: int) -> list[Row]:
    """A row for each figure of one file, drawn by one design."""
    file = known(name, folder)
    shown, truth = _seen(file, one_figure_each(file, design, LABELS), LOOKS, runs)
    later, _ = _seen(
        file,
        one_figure_each(file, design, SMALL, horizon=HORIZON),
        LATER_LOOKS,
        runs,
        extended=True,
    )
    twin = not_spent(shown)
    rows = []
    for place, key in enumerate(truth):
        ends = [
            wrong(part.part(slice(None), slice(None), place), truth[key])
            for part in (shown, later, twin)
        ]
        rows.append(
            {
                "file": name,
                "design": design,
                "figure": key,
                "truth": truth[key],
                "called likely": ends[0][0],
                "called likely false": ends[0][1],
                f"going on to {HORIZON} times": max(ends[1]),
                "twin": max(ends[2]),
            }
        )
    return rows


def _seen(
    file: Known, plan: lc.Plan, looks: list[int], runs: int, *, extended: bool = False
) -> tuple[Shown, dict[str, float]]:
    prepared = Prepared(file.population, plan, file.codes)
    name = f"{file.classifier}|{plan.design}|{plan.planned}"
    sessions = [prepared.session(harness.generator(SEED, name, run)) for run in range(runs)]
    for session in sessions if extended else ():
        session.engine.extend(looks[-1])
    return see(sessions, looks), prepared.truth()


def not_spent(shown: Shown) -> Shown:
    """The twin: ends as near at every look as if it were the only one."""
    level = ONE_SIDED * ALPHA
    narrow = 1.645 / boundary(np.array(LOOKS) / LABELS, 0.0, level)[None, :, None]
    low = shown.value - (shown.value - shown.low) * narrow
    return replace(shown, low=low, high=shown.value + (shown.high - shown.value) * narrow)


def wrong(shown: Shown, truth: float) -> tuple[float, float]:
    """The shares of sessions whose lower end was ever above the truth, and whose upper end was
    ever below it."""
    above = shown.interval & (shown.low > truth + 1e-9)
    below = shown.interval & (shown.high < truth - 1e-9)
    return float(above.any(axis=1).mean()), float(below.any(axis=1).mean())


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{name}, {design}": partial(false_claims, name, options.data, design, options.runs)
        for name in (QUICK if options.quick else FILES)
        for design in DESIGNS
    }


def tables(rows: Rows, options: Options) -> str:
    false = pd.DataFrame(flat(rows))
    shares = ["called likely", "called likely false", f"going on to {HORIZON} times", "twin"]
    digits = dict.fromkeys(shares, 3)
    noise = np.sqrt(ALPHA * (1 - ALPHA) / options.runs)
    most = false[shares[:3]].max(axis=1)
    worst = false.loc[most.sort_values(ascending=False, kind="stable").index]
    by = false.groupby(["design", "figure"], sort=False)
    return "\n".join(
        [
            f"{options.runs} sessions each; the standard error of a share of {ALPHA} is "
            f"{noise:.3f}.\n",
            "## False claims, means over the files\n",
            frame_table(by[shares].mean().reset_index(), digits),
            "\nThe largest of each:\n",
            frame_table(by[shares].max().reset_index(), digits),
            "\n## False claims, the worst first\n",
            frame_table(worst, {**digits, "truth": 4}),
        ]
    )


BENCHMARK = Benchmark(
    name="likely_claims", about=__doc__ or "", jobs=jobs, tables=tables, runs=200, quick_runs=20,
    page="likely_claims.md",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
