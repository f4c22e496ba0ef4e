"""Average precision and the area under the ROC curve from labels drawn at random within strata.

Both are computed from the hits (positive items) and their ranks alone. The interval is a region of
empirical likelihood: within each stratum the unlabelled items are like its labelled ones, in some
mixture of them, and every mixture stays in the region that makes the labels not too unlikely. An
item keeps its rank, so nothing is assumed about where in a stratum its hits lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from labelcore.stats.arrays import BoolArray, FloatArray, IntArray

UNKNOWN = (np.nan, 0.0, 1.0)
PHANTOM_LABELS = 0.25
PIECE_LABELS = 8
LEAST_FREEDOM = 4.0
ROUNDS, SEARCH_STEPS, NEWTON_STEPS = 12, 60, 40
ENOUGH, NEWTON_PRECISION = 1e-5, 1e-10
SEARCH_PRECISION = 1e-6
LEAST_LOG_SCALE = -60.0
"""Here all that a stratum has left stands at its steepest item, to the last digit."""


@dataclass(frozen=True, eq=False, slots=True)
class RankedSample:
    """A ranked list of which some items are labelled, at random within strata.

    n_items     N, items of the list
    sizes       (n_strata,), N_h, items of each stratum; in a list without further strata they add
                up to N less the items known from the start
    middles     (n_strata,), the middle rank of each stratum
    rank        (n,), ranks of the labelled items, 1 to N, distinct, in any order
    stratum     (n,), their strata; -1 for an item that was known from the start
    positive    (n,), 0 or 1
    """

    n_items: int
    sizes: IntArray
    middles: FloatArray
    rank: IntArray
    stratum: IntArray
    positive: FloatArray

    @classmethod
    def of(cls, stratum_at: IntArray, rank: IntArray, positive: FloatArray) -> RankedSample:
        """The labels of items in strata, given the stratum of each rank, (n_items,), -1 where its
        item was known from the start."""
        sampled = np.flatnonzero(stratum_at >= 0)
        sizes = np.bincount(stratum_at[sampled])
        middles = np.bincount(stratum_at[sampled], sampled + 1.0) / np.maximum(sizes, 1)
        return cls(len(stratum_at), sizes, middles, rank, stratum_at[rank - 1], positive)

    @classmethod
    def of_stretches(
        cls, last: IntArray, rank: IntArray, positive: FloatArray, edges: IntArray
    ) -> RankedSample:
        """The labels of items in strata that are stretches of ranks, cut into ``pieces``.

        last, edges   increasing ranks at which strata end, and at which they are cut, the last one
                      of each that of the last item
        """
        ends = np.union1d(last, edges)
        cell, stratum = np.searchsorted(ends, rank), np.searchsorted(last, ends)
        piece = _in_pieces(stratum, np.bincount(cell, minlength=len(ends)))
        size, first = np.diff(ends, prepend=0), np.append(0, ends[:-1]) + 1
        sizes = np.bincount(piece, size).astype(np.int64)
        middles = np.bincount(piece, size * (first + ends) / 2.0) / np.maximum(sizes, 1)
        return cls(int(ends[-1]), sizes, middles, rank, piece[cell], positive)

    def __post_init__(self) -> None:
        if len(self.rank) and not 1 <= self.rank.min() <= self.rank.max() <= self.n_items:
            wrong = self.rank.min() if self.rank.min() < 1 else self.rank.max()
            raise ValueError(f"rank must lie between 1 and {self.n_items:,}, got {int(wrong):,}")
        odd = np.flatnonzero((self.positive != 0) & (self.positive != 1))
        if len(odd):
            raise ValueError(
                f"positive must be 0 or 1, got {self.positive[odd[0]]} at rank "
                f"{int(self.rank[odd[0]]):,}"
            )
        over = np.flatnonzero(self.labelled > self.sizes)
        if len(over):
            raise ValueError(
                f"stratum {int(over[0])} has {int(self.sizes[over[0]]):,} items, got "
                f"{int(self.labelled[over[0]]):,} labelled ones"
            )

    @property
    def labelled(self) -> FloatArray:
        """n_h, (n_strata,)."""
        return self._summed(np.ones(len(self.rank)))

    @property
    def hits(self) -> FloatArray:
        """s_h, (n_strata,)."""
        return self._summed(self.positive)

    @property
    def open(self) -> BoolArray:
        """Strata with unlabelled items, (n_strata,)."""
        return np.asarray(self.labelled < self.sizes)

    @property
    def without_label(self) -> bool:
        """Whether some stratum has no label: nothing is known of its items then."""
        return bool(np.any((self.labelled == 0) & (self.sizes > 0)))

    def _summed(self, values: FloatArray) -> FloatArray:
        drawn = self.stratum >= 0
        return np.bincount(self.stratum[drawn], values[drawn], len(self.sizes)).astype(float)


def pieces(stratum_at: IntArray, rank: IntArray, edges: IntArray) -> IntArray:
    """Strata cut at ``edges`` into pieces of at least ``PIECE_LABELS`` labels, (n_items,).

    A long stratum knows nothing of how its labels lie along its ranks; cut into pieces it does.
    Where the cuts are depends on how many labels fell where, never on what they say: given these
    numbers the labels of a piece are a simple random sample of it.

    stratum_at   (n_items,), the stratum of each rank, -1 where its item was known from the start
    rank         (n,), ranks of the labelled items
    edges        increasing ranks, the last one n_items
    Returns      (n_items,), the piece of each rank, those of a stratum one after another; -1 stays

    >>> pieces(np.zeros(40, dtype=int), np.arange(1, 41, 2), np.array([10, 20, 40])).tolist() == (
    ...     [0] * 20 + [1] * 20)
    True
    """
    place = np.repeat(np.arange(1, len(edges) + 1), np.diff(edges, prepend=0))
    cell = np.where(stratum_at >= 0, stratum_at.astype(np.int64) * len(edges) + place, 0)
    there = np.flatnonzero(np.bincount(cell))
    labels = np.bincount(cell[rank - 1], minlength=there[-1] + 1)[there]
    piece = np.full(there[-1] + 1, -1)
    piece[there] = _in_pieces((there - 1) // len(edges), labels)
    return piece[cell]


def _in_pieces(stratum: IntArray, labels: IntArray) -> IntArray:
    """The piece of each cell, (n_cells,): the cells of a stratum one after another, joined until a
    piece has enough labels and leaves enough.

    stratum   of each cell, those of a stratum one after another; -1: its items were known
    labels    of each cell
    """
    piece, number = np.full(len(stratum), -1), -1
    last, waiting = -1, 0
    for k, cell_stratum in enumerate(stratum.tolist()):
        if cell_stratum < 0:
            continue
        rest = labels[k:][stratum[k:] == cell_stratum].sum()
        if cell_stratum != last or (waiting >= PIECE_LABELS and rest >= PIECE_LABELS):
            number, last, waiting = number + 1, cell_stratum, 0
        piece[k] = number
        waiting += int(labels[k])
    return piece


# weights of the hits, their ranks (increasing), N -> the figure
Figure = Callable[[FloatArray, FloatArray, int], float]
# the same -> its derivative by each of the weights
Gradient = Callable[[FloatArray, FloatArray, int], FloatArray]
# as Figure, with the hits among the items before each hit in place of their sums
Pairs = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, int], float]


@dataclass(frozen=True, slots=True)
class Summary:
    """One number of a ranked list.

    of, gradient   from hits that stand for several items each at their ranks; w_i = 1 for all of
                   them gives the number itself
    by_pairs       from weights, ranks, and unbiased numbers of hits and others before each hit
    """

    of: Figure
    gradient: Gradient
    by_pairs: Pairs


def _precision(weight: FloatArray, rank: FloatArray, n_items: int) -> float:
    """A hit adds the precision down to it, which is at most 1 wherever the weights crowd."""
    before = np.cumsum(weight) - weight / 2
    total = weight.sum()
    reached = np.minimum((0.5 + before) / rank, 1.0)
    return float((weight * reached).sum() / total) if total > 0 else np.nan


def _precision_gradient(weight: FloatArray, rank: FloatArray, n_items: int) -> FloatArray:
    before = np.cumsum(weight) - weight / 2
    total, reached = weight.sum(), (0.5 + before) / rank
    share = np.where(reached < 1, weight / rank, 0.0)
    reached = np.minimum(reached, 1.0)
    after = share.sum() - np.cumsum(share) + share / 2
    return np.asarray((reached + after - (weight * reached).sum() / total) / total)


def _precision_by_pairs(
    weight: FloatArray, rank: FloatArray, hits: FloatArray, others: FloatArray, n_items: int
) -> float:
    total = weight.sum()
    return float((weight * (1 + hits) / rank).sum() / total) if total > 0 else np.nan


def _pairs(hits: float, n_items: int) -> float:
    """Pairs of a hit and another item; NaN where there is none."""
    pairs = hits * (n_items - hits)
    return pairs if pairs > 1e-9 * n_items else np.nan


def _area(weight: FloatArray, rank: FloatArray, n_items: int) -> float:
    """Each hit is in the wrong order with the others before it, of which there are no fewer than
    none wherever the weights crowd."""
    before = np.cumsum(weight) - weight / 2
    others = np.maximum(rank - 0.5 - before, 0.0)
    return float(1 - (weight * others).sum() / _pairs(weight.sum(), n_items))


def _area_gradient(weight: FloatArray, rank: FloatArray, n_items: int) -> FloatArray:
    before = np.cumsum(weight) - weight / 2
    total = weight.sum()
    others, pairs = rank - 0.5 - before, _pairs(total, n_items)
    counted = np.where(others > 0, weight, 0.0)
    others = np.maximum(others, 0.0)
    after = counted.sum() - np.cumsum(counted) + counted / 2
    wrong = (weight * others).sum() / pairs
    return np.asarray((wrong * (n_items - 2 * total) + after - others) / pairs)


def _area_by_pairs(
    weight: FloatArray, rank: FloatArray, hits: FloatArray, others: FloatArray, n_items: int
) -> float:
    return float(1 - (weight * others).sum() / _pairs(weight.sum(), n_items))


AVERAGE_PRECISION = Summary(_precision, _precision_gradient, _precision_by_pairs)
AREA_UNDER_ROC = Summary(_area, _area_gradient, _area_by_pairs)


def estimate(sample: RankedSample, summary: Summary) -> float:
    """The number from weighted sums over the hits and over pairs of labelled items; NaN with no
    hit, for the area also with nothing but hits, and where a stratum has no label.

    A hit of stratum h counts N_h / n_h times, a pair within h N_h (N_h - 1) / (n_h (n_h - 1))
    times. Of hits and others before an item of rank r there are r - 1 together: what their sum is
    off goes to the two as the hits and others of the item's stratum go, which for any fixed shares
    leaves the sums unbiased.
    """
    if sample.without_label:
        return np.nan
    order = np.lexsort((sample.rank, sample.stratum))
    rank, stratum, hit = sample.rank[order], sample.stratum[order], sample.positive[order]
    weight, within = _pair_weights(sample, stratum)
    hits = _before(rank, stratum, weight, within, hit)
    others = _before(rank, stratum, weight, within, 1 - hit)
    missing = rank - 1 - hits - others
    rate = np.append(sample.hits / np.maximum(sample.labelled, 1), 0.5)[stratum]
    here = hit == 1
    number = summary.by_pairs(
        weight[here],
        rank[here].astype(float),
        (hits + rate * missing)[here],
        (others + (1 - rate) * missing)[here],
        sample.n_items,
    )
    return float(np.clip(number, 0.0, 1.0))


def _pair_weights(sample: RankedSample, stratum: IntArray) -> tuple[FloatArray, FloatArray]:
    """N_h / n_h of each item, and by what an item counts more or less in a pair with another one of
    its stratum, (n,) each; both 1 for an item known from the start."""
    n, size = np.maximum(sample.labelled, 1), sample.sizes.astype(float)
    factor = np.divide((size - 1) * n, size * (n - 1), out=np.ones(len(n)), where=n > 1)
    return np.append(size / n, 1.0)[stratum], np.append(factor, 1.0)[stratum]


def _before(
    rank: IntArray, stratum: IntArray, weight: FloatArray, within: FloatArray, counted: FloatArray
) -> FloatArray:
    """The weighted sum of ``counted`` over the items before each one, (n,), those of its own
    stratum times ``within``; the items sorted by stratum, then rank."""
    amount = weight * counted
    order = np.argsort(rank, kind="stable")
    everywhere = np.empty(len(rank))
    everywhere[order] = np.cumsum(amount[order]) - amount[order]
    inside = np.cumsum(amount) - amount
    inside -= inside[np.searchsorted(stratum, stratum, side="left")]
    return np.asarray(everywhere + inside * (within - 1))


def derivative(sample: RankedSample, summary: Summary, rank: IntArray) -> FloatArray:
    """By how much the number would change per further hit at each of ``rank``, (n,), as far as its
    sign goes; the sample must have a value."""
    weight, _ = _pair_weights(sample, sample.stratum)
    hit = sample.positive == 1
    ranks = np.append(sample.rank[hit], rank).astype(float)
    weights = np.append(weight[hit], np.zeros(len(rank)))
    order = np.argsort(ranks, kind="stable")
    slopes = np.empty(len(ranks))
    slopes[order] = summary.gradient(weights[order], ranks[order], sample.n_items)
    return slopes[len(ranks) - len(rank) :]


def summary_interval(
    sample: RankedSample,
    summary: Summary,
    confidence: float,
    *,
    widening: float = 1.0,
    centred: bool = False,
) -> tuple[float, float, float]:
    """Value, low and high of one number of a ranked list.

    The unlabelled items of stratum h, M_h = N_h - n_h of them, are a mixture p (p_i >= 0, sum 1) of
    its labelled ones, so item i stands for w_i = 1 + M_h p_i items. The interval runs from the
    least to the largest value over

        D(p) = sum_h (1 - n_h/N_h) 2 sum_{i in h} c_i ln(c_i / (C_h p_i)) <= q,

    c_i = 1 for a labelled item, C_h = sum c_i. Each open stratum also has one phantom in its middle
    rank, a hit where hits move the end outwards and no hit elsewhere, c = n_h / (4 sum of n over
    the open strata): together a quarter of a label, so that what no label has shown yet is inside
    the region. q is the squared quantile of Student's t with Satterthwaite's degrees of freedom of
    the linearised variance, at least 4, times ``widening``.

    The region lies around the number of the labelled items with each of them standing for N_h/n_h.
    Where nearly all items are hits that number is too small: the hits before an item that labelled
    ones stand for are by chance more or fewer than there is room for. With ``centred`` the end on
    the side of the value lies as much further out as the value is off that number.

    Promise      approximate: coverage was measured, see docs/ranked_summaries.md. A list of which
                 every item is labelled gives the number itself. NaN, 0 and 1 where there is no
                 value. The search for an end is local: with a handful of hits it may stay inside.
    Assumption   within each stratum the labelled items are a simple random sample without
                 replacement. Nothing about the order within a stratum.
    confidence   within (0, 1)
    centred      for samples that leave items at the head of the list without a label
    widening     at least 1; what a boundary for watched looks multiplies the squared quantile by
    Returns      value, low, high, all in [0, 1], the value inside
    Source       Owen (1990) for the empirical likelihood; Zhong and Rao (2000) for strata and the
                 finite-population factor; Satterthwaite (1946). The phantoms are our own.

    >>> rank, hit = np.array([1, 2, 4]), np.array([1.0, 0, 1])
    >>> labels = RankedSample(4, np.array([4]), np.array([2.5]), rank, rank * 0, hit)
    >>> [round(part, 2) for part in summary_interval(labels, AVERAGE_PRECISION, 0.95)]
    [0.81, 0.75, 0.92]
    """
    value = estimate(sample, summary)
    if np.isnan(value):
        return UNKNOWN
    if not sample.open.any():
        return value, value, value
    quantile = float(stdtrit(_freedom(sample, summary), (1 + confidence) / 2))
    ends = [_Region(sample, summary, side).extreme(widening * quantile**2) for side in (-1.0, 1.0)]
    if centred:
        off = float(np.nan_to_num(value - _as_counted(sample, summary)))
        ends = [ends[0] + min(off, 0.0), ends[1] + max(off, 0.0)]
    return value, max(min(ends[0], value), 0.0), min(max(ends[1], value), 1.0)


def _as_counted(sample: RankedSample, summary: Summary) -> float:
    """The number of the labelled hits with each of them standing for N_h / n_h hits at its rank."""
    order = np.argsort(sample.rank, kind="stable")
    hits = order[sample.positive[order] == 1]
    weight = np.append(sample.sizes / np.maximum(sample.labelled, 1), 1.0)[sample.stratum[hits]]
    return summary.of(weight, sample.rank[hits].astype(float), sample.n_items)


def covered_share(sample: RankedSample, summary: Summary) -> float:
    """The share of the items labelled that the number rests on: 1 - V/U, V and U its linearised
    variance with and without the finite-population factor. In one stratum it is n / N."""
    parts = _variance_parts(sample, summary)[sample.open]
    left = (1 - sample.labelled / np.maximum(sample.sizes, 1))[sample.open]
    without = float((parts / left).sum())
    return 1 - float(parts.sum()) / without if without > 0 else 1.0


def _freedom(sample: RankedSample, summary: Summary) -> float:
    """Satterthwaite's degrees of freedom of the linearised variance, at least 4."""
    parts = _variance_parts(sample, summary)
    noise = float((parts**2 / np.maximum(sample.labelled - 1, 1)).sum())
    return max(LEAST_FREEDOM, float(parts.sum()) ** 2 / noise) if noise > 0 else LEAST_FREEDOM


