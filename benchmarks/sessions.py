"""Sessions of one plan on one file with known labels, seen at chosen numbers of labels.

The engine, the draws and the figures are those of ``labelcore.simulate``; here it is chosen where a
session is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

import labelcore as lc
from labelcore.designs.base import IntArray
from labelcore.figures.readiness import first_figure
from labelcore.figures.scalars import scalar_results_of
from labelcore.log.engine import Engine
from labelcore.planning.runs import beginning, label_each_until, label_until
from labelcore.planning.simulation import true_numbers
from labelcore.stats.arrays import BoolArray
from labelcore.stats.arrays import FloatArray as FloatArray

LOOKS = 30
SHOWN = ("interval", "exact", "stopped early")


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """What is seen, arrays (n_sessions, n_looks, n_questions)."""

    interval: BoolArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    tail_share: FloatArray

    def part(self, *place: object) -> Shown:
        """A part of each array."""
        return Shown(*(getattr(self, one.name)[place] for one in fields(self)))


class Prepared:
    """One file and plan, ready for sessions; ``codes`` is (n_items,), the class of each item."""

    def __init__(self, population: lc.Population, plan: lc.Plan, codes: IntArray) -> None:
        self.engine, self.codes = beginning(population, plan), codes
        self.keys = [question.key for question in self.engine.questions]

    def truth(self) -> dict[str, float]:
        """The true value of each question for this file."""
        found = true_numbers(self.engine, self.codes)
        return {key: float(found[key]) for key in self.keys}  # type: ignore[arg-type]

    def session(self, random: np.random.Generator) -> Session:
        """A session before its first label."""
        seed = int(random.integers(2**32))
        return Session(self.engine.redrawn(seed), self.codes, seed)

    def again(self, session: Session) -> Session:
        """The session of this plan that has the draws of ``session``, before its first label."""
        return Session(self.engine.redrawn(session.seed), self.codes, session.seed)

    def looks(self) -> list[int]:
        """About ``LOOKS`` numbers of labels, in constant ratio from the first figure to the last
        label."""
        first, last = max(first_figure(self.engine), 1), self.engine.limit
        return np.unique(np.rint(np.geomspace(min(first, last), last, LOOKS)).astype(int)).tolist()


@dataclass(frozen=True, eq=False, slots=True)
class Session:
    """A session on its way; ``seed`` is that of its draws."""

    engine: Engine
    codes: IntArray
    seed: int

    def go_to(self, labels: int) -> None:
        """Label until there are so many labels; raises ValueError if there are more already."""
        self.check(labels)
        label_until(self.engine, self.codes, labels)

    def check(self, labels: int) -> None:
        """Raise ValueError if there are more labels already."""
        if len(self.engine.asked) > labels:
            raise ValueError(f"{len(self.engine.asked)} items are labelled already, not {labels}")


def see(sessions: Sequence[Session], looks: Sequence[int]) -> Shown:
    """What sessions of one plan show at each of these numbers of labels."""
    found = []
    for labels in looks:
        for session in sessions:
            session.check(labels)
        codes = [session.codes for session in sessions]
        label_each_until([session.engine for session in sessions], codes, labels)
        found.append(scalar_results_of([session.engine for session in sessions]))

    def column(name: str) -> FloatArray:
        numbers = [[[getattr(one, name) for one in run.values()] for run in at] for at in found]
        return np.array(numbers, dtype=float).transpose(1, 0, 2)

    states = [[[one.state in SHOWN for one in run.values()] for run in at] for at in found]
    return Shown(
        np.array(states).transpose(1, 0, 2),
        *(column(name) for name in ("value", "low", "high", "tail_share")),
    )
