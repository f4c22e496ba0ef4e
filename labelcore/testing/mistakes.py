"""Mistakes that any method with figures from strata could make; a family puts its own below."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray, Look, Progress, Setup
from labelcore.designs.scalars import Figures
from labelcore.designs.stratified import StratifiedDesign
from labelcore.estimands import Estimand
from labelcore.stats.profile import Cells, FloatArray
from labelcore.testing.contracts import ANSWER_KEY


class Forgetful(StratifiedDesign[Any]):
    """Hidden state: what it draws depends on how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def allocate(self, setup: Setup, frame: Any, progress: Progress) -> IntArray:
        self.asked += 1
        given = super().allocate(setup, frame, progress)
        return np.roll(given, self.asked) if progress.drawn.sum() else given


class Clinging(StratifiedDesign[Any]):
    """Keeps the most positives it ever saw."""

    def __init__(self) -> None:
        self.seen: FloatArray = np.zeros(0)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        if len(self.seen) != len(cells.positive) or cells.labelled.sum() == 0:
            self.seen = np.zeros(len(cells.positive))
        self.seen = np.maximum(self.seen, cells.positive)
        kept = replace(cells, positive=np.minimum(self.seen, cells.labelled))
        return super().estimate(rows, kept, look, rates)


class Peeking(StratifiedDesign[Any]):
    """Draws positives first, which nobody can know."""

    def prepare(self, setup: Setup) -> Any:
        frame = super().prepare(setup)
        truth, queue = ANSWER_KEY["truth"], frame.queue
        order = np.lexsort((-truth[queue], frame.stratum[queue]))
        return replace(frame, queue=queue[order])


class NoFinitePopulation(StratifiedDesign[Any]):
    """Takes the file for a sample of something endless."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, target="process"), rates)


class AlwaysExact(StratifiedDesign[Any]):
    """Says that its estimate is the truth."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        found = super().estimate(rows, cells, look, rates)
        return replace(found, low=found.value, high=found.value)


class Hasty(StratifiedDesign[Any]):
    """Takes every look for the one at the planned size, and shows an interval before it."""

    only_watched = True
    """A method with the fixed promise alone cannot go wrong here."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        found = super().estimate(rows, cells, replace(look, planned=look.labels), rates)
        return found


class Narrow(StratifiedDesign[Any]):
    """Half the width."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        found = super().estimate(rows, cells, look, rates)
        low, high = (found.low + found.value) / 2, (found.high + found.value) / 2
        return replace(found, low=low, high=high)
