"""Plans: what is refused, what is filled in, and the exact round trip."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelcore as lc
from labelcore.errors import PlanError

REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"design": "recalibrated"}, PlanError, "simple_random, recalibrated_neyman"),
    ({"design": 3}, TypeError, "design must be text"),
    ({"estimands": ["acuracy"]}, PlanError, "known are accuracy, precision"),
    ({"estimands": []}, PlanError, "at least one"),
    ({"estimands": ["f1", "f1"]}, PlanError, "twice"),
    ({"estimands": 3}, TypeError, "estimands"),
    ({"budget": None}, PlanError, "budget .* or a margin"),
    ({"budget": 0}, PlanError, "budget must be at least 1, got 0"),
    ({"budget": 2.5}, TypeError, "budget must be a whole number"),
    ({"budget": True}, TypeError, "budget"),
    ({"margin": 0.5}, PlanError, "margin must lie between 0 and 0.5"),
    ({"margin": math.nan}, PlanError, "margin"),
    ({"margin": "0.1"}, TypeError, "margin"),
    ({"confidence": 1.0}, PlanError, "confidence must lie between 0 and 1"),
    ({"confidence": 0}, PlanError, "confidence"),
    ({"seed": 1.0}, TypeError, "seed"),
    ({"target": "files"}, PlanError, "file, process"),
    ({"promise": "always"}, PlanError, "watched, fixed"),
    ({"promise": "watched", "budget": 39}, PlanError, "starts at 40 labels"),
    ({"stop": "claims"}, PlanError, "known are margin"),
    ({"stop": "margin"}, PlanError, "no margin"),
    ({"stop": "margin", "margin": 0.1, "promise": "fixed"}, PlanError, "watched"),
    ({"claims": ["precision >= 0.9"]}, PlanError, "not available"),
    ({"params": {"strata": 3}}, PlanError, "n_above, n_below, floor, n_step, focus"),
    ({"params": {"n_above": 0}}, PlanError, "between 1 and 100"),
    ({"params": {"n_above": 2.5}}, PlanError, "whole number"),
    ({"params": {"floor": "a"}}, PlanError, "'floor'. must be a number, got 'a'"),
    ({"params": {"floor": None}}, PlanError, "'floor'. must be a number, got None"),
    ({"params": {"floor": math.nan}}, PlanError, "between 0.05 and 1.0, got nan"),
    ({"params": {"n_step": 2.5}}, PlanError, "'n_step'. must be a whole number"),
    ({"params": {"n_step": "a"}}, PlanError, "'n_step'. must be a number"),
    ({"params": {"focus": 5}}, PlanError, "'focus'. must be text, got 5"),
    ({"params": {"focus": "recal"}}, PlanError, "precision_recall"),
    ({"params": {"focus": "precision"}}, PlanError, "too few labels"),
    ({"params": {"n_above": 1, "n_below": 3}}, PlanError, "at least 5 strata"),
    ({"params": [1]}, TypeError, "params"),
]


@pytest.mark.parametrize(("values", "error", "words"), REFUSED)
def test_refused(values: dict[str, Any], error: type[Exception], words: str) -> None:
    given_values = {"design": "recalibrated_neyman", "estimands": ["f1"], "budget": 100, **values}
    with pytest.raises(error, match=words):
        lc.Plan(**given_values)


def test_defaults() -> None:
    plan = lc.Plan("recalibrated_neyman", "precision", budget=100)
    assert plan.estimands == ("precision",) and plan.promise == "watched" and plan.stop == ()
    assert lc.Plan("recalibrated_neyman", ["f1"], budget=39).promise == "fixed"
    assert lc.Plan("simple_random", ["f1"], budget=5).promise == "watched"
    assert lc.Plan("simple_random", ["f1"], margin=0.1).stop == ("margin",)
    assert lc.Plan("simple_random", ["f1"], margin=0.1, promise="fixed").stop == ()
    assert lc.Plan("simple_random", ["f1"], margin=0.1, stop=()).stop == ()


def served(design: str) -> st.SearchStrategy[tuple[str, list[str]]]:
    names = st.lists(st.sampled_from(lc.DESIGNS[design].estimands), min_size=1, unique=True)
    return names.map(lambda chosen: (design, chosen))


@given(
    st.sampled_from(list(lc.DESIGNS)).flatmap(served),
    st.one_of(st.none(), st.text(), st.lists(st.text(), min_size=1, unique=True)),
    st.integers(40, 10**9),
    st.one_of(st.none(), st.floats(1e-6, 0.49)),
    st.floats(1e-6, 1 - 1e-6),
    st.integers(-(2**80), 2**80),
)
def test_json_round_trip_is_exact(
    asked: tuple[str, list[str]], classifier: Any, budget: int, margin: float | None,
    confidence: float, seed: int,
) -> None:  # fmt: skip
    design, estimands = asked
    plan = lc.Plan(
        design, estimands, classifier=classifier, budget=budget, margin=margin,
        confidence=confidence, seed=seed, planned=budget,
    )  # fmt: skip
    again = lc.Plan.from_json(plan.to_json())
    assert again == plan and again.to_json() == plan.to_json()


@pytest.mark.parametrize(
    ("text", "words"), [("{", "not valid JSON"), ("[]", "object"), ('{"sead": 1}', "'sead'")]
)
def test_bad_json(text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        lc.Plan.from_json(text)


def test_a_plan_cannot_be_changed() -> None:
    plan = lc.Plan("recalibrated_neyman", ["f1"], budget=100, params={"n_above": 4})
    with pytest.raises(AttributeError):
        plan.budget = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.params["n_above"] = 9  # type: ignore[index]
    assert replace(plan, seed=2).params == plan.params and plan.with_seed(2).seed == 2
