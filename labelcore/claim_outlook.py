"""How many labels a plan's claims are likely to need, by simulation on the scores alone."""

from __future__ import annotations

import numpy as np

from labelcore.claim_results import all_settled
from labelcore.designs.rates import question_rates
from labelcore.engine import Engine
from labelcore.log import Event
from labelcore.plan import Plan
from labelcore.population import Population

SESSIONS = 21
FIRST_LOOK, LOOK_GROWTH = 10, 1.1


def labels_to_settle(population: Population, plan: Plan, most: int) -> int:
    """The median number of labels at which every claim is decided or refuted, ``most`` for a
    session in which that does not happen; as if the scores were right.

    The labels of a session are drawn from the scores (seeded by the plan's seed). Two classes, or
    the share of right judgements with several. Promise: none, this plans only.
    """
    engine = Engine(population, plan.with_planned(most))
    rng = np.random.default_rng([plan.seed, 0])
    sizes = [_one_session(engine.beginning(), rng, most) for _ in range(SESSIONS)]
    return int(np.median(sizes))


def _one_session(engine: Engine, rng: np.random.Generator, most: int) -> int:
    codes = _imagined(engine, rng)
    answers = [
        Event(0, "labelled", "", "outlook", label=name) for name in engine.population.classes
    ]
    look = FIRST_LOOK
    while len(engine.asked) < most and engine.peek() is not None:
        index = engine.draw_next()
        engine.answer(index, answers[codes[engine.asked[index - 1].position]])
        if index >= look:
            if all_settled(engine):
                return index
            look = int(np.ceil(index * LOOK_GROWTH))
    return most


def _imagined(engine: Engine, rng: np.random.Generator) -> np.ndarray:
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
    rate = question_rates(population, side.classifier, None, claimed == positive)
    other = (claimed + rng.integers(1, n_classes, len(population))) % n_classes
    return np.where(rng.random(len(population)) < rate, claimed, other)
