"""A plain random sample helped by the scores: where it is used, what it says, what it refuses."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.scalars import scalar_results, scalar_results_of
from labelcore.plan.against_file import frozen
from labelcore.results.types import Estimate
from labelcore.testing.known import Known, fewest, labelled
from tests.answering import many_labelled
from tests.cases import repeated
from tests.columns import items
from tests.designs.test_helpers import file_of, right_in
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
    alone = {"interval": "difference", "helpers": []}
    helped, plain = (finished(population, plan_of(params=p)) for p in (alone, {}))
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
    assert "The scores and helpers are not used: that takes 20 labels" in said and "yet" not in said
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
    assert notes[0].startswith("The scores and helpers will be used for the accuracy from 20")
    assert "are expected, so the forecast is that of the labels alone." in notes[0]
    enough = lc.preview(population, plan_of())
    assert not [one for one in enough.derived["notes"] if "for the accuracy" in one]


def test_an_existing_random_sample_is_served(tmp_path: Path) -> None:
    population = read(tmp_path, at_random(300))
    found = finished(population, plan_of(budget=0, existing="random"))
    assert "The scores and helpers agree" in found["accuracy"].sentence()
    assert found["accuracy"].state == "interval"


def test_beside_known_items_it_speaks_of_the_rest(tmp_path: Path) -> None:
    population = read(tmp_path, from_the_top(100))
    found = finished(population, plan_of(existing="certainty"), unsure=9)["prevalence"]
    truth = made()[1].mean()
    assert found.low <= truth <= found.high and found.method.startswith("difference estimator")
    assert found.low > made()[1][from_the_top(100)].sum() / len(population)


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
    helped = {"interval": "helped by other columns (planned size only)", "helpers": None}
    assert said == {"horizon": None, **helped}


def test_no_promise_given_takes_the_fixed_one() -> None:
    assert plan_of(promise=None).promise == "fixed"


def test_strata_do_not_offer_it() -> None:
    with pytest.raises(PlanError, match="does not have"):
        lc.Plan("recalibrated_neyman", NAMES, budget=100, params={"interval": "difference"})


def test_a_score_that_is_no_chance_is_refused() -> None:
    scores = np.random.default_rng(0).normal(0, 3, 200)
    population = items(scores={"a": scores}, thresholds={"a": 0})
    with pytest.raises(
        PlanError, match="needs a helper, or a score between 0 and 1 .* classifier 'a' lacks"
    ):
        lc.preview(population, plan_of(budget=50))


def test_several_classes_are_helped_in_accuracy() -> None:
    rng = np.random.default_rng(2)
    sure = np.round(rng.uniform(0.3, 1, 600), 3)
    said = rng.integers(0, 3, 600)
    truth = np.where(rng.random(600) < sure, said, (said + 1) % 3)
    population = items(scores={"a": sure}, predictions={"a": [f"c{one}" for one in said]})
    plan = lc.Plan("simple_random", ["accuracy"], budget=250, promise="fixed",
                   params={"interval": "difference"})  # fmt: skip
    simulation = lc.simulate(population, plan, truth=[f"c{t}" for t in truth], runs=20)
    session = simulation.runs[0].results["accuracy"]
    assert isinstance(session, Estimate) and "The scores agree" in session.sentence()
    assert simulation.summary().loc["accuracy", "coverage"] > 0.7


def test_other_columns_help_and_are_kept_by_name(judged: Known) -> None:
    """A file without other columns, and a plan kept without their names, have the score alone."""
    plan = kept(judged.population, HELPED)
    assert plan.params["helpers"] == ("judge", "noise")
    assert lc.preview(judged.population, plan).derived["helpers"] == ["judge", "noise"]
    figures = {name: of_sample(judged, name) for name in ("new", "score", "old", "plain")}
    assert figures["old"] == figures["score"]
    assert width(figures["new"]) < 0.85 * width(figures["score"]) < 0.85 * width(figures["plain"])
    assert "The scores and helpers agree well with the labels" in figures["new"].sentence()
    assert "The scores agree" in figures["score"].sentence()


def test_a_helper_stands_in_where_no_score_is_a_chance() -> None:
    known = file_of(judge=right_in(0.95))
    shifted = replace(known.population, scores={"own": 100 * known.population.scores["own"]})
    found = lc.preview(shifted, HELPED)
    assert found.derived["helpers"] == ["judge"]
    notes = " ".join(found.derived["notes"])
    assert "what they say is never taken for an answer" in notes
    assert "'judge' says what 'own' says of" in notes


def test_helpers_without_the_difference_are_refused() -> None:
    with pytest.raises(
        PlanError, match="'helpers'.* need interval 'difference', got interval 'wilson'"
    ):
        plan_of(params={"helpers": ["b"]})


def test_a_helper_that_says_nothing_is_told_and_not_used() -> None:
    known = file_of(odd="same")
    assert "helpers" not in kept(known.population, HELPED).params
    notes = " ".join(lc.preview(known.population, HELPED).derived["notes"])
    assert "'odd' does not help to choose: it says the same of every item" in notes


@pytest.fixture(scope="module")
def judged() -> Known:
    return file_of(judge=right_in(0.95), noise=lambda t, r: r.normal(size=len(t)).round(3))


HELPED = lc.Plan("simple_random", ["accuracy", "prevalence"], budget=300, promise="fixed",
                 params={"interval": "difference"})  # fmt: skip


def kept(population: lc.Population, plan: lc.Plan) -> lc.Plan:
    return frozen(population, plan, 300)


def plan_called(known: Known, name: str) -> lc.Plan:
    params = {"new": {}, "old": {}, "score": {"helpers": []}, "plain": {"interval": "wilson"}}
    plan = replace(HELPED, params={**HELPED.params, **params[name]})
    return plan.with_planned(300) if name == "old" else kept(known.population, plan)


def of_sample(known: Known, name: str, seed: int = 1) -> Estimate:
    engine = known.engine(plan_called(known, name), seed)
    found = scalar_results(labelled(engine, known.truth))["prevalence"]
    assert isinstance(found, Estimate)
    return found


def width(found: Estimate) -> float:
    return found.high - found.low


@pytest.mark.slow
def test_helped_samples_cover(judged: Known) -> None:
    """In the mean they are right, too; the twin takes what the judge says for the answers."""
    runs, truth = repeated(100), judged.value("prevalence")
    sessions = many_labelled(judged, plan_called(judged, "new"), runs)
    found = [one["prevalence"] for one in scalar_results_of(sessions)]
    assert sum(one.low <= truth <= one.high for one in found) >= fewest(runs, 0.95) * runs
    bias = np.mean([one.value for one in found]) - truth
    helper = judged.population.helpers["judge"]
    assert helper.verdict is not None
    twin = float((helper.verdict == helper.names.index("pass")).mean()) - truth
    noise = 3 * np.std([one.value for one in found]) / np.sqrt(runs)
    assert abs(bias) < noise < abs(twin)
