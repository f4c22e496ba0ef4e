"""Sharing labels over strata in whole numbers."""

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray


def largest_remainder(shares: FloatArray, total: int, capacity: IntArray) -> IntArray:
    """Whole numbers that add up to min(total, sum of capacity), in proportion to ``shares``, never
    above ``capacity``; what does not fit in a full stratum goes to the others in proportion.

    shares, capacity   (..., n_strata); each line is shared out by itself

    >>> largest_remainder(np.array([.5, .3, .2]), 7, np.array([2, 9, 9])).tolist()
    [2, 3, 2]
    """
    room = np.broadcast_to(capacity, shares.shape).astype(float)
    given = np.zeros(shares.shape)
    wanted = np.minimum(float(total), room.sum(axis=-1, keepdims=True))
    left = wanted
    while True:
        weight = np.where(room - given > 1e-9, np.maximum(shares, 1e-12), 0.0)
        # Of many items rounding may leave something over where every stratum is full.
        if not ((left > 1e-9) & weight.any(axis=-1, keepdims=True)).any():
            break
        whole = np.maximum(weight.sum(axis=-1, keepdims=True), 1e-300)
        step = np.minimum(np.where(left > 1e-9, left, 0.0) * weight / whole, room - given)
        given = given + step
        left = left - step.sum(axis=-1, keepdims=True)
    whole_part = np.floor(given + 1e-9)
    missing = np.rint(wanted - whole_part.sum(axis=-1, keepdims=True))
    order = np.argsort(-(given - whole_part), axis=-1, kind="stable")
    free = np.take_along_axis(whole_part < room, order, axis=-1)
    more = np.empty(shares.shape)
    np.put_along_axis(more, order, free & (np.cumsum(free, axis=-1) <= missing), axis=-1)
    return np.asarray(whole_part + more).astype(np.int64)


def pieces_by_size(sizes: IntArray, pieces: int) -> list[int]:
    """How many of ``pieces`` each of several groups gets: one, and more by its size.

    >>> pieces_by_size(np.array([600, 300, 100]), 18), pieces_by_size(np.array([5, 5, 5]), 2)
    ([10, 6, 2], [1, 1, 1])
    """
    more = max(pieces - len(sizes), 0)
    shared = largest_remainder(sizes.astype(float), more, np.full(len(sizes), more))
    return [1 + int(number) for number in shared]


def top_up(target: FloatArray, drawn: IntArray, batch: int, capacity: IntArray) -> IntArray:
    """How many of the next ``batch`` items come from each stratum, so that the numbers drawn come
    as close as possible to ``target`` shares of the new total; strata beyond their share get none.

    target    (..., n_strata), shares that sum to 1
    drawn     (..., n_strata), items drawn so far; capacity (n_strata,), items in the file
    """
    room = capacity - drawn
    wanted = target * (drawn.sum(axis=-1, keepdims=True) + batch)
    short = np.clip(wanted - drawn, 0.0, room.astype(float))
    none = short.sum(axis=-1, keepdims=True) <= 0
    if none.any():
        short = np.where(none, np.where(room > 0, target, 0.0), short)
    return largest_remainder(short, batch, room)
