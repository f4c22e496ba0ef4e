"""Stratified sampling that learns how far the scores can be trusted: the default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    Due,
    Expected,
    Frame,
    IntArray,
    Look,
    Progress,
    Saved,
    Setup,
    WatchedParams,
    drawn_anew,
    frame_of,
    make_frame,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.helped_savings import (
    LEAST_SAVED,
    labels_without,
    rates_with_verdicts,
    rates_without,
    slopes_of,
)
from labelcore.designs.helpers import (
    Evidence,
    HelpedFrame,
    agreeing,
    check_helpers,
    chosen_helpers,
    evidence_of,
    helped,
    helper_notes,
    said_by_columns,
    side_of,
    then_by,
)
from labelcore.designs.neyman_batches import Shares, next_counts, neyman_shares
from labelcore.designs.profile_figures import (
    profile_figures,
    profile_figures_at,
    profile_figures_of,
    profile_first_look,
    profile_holds,
    profile_may_meet,
)
from labelcore.designs.rates import PROBABILITY_RANGE, part_rates, planning_rates, stratum_rates
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import (
    WITHIN_STRATA,
    StratifiedDesign,
    check_summaries,
    side_by_side,
)
from labelcore.designs.two_ended import first_labels, joint_shares
from labelcore.errors import ParameterError, PlanError
from labelcore.estimands import SCALARS, SUMMARIES, Estimand, known_group, ratios
from labelcore.population.array_items import Items, cut
from labelcore.population.items import Part
from labelcore.population.kept import Kept, Recent
from labelcore.promises import Promise
from labelcore.stats.allocation import pieces_by_size
from labelcore.stats.crossed_strata import (
    CUT_ABOVE,
    CUT_BELOW,
    crossed,
    crossed_pieces,
)
from labelcore.stats.orders import random_of
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray
from labelcore.stats.recalibration import recalibrate
from labelcore.stats.strata import equal_size_edges, geometric_edges

STRATA, FLOOR = (6, 12), 0.1
CLAIM_STRATA, CLAIM_FLOOR = (1, 4), 0.5
PART_ASKED = (
    "Only items that the classifier calls {name!r} are asked: the figure does not rest on the "
    "others. Ask for more figures to learn about them."
)
TWO_ENDED, NEYMAN, NEYMAN_FLOOR = "two_ended", "neyman", 0.2


class RecalibratedNeyman(StratifiedDesign[HelpedFrame]):
    """Neyman allocation on rates recalibrated from the labels.

    Strata never mix predicted positives and predicted negatives: ``n_above`` equal-size strata of
    the predicted positives and ``n_below`` of the others, in geometrically growing size from the
    highest score down. Two to four labels per stratum first; then each batch tops up the strata
    towards shares proportional to c_k W_k sqrt(theta_k (1 - theta_k) + d), mixed with W_k. Theta is
    a two-parameter recalibration of the scores fitted to all labels; d, at most one in the number
    of labels, stands for what may have been missed (``two_ended_shares``). The focus
    "precision_recall" shares the labels over both figures (``joint_shares``). Where the one figure
    that is asked for rests on the items of one prediction alone, as precision does, nothing is
    asked about the others.

    ``helpers`` are other columns and classifiers of the file. Each piece of the scores, 3 above and
    6 below, is then cut at what they say of its items (``stats.crossed_strata``), and a third
    parameter learns what they are worth beside the score. A new plan uses all that say something,
    unless they order the items as the score does; a frozen plan that names none uses none. Measured
    in docs/helpers.md. With several classes helpers are columns that name classes: they say whether
    a call is right. None with claims.

    A plan with claims takes few strata: each costs evidence (docs/claims.md), where an estimate
    gains from it. Such a plan, and one frozen before there was a choice, has d = 0 and more labels
    mixed with W_k in the first third: ``allocation`` "neyman".

    Several classes: a stratum holds items of one predicted class, ``n_above + n_below`` strata in
    all (or one a class, where there are more classes), shared over the classes by their size.
    Theta is the rate of rightly judged items; c_k is 1 for accuracy alone, else
    sqrt(N / N_g) for predicted class g, so that small classes get labels for figures of their own:
    Bankier's power allocation with exponent 1/2.

    Promise: "fixed" at the planned size (G-profile with Student's t); "watched" at every look from
    the first label up to the planned size, or the horizon of the plan (G-profile with Student's t,
    widened by the boundary of ``labelcore.stats.horizon``). Approximate: coverage is measured, see
    docs/real_files.md and docs/watched.md. Its curve of a file holds for all ranks together
    (``labelcore.stats.strata_band``, docs/default_curves.md); average precision and the area under
    the ROC curve are for the planned size.
    Assumption: none about the scores; bad scores cost labels, and the interval holds. Nearly
    unbiased, not unbiased, because two parameters learn from the labels.
    Source: Neyman (1934) for the allocation, Bankier (1988) for several classes; the recalibration,
    d and the floor are our own, measured in docs/default_allocation.md.
    """

    name: ClassVar[str] = "recalibrated_neyman"
    cut_by_limit: ClassVar[bool] = True
    label: ClassVar[str] = "Recalibrated Neyman"
    summary: ClassVar[str] = (
        "Recommended: asks more where the answer is uncertain and matters, and learns from the "
        "labels how far the scores can be trusted."
    )
    smallest_watched_budget: ClassVar[int] = 40
    recommended: ClassVar[bool] = True
    correlates: ClassVar[bool] = True
    estimands: ClassVar[tuple[str, ...]] = (*StratifiedDesign.estimands, *SUMMARIES)
    for_all_ranks: ClassVar[bool] = True
    existing: ClassVar[tuple[str, ...]] = ("random", "certainty")
    assumptions: ClassVar[tuple[str, ...]] = (
        WITHIN_STRATA,
        APPROXIMATE,
    )

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """Strata, floor and focus."""

        n_above: int | None = parameter(
            None,
            "strata of predicted positives; empty: 6, with helpers 3, with claims 1",
            low=1,
            high=100,
        )
        n_below: int | None = parameter(
            None,
            "strata of predicted negatives; empty: 12, with helpers 6, with claims 4",
            low=1,
            high=100,
        )
        floor: float | None = parameter(
            None,
            "share of the labels spread evenly whatever the scores say; empty: 0.1, with claims "
            "0.5",
            low=0.05,
            high=1.0,
        )
        n_step: int | None = parameter(
            None, "labels in a batch; empty: a tenth of the labels so far", low=1, high=100_000
        )
        focus: str | None = parameter(
            None, "the estimand that gets the labels, or precision_recall; empty: chosen for you"
        )
        allocation: str | None = parameter(
            None,
            "rule that shares the labels, two_ended or neyman; empty: two_ended, or neyman with "
            "claims",
        )
        helpers: tuple[str, ...] | None = parameter(
            None,
            "other columns and classifiers that help to choose items; empty: those expected to "
            "help",
        )

    def settled(self, params: Mapping[str, Any], claims: Sequence[str]) -> dict[str, Any]:
        return {"allocation": NEYMAN if claims else TWO_ENDED, **params}

    def chosen(self, setup: Setup) -> dict[str, Any]:
        params, names = setup.params, chosen_helpers(setup)
        if not names:
            return {}
        above, below = crossed_pieces(setup.planned)
        return {
            "helpers": names,
            "n_above": params.n_above or above,
            "n_below": params.n_below or below,
        }

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        return (Promise.FIXED,) if {*estimands} & {*SUMMARIES} else self.promises

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        check_summaries(estimands, promise)
        if params.allocation not in (None, TWO_ENDED, NEYMAN):
            raise ParameterError(
                "allocation", f"must be {TWO_ENDED!r} or {NEYMAN!r}, got {params.allocation!r}"
            )
        known = (*SCALARS, "precision_recall")
        if params.focus is not None and params.focus not in known:
            raise ParameterError(
                "focus", f"names {params.focus!r}, which is not known; known are {', '.join(known)}"
            )
        starved = [
            name
            for name in estimands
            if params.focus == "precision" and name not in ("precision", "accuracy")
        ]
        if starved:
            raise ParameterError(
                "focus",
                "= 'precision' leaves too few labels among the predicted negatives to say "
                f"anything about {starved[0]!r}; use 'precision_recall'",
            )

    def judges(self, params: Any) -> bool:
        return True

    def prepare(self, setup: Setup) -> HelpedFrame:
        if setup.classifier is None:
            raise PlanError(
                "recalibrated_neyman needs a classifier with scores or predictions; "
                "this file has none",
                "needs a score or predictions",
            )
        check_helpers(setup)
        others, params = evidence_of(setup), setup.params
        strata = params.n_above, params.n_below, bool(setup.claims)
        key = setup.classifier, others and params.helpers, strata
        frame = setup.shared(BY_SCORE, key, lambda: _by_score(setup, others))
        return _part_asked(setup, replace(frame, notes=(*frame.notes, *helper_notes(setup))))

    def redrawn(self, setup: Setup, frame: HelpedFrame) -> HelpedFrame | None:
        if frame.evidence is None:
            return drawn_anew(setup, _ties_anew(setup, frame))
        if _ties_cut(setup, frame):
            return None
        order = setup.file_order("draw")
        return replace(frame, queue=order[np.argsort(frame.stratum[order], kind="stable")])

    def derived(self, frame: HelpedFrame, labels: int) -> dict[str, Any]:
        return {"helpers": list(frame.helpers)}

    def saved(self, setup: Setup, frame: HelpedFrame, progress: Progress) -> Saved | None:
        if frame.evidence is None or not progress.labelled.sum():
            return None
        if (frame.stratum == NOT_SAMPLED).any():
            return None
        rates = self.fitted_rates(frame, progress)
        told = self._labels_without(setup, frame, rates, progress.labelled)
        return Saved(frame.helpers, int(progress.labelled.sum()), told) if told else None

    def expected_saving(self, setup: Setup, frame: HelpedFrame, labels: int) -> Expected | None:
        if frame.evidence is None or (frame.stratum == NOT_SAMPLED).any():
            return None
        said = said_by_columns(setup)
        if not said:
            return None
        population, name = setup.population, str(setup.classifier)
        own = side_of(population, name)
        alone = np.clip(planning_rates(population, name, own)[0], *PROBABILITY_RANGE)
        of_item = {one: rates_with_verdicts(alone, [vote]) for one, vote in said.items()}
        together = rates_with_verdicts(alone, said.values())
        rates = np.bincount(frame.stratum, together, frame.n_strata) / frame.sizes
        sizes = np.where(frame.asked, frame.sizes, 0)
        counts = np.minimum(_shares(setup, frame, rates)(sizes, 0, labels) * labels, sizes)
        without = self._labels_without(setup, frame, rates, counts)
        saved = 1 - labels / max(min(without.values(), default=1), 1)
        if saved < LEAST_SAVED:
            return None
        most = max(said, key=lambda one: float(of_item[one].var()))
        return Expected(name, most, len(said) - 1, agreeing(said[most], own), saved)

    def _labels_without(
        self, setup: Setup, frame: HelpedFrame, rates: FloatArray, counts: FloatArray
    ) -> dict[str, int]:
        """By estimand, the labels that the variance with these rates and labels of the strata would
        take in strata by the score alone, where that can be told."""
        bare = replace(setup.params, helpers=(), n_above=None, n_below=None)
        alone = replace(setup, params=bare)
        plain = self.prepare(alone)
        share = _shares(alone, plain, rates_without(frame, rates, plain))
        sizes = np.where(plain.asked, plain.sizes, 0)
        several = len(setup.population.classes) > 2
        without = {
            name: labels_without(
                slopes_of(SCALARS[name]), frame, rates, counts, plain, lambda n: share(sizes, 0, n)
            )
            for name in setup.estimands
            if name == "accuracy" or (name in SCALARS and not several)
        }
        return {name: labels for name, labels in without.items() if labels is not None}

    def first_look(self, frame: HelpedFrame, planned: int, promise: Promise) -> int:
        return profile_first_look(frame, planned, promise)

    def fitted_rates(self, frame: HelpedFrame, progress: Progress) -> FloatArray:
        return recalibrate(frame.rates, progress.positive, progress.labelled, frame.evidence)

    def allocate(self, setup: Setup, frame: HelpedFrame, progress: Progress) -> IntArray:
        rates = self.fitted_rates(frame, progress)
        shares = _shares(setup, frame, rates)
        if setup.params.allocation != TWO_ENDED:
            return next_counts(setup, frame, progress, shares)
        first = first_labels(setup.planned, int(frame.asked.sum()))
        return next_counts(setup, frame, progress, shares, first_each=first)

    def allocate_all(self, due: Sequence[Due[HelpedFrame]]) -> list[IntArray]:
        found = None
        if due[0].setup.params.allocation == TWO_ENDED:
            found = side_by_side(self, due)
        return found or super().allocate_all(due)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return profile_figures(rows, cells, look, rates)

    def estimate_all(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, FloatArray]], look: Look
    ) -> list[Figures]:
        return profile_figures_at(rows, parts, look)

    def figures_of(
        self, answers: Sequence[Answers[HelpedFrame]], looks: Sequence[Look]
    ) -> list[Figures]:
        return profile_figures_of(answers, looks)

    def may_meet(
        self, answers: Answers[HelpedFrame], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        return profile_may_meet(answers, look, labels, goal)

    def holds(
        self, answers: Answers[HelpedFrame], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        return profile_holds(answers, look, labels, band)


BY_SCORE = Kept(Recent[HelpedFrame])
TIES_CUT = Kept(Recent[bool])


def _by_score(setup: Setup, others: Evidence | None) -> HelpedFrame:
    """The frame whatever figures are asked for, without what is said of helpers."""
    classifier = str(setup.classifier)
    if others is None:
        items = setup.items()
        parts, predicted = _parts(setup, items, classifier)
        rates, notes = part_rates(setup, items, classifier, parts)
        frame = frame_of(setup, items, parts, rates, predicted, notes)
    else:
        stratum, predicted = _strata_with_helpers(setup, classifier, others)
        rates, notes = stratum_rates(setup.population, classifier, stratum, len(predicted))
        frame = make_frame(setup, stratum, rates, predicted, notes)
    return helped(setup, frame, others)


def _parts(setup: Setup, items: Items, classifier: str) -> tuple[list[Part], BoolArray]:
    """The strata by the score alone, and whether each of them is predicted positive, (n_strata,);
    ties go by the tie hash."""
    population, whole = setup.population, setup.along(classifier)
    names = [classifier] if classifier in population.predictions else []
    sizes = {one: int(count[0]) for one, count in items.joined(names, [Part()]).items()}
    found: list[Part] = []
    predicted: list[bool] = []
    for codes, edges, above in _edges(setup, sizes):
        found += cut(items, whole, dict(zip(names, codes, strict=True)), edges)
        predicted += [above] * len(edges)
    return found, np.array(predicted)


def _edges(
    setup: Setup, sizes: Mapping[tuple[int, ...], int]
) -> Iterator[tuple[tuple[int, ...], IntArray, bool]]:
    """For each prediction that there is, the positive one first: its code, () without predictions;
    the ranks within it at which strata end; whether these are predicted positive.

    sizes   code -> items
    """
    population, params = setup.population, setup.params
    usual = CLAIM_STRATA if setup.claims else STRATA
    n_above, n_below = params.n_above or usual[0], params.n_below or usual[1]
    positive = (population.classes.index(population.positive),)
    present = sorted(sizes, key=lambda codes: (codes != positive, codes))
    several = len(population.classes) > 2 and () not in sizes
    pieces = pieces_by_size(np.array([sizes[one] for one in present]), n_above + n_below)
    for codes, number in zip(present, pieces, strict=True):
        above = codes == positive or several
        if several:
            edges = equal_size_edges(sizes[codes], number)
        elif above:
            edges = equal_size_edges(sizes[codes], n_above)
        else:
            edges = geometric_edges(sizes[codes], n_below)
        yield codes, edges, above


def _strata_with_helpers(
    setup: Setup, classifier: str, others: Evidence
) -> tuple[IntArray, BoolArray]:
    """The stratum of each item, and whether each stratum is predicted positive; ties in the score
    go by what the others say, then by the tie hash."""
    population, n = setup.population, len(setup.population)
    score = population.ordering_score(classifier)
    order = setup.ranking(np.zeros(n) if score is None else score)
    order = then_by(order, score, others.order)
    side = population.predictions.get(classifier)
    groups = np.zeros(n, dtype=np.int64) if side is None else side.astype(np.int64)
    sizes: dict[tuple[int, ...], int] = {(): n}
    if side is not None:
        number = np.bincount(groups).tolist()
        sizes = {(code,): size for code, size in enumerate(number) if size}
    stratum = np.zeros(n, dtype=np.int64)
    predicted: list[bool] = []
    for codes, edges, called in _edges(setup, sizes):
        members = order if side is None else order[groups[order] == codes[0]]
        piece = np.searchsorted(edges, np.arange(len(members)), side="right")
        stratum[members] = piece + len(predicted)
        predicted += [called] * len(edges)
    above = np.array(predicted)
    says = others.says_so(above[stratum])
    shares = np.where(above, CUT_ABOVE, CUT_BELOW)
    stratum, piece = crossed(order, stratum, says, others.order, shares)
    return stratum, above[piece]


def _ties_anew(setup: Setup, frame: HelpedFrame) -> HelpedFrame:
    """The frame with the items of equal score shared out anew over the strata that they lie in;
    the sizes and rates of these are what they were."""
    population = setup.population
    score = population.ordering_score(str(setup.classifier))
    side = population.predictions.get(str(setup.classifier))
    score = np.zeros(len(population)) if score is None else score
    cut = _scores_cut(frame, score)
    if not len(cut):
        return frame
    random, stratum = random_of(setup.seed, "tie"), frame.stratum.copy()
    sampled = stratum != NOT_SAMPLED
    for value in cut:
        tied = np.flatnonzero((score == value) & sampled)
        for code in (None,) if side is None else np.unique(side[tied]):
            items = tied if side is None else tied[side[tied] == code]
            stratum[items] = random.permutation(stratum[items])
    queue = frame.queue[np.argsort(stratum[frame.queue].astype(np.int16), kind="stable")]
    return replace(frame, stratum=stratum, queue=queue)


def _ties_cut(setup: Setup, frame: HelpedFrame) -> bool:
    """Whether items lie in different strata though nothing but the tie hash tells them apart:
    neither score nor prediction, nor what the helpers say."""
    population, classifier = setup.population, str(setup.classifier)

    def made() -> bool:
        others = evidence_of(setup)
        assert others is not None
        told = (population.ordering_score(classifier), population.predictions.get(classifier))
        alike = [others.order, *(one for one in told if one is not None)]
        order = np.lexsort((frame.stratum, *alike))
        same = np.logical_and.reduce([one[order[1:]] == one[order[:-1]] for one in alike])
        return bool((same & (np.diff(frame.stratum[order]) != 0)).any())

    params = setup.params
    key = classifier, params.helpers, params.n_above, params.n_below, frame.n_strata
    return TIES_CUT.of(population).get(key, made)


def _scores_cut(frame: Frame, score: FloatArray) -> FloatArray:
    """The scores that strata next to each other share, each once."""
    there = frame.sizes > 0
    of_queue, start = score[frame.queue], frame.start[there]
    highest = np.maximum.reduceat(of_queue, start)
    lowest = np.minimum.reduceat(of_queue, start)
    return np.unique(lowest[:-1][lowest[:-1] == highest[1:]])


def _part_asked(setup: Setup, frame: HelpedFrame) -> HelpedFrame:
    """The frame that asks only what the one figure asked for rests on, where that is a part."""
    focus, population = _focus(setup, frame), setup.population
    alone = (focus,) == setup.estimands and setup.versus is None and not setup.claims
    if not alone or setup.params.allocation != TWO_ENDED or len(population.classes) > 2:
        return frame
    group = known_group(SCALARS[focus], frame.cells())
    if group is None or group.all() or not group.any():
        return frame
    other = next(name for name in population.classes if name != population.positive)
    called = population.positive if frame.predicted[group].all() else other
    return replace(frame, wanted=group, notes=(*frame.notes, PART_ASKED.format(name=called)))


def _shares(setup: Setup, frame: Frame, rates: FloatArray) -> Shares:
    """The rule of the plan; one that was frozen before there was a choice has Neyman's."""
    params = setup.params
    if params.allocation != TWO_ENDED:
        floor = params.floor or (CLAIM_FLOOR if setup.claims else NEYMAN_FLOOR)
        return neyman_shares(rates, _costs(setup, frame, rates), floor, setup.planned)
    gradients = _gradients(setup, frame, rates)

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        total, floor = labels + batch, params.floor or FLOOR
        return joint_shares(sizes, rates, frame.predicted, gradients, total, floor)

    return shares


def _gradients(setup: Setup, frame: Frame, rates: FloatArray) -> FloatArray:
    """One row for each figure that the labels are shared over, (..., n_figures, n_strata)."""
    focus = _focus(setup, frame)
    several = len(setup.population.classes) > 2
    if several or focus != "precision_recall" or not frame.predicted.any():
        return _costs(setup, frame, rates)[..., None, :]
    return _slopes(frame, rates, ["precision", "recall"])


def _slopes(frame: Frame, rates: FloatArray, names: list[str]) -> FloatArray:
    """Derivatives of each figure up to a factor, (..., n_figures, n_strata); NaN where the file has
    no item that the figure is about."""
    cells = frame.cells()
    table = ratios([SCALARS[name] for name in names], cells)
    return table.gradient(table.value((frame.sizes * rates)[..., None, :]))


def _costs(setup: Setup, frame: Frame, rates: FloatArray) -> FloatArray:
    """c_k: how much an uncertain item of each stratum matters for the focus, (n_strata,); all alike
    where the file has no item that the focus is about."""
    focus = _focus(setup, frame)
    if len(setup.population.classes) > 2:
        return _class_costs(setup, frame, focus)
    if focus == "precision_recall" and not frame.predicted.any():
        focus = "prevalence"
    totals = frame.sizes * rates
    predicted = frame.predicted
    if focus != "precision_recall":
        slope = _slopes(frame, rates, [focus])[..., 0, :]
        return np.where(np.isnan(slope).any(axis=-1, keepdims=True), 1.0, np.abs(slope))
    true_positive, positive = totals[predicted].sum(), totals.sum()
    recall = true_positive / positive
    above = ((1 - recall) / positive) ** 2 + 1 / frame.sizes[predicted].sum() ** 2
    return np.asarray(np.sqrt(np.where(predicted, above, (recall / positive) ** 2)))


def _class_costs(setup: Setup, frame: Frame, focus: str) -> FloatArray:
    """c_k with several classes, (n_strata,): sqrt(N / N_g) where the class has figures of its own,
    1 where it only matters to the accuracy and to those of others."""
    side = setup.population.predictions.get(str(setup.classifier))
    if focus == "accuracy" or side is None:
        return np.ones(frame.n_strata)
    class_of = side[frame.queue[frame.start]]
    costs = np.sqrt(len(side) / np.bincount(side)[class_of])
    if setup.classes is None:
        return np.asarray(costs)
    named = [setup.population.classes.index(name) for name in setup.classes]
    return np.where(np.isin(class_of, named), costs, 1.0)


def _focus(setup: Setup, frame: Frame) -> str:
    """What the labels serve: what the plan names; else the one figure of one classifier that is
    asked for, else precision and recall. A plan of before there was a choice of allocation keeps to
    the latter unless accuracy or prevalence is all it asks for."""
    if setup.params.focus:
        return str(setup.params.focus)
    scalars = [name for name in setup.estimands if name in SCALARS]
    if len(setup.population.classes) > 2:
        return "accuracy" if scalars == ["accuracy"] else "precision_recall"
    if not frame.predicted.any():
        return "prevalence"
    alone = len(setup.estimands) == 1 and setup.versus is None
    if alone and scalars and setup.params.allocation == TWO_ENDED:
        return scalars[0]
    return scalars[0] if scalars in (["accuracy"], ["prevalence"]) else "precision_recall"
