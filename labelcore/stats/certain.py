"""What is certain of a figure while items have no label: its extremes over every way they may turn
out."""

import numpy as np

from labelcore.stats.profile import BoolArray, Cells, Differences, FloatArray, Ratios, Table

STEPS = 60


def certain_bounds(cells: Cells, table: Table) -> tuple[FloatArray, FloatArray]:
    """The least and the largest value that the labels leave possible, (..., n_rows) each.

    Exact for ratios, for differences of which nothing divided by depends on the labels (accuracy,
    precision) and for those of one denominator (recall); for others (F1) the extremes of both
    ratios taken apart, which hold too and are wider. 0 or -1 to 1 where a denominator may be zero.

    Promise   always true, whatever was labelled first and however often anybody looked.
    Source:   a ratio of linear totals over a box; the iteration is that of Dinkelbach (1967).
    """
    if isinstance(table, Ratios):
        return _extremes(cells, table, 0.0)
    joined, one_ratio = _joined(table)
    low, high = _extremes(cells, joined, -1.0)
    if one_ratio.all():
        return low, high
    (least, most), (under, over) = (
        _extremes(cells, ratios, 0.0) for ratios in (table.first, table.second)
    )
    return np.where(one_ratio, low, least - over), np.where(one_ratio, high, most - under)


def _extremes(cells: Cells, ratios: Ratios, least: float) -> tuple[FloatArray, FloatArray]:
    turned = Ratios(-ratios.a0, -ratios.a, ratios.b0, ratios.b)
    low, high = _least(cells, ratios), -_least(cells, turned)
    return np.maximum(low, least), np.minimum(high, 1.0)


def _joined(table: Differences) -> tuple[Ratios, BoolArray]:
    """The differences as one ratio each, and which of them are one, (..., n_rows)."""
    left, right = table.first, table.second
    fixed = ~left.b.any(axis=-1) & ~right.b.any(axis=-1) & (left.b0 > 0) & (right.b0 > 0)
    alike = (left.b == right.b).all(axis=-1) & (left.b0 == right.b0)
    first, second = (np.where(fixed, ratios.b0, 1.0) for ratios in (left, right))
    joined = Ratios(
        left.a0 / first - right.a0 / second,
        left.a / first[..., None] - right.a / second[..., None],
        np.where(fixed, 1.0, left.b0),
        left.b,
    )
    return joined, np.asarray(fixed | alike)


def _least(cells: Cells, ratios: Ratios) -> FloatArray:
    """The smallest value of each ratio, (..., n_rows); -inf where what it is divided by may be
    zero."""
    none = cells.positive[..., None, :]
    every = none + cells.unlabelled[..., None, :]
    below = ratios.b0 + np.minimum(ratios.b * none, ratios.b * every).sum(axis=-1)
    sure = below > 1e-12
    value = np.where(sure, ratios.value(none), -np.inf)
    for _ in range(STEPS):
        falls = ratios.gradient(np.where(sure, value, 0.0)) < 0
        reached = ratios.value(np.where(falls, every, none))
        lower = sure & (reached < value - 1e-15)
        if not lower.any():
            break
        value = np.where(lower, reached, value)
    return value
