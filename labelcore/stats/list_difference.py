"""Two ranked lists of the same items: which one has more positives among its first r, at every r.

The hits among the first r of list A less those of list B are a sum over the items in one head and
not in the other: what both hold cancels, and needs no label. So the union of the two heads is cut
into strata by side (A's head or B's) and by the geometric bands of the ranks between which an item
counts, and each stratum gets labels by what it weighs at all edges of these bands.

Source: the estimator is the difference estimator (Sarndal, Swensson and Wretman 1992) with the
stratum's rate as the prediction; the region is that of ``labelcore.stats.profile``; one critical
value for all ranks by the largest statistic (Hothorn, Bretz and Westfall 2008). The strata, the
shares and the combination are our own, measured in docs/paired_lists.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from labelcore.stats.allocation import largest_remainder
from labelcore.stats.arrays import BoolArray, IntArray
from labelcore.stats.max_t import error_levels
from labelcore.stats.profile import Cells, FloatArray, Ratios, profile_bounds
from labelcore.stats.profile_interval import FEW_LEFT
from labelcore.stats.rank_band import ROUNDING, student

LABELS_A_STRATUM, LEAST = 8, 4
"""Labels that a stratum is made for, and that it gets at the least: with 12 or 16 the residuals
leave too much unsaid, and the band was wrong in .09 to .34 of sessions."""
CENSUS_FROM, ROUNDS, HALVINGS = 0.75, 100, 40
OWN_WEIGHT = 0.5
"""What a list's own precision counts beside the difference, where both are asked for."""
FURTHEST = 1e6
PLACES = 40
"""Ranks beside the edges at which the region is worked out."""
DIFFERENCE, FIRST, SECOND = "difference", "first", "second"


@dataclass(frozen=True, eq=False)
class Heads:
    """The items among the first ranks of either list.

    first, second   (n_items,), the rank of each in list A and in list B, 1-based
    edges           (n_edges,), increasing ranks; the last one ends the heads
    own             whether each list's own precision is asked for beside the difference
    """

    first: IntArray
    second: IntArray
    edges: IntArray
    own: bool = False

    @cached_property
    def bands(self) -> tuple[IntArray, IntArray]:
        """The band of each item in A and in B: k where its rank is up to edge k."""
        a, b = (np.searchsorted(self.edges, ranks) for ranks in (self.first, self.second))
        return a, b

    @cached_property
    def side(self) -> IntArray:
        """1 where the item is in A's heads first, -1 in B's, 0 where both come in one band."""
        return np.asarray(np.sign(self.bands[1] - self.bands[0]))

    @property
    def kinds(self) -> tuple[str, ...]:
        return (DIFFERENCE, FIRST, SECOND) if self.own else (DIFFERENCE,)

    def counts(self, kind: str, ranks: IntArray) -> FloatArray:
        """What each item counts among the first r: 1, 0, and in the difference -1,
        (n_items, n_ranks)."""
        first, second = ((at[:, None] <= ranks).astype(float) for at in (self.first, self.second))
        signs: FloatArray = {DIFFERENCE: first - second, FIRST: first, SECOND: second}[kind]
        return signs

    def strata(self, labels: int) -> tuple[IntArray, int]:
        """The stratum of each item, (n_items,), and how many there are that labels are shared out
        to. They come first; after them, in one, the items that both lists have in one band, where
        nothing but the difference is asked for."""
        early, late = np.minimum(*self.bands), np.maximum(*self.bands)
        mass = self._mass(early, late)
        asked = self.own | (self.side != 0)
        enough = mass[asked].sum() * LABELS_A_STRATUM / max(labels, LABELS_A_STRATUM)
        stratum = np.full(len(mass), -1, dtype=np.int64)
        number = 0
        for side in (1, -1):
            before = -1
            for row in range(len(self.edges)):
                mine = np.flatnonzero((self.side == side) & (early == row))
                whole = mass[mine].sum()
                if not len(mine):
                    continue
                if before >= 0 and whole < enough / 2:
                    stratum[mine] = before
                    continue
                stratum[mine] = number + _joined(late[mine], mass[mine], enough)
                number = before = int(stratum[mine].max()) + 1
                before -= 1
        both = np.flatnonzero(self.side == 0)
        if self.own and len(both):
            stratum[both] = number + _joined(early[both], mass[both], enough)
            number = int(stratum.max()) + 1
        stratum[stratum < 0] = number
        return stratum, number

    def _mass(self, early: IntArray, late: IntArray) -> FloatArray:
        """The root of the sum of what an item weighs at all edges, (n_items,)."""
        upto = np.append(0.0, np.cumsum(self.edges.astype(float) ** -2))
        weight = upto[late] - upto[early]
        if self.own:
            weight = weight + OWN_WEIGHT**2 * (2 * upto[-1] - upto[early] - upto[late])
        return np.asarray(np.sqrt(np.maximum(weight, 0.0)))

    def weights(self, stratum: IntArray, number: int) -> FloatArray:
        """The largest variance that one label of each stratum leaves at each edge,
        (n_strata, n_kinds * n_edges)."""
        size = np.bincount(stratum, minlength=number)[:number]
        of_kinds = []
        for kind in self.kinds:
            squares = _sums(self.counts(kind, self.edges) ** 2, stratum, number)
            share = 1.0 if kind == DIFFERENCE else OWN_WEIGHT**2
            of_kinds.append(0.25 * share * size[:, None] * squares / self.edges**2)
        return np.concatenate(of_kinds, axis=1)


