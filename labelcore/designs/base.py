"""What every sampling method offers, and the bookkeeping that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.params import DesignParams as DesignParams
from labelcore.designs.params import WatchedParams as WatchedParams
from labelcore.designs.params import parameter as parameter
from labelcore.designs.progress import NO_ANSWER as NO_ANSWER
from labelcore.designs.progress import OPEN as OPEN
from labelcore.designs.progress import UNDECIDED as UNDECIDED
from labelcore.designs.progress import AnswerCodes as AnswerCodes
from labelcore.designs.progress import Progress as Progress
from labelcore.errors import PlanError
from labelcore.population import Population
from labelcore.population.array_items import SMALL_CODES, Items, Part, Stretch
from labelcore.population.groupings import Grouping
from labelcore.population.kept import Kept, Recent
from labelcore.promises import Promise
from labelcore.stats.arrays import IntArray as IntArray
from labelcore.stats.orders import (
    MIXED,
    Drawn,
    Keys,
    Orders,
    by_group,
    counted,
    narrow,
    ranking,
    shuffled,
)
from labelcore.stats.profile import NOT_SAMPLED, Cells, FloatArray

BY_SCORE = "highest scores first"
INTERVAL_RULES, OVERLAP_RULES = 8, 9
"""The first version of the interval rules whose figures are worked out, and that of plans by which
several people judge items. A frozen plan of an earlier one is superseded (``Plan.superseded``): it
draws as it did, and its figures are those that its log has."""
PORTABLE_RULES, PILOT_RULES, ONE_LOOK_RULES, LEARNED_RULES = 10, 11, 12, 13
SAMPLED_RULES, JUDGED_RULES, COUNTED_RULES = 14, 15, 16
NEWEST_RULES = COUNTED_RULES
"""From which on what the last digits of a processor would decide is rounded first
(docs/processors.md); no pilot forecasts a size far ahead (``labelcore.plan.pilot``); with a promise
for one look there is a pilot, too; a band is no wider than one for a size that is not known yet
(``labelcore.stats.horizon``), and ends of judged items may go further (docs/unsure.md); how many
items of a kind a file has that is a sample is chance (``labelcore.stats.process_profile``); the
number of judged items moves a difference that rests on no label any more, and since the last also
one for what is settled (docs/unsure.md)."""
LARGE = 1_000_000
"""So many items make a file large."""
COMING, LEAST_COMING = 2_000, 20
"""Items, of all strata together and of each one, that are looked up before they are drawn."""


Edges = Mapping[str, Mapping[str, Sequence[Sequence[Any]]]]
"""Group, "" where there are none -> predicted class -> score and tie of the last item of each of
its strata but the last one, in their order."""
Kind = TypeVar("Kind")
"""What is shared by all that ask for the same."""


@dataclass(frozen=True, slots=True)
class Toward:
    """What further labels are for: an estimand of the plan, None for all; a group of the plan by
    its place, None for all items."""

    estimand: str | None = None
    group: int | None = None


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything a method may know before the first label.

    classifier, versus   the first classifier of the plan, and the second one
    classifiers   all of them, the first one first
    estimands   those of the plan, and those that its approximate claims are about
    claimed  what each claim is about in a file of two classes: the estimand, and the classifier or
             the two that are compared
    claims   the estimands that the strict claims are about, a comparison as a difference
    orders   where the random orders come from
    rounded  whether scores of a large file were summed up with rounding, as earlier rules did
    portable   whether nothing is decided by the last digits of a processor
    classes  those of several that have figures of their own; None: all
    groups   those of the items that have figures of their own; group_margin: the half-width wanted
             in each
    toward   the figure that the next labels are for, and the group; None: those of the plan
    edges    where strata end; None: at ranks of this file
    foreseen whether ``planned`` is the forecast of a watched plan that is made anew after a pilot
    """

    population: Population
    classifier: str | None
    estimands: tuple[str, ...]
    params: Any
    seed: int
    planned: int
    target: str = "file"
    claims: tuple[str, ...] = ()
    confidence: float = 0.95
    versus: str | None = None
    classifiers: tuple[str, ...] = ()
    claimed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    promise: Promise = Promise.FIXED
    orders: Orders = MIXED
    classes: tuple[str, ...] | None = None
    rounded: bool = False
    portable: bool = True
    groups: Grouping | None = None
    group_margin: float | None = None
    toward: Toward | None = None
    edges: Edges | None = None
    foreseen: bool = False

    def items(self) -> Items:
        """What may be asked of the items: counts, ranks and samples. What an answer took to be
        found is kept as long as this is."""
        return Items(self.population, self.orders)

    def along(self, classifier: str | None) -> Stretch:
        """All items from the most positive score of a classifier down, ties by the tie hash, which
        alone decides without a score."""
        scored = classifier if classifier in self.population.scores else None
        return Stretch(scored, scored not in self.population.descending, self.seed)

    def shared(self, kept: Kept[Recent[Kind]], key: object, make: Callable[[], Kind]) -> Kind:
        """What follows from the file, its random orders and ``key``, which all that ask for it
        share; made for this one alone where the orders are drawn, as nobody else has them."""
        if isinstance(self.orders, Drawn):
            return make()
        wanted = self.orders, self.seed, self.rounded, self.portable, key
        return kept.of(self.population).get(wanted, make)

    @property
    def without_file(self) -> dict[str, Any]:
        """All that what is prepared of a file follows from; not for how long its figures are
        watched."""
        settings = {name: value for name, value in vars(self).items() if name != "population"}
        if self.groups is not None:
            settings["groups"] = self.groups.by, self.groups.names
        if isinstance(self.params, WatchedParams):
            settings["params"] = replace(self.params, horizon=None)
        return settings

    @property
    def sums_exactly(self) -> bool:
        """Whether scores are summed up as whole numbers, the same on every engine."""
        return not self.rounded and len(self.population) >= LARGE

    def portable_shares(self, shares: FloatArray) -> FloatArray:
        """Shares of labels as they decide who gets the next one: what is equal but for the last
        digits is equal."""
        return np.round(shares, 9) if self.portable else shares

    def file_order(self, purpose: str) -> IntArray:
        """All items in a random order for one purpose, (n_items,)."""
        return self.orders.of_file(self.seed, purpose, self.population)

    def ranking(self, score: FloatArray) -> IntArray:
        """Items from the highest score to the lowest, ties by the tie hash, (n_items,)."""
        return ranking(score, self.tie_keys)

    def tie_keys(self, items: IntArray) -> Keys:
        """The keys that decide between equal scores of these items, (n, n_words)."""
        return self.orders.of_some(self.seed, "tie", self.population, items)

    def item_keys(self, purpose: str, items: IntArray) -> Keys:
        """The same for these items, for a purpose of their own, (n, n_words)."""

        def names() -> list[str]:
            return self.population.ids_at(items)

        return self.orders.of_items(self.seed, purpose, len(items), names)


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """What a method prepares before the first label.

    stratum   (n_items,), the stratum of each item, 0 .. n_strata - 1; an engine that keeps the
              items looks up those that are asked for
    sizes     (n_strata,), items in each stratum
    rates     (n_strata,), the rate of positives (of rightly judged items with several classes)
              that the scores suggest, in (0, 1)
    predicted (n_strata,), whether the stratum is predicted positive
    queue     (n_items,), items sorted by stratum, within it by draw hash; the next draws of stratum
              k are the items after those already drawn, starting at ``start[k]``; likewise
    notes     sentences about choices made for this file
    given     (n_strata,), items of each stratum that a random sample which is there already drew:
              the first ones of its queue; None: there is none
    wanted    (n_strata,), the strata whose items are asked at all; None: each of them
    group     (n_strata,), the group of the plan whose items each holds; None: it asks for none
    block     (n_strata,), where prompts are drawn whole the stratum of prompts whose outputs by one
              group each holds, those of a block side by side; None: items are drawn by themselves
    known_as  (n_strata,), the number of each among those of the edges that are given, by which the
              strata of several files are the same; None: their own numbers
    cut_at    how many items were drawn when the strata were cut once more (``designs.recut``);
              None: they are those of the beginning

    Items that were known from the start have the stratum NOT_SAMPLED and are in no queue.
    ``strata_last`` names the arrays of a kind of frame of which the strata are the last axis.
    """

    strata_last: ClassVar[tuple[str, ...]] = ()

    stratum: IntArray
    sizes: IntArray
    rates: FloatArray
    predicted: NDArray[np.bool_]
    queue: IntArray
    start: IntArray
    notes: tuple[str, ...] = ()
    given: IntArray | None = field(default=None, kw_only=True)
    wanted: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    group: IntArray | None = field(default=None, kw_only=True)
    block: IntArray | None = field(default=None, kw_only=True)
    known_as: IntArray | None = field(default=None, kw_only=True)
    cut_at: int | None = field(default=None, kw_only=True)

    @property
    def n_strata(self) -> int:
        return len(self.sizes)

    def counts(self, items: IntArray) -> IntArray:
        """How many of ``items`` each stratum holds, (n_strata,)."""
        return np.bincount(self.stratum[items], minlength=self.n_strata).astype(np.int64)

    def next_items(self, drawn: IntArray, counts: IntArray) -> IntArray:
        """The next ``counts[k]`` items of each stratum in draw order, after the first ``drawn[k]``,
        strata one after another."""
        parts = [
            self.queue[first : first + take]
            for first, take in zip(self.start + drawn, counts, strict=True)
            if take
        ]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    @property
    def drawn_before(self) -> IntArray:
        """Items of each stratum in a sample that is there already, (n_strata,)."""
        return np.zeros(self.n_strata, dtype=np.int64) if self.given is None else self.given

    def cells(self) -> Cells:
        """The strata without labels."""
        empty = np.zeros(self.n_strata)
        return Cells(self.sizes.astype(float), empty, empty, self.predicted)

    @property
    def asked(self) -> NDArray[np.bool_]:
        """The strata whose items are asked at all, (n_strata,)."""
        return np.ones(self.n_strata, dtype=bool) if self.wanted is None else self.wanted


