"""What is decided before the first label of a comparison: strata of pairs of predictions, whether
the disagreements are all asked, and what a file is refused for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Setup, extended
from labelcore.designs.neyman_batches import FIRST_LABELS_PER_STRATUM
from labelcore.designs.pattern_frame import (
    ACCURACY,
    PROCESS_DISAGREEMENTS,
    PatternFrame,
    cut_frame,
)
from labelcore.designs.rates import looks_like_probability
from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.population.array_items import Items
from labelcore.population.items import MeanScore, Part, Stretch
from labelcore.promises import Promise
from labelcore.stats.profile import BoolArray, Cells
from labelcore.stats.sequences import MINIMUM_STRATA
from labelcore.stats.strata import equal_size_edges, geometric_edges

SIDES = ((True, False), (False, True), (True, True), (False, False))
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

    def cells(self) -> Cells:
        """The strata without labels."""
        return replace(Frame.cells(self), other=self.said[1])


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
    names = setup.classifiers
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


def _alone(setup: Setup) -> dict[str, Any]:
    """The first classifier by itself."""
    changes = {"design": "recalibrated_neyman", "estimands": ("accuracy",), "params": {}}
    return {**changes, "classifier": setup.classifier}


def pair_frame(setup: Setup) -> PairFrame:
    """Strata and draw order. Raises PlanError for what the file cannot serve."""
    items = setup.items()
    check_pair(setup, items)
    positive = setup.population.classes.index(setup.population.positive)
    sizes, params = items.joined(setup.classifiers, [Part()]), setup.params
    n_differ = params.n_differ or (CLAIM_DIFFER if setup.claims else DIFFER)
    n_agree = params.n_agree or (CLAIM_AGREE if setup.claims else AGREE)
    codes: list[tuple[int, ...]] = []
    edges: list[IntArray] = []
    for side in SIDES:
        code = tuple(positive if yes else 1 - positive for yes in side)
        if code in sizes:
            number = int(sizes[code][0])
            pieces = n_differ if any(side) and not all(side) else n_agree
            codes.append(code)
            edges.append((equal_size_edges if any(side) else geometric_edges)(number, pieces))
    base = cut_frame(setup, items, _order(setup), np.array(codes), edges)
    frame = extended(base, PairFrame, said=base.said, wanted=_wanted(setup, base.said))
    few = setup.promise == Promise.WATCHED and int(frame.differ.sum()) < MINIMUM_STRATA
    rule = params.disagreements
    if rule == FIRST:
        rule = CENSUS if ACCURACY in (*setup.estimands, *setup.claims) else HALF
    reached = reaching(frame, rule)
    frame = replace(frame, census=setup.planned >= reached, few=few, reached=reached)
    check_disagreements(setup, frame)
    return frame


def _order(setup: Setup) -> Stretch:
    """All items by the mean of the scores of those that have one, highest first, as a share of the
    items below it where it is no probability; by the ties alone where nobody has."""
    scores, descending = setup.population.scores, setup.population.descending
    scored = tuple(name for name in setup.classifiers if name in scores)
    ranked = tuple(name for name in scored if not looks_like_probability(scores[name]))
    if len(scored) == len(ranked) < 2:
        return setup.along(next(iter(scored), None))  # Its shares have the order of the score.
    turned = tuple(name for name in scored if name in descending)
    return Stretch(MeanScore(scored, turned, ranked), True, setup.seed)


def _wanted(setup: Setup, said: BoolArray) -> BoolArray:
    """The strata on which a result or a claim of the plan rests, (n_strata,)."""
    asked = {*setup.estimands, *setup.claims}
    if asked <= {ACCURACY}:
        return np.asarray(said[0] != said[1])
    either = np.asarray(said.any(axis=0))
    return either if asked <= {ACCURACY, "precision_difference"} else np.ones_like(either)


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
