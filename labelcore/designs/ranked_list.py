"""Methods for a ranked list: a fixed sequence of items, and bounds that are due at fixed draws."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from labelcore.designs.base import (
    COMING,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    extended,
    frame_of,
    whole_list,
)
from labelcore.designs.curves import JUDGEMENT, Curve, EstimatesCurve, Ranked, Reading, fine_grid
from labelcore.designs.rates import part_rates
from labelcore.estimands import SUMMARIES
from labelcore.population.array_items import Items, Part, cut
from labelcore.promises import Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.orders import hash_order, increasing
from labelcore.stats.profile import FloatArray
from labelcore.stats.rank_strata import interleaved

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

    asked_of    (n_strata,), how many items of each stratum may be asked
    batch_ends  (n_batches,), numbers of draws at which a batch ends, the last one that of all
    edges       (n_edges,), ranks at which the method's bounds change their form
    spans       (n_strata, 2), the first and the last rank of each stratum; where it has fewer
                items, other strata lie between
    """

    asked_of: IntArray
    batch_ends: IntArray
    edges: IntArray
    spans: IntArray

    def finished(self, draws: int) -> int:
        """How many batches end at ``draws`` or before."""
        return int(np.searchsorted(self.batch_ends, draws, side="right"))


ListFrameT = TypeVar("ListFrameT", bound=ListFrame)


@dataclass(frozen=True, eq=False, slots=True)
class Basis:
    """What is said at one look rests on.

    draws    the draws that count now; 0: nothing can be said yet
    answers  those of these draws
    """

    look: Look
    state: State
    draws: int
    answers: Ranked

    @property
    def bounded(self) -> bool:
        """Whether there are bounds, and not an estimate alone."""
        return self.state.has_interval


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """What a method finds along the ranks.

    yields      the hits among the first r, at the ranks that it can speak of
    precision   where it is not that of ``yields``
    summed      what summaries are made of where ``yields`` has gaps
    provisional, extra, notes   as in a ``Curve``
    method      where its bounds are not made as the design says
    assumed     what these bounds rest on beside
    """

    yields: Yields
    precision: Reading | None = None
    summed: Yields | None = None
    provisional: FloatArray | None = None
    extra: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    method: Method | None = None
    assumed: tuple[str, ...] = ()

    def read(self, name: str) -> Reading:
        if name == "precision" and self.precision is not None:
            return self.precision
        return READINGS[name](self.yields)


