"""Readings of a yield band against every 0/1 curve of short lists."""

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from labelcore.stats.curve_readings import (
    READINGS,
    Yields,
    area_under_roc,
    average_precision,
    cheapest,
    discounts,
    falls_below,
    packages,
    sure_within,
)
from tests.cases import repeated

CASES = repeated(300)
PLAINLY: dict[str, Callable[[int, int, int, int], tuple[float, float]]] = {
    # r, hits above, hits in all, n -> numerator and denominator by counting
    "precision": lambda r, a, p, n: (a, r),
    "recall": lambda r, a, p, n: (a, p),
    "yield": lambda r, a, p, n: (a, 1),
    "f1": lambda r, a, p, n: (a, a + ((r - a) + (p - a)) / 2),
    "gain": lambda r, a, p, n: (a / r, p / n),
    "accuracy": lambda r, a, p, n: (a + (n - r - (p - a)), n),
    "true_positive_rate": lambda r, a, p, n: (a, a + (p - a)),
    "false_positive_rate": lambda r, a, p, n: (r - a, n - p),
    "specificity": lambda r, a, p, n: (n - r - (p - a), n - p),
}


def ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def plain_average_precision(list_of_hits: np.ndarray) -> float:
    at = np.flatnonzero(list_of_hits) + 1
    return float(np.mean(np.arange(1, len(at) + 1) / at)) if len(at) else math.nan


def plain_area(list_of_hits: np.ndarray) -> float:
    hits, others = np.flatnonzero(list_of_hits == 1), np.flatnonzero(list_of_hits == 0)
    if not len(hits) or not len(others):
        return math.nan
    return float(np.mean(hits[:, None] < others))


SUMMARIES = {average_precision: plain_average_precision, area_under_roc: plain_area}
Case = tuple[Yields, np.ndarray, np.ndarray]


