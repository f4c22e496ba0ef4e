"""How many labels a plan's claims are likely to need, by simulation on the scores alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from labelcore.designs.base import IntArray, Progress
from labelcore.designs.rates import planning_rates, question_rates
from labelcore.figures.claims import all_settled, likely_of
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.planning.runs import beginning, label_until
from labelcore.population import Population
from labelcore.promises import ClaimStatus, Form
from labelcore.stats.profile import BoolArray

SESSIONS = 21
FIRST_LOOK, LOOK_GROWTH = 10, 1.1
POWER, LEAST_PLANNED, MOST_TRIED = 0.8, 200, 20_000
"""An approximate claim is planned for the size at which this share of the sessions is settled, and
for ``LEAST_PLANNED`` labels at least, because scores promise too much; more than ``MOST_TRIED`` are
not tried out."""


@dataclass(frozen=True, slots=True)
class ClaimSizes:
    """How many labels claims are likely to need.

    expected   the median number of labels at which they are settled
    planned    the size to plan for
    """

    expected: int
    planned: int


def labels_to_settle(population: Population, plan: Plan, most: int) -> ClaimSizes:
    """The median number of labels at which every claim is decided or refuted, ``most`` for a
    session in which that does not happen, and the size to plan for; as if the scores were right.

    The labels of a session are drawn from the scores (seeded by the plan's seed). Two classes, or
    the share of right judgements with several; where the first claim compares two classifiers,
    the left one is right by its score, of the other items the right one by its own where they
    disagree, and the rest is of another class. Without scores that is 80 % each, so that the
    left classifier is taken to be the better one. Promise: none, this plans only.
    """
    if plan.claim_form == Form.APPROXIMATE:
        return _approximate(population, plan, most)
    engine = Engine(population, frozen(population, plan, most))
    rng = np.random.default_rng([plan.seed, 0])
    sizes = [_one_session(engine.beginning(), rng, most) for _ in range(SESSIONS)]
    median = int(np.median(sizes))
    return ClaimSizes(median, median)


def claims_planned(population: Population, plan: Plan, most: int) -> int:
    """The labels over which the approximate claims of a plan spend their error: the least at which
    ``POWER`` of the sessions are settled if it is spent over these; ``most`` where none are."""
    if plan.planned is not None or plan.claims_planned is not None:
        return plan.claims_planned or plan.planned or most
    begun = beginning(population, frozen(population, plan, most))
    for labels, engines in _together(begun, plan.seed, min(most, MOST_TRIED)):
        if np.mean(_settled(engines, labels)) >= POWER:
            return min(max(labels, LEAST_PLANNED), most)
    return most


def _approximate(population: Population, plan: Plan, most: int) -> ClaimSizes:
    """The size to plan for, and where the sessions that it was found by are settled by it."""
    planned = claims_planned(population, plan, most)
    begun = beginning(population, frozen(population, plan, most))
    reach = most if plan.budget is not None else (begun.plan.horizon or 1) * planned
    furthest = min(most, MOST_TRIED, reach)
    settled = np.full(SESSIONS, most)
    for labels, engines in _together(begun, plan.seed, furthest):
        settled = np.where(_settled(engines, planned) & (settled == most), labels, settled)
        if (settled < most).all():
            break
    return ClaimSizes(int(np.median(settled)), planned)


def _settled(engines: list[Engine], planned: int) -> BoolArray:
    """Whether every claim is, in each session, (n_sessions,)."""
    found = likely_of(engines, planned)
    return np.array([ClaimStatus.UNDECIDED not in one for one in found])


def _together(begun: Engine, seed: int, most: int) -> Iterator[tuple[int, list[Engine]]]:
    """The same sessions at one number of labels after the other; their items are the same, and the
    classes of these differ."""
    rng = np.random.default_rng([seed, 0])
    engines = [begun.beginning() for _ in range(SESSIONS)]
    codes = [_imagined(engine, rng) for engine in engines]
    labels = 0
    while labels < most:
        labels = min(max(FIRST_LOOK, int(np.ceil(labels * LOOK_GROWTH))), most)
        for engine, classes in zip(engines, codes, strict=True):
            label_until(engine, classes, labels)
        yield labels, engines


def _one_session(engine: Engine, rng: np.random.Generator, most: int) -> int:
    """Batch by batch as the design draws them; claims are looked at in between, too."""
    codes, look, done = _imagined(engine, rng), FIRST_LOOK, 0
    for batch in _batches(engine, codes, rng, most):
        while len(batch):
            part, batch = batch[: look - done], batch[look - done :]
            for claim in engine.claims:
                np.add.at(claim.tally.counts, (claim.tally.cells_at(part), codes[part]), 1.0)
            done += len(part)
            if done == look:
                if all_settled(engine):
                    return done
                look = int(np.ceil(done * LOOK_GROWTH))
    return most


def _batches(
    engine: Engine, codes: IntArray, rng: np.random.Generator, most: int
) -> Iterator[IntArray]:
    """The positions that each batch asks, at most ``most`` in all, (n_batch,), where the items are
    of these classes."""
    design, frame, tally = engine.design, engine.frame, engine.tallies[engine.classifiers[0]]
    several = len(engine.population.classes) > 2
    right = (
        tally.prediction[tally.cell_of] if several else engine.classes[engine.population.positive]
    )
    drawn, hits = np.zeros(frame.n_strata, dtype=np.int64), np.zeros(frame.n_strata)
    while (total := int(drawn.sum())) < most:
        progress = Progress(drawn, drawn.astype(float), hits, most)
        items = rng.permutation(design.batch_items(engine.setup, frame, progress))[: most - total]
        yield items
        stratum = frame.stratum[items]
        drawn = drawn + np.bincount(stratum, minlength=frame.n_strata)
        hits = hits + np.bincount(stratum, (codes == right)[items], minlength=frame.n_strata)


def _imagined(engine: Engine, rng: np.random.Generator) -> IntArray:
    """A class for each item, (n_items,), as the scores suggest."""
    population = engine.population
    side = engine.claims[0].sides[0]
    claimed = population.predictions.get(str(side.classifier))
    positive = population.classes.index(population.positive)
    n_classes = len(population.classes)
    if n_classes == 2:
        said = np.zeros(len(population), bool) if claimed is None else claimed == positive
        rate = question_rates(population, side.classifier, positive, said)
        return np.where(rng.random(len(population)) < rate, positive, 1 - positive)
    assert claimed is not None
    if engine.claims[0].of_disagreements:
        return _by_both(engine, rng)
    rate = question_rates(population, side.classifier, None, claimed == positive)
    other = (claimed + rng.integers(1, n_classes, len(population))) % n_classes
    return np.where(rng.random(len(population)) < rate, claimed, other)


def _by_both(engine: Engine, rng: np.random.Generator) -> IntArray:
    """A class for each item from the scores of two classifiers that are compared, (n_items,)."""
    population = engine.population
    names = [str(side.classifier) for side in engine.claims[0].sides]
    left, right = (population.predictions[name] for name in names)
    n, n_classes = len(population), len(population.classes)
    every = np.ones(n, dtype=bool)
    hit, other_hit = (rng.random(n) < planning_rates(population, name, every)[0] for name in names)
    gap = (right.astype(np.int64) - left) % n_classes
    step = rng.integers(1, np.where(gap > 0, n_classes - 1, n_classes))
    neither = (left + step + ((gap > 0) & (step >= gap))) % n_classes
    return np.where(hit, left, np.where(other_hit & (gap > 0), right, neither))
