"""Methods whose numbers are G-profiles over the strata that they draw from."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from labelcore.designs.base import FrameT, IntArray, Look
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.profile_figures import (
    profile_figures,
    profile_figures_at,
    profile_figures_of,
    profile_first_look,
    profile_holds,
    profile_may_meet,
)
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import WITHIN_STRATA, StratifiedDesign
from labelcore.errors import ParameterError
from labelcore.estimands import Estimand
from labelcore.promises import Promise
from labelcore.stats.profile import BoolArray, Cells, FloatArray

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
        return profile_figures_at(rows, parts, look)

    def figures_of(
        self, answers: Sequence[Answers[FrameT]], looks: Sequence[Look]
    ) -> list[Figures]:
        return profile_figures_of(answers, looks)

    def may_meet(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        return profile_may_meet(answers, look, labels, goal)

    def holds(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        return profile_holds(answers, look, labels, band)
