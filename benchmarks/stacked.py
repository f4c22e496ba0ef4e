"""Many intervals at once: the design's own ``estimate``, with the slow parts done for all runs.

``estimates`` runs each task twice. The first time every call of ``profile_bounds`` is written down
instead of computed; then all of them are solved together, row by row of one large array; the second
time the answers are handed out in the order of the calls. Nothing else of a design is replaced, so
a new design that calls ``profile_bounds`` joins by itself, and one that does not is simply run.
The sequences of a plain random sample are functions of three counts and are kept once computed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from labelcore.designs.scalars import Figures
from labelcore.stats import profile, sequences
from labelcore.stats.profile import Cells, FloatArray, Ratios

Task = Callable[[], Figures]
ROWS_AT_ONCE = 1500
kept_finite = lru_cache(maxsize=200_000)(sequences.finite_sequence)
kept_rate = lru_cache(maxsize=200_000)(sequences.rate_sequence)


@contextmanager
def standing_in(original: Any, other: Any) -> Iterator[None]:
    """``other`` in the place of ``original`` in every module of labelcore that imported it."""
    name = original.__name__
    places = [
        module
        for path, module in list(sys.modules.items())
        if path.startswith("labelcore.") and vars(module).get(name) is original
    ]
    for module in places:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module in places:
            setattr(module, name, original)


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    cells: Cells
    table: Ratios
    critical: FloatArray
    target: str


def estimates(tasks: Sequence[Task]) -> list[Figures]:
    """What each task returns, tasks being calls of ``Design.estimate``."""
    calls: list[Call] = []

    def written_down(
        cells: Cells, ratios: Ratios, critical: FloatArray, *, target: str = "file"
    ) -> tuple[FloatArray, FloatArray]:
        calls.append(Call(cells, ratios, critical, target))
        return np.zeros(len(critical)), np.ones(len(critical))

    with (
        standing_in(sequences.finite_sequence, kept_finite),
        standing_in(sequences.rate_sequence, kept_rate),
    ):
        with standing_in(profile.profile_bounds, written_down):
            found = [task() for task in tasks]
        if not calls:
            return found
        answers = iter(zip(calls, all_bounds(calls), strict=True))

        def handed_out(
            cells: Cells, ratios: Ratios, critical: FloatArray, *, target: str = "file"
        ) -> tuple[FloatArray, FloatArray]:
            call, answer = next(answers)
            if not np.array_equal(call.critical, critical) or call.target != target:
                raise RuntimeError("a design's second call of profile_bounds rests on its first")
            return answer

        with standing_in(profile.profile_bounds, handed_out):
            return [task() for task in tasks]


def all_bounds(calls: Sequence[Call]) -> list[tuple[FloatArray, FloatArray]]:
    """``profile_bounds`` of every call."""
    found: list[tuple[FloatArray, FloatArray]] = [(np.zeros(0), np.zeros(0))] * len(calls)
    alike: dict[tuple[int, int, str], list[int]] = {}
    for place, call in enumerate(calls):
        shape = (len(call.cells.size), len(call.critical), call.target)
        alike.setdefault(shape, []).append(place)
    for (_, rows, target), places in alike.items():
        step = max(1, ROWS_AT_ONCE // (2 * rows))
        for start in range(0, len(places), step):
            part = places[start : start + step]
            low, high = _bounds([calls[place] for place in part], rows, target)
            for place, one_low, one_high in zip(part, low, high, strict=True):
                found[place] = (one_low, one_high)
    return found


@dataclass(eq=False, slots=True)
class Rows:
    """One row per call, estimand and direction; the arrays of ``profile.Region`` side by side.

    (n_rows, n_cells): labelled, positive, size, unlabelled, predicted, a, b, and after ``aim`` the
    slope, the counts with the directed quarter (s, f), the free items and the constant of D.
    """

    a0: FloatArray
    a: FloatArray
    b0: FloatArray
    b: FloatArray
    size: FloatArray
    labelled: FloatArray
    positive: FloatArray
    quarter: FloatArray
    free: FloatArray
    open: FloatArray
    direction: FloatArray
    goal: FloatArray

    def chosen(self, keep: Any) -> Rows:
        return Rows(*(getattr(self, item.name)[keep] for item in fields(self)))

    def value(self, totals: FloatArray) -> FloatArray:
        above = self.a0 + (self.a * totals).sum(axis=-1)
        below = self.b0 + (self.b * totals).sum(axis=-1)
        return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 1e-12)


def _bounds(calls: list[Call], rows: int, target: str) -> tuple[FloatArray, FloatArray]:
    """Low and high, each (n_calls, n_estimands), as ``profile_bounds`` has them."""
    every = _rows(calls, rows, target)
    with np.errstate(invalid="ignore", divide="ignore"):
        start = np.concatenate(
            [call.table.value(profile.plug_in_totals(call.cells)) for call in calls]
        ).reshape(len(calls), rows)
        value = np.clip(np.nan_to_num(np.repeat(start, 2, axis=0).ravel(), nan=0.5), 0.01, 0.99)
        point = np.full(len(value), -2.0)
        going = np.arange(len(value))
        for _ in range(profile.ROUNDS):
            reached, point[going] = _reach(every.chosen(going), value[going], point[going], target)
            moved = ~(np.abs(reached - value[going]) < 1e-9)
            value[going] = reached
            going = going[moved]
            if not len(going):
                break
    ends = np.clip(value, 0.0, 1.0).reshape(len(calls), 2, rows)
    return ends[:, 0], ends[:, 1]


def _rows(calls: list[Call], rows: int, target: str) -> Rows:
    """The rows of each call in the order: all estimands downwards, all upwards."""
    number = 2 * rows

    def of_cells(arrays: list[FloatArray]) -> FloatArray:
        return np.repeat(np.array(arrays, dtype=float), number, axis=0)

    def of_table(arrays: list[FloatArray]) -> FloatArray:
        return np.concatenate([part for array in arrays for part in (array, array)])

    process = target == "process"
    cells = [call.cells for call in calls]
    opened = [one.unlabelled > 1e-9 if not process else one.size >= 0 for one in cells]
    quarters = [
        profile._directed_quarter(one, shut) for one, shut in zip(cells, opened, strict=True)
    ]
    unlabelled = [
        np.full(len(one.size), profile.PROCESS_UNLABELLED) if process else one.unlabelled
        for one in cells
    ]
    return Rows(
        a0=of_table([call.table.a0 for call in calls]),
        a=of_table([call.table.a for call in calls]),
        b0=of_table([call.table.b0 for call in calls]),
        b=of_table([call.table.b for call in calls]),
        size=of_cells([one.size for one in cells]),
        labelled=of_cells([one.labelled for one in cells]),
        positive=of_cells([one.positive for one in cells]),
        quarter=of_cells(quarters),
        free=of_cells(unlabelled),
        open=of_cells([shut.astype(float) for shut in opened]),
        direction=np.tile(np.repeat([-1.0, 1.0], rows), len(calls)),
        goal=np.log(np.maximum(of_table([call.critical for call in calls]), 1e-300)),
    )


def _reach(
    rows: Rows, value: FloatArray, start: FloatArray, target: str
) -> tuple[FloatArray, FloatArray]:
    """The value each row reaches along its gradient at ``value``, and the multiplier there."""
    inner = np.clip(value, 1e-9, 1 - 1e-9)
    slope = rows.direction[:, None] * (rows.a - inner[:, None] * rows.b)
    up = (slope > 0).astype(float)
    if target == "process":
        weight = rows.size / (rows.labelled + rows.free)
        slope = slope * weight / weight.max(axis=1, keepdims=True)
    s = rows.positive + rows.quarter * up
    f = rows.labelled - rows.positive + rows.quarter * (1 - up)
    free = rows.free
    constant = x_log_x(s) + x_log_x(f) - x_log_x(s + f) - x_log_x(free) + x_log_x(s + f + free)
    region = Region(slope, s, f, free, constant, rows.open)
    u, point = region.solve(rows.goal, start)
    if target == "file":
        return rows.value(rows.positive + u), point
    totals = rows.size * (rows.positive + u) / (rows.labelled + free)
    return rows.value(totals), point


def x_log_x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log(np.maximum(x, 1e-300)))


@dataclass(eq=False, slots=True)
class Region:
    """``profile.Region`` with counts of its own in every row, all arrays (n_rows, n_cells)."""

    slope: FloatArray
    s: FloatArray
    f: FloatArray
    free: FloatArray
    constant: FloatArray
    open: FloatArray

    def chosen(self, keep: Any) -> Region:
        return Region(*(getattr(self, item.name)[keep] for item in fields(self)))

    def rest(self) -> FloatArray:
        """The unlabelled positives at the labelled rate."""
        n = self.s + self.f
        rate = np.divide(self.s, n, out=np.full_like(self.s, 0.5), where=n > 0)
        return np.asarray(self.free * rate)

    def unlabelled_positives(self, log_multiplier: FloatArray) -> FloatArray:
        e1 = np.expm1(np.clip(-np.exp(log_multiplier)[:, None] * self.slope, -700, 700))
        b = -self.s - self.f - e1 * (self.free + self.f)
        d = np.sqrt(np.maximum(b * b - 4 * e1 * self.free * self.s, 0.0))
        u = np.where(b <= 0, 2 * self.free * self.s / (d - b), -(b + d) / (2 * e1))
        bad = ~np.isfinite(u)
        if bad.any():
            u = np.where(bad, self.rest(), u)
        return np.asarray(np.clip(u, 0.0, self.free))

    def excess(self, log_multiplier: FloatArray, goal: FloatArray) -> FloatArray:
        """ln D(u) - ln of the critical value, (n_rows,)."""
        u = self.unlabelled_positives(log_multiplier)
        v = self.free - u
        parts = self.constant + x_log_x(u) + x_log_x(v) - x_log_x(self.s + u) - x_log_x(self.f + v)
        statistic = 2 * (parts * self.open).sum(axis=-1)
        return np.asarray(np.log(np.maximum(statistic, 1e-300)) - goal)

    def limit(self) -> FloatArray:
        ends = np.where(self.slope > 0, self.free, 0.0)
        return np.where(self.slope == 0, self.rest(), ends)

    def solve(self, goal: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u where D reaches its critical value in each row, by the root search of ``profile``."""
        low, high = profile.LOG_MULTIPLIER_RANGE
        rows = len(goal)
        at_limit = self.excess(np.full(rows, high), goal) < 0
        found = start.copy()
        going = np.flatnonzero(~at_limit)
        if len(going):
            search = Search(self.chosen(going), goal[going], start[going], low, high)
            found[going] = search.run()
        u = self.unlabelled_positives(found)
        u[at_limit] = self.chosen(at_limit).limit()
        return u, np.clip(found, -20.0, 3.0)


