"""Everything read off a yield curve: its readings along the ranks, summaries, cuts and packages.

Bounds are the extremes over all curves inside the yield band, so each holds whenever the band does,
all of them together. a = Y(r) hits among the first r of N items, P = Y(N) hits in all.

Source: Sabharwal and Sedghi (2017), section 2, for what may be read off; Fawcett (2006) for the
formulas; the extremes are ours, tried against every 0/1 curve of short lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import digamma, expi

from labelcore.stats.arrays import FloatArray, IntArray

Bounds = tuple[FloatArray, FloatArray, FloatArray]

ROUNDING, SUMMED = 1e-6, 4_096


@dataclass(frozen=True, eq=False, slots=True)
class Yields:
    """Hits among the first r items at increasing ranks that end at N, (n,) each.

    estimate    NaN where there is none
    low, high   bounds that hold for all ranks at once. Where the ranks end before N nothing is
                known of the rest.
    """

    n_items: int
    rank: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def total(self) -> tuple[float, float, float]:
        """Estimate, low and high of P."""
        rest = self.n_items - int(self.rank[-1])
        estimate = float(self.estimate[-1]) if rest == 0 else math.nan
        return estimate, float(self.low[-1]), float(self.high[-1]) + rest


Reading = Callable[[Yields], Bounds]
# r, a, P, N -> numerator and denominator
Formula = Callable[[FloatArray, FloatArray, FloatArray, int], tuple[FloatArray, FloatArray]]


def _ratio(formula: Formula, most: Callable[[FloatArray, int], FloatArray]) -> Reading:
    """The reading of a ratio that is linear in a and P above and below.

    Such a ratio is largest and smallest at corners of what is possible: low <= a <= high,
    low_N <= P <= high_N, a <= P <= a + N - r. Curves for which it is 0/0 are left out; where it is
    0/0 for all of them, it may be anything from 0 to ``most``.
    """

    def read(yields: Yields) -> Bounds:
        r, n = yields.rank.astype(float), yields.n_items
        value = _divide(*formula(r, yields.estimate, np.full(len(r), yields.total[0]), n))
        corners = np.stack([_divide(*formula(r, a, p, n)) for a, p in _corners(yields, r)])
        nothing = np.isnan(corners).all(axis=0)
        low = np.where(nothing, 0.0, np.fmin.reduce(corners))
        high = np.where(nothing, most(r, n), np.fmax.reduce(corners))
        return value, low, high

    return read


def _corners(yields: Yields, r: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Points (a, P) that include every corner of what is possible."""
    n, (_, least, largest) = yields.n_items, yields.total
    low, high = np.maximum(yields.low, least - n + r), np.minimum(yields.high, largest)
    totals = np.maximum(least, low), np.minimum(largest, high + n - r)
    first = [(a, np.clip(p, a, a + n - r)) for a in (low, high) for p in totals]
    second = [(np.clip(a, p - n + r, p), p) for a in (low, high) for p in totals]
    return first + second


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.asarray(
        np.divide(above, below, out=np.full(len(above), np.nan), where=np.asarray(below) > 1e-12)
    )


def _one(r: FloatArray, n: int) -> FloatArray:
    return np.ones(len(r))


READINGS: dict[str, Reading] = {
    # the share of hits among the first r
    "precision": _ratio(lambda r, a, p, n: (a, r), _one),
    # the share of the list's hits that are among the first r; of hits outside the list it is silent
    "recall": _ratio(lambda r, a, p, n: (a, p), _one),
    "yield": _ratio(lambda r, a, p, n: (a, np.ones(len(r))), lambda r, n: r),
    "f1": _ratio(lambda r, a, p, n: (2 * a, p + r), _one),
    # lift: precision over the share of hits in the whole list; 1 is a shuffled list, n / r the most
    "gain": _ratio(lambda r, a, p, n: (a * n, p * r), lambda r, n: n / r),
    # the first r called positive, the others negative
    "accuracy": _ratio(lambda r, a, p, n: (2 * a + n - r - p, np.full(len(r), float(n))), _one),
    "true_positive_rate": _ratio(lambda r, a, p, n: (a, p), _one),
    "false_positive_rate": _ratio(lambda r, a, p, n: (r - a, n - p), _one),
    "specificity": _ratio(lambda r, a, p, n: (n - r - p + a, n - p), _one),
    # each hit counts 1 / log2(rank + 1); and that over the most that as many hits could give
    "dcg": lambda yields: _gained(yields),
    "ndcg": lambda yields: _gained_of_most(yields),
}


