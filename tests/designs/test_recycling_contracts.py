"""Recycled samples: what every sampling method owes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import DesignParams, Frame, Look, parameter
from labelcore.designs.recycling import Recycling
from labelcore.designs.scalars import Answers, Figures
from labelcore.errors import ReplayError
from labelcore.figures.scalars import scalar_results
from tests.contracts.design_contracts import (
    ANSWER_KEY,
    BROKEN,
    Contract,
    Family,
    Misordered,
    Owed,
    Repeating,
    Twin,
    Unseeded,
    method_cases,
    twin_cases,
)
from tests.designs.recycled import N_ITEMS, plan_of, written
from tests.designs.synthetic import Known


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return written(tmp_path_factory.mktemp("recycling"))


class Broken(Recycling):
    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "sequence"


class Clinging(Broken):
    """Keeps every class it ever saw."""

    def __init__(self) -> None:
        self.seen = np.zeros(0)

    def figures(self, answers: Answers, look: Look) -> Figures:
        if len(self.seen) != len(answers.codes) or look.labels == 0:
            self.seen = answers.codes.copy()
        self.seen = np.maximum(self.seen, answers.codes)
        return super().figures(replace(answers, codes=self.seen), look)


class Peeking(Misordered, Broken):
    """Asks the positives first, which nobody can know."""

    def spoilt(self, frame: Frame, items: np.ndarray) -> np.ndarray:
        return items[np.argsort(-ANSWER_KEY["truth"][items], kind="stable")]


class NotJson(Broken):
    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        parent: str = parameter("", "")
        children: tuple[str, ...] = parameter((), "")
        under: tuple[str, ...] = parameter((), "")
        option: object = parameter("shuffle", "")
        sample_size: int = parameter(5, "")
        negatives: int | None = parameter(None, "")

        def __post_init__(self) -> None:
            pass

    example: ClassVar[dict[str, Any]] = {"option": {"shuffle"}}


def quick_plan(name: str, **values: Any) -> lc.Plan:
    few = {"children": ("a",), "sample_size": 40, "negatives": 40}
    return plan_of(name, **{**values, "params": {**few, **values.get("params", {})}})


FAMILY = Family(
    n_items=N_ITEMS,
    plan_of=quick_plan,
    results=scalar_results,
    undone_at=(31, 50, 51),
    agreed=40,
    written={"margin": 0.1},
    read_at=(0, 20, 50, 70),
    sound=Broken,
    refusals=(AssertionError, ReplayError, TypeError),
)
CONTRACTS = [
    Owed(FAMILY.same_seed_same_draws, [FAMILY.twin(Unseeded)]),
    Owed(FAMILY.replay_equals_incremental, [FAMILY.twin(Unseeded)]),
    Owed(FAMILY.undo_is_as_if_never_answered, [Clinging]),
    Owed(FAMILY.later_labels_do_not_matter, [Peeking]),
    Owed(FAMILY.no_item_twice, [FAMILY.twin(Repeating)]),
    Owed(FAMILY.json_round_trip, [NotJson]),
]


@pytest.mark.parametrize(("contract", "name"), method_cases(CONTRACTS, ["recycling"]))
def test_contract(contract: Contract, name: str, known: Known) -> None:
    contract(name, known)


@pytest.mark.parametrize(("contract", "twin"), twin_cases(CONTRACTS))
def test_broken_twin_fails(
    contract: Contract, twin: Twin, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    FAMILY.must_fail(contract, twin, known, monkeypatch)