class RankedListDesign(EstimatesCurve[ListFrameT]):
    """A sequence of items fixed before the first label: no label changes what is asked next.

    A method says how it draws (``prepare``), when bounds are due (``due``) and what it finds
    (``found``); the state, the promise and the curve follow.

    method            how its bounds are made
    awaited           what comes with the first bounds that are due, in words
    """

    estimands: ClassVar[tuple[str, ...]] = ("precision_curve", *SUMMARIES)
    targets: ClassVar[tuple[str, ...]] = ("file",)
    stop_rules: ClassVar[tuple[str, ...]] = ()
    later_labels_count: ClassVar[bool] = False
    of_stretches: ClassVar[bool] = True
    method: ClassVar[Method]
    awaited: ClassVar[str] = "a first band"

    def due(self, frame: ListFrameT, planned: int, promise: Promise) -> list[int]:
        """Numbers of draws after which bounds are given, increasing; the last ones given stay until
        the next ones are due."""
        return [int(end) for end in frame.batch_ends]

    @abstractmethod
    def found(
        self, setup: Setup, frame: ListFrameT, ranked: Ranked, basis: Basis, at: IntArray
    ) -> Found:
        """What is known at the ranks ``at``; ``ranked`` holds all answers so far."""

    def asked(self, setup: Setup, frame: ListFrameT, first: int, end: int) -> IntArray:
        """The items asked after the first ``first`` up to number ``end``, in that order: stratum
        after stratum, within each in draw order, unless a method says otherwise."""
        ends = np.cumsum(frame.asked_of)
        taken = [
            frame.queue[start + max(first - before, 0) : start + min(end, last) - before]
            for start, before, last in zip(frame.start, ends - frame.asked_of, ends, strict=True)
            if before < end and last > first
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *taken])

    def early(self, frame: ListFrameT, draws: int) -> int:
        """The draws that count before bounds are due, or when labelling ends before; 0: none do."""
        finished = frame.finished(draws)
        return int(frame.batch_ends[finished - 1]) if finished else 0

    def made_by(self, params: Any) -> Method:
        """How the bounds are made with these parameters."""
        return self.method

    def confidence(self, setup: Setup, look: Look) -> float | None:
        """The confidence that goes with the bounds."""
        return look.confidence if self.has_confidence else None

    def next_batch(
        self, setup: Setup, frame: ListFrameT, progress: Progress, batch: int
    ) -> IntArray:
        start = int(progress.drawn.sum())
        end = int(frame.batch_ends[frame.finished(start)])
        return self.asked(setup, frame, start, min(end, progress.limit))

    def soon(self, setup: Setup, frame: ListFrameT, drawn: IntArray) -> IntArray:
        start = int(drawn.sum())
        return self.asked(setup, frame, start, min(start + COMING, self.most(frame)))

    def most(self, frame: ListFrameT) -> int:
        return int(frame.batch_ends[-1])

    def planned_counts(self, setup: Setup, frame: ListFrameT, labels: int) -> IntArray:
        ends = np.minimum(np.cumsum(frame.asked_of), labels)
        return np.diff(ends, prepend=0).astype(np.int64)

    def first_look(self, frame: ListFrameT, planned: int, promise: Promise) -> int:
        return int(self.due(frame, planned, promise)[0])

    def derived(self, frame: ListFrameT, labels: int) -> dict[str, Any]:
        return {"rank_edges": [int(edge) for edge in frame.edges]}

    def curve(
        self,
        setup: Setup,
        frame: ListFrameT,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        at = fine_grid(ranked.n_items, frame.edges) if ranks is None else ranks
        state, draws = self._standing(frame, ranked, look)
        answers = ranked.until(draws)
        basis = Basis(look, state, draws, answers)
        estimate = Found(without_bounds(ranked.n_items, at, np.full(len(at), np.nan)))
        if draws:
            estimate = self.found(setup, frame, ranked, basis, at)
        bounded = basis.bounded
        promised = self.has_confidence and state != State.STOPPED_EARLY
        return Curve(
            rank=estimate.yields.rank,
            names=tuple(READINGS),
            read=estimate.read,
            confidence=self.confidence(setup, look),
            simultaneous=self.has_confidence,
            promise=look.promise if promised else Promise.NONE,
            state=state,
            labels=answers.labels if bounded else look.labels,
            draws=draws if bounded else look.draws,
            method=estimate.method or self.made_by(setup.params),
            assumptions=(*self.assumptions, *estimate.assumed, *self._assumed(basis)),
            missing="" if bounded else self._missing(frame, look),
            yields=(estimate.summed or estimate.yields) if bounded else None,
            provisional=estimate.provisional,
            extra=estimate.extra,
            notes=(*frame.notes, *estimate.notes),
        )

    def _standing(self, frame: ListFrameT, ranked: Ranked, look: Look) -> tuple[State, int]:
        """(state, draws that count)."""
        if ranked.labels == ranked.n_items:
            return State.EXACT, look.draws
        due = self.due(frame, look.planned, look.promise)
        reached = due[: bisect_right(due, look.draws)]
        if look.labels == 0:
            return State.NOTHING, 0
        if reached:
            return State.INTERVAL, int(reached[-1])
        draws = self.early(frame, look.draws)
        if not draws:
            return State.TOO_FEW, 0
        return (State.STOPPED_EARLY if look.finished else State.PROVISIONAL), draws

    def _assumed(self, basis: Basis) -> tuple[str, ...]:
        """What the answers are taken for; a first guess has no bounds to take some both ways."""
        return basis.answers.assumed() if basis.bounded else (JUDGEMENT,)

    def _missing(self, frame: ListFrameT, look: Look) -> str:
        if look.labels == 0:
            return "no item has a label yet"
        first = self.first_look(frame, look.planned, look.promise)
        return f"{look.draws:,} of {first:,} items judged before {self.awaited}"


# --- the file along its ranks --------------------------------------------------------------------


def strata_of_ranks(
    setup: Setup, kind: type[ListFrameT], last: Sequence[int] | IntArray, **own: Any
) -> ListFrameT:
    """The frame of a list whose strata end at these ranks and with the last item.

    own   the fields that a frame of this kind has besides
    """
    items, ends = setup.items(), np.unique(np.append(last, len(setup.population)))
    parts = cut(items, whole_list(setup), {}, ends)
    spans = np.column_stack([np.append(1, ends[:-1] + 1), ends]).astype(np.int64)
    return frame_of_parts(setup, kind, items, parts, spans=spans, **own)


def frame_of_parts(
    setup: Setup, kind: type[ListFrameT], items: Items, parts: Sequence[Part], **own: Any
) -> ListFrameT:
    """The frame of a list whose strata are these parts of it."""
    rates, _ = part_rates(setup, items, str(setup.classifier), parts)
    predicted = np.zeros(len(parts), dtype=bool)
    base = frame_of(setup, items, parts, rates, predicted, score_notes(setup, items))
    return extended(base, kind, **own)


def score_notes(setup: Setup, items: Items) -> tuple[str, ...]:
    """What ties in the score mean for the curve, in words."""
    n_items = len(items)
    most = n_items // 2
    distinct = items.distinct(str(setup.classifier), most)
    if distinct == 1:
        return (CONSTANT,)
    if distinct <= most and distinct < FEW_DISTINCT * n_items:
        return (TIED.format(distinct=f"{distinct:,}", items=f"{n_items:,}"),)
    return ()


def asked_in_random_order(setup: Setup, items: IntArray, block: int) -> IntArray:
    """The items of a block by keys of their own."""
    return np.asarray(items[hash_order(setup.item_keys(f"block {block}", items))])


def in_proportion(
    setup: Setup, frame: Frame, drawn: IntArray, counts: IntArray, most: int
) -> IntArray:
    """The next ``counts`` items of each stratum, every prefix in proportion: the first ``most``.

    Of a stratum only those are looked at that may be among these.
    """
    share = min((most + len(counts) + 1) / max(int(counts.sum()), 1), 1.0)
    taken = np.minimum(counts, (counts * share).astype(np.int64) + 1)
    items = frame.next_items(drawn, taken)
    if not len(items):
        return items
    keys = setup.orders.of_some(setup.seed, "place", setup.population, items)
    strata = interleaved(counts, (keys[:, 0].astype(float) + 0.5) / 2.0**64, taken)
    order = np.empty(len(items), dtype=np.int64)
    order[np.argsort(strata, kind="stable")] = items
    return order[:most]


# --- what is known along them --------------------------------------------------------------------


def both_ways(
    ranked: Ranked, *further: Sequence[int] | IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The ranks of the answers and further ones, increasing, and the verdict at each, NaN where no
    answer: items without a class taken for negative, and for positive, (n,) each."""
    ranks = increasing(np.concatenate([ranked.rank, *further]).astype(np.int64))
    verdicts = np.full((2, len(ranks)), np.nan)
    verdicts[:, np.searchsorted(ranks, ranked.rank)] = ranked.filled(0.0), ranked.filled(1.0)
    return ranks, verdicts[0], verdicts[1]


def planning_ranks(setup: Setup, frame: ListFrame) -> IntArray | None:
    """The ranks at which widths are expected: of a large file a grid; None: each one."""
    return fine_grid(len(setup.population), frame.edges) if setup.sums_exactly else None


def without_bounds(n_items: int, at: IntArray, estimate: FloatArray) -> Yields:
    """An estimate of the hits at these ranks, and nothing more."""
    return Yields(n_items, at, estimate, np.zeros(len(at)), at.astype(float))
