"""The band around a precision curve: hits among the first r items, for all r at once.

A cut at rank r takes a part of each stratum, and given how many labelled items lie in a part, they
are a simple random sample of it. So the hits among the first r items are a sum over these parts at
any rank, whether the strata follow the ranks (``yield_band``) or overlap along the list
(``strata_band``). The parts of many ranks are analysed, the edges, and one critical value holds for
all of them together. Between the edges nothing needs to be interpolated: a yield never falls, never
grows by more than one an item, and labelled items are known, so the bounds at the edges bound all
ranks between them. These bounds zigzag (``Known.between``); with an assumption about the order
within a piece they go nearly straight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit

from labelcore.stats.arrays import BoolArray, FloatArray, IntArray
from labelcore.stats.profile import Cells, Ratios, profile_bounds
from labelcore.stats.profile_interval import FEW_LEFT

GAUSSIAN_DRAWS, ROUNDING = 20_000, 1e-9
AT_ONCE = 500
"""Draws that are summed up together: what they hold stays in the cache of a processor."""
BRIDGE = 2.0
FIRST_ANCHOR, GROWTH = 20, 1.05


@dataclass(frozen=True, eq=False, slots=True)
class RankLabels:
    """The labelled items in any order: rank (n,), 1-based and distinct; positive (n,), 0 or 1."""

    rank: IntArray
    positive: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class YieldBand:
    """Bounds of the hits among the first r items, at edges and so at all ranks; they hold for all
    of them at once.

    low_at_edges, high_at_edges   (n_edges,)
    straight   whether the unlabelled items between two edges are taken for in no particular order
    """

    known: Known
    low_at_edges: FloatArray
    high_at_edges: FloatArray
    straight: bool

    def at(self, ranks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Low and high at ``ranks`` from 1 to N, (n,) each."""
        between = self.known.nearly_straight if self.straight else self.known.between
        return between(ranks, self.low_at_edges, self.high_at_edges)


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """What the labels say for certain.

    edges        (n_strata,)
    rank         (n,), sorted ranks of the labelled items
    cumulative   (n + 1,), hits among the first labelled items
    hits, free   (n_strata + 1,), labelled hits and unlabelled items up to each edge, first 0
    """

    edges: IntArray
    rank: IntArray
    cumulative: FloatArray
    hits: FloatArray
    free: FloatArray

    @classmethod
    def of(cls, edges: IntArray, labels: RankLabels) -> Known:
        order = np.argsort(labels.rank, kind="stable")
        rank, positive = labels.rank[order], labels.positive[order]
        _check(int(edges[-1]), rank, positive)
        cumulative = np.append(0.0, np.cumsum(positive))
        counts = np.searchsorted(rank, edges, side="right")
        hits = np.append(0.0, cumulative[counts])
        return cls(edges, rank, cumulative, hits, np.append(0.0, edges - counts))

    @property
    def sizes(self) -> FloatArray:
        return np.diff(self.edges, prepend=0).astype(float)

    @property
    def labelled(self) -> FloatArray:
        """n_k, (n_strata,)."""
        return self.sizes - np.diff(self.free)

    @property
    def positive(self) -> FloatArray:
        """s_k, (n_strata,)."""
        return np.diff(self.hits)

    def until(self, ranks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Labelled hits and unlabelled items among the first r, (n,) each."""
        counts = np.searchsorted(self.rank, ranks, side="right")
        return self.cumulative[counts], (ranks - counts).astype(float)

    def between(
        self, ranks: IntArray, low_at_edges: FloatArray, high_at_edges: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """What bounds of the yield at the edges, (n_strata,) each, say at ``ranks``, (n,) each:

        Y(r) >= max(low_{k-1} + hits seen since, low_k - hits after r - unlabelled after r) and
        Y(r) <= min(high_{k-1} + hits seen + unlabelled so far, high_k - hits after r).
        """
        place = np.searchsorted(self.edges, ranks, side="left")
        hits, free = self.until(ranks)
        seen = hits - self.hits[place]
        after = self.hits[place + 1] - hits
        free_before = free - self.free[place]
        free_after = self.free[place + 1] - free
        low, high = np.append(0.0, low_at_edges), np.append(0.0, high_at_edges)
        least = np.maximum(low[place] + seen, low[place + 1] - after - free_after)
        most = np.minimum(high[place] + seen + free_before, high[place + 1] - after)
        return least, most

    def nearly_straight(
        self, ranks: IntArray, low_at_edges: FloatArray, high_at_edges: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """``between``, narrower where the unlabelled items of a piece are in no particular order.

        x of the M unlabelled items of a piece come before r. In a random order their hits lie on
        the straight line from edge to edge but for noise, of which ``BRIDGE`` standard deviations
        sqrt(M x (1 - x) p (1 - p)) are added, p = (s + .5) / (n + 1). Where p falls by d from the
        piece before to the one after, the hits may come first: the upper end is M x (1 - x) d
        higher, as if the fall came all at once at r. Where it rises, the lower end is lower by it.
        Up to the edge at which ``FEW_LEFT`` items are not labelled, lines go to whole items.

        Assumption   within a piece the rate changes no more than from the piece before to the one
                     after, but for what the bounds at the edges leave over.
        Source       the covariance of sampling without replacement; the rest is our own, measured
                     in docs/watched_curves.md.
        """
        place = np.searchsorted(self.edges, ranks, side="left")
        hits, free = self.until(ranks)
        items, positives = np.diff(self.free)[place], self.positive[place]
        share = np.divide(free - self.free[place], items, out=np.zeros(len(ranks)), where=items > 0)
        rate = (self.positive + 0.5) / (self.labelled + 1)
        beside = np.concatenate([rate[:1], rate, rate[-1:]])
        fall = (beside[:-2] - beside[2:])[place]
        curved = items * share * (1 - share)
        noise = BRIDGE * np.sqrt(curved * (rate * (1 - rate))[place])
        seen = hits - self.hits[place]

        def line(at_edges: FloatArray) -> FloatArray:
            ends = np.append(0.0, at_edges)
            return np.asarray(ends[place] + seen + share * (np.diff(ends)[place] - positives))

        least, most = self.between(ranks, low_at_edges, high_at_edges)
        low = line(low_at_edges) - noise - curved * np.maximum(-fall, 0.0)
        high = line(high_at_edges) + noise + curved * np.maximum(fall, 0.0)
        few = self.free[place + 1] <= FEW_LEFT
        low = np.where(few, np.floor(low + ROUNDING), low)
        high = np.where(few, np.ceil(high - ROUNDING), high)
        return np.maximum(least, low), np.minimum(most, high)

    def consistent(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What bounds at the edges, (n_strata,) each, say about each other: from one edge to the
        next a yield grows by at least the hits seen and at most those and the unlabelled items.

        A curve inside the bounds at all edges is inside these too, so this costs no coverage. It
        assumes nothing about the precision.
        """
        seen, most = self.hits[1:], self.hits[1:] + self.free[1:]
        low = seen + np.maximum.accumulate(low - seen)
        low = most + np.maximum.accumulate((low - most)[::-1])[::-1]
        high = most + np.minimum.accumulate(high - most)
        high = seen + np.minimum.accumulate((high - seen)[::-1])[::-1]
        return low, high

    def in_whole_items(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds at the edges, (n_strata,) each, outwards to whole items where at most ``FEW_LEFT``
        items up to an edge are not labelled."""
        few = self.free[1:] <= FEW_LEFT
        low = np.where(few, np.floor(low + ROUNDING), low)
        return low, np.where(few, np.ceil(high - ROUNDING), high)

    def yields(self) -> FloatArray:
        """sum_{j<=k} N_j s_j / n_j, (n_strata,); NaN from the first stratum without a label on."""
        total = self.sizes * self.positive
        return np.cumsum(
            np.divide(
                total, self.labelled, out=np.full(len(total), np.nan), where=self.labelled > 0
            )
        )

    def estimate(self, ranks: IntArray, at_edges: FloatArray) -> FloatArray:
        """The estimate at the edge before, the hits seen since, and the rate for the others."""
        place = np.searchsorted(self.edges, ranks, side="left")
        hits, free = self.until(ranks)
        n = self.labelled
        rate = np.divide(self.positive, n, out=np.full(len(n), np.nan), where=n > 0)
        others = (free - self.free[place]) * rate[place]
        return np.asarray(np.append(0.0, at_edges)[place] + hits - self.hits[place] + others)


def _check(n_items: int, rank: IntArray, positive: FloatArray) -> None:
    if len(rank) and not 1 <= rank[0] <= rank[-1] <= n_items:
        wrong = rank[0] if rank[0] < 1 else rank[-1]
        raise ValueError(f"rank must lie between 1 and {n_items:,}, got {int(wrong):,}")
    twice = np.flatnonzero(np.diff(rank) == 0)
    if len(twice):
        raise ValueError(f"rank must be distinct, got {int(rank[twice[0]]):,} twice")
    odd = np.flatnonzero((positive != 0) & (positive != 1))
    if len(odd):
        raise ValueError(
            f"positive must be 0 or 1, got {positive[odd[0]]} at rank {int(rank[odd[0]]):,}"
        )


def yield_estimate(edges: IntArray, labels: RankLabels, ranks: IntArray) -> FloatArray:
    """The estimated hits among the first r items, (n,), without bounds; NaN from the first stratum
    on that has no label."""
    known = Known.of(edges, labels)
    return known.estimate(ranks, known.yields())


def yield_band(
    edges: IntArray,
    labels: RankLabels,
    level: float,
    seed: int,
    critical: float | None = None,
    *,
    whole_items: bool = False,
) -> YieldBand:
    """The simultaneous band of the yield curve.

    At edge k the G-profile region (``labelcore.stats.profile``) of sum_{j<=k} K_j, its critical
    value the squared quantile of Student's t at the tail of c. c is the ``level`` quantile of the
    largest standardised deviation over the edges, found by seeded Gaussian draws; the deviations
    have sd_k^2 = sum_{j<=k} N_j^2 v_j, v_j = s~ (1 - s~) / n_j (1 - n_j / N_j),
    s~ = (s_j + 1) / (n_j + 2). From the first stratum without a label on nothing but the known
    labels bounds the yield.

    Promise      simultaneous over all ranks at ``level``, approximate (the critical value); a fully
                 labelled list gives the truth.
    Assumption   within each stratum the labelled items are a simple random sample without
                 replacement, of a size fixed before the first label.
    edges        (n_strata,), last ranks of the strata
    level        1 - alpha
    seed         at least 0
    critical     standard deviations that the band reaches at a look, as ``watched_critical`` has
                 them; None: the c of ``level``
    whole_items  whether bounds go outwards to whole items where at most ``FEW_LEFT`` items up to an
                 edge are not labelled: there the region, which takes numbers of items for
                 continuous, covers too little
    Raises       ValueError for a rank outside 1..N or given twice, a verdict other than 0 and 1.
    Source:      Hothorn, Bretz and Westfall (2008) for the quantile of the largest deviation,
                 Satterthwaite (1946) for the degrees of freedom, Wilks (1938) for the region.
                 Departure from estimate +- c sd_k: that misses too often right after the last fully
                 labelled stratum, where few unlabelled items decide; the region is about as wide.
    """
    known = Known.of(edges, labels)
    at_edges = (known.edges.tolist(), known.hits.tolist(), known.free.tolist())
    low, high = _bounds_at_edges(*map(tuple, at_edges), level, seed, critical)
    if whole_items:
        low, high = known.in_whole_items(low, high)
    return YieldBand(known, low, high, straight=True)


@lru_cache(maxsize=64)
def _bounds_at_edges(
    edges: tuple[int, ...],
    hits: tuple[float, ...],
    free: tuple[float, ...],
    level: float,
    seed: int,
    critical: float | None,
) -> tuple[FloatArray, FloatArray]:
    """(n_strata,) each, from what is ``Known`` at the edges; kept, because they are asked for at
    other ranks of the same labels, and a watched band stays for some labels."""
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    known = Known(np.array(edges), *nothing, np.array(hits), np.array(free))
    parts = Parts.nested(known)
    if critical is None and len(parts.size):
        steps = spread_of(parts.size[0], parts.labelled[0], parts.positive[0])
        critical = critical_value(tuple(steps), level, seed)
    return band_at(known, parts, level, seed, critical)


def band_at(
    known: Known, parts: Parts, level: float, seed: int, critical: float | None
) -> tuple[FloatArray, FloatArray]:
    """The fewest and the most hits up to each edge, (n_edges,) each, for all of them together:
    from ``parts`` up to the edges of which all have labels, elsewhere what is ``known`` alone."""
    critical = reach_of(parts, level, seed) if critical is None else critical
    low, high = known.hits[1:].copy(), known.hits[1:] + known.free[1:]
    unsure = np.flatnonzero(parts.variances.sum(axis=1) > 0)
    least, most = bounds_of(parts, unsure, critical)
    low[unsure] = np.maximum(low[unsure], least)
    high[unsure] = np.minimum(high[unsure], most)
    return known.consistent(low, high)


def student(variance: FloatArray, noise: FloatArray, critical: float) -> FloatArray:
    """Student's t with the tail of the normal ``critical``, at Satterthwaite's degrees of freedom,
    at least 4, of sums with these variances, (n,).

    noise   (n,), of each sum the squared variances of its parts over their degrees of freedom
    """
    freedom = np.divide(variance**2, noise, out=np.full(len(noise), 4.0), where=noise > 0)
    if (level := ndtr(critical)) >= 1:  # Versions of SciPy differ in what they say of that.
        return np.full(len(noise), np.inf)
    return np.asarray(stdtrit(np.maximum(freedom, 4.0), level))


def spread_of(sizes: FloatArray, labelled: FloatArray, positive: FloatArray) -> FloatArray:
    """N_j sqrt(v_j), (n_strata,); 0 in a fully labelled stratum."""
    n = np.maximum(labelled, 1.0)
    smooth = (positive + 1) / (n + 2)
    return np.asarray(sizes * np.sqrt(smooth * (1 - smooth) / n * (1 - n / sizes)))


@lru_cache(maxsize=256)
def critical_value(spread: tuple[float, ...], level: float, seed: int) -> float:
    """The ``level`` quantile of max_k |sum_{j<=k} spread_j Z_j| / sqrt(sum_{j<=k} spread_j^2) over
    independent standard normal Z_j, from seeded draws; edges without spread are left out.
    """
    weights = np.array([part for part in spread if part > 0])
    if not len(weights):
        return 0.0
    draws = np.random.default_rng(seed).standard_normal((GAUSSIAN_DRAWS, len(weights)))
    scale = np.sqrt(np.cumsum(weights**2))
    largest = np.empty(GAUSSIAN_DRAWS)
    for first in range(0, GAUSSIAN_DRAWS, AT_ONCE):
        part = draws[first : first + AT_ONCE]
        part *= weights
        sums = np.cumsum(part, axis=1, out=part)
        sums /= scale
        largest[first : first + AT_ONCE] = np.abs(sums, out=sums).max(axis=1)
    return float(np.quantile(largest, level, method="higher"))


def expected_half_widths(
    edges: IntArray,
    counts: IntArray | FloatArray,
    rates: FloatArray,
    level: float,
    seed: int,
    critical: float | None = None,
) -> FloatArray:
    """Half the width of the band of the precision at each edge, (n_strata,), if ``counts`` labels
    per stratum came with the shares ``rates`` of hits; level, seed and critical as ``yield_band``
    has them."""
    sizes = np.diff(edges, prepend=0).astype(float)
    spread = spread_of(sizes, counts.astype(float), counts * rates)
    if critical is None:
        critical = critical_value(tuple(spread), level, seed)
    reach = critical * np.sqrt(np.cumsum(spread**2))
    return np.asarray(reach / edges)


# --- strata that need not follow the ranks --------------------------------------------------------


def anchor_ranks(stratum_at: IntArray) -> IntArray:
    """The ranks at which a band is computed, (n_anchors,), increasing, the last one N: where a
    stratum ends, and in constant ratio.

    stratum_at   (n_items,), the stratum of each rank; -1 where its item was known from the start

    >>> anchor_ranks(np.repeat([0, 1], [12, 13])).tolist()
    [12, 20, 21, 22, 23, 24, 25]
    """
    n_items = len(stratum_at)
    last = np.zeros(int(stratum_at.max()) + 2, dtype=np.int64)
    np.maximum.at(last, stratum_at, np.arange(1, n_items + 1))
    ends = last[:-1][last[:-1] > 0]
    first = min(FIRST_ANCHOR, n_items)
    steps = int(np.ceil(np.log(n_items / first) / np.log(GROWTH))) + 1
    growing = np.rint(np.geomspace(first, n_items, steps)).astype(np.int64)
    return np.unique(np.concatenate([ends, growing, [n_items]]))


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """The parts of the strata among the first r items at each anchor, (n_anchors, n_strata) each;
    items that were known from the start are a last stratum.

    size, labelled, positive   items, labelled ones and hits of these
    within   which of them lie among the first r; the others are whole strata behind
    """

    size: FloatArray
    labelled: FloatArray
    positive: FloatArray
    within: BoolArray

    @classmethod
    def of(cls, stratum_at: IntArray, anchors: IntArray, labels: RankLabels) -> Parts:
        strata = int(stratum_at.max()) + 2
        stratum = np.where(stratum_at < 0, strata - 1, stratum_at)
        place = np.searchsorted(anchors, np.arange(1, len(stratum) + 1)) * strata + stratum

        def summed(places: IntArray, weights: FloatArray | None = None) -> FloatArray:
            counts = np.bincount(places, weights, minlength=len(anchors) * strata)
            return counts.reshape(len(anchors), strata).cumsum(axis=0).astype(float)

        cells = place[labels.rank - 1]
        size = summed(place)
        return cls(size, summed(cells), summed(cells, labels.positive), size > 0)

    @classmethod
    def nested(cls, known: Known) -> Parts:
        """Of strata that are the pieces between the edges, up to the first without a label."""
        seen = int(np.isfinite(known.yields()).sum())
        counts = known.sizes, known.labelled, known.positive
        size, labelled, positive = (np.tile(count[:seen], (seen, 1)) for count in counts)
        return cls(size, labelled, positive, np.tri(seen, dtype=bool))

    @property
    def variances(self) -> FloatArray:
        """Of the estimated hits of each part, (n_anchors, n_strata)."""
        spread = spread_of(np.maximum(self.size, 1.0), self.labelled, self.positive)
        return np.where(self.within, spread**2, 0.0)


def strata_band(
    stratum_at: IntArray,
    anchors: IntArray,
    labels: RankLabels,
    level: float,
    seed: int,
    critical: float | None = None,
) -> YieldBand:
    """The simultaneous band of the yield curve from labels of strata.

    At an anchor the G-profile region (``labelcore.stats.profile``) of the sum of the strata's parts
    up to it, its critical value the squared quantile of Student's t at the tail of c. c is the
    ``level`` quantile of the largest standardised deviation over the anchors, found by seeded
    Gaussian draws of a sum with independent steps and the variances of the estimates, which never
    fall from one anchor to the next. Bounds are in whole items where few are left.

    Promise      simultaneous over all ranks at ``level``, approximate: docs/default_curves.md says
                 how often it holds. A list of which every item is labelled gives the truth.
    Assumption   within each stratum the labelled items are a simple random sample without
                 replacement. Nothing about the order of the items.
    stratum_at   (n_items,), the stratum of each rank; -1 where its item was known from the start
    anchors      as ``anchor_ranks`` gives them, or other increasing ranks that end at N
    level        1 - alpha
    seed         at least 0
    critical     standard deviations that the band reaches at a look, as ``watched_critical`` has
                 them; None: the c of ``level``
    Raises       ValueError for a rank outside 1..N or given twice, a verdict other than 0 and 1.
    Source:      Hothorn, Bretz and Westfall (2008) for the quantile of the largest deviation,
                 Satterthwaite (1946) for the degrees of freedom, Wilks (1938) for the region.
    """
    known = Known.of(anchors, labels)
    low, high = band_at(known, Parts.of(stratum_at, anchors, labels), level, seed, critical)
    return YieldBand(known, *known.in_whole_items(low, high), straight=False)


def reach_of(parts: Parts, level: float, seed: int) -> float:
    """The standard deviations that a band reaches which is looked at once."""
    variance = np.maximum.accumulate(parts.variances.sum(axis=1))
    return critical_value(tuple(np.sqrt(np.diff(variance, prepend=0.0))), level, seed)


def bounds_of(parts: Parts, places: IntArray, critical: float) -> tuple[FloatArray, FloatArray]:
    """The fewest and the most hits up to the anchors at ``places`` by a band that reaches
    ``critical`` standard deviations, (n_places,) each, whatever is known of other anchors."""
    if not len(places):
        return np.zeros(0), np.zeros(0)
    size, labelled, positive = parts.size[places], parts.labelled[places], parts.positive[places]
    within = parts.within[places]
    variances = parts.variances[places]
    noise = (variances**2 / np.maximum(labelled - 1, 1)).sum(axis=1)
    limit = student(variances.sum(axis=1), noise, critical) ** 2
    items = (size * within).sum(axis=1)
    slope = within[:, None, :].astype(float)
    nothing = np.zeros((len(places), 1))
    shares = Ratios(nothing, slope, items[:, None], np.zeros_like(slope))
    cells = Cells(size, labelled, positive, np.ones(size.shape, dtype=bool))
    least, most = profile_bounds(cells, shares, limit[:, None])
    return least[:, 0] * items, most[:, 0] * items


def strata_estimate(
    piece_at: IntArray, labels: RankLabels, rates: FloatArray, ranks: IntArray
) -> FloatArray:
    """The estimated hits among the first r items, (n,): those seen, and of the other items of each
    piece of a stratum its labelled share.

    piece_at   (n_items,), the piece of each rank; -1 where its item was known from the start
    rates      (n_pieces,), the expected share of hits of a piece without a label
    """
    pieces = len(rates)
    piece = piece_at[labels.rank - 1]
    sampled = piece >= 0
    count = np.bincount(piece[sampled], minlength=pieces)
    hits = np.bincount(piece[sampled], labels.positive[sampled], minlength=pieces)
    share = np.divide(hits, count, out=rates.astype(float), where=count > 0)
    each = np.append(share, 0.0)[piece_at]
    each[labels.rank - 1] = labels.positive
    return np.asarray(np.cumsum(each)[ranks - 1])
