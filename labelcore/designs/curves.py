"""A ranked list as a method sees it, and what a method says along its ranks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import Design, FrameT, Look, Setup
from labelcore.promises import Method, Promise, State
from labelcore.stats.arrays import BoolArray, IntArray
from labelcore.stats.arrays import FloatArray as FloatArray
from labelcore.stats.curve_readings import Yields
from labelcore.stats.rank_band import RankLabels

# value, low and high of one reading, each (n_points,)
Reading = tuple[FloatArray, FloatArray, FloatArray]

JUDGEMENT = "each label is the judgement of whoever gave it; their own errors are not counted"
JUDGED_TWICE = (
    "each label is the judgement of whoever gave it; the interval does not include their own "
    "errors, which the second answers measure"
)
UNDECIDED_BOTH_WAYS = "items called unsure or broken are taken both ways: worst to best case"
OPEN_BOTH_WAYS = "items put off for later are taken both ways until they are answered"

APPROXIMATE = (
    "the interval is a large-sample approximation whose coverage was measured by simulation"
)
"""Of intervals whose method says so; strict ones do not rest on it."""

OPEN_SHARE = 0.05
"""The share of open items beyond which a result waits for them."""

LOOK_EVERY = 5
"""After how many items a watched band is renewed."""
PLANNED_BAND = (
    "The band is that of the planned {} items: labels after them do not change it until every item "
    "has one."
)
RENEWED = "The band is renewed after every {each} items: it rests on the first {draws:,}."


def between_looks(state: State, look: Look, draws: int, each: int = LOOK_EVERY) -> tuple[str, ...]:
    """Why a band rests on fewer draws than there are."""
    if state != State.INTERVAL or look.draws <= draws:
        return ()
    if max(look.draws, look.labels) > look.planned:
        return (PLANNED_BAND.format(f"{draws:,}"),)
    return (RENEWED.format(each=each, draws=draws),)


POINTS = 30
ALL_RANKS_UP_TO = 400
FINE_POINTS = 160


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """The file in rank order with the answers so far, these by rank.

    in_order gives the items from the highest score to the lowest, (n_items,)
    index    (n_answers,), the draw (1, 2, ...) of each answered item
    rank     (n_answers,), its rank, 1 to n_items
    stratum  (n_answers,)
    verdict  (n_answers,), 1 positive, 0 not, NaN for unsure, broken and open items
    opened   (n_answers,), items without a final answer
    rates    (n_strata,), the method's own idea of each stratum's rate of positives
    """

    n_items: int
    in_order: Callable[[], IntArray]
    index: IntArray
    rank: IntArray
    stratum: IntArray
    verdict: FloatArray
    opened: BoolArray
    rates: FloatArray

    @property
    def doubtful(self) -> BoolArray:
        """Items without a verdict, which count both ways, (n_answers,)."""
        return np.asarray(np.isnan(self.verdict))

    @property
    def undecided(self) -> BoolArray:
        """Items called unsure or broken, (n_answers,)."""
        return np.asarray(np.isnan(self.verdict) & ~self.opened)

    def assumed(self) -> tuple[str, ...]:
        """What the answers are taken for, in words."""
        taken = [JUDGEMENT]
        if self.undecided.any():
            taken.append(UNDECIDED_BOTH_WAYS)
        if self.opened.any():
            taken.append(OPEN_BOTH_WAYS)
        return tuple(taken)

    @property
    def order(self) -> IntArray:
        """Items from the highest score to the lowest, (n_items,)."""
        return self.in_order()

    def until(self, draw: int) -> Ranked:
        """The same list with the answers of the first ``draw`` draws only."""
        return self._kept(self.index <= draw)

    def settled(self) -> Ranked:
        """The same list with the answers that are a verdict only."""
        return self._kept(~np.isnan(self.verdict))

    def _kept(self, keep: BoolArray) -> Ranked:
        if keep.all():
            return self
        place = np.flatnonzero(keep)
        return Ranked(
            self.n_items,
            self.in_order,
            self.index[place],
            self.rank[place],
            self.stratum[place],
            self.verdict[place],
            self.opened[place],
            self.rates,
        )

    def filled(self, value: float | FloatArray) -> FloatArray:
        """The verdicts, ``value`` where there is none, (n_answers,)."""
        return np.where(np.isnan(self.verdict), value, self.verdict)

    @property
    def labels(self) -> int:
        """Answered items with a class."""
        return int((~np.isnan(self.verdict)).sum())


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """What a method says along the ranks.

    rank        (n_points,), increasing ranks
    names       the readings it can give, such as "precision"
    read        name -> value, low, high, each (n_points,); low 0 and high 1 (high: the rank, for
                the yield) where nothing is known
    yields      bounds on the hits among the first r items, all ranks at once; None where each
                point stands on its own
    confidence  of the bounds, None where they are no confidence bounds
    labels, draws   on which the bounds rest
    state       a row of ``labelcore.words.sentences.STATES``; missing: what is lacking, in words
    provisional the precision by all labels so far where the bounds rest on fewer of them
    extra       further arrays (n_points,) by name
    notes       what a reader must know, such as an assumption that fails visibly
    """

    rank: IntArray
    names: tuple[str, ...]
    read: Callable[[str], Reading]
    confidence: float | None
    simultaneous: bool
    promise: Promise
    state: State
    labels: int
    draws: int
    method: Method
    assumptions: tuple[str, ...]
    missing: str = ""
    yields: Yields | None = None
    provisional: FloatArray | None = None
    extra: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class EstimatesCurve(Design[FrameT]):
    """A method that says something along the ranks of a score.

    has_confidence   whether a confidence goes with its bounds
    samples_every_stratum   whether its labels are a random sample of each of its strata, given how
                     many they are, and no stratum is left out: numbers of the whole list then have
                     intervals of their own
    of_stretches     whether its strata are pieces of the list, so that its curve asks for no order
                     of all items
    labels_the_head  whether every item at the head of the list is labelled
    """

    ability: ClassVar[str] = "estimate a curve"
    has_confidence: ClassVar[bool] = True
    samples_every_stratum: ClassVar[bool] = True
    of_stretches: ClassVar[bool] = False
    labels_the_head: ClassVar[bool] = False

    @abstractmethod
    def curve(
        self,
        setup: Setup,
        frame: FrameT,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        """What is known along the ranks of the score, at ``ranks`` (increasing, the last one N) or
        at a grid of the method's own."""

    def watched_until(self, planned: int) -> int:
        """The labels until which a watched band is; 0 where it has no end of its own."""
        return 0

    def centres_numbers(self, params: Any) -> bool:
        """Whether intervals of numbers of the whole list reach further on the side of the value."""
        return not self.labels_the_head

    def half_widths_at(
        self, setup: Setup, frame: FrameT, look: Look, ranks: IntArray | None = None
    ) -> FloatArray | None:
        """The expected half-widths of the precision at ``ranks``, or at a grid of the method's own;
        None where the method does not plan for a curve."""
        return None


