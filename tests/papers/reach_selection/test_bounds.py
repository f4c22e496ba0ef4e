"""Bounds on several precisions: equal to their definitions, valid, and never widened."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from labelcore.papers.reach_selection.bounds import (
    DOUBTFUL,
    NO,
    YES,
    HoeffdingBounds,
    RatioBounds,
    ReachBounds,
    draws_for_precision,
    draws_for_reach,
    label_bound,
    smallest_budget,
)
from labelcore.stats.sequences import finite_sequence
from labelcore.testing.known import most
from tests.cases import repeated, searched


def hoeffding_radius(draws: object, candidates: int, budget: int, delta: float) -> np.ndarray:
    """U(t) = sqrt(ln(2 m T / delta) / (2 t)), Bennett et al. (2017), equations 4 and 9."""
    return np.sqrt(math.log(2 * candidates * budget / delta) / (2 * np.asarray(draws, dtype=float)))


def fed(bounds: ReachBounds, verdicts: list[int]) -> ReachBounds:
    for verdict in verdicts:
        bounds.take([0], verdict)
    return bounds


@pytest.mark.parametrize(("slack", "draws"), [(0.1, 2881), (0.2, 721)])
def test_draws_for_precision_are_the_first_that_are_enough(slack: float, draws: int) -> None:
    assert draws_for_precision(9, 5000, 0.05, slack) == draws
    before, after = hoeffding_radius([draws - 1, draws], 9, 5000, 0.05)
    assert 2 * after < slack <= 2 * before


@pytest.mark.parametrize("values", [(9, 5000, 0.05, 0.9, 0.1, 0.1), (3, 700, 0.2, 0.5, 0.05, 0.3)])
def test_draws_for_reach_are_the_first_that_are_enough(values: tuple[float, ...]) -> None:
    m, budget, delta, wanted, slack, share = values
    draws = draws_for_reach(int(m), int(budget), delta, wanted, slack, share)
    assert draws is not None
    before, after = hoeffding_radius([draws - 1, draws], int(m), int(budget), delta)
    assert 2 * after <= share * (wanted - slack) < 2 * before


def test_smallest_budget_is_the_first_that_is_enough() -> None:
    def bound(budget: int) -> int:
        found = label_bound(4, budget, 0.1, 0.8, 0.2, 0.3)
        assert found is not None
        return found

    smallest = smallest_budget(4, 0.1, 0.8, 0.2, 0.3)
    assert smallest is not None and bound(smallest) <= smallest
    assert all(bound(budget) > budget for budget in range(1, smallest))


def test_no_slack_no_finite_bound() -> None:
    assert draws_for_precision(9, 5000, 0.05, 0.0) is None
    assert draws_for_reach(9, 5000, 0.05, 0.9, 0.9, 0.1) is None
    assert draws_for_precision(9, 5000, 0.05, 1e-200) is None  # Its square is zero.
    for slack in (0.0, 0.9):
        assert label_bound(9, 5000, 0.05, 0.9, slack, 0.1) is None
        assert smallest_budget(9, 0.05, 0.9, slack, 0.1) is None


VERDICTS = st.lists(st.sampled_from([NO, YES, YES, DOUBTFUL]), min_size=1, max_size=60)


# No ratio of these counts is one in 0.4937, a prime: a tie would be decided by rounding.
@given(VERDICTS, st.integers(0, 40), st.sampled_from([0.4937, 0.05]))
@searched(60)
def test_ratio_bounds_are_the_intersection_of_finite_sequences(
    verdicts: list[int], more: int, delta: float
) -> None:
    size, low, high = len(verdicts) + more, 0.0, 1.0
    bounds = RatioBounds([size, size + 1, size + 2], delta)
    for t in range(1, len(verdicts) + 1):
        yes, doubtful = (verdicts[:t].count(one) for one in (YES, DOUBTFUL))
        bounds.take([0], verdicts[t - 1])
        now_low = max(low, finite_sequence(yes, t, size, delta / 6)[0] / size)
        now_high = min(high, finite_sequence(yes + doubtful, t, size, delta / 2)[1] / size)
        if now_low <= now_high:
            low, high = now_low, now_high
        low, high = (yes / size, (yes + doubtful) / size) if t == size else (low, high)
        assert (bounds.low[0], bounds.high[0]) == pytest.approx((low, high), abs=1e-15)
    assert (bounds.low[1], bounds.high[1], bounds.drawn[1]) == (0.0, 1.0, 0)


@given(VERDICTS)
@searched(60)
def test_hoeffding_bounds_are_the_intersection_of_intervals(verdicts: list[int]) -> None:
    bounds = fed(HoeffdingBounds([500, 9], 100, 0.2), verdicts)
    t = np.arange(1, len(verdicts) + 1)
    yes, doubtful = (np.cumsum(np.array(verdicts) == one) for one in (YES, DOUBTFUL))
    radius = hoeffding_radius(t, 2, 100, 0.2)
    low = max(0.0, float((yes / t - radius).max()))
    high = min(1.0, float(((yes + doubtful) / t + radius).min()))
    assert low <= high  # so near to a list of its own no interval misses
    assert (bounds.low[0], bounds.high[0]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("kind", [HoeffdingBounds, RatioBounds])
@given(verdicts=VERDICTS, resolved=st.sampled_from([NO, YES]))
@searched(40)
def test_doubtful_verdicts_count_both_ways(
    kind: type[ReachBounds], verdicts: list[int], resolved: int
) -> None:
    """Whatever they turn out to be, the interval was no narrower."""
    arguments = ([60], 60, 0.3) if kind is HoeffdingBounds else ([60], 0.3)
    both = fed(kind(*arguments), verdicts)  # type: ignore[arg-type]
    one = fed(kind(*arguments), [resolved if v == DOUBTFUL else v for v in verdicts])  # type: ignore[arg-type]
    assert both.low[0] <= one.low[0] + 1e-12 and one.high[0] <= both.high[0] + 1e-12


def test_low_never_passes_high() -> None:
    """Verdicts that no random order brings: each interval on its own is right, together they
    leave nothing."""
    bounds = RatioBounds([4000], 0.9)
    for verdict in [YES] * 300 + [NO] * 2000:
        bounds.take([0], verdict)
        assert bounds.low[0] <= bounds.high[0]
    plain = finite_sequence(300, 2300, 4000, 0.45)
    assert bounds.low[0] > plain[1] / 4000, "the plain intersection would be empty"


def test_a_census_is_exact() -> None:
    """Also where what the first draws said was wrong."""
    for verdicts in ([YES, NO, YES, YES, DOUBTFUL, YES, YES], [YES] * 40 + [DOUBTFUL] + [NO] * 20):
        size, hits = len(verdicts), verdicts.count(YES)
        bounds = fed(RatioBounds([size], 0.05), verdicts)
        assert (bounds.low[0], bounds.joint_high[0]) == (hits / size, bounds.high[0])
        assert bounds.high[0] == (hits + 1) / size


def test_copies_share_nothing() -> None:
    bounds = fed(RatioBounds([50], 0.05), [YES] * 5)
    other = bounds.copy()
    fed(other, [YES] * 20)
    assert bounds.low[0] < other.low[0] and bounds.drawn[0] == 5


class Peeking(RatioBounds):
    """The mistake: intervals for one look, here Wilson's, taken at every draw."""

    def __init__(self, sizes: list[int], delta: float) -> None:
        super().__init__(sizes, delta)
        self.low_z, self.high_z = norm.isf([delta / (2 * len(sizes)), delta / 2])

    def _narrow(self, one: int, drawn: int, hits: int, doubtful: int) -> None:
        size = int(self.sizes[one])
        if drawn == size:
            return
        effective = drawn / (1 - drawn / size)
        for z, ends, sign in ((self.low_z, self.low, -1), (self.high_z, self.high, 1)):
            middle = (hits / drawn + z**2 / (2 * effective)) / (1 + z**2 / effective)
            spread = hits / drawn * (1 - hits / drawn) / effective + (z / effective) ** 2 / 4
            end = middle + sign * z * math.sqrt(spread) / (1 + z**2 / effective)
            ends[one] = max(ends[one], end) if sign < 0 else min(ends[one], end)


