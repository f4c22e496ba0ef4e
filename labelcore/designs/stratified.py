"""Methods that draw batches from strata: what they share, and their curve point by point."""

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import Due, Frame, FrameT, IntArray, Look, Progress, Setup
from labelcore.designs.curves import (
    LOOK_EVERY,
    Curve,
    EstimatesCurve,
    Ranked,
    Reading,
    between_looks,
    bounded_yields,
    fine_grid,
    grid,
)
from labelcore.designs.profile_figures import graded_mean
from labelcore.designs.scalars import FIRST_FIGURE, EstimatesFromCells, Figures
from labelcore.errors import PlanArgumentError
from labelcore.estimands import SCALARS, SUMMARIES, Estimand
from labelcore.population.kept import Kept, Recent, Same
from labelcore.promises import Form, Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.orders import hash_order
from labelcore.stats.profile import NOT_SAMPLED, Cells, FloatArray
from labelcore.stats.rank_band import RankLabels, anchor_ranks, strata_band, strata_estimate
from labelcore.stats.rank_strata import rank_edges
from labelcore.stats.ranked_summaries import pieces
from labelcore.stats.sequences import first_watched_look
from labelcore.stats.watched_curve import watched_critical

METHOD = Method(
    "simultaneous band over parts of strata (large-sample)",
    "G-profile region at many ranks, critical value of the largest of correlated normal "
    "deviations; exact bounds between the ranks",
    Form.APPROXIMATE,
)
SEED = 0
"""Of the draws that find a critical value: these depend on no sample."""


def draws_that_count(frame: Frame, look: Look) -> int:
    """The draws that a band rests on at this look: a watched one is renewed after every
    ``LOOK_EVERY`` draws up to the planned size, and stays then."""
    if look.promise != Promise.WATCHED:
        return look.draws
    planned = max(look.planned - int(frame.drawn_before.sum()), 0)
    if look.draws >= planned:
        return planned
    return look.draws - look.draws % LOOK_EVERY


def curve_of_all_ranks(
    design: EstimatesCurve[Any],
    setup: Setup,
    frame: Frame,
    ranked: Ranked,
    look: Look,
    standing: tuple[State, str, Promise],
    ranks: IntArray | None,
) -> Curve:
    """The curve at a look from draws within strata; its hits among the first r items have bounds
    for all r at once, and everything else is read off these.

    standing   state, what is missing and promise at this look
    """
    stratum_at = frame.stratum[ranked.order]
    anchors = anchor_ranks(stratum_at)
    at = fine_grid(ranked.n_items, anchors) if ranks is None else ranks
    draws = draws_that_count(frame, look)
    state, missing, promise = standing
    if ranked.labels == ranked.n_items:
        state, missing, draws = State.EXACT, "", look.draws
    answers = ranked.until(draws)
    if state == State.INTERVAL and not answers.labels:
        missing = f"{look.draws:,} of {LOOK_EVERY} items judged before a first band"
        state = State.TOO_FEW
    unknown = np.full(len(at), np.nan)
    estimate = _estimate(stratum_at, answers, at) if answers.labels else unknown
    yields = Yields(ranked.n_items, at, estimate, np.zeros(len(at)), at.astype(float))
    if state.has_interval:
        critical = None
        if look.promise == Promise.WATCHED:
            planned = planned_between(design, setup, frame, stratum_at, anchors)
            critical = critical_of(frame, look, draws, anchors, planned)

        def bounds(labels: RankLabels) -> tuple[FloatArray, FloatArray]:
            return strata_band(stratum_at, anchors, labels, look.confidence, SEED, critical).at(at)

        yields = bounded_yields(answers, at, estimate, bounds)
    bounded = state.has_interval
    return Curve(
        rank=at,
        names=tuple(READINGS),
        read=lambda name: READINGS[name](yields),
        confidence=look.confidence,
        simultaneous=True,
        promise=promise,
        state=state,
        labels=answers.labels if bounded else look.labels,
        draws=draws if bounded else look.draws,
        method=METHOD,
        assumptions=(*design.assumed(setup.params), *answers.assumed()),
        missing=missing,
        yields=yields if bounded else None,
        provisional=_estimate(stratum_at, ranked, at) / at if look.draws > draws > 0 else None,
        notes=between_looks(state, look, draws),
    )


def _estimate(stratum_at: IntArray, answers: Ranked, at: IntArray) -> FloatArray:
    """The hits among the first r by the strata cut into pieces; of a stratum without a label as
    many as are expected."""
    known = answers.settled()
    piece_at = pieces(stratum_at, known.rank, rank_edges(len(stratum_at)))
    rates = np.zeros(int(piece_at.max()) + 1)
    sampled = piece_at >= 0
    rates[piece_at[sampled]] = answers.rates[stratum_at[sampled]]
    return strata_estimate(piece_at, RankLabels(known.rank, known.verdict), rates, at)


