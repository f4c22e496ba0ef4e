"""Precision along the ranks from a plain random sample: sizes and bounds by Hoeffding's inequality.

The baseline that PAULA was measured against. A random sample says little about the first ranks,
because few of its items lie there; the items at the head can all be labelled beside it.

Source: Sabharwal and Sedghi (2017), sections 2.1 and 3, equations 2 to 5; Hoeffding (1963).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelcore.papers.curves.yield_closure import closed_yields
from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.orders import increasing


def first_rank_within(
    n_items: int, draws: int, alpha: float, precision: float, delta: float
) -> float:
    """The rank from which on ``draws`` random items of the whole list approximate the curve within
    alpha p(r), at all ranks together, with probability at least 1 - delta: n_alpha,s, not rounded.
    Above ``n_items`` where it holds nowhere.

    precision   p(r) at the ranks in question, or a smaller number; in (0, 1]
    Assumption  as many of the draws lie among the first r items as expected (the paper's own).
    Source:     equation 4.
    """
    return n_items * math.log(2 * n_items / delta) / (2 * draws * alpha**2 * precision**2)


def curve_labels(n_items: int, alpha: float, precision: float, delta: float) -> float:
    """Labels for the curve within alpha p(r) at all ranks: the first n items and n random ones,
    n = n_alpha,n; not rounded, and above ``n_items`` where labelling everything is cheaper.

    Promise     probability at least 1 - delta, on the assumption of ``first_rank_within``.
    Source:     equation 5; items that are in both parts count twice, as there.

    >>> int(curve_labels(217_077, 0.08, 0.7, 0.05))
    47030
    """
    first_rank = first_rank_within(n_items, 1, alpha, precision, delta)
    return 2 * math.sqrt(first_rank)


@dataclass(frozen=True, eq=False, slots=True)
class RandomBand:
    """Hits among the first r items, at some ranks or all, (n_ranks,) each.

    estimate   NaN where no item of the sample lies between the head and the rank
    low, high  hold at all ranks together; sampled: items of the sample among the first r
    rank       the ranks
    rising     the estimate, nowhere fewer than at a rank before
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    sampled: IntArray
    rank: IntArray
    rising: FloatArray


class Verdicts(NamedTuple):
    """Labelled items of a list, (n_labelled,) each, by rank.

    rank       increasing
    low, high  0 or 1; a doubtful item is 0 in one and 1 in the other
    """

    rank: IntArray
    low: FloatArray
    high: FloatArray


def random_band(
    n_items: int, head: int, verdicts: Verdicts, at: IntArray, delta: float | None
) -> RandomBand:
    """The curve at some ranks, (n_at,) each, from the labelled head and a random sample of the
    other items, in time that does not grow with the list.

    Beyond the head, (r - head) times the mean of the z sampled items between it and r, plus and
    minus (r - head) sqrt(ln(2 (N - head) / delta) / (2 z)); the hits of the head are known. Given
    z, those items are a random sample of what lies between, so z is the number found, where the
    paper takes the expected one, and the mean goes over the items up to rank r, not over the first
    r s / N of the sample. The bounds of one rank also hold for its neighbours as far as labels and
    the unlabelled items between them allow: between two labelled items every bound is a straight
    line, or the larger or smaller one of two, so that the ends of these pieces say all of it.

    head        items at the head that are all labelled, 0 or more
    verdicts    a doubtful item counts half in the estimate
    at          ranks, 1 to n_items, in any order
    delta       the chance that the band is wrong anywhere; None: no bounds but what is certain
    Promise     at all ranks together at least 1 - delta, whatever the list is like.
    Assumption  the labelled items beyond the head are a simple random sample without replacement
                of them, of a size fixed before the first label.
    Raises      ValueError where an item of the head has no label.
    Source:     section 3, with equation 3 for all ranks at once. Departure: the head is exact, and
                its items are no part of the sample.
    """
    inside = np.searchsorted(verdicts.rank, head, side="right")
    if inside < head:
        gaps = np.flatnonzero(verdicts.rank[:inside] != np.arange(1, inside + 1))
        rank = int(gaps[0]) + 1 if len(gaps) else int(inside) + 1
        raise ValueError(f"the first {head:,} items must all be labelled, rank {rank:,} is not")
    edges = np.array([1, head, n_items])
    ends: IntArray = np.concatenate([at, verdicts.rank, verdicts.rank - 1, edges])
    stops = increasing(ends[(ends >= 1) & (ends <= n_items)])
    seen = np.searchsorted(verdicts.rank, stops, side="right")
    least, most = (np.append(0.0, np.cumsum(end))[seen] for end in (verdicts.low, verdicts.high))
    certain = least, most + (stops - seen).astype(float)
    length, sampled = np.maximum(stops - head, 0), np.maximum(seen - inside, 0)
    known = _scaled(least, verdicts.low[:inside].sum(), length, sampled)
    upper = _scaled(most, verdicts.high[:inside].sum(), length, sampled)
    estimate, place = (known + upper) / 2, np.searchsorted(stops, at)
    if delta is None:
        return _at(place, (estimate, *certain, sampled, stops, rising(estimate)))
    beyond = np.flatnonzero(sampled > 0)
    spread = math.log(2 * max(n_items - head, 1) / delta) / (2 * np.maximum(sampled[beyond], 1))
    reach = length[beyond] * np.sqrt(spread)
    bounds = (beyond + 1, known[beyond] - reach, upper[beyond] + reach)
    low, high = closed_yields(bounds, certain)
    return _at(place, (estimate, low, high, sampled, stops, rising(estimate)))


def _at(place: IntArray, figures: tuple[NDArray[Any], ...]) -> RandomBand:
    return RandomBand(*(figure[place] for figure in figures))


def rising(hits: FloatArray) -> FloatArray:
    """Estimated hits of each rank, none fewer than of a rank before: the mean of the highest so far
    and the lowest to come, which is hardly biased either way; NaN stays.

    The paper estimates the precision of each rank for itself, so its hits may fall along the list,
    and recall would pass 1.

    >>> rising(np.array([np.nan, 1.0, 3.0, 2.0, 2.5, np.nan])).tolist()
    [nan, 1.0, 2.5, 2.5, 2.75, nan]
    """
    known = ~np.isnan(hits)
    if not known.any():
        return hits
    so_far = np.maximum.accumulate(np.where(known, hits, -np.inf))
    to_come = np.minimum.accumulate(np.where(known, hits, np.inf)[::-1])[::-1]
    return np.where(known, (so_far + np.where(known, to_come, 0.0)) / 2, np.nan)


def expected_half_widths(
    n_items: int, head: int, sample: int, delta: float, at: IntArray | None = None
) -> FloatArray:
    """Half the width of the band of the precision at r = 1..N, (n_items,), or at these ranks, if as
    many of ``sample`` random items lie before each rank as expected; 0 within the head, at most
    1/2."""
    ranks = np.arange(1, n_items + 1) if at is None else at
    share = np.maximum(ranks - head, 0) / ranks
    before = np.maximum(ranks - head, 1) * min(sample / max(n_items - head, 1), 1.0)
    if sample >= n_items - head:
        return np.zeros(len(ranks))
    reach = np.sqrt(math.log(2 * (n_items - head) / delta) / (2 * np.maximum(before, 1e-9)))
    return np.asarray(share * np.minimum(reach, 0.5))


def _scaled(hits: FloatArray, inside: float, length: IntArray, sampled: IntArray) -> FloatArray:
    """Known hits of the head and the mean of the sample times the items beyond, (n_stops,)."""
    mean = np.divide(hits - inside, sampled, out=np.full(len(hits), np.nan), where=sampled > 0)
    return np.where(length > 0, inside + length * mean, hits)
