"""What a method can do is what its estimands need; nobody asks a method for what it cannot do."""

import re
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.designs.base import Design
from labelcore.designs.choices import Chooses
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.lists import ComparesLists
from labelcore.designs.samples import (
    SharesDraws,
    budget_counts_draws,
    named_classifiers,
    suggested_params,
)
from labelcore.designs.scalars import ComparesTwo, EstimatesFromCells, EstimatesScalars
from labelcore.errors import PlanError
from labelcore.estimands import CHOICES, CURVES, DIFFERENCES, LISTS, SCALARS, SUMMARIES
from labelcore.figures.choices import choice_results, true_choice
from labelcore.figures.curves import ranked_curve
from labelcore.testing.known import Known, calibrated
from tests import rooms
from tests.cases import once

NEEDED: dict[str, type[Design[Any]]] = {
    **dict.fromkeys((*SCALARS, *DIFFERENCES), EstimatesScalars),
    **dict.fromkeys((*CURVES, *SUMMARIES), EstimatesCurve),
    **dict.fromkeys(LISTS, ComparesLists),
    **dict.fromkeys(CHOICES, Chooses),
}
CAPABILITIES: tuple[type[Design[Any]], ...] = (
    EstimatesScalars, EstimatesFromCells, ComparesTwo, EstimatesCurve, ComparesLists, Chooses,
    SharesDraws,
)  # fmt: skip
known = once(calibrated, 300, seed=11)


class Boastful(type(lc.DESIGNS["paired_lists"])):  # type: ignore[misc]
    """Says that it estimates accuracy, and cannot."""

    name = "boastful"
    estimands = ("precision_curve_difference", "accuracy")


def unable(design: Design[Any]) -> list[str]:
    """The estimands of a method that it cannot estimate."""
    return [name for name in design.estimands if not isinstance(design, NEEDED[name])]


@pytest.mark.parametrize("name", lc.DESIGNS)
def test_a_method_can_do_what_its_estimands_need(name: str) -> None:
    assert unable(lc.DESIGNS[name]) == []


def test_a_method_that_promises_too_much_is_found() -> None:
    assert unable(Boastful()) == ["accuracy"]


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("name", lc.DESIGNS)
@pytest.mark.whole
def test_a_method_is_taken_for_what_it_is(name: str, capability: type[Design[Any]]) -> None:
    """As one of its kind it is itself; of no other kind."""
    design = lc.DESIGNS[name]
    if isinstance(design, capability):
        assert capability.of(design) is design
        return
    with pytest.raises(PlanError, match=f"^design '{name}' does not {capability.ability}$"):
        capability.of(design)


@rooms.needs("papers")
def test_each_capability_has_a_method_with_it_and_one_without() -> None:
    """Or asking for it would say nothing."""
    for capability in CAPABILITIES:
        has = [isinstance(design, capability) for design in lc.DESIGNS.values()]
        assert any(has) and not all(has), capability


def test_every_method_has_only_the_verbs_that_all_need() -> None:
    """What one capability asks for is no verb of all methods."""
    verbs = {name for name in vars(Design) if not name.startswith("_")}
    for capability in CAPABILITIES:
        own = {name for name in vars(capability) if not name.startswith("_")} - {"ability"}
        assert not own & verbs, capability


def test_the_page_on_adding_names_what_each_capability_has_to_write(root: Path) -> None:
    page = (root / "docs" / "adding.md").read_text("utf-8").splitlines()
    for capability in CAPABILITIES:
        (row,) = (line for line in page if f" | `{capability.__name__}` (" in line)
        said = re.findall(r"`(\w+)`", row.split("|")[-2])
        assert {*said} == capability.__abstractmethods__ - Design.__abstractmethods__, capability


def test_what_a_method_lacks_is_said_in_its_name(known: Known) -> None:
    engine = known.engine(lc.Plan("reach_selection", ["selection"], budget=50), 1)
    with pytest.raises(PlanError, match="design 'reach_selection' does not estimate a curve"):
        ranked_curve(engine)
    engine = known.engine(lc.Plan("simple_random", ["accuracy"], budget=50), 1)
    assert choice_results(engine) == {}
    with pytest.raises(PlanError, match="'simple_random' does not choose between candidates"):
        true_choice(engine, known.truth)


@pytest.mark.parametrize("name", lc.DESIGNS)
def test_a_method_whose_draws_are_its_own_names_and_suggests_nothing(
    name: str, known: Known
) -> None:
    design = lc.DESIGNS[name]
    if isinstance(design, SharesDraws):
        return
    assert named_classifiers(design, design.Params()) == ()
    sizes = [one.params for one in design.sizes(len(known.population))]
    assert suggested_params(design, known.population, ("lr", "svm")) in (sizes or [{}])
    assert not budget_counts_draws(design)
