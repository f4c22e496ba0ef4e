"""Is one classifier better than another? Labels go where the two disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    IntArray,
    Look,
    Progress,
    Setup,
    WatchedParams,
    parameter,
)
from labelcore.designs.neyman_batches import (
    FIRST_LABELS_PER_STRATUM,
    next_counts,
    neyman_shares,
)
from labelcore.designs.paired_frame import CENSUS, FIRST, HALF, SAMPLED, PairFrame, pair_frame
from labelcore.designs.pattern_frame import ACCURACY, disagreement_notes
from labelcore.designs.profile_design import ProfileDesign
from labelcore.designs.profile_figures import (
    profile_first_look,
)
from labelcore.designs.scalars import Answers, ComparesTwo, Figures, Goal, half_width
from labelcore.estimands import DIFFERENCES, SCALARS, Estimand, table_of
from labelcore.promises import Form, Method, Promise
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.certain import certain_bounds
from labelcore.stats.judged import judgeable
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray, plug_in_totals
from labelcore.stats.recalibration import recalibrate
from labelcore.stats.sequences import MINIMUM_STRATA

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
    About items like these ("process") only with at least 15 disagreements in the file.
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
        return 1 if frame.few else profile_first_look(frame, planned, promise)

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
        if any(one.frame.few for one in answers):
            return [self.figures(one, look) for one, look in zip(answers, looks, strict=True)]
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
        first = 1 if look.horizon else profile_first_look(frame, look.planned, look.promise)
        if frame.few and (not every or others < MINIMUM_STRATA or look.labels < first):
            return certain_figures(answers.rows, answers.cells)
        return self.estimate(answers.rows, answers.cells, look, answers.rates)


def certain_figures(rows: list[Estimand], cells: Cells) -> Figures:
    """Values with the bounds that hold whatever the items without a label are."""
    table, made = table_of(rows, cells), CERTAIN
    low, high = certain_bounds(cells, table)
    if cells.judged is not None:
        made = replace(CERTAIN, form=Form.APPROXIMATE)  # How many can be judged is an estimate.
        whole = judgeable(cells)
        least, most = certain_bounds(whole, table_of(rows, whole))
        low, high = np.minimum(low, least), np.maximum(high, most)
    value = np.clip(table.value(plug_in_totals(cells)), low, high)
    return Figures(value, low, high, (made,) * len(rows), np.full(len(rows), np.nan))


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
    table = table_of([DIFFERENCES[name] for name in focus], frame.cells())
    slope = np.abs(table.sensitivity(frame.sizes * rates))
    least = (slope * frame.sizes * np.sqrt(rates * (1 - rates))).sum(axis=1, keepdims=True)
    parts = np.divide(slope, least, out=np.zeros(slope.shape), where=least > 0)
    return np.asarray(np.sqrt((parts**2).sum(axis=0)))
