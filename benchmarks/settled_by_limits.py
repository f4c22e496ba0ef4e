"""Figures for the settled judgement as they were before one region held both phases: the limits of
four shares of flips, from readings drawn evenly, each added in squares. Kept to be compared with.

Source: Jeffreys's limits at an effective size as in Korn and Graubard (1998); Zou and Donner (2008)
for the squares.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from labelcore.stats.profile import Cells, FloatArray, Ratios, plug_in_totals
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.proportion import jeffreys
from labelcore.stats.two_phase import Overlap

Shares = dict[tuple[bool, bool], float]
CONFIDENCE = 0.95


def _share(flips: np.ndarray, weight: FloatArray) -> tuple[float, float, float]:
    total = float(weight.sum())
    if total <= 0:
        return 0.0, 0.0, 1.0
    share = float((weight * flips).sum() / total)
    size = total**2 / float((weight**2).sum())
    variance = float((weight**2 * (flips - share) ** 2).sum()) / total**2
    if variance > 0:
        size = min(size, share * (1 - share) / variance)
    tails = (1 + CONFIDENCE) / 2
    size *= float(ndtri(tails) / stdtrit(max(len(flips) - 1, 1), tails)) ** 2
    low, high = jeffreys(share * size, size, CONFIDENCE)
    return share, float(low), float(high)


def _moved(ratios: Ratios, cells: Cells, shares: Shares) -> Ratios:
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


def interval_by_limits(
    cells: Cells, ratios: Ratios, overlap: Overlap
) -> tuple[FloatArray, FloatArray]:
    """Low and high of each ratio, (n_rows,), from readings that were drawn evenly."""
    weight = (cells.size / np.maximum(cells.labelled, 1))[overlap.cell]
    predicted, flips = cells.predicted[overlap.cell], {}
    for side in (True, False):
        for first in (True, False):
            mine = (predicted == side) & (overlap.first == first)
            flips[side, first] = _share((overlap.settled != overlap.first)[mine], weight[mine])
    plain = {group: one[0] for group, one in flips.items()}
    totals, moved = plug_in_totals(cells), _moved(ratios, cells, plain)
    value = np.clip(moved.value(totals), 0.0, 1.0)
    low, high = profile_interval(cells, moved, CONFIDENCE, whole_items=False)
    below, above = np.maximum(value - low, 0.0) ** 2, np.maximum(high - value, 0.0) ** 2
    for group, limits in flips.items():
        ends = [
            np.clip(_moved(ratios, cells, {**plain, group: end}).value(totals), 0.0, 1.0)
            for end in limits[1:]
        ]
        below += np.maximum(value - np.minimum(*ends), 0.0) ** 2
        above += np.maximum(np.maximum(*ends) - value, 0.0) ** 2
    low, high = value - np.sqrt(below), value + np.sqrt(above)
    return np.nan_to_num(np.maximum(low, 0.0)), np.nan_to_num(np.minimum(high, 1.0), nan=1.0)
