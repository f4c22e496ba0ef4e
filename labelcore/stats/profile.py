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

Source: the likelihood-ratio principle of Wilks (1938) for a finite population, with the profile
taken along the estimand (Owen 1990 does so for the empirical likelihood).
Assumption: within each cell the labelled items are a simple random sample without replacement.
The critical value is asymptotic; coverage was measured, see docs/real_files.md and docs/watched.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit, xlogy

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NOT_SAMPLED = -1
"""The stratum of items that were known from the start: of these nothing is a sample."""

PROCESS_UNLABELLED = 1e7
LOG_MULTIPLIER_RANGE = (-25.0, 4.0)
ROOT_STEPS = 60
ROUNDS = 4


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Counts of one classifier's cells, each array (n_cells,).

    size        items in the file (N)
    labelled    items with a label (n)
    positive    labelled items that are positive (s)
    predicted   whether the cell's items are predicted positive (bool)
    stratum     the stratum that each cell is a part of (int); None where that does not matter
    other       whether they are predicted positive by a second classifier that is compared with the
                first (bool); None where there is none
    """

    size: FloatArray
    labelled: FloatArray
    positive: FloatArray
    predicted: BoolArray
    stratum: NDArray[np.int64] | None = None
    other: BoolArray | None = None

    @property
    def sides(self) -> NDArray[np.int64]:
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
            return np.ones(len(self.size), dtype=bool)
        return np.asarray(self.stratum != NOT_SAMPLED)


@dataclass(frozen=True, eq=False, slots=True)
class Ratios:
    """Ratios of totals that are linear in the number of positives K of each cell, one per row:
    (a0 + sum_k a_k K_k) / (b0 + sum_k b_k K_k).

    a0, b0   (n_rows,)
    a, b     (n_rows, n_cells)
    """

    a0: FloatArray
    a: FloatArray
    b0: FloatArray
    b: FloatArray

    def value(self, totals: FloatArray) -> FloatArray:
        """The ratios at ``totals`` (n_cells,) or (n_rows, n_cells); NaN for x/0."""
        above = self.a0 + (self.a * totals).sum(axis=-1)
        below = self.b0 + (self.b * totals).sum(axis=-1)
        ratio = np.divide(above, below, out=np.full(len(self.a0), np.nan), where=below > 1e-12)
        return np.asarray(ratio)

    def row(self, place: int) -> Ratios:
        """One of the ratios on its own."""
        one = slice(place, place + 1)
        return Ratios(self.a0[one], self.a[one], self.b0[one], self.b[one])

    def gradient(self, value: FloatArray) -> FloatArray:
        """The sign-giving part of the gradient, a - R b, (n_rows, n_cells)."""
        return self.a - value[:, None] * self.b

    def sensitivity(self, totals: FloatArray) -> FloatArray:
        """The gradient at ``totals``, kept off the ends of the range, (n_rows, n_cells)."""
        value = np.clip(np.nan_to_num(self.value(totals), nan=0.5), 0.01, 0.99)
        return self.gradient(value)

    def below(self, totals: FloatArray) -> FloatArray:
        """What is divided by at ``totals``, (n_rows,)."""
        return np.asarray(self.b0 + (self.b * totals).sum(axis=-1))


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """Ratios over the same cells: those of ``first`` minus those of ``second``."""

    first: Ratios
    second: Ratios

    def value(self, totals: FloatArray) -> FloatArray:
        """The differences at ``totals`` (n_cells,) or (n_rows, n_cells); NaN for x/0."""
        return self.first.value(totals) - self.second.value(totals)

    def sensitivity(self, totals: FloatArray) -> FloatArray:
        """The gradient at ``totals``, (n_rows, n_cells)."""
        return _slope(self.first, totals) - _slope(self.second, totals)

    def row(self, place: int) -> Differences:
        """One of the differences on its own."""
        return Differences(self.first.row(place), self.second.row(place))


Table = Ratios | Differences


def _slope(ratios: Ratios, totals: FloatArray) -> FloatArray:
    value = np.clip(np.nan_to_num(ratios.value(totals), nan=0.5), 0.0, 1.0)
    return ratios.gradient(value) / np.maximum(ratios.below(totals), 1e-12)[:, None]


def profile_bounds(
    cells: Cells, ratios: Ratios, critical: FloatArray, *, target: str = "file"
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each ratio over the region D(u) <= critical.

    critical  (n_rows,), for instance the squared quantile of Student's t (``fixed_critical``)
    target    "file": the cells' own unlabelled items; "process": infinitely many like them
    Returns   low, high, each (n_rows,)
    """
    rows = len(ratios.a0)
    both = Ratios(*(np.concatenate([part, part]) for part in _parts(ratios)))
    direction = np.repeat([-1.0, 1.0], rows)
    limits = np.concatenate([critical, critical])
    start = ratios.value(plug_in_totals(cells))
    value = np.clip(np.nan_to_num(np.concatenate([start, start]), nan=0.5), 0.01, 0.99)
    point = np.full(2 * rows, -2.0)
    for _ in range(ROUNDS):
        reached, point = _reach(cells, both, direction, limits, value, point, target)
        settled = np.max(np.abs(reached - value), initial=0.0) < 1e-9
        value = reached
        if settled:
            break
    return np.clip(value[:rows], 0.0, 1.0), np.clip(value[rows:], 0.0, 1.0)


