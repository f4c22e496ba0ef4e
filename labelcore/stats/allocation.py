"""Sharing labels over strata in whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def largest_remainder(shares: FloatArray, total: int, capacity: IntArray) -> IntArray:
    """Whole numbers that add up to min(total, sum of capacity), in proportion to ``shares``, never
    above ``capacity``; what does not fit in a full stratum goes to the others in proportion.

    >>> largest_remainder(np.array([.5, .3, .2]), 7, np.array([2, 9, 9])).tolist()
    [2, 3, 2]
    """
    room = capacity.astype(float)
    given = np.zeros(len(shares))
    left = min(float(total), room.sum())
    while left > 1e-9:
        weight = np.where(room - given > 1e-9, np.maximum(shares, 1e-12), 0.0)
        step = np.minimum(left * weight / weight.sum(), room - given)
        given += step
        left -= float(step.sum())
    whole = np.floor(given + 1e-9)
    missing = round(float(min(float(total), room.sum()) - whole.sum()))
    order = np.argsort(-(given - whole), kind="stable")
    order = order[(whole < room)[order]]
    whole[order[:missing]] += 1
    return whole.astype(np.int64)


def top_up(target: FloatArray, drawn: IntArray, batch: int, capacity: IntArray) -> IntArray:
    """How many of the next ``batch`` items come from each stratum, so that the numbers drawn come
    as close as possible to ``target`` shares of the new total; strata beyond their share get none.

    target    (n_strata,), shares that sum to 1
    drawn     (n_strata,), items drawn so far; capacity (n_strata,), items in the file
    """
    room = capacity - drawn
    wanted = target * (drawn.sum() + batch)
    short = np.clip(wanted - drawn, 0.0, room.astype(float))
    if short.sum() <= 0:
        short = np.where(room > 0, target, 0.0)
    return largest_remainder(short, batch, room)
