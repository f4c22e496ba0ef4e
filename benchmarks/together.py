"""All figures of a plan right at once: how often, and what it costs beside each on its own.

    python -m benchmarks.together [--quick] [--runs 400] [--rows FILE] [--write]

Sessions of 300 planned labels are answered by the known labels, with the draws of the same seeds
for every plan. "Each": every figure has 95 % confidence on its own, which is also the twin that
must fail; "all": the plan says ``together``. Fixed: one look at 300 labels; watched: after every
fifth label up to 60 and every tenth after, wrong if any figure was wrong at any of them. "Shared":
the error level divided by the number of figures, as in plans frozen before; fixed only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.populations import MAIN, known
from benchmarks.real_files import FILES
from benchmarks.sessions import Prepared, Shown, see
from labelcore.designs.base import IntArray
from labelcore.planning.outlook import Outlook
from labelcore.planning.truth import true_codes

LABELS, SEED = 300, 5
LOOKS = [*range(5, 60, 5), *range(60, LABELS + 1, 10)]


class Sharing(lc.Plan):
    """A plan whose figures share the error level equally."""

    correlated = False


@dataclass(frozen=True)
class Case:
    """A file and what is asked of it; ``part`` is the share of the runs that it gets."""

    file: str
    classifiers: tuple[str, ...] = ()
    estimands: tuple[str, ...] = MAIN
    design: str = "recalibrated_neyman"
    part: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.file.split('.')[0]} {' '.join(self.classifiers)}".strip()

    def known(self, folder: Path) -> tuple[lc.Population, IntArray]:
        for file in FILES:
            if file.name == self.file:
                population = file.population(folder)
                return population, true_codes(population, "true_label")
        made = known(self.file, None)
        return made.population, made.codes

    def plan(self, **values: object) -> lc.Plan:
        names = self.classifiers or None
        plan = lc.Plan(self.design, self.estimands, classifier=names, budget=LABELS, **values)  # type: ignore[arg-type]
        return plan.with_planned(LABELS)


NEWS, PPDB, PRODUCTS = (one.name for one in FILES)
CASES = (
    Case(NEWS, ("lr",)),
    Case(NEWS, ("nb",)),
    Case(PPDB, ("model",)),
    Case(PPDB, ("cosine",)),
    Case(PRODUCTS, ("gbm",)),
    Case(PRODUCTS, ("title",)),
    Case("overconfident, deep misses"),
)  # fmt: skip


def measure(case: Case, folder: Path, runs: int) -> list[Row]:
    """A row for each promise."""
    population, codes = case.known(folder)
    runs, rows = max(round(case.part * runs), 1), []
    for promise, looks in (("fixed", [LABELS]), ("watched", LOOKS)):
        each = case.plan(promise=promise)
        said = Outlook(population, each).at_once(LABELS)
        seen = partial(_seen, population, codes, runs, looks)
        alone, truth = seen(each)
        every, _ = seen(case.plan(promise=promise, together=True))
        row: Row = {
            "case": case.name, "figures": len(truth), "promise": promise, "sessions": runs,
            "each: any wrong": _any_wrong(alone, truth),
            "foretold": 1 - said.right if said else np.nan,
            "all: any wrong": _any_wrong(every, truth), "labels": _labels(every, alone),
        }  # fmt: skip
        if promise == "fixed":
            shared, _ = seen(Sharing.from_json(case.plan(promise=promise, together=True).to_json()))
            row |= {"shared: any wrong": _any_wrong(shared, truth),
                    "shared: labels": _labels(shared, alone)}  # fmt: skip
        rows.append(row)
    return rows


def _seen(
    population: lc.Population, codes: IntArray, runs: int, looks: list[int], plan: lc.Plan
) -> tuple[Shown, np.ndarray]:
    prepared, random = Prepared(population, plan, codes), np.random.default_rng([SEED, 0])
    shown = see([prepared.session(random) for _ in range(runs)], looks)
    return shown, np.array([*prepared.truth().values()], dtype=float)


def _any_wrong(shown: Shown, truth: np.ndarray) -> float:
    wrong = shown.interval & ((shown.low > truth + 1e-9) | (shown.high < truth - 1e-9))
    return float(wrong.any(axis=(1, 2)).mean())


def _labels(shown: Shown, alone: Shown) -> float:
    """The square of how many times as wide the last intervals are, in the mean of the figures that
    have a width."""
    wide, narrow = ((one.high - one.low)[:, -1].mean(axis=0) for one in (shown, alone))
    return float((wide[narrow > 0] / narrow[narrow > 0]).mean() ** 2)


DIGITS = {
    "each: any wrong": 3, "foretold": 3, "all: any wrong": 3, "labels": 2, "shared: any wrong": 3,
    "shared: labels": 2,
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    means = table.groupby("promise")[[*DIGITS]].mean().reset_index()
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    said = f"The standard error of a share of 0.05 of {options.runs} sessions is {noise:.3f}."
    lines = [said, "", "## Means", "", frame_table(means, DIGITS), "", "## Cases", ""]
    return "\n".join([*lines, frame_table(table, DIGITS)])


def jobs(options: Options) -> dict[str, Job]:
    return {one.name: partial(measure, one, options.data, options.runs) for one in CASES}


BENCHMARK = Benchmark(
    name="together", about=__doc__, jobs=jobs, tables=tables, runs=400, quick_runs=20,
    page="together.md", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
