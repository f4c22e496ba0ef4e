"""The band of the hits among the first r items from strata that need not follow the ranks.

A cut at rank r takes a part of each stratum, and given how many labelled items lie in a part, they
are a simple random sample of it. So the hits among the first r items are a sum over these parts at
any rank, strata may overlap along the list, and no piece of them has to be cut for the analysis.
The parts of many anchors are analysed, one critical value holds for all of them together, and
between two of them nothing is interpolated (``stats.yield_band``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.profile import Cells, Ratios, profile_bounds
from labelcore.stats.yield_band import Known, RankLabels, critical_value, spread_of, student

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FIRST_ANCHOR, GROWTH = 20, 1.05


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
    """

    size: FloatArray
    labelled: FloatArray
    positive: FloatArray

    @classmethod
    def of(cls, stratum_at: IntArray, anchors: IntArray, labels: RankLabels) -> Parts:
        strata = int(stratum_at.max()) + 2
        stratum = np.where(stratum_at < 0, strata - 1, stratum_at)
        place = np.searchsorted(anchors, np.arange(1, len(stratum) + 1)) * strata + stratum

        def summed(places: IntArray, weights: FloatArray | None = None) -> FloatArray:
            found = np.bincount(places, weights, minlength=len(anchors) * strata)
            return found.reshape(len(anchors), strata).cumsum(axis=0).astype(float)

        own = place[labels.rank - 1]
        return cls(summed(place), summed(own), summed(own, labels.positive))

    @property
    def variances(self) -> FloatArray:
        """Of the estimated hits of each part, (n_anchors, n_strata)."""
        spread = spread_of(np.maximum(self.size, 1.0), self.labelled, self.positive)
        return np.where(self.size > 0, spread**2, 0.0)


@dataclass(frozen=True, eq=False, slots=True)
class StrataBand:
    """Bounds of the hits among the first r items, at anchors and so at all ranks; they hold for all
    of them at once."""

    known: Known
    low_at_anchors: FloatArray
    high_at_anchors: FloatArray

    def at(self, ranks: IntArray) -> tuple[FloatArray, FloatArray]:
        """Low and high at ``ranks`` from 1 to N, (n,) each."""
        return self.known.between(ranks, self.low_at_anchors, self.high_at_anchors)


def strata_band(
    stratum_at: IntArray,
    anchors: IntArray,
    labels: RankLabels,
    level: float,
    seed: int,
    critical: float | None = None,
) -> StrataBand:
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
    Raises       ValueError for a rank outside 1..N or given twice, a verdict other than 0 and 1, a
                 level outside (0, 1).
    Source:      Hothorn, Bretz and Westfall (2008) for the quantile of the largest deviation,
                 Satterthwaite (1946) for the degrees of freedom, Wilks (1938) for the region.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    known = Known.of(anchors, labels)
    parts = Parts.of(stratum_at, anchors, labels)
    variance = parts.variances.sum(axis=1)
    if critical is None:
        critical = reach_of(parts, level, seed)
    low, high = known.hits[1:].copy(), known.hits[1:] + known.free[1:]
    unsure = np.flatnonzero(variance > 0)
    least, most = bounds_of(parts, unsure, critical)
    low[unsure] = np.maximum(low[unsure], least)
    high[unsure] = np.minimum(high[unsure], most)
    return StrataBand(known, *known.in_whole_items(*known.consistent(low, high)))


def reach_of(parts: Parts, level: float, seed: int) -> float:
    """The standard deviations that a band reaches which is looked at once."""
    variance = np.maximum.accumulate(parts.variances.sum(axis=1))
    return critical_value(tuple(np.sqrt(np.diff(variance, prepend=0.0))), level, seed)


def bounds_of(parts: Parts, places: IntArray, critical: float) -> tuple[FloatArray, FloatArray]:
    """The fewest and the most hits up to the anchors at ``places`` by a band that reaches
    ``critical`` standard deviations, (n_places,) each, whatever is known of other anchors."""
    if not len(places):
        return np.zeros(0), np.zeros(0)
    size, labelled, positive = (one[places] for one in (parts.size, parts.labelled, parts.positive))
    variances = parts.variances[places]
    noise = (variances**2 / np.maximum(labelled - 1, 1)).sum(axis=1)
    limit = student(variances.sum(axis=1), noise, critical) ** 2
    items = size.sum(axis=1)
    shape = (len(places), 1, size.shape[1])
    shares = Ratios(np.zeros(shape[:2]), np.ones(shape), items[:, None], np.zeros(shape))
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
    own = piece_at[labels.rank - 1]
    sampled = own >= 0
    count = np.bincount(own[sampled], minlength=pieces)
    hits = np.bincount(own[sampled], labels.positive[sampled], minlength=pieces)
    share = np.divide(hits, count, out=rates.astype(float), where=count > 0)
    each = np.append(share, 0.0)[piece_at]
    each[labels.rank - 1] = labels.positive
    return np.asarray(np.cumsum(each)[ranks - 1])
