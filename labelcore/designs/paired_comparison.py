"""Is one classifier better than another? Labels go where the two disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    IntArray,
    Look,
    Progress,
    Setup,
    WatchedParams,
    extended,
    parameter,
)
from labelcore.designs.neyman_batches import FIRST_LABELS_PER_STRATUM, next_counts, neyman_shares
from labelcore.designs.pattern_frame import (
    ACCURACY,
    PatternFrame,
    check_disagreements,
    cut_frame,
    disagreement_notes,
    mean_score,
    pattern_edges,
    scored_names,
    ways,
)
from labelcore.designs.profile_design import ProfileDesign
from labelcore.designs.rates import looks_like_probability
from labelcore.designs.scalars import Answers, ComparesTwo, Figures, Goal, certain_ends, half_width
from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.estimands import DIFFERENCES, SCALARS, Estimand, table_of
from labelcore.population.array_items import Stretch
from labelcore.promises import Form, Method, Promise
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray, plug_in_totals
from labelcore.stats.recalibration import recalibrate
from labelcore.stats.sequences import MINIMUM_STRATA

FIRST, HALF, CENSUS, SAMPLED = "first", "half", "all", "sampled"
"""When the items on which the two disagree are all asked: where the labels reach them if their
accuracy is asked for, else as the next; where half of the labels reach them; where the labels do;
never."""
SMALLEST_WATCHED = 40
AGREE, CLAIM_AGREE = 3, 1
DIFFER, CLAIM_DIFFER = 6, 3


@dataclass(frozen=True, eq=False, slots=True)
class PairFrame(PatternFrame):
    """A frame whose strata share both predictions.

    census   whether every item on which the two disagree is asked, before any other
    few      whether these lie in too few strata for a band that is watched
    reached  labels from which on it is a census; infinite where there is none
    """

    census: bool = field(default=False, kw_only=True)
    few: bool = field(default=False, kw_only=True)
    reached: float = field(default=np.inf, kw_only=True)

    @property
    def differ(self) -> BoolArray:
        return np.asarray(self.said[0] != self.said[1])

    @property
    def to_differ(self) -> int:
        """Items on which the two disagree that are still to be asked."""
        return int((self.sizes - self.drawn_before)[self.differ].sum())


def reaching(frame: PairFrame, rule: str | None) -> float:
    """The labels with which every item on which the two disagree is asked: these and two of each
    other stratum that is asked, or as many others, by ``rule``; infinite where they are sampled."""
    items, others = frame.to_differ, frame.asked & ~frame.differ
    if rule == CENSUS:
        return items + int(np.minimum(frame.sizes, FIRST_LABELS_PER_STRATUM)[others].sum())
    if rule == HALF:
        return items * (2 if others.any() else 1)
    return np.inf


def pair_frame(setup: Setup) -> PairFrame:
    """Strata and draw order. Raises PlanError for what the file cannot serve."""
    items = setup.items()
    said, sizes = ways(setup, items)
    params, in_order = setup.params, np.lexsort((~said[0], said[0] == said[1]))
    said, sizes = said[:, in_order], sizes[in_order]
    differ = said[0] != said[1]
    _check_apart(setup, differ)
    n_differ = params.n_differ or (CLAIM_DIFFER if setup.claims else DIFFER)
    n_agree = params.n_agree or (CLAIM_AGREE if setup.claims else AGREE)
    edges = pattern_edges(said, sizes, np.where(differ, n_differ, n_agree))
    base = cut_frame(setup, items, _order(setup), said, edges)
    frame = extended(base, PairFrame, said=base.said, wanted=_wanted(setup, base.said))
    few = setup.promise == Promise.WATCHED and int(frame.differ.sum()) < MINIMUM_STRATA
    rule = params.disagreements
    if rule == FIRST:
        rule = CENSUS if ACCURACY in (*setup.estimands, *setup.claims) else HALF
    reached = reaching(frame, rule)
    frame = replace(frame, census=setup.planned >= reached, few=few, reached=reached)
    _check_watched(setup, frame)
    check_disagreements(setup, said, sizes)
    return frame


def _check_apart(setup: Setup, differ: BoolArray) -> None:
    """Raise PlanError unless the two differ somewhere."""
    if differ.any():
        return
    first, second = names = setup.classifiers
    alone: dict[str, Any] = {
        "design": "recalibrated_neyman", "estimands": ("accuracy",), "params": {},
        "classifier": first,
    }  # fmt: skip
    raise PlanArgumentError(
        "classifier",
        f"names {first!r} and {second!r}, which say the same about every item that could be asked: "
        "how much better one is can be known without a label",
        value=names,
        short="the two say the same of every item",
        remedies=[Remedy(f"ask how accurate {first!r} is", alone)],
    )


def _order(setup: Setup) -> Stretch:
    """All items by the mean of the scores of those that have one, highest first, as a share of the
    items below it where it is no probability; by the ties alone where nobody has."""
    scores, scored = setup.population.scores, scored_names(setup)
    ranked = tuple(name for name in scored if not looks_like_probability(scores[name]))
    if len(scored) == len(ranked) < 2:
        return setup.along(next(iter(scored), None))  # Its shares have the order of the score.
    return Stretch(mean_score(setup, ranked), True, setup.seed)


def _wanted(setup: Setup, called: BoolArray) -> BoolArray:
    """The strata on which a result or a claim of the plan rests, (n_strata,)."""
    asked = {*setup.estimands, *setup.claims}
    if asked <= {ACCURACY}:
        return np.asarray(called[0] != called[1])
    either = np.asarray(called.any(axis=0))
    return either if asked <= {ACCURACY, "precision_difference"} else np.ones_like(either)


def _check_watched(setup: Setup, frame: PairFrame) -> None:
    """Raise PlanError where the disagreements make too few strata for a watched promise, and are
    not all asked."""
    if not frame.few or (frame.census and setup.target == "file"):
        return
    strata, items = int(frame.differ.sum()), int(frame.sizes[frame.differ].sum())
    raise PlanError(
        f"a watched promise needs at least {MINIMUM_STRATA} strata of items on which the two "
        f"classifiers disagree, and there are {strata} (disagreements in the file: {items:,}), "
        "or labels for all of these",
        "the two disagree on too few items to watch",
        _ways_to_watch(setup, frame),
    )


def _ways_to_watch(setup: Setup, frame: PairFrame) -> list[Remedy]:
    """How the comparison becomes possible: a census, or one look at the end."""
    items, params = frame.to_differ, setup.params
    once = Remedy("look once, when all planned labels are there", {"promise": Promise.FIXED})
    if setup.target != "file":
        return [once, Remedy("ask about this file", {"target": "file"})]
    values = {item.name: (getattr(params, item.name), item.default) for item in fields(params)}
    given = {name: value for name, (value, usual) in values.items() if value != usual}
    every: dict[str, Any] = {"params": {**given, "disagreements": CENSUS}}
    most = max(int(reaching(frame, CENSUS)), SMALLEST_WATCHED)
    if setup.planned < most:
        every["budget"] = most
    remedies = [Remedy(f"label all {items:,} items on which they disagree", every), once]
    if params.n_differ is not None:
        more = {name: value for name, value in given.items() if name != "n_differ"}
        remedies.append(Remedy("cut the disagreements into more strata", {"params": more}))
    return remedies


FLOOR, ALL = 0.2, "all"
CERTAIN = Method(
    "extremes over every way in which the items without a label may turn out",
    "counting; Dinkelbach (1967) for the extremes",
    Form.STRICT,
)


class PairedComparison(ProfileDesign[PairFrame], ComparesTwo[PairFrame]):
    """Neyman allocation for the difference of two classifiers.

    A stratum never mixes pairs of predictions: ``n_differ`` equal-size strata by score of the items
    that only the first classifier calls positive, as many of those that only the second one does,
    and up to ``n_agree`` of those that both or neither call so. Without scores each is one stratum
    cut at random. Two labels per stratum first; then each batch tops up the strata towards shares
    proportional to c_k W_k sqrt(theta_k (1 - theta_k)), mixed with W_k. Theta is a two-parameter
    recalibration of the scores' mean, and c_k the gradient of the difference that is asked for.
    With several of them c_k^2 is the sum of their squares, each gradient divided by the sum of
    |gradient| N_k sqrt(theta_k (1 - theta_k)), so that the variances add up as multiples of the
    least that each could have: with the focus on accuracy alone, precision needed more labels than
    a plain random sample where the two call different numbers of items positive.
    A stratum on which nothing that is asked for rests is never asked: with two classes the
    difference of accuracy rests on the items where the two disagree, and is exact once these are
    labelled.

    Where accuracy is asked for and the planned labels reach every item on which the two disagree,
    these come first, all of them: a census, after which the difference in accuracy is exact. Where
    it is not, half of the labels have to reach them.

    Promise: "fixed" at the planned size (G-profile with Student's t); "watched" at every look up to
    the planned size, or the horizon of the plan, with at least five strata of disagreements
    (G-profile widened by the boundary of ``labelcore.stats.horizon``). Approximate: coverage is
    measured, see docs/paired.md.
    With fewer strata a census can be watched: until it is complete by what is certain whatever the
    other items are, from the first label on; then by the band over at least five other strata.
    A difference about items like these ("process") only with at least 15 disagreements in the file.
    Assumption: none about the scores; bad scores cost labels; the interval holds.
    Source: Neyman (1934) for the allocation; that only disagreements say which of two is better is
    McNemar (1947); the combination is our own.
    """

    name: ClassVar[str] = "paired_comparison"
    label: ClassVar[str] = "Paired comparison"
    summary: ClassVar[str] = (
        "Compares exactly two classifiers: asks most where they disagree, because only there one "
        "can be better than the other."
    )
    estimands: ClassVar[tuple[str, ...]] = (*DIFFERENCES, *SCALARS)
    settles: ClassVar[str] = ACCURACY
    strata_order: ClassVar[str] = (
        "only {first} says {positive}, only {second} says {positive}, both, neither"
    )

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """Strata and floor."""

        n_differ: int | None = parameter(
            None,
            "strata of the items that only one of the two calls positive, for each of the two; "
            "empty: 6, with claims 3",
            low=1,
            high=100,
        )
        n_agree: int | None = parameter(
            None,
            "strata of the items that both call positive, and of those that neither does; empty: "
            "3, with claims 1",
            low=1,
            high=100,
        )
        floor: float = parameter(
            FLOOR,
            "share of the labels spread evenly whatever the scores say",
            low=0.05,
            high=1.0,
        )
        focus: str = parameter(
            ALL,
            "the difference that gets the labels, or all that are asked for",
            choices=(ALL, *DIFFERENCES),
        )
        n_step: int | None = parameter(
            None, "labels in a batch; empty: a tenth of the labels so far", low=1, high=100_000
        )
        disagreements: str | None = parameter(
            None,
            "the items on which the two disagree; empty: all first, where the labels reach them "
            "and accuracy is asked for",
            choices=(FIRST, HALF, CENSUS, SAMPLED),
            called=(
                "all of them first, where the labels reach them and accuracy is asked for",
                "all of them first, where half of the labels reach them",
                "all of them first, where the labels reach them",
                "a sample of them",
            ),
        )

    def settled(self, params: Mapping[str, Any], claims: Sequence[str]) -> dict[str, Any]:
        return {"disagreements": FIRST, **params}

    def prepare(self, setup: Setup) -> PairFrame:
        return pair_frame(setup)

    def judges_all(self, frame: PairFrame) -> bool:
        return not frame.few

    def first_look(self, frame: PairFrame, planned: int, promise: Promise) -> int:
        return 1 if frame.few else super().first_look(frame, planned, promise)

    def least(self, frame: PairFrame) -> int:
        return int(frame.reached) if frame.few else 1

    def fitted_rates(self, frame: PairFrame, progress: Progress) -> FloatArray:
        return recalibrate(frame.rates, progress.positive, progress.labelled)

    def allocate(self, setup: Setup, frame: PairFrame, progress: Progress) -> IntArray:
        if frame.census and (first := _first_of_all(frame, progress)).any():
            return first
        rates = self.fitted_rates(frame, progress)
        costs, floor = _costs(setup, frame, rates), setup.params.floor
        shares = neyman_shares(rates, costs, floor, setup.planned)
        return next_counts(setup, frame, progress, shares)

    def forecast_notes(self, answers: Answers[PairFrame], look: Look) -> list[str]:
        return disagreement_notes(answers, look)

    def figures(self, answers: Answers[PairFrame], look: Look) -> Figures:
        frame = answers.frame
        asked = answers.codes.positions
        waiting = frame.sizes - frame.counts(asked[frame.stratum[asked] != NOT_SAMPLED])
        return self._shown(answers, look, not waiting[frame.differ].any())

    def figures_of(
        self, answers: Sequence[Answers[PairFrame]], looks: Sequence[Look]
    ) -> list[Figures]:
        if any(answer.frame.few for answer in answers):
            return [self.figures(run, look) for run, look in zip(answers, looks, strict=True)]
        return super().figures_of(answers, looks)

    def may_meet(
        self, answers: Answers[PairFrame], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        if answers.frame.few:
            return np.ones(len(labels), dtype=bool)
        return super().may_meet(answers, look, labels, goal)

    def holds(
        self, answers: Answers[PairFrame], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        if answers.frame.few:
            return np.zeros(len(labels), dtype=bool)
        return super().holds(answers, look, labels, band)

    def half_widths(
        self, setup: Setup, answers: Answers[PairFrame], look: Look, drawn: FloatArray
    ) -> FloatArray:
        frame = answers.frame
        every = bool((drawn >= frame.sizes - 0.5)[frame.differ].all())
        return half_width(self._shown(answers, look, every))

    def _shown(self, answers: Answers[PairFrame], look: Look, every: bool) -> Figures:
        """With too few strata to be watched, only what is certain until ``every`` disagreement is
        answered, and after that while too few others are left to rest a band on."""
        frame = answers.frame
        others = np.count_nonzero(~frame.differ & frame.asked)
        first = 1 if look.horizon else super().first_look(frame, look.planned, look.promise)
        if frame.few and (not every or others < MINIMUM_STRATA or look.labels < first):
            return certain_figures(answers.rows, answers.cells)
        return self.estimate(answers.rows, answers.cells, look, answers.rates)


def certain_figures(rows: list[Estimand], cells: Cells) -> Figures:
    """Values with the bounds that hold whatever the items without a label are."""
    method, (low, high) = CERTAIN, certain_ends(rows, cells)
    if cells.judged is not None:
        method = replace(CERTAIN, form=Form.APPROXIMATE)  # How many can be judged is an estimate.
    value = np.clip(table_of(rows, cells).value(plug_in_totals(cells)), low, high)
    return Figures(value, low, high, (method,) * len(rows), np.full(len(rows), np.nan))


def _first_of_all(frame: PairFrame, progress: Progress) -> IntArray:
    """The items of a census that are not drawn yet; after it two of each other stratum,
    (n_strata,)."""
    left = progress.limit - int(progress.drawn.sum())
    whole = np.where(frame.differ, frame.sizes, 0)
    others = np.where(frame.asked, np.minimum(frame.sizes, FIRST_LABELS_PER_STRATUM), 0)
    for counts in (whole, others):
        owed = np.maximum(counts - progress.drawn, 0)
        if owed.any():
            return owed if owed.sum() <= left else largest_remainder(owed * 1.0, left, owed)
    return np.zeros(frame.n_strata, dtype=np.int64)


def _costs(setup: Setup, frame: PairFrame, rates: FloatArray) -> FloatArray:
    """c_k: how much an uncertain item of each stratum matters, (n_strata,)."""
    asked = [name for name in setup.estimands if name in DIFFERENCES] or [ACCURACY]
    focus = asked if setup.params.focus == ALL else [setup.params.focus]
    cells = replace(frame.cells(), other=frame.said[1])
    table = table_of([DIFFERENCES[name] for name in focus], cells)
    slope = np.abs(table.sensitivity(frame.sizes * rates))
    least = (slope * frame.sizes * np.sqrt(rates * (1 - rates))).sum(axis=1, keepdims=True)
    parts = np.divide(slope, least, out=np.zeros(slope.shape), where=least > 0)
    return np.asarray(np.sqrt((parts**2).sum(axis=0)))
