"""What a G-profile interval surely reaches: values at points inside the region, in a fraction of
the time that its ends take.

A point is inside where D(u) is below the critical value, however it was found; so the interval of
``profile_bounds`` holds its value. The points are looked for near the ends: at a few of many looks,
on the lines between these for the others, and at a look of its own where that is not near enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from labelcore.stats.profile import (
    LOG_MULTIPLIER_RANGE,
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Region,
    Table,
    smoothed_rates,
)

INWARDS, INSIDE = 2e-3, 1e-3
"""By how much of the logarithm of D the points are to stay off the edge, and at least stay."""
ROUNDS, STEPS = 2, 12
HOLD_INWARDS, HOLD_STEPS = 5e-3, (3, 2, 3)
"""The same for points that are to lie beyond two values, which need not be the furthest."""
STRIDE = 16
FURTHER_IN = (0.15, 0.01)
"""By how much of the logarithm of the multiplier points between two looks are moved inwards."""
NOTHING = np.array([np.inf, -np.inf])

Enough = Callable[[FloatArray, FloatArray], BoolArray]


@dataclass(frozen=True, eq=False, slots=True)
class Points:
    """Points of a region towards its lower and its upper end at each look, (n_looks, 2) each.

    point   the logarithm of the multiplier
    at      the value of the figure at which its gradient was taken
    """

    point: FloatArray
    at: FloatArray

    def at_looks(self, own: FloatArray, looks: FloatArray) -> Points:
        """Those on the lines between the looks ``own`` that these are of."""
        between = [
            np.column_stack([np.interp(looks, own, side) for side in each.T])
            for each in (self.point, self.at)
        ]
        return Points(*between)


def reached(
    cells: Cells,
    table: Table,
    critical: FloatArray,
    enough: Enough,
    *,
    target: str = "file",
    known: Points | None = None,
) -> tuple[FloatArray, FloatArray, Points]:
    """Two values at each look that the interval of one figure holds, near its ends where the looks
    are not settled before; infinity and minus infinity where there are none.

    cells     with an axis of looks
    table     of one row; of differences only those with known denominators
    critical  (n_looks,), those of the intervals, or less
    enough    at which looks two such values, (n_looks,) each, settle what is asked
    known     points to begin with: of an earlier look, one row; nothing depends on them but time
    Returns   low, high, (n_looks,) each, and points for the next time
    """
    region = _Regions(cells, table, critical, target)
    looks = np.arange(len(critical))
    if known is None:
        some = np.unique(np.append(looks[::STRIDE], looks[-1]))
        rough = region.chosen(some).near_the_edge(None)
        points = rough.at_looks(some.astype(float), looks.astype(float))
    else:
        points = Points(*(np.repeat(row, len(looks), axis=0) for row in (known.point, known.at)))
    low, high = np.repeat(NOTHING[:, None], len(looks), axis=1)
    left = looks
    for inwards in FURTHER_IN:
        part = Points(points.point[left] - inwards, points.at[left])
        low[left], high[left] = region.chosen(left).values(part)
        left = looks[~enough(low, high)]
        if not len(left):
            return low, high, Points(points.point[-1:], points.at[-1:])
    further = region.chosen(left)
    closest = further.near_the_edge(Points(points.point[left], points.at[left]))
    low[left], high[left] = further.values(closest)
    return low, high, Points(closest.point[-1:], closest.at[-1:])


def holding(cells: Cells, table: Table, critical: FloatArray, band: FloatArray) -> BoolArray:
    """At which looks the intervals of all rows surely hold ``band``, (n_looks,).

    cells     with an axis of looks
    table     as for ``reached``, of several rows
    critical  (n_looks, n_rows)
    band      (2, n_rows), two values of each row
    """
    regions = _Regions(cells, table, np.concatenate([critical, critical], axis=1), "file")
    ends, sign = band.reshape(-1), np.repeat([-1.0, 1.0], band.shape[1])
    left, held = np.arange(len(critical)), np.zeros(regions.goal.shape, dtype=bool)
    point = slope = last = step = np.zeros(held.shape)
    for steps in HOLD_STEPS:
        part = regions.chosen(left)
        region = part.along(np.broadcast_to(ends, part.goal.shape))
        if part is regions:
            point, slope = part.likely(region), np.full(held.shape, 2.0)
        for _ in range(steps):
            u = region.unlabelled_positives(point)
            excess, value = part.excess(region, u), part.both.value(region.totals(u))
            held[left] |= (excess < -INSIDE) & (sign * value >= sign * ends)
            secant = np.divide(excess - last, step, out=slope.copy(), where=step != 0)
            slope = np.where((secant > 0.05) & (secant < 20), secant, slope)
            step = np.clip(-(excess + HOLD_INWARDS) / slope, -2.0, 2.0)
            last, point = excess, np.clip(point + step, *LOG_MULTIPLIER_RANGE)
        going = ~held[left].all(axis=1)
        left = left[going]
        if not len(left):
            break
        point, slope, last, step = (lines[going] for lines in (point, slope, last, step))
    return np.asarray(held.all(axis=1))


class _Regions:
    """The regions of one figure at several looks, ``cells`` with an axis of looks; of several
    figures with two critical values of each, (n_looks, 2 n_rows)."""

    def __init__(self, cells: Cells, table: Table, critical: FloatArray, target: str) -> None:
        self.cells, self.table, self.target = cells, table, target
        self.both, self.critical = table.twice(), critical
        self.goal = np.log(np.maximum(critical, 1e-300)).reshape(len(critical), -1)

    def chosen(self, looks: np.ndarray) -> _Regions:
        if len(looks) == len(self.critical):
            return self
        cells = self.cells
        part = replace(cells, labelled=cells.labelled[looks], positive=cells.positive[looks])
        return _Regions(part, self.table, self.critical[looks], self.target)

    def values(self, points: Points) -> tuple[FloatArray, FloatArray]:
        """The figure at these points where they are inside, else infinities."""
        region = self.along(points.at)
        u = region.unlabelled_positives(np.clip(points.point, *LOG_MULTIPLIER_RANGE))
        excess, value = self.excess(region, u), self.both.value(region.totals(u))
        inside = np.where((excess < -INSIDE) & ~np.isnan(value), value, NOTHING)
        return inside[:, 0], inside[:, 1]

    def near_the_edge(self, start: Points | None) -> Points:
        """Points a little inside the edge."""
        if start is None:
            middle = self._middle()
            start = Points(np.full((len(middle), 2), -2.0), middle)
        point, at = start.point, start.at
        for _ in range(ROUNDS):
            region = self.along(at)
            point, u = self._on_curves(region, point)
            last_at, at = at, np.clip(self.both.value(region.totals(u)), -1.0, 1.0)
            at = np.where(np.isnan(at), last_at, at)
        return Points(point, last_at)

    def _on_curves(self, region: Region, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where the curves are a little inside the edge, by a bracketed secant: the multipliers and
        the unlabelled positives."""
        left, right = (np.full(point.shape, end) for end in LOG_MULTIPLIER_RANGE)
        slope, excess, step = (
            np.full(point.shape, 2.0),
            np.zeros(point.shape),
            np.zeros(point.shape),
        )
        for _ in range(STEPS):
            u, last = region.unlabelled_positives(point), excess
            excess = self.excess(region, u) + INWARDS
            if np.all(np.abs(excess) < INWARDS - INSIDE):
                break
            left, right = np.where(excess < 0, point, left), np.where(excess < 0, right, point)
            secant = np.divide(excess - last, step, out=slope.copy(), where=step != 0)
            slope = np.where((secant > 0.05) & (secant < 20), secant, slope)
            guess = point - excess / slope
            guess = np.where((guess > left) & (guess < right), guess, (left + right) / 2)
            step, point = guess - point, guess
        return point, u

    def likely(self, region: Region) -> FloatArray:
        """Multipliers near the edge: where D is as large as wanted if it is quadratic."""
        labelled = region.s + region.f
        rate = (region.s + 0.5) / (labelled + 1)
        items = region.free * (labelled + region.free) / np.maximum(labelled, 0.25)
        spread = (region.slope**2 * region.open * items * rate * (1 - rate)).sum(axis=-1)
        multiplier = (self.goal - np.log(np.maximum(spread, 1e-300))) / 2
        return np.asarray(np.clip(multiplier, *LOG_MULTIPLIER_RANGE))

    def _middle(self) -> FloatArray:
        totals = self.cells.size * smoothed_rates(self.cells)
        value = np.nan_to_num(self.both.value(totals[:, None, :]), nan=0.5)
        return np.broadcast_to(value, (len(self.critical), 2)).copy()

    def along(self, at: FloatArray) -> Region:
        """The curves along the gradient at these values."""
        if isinstance(self.both, Differences):
            totals = self.cells.size * smoothed_rates(self.cells)
            slope = self.both.sensitivity(totals[:, None, :])
            slope = slope / np.maximum(np.abs(slope).max(axis=-1, keepdims=True), 1e-300)
        else:
            slope = self.both.gradient(np.clip(at, 1e-9, 1 - 1e-9))
        sign = np.repeat([-1.0, 1.0], slope.shape[-2] // 2)[:, None]
        return Region(self.cells, sign * slope, self.target)

    def excess(self, region: Region, u: FloatArray) -> FloatArray:
        return np.asarray(np.log(np.maximum(region.statistic(u), 1e-300)) - self.goal)