class Search:
    """The bracketed secant of ``profile.Region.solve`` over many rows; those that are done are
    put aside."""

    def __init__(
        self, region: Region, goal: FloatArray, start: FloatArray, low: float, high: float
    ) -> None:
        rows = len(goal)
        self.region, self.goal, self.point = region, goal, start.copy()
        self.left, self.right = np.full(rows, low), np.full(rows, high)
        self.slope, self.last_point = np.full(rows, 2.0), self.right.copy()
        self.last_excess = np.full(rows, np.nan)
        self.row = np.arange(rows)
        self.found = start.copy()

    def run(self) -> FloatArray:
        for step in range(profile.ROOT_STEPS):
            excess = self.region.excess(self.point, self.goal)
            self.right = np.where(excess >= 0, self.point, self.right)
            self.left = np.where(excess < 0, self.point, self.left)
            done = (np.abs(excess) < 1e-9) | (self.right - self.left < 1e-11) | np.isnan(excess)
            self.found[self.row] = self.point
            if done.all():
                break
            if done.mean() > 0.2:
                excess = excess[~done]
                self._keep(~done)
            self._move(excess, step)
        return self.found

    def _keep(self, keep: Any) -> None:
        self.region = self.region.chosen(keep)
        for name in ("goal", "point", "left", "right", "slope", "last_point", "last_excess", "row"):
            setattr(self, name, getattr(self, name)[keep])

    def _move(self, excess: FloatArray, step: int) -> None:
        secant = (excess - self.last_excess) / (self.point - self.last_point)
        self.slope = np.where((secant > 0.05) & (secant < 20), secant, self.slope)
        self.last_point, self.last_excess = self.point, excess
        guess = self.point - excess / self.slope
        inside = (guess > self.left) & (guess < self.right) & (step % 8 != 7)
        self.point = np.where(inside, guess, (self.left + self.right) / 2)
