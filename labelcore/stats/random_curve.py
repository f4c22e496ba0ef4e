"""Precision along the ranks from a plain random sample: sizes and bounds by Hoeffding's inequality.

The baseline that PAULA was measured against. A random sample says little about the first ranks,
because few of its items lie there; the items at the head can all be labelled beside it.

Source: Sabharwal and Sedghi (2017), sections 2.1 and 3, equations 2 to 5; Hoeffding (1963).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.yield_closure import certain_yields, closed_yields

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def first_rank_within(
    n_items: int, draws: int, alpha: float, precision: float, delta: float
) -> float:
    """The rank from which on ``draws`` random items of the whole list approximate the curve within
    alpha p(r), at all ranks together, with probability at least 1 - delta: n_alpha,s, not rounded.
    Above ``n_items`` where it holds nowhere.

    precision   p(r) at the ranks in question, or a smaller number; in (0, 1]
    Assumption  as many of the draws lie among the first r items as expected (the paper's own).
    Raises      ValueError for a number outside its range.
    Source:     equation 4.
    """
    _check(precision, alpha, delta, "alpha")
    if n_items < 1 or draws < 1:
        name, value = ("n_items", n_items) if n_items < 1 else ("draws", draws)
        raise ValueError(f"{name} must be at least 1, got {value}")
    return n_items * math.log(2 * n_items / delta) / (2 * draws * alpha**2 * precision**2)


def curve_labels(n_items: int, alpha: float, precision: float, delta: float) -> float:
    """Labels for the curve within alpha p(r) at all ranks: the first n items and n random ones,
    n = n_alpha,n; not rounded, and above ``n_items`` where labelling everything is cheaper.

    Promise     probability at least 1 - delta, on the assumption of ``first_rank_within``.
    Raises      ValueError for a number outside its range.
    Source:     equation 5; items that are in both parts count twice, as there.

    >>> int(curve_labels(217_077, 0.08, 0.7, 0.05))
    47030
    """
    one = first_rank_within(n_items, 1, alpha, precision, delta)
    return 2 * math.sqrt(one)


@dataclass(frozen=True, eq=False, slots=True)
class RandomBand:
    """Hits among the first r items for r = 1..N, (n_items,) each.

    estimate   NaN where no item of the sample lies between the head and the rank
    low, high  hold at all ranks together; sampled: items of the sample among the first r
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    sampled: IntArray


def random_band(
    head: int, hits_low: FloatArray, hits_high: FloatArray, delta: float | None
) -> RandomBand:
    """The curve from the labelled head and a random sample of the other items.

    Beyond the head, (r - head) times the mean of the z sampled items between it and r, plus and
    minus (r - head) sqrt(ln(2 (N - head) / delta) / (2 z)); the hits of the head are known. Given
    z, those items are a random sample of what lies between, so z is the number found, where the
    paper takes the expected one, and the mean goes over the items up to rank r, not over the first
    r s / N of the sample. The bounds of one rank also hold for its neighbours as far as labels and
    the unlabelled items between them allow.

    head        items at the head that are all labelled, 0 or more
    hits_low, hits_high   (n_items,), verdicts in rank order, 0 or 1, NaN where unlabelled; a
                doubtful item is 0 in one and 1 in the other, and counts half in the estimate
    delta       the chance that the band is wrong anywhere; None: no bounds but what is certain
    Promise     at all ranks together at least 1 - delta, whatever the list is like.
    Assumption  the labelled items beyond the head are a simple random sample without replacement
                of them, of a size fixed before the first label.
    Raises      ValueError where an item of the head has no label, or a number is outside its range.
    Source:     section 3, with equation 3 for all ranks at once. Departure: the head is exact, and
                its items are no part of the sample.
    """
    n_items = len(hits_low)
    if not 0 <= head <= n_items:
        raise ValueError(f"head must lie between 0 and {n_items:,}, got {head:,}")
    if np.isnan(hits_low[:head]).any():
        rank = int(np.flatnonzero(np.isnan(hits_low[:head]))[0]) + 1
        raise ValueError(f"the first {head:,} items must all be labelled, rank {rank:,} is not")
    certain = certain_yields(hits_low, hits_high)
    ranks = np.arange(1, n_items + 1)
    length = np.maximum(ranks - head, 0)
    sampled = np.cumsum(~np.isnan(hits_low) & (ranks > head), dtype=np.int64)
    known, most = (_scaled(hits, head, length, sampled) for hits in (hits_low, hits_high))
    estimate = (known + most) / 2
    if delta is None:
        return RandomBand(estimate, *certain, sampled)
    _check_delta(delta)
    beyond = np.flatnonzero(sampled > 0)
    spread = math.log(2 * max(n_items - head, 1) / delta) / (2 * np.maximum(sampled[beyond], 1))
    reach = length[beyond] * np.sqrt(spread)
    bounds = (ranks[beyond], known[beyond] - reach, most[beyond] + reach)
    low, high = closed_yields(bounds, certain)
    return RandomBand(estimate, low, high, sampled)


def expected_half_widths(n_items: int, head: int, sample: int, delta: float) -> FloatArray:
    """Half the width of the band of the precision at r = 1..N, (n_items,), if as many of ``sample``
    random items lie before each rank as expected; 0 within the head, at most 1/2."""
    _check_delta(delta)
    ranks = np.arange(1, n_items + 1)
    share = np.maximum(ranks - head, 0) / ranks
    before = np.maximum(ranks - head, 1) * min(sample / max(n_items - head, 1), 1.0)
    if sample >= n_items - head:
        return np.zeros(n_items)
    reach = np.sqrt(math.log(2 * (n_items - head) / delta) / (2 * np.maximum(before, 1e-9)))
    return np.asarray(share * np.minimum(reach, 0.5))


def _scaled(hits: FloatArray, head: int, length: IntArray, sampled: IntArray) -> FloatArray:
    """Known hits of the head and the mean of the sample times the items beyond, (n_items,)."""
    counted = np.where(np.isnan(hits), 0.0, hits)
    inside = np.cumsum(counted[:head])
    start = inside[-1] if head else 0.0
    found = np.cumsum(np.append(np.zeros(head), counted[head:]))
    mean = np.divide(found, sampled, out=np.full(len(hits), np.nan), where=sampled > 0)
    scaled = start + length * mean
    scaled[:head] = inside
    return np.asarray(scaled)


def _check(precision: float, error: float, delta: float, name: str) -> None:
    if not 0 < precision <= 1:
        raise ValueError(f"precision must be above 0 and at most 1, got {precision}")
    if not (error > 0 and math.isfinite(error)):
        raise ValueError(f"{name} must be above 0 and finite, got {error}")
    _check_delta(delta)


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
