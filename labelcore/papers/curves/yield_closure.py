"""What labels say for certain about the hits among the first r items, and what bounds at some ranks
say about all others.

Y(r) never falls, grows by at most one an item, and is known where items are labelled. Nothing here
assumes anything about the precision.
"""

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray

ROUNDING = 1e-9


def certain_yields(
    hits_low: FloatArray, hits_high: FloatArray, at: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The fewest and the most hits among the first r items, for r = 1..N, (n_items,) each.

    hits_low, hits_high   verdicts in rank order, 0 or 1, NaN where unlabelled; a doubtful item is 0
                          in one and 1 in the other
    at      increasing ranks that these are of, every labelled one among them, and r likewise; None:
            each rank

    >>> labels = np.array([1, np.nan, np.nan, 0])
    >>> some = certain_yields(labels[[0, 2, 3]], labels[[0, 2, 3]], np.array([1, 3, 4]))
    >>> [one.tolist() for one in some]
    [[1.0, 1.0, 1.0], [1.0, 3.0, 3.0]]
    """
    left_out = 0 if at is None else np.diff(at, prepend=0) - 1
    least = np.cumsum(np.where(np.isnan(hits_low), 0.0, hits_low))
    most = np.cumsum(np.where(np.isnan(hits_high), 1.0, hits_high) + left_out)
    return least, most


def closed_yields(
    bounds: tuple[IntArray, FloatArray, FloatArray],
    certain: tuple[FloatArray, FloatArray],
    at: IntArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Bounds on Y(r) at all ranks, from bounds at some ranks and what is certain.

    Between two ranks Y grows by at least the hits seen there and at most by those and the
    unlabelled items. A curve inside the given bounds is inside these too, so this costs no
    coverage. Where no curve lies inside both, the given bounds are wrong, and only what is certain
    is returned.

    bounds     ranks, low and high, (n,) each
    certain    from ``certain_yields``, (n_items,) each
    at         as ``certain_yields`` has it, the ranks of the bounds among them: what is said there
               does not depend on which others are left out
    Returns    low and high, (n_items,) each

    >>> labels = np.array([1, np.nan, np.nan, 0])
    >>> low, high = closed_yields(
    ...     (np.array([3]), np.array([2.0]), np.array([2.5])), certain_yields(labels, labels)
    ... )
    >>> low.tolist(), high.tolist()
    ([1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 2.5, 2.5])
    """
    least, most = certain
    ranks, bound_low, bound_high = bounds
    low, high = least.copy(), most.copy()
    place = ranks - 1 if at is None else np.searchsorted(at, ranks)
    low[place] = np.maximum(low[place], bound_low)
    high[place] = np.minimum(high[place], bound_high)
    low = least + np.maximum.accumulate(low - least)
    low = most + np.maximum.accumulate((low - most)[::-1])[::-1]
    high = most + np.minimum.accumulate(high - most)
    high = least + np.minimum.accumulate((high - least)[::-1])[::-1]
    if np.any(low > high + ROUNDING):
        return least, most
    return low, np.maximum(low, high)