def missed(kind: type[RatioBounds], runs: int) -> tuple[float, float]:
    """Shares of runs in which the lower bound of any of three candidates, and the upper bound of
    the first one, ever missed; delta .2."""
    random, sizes, hits = np.random.default_rng(5), [120, 60, 90], [100, 48, 30]
    precision = np.array(hits) / np.array(sizes)
    low_missed = high_missed = 0
    for _ in range(runs):
        bounds = kind(sizes, 0.2)
        for one, (size, positive) in enumerate(zip(sizes, hits, strict=True)):
            for verdict in random.permutation(np.arange(size) < positive)[:-1]:
                bounds.take([one], int(verdict))
        low_missed += bool((bounds.low > precision + 1e-12).any())
        high_missed += bool(bounds.high[0] < precision[0] - 1e-12)
    return low_missed / runs, high_missed / runs


def test_unequal_split_holds_each_half() -> None:
    """At any draw before the census, delta .2: all lower bounds together miss in at most .1 of all
    runs, and so does the upper bound of one candidate. Limit: binomial noise of 200 runs (.19)."""
    runs = repeated(200)
    low, high = missed(RatioBounds, runs)
    assert low <= most(runs, 0.1) and high <= most(runs, 0.1)


def test_intervals_for_one_look_fail_at_every_draw() -> None:
    low, high = missed(Peeking, 200)
    assert low > most(200, 0.1) and high > most(200, 0.1)