def _joined(band: IntArray, mass: FloatArray, enough: float) -> IntArray:
    """Bands joined from the first on until each group has mass enough; a rest joins the group
    before. The group of each item, from 0."""
    bands = np.unique(band)
    group, number, gathered = np.zeros(len(bands), dtype=np.int64), 0, 0.0
    for place, number_of_band in enumerate(bands.tolist()):
        group[place] = number
        gathered += mass[band == number_of_band].sum()
        if gathered >= enough:
            number, gathered = number + 1, 0.0
    last = max(number - 1, 0) if gathered < enough else number
    return np.minimum(group, last)[np.searchsorted(bands, band)]


def _sums(counts: FloatArray, stratum: IntArray, number: int) -> FloatArray:
    """Sums over the items of each stratum, (n_strata, n_ranks)."""
    order = np.argsort(stratum, kind="stable")
    ends = np.searchsorted(stratum[order], np.arange(number), side="right")
    upto = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts[order], axis=0)])
    return np.diff(upto[ends], axis=0, prepend=0.0)


def shared_out(
    weights: FloatArray, sizes: IntArray, labels: int, *, portable: bool = True
) -> IntArray:
    """The labels of each stratum, (n_strata,): half by the largest variance over the edges, half by
    their sum, at least ``LEAST``; all items where it would be three of four.

    weights   (n_strata, n_edges), as ``Heads.weights`` gives them
    portable    as in ``Along``
    """
    labels = min(labels, int(sizes.sum()))
    floor = np.minimum(LEAST, sizes)
    if labels <= floor.sum():
        return largest_remainder(floor.astype(float), labels, floor)
    whole = np.zeros(len(sizes), dtype=bool)
    while True:
        given = _minimax(weights, sizes, floor, labels, whole)
        more = ~whole & (given >= CENSUS_FROM * sizes)
        room = labels - np.where(whole | more, sizes, floor).sum()
        if not more.any() or room < 0:
            break
        whole |= more
    given = np.where(whole, sizes, np.maximum(given, floor))
    given = given.round(6) if portable else given
    rest = largest_remainder(given - floor, labels - int(floor.sum()), sizes - floor)
    return floor + rest


def _minimax(
    weights: FloatArray, sizes: IntArray, floor: IntArray, labels: int, whole: BoolArray
) -> FloatArray:
    edges = weights.shape[1]
    share = np.full(edges, 1 / edges)
    given = floor.astype(float)
    for _ in range(ROUNDS):
        root = np.sqrt(weights @ (share + 1 / edges))
        given = _filled(root, sizes, floor, labels, whole)
        left = (weights * (1 / given - 1 / sizes)[:, None]).sum(axis=0)
        if left.max() <= 0:
            break
        share = share * np.sqrt(left / left.max())
        share = share / share.sum()
    return given


def _filled(
    root: FloatArray, sizes: IntArray, floor: IntArray, labels: int, whole: BoolArray
) -> FloatArray:
    """m times ``root`` between floor and size, the whole strata apart, m so that all are given."""
    low, high = 0.0, 1.0
    least, most = np.where(whole, sizes, floor), sizes.astype(float)

    def given(m: float) -> FloatArray:
        return np.clip(m * root, least, most)

    while given(high).sum() < labels and high < 1e12:
        high *= 4
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if given(middle).sum() < labels else (low, middle)
    return given(high)


