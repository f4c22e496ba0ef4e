"""The G-profile interval: a likelihood-ratio region for a ratio of totals over strata.

For each cell (a stratum, or the part of one on one side of a prediction) n of N items carry a
label, s of them positive. How many of the M = N - n others are positive is unknown. The region
holds every assignment u (0 <= u_k <= M_k) whose likelihood-ratio statistic against "labelled and
unlabelled items share one rate",

    D(u) = 2 sum_k [ s ln s + f ln f - n ln n + u ln u + v ln v - M ln M
                     - K ln K - L ln L + N ln N ],   f = n - s, v = M - u, K = s + u, L = f + v,

does not exceed a critical value; the interval runs from the smallest to the largest value of the
estimand over the region. No label in a cell, all labels alike, and a fully labelled cell are
ordinary cases.

Counts may have leading axes, for many runs or many looks of the same cells side by side: every
function then works on all of them at once, and one run is that without a leading axis.

Source: the likelihood-ratio principle of Wilks (1938) for a finite population, with the profile
taken along the estimand (Owen 1990 does so for the empirical likelihood).
Assumption: within each cell the labelled items are a simple random sample without replacement.
The critical value is asymptotic; coverage was measured, see docs/real_files.md and docs/watched.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from scipy.special import ndtri, stdtrit

from labelcore.stats.arrays import BoolArray as BoolArray
from labelcore.stats.arrays import FloatArray as FloatArray
from labelcore.stats.arrays import IntArray

NOT_SAMPLED = -1
"""The stratum of items that were known from the start: of these nothing is a sample."""

PROCESS_UNLABELLED = 1e7
LOG_MULTIPLIER_RANGE = (-25.0, 4.0)
ROOT_STEPS = 60
ROUNDS = 4
LINES_AT_ONCE, PUT_ASIDE_FROM = 2000, 50
"""Lines that are solved together, as many as the fast memory of a processor holds; and from how
many on those that are done are put aside."""
MANY_CELLS = 18
"""As many strata as a group of items has: rows over no more hold as they are (docs/groups.md)."""


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """Where the sizes of cells are those of the items that a person can judge, each array of the
    shape of the sizes.

    items    items in the file, judged or not
    unsure   items that were answered without a class
    share    the share of the items of the cell that nobody can judge, estimated
    more     answers of either kind that are added to what the sizes of a difference vary by, which
             moves its ends; 0: critical values are multiplied
    """

    items: FloatArray
    unsure: FloatArray
    share: FloatArray
    more: float = 2.0


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Counts of one classifier's cells, each array (n_cells,), or (..., n_cells) for several runs.

    size        items in the file (N)
    labelled    items with a label (n)
    positive    labelled items that are positive (s)
    predicted   whether the cell's items are predicted positive (bool)
    stratum     the stratum that each cell is a part of (int); None where that does not matter
    other       whether they are predicted positive by a second classifier that is compared with the
                first (bool); None where there is none
    judged      where ``size`` counts only the items that a person can judge; None: all items
    """

    size: FloatArray
    labelled: FloatArray
    positive: FloatArray
    predicted: BoolArray
    stratum: IntArray | None = None
    other: BoolArray | None = None
    judged: Judged | None = None

    @property
    def sides(self) -> IntArray:
        """A number for what is predicted in each cell, by both classifiers where there are two."""
        both = 0 if self.other is None else 2 * self.other.astype(np.int64)
        return np.asarray(self.predicted + both)

    @property
    def unlabelled(self) -> FloatArray:
        return self.size - self.labelled

    @property
    def sampled(self) -> BoolArray:
        """Whether the cell's items are sampled; the others were all known from the start."""
        if self.stratum is None:
            return np.ones(self.size.shape, dtype=bool)
        return np.asarray(self.stratum != NOT_SAMPLED)

    @property
    def for_rows(self) -> Cells:
        """The same counts with an axis for rows before that of the cells."""
        return Cells(
            self.size[..., None, :],
            self.labelled[..., None, :],
            self.positive[..., None, :],
            self.predicted[..., None, :],
            None if self.stratum is None else self.stratum[..., None, :],
            None if self.other is None else self.other[..., None, :],
        )