FrameT = TypeVar("FrameT", bound=Frame)
"""What a method of its own kind prepares."""


class Due(NamedTuple, Generic[FrameT]):
    """A session whose next batch is to be composed, as ``Design.next_batch`` takes it."""

    setup: Setup
    frame: FrameT
    progress: Progress
    batch: int


def make_frame(
    setup: Setup,
    stratum: IntArray,
    rates: FloatArray,
    predicted: NDArray[np.bool_],
    notes: tuple[str, ...] = (),
) -> Frame:
    """A frame with the draw order of its strata, from arrays; ``stratum`` is (n_items,)."""
    stratum = narrow(stratum, max(len(rates), SMALL_CODES))
    queue = by_group(setup.file_order("draw"), stratum, len(rates))
    sizes = counted(stratum, len(rates))
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Frame(stratum, sizes, rates, predicted, queue, start, notes)


def frame_of(
    setup: Setup,
    items: Items,
    parts: Sequence[Part],
    rates: FloatArray,
    predicted: NDArray[np.bool_],
    notes: tuple[str, ...] = (),
) -> Frame:
    """A frame whose strata are these parts of the items, which leave none out."""
    sizes = items.counts(parts)
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    strata: Any = items.strata(parts)
    queue: Any = items.queue(parts, setup.seed)
    return Frame(strata, sizes, rates, predicted, queue, start, notes)


