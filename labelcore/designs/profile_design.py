"""Methods whose numbers are G-profiles over the strata that they draw from."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import FrameT, IntArray, Look
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.profile_figures import (
    bounded,
    equally_many,
    g_profile,
    one_sample,
    profile_figures,
    profile_first_look,
    profile_may_meet,
    shown,
    widening,
)
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import WITHIN_STRATA, StratifiedDesign
from labelcore.errors import ParameterError
from labelcore.estimands import Estimand, known_group, table_of
from labelcore.promises import Promise
from labelcore.stats.profile import BoolArray, Cells, FloatArray, side_by_side
from labelcore.stats.profile_interval import critical_values
from labelcore.stats.profile_reach import holding

FEW_STRATA, LABELS_EACH = 24, 4
"""So many strata hold what is promised with few labels, too; more need so many labels for each."""
STRATA = ("n_above", "n_below", "n_strata")


class ProfileDesign(StratifiedDesign[FrameT]):
    """Batches from strata that mix no predictions, and the G-profile of their counts."""

    smallest_watched_budget: ClassVar[int] = 40
    recommended: ClassVar[bool] = True
    correlates: ClassVar[bool] = True
    existing: ClassVar[tuple[str, ...]] = ("random", "certainty")
    assumptions: ClassVar[tuple[str, ...]] = (WITHIN_STRATA, APPROXIMATE)

    def check_planned(self, given: Mapping[str, Any], frame: FrameT, planned: int) -> None:
        """More strata of one's own choice than labels can tell apart count as known too well
        (docs/default_allocation.md)."""
        named, strata = [name for name in STRATA if given.get(name)], int(frame.asked.sum())
        least = LABELS_EACH * strata
        if named and strata > FEW_STRATA and planned < least:
            raise ParameterError(
                named[0],
                f"leads to {strata:,} strata in all, which need {least:,} planned labels, "
                f"got {planned:,}; name fewer of them",
            )

    def judges(self, params: Any) -> bool:
        return True

    def first_look(self, frame: FrameT, planned: int, promise: Promise) -> int:
        return profile_first_look(frame, planned, promise)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return profile_figures(rows, cells, look, rates)

    def estimate_all(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, FloatArray]], look: Look
    ) -> list[Figures]:
        return self._side_by_side(rows, [(cells, look, rates) for cells, rates in parts])

    def figures_of(
        self, answers: Sequence[Answers[FrameT]], looks: Sequence[Look]
    ) -> list[Figures]:
        parts = [(run.cells, look, run.rates) for run, look in zip(answers, looks, strict=True)]
        return self._side_by_side(answers[0].rows, parts)

    def _side_by_side(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, Look, FloatArray | None]]
    ) -> list[Figures]:
        """``estimate`` of cells at looks with their rates, those of equally many cells together."""
        figures: dict[int, Figures] = {}
        for places in equally_many([cells for cells, _, _ in parts]):
            runs = [parts[place] for place in places]
            rates = [expected for _, _, expected in runs]
            bounds = g_profile(
                rows,
                side_by_side([cells for cells, _, _ in runs]),
                runs[0][1],
                None if rates[0] is None else np.array(rates),
                progress=np.array([look.progress for _, look, _ in runs]),
                confidence=np.array([look.confidence for _, look, _ in runs]),
            )
            figures |= zip(places, shown(rows, runs, bounds), strict=True)
        return [figures[place] for place in range(len(parts))]

    def may_meet(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        return profile_may_meet(answers, look, labels, goal)

    def holds(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        rows, cells = answers.rows, answers.cells
        table = table_of(rows, cells)
        single = any(one_sample(known_group(row, cells), cells) for row in rows)
        if single or not bounded(table) or look.target == "process":
            return np.zeros(len(labels), dtype=bool)
        done = labels / max(look.planned, 1)
        widened = widening(rows, cells, table, look, answers.rates, done, look.confidence)
        critical = critical_values(cells, table, look.confidence, **widened)
        return holding(cells, table, np.broadcast_to(critical, (len(labels), len(rows))), band)