def side_by_side(several: Sequence[Cells]) -> Cells:
    """The counts of several runs with a leading axis of runs; every one has as many cells."""
    first = several[0]
    labelled = np.array([cells.labelled for cells in several])
    positive = np.array([cells.positive for cells in several])
    if all(_same_cells(cells, first) for cells in several):
        return replace(first, labelled=labelled, positive=positive)
    stratum = None if first.stratum is None else np.array([cells.stratum for cells in several])
    other = None if first.other is None else np.array([cells.other for cells in several])
    size = np.array([cells.size for cells in several])
    predicted = np.array([cells.predicted for cells in several])
    return Cells(size, labelled, positive, predicted, stratum, other, _judged_of(several))


def _same_cells(cells: Cells, first: Cells) -> bool:
    """Whether both count the same parts of a file, and the same ones are called positive."""
    if cells.size is not first.size or not np.array_equal(cells.predicted, first.predicted):
        return False
    return first.other is None or np.array_equal(cells.other, first.other)  # type: ignore[arg-type]


def _judged_of(several: Sequence[Cells]) -> Judged | None:
    """Whose sizes are those of judged items, with a leading axis of runs; None if nobody's are."""
    if all(cells.judged is None for cells in several):
        return None
    each = [run.judged or Judged(run.size, 0 * run.size, 0 * run.size) for run in several]
    items, unsure, share = (
        np.array([getattr(run, name) for run in each]) for name in ("items", "unsure", "share")
    )
    return Judged(items, unsure, share, min(run.more for run in each))


@dataclass(frozen=True, eq=False, slots=True)
class Ratios:
    """Ratios of totals that are linear in the number of positives K of each cell, one per row:
    (a0 + sum_k a_k K_k) / (b0 + sum_k b_k K_k).

    a0, b0   (..., n_rows)
    a, b     (..., n_rows, n_cells)
    """

    a0: FloatArray
    a: FloatArray
    b0: FloatArray
    b: FloatArray

    def value(self, totals: FloatArray) -> FloatArray:
        """The ratios at ``totals``, (..., n_rows); NaN for x/0.

        totals   (n_cells,), or (..., n_rows or 1, n_cells)
        """
        above = self.a0 + (self.a * totals).sum(axis=-1)
        below = self.b0 + (self.b * totals).sum(axis=-1)
        ratio = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 1e-12)
        return np.asarray(ratio)

    def row(self, place: int) -> Ratios:
        only = slice(place, place + 1)
        return Ratios(
            self.a0[..., only], self.a[..., only, :], self.b0[..., only], self.b[..., only, :]
        )

    def twice(self) -> Ratios:
        """Every row, and every row once more."""
        return Ratios(
            np.concatenate([self.a0, self.a0], axis=-1),
            np.concatenate([self.a, self.a], axis=-2),
            np.concatenate([self.b0, self.b0], axis=-1),
            np.concatenate([self.b, self.b], axis=-2),
        )

    def gradient(self, value: FloatArray) -> FloatArray:
        """The sign-giving part of the gradient, a - R b, (..., n_rows, n_cells)."""
        return self.a - value[..., None] * self.b

    def sensitivity(self, totals: FloatArray) -> FloatArray:
        """The gradient at ``totals``, kept off the ends of the range, (..., n_rows, n_cells)."""
        value = np.clip(np.nan_to_num(self.value(totals), nan=0.5), 0.01, 0.99)
        return self.gradient(value)

    def below(self, totals: FloatArray) -> FloatArray:
        """What is divided by at ``totals``, (..., n_rows)."""
        return np.asarray(self.b0 + (self.b * totals).sum(axis=-1))


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """Ratios over the same cells: those of ``first`` minus those of ``second``."""

    first: Ratios
    second: Ratios

    def value(self, totals: FloatArray) -> FloatArray:
        """The differences at ``totals``, (..., n_rows), as ``Ratios.value`` takes them."""
        return self.first.value(totals) - self.second.value(totals)

    def sensitivity(self, totals: FloatArray) -> FloatArray:
        """The gradient at ``totals``, (..., n_rows, n_cells)."""
        return slopes(self.first, totals) - slopes(self.second, totals)

    def row(self, place: int) -> Differences:
        return Differences(self.first.row(place), self.second.row(place))

    def twice(self) -> Differences:
        """Every row, and every row once more."""
        return Differences(self.first.twice(), self.second.twice())


Table = Ratios | Differences


def slopes(ratios: Ratios, totals: FloatArray) -> FloatArray:
    """How much each ratio gains by one more positive in each cell, (..., n_rows, n_cells).

    totals   (..., n_rows or 1, n_cells)
    """
    value = np.clip(np.nan_to_num(ratios.value(totals), nan=0.5), 0.0, 1.0)
    return ratios.gradient(value) / np.maximum(ratios.below(totals), 1e-12)[..., None]


