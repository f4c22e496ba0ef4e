"""Labels until the precision of several classifiers is known: one sample for all, or one each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import table
from benchmarks.labels.measured import Cell
from benchmarks.labels.tables import share
from benchmarks.real_files import FILES, RealFile
from labelcore.errors import PlanError

GOAL, PILOT, RUNS, NEAR = 0.05, 3, 20, 0.03
ALONE = "over-sampling, items called positive alone"
PARENT, LEAST = "vote", 30


@dataclass(frozen=True)
class Found:
    """Runs of one plan, arrays (n_runs,) and coverage of the estimand covered least often."""

    labels: np.ndarray
    widest: np.ndarray
    coverage: float


def several_rows(folder: Path) -> list[list[str]]:
    """One sample for all classifiers of a file, in three ways."""
    return [row for file in with_parent() for row in file_rows(folder, file)]


def with_parent() -> list[RealFile]:
    return [file for file in FILES if PARENT in file.classifiers]


def several_section(rows: list[list[str]], cells: Sequence[Cell]) -> str:
    rows = sorted(
        [*rows, *(own_row(file, cells) for file in with_parent())], key=lambda row: row[0]
    )
    names = ("file", "method", "labels", "half-width", "coverage, least of the four")
    return HEADER.format(runs=RUNS, pilot=PILOT) + table(names, rows)


def file_rows(folder: Path, file: RealFile) -> list[list[str]]:
    population = file.population(folder)
    short = file.name.split(".")[0]
    children = [name for name in file.classifiers if name != PARENT]

    def recycled(size: int) -> lc.Plan:
        params = {"parent": PARENT, "children": children, "sample_size": size}
        return lc.Plan("recycling", ["precision"], params=params)

    def of_all(design: str, size: int) -> lc.Plan:
        return lc.Plan(
            design, ["precision"], classifier=[PARENT, *children], budget=size, promise="fixed"
        )

    rows: list[list[str]] = []
    called = max(int(np.sum(population.predictions[name])) for name in file.classifiers)
    plans: tuple[tuple[str, Callable[[int], lc.Plan], int], ...] = (
        ("agreement patterns", partial(of_all, "agreement_patterns"), len(population)),
        ("recycling, parent vote", recycled, called),
        (
            "recalibrated Neyman for vote, the others read off",
            partial(of_all, "recalibrated_neyman"),
            len(population),
        ),
    )
    for words, plan_of, most in plans:
        size = needed(population, plan_of, most)
        found = simulated(population, plan_of(size), RUNS)
        rows.append([
            short, words, f"{np.median(found.labels):,.0f}", f"{100 * np.mean(found.widest):.1f}",
            share(found.coverage),
        ])  # fmt: skip
    return rows


def own_row(file: RealFile, cells: Sequence[Cell]) -> list[str]:
    """The runs of the table of precision added up."""
    short = file.name.split(".")[0]
    own = [
        cell for cell in cells
        if cell.method == ALONE and cell.target == "precision"
        and cell.file in [f"{short} {name}" for name in file.classifiers]
    ]  # fmt: skip
    least = min((cell.coverage for cell in own), default=float("nan"))
    total = sum(cell.median for cell in own)
    return [short, "a sample for each among its own", f"{total:,.0f}", "5.0", share(least)]


def needed(population: lc.Population, plan_of: Callable[[int], lc.Plan], most: int) -> int:
    """The smallest size at which the widest half-width is at most ``GOAL`` in the mean."""
    low, high = LEAST, most
    while high - low > max(1, NEAR * low):
        middle = max(int(np.sqrt(low * high)), low + 1)
        try:
            met = float(np.mean(simulated(population, plan_of(middle), PILOT).widest)) <= GOAL
        except PlanError:
            met = False
        low, high = (low, middle) if met else (middle, high)
    return high


def simulated(population: lc.Population, plan: lc.Plan, runs: int) -> Found:
    rows = lc.simulate(population, plan, truth="true_label", runs=runs, seed=PILOT + runs).table()
    rows["half"] = (rows["high"] - rows["low"]) / 2
    by_run = rows.groupby("run")
    return Found(
        by_run["labels_used"].max().to_numpy(), by_run["half"].max().to_numpy(),
        float(rows.groupby("estimand")["covered"].mean().min()),
    )  # fmt: skip


HEADER = """## The precision of several classifiers

All four to 5 points. The size is the smallest at which the widest of the four intervals is narrow
enough in the mean of {pilot} runs; then {runs} further runs of that size, their median labels and
mean half-width. "A sample for each among its own" adds up the runs of the table of precision.

"""
