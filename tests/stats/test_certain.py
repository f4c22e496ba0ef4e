"""Bounds that hold whatever the items without a label are: against every way they may turn out."""

from itertools import product

import numpy as np
import pytest

from labelcore.estimands import DIFFERENCES, SCALARS, table_of
from labelcore.stats.certain import certain_bounds
from labelcore.stats.profile import Cells

EXACT = ("accuracy_difference", "precision_difference", "recall_difference", *SCALARS)


def cells_of(seed: int) -> Cells:
    """Six small strata, both classifiers' four pairs among them, some labels in each."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, 6)
    labelled = rng.integers(0, size + 1)
    positive = rng.integers(0, labelled + 1)
    first = np.array([True, False, True, False, True, False])
    second = np.array([False, True, True, False, True, False])
    counts = (one.astype(float) for one in (size, labelled, positive))
    return Cells(*counts, first, None, second)


@pytest.mark.parametrize("seed", range(12))
def test_every_way_lies_between_them(seed: int) -> None:
    cells = cells_of(seed)
    for rows in (list(DIFFERENCES.values()), list(SCALARS.values())):
        table = table_of(rows, cells)
        low, high = certain_bounds(cells, table)
        ways = product(*(range(int(n) + 1) for n in cells.unlabelled))
        values = np.array([table.value(cells.positive + np.array(way)) for way in ways])
        least, most = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        assert (low <= least + 1e-12).all() and (high >= most - 1e-12).all()
        defined = ~np.isnan(values).any(axis=0)
        for place, row in enumerate(rows):
            if row.name in EXACT and defined[place]:
                assert low[place] == pytest.approx(least[place], abs=1e-12), row.name
                assert high[place] == pytest.approx(most[place], abs=1e-12), row.name


def test_all_labelled_is_exact() -> None:
    cells = cells_of(3)
    half = np.floor(cells.size / 2)
    every = Cells(cells.size, cells.size, half, cells.predicted, None, cells.other)
    table = table_of(list(DIFFERENCES.values()), every)
    low, high = certain_bounds(every, table)
    assert low == pytest.approx(high, abs=1e-12)
    assert low == pytest.approx(table.value(every.positive), abs=1e-12)