def profile_bounds(
    cells: Cells,
    ratios: Ratios,
    critical: FloatArray,
    *,
    target: str = "file",
    of: type[Region] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each ratio over the region D(u) <= critical.

    critical  (..., n_rows), for instance the squared quantile of Student's t (``fixed_critical``)
    target    "file": the cells' own unlabelled items; "process": infinitely many like them
    of        the kind of region; ``ratios`` are of what it takes for totals
    Returns   low, high, each (..., n_rows)
    """
    of = of or Region
    both = ratios.twice()
    start = ratios.value(of.begun(cells, plug_in_totals(cells))[..., None, :])
    limits = np.broadcast_to(critical, start.shape)
    limits = np.concatenate([limits, limits], axis=-1)
    rows = start.shape[-1]
    direction = np.repeat([-1.0, 1.0], rows)
    value = np.clip(np.nan_to_num(np.concatenate([start, start], axis=-1), nan=0.5), 0.01, 0.99)
    point, quarter = np.full(value.shape, -2.0), None
    for _ in range(ROUNDS):
        slope = direction[:, None] * both.gradient(np.clip(value, 1e-9, 1 - 1e-9))
        region = of(cells, slope, target, quarter)
        unlabelled, point = region.solve(limits, point)
        reached, quarter = both.value(region.totals(unlabelled)), region.quarter
        settled = np.max(np.abs(reached - value), initial=0.0) < 1e-9
        value = reached
        if settled:
            break
    return np.clip(value[..., :rows], 0.0, 1.0), np.clip(value[..., rows:], 0.0, 1.0)


def plug_in_totals(cells: Cells, rates: FloatArray | None = None) -> FloatArray:
    """N s / n per cell, (..., n_cells); without labels N times ``rates``, else the pooled rate of
    its side."""
    there = cells.labelled > 0
    other = _side_rates(cells) if rates is None else rates
    rate = cells.positive / np.where(there, cells.labelled, 1.0)
    return np.asarray(cells.size * np.where(there, rate, other))


def _side_rates(cells: Cells) -> FloatArray:
    """The pooled rate of each cell's side of the prediction, 1/2 where it has no label."""
    rates = np.full(cells.labelled.shape, 0.5)
    for side in (True, False):
        mask = cells.predicted == side
        total = (cells.labelled * mask).sum(axis=-1, keepdims=True)
        hits = (cells.positive * mask).sum(axis=-1, keepdims=True)
        rates = np.where(mask & (total > 0), hits / np.maximum(total, 1.0), rates)
    return rates


def x_log_x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log(np.maximum(x, 1e-300)))


def _at_rest(s: FloatArray, f: FloatArray, free: FloatArray) -> FloatArray:
    """The unlabelled positives at the labelled rate."""
    n = s + f
    rate = np.divide(s, n, out=np.full_like(n, 0.5), where=n > 0)
    return np.asarray(free * rate)


@dataclass(eq=False, slots=True)
class Lines:
    """Regions along curves u(multiplier), one a line, all arrays (n_lines, n_cells) but ``goal``,
    (n_lines,), the logarithm of the critical value.

    Bounds are found in many steps on small arrays, so that the number of operations of a step is
    what they cost: ``against``, ``above`` and ``twice`` are -s - f, free + f and 2 free s, ``back``
    is -slope, and numpy's ufuncs are called without the functions around them.
    """

    slope: FloatArray
    s: FloatArray
    f: FloatArray
    free: FloatArray
    constant: FloatArray
    open: FloatArray
    against: FloatArray
    above: FloatArray
    twice: FloatArray
    back: FloatArray
    goal: FloatArray

    def chosen(self, keep: slice | BoolArray) -> Self:
        return type(self)(*(getattr(self, item.name)[keep] for item in fields(self)))

    def positives(self, log_multiplier: FloatArray) -> FloatArray:
        """The unlabelled positives u at a multiplier for each line; where nothing pulls, zero is
        divided by zero."""
        e1 = np.expm1(np.minimum(np.exp(log_multiplier)[..., None] * self.back, 700.0))
        b = self.against - e1 * self.above
        d = np.sqrt(np.maximum(b * b - 4 * e1 * self.free * self.s, 0.0))
        u = np.where(b <= 0, self.twice / (d - b), (b + d) / (-2 * e1))
        known = np.isfinite(u)
        if not np.logical_and.reduce(known, axis=None):
            u = np.where(known, u, _at_rest(self.s, self.f, self.free))
        return np.asarray(np.minimum(np.maximum(u, 0.0), self.free))

    def statistic(self, u: FloatArray) -> FloatArray:
        """D(u), (..., n_lines)."""
        counts = np.empty((4, *u.shape))
        counts[0] = u
        v = np.subtract(self.free, u, out=counts[1])
        np.add(self.s, u, out=counts[2])
        np.add(self.f, v, out=counts[3])
        u_part, v_part, positive, negative = x_log_x(counts)
        parts = self.constant + u_part + v_part - positive - negative
        return np.asarray(2 * np.add.reduce(parts * self.open, axis=-1))

    def excess(self, u: FloatArray) -> FloatArray:
        """ln D(u) - ln of the critical value, (..., n_lines)."""
        return np.asarray(np.log(np.maximum(self.statistic(u), 1e-300)) - self.goal)


