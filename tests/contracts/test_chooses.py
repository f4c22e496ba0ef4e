"""What every method that chooses between candidates owes (``Chooses``).

The contracts of ``labelcore.testing`` and those that only these methods can owe. The file has one
candidate of which nine items in ten are positive; below it they are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Frame, IntArray, Look, Progress, Setup
from labelcore.designs.choices import ChoiceFigures, Chooses, OtherChoice
from labelcore.errors import ReplayError
from labelcore.figures.choices import choice_results, choices_at
from labelcore.papers.reach_selection.design import ReachSelectionDesign
from labelcore.promises import ChoiceStatus
from labelcore.testing.contracts import (
    ANSWER_KEY,
    BROKEN,
    Family,
    Misordered,
    Noting,
    Owed,
    Repeating,
    Unseeded,
)
from labelcore.testing.known import Known, label, labelled, write
from tests.contracts.cases import contract_tests, method_cases, register, twin_cases, unwritable

N_ITEMS = 200
CHOOSERS = [name for name, one in lc.DESIGNS.items() if isinstance(one, Chooses)]
PARAMS: dict[str, dict[str, Any]] = {
    "reach_selection": {
        "candidates": (60, 120, 200), "precision_threshold": 0.85, "precision_slack": 0.2,
        "reach_slack": 0.2, "early_stopping": False, "elimination": False,
    },
}  # fmt: skip
"""Parameters with which every item may be asked."""
GOOD = ("top 60",)
ASKED = (0.1, 0.3, 0.5, 0.85, 0.95, 1.0)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    random = np.random.default_rng(8)
    score = np.round(np.sort(random.random(N_ITEMS))[::-1], 6)
    truth = (random.random(N_ITEMS) < np.where(np.arange(N_ITEMS) < 60, 0.92, 0.1)).astype(int)
    return write(tmp_path_factory.mktemp("chooses"), truth, score=score)


def plan_of(name: str, **values: Any) -> lc.Plan:
    params = {**PARAMS.get(name, PARAMS["reach_selection"]), **values.pop("params", {})}
    return lc.Plan(name, "selection", params=params, **{"budget": 90, "seed": 4, **values})


# --- the contracts -----------------------------------------------------------------------------


def no_label_is_not_yet(name: str, known: Known) -> None:
    engine = known.engine(plan_of(name), 4)
    found = choice_results(engine)["selection"]
    assert (found.status, found.chosen) == ("undecided", None)
    assert "no item has a label yet" in found.sentence()
    assert (found.bounds["low"] == 0).all() and (found.bounds["high"] == 1).all()


def what_is_chosen_is_a_candidate(name: str, known: Known) -> None:
    """At every look; the bounds are of the candidates, in their order, around their value."""
    engine = known.engine(plan_of(name, budget=N_ITEMS), 4)
    names = list(engine.design.candidates(engine.frame))
    for _ in label(engine, known.truth):
        found = choice_results(engine)["selection"]
        rows = found.bounds
        assert rows["classifier"].tolist() == names
        assert found.chosen is None or found.chosen in names
        seen = rows[rows["value"].notna()]
        assert (seen["low"] <= seen["value"]).all() and (seen["value"] <= seen["high"]).all()


def a_census_chooses_rightly(name: str, known: Known) -> None:
    engine = labelled(known.engine(plan_of(name, budget=N_ITEMS), 4), known.truth)
    found = choice_results(engine)["selection"]
    assert engine.labels == N_ITEMS
    assert found.status == "guaranteed" and found.chosen in GOOD
    items = engine.design.candidates(engine.frame)
    truth = [known.truth[items[one]].mean() for one in found.bounds["classifier"]]
    np.testing.assert_allclose(found.bounds["value"], truth, rtol=0, atol=1e-12)


def other_requirements_are_read_rightly(name: str, known: Known) -> None:
    """At every tenth look each statement is true, and at a census there is one for each."""
    engine = known.engine(plan_of(name, budget=N_ITEMS), 4)
    items = engine.design.candidates(engine.frame)
    finds = {one: int(known.truth[where].sum()) for one, where in items.items()}
    precision = {one: finds[one] / len(items[one]) for one in items}
    for _ in label(engine, known.truth):
        if engine.labels % 10:
            continue
        for row in choices_at(engine, ASKED):
            good = [one for one in items if precision[one] >= row.precision]
            assert row.surest is None or row.surest.name in good
            assert row.status != "none acceptable" or not good
            if row.chosen is not None:
                best = max((finds[one] for one in good), default=0)
                assert precision[row.chosen.name] >= row.precision - 0.2
                assert finds[row.chosen.name] >= max(row.chosen.finds, 0.8 * best)
    assert engine.labels == N_ITEMS
    assert all(row.status != "undecided" for row in choices_at(engine, ASKED))


# --- broken methods ----------------------------------------------------------------------------


class Broken(ReachSelectionDesign):
    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "union"


class Clinging(Broken):
    """Keeps every positive it ever saw."""

    def __init__(self) -> None:
        self.seen = np.zeros(N_ITEMS, dtype=bool)

    def choice(self, setup: Setup, frame: Any, progress: Progress, look: Look) -> ChoiceFigures:
        assert progress.codes is not None
        if not look.draws:
            self.seen[:] = False
        labelled, codes = progress.codes.labelled, progress.codes.copy()
        self.seen[labelled] |= codes[labelled] == frame.positive
        codes[np.flatnonzero(self.seen)] = frame.positive
        return super().choice(setup, frame, replace(progress, codes=codes), look)


class Peeking(Misordered, Broken):
    """Asks the positives first, which nobody can know."""

    def spoilt(self, frame: Frame, items: IntArray) -> IntArray:
        return items[np.argsort(-ANSWER_KEY["truth"][items], kind="stable")]


class Hasty(Broken):
    """Takes the last candidate, whatever the labels say."""

    def choice(self, setup: Setup, frame: Any, progress: Progress, look: Look) -> ChoiceFigures:
        found = super().choice(setup, frame, progress, look)
        last = frame.candidates[-1].name
        return replace(found, chosen=last, status=ChoiceStatus.GUARANTEED)


class Alike(Broken):
    """Says of every requirement what it says of the planned one."""

    def choices_at(
        self, setup: Setup, frame: Any, progress: Progress, precisions: Sequence[float]
    ) -> list[OtherChoice]:
        (same,) = super().choices_at(setup, frame, progress, [frame.rules.precision_threshold])
        return [replace(same, precision=one) for one in precisions]


class OutOfNowhere(Broken):
    """Names its choice by itself."""

    def choice(self, setup: Setup, frame: Any, progress: Progress, look: Look) -> ChoiceFigures:
        return replace(super().choice(setup, frame, progress, look), chosen="the best one")


CHOICES = Family(
    n_items=N_ITEMS, plan_of=plan_of, results=choice_results, undone_at=(3, 40, 61), agreed=50,
    read_at=(0, 20, 80), sound=Broken, refusals=(AssertionError, ReplayError, TypeError),
)  # fmt: skip
CONTRACTS = [
    Owed(CHOICES.same_seed_same_draws, [CHOICES.twin(Unseeded)]),
    Owed(CHOICES.replay_equals_incremental, [CHOICES.twin(Unseeded)]),
    Owed(CHOICES.undo_is_as_if_never_answered, [Clinging]),
    Owed(CHOICES.later_labels_do_not_matter, [Peeking]),
    Owed(CHOICES.no_item_twice, [CHOICES.twin(Repeating)]),
    Owed(CHOICES.json_round_trip, [unwritable(CHOICES, note=(1, 2))]),
    Owed(no_label_is_not_yet, [Hasty]),
    Owed(what_is_chosen_is_a_candidate, [OutOfNowhere]),
    Owed(a_census_chooses_rightly, [Hasty]),
    Owed(other_requirements_are_read_rightly, [Alike]),
    Owed(CHOICES.frame_stays_as_prepared, [CHOICES.twin(Noting)]),
]


test_contract, test_broken_twin_fails = contract_tests(
    CHOICES, method_cases(CONTRACTS, CHOOSERS), twin_cases(CONTRACTS)
)


def test_unbroken_twin_passes(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins fail because of their mistake, not because they are registered in a test."""
    name = register(Broken, monkeypatch)
    for row in CONTRACTS:
        row.contract(name, known)
