"""Is one classifier better than another? Labels go where the two disagree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    Answers,
    DesignParams,
    Figures,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    make_frame,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.neyman_batches import next_counts, neyman_shares
from labelcore.designs.profile_figures import profile_figures, profile_first_look
from labelcore.designs.rates import item_probability, mid_rank_share, stratum_rates
from labelcore.designs.stratified import StratifiedDesign
from labelcore.errors import PlanError
from labelcore.estimands import DIFFERENCES, SCALARS, Estimand, table_of
from labelcore.population import Population
from labelcore.stats.orders import hash_keys, ranking
from labelcore.stats.profile import BoolArray, Cells, FloatArray
from labelcore.stats.recalibration import recalibrate
from labelcore.stats.sequences import MINIMUM_STRATA
from labelcore.stats.strata import equal_size_edges, geometric_edges

FLOOR, ALL = 0.2, "all"
AGREE, CLAIM_AGREE = 3, 1
DIFFER, CLAIM_DIFFER = 6, 3
ACCURACY = "accuracy_difference"
DISAGREE = "The two disagree on {items:,} of the {of:,} items."
REACHED = (
    "The planned labels are expected to reach all items on which the two disagree: the difference "
    "in accuracy is exact once they have."
)
PROCESS_DISAGREEMENTS = 15
"""With fewer, how many there are varies too much from file to file for the interval to hold."""


@dataclass(frozen=True, eq=False, slots=True)
class PairFrame(Frame):
    """A frame whose strata share both predictions, arrays (n_strata,).

    other    whether the second classifier predicts the stratum positive
    """

    other: BoolArray = field(kw_only=True)

    @property
    def differ(self) -> BoolArray:
        return np.asarray(self.predicted != self.other)

    def cells(self) -> Cells:
        """The strata without labels."""
        return replace(Frame.cells(self), other=self.other)


class PairedComparison(StratifiedDesign):
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

    Promise: "fixed" at the planned size (G-profile with Student's t); "watched" at every look from
    max(40, n0/10) labels and at least five strata of disagreements (G-profile with the multiplier
    of an asymptotic confidence sequence). Approximate: coverage is measured, see docs/paired.md.
    About items like these ("process") only with at least 15 disagreements in the file.
    Assumption: none about the scores; bad scores cost labels, not truth.
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
    smallest_watched_budget: ClassVar[int] = 40
    pairs: ClassVar[bool] = True
    strata_order: ClassVar[str] = (
        "only {first} says {positive}, only {second} says {positive}, both, neither"
    )
    existing: ClassVar[tuple[str, ...]] = ("random", "certainty")
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within strata that were fixed before the first label",
        APPROXIMATE,
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
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

    def prepare(self, setup: Setup) -> PairFrame:
        first, second = _predictions(setup)
        stratum, sides = _strata(setup, first, second)
        predicted, other = sides[:, 0], sides[:, 1]
        rates, notes = _rates(setup, stratum, len(sides))
        base = make_frame(setup, stratum, rates, predicted, notes)
        parts = (base.stratum, base.sizes, rates, predicted, base.queue, base.start, notes)
        frame = PairFrame(*parts, other=other, wanted=_wanted(setup, base.sizes, sides))
        _check_disagreements(setup, frame)
        return frame

    def first_look(self, frame: Frame, planned: int, promise: str) -> int:
        return profile_first_look(frame, planned, promise)

    def fitted_rates(self, frame: Frame, progress: Progress) -> FloatArray:
        return recalibrate(frame.rates, progress.positive, progress.labelled)

    def allocate(self, setup: Setup, frame: Frame, progress: Progress) -> IntArray:
        assert isinstance(frame, PairFrame)
        rates = self.fitted_rates(frame, progress)
        costs, floor = _costs(setup, frame, rates), setup.params.floor
        shares = neyman_shares(rates, costs, floor, setup.planned)
        return next_counts(setup, frame, progress, shares)

    def forecast_notes(self, answers: Answers, look: Look) -> list[str]:
        cells = answers.cells
        if cells.other is None:
            return []
        differ = cells.predicted != cells.other
        items, labels = cells.size[differ].sum(), cells.labelled[differ].sum()
        said = [DISAGREE.format(items=int(items), of=int(cells.size.sum()))]
        accuracy = look.target == "file" and answers.rows[0].name == ACCURACY
        if accuracy and labels > items - 0.5:
            said.append(REACHED)
        return said

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return profile_figures(rows, cells, look, rates)


def _predictions(setup: Setup) -> tuple[BoolArray, BoolArray]:
    """Whether each item is called positive by the first and by the second classifier."""
    population = setup.population
    if len(population.classes) > 2:
        raise PlanError("design 'paired_comparison' needs a file with two classes")
    positive = population.classes.index(population.positive)
    names = [str(setup.classifier), str(setup.versus)]
    silent = [name for name in names if name not in population.predictions]
    if silent:
        raise PlanError(
            "design 'paired_comparison' needs thresholds or predictions of both classifiers, "
            f"{silent[0]!r} has none"
        )
    first, second = (population.predictions[name] == positive for name in names)
    if np.array_equal(first, second):
        raise PlanError(
            f"classifier names {names[0]!r} and {names[1]!r}, which say the same of every item "
            "that could be asked: how much better one is, is known without a label",
            "the two say the same of every item",
        )
    return first, second


def _check_disagreements(setup: Setup, frame: PairFrame) -> None:
    strata, items = int(frame.differ.sum()), int(frame.sizes[frame.differ].sum())
    if setup.promise == "watched" and strata < MINIMUM_STRATA:
        raise PlanError(
            f"a watched promise needs at least {MINIMUM_STRATA} strata of items on which the two "
            f"classifiers disagree, and there are {strata} (disagreements in the file: {items:,}): "
            "use promise 'fixed'"
            + ("" if setup.params.n_differ is None else ", or more strata (n_differ)")
        )
    if setup.target == "process" and items < PROCESS_DISAGREEMENTS:
        raise PlanError(
            "a statement about items like these needs at least "
            f"{PROCESS_DISAGREEMENTS} items on which the two classifiers disagree, this file has "
            f"{items:,}: use target 'file', or a larger file"
        )


def _strata(
    setup: Setup, first: BoolArray, second: BoolArray
) -> tuple[IntArray, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The stratum of each item, and both predictions of each stratum, (n_strata, 2)."""
    names = (str(setup.classifier), str(setup.versus))
    tie_keys = hash_keys(setup.seed, "tie", setup.population.ids())
    order = ranking(pair_score(setup.population, names), tie_keys)
    n_differ = setup.params.n_differ or (CLAIM_DIFFER if setup.claims else DIFFER)
    n_agree = setup.params.n_agree or (CLAIM_AGREE if setup.claims else AGREE)
    stratum = np.zeros(len(order), dtype=np.int64)
    sides: list[tuple[bool, bool]] = []
    for side in ((True, False), (False, True), (True, True), (False, False)):
        members = order[((first == side[0]) & (second == side[1]))[order]]
        edges = (
            geometric_edges(len(members), n_agree)
            if not any(side)
            else equal_size_edges(len(members), n_agree if all(side) else n_differ)
        )
        piece = np.searchsorted(edges, np.arange(len(members)), side="right")
        stratum[members] = piece + len(sides)
        sides += [side] * len(edges)
    return stratum, np.array(sides)


