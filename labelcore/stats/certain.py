"""What is certain of a figure while items have no label: its extremes over every way they may turn
out."""

from __future__ import annotations

import numpy as np

from labelcore.stats.profile import Cells, Differences, FloatArray, Ratios, Table

STEPS = 60


def certain_bounds(cells: Cells, table: Table) -> tuple[FloatArray, FloatArray]:
    """The least and the largest value that the labels leave possible, (n_rows,) each.

    Exact for ratios, for differences of which nothing divided by depends on the labels (accuracy,
    precision) and for those of one denominator (recall); for others (F1) the extremes of both
    ratios taken apart, which hold too and are wider. 0 or -1 to 1 where a denominator may be zero.

    Promise   always true, whatever was labelled first and however often anybody looked.
    Source:   a ratio of linear totals over a box; the iteration is that of Dinkelbach (1967).
    """
    rows = range(len(_first(table).a0))
    found = [_of_row(cells, table.row(place)) for place in rows]
    low, high = np.array(found, dtype=float).reshape(-1, 2).T
    return low, high


def _first(table: Table) -> Ratios:
    return table.first if isinstance(table, Differences) else table


def _of_row(cells: Cells, table: Table) -> tuple[float, float]:
    if isinstance(table, Ratios):
        return max(_least(cells, table), 0.0), min(-_least(cells, _turned(table)), 1.0)
    joined = _joined(table)
    if joined is not None:
        return max(_least(cells, joined), -1.0), min(-_least(cells, _turned(joined)), 1.0)
    (low, high), (least, most) = (_of_row(cells, one) for one in (table.first, table.second))
    return low - most, high - least


def _turned(ratios: Ratios) -> Ratios:
    return Ratios(-ratios.a0, -ratios.a, ratios.b0, ratios.b)


def _joined(table: Differences) -> Ratios | None:
    """The difference as one ratio, if it is one."""
    one, two = table.first, table.second
    if not one.b.any() and not two.b.any() and one.b0[0] > 0 and two.b0[0] > 0:
        above = (one.a0 / one.b0 - two.a0 / two.b0, one.a / one.b0 - two.a / two.b0)
        return Ratios(*above, np.ones(1), 0 * one.b)
    if np.array_equal(one.b, two.b) and np.array_equal(one.b0, two.b0):
        return Ratios(one.a0 - two.a0, one.a - two.a, one.b0, one.b)
    return None


def _least(cells: Cells, ratio: Ratios) -> float:
    """The smallest value of one ratio; -inf where what it is divided by may be zero."""
    if ratio.b0[0] + np.minimum(ratio.b * cells.positive, ratio.b * _most(cells)).sum() <= 1e-12:
        return -np.inf
    value = float(ratio.value(cells.positive)[0])
    for _ in range(STEPS):
        falls = ratio.gradient(np.array([value]))[0] < 0
        reached = float(ratio.value(np.where(falls, _most(cells), cells.positive))[0])
        if reached >= value - 1e-15:
            break
        value = reached
    return value


def _most(cells: Cells) -> FloatArray:
    return np.asarray(cells.positive + cells.unlabelled)
