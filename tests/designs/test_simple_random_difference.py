"""A plain random sample helped by the scores: where it is used, what it says, what it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.results.types import Estimate
from tests.existing_files import at_random, from_the_top, made, read

NAMES = ["accuracy", "prevalence", "precision", "recall"]


def plan_of(**given: Any) -> lc.Plan:
    values: dict[str, Any] = {
        "classifier": "a", "budget": 300, "promise": "fixed", "params": {"interval": "difference"},
        **given,
    }  # fmt: skip
    return lc.Plan("simple_random", NAMES, **values)


def finished(population: lc.Population, plan: lc.Plan, unsure: int = 0) -> dict[str, Estimate]:
    session, truth = lc.Session(population, plan), made()[1]
    while (draw := session.next()) is not None:
        known = bool(truth[int(draw.item_id[1:])])
        session.answer(draw, "unsure" if draw.index <= unsure else known)
    return {name: one for name, one in session.results().items() if isinstance(one, Estimate)}


def test_the_scores_narrow_the_shares_and_say_so(tmp_path: Path) -> None:
    population = read(tmp_path)
    helped, plain = (finished(population, plan_of(params=p)) for p in (plan_of().params, {}))
    for name in ("accuracy", "prevalence"):
        assert helped[name].half_width < 0.97 * plain[name].half_width
        assert re.search(r"The scores agree (a little|well) with", helped[name].sentence())
        assert " % of the labels." in helped[name].sentence()
        assert helped[name].form == "approximate" and helped[name].promise == "fixed"
    assert (helped["recall"].low, helped["recall"].high) == (plain["recall"].low,
                                                             plain["recall"].high)  # fmt: skip
    assert helped["recall"].notes == ()
    truth = made()[1].mean()
    assert helped["prevalence"].low <= truth <= helped["prevalence"].high


def test_with_few_labels_of_one_outcome_the_scores_wait(tmp_path: Path) -> None:
    found = finished(read(tmp_path), plan_of(budget=40))
    said = found["prevalence"].sentence()
    assert "The scores are not used: that takes 20 labels" in said and "yet" not in said
    assert re.search(r"and there are \d+\.$", said)
    assert found["prevalence"].method.startswith("Wilson")


def test_planning_expects_the_gain(tmp_path: Path) -> None:
    population = read(tmp_path)
    helped, plain = (lc.preview(population, plan_of(params=p)) for p in (plan_of().params, {}))
    assert helped.expected_half_width["prevalence"] < 0.9 * plain.expected_half_width["prevalence"]
    assert helped.expected_half_width["recall"] == plain.expected_half_width["recall"]
    margin = {"budget": None, "margin": 0.1}
    assert (
        lc.preview(population, plan_of(**margin)).labels
        <= lc.preview(population, plan_of(**margin, params={})).labels
    )


def test_planning_does_not_promise_what_few_labels_will_deny(tmp_path: Path) -> None:
    population = read(tmp_path)
    few, plain = (
        lc.preview(population, plan_of(budget=40, params=p)) for p in (plan_of().params, {})
    )
    assert dict(few.expected_half_width) == dict(plain.expected_half_width)
    notes = [one for one in few.derived["notes"] if "20 labels of the rarer outcome" in one]
    assert notes[0].startswith("The scores will be used for the accuracy from 20 labels")
    assert "are expected, so the forecast is that of the labels alone." in notes[0]
    enough = lc.preview(population, plan_of())
    assert not [one for one in enough.derived["notes"] if "for the accuracy" in one]


def test_an_existing_random_sample_is_served(tmp_path: Path) -> None:
    population = read(tmp_path, at_random(300))
    found = finished(population, plan_of(budget=0, existing="random"))
    assert "The scores agree" in found["accuracy"].sentence()
    assert found["accuracy"].state == "interval"


def test_beside_known_items_it_speaks_of_the_rest(tmp_path: Path) -> None:
    population = read(tmp_path, from_the_top(100))
    found = finished(population, plan_of(existing="certainty"))["prevalence"]
    truth = made()[1].mean()
    assert found.low <= truth <= found.high
    assert found.low > made()[1][from_the_top(100)].sum() / len(population)


def test_many_unsure_items_count_both_ways(tmp_path: Path) -> None:
    population = read(tmp_path)
    sure, unsure = (finished(population, plan_of(), unsure=n)["prevalence"] for n in (0, 30))
    assert unsure.half_width > sure.half_width + 0.03


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"promise": "watched"}, "holds at the planned size only"),
        ({"params": {"interval": "wald"}}, "must be one of wilson, difference"),
        ({"budget": None, "margin": 0.1, "stop": "margin"}, "needs promise 'watched'"),
    ],
)
def test_what_cannot_be_had_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        plan_of(**given)


def test_the_choice_is_named_in_plain_words() -> None:
    said = plan_of().design_params.in_words()
    assert said == {"horizon": None, "interval": "helped by the scores (planned size only)"}


def test_no_promise_given_takes_the_fixed_one() -> None:
    assert plan_of(promise=None).promise == "fixed"


def test_strata_do_not_offer_it() -> None:
    with pytest.raises(PlanError, match="does not have"):
        lc.Plan("recalibrated_neyman", NAMES, budget=100, params={"interval": "difference"})


def test_a_score_that_is_no_chance_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    scores = np.random.default_rng(0).normal(0, 3, 200)
    path.write_text("text,s\n" + "".join(f"x,{one:.3f}\n" for one in scores), "utf-8")
    population = lc.read_population(path, content="text", scores={"a": "s"}, thresholds={"a": 0})
    with pytest.raises(PlanError, match="needs a score between 0 and 1 .* classifier 'a' lacks"):
        lc.preview(population, plan_of(budget=50))


def test_several_classes_are_helped_in_accuracy(tmp_path: Path) -> None:
    rng, items = np.random.default_rng(2), 600
    sure = np.round(rng.uniform(0.3, 1, items), 3)
    said = rng.integers(0, 3, items)
    truth = np.where(rng.random(items) < sure, said, (said + 1) % 3)
    path = tmp_path / "items.csv"
    rows = (f"x,{s},c{p}\n" for s, p in zip(sure, said, strict=True))
    path.write_text("text,s,p\n" + "".join(rows), "utf-8")
    population = lc.read_population(path, content="text", scores={"a": "s"}, predictions={"a": "p"})
    plan = lc.Plan("simple_random", ["accuracy"], budget=250, promise="fixed",
                   params={"interval": "difference"})  # fmt: skip
    simulation = lc.simulate(population, plan, truth=[f"c{t}" for t in truth], runs=20)
    session = simulation.runs[0].results["accuracy"]
    assert isinstance(session, Estimate) and "The scores agree" in session.sentence()
    assert simulation.summary().loc["accuracy", "coverage"] > 0.7