def extended(frame: Frame, kind: type[FrameT], **own: Any) -> FrameT:
    """``frame`` as one of ``kind``, with the fields that this kind has besides."""
    shared = {item.name: getattr(frame, item.name) for item in fields(Frame)}
    return kind(**(shared | own))


def whole_list(setup: Setup) -> Stretch:
    """All items from the most positive score of the first classifier down, ties by the tie hash.

    Raises PlanError where it has no score.
    """
    whole = setup.along(setup.classifier)
    if whole.score is None:
        raise PlanError("a precision curve needs a classifier with a score", "needs a score")
    return whole


def rank_order(setup: Setup) -> IntArray:
    """The positions of ``whole_list`` in their order, (n_items,)."""
    score = setup.population.ordering_score(str(whole_list(setup).score))
    assert score is not None
    return setup.ranking(score)


def drawn_anew(setup: Setup, frame: FrameT) -> FrameT:
    """The same strata with the draw order of the seed of ``setup``, which gives orders that are
    drawn; a sample that is there already stays where it is."""
    first, end = frame.start + frame.drawn_before, frame.start + frame.sizes
    return replace(frame, queue=shuffled(setup.seed, "draw", frame.queue, first, end))


@dataclass(frozen=True, slots=True)
class Look:
    """The circumstances of one look at the results.

    labels, draws   items with a class, and draws up to the last answered one
    first           labels from which a figure is shown
    complete        whether the planned size is answered; finished: whether labelling was ended
    setup           what the method knew before the first label: parameters, seed, file
    horizon         how many times the planned size a watched promise is for; None where it is for
                    sessions without end
    learned         whether the planned size is learned on the way
    unsure          answers without a class that no figure counts, but the way to the planned size
    rough           it is for a picture of what is expected: a few simulated paths are enough
    by_group        strata lie within groups of the items, by whatever figures are told now
    masses          the file is a sample, and how many items of a kind it has is chance as well
    """

    confidence: float
    promise: Promise
    labels: int
    planned: int
    target: str
    n_strata: int
    draws: int = 0
    first: int = 0
    complete: bool = False
    finished: bool = False
    setup: Setup | None = None
    horizon: int | None = None
    learned: bool = False
    unsure: int = 0
    rough: bool = False
    by_group: bool = False
    masses: bool = False

    @property
    def answered(self) -> int:
        """Labels, and the answers without a class that were planned for as well."""
        return self.labels + self.unsure

    @property
    def progress(self) -> float:
        """``answered`` over the planned size."""
        return self.answered / max(self.planned, 1)


