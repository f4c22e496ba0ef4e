"""Closed-form intervals from strata: by hand, at their ends, and by coverage."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

from labelcore.estimands import SCALARS, ratios
from labelcore.papers.stratified.accuracy_interval import (
    accuracy_interval,
    effective_labels,
    linearised_interval,
)
from labelcore.stats.profile import Cells
from labelcore.stats.proportion import clopper_pearson, finite_wilson, wilson
from tests.cases import repeated

SIZES, LABELLED, RIGHT = [900, 100], [90, 10], [88, 6]
NOISE = 1e-4


def test_effective_labels_by_hand() -> None:
    """a~ = 88.5/91, 6.5/11; A~ = .93437; v = .81 x .026716/90 x .9 + .01 x .24174/10 x .9."""
    assert effective_labels(SIZES, LABELLED, RIGHT) == pytest.approx(
        0.061325 / 4.33964e-4, rel=1e-4
    )
    found = accuracy_interval(SIZES, LABELLED, RIGHT, 0.95)
    low, high = wilson(0.94 * found.effective, found.effective, 0.95)
    assert (found.value, found.low, found.high) == pytest.approx((0.94, float(low), float(high)))


def test_process_adds_the_variance_of_the_file_itself() -> None:
    """v without the factor, and (.9 (.97253 - .93437)^2 + .1 (.59091 - .93437)^2) / 1000 more."""
    expected = 0.061325 / (4.33964e-4 / 0.9 + 1.31069e-2 / 1000)
    found = effective_labels(SIZES, LABELLED, RIGHT, target="process")
    assert found == pytest.approx(expected, rel=1e-4)


def test_one_stratum_is_close_to_a_plain_random_sample() -> None:
    found = accuracy_interval([5000], [400], [340], 0.95)
    assert (found.low, found.high) == pytest.approx(finite_wilson(340, 400, 5000, 0.95), abs=3e-4)


def test_census_no_label_and_agreement() -> None:
    census = accuracy_interval([3, 5], [3, 5], [2, 5], 0.95)
    assert census.low == census.high == census.value == 7 / 8
    nothing = accuracy_interval([3, 5], [0, 0], [0, 0], 0.95)
    assert np.isnan(nothing.value) and (nothing.low, nothing.high) == (0.0, 1.0)
    agreed = accuracy_interval([500, 500], [20, 20], [20, 20], 0.95)
    assert agreed.value == agreed.high == 1.0 and 0.85 < agreed.low < 0.97
    without = accuracy_interval([500, 500], [20, 0], [20, 0], 0.95)
    assert without.low < 0.5, "a stratum without labels may be all wrong"


# --- coverage: 2,000 runs at 80 %, limits from the binomial noise of the runs --------------------

STRATA = np.array([500, 1500, 3000])
CORRECT = np.array([300, 1300, 2950])
COUNTS = np.array([20, 60, 120])
RUNS = repeated(2_000)


def coverage(interval: Callable[[np.ndarray], tuple[float, float]]) -> float:
    rng = np.random.default_rng(7)
    truth = CORRECT.sum() / STRATA.sum()
    hits = rng.hypergeometric(CORRECT, STRATA - CORRECT, COUNTS, (RUNS, 3))
    every, often = np.unique(hits, axis=0, return_counts=True)
    ends = np.array([interval(one) for one in every])
    return float(often @ ((ends[:, 0] <= truth) & (truth <= ends[:, 1]))) / RUNS


def sound(hits: np.ndarray) -> tuple[float, float]:
    found = accuracy_interval(STRATA, COUNTS, hits, 0.8)
    return found.low, found.high


def unweighted(hits: np.ndarray) -> tuple[float, float]:
    """The twin: equal weights for all strata."""
    found = accuracy_interval(np.full(3, 1000), COUNTS, hits, 0.8)
    return found.low, found.high


def one_sided(hits: np.ndarray) -> tuple[float, float]:
    """The twin: the quantile at 1 - alpha."""
    found = accuracy_interval(STRATA, COUNTS, hits, 0.6)
    return found.low, found.high


def test_coverage_of_accuracy() -> None:
    fewest = binom.ppf(NOISE, RUNS, 0.8) / RUNS
    assert coverage(sound) >= fewest
    assert coverage(unweighted) < fewest and coverage(one_sided) < fewest


CELLS = Cells(
    np.array([400.0, 100, 600, 900]), np.array([80.0, 20, 60, 90]), np.array([64.0, 4, 6, 3]),
    np.array([True, True, False, False]), np.array([0, 1, 0, 1]),
)  # fmt: skip


def test_value_and_width_by_hand() -> None:
    """Precision: 400 x .8 + 100 x .2 of 500; its variance from the smoothed rates of the two cells
    that are predicted positive, at the value that they suggest."""
    rows = [SCALARS["precision"], SCALARS["recall"]]
    value, low, high = linearised_interval(CELLS, ratios(rows, CELLS), np.full(2, 1.96**2))
    assert value == pytest.approx([340 / 500, 340 / (340 + 60 + 30)])
    pooled = 68.5 / 101
    smooth = np.array([(64 + pooled) / 81, (4 + pooled) / 21])
    size, n = np.array([400, 100]), np.array([80, 20])
    centre = (size @ smooth) / 500
    variance = (size**2 * smooth * (1 - smooth) / n * (1 - n / size)).sum() / 500**2
    half = 1.96 * np.sqrt(variance) / (centre * (1 - centre))
    ends = 1 / (1 + np.exp(-(np.log(centre / (1 - centre)) + np.array([-half, half]))))
    assert [low[0], high[0]] == pytest.approx(ends.tolist(), rel=1e-9)
    assert low[1] < value[1] < high[1]


def test_known_and_missing_denominators() -> None:
    """All predicted positives labelled: precision is exact, recall is not. No positive found:
    recall has no value, and the interval of precision is wide but not everything."""
    full = Cells(CELLS.size, np.array([400.0, 100, 60, 90]), np.array([320.0, 20, 6, 3]),
                 CELLS.predicted)  # fmt: skip
    rows = [SCALARS["precision"], SCALARS["recall"]]
    value, low, high = linearised_interval(full, ratios(rows, full), np.full(2, 4.0))
    assert value[0] == low[0] == high[0] == 340 / 500 and low[1] < value[1] < high[1]
    none = Cells(CELLS.size, CELLS.labelled, np.zeros(4), CELLS.predicted)
    value, low, high = linearised_interval(none, ratios(rows, none), np.full(2, 4.0))
    assert np.isnan(value[1]) and (low[1], high[1]) == (0.0, 1.0)
    assert value[0] == low[0] == 0.0 and 0.05 < high[0] < 0.9


def test_coverage_of_a_ratio() -> None:
    """Recall, 2,000 runs at 80 % (z = 1.2816); the twin divides by the labels instead of N."""
    rng = np.random.default_rng(3)
    positive = np.array([320, 20, 60, 30])
    truth = 340 / 430
    hits = rng.hypergeometric(positive, CELLS.size.astype(int) - positive,
                              CELLS.labelled.astype(int), (RUNS, 4))  # fmt: skip
    critical = np.array([norm.isf(0.1) ** 2])
    inside, outside = 0, 0
    for one in hits.astype(float):
        cells = Cells(CELLS.size, CELLS.labelled, one, CELLS.predicted)
        _, low, high = linearised_interval(cells, ratios([SCALARS["recall"]], cells), critical)
        inside += low[0] <= truth <= high[0]
        even = Cells(CELLS.labelled * 5, CELLS.labelled, one, CELLS.predicted)
        _, low, high = linearised_interval(even, ratios([SCALARS["recall"]], even), critical)
        outside += low[0] <= truth <= high[0]
    fewest = binom.ppf(NOISE, RUNS, 0.8)
    assert inside >= fewest and outside < fewest


@pytest.mark.parametrize(("wrong", "exact"), [(0, True), (1, True), (3, True), (4, False)])
def test_few_errors_have_exact_ends(wrong: int, exact: bool) -> None:
    """Ten strata of 2,000 items, 30 labels each: up to three errors the exact interval's ends."""
    sizes, labelled = np.full(10, 2000), np.full(10, 30)
    right = labelled - np.bincount(np.arange(wrong) % 10, minlength=10)
    found = accuracy_interval(sizes, labelled, right, 0.95)
    ends = clopper_pearson(found.value * found.effective, found.effective, 0.95)
    assert (found.low <= float(ends[0]) and found.high >= float(ends[1])) == exact


def test_a_very_accurate_classifier_is_covered() -> None:
    """Ten strata with ten wrong items of 20,000, 300 labels, 4,000 samples at 95 %: Wilson's ends
    alone miss after one error, and must."""
    random = np.random.default_rng(5)
    sizes, labelled, wrong = np.full(10, 2000), np.full(10, 30), np.ones(10, dtype=int)
    drawn = np.stack([random.hypergeometric(wrong, sizes - wrong, labelled) for _ in range(4000)])
    limit = 0.95 - 4 * np.sqrt(0.95 * 0.05 / 4000)
    every, often = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    inside, plain = [], []
    for one in every:  # Strata of one size and equally many labels: which has the error is alike.
        found = accuracy_interval(sizes, labelled, labelled - one, 0.95)
        inside.append(found.low <= 0.9995 <= found.high)
        low, high = wilson(found.value * found.effective, found.effective, 0.95)
        plain.append(low <= 0.9995 <= high)
    assert np.average(inside, weights=often) > limit
    assert np.average(plain, weights=often) < limit
