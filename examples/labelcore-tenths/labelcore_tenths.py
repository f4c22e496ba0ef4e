"""A sampling method in a package of its own: as many labels from each tenth of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelcore.designs import Method
from labelcore.designs.base import (
    DesignParams,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    make_frame,
    parameter,
)
from labelcore.designs.profile_figures import profile_figures, profile_first_look
from labelcore.designs.scalars import Figures
from labelcore.designs.stratified import StratifiedDesign
from labelcore.errors import PlanError
from labelcore.estimands import SCALARS, Estimand
from labelcore.promises import Promise
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.profile import Cells, FloatArray


class TenthsOfScore(StratifiedDesign[Frame]):
    """Equal parts along the score, each labelled in proportion to its size.

    Promise: "fixed", by the G-profile interval over strata; approximate.
    Assumption: none about the scores; bad ones gain nothing.
    Source: Cochran (1977), sections 5.4 to 5.6, proportional allocation.
    """

    name: ClassVar[str] = "tenths"
    label: ClassVar[str] = "Tenths of the score"
    summary: ClassVar[str] = "Labels from each tenth of the scores, in proportion to its size."
    estimands: ClassVar[tuple[str, ...]] = tuple(SCALARS)
    promises: ClassVar[tuple[Promise, ...]] = (Promise.FIXED,)
    assumptions: ClassVar[tuple[str, ...]] = (
        "within each stratum the labelled items are a simple random sample",
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """How many parts."""

        parts: int = parameter(10, "parts of equal size along the score", low=2, high=50)
        n_step: int = parameter(10, "labels in a batch", low=1, high=1_000)

    def prepare(self, setup: Setup) -> Frame:
        population, name = setup.population, str(setup.classifier)
        score = population.ordering_score(name)
        if score is None or len(population.classes) > 2:
            raise PlanError("design 'tenths' needs two classes and a classifier with a score")
        ranks = np.empty(len(population), dtype=np.int64)
        ranks[setup.ranking(score)] = np.arange(len(population))
        part = ranks * setup.params.parts // len(population)
        called = population.predictions[name] == population.classes.index(population.positive)
        # No stratum holds both predictions: precision and recall rest on one of them each.
        _, stratum = np.unique(2 * part + ~called, return_inverse=True)
        n_strata = int(stratum.max()) + 1
        sizes = np.bincount(stratum, minlength=n_strata)
        predicted = np.bincount(stratum, called, n_strata) > 0
        return make_frame(setup, stratum, np.where(predicted, 0.8, 0.1), predicted, _few(sizes))

    def first_look(self, frame: Frame, planned: int, promise: Promise) -> int:
        return profile_first_look(frame, planned, promise)

    def allocate(self, setup: Setup, frame: Frame, progress: Progress) -> IntArray:
        total = int(progress.drawn.sum())
        batch = min(setup.params.n_step, progress.limit - total)
        room = frame.sizes - progress.drawn
        goal = frame.sizes * (total + batch) / frame.sizes.sum()
        return largest_remainder(np.clip(goal - progress.drawn, 0.0, room), batch, room)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return profile_figures(rows, cells, look, rates)


def _few(sizes: Any) -> tuple[str, ...]:
    """What to know of strata that are hardly sampled."""
    small = int((sizes < 10).sum())
    return (f"{small} strata have fewer than 10 items",) if small else ()


METHOD = Method(TenthsOfScore())
