"""Stratified sampling that learns how far the scores can be trusted: the default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.base import (
    Due,
    Edges,
    Expected,
    IntArray,
    Look,
    Progress,
    Saved,
    Setup,
    Toward,
    WatchedParams,
    drawn_anew,
    parameter,
)
from labelcore.designs.group_frame import (
    chosen_share,
    group_frame,
    group_shares,
    inside_group,
    pieces_in_group,
    strata_of,
)
from labelcore.designs.helped_patterns import helpers_beside
from labelcore.designs.helped_savings import (
    LEAST_LEARNED,
    LEAST_SAVED,
    SlopesOf,
    labels_without,
    rates_with_content,
    rates_with_verdicts,
    rates_without,
    slopes_of,
)
from labelcore.designs.helpers import (
    HelpedFrame,
    agreeing,
    chosen_helpers,
    said_by_columns,
    side_of,
    wants_content,
)
from labelcore.designs.neyman_batches import Shares, next_counts
from labelcore.designs.pattern_frame import (
    PatternFrame,
    asked_kinds,
    disagreement_notes,
    figure_slopes,
    pattern_frame,
    pattern_shares,
    settled_strata,
    slopes_of_kind,
)
from labelcore.designs.profile_design import ProfileDesign
from labelcore.designs.prompt_frame import (
    EACH,
    SAME,
    cheaper,
    outputs_of_prompts,
    prompt_counts,
    prompt_frame,
    prompts_together,
)
from labelcore.designs.rates import PROBABILITY_RANGE, planning_rates
from labelcore.designs.recut import NEVER, ONCE, Recut, recut_frame, recut_of
from labelcore.designs.scalars import Answers
from labelcore.designs.score_frame import (
    MOST_PIECES,
    NEYMAN,
    TWO_ENDED,
    chosen_pieces,
    pieces_alike,
    score_edges,
    score_frame,
    score_frame_redrawn,
    score_shares,
    stratum_costs,
)
from labelcore.designs.stratified import (
    WITHIN_STRATA,
    StratifiedDesign,
    check_summaries,
    side_by_side,
)
from labelcore.designs.two_ended import first_labels
from labelcore.errors import ParameterError
from labelcore.estimands import DIFFERENCES, SCALARS, SUMMARIES
from labelcore.population.kept import Kept, Recent
from labelcore.population.second_opinion import CONTENT
from labelcore.promises import Promise
from labelcore.stats.allocation import top_up
from labelcore.stats.crossed_strata import crossed_pieces
from labelcore.stats.orders import random_of
from labelcore.stats.profile import NOT_SAMPLED, FloatArray
from labelcore.stats.recalibration import recalibrate

BY_GROUP = Kept(Recent[HelpedFrame])
NO_PROMPTS = (
    "= 'same' needs by, the column of systems, and a file with two classes and a column of prompts "
    "of which at least two systems answered the same ones, each of them once"
)
CUT_AGAIN = (
    f"{WITHIN_STRATA}, and from half of the labels on within parts of them, cut by a model that "
    "placed no item by its own label"
)
BY_PATTERN = "what most classifiers call {positive} first"


class RecalibratedNeyman(ProfileDesign[HelpedFrame]):
    """Neyman allocation on rates recalibrated from the labels.

    Of one classifier strata never mix predicted positives and predicted negatives: ``n_above``
    equal-size strata of the predicted positives and ``n_below`` of the others, in geometrically
    growing size from the highest score down. Two to four labels per stratum first; then each batch
    tops up the strata towards shares proportional to c_k W_k sqrt(theta_k (1 - theta_k) + d), mixed
    with W_k. Theta is a two-parameter recalibration of the scores fitted to all labels; d, at most
    one in the number of labels, stands for what may have been missed (``two_ended_shares``). The
    focus "precision_recall" shares the labels over both figures (``joint_shares``). Where the one
    figure that is asked for rests on the items of one prediction alone, as precision does, nothing
    is asked about the others.

    A new plan has no more strata than get five labels each, of one classifier and two classes more
    than 12 only where each gets twelve, and one for each prediction where the score tells none of
    its items apart, or there is none: measured in docs/default_allocation.md.

    With ``recut`` strata are cut once more at half of the labels (``designs.recut``): a model of
    the labels so far learns from the items' content what the scores leave out, cross-fitted, and
    cuts each stratum in two where that pays; where it says nothing all stays as it was. Measured
    in docs/content.md.

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
    all (in a new plan at least one a class), shared over the classes by their size. Theta is the
    rate of rightly judged items; c_k is 1 for accuracy alone, else sqrt(N / N_g) for predicted
    class g, so that small classes get labels for figures of their own: Bankier's power allocation
    with exponent 1/2.

    Several classifiers of a file with two classes: a stratum holds items that all of them judge
    alike, the pattern of their predictions, so that every figure of each, and each difference of
    two, is an estimate over whole strata, from the same labels. Half of ``n_strata`` go to the
    pattern that nobody calls positive, in geometrically growing size from the highest mean rank of
    the scores down (from a million items on, where all are probabilities, from their highest mean
    down); the others share the rest by their size, at least one each, in equal pieces by the same
    order. A pattern on which nothing that is asked for rests is never asked. Each batch tops up the
    strata towards the shares with which the widest of all figures is as narrow as can be
    (``widest_shares``); where several kinds of figures are asked for, a tenth of the labels goes to
    each kind by itself. With claims the labels go to what is claimed, but for that tenth. Theta
    then has two parameters more: one for how many of the classifiers call the stratum positive,
    beyond what the scores suggest, one for whether any does. Helpers, only those that a plan names,
    cut half as many pieces (``cut_patterns``). Measured in docs/agreement_patterns.md. A plan that
    names ``n_above``, ``n_below`` or ``focus``, or asks for a curve, is drawn for the first
    classifier, as one is that was frozen without ``n_strata``.

    Promise: "fixed" at the planned size (G-profile with Student's t); "watched" at every look from
    the first label up to the planned size, or the horizon of the plan (G-profile with Student's t,
    widened by the boundary of ``labelcore.stats.horizon``). Approximate: coverage is measured, see
    docs/real_files.md and docs/watched.md. Its curve of a file holds for all ranks together
    (``labelcore.stats.rank_band``, docs/default_curves.md); average precision and the area under
    the ROC curve are for the planned size.
    Assumption: none about the scores; bad scores cost labels, and the interval holds. Nearly
    unbiased, not unbiased, because two to five parameters learn from the labels.
    Source: Neyman (1934) for the allocation, Bankier (1988) for several classes; the recalibration,
    d and the floor are our own, measured in docs/default_allocation.md, and so are the patterns,
    after the levels of Tripathi et al. (2020) and the disagreements of McNemar (1947).
    """

    name: ClassVar[str] = "recalibrated_neyman"
    cut_by_limit: ClassVar[bool] = True
    label: ClassVar[str] = "Recalibrated Neyman"
    summary: ClassVar[str] = (
        "Recommended: asks more where the answer is uncertain and matters, and learns from the "
        "labels how far the scores can be trusted."
    )
    estimands: ClassVar[tuple[str, ...]] = (
        *StratifiedDesign.estimands,
        *SUMMARIES,
        *DIFFERENCES,
    )
    for_all_ranks: ClassVar[bool] = True
    draws_by_group: ClassVar[bool] = True
    derived_words: ClassVar[dict[str, str]] = {"patterns": "patterns of agreement"}

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """Strata, floor and focus."""

        n_strata: int | None = parameter(
            None,
            "strata of several classifiers, half of them of the items that nobody calls positive; "
            "at least one for each pattern; empty: 24, or one for "
            "every five labels, without scores 2, with claims 8",
            low=2,
            high=200,
        )
        n_above: int | None = parameter(
            None,
            "strata of predicted positives; empty: up to 6, with helpers 3, with claims 1",
            low=1,
            high=MOST_PIECES,
        )
        n_below: int | None = parameter(
            None,
            "strata of predicted negatives; empty: up to 12, with helpers 6, with claims 4",
            low=1,
            high=MOST_PIECES,
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
            "help, of several classifiers none",
        )
        content: str | None = parameter(
            None,
            "fingerprint of the helper that is made from what the items say, to repeat a plan "
            "exactly; empty: any",
        )
        group_share: float | None = parameter(
            None,
            "where groups get labels of their own, the share that serves the figures of all items; "
            "empty: the least that keeps these within 1.2 times what they would be",
            low=0.0,
            high=1.0,
        )
        prompts: str | None = parameter(
            None,
            "where the groups are systems that answered the same prompts: same draws prompts and "
            "asks all their outputs, each draws every system by itself; empty: whichever is "
            "expected to tell systems apart with fewer labels",
        )
        recut: str | None = parameter(
            None,
            "whether strata are cut once more at half of the labels, where these have taught "
            "something about the items' content; empty: never",
            choices=(ONCE, NEVER),
        )

    def settled(self, params: Mapping[str, Any], claims: Sequence[str]) -> dict[str, Any]:
        return {"allocation": NEYMAN if claims else TWO_ENDED, **params}

    def chosen(self, setup: Setup) -> dict[str, Any]:
        alone = replace(setup, groups=None)
        picks = self._chosen_alone(alone)
        if setup.params.prompts == SAME and outputs_of_prompts(setup) is None:
            raise ParameterError("prompts", NO_PROMPTS)
        if setup.groups is None:
            return picks
        plain = replace(alone, params=replace(setup.params, **picks))
        by_pattern = self.draws_by_pattern(plain.params)
        helped = bool(picks.get("helpers"))
        picks |= pieces_in_group(setup, by_pattern=by_pattern, helped=helped)
        if by_pattern:
            picks["n_strata"] = min(picks["n_strata"], plain.params.n_strata)
        elif not helped:
            picks |= pieces_alike(setup)
        completed = replace(setup, params=replace(setup.params, **picks))
        if completed.params.group_share is not None:
            return picks
        frames = (plain, self.prepare(plain)), self.prepare(completed)
        picks["group_share"] = chosen_share(completed, *frames, _shares_alone, _slopes_asked)
        return picks | self._chosen_prompts(replace(setup, params=replace(setup.params, **picks)))

    def _chosen_prompts(self, setup: Setup) -> dict[str, Any]:
        """Whether systems that answered the same prompts are labelled on the same ones."""
        outputs = outputs_of_prompts(setup)
        if outputs is None or setup.params.prompts:
            return {}
        same, each = (replace(setup, params=replace(setup.params, prompts=way))
                      for way in (SAME, EACH))  # fmt: skip
        frames = prompt_frame(same), self.prepare(each)
        counts = [self.planned_counts(either, frame, setup.planned)
                  for either, frame in zip((same, each), frames, strict=True)]  # fmt: skip
        return {"prompts": cheaper(setup, outputs, frames, counts)}

    def _chosen_alone(self, setup: Setup) -> dict[str, Any]:
        """What is chosen where there are no groups."""
        params = setup.params
        if self.draws_by_pattern(params) or _suits_patterns(setup):
            strata, names = {"n_strata": settled_strata(setup)}, helpers_beside(setup)
            return {**strata, "helpers": names, **_content_of(setup)} if names else strata
        names = chosen_helpers(setup)
        if not names:
            return chosen_pieces(setup)
        above, below = crossed_pieces(setup.planned)
        return {
            "helpers": names,
            **_content_of(setup),
            "n_above": params.n_above or above,
            "n_below": params.n_below or below,
        }

    def assumed(self, params: Any) -> tuple[str, ...]:
        if params.recut != ONCE:
            return self.assumptions
        return tuple(CUT_AGAIN if line == WITHIN_STRATA else line for line in self.assumptions)

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        return (Promise.FIXED,) if {*estimands} & {*SUMMARIES} else self.promises

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        check_summaries(estimands, promise)
        if params.allocation not in (None, TWO_ENDED, NEYMAN):
            raise ParameterError(
                "allocation", f"must be {TWO_ENDED!r} or {NEYMAN!r}, got {params.allocation!r}"
            )
        known = (*SCALARS, "precision_recall")
        if params.prompts not in (None, SAME, EACH):
            raise ParameterError("prompts", f"must be {SAME!r} or {EACH!r}, got {params.prompts!r}")
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

    def draws_by_pattern(self, params: Any) -> bool:
        """Whether strata are made of what several classifiers say together."""
        return params.n_strata is not None

    def prepare(self, setup: Setup) -> HelpedFrame:
        key: tuple[object, ...] = self, setup.planned, setup.params
        if setup.groups is not None:
            key = *key, setup.groups.by, setup.groups.names
        if setup.groups is not None and setup.params.prompts == SAME:
            return setup.shared(BY_GROUP, key, lambda: prompt_frame(setup))
        if setup.groups is not None:
            key = *key, setup.edges
            return setup.shared(BY_GROUP, key, lambda: group_frame(setup, self.prepare))
        by_pattern = self.draws_by_pattern(setup.params)
        return pattern_frame(setup) if by_pattern else score_frame(setup)

    def edges(self, setup: Setup) -> Edges | None:
        if self.draws_by_pattern(setup.params) or setup.params.prompts == SAME:
            return None
        if setup.classifier is None or setup.groups is None:
            return None if setup.classifier is None else {"": score_edges(setup)}
        every = enumerate(setup.groups.names)
        return {name: score_edges(inside_group(setup, group)) for group, name in every}

    def redrawn(self, setup: Setup, frame: HelpedFrame) -> HelpedFrame | None:
        if frame.block is not None:
            return None
        if frame.group is not None:
            return drawn_anew(setup, frame)
        if isinstance(frame, PatternFrame):
            return None if frame.tied else drawn_anew(setup, frame)
        return score_frame_redrawn(setup, frame)

    def asked_together(self, setup: Setup, frame: HelpedFrame, items: IntArray) -> IntArray:
        same = frame.block is not None
        return prompts_together(setup.population, items) if same else items

    def derived(self, frame: HelpedFrame, labels: int) -> dict[str, Any]:
        if not isinstance(frame, PatternFrame):
            return {"helpers": list(frame.helpers)}
        patterns = {"patterns": len(np.unique(frame.said, axis=1).T)}
        return {**patterns, "helpers": list(frame.helpers)} if frame.helpers else patterns

    def order_of_strata(self, frame: HelpedFrame) -> str:
        return BY_PATTERN if isinstance(frame, PatternFrame) else self.strata_order

    def bounds_all_ranks(self, frame: HelpedFrame) -> bool:
        return self.for_all_ranks and not isinstance(frame, PatternFrame)

    def saved(self, setup: Setup, frame: HelpedFrame, progress: Progress) -> Saved | None:
        labels = int(progress.labelled.sum())
        if not frame.helpers or frame.evidence is None or not labels:
            return None
        if (frame.stratum == NOT_SAMPLED).any():
            return None
        rates = self.fitted_rates(frame, progress)
        without = self._labels_without(setup, frame, rates, progress.labelled)
        by_content = wants_content(setup.population, frame.helpers)
        learned = setup.population.opinions[str(setup.classifier)].columns if by_content else ()
        return Saved(frame.helpers, labels, without, learned) if without else None

    def expected_saving(self, setup: Setup, frame: HelpedFrame, labels: int) -> Expected | None:
        if frame.evidence is None or (frame.stratum == NOT_SAMPLED).any():
            return None
        votes = said_by_columns(setup)
        learned = CONTENT in frame.helpers and wants_content(setup.population, frame.helpers)
        if not (votes or learned) or isinstance(frame, PatternFrame):
            return None
        population, name = setup.population, str(setup.classifier)
        side = side_of(population, name)
        alone = np.clip(planning_rates(population, name, side)[0], *PROBABILITY_RANGE)
        together = rates_with_verdicts(alone, votes.values())
        if learned:
            saved = self._saved_by_content(setup, frame, labels, together)
            says = np.asarray(population.opinions[name].score > 0, dtype=np.float64)
            agrees = agreeing(says, side)
            expected = Expected(name, CONTENT, len(votes), agrees, saved, labels, learned=True)
            return expected if saved >= LEAST_LEARNED else None
        saved = self._share_saved(setup, frame, labels, together)
        if saved < LEAST_SAVED:
            return None
        of_item = {key: rates_with_verdicts(alone, [vote]) for key, vote in votes.items()}
        most = max(votes, key=lambda key: float(of_item[key].var()))
        return Expected(name, most, len(votes) - 1, agreeing(votes[most], side), saved, labels)

    def _saved_by_content(
        self, setup: Setup, frame: HelpedFrame, labels: int, rates: FloatArray
    ) -> float:
        """The share that the helper from the content saves beyond what the same numbers seem to,
        shuffled over the items.

        rates   (n_items,), those that everything else suggests
        """
        population, name = setup.population, str(setup.classifier)
        side, opinion = side_of(population, name), population.opinions[name]
        saved = []
        for score in (opinion.score, random_of(0, "control").permutation(opinion.score)):
            other = replace(population, opinions={name: replace(opinion, score=score)})
            there = setup if score is opinion.score else replace(setup, population=other)
            strata = frame if there is setup else self.prepare(there)
            item_rates = rates_with_content(rates, score, side)
            saved.append(self._share_saved(there, strata, labels, item_rates))
        return float(1 - (1 - saved[0]) / (1 - max(saved[1], 0)))

    def _share_saved(
        self, setup: Setup, frame: HelpedFrame, labels: int, of_items: FloatArray
    ) -> float:
        """The share of the labels that helpers save if these are the rates, (n_items,)."""
        rates = np.bincount(frame.stratum, of_items, frame.n_strata) / frame.sizes
        sizes = np.where(frame.asked, frame.sizes, 0)
        counts = np.minimum(_shares(setup, frame, rates)(sizes, 0, labels) * labels, sizes)
        without = self._labels_without(setup, frame, rates, counts)
        return 1 - labels / max(min(without.values(), default=1), 1)

    def _labels_without(
        self, setup: Setup, frame: HelpedFrame, rates: FloatArray, counts: FloatArray
    ) -> dict[str, int]:
        """By estimand, the labels that the variance with these rates and labels of the strata would
        take in strata without helpers, where that can be told."""
        bare = replace(setup.params, helpers=(), n_above=None, n_below=None)
        alone = replace(setup, params=bare)
        plain = self.prepare(alone)
        share = _shares(alone, plain, rates_without(frame, rates, plain))
        sizes = np.where(plain.asked, plain.sizes, 0)
        gradients = _gradients_asked(setup, frame)
        without = {
            name: labels_without(
                gradient, frame, rates, counts, plain, lambda n: share(sizes, 0, n)
            )
            for name, gradient in gradients.items()
        }  # fmt: skip
        return {name: labels for name, labels in without.items() if labels is not None}

    def fitted_rates(self, frame: HelpedFrame, progress: Progress) -> FloatArray:
        evidence = frame.evidence, frame.level, frame.group
        return recalibrate(frame.rates, progress.positive, progress.labelled, *evidence)

    def recut(
        self,
        setup: Setup,
        frame: HelpedFrame,
        progress: Progress,
        columns: Sequence[NDArray[Any]],
        *,
        forecast: bool = True,
    ) -> tuple[Recut | None, dict[str, Any]]:
        """How the labels so far cut strata once more (``designs.recut``), and what is told of it:
        the penalty and the gain of the model, and how many labels fewer the same widths are
        expected to take, in the mean of the figures."""
        assert progress.codes is not None and progress.asked is not None
        rates, planned = self.fitted_rates(frame, progress), setup.planned

        def share(of: HelpedFrame, rates: FloatArray, labels: int) -> FloatArray:
            return _shares(setup, of, rates)(of.sizes * of.asked, 0, labels)

        def going_on(
            of: HelpedFrame, rates: FloatArray, drawn: IntArray, labels: int
        ) -> FloatArray:
            more, sizes = max(labels - int(drawn.sum()), 0), of.sizes * of.asked
            counts = drawn + top_up(share(of, rates, labels), drawn, more, sizes)
            return np.asarray(np.maximum(counts, np.minimum(sizes, 1)))

        expected = np.minimum(share(frame, rates, planned) * planned, frame.sizes)
        items = progress.codes.labelled
        positive = setup.population.classes.index(setup.population.positive)
        labels = items, progress.codes[items] == positive
        cut, of_parts, facts = recut_of(frame, rates, expected, columns, setup.seed, labels)
        if cut is None or not forecast:
            return cut, facts
        parts, drawn = recut_frame(frame, cut, len(progress.asked)), progress.drawn
        counts = going_on(parts, of_parts, parts.counts(progress.asked), planned)
        without = [
            labels_without(
                gradient, parts, of_parts, counts, frame,
                lambda labels: going_on(frame, rates, drawn, labels) / max(labels, 1),
                (planned, min(2 * planned, len(frame.stratum))),
            )
            for gradient in _gradients_asked(setup, frame).values()
        ]  # fmt: skip
        known = [labels_alone for labels_alone in without if labels_alone is not None]
        fewer = sum(known) // len(known) - planned if known else 0
        return cut, {**facts, "fewer": max(fewer, 0)}

    def _allocate_toward(
        self, setup: Setup, toward: Toward, frame: HelpedFrame, progress: Progress
    ) -> IntArray:
        """``allocate`` to one group, or for one estimand; zeros where nothing is left there."""
        wanted = setup.estimands if toward.estimand is None else (toward.estimand,)
        of_group = replace(setup, toward=None, estimands=wanted)
        if toward.group is None or frame.group is None:
            return self.allocate(of_group, frame, progress)
        mine, counts = np.flatnonzero(frame.group == toward.group), np.zeros_like(progress.drawn)
        part = strata_of(frame, mine)
        inside = replace(
            progress,
            drawn=progress.drawn[mine],
            limit=progress.limit - int(progress.drawn.sum() - progress.drawn[mine].sum()),
        )
        shares = _shares_alone(of_group, part, self.fitted_rates(frame, progress)[mine])
        if (progress.drawn[mine] < part.sizes * part.asked).any():
            counts[mine] = next_counts(of_group, part, inside, shares)
        return counts

    def allocate(self, setup: Setup, frame: HelpedFrame, progress: Progress) -> IntArray:
        if frame.block is not None:
            of_all = replace(setup, toward=None)
            shares = _shares(of_all, frame, self.fitted_rates(frame, progress))
            return prompt_counts(of_all, frame, progress, shares)
        if setup.toward is not None:
            counts = self._allocate_toward(setup, setup.toward, frame, progress)
            if counts.any():
                return counts
        rates = self.fitted_rates(frame, progress)
        shares = _shares(setup, frame, rates)
        if not self._two_ended(setup):
            return next_counts(setup, frame, progress, shares)
        first = first_labels(setup.planned, int(frame.asked.sum()))
        return next_counts(setup, frame, progress, shares, first_each=first)

    def allocate_all(self, due: Sequence[Due[HelpedFrame]]) -> list[IntArray]:
        alone = due[0].frame.block is not None or not self._two_ended(due[0].setup)
        together = None if alone else side_by_side(self, due)
        return together or super().allocate_all(due)

    def _two_ended(self, setup: Setup) -> bool:
        return self.draws_by_pattern(setup.params) or setup.params.allocation == TWO_ENDED

    def forecast_notes(self, answers: Answers[HelpedFrame], look: Look) -> list[str]:
        two = look.setup is not None and len(look.setup.classifiers) == 2
        return disagreement_notes(answers, look) if two else []


def _content_of(setup: Setup) -> dict[str, str]:
    """By which hash the helper from the content of the items is known, where a plan names it."""
    population = setup.population
    if not wants_content(population, setup.params.helpers):
        return {}
    return {"content": population.opinions[str(setup.classifier)].hash}


def _suits_patterns(setup: Setup) -> bool:
    """Whether a new plan that leaves the choice to the method is drawn by agreement pattern."""
    params, judged = setup.params, setup.classifiers
    by_score = (params.n_above, params.n_below, params.focus)
    return (
        len(judged) > 1
        and len(setup.population.classes) == 2
        and {*judged} <= {*setup.population.predictions}
        and {*setup.estimands} <= {*SCALARS, *DIFFERENCES}
        and all(choice is None for choice in by_score)
        and not {*judged} & {*(params.helpers or ())}
    )


def _shares(setup: Setup, frame: HelpedFrame, rates: FloatArray) -> Shares:
    if setup.groups is not None and frame.group is not None:
        return group_shares(setup, frame, rates, _shares_alone, _slopes_asked)
    return _shares_alone(setup, frame, rates)


def _slopes_asked(setup: Setup, frame: HelpedFrame, rates: FloatArray) -> FloatArray:
    """The derivatives of the figures asked for, (n_figures, n_strata)."""
    if isinstance(frame, PatternFrame):
        return np.concatenate(figure_slopes(frame, rates, asked_kinds(setup)), axis=-2)
    if len(setup.population.classes) > 2:
        return np.asarray(stratum_costs(setup, frame, rates)[None] / frame.sizes.sum())
    rows = [SCALARS[name] for name in setup.estimands if name in SCALARS]
    return np.concatenate([slopes_of(row)(frame, rates) for row in rows])


def _shares_alone(setup: Setup, frame: HelpedFrame, rates: FloatArray) -> Shares:
    """The shares of some strata, whatever groups they lie in."""
    if isinstance(frame, PatternFrame):
        return pattern_shares(setup, frame, rates)
    return score_shares(setup, frame, rates)


def _gradients_asked(setup: Setup, frame: HelpedFrame) -> dict[str, SlopesOf]:
    """The derivatives of each figure whose variance is worth telling."""
    if isinstance(frame, PatternFrame):
        kinds = zip(setup.estimands, asked_kinds(setup), strict=True)
        return {name: slopes_of_kind(kind) for name, kind in kinds}
    several = len(setup.population.classes) > 2
    rows = [SCALARS[name] for name in setup.estimands if name in SCALARS]
    return {row.name: slopes_of(row) for row in rows if row.of_all_classes or not several}