@dataclass(frozen=True, eq=False, slots=True)
class Saved:
    """What other columns of the file saved.

    helpers   the columns
    labels    labels that there are
    without   by estimand: those that the same variance would have taken without them
    learned   the columns that the helper from the content of the items learned from
    """

    helpers: tuple[str, ...]
    labels: int
    without: Mapping[str, int]
    learned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What helpers are expected to save before the first label, at the very most.

    classifier   whose items they help to choose
    helper       the one that says most; others: how many there are beside it
    agrees       the share of the items of which it says what the classifier says
    saved        the share that they save of the labels which the same variance takes without them
    labels       those that there are to be; learned: whether the helper is made from the content
    """

    classifier: str
    helper: str
    others: int
    agrees: float
    saved: float
    labels: int = 0
    learned: bool = False


class Size(NamedTuple):
    """One of the sizes that a method offers: its parameters, the labels that follow from them, and
    what they give, in a few words."""

    params: Mapping[str, Any]
    labels: int
    gives: str


Work = tuple[tuple[str, ...], str]
"""Words that all stand in a source which names the work, and the full reference."""


class Design(ABC, Generic[FrameT]):
    """A sampling method: how items are drawn and, as that decides it, how they are analysed.

    What its labels tell is said by the capabilities that a method has besides: EstimatesScalars
    (``designs.scalars``), EstimatesCurve (``designs.curves``), Chooses (``designs.choices``), and
    SharesDraws (``designs.samples``) where the draws serve several classifiers.

    ability       what every method of this kind can do, in words
    targets       what the result may be about: "file", "process"
    stop_rules    the rules that look at the results and may end a session of this method early
    size_from_params     whether the number of labels follows from the parameters alone
    size_param           the parameter that a margin or a budget may choose: more of it, more labels
    later_labels_count   whether labels beyond the planned size narrow a watched result
    recommended   whether it may be proposed: measured to hold with few labels on all kinds of files
    settles       the difference that is exact once every item on which two differ has a label
    least_classifiers    how many classifiers must be asked about for it to be proposed
    strata_order         what the order of its strata means, in words; {first}, {second} and
                         {positive} stand for the names of both classifiers and the positive class
    existing             what labels that are there already may be taken for: "random", "certainty"
    same_as              the method that this is another name of, and that is proposed in its place
    draws_by_group       whether it can give groups of the items labels of their own
    has_weights          whether the labels of each stratum are, given their number, a random sample
                         of it, so that each of them can stand for as many items
    derived_words        what each figure of ``derived`` is called, by its name in the source
    works                the works that this method alone rests on, for the report's references
    """

    ability: ClassVar[str] = "draw items"
    name: ClassVar[str]
    label: ClassVar[str]
    summary: ClassVar[str]
    Params: ClassVar[type[DesignParams]]
    promises: ClassVar[tuple[Promise, ...]] = (Promise.WATCHED, Promise.FIXED)
    targets: ClassVar[tuple[str, ...]] = ("file", "process")
    stop_rules: ClassVar[tuple[str, ...]] = ("margin", "claims")
    estimands: ClassVar[tuple[str, ...]]
    assumptions: ClassVar[tuple[str, ...]] = ()
    smallest_watched_budget: ClassVar[int] = 1
    size_from_params: ClassVar[bool] = False
    size_param: ClassVar[str | None] = None
    later_labels_count: ClassVar[bool] = True
    recommended: ClassVar[bool] = False
    settles: ClassVar[str] = ""
    least_classifiers: ClassVar[int] = 1
    strata_order: ClassVar[str] = BY_SCORE
    existing: ClassVar[tuple[str, ...]] = ()
    same_as: ClassVar[str] = ""
    draws_by_group: ClassVar[bool] = False
    has_weights: ClassVar[bool] = True
    derived_words: ClassVar[dict[str, str]] = {}
    works: ClassVar[tuple[Work, ...]] = ()

    @classmethod
    def of(cls, design: Design[Any]) -> Self:
        """``design`` as one of this kind. Raises PlanError if it is of another."""
        if not isinstance(design, cls):
            raise PlanError(f"design {design.name!r} does not {cls.ability}")
        return design

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        """Raises PlanError for a combination that this method cannot serve."""

    def assumed(self, params: Any) -> tuple[str, ...]:
        """What the figures rest on with these parameters, in words."""
        return self.assumptions

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        """The promises that this method has for these estimands and parameters."""
        return self.promises

    def order_of_strata(self, frame: FrameT) -> str:
        return self.strata_order

    def has_horizon(self, params: Any) -> bool:
        """Whether a watched promise with these parameters is for a planned size."""
        return isinstance(params, WatchedParams)

    @abstractmethod
    def prepare(self, setup: Setup) -> FrameT:
        """Strata, their expected rates and the order of draws."""

    def known_apart(self, setup: Setup, positions: IntArray) -> FrameT:
        """Strata of the items that are not known; those at ``positions``, which are, belong to none
        of them."""
        items = len(setup.population)
        rest = np.setdiff1d(np.arange(items), positions)
        part, orders = setup.population.part(rest), setup.orders.of_part(rest)
        groups = None if setup.groups is None else setup.groups.part(rest)
        frame = self.prepare(replace(setup, population=part, orders=orders, groups=groups))
        stratum = np.full(items, NOT_SAMPLED, dtype=frame.stratum.dtype)
        stratum[rest] = frame.stratum
        return replace(frame, stratum=stratum, queue=narrow(rest, items)[frame.queue])

    def edges(self, setup: Setup) -> Edges | None:
        """Where the strata of this file end, for other files to be cut there; None where they do
        not lie along scores."""
        return None

    def resized(self, setup: Setup, frame: FrameT) -> FrameT:
        """The frame of ``setup``, which differs from that of ``frame`` in ``size_param`` alone."""
        return self.prepare(setup)

    def redrawn(self, setup: Setup, frame: FrameT) -> FrameT | None:
        """The frame of ``setup``, which differs from that of ``frame`` in the seed alone and whose
        orders are drawn; None where it has to be prepared anew."""
        return None

    @abstractmethod
    def next_batch(self, setup: Setup, frame: FrameT, progress: Progress, batch: int) -> IntArray:
        """The items of batch number ``batch`` in the order in which they are asked. At least one
        while there are items and ``progress.limit`` is not reached; a method that has ended, or
        cannot go on before an open item is answered, may give none."""

    def next_batches(self, due: Sequence[Due[FrameT]]) -> list[IntArray]:
        """``next_batch`` of several sessions of one plan; a method that can work them out side by
        side is faster."""
        return [self.next_batch(*session) for session in due]

    def batch_items(self, setup: Setup, frame: FrameT, progress: Progress) -> IntArray:
        """The items that the next batch would hold, in whatever order."""
        return self.next_batch(setup, frame, progress, 1)

    def soon(self, setup: Setup, frame: FrameT, drawn: IntArray) -> IntArray:
        """Items that are likely to be drawn: of each stratum as many again as were drawn of it, and
        some more."""
        more = max(COMING // frame.n_strata, LEAST_COMING)
        wanted = np.minimum(2 * drawn + more, frame.sizes)
        return frame.next_items(np.zeros_like(wanted), wanted)

    @abstractmethod
    def planned_counts(self, setup: Setup, frame: FrameT, labels: int) -> IntArray:
        """How many of ``labels`` each stratum is expected to get, (n_strata,)."""

    @abstractmethod
    def first_look(self, frame: FrameT, planned: int, promise: Promise) -> int:
        """The number of labels from which a figure is shown."""

    def most(self, frame: FrameT) -> int:
        """The most items that this method can ask for."""
        return len(frame.stratum)

    def settled(self, params: Mapping[str, Any], claims: Sequence[str]) -> dict[str, Any]:
        """The parameters that a plan keeps once its size is frozen: those given, and what another
        version may choose otherwise, so that a plan once made always draws the same items."""
        return dict(params)

    def chosen(self, setup: Setup) -> dict[str, Any]:
        """The parameters that a new plan leaves to the method and that follow from the file: they
        are kept with the size. A frozen plan without them is of before there was a choice."""
        return {}

    def sizes(self, n_items: int) -> Sequence[Size]:
        """Sizes to choose from, the fewest labels first, where the number of labels follows from
        the parameters alone and a person may weigh it against what it gives."""
        return ()

    def least(self, frame: FrameT) -> int:
        """The fewest labels that this method can be planned with."""
        return 1

    def check_planned(self, given: Mapping[str, Any], frame: FrameT, planned: int) -> None:
        """Raise ParameterError for parameters that a new plan of so many labels may not name."""

    def fitted_rates(self, frame: FrameT, progress: Progress) -> FloatArray:
        """The method's own idea of each stratum's rate, (n_strata,)."""
        return frame.rates

    def recut(
        self,
        setup: Setup,
        frame: FrameT,
        progress: Progress,
        columns: Sequence[NDArray[Any]],
        *,
        forecast: bool = True,
    ) -> tuple[Any, dict[str, Any]]:
        """How the labels so far cut strata once more by ``columns`` of the items, (n_items, n)
        each, a ``designs.recut.Recut`` or None; and what is told of it, with a ``forecast`` of what
        it saves."""
        return None, {}

    def saved(self, setup: Setup, frame: FrameT, progress: Progress) -> Saved | None:
        """What helpers saved so far; None where there are none, or no method to tell."""
        return None

    def expected_saving(self, setup: Setup, frame: FrameT, labels: int) -> Expected | None:
        """What helpers may save with so many labels; None where nothing is to be expected."""
        return None

    def derived(self, frame: FrameT, labels: int) -> dict[str, Any]:
        """What the method derives from its parameters, by the names of its source, when planned for
        ``labels``."""
        return {}
