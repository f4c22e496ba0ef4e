"""What is decided before the first label of recycled samples: sets, draws, order of asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Setup, drawn_anew, extended, make_frame
from labelcore.designs.rates import stratum_rates
from labelcore.errors import ParameterError, PlanArgumentError, PlanError
from labelcore.papers.recycling.parts import Parts, precision_parts, recall_parts
from labelcore.papers.recycling.samples import Recycled, recycle_all
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.orders import hash_order, random_of
from labelcore.stats.profile import BoolArray
from labelcore.stats.strata import geometric_edges

N_BELOW = 12
DRAWS = 1068
"""Draws for each classifier where neither they nor a margin or a budget are given."""
DISJOINT = "{child} and {above} call no item alike: nothing can be recycled between them."
NO_NEGATIVES = "{parent} calls every item {positive!r}: its recall is 1 whatever the labels."
NEEDS_PARENT = "needs a parent classifier and others below it"
REPEATS = (
    "Option sample repeats elements: its intervals are too narrow and carry no promise. Option "
    "shuffle does not have this fault."
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecyclingFrame(Frame):
    """A frame whose draws are decided before the first label.

    names, under   the classifiers, the parent first, and the place of the one that each stands
                   under, -1 for the parent
    called     (n_classifiers, n_items), whether each calls each item positive
    order      (n_items,), all items in an order given by the seed
    samples    S_P and every S_C, draws with replacement
    negatives  the parent's predicted negatives that are asked for recall, each once
    precision, recall   for each classifier the parts of the file that its figures are made of
    sequence   (most,), the distinct items in the order asked; draws: (most + 1,), how many draws
               the first items of it stand for
    """

    names: tuple[str, ...]
    under: tuple[int, ...]
    called: BoolArray
    order: IntArray
    samples: tuple[Recycled, ...]
    negatives: IntArray
    precision: tuple[Parts, ...]
    recall: tuple[Parts, ...]
    sequence: IntArray
    draws: IntArray


def recycling_frame(setup: Setup) -> RecyclingFrame:
    """Sets, samples and the order of asking. Raises PlanError for what the file cannot serve."""
    params, population = setup.params, setup.population
    names, under = classifiers_of(params), places(params)
    called = _called(setup, names)
    stratum = _strata(setup, called) if "recall" in setup.estimands else 1 - called[0]
    n_strata = int(stratum.max()) + 1
    rates, notes = stratum_rates(population, names[0], stratum, n_strata)
    base = make_frame(setup, stratum, rates, np.arange(n_strata) == 0, notes)
    none = np.zeros(0, dtype=np.int64)
    undrawn = extended(
        base,
        RecyclingFrame,
        notes=(*base.notes, *_notes(setup, names, under, called)),
        names=names,
        under=under,
        called=called,
        order=setup.file_order("draw"),
        samples=(),
        negatives=none,
        precision=(),
        recall=(),
        sequence=none,
        draws=none,
    )
    return drawn(setup, undrawn)


def drawn(setup: Setup, frame: RecyclingFrame) -> RecyclingFrame:
    """The frame with samples of the size that ``setup`` has, whatever it held before."""
    called, under, size = frame.called, frame.under, draws_of(setup.params)
    keys = setup.orders.of_items(setup.seed, "recycle", 1, lambda: [""])
    random = np.random.default_rng(keys[0].tolist())
    samples = recycle_all(called, under, frame.order, size, setup.params.option, random)
    negatives = _negatives(setup, frame)
    sequence, draws = _sequence(setup, samples, negatives)
    return replace(
        frame,
        samples=tuple(samples),
        negatives=negatives,
        precision=precision_parts(called, under, samples),
        recall=recall_parts(called, under, samples, frame.stratum, negatives),
        sequence=sequence,
        draws=draws,
    )


def redrawn(setup: Setup, frame: RecyclingFrame) -> RecyclingFrame | None:
    """The frame with the draws of another seed; None where strata of scores may cut ties."""
    if "recall" in setup.estimands:
        return None
    order = random_of(setup.seed, "order").permutation(len(frame.order))
    return drawn(setup, drawn_anew(setup, replace(frame, order=order)))


def draws_of(params: Any) -> int:
    """Draws for each classifier."""
    return DRAWS if params.sample_size is None else int(params.sample_size)


def classifiers_of(params: Any) -> tuple[str, ...]:
    """The classifiers that the parameters name, the parent first."""
    return (params.parent, *params.children)


def places(params: Any) -> tuple[int, ...]:
    """The place of the classifier that each one stands under, -1 for the parent."""
    above = params.under or (params.parent,) * len(params.children)
    if len(above) != len(params.children):
        raise ParameterError(
            "under",
            f"must name one classifier for each of the {len(params.children)} children, "
            f"got {len(above)}",
        )
    found = [-1]
    for place, (child, name) in enumerate(zip(params.children, above, strict=True)):
        known = (params.parent, *params.children[:place])
        if name not in known:
            raise ParameterError(
                "under",
                f"must name, for {child!r}, the parent or a child before it ({', '.join(known)}), "
                f"got {name!r}",
            )
        found.append(known.index(name))
    return tuple(found)


def _called(setup: Setup, names: Sequence[str]) -> BoolArray:
    """Whether each classifier calls each item positive, (n_classifiers, n_items)."""
    population, parent = setup.population, names[0]
    if len(population.classes) != 2:
        raise PlanError(
            f"design 'recycling' needs two classes; the file has {len(population.classes)}",
            "needs two classes",
        )
    positive = population.classes.index(population.positive)
    found = np.zeros((len(names), len(population)), dtype=bool)
    for place, name in enumerate(names):
        argument = "children" if place else "parent"
        if name not in population.predictions:
            raise ParameterError(
                argument,
                f"names {name!r}, which has no predictions in the file; those that have are "
                f"{', '.join(population.predictions) or 'none'}",
                short="needs predictions of each classifier",
            )
        found[place] = population.predictions[name] == positive
        if not found[place].any():
            raise ParameterError(
                argument,
                f"must name classifiers that call at least one item {population.positive!r}; "
                f"{name!r} calls none",
            )
    if setup.classifier not in (None, parent):
        raise PlanArgumentError(
            "classifier", f"must begin with the parent {parent!r}", got=setup.classifier
        )
    return found


def _strata(setup: Setup, called: BoolArray) -> IntArray:
    """0 for what the parent calls positive; from 1 on its negatives, those that most children call
    positive first, then by score, in pieces that grow geometrically, (n_items,)."""
    population = setup.population
    scores = [population.ordering_score(name) for name in classifiers_of(setup.params)]
    score = next((one for one in scores if one is not None), np.zeros(len(population)))
    order = setup.ranking(score)
    order = order[np.argsort(-called[1:].sum(axis=0)[order], kind="stable")]
    order = order[~called[0][order]]
    edges = geometric_edges(len(order), N_BELOW)
    stratum = np.zeros(len(population), dtype=np.int64)
    stratum[order] = 1 + np.searchsorted(edges, np.arange(len(order)), side="right")
    return stratum


def _negatives(setup: Setup, frame: Frame) -> IntArray:
    """The sample of the parent's predicted negatives, each item once."""
    if "recall" not in setup.estimands or frame.n_strata < 2:
        return np.zeros(0, dtype=np.int64)
    wanted = setup.params.negatives or draws_of(setup.params)
    counts = largest_remainder(np.sqrt(frame.sizes[1:]), wanted, frame.sizes[1:])
    pieces = zip(frame.start[1:], counts, strict=True)
    return np.concatenate([frame.queue[first : first + take] for first, take in pieces])


def _sequence(
    setup: Setup, samples: Sequence[Recycled], negatives: IntArray
) -> tuple[IntArray, IntArray]:
    """The distinct items in the order asked, and how many draws the first ones stand for."""
    drawn = np.concatenate([*(one.items for one in samples), negatives])
    items, number = np.unique(drawn, return_counts=True)
    order = hash_order(setup.item_keys("batch 1", items))
    return items[order], np.concatenate([[0], np.cumsum(number[order])]).astype(np.int64)


def _notes(
    setup: Setup, names: Sequence[str], under: Sequence[int], called: BoolArray
) -> tuple[str, ...]:
    found = [
        DISJOINT.format(child=child, above=names[above])
        for child, above, mine in zip(names, under, called, strict=True)
        if above >= 0 and not (mine & called[above]).any()
    ]
    if "recall" in setup.estimands and called[0].all():
        found.append(NO_NEGATIVES.format(parent=names[0], positive=setup.population.positive))
    if setup.params.option == "sample":
        found.append(REPEATS)
    return tuple(found)