def discounts(rank: FloatArray) -> FloatArray:
    """The sum of 1 / log2(i + 1) over i = 1..r; between whole ranks on a straight line. Beyond
    ``SUMMED`` by the integral and its first corrections (Euler and Maclaurin)."""
    whole = np.floor(rank)
    first = np.append(0.0, np.cumsum(1 / np.log2(np.arange(1, SUMMED + 1) + 1.0)))
    sums = first[np.minimum(whole, SUMMED).astype(np.int64)]
    far = whole > SUMMED
    if far.any():
        ends = np.log(np.append(whole[far], SUMMED) + 1)
        integral = expi(ends) + 1 / (2 * ends) - 1 / (12 * np.exp(ends) * ends**2)
        sums[far] += math.log(2) * (integral[:-1] - integral[-1])
    return np.asarray(sums + (rank - whole) / np.log2(whole + 2))


def _gained(yields: Yields) -> Bounds:
    """Discounted cumulative gain: of the curves inside the bounds the lowest and the highest are
    lowest and highest at every rank, so theirs are the extremes. The value takes the hits between
    two given ranks as spread evenly."""
    ends = np.append(0, yields.rank).astype(float)
    steps, whole = _Steps.inside(yields), discounts(ends)
    if steps is None:
        return np.full(len(yields.rank), np.nan), np.zeros(len(yields.rank)), whole[1:]
    low, high = steps.low[: len(ends)], steps.high[: len(ends)]
    late = whole[1:] - discounts(ends[1:] - np.diff(low))
    early = discounts(ends[:-1] + np.diff(high)) - whole[:-1]
    value = np.diff(yields.estimate, prepend=0) * np.diff(whole) / np.diff(ends)
    bottom, top = np.cumsum(late), np.cumsum(early)
    return np.clip(np.cumsum(value), bottom, top), bottom, top


def _gained_of_most(yields: Yields) -> Bounds:
    """The same over that of a list with all its hits first. The lower bound takes as many hits in
    all as there may be, the upper one as few, whatever the curve: they may reach a little far."""
    value, low, high = _gained(yields)
    estimate, least, most = yields.total
    rank = yields.rank.astype(float)
    if most < 1:
        return np.full(len(rank), np.nan), np.zeros(len(rank)), np.ones(len(rank))
    fewest = discounts(np.minimum(rank, max(math.ceil(least - ROUNDING), 1)))
    lower = np.clip(low / discounts(np.minimum(rank, most)), 0, 1)
    upper = np.maximum(np.minimum(high / fewest, 1.0), lower)
    best = discounts(np.minimum(rank, estimate)) if estimate > 0 else np.full(len(rank), np.nan)
    return np.clip(_divide(value, best), lower, upper), lower, upper


@dataclass(frozen=True, eq=False, slots=True)
class _Steps:
    """The 0/1 curves inside a band: whole bounds at knots from rank 0 to N, (n_knots,) each.

    Between knots the highest curve rises at once and then waits, the lowest waits and then rises.
    """

    rank: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def inside(cls, yields: Yields) -> _Steps | None:
        """None where no 0/1 curve lies inside the band."""
        _, least, most = yields.total
        rank = np.concatenate([[0], yields.rank, [yields.n_items]]).astype(float)
        low = np.concatenate([[0.0], yields.low, [least]])
        high = np.concatenate([[0.0], yields.high, [most]])
        low, high = np.ceil(low - ROUNDING), np.floor(high + ROUNDING)
        low = np.maximum.accumulate(np.maximum(low, 0))
        low = rank + np.maximum.accumulate((low - rank)[::-1])[::-1]
        high = rank + np.minimum.accumulate(np.minimum(high, rank) - rank)
        high = np.minimum.accumulate(high[::-1])[::-1]
        return cls(rank, low, high) if np.all(low <= high) else None

    def lowest(self, r: int) -> int:
        after = int(np.searchsorted(self.rank, r))
        before = max(after - 1, 0)
        return int(max(self.low[before], self.low[after] - (self.rank[after] - r)))

    def highest(self, r: int) -> int:
        after = int(np.searchsorted(self.rank, r))
        before = max(after - 1, 0)
        return int(min(self.high[after], self.high[before] + r - self.rank[before]))


