"""Labels for a whole precision curve on the real lists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.curves import FROM_RANK, GOAL, LISTS, SIZES, List, inside
from benchmarks.harness import Job, Row, table
from benchmarks.labels.tables import share
from benchmarks.real_files import FILES

RUNS, FEW = 24, 5
NEAR = 0.02
FACTORS = (1.2, 1.15, 1.12, 1.1, 1.08, 1.07, 1.06, 1.05, 1.04, 1.03)


def ranked_jobs(folder: Path) -> dict[str, Job]:
    """One for each list."""
    return {
        f"{FILES[number].name.split('.')[0]} {classifier}": partial(
            rows_of_list, folder, number, classifier
        )
        for number, classifier in LISTS
    }


def rows_of_list(folder: Path, number: int, classifier: str) -> list[Row]:
    found = list_rows(List.read(folder, FILES[number], classifier), RUNS)
    return [{"cells": row} for row in found]


def ranked_section(rows: Sequence[Row]) -> str:
    names = (
        "list", "method", "labels", "of PAULA's", "half-width: mean over ranks",
        f"widest from rank {FROM_RANK} on", "middle off by, mean", "right at all ranks",
    )  # fmt: skip
    text = HEADER.format(runs=RUNS, few=FEW, rank=FROM_RANK)
    return text + table(names, [row["cells"] for row in rows])


def list_rows(one: List, runs: int) -> list[list[str]]:
    """The methods whose size follows from parameters, then those that go on to 2.5 points."""
    title = f"{one.file.name.split('.')[0]}, {one.classifier}"
    paula = one.plan("paula", None, "fixed", epsilon=0.03, window=100)
    most = int(paula.planned or 0)
    plans: list[tuple[str, lc.Plan, int]] = [("PAULA, epsilon .03", paula, FEW)]
    strata = one.plan("logarithmic_stratified", None, "fixed")
    plans.append(("logarithmic strata, by their defaults", strata, FEW))
    near = first_factor(one)
    if near is not None:
        plans.append(("logarithmic strata to 2.5 points everywhere", near, FEW))
    for words, design, everywhere in (
        ("geometric strata to 2.5 points in the mean", "geometric_strata", False),
        ("geometric strata to 2.5 points everywhere", "geometric_strata", True),
        ("plain random sample to 2.5 points everywhere", "random_curve", True),
    ):
        size = first_size(one, design, everywhere)
        if size is not None:
            plans.append((words, one.plan(design, size, "fixed"), runs))
    found = []
    for words, plan, number in plans:
        seen = [figures(one, plan, run) for run in range(number)]
        mean, widest, off, right = np.mean(seen, axis=0)
        labels = int(plan.planned or 0)
        found.append([
            title, words, f"{labels:,}", f"{labels / most:.2f}", f"{100 * mean:.1f}",
            f"{100 * widest:.1f}", f"{100 * off:.1f}", f"{share(float(right))} of {number}",
        ])  # fmt: skip
    return found


def figures(one: List, plan: lc.Plan, run: int) -> tuple[float, float, float, float]:
    """Mean and widest half-width, mean error of the middle, whether the band holds everywhere."""
    sample = one.prepared(plan, run)
    ranks = np.arange(1, len(sample.hits) + 1)
    curve = sample.curve(int(plan.planned or 0), promise="fixed", ranks=ranks)
    value, low, high = curve.read("precision")
    real, half = sample.hits / ranks, (high - low) / 2
    held = float(inside(real, low, high).all())
    return half.mean(), half[FROM_RANK:].max(), float(np.nanmean(np.abs(value - real))), held


def first_factor(one: List) -> lc.Plan | None:
    """The plan of logarithmic strata with the largest factor of ``FACTORS`` that keeps the
    half-width ``GOAL`` in one run; None where none does."""
    for beta in FACTORS:
        plan = one.plan("logarithmic_stratified", None, "fixed", beta=beta)
        if figures(one, plan, 20_000)[1] <= GOAL:
            return plan
    return None


def first_size(one: List, design: str, everywhere: bool) -> int | None:
    """The smallest planned size with the half-width ``GOAL``, to 2 %; a mean of three runs."""
    n_items = len(one.hit)

    def met(size: int) -> bool:
        plan = one.plan(design, size, "fixed")
        if size < plan.method.least(one.prepared(plan, 0).frame):
            return False
        seen = np.mean([figures(one, plan, 20_000 + run) for run in range(3)], axis=0)
        return bool(seen[1 if everywhere else 0] <= GOAL)

    low, high = int(SIZES[0] * n_items), n_items
    while high - low > NEAR * low:
        middle = max(int(np.sqrt(low * high)), low + 1)
        low, high = (low, middle) if met(middle) else (middle, high)
    return high


HEADER = """## A whole precision curve

Half-widths in points. PAULA and the logarithmic strata have as many labels as their parameters say;
the others as many as a fixed plan needs for 2.5 points (a mean of three runs, to 2 %). Then {runs}
further runs of that size, {few} of PAULA and the logarithmic strata. PAULA's bounds come with no
confidence. "Everywhere": at every rank from {rank} on; "right at all ranks": share of runs in which
the truth lies inside at every rank of the list.

"""
