"""Batches by Neyman's rule with a floor: shared by the methods that use it."""

from collections.abc import Callable

import numpy as np

from labelcore.designs.base import Frame, IntArray, Progress, Setup
from labelcore.stats.allocation import largest_remainder, top_up
from labelcore.stats.profile import FloatArray

Shares = Callable[[IntArray, int, int], FloatArray]

FIRST_LABELS_PER_STRATUM = 2
EARLY_FLOOR, EARLY_UNTIL = 0.35, 0.3
SMALLEST_BATCH = 5


def next_counts(
    setup: Setup,
    frame: Frame,
    progress: Progress,
    shares: Shares,
    first_each: int = FIRST_LABELS_PER_STRATUM,
) -> IntArray:
    """How many items the next batch takes from each stratum, (..., n_strata): of one session, or of
    several that have drawn equally many.

    ``first_each`` labels in each stratum first, those of a sample that is there counted, and two in
    each part of strata that were cut once more; then a batch of ``params.n_step`` labels, or of a
    tenth of those so far, towards ``shares``.

    shares   called with the sizes of the strata, the labels so far and those of the batch; the
             share of all these labels that each stratum should have, (..., n_strata)
    """
    sizes = np.where(frame.asked, frame.sizes, 0)
    labels = int(progress.drawn.sum(axis=-1).max())
    left = progress.limit - labels
    begin = int(frame.drawn_before.sum())
    if frame.cut_at is not None:
        begin, first_each = frame.cut_at, FIRST_LABELS_PER_STRATUM
    first = np.maximum(np.minimum(sizes, first_each) - progress.drawn, 0)
    if labels == begin and first.any():
        enough = first.sum(axis=-1).max() <= left
        return first if enough else largest_remainder(first * 1.0, left, first)
    batch = min(setup.params.n_step or max(SMALLEST_BATCH, labels // 10), left)
    return top_up(setup.portable_shares(shares(sizes, labels, batch)), progress.drawn, batch, sizes)


def neyman_shares(rates: FloatArray, costs: FloatArray, floor: float, planned: int) -> Shares:
    """The shares of ``target_shares`` with the floor of ``floor_at``."""

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        return target_shares(sizes, rates, costs, floor_at(labels, planned, floor))

    return shares


def floor_at(labels: int, planned: int, floor: float) -> float:
    """The share of the labels that is spread evenly: more of it while there are few.

    >>> floor_at(59, 200, 0.2), floor_at(60, 200, 0.2)
    (0.35, 0.2)
    """
    return max(floor, EARLY_FLOOR) if labels < EARLY_UNTIL * planned else floor


def target_shares(
    sizes: IntArray, rates: FloatArray, costs: FloatArray, floor: float
) -> FloatArray:
    """The share of the labels each stratum should have, (n_strata,), summing to 1: in proportion to
    c_k W_k sqrt(theta_k (1 - theta_k)), mixed with W_k."""
    weight = sizes / sizes.sum()
    wanted = costs * weight * np.sqrt(rates * (1 - rates))
    total = wanted.sum()
    if total <= 0:
        return np.asarray(weight)
    return np.asarray(floor * weight + (1 - floor) * wanted / total)
