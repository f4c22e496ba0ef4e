"""Shang et al. (2023): published figures to the digit, and what does not work as printed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from benchmarks.papers.oversampling_printed import (
    predictive,
    printed_bootstrap,
    printed_precision,
    printed_recall,
    printed_recall_linear,
)
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
    unrounded_sizes,
    used_ratio,
)
from labelcore.papers.oversampling.intervals import Groups, bayes_intervals, normal_intervals
from labelcore.papers.oversampling.printed import Limits
from labelcore.stats.proportion import wald

K, PRECISION, RECALL = 0.033, 0.863, 0.561


def zeta(weight: float) -> Counts:
    """Section 3.3.3: Beta(86.3 w, 13.7 w), and for the other group as many as k asks for."""
    pi_1, pi_0 = group_rates(K, PRECISION, RECALL)
    above, below = 100 * weight, 100 * weight / K
    return Counts.of(above * pi_1, above * (1 - pi_1), below * pi_0, below * (1 - pi_0))


def test_table_1() -> None:
    """A plain random sample of 5,000: 138, 22, 108, 4,732."""
    for hits, trials, share, margin in ((138, 160, 86.3, 5.3), (138, 246, 56.1, 6.2)):
        low, high = wald(hits, trials, 0.95)
        assert 100 * hits / trials == pytest.approx(share, abs=0.0500001)
        assert round(50 * float(high - low), 1) == margin


def test_section_3_3_3() -> None:
    pi_1, pi_0 = group_rates(round(160 / 4840, 3), PRECISION, RECALL)
    assert (pi_1, round(pi_0, 4)) == (0.863, 0.0223)
    assert round(optimal_ratio(K, pi_1, pi_0), 3) == 1.823
    one = zeta(1)
    assert round(float(one.false_negative), 1) == 67.5
    assert round(float(one.true_negative), 1) == 2962.8


@pytest.mark.parametrize(("weight", "ratio"), [(5, 1.821), (10, 1.822), (100, 1.823)])
def test_bayesian_ratio(weight: float, ratio: float) -> None:
    assert round(optimal_ratio_from_counts(K, zeta(weight)), 3) == ratio


TABLE_4 = [
    (0.79, 0.67, 0.046, 0.0179, 1.51, 307, 4410, 4717),
    (0.86, 0.56, 0.033, 0.0223, 1.85, 265, 4340, 4605),
    (0.90, 0.66, 0.458, 0.212, 1.00, 141, 306, 447),
]


@pytest.mark.parametrize("row", TABLE_4)
def test_table_4(row: tuple[float, ...]) -> None:
    precision, recall, k, printed_rate, ratio, above, below, total = row
    rates = group_rates(k, precision, recall)
    assert rates[1] == pytest.approx(printed_rate, abs=0.0005 if printed_rate > 0.1 else 0.00005)
    assert round(used_ratio(optimal_ratio(k, *rates)), 2) == ratio
    sizes = sizes_for_margin(k, *rates, 0.05, ratio=ratio)
    assert (sizes.above, sizes.below, sizes.total) == (above, below, total)
    assert sizes.harder == "recall"
    margins = expected_margins(k, *rates, above, below)
    assert max(margins.precision, margins.recall) <= 0.05
    fewer = expected_margins(k, *rates, above - 1, (above - 1) / (k * ratio))
    assert max(fewer.precision, fewer.recall) > 0.05


def test_sizes_of_section_4() -> None:
    """ "n_1 = 100" at v = 10,000 and 1/k = 100; rounded to the nearest it would be 99."""
    assert group_sizes(10_000, 1 / 100, 1).above == 100
    assert round(unrounded_sizes(10_000, 1 / 100, 1)[0]) == 99


def width(limits: Limits) -> float:
    return float(limits[1] - limits[0])


@pytest.mark.parametrize("weight", [None, 5, 10, 100])
def test_figure_1(weight: float | None) -> None:
    """Precision's width falls along s; recall's is least at s* of theorem 1 or 2."""
    pi_1, pi_0 = group_rates(K, PRECISION, RECALL)

    def widths(ratio: float) -> tuple[float, float]:
        n_1, n_0 = unrounded_sizes(5000, K, ratio)
        if weight is None:
            seen = Counts.of(n_1 * pi_1, n_1 * (1 - pi_1), n_0 * pi_0, n_0 * (1 - pi_0))
            return width(printed_precision(seen, 0.95)), width(printed_recall(seen, K, 0.95))
        pair = predictive(zeta(weight), K, n_1, n_0, 0.95)
        return width(pair.precision), width(pair.recall)

    least = minimize_scalar(
        lambda ratio: widths(ratio)[1], bounds=(1, 5), method="bounded", options={"xatol": 1e-6}
    ).x
    wanted = (
        optimal_ratio(K, pi_1, pi_0)
        if weight is None
        else optimal_ratio_from_counts(K, zeta(weight))
    )
    assert least == pytest.approx(wanted, abs=1e-3)
    along = [widths(ratio)[0] for ratio in np.linspace(1, 5, 30)]
    assert np.all(np.diff(along) < 0)


def test_figure_3_orders() -> None:
    """s* rises with imbalance, with misses and with false alarms."""

    def ratio(k: float, precision: float, recall: float) -> float:
        return optimal_ratio(k, *group_rates(k, precision, recall))

    for k in (1 / 5, 1 / 20, 1 / 100):
        assert ratio(k / 2, 0.9, 0.8) > ratio(k, 0.9, 0.8)
        assert ratio(k, 0.9, 0.7) > ratio(k, 0.9, 0.8)
        assert ratio(k, 0.8, 0.8) > ratio(k, 0.9, 0.8)


# --- what does not work as printed ---------------------------------------------------------------


def test_a_group_without_a_positive_has_no_printed_interval() -> None:
    none_missed = Counts.of(90, 10, 0, 900)
    for limits in (
        printed_recall(none_missed, 0.05, 0.95),
        printed_recall_linear(none_missed, 0.05, 0.95),
    ):
        assert np.isnan(limits).any() or width(limits) == 0
    rng = np.random.default_rng(1)
    assert width(printed_bootstrap(none_missed, 0.05, 0.95, rng).recall) == 0
    low, high = normal_intervals(none_missed, Groups.of_ratio(0.05), 0.95).recall
    assert 0.8 < low < 0.97 and high == 1.0


def test_printed_precision_has_no_width_where_all_agree() -> None:
    all_right = Counts.of(40, 0, 20, 900)
    assert width(printed_precision(all_right, 0.95)) == 0
    assert normal_intervals(all_right, Groups.of_ratio(0.05), 0.95).precision[0] < 0.93


def test_plain_rule_labels_one_predicted_positive() -> None:
    """.06 % predicted positive, precision and recall .9, 300 labels: too few to say anything."""
    k = 0.0006
    ratio = used_ratio(optimal_ratio(k, *group_rates(k, 0.9, 0.9)))
    assert group_sizes(300, k, ratio).above == 1
    assert live_sizes(300, 60, 100_000, ratio).above == 30


def test_form_with_s_is_wrong_once_sizes_are_whole_or_capped() -> None:
    """Equation 2: n_11 / (n_11 + s n_10) against the form with k, on expected counts."""
    k, ratio = 0.0006, 1.0
    pi_1, pi_0 = group_rates(k, 0.9, 0.6)

    def by_s(above: float, below: float) -> float:
        return above * pi_1 / (above * pi_1 + ratio * below * pi_0)

    exact = unrounded_sizes(2000, k, ratio)
    assert by_s(*exact) == pytest.approx(0.6, abs=1e-12)
    capped = live_sizes(2000, 60, 100_000, ratio)
    assert by_s(capped.above, capped.below) > 0.95
    assert float(recall_of(k, pi_1, pi_0)) == pytest.approx(0.6, abs=1e-12)


def test_sizes_for_recall_alone_miss_the_margin_of_precision() -> None:
    """A classifier that misses little: n_1 of the second inequality of equation 11 alone."""
    k, rates = 0.05, group_rates(0.05, 0.7, 0.97)
    sizes = sizes_for_margin(k, *rates, 0.05)
    assert sizes.harder == "precision" and sizes.above == math.ceil(0.21 * (1.959964 / 0.05) ** 2)
    ratio, recall = sizes.ratio, 0.97
    steep = (1.959964 / 0.05) ** 2 * (recall * (1 - recall)) ** 2
    alone = steep * (0.3 / 0.7 + k * ratio * (1 - rates[1]) / rates[1])
    assert expected_margins(k, *rates, alone, alone / (k * ratio)).precision > 0.1
    assert expected_margins(k, *rates, sizes.above, sizes.below).precision <= 0.05


def test_equation_7_without_its_parentheses() -> None:
    """Read as e -+ z sqrt(V) it gives an interval that does not hold the estimate."""
    seen = Counts.of(138, 22, 108, 4732)
    pi_1, pi_0 = (float(rate) for rate in seen.rates())
    half = 1.96 * math.sqrt(0.02)
    recall = float(recall_of(K, pi_1, pi_0))
    ends = [1 / (1 + pi_0 / (K * pi_1) * math.e - side * half) for side in (-1, 1)]
    assert not min(ends) <= recall <= max(ends)
    low, high = predictive(seen, K, 160, 4840, 0.95).recall
    assert low < recall < high


def test_credible_intervals_are_of_the_next_estimate_not_of_the_truth() -> None:
    """Exact coverage: the predictive interval holds 95 % of the next estimates and over 99 % of
    the truths, so that it is a bad answer to "how good is the classifier"; the posterior one holds
    about 95 % of the truths, and twice the miss rate of the next estimates."""
    n, rate, k = 300, 0.8, 0.05
    hits = np.arange(n + 1)
    chance = binom.pmf(hits, n, rate)
    inner = (hits > 20) & (hits < n - 20)
    seen = Counts.of(
        hits[inner], n - hits[inner], np.full(inner.sum(), 60), np.full(inner.sum(), 1e3)
    )
    weight = chance[inner]
    ahead = predictive(seen, k, n, 1060, 0.95).precision
    about = bayes_intervals(seen, Groups.of_ratio(k), 0.95).precision

    def of_truth(limits: Limits) -> float:
        return float(weight @ ((limits[0] <= rate) & (rate <= limits[1])))

    def of_next(limits: Limits) -> float:
        inside = binom.cdf(np.floor(limits[1] * n), n, rate)
        return float(weight @ (inside - binom.cdf(np.ceil(limits[0] * n) - 1, n, rate)))

    assert of_next(ahead) == pytest.approx(0.95, abs=0.01)
    assert of_truth(ahead) > 0.99
    assert of_truth(about) == pytest.approx(0.95, abs=0.01)
    assert of_next(about) < 0.87