class _Moved(Lines):
    """The same lines, on which not D(u) is to be reached but a distance."""

    def excess(self, u: FloatArray) -> FloatArray:
        """ln of how far ``slope`` @ u has moved, less that of the distance, (..., n_lines)."""
        moved = u - _at_rest(self.s, self.f, self.free)
        far = (self.slope * moved * self.open).sum(axis=-1)
        return np.asarray(np.log(np.maximum(far, 1e-300)) - self.goal)


class Region:
    """D(u) along the curves u(multiplier) that maximise ``slope`` @ K, one curve per line.

    slope     (..., n_lines, n_cells), the leading axes those of ``cells``
    quarter   (..., n_lines, n_cells), what each cell has of a label more towards its end; None: a
              quarter of one for each of ``Cells.sides``
    """

    def __init__(
        self, cells: Cells, slope: FloatArray, target: str, quarter: FloatArray | None = None
    ) -> None:
        self.cells = cells = cells.for_rows
        self.slope = slope
        open_cells = cells.unlabelled > 1e-9
        self.free = (
            cells.unlabelled
            if target == "file"
            else np.full(cells.labelled.shape, PROCESS_UNLABELLED)
        )
        if target == "process":
            open_cells = np.ones(cells.labelled.shape, dtype=bool)
            weight = cells.size / (cells.labelled + self.free)
            self.slope = slope * weight / weight.max(axis=-1, keepdims=True)
        if quarter is None:
            quarter = directed_quarter(cells, open_cells)
        self.quarter = quarter
        up = (slope > 0).astype(float)
        self.s = cells.positive + quarter * up
        self.f = (cells.labelled - cells.positive) + quarter * (1 - up)
        self.open = open_cells.astype(float)
        self.target = target
        n = self.s + self.f
        self.constant = (
            x_log_x(self.s)
            + x_log_x(self.f)
            - x_log_x(n)
            - x_log_x(self.free)
            + x_log_x(n + self.free)
        )
        parts = self.slope, self.s, self.f, self.free, self.constant, self.open
        fixed = -n, self.free + self.f, 2 * self.free * self.s, -self.slope
        self.whole = Lines(*parts, *fixed, np.empty(0))

    @staticmethod
    def begun(cells: Cells, totals: FloatArray) -> FloatArray:
        """Where bounds are looked for first, (..., n_cells), by the positives of each cell."""
        return totals

    def unlabelled_positives(self, log_multiplier: FloatArray) -> FloatArray:
        """u of each cell for a multiplier per line, (..., n_lines, n_cells)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.whole.positives(log_multiplier)

    def statistic(self, u: FloatArray) -> FloatArray:
        """D(u), (..., n_lines)."""
        return self.whole.statistic(u)

    def limit(self) -> FloatArray:
        """u when the multiplier goes to infinity."""
        ends = np.where(self.slope > 0, self.free, 0.0)
        return np.where(self.slope == 0, _at_rest(self.s, self.f, self.free), ends)

    def solve(self, critical: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u where D reaches the critical value (the limit where it never does), and the logarithm
        of the multiplier there, found by a bracketed secant on ln D against ln multiplier.

        critical, start   (..., n_lines)
        """
        goal = np.log(np.maximum(critical, 1e-300))
        never, multiplier, u = _solve_in_parts(self._lines(goal), start.reshape(-1))
        point = multiplier.reshape(start.shape)
        u = self.unlabelled_positives(point) if u is None else u.reshape(*point.shape, -1)
        if never.any():
            u = np.where(never.reshape(start.shape)[..., None], self.limit(), u)
        return u, np.clip(point, -20.0, 3.0)

    def reaching(self, distance: FloatArray) -> tuple[FloatArray, BoolArray]:
        """u where ``slope`` @ u has moved so far from where it rests, and whether it ever does;
        where it does not, the limit.

        distance   (..., n_lines); at rest where it is not above 0
        """
        still = distance <= 0
        lines = self._lines(np.log(np.where(still, 1.0, distance)))
        never, point, _ = _solve_in_parts(
            _Moved(*(getattr(lines, item.name) for item in fields(lines))),
            np.full(distance.size, -2.0),
        )
        never, point = never.reshape(distance.shape), point.reshape(distance.shape)
        u = self.unlabelled_positives(np.where(still, LOG_MULTIPLIER_RANGE[0], point))
        never = never & ~still
        return np.where(never[..., None], self.limit(), u), never

    def _lines(self, goal: FloatArray) -> Lines:
        shape = self.s.shape
        parts = [getattr(self.whole, item.name) for item in fields(Lines) if item.name != "goal"]
        if len(shape) == 2 and len(goal) <= PUT_ASIDE_FROM:  # One run: its lines as they are.
            return type(self.whole)(*[*parts, goal])
        flat = (
            np.broadcast_to(part, (*shape[:-1], part.shape[-1])).reshape(-1, part.shape[-1])
            for part in parts
        )
        return type(self.whole)(*[*flat, goal.reshape(-1)])

    def totals(self, u: FloatArray) -> FloatArray:
        """K of each cell in items of the file; the directed quarter is not part of it."""
        cells = self.cells
        if self.target == "file":
            return np.asarray(cells.positive + u)
        return np.asarray(cells.size * (cells.positive + u) / (cells.labelled + self.free))


