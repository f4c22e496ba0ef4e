"""What a choice between candidates may take, in sessions simulated on a file's own scores."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.designs.choices import Chooses
from labelcore.figures.choices import QUARTILES, choice_made, reached
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line
from labelcore.planning.runs import beginning, label_all
from labelcore.planning.simulation import run_seed
from labelcore.population import Population

SESSIONS, FEWEST = 40, 8
"""Sessions that are simulated, each in a world of its own, and the fewest that say something."""
FURTHEST = 1000
"""A session is followed to so many draws, or to five times those that are allowed."""


@dataclass(frozen=True)
class Expected:
    """How many labels simulated sessions took until their choice was made.

    low, middle, high   a quarter, half and three quarters of them took so many at the most; None
                        where fewer than that share ever came so far
    within              the share that were decided within the labels that the plan allows
    followed            labels up to which the undecided ones were followed
    """

    low: int | None
    middle: int | None
    high: int | None
    within: float
    followed: int


@dataclass(eq=False)
class Runner:
    """One method on its way, simulated step by step.

    spent    seconds of its steps so far, without those that prepared a size
    ended    whether no step follows
    """

    population: Population
    plan: Plan
    line: Line
    world: Callable[[int], IntArray]
    seed: int
    engine: Engine | None = None
    spent: float = 0.0
    steps: int = 0
    ended: bool = False

    @property
    def step_seconds(self) -> float:
        """What a step is expected to take; 0 before the first one."""
        return self.spent / max(self.steps, 1)


@dataclass(eq=False)
class ChoiceRunner(Runner):
    """The choice of one plan, session by session.

    Promise: none, this plans only. Assumption: the classes of a world are drawn with the scores as
    probabilities.
    """

    taken: list[float] = field(default_factory=list)

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return 1.0 if self.ended else len(self.taken) / SESSIONS

    def step(self) -> None:
        """Simulate one session more; end with the last one."""
        if self.engine is None:
            self.engine = beginning(self.population, self._followed())
        start, number = monotonic(), len(self.taken)
        engine = self.engine.redrawn(run_seed(self.seed, number))
        label_all([engine], self.world(number))
        self.taken.append(engine.labels if choice_made(engine) else math.inf)
        self.steps, self.spent = self.steps + 1, self.spent + monotonic() - start
        self.ended = len(self.taken) == SESSIONS

    def _followed(self) -> Plan:
        """The plan with more draws than it allows, unless their number is part of its bounds."""
        budget = int(self.plan.budget or 1)
        design: Chooses[Any] = Chooses.of(self.plan.method)
        more = min(max(FURTHEST, 5 * budget), len(self.population))
        size = max(more, budget) if design.may_add_draws(self.plan.design_params) else budget
        return frozen(self.population, replace(self.plan, budget=size), size)

    def found(self) -> Line | None:
        """The line as simulated; None where too little was done."""
        if len(self.taken) < FEWEST:
            return None
        assert self.engine is not None
        taken = np.sort(self.taken)
        low, middle, high = (reached(taken, share) for share in QUARTILES)
        within = float(np.mean(taken <= self.line.most))
        expected = Expected(low, middle, high, within, int(self.engine.plan.budget or 0))
        labels = self.line.most if middle is None else min(middle, self.line.most)
        return replace(
            self.line,
            labels=labels,
            derived={**self.line.derived, "expected": expected},
            runs=len(taken),
        )