def _parts(ratios: Ratios) -> tuple[FloatArray, ...]:
    return ratios.a0, ratios.a, ratios.b0, ratios.b


def plug_in_totals(cells: Cells, rates: FloatArray | None = None) -> FloatArray:
    """N s / n per cell; without labels N times ``rates``, else the pooled rate of its side."""
    own = np.divide(
        cells.positive,
        cells.labelled,
        out=np.full(len(cells.size), np.nan) if rates is None else rates.astype(float).copy(),
        where=cells.labelled > 0,
    )
    if rates is None:
        own = np.where(np.isnan(own), _side_rates(cells), own)
    return np.asarray(cells.size * own)


def _side_rates(cells: Cells) -> FloatArray:
    """The pooled rate of each cell's side of the prediction, 1/2 where it has no label."""
    rates = np.full(len(cells.size), 0.5)
    for side in (True, False):
        mask = cells.predicted == side
        total = cells.labelled[mask].sum()
        if total > 0:
            rates[mask] = cells.positive[mask].sum() / total
    return rates


def _reach(
    cells: Cells,
    ratios: Ratios,
    direction: FloatArray,
    critical: FloatArray,
    value: FloatArray,
    start: FloatArray,
    target: str,
) -> tuple[FloatArray, FloatArray]:
    """The extreme of each ratio along its gradient at ``value``, and where it was found."""
    slope = direction[:, None] * ratios.gradient(np.clip(value, 1e-9, 1 - 1e-9))
    region = Region(cells, slope, target)
    unlabelled, point = region.solve(critical, start)
    return ratios.value(region.totals(unlabelled)), point


