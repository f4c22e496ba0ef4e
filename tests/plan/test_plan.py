"""Plans: what is refused, what is filled in, and the exact round trip."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.estimands import CHOICES, CURVES, SUMMARIES
from tests.columns import items

REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"design": "recalibrated"}, PlanError, "simple_random, recalibrated_neyman"),
    ({"design": 3}, TypeError, "design must be text"),
    ({"estimands": ["acuracy"]}, PlanError, "known are accuracy, precision"),
    ({"estimands": []}, PlanError, "at least one"),
    ({"estimands": ["f1", "f1"]}, PlanError, "twice"),
    ({"estimands": 3}, TypeError, "estimands"),
    ({"budget": None}, PlanError, "budget .* a margin .* or a claim"),
    ({"budget": 0}, PlanError, "budget must be at least 1, got 0"),
    ({"budget": 10**30}, PlanError, "budget must be at most 1,000,000,000, got 1,000,000,000,000"),
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
    ({"promise": "watched", "budget": 39}, PlanError, "budget must be at least 40"),
    ({"stop": "claims"}, PlanError, "no claims"),
    ({"stop": "boredom"}, PlanError, "known are margin, claims, choice, deadline"),
    ({"stop": ("all",)}, PlanError, "names no rule"),
    ({"stop": ("deadline 2027-01-31", "deadline 2027-01-31")}, PlanError, "twice"),
    ({"stop": "deadline soon"}, PlanError, "deadline 2027-01-31T18:00"),
    ({"stop": "margin 0.1", "margin": 0.1}, PlanError, "takes nothing after"),
    ({"stop": 3}, TypeError, "names of rules"),
    ({"stop": "margin"}, PlanError, "no margin"),
    ({"stop": "margin", "margin": 0.1, "promise": "fixed"}, PlanError, "watched"),
    ({"claims": "f1 >= 0.9"}, TypeError, "list of texts"),
    ({"claims": [3]}, TypeError, "list of texts"),
    ({"claims": ["f1 >= 0.9", "f1 >= 0.9"]}, PlanError, "twice"),
    ({"claims": ["f1 = 0.9"]}, PlanError, "'f1 = 0.9', which is not a claim"),
    ({"claims": ["f2 >= 0.9"]}, PlanError, "must begin with one of accuracy"),
    ({"claims": ["f1 >= 1.5"]}, PlanError, "'1.5' must be a share between 0 and 1"),
    ({"claims": ["f1 >= recall"]}, PlanError, "compares 'f1' with 'recall'"),
    ({"claims": ["f1 >= 0.9"], "stop": "claims", "promise": "fixed"}, PlanError, "watched"),
    ({"together": 1}, TypeError, "together must be True or False"),
    ({"params": {"strata": 3}}, PlanError, "n_above, n_below, floor, n_step, focus"),
    ({"design": "geometric_strata", "estimands": ["precision_curve"], "params": {"horizon": 2}},
     PlanError, "'horizon'.* plan for the most labels that you may want, and finish earlier"),
    ({"params": {"n_above": 0}}, PlanError, "between 1 and 100"),
    ({"params": {"n_above": 2.5}}, PlanError, "whole number"),
    ({"params": {"floor": "a"}}, PlanError, "'floor'. must be a number, got 'a'"),
    ({"params": {"floor": math.nan}}, PlanError, "between 0.05 and 1.0, got nan"),
    ({"params": {"n_step": 2.5}}, PlanError, "'n_step'. must be a whole number"),
    ({"params": {"n_step": "a"}}, PlanError, "'n_step'. must be a whole number"),
    ({"params": {"focus": 5}}, PlanError, "'focus'. must be text, got 5"),
    ({"params": {"focus": "recal"}}, PlanError, "precision_recall"),
    ({"params": {"focus": "precision"}}, PlanError, "too few labels"),
    ({"params": {"horizon": 0}}, PlanError, "between 1 and 16"),
    ({"params": {"horizon": 17}}, PlanError, "between 1 and 16"),
    ({"params": {"horizon": 1.5}}, PlanError, "whole number"),
    ({"params": [1]}, TypeError, "params"),
    ({"params": {3: 4}}, PlanError, "params names 3, which design 'recalibrated_neyman'"),
]  # fmt: skip


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
    claims = ["f1 >= 0.8"]
    assert lc.Plan("simple_random", ["f1"], claims=claims).stop == ("claims",)
    both = lc.Plan("simple_random", ["f1"], claims=claims, margin=0.1)
    assert both.stop == ("all", "margin", "claims") and both.stop_rules == ("margin", "claims")
    assert lc.Plan("simple_random", ["f1"], claims=claims, budget=9, promise="fixed").stop == ()
    read_by_three = lc.Plan("simple_random", ["f1"], budget=9, overlap=0.5, readers=3)
    assert read_by_three.further_answers == 1.0


LATER: list[dict[str, Any]] = [
    {"together": True}, {"unsure": "odds"}, {"repeats": 0.3}, {"overlap": 0.1, "readers": 4},
    {"existing": "random"}, {"classes": ("order",)}, {"sure_scores": ()},
    {"by": ("language",), "groups": ("l0", "l1"), "group_margin": 0.1},
    {"claims": ("accuracy >= 0.5",), "claim_form": "approximate"},
]  # fmt: skip


@pytest.mark.parametrize("chosen", LATER, ids=lambda chosen: "-".join(chosen))
def test_what_came_later_is_written_where_it_is_chosen_alone(chosen: dict[str, Any]) -> None:
    """Plans of older projects keep their text."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=80)
    later = replace(plan, **chosen)
    assert plan.to_dict().keys().isdisjoint(chosen.keys() - {"claims"})
    assert later.to_dict().keys() >= chosen.keys() and later != plan
    assert lc.Plan.from_json(later.to_json()) == later


