"""Few items left: numbers of items are coarse, and bounds go to whole ones."""

from __future__ import annotations

import numpy as np
import pytest

from labelcore.designs import profile_figures
from labelcore.designs.base import Look
from labelcore.estimands import SCALARS, ratios
from labelcore.stats import profile_interval
from labelcore.stats.profile import Cells
from labelcore.stats.profile_interval import in_whole_items
from labelcore.testing.known import fewest
from tests.cases import SOUND_AND_BROKEN

SIZES = np.full(18, 33)
TRUE = np.array([31, 30, 32, 29, 31, 30, 1, 2, 0, 1, 3, 1, 2, 1, 0, 2, 1, 1])
SAID = np.arange(18) < 6
NAMES = ["accuracy", "precision", "recall", "f1"]
ROWS = [SCALARS[name] for name in NAMES]


def coverage(labelled: int, runs: int = 300) -> np.ndarray:
    """How often each interval holds the truth with so many of 33 labelled in each stratum."""
    generator, inside = np.random.default_rng(8), np.zeros(len(ROWS))
    for _ in range(runs):
        positive = generator.hypergeometric(TRUE, SIZES - TRUE, labelled)
        cells = Cells(SIZES * 1.0, np.full(18, labelled * 1.0), positive * 1.0, SAID)
        look = Look(0.95, "fixed", 18 * labelled, 18 * labelled, "file", 18)
        found = profile_figures.profile_figures(ROWS, cells, look, None)
        truth = ratios(ROWS, cells).value(TRUE * 1.0)
        inside += (found.low <= truth + 1e-12) & (truth - 1e-12 <= found.high)
    return np.asarray(inside / runs)


@pytest.mark.parametrize("labelled", [pytest.param(24, marks=pytest.mark.full), 31])
def test_near_a_census_intervals_cover(labelled: int) -> None:
    assert coverage(labelled).min() >= fewest(300, 0.95)


@pytest.mark.full
def test_continuous_bounds_cover_too_little_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_interval, "FEW_LEFT", 0)
    assert coverage(31).min() < fewest(300, 0.95)


def part_coverage(runs: int = 1_000) -> float:
    """How often precision is held with 15 of 17 labelled in each of six strata of called items, a
    fifth of them wrong, beside 3,000 others of which nobody is asked."""
    sizes, true = np.array([17] * 6 + [3_000]), np.array([14, 13, 14, 13, 14, 14, 40])
    said, labelled = np.arange(7) < 6, np.array([15] * 6 + [0])
    generator, inside = np.random.default_rng(9), 0
    for _ in range(runs):
        positive = generator.hypergeometric(true, sizes - true, labelled)
        cells = Cells(sizes * 1.0, labelled * 1.0, positive * 1.0, said)
        look = Look(0.95, "fixed", 90, 90, "file", 30)
        found = profile_figures.profile_figures([SCALARS["precision"]], cells, look, None)
        inside += found.low[0] <= true[said].sum() / 102 + 1e-12 <= found.high[0] + 2e-12
    return inside / runs


@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_what_counts_is_what_the_figure_rests_on(
    broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of the called items are left, and many others."""
    if broken:
        monkeypatch.setattr(profile_interval, "FEW_LEFT", 0)
    assert (part_coverage() < fewest(1_000, 0.95)) == broken


def test_bounds_in_whole_items() -> None:
    """Three of ten left: bounds of a share of ten move to the next tenth, none past what is
    certain."""
    cells = Cells(np.array([10.0]), np.array([7.0]), np.array([4.0]), np.array([True]))
    table = ratios([SCALARS["precision"]], cells)
    for low, high, expected in ((0.45, 0.62, (0.4, 0.7)), (0.4, 0.69, (0.4, 0.7)),
                                (0.5, 0.6, (0.5, 0.6))):  # fmt: skip
        found = in_whole_items(cells, table, np.array([low]), np.array([high]))
        assert (found[0][0], found[1][0]) == pytest.approx(expected)