def _variance_parts(sample: RankedSample, summary: Summary) -> FloatArray:
    """Each stratum's part of the linearised variance, (n_strata,), with shares of hits that are
    neither 0 nor 1."""
    n, size = np.maximum(sample.labelled, 1), sample.sizes.astype(float)
    smooth = (sample.hits + 0.5) / (n + 1)
    slope = _mean_gradient(sample, summary, size * smooth / n)
    return np.asarray(slope**2 * size * smooth * (1 - smooth) / n * (size - sample.labelled))


def _mean_gradient(sample: RankedSample, summary: Summary, weight: FloatArray) -> FloatArray:
    """The mean derivative by the hits of each stratum, were each of its labelled items ``weight``
    (n_strata,) hits where items are left, (n_strata,)."""
    order = np.argsort(sample.rank, kind="stable")
    rank, stratum = sample.rank[order].astype(float), sample.stratum[order]
    known = sample.positive[order]
    in_strata = stratum >= 0
    sampled = in_strata & sample.open[stratum]
    slope = summary.gradient(np.where(sampled, weight[stratum], known), rank, sample.n_items)
    total = np.bincount(stratum[in_strata], slope[in_strata], minlength=len(weight))
    return np.asarray(total / np.maximum(sample.labelled, 1))


class _Region:
    """The region of mixtures for one end: rows are the labelled hits and the phantoms that are
    hits, by rank; all other items of an open stratum are one row at its end, of slope 0."""

    def __init__(self, sample: RankedSample, summary: Summary, side: float) -> None:
        self.summary, self.side, self.n_items = summary, side, sample.n_items
        n, size = sample.labelled, sample.sizes.astype(float)
        self.opened = np.flatnonzero(sample.open)
        place = np.full(len(n) + 1, -1)
        place[self.opened] = np.arange(len(self.opened))
        self.size, self.free = size[self.opened], (size - n)[self.opened]
        hit = sample.positive == 1
        middles = sample.middles[self.opened]
        rank = np.concatenate([sample.rank[hit].astype(float), middles])
        order = np.argsort(rank, kind="stable")
        self.rank = rank[order]
        count = int(hit.sum())
        self.of = np.append(place[sample.stratum[hit]], np.arange(len(self.opened)))[order]
        self.certain = (np.arange(len(rank)) < count)[order].astype(float)
        phantom = (n * PHANTOM_LABELS)[self.opened] / n[self.opened].sum()
        start = self.certain + np.where(
            (self.of >= 0) & (self.certain == 1), (self.free / n[self.opened])[self.of], 0.0
        )
        slope = side * summary.gradient(start, self.rank, self.n_items)
        raises = (self.certain == 0) & (slope > 0)
        self.count = np.where(raises, phantom[self.of], self.certain)
        self.count[self.of < 0] = 0.0
        kept = (self.count > 0) | (self.certain == 1)
        self.rank, self.of, self.certain, self.count = (
            part[kept] for part in (self.rank, self.of, self.certain, self.count)
        )
        self.start = start[kept]
        self.rest = n[self.opened] + phantom - self._sum(self.count)
        self.total = n[self.opened] + phantom
        self.moving = self.of >= 0

    def _sum(self, values: FloatArray) -> FloatArray:
        inside = self.of >= 0
        return np.bincount(self.of[inside], values[inside], minlength=len(self.opened)).astype(
            float
        )

    def extreme(self, critical: float) -> float:
        """The end of the interval: the slope is moved towards the derivative at the best point
        reached as long as that reaches further; every point lies in the region."""
        best, slope = self.start, self._slope(self.start)
        furthest, log_scale, step = -np.inf, None, 1.0
        trial = slope
        for _ in range(ROUNDS):
            steepest = float(np.abs(trial).max(initial=0.0))
            if not steepest > 0:
                break
            weight, log_scale = self._reached(trial / steepest, critical, log_scale)
            reach = self.side * self.summary.of(weight, self.rank, self.n_items)
            gain = reach - furthest
            if gain > 0:
                best, slope, furthest = weight, trial, reach
            else:
                step /= 2
            if 0 <= gain < ENOUGH:
                break
            trial = slope + step * (self._slope(best) - slope)
        if furthest == -np.inf:
            return self.summary.of(self.start, self.rank, self.n_items)
        return self.side * furthest

    def _slope(self, weight: FloatArray) -> FloatArray:
        slope = self.side * self.summary.gradient(weight, self.rank, self.n_items)
        return np.where(self.moving, slope, 0.0)

    def _reached(
        self, slope: FloatArray, critical: float, log_scale: float | None
    ) -> tuple[FloatArray, float]:
        """The weights that move the figure most along ``slope`` with D = critical (or with all that
        can move, where D never gets there), and the logarithm of the scale there, found by a
        bracketed secant on ln D against it."""
        point = self._first_scale(slope, critical) if log_scale is None else log_scale
        left, right, rate = -np.inf, np.inf, -2.0
        last: tuple[float, float] | None = None
        for step in range(SEARCH_STEPS):
            share, statistic = self._mixture(slope, point)
            excess = np.log(max(statistic, 1e-300) / critical)
            if abs(excess) < SEARCH_PRECISION or (point == LEAST_LOG_SCALE and excess < 0):
                break
            left, right = (point, right) if excess > 0 else (left, point)
            if last is not None and point != last[0]:
                secant = (excess - last[1]) / (point - last[0])
                rate = secant if -20 < secant < -0.05 else rate
            last = point, excess
            guess = point - excess / rate
            bounded = np.isfinite(left) and np.isfinite(right)
            if bounded and (not left < guess < right or step % 8 == 7):
                guess = (left + right) / 2
            point = max(float(np.clip(guess, point - 5, point + 5)), LEAST_LOG_SCALE)
        weight = self.certain.copy()
        weight[self.moving] += (self.free[self.of] * share)[self.moving]
        return weight, point

    def _first_scale(self, slope: FloatArray, critical: float) -> float:
        """Where D would reach the critical value, were it quadratic."""
        mean = self._sum(self.count * slope) / self.total
        spread = self._sum(self.count * slope**2) / self.total - mean**2
        noise = (1 - (self.size - self.free) / self.size) * spread * self.size**2 / self.total
        return float(np.log(max(noise.sum(), 1e-300) / critical) / 2)

    def _mixture(self, slope: FloatArray, log_scale: float) -> tuple[FloatArray, float]:
        """p_i = c_i k_h / (v_h + d_i) with k_h = scale / N_h, d_i what the slope of i is below the
        steepest one of its stratum, and v_h such that they add up to 1, by Newton's method for one
        over the sum, which is concave, from the left; and D there."""
        k, of, others = np.exp(log_scale) / self.size, self.of, self.rest > 0
        top = np.where(others, 0.0, -np.inf)
        np.maximum.at(top, of[self.moving], slope[self.moving])
        below = np.where(self.moving, top[of] - slope, 1.0)
        rest_below = np.where(others, top, 1.0)
        v = np.where(others & (top == 0), self.rest * k, 0.0)
        reach = np.where(below == 0, self.count * k[of], 0.0)
        np.maximum.at(v, of[self.moving], reach[self.moving])
        for _ in range(NEWTON_STEPS):
            gap, rest_gap = np.where(self.moving, v[of] + below, 1.0), v + rest_below
            share, rest = self.count * k[of] / gap, self.rest * k / rest_gap
            total = self._sum(share) + rest
            if np.all(np.abs(total - 1) < NEWTON_PRECISION):
                break
            v = v + total * (total - 1) / (self._sum(share / gap) + rest / rest_gap)
        likely = self._sum(self.count * np.log(self.total[of] * k[of] / gap))
        likely += self.rest * np.log(self.total * k / rest_gap)
        return share, float(-2 * (self.free / self.size * likely).sum())