def critical_of(
    frame: Frame, look: Look, draws: int, anchors: IntArray, labels: FloatArray
) -> float:
    """The standard deviations that a watched band reaches after so many draws; ``labels`` are those
    of ``planned_between``."""
    given = int(frame.drawn_before.sum())
    looks = (look.planned - given) // LOOK_EVERY
    progress = (draws + given) / max(look.planned, 1)
    return watched_critical(anchors, labels, looks, progress, 1 - look.confidence, SEED)


def planned_between(
    design: EstimatesCurve[Any], setup: Setup, frame: Frame, stratum_at: IntArray, anchors: IntArray
) -> FloatArray:
    """The labels that are expected at the planned size from one anchor to the next, (n_anchors,):
    those of each stratum spread evenly over its items."""
    planned = design.planned_counts(setup, frame, setup.planned)
    share = np.append(planned / np.maximum(frame.sizes, 1), 1.0)[stratum_at]
    return np.diff(np.cumsum(share)[anchors - 1], prepend=0.0)


WITHIN_STRATA = "items were drawn at random within strata that were fixed before the first label"
READ_TOGETHER = ("precision", "recall", "f1", "accuracy", "specificity")


AT_SIZE_ONLY = (
    "cannot go with {value.estimands=name} by this method, measured at the planned size only; use "
    "{plan.promise=fixed}, or watch it with {plan.design=geometric_strata}"
)
AT_EACH_RANK = Method("the design's own interval at each rank", "post-stratification at each rank")


