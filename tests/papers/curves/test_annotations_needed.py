"""Labels that each method needs for the same factor."""

import pytest

from labelcore.papers.curves.annotations_needed import STEP, epsilon_for, labels_needed
from labelcore.papers.curves.logarithmic_strata import logarithmic_grid
from labelcore.papers.curves.paula_bounds import paula_grid
from labelcore.papers.curves.random_band import curve_labels
from tests.cases import sampled


@pytest.mark.parametrize(
    ("wanted", "window"),
    sampled(
        [(1.005, 1), (1.005, 100), (1.03, 20), (1.0812, 100), (1.3, 20), (2.5, 1)],
        4, seed=1, keep=[(1.005, 100), (1.03, 20), (1.3, 20), (2.5, 1)],
    ),
)  # fmt: skip
def test_the_largest_epsilon_that_keeps_the_factor(wanted: float, window: int) -> None:
    """Against every step up to well above it."""
    factor = wanted * paula_grid(1, 1e-4, window).gamma
    found = epsilon_for(factor, window)
    assert paula_grid(1, found, window).factor <= factor
    step = round(found * STEP)
    above = range(step + 1, min(step + 400, STEP) + 1, 13)
    assert all(paula_grid(1, one / STEP, window).factor > factor for one in above)


def test_each_method_by_its_own_formula() -> None:
    found = labels_needed(200_000, epsilon=0.04, window=50, precision=0.6, delta=0.1)
    grid = paula_grid(200_000, 0.04, 50)
    other = logarithmic_grid(200_000, 0.04, grid.first_rank, grid.gamma, 0.1, 0.6)
    assert (found.paula, found.fixed, found.factor) == (grid.labels, other.labels, grid.factor)
    assert 0 <= found.logarithmic - other.printed_labels < 1
    assert 0 <= found.random - curve_labels(200_000, grid.factor - 1, 0.6, 0.1) < 1
    widest = epsilon_for(found.factor, 50)
    again = labels_needed(200_000, epsilon=widest, window=50, precision=0.6, delta=0.1)
    assert again.epsilon >= 0.04 and again.factor <= found.factor
    assert again.paula <= found.paula, "a larger epsilon may keep the same factor"


def test_no_more_than_there_are() -> None:
    found = labels_needed(5_000, epsilon=epsilon_for(1.03, 100))
    assert {found.paula, found.logarithmic, found.fixed, found.random} == {5_000}


@pytest.mark.parametrize("factor", [1.0, float("nan")])
def test_a_factor_that_no_epsilon_keeps(factor: float) -> None:
    with pytest.raises(ValueError, match=f"must be above 1.0198 with window = 100, got {factor:g}"):
        epsilon_for(factor, 100)
