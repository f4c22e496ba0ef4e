"""A figure for the settled judgement, from one reading of every label and several of some.

Two-phase sampling: the labels of the sample give the totals by the first reading; the overlap, a
random part of the labels, gives how often the settled judgement is another one. With K_k the items
of a cell that are positive by the first reading, those by the settled judgement are

    K_k (1 - f1) + (N_k - K_k) f0,

f1 the share of the first reading's positive items that are settled otherwise, f0 that of its other
items. Both are estimated apart among the items that are predicted positive and among the others.

The interval adds the squares of what each part alone moves the end (Zou and Donner, 2008): the
totals of the first reading by the G-profile, and each of the shares by its own limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from labelcore.stats.profile import BoolArray, Cells, FloatArray, Ratios, plug_in_totals
from labelcore.stats.proportion import jeffreys


@dataclass(frozen=True, eq=False, slots=True)
class Overlap:
    """Labelled items of which the settled judgement is known, each array (n_items,).

    cell      the cell of the item
    first     whether it is positive by the first reading
    settled   whether it is positive by the settled judgement
    """

    cell: np.ndarray
    first: BoolArray
    settled: BoolArray


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its limits."""

    value: float
    low: float
    high: float


Flips = dict[tuple[bool, bool], Share]
"""By what is predicted and by the first reading: the share of items that are settled otherwise."""


def flip_share(flips: BoolArray, weight: FloatArray, confidence: float) -> Share:
    """The share of items of the file whose settled judgement is not the first reading.

    flips    (n_items,), of items with one prediction and one first reading
    weight   (n_items,), items of the file that each stands for
    Value    sum of w x over sum of w (Hajek, 1971)
    Interval Jeffreys's at an effective size: the smaller one of Kish's (sum w)^2 / sum w^2 and of
             that which the linearised variance has, because with few flips the second is hardly
             known, times (z / t)^2 for the items that it is estimated from
    No item: 0, from 0 to 1.
    Source: Korn and Graubard (1998); Brown, Cai and DasGupta (2001) for Jeffreys's interval, in
    place of Clopper and Pearson's, with which the figures covered in .97 to 1.
    """
    total = float(weight.sum())
    if total <= 0:
        return Share(0.0, 0.0, 1.0)
    share = float((weight * flips).sum() / total)
    size = total**2 / float((weight**2).sum())
    variance = float((weight**2 * (flips - share) ** 2).sum()) / total**2
    if variance > 0:
        size = min(size, share * (1 - share) / variance)
    tails = (1 + confidence) / 2
    size *= float(ndtri(tails) / stdtrit(max(len(flips) - 1, 1), tails)) ** 2
    low, high = jeffreys(share * size, size, confidence)
    return Share(share, float(low), float(high))


def flips_of(cells: Cells, overlap: Overlap, confidence: float) -> Flips:
    """The shares by prediction and first reading."""
    weight = (cells.size / np.maximum(cells.labelled, 1))[overlap.cell]
    predicted = cells.predicted[overlap.cell]
    found = {}
    for side in (True, False):
        for first in (True, False):
            mine = (predicted == side) & (overlap.first == first)
            flips = (overlap.settled != overlap.first)[mine]
            found[side, first] = flip_share(flips, weight[mine], confidence)
    return found


def settled_ratios(ratios: Ratios, cells: Cells, shares: dict[tuple[bool, bool], float]) -> Ratios:
    """The ratios of settled totals as ratios of those by the first reading."""
    above = cells.predicted
    lost = np.where(above, shares[True, True], shares[False, True])
    won = np.where(above, shares[True, False], shares[False, False])
    kept, added = 1 - lost - won, won * cells.size
    return Ratios(
        ratios.a0 + (ratios.a * added).sum(axis=-1),
        ratios.a * kept,
        ratios.b0 + (ratios.b * added).sum(axis=-1),
        ratios.b * kept,
    )


def settled_interval(
    cells: Cells,
    ratios: Ratios,
    flips: Flips,
    first_phase: Callable[[Ratios], tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high of each ratio for the settled judgement, (n_rows,) each.

    cells         the counts by the first reading
    flips         from ``flips_of`` at the confidence of the result
    first_phase   the interval of such ratios by the labels of the first reading
    Promise: that of ``first_phase``, if ``flips`` has limits for it. Assumption: the overlap is a
    random part of the labels of each cell, and what is settled would be settled so for any item.
    Where a ratio has nothing below its line its value is nan, and an end that has none is 0 or 1.
    Source: Neyman (1938) and Cochran (1977), section 12.6, for double sampling; Zou and Donner
    (2008) for the squares. Coverage was measured, see docs/several_people.md.
    """
    plain = {group: one.value for group, one in flips.items()}
    totals = plug_in_totals(cells)
    moved = settled_ratios(ratios, cells, plain)
    value = np.clip(moved.value(totals), 0.0, 1.0)
    low, high = first_phase(moved)
    below, above = np.maximum(value - low, 0.0) ** 2, np.maximum(high - value, 0.0) ** 2
    for group, one in flips.items():
        ends = [
            np.clip(settled_ratios(ratios, cells, {**plain, group: end}).value(totals), 0.0, 1.0)
            for end in (one.low, one.high)
        ]
        below += np.maximum(value - np.minimum(*ends), 0.0) ** 2
        above += np.maximum(np.maximum(*ends) - value, 0.0) ** 2
    low, high = value - np.sqrt(below), value + np.sqrt(above)
    return value, np.nan_to_num(np.maximum(low, 0.0)), np.nan_to_num(np.minimum(high, 1.0), nan=1.0)
