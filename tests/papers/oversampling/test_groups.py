"""Ratios and sizes of two-group over-sampling: edges, caps and messages."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.papers.oversampling.groups import (
    Counts,
    expected_margins,
    group_rates,
    group_sizes,
    live_sizes,
    optimal_ratio,
    optimal_ratio_from_counts,
    recall_of,
    sizes_for_margin,
    used_ratio,
)
from tests.cases import searched

SHARES = st.floats(0.05, 0.98)


def test_rates_and_recall_are_each_other_s_inverse() -> None:
    pi_1, pi_0 = group_rates(0.04, 0.8, 0.55)
    assert float(recall_of(0.04, pi_1, pi_0)) == pytest.approx(0.55, abs=1e-12)
    assert math.isnan(float(recall_of(0.04, 0.0, 0.0)))
    assert float(recall_of(0.04, 0.5, 0.0)) == 1.0


@searched(40)
@given(st.floats(0.001, 1), SHARES, SHARES)
def test_ratio_is_least(k: float, precision: float, recall: float) -> None:
    """Theorem 1: the variance of recall at s* is below that at neighbours; one below 1 gains at
    most the share of items predicted positive."""
    missed = k * precision * (1 / recall - 1)
    if missed >= 0.99:
        return
    rates = group_rates(k, precision, recall)
    best = optimal_ratio(k, *rates)

    def margin(ratio: float) -> float:
        return expected_margins(k, *rates, k * ratio / (k * ratio + 1), 1 / (k * ratio + 1)).recall

    assert margin(best) <= min(margin(0.9 * best), margin(1.1 * best))
    assert best >= 1 or (margin(best) / margin(used_ratio(best))) ** 2 >= 1 / (1 + k) - 1e-9


def test_ratio_where_nothing_is_missed_or_wrong() -> None:
    assert optimal_ratio(0.1, 1.0, 0.02) == 0.0
    assert optimal_ratio(0.1, 0.9, 0.0) == 0.0
    assert used_ratio(0.0) == 1.0


@pytest.mark.parametrize("cell", range(4))
def test_theorem_2_with_an_empty_cell(cell: int) -> None:
    """Finite, where the improper prior has no Theta: as with 1/2 on both sides of the group."""
    counts = [90.0, 10.0, 8.0, 900.0]
    counts[cell] = 0.0
    found = optimal_ratio_from_counts(0.1, Counts.of(*counts))
    half = [number + 0.5 * (place // 2 == cell // 2) for place, number in enumerate(counts)]
    assert found == optimal_ratio_from_counts(0.1, Counts.of(*half)) and 0 < found < math.inf


def test_theorem_2_approaches_theorem_1() -> None:
    pi_1, pi_0 = group_rates(0.033, 0.863, 0.561)
    many = Counts.of(1e7 * pi_1, 1e7 * (1 - pi_1), 1e7 * pi_0, 1e7 * (1 - pi_0))
    wanted = optimal_ratio(0.033, pi_1, pi_0)
    assert optimal_ratio_from_counts(0.033, many) == pytest.approx(wanted, rel=1e-6)


@given(st.integers(1, 5000), st.integers(0, 3000), st.integers(0, 3000), st.floats(0.1, 500))
def test_live_sizes(total: int, above: int, below: int, ratio: float) -> None:
    sizes = live_sizes(total, above, below, ratio)
    assert sizes.total == min(total, above + below)
    assert 0 <= sizes.above <= above and 0 <= sizes.below <= below
    if below and above:
        assert sizes.above >= min(30, above, math.ceil(min(total, above + below) / 2))


def test_sizes_follow_the_ratio() -> None:
    sizes = group_sizes(5000, 1 / 20, 2)
    assert (sizes.above, sizes.below, sizes.total) == (455, 4546, 5001)
    live = live_sizes(5000, 10_000, 200_000, 2)
    assert (live.above, live.below) == (455, 4545)


@given(st.floats(0.001, 0.5), SHARES, SHARES, st.floats(0.02, 0.1))
def test_both_margins_are_met_and_no_label_too_many(
    k: float, precision: float, recall: float, margin: float
) -> None:
    if k * precision * (1 / recall - 1) >= 0.9:
        return
    rates = group_rates(k, precision, recall)
    sizes = sizes_for_margin(k, *rates, margin)
    found = expected_margins(k, *rates, sizes.above, sizes.below)
    assert max(found.precision, found.recall) <= margin * (1 + 1e-6)
    if sizes.above > 2:
        n_1 = sizes.above - 1.001
        fewer = expected_margins(k, *rates, n_1, n_1 / (k * sizes.ratio))
        assert max(fewer.precision, fewer.recall) > margin * (1 - 1e-6)


def test_caps_of_a_file() -> None:
    """Every predicted positive labelled: recall's margin rests on the others alone."""
    rates = group_rates(0.001, 0.8, 0.5)
    free = sizes_for_margin(0.001, *rates, 0.05)
    capped = sizes_for_margin(0.001, *rates, 0.05, above=50, below=500_000)
    assert free.above > 50 and capped.above == 50
    wanted = (1.959964 / 0.05) ** 2 * 0.25**2 * (1 - rates[1]) / rates[1]
    assert capped.below == math.ceil(wanted) < free.below
    tiny = sizes_for_margin(0.3, *group_rates(0.3, 0.99, 0.99), 0.1, above=1000, below=3000)
    assert tiny.above == 30
    assert sizes_for_margin(0.001, *rates, 0.01, above=50, below=600).below == 600


def test_nothing_missed_needs_labels_for_precision_only() -> None:
    sizes = sizes_for_margin(0.1, 0.9, 0.0, 0.05)
    assert (sizes.above, sizes.ratio) == (139, 1.0)
    assert expected_margins(0.1, 0.9, 0.0, 139, 1390).recall == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: group_rates(3.0, 0.9, 0.1), "recall = 0.1 .* must be fewer than 1"),
        (lambda: Counts.of(1, -2, 3, 4), "false_positive must be a number of items, .* got -2"),
        (lambda: Counts.of(1, 2, math.inf, 4), "false_negative must be .* got inf"),
    ],
)
def test_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
