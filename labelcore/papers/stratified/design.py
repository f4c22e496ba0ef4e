"""Stratified sampling for accuracy, by how sure the classifier is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    WatchedParams,
    Work,
    extended,
    frame_of,
    make_frame,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.profile_figures import (
    g_profile,
    method_at,
    profile_first_look,
    profile_may_meet,
)
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import WITHIN_STRATA, StratifiedDesign
from labelcore.errors import PlanArgumentError
from labelcore.estimands import SCALARS, Estimand, ratios, sampled_file
from labelcore.papers.stratified.accuracy_interval import (
    accuracy_interval,
    linearised_interval,
    pooled_rates,
)
from labelcore.papers.stratified.neyman import (
    LEAST,
    equal_counts,
    first_counts,
    optimal_counts,
    printed_counts,
    proportional_counts,
)
from labelcore.papers.stratified.stratifications import MOST_STRATA, STRATIFICATIONS, stratify
from labelcore.papers.stratified.sureness import sure_strata, sureness
from labelcore.promises import Form, Method, Promise
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.profile import BoolArray, Cells, FloatArray, fixed_critical

ALLOCATIONS = ("proportional", "equal", "opt_a1", "opt_a2")
PRINTED = ("opt_a1", "opt_a2")
WARNING = (
    "{name} is for comparison only: a stratum whose first labels agree is not asked again, so the "
    "estimate comes out too high for an accurate classifier and carries no promise. Use "
    "proportional, or design 'recalibrated_neyman', for a figure that counts."
)
FEWER = "The scores allow {found} strata by {name}, not {wanted}: empty ones were dropped."
BIASED = (
    "a stratum whose first labels agree is not asked again, so that accuracy comes out too high: "
    "by up to 4.7 points on the classifiers measured, with more labels too"
)
FIXED = Method(
    "Wilson score interval at the effective number of labels",
    "Kumar and Raj (2018), equation 4; Wilson (1927)",
    Form.APPROXIMATE,
)
EQUALLY = replace(FIXED, name=f"{FIXED.name}, no narrower than the G-profile")
OTHERS = Method(
    "linearised variance on the logit scale",
    "Woodruff (1971); Cochran (1977), post-stratified by the prediction",
    Form.APPROXIMATE,
)


@dataclass(frozen=True, eq=False, slots=True)
class SureFrame(Frame):
    """A frame whose strata are cut by sureness.

    chance   (n_strata,), the share of rightly judged items that the scores suggest
    """

    chance: FloatArray = field(default_factory=lambda: np.zeros(0))


class StratifiedAccuracy(StratifiedDesign[SureFrame]):
    """Strata by how sure the classifier is of its prediction, for accuracy with few labels.

    ``stratification`` cuts the file into ``n_strata`` strata along the probability of the predicted
    class (with scores that are no probabilities: the distance from the threshold); ``allocation``
    shares the labels over them. "proportional" is the default: whatever the scores are worth its
    variance is at most that of a plain random sample (but for 1/N_k, and for the two labels that
    each of K strata gets first: these may cost up to n / (n - 2K) times the variance), it learns
    nothing from the labels, so that the estimate is unbiased, and after those two every prefix of
    the draws keeps its proportions.
    "equal" can be far better or several times worse, by how sizes and errors happen to fall.
    "opt_a1" and "opt_a2" are the paper's Neyman allocations as printed, for comparison: each learns
    a stratum's variance from its own labels and never returns to one whose first labels agree.

    Strata hold both predictions: right for accuracy as the only number. Others are read off by the
    parts of the strata that share a prediction.

    Promise: "fixed": accuracy by Wilson's interval at the effective number of labels, with "equal"
    no narrower than the G-profile, as errors of a stratum that is nearly labelled say nothing of
    the others; other numbers by the linearised variance; all approximate. "watched": accuracy
    alone, by the G-profile band, up to the planned size or the horizon of the plan. With opt_a1 and
    opt_a2 none, whatever is asked.
    Assumption: none about the scores; bad ones gain nothing.
    Source: Kumar and Raj (2018).
    Departures: draws without replacement; "equal" and "proportional" give each stratum two labels
    at least and are asked in batches that keep their shares; the interval is not the normal one
    with equation 6, which covered .69 to .95 on real files where this one covered .93 to .99
    (docs/papers/002_stratified.md).
    """

    name: ClassVar[str] = "stratified"
    label: ClassVar[str] = "Strata by sureness"
    summary: ClassVar[str] = (
        "For accuracy alone: labels from each range of sureness in proportion to its size. Simple, "
        "unbiased, and with ten labels a stratum hardly ever wider than a plain random sample."
    )
    estimands: ClassVar[tuple[str, ...]] = tuple(SCALARS)
    smallest_watched_budget: ClassVar[int] = 40
    strata_order: ClassVar[str] = "least sure first"
    assumptions: ClassVar[tuple[str, ...]] = (
        WITHIN_STRATA,
        APPROXIMATE,
    )
    works: ClassVar[tuple[Work, ...]] = (
        (
            ("Kumar and Raj", "2018"),
            "Kumar, A. and Raj, B. (2018). Classifier risk estimation under limited labeling "
            "resources. Pacific-Asia Conference on Knowledge Discovery and Data Mining (PAKDD).",
        ),
    )

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """Strata and how labels are shared over them."""

        stratification: str = parameter(
            "cbrt",
            "how the scores are cut: equal parts of the cumulative root (sqrt) or cube root (cbrt) "
            "of their density, equal sums (wtmn), clusters (km, gmm), equal size (eqsz) or equal "
            "width (eqwd)",
            choices=STRATIFICATIONS,
        )
        n_strata: int = parameter(10, "strata (K)", low=2, high=MOST_STRATA)
        allocation: str = parameter(
            "proportional",
            "how labels are shared: in proportion to size, equally, or by the paper's opt_a1 and "
            "opt_a2; these two overstate accuracy and are for comparison only",
            choices=ALLOCATIONS,
        )
        n_initial: int = parameter(
            5, "first labels of each stratum with opt_a1 and opt_a2", low=2, high=1_000
        )
        n_step: int = parameter(10, "labels in a batch", low=1, high=100_000)

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        if promise != Promise.WATCHED:
            return
        for rule, facts in self.unwatched(estimands, params):
            raise PlanArgumentError.naming("promise", rule, given=str(Promise.WATCHED), **facts)

    def assumed(self, params: Any) -> tuple[str, ...]:
        """With opt_a1 and opt_a2 their bias, as nothing is promised of their intervals."""
        if params.allocation not in PRINTED:
            return self.assumptions
        return tuple(BIASED if line == APPROXIMATE else line for line in self.assumptions)

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        return (Promise.FIXED,) if self.unwatched(estimands, params) else self.promises

    def unwatched(
        self, estimands: tuple[str, ...], params: Any
    ) -> list[tuple[str, dict[str, Any]]]:
        """What a watched promise would need, empty where it can be had."""
        needs: list[tuple[str, dict[str, Any]]] = []
        others = [name for name in estimands if name != "accuracy"]
        if others:
            mixed = (
                "with {plan.design=} is for accuracy alone, because its strata mix predictions; "
                "got estimands with {other!r}; use {plan.promise=fixed}"
            )
            needs.append((mixed, {"design": self.name, "other": others[0]}))
        if params.allocation in PRINTED:
            unseen = (
                "cannot go with {params.allocation} = {allocation!r}, which as printed leaves "
                "strata unseen, so that nothing can be promised while it is watched; use "
                "{plan.promise=fixed}"
            )
            needs.append((unseen, {"allocation": params.allocation}))
        return needs

    def prepare(self, setup: Setup) -> SureFrame:
        if not setup.sums_exactly:
            return self._prepared_of_arrays(setup)
        params, items = setup.params, setup.items()
        sure = sure_strata(setup, items, params.stratification, params.n_strata)
        notes = (*sure.notes, *_notes(params, len(sure.parts)))
        frame = frame_of(setup, items, sure.parts, sure.rates, sure.predicted, notes)
        return extended(frame, SureFrame, chance=sure.chance)

    def _prepared_of_arrays(self, setup: Setup) -> SureFrame:
        """By floats added up in the order of the file: of small files, and in plans of earlier
        rules."""
        population, params = setup.population, setup.params
        sure = sureness(population, setup.classifier)
        stratum = stratify(params.stratification, sure.z, params.n_strata, setup.tie_keys)
        sizes = np.bincount(stratum)
        side = population.predictions[str(setup.classifier)]
        several = len(population.classes) > 2
        positive = population.classes.index(population.positive)
        called = np.full(len(side), True) if several else side == positive
        chance = np.bincount(stratum, sure.chance) / sizes
        rates = np.bincount(stratum, np.where(called, sure.chance, 1 - sure.chance)) / sizes
        predicted = np.bincount(stratum, called) > sizes / 2
        notes = (*sure.notes, *_notes(params, len(sizes)))
        frame = make_frame(setup, stratum, rates, predicted, notes)
        return extended(frame, SureFrame, chance=chance)

    def first_look(self, frame: SureFrame, planned: int, promise: Promise) -> int:
        return profile_first_look(frame, planned, promise)

    def least(self, frame: SureFrame) -> int:
        """Two labels of each stratum, or all that it has: fewer say nothing of its variance."""
        return int(np.minimum(frame.sizes, LEAST).sum())

    def allocate(self, setup: Setup, frame: SureFrame, progress: Progress) -> IntArray:
        params, total = setup.params, int(progress.drawn.sum())
        left = progress.limit - total
        room = frame.sizes - progress.drawn
        if params.allocation not in PRINTED:
            batch = min(params.n_step, left)
            goal = _shared_out(params.allocation, frame, total + batch)
            short = np.clip(goal - progress.drawn, 0, room).astype(float)
            return largest_remainder(short if short.any() else room.astype(float), batch, room)
        first = np.clip(
            first_counts(frame.sizes, setup.planned, params.n_initial) - progress.drawn, 0, room
        )
        if first.sum() > 0:
            return largest_remainder(first.astype(float), min(int(first.sum()), left), first)
        whole = setup.planned - total if setup.planned > total else left
        batch = min(whole if params.allocation == "opt_a1" else params.n_step, left)
        assert progress.right is not None
        return printed_counts(frame.sizes, progress.drawn, progress.labelled, progress.right, batch)

    def planned_counts(self, setup: Setup, frame: SureFrame, labels: int) -> IntArray:
        """With opt_a1 and opt_a2: by the spreads that the scores suggest."""
        total = min(labels, int(frame.sizes.sum()))
        if setup.params.allocation not in PRINTED:
            return _shared_out(setup.params.allocation, frame, total)
        spreads = np.sqrt(frame.chance * (1 - frame.chance))
        return optimal_counts(frame.sizes, spreads, total, setup.params.n_initial)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        own = [self._accuracy(row, cells, look) if row.name == "accuracy" else None for row in rows]
        table = ratios(rows, cells)
        pooled = pooled_rates(cells, doubt=0.5)
        critical = fixed_critical(cells, table, look.confidence, pooled, target=look.target)
        if look.target == "process":
            critical = critical * sampled_file(rows, cells, table, pooled)
        value, low, high = linearised_interval(cells, table, critical, target=look.target)
        methods = [OTHERS] * len(rows)
        for place, interval in enumerate(own):
            if interval is not None:
                value[place], low[place], high[place], methods[place] = interval
        promise = Promise.NONE if _allocation(look) in PRINTED else None
        return Figures(value, low, high, tuple(methods), np.full(len(rows), np.nan), promise)

    def _accuracy(
        self, row: Estimand, cells: Cells, look: Look
    ) -> tuple[float, float, float, Method]:
        """Value, low, high and method of accuracy from the strata as they were drawn."""
        strata = rightly_judged(cells)
        counts = strata.size, strata.labelled, strata.positive
        one = accuracy_interval(*counts, look.confidence, target=look.target)
        if look.promise != Promise.WATCHED and _allocation(look) != "equal":
            return one.value, one.low, one.high, FIXED
        ends = g_profile([row], strata, look, value=np.array([one.value]))
        low, high = float(ends[1][0]), float(ends[2][0])
        if look.promise != Promise.WATCHED:
            return one.value, min(one.low, low), max(one.high, high), EQUALLY
        return one.value, low, high, method_at(look)

    def may_meet(
        self, answers: Answers[SureFrame], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        strata = rightly_judged(answers.cells)
        seen = strata.size * (strata.labelled > 0)
        share = strata.positive / np.maximum(strata.labelled, 1)
        value = (seen * share).sum(axis=-1) / seen.sum(axis=-1)  # ``stratified_accuracy``
        mine = replace(answers, cells=strata, rates=None)
        return profile_may_meet(mine, look, labels, goal, value)

    def derived(self, frame: SureFrame, labels: int) -> dict[str, Any]:
        return {"expected_accuracy": [round(float(share), 4) for share in frame.chance]}


def rightly_judged(cells: Cells) -> Cells:
    """The parts of each stratum together again, with rightly judged items for positive ones."""
    parts = np.arange(len(cells.size)) if cells.stratum is None else cells.stratum
    of_stratum = parts[:, None] == np.unique(parts)
    wrong = cells.labelled - cells.positive
    right = np.where(cells.predicted, cells.positive, wrong)
    size, labelled, hits = (counts @ of_stratum for counts in (cells.size, cells.labelled, right))
    labelled = np.minimum(labelled, size)
    everything = np.ones(len(size), dtype=bool)
    return Cells(size, labelled, np.minimum(hits, labelled), everything)


def _allocation(look: Look) -> str:
    return "" if look.setup is None else str(look.setup.params.allocation)


def _notes(params: Any, strata: int) -> list[str]:
    notes = []
    if strata < params.n_strata:
        name = params.stratification.upper()
        notes.append(FEWER.format(found=strata, name=name, wanted=params.n_strata))
    if params.allocation in PRINTED:
        notes.append(WARNING.format(name=params.allocation))
    return notes


def _shared_out(allocation: str, frame: Frame, labels: int) -> IntArray:
    share = equal_counts if allocation == "equal" else proportional_counts
    return share(frame.sizes, labels)