# --- the band ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Along:
    """What of the lists a band needs at its ranks, made once for all looks.

    heads     the union of the heads; stratum, number   as ``Heads.strata`` gives them
    ranks     (n_ranks,), at which the band is, increasing
    portable    whether nothing is decided by the last digits of a processor
    """

    heads: Heads
    stratum: IntArray
    number: int
    ranks: IntArray
    portable: bool = True

    @cached_property
    def sizes(self) -> IntArray:
        return np.bincount(self.stratum, minlength=self.number)[: self.number]

    @cached_property
    def weights(self) -> FloatArray:
        """As ``Heads.weights`` gives them."""
        return self.heads.weights(self.stratum, self.number)

    @cached_property
    def places(self) -> IntArray:
        """Those of the ranks at which the region and the critical value are worked out: the edges,
        and others in constant ratio."""
        first, last = int(self.ranks[0]), int(self.ranks[-1])
        wanted = np.append(self.heads.edges, np.geomspace(first, last, PLACES).round())
        return np.unique(np.searchsorted(self.ranks, np.minimum(wanted, last)))

    @cached_property
    def _starts(self) -> tuple[IntArray, IntArray]:
        """The place in ``ranks`` from which on an item is in each head, (n_items,) each."""
        a, b = (np.searchsorted(self.ranks, rank) for rank in (self.heads.first, self.heads.second))
        return a, b

    def _from(self, starts: IntArray, weights: FloatArray) -> FloatArray:
        """Sums of the weights of the items that are in by each rank, (n_ranks,)."""
        return np.asarray(np.cumsum(np.bincount(starts, weights, len(self.ranks) + 1))[:-1])

    def summed(self, kind: str, weights: FloatArray, items: IntArray | None = None) -> FloatArray:
        """The sum of weight times what an item counts, at each rank, (n_ranks,)."""
        a, b = (start if items is None else start[items] for start in self._starts)
        if kind == DIFFERENCE:
            return self._from(a, weights) - self._from(b, weights)
        return self._from(a if kind == FIRST else b, weights)

    def squared(self, kind: str, weights: FloatArray, items: IntArray | None = None) -> FloatArray:
        """The same of the squares of what an item counts."""
        a, b = (start if items is None else start[items] for start in self._starts)
        if kind == DIFFERENCE:
            return self._from(np.minimum(a, b), weights) - self._from(np.maximum(a, b), weights)
        return self.summed(kind, weights, items)

    @cached_property
    def means(self) -> dict[str, tuple[FloatArray, FloatArray]]:
        """kind -> the mean over each stratum, and that of the square, (n_strata, n_ranks) each."""
        by_kind = {}
        for kind in self.heads.kinds:
            mean = np.empty((2, self.number, len(self.ranks)))
            for stratum in range(self.number):
                mine = np.flatnonzero(self.stratum == stratum)
                share = np.full(len(mine), 1 / max(len(mine), 1))
                mean[0, stratum] = self.summed(kind, share, mine)
                mean[1, stratum] = self.squared(kind, share, mine)
            by_kind[kind] = mean[0], mean[1]
        return by_kind

    @cached_property
    def counts(self) -> FloatArray:
        """What each item counts at ``places`` of all kinds, (n_items, n_kinds * n_places)."""
        at = self.ranks[self.places]
        return np.concatenate([self.heads.counts(kind, at) for kind in self.heads.kinds], axis=1)

    @cached_property
    def products(self) -> FloatArray:
        """The mean over each stratum of the products of any two of ``counts``, (n_strata, m, m)."""
        counts = [self.counts[self.stratum == stratum] for stratum in range(self.number)]
        return np.array([part.T @ part / max(len(part), 1) for part in counts])

    @cached_property
    def loose(self) -> BoolArray:
        """The items without a stratum of their own: what both lists have in one band, (n_items,).
        Between edges they count in the difference."""
        return np.asarray(self.stratum >= self.number)


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """Value, low and high of one kind at the ranks, shares of the first r, (n_ranks,) each."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


Reach = Callable[[float], float]
"""From the error level of each figure to the standard errors that its interval reaches."""


def fixed_reach(level: float) -> float:
    """That of a band which is looked at once."""
    return float(-ndtri(level / 2))


def list_bounds(
    along: Along,
    items: IntArray,
    positive: FloatArray,
    confidence: float | None,
    reach: Reach = fixed_reach,
) -> dict[str, Bounds]:
    """The difference of the two lists at all ranks, and with ``Heads.own`` each list's own
    precision, all of them together.

    Promise      all ranks of all kinds at once with ``confidence``, approximate; what is certain
                 where that is narrower. A union of which every item is labelled gives the truth.
    Assumption   within each stratum the labelled items are a simple random sample. Nothing about
                 the order of the items.
    items        (n,), the labelled ones, places in ``heads``
    positive     (n,), 1, 0, and NaN for those that count both ways
    confidence   None: what is certain alone
    """
    doubtful = np.isnan(positive)
    if not doubtful.any():
        return _bounds(along, items, positive, confidence, reach)
    ahead = (along.heads.second > along.heads.first)[items]
    rate = positive[~doubtful].mean() if not doubtful.all() else 0.5
    middle = _bounds(along, items, np.where(doubtful, rate, positive), None, reach)
    bounds = {}
    for kind in along.heads.kinds:
        for_it = ahead.astype(float) if kind == DIFFERENCE else np.ones(len(ahead))
        worst, best = (
            _bounds(along, items, np.where(doubtful, unread, positive), confidence, reach)[kind]
            for unread in (1 - for_it, for_it)
        )
        bounds[kind] = Bounds(middle[kind].value, worst.low, best.high)
    return bounds


def _bounds(
    along: Along, items: IntArray, positive: FloatArray, confidence: float | None, reach: Reach
) -> dict[str, Bounds]:
    known = _Known.of(along, items, positive)
    sums = {kind: _summed(along, kind, known) for kind in along.heads.kinds}
    if confidence is None:
        return {
            kind: Bounds(*(end / along.ranks for end in (its.estimate, its.least, its.most)))
            for kind, its in sums.items()
        }
    covariance = (along.products * known.weight[:, None, None]).sum(axis=0)
    x = along.counts[along.loose & ~known.labelled, : len(along.places)]
    covariance[: len(along.places), : len(along.places)] += 0.25 * x.T @ x
    critical = reach(float(error_levels(covariance, confidence, portable=along.portable)))
    return {kind: _ends(along, kind, known, critical, its) for kind, its in sums.items()}


@dataclass(frozen=True, eq=False, slots=True)
class _Known:
    """The labels by stratum.

    labelled   (n_items,); items, positive   (n,), as ``list_bounds`` has them
    size, count, hits, rate   (n_strata,), N, n, s and s / n
    weight     (n_strata,), the variance of N s / n
    """

    labelled: BoolArray
    items: IntArray
    positive: FloatArray
    size: FloatArray
    count: FloatArray
    hits: FloatArray
    rate: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, along: Along, items: IntArray, positive: FloatArray) -> _Known:
        number, size = along.number, along.sizes.astype(float)
        labelled = np.zeros(len(along.stratum), dtype=bool)
        labelled[items] = True
        stratum = along.stratum[items]
        n = np.bincount(stratum, minlength=number + 1)[:number].astype(float)
        s = np.bincount(stratum, positive, number + 1)[:number].astype(float)
        rate = np.divide(s, n, out=np.full(number, 0.5), where=n > 0)
        return cls(labelled, items, positive, size, n, s, rate, _variance(size, n, s))


def _variance(size: FloatArray, n: FloatArray, s: FloatArray) -> FloatArray:
    """Of N s / n, with one hit and one miss more than there are, (n_strata,)."""
    smooth = (s + 1) / (n + 2)
    left = np.where(n > 0, 1 - n / size, 1.0)
    return np.asarray(size**2 * left / np.maximum(n, 1.0) * smooth * (1 - smooth))


@dataclass(frozen=True, eq=False, slots=True)
class _Sums:
    """Numbers of items at each rank, (n_ranks,) each.

    estimate, least, most   of what is asked, and what is certain of it
    explained   the part that the rates of the strata say; of_rates: the variance of that
    variance    of the estimate; noise: the squares of its parts over their degrees of freedom
    open        items that count and have no label
    """

    estimate: FloatArray
    least: FloatArray
    most: FloatArray
    explained: FloatArray
    of_rates: FloatArray
    variance: FloatArray
    noise: FloatArray
    open: FloatArray


def _summed(along: Along, kind: str, known: _Known) -> _Sums:
    (mean, square), items, positive = along.means[kind], known.items, known.positive
    loose = along.loose if kind == DIFFERENCE else np.zeros(len(along.stratum), dtype=bool)
    explained = (known.size * known.rate) @ mean
    scale = np.divide(known.size, known.count, out=known.size * 0, where=known.count > 0)
    stratum = np.minimum(along.stratum[items], along.number - 1)
    inside = ~along.loose[items]
    residual = np.where(inside, scale[stratum] * (positive - known.rate[stratum]), 0.0)
    of_strata = np.bincount(stratum, residual, along.number)
    estimate = explained + along.summed(kind, residual, items) - of_strata @ mean
    hits = along.summed(kind, positive, items)
    free = np.flatnonzero(loose & ~known.labelled)
    rate = float(positive.mean()) if len(positive) else 0.5
    mine = loose[items]
    estimate += along.summed(kind, positive[mine], items[mine])
    estimate += along.summed(kind, np.full(len(free), rate), free)
    unlabelled = np.flatnonzero(~known.labelled)
    open_items = along.squared(kind, np.ones(len(unlabelled)), unlabelled)
    ahead = along.heads.first < along.heads.second if kind == DIFFERENCE else ~known.labelled
    gaining = unlabelled[ahead[unlabelled]]
    gain = along.squared(kind, np.ones(len(gaining)), gaining)
    least, most = hits - (open_items - gain), hits + gain
    parts = known.weight[:, None] * square
    left = np.where(known.count > 0, 1 - known.count / known.size, 1.0)
    seen = along.squared(kind, residual**2 * left[stratum], items)
    beside = 0.25 * along.squared(kind, np.ones(len(free)), free)
    freedom = np.maximum(known.count - 1, 1)[:, None]
    return _Sums(
        np.clip(estimate, least, most), least, most, explained, known.weight @ mean**2,
        np.maximum(parts.sum(axis=0), seen) + beside, (parts**2 / freedom).sum(axis=0), open_items,
    )  # fmt: skip


def _ends(along: Along, kind: str, known: _Known, critical: float, sums: _Sums) -> Bounds:
    ranks = along.ranks.astype(float)
    # Beyond 8.3 standard errors the tail of a normal is no number any more.
    t = np.nan_to_num(student(sums.variance, sums.noise, critical), posinf=FURTHEST)
    down, up = _region(along, kind, known, t, sums)
    beside = t**2 * np.maximum(sums.variance - sums.of_rates, 0.0)
    low = sums.estimate - np.sqrt(down**2 + beside)
    high = sums.estimate + np.sqrt(up**2 + beside)
    few = sums.open <= FEW_LEFT
    low = np.where(few, np.floor(low + ROUNDING), low)
    high = np.where(few, np.ceil(high - ROUNDING), high)
    low, high = (np.clip(bound, sums.least, sums.most) for bound in (low, high))
    return Bounds(sums.estimate / ranks, low / ranks, high / ranks)


def _region(
    along: Along, kind: str, known: _Known, t: FloatArray, sums: _Sums
) -> tuple[FloatArray, FloatArray]:
    """How far the part that the rates explain may be below and above what they say, (n_ranks,)
    each: worked out at ``places``, in units of its standard deviation on a line between."""
    slope = along.means[kind][0].T
    counting = np.abs(slope).max(axis=0) > 0
    signed = kind == DIFFERENCE
    above = slope.sum(axis=0) >= 0 if signed else np.ones(len(counting), dtype=bool)
    size, count, hits = (counts[counting] for counts in (known.size, known.count, known.hits))
    cells = Cells(size, count, hits, above[counting])
    at = along.places[sums.of_rates[along.places] > 0]
    if not len(at):
        return np.zeros(len(t)), np.zeros(len(t))
    rank = along.ranks[at].astype(float)
    base, whole = (rank, 2 * rank) if signed else (0 * rank, rank)
    slope = slope[np.ix_(at, counting)]
    ends = profile_bounds(cells, Ratios(base, slope, whole, 0 * slope), t[at] ** 2)
    sd = t * np.sqrt(sums.of_rates)
    down, up = (
        np.maximum(sign * (sums.explained[at] - (end * whole - base)), 0.0) / sd[at]
        for sign, end in zip((1, -1), ends, strict=True)
    )
    every = np.arange(len(t))
    return sd * np.interp(every, at, down), sd * np.interp(every, at, up)


def expected_half_widths(
    along: Along, counts: IntArray, rates: FloatArray, confidence: float, reach: Reach
) -> FloatArray:
    """Half the width of the band of the difference at each rank, (n_ranks,), if ``counts`` labels
    per stratum came with the shares ``rates`` of positives."""
    n = counts.astype(float)
    weight = _variance(along.sizes.astype(float), n, n * rates)
    _, square = along.means[DIFFERENCE]
    every = np.ones(len(along.stratum))
    loose = 0.25 * along.squared(DIFFERENCE, every * along.loose)
    variance = np.maximum(weight @ square + loose, 0.0)  # less by rounding at full strata
    covariance = (along.products * weight[:, None, None]).sum(axis=0)
    critical = reach(float(error_levels(covariance, confidence, portable=along.portable)))
    noise = (weight[:, None] * square) ** 2 / np.maximum(n - 1, 1)[:, None]
    half = student(variance, noise.sum(axis=0), critical) * np.sqrt(variance)
    most = along.squared(DIFFERENCE, every) / 2
    return np.asarray(np.minimum(half, most) / along.ranks)
