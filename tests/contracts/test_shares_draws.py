"""What every method owes whose draws serve several classifiers (``SharesDraws``).

The contracts of ``labelcore.testing`` for recycled samples (those of choices are in
``test_chooses``), and those that only these methods can owe.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.stats import chi2

import labelcore as lc
from labelcore.designs.base import AnswerCodes, Frame, Look
from labelcore.designs.samples import Samples, SharesDraws
from labelcore.designs.scalars import Answers, Figures
from labelcore.errors import ReplayError
from labelcore.figures.scalars import scalar_results
from labelcore.papers.recycling.design import Recycling
from labelcore.testing.contracts import (
    ANSWER_KEY,
    BROKEN,
    Family,
    Misordered,
    Noting,
    Owed,
    Repeating,
    Unseeded,
    beyond_chance,
)
from labelcore.testing.known import NOISE, Known, labelled
from tests.cases import once
from tests.contracts.cases import contract_tests, method_cases, twin_cases, unwritable
from tests.recycled import N_ITEMS, plan_of, written

known = once(written)


class Broken(Recycling):
    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "sequence"


class Clinging(Broken):
    """Keeps every class it ever saw."""

    def __init__(self) -> None:
        self.seen = AnswerCodes()

    def figures(self, answers: Answers, look: Look) -> Figures:
        if look.labels == 0:
            self.seen = AnswerCodes()
        drawn = answers.codes.positions
        self.seen[drawn] = np.maximum(self.seen[drawn], answers.codes[drawn])
        return super().figures(replace(answers, codes=self.seen), look)


class Peeking(Misordered, Broken):
    """Asks the positives first, which nobody can know."""

    def spoilt(self, frame: Frame, items: np.ndarray) -> np.ndarray:
        return items[np.argsort(-ANSWER_KEY["truth"][items], kind="stable")]


def quick_plan(name: str, **values: Any) -> lc.Plan:
    few = {"children": ("a",), "sample_size": 40, "negatives": 40}
    return plan_of(name, **{**values, "params": {**few, **values.get("params", {})}})


FAMILY = Family(
    n_items=N_ITEMS, plan_of=quick_plan, results=scalar_results, undone_at=(31, 50, 51), agreed=40,
    written={"margin": 0.1}, read_at=(0, 20, 50, 70), sound=Broken,
    refusals=(AssertionError, ReplayError, TypeError),
)  # fmt: skip
SHARERS = [name for name, one in lc.DESIGNS.items() if isinstance(one, SharesDraws)]
CANDIDATES = {"candidates": ("vote", "a", "b")}
PLANS = {
    "reach_selection": lc.Plan("reach_selection", "selection", params=CANDIDATES, budget=90, seed=4)
}
"""By method; a recycling one for any other."""


def shared_plan(name: str) -> lc.Plan:
    return PLANS.get(name) or plan_of(name, estimands=("precision",))


def classifiers_are_named_and_known(name: str, known: Known) -> None:
    """Those that the parameters name; what is suggested for them makes a plan of them."""
    plan = shared_plan(name)
    design = SharesDraws.of(lc.DESIGNS[name])
    named = design.classifiers(plan.design_params)
    assert len(named) == len(set(named)) > 1
    assert set(named) <= set(known.population.predictions)
    suggested = design.suggested(known.population, named)
    assert set(design.classifiers(design.Params(**suggested))) == set(named)


def more_labels_stand_for_more_draws(name: str, known: Known) -> None:
    engine = known.engine(shared_plan(name), 4)
    design = SharesDraws.of(engine.design)
    draws = [design.draws(engine.frame, labels) for labels in range(1, engine.setup.planned + 1)]
    assert (np.diff(draws) >= 0).all()
    assert all(one >= labels for labels, one in enumerate(draws, start=1))


def samples_are_random_within_their_parts(name: str, known: Known) -> None:
    """150 seeds: how often each item that may be asked has a label that counts, within its part;
    limit 1e-4."""
    seeds, plan = 150, shared_plan(name)
    count, share, part = np.zeros(N_ITEMS), np.zeros(N_ITEMS), None
    for seed in range(seeds):
        engine = labelled(known.engine(plan, seed), known.truth)
        found = SharesDraws.of(engine.design).samples(engine.frame, "a")
        part = found.part if part is None else part
        np.testing.assert_array_equal(found.part, part, "the parts are those of every seed")
        counted = engine.codes.labelled
        counted = counted[found.counting(counted)]
        count[counted] += 1
        share += (np.bincount(part[counted], minlength=len(found.sizes)) / found.sizes)[part]
    statistic, freedom = beyond_chance(count, share, seeds, part)
    assert freedom > 50 and statistic < chi2.isf(NOISE, freedom)


class Nameless(Broken):
    """Forgets a classifier."""

    def classifiers(self, params: Any) -> tuple[str, ...]:
        return super().classifiers(params)[:1]


class Thrifty(Broken):
    """Counts fewer draws than labels."""

    def draws(self, frame: Any, labels: int) -> int:
        return labels // 2


class Pooling(Broken):
    """Takes every label for a random one, whatever it was asked for."""

    def samples(self, frame: Any, classifier: str | None) -> Samples:
        found = super().samples(frame, classifier)
        return replace(found, members=None)


SHARED = [
    Owed(classifiers_are_named_and_known, [Nameless]),
    Owed(more_labels_stand_for_more_draws, [Thrifty]),
    Owed(samples_are_random_within_their_parts, [Pooling], slow=True),
]
CONTRACTS = [
    Owed(FAMILY.same_seed_same_draws, [FAMILY.twin(Unseeded)]),
    Owed(FAMILY.replay_equals_incremental, [FAMILY.twin(Unseeded)]),
    Owed(FAMILY.undo_is_as_if_never_answered, [Clinging]),
    Owed(FAMILY.later_labels_do_not_matter, [Peeking]),
    Owed(FAMILY.no_item_twice, [FAMILY.twin(Repeating)]),
    Owed(FAMILY.frame_stays_as_prepared, [FAMILY.twin(Noting)]),
    Owed(FAMILY.json_round_trip, [unwritable(FAMILY, option={"shuffle"})]),
]


test_contract, test_broken_twin_fails = contract_tests(
    FAMILY,
    [*method_cases(CONTRACTS, ["recycling"]), *method_cases(SHARED, SHARERS)],
    twin_cases([*CONTRACTS, *SHARED]),
)
