"""Labels shared over strata."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.stratified_runs import stratified_variance
from labelcore.papers.stratified.neyman import (
    LEAST,
    equal_counts,
    estimated_spreads,
    first_counts,
    optimal_counts,
    printed_counts,
    proportional_counts,
)

SIZES = st.lists(st.integers(0, 5000), min_size=1, max_size=12)


@given(SIZES, st.integers(0, 3000), st.integers(2, 4))
def test_counts_add_up_and_keep_their_floor(sizes: list[int], labels: int, least: int) -> None:
    size = np.array(sizes)
    spread = (np.arange(len(sizes)) % 3) / 6
    for found, floor in (
        (proportional_counts(size, labels), LEAST),
        (equal_counts(size, labels), LEAST),
        (optimal_counts(size, spread, labels, least), least),
    ):
        assert found.sum() == min(labels, size.sum())
        assert np.all(found <= size) and np.all(found >= 0)
        if labels >= np.minimum(size, floor).sum():
            assert np.all(found >= np.minimum(size, floor))


def test_proportional_is_the_largest_remainder_where_no_floor_binds() -> None:
    """Quotas 10.5, 6.3, 4.2: the one left over goes to the largest remainder."""
    assert proportional_counts([500, 300, 200], 21).tolist() == [11, 6, 4]


@pytest.mark.parametrize(("labels", "times"), [(40, 1.803), (100, 1.209), (200, 1.090)])
def test_two_labels_of_tiny_strata_cost_less_than_is_told(labels: int, times: float) -> None:
    """Ten strata, nine of them tiny: at most n / (n - 2K) times the variance without floors."""
    strata = [10_000, *[5] * 9], [0.8] * 10
    counts = proportional_counts(strata[0], labels)
    found = stratified_variance(*strata, counts)
    shares = np.array(strata[0]) * labels / sum(strata[0])
    found /= stratified_variance(*strata, shares)
    assert found == pytest.approx(times, abs=5e-4) and found < labels / (labels - 20)


def test_equal_passes_on_what_a_small_stratum_cannot_take() -> None:
    assert equal_counts([1000, 1000, 1000], 10).tolist() == [4, 3, 3]
    assert equal_counts([1000, 3, 1000], 30).tolist() == [14, 3, 13]


def test_optimal_by_hand() -> None:
    """W S = .5 x .3, .3 x .4, .2 x .5: shares .405, .324, .270 of 100."""
    assert optimal_counts([500, 300, 200], [0.3, 0.4, 0.5], 100, LEAST).tolist() == [41, 32, 27]
    assert optimal_counts([500, 300, 200], [0.0, 0.0, 0.0], 100, LEAST).tolist() == [50, 30, 20]
    assert optimal_counts([500, 300, 20], [0.0, 0.1, 0.5], 62, LEAST).tolist() == [2, 45, 15]


def test_spread_is_the_standard_deviation_of_the_labels() -> None:
    labels = [np.array([1, 1, 0, 1, 0]), np.array([1, 1]), np.array([0]), np.array([])]
    n, s = [len(one) for one in labels], [one.sum() for one in labels]
    expected = [labels[0].std(ddof=1), 0.0, 0.0, 0.0]
    with np.errstate(all="raise"):
        np.testing.assert_allclose(estimated_spreads(n, s), expected, atol=1e-12)


def test_first_labels() -> None:
    assert first_counts([100, 3, 50], 40, 5).tolist() == [5, 3, 5]
    assert first_counts([100, 100, 50], 7, 5).sum() == 7


def test_printed_step_by_hand() -> None:
    """S = .548, 0, .447 of 5 labels each; W S = .274, 0, .089: 8 and 2 of the next 10, and none for
    the stratum whose labels agree, however large it is."""
    found = printed_counts([500, 300, 200], [5, 5, 5], [5, 5, 5], [3, 5, 4], 10)
    assert found.tolist() == [8, 0, 2]


def test_printed_step_passes_on_and_falls_back() -> None:
    """A stratum without items left gives its share to the others, to those without spread last; all
    labels alike: in proportion to the sizes."""
    assert printed_counts([6, 500, 200], [5, 5, 5], [5] * 3, [3, 5, 4], 10).tolist() == [0, 0, 10]
    assert printed_counts([6, 500, 9], [5, 5, 5], [5] * 3, [3, 5, 4], 10).tolist() == [1, 5, 4]
    assert printed_counts([500, 300, 200], [5] * 3, [5] * 3, [5] * 3, 10).tolist() == [5, 3, 2]
