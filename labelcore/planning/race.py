"""The methods raced against each other, in sessions simulated on a file's own scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.designs.choices import Chooses
from labelcore.designs.rates import item_probability
from labelcore.designs.scalars import EstimatesScalars
from labelcore.estimands import DIFFERENCES, SCALARS
from labelcore.figures.cuts import deepest_cut
from labelcore.figures.scalars import scalar_results_of
from labelcore.plan.against_file import as_ordered, chosen_classifiers, frozen
from labelcore.plan.plan import Plan
from labelcore.planning.choosing import ChoiceRunner, Runner
from labelcore.planning.methods import EXACT, Line
from labelcore.planning.outlook import Outlook
from labelcore.planning.runs import beginning, label_all
from labelcore.planning.simulation import run_seed
from labelcore.population import Population
from labelcore.stats.profile import FloatArray

SECONDS = 3.0
WORLDS, SESSIONS = 10, 4
"""Worlds that are simulated for each method, and sessions in each of them."""
FIRST_WORLDS, FEWEST_WORLDS = 2, 4
"""Worlds that only bring a size near its margin, and those that a result has at the least."""
NEAR, MOST_SIZES = 0.05, 6
"""A size whose half-width lies so near to the margin (as a logarithm) gives the size that meets it,
and so does one that meets it where one so near below it does not; sizes that are tried."""
MOST_ITEMS = 200_000
"""With more items one step takes longer than a page may be kept waiting."""

CUT_LABELS, CUT_SIZES, CUT_SESSIONS = 100, 4, 5
"""Labels, doublings and sessions that a cut is looked for with."""

World = Callable[[int], IntArray]
Progress = Callable[[float], object] | None


def may_race(population: Population, plan: Plan) -> bool:
    """Whether sessions of a plan can be simulated on the scores, and would say more than its
    formulas: for numbers (no curve) by a method whose size a plan gives, without claims, groups or
    labels that are there already, and for a choice, which has no formulas. The others are worked
    out otherwise."""
    numbers = (
        {*plan.estimands} <= {*SCALARS, *DIFFERENCES}
        and isinstance(plan.method, EstimatesScalars)
        and not plan.method.size_from_params
        and not plan.claims
        and plan.by is None
    )
    return (
        len(population) <= MOST_ITEMS
        and (numbers or isinstance(plan.method, Chooses))
        and plan.existing in (None, "ignored")
        and likely_classes(population, plan) is not None
    )


def likely_classes(population: Population, plan: Plan, seed: int = 0) -> World | None:
    """Draws the class of every item, (n_items,), for world 0, 1, ..., as if the scores were
    calibrated; None where they cannot be.

    Two classes: positive with the probability that is the score, with several classifiers the mean
    of theirs, those without a probability left out. More classes: the predicted one with the
    probability that is the score, else each other one alike; then only for one classifier.
    """
    ordered = as_ordered(population, plan)
    names = [name for name in chosen_classifiers(ordered, plan) if name is not None]
    known = [chance for name in names if (chance := item_probability(ordered, name)) is not None]
    if not known:
        return None
    n_classes, rate = len(population.classes), np.mean(known, axis=0)
    called: int | IntArray = population.classes.index(population.positive)
    if n_classes > 2:
        if len(names) > 1 or names[0] not in population.predictions:
            return None
        called = population.predictions[names[0]].astype(np.int64)

    def world(number: int) -> IntArray:
        random = np.random.default_rng([seed, number])
        hit = random.random(len(rate)) < rate
        step = random.integers(1, n_classes, len(rate))
        return np.where(hit, called, (called + step) % n_classes).astype(np.int64)

    return world


def race(
    population: Population,
    entrants: Sequence[tuple[Plan, Line]],
    *,
    seconds: float = SECONDS,
    seed: int = 0,
    world: World | None = None,
    progress: Progress = None,
) -> dict[str, Line]:
    """What each method needs for the margin of its plan, or gives with its budget, by simulation.

    Parameters
    ----------
    population
        the file; at least one score must be a probability
    entrants
        the plans, which ask the same question, each of a method of its own, with the lines that
        their formulas give; plans that ``may_race`` refuses are left out
    seconds
        after which no further step begins
    seed
        of the worlds and of the draws
    world
        gives the class of every item, (n_items,), in world 0, 1, ...; None: ``likely_classes``
    progress
        called after each step with the share that is done, 0 to 1. If it returns False the race is
        cancelled

    Returns
    -------
    dict
        {design: line} with labels and half-widths as simulated, ``runs`` and ``error``; a choice
        has no half-widths but what ``choosing.Expected`` says as ``derived["expected"]``. A design
        that was not done in time is left out, and of a cancelled race all are.

    Notes
    -----
    Promise: none, this plans only. Assumption: the scores are calibrated, so that a world's classes
    are independent draws with the scores as probabilities.

    A half-width is the mean over the sessions, each at its planned size; the labels for a margin
    are the planned size at which the widest of the figures' means meets it. Whether a session may
    end earlier, at the first look that meets its margin, is left aside, as the formulas do. Items
    of equal score at the edge of a stratum are shared out once for all sessions.

    Ten worlds of four sessions are simulated for each method, the same for all. Where the time does
    not suffice there are fewer, at least four: how many then depends on the machine, and ``runs``
    says it. The same seed gives the same numbers as long as the time has not ended the race.

    Examples
    --------
    >>> import labelcore as lc
    >>> from labelcore.planning.methods import line
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("simple_random", ["accuracy"], budget=200)
    >>> found = race(population, [(plan, line(population, plan))], seconds=60)["simple_random"]
    >>> found.labels, found.runs, found.error < 0.1
    (200, 40, True)
    """
    until = monotonic() + seconds
    able = [(plan, line) for plan, line in entrants if may_race(population, plan)]
    if able and world is None:
        world = likely_classes(population, able[0][0], seed)
    runners = [_runner(population, plan, line, world, seed) for plan, line in able if world]
    going = runners
    while going:
        for runner in going:
            if monotonic() + runner.step_seconds >= until:
                runner.ended = True
                continue
            runner.step()
            share = float(np.mean([runner.share for runner in runners]))
            if progress is not None and progress(share) is False:
                return {}
        going = [runner for runner in going if not runner.ended]
    lines = [runner.found() for runner in runners]
    return {line.design: line for line in lines if line is not None}


def _runner(
    population: Population, plan: Plan, line: Line, world: World, seed: int
) -> _Runner | ChoiceRunner:
    kind = ChoiceRunner if isinstance(plan.method, Chooses) else _Runner
    return kind(population, plan, line, world, seed)


def labels_for_cut(
    population: Population,
    plan: Plan,
    precision: float,
    depth: int,
    *,
    step: Callable[[], object] = lambda: None,
) -> int | None:
    """How many labels a plan for a ranked list is likely to need until a head of at least ``depth``
    items is sure to keep ``precision``: the fewest of its least size and its doublings with which
    nearly all simulated sessions have one; None where none has, or no score is a probability.
    ``step`` is called after each session.

    Promise: none, this plans only. Assumption: the scores are calibrated.
    """
    world = likely_classes(population, plan)
    if world is None:
        return None
    outlook = Outlook(population, plan)
    size = max(outlook.design.least(outlook.frame), CUT_LABELS)
    for _ in range(CUT_SIZES):
        size = min(size, len(population))
        engine = beginning(population, frozen(population, replace(plan, budget=size), size))
        engines = [engine.redrawn(run_seed(0, run)) for run in range(CUT_SESSIONS)]
        for run, session in enumerate(engines):
            label_all([session], world(run))
            step()
        deepest = [deepest_cut(session, precision) for session in engines]
        reached = sum(cut is not None and cut.rank >= depth for cut in deepest)
        if reached >= CUT_SESSIONS - 1:
            return size
        size *= 2
    return None


@dataclass(eq=False)
class _Runner(Runner):
    """One method on its way.

    labels    the size that is simulated now
    tried     (size, widest half-width) of the sizes before
    keys      the figures that the labels can give
    widths    the mean half-widths of each world at this size, (n_keys,)
    """

    labels: int = 0
    keys: list[str] = field(default_factory=list)
    tried: list[tuple[int, float]] = field(default_factory=list)
    widths: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.labels = self.line.labels
        self.wanted = WORLDS if self.plan.margin is None else FIRST_WORLDS

    @property
    def share(self) -> float:
        """How much is done, 0 to 1: with a margin as if two sizes were enough."""
        every = WORLDS if self.plan.margin is None else FIRST_WORLDS + WORLDS
        return 1.0 if self.ended else min(self.steps / every, 0.99)

    def step(self) -> None:
        """Simulate one world more, and go to another size or end where that is due."""
        if self.engine is None:
            plan = frozen(self.population, self.plan, self.labels)
            one_look = replace(plan, stop=(), budget=None if plan.margin else plan.budget)
            budget = self.labels if one_look.learns else one_look.budget
            self.engine = beginning(self.population, replace(one_look, budget=budget))
            asked = (question.key for question in self.engine.questions)
            self.keys = [key for key in asked if key in self.line.half_widths]
            if plan.budget is None and self.labels >= self.engine.most:
                self.ended = True  # Nothing is left to chance.
                return
        start, place = monotonic(), len(self.widths)
        seeds = [run_seed(self.seed, SESSIONS * place + session) for session in range(SESSIONS)]
        engines = [self.engine.redrawn(seed, strata_kept=True) for seed in seeds]
        label_all(engines, self.world(place))
        every = scalar_results_of(engines, alone=True)
        half_widths = [
            [(one if one.has_interval else one.possible).half_width for one in found]
            for found in ([results[key] for key in self.keys] for results in every)
        ]
        self.widths.append(np.mean(half_widths, axis=0))
        self.steps, self.spent = self.steps + 1, self.spent + monotonic() - start
        if len(self.widths) == self.wanted:
            self._go_on()

    def _go_on(self) -> None:
        """After all worlds of a size: end, or try another one."""
        full = self.wanted == WORLDS
        if full and (self._is_found() or len(self.tried) + 1 == MOST_SIZES):
            self.ended = True
            return
        size = self._size_for_margin()
        self.tried.append((self.labels, self._widest()))
        self.wanted, self.labels = WORLDS, size
        self.widths, self.engine = [], None

    def _widest(self) -> float:
        return float(np.mean(self.widths, axis=0).max())

    def _is_found(self) -> bool:
        """Whether this size tells the one that is asked for."""
        margin = self.plan.margin
        if margin is None:
            return True
        at_the_end = self._size_for_margin() == self.labels
        return self._is_near() or at_the_end or self._is_at_a_step()

    def _is_near(self) -> bool:
        widest = max(self._widest(), 1e-9)
        return abs(math.log(widest / float(self.plan.margin or 1))) <= NEAR

    def _is_at_a_step(self) -> bool:
        """Whether this size meets the margin and one just below it does not."""
        low, high = self._between()
        return high == self.labels and low > 0 and high - low <= max(1, NEAR * high)

    def _between(self) -> tuple[int, int]:
        """The largest size that was too wide, 0 without one, and the smallest that was not, all
        items without one."""
        assert self.engine is not None
        every, margin = [*self.tried, (self.labels, self._widest())], float(self.plan.margin or 1)
        wide = [size for size, width in every if width > margin]
        met = [size for size, width in every if width <= margin]
        return max(wide, default=0), min(met, default=self.engine.most)

    def _size_for_margin(self) -> int:
        """The size at which the widest figure is expected to meet the margin: by the slope
        between the last two sizes, at first by the squared width; within what can be asked."""
        assert self.engine is not None
        margin, widest = float(self.plan.margin or 1), max(self._widest(), 1e-9)
        here, slope = self._information(self.labels), 0.5
        if self.tried and self.tried[-1][0] != self.labels:
            size, width = self.tried[-1]
            steps = math.log(here / self._information(size))
            slope = min(max(math.log(max(width, 1e-9) / widest) / steps, 0.3), 2.0)
        wanted = here * (widest / margin) ** (1 / slope)
        target = math.ceil(wanted / (1 + wanted * self._whole) - 1e-9)
        low, high = self._between()
        if 0 < low < high - 1 and not low < target < high:
            target = round(math.sqrt(low * high))
        most = min(self.plan.budget or self.engine.most, self.engine.most)
        return int(min(max(target, self.engine.design.least(self.engine.frame)), most))

    @property
    def _whole(self) -> float:
        """One over the items that a census would ask; 0 for items like these."""
        return 1 / len(self.population) if self.plan.target == "file" else 0.0

    def _information(self, labels: int) -> float:
        """So many independent draws would say as much of the file."""
        return labels / max(1 - labels * self._whole, 1e-6)

    def found(self) -> Line | None:
        """The line as simulated; None where too little was done."""
        worlds = len(self.widths)
        if self.wanted < WORLDS or worlds < FEWEST_WORLDS or not self._is_found():
            return None
        means = np.mean(self.widths, axis=0)
        widest = int(means.argmax())
        noise = np.std([widths[widest] for widths in self.widths], ddof=1) / math.sqrt(worlds)
        error = float(noise / means[widest]) if means[widest] > EXACT else 0.0
        labels, margin = self.labels, self.plan.margin
        if margin is not None and self._is_near() and self._size_for_margin() != labels:
            labels = self._size_for_margin()
            means = means * margin / means[widest]
        return replace(
            self.line,
            labels=labels,
            most=max(self.line.most, labels),
            half_widths=dict(zip(self.keys, means.tolist(), strict=True)),
            runs=worlds * SESSIONS,
            error=error if margin is None else 2 * error,
        )
