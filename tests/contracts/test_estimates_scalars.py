"""What every method that estimates numbers about a classifier owes (``EstimatesScalars``).

The contracts of ``labelcore.testing`` and those that only these methods can owe; for each promise
that the method has.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from labelcore.designs.base import Look
from labelcore.designs.scalars import Figures
from labelcore.designs.stratified import StratifiedDesign
from labelcore.estimands import Estimand
from labelcore.figures import scalars
from labelcore.stats.profile import Cells, FloatArray
from labelcore.testing.contracts import EARLY, Owed, assert_wider_than_at_the_end
from labelcore.testing.known import Known, calibrated, label
from labelcore.testing.scalars import (
    CONTRACTS,
    IF_WATCHED,
    N_ITEMS,
    SCALAR,
    Broken,
    NoFinitePopulation,
    census_is_exact_and_only_a_census,
    intervals_lie_within_what_is_certain,
    plan_of,
)
from tests.cases import once
from tests.contracts.cases import contract_tests, method_cases, register, twin_cases, unwritable
from tests.designs.synthetic import SCALAR_DESIGNS, WATCHED

known = once(calibrated, N_ITEMS, seed=11)


# --- broken methods ----------------------------------------------------------------------------


def uncut(monkeypatch: pytest.MonkeyPatch) -> str:
    """Whose intervals reach beyond what is certain: rates instead of counts of items."""
    monkeypatch.setattr(scalars, "within", lambda figures, limits: figures)
    return register(SCALAR.twin(NoFinitePopulation), monkeypatch)


class OneHasty(StratifiedDesign[Any]):
    """Half the width for the first of its figures until the end; the others are as they ought."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        figures = super().estimate(rows, cells, look, rates)
        share = np.where(np.arange(figures.low.shape[-1]) == 0, 0.5, 1.0)
        if look.planned == look.labels or len(rows) == 1:
            return figures
        low, high = (
            figures.value + share * (end - figures.value) for end in (figures.low, figures.high)
        )
        return replace(figures, low=low, high=high)


class OneWide(StratifiedDesign[Any]):
    """Leaves the first of its figures a width at a census; the others are as they ought."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        figures = super().estimate(rows, cells, look, rates)
        return replace(figures, low=figures.low - 0.1 * (np.arange(figures.low.shape[-1]) == 0))


FURTHER = [
    Owed(SCALAR.json_round_trip, [unwritable(SCALAR, rates=(0.1, 0.2))]),
    Owed(intervals_lie_within_what_is_certain, [uncut]),
]
"""What no method that derives from another can get wrong: mistakes of the core itself."""


test_contract, test_broken_twin_fails = contract_tests(
    SCALAR,
    [*method_cases(CONTRACTS, SCALAR_DESIGNS), *method_cases(IF_WATCHED, list(WATCHED))],
    twin_cases([*CONTRACTS, *IF_WATCHED, *FURTHER]),
)


def test_each_figure_is_wider_than_at_the_end(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    for twin in (Broken, SCALAR.twin(OneHasty)):
        name = register(twin, monkeypatch)
        engine = known.engine(plan_of(name, estimands=("accuracy", "recall"), promise="watched"), 4)
        next(labels for labels in label(engine, known.truth) if labels == EARLY)
        with pytest.raises(AssertionError) if twin is not Broken else nullcontext():
            assert_wider_than_at_the_end(engine)


def test_each_figure_has_no_width_at_a_census(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    census_is_exact_and_only_a_census(register(Broken, monkeypatch), known)
    name = register(SCALAR.twin(OneWide), monkeypatch)
    with pytest.raises(AssertionError):
        census_is_exact_and_only_a_census(name, known)


@pytest.mark.full
def test_unbroken_twin_passes_what_is_quick(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins fail because of their mistake, not because they are registered in a test."""
    name = register(Broken, monkeypatch)
    for row in CONTRACTS:
        if not row.slow:
            row.contract(name, known)
