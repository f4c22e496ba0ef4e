"""Recycled samples planned for a margin or for a number of labels."""

from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.testing.known import Known, fewest
from tests.cases import once
from tests.recycled import true_value, written

GIVEN = {"parent": "vote", "children": ("a", "b", "c")}
FOUR = ("precision", "precision@a", "precision@b", "precision@c")
known = once(written, 3_000, seed=2)


def plan_of(estimands: tuple[str, ...] = ("precision",), **values: object) -> lc.Plan:
    return lc.Plan("recycling", estimands, **{"params": GIVEN, "seed": 4, **values})  # type: ignore[arg-type]


@pytest.mark.parametrize("estimands", [("precision",), ("precision", "recall")])
def test_the_fewest_draws_that_keep_the_margin(known: Known, estimands: tuple[str, ...]) -> None:
    ahead = lc.preview(known.population, plan_of(estimands, margin=0.06))
    assert max(ahead.expected_half_width.values()) <= 0.06
    size = int(kept_plan(known.population, plan_of(estimands, margin=0.06)).params["sample_size"])
    fewer = plan_of(estimands, params={**GIVEN, "sample_size": int(size * 0.9)})
    found = lc.preview(known.population, fewer)
    assert found.labels < ahead.labels
    assert max(found.expected_half_width.values()) > 0.06


def test_a_number_of_labels_is_used_and_not_passed(known: Known) -> None:
    for budget in (50, 200):
        ahead = lc.preview(known.population, plan_of(budget=budget))
        assert 0.95 * budget <= ahead.labels <= budget
    both = plan_of(budget=60, margin=0.01)
    assert lc.preview(known.population, both).labels <= 60


def test_what_was_chosen_is_kept_with_the_plan(known: Known) -> None:
    session = lc.Session(known.population, plan_of(margin=0.08))
    size = session.plan.params["sample_size"]
    assert session.plan.planned == lc.preview(known.population, plan_of(margin=0.08)).labels
    assert session.plan == kept_plan(known.population, session.plan)
    assert {len(one.items) for one in session.engine.frame.samples} == {size}


def test_draws_that_are_given_or_frozen_stay(known: Known) -> None:
    """A number of draws decides alone; without any goal, and in a plan frozen before a margin
    could choose, they are 1,068."""
    given = plan_of(margin=0.08, params={**GIVEN, "sample_size": 33})
    assert kept_plan(known.population, given).params["sample_size"] == 33
    assert "sample_size" not in kept_plan(known.population, plan_of()).params
    before = replace(plan_of(margin=0.08), planned=100)
    engine = Engine(known.population, before)
    assert "sample_size" not in engine.plan.params
    assert {len(one.items) for one in engine.frame.samples} == {1068}


def test_an_unreachable_margin_asks_all_that_can_be() -> None:
    few = written(60, seed=1)
    called = np.logical_or.reduce([one == 1 for one in few.population.predictions.values()])
    ahead = lc.preview(few.population, plan_of(margin=0.0001))
    assert ahead.labels == called.sum()
    assert max(ahead.expected_half_width.values()) == pytest.approx(0, abs=1e-9)


def test_labels_and_margin_come_out_as_planned(known: Known) -> None:
    """60 sessions, seed 3: labels within 3 % of the preview in the mean (the draws of a seed vary
    by about 2 %), half-widths of no classifier above the margin by more than 15 %, and coverage of
    each not below the binomial limit of 95 %; planned for twice the margin it is missed."""
    plan, runs = plan_of(margin=0.06), 60
    ahead = lc.preview(known.population, plan)
    found = lc.simulate(known.population, plan, truth=known.truth, runs=runs, seed=3)
    table = found.summary()
    assert table["mean_labels"].to_numpy() == pytest.approx(ahead.labels, rel=0.03)
    widest = float(table["mean_width"].max()) / 2
    assert 0.8 * 0.06 <= widest <= 1.15 * 0.06
    assert (table["coverage"] >= fewest(runs, 0.95)).all()
    assert table["truth"].to_numpy() == pytest.approx([true_value(known, key) for key in FOUR])
    wider = lc.simulate(known.population, plan_of(margin=0.12), truth=known.truth, runs=6, seed=3)
    assert float(wider.summary()["mean_width"].max()) / 2 > 1.15 * 0.06
