"""Strata by a classifier's own score, crossed with what other columns say of the same items.

A second column is worth most where it contradicts the first: a piece of the own ranking is cut at
its verdict, and the larger part once more by its order. Averaging both into one score would hide
just these items.

Source: our own, measured in docs/helpers.md; Neyman (1934) for strata from several variables.
"""

from math import sqrt

import numpy as np

from labelcore.stats.arrays import BoolArray, FloatArray, IntArray
from labelcore.stats.orders import BLOCK, mid_ranks
from labelcore.stats.strata import MINIMUM_SIZE

CUT_ABOVE, CUT_BELOW = 0.5, 0.35
"""The share of the larger part that comes first, among predicted positives and among the others."""
PIECES, FEWER_PIECES = (3, 6), (2, 3)
PARTS, LABELS_EACH = 3, 4


def crossed_pieces(planned: int) -> tuple[int, int]:
    """Pieces of the own score among the predicted positives and among the others, each of which
    ``crossed`` cuts in up to three: fewer where their strata would not get four labels each.

    >>> crossed_pieces(107), crossed_pieces(108)
    ((2, 3), (3, 6))
    """
    few = planned < LABELS_EACH * PARTS * sum(PIECES)
    return FEWER_PIECES if few else PIECES


def crossed(
    order: IntArray, piece: IntArray, says: BoolArray, others: FloatArray, share: FloatArray
) -> tuple[IntArray, IntArray]:
    """Each piece cut at the verdict ``says``, and the larger part by ``others``, highest first.

    order    (n_items,), items from the highest own score to the lowest
    piece    (n_items,), the piece of each item, 0 .. n_pieces - 1
    says     (n_items,), whether the other columns call the item positive
    others   (n_items,), their order; ties keep the own one
    share    (n_pieces,), the share of the larger part that comes first
    Returns  the stratum of each item, (n_items,), and the piece of each stratum, (n_strata,). A
             part of under five items is not cut off.

    >>> says, others = np.arange(20) < 5, np.arange(20.0)
    >>> crossed(np.arange(20), np.zeros(20, int), says, others, np.array([0.4]))[0].tolist()
    [0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    """
    stratum = np.empty(len(piece), dtype=np.int64)
    parents: list[int] = []
    by_piece = order[np.argsort(piece[order], kind="stable")]
    ends = np.cumsum(np.bincount(piece, minlength=len(share)))
    for number, items in enumerate(np.split(by_piece, ends[:-1])):
        for part in _parts(items, says[items], others[items], float(share[number])):
            stratum[part] = len(parents)
            parents.append(number)
    return stratum, np.array(parents, dtype=np.int64)


def _parts(items: IntArray, says: BoolArray, others: FloatArray, share: float) -> list[IntArray]:
    """At most three parts, those called positive first."""
    if min(says.sum(), (~says).sum()) < MINIMUM_SIZE:
        return _by_order(items, others, share)
    yes, no = items[says], items[~says]
    if len(yes) > len(no):
        return [*_by_order(yes, others[says], share), no]
    return [yes, *_by_order(no, others[~says], share)]


def _by_order(items: IntArray, others: FloatArray, share: float) -> list[IntArray]:
    first = round(share * len(items))
    if min(first, len(items) - first) < MINIMUM_SIZE:
        return [items]
    ordered = items[np.argsort(-others, kind="stable")]
    return [ordered[:first], ordered[first:]]


def surprise(own: FloatArray, others: FloatArray, side: BoolArray) -> FloatArray:
    """What ``others`` say beyond ``own``: the residual of a least-squares line within each side of
    the prediction, (n_items,), with mean 0 there."""
    residual = np.zeros(len(own))
    for mask in (side, ~side):
        if mask.any():
            x, y = own[mask] - own[mask].mean(), others[mask] - others[mask].mean()
            square = float(x @ x)
            residual[mask] = y - (float(x @ y) / square * x if square > 0 else 0.0)
    return residual


def surprise_of_strata(
    own: FloatArray, others: FloatArray, side: BoolArray, sizes: FloatArray
) -> FloatArray:
    """``surprise`` of strata, each of ``sizes`` items that are alike, (n_strata,)."""
    residual = np.zeros(len(own))
    for mask in (side, ~side):
        if mask.any():
            share = sizes[mask] / sizes[mask].sum()
            x, y = own[mask] - share @ own[mask], others[mask] - share @ others[mask]
            square = float(share @ x**2)
            residual[mask] = y - (float(share @ (x * y)) / square * x if square > 0 else 0.0)
    return residual


def agreement_in_order(own: FloatArray, others: FloatArray, side: BoolArray) -> float:
    """Spearman's rank correlation within the sides of the prediction, the mean of both weighted by
    their items, -1 to 1; 0 where an order is constant.

    >>> own, side = np.arange(4.0), np.array([True, True, False, False])
    >>> round(agreement_in_order(own, own, side), 12)
    1.0
    """
    total = 0.0
    for mask in (side, ~side):
        if mask.sum() < 2:
            continue
        x, y = mid_ranks(own[mask]), mid_ranks(others[mask])
        middle, sums = float(len(x)), np.zeros(3)
        for first in range(0, len(x), BLOCK):
            u, v = (ranks[first : first + BLOCK] - middle for ranks in (x, y))
            sums += [u @ v, u @ u, v @ v]
        if sums[1:].all():
            total += len(x) * float(sums[0]) / sqrt(sums[1] * sums[2])
    return total / len(own)
