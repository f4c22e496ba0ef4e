"""Stopping a stratified session at a margin: a multiplier of the critical value by simulation.

The G-profile interval of a fixed size is stopped the first time that every half-width is at most
the margin. Sessions are simulated on the file's own strata, and the interval's critical value is
multiplied until its coverage at the stop is what the plan promises.

Assumption: the truth is as the scores say (``labelcore.designs.rates``). Where they are wrong the
multiplier is wrong as well: see docs/stopping.md for what was measured, and why a session that a
person watches gets the watched band instead.
Source: Frey (2010) for calibrating a critical value at a stop; simulation in place of enumeration
is our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.base import Design, Frame, Progress, Setup
from labelcore.designs.rates import planning_rates
from labelcore.errors import PlanError
from labelcore.estimands import Estimand, ratios
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import Outlook
from labelcore.population import Population
from labelcore.stats.profile import Cells, Ratios, fixed_critical, profile_bounds
from labelcore.stats.sequences import watched_critical

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LOOKS_IN_A_BATCH = 5
ROOTS = np.array([1.0, 1.12, 1.25])
"""Square roots of the multipliers at which an interval is computed; between these it is
interpolated, as its ends move nearly in proportion to the root."""
GRID = np.round(np.arange(1.0, 1.2501, 0.01), 2)
LOOK_GAP = 0.03
SKIP = 0.2
SESSIONS = 400


@dataclass(frozen=True, eq=False)
class Problem:
    """One plan on one file, ready to be simulated.

    sizes, predicted   (n_strata,), items of each stratum and its prediction
    stratum, rate      (n_items,), each item's stratum and its planning rate
    first, limit       labels at the first look, and the most
    planned            the size that the plan freezes, n0 of the watched band
    """

    design: Design
    setup: Setup
    frame: Frame
    rows: tuple[Estimand, ...]
    keys: tuple[str, ...]
    sizes: IntArray
    predicted: NDArray[np.bool_]
    stratum: IntArray
    rate: FloatArray
    margin: float
    confidence: float
    first: int
    limit: int
    planned: int

    def cells(self, labelled: IntArray | FloatArray, positive: IntArray | FloatArray) -> Cells:
        return Cells(
            self.sizes.astype(float),
            labelled.astype(float),
            positive.astype(float),
            self.predicted,
        )

    def truth(self, totals: IntArray) -> FloatArray:
        """The estimands when stratum k holds ``totals[k]`` positives, (n_rows,)."""
        cells = self.cells(self.sizes, totals)
        return ratios(list(self.rows), cells).value(cells.positive)

    def drawn_truth(self, generator: np.random.Generator) -> IntArray:
        """Positives of each stratum, drawn from the planning rates, (n_strata,)."""
        hit = generator.random(len(self.rate)) < self.rate
        return np.bincount(self.stratum[hit], minlength=len(self.sizes)).astype(np.int64)


def problem(population: Population, plan: Plan) -> Problem:
    """A plan with a margin, made ready. Raises PlanError without a margin, for target "process",
    with several classes, or where strata mix predictions: their intervals are other ones."""
    if plan.margin is None:
        raise PlanError("a stop at a margin needs a plan with a margin")
    if plan.target != "file":
        raise PlanError(f"a stop is calibrated for target 'file', got {plan.target!r}")
    fixed = replace(plan, promise="fixed", stop=None)
    outlook = Outlook(population, fixed)
    tally = outlook.tallies[outlook.classifiers[0]]
    if len(population.classes) > 2 or len(tally.size) != outlook.frame.n_strata:
        raise PlanError("a stop is calibrated for two classes and strata of one prediction each")
    limit = min(plan.budget or outlook.most, outlook.most)
    planned = plan.planned or outlook.labels_for(float(plan.margin), limit)
    class_index = population.classes.index(population.positive)
    predicted = tally.cells(class_index).predicted
    return Problem(
        design=outlook.design,
        setup=replace(outlook.setup, planned=planned),
        frame=outlook.frame,
        rows=tuple(one.row for one in outlook.questions),
        keys=tuple(one.key for one in outlook.questions),
        sizes=outlook.frame.sizes,
        predicted=predicted,
        stratum=outlook.frame.stratum,
        rate=planning_rates(population, outlook.classifiers[0], predicted[tally.cell_of])[0],
        margin=float(plan.margin),
        confidence=plan.confidence,
        first=outlook.design.first_look(outlook.frame, planned, "watched"),
        limit=limit,
        planned=planned,
    )


def looks(one: Problem, totals: IntArray, generator: np.random.Generator) -> Iterator[Progress]:
    """One session: its counts at ``LOOKS_IN_A_BATCH`` looks in every batch, up to the limit. The
    labels are drawn without replacement from ``totals`` positives."""
    drawn, positive = np.zeros_like(one.sizes), np.zeros_like(one.sizes)
    batch = 0
    while int(drawn.sum()) < one.limit:
        state = Progress(drawn, drawn.astype(float), positive.astype(float), one.limit)
        items = one.design.next_batch(one.setup, one.frame, state, batch)
        batch += 1
        for part in np.array_split(items, min(LOOKS_IN_A_BATCH, len(items))):
            more = np.bincount(one.stratum[part], minlength=len(one.sizes))
            good = totals - positive
            positive = positive + generator.hypergeometric(good, one.sizes - drawn - good, more)
            drawn = drawn + more
            yield Progress(drawn, drawn.astype(float), positive.astype(float), one.limit)


@dataclass(frozen=True, eq=False, slots=True)
class Stopped:
    """One session's stop under every multiplier of ``GRID`` and, last, under the watched band.

    labels    (n_rules,); at the limit where the margin was never reached
    covered   (n_rules, n_rows), whether each interval held the truth at the stop
    reached   (n_rules,)
    """

    labels: IntArray
    covered: NDArray[np.bool_]
    reached: NDArray[np.bool_]


def stopped_session(
    one: Problem, totals: IntArray, generator: np.random.Generator, *, watched: bool = False
) -> Stopped:
    """Follow one session until every rule has stopped. Looks lie ``LOOK_GAP`` of the labels apart;
    far from the margin more are passed over: after a look with half-width w at n labels the next
    one lies at the share ``SKIP`` of the way to n (w / margin)^2, but not beyond (1 + ``SKIP``) n.
    """
    truth = one.truth(totals)
    n_rules = len(GRID) + 1
    labels = np.full(n_rules, one.limit)
    covered = np.ones((n_rules, len(one.rows)), dtype=bool)
    reached = np.zeros(n_rules, dtype=bool)
    open_rules = np.r_[np.ones(len(GRID), dtype=bool), watched]
    next_look = float(one.first)
    for state in looks(one, totals, generator):
        n = int(state.drawn.sum())
        if n < next_look and n < one.limit:
            continue
        low, high = np.zeros((n_rules, len(one.rows))), np.ones((n_rules, len(one.rows)))
        if open_rules[:-1].any():
            low[:-1], high[:-1] = _plain_ends(one, state)
        if open_rules[-1]:
            low[-1], high[-1] = _watched_ends(one, state)
        width = (high - low).max(axis=1) / 2
        now = open_rules & ((width <= one.margin) | (n >= one.limit))
        labels[now], reached[now] = n, width[now] <= one.margin
        held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
        covered[now] = (held | np.isnan(truth))[now]
        open_rules &= ~now
        if not open_rules.any():
            break
        needed = n * (float(width[open_rules].min()) / one.margin) ** 2
        next_look = n + max(SKIP * min(needed - n, n), LOOK_GAP * n)
    return Stopped(labels, covered, reached)


def _plain_ends(one: Problem, state: Progress) -> tuple[FloatArray, FloatArray]:
    """The fixed interval's ends under every multiplier, each (n_grid, n_rows)."""
    cells, table = _counted(one, state)
    rates = one.design.fitted_rates(one.frame, state)
    critical = fixed_critical(cells, table, one.confidence, rates)
    parts = (table.a0, table.a, table.b0, table.b)
    many = Ratios(*(np.concatenate([part] * len(ROOTS)) for part in parts))
    wanted = np.concatenate([root**2 * critical for root in ROOTS])
    found = []
    for end, without in zip(profile_bounds(cells, many, wanted), (0.0, 1.0), strict=True):
        at = np.nan_to_num(end, nan=without).reshape(len(ROOTS), len(one.rows))
        found.append(np.column_stack([np.interp(GRID, ROOTS, column) for column in at.T]))
    return found[0], found[1]