def average_precision(yields: Yields) -> tuple[float, float, float]:
    """Value, low and high of (1/P) sum i / r_i over the hits i = 1..P at ranks r_i.

    For a given P it is largest with every hit as early as the upper bounds allow and smallest with
    every hit as late as the lower bounds and P allow; the extremes are then taken over P >= 1,
    exactly, whatever N is. The value takes the hits between two given ranks as spread evenly and is
    kept inside the bounds; NaN without an estimate or with no hit. No hit for certain, or no curve
    inside the band: (NaN, 0, 1).
    """
    steps = _Steps.inside(yields)
    if steps is None or steps.high[-1] < 1:
        return math.nan, 0.0, 1.0
    least, most = max(steps.low[-1], 1.0), steps.high[-1]
    low, high = _least_precision(steps, least, most), _largest_precision(steps, least, most)
    return _within(_even_precision(yields), low, high)


def area_under_roc(yields: Yields) -> tuple[float, float, float]:
    """Value, low and high of the share of pairs (hit, other) in which the hit stands first.

    Extremes as in ``average_precision``, over 1 <= P <= N - 1. Nothing but hits or no hit for
    certain: (NaN, 0, 1).
    """
    steps = _Steps.inside(yields)
    n = yields.n_items
    if steps is None:
        return math.nan, 0.0, 1.0
    least, most = max(steps.low[-1], 1.0), min(steps.high[-1], n - 1.0)
    if least > most:
        return math.nan, 0.0, 1.0
    low, high = _least_area(steps, least, most), _largest_area(steps, least, most)
    return _within(_even_area(yields), low, high)


def _within(value: float, low: float, high: float) -> tuple[float, float, float]:
    low = min(max(low, 0.0), 1.0)
    high = max(min(max(high, 0.0), 1.0), low)
    return (value if math.isnan(value) else min(max(value, low), high)), low, high


def _largest_precision(steps: _Steps, least: float, most: float) -> float:
    """Within a piece i / r_i rises with i, so the mean over the first P falls and then rises: it is
    largest at an end of a piece."""
    d = np.diff(steps.high)
    parts = _even_hits(steps.rank[:-1], steps.high[:-1], d, np.ones(len(d)))
    sums = np.append(0.0, np.cumsum(parts))
    inside = steps.high[(steps.high > least) & (steps.high < most)]
    total = np.concatenate([[least], inside, [most]])
    piece = np.maximum(np.searchsorted(steps.high, total, side="left") - 1, 0)
    start = steps.high[piece]
    rest = _even_hits(steps.rank[piece], start, total - start, np.ones(len(total)))
    return float(np.max((sums[piece] + rest) / total))


def _least_precision(steps: _Steps, least: float, most: float) -> float:
    """With M = N - P others, hits follow the lowest curve while fewer than M others went before;
    the remaining ones are the last items. The sum is convex in P while the curve is left at the
    same knot."""
    n = steps.rank[-1]
    d = np.diff(steps.low)
    parts = _even_hits(steps.rank[1:] - d, steps.low[:-1], d, np.ones(len(d)))
    sums = np.append(0.0, np.cumsum(parts))

    def mean(total: FloatArray, knot: IntArray) -> FloatArray:
        done = steps.low[knot]
        late = _even_hits(n - total + done, done, total - done, np.ones(len(total)))
        return np.asarray((sums[knot] + late) / total)

    return _least_over_pieces(mean, *_leaving_pieces(steps, least, most))


def _largest_area(steps: _Steps, least: float, most: float) -> float:
    """Pairs in the wrong order are linear in P within a piece, and P (N - P) is concave."""
    n = steps.rank[-1]
    others = (steps.rank - steps.high)[:-1]
    wrong = np.append(0.0, np.cumsum(np.diff(steps.high) * others))

    def share(total: FloatArray, knot: IntArray) -> FloatArray:
        pairs = wrong[knot] + (total - steps.high[knot]) * others[knot]
        return np.asarray(pairs / (total * (n - total)))

    first, last = np.maximum(steps.high[:-1], least), np.minimum(steps.high[1:], most)
    knot = np.flatnonzero(first <= last)
    return 1 - _least_over_pieces(share, first[knot], last[knot], knot)


def _least_area(steps: _Steps, least: float, most: float) -> float:
    """Pairs in the right order are linear in P while the lowest curve is left at the same knot."""
    n = steps.rank[-1]
    others = (steps.rank - steps.low)[1:]
    wrong = np.append(0.0, np.cumsum(np.diff(steps.low) * others))

    def share(total: FloatArray, knot: IntArray) -> FloatArray:
        pairs = steps.low[knot] * (n - total) - wrong[knot]
        return np.asarray(pairs / (total * (n - total)))

    return _least_over_pieces(share, *_leaving_pieces(steps, least, most))