Solved = tuple[BoolArray, FloatArray, FloatArray | None]
"""Whether each line never reaches its critical value, the logarithm of the multiplier at which it
does, and u there; None where the lines were solved in parts."""


def _solve_in_parts(lines: Lines, start: FloatArray) -> Solved:
    """``_solve``, so many lines at once as go fast."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(start) <= LINES_AT_ONCE:
            return _solve(lines, start)
        parts = [slice(at, at + LINES_AT_ONCE) for at in range(0, len(start), LINES_AT_ONCE)]
        solved = [_solve(lines.chosen(part), start[part])[:2] for part in parts]
    never, point = (np.concatenate(arrays) for arrays in zip(*solved, strict=True))
    return never, point, None


def _solve(lines: Lines, start: FloatArray) -> Solved:
    """By a bracketed secant; where many lines are solved, those that are done are put aside."""
    count = len(start)
    many = count > PUT_ASIDE_FROM
    left, right = (np.full(count, end) for end in LOG_MULTIPLIER_RANGE)
    point, slope, row = start, np.full(count, 2.0), np.arange(count)
    both = lines.positives(np.array([right, start]))  # Two at once: as many operations as for one.
    (last, excess), u = lines.excess(both), both[1]
    at_limit = never = last < 0
    solution, done = start.copy(), at_limit
    last_point, last_excess = right, np.full(count, np.nan)
    for step in range(ROOT_STEPS):
        if many and count > PUT_ASIDE_FROM and done.mean() > 0.2:
            keep = ~done
            lines, row, never = lines.chosen(keep), row[keep], never[keep]
            point, left, right, slope = point[keep], left[keep], right[keep], slope[keep]
            last_point, last_excess = last_point[keep], last_excess[keep]
            count = len(row)
            excess = excess[keep]
        if step:
            u = lines.positives(point)
            excess = lines.excess(u)
        if many:
            solution[row] = point
        else:
            solution = point
        right = np.where(excess >= 0, point, right)
        left = np.where(excess < 0, point, left)
        done = (np.abs(excess) < 1e-9) | (right - left < 1e-11) | never
        if np.logical_and.reduce(done):
            break
        secant = (excess - last_excess) / (point - last_point)
        slope = np.where((secant > 0.05) & (secant < 20), secant, slope)
        last_point, last_excess = point, excess
        guess = point - excess / slope
        inside = (guess > left) & (guess < right)
        point = np.where(inside, guess, (left + right) / 2) if step % 8 != 7 else (left + right) / 2
    return at_limit, solution, None if many else u


def directed_quarter(cells: Cells, open_cells: BoolArray) -> FloatArray:
    """A quarter of a label for each of ``Cells.sides``, shared over its open cells in proportion to
    their labels."""
    quarter = np.zeros(cells.labelled.shape)
    sides = cells.sides
    for side in np.unique(sides):
        mask = (sides == side) & open_cells
        labelled = cells.labelled * mask
        total = labelled.sum(axis=-1, keepdims=True)
        quarter += np.divide(labelled, 4 * total, out=np.zeros(labelled.shape), where=total > 0)
    return quarter


def smoothed_rates(cells: Cells, rates: FloatArray | None = None) -> FloatArray:
    """(s + rate) / (n + 1) with the rate kept within [.02, .98]; (s + 1/2) / (n + 1) without."""
    if rates is None:
        return np.asarray((cells.positive + 0.5) / (cells.labelled + 1))
    return np.asarray((cells.positive + np.clip(rates, 0.02, 0.98)) / (cells.labelled + 1))


def variance_shares(
    cells: Cells, table: Table, rates: FloatArray | None = None, *, target: str = "file"
) -> FloatArray:
    """Each cell's part of the linearised variance of each row of ``table``, (..., n_rows,
    n_cells)."""
    smooth = smoothed_rates(cells, rates)
    rest = 1.0 if target == "process" else 1 - cells.labelled / cells.size
    spread = cells.size**2 * smooth * (1 - smooth) / np.maximum(cells.labelled, 1) * rest
    slope = table.sensitivity((cells.size * smooth)[..., None, :])
    return np.asarray(slope**2 * spread[..., None, :])


def freedom_of(
    cells: Cells, table: Table, rates: FloatArray | None = None, *, target: str = "file"
) -> FloatArray:
    """Satterthwaite's degrees of freedom of each row, at least 4, (..., n_rows)."""
    return _satterthwaite(cells.labelled, variance_shares(cells, table, rates, target=target))


