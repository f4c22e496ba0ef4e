"""Few items left: numbers of items are coarse, and bounds go to whole ones."""

from __future__ import annotations

import numpy as np
import pytest

from labelcore.designs import profile_figures
from labelcore.designs.base import Look
from labelcore.estimands import SCALARS, ratios
from labelcore.stats.profile import Cells
from labelcore.stats.profile_interval import in_whole_items


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
