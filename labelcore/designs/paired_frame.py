"""What is decided before the first label of a comparison: strata of pairs of predictions, whether
the disagreements are all asked, and what a file is refused for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Look, Setup
from labelcore.designs.neyman_batches import FIRST_LABELS_PER_STRATUM
from labelcore.designs.rates import item_probability, stratum_rates
from labelcore.designs.scalars import Answers
from labelcore.errors import Given, PlanArgumentError, PlanError, Remedy
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import BoolArray, Cells, FloatArray
from labelcore.stats.sequences import MINIMUM_STRATA
from labelcore.stats.strata import equal_size_edges, geometric_edges

HALF, CENSUS, SAMPLED = "half", "all", "sampled"
"""When the items on which the two disagree are all asked: where half of the labels reach them,
where the labels do, never."""
SMALLEST_WATCHED = 40
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
    census   whether every item on which the two disagree is asked, before any other
    few      whether these lie in too few strata for a band that is watched
    reached  labels from which on it is a census; infinite where there is none
    """

    other: BoolArray = field(kw_only=True)
    census: bool = field(default=False, kw_only=True)
    few: bool = field(default=False, kw_only=True)
    reached: float = field(default=np.inf, kw_only=True)

    @property
    def differ(self) -> BoolArray:
        return np.asarray(self.predicted != self.other)

    @property
    def to_differ(self) -> int:
        """Items on which the two disagree that are still to be asked."""
        return int((self.sizes - self.drawn_before)[self.differ].sum())

    def cells(self) -> Cells:
        """The strata without labels."""
        return replace(Frame.cells(self), other=self.other)


def reaching(frame: PairFrame, rule: str | None) -> float:
    """The labels with which every item on which the two disagree is asked: these and two of each
    other stratum that is asked, or as many others, by ``rule``; infinite where they are sampled."""
    items, others = frame.to_differ, frame.asked & ~frame.differ
    if rule == CENSUS:
        return items + int(np.minimum(frame.sizes, FIRST_LABELS_PER_STRATUM)[others].sum())
    if rule == HALF:
        return items * (2 if others.any() else 1)
    return np.inf


def predictions(setup: Setup) -> tuple[BoolArray, BoolArray]:
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
        raise PlanArgumentError(
            "classifier",
            "names ",
            Given(f"{names[0]!r} and {names[1]!r}"),
            ", which say the same about every item that could be asked: how much better one is can "
            "be known without a label",
            value=tuple(names),
            short="the two say the same of every item",
            remedies=[Remedy(f"ask how accurate {names[0]!r} is", _alone(setup))],
        )
    return first, second


def _alone(setup: Setup) -> dict[str, Any]:
    """The first classifier by itself."""
    changes = {"design": "recalibrated_neyman", "estimands": ("accuracy",), "params": {}}
    return {**changes, "classifier": setup.classifier}


def pair_strata(
    setup: Setup, first: BoolArray, second: BoolArray
) -> tuple[IntArray, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The stratum of each item, and both predictions of each stratum, (n_strata, 2)."""
    names = (str(setup.classifier), str(setup.versus))
    order = setup.ranking(pair_score(setup.population, names))
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


def pair_rates(
    setup: Setup, stratum: IntArray, n_strata: int
) -> tuple[FloatArray, tuple[str, ...]]:
    """The mean of what the scores of both suggest, of those that have one if anybody has."""
    names = [str(setup.classifier), str(setup.versus)]
    scored = [name for name in names if name in setup.population.scores] or names
    found = [stratum_rates(setup.population, name, stratum, n_strata) for name in scored]
    notes = dict.fromkeys(note for _, said in found for note in said)
    return np.asarray(np.mean([rates for rates, _ in found], axis=0)), tuple(notes)


def wanted(setup: Setup, sizes: IntArray, sides: np.ndarray[Any, np.dtype[np.bool_]]) -> BoolArray:
    """The strata on which a result or a claim of the plan rests, (n_strata,)."""
    asked = {*setup.estimands, *setup.claims}
    agree = sides[:, 0] == sides[:, 1]
    if asked <= {ACCURACY}:
        return np.asarray(~agree)
    if asked <= {ACCURACY, "precision_difference"}:
        return np.asarray(sides.any(axis=1))
    return np.ones(len(sizes), dtype=bool)


def check_disagreements(setup: Setup, frame: PairFrame) -> None:
    strata, items = int(frame.differ.sum()), int(frame.sizes[frame.differ].sum())
    if frame.few and not (frame.census and setup.target == "file"):
        raise PlanError(
            f"a watched promise needs at least {MINIMUM_STRATA} strata of items on which the two "
            f"classifiers disagree, and there are {strata} (disagreements in the file: {items:,}), "
            "or labels for all of these",
            "the two disagree on too few items to watch",
            _ways_to_watch(setup, frame),
        )
    if setup.target == "process" and items < PROCESS_DISAGREEMENTS:
        raise PlanError(
            "a statement about items like these needs at least "
            f"{PROCESS_DISAGREEMENTS} items on which the two classifiers disagree, this file has "
            f"{items:,}",
            "the two disagree on too few items",
            [Remedy("ask about this file", {"target": "file"})],
        )


def disagreement_notes(answers: Answers[Any], look: Look) -> list[str]:
    """On how many items two classifiers disagree, and whether the expected labels reach them."""
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


def _ways_to_watch(setup: Setup, frame: PairFrame) -> list[Remedy]:
    """How the comparison becomes possible: a census, or one look at the end."""
    items, given = frame.to_differ, _given(setup)
    once = Remedy("look once, when all planned labels are there", {"promise": Promise.FIXED})
    if setup.target != "file":
        return [once, Remedy("ask about this file", {"target": "file"})]
    every: dict[str, Any] = {"params": {**given, "disagreements": CENSUS}}
    most = max(int(reaching(frame, CENSUS)), SMALLEST_WATCHED)
    if setup.planned < most:
        every["budget"] = most
    found = [Remedy(f"label all {items:,} items on which they disagree", every), once]
    if setup.params.n_differ is not None:
        more = {name: value for name, value in given.items() if name != "n_differ"}
        found.append(Remedy("cut the disagreements into more strata", {"params": more}))
    return found


def _given(setup: Setup) -> dict[str, Any]:
    """The parameters that are not those a plan has anyway."""
    plain = type(setup.params)()
    found = {one.name: getattr(setup.params, one.name) for one in fields(setup.params)}
    return {name: value for name, value in found.items() if value != getattr(plain, name)}
