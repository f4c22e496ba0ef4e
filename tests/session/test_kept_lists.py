"""A ranked list of items that stay in their engine has the cuts and numbers of one in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.cuts import own_cut
from labelcore.report.along_ranks import rank_names
from tests.session.test_kept_items import (
    READ,
    SEED,
    N,
    folder,
    kept_population,
    outside,
    plan,
    small,
)

__all__ = ["folder", "outside", "small"]

LISTS: dict[str, dict[str, Any]] = {
    "geometric_strata": {
        "budget": 120,
        "params": {"first_edge": 20, "growth": 2.0},
        "estimands": ["precision_curve", "average_precision"],
    },
    "paula": {"params": {"epsilon": 0.9, "window": 5}},
    "logarithmic_stratified": {"params": {"epsilon": 0.9, "beta": 3.0, "first_rank": 20}},
    "random_curve": {"budget": 40, "params": {"head": 10}},
}


@pytest.mark.parametrize("design", LISTS)
def test_a_ranked_list_says_what_arrays_say(
    design: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"estimands": ["precision_curve"], "classifier": "raw", **LISTS[design]}
    listed = lc.Plan(design, seed=SEED, **given)
    held = said_of_a_list(lc.Session(lc.read_population(folder, **READ), listed))
    away = kept_population(folder, monkeypatch)
    assert said_of_a_list(lc.Session(away, listed)) == held
    assert any("95 %" in one or "no confidence" in one for one in held)


def said_of_a_list(session: lc.Session) -> list[str]:
    """What is drawn, and what is said along the ranks at some looks and in the end."""
    found = []
    while (draw := session.next()) is not None and draw.index <= 120:
        found.append(f"{draw.item_id} {draw.stratum} {draw.batch}")
        session.answer(draw, draw.index % 3 == 0)
        if draw.index in (10, 40, 115):
            found += said_along(session)
    return found + said_along(session)


def said_along(session: lc.Session) -> list[str]:
    found = [f"{key} {one.sentence()}" for key, one in session.results().items()]
    found += [session.cut(rank).sentence() for rank in (5, 300, N)]
    return [*found, str(session.strata().to_dict()), str(rank_names(session))]


def test_a_curve_that_needs_the_order_of_all_items_is_refused(folder: Path, outside: None) -> None:
    population = lc.read_population(folder, **READ)
    curve = lc.Plan("recalibrated_neyman", ["precision_curve"], classifier="lr", budget=60)
    with pytest.raises(PlanError, match="'precision_curve', which 'recalibrated_neyman' reads off"):
        lc.Session(population, curve)
    session = lc.Session(population, plan("default"))
    with pytest.raises(PlanError, match="a method for a ranked list, such as 'geometric_strata'"):
        session.curve()


@pytest.mark.parametrize("name", ["lr", "raw"])
def test_how_many_a_classifier_keeps_itself(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None where its calls do not follow its score, as those of a column; a threshold's do."""
    held = own_cut(lc.read_population(folder, **READ), name)
    assert (held is None) == (name == "lr")
    assert own_cut(kept_population(folder, monkeypatch), name) == held
