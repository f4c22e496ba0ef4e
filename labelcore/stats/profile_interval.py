"""The G-profile interval: the one way from counts by cell to the bounds of a quantity."""

import numpy as np

from labelcore.stats.process_profile import Masses, with_unseen
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Ratios,
    Region,
    Table,
    fixed_critical,
    profile_bounds,
    smoothed_rates,
)

STEPS = 25
HALVINGS = 6
CLOSE = 1e-10


def difference_bounds(
    cells: Cells, differences: Differences, critical: FloatArray, *, target: str = "file"
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each difference over the region D(u) <= critical.

    critical  (..., n_rows), for instance the squared quantile of Student's t (``fixed_critical``)
    target    "file": the cells' own unlabelled items; "process": infinitely many like them
    Returns   low, high, each (..., n_rows), in -1 .. 1; NaN where a denominator is zero
    """
    both = differences.twice()
    start = (cells.size * smoothed_rates(cells))[..., None, :]
    shape = both.value(start).shape
    rows = shape[-1] // 2
    direction = np.repeat([-1.0, 1.0], rows)
    limits = np.broadcast_to(critical, (*shape[:-1], rows))
    limits = np.concatenate([limits, limits], axis=-1)
    totals = np.broadcast_to(start, (*shape, start.shape[-1]))
    point, best = np.full(shape, -2.0), np.full(shape, -np.inf)
    for _ in range(STEPS):
        slope = direction[:, None] * both.sensitivity(totals)
        largest = np.abs(slope).max(axis=-1, keepdims=True)
        region = Region(cells, slope / np.where(largest > 0, largest, 1.0), target)
        unlabelled, point = region.solve(limits, point)
        reached, height = _halved(both, direction, totals, region.totals(unlabelled), best)
        gain = height - best
        totals, best = np.where((gain > 0)[..., None], reached, totals), np.fmax(best, height)
        if not np.any(gain > CLOSE):
            break
    ends = np.where(np.isfinite(best), direction * best, np.nan)
    return np.clip(ends[..., :rows], -1.0, 1.0), np.clip(ends[..., rows:], -1.0, 1.0)


def _halved(
    table: Differences,
    direction: FloatArray,
    start: FloatArray,
    end: FloatArray,
    best: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Where each row rises above ``best`` on the way from the end back to the start, and how high;
    the last point tried where it does not."""
    reached, height = end, direction * table.value(end)
    for _ in range(HALVINGS):
        short = np.isfinite(best) & (height < best)
        if not short.any():
            break
        reached = np.where(short[..., None], (start + reached) / 2, reached)
        height = direction * table.value(reached)
    return reached, height


FEW_LEFT = 200
"""Unlabelled items that a figure rests on, up to which its bounds are in whole items."""


def profile_interval(
    cells: Cells,
    table: Table,
    confidence: FloatArray | float,
    *,
    rates: FloatArray | None = None,
    target: str = "file",
    inflation: FloatArray | float = 1.0,
    rests_on: BoolArray | None = None,
    whole_items: bool = True,
    masses: Ratios | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of each row of ``table``, (..., n_rows) each; NaN where a denominator
    may be zero.

    cells        of one run, or of several side by side
    confidence   of each row; one number, or (...)
    rates        (..., n_cells), the method's own idea of each cell's rate; None where it has none
    target       "file": this file; "process": items like these
    inflation    multiplies the critical value, for a file that is itself a sample; a number or
                 (..., n_rows)
    rests_on     (..., n_rows, n_cells), the cells whose unlabelled items a row rests on; None: all
    masses       the rows as figures of the masses of a process (``process_profile``), whose sizes
                 of cells are chance; None: they are those of the file
    whole_items  whether bounds go to whole items where at most ``FEW_LEFT`` of those are left

    Promise      approximate, "fixed"; "watched" with the ``inflation`` of a planned size.
    Assumption   each cell's labels are a random sample of it.
    Source       Wilks (1938); Satterthwaite (1946) for the degrees of freedom.
    Departure    the region takes numbers of items for continuous, which covers too little where few
                 are left (.83 to .93 instead of .95 with 36 to 162 of 594 items unlabelled); hence
                 whole items there.

    >>> cells = Cells(*np.array([[60.0, 90.0], [30.0, 30.0], [27.0, 2.0]]), np.array([True, False]))
    >>> precision = Ratios(np.zeros(1), np.array([[1.0, 0.0]]), np.array([60.0]), np.zeros((1, 2)))
    >>> [bound.round(4).tolist() for bound in profile_interval(cells, precision, 0.95)]
    [[0.7833], [0.95]]
    """
    critical = critical_values(
        cells, table, confidence, rates=rates, target=target, inflation=inflation
    )
    if masses is not None:
        return profile_bounds(with_unseen(cells), masses, critical, target=target, of=Masses)
    if isinstance(table, Differences):
        return difference_bounds(cells, table, critical, target=target)
    low, high = profile_bounds(cells, table, critical, target=target)
    if not whole_items or target == "process":
        return low, high
    unlabelled = cells.unlabelled[..., None, :]
    left = unlabelled if rests_on is None else np.where(rests_on, unlabelled, 0.0)
    few = np.broadcast_to(left.sum(axis=-1) <= FEW_LEFT, low.shape)
    if not few.any():
        return low, high
    least, most = in_whole_items(cells, table, low, high)
    return np.where(few, least, low), np.where(few, most, high)


def critical_values(
    cells: Cells,
    table: Table,
    confidence: FloatArray | float,
    *,
    rates: FloatArray | None = None,
    target: str = "file",
    inflation: FloatArray | float = 1.0,
) -> FloatArray:
    """The critical values of ``profile_interval`` with these arguments, (..., n_rows) or what
    broadcasts to it."""
    critical = fixed_critical(cells, table, confidence, rates, target=target)
    return np.asarray(critical * inflation)


def in_whole_items(
    cells: Cells, table: Ratios, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds, (..., n_rows) each, moved outwards to whole items: up to the next one where what is
    divided by is known, else by what one item can move; never beyond what is certain.
    """
    known = ~table.b.any(axis=-1)
    positive, unlabelled = cells.positive[..., None, :], cells.unlabelled[..., None, :]
    below = np.maximum(table.below(positive + np.where(table.b < 0, unlabelled, 0.0)), 1e-12)
    bounds = []
    for bound, sign in ((low, -1.0), (high, 1.0)):
        slope = sign * table.gradient(np.nan_to_num(bound, nan=0.5))
        step = np.where(unlabelled > 1e-9, np.abs(slope), 0.0).max(axis=-1) / below
        items = np.divide(sign * bound, step, out=np.zeros(step.shape), where=step > 0)
        moved = np.where(known & (step > 0), np.ceil(items - 1e-9) * step, sign * bound + step)
        most = positive + np.where(slope > 0, unlabelled, 0.0)
        bounds.append(sign * np.minimum(moved, sign * table.value(most)))
    return bounds[0], bounds[1]