def bounded_yields(
    answers: Ranked,
    at: IntArray,
    estimate: FloatArray,
    bounds: Callable[[RankLabels], tuple[FloatArray, FloatArray]],
) -> Yields:
    """The hits among the first r items with the bounds that labels have; answers that count both
    ways are no hits for the lower bound and hits for the upper one."""
    low, high = bounds(RankLabels(answers.rank, answers.filled(0.0)))
    if answers.doubtful.any():
        high = bounds(RankLabels(answers.rank, answers.filled(1.0)))[1]
    return Yields(answers.n_items, at, np.clip(estimate, low, high), low, high)


def grid(n_items: int) -> IntArray:
    """Ranks at which a pointwise curve is computed: even and geometric steps together."""
    even = np.linspace(1, n_items, POINTS)
    growing = np.geomspace(min(5, n_items), n_items, POINTS)
    return np.unique(np.rint(np.concatenate([even[1:], growing])).astype(np.int64))


def fine_grid(n_items: int, edges: IntArray) -> IntArray:
    """Ranks at which a band is given: all of a short list, else about 400 and every edge."""
    if n_items <= ALL_RANKS_UP_TO:
        return np.arange(1, n_items + 1, dtype=np.int64)
    even = np.linspace(1, n_items, FINE_POINTS)
    growing = np.geomspace(1, n_items, FINE_POINTS)
    inside = np.concatenate([even, growing, edges, edges + 1])
    ranks = np.unique(np.rint(inside).astype(np.int64))
    return ranks[(ranks >= 1) & (ranks <= n_items)]
