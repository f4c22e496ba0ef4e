"""Methods for a ranked list: a fixed sequence of items, in batches that end where bounds change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from labelcore.designs.base import Frame, IntArray, Progress, Setup
from labelcore.designs.curves import EstimatesCurve, Ranked
from labelcore.estimands import SUMMARIES
from labelcore.stats.profile import FloatArray

CONSTANT = (
    "All items have the same score, so their order is random: the curve is that of a shuffled list."
)
TIED = (
    "Only {distinct} different scores for {items} items: items with equal scores stand in a random "
    "order, and a cut may fall among equal scores; each point says whether it does."
)
FEW_DISTINCT = 0.5


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ListFrame(Frame):
    """A frame whose draws are decided before the first label.

    sequence    (most,), the items in the order asked
    batch_ends  (n_batches,), numbers of draws at which a batch ends, the last one ``most``
    edges       (n_edges,), ranks at which the method's bounds change their form
    """

    sequence: IntArray
    batch_ends: IntArray
    edges: IntArray


ListFrameT = TypeVar("ListFrameT", bound=ListFrame)


class RankedListDesign(EstimatesCurve[ListFrameT]):
    """A sequence of items fixed before the first label: no label changes what is asked next."""

    estimands: ClassVar[tuple[str, ...]] = ("precision_curve", *SUMMARIES)
    targets: ClassVar[tuple[str, ...]] = ("file",)
    stop_rules: ClassVar[tuple[str, ...]] = ()
    later_labels_count: ClassVar[bool] = False

    def next_batch(
        self, setup: Setup, frame: ListFrameT, progress: Progress, batch: int
    ) -> IntArray:
        start = int(progress.drawn.sum())
        end = int(frame.batch_ends[np.searchsorted(frame.batch_ends, start, side="right")])
        return frame.sequence[start : min(end, progress.limit)]

    def most(self, frame: ListFrameT) -> int:
        return len(frame.sequence)

    def planned_counts(self, setup: Setup, frame: ListFrameT, labels: int) -> IntArray:
        return frame.counts(frame.sequence[:labels])


def score_notes(setup: Setup) -> tuple[str, ...]:
    """What ties in the score mean for the curve, in words."""
    scores = setup.population.scores[str(setup.classifier)]
    distinct = len(np.unique(scores))
    if distinct == 1:
        return (CONSTANT,)
    if distinct < FEW_DISTINCT * len(scores):
        return (TIED.format(distinct=f"{distinct:,}", items=f"{len(scores):,}"),)
    return ()


def verdicts(ranked: Ranked, doubtful: float) -> FloatArray:
    """The verdict at each rank, (n_items,), NaN where no answer; ``doubtful`` without a class."""
    found = np.full(ranked.n_items, np.nan)
    found[ranked.rank - 1] = ranked.filled(doubtful)
    return found