def cases() -> Iterator[Case]:
    """A band with whole bounds around a random short list, the list, and every 0/1 curve inside."""
    rng = np.random.default_rng(5)
    for _ in range(CASES):
        n = int(rng.integers(1, 10))
        inner = rng.choice(np.arange(1, n), int(rng.integers(0, n)), replace=False)
        rank = np.append(np.sort(inner), n)
        truth = (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(float)
        at = np.cumsum(truth)[rank - 1]
        slack = rng.integers(0, 4, (2, len(rank))) * (rng.random((2, len(rank))) < 0.8)
        low, high = np.maximum(at - slack[0], 0), np.minimum(at + slack[1], rank)
        every = np.array(list(itertools.product((0, 1), repeat=n)))
        yields = np.cumsum(every, axis=1)[:, rank - 1]
        inside = np.all((yields >= low) & (yields <= high), axis=1)
        yield Yields(n, rank, at, low, high), truth, every[inside]


ALL_CASES = list(cases())


@pytest.mark.parametrize("name", list(PLAINLY))
def test_reading_is_exact_over_whole_counts(name: str) -> None:
    """Extremes over all whole a and P with low <= a <= high, low_N <= P <= high_N and
    a <= P <= a + N - r; the value is the formula at the estimates."""
    for band, _, _ in ALL_CASES:
        n = band.n_items
        value, low, high = READINGS[name](band)
        for i, r in enumerate(band.rank.tolist()):
            found = [
                ratio(*PLAINLY[name](r, a, p, n))
                for a in range(int(band.low[i]), int(band.high[i]) + 1)
                for p in range(int(band.low[-1]), int(band.high[-1]) + 1)
                if a <= p <= a + n - r
            ]
            known = [x for x in found if not math.isnan(x)]
            most = {"yield": r, "gain": n / r}.get(name, 1.0)
            expected = (min(known), max(known)) if known else (0, most)
            assert (low[i], high[i]) == pytest.approx(expected, abs=1e-12)
            at = ratio(*PLAINLY[name](r, band.estimate[i], band.estimate[-1], n))
            assert value[i] == pytest.approx(at, abs=1e-12, nan_ok=True)


def plain_gain(hits: np.ndarray, r: int) -> float:
    return float(sum(hit / math.log2(i + 2) for i, hit in enumerate(hits[:r])))


def test_discounted_gain_is_exact_over_every_curve_inside() -> None:
    """Of the normalised one the bounds hold every curve inside, and are no wider than 0 to 1."""
    for band, truth, inside in ALL_CASES:
        (value, low, high), (of, least, most) = (READINGS[name](band) for name in ("dcg", "ndcg"))
        for i, r in enumerate(band.rank.tolist()):
            found = [plain_gain(one, r) for one in inside]
            assert (low[i], high[i]) == pytest.approx((min(found), max(found)), abs=1e-12)
            parts = zip(found, inside, strict=True)
            best = [x / plain_gain(-np.sort(-one), r) for x, one in parts if one.sum()]
            assert all(least[i] - 1e-12 <= x <= most[i] + 1e-12 for x in best)
            assert 0 <= least[i] <= most[i] <= 1
            if len(band.rank) == band.n_items and truth.sum():
                assert value[i] == pytest.approx(plain_gain(truth, r), abs=1e-12)
                ideal = plain_gain(-np.sort(-truth), r)
                assert of[i] == pytest.approx(plain_gain(truth, r) / ideal, abs=1e-12)


def test_discounts_of_a_long_list_are_their_sum() -> None:
    every = np.append(0.0, np.cumsum(1 / np.log2(np.arange(1, 200_001) + 1.0)))
    at = np.array([0, 1, 4_095, 4_096, 4_097, 50_000, 200_000])
    np.testing.assert_allclose(discounts(at.astype(float)), every[at], rtol=1e-12, atol=1e-12)
    assert discounts(np.array([1.5]))[0] == pytest.approx(1 + 0.5 / math.log2(3))


@pytest.mark.parametrize("summary", list(SUMMARIES))
def test_summary_is_exact_over_every_curve_inside(summary: Callable) -> None:
    plainly = SUMMARIES[summary]
    for band, truth, inside in ALL_CASES:
        value, low, high = summary(band)
        found = [x for x in map(plainly, inside) if not math.isnan(x)]
        expected = (min(found), max(found)) if found else (0, 1)
        assert (low, high) == pytest.approx(expected, abs=1e-12)
        if len(band.rank) == band.n_items:
            assert value == pytest.approx(plainly(truth), abs=1e-12, nan_ok=True)
        assert math.isnan(value) or low <= value <= high


def test_the_bounds_own_curves_are_not_the_extremes() -> None:
    """Twin: the average precision of the lowest and of the highest curve misses other curves."""
    missed = 0
    for _, _, inside in ALL_CASES:
        yields = np.cumsum(inside, axis=1)
        ends = [
            plain_average_precision(np.diff(c, prepend=0)) for c in (yields.min(0), yields.max(0))
        ]
        found = [x for x in map(plain_average_precision, inside) if not math.isnan(x)]
        missed += bool(found) and (min(found) < min(ends) - 1e-9 or max(found) > max(ends) + 1e-9)
    assert missed > CASES / 10


@pytest.mark.parametrize("precision", [0.2, 0.5, 0.6, 0.75, 1.0])
def test_cuts_are_exact_over_every_curve_inside(precision: float) -> None:
    for band, truth, inside in ALL_CASES:
        n = band.n_items
        yields, rank = np.cumsum(inside, axis=1), np.arange(1, n + 1)
        sure_until, estimate_at, sure_from = falls_below(band, precision)
        reached = np.concatenate([[0], rank[yields.min(axis=0) >= precision * rank - 1e-9]])
        assert sure_until == reached[-1]
        possible = np.concatenate([[0], rank[yields.max(axis=0) >= precision * rank - 1e-9]])
        assert sure_from == (None if possible[-1] == n else possible[-1] + 1)
        if len(band.rank) == n:
            own = rank[np.cumsum(truth) >= precision * rank - 1e-9]
            assert estimate_at == (own[-1] if len(own) else None)
        elif estimate_at is not None:
            knots = np.append(0, band.rank), np.append(0, band.estimate)
            assert np.interp(estimate_at, *knots) >= precision * estimate_at - 1e-6
            deeper = np.arange(estimate_at + 1, n + 1)
            assert np.all(np.interp(deeper, *knots) < precision * deeper + 1e-6)


@pytest.mark.parametrize("precision", [0.2, 0.5, 0.6, 0.75, 1.0])
def test_a_cut_up_to_a_rank_is_the_deepest_that_every_curve_inside_keeps(precision: float) -> None:
    for band, _, inside in ALL_CASES:
        rank = np.arange(1, band.n_items + 1)
        kept = np.cumsum(inside, axis=1).min(axis=0) >= precision * rank - 1e-9
        for most in rank.tolist():
            reached = np.append(0, rank[kept & (rank <= most)])
            assert sure_within(band, precision, most) == reached[-1]


@pytest.mark.parametrize(("miss", "alarm"), [(1.0, 1.0), (5.0, 1.0), (0.5, 2.0), (1.0, 30.0)])
def test_the_cheapest_ranks_are_those_of_every_curve_inside(miss: float, alarm: float) -> None:
    for band, truth, inside in ALL_CASES:
        rank = np.arange(band.n_items + 1)
        estimate, first, last = cheapest(band, miss, alarm)

        def least(curves: np.ndarray, rank: np.ndarray = rank) -> np.ndarray:
            hits = np.cumsum(np.insert(curves, 0, 0, axis=-1), axis=-1)
            cost = miss * (hits[..., -1:] - hits) + alarm * (rank - hits)
            return cost <= cost.min(axis=-1, keepdims=True) + 1e-9

        possible = np.flatnonzero(least(inside).any(axis=0))
        assert (first, last) == (possible[0], possible[-1])
        if len(band.rank) == band.n_items:
            assert least(truth)[estimate] and first <= estimate <= last


@pytest.mark.parametrize("cost", [0, -1, math.inf, math.nan])
def test_a_cost_is_a_number_above_nothing(cost: float) -> None:
    band = ALL_CASES[0][0]
    for name, costs in (("miss", (cost, 1)), ("alarm", (1, cost))):
        with pytest.raises(ValueError, match=f"{name} must be a number above 0"):
            cheapest(band, *costs)


def test_packages_are_exact_over_every_curve_inside() -> None:
    filled = 0
    for band, _, inside in ALL_CASES:
        yields = np.cumsum(np.insert(inside, 0, 0, axis=1), axis=1)
        before = 0
        for package in packages(band, (0.5, 0.9, 0.7)):
            last = package.last_rank
            assert last == falls_below(band, package.precision)[0] >= before
            if last:
                whole = yields[:, last] / last
                assert (package.low, package.high) == pytest.approx((whole.min(), whole.max()))
                assert package.low >= package.precision - 1e-12
            else:
                assert math.isnan(package.low) and math.isnan(package.high)
            if last > before:
                own = (yields[:, last] - yields[:, before]) / (last - before)
                assert (package.own_low, package.own_high) == pytest.approx((own.min(), own.max()))
                filled += 1
            else:
                assert math.isnan(package.own_low) and math.isnan(package.own_high)
            before = last
    assert filled > CASES / 3
    assert [p.precision for p in packages(ALL_CASES[0][0], (0.5, 0.9, 0.5))] == [0.9, 0.5]


def between(band: Yields) -> Yields:
    """The same band given at every rank: bounds move by at most one an item and never fall."""
    rank = np.arange(1, band.n_items + 1)
    after = np.searchsorted(band.rank, rank)
    low, high, at = (np.append(0, part) for part in (band.low, band.high, band.rank))
    return Yields(
        band.n_items,
        rank,
        np.interp(rank, at, np.append(0, band.estimate)),
        np.maximum(low[after], low[after + 1] - (at[after + 1] - rank)),
        np.minimum(high[after + 1], high[after] + rank - at[after]),
    )


def long_band(n: int) -> Yields:
    rank = np.unique(np.geomspace(1, n, 60).astype(int))
    at = 0.9 * rank**0.9
    return Yields(n, rank, at, np.floor(0.8 * at), np.minimum(np.ceil(1.2 * at), rank))


def test_ranks_left_out_change_nothing() -> None:
    """The closed forms between given ranks, on a list of 4,000, against every rank."""
    band = long_band(4_000)
    full = between(band)
    for summary in SUMMARIES:
        assert summary(band) == pytest.approx(summary(full), rel=1e-9)
    for precision in (0.3, 0.45, 0.6):
        assert falls_below(band, precision) == falls_below(full, precision)


def test_a_hundred_million_items() -> None:
    """One bound at the end and no other: hits may stand anywhere, P anywhere from 1."""
    n = 10**8
    nothing = Yields(n, np.array([n]), np.array([3.0]), np.zeros(1), np.array([float(n)]))
    value, low, high = average_precision(nothing)
    assert low == pytest.approx(1 / n, rel=1e-6) and high == 1
    assert area_under_roc(nothing)[1:] == (0, 1)
    assert area_under_roc(nothing)[0] == pytest.approx(0.5, abs=1e-6)
    assert 0 < value < 1e-6
    value, low, high = average_precision(long_band(n))
    assert 0 < low < value < high < 1


def test_bounds_that_are_not_whole_are_read_inwards() -> None:
    """At least 1.3 hits among 4 are at least 2; a band without a whole number holds no curve."""
    band = Yields(
        4, np.array([2, 4]), np.array([1.0, 2.0]), np.array([0.0, 1.3]), np.array([1.9, 2])
    )
    exact = Yields(4, np.array([2, 4]), np.array([1.0, 2.0]), np.array([0, 2]), np.array([1, 2]))
    assert average_precision(band) == average_precision(exact)
    assert falls_below(band, 0.5) == falls_below(exact, 0.5)
    empty = Yields(4, np.array([4]), np.array([1.5]), np.array([1.3]), np.array([1.7]))
    assert average_precision(empty)[1:] == area_under_roc(empty)[1:] == (0, 1)
    assert falls_below(empty, 0.5) == (0, None, None)
    assert math.isnan(packages(empty, [0.5])[0].low)


def test_no_hit_and_no_estimate() -> None:
    rank = np.array([2, 4])
    none = Yields(4, rank, np.zeros(2), np.zeros(2), np.zeros(2))
    assert math.isnan(average_precision(none)[0]) and average_precision(none)[1:] == (0, 1)
    assert math.isnan(area_under_roc(none)[0]) and area_under_roc(none)[1:] == (0, 1)
    value, low, high = READINGS["gain"](none)
    assert np.isnan(value).all() and low.tolist() == [0, 0] and high.tolist() == [2, 1]
    unknown = Yields(4, rank, np.array([1, np.nan]), np.array([1, 1]), np.array([1, 3]))
    assert math.isnan(average_precision(unknown)[0])
    assert average_precision(unknown)[1:] == pytest.approx((0.5, 1))
    assert falls_below(unknown, 0.5)[1] is None
    assert READINGS["precision"](unknown)[0][0] == 0.5
    assert np.isnan(READINGS["recall"](unknown)[0]).all()


def test_ranks_that_end_early_leave_the_rest_open() -> None:
    """Ranks 1 to 3 of 6: the same as a last rank of which nothing more is known."""
    early = Yields(6, np.array([1, 3]), np.array([1.0, 2]), np.array([1.0, 1]), np.array([1.0, 3]))
    full = Yields(
        6, np.array([1, 3, 6]), np.array([1, 2, np.nan]), np.array([1, 1, 1]), np.array([1, 3, 6])
    )
    assert average_precision(early)[1:] == average_precision(full)[1:]
    assert falls_below(early, 0.5) == falls_below(full, 0.5)
    for reading in READINGS.values():
        for short, long in zip(reading(early), reading(full), strict=True):
            assert short == pytest.approx(long[:2], nan_ok=True)


@pytest.mark.parametrize("precision", [0.0, -1.0, 1.01, math.nan])
def test_refused_precision(precision: float) -> None:
    with pytest.raises(ValueError, match="precision must be above 0 and at most 1"):
        falls_below(ALL_CASES[0][0], precision)
