"""The honest band around a precision curve: hits among the first r items, for all r at once.

Within each stratum of ranks the labelled items are a simple random sample. The sums of the strata
estimate the yield at the edges; one critical value holds for all edges together. Between the edges
nothing needs to be interpolated: a yield never falls, never grows by more than one an item, and
labelled items are known, so the bounds at the edges bound all ranks between them. These bounds
zigzag (``Known.between``); with an assumption about the order within a piece they go nearly
straight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from labelcore.stats.profile import Cells, Ratios, profile_bounds
from labelcore.stats.profile_interval import FEW_LEFT

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

GAUSSIAN_DRAWS, ROUNDING = 20_000, 1e-9
AT_ONCE = 500
"""Draws that are summed up together: what they hold stays in the cache of a processor."""
BRIDGE = 2.0


@dataclass(frozen=True, eq=False, slots=True)
class RankLabels:
    """The labelled items in any order: rank (n,), 1-based and distinct; positive (n,), 0 or 1."""

    rank: IntArray
    positive: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class YieldBand:
    """Hits among the first r items. With probability ``level`` the true counts lie in [low, high]
    for all ranks at once.

    edges               (n_strata,), last ranks of the strata
    estimate_at_edges   (n_strata,), NaN from the first stratum on that has no label
    low_at_edges, high_at_edges   (n_strata,); 0 and the rank where ``level`` is None
    level               1 - alpha of this look; None: no bounds
    """

    n_items: int
    edges: IntArray
    estimate_at_edges: FloatArray
    low_at_edges: FloatArray
    high_at_edges: FloatArray
    level: float | None
    known: Known

    def at(self, ranks: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Estimate, low and high of the yield at ``ranks``, (n,) each; ranks from 1 to N."""
        estimate = self.known.estimate(ranks, self.estimate_at_edges)
        if self.level is None:
            return estimate, np.zeros(len(ranks)), ranks.astype(float)
        ends = self.low_at_edges, self.high_at_edges
        return estimate, *self.known.nearly_straight(ranks, *ends)


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
        items, found = np.diff(self.free)[place], self.positive[place]
        share = np.divide(free - self.free[place], items, out=np.zeros(len(ranks)), where=items > 0)
        rate = (self.positive + 0.5) / (self.labelled + 1)
        beside = np.concatenate([rate[:1], rate, rate[-1:]])
        fall = (beside[:-2] - beside[2:])[place]
        curved = items * share * (1 - share)
        noise = BRIDGE * np.sqrt(curved * (rate * (1 - rate))[place])
        seen = hits - self.hits[place]

        def line(at_edges: FloatArray) -> FloatArray:
            ends = np.append(0.0, at_edges)
            return np.asarray(ends[place] + seen + share * (np.diff(ends)[place] - found))

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
    level: float | None,
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
    level        1 - alpha; None: no bounds
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
    if level is not None and not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    known = Known.of(edges, labels)
    estimate = known.yields()
    low, high = np.zeros(len(edges)), edges.astype(float)
    if level is not None:
        at_edges = (known.edges.tolist(), known.hits.tolist(), known.free.tolist())
        low, high = _bounds_at_edges(*map(tuple, at_edges), level, seed, critical)
        if whole_items:
            low, high = known.in_whole_items(low, high)
    return YieldBand(int(edges[-1]), edges, estimate, low, high, level, known)


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
    estimate = known.yields()
    low, high = known.hits[1:].copy(), known.hits[1:] + known.free[1:]
    seen = int(np.isfinite(estimate).sum())
    sizes, n, positive = known.sizes[:seen], known.labelled[:seen], known.positive[:seen]
    spread = spread_of(sizes, n, positive)
    open_edges = np.flatnonzero(np.cumsum(spread) > 0)
    if len(open_edges):
        if critical is None:
            critical = critical_value(tuple(spread), level, seed)
        squared = _student(spread, n, critical)[open_edges] ** 2
        cells = Cells(sizes, n, positive, np.ones(seen, dtype=bool))
        below = np.arange(seen) <= open_edges[:, None]
        ends = known.edges[open_edges].astype(float)
        shares = Ratios(np.zeros(len(ends)), below.astype(float), ends, np.zeros(below.shape))
        least, most = profile_bounds(cells, shares, squared)
        middle = estimate[open_edges]
        low[open_edges] = np.maximum(low[open_edges], np.minimum(least * ends, middle))
        high[open_edges] = np.minimum(high[open_edges], np.maximum(most * ends, middle))
    return known.consistent(low, high)


def _student(spread: FloatArray, labelled: FloatArray, critical: float) -> FloatArray:
    """``student`` of the sum up to each edge, (n_strata,)."""
    squares = spread**2
    noise = np.cumsum(squares**2 / np.maximum(labelled - 1, 1))
    return student(np.cumsum(squares), noise, critical)


def student(variance: FloatArray, noise: FloatArray, critical: float) -> FloatArray:
    """Student's t with the tail of the normal ``critical``, at Satterthwaite's degrees of freedom,
    at least 4, of sums with these variances, (n,).

    noise   (n,), of each sum the squared variances of its parts over their degrees of freedom
    """
    freedom = np.divide(variance**2, noise, out=np.full(len(noise), 4.0), where=noise > 0)
    return np.asarray(stdtrit(np.maximum(freedom, 4.0), ndtr(critical)))


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