def _satterthwaite(labelled: FloatArray, shares: FloatArray) -> FloatArray:
    freedom = np.maximum(labelled - 1, 1)[..., None, :]
    total = shares.sum(axis=-1)
    spread = (shares**2 / freedom).sum(axis=-1)
    df = np.divide(total**2, spread, out=np.full(total.shape, 1e6), where=spread > 0)
    return np.asarray(np.maximum(df, 4.0))


def many_fitted(labelled: FloatArray, shares: FloatArray, sure: FloatArray | float) -> FloatArray:
    """What ``fixed_critical`` is multiplied by to count that each rate is fitted to its own labels,
    (..., n_rows), at least 1: n of them lose one part in n of their variance, but not along the
    row, which is what the cell has of the variance of the row. Over few cells Student's t is wide
    enough for it; the two do not add up.

    labelled   (..., n_cells); shares: ``variance_shares``; sure: the confidence, one or (...)
    Source     Neyman and Scott (1948).
    """
    labels = np.maximum(labelled, 1)[..., None, :]
    lost = np.minimum(1 / np.maximum(labels - 1, 1e-9), 1.0)
    part = shares / np.maximum(shares.sum(axis=-1, keepdims=True), 1e-300)
    needed = 1 + (part * (1 - part) * lost).sum(axis=-1)
    level = (1 + np.asarray(sure, dtype=float)[..., None]) / 2
    student = stdtrit(_satterthwaite(labelled, shares), level)
    many = (shares > 0).sum(axis=-1) > MANY_CELLS
    return np.where(many, np.maximum(needed * (ndtri(level) / student) ** 2, 1.0), 1.0)


def fixed_critical(
    cells: Cells,
    table: Table,
    confidence: FloatArray | float,
    rates: FloatArray | None = None,
    *,
    target: str = "file",
) -> FloatArray:
    """The squared two-sided quantile of Student's t with Satterthwaite's degrees of freedom, at
    least 4, (..., n_rows); ``confidence`` is one number, or (...).

    Source: Satterthwaite (1946); departure: smoothed rates in place of the raw variances, because
    a cell whose labels all agree would otherwise carry no uncertainty.
    """
    freedom = freedom_of(cells, table, rates, target=target)
    sure = np.asarray(confidence, dtype=float)[..., None]
    return np.asarray(stdtrit(freedom, (1 + sure) / 2) ** 2)