def pair_score(population: Population, classifiers: tuple[str, ...]) -> FloatArray:
    """The mean of the scores of those that have one, as a share of the items below it where it is
    no probability; zero for each item where nobody has, (n_items,)."""
    found = []
    for name in classifiers:
        probability, score = item_probability(population, name), population.scores.get(name)
        if probability is not None:
            found.append(probability)
        elif score is not None:
            found.append(mid_rank_share(-score if name in population.descending else score))
    return np.asarray(np.mean(found, axis=0) if found else np.zeros(len(population)))


def _rates(setup: Setup, stratum: IntArray, n_strata: int) -> tuple[FloatArray, tuple[str, ...]]:
    """The mean of what the scores of both suggest, of those that have one if anybody has."""
    names = [str(setup.classifier), str(setup.versus)]
    scored = [name for name in names if name in setup.population.scores] or names
    found = [stratum_rates(setup.population, name, stratum, n_strata) for name in scored]
    notes = dict.fromkeys(note for _, said in found for note in said)
    return np.asarray(np.mean([rates for rates, _ in found], axis=0)), tuple(notes)


def _wanted(setup: Setup, sizes: IntArray, sides: np.ndarray[Any, np.dtype[np.bool_]]) -> BoolArray:
    """The strata on which a result or a claim of the plan rests, (n_strata,)."""
    asked = {*setup.estimands, *setup.claims}
    agree = sides[:, 0] == sides[:, 1]
    if asked <= {ACCURACY}:
        return np.asarray(~agree)
    if asked <= {ACCURACY, "precision_difference"}:
        return np.asarray(sides.any(axis=1))
    return np.ones(len(sizes), dtype=bool)


def _costs(setup: Setup, frame: PairFrame, rates: FloatArray) -> FloatArray:
    """c_k: how much an uncertain item of each stratum matters, (n_strata,)."""
    asked = [name for name in setup.estimands if name in DIFFERENCES] or [ACCURACY]
    focus = asked if setup.params.focus == ALL else [setup.params.focus]
    table = table_of([DIFFERENCES[name] for name in focus], frame.cells())
    slope = np.abs(table.sensitivity(frame.sizes * rates))
    least = (slope * frame.sizes * np.sqrt(rates * (1 - rates))).sum(axis=1, keepdims=True)
    parts = np.divide(slope, least, out=np.zeros(slope.shape), where=least > 0)
    return np.asarray(np.sqrt((parts**2).sum(axis=0)))
