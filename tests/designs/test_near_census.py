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


@pytest.mark.full
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_what_counts_is_what_the_figure_rests_on(
    broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of the called items are left, and many others."""
    if broken:
        monkeypatch.setattr(profile_interval, "FEW_LEFT", 0)
    assert (part_coverage() < fewest(1_000, 0.95)) == broken


def test_bounds_are_whole_items_of_what_the_figure_rests_on() -> None:
    """Two of 17 called items are left in each stratum, and 3,000 others."""
    size, labelled = np.array([17.0, 17.0, 3_000.0]), np.array([15.0, 15.0, 0.0])
    cells = Cells(size, labelled, np.array([13.0, 12.0, 0.0]), size < 18)
    look = Look(0.95, "fixed", 30, 30, "file", 10)
    found = profile_figures.profile_figures([SCALARS["precision"]], cells, look, None)
    ends = 34 * np.array([found.low[0], found.high[0]])
    assert ends == pytest.approx(np.rint(ends)) and 25 <= ends[0] < ends[1] <= 29


def test_bounds_in_whole_items() -> None:
    """Three of ten left: bounds of a share of ten move to the next tenth, none past what is
    certain."""
    cells = Cells(np.array([10.0]), np.array([7.0]), np.array([4.0]), np.array([True]))
    table = ratios([SCALARS["precision"]], cells)
    for low, high, expected in ((0.45, 0.62, (0.4, 0.7)), (0.4, 0.69, (0.4, 0.7)),
                                (0.5, 0.6, (0.5, 0.6))):  # fmt: skip
        found = in_whole_items(cells, table, np.array([low]), np.array([high]))
        assert (found[0][0], found[1][0]) == pytest.approx(expected)
