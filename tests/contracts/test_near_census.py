"""Few items left: every method's G-profile goes to whole items there, and covers.

Seed 8, 600 draws of the labels a case; the limit is three standard errors under .95. The broken
twin takes numbers of items for continuous.
"""

from collections.abc import Callable

import numpy as np
import pytest

from labelcore.designs import DESIGNS
from labelcore.designs.base import Look
from labelcore.estimands import SCALARS, ratios
from labelcore.stats import profile_interval
from labelcore.stats.profile import Cells, FloatArray
from labelcore.testing.known import fewest
from tests.cases import repeated, sampled

RUNS = repeated(600)
Bounds = Callable[[str, Cells], tuple[float, float]]


def by_design(design: str) -> Bounds:
    """The bounds of one quantity by a design, at a fixed size."""

    def found(quantity: str, cells: Cells) -> tuple[float, float]:
        labels = int(cells.labelled.sum())
        look = Look(0.95, "fixed", labels, labels, "file", len(cells.size))
        figures = DESIGNS[design].estimate([SCALARS[quantity]], cells, look, None)
        return float(figures.low[0]), float(figures.high[0])

    return found


def by_levels(_: str, cells: Cells) -> tuple[float, float]:
    """Precision after recycling, from levels all of whose items are predicted positive."""
    from labelcore.papers.recycling.samples import level_share

    return level_share(cells.size, cells.labelled, cells.positive, 0.95)[1:]


def coverage(
    bounds: Bounds, quantity: str, size: FloatArray, positive: FloatArray, said: FloatArray,
    share: float,
) -> float:  # fmt: skip
    """How often the bounds hold the truth when a share of each cell is labelled at random."""
    sizes, true = size.astype(int), positive.astype(int)
    labelled, inside = np.maximum((sizes * share).astype(int), 2), 0
    generator = np.random.default_rng(8)
    for _ in range(RUNS):
        hits = generator.hypergeometric(true, sizes - true, labelled)
        cells = Cells(sizes * 1.0, labelled * 1.0, hits * 1.0, said > 0)
        truth = ratios([SCALARS[quantity]], cells).value(true * 1.0)[0]
        low, high = bounds(quantity, cells)
        inside += low - 1e-12 <= truth <= high + 1e-12
    return inside / RUNS


GROUPS = np.array([80, 160]), np.array([64, 8]), np.array([1, 0]), 0.93
SMALL = np.array([20, 160]), np.array([16, 8]), np.array([1, 0]), 0.85
LEVELS = np.array([100, 40]), np.array([80, 32]), np.array([1, 1]), 0.93
CASES = {
    "oversampling accuracy": (by_design("oversampling"), "accuracy", *GROUPS),
    "oversampling f1": (by_design("oversampling"), "f1", *GROUPS),
    "simple_random recall": (by_design("simple_random"), "recall", *SMALL),
    "simple_random f1": (by_design("simple_random"), "f1", *GROUPS),
    "simple_random specificity": (by_design("simple_random"), "specificity", *GROUPS),
    "recalibrated_neyman accuracy": (by_design("recalibrated_neyman"), "accuracy", *GROUPS),
    "recycling precision": (by_levels, "precision", *LEVELS),
}


@pytest.mark.parametrize("case", CASES)
def test_few_items_left_are_covered(case: str) -> None:
    assert coverage(*CASES[case]) >= fewest(RUNS, 0.95)


@pytest.mark.full
@pytest.mark.parametrize("case", sampled(CASES, 1, seed=1, keep=["recycling precision"]))
def test_bounds_between_items_cover_too_little(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_interval, "FEW_LEFT", -1)
    assert coverage(*CASES[case]) < fewest(RUNS, 0.95)
