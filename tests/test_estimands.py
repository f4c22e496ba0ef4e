"""Every row of the table against the confusion matrix of a small file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.estimands import (
    CHOICES,
    CURVES,
    DIFFERENCES,
    ESTIMANDS,
    LISTS,
    SCALARS,
    SUMMARIES,
    known_group,
    ratios,
    table_of,
)
from labelcore.stats.profile import Cells
from labelcore.testing.known import FORMULAS

COUNT = st.integers(0, 1000)


def test_every_row_has_a_formula_here() -> None:
    assert set(FORMULAS) == set(SCALARS)
    assert {*SCALARS, *DIFFERENCES, *CURVES, *LISTS, *SUMMARIES, *CHOICES} == {*ESTIMANDS}


@given(st.tuples(COUNT, COUNT, COUNT, COUNT), st.tuples(COUNT, COUNT, COUNT, COUNT))
@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_value_is_that_of_the_confusion_matrix(
    name: str, one: tuple[int, ...], two: tuple[int, ...]
) -> None:
    """Two strata, each split at the prediction: four cells."""
    size, positive = [], []
    for tp, fp, fn, tn in (one, two):
        size += [tp + fp, fn + tn]
        positive += [tp, fn]
    cells = Cells(
        np.array(size, float), np.array(size, float), np.array(positive, float),
        np.array([True, False, True, False]),
    )  # fmt: skip
    above, below = FORMULAS[name](*(a + b for a, b in zip(one, two, strict=True)))
    value = ratios([SCALARS[name]], cells).value(cells.positive)[0]
    if below == 0:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(above / below, abs=1e-12)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_to_be_lower_is_worse_where_a_perfect_classifier_has_one(name: str) -> None:
    above, below = FORMULAS[name](5, 0, 0, 7)
    assert SCALARS[name].more_is_better == (above == below)


@given(st.lists(st.tuples(COUNT, COUNT), min_size=4, max_size=4))
@pytest.mark.parametrize("name", sorted(DIFFERENCES))
def test_a_difference_is_that_of_two_confusion_matrices(
    name: str, cells: list[tuple[int, int]]
) -> None:
    """Positives and others of the items that both, only the first, only the second, neither calls
    so."""
    (both, b), (first, f), (second, s), (neither, n) = cells
    k, rest = np.array([both, first, second, neither]), np.array([b, f, s, n])
    found = Cells(
        (k + rest).astype(float), (k + rest).astype(float), k.astype(float),
        np.array([True, True, False, False]), None, np.array([True, False, True, False]),
    )  # fmt: skip
    formula = FORMULAS[name.removesuffix("_difference")]
    one = formula(both + first, b + f, second + neither, s + n)
    two = formula(both + second, b + s, first + neither, f + n)
    value = table_of([DIFFERENCES[name]], found).value(found.positive)[0]
    if one[1] == 0 or two[1] == 0:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(one[0] / one[1] - two[0] / two[1], abs=1e-12)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_the_known_denominator_is_the_denominator(name: str) -> None:
    """Where a group is named, the denominator is its size, whatever the labels are."""
    cells = Cells(
        np.array([7.0, 20]), np.array([7.0, 20]), np.array([3.0, 4]), np.array([True, False])
    )
    group = known_group(SCALARS[name], cells)
    below = [
        float((table.b0 + (table.b * k).sum(axis=1))[0])
        for k in (np.zeros(2), cells.positive, cells.size)
        for table in [ratios([SCALARS[name]], cells)]
    ]
    if group is None:
        assert len(set(below)) > 1
    else:
        assert below == [cells.size[group].sum()] * 3
