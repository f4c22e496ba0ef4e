"""Several classifiers as one design: strata by what they say of an item together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    Due,
    IntArray,
    Look,
    Progress,
    Saved,
    Setup,
    WatchedParams,
    drawn_anew,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.helped_patterns import helpers_beside
from labelcore.designs.helped_savings import labels_without, rates_without
from labelcore.designs.neyman_batches import Shares, next_counts
from labelcore.designs.paired_frame import disagreement_notes
from labelcore.designs.pattern_frame import (
    PatternFrame,
    asked_kinds,
    claimed_kinds,
    figure_slopes,
    pattern_frame,
    settled_strata,
    slopes_of_kind,
)
from labelcore.designs.profile_figures import (
    profile_figures,
    profile_figures_at,
    profile_figures_of,
    profile_first_look,
    profile_holds,
    profile_may_meet,
)
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import WITHIN_STRATA, StratifiedDesign, side_by_side
from labelcore.designs.two_ended import first_labels, widest_shares
from labelcore.estimands import DIFFERENCES, SCALARS, Estimand
from labelcore.promises import Promise
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray
from labelcore.stats.recalibration import recalibrate

FLOOR, OWN_SHARE = 0.1, 0.1


class AgreementPatterns(StratifiedDesign[PatternFrame]):
    """Neyman allocation for the widest of the figures of several classifiers.

    A stratum holds items that all classifiers of the plan judge alike: the pattern of their
    predictions. So every figure of each of them, and each difference of two, is an estimate over
    whole strata, from the same labels. Half of ``n_strata`` go to the pattern that nobody calls
    positive, in geometrically growing size from the highest mean rank of the scores down (from a
    million items on, where all are probabilities, from their highest mean down); the
    others share the rest by their size, at least one each, in equal pieces by the same order. A
    pattern on which nothing that is asked for rests is never asked: precision rests on what
    somebody calls positive, a difference in accuracy on what the two judge differently.

    Two to four labels per stratum first; then each batch tops up the strata towards the shares with
    which the widest of all figures that are asked for is as narrow as can be (``widest_shares``);
    where several kinds of figures are asked for, a tenth of the labels goes to each kind by itself,
    so that the few labels that precision needs are not lost to recall. With claims the labels go to
    what is claimed, but for that tenth. Theta is a recalibration of
    the mean score with two parameters more, fitted to all labels: one for how many of the
    classifiers call the stratum positive, beyond what the scores suggest, one for whether any does.

    ``helpers`` are other columns, and classifiers that are not asked about: half as many pieces are
    then cut at what they say (``cut_patterns``), and one parameter more learns what they are worth.
    Only those that a plan names, and none with claims.

    What it holds: with one classifier, one figure and as many strata it draws the items that
    ``recalibrated_neyman`` draws without helpers; with two, its patterns are the pairs of
    ``paired_comparison``; the parts that ``recycling`` makes precision of are whole patterns.

    Promise: "fixed" at the planned size (G-profile with Student's t); "watched" at every look from
    the first label up to the planned size, or the horizon of the plan (widened by the boundary of
    ``labelcore.stats.horizon``). Approximate: coverage is measured, see docs/agreement_patterns.md.
    Assumption: none about the scores or the classifiers; bad ones cost labels, and the interval
    holds. Nearly unbiased, not unbiased, because four parameters learn from the labels.
    Errors:  PlanError for a file with several classes, and for a classifier without predictions.
    Source: Neyman (1934) for the allocation; the patterns are our own, after the levels of Tripathi
    et al. (2020) and the disagreements of McNemar (1947); measured in docs/agreement_patterns.md.
    """

    name: ClassVar[str] = "agreement_patterns"
    cut_by_limit: ClassVar[bool] = True
    label: ClassVar[str] = "Agreement patterns"
    summary: ClassVar[str] = (
        "Several classifiers from the same labels: asks by how they agree, where the widest of all "
        "figures and differences gains most."
    )
    estimands: ClassVar[tuple[str, ...]] = (*SCALARS, *DIFFERENCES)
    smallest_watched_budget: ClassVar[int] = 40
    recommended: ClassVar[bool] = True
    correlates: ClassVar[bool] = True
    least_classifiers: ClassVar[int] = 2
    strata_order: ClassVar[str] = "what most classifiers call {positive} first"
    existing: ClassVar[tuple[str, ...]] = ("random", "certainty")
    assumptions: ClassVar[tuple[str, ...]] = (
        WITHIN_STRATA,
        APPROXIMATE,
    )
    derived_words: ClassVar[dict[str, str]] = {"patterns": "patterns of agreement"}

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """Strata, floor and batches."""

        n_strata: int | None = parameter(
            None,
            "strata in all, half of them of the items that nobody calls positive; at least one for "
            "each pattern; empty: 24, with claims 8",
            low=2,
            high=200,
        )
        floor: float = parameter(
            FLOOR,
            "share of the labels spread evenly whatever the scores say",
            low=0.05,
            high=1.0,
        )
        n_step: int | None = parameter(
            None, "labels in a batch; empty: a tenth of the labels so far", low=1, high=100_000
        )
        helpers: tuple[str, ...] | None = parameter(
            None,
            "columns, and classifiers that are not asked about, that help to choose items; empty: "
            "none",
        )

    def chosen(self, setup: Setup) -> dict[str, Any]:
        names = helpers_beside(setup)
        kept = {"n_strata": settled_strata(setup)}
        return {**kept, "helpers": names} if names else kept

    def prepare(self, setup: Setup) -> PatternFrame:
        return pattern_frame(setup)

    def redrawn(self, setup: Setup, frame: PatternFrame) -> PatternFrame | None:
        return None if frame.tied else drawn_anew(setup, frame)

    def derived(self, frame: PatternFrame, labels: int) -> dict[str, Any]:
        patterns = {"patterns": len(np.unique(frame.said, axis=1).T)}
        return {**patterns, "helpers": list(frame.helpers)} if frame.helpers else patterns

    def judges(self, params: Any) -> bool:
        return True

    def first_look(self, frame: PatternFrame, planned: int, promise: Promise) -> int:
        return profile_first_look(frame, planned, promise)

    def fitted_rates(self, frame: PatternFrame, progress: Progress) -> FloatArray:
        return recalibrate(
            frame.rates, progress.positive, progress.labelled, frame.evidence, frame.level
        )

    def saved(self, setup: Setup, frame: PatternFrame, progress: Progress) -> Saved | None:
        if not frame.helpers or not progress.labelled.sum():
            return None
        if (frame.stratum == NOT_SAMPLED).any():
            return None
        rates, alone = self.fitted_rates(frame, progress), replace(setup.params, helpers=())
        setup_alone = replace(setup, params=alone)
        plain = self.prepare(setup_alone)
        share = _shares(setup_alone, plain, rates_without(frame, rates, plain))
        sizes = np.where(plain.asked, plain.sizes, 0)
        without = {
            name: labels_without(
                slopes_of_kind(kind), frame, rates, progress.labelled, plain,
                lambda labels: share(sizes, 0, labels),
            )
            for name, kind in zip(setup.estimands, asked_kinds(setup), strict=True)
        }  # fmt: skip
        told = {name: labels for name, labels in without.items() if labels is not None}
        return Saved(frame.helpers, int(progress.labelled.sum()), told) if told else None

    def allocate(self, setup: Setup, frame: PatternFrame, progress: Progress) -> IntArray:
        shares = _shares(setup, frame, self.fitted_rates(frame, progress))
        first = first_labels(setup.planned, int(frame.asked.sum()))
        return next_counts(setup, frame, progress, shares, first_each=first)

    def allocate_all(self, due: Sequence[Due[PatternFrame]]) -> list[IntArray]:
        return side_by_side(self, due) or super().allocate_all(due)

    def forecast_notes(self, answers: Answers[PatternFrame], look: Look) -> list[str]:
        two = look.setup is not None and len(look.setup.classifiers) == 2
        return disagreement_notes(answers, look) if two else []

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return profile_figures(rows, cells, look, rates)

    def estimate_all(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, FloatArray]], look: Look
    ) -> list[Figures]:
        return profile_figures_at(rows, parts, look)

    def figures_of(
        self, answers: Sequence[Answers[PatternFrame]], looks: Sequence[Look]
    ) -> list[Figures]:
        return profile_figures_of(answers, looks)

    def may_meet(
        self, answers: Answers[PatternFrame], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        return profile_may_meet(answers, look, labels, goal)

    def holds(
        self, answers: Answers[PatternFrame], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        return profile_holds(answers, look, labels, band)


def _shares(setup: Setup, frame: PatternFrame, rates: FloatArray) -> Shares:
    """Shares for the widest of all figures, and a tenth for each kind by itself."""
    asked = figure_slopes(frame, rates, asked_kinds(setup))
    claimed = figure_slopes(frame, rates, claimed_kinds(setup))
    served, floor = np.concatenate(claimed or asked, axis=-2), float(setup.params.floor)
    apart = asked if claimed or len(asked) > 1 else []

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        total = labels + batch
        every = widest_shares(sizes, rates, served, total, floor)
        each = [widest_shares(sizes, rates, one, total, floor) for one in apart]
        return np.asarray((1 - OWN_SHARE * len(each)) * every + OWN_SHARE * sum(each))

    return shares
