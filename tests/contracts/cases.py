"""The contracts of ``labelcore.testing`` as cases of pytest."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import make_dataclass
from typing import Any

import pytest

import labelcore as lc
from labelcore.designs.base import Design, parameter
from labelcore.testing.contracts import BROKEN, Contract, Family, Owed
from labelcore.testing.known import Known
from tests.cases import sampled

Twin = type[Design[Any]] | Callable[[pytest.MonkeyPatch], str]
"""A broken method, or a function that breaks a method that there is and returns its name."""


def register(twin: type[Design[Any]], patch: pytest.MonkeyPatch) -> str:
    patch.setitem(lc.DESIGNS, BROKEN, twin())
    return BROKEN


def unwritable(family: Family, **example: object) -> type[Design[Any]]:
    """The sound method with a parameter that takes any value, and may come back as another."""
    params = make_dataclass(
        "Params",
        [(name, object, parameter(None, "")) for name in example],
        bases=(family.sound.Params,),
        namespace={"__post_init__": lambda _: None},
        frozen=True,
        slots=True,
    )
    return type("Unwritable", (family.sound,), {"Params": params, "example": example})


def must_fail(
    family: Family, contract: Contract, twin: Twin, known: Known, patch: pytest.MonkeyPatch
) -> None:
    name = register(twin, patch) if isinstance(twin, type) else twin(patch)
    patch.delenv("CI", raising=False)  # There pytest writes out, in minutes, how figures differ.
    with pytest.raises(family.refusals):
        contract(name, known)


def contract_tests(family: Family, sound: list[Any], broken: list[Any]) -> tuple[Any, Any]:
    """What a module calls ``test_contract`` and ``test_broken_twin_fails``: contracts with methods
    that keep them, and with twins that break them, on the module's file ``known``."""

    @pytest.mark.parametrize(("contract", "name"), sound)
    def kept(contract: Contract, name: str, known: Known) -> None:
        contract(name, known)

    @pytest.mark.parametrize(("contract", "twin"), broken)
    def fails(
        contract: Contract, twin: Twin, known: Known, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        must_fail(family, contract, twin, known, monkeypatch)

    return kept, fails


def case(owed: Owed, value: Any, name: str, *more: Any) -> Any:
    marks = [pytest.mark.slow, *more] if owed.slow else more
    return pytest.param(owed.contract, value, marks=marks, id=f"{owed.contract.__name__}-{name}")


OFTEN = "recalibrated_neyman"
DEAR = {
    "json_round_trip": ["simple_random"],
    "later_labels_do_not_matter": ["agreement_patterns"],
    "no_label_is_not_yet": ["geometric_strata", "paired_comparison", "simple_random"],
    "points_of_a_census_are_the_truth": ["recalibrated_neyman"],
    "replay_equals_incremental": ["agreement_patterns", "simple_random"],
    "same_seed_same_draws": ["oversampling"],
    "sample_is_random": ["paired_comparison", "simple_random"],
    "undo_is_as_if_never_answered": ["geometric_strata", "recycling", "simple_random"],
}
"""Figures are worked out at hundreds of looks, each of which takes these methods long."""


def method_cases(owed: Iterable[Owed], names: Sequence[str]) -> list[Any]:
    """Each contract with each method. The default method and one other, which each contract draws
    for itself, run with every change where they are not ``DEAR``. Of slow contracts, which simulate
    many sessions, those of bands that are worked out for all sessions at once."""
    return [
        case(row, name, name, *marks, *[pytest.mark.full] * later(row, name))
        for place, row in enumerate(owed)
        for (name,), marks, _ in sampled(
            names, 1 if row.slow else 2, seed=place, keep={OFTEN} & {*names}
        )
    ]


def later(row: Owed, name: str) -> bool:
    contract = row.contract.__name__
    return name in DEAR.get(contract, ()) or (row.slow and not contract.endswith("at_once"))


def twin_cases(owed: Iterable[Owed]) -> list[Any]:
    """Four of them with every change; the others, and those of slow contracts, which run whole
    methods, in ``.ci/full``."""
    twins = [(row, twin) for row in owed for twin in row.twins]
    quick = sampled([place for place, (row, _) in enumerate(twins) if not row.slow], 4, seed=1)
    now = {one.values[0] for one in quick if not one.marks}
    return [
        case(row, twin, twin.__name__, *[pytest.mark.full] * (place not in now))
        for place, (row, twin) in enumerate(twins)
    ]