@dataclass(frozen=True, eq=False)
class Path:
    """How many items of each stratum are expected to be drawn after each batch, (n_strata,) each,
    as far as anybody asked: however many labels there are to be, they lie on it."""

    frame: Frame
    drawn: list[IntArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.drawn.append(self.frame.drawn_before)

    def furthest(self, total: int) -> IntArray:
        """The last place that has no more labels than these; the first one where all have."""
        labels = [int(counts.sum()) for counts in self.drawn]
        return self.drawn[max(bisect_right(labels, total) - 1, 0)]

    def extend(self, drawn: IntArray, total: int) -> None:
        """Go on to this place, which nobody went beyond, unless ``total`` labels ended the batch
        there."""
        if int(self.drawn[-1].sum()) < int(drawn.sum()) < total:
            self.drawn.append(drawn)


PATHS = Kept(Recent[Path])


class StratifiedDesign(EstimatesFromCells[FrameT], EstimatesCurve[FrameT]):
    """Batches from strata without replacement; every part of a stratum is again a simple random
    sample of that part, so each cut of the list is an ordinary estimate of the same method.

    cut_by_limit    whether the most labels in all cut the last batch and change nothing before it
    for_all_ranks   whether its curve of a file holds for all ranks together; otherwise for each
                    rank on its own
    """

    estimands: ClassVar[tuple[str, ...]] = (*SCALARS, "precision_curve")
    cut_by_limit: ClassVar[bool] = False
    for_all_ranks: ClassVar[bool] = False

    @abstractmethod
    def allocate(self, setup: Setup, frame: FrameT, progress: Progress) -> IntArray:
        """How many items the next batch takes from each stratum, (n_strata,); at least one in all
        while there are items and ``progress.limit`` is not reached."""

    def next_batch(self, setup: Setup, frame: FrameT, progress: Progress, batch: int) -> IntArray:
        items = asking_order(setup, batch, self.batch_items(setup, frame, progress))
        return self.asked_together(setup, frame, items)

    def asked_together(self, setup: Setup, frame: FrameT, items: IntArray) -> IntArray:
        """The items of a batch in the order in which they are asked, those together that are easier
        to answer so."""
        return items

    def allocate_all(self, due: Sequence[Due[FrameT]]) -> list[IntArray]:
        """``allocate`` of several sessions of one plan."""
        return [self.allocate(setup, frame, progress) for setup, frame, progress, _ in due]

    def next_batches(self, due: Sequence[Due[FrameT]]) -> list[IntArray]:
        return [
            self.asked_together(
                setup, frame, asking_order(setup, batch, frame.next_items(progress.drawn, counts))
            )
            for (setup, frame, progress, batch), counts in zip(
                due, self.allocate_all(due), strict=True
            )
        ]

    def batch_items(self, setup: Setup, frame: FrameT, progress: Progress) -> IntArray:
        return frame.next_items(progress.drawn, self.allocate(setup, frame, progress))

    def planned_counts(self, setup: Setup, frame: FrameT, labels: int) -> IntArray:
        """The method fed with its own expectations batch by batch."""
        path = setup.shared(PATHS, (self, Same(frame), setup.without_file), lambda: Path(frame))
        total = min(labels, int(path.drawn[0].sum()) + self.most(frame))
        drawn = path.furthest(total if self.cut_by_limit else 0)
        while int(drawn.sum()) < total:
            state = Progress(drawn, drawn.astype(float), drawn * frame.rates, total)
            drawn = drawn + self.allocate(setup, frame, state)
            path.extend(drawn, total)
        return drawn

    def bounds_all_ranks(self, frame: FrameT) -> bool:
        return self.for_all_ranks

    def first_look(self, frame: FrameT, planned: int, promise: Promise) -> int:
        first = FIRST_FIGURE if promise == Promise.FIXED else first_watched_look(planned)
        return min(first, planned, int(frame.sizes.sum()))

    def most(self, frame: FrameT) -> int:
        """Items that are known, or on which nothing rests, are not asked."""
        return int((frame.sizes - frame.drawn_before)[frame.asked].sum())

    def mean_grade(
        self,
        cells: Cells,
        counts: FloatArray,
        grades: FloatArray,
        look: Look,
        said: FloatArray | None = None,
    ) -> FloatArray:
        return graded_mean(cells, counts, grades, look, said)

    def estimate_all(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, FloatArray]], look: Look
    ) -> list[Figures]:
        """``estimate`` of the same labels in several divisions of the file: cells and their rates.
        A method that can work them out side by side is faster."""
        return [self.estimate(rows, cells, look, rates) for cells, rates in parts]

    def curve(
        self,
        setup: Setup,
        frame: FrameT,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        """Each rank cuts the file in two, the strata with it; promise: the plan's, for all ranks
        together (``for_all_ranks``) or for each rank on its own.

        Raises ValueError where some strata are never asked: nothing would stand behind it.
        """
        if not frame.asked.all():
            raise ValueError(
                "there is no curve: nothing is asked about some items, on which the figures asked "
                "for do not rest"
            )
        state, missing, promise = _state(look)
        if self.bounds_all_ranks(frame) and look.target == "file":
            standing = state, missing, promise
            return curve_of_all_ranks(self, setup, frame, ranked, look, standing, ranks)
        at = grid(ranked.n_items) if ranks is None else ranks
        rows = [SCALARS[name] for name in READ_TOGETHER]
        empty = self.estimate(rows, frame.cells(), look, frame.rates)
        shown = state in (State.INTERVAL, State.STOPPED_EARLY)
        order = Form.UNSTATED, Form.APPROXIMATE, Form.STRICT
        weakest = min((made_by.form for made_by in empty.method), key=order.index)

        def read(name: str) -> Reading:
            if state in (State.NOTHING, State.TOO_FEW):
                points = [(np.nan, 0.0, 1.0)] * len(at)
            else:
                points = _points(self, frame, ranked, look, name, at)
            value, low, high = np.array(points).T
            return (value, low, high) if shown else (value, low * 0.0, low * 0.0 + 1.0)

        return Curve(
            rank=at,
            names=READ_TOGETHER,
            read=read,
            confidence=look.confidence,
            simultaneous=False,
            promise=empty.promise or promise,
            state=state,
            labels=look.labels,
            draws=look.draws,
            method=replace(AT_EACH_RANK, form=weakest),
            assumptions=(
                *self.assumed(setup.params),
                "each point of the curve on its own",
                *ranked.assumed(),
            ),
            missing=missing,
        )


def check_summaries(estimands: tuple[str, ...], promise: Promise | None) -> None:
    """Raises PlanError where a number of the whole list would be watched."""
    summed = [name for name in estimands if name in SUMMARIES]
    if summed and promise == Promise.WATCHED:
        short = "holds at the planned size only"
        raise PlanArgumentError.naming(
            "promise", AT_SIZE_ONLY, name=summed[0], given=str(promise), short=short
        )


def side_by_side(
    design: StratifiedDesign[FrameT], due: Sequence[Due[FrameT]]
) -> list[IntArray] | None:
    """``allocate_all`` of a method whose ``allocate`` takes counts of several sessions at once,
    (n_sessions, n_strata); None where the sessions differ in more than their answers."""
    first = due[0]
    drawn = {int(session.progress.drawn.sum()) for session in due}
    if len(drawn) > 1 or not all(session.frame.rates is first.frame.rates for session in due):
        return None
    together = Progress(
        np.array([session.progress.drawn for session in due]),
        np.array([session.progress.labelled for session in due]),
        np.array([session.progress.positive for session in due]),
        first.progress.limit,
    )
    counts = design.allocate(first.setup, first.frame, together)
    return list(np.broadcast_to(counts, together.drawn.shape))


def _state(look: Look) -> tuple[State, str, Promise]:
    """(state, what is missing, promise) of a curve."""
    if look.labels == 0:
        return State.NOTHING, "no item has a label yet", look.promise
    if look.labels < look.first and not look.complete:
        missing = f"{look.labels:,} of {look.first:,} labels before a first figure"
        return State.TOO_FEW, missing, look.promise
    if look.promise == Promise.FIXED and not look.complete:
        if look.finished:
            return State.STOPPED_EARLY, "", Promise.NONE
        missing = f"{look.labels:,} of {look.planned:,} labels before the band"
        return State.PROVISIONAL, missing, Promise.FIXED
    return State.INTERVAL, "", look.promise


def _points(
    design: StratifiedDesign[Any],
    frame: Frame,
    ranked: Ranked,
    look: Look,
    name: str,
    ranks: IntArray,
) -> list[tuple[float, float, float]]:
    """Value, low and high at each rank; doubtful items count both ways, positive above the cut
    being the better case of every reading."""
    known = ranked.settled()
    rates = _stratum_rates(ranked.rates, known.stratum, known.verdict)
    doubt = ranked.doubtful.any()

    def figures(labels: Ranked, above: float, below: float) -> list[Figures]:
        parts = cut_cells(frame, ranks, ranked.order, labels, above, below)
        with_rates = [(cells, rates[cells.stratum]) for cells in parts]
        return design.estimate_all([SCALARS[name]], with_rates, look)

    middle = figures(known, 0.0, 0.0)
    worst = figures(ranked, 0.0, 1.0) if doubt else middle
    best = figures(ranked, 1.0, 0.0) if doubt else middle
    return [
        (
            float(mean.value[0]),
            float(min(mean.low[0], least.low[0])),
            float(max(mean.high[0], most.high[0])),
        )
        for mean, least, most in zip(middle, worst, best, strict=True)
    ]


def _stratum_rates(expected: FloatArray, stratum: IntArray, positive: FloatArray) -> FloatArray:
    """The observed rate of each stratum, the expected one where it has no label, (n_strata,)."""
    sampled = stratum != NOT_SAMPLED
    counts = np.bincount(stratum[sampled], minlength=len(expected))
    hits = np.bincount(stratum[sampled], positive[sampled], minlength=len(expected))
    return np.asarray(np.divide(hits, counts, out=expected.copy(), where=counts > 0))


def cut_cells(
    frame: Frame, ranks: IntArray, order: IntArray, labels: Ranked, above: float, below: float
) -> list[Cells]:
    """The parts of the strata (and of the known items) above and below each of these ranks, empty
    ones left out.

    ranks          (n_cuts,), increasing
    order          (n_items,), items from the highest score to the lowest
    labels         the labels so far
    above, below   how positive an item without a verdict is above a cut and below it, 0 to 1
    """
    positive, doubtful = labels.filled(0.0), np.isnan(labels.verdict).astype(float)
    every = np.arange(1, len(order) + 1)

    def count(rank: IntArray, stratum: IntArray, weight: FloatArray | None = None) -> FloatArray:
        """Both parts of each stratum at each cut, (n_cuts, n_parts, 2), the lower one first."""
        n_parts, n_cuts = frame.n_strata - NOT_SAMPLED, len(ranks)
        place = np.searchsorted(ranks, rank) * n_parts + stratum - NOT_SAMPLED
        counts = np.bincount(place, weight, (n_cuts + 1) * n_parts).reshape(n_cuts + 1, n_parts)
        upper = counts[:-1].cumsum(axis=0)
        return np.stack([counts.sum(axis=0) - upper, upper], axis=-1).astype(float)

    size = count(every, frame.stratum[order])
    labelled = count(labels.rank, labels.stratum)
    sure = count(labels.rank, labels.stratum, positive)
    hits = sure + count(labels.rank, labels.stratum, doubtful) * [below, above]
    cells = []
    for cut in range(len(ranks)):
        of, upper = np.nonzero(size[cut])
        there = cut, of, upper
        cells.append(Cells(size[there], labelled[there], hits[there], upper == 1, of + NOT_SAMPLED))
    return cells


def asking_order(setup: Setup, batch: int, items: IntArray) -> IntArray:
    """The items of a batch in a random order across strata, by keys of their own."""
    return items[hash_order(setup.item_keys(f"batch {batch}", items))]
