"""Reference values of the intervals for one proportion.

Computed once with statsmodels 0.15.0 (not a dependency):
    from statsmodels.stats.proportion import proportion_confint
    proportion_confint(hits, trials, 1 - confidence, method)
with method "wilson", "beta" (Clopper-Pearson), "normal" (Wald).
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from labelcore.stats.proportion import (
    clopper_pearson,
    finite_exact,
    finite_wilson,
    share_interval,
    wald,
    wilson,
)

INTERVALS = {one.__name__: one for one in (wilson, clopper_pearson, wald)}
CASES = [(9, 10, 0.95), (0, 20, 0.95), (50, 50, 0.99), (137, 400, 0.9)]
REFERENCE = {
    "wilson": [
        (0.5958499732047615, 0.9821237869049271),
        (0.0, 0.16112515805281938),
        (0.8828479082823721, 1.0),
        (0.3046471620713675, 0.38246913903720475),
    ],
    "clopper_pearson": [
        (0.5549838829718046, 0.9974714214555382),
        (0.0, 0.1684334709830853),
        (0.8994549166252374, 1.0),
        (0.3031862150683923, 0.38355931015552064),
    ],
    "wald": [
        (0.7140614903086315, 1.0),
        (0.0, 0.0),
        (1.0, 1.0),
        (0.30347207806532295, 0.3815279219346771),
    ],
}


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_reference_values(name: str) -> None:
    for (hits, trials, confidence), expected in zip(CASES, REFERENCE[name], strict=True):
        low, high = INTERVALS[name](hits, trials, confidence)
        assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_no_trial_says_nothing_and_arrays_work(name: str) -> None:
    low, high = INTERVALS[name]([0, 3], [0, 7], 0.95)
    assert (low[0], high[0]) == (0.0, 1.0)
    assert 0 <= low[1] < 3 / 7 < high[1] <= 1


@pytest.mark.parametrize("name", sorted(set(INTERVALS) - {"wald"}))
@pytest.mark.parametrize("confidence", [1e-9, 0.5, 1 - 1e-12])
def test_extreme_confidence_stays_inside_the_unit_interval(name: str, confidence: float) -> None:
    hits = np.arange(11)
    low, high = INTERVALS[name](hits, 10, confidence)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_symmetric_under_swapping_hits_and_misses(name: str) -> None:
    hits = np.arange(14)
    low, high = INTERVALS[name](hits, 13, 0.9)
    swapped_low, swapped_high = INTERVALS[name](13 - hits, 13, 0.9)
    np.testing.assert_allclose(low, 1 - swapped_high, atol=1e-12)
    np.testing.assert_allclose(high, 1 - swapped_low, atol=1e-12)


def _least_coverage(name: str, trials: int, confidence: float) -> float:
    hits = np.arange(trials + 1)
    low, high = INTERVALS[name](hits, trials, confidence)
    rates = np.linspace(0.001, 0.999, 999)
    mass = binom.pmf(hits[None], trials, rates[:, None])
    return float((mass * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1).min())


def test_exact_coverage_tells_the_methods_apart() -> None:
    """By enumeration, no simulation: Clopper-Pearson never falls below, Wald falls far below."""
    assert _least_coverage("clopper_pearson", 40, 0.95) >= 0.95
    assert _least_coverage("wilson", 40, 0.95) > 0.82
    assert _least_coverage("wald", 40, 0.95) < 0.1


@pytest.mark.parametrize(
    ("hits", "trials", "confidence", "words"),
    [(3, 2, 0.95, "hits"), (-1, 2, 0.95, "hits"), (1, 2, 0.0, "got 0.0"), (1, 2, 1.0, "got 1.0")],
)
def test_bad_input_is_named(hits: int, trials: int, confidence: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wilson(hits, trials, confidence)


def test_finite_population_factor() -> None:
    """n_eff = n / (1 - n/N): 30 of 100 labelled count as 30 / .7."""
    low, high = wilson(18 / 0.7, 30 / 0.7, 0.95)
    assert finite_wilson(18, 30, 100, 0.95) == pytest.approx((float(low), float(high)), abs=1e-12)
    assert finite_wilson(18, 30, np.inf, 0.95) == pytest.approx(
        [float(x) for x in wilson(18, 30, 0.95)], abs=1e-12
    )
    assert finite_wilson(18, 30, 30, 0.95) == (0.6, 0.6)
    assert finite_wilson(0, 0, 30, 0.95) == (0.0, 1.0)
    widths = [np.ptp(finite_wilson(n / 2, n, 1000, 0.95)) for n in (10, 100, 800, 990, 1000)]
    assert widths == sorted(widths, reverse=True) and widths[-1] == 0


FINITE = ((20, 10), (20, 18), (50, 30), (50, 45), (200, 100), (200, 190), (1000, 50), (1500, 150))
Rule = Callable[[int, int, int, float], tuple[float, float]]


def least_coverage_in_a_file(rule: Rule, size: int, trials: int, confidence: float) -> float:
    """The least coverage over all numbers of positives in the file, by adding up every sample."""
    low, high = np.array([rule(s, trials, size, confidence) for s in range(trials + 1)]).T
    positives = np.arange(size // 2 + 1)[:, None]
    chance = hypergeom.pmf(np.arange(trials + 1), size, positives, trials)
    inside = (low - 1e-12 <= positives / size) & (positives / size <= high + 1e-12)
    return float((chance * inside).sum(axis=1).min())


@pytest.mark.parametrize(("size", "trials"), FINITE)
def test_coverage_in_a_file_over_all_numbers_of_positives(size: int, trials: int) -> None:
    assert least_coverage_in_a_file(finite_exact, size, trials, 0.95) >= 0.95
    assert least_coverage_in_a_file(share_interval, size, trials, 0.95) >= 0.915


@pytest.mark.parametrize(("size", "trials"), [(20, 18), (200, 100), (200, 190), (1000, 50)])
def test_wilson_alone_falls_short_of_that(size: int, trials: int) -> None:
    """The broken twin."""
    assert least_coverage_in_a_file(finite_wilson, size, trials, 0.95) < 0.88


def test_exact_ends_without_a_file_are_those_of_independent_draws() -> None:
    assert finite_exact(2, 300, np.inf, 0.95) == pytest.approx(
        finite_exact(2, 300, 10**7, 0.95), rel=1e-3
    )
    low, high = share_interval(2, 300, np.inf, 0.95)
    plain = finite_wilson(2, 300, np.inf, 0.95)
    assert low == finite_exact(2, 300, np.inf, 0.95)[0] < plain[0] and high == plain[1]
    assert share_interval(150, 300, np.inf, 0.95) == finite_wilson(150, 300, np.inf, 0.95)
    assert share_interval(3, 3, 3, 0.95) == (1.0, 1.0) and share_interval(0, 0, 9, 0.95) == (0, 1)
    assert share_interval(0.4, 12.6, 40, 0.95)[0] == 0
    low, high = share_interval(25, 60, 70, 0.95)
    assert low == finite_wilson(25, 60, 70, 0.95)[0] < high == finite_exact(25, 60, 70, 0.95)[1]