class Region:
    """D(u) along the curves u(multiplier) that maximise ``slope`` @ K, one curve per row."""

    def __init__(self, cells: Cells, slope: FloatArray, target: str) -> None:
        self.cells = cells
        self.slope = slope
        open_cells = cells.unlabelled > 1e-9
        self.free = (
            cells.unlabelled if target == "file" else np.full(len(cells.size), PROCESS_UNLABELLED)
        )
        if target == "process":
            open_cells = np.ones(len(cells.size), dtype=bool)
            weight = cells.size / (cells.labelled + self.free)
            self.slope = slope * weight / weight.max()
        quarter = _directed_quarter(cells, open_cells)
        up = (slope > 0).astype(float)
        self.s = cells.positive + quarter * up
        self.f = (cells.labelled - cells.positive) + quarter * (1 - up)
        self.open = open_cells
        self.target = target
        n = self.s + self.f
        self.constant = (
            xlogy(self.s, self.s)
            + xlogy(self.f, self.f)
            - xlogy(n, n)
            - xlogy(self.free, self.free)
            + xlogy(n + self.free, n + self.free)
        )

    def unlabelled_positives(self, log_multiplier: FloatArray) -> FloatArray:
        """u of each cell for a multiplier per row, (n_rows, n_cells)."""
        e1 = np.expm1(np.clip(-np.exp(log_multiplier)[:, None] * self.slope, -700, 700))
        free, s, f = self.free, self.s, self.f
        b = -s - f - e1 * (free + f)
        d = np.sqrt(np.maximum(b * b - 4 * e1 * free * s, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(b <= 0, 2 * free * s / (d - b), -(b + d) / (2 * e1))
        n = s + f
        rate = np.divide(s, n, out=np.full_like(s, 0.5), where=n > 0)
        u = np.where(np.isfinite(u), u, free * rate)
        return np.asarray(np.clip(u, 0.0, free))

    def statistic(self, u: FloatArray) -> FloatArray:
        """D(u), (n_rows,)."""
        v = self.free - u
        k, rest = self.s + u, self.f + v
        parts = self.constant + xlogy(u, u) + xlogy(v, v) - xlogy(k, k) - xlogy(rest, rest)
        return np.asarray(2 * (parts * self.open).sum(axis=-1))

    def limit(self) -> FloatArray:
        """u when the multiplier goes to infinity."""
        ends = np.where(self.slope > 0, self.free, 0.0)
        n = self.s + self.f
        rate = np.divide(self.s, n, out=np.full_like(self.s, 0.5), where=n > 0)
        return np.where(self.slope == 0, self.free * rate, ends)

    def solve(self, critical: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
        """u where D reaches the critical value (the limit where it never does), and the logarithm
        of the multiplier there, found by a bracketed secant on ln D against ln multiplier."""
        rows = len(critical)
        left = np.full(rows, LOG_MULTIPLIER_RANGE[0])
        right = np.full(rows, LOG_MULTIPLIER_RANGE[1])
        goal = np.log(np.maximum(critical, 1e-300))
        at_limit = self._excess(right, goal) < 0
        point, slope = start, np.full(rows, 2.0)
        last_point, last_excess = right, np.full(rows, np.nan)
        for step in range(ROOT_STEPS):
            excess = self._excess(point, goal)
            right = np.where(excess >= 0, point, right)
            left = np.where(excess < 0, point, left)
            if np.all((np.abs(excess) < 1e-9) | (right - left < 1e-11) | at_limit):
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                secant = (excess - last_excess) / (point - last_point)
            slope = np.where((secant > 0.05) & (secant < 20), secant, slope)
            last_point, last_excess = point, excess
            guess = point - excess / slope
            inside = (guess > left) & (guess < right) & (step % 8 != 7)
            point = np.where(inside, guess, (left + right) / 2)
        u = np.where(at_limit[:, None], self.limit(), self.unlabelled_positives(point))
        return u, np.clip(point, -20.0, 3.0)

    def _excess(self, log_multiplier: FloatArray, goal: FloatArray) -> FloatArray:
        statistic = self.statistic(self.unlabelled_positives(log_multiplier))
        return np.asarray(np.log(np.maximum(statistic, 1e-300)) - goal)

    def totals(self, u: FloatArray) -> FloatArray:
        """K of each cell in items of the file; the directed quarter is not part of it."""
        cells = self.cells
        if self.target == "file":
            return np.asarray(cells.positive + u)
        return np.asarray(cells.size * (cells.positive + u) / (cells.labelled + self.free))


def _directed_quarter(cells: Cells, open_cells: BoolArray) -> FloatArray:
    """A quarter of a label for each of ``Cells.sides``, shared over its open cells in proportion to
    their labels."""
    quarter = np.zeros(len(cells.size))
    sides = cells.sides
    for side in np.unique(sides):
        mask = (sides == side) & open_cells
        total = cells.labelled[mask].sum()
        if total > 0:
            quarter[mask] = cells.labelled[mask] / (4 * total)
    return quarter


def smoothed_rates(cells: Cells, rates: FloatArray | None = None) -> FloatArray:
    """(s + rate) / (n + 1) with the rate kept within [.02, .98]; (s + 1/2) / (n + 1) without."""
    if rates is None:
        return np.asarray((cells.positive + 0.5) / (cells.labelled + 1))
    return np.asarray((cells.positive + np.clip(rates, 0.02, 0.98)) / (cells.labelled + 1))


def variance_shares(
    cells: Cells, table: Table, rates: FloatArray | None = None, *, target: str = "file"
) -> FloatArray:
    """Each cell's part of the linearised variance of each row of ``table``, (n_rows, n_cells)."""
    smooth = smoothed_rates(cells, rates)
    rest = 1.0 if target == "process" else 1 - cells.labelled / cells.size
    spread = cells.size**2 * smooth * (1 - smooth) / np.maximum(cells.labelled, 1) * rest
    return np.asarray(table.sensitivity(cells.size * smooth) ** 2 * spread)


def fixed_critical(
    cells: Cells,
    table: Table,
    confidence: float,
    rates: FloatArray | None = None,
    *,
    target: str = "file",
) -> FloatArray:
    """The squared two-sided quantile of Student's t with Satterthwaite's degrees of freedom, at
    least 4, one per row.

    Source: Satterthwaite (1946); departure: smoothed rates in place of the raw variances, because
    a cell whose labels all agree would otherwise carry no uncertainty.
    """
    shares = variance_shares(cells, table, rates, target=target)
    freedom = np.maximum(cells.labelled - 1, 1)
    total = shares.sum(axis=1)
    spread = (shares**2 / freedom).sum(axis=1)
    df = np.divide(total**2, spread, out=np.full(len(total), 1e6), where=spread > 0)
    return np.asarray(stdtrit(np.maximum(df, 4.0), (1 + confidence) / 2) ** 2)
