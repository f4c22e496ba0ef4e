"""Confidence sequences against brute force."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import betabinom, hypergeom

from labelcore.stats.sequences import finite_sequence, first_watched_look, rate_sequence


def by_posterior(s: int, t: int, size: int, alpha: float) -> list[int]:
    """Every K whose posterior is more than alpha times its prior, uniform over 0..N: the same set
    in another form (posterior of the s + u positives: u beta-binomial)."""
    u = np.arange(size - t + 1)
    ratio = betabinom.pmf(u, size - t, 1 + s, 1 + t - s) * (size + 1)
    assume(np.abs(ratio - alpha).min() > 1e-9)  # A tie is decided by the last digit of either.
    return [int(s + k) for k in u[ratio > alpha]]


SAMPLES = st.integers(1, 60).flatmap(
    lambda size: st.integers(1, size).flatmap(
        lambda t: st.tuples(st.just(size), st.just(t), st.integers(0, t))
    )
)


@given(SAMPLES, st.sampled_from([0.01, 0.05, 0.3, 0.7]))
def test_finite_sequence_is_the_brute_force_set(sample: tuple[int, int, int], alpha: float) -> None:
    size, labelled, positive = sample
    inside = by_posterior(positive, labelled, size, alpha)
    low, high = finite_sequence(positive, labelled, size, alpha)
    assert inside == list(range(inside[0], inside[-1] + 1)), "the set has no holes"
    assert (low, high) == (inside[0], inside[-1])


@given(SAMPLES)
def test_finite_sequence_holds_the_estimate(sample: tuple[int, int, int]) -> None:
    size, labelled, positive = sample
    low, high = finite_sequence(positive, labelled, size, 0.05)
    assert low / size - 1e-12 <= positive / labelled <= high / size + 1e-12


def test_finite_sequence_at_the_ends() -> None:
    assert finite_sequence(3, 10, 10, 0.05) == (3, 3)
    assert finite_sequence(0, 0, 10, 0.05) == (0, 10)
    assert finite_sequence(0, 0, 0, 0.05) == (0, 0)
    low, high = finite_sequence(40_000, 100_000, 100_000_000, 0.05)
    assert 0.39 < low / 1e8 < 0.4 < high / 1e8 < 0.41


def exact_ever_missed(size: int, ones: int, last: int, held: Callable[[int, int], bool]) -> float:
    """The chance that a look at some t up to the last, with s ones, misses K, by dynamic
    programming over (t, s); ``held(s, t)`` says whether it holds."""
    alive, missed = {0: 1.0}, 0.0
    for t in range(1, last + 1):
        following: dict[int, float] = {}
        for s, chance in alive.items():
            up = (ones - s) / (size - t + 1)
            for new, p in ((s + 1, up), (s, 1 - up)):
                if p > 0:
                    following[new] = following.get(new, 0.0) + chance * p
        alive = {s: chance for s, chance in following.items() if held(s, t)}
        missed += sum(following.values()) - sum(alive.values())
    return missed


@pytest.mark.parametrize("ones", [0, 1, 5, 20, 39, 40])
def test_finite_sequence_keeps_its_promise_exactly(ones: int) -> None:
    def held(s: int, t: int) -> bool:
        low, high = finite_sequence(s, t, 40, 0.1)
        return bool(low <= ones <= high)

    assert exact_ever_missed(40, ones, 40, held) <= 0.1


def test_twin_fixed_intervals_looked_at_after_every_label_break_the_promise() -> None:
    """The same exact computation with the fixed-size hypergeometric interval misses too often."""

    def held(s: int, t: int) -> bool:
        tail = hypergeom(40, 20, t)
        return bool(min(tail.cdf(s), tail.sf(s - 1)) >= 0.1 / 2)

    assert exact_ever_missed(40, 20, 39, held) > 0.2


@given(
    st.integers(1, 400).flatmap(lambda t: st.tuples(st.just(t), st.integers(0, t))),
    st.sampled_from([0.01, 0.05, 0.5]),
)
def test_rate_sequence_is_the_grid_search(sample: tuple[int, int], alpha: float) -> None:
    labelled, positive = sample
    p = np.linspace(0, 1, 20_001)
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p), np.log1p(-p)
    negative = labelled - positive
    likelihood = (positive * log_p if positive else 0) + (negative * log_q if negative else 0)
    # with a uniform prior the evidence is B(1 + s, 1 + f) = 1 / ((t + 1) C(t, s))
    evidence = -math.log(labelled + 1) - (
        math.lgamma(labelled + 1) - math.lgamma(positive + 1) - math.lgamma(negative + 1)
    )
    inside = p[evidence - likelihood < -math.log(alpha)]
    low, high = rate_sequence(positive, labelled, alpha)
    assert (low, high) == pytest.approx((inside[0], inside[-1]), abs=6e-5)


@pytest.mark.parametrize("positive", [0, 0.001, 0.5, 1])
@pytest.mark.parametrize("alpha", [1e-12, 0.05, 1 - 1e-9])
def test_rate_sequence_at_the_ends(positive: float, alpha: float) -> None:
    """Expected counts may be fractions (a preview); the ends 0 and 1 are never logged."""
    low, high = rate_sequence(positive, 1, alpha)
    assert 0 <= low <= positive <= high <= 1
    assert rate_sequence(0, 0, alpha) == (0.0, 1.0)
    assert rate_sequence(10**6, 10**6 + 1, alpha)[1] <= 1


def test_first_watched_look() -> None:
    assert [first_watched_look(n) for n in (1, 400, 401, 5000)] == [40, 40, 41, 500]
