"""Sharing labels over strata: in proportion, equally, and by Neyman's rule as printed.

Sizes, labels and counts are numbers of items; whole numbers come from the largest remainder, a full
stratum passes its share on to the others.

Source: Kumar and Raj (2018), section 3.3, equation 9, algorithms 1 (OPT-A1) and 2 (OPT-A2);
Neyman (1934).
"""

import numpy as np
from numpy.typing import ArrayLike

from labelcore.stats.allocation import largest_remainder, top_up
from labelcore.stats.arrays import FloatArray, IntArray

LEAST = 2
"""Labels that every stratum gets: with one, equation 6 says nothing about its variance."""


def proportional_counts(sizes: ArrayLike, labels: int) -> IntArray:
    """n_k = W_k n (PRO), at least ``LEAST`` of each stratum or all it has, (n_strata,), together
    min(labels, N); fewer labels than these floors are shared over the floors.

    >>> proportional_counts([700, 250, 50], 100).tolist(), proportional_counts([98, 2], 10).tolist()
    ([70, 25, 5], [8, 2])
    """
    size = np.asarray(sizes)
    return _above_floor(size / max(size.sum(), 1), size, labels, LEAST)


def equal_counts(sizes: ArrayLike, labels: int) -> IntArray:
    """n_k = n / K (EQU); a stratum with fewer items gives the rest of its share to the others.

    >>> equal_counts([700, 250, 4], 30).tolist()
    [13, 13, 4]
    """
    size = np.asarray(sizes)
    return _above_floor(np.full(len(size), 1 / len(size)), size, labels, LEAST)


def optimal_counts(sizes: ArrayLike, spreads: ArrayLike, labels: int, least: int) -> IntArray:
    """n_k in proportion to W_k S_k (equation 9) for known spreads S_k; in proportion to W_k where
    all S_k are zero.

    >>> optimal_counts([500, 500], [0.1, 0.4], 100, 2).tolist()
    [20, 80]
    """
    size = np.asarray(sizes)
    return _above_floor(_neyman_shares(size, np.asarray(spreads, dtype=float)), size, labels, least)


def estimated_spreads(labelled: ArrayLike, right: ArrayLike) -> FloatArray:
    """S_k = sqrt(n/(n-1) A (1-A)) of each stratum's own labels (equation 3); zero below two labels.

    Zero, too, where all labels of a stratum agree: after five labels that is so with chance .77 at
    an accuracy of .95. This is what breaks OPT-A1 and OPT-A2.

    >>> estimated_spreads([5, 5], [5, 4]).round(3).tolist()
    [0.0, 0.447]
    """
    n, s = np.asarray(labelled, dtype=float), np.asarray(right, dtype=float)
    share = np.divide(s, n, out=np.zeros(n.shape), where=n > 0)
    return np.asarray(np.sqrt(np.where(n > 1, n * share * (1 - share) / np.maximum(n - 1, 1), 0)))


def first_counts(sizes: ArrayLike, labels: int, n_initial: int) -> IntArray:
    """``n_initial`` of each stratum or all it has (line 2 of both algorithms), fewer each where
    ``labels`` do not reach."""
    return _within(np.minimum(sizes, n_initial), labels)


def printed_counts(
    sizes: ArrayLike, drawn: ArrayLike, labelled: ArrayLike, right: ArrayLike, batch: int
) -> IntArray:
    """How many of the next ``batch`` items come from each stratum by equation 9, with the S_k of
    the labels so far: one step of OPT-A2, or all that is left for OPT-A1.

    As printed this is broken: a stratum whose first labels agree has S_k = 0 and never gets another
    label while any stratum with S_k > 0 has items left, so that its errors are never found. The
    estimate is too high for an accurate classifier and its estimated variance (equation 6) too
    small; docs/papers/002_stratified.md has the figures. For comparison only.
    Where all S_k are zero the batch is shared in proportion to W_k, which the paper leaves open.

    sizes, drawn, labelled, right   (n_strata,): items, drawn, with a label, of these right
    """
    size, taken = np.asarray(sizes), np.asarray(drawn)
    shares = _neyman_shares(size, estimated_spreads(labelled, right))
    return largest_remainder(shares, batch, size - taken)


def _neyman_shares(size: IntArray, spread: FloatArray) -> FloatArray:
    """W_k S_k as shares that sum to 1; W_k where all S_k are zero."""
    weight = size / max(size.sum(), 1)
    product = weight * spread
    total = product.sum()
    return np.asarray(product / total if total > 0 else weight)


def _above_floor(shares: FloatArray, size: IntArray, labels: int, least: int) -> IntArray:
    floors = np.minimum(size, least)
    if labels <= floors.sum():
        return _within(floors, labels)
    return floors + top_up(shares, floors, labels - int(floors.sum()), size)


def _within(floors: IntArray, labels: int) -> IntArray:
    if labels >= floors.sum():
        return floors
    return largest_remainder(floors.astype(float), labels, floors)
