"""Many sessions with known labels in place of a person, side by side.

Their orders are drawn instead of hashed, nothing is prepared anew that does not depend on the seed,
and the figures of all of them are worked out together. A session whose stop rules look at results
is looked at only where they can be met: between two such looks a lower bound of the width, or the
evidence itself, shows that they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.designs.scalars import EstimatesScalars, Goal
from labelcore.figures.claims import may_be_settled
from labelcore.figures.from_counts import answers_after_each, labels_in, least_look, look_for
from labelcore.figures.scalars import margin_of, scalar_results_of, sizes_after_pilot
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine, compose_batches
from labelcore.log.events import Event
from labelcore.log.recuts import found_recut, recut_due
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import ALL, RULES, looking, rule_names
from labelcore.population import Population
from labelcore.promises import State, Status
from labelcore.results.types import Estimate
from labelcore.stats.orders import Drawn
from labelcore.stats.profile import BoolArray

AHEAD = 256
"""Labels that are searched at once for the next look."""


def beginning(population: Population, plan: Plan) -> Engine:
    """An engine before its first event whose orders are drawn; ``Engine.redrawn`` gives one for
    every seed. The plan has its planned size; its own seed is not used."""
    return Engine(population, plan.with_seed(0), Drawn(len(population)))


def beginnings(population: Population, plan: Plan, seeds: Sequence[int]) -> Iterator[Engine]:
    """An engine before its first event for each seed, whatever the others are."""
    first = beginning(population, plan)
    for seed in seeds:
        yield first.redrawn(seed)


def label_until(engine: Engine, codes: IntArray, drawn: int) -> None:
    """Draw and answer until so many items are drawn, or no more can be."""
    label_each_until([engine], [codes], drawn)


def label_each_until(engines: Sequence[Engine], codes: Sequence[IntArray], drawn: int) -> None:
    """``label_until`` for several sessions of one plan, each with its own classes of the items."""
    going = [_Session(*begun) for begun in zip(engines, codes, strict=True)]
    while going := [session for session in going if len(session.engine.asked) < drawn]:
        cut_anew([session.engine for session in going])
        compose_batches([session.engine for session in going])
        going = [session for session in going if session.go_on(drawn - len(session.engine.asked))]


def label_all(engines: Sequence[Engine], codes: IntArray) -> list[Status]:
    """Draw and answer in each engine until its plan ends; their statuses. The sessions go batch by
    batch, so that the batches of all of them are composed together, and so are their figures.

    codes   (n_items,), the true class of each item
    """
    sessions = [_Session(engine, codes) for engine in engines]
    plan = engines[0].plan
    rules = looking(rule_names(plan.stop or ()))
    going = sessions
    while going:
        cut_anew([session.engine for session in going])
        compose_batches([session.engine for session in going])
        ahead = going = [session for session in going if len(session.engine.upcoming(1))]
        while ahead:
            ahead = [
                session
                for session in ahead
                if session.go_to_next_look(looked=bool(rules) or plan.learns)
            ]
            end_pilots([session.engine for session in ahead])
            _look(ahead, "margin" in rules)
            ahead = [session for session in ahead if session.status is None]
        going = [session for session in going if session.status is None]
    return [session.ended() for session in sessions]


def end_pilots(engines: Sequence[Engine]) -> None:
    """Forecast the size anew in each session that is at the end of its pilot."""
    due = [engine for engine in engines if 0 < engine.pilot <= engine.labels]
    for engine, sizes in zip(due, sizes_after_pilot(due) if due else (), strict=True):
        engine.replan(sizes["planned"], sizes.get("pilot", 0))


def cut_anew(engines: Sequence[Engine]) -> None:
    """Cut the strata once more in each session that is half way."""
    for engine in engines:
        if recut_due(engine):
            engine.cut_anew(found_recut(engine, forecast=False))


def _look(sessions: Sequence[_Session], results_needed: bool) -> None:
    """Look at each session where it is now."""
    if not results_needed or not sessions:
        for session in sessions:
            session.look(None)
        return
    results_of_each = scalar_results_of([session.engine for session in sessions])
    for session, results in zip(sessions, results_of_each, strict=True):
        session.look(results)


class _Session:
    """One engine on its way.

    widest   the place of the question that was furthest from the margin at the last look
    planned  the results at the planned size: these bands may be kept later
    memory   what the bound of the widths keeps to save time
    """

    def __init__(self, engine: Engine, codes: IntArray) -> None:
        self.engine, self.codes = engine, codes
        self.status: Status | None = None
        self.widest: int | None = None
        self.planned: list[Estimate] = []
        self.memory: dict[str, Any] = {}
        self.answers = [
            Event(0, "labelled", "", "simulation", label=name) for name in engine.population.classes
        ]
        stop = tuple(engine.plan.stop or ())
        self.rules, self.every = rule_names(stop), stop[:1] == (ALL,)

    def go_on(self, number: int) -> int:
        """Up to ``number`` labels more, at most the rest of the batch; how many."""
        number = len(self.engine.upcoming(number))
        if number:
            self.engine.label_ahead(number, self.codes, self.answers)
        return number

    def go_to_next_look(self, *, looked: bool) -> bool:
        """Label up to the next look at which the stop rules may be met, at most to the end of the
        batch; whether there is one."""
        if not looked:
            self.go_on(self.engine.limit)
        while len(positions := self.engine.upcoming(self._ahead())):
            possible = np.flatnonzero(self.may_stop(positions) | self._must_look(positions))
            self.go_on(int(possible[0]) + 1 if len(possible) else len(positions))
            if len(possible):
                return True
        return False

    def _ahead(self) -> int:
        """How many labels are searched at once: none beyond a pilot, where the band is another."""
        pilot = self.engine.pilot
        return min(AHEAD, max(pilot - self.engine.labels, 1)) if pilot else AHEAD

    def _must_look(self, positions: IntArray) -> BoolArray:
        """After which of the next items the pilot ends, or a band begins that is kept later,
        (n_items,)."""
        labels = self.engine.labels + 1 + np.arange(len(positions))
        kept = "margin" in self.rules and self.engine.plan.horizon is not None
        due = (self.engine.pilot, self.engine.watched_for if kept else 0)
        return np.asarray(np.isin(labels, due))

    def look(self, results: dict[str, Estimate] | None) -> None:
        """See whether the session ends now."""
        if stop_reason(self.engine, None, None if results is None else lambda: results):
            self.status = Status.GOAL_REACHED
        elif results is not None:
            found = results.values()
            half = [(one if one.has_interval else one.possible).half_width for one in found]
            margins = [margin_of(self.engine, asked) or np.inf for asked in self.engine.questions]
            self.widest = int(np.argmax(np.array(half) / margins))
            if self.engine.labels == self.engine.watched_for:
                self.planned = list(results.values())

    def ended(self) -> Status:
        """The status at the end."""
        if self.status is not None:
            return self.status
        everything = len(self.engine.asked) >= self.engine.most
        return Status.EXHAUSTED if everything else Status.BUDGET_USED

    def may_stop(self, positions: IntArray) -> BoolArray:
        """After which of these items, the next ones, the stop rules may be met, (n_items,)."""
        possible = [self._may_be_met(rule, positions) for rule in self.rules]
        return np.asarray(np.all(possible, axis=0) if self.every else np.any(possible, axis=0))

    def _may_be_met(self, rule: str, positions: IntArray) -> BoolArray:
        if RULES[rule].timed:
            return np.zeros(len(positions), dtype=bool)  # No time passes.
        if rule == "claims":
            return may_be_settled(self.engine, positions, self.codes[positions])
        if rule == "margin" and self.widest is not None:
            return self._may_meet_margin(self.widest, positions)
        return np.ones(len(positions), dtype=bool)

    def _may_meet_margin(self, place: int, positions: IntArray) -> BoolArray:
        """After which of the next items the widest interval of the last look may be narrow enough;
        while that one is not, the others do not matter."""
        engine = self.engine
        answers = answers_after_each(
            engine, [engine.questions[place]], positions, self.codes[positions]
        )
        labels, look = engine.labels + 1 + np.arange(len(positions)), least_look(engine)
        question = engine.questions[place]
        question_look = look_for(engine, question, look, answers.rows, answers.cells)
        possible = EstimatesScalars.of(engine.design).may_meet(
            answers, question_look, labels_in(question, labels, answers.cells), self._goal(place)
        )
        return np.asarray(possible | (labels == engine.watched_for))

    def _goal(self, place: int) -> Goal:
        """What is to be kept by the interval of a question from now on."""
        engine = self.engine
        margin = float(margin_of(engine, engine.questions[place]) or 0)
        if engine.plan.horizon is None or engine.labels < engine.watched_for:
            return Goal(margin, None, self.memory)
        band = self.planned[place]
        keeps = band.has_interval and band.state != State.EXACT
        kept = (band.low, band.high) if keeps else None
        return Goal(margin, kept, self.memory, both=engine.plan.learns)
