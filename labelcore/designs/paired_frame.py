"""What is decided before the first label of a comparison: strata of pairs of predictions, whether
the disagreements are all asked, and what a file is refused for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Look, Setup
from labelcore.designs.neyman_batches import FIRST_LABELS_PER_STRATUM
from labelcore.designs.rates import looks_like_probability, part_rates
from labelcore.designs.scalars import Answers
from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.population.array_items import Items, cut
from labelcore.population.items import MeanScore, Part, Stretch
from labelcore.promises import Promise
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


def check_pair(setup: Setup, items: Items) -> None:
    """Raise PlanError unless two classifiers with predictions of two classes differ somewhere."""
    population = setup.population
    if len(population.classes) > 2:
        raise PlanError("design 'paired_comparison' needs a file with two classes")
    names = pair_names(setup)
    silent = [name for name in names if name not in population.predictions]
    if silent:
        raise PlanError(
            "design 'paired_comparison' needs thresholds or predictions of both classifiers, "
            f"{silent[0]!r} has none"
        )
    if all(one == other for one, other in items.joined(names, [Part()])):
        raise PlanArgumentError(
            "classifier",
            f"names {names[0]!r} and {names[1]!r}, which say the same about every item "
            "that could be asked: how much better one is can be known without a label",
            value=names,
            short="the two say the same of every item",
            remedies=[Remedy(f"ask how accurate {names[0]!r} is", _alone(setup))],
        )


def pair_names(setup: Setup) -> tuple[str, str]:
    """The two that are compared."""
    return str(setup.classifier), str(setup.versus)


def _alone(setup: Setup) -> dict[str, Any]:
    """The first classifier by itself."""
    changes = {"design": "recalibrated_neyman", "estimands": ("accuracy",), "params": {}}
    return {**changes, "classifier": setup.classifier}


def pair_parts(setup: Setup, items: Items) -> tuple[list[Part], BoolArray]:
    """The items of each stratum, and both predictions of each, (n_strata, 2)."""
    names, population = pair_names(setup), setup.population
    positive, sizes = population.classes.index(population.positive), items.joined(names, [Part()])
    whole = pair_order(setup)
    n_differ = setup.params.n_differ or (CLAIM_DIFFER if setup.claims else DIFFER)
    n_agree = setup.params.n_agree or (CLAIM_AGREE if setup.claims else AGREE)
    parts: list[Part] = []
    sides: list[tuple[bool, bool]] = []
    for side in ((True, False), (False, True), (True, True), (False, False)):
        codes = tuple(positive if yes else 1 - positive for yes in side)
        if codes not in sizes:
            continue
        number = int(sizes[codes][0])
        edges = (
            geometric_edges(number, n_agree)
            if not any(side)
            else equal_size_edges(number, n_agree if all(side) else n_differ)
        )
        parts += cut(items, whole, dict(zip(names, codes, strict=True)), edges)
        sides += [side] * len(edges)
    return parts, np.array(sides)


def pair_order(setup: Setup) -> Stretch:
    """All items by the mean of the scores of those that have one, highest first, as a share of the
    items below it where it is no probability; by the ties alone where nobody has."""
    scores, descending = setup.population.scores, setup.population.descending
    scored = tuple(name for name in pair_names(setup) if name in scores)
    ranked = tuple(name for name in scored if not looks_like_probability(scores[name]))
    if len(scored) == len(ranked) < 2:
        return setup.along(next(iter(scored), None))  # Its shares have the order of the score.
    turned = tuple(name for name in scored if name in descending)
    return Stretch(MeanScore(scored, turned, ranked), True, setup.seed)


def pair_rates(
    setup: Setup, items: Items, parts: Sequence[Part]
) -> tuple[FloatArray, tuple[str, ...]]:
    """The mean of what the scores of both suggest, of those that have one if anybody has."""
    names = pair_names(setup)
    scored = [name for name in names if name in setup.population.scores] or names
    found = [part_rates(setup, items, name, parts) for name in scored]
    notes = dict.fromkeys(note for _, said in found for note in said)
    return np.asarray(np.mean([rates for rates, _ in found], axis=0)), tuple(notes)


def wanted(setup: Setup, sizes: IntArray, sides: BoolArray) -> BoolArray:
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