def _watched_ends(one: Problem, state: Progress) -> tuple[FloatArray, FloatArray]:
    """The watched band's ends, each (n_rows,)."""
    cells, table = _counted(one, state)
    band = watched_critical(int(state.drawn.sum()), one.planned, 1 - one.confidence)
    low, high = profile_bounds(cells, table, np.full(len(one.rows), band))
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)


def _counted(one: Problem, state: Progress) -> tuple[Cells, Ratios]:
    cells = one.cells(state.labelled, state.positive)
    return cells, ratios(list(one.rows), cells)


@dataclass(frozen=True, eq=False, slots=True)
class StopCalibration:
    """A multiplier of the critical value and how well it is known.

    multiplier          at least 1, a multiple of .01 squared
    coverage            {result: coverage at the stop with the multiplier}, over ``sessions``
    coverage_error      standard error of a coverage at the confidence
    multiplier_error    what that error means for the multiplier
    plain_coverage      {result: coverage at the stop without the multiplier}
    labels, plain_labels   mean labels at the stop with and without it
    """

    multiplier: float
    coverage: dict[str, float]
    coverage_error: float
    multiplier_error: float
    plain_coverage: dict[str, float]
    labels: float
    plain_labels: float
    sessions: int
    seed: int


def calibrate_stop(
    population: Population, plan: Plan, *, sessions: int = SESSIONS, seed: int = 0
) -> StopCalibration:
    """The multiplier with which the interval of every estimand covers at the stop, in simulated
    sessions, as often as the plan's confidence says.

    Promise: none beyond the simulation: the coverage holds where the scores are right.
    Session r uses the seed (seed, r). Raises PlanError as ``problem`` does, ValueError for fewer
    than 1 session, and where no multiplier up to the square of ``GRID[-1]`` is enough.
    """
    if sessions < 1:
        raise ValueError(f"sessions must be at least 1, got {sessions}")
    one = problem(population, plan)
    found = []
    for session in range(sessions):
        generator = np.random.default_rng((seed, session))
        found.append(stopped_session(one, one.drawn_truth(generator), generator))
    covered = np.mean([stopped.covered[:-1] for stopped in found], axis=0)
    labels = np.mean([stopped.labels[:-1] for stopped in found], axis=0)
    least = covered.min(axis=1)
    enough = np.flatnonzero(least >= one.confidence)
    if len(enough) == 0:
        raise ValueError(f"no multiplier up to {GRID[-1] ** 2:.2f} reaches the confidence")
    place = int(enough[0])
    noise = float(np.sqrt(one.confidence * (1 - one.confidence) / sessions))
    slope = float(np.polyfit(GRID**2, least, 1)[0])
    return StopCalibration(
        multiplier=float(GRID[place] ** 2),
        coverage=dict(zip(one.keys, covered[place].tolist(), strict=True)),
        coverage_error=noise,
        multiplier_error=noise / slope if slope > 0 else float("inf"),
        plain_coverage=dict(zip(one.keys, covered[0].tolist(), strict=True)),
        labels=float(labels[place]),
        plain_labels=float(labels[0]),
        sessions=sessions,
        seed=seed,
    )