def _leaving_pieces(
    steps: _Steps, least: float, most: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """First P, last P and knot of the ranges of P whose latest curve leaves the lowest one at that
    knot: the others before it are fewer than N - P, those before the next are not."""
    n = steps.rank[-1]
    others = steps.rank - steps.low
    first = np.maximum(n - np.append(others[1:], n), least)
    last = np.minimum(np.append(n, n - others[1:] - 1), most)
    knot = np.flatnonzero(first <= last)
    return first[knot], last[knot], knot


def _least_over_pieces(
    figure: Callable[[FloatArray, IntArray], FloatArray],
    first: FloatArray,
    last: FloatArray,
    knot: IntArray,
) -> float:
    """The least value over whole P, by bisection: in each piece the figure falls, then rises."""
    low, high = first.copy(), last.copy()
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        falls = figure(np.minimum(middle + 1, last), knot) < figure(middle, knot)
        low, high = np.where((low < high) & falls, middle + 1, low), np.where(falls, high, middle)
    return float(np.min(figure(low, knot)))


def _even_hits(
    rank: FloatArray, hits: FloatArray, length: FloatArray, rate: FloatArray
) -> FloatArray:
    """sum_{t=1..length} rate (hits + rate (t - 1) + 1) / (rank + t): what the next items add to
    sum i / r_i, where each is a hit at that rate (rate 1: each is one)."""
    constant = hits - rate * rank - rate + 1
    return np.asarray(rate * (rate * length + constant * _harmonic_step(rank, length)))


def _harmonic_step(start: FloatArray, length: FloatArray) -> FloatArray:
    """1/(start + 1) + ... + 1/(start + length), without cancellation for large ranks."""
    end = start + length
    a, b = np.maximum(start, 50.0) + 0.5, np.maximum(end, 50.0) + 0.5
    large = np.log1p((b - a) / a) + (b**-2 - a**-2) / 24 - 7 * (b**-4 - a**-4) / 960
    return np.where(start < 50, digamma(end + 1) - digamma(start + 1), large)


def _even_segments(yields: Yields) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Start, estimate there, length and rate of each stretch between given ranks."""
    rank, estimate = np.append(0.0, yields.rank), np.append(0.0, yields.estimate)
    length = np.diff(rank)
    return rank[:-1], estimate[:-1], length, np.diff(estimate) / length


def _even_precision(yields: Yields) -> float:
    total = yields.total[0]
    if not total > 0:
        return math.nan
    return float(_even_hits(*_even_segments(yields)).sum()) / total


def _even_area(yields: Yields) -> float:
    total, n = yields.total[0], yields.n_items
    if not 0 < total < n:
        return math.nan
    rank, hits, length, rate = _even_segments(yields)
    wrong = rate * (length * (rank - hits) + (1 - rate) * length * (length - 1) / 2)
    return 1 - float(wrong.sum()) / (total * (n - total))


def falls_below(yields: Yields, precision: float) -> tuple[int, int | None, int | None]:
    """Where the precision of "the first r items" falls below what is asked.

    sure_until    the deepest cut whose lower bound reaches ``precision``: of the first sure_until
                  items at least that share are hits; 0 where no cut does
    estimate_at   the deepest cut whose estimate does, the estimate rising evenly between given
                  ranks; None where none does or a part of the list has no estimate
    sure_from     no cut at this rank or deeper reaches ``precision``: the first rank from which on
                  every upper bound stays below; None where that of the whole list does not
    Promise       the two sure ones hold together, and for every ``precision`` at once, whenever the
                  band holds. Raises ValueError for a precision outside (0, 1].
    """
    if not 0 < precision <= 1:
        raise ValueError(f"precision must be above 0 and at most 1, got {precision}")
    steps = _Steps.inside(yields)
    if steps is None:
        return 0, _estimate_at(yields, precision), None
    exact, asked = Fraction(str(precision)), precision * (1 - 1e-12)
    knot = int(np.flatnonzero(steps.low >= asked * steps.rank)[-1])
    sure_until = math.floor(int(steps.low[knot]) / exact)
    peak = steps.rank[:-1] + np.diff(steps.high)
    reaching = np.flatnonzero(steps.high[1:] >= asked * peak)
    last = int(reaching[-1]) + 1 if len(reaching) else 0
    deepest = min(math.floor(int(steps.high[last]) / exact), int(steps.rank[last]))
    return (
        min(sure_until, yields.n_items),
        _estimate_at(yields, precision),
        deepest + 1 if deepest < yields.n_items else None,
    )


def sure_within(yields: Yields, precision: float, most: int) -> int:
    """The deepest cut of at most ``most`` items whose lower bound reaches ``precision``; 0 where
    there is none. The promise is that of ``falls_below``."""
    steps = _Steps.inside(yields)
    if steps is None:
        return 0
    exact, asked = Fraction(str(precision)), precision * (1 - 1e-12)
    last = min(most, yields.n_items)
    if steps.lowest(last) >= asked * last:
        return last
    fits = (steps.rank <= last) & (steps.low >= asked * steps.rank)
    knot = int(np.flatnonzero(fits)[-1])
    return min(math.floor(int(steps.low[knot]) / exact), last)


def _estimate_at(yields: Yields, precision: float) -> int | None:
    if np.isnan(yields.total[0]) or np.isnan(yields.estimate).any():
        return None
    start, hits, _, rate = _even_segments(yields)
    spare = np.append(hits - precision * start, yields.estimate[-1] - precision * yields.n_items)
    last = int(np.flatnonzero(spare >= -ROUNDING)[-1])
    if last == len(start):
        return yields.n_items
    further = max(spare[last], 0.0) / (precision - rate[last])
    return int(start[last]) + math.floor(further + ROUNDING) or None


def cheapest(yields: Yields, miss: float, alarm: float) -> tuple[int | None, int, int]:
    """Where to cut the list when a hit below the cut costs ``miss`` and another item above it
    ``alarm``: estimate, first and last rank that may cost least; rank 0 keeps nothing.

    The cost of the first r is miss (P - a) + alarm (r - a), which has its least where
    alarm r - (miss + alarm) a has. A rank may cost least if and only if the highest curve there
    costs no more than the lowest one costs anywhere. The estimate takes the hits between given
    ranks as spread evenly; None where a part of the list has none. The whole list where no 0/1
    curve lies inside the band.
    Promise: first and last hold for all pairs of costs at once whenever the band does. Raises
    ValueError unless both costs are above 0.
    """
    for name, cost in (("miss", miss), ("alarm", alarm)):
        if not 0 < cost < math.inf:
            raise ValueError(f"{name} must be a number above 0, got {cost}")
    miss, alarm = miss / alarm, 1.0
    estimate = _cheapest_estimate(yields, miss, alarm)
    steps = _Steps.inside(yields)
    if steps is None:
        return estimate, 0, yields.n_items
    both = miss + alarm
    least_sure = float(np.min(alarm * steps.rank - both * steps.low))
    # On the highest curve cost falls by ``miss`` a rank up to the peak, then rises by ``alarm``.
    peak = steps.rank[:-1] + np.diff(steps.high)
    spare = least_sure - (alarm * peak - both * steps.high[1:]) + ROUNDING
    there = np.flatnonzero(spare >= 0)
    before = np.maximum(peak - np.floor(spare / miss), steps.rank[:-1])
    after = np.minimum(peak + np.floor(spare / alarm), steps.rank[1:])
    return estimate, int(before[there].min()), int(after[there].max())


def _cheapest_estimate(yields: Yields, miss: float, alarm: float) -> int | None:
    if np.isnan(yields.total[0]) or np.isnan(yields.estimate).any():
        return None
    rank, hits = np.append(0, yields.rank), np.append(0.0, yields.estimate)
    return int(rank[np.argmin(alarm * rank - (miss + alarm) * hits)])


@dataclass(frozen=True, slots=True)
class Package:
    """The items after the previous package down to ``last_rank``.

    precision           what the list cut at ``last_rank`` was asked to reach
    low, high           bounds on the precision of the first ``last_rank`` items
    own_low, own_high   bounds on the precision of the package's own items
    All of them NaN where there is no such item.
    """

    precision: float
    last_rank: int
    low: float
    high: float
    own_low: float
    own_high: float


def packages(yields: Yields, precisions: Sequence[float]) -> list[Package]:
    """The list cut at required precisions, the highest first: each cut is the deepest whose lower
    bound reaches its precision (``falls_below``). All bounds hold together with the band's level,
    however many precisions are asked for and whatever they are.
    """
    steps = _Steps.inside(yields)
    cuts: list[Package] = []
    before = 0
    for precision in sorted(set(precisions), reverse=True):
        last = falls_below(yields, precision)[0]
        low, high, own_low, own_high = (math.nan,) * 4
        if steps is not None and last > 0:
            low, high = steps.lowest(last) / last, steps.highest(last) / last
        if steps is not None and last > before:
            size = last - before
            own_low = max(steps.lowest(last) - steps.highest(before), 0) / size
            own_high = min(steps.highest(last) - steps.lowest(before), size) / size
        cuts.append(Package(precision, last, low, high, own_low, own_high))
        before = last
    return cuts