def test_figures_that_hold_together_share_the_error_level() -> None:
    plan = lc.Plan("simple_random", ["f1"], budget=9)
    assert plan.confidence_of_each(4) == 0.95
    shared = replace(plan, together=True)
    assert shared.confidence_of_each(4) == pytest.approx(0.9875, abs=1e-12)


def along_a_list() -> list[tuple[str, str]]:
    """Every method with every estimand of it that no second classifier has a result of."""
    listed = (*CURVES, *SUMMARIES, *CHOICES)
    return [(d, e) for d, one in lc.DESIGNS.items() for e in one.estimands if e in listed]


@pytest.mark.parametrize(("design", "estimand"), along_a_list())
def test_a_classifier_that_no_result_is_about_is_refused(design: str, estimand: str) -> None:
    words = rf"classifier names 'b', 'c', .*{design}.*{estimand}"
    with pytest.raises(PlanError, match=words):
        lc.Plan(design, [estimand], classifier=["a", "b", "c"], budget=100)
    lc.Plan(design, [estimand], classifier=["a"], budget=100)
    before = lc.Plan(design, [estimand], classifier=["a", "b"], budget=100, planned=100)
    assert lc.Plan.from_json(before.to_json()) == before


@pytest.mark.parametrize(("scores", "whose"), [({}, "a classifier"), ({"m": [0.2, 0.8]}, "'m'")])
def test_a_figure_of_calls_needs_thresholds(scores: dict[str, list[float]], whose: str) -> None:
    population = items(known=["no", "yes"], scores=scores)
    with pytest.raises(PlanError, match=f"needs thresholds or predictions for {whose}; without"):
        lc.preview(population, lc.Plan("simple_random", ["accuracy"], budget=2))


def test_a_classifier_is_read_as_a_candidate_or_in_a_claim() -> None:
    named = {"candidates": ["a", "b"]}
    lc.Plan("reach_selection", ["selection"], classifier=["a", "b"], params=named, budget=9)
    with pytest.raises(PlanError, match="classifier names 'c'.*name 'c' there too, or 'a' alone"):
        lc.Plan("reach_selection", ["selection"], classifier=["a", "c"], params=named, budget=9)
    claims = ["accuracy[a] > accuracy[b]"]
    lc.Plan("simple_random", ["precision_curve"], classifier=["a", "b"], claims=claims)


NEEDED = {"recycling": {"parent": "a", "children": ["b"]}}
"""Parameters without which a method has no plan."""


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
        confidence=confidence, seed=seed, planned=budget, params=NEEDED.get(design, {}),
    )  # fmt: skip
    again = lc.Plan.from_json(plan.to_json())
    assert again == plan and again.to_json() == plan.to_json()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "object"),
        ('{"sead": 1}', "'sead'"),
        ("{}", "the plan lacks the field 'design'"),
        ('{"design": "simple_random"}', "the plan lacks the field 'estimands'"),
        ('{"params": ' + "[" * 100_000, "not valid JSON: it is nested too deeply"),
        ('{"budget": ' + "1" * 5000 + "}", "not valid JSON: Exceeds the limit"),
    ],
    ids=range(7),
)
def test_bad_json(text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        lc.Plan.from_json(text)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    given = lc.Plan("simple_random", np.array(["accuracy"]), budget=np.int64(50), seed=np.uint8(7))  # type: ignore[arg-type]
    assert given.to_json() == lc.Plan("simple_random", "accuracy", budget=50, seed=7).to_json()


def test_a_plan_cannot_be_changed() -> None:
    plan = lc.Plan("recalibrated_neyman", ["f1"], budget=100, params={"n_above": 4})
    with pytest.raises(AttributeError):
        plan.budget = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.params["n_above"] = 9  # type: ignore[index]
    assert replace(plan, seed=2).params == plan.params and plan.with_seed(2).seed == 2


def test_numbers_of_numpy_are_those_of_python() -> None:
    values: dict[str, Any] = {"margin": np.float32(0.125), "repeats": np.float64(0.5)}
    values |= {"together": np.True_, "planned": np.int64(80)}
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], **values)
    assert (plan.margin, plan.repeats, plan.together, plan.planned) == (0.125, 0.5, True, 80)
    assert lc.Plan.from_json(plan.to_json()) == plan
    with pytest.raises(TypeError, match="^budget must be a whole number of items, got "):
        lc.Plan("simple_random", ["accuracy"], budget=np.array([80, 90]))
    wanted = {"candidates": np.array([0.3, 0.5]), "precision_threshold": np.float32(0.75)}
    plan = lc.Plan("reach_selection", "selection", params=wanted, budget=300)
    assert dict(plan.params) == {"candidates": (0.3, 0.5), "precision_threshold": 0.75}
    assert lc.Plan.from_json(plan.to_json()) == plan


def test_a_plan_of_a_newer_version_is_refused() -> None:
    """Its figures would be computed by rules that are not its own."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=80).with_planned(80)
    text = plan.to_json().replace(f'"rules": {plan.rules}', '"rules": 99')
    with pytest.raises(PlanError, match="^rules must be .* a newer version of Labelcore made"):
        lc.Plan.from_json(text)
    with pytest.raises(TypeError, match="^rules must be a whole number, got '8'"):
        lc.Plan.from_json(text.replace("99", '"8"'))
