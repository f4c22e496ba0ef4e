"""Which method is proposed: the one with the fewest labels, all forecast on the same terms."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.designs import DESIGNS
from labelcore.designs.samples import suggested_params
from labelcore.errors import PlanError
from labelcore.planning.methods import (
    EACH_TRIED,
    Line,
    cheapest,
    line,
    line_apart,
    line_from,
    may_claim,
    outlook_of,
    plan_for,
    possible,
    recommended,
    worth_trying,
)
from labelcore.population.snapshots import write_snapshot
from labelcore.ui.draft import Aim
from tests.cases import sampled
from tests.recycled import written

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

ALL = ("vote", "a", "b", "c")
GOALS = ({"margin": 0.05}, {"budget": 300})


@pytest.fixture(scope="module")
def population() -> lc.Population:
    return written(3_000, seed=2).population


def aim_of(estimands: tuple[str, ...], classifier: str | tuple[str, ...] | None) -> Aim:
    return Aim(estimands, classifier, "unknown", "file")


@pytest.mark.full
@pytest.mark.parametrize("goal", sampled(GOALS, 2, seed=1))
@pytest.mark.parametrize(
    ("estimands", "classifier"),
    [
        (("precision",), ALL),
        (("precision",), ("a", "b")),
        (("precision", "precision_difference"), ("a", "b")),
    ],
)
def test_several_classifiers_are_one_design(
    population: lc.Population, estimands: tuple[str, ...], classifier: tuple[str, ...],
    goal: dict[str, float],
) -> None:  # fmt: skip
    """The default for all of them: precisions by far fewer labels than strata of the first one's
    score take, and fewer than by recycling."""
    aim = aim_of(estimands, classifier)
    assert recommended(aim, population, possible(aim), goal) == "recalibrated_neyman"
    if estimands != ("precision",):
        return
    recycled, found = (  # As each can be had: recycling for one look alone.
        outlook_of(aim, population, name, goal, terms={"promise": "fixed"})
        for name in ("recycling", "recalibrated_neyman")
    )
    by_score = {"promise": "fixed", "params": {"n_above": 6, "n_below": 12}, **goal}
    plain = line(
        population, lc.Plan("recalibrated_neyman", estimands, classifier=classifier, **by_score)
    )
    if "margin" in goal:
        assert found.labels * 1.5 < plain.labels and found.labels < recycled.labels
    assert max(found.half_widths.values()) <= max(0.05, max(plain.half_widths.values()))


def test_one_classifier_is_no_agreement(population: lc.Population) -> None:
    """Nor is one method proposed by two names."""
    for classifier in (None, "a", ("a",), ("a", "b")):
        assert "agreement_patterns" not in possible(aim_of(("accuracy",), classifier))
    for classifier, drawn in (("a", False), (("a", "b"), True)):
        plan = lc.Plan("recalibrated_neyman", ["accuracy"], classifier=classifier, budget=60)
        assert ("patterns" in lc.preview(population, plan).derived) == drawn


QUESTIONS = [
    (("accuracy",), "a"),
    (("precision", "recall"), "a"),
    (("accuracy", "precision", "recall"), ALL),
    (("precision",), ("a", "b")),
    (("prevalence",), "a"),
]
AIMS = [
    (*question, goal, promise)
    for question in QUESTIONS
    for goal in GOALS
    for promise in ("watched", "fixed")
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("estimands", "classifier", "goal", "promise"), sampled(AIMS, 1, seed=1, keep=AIMS[4:5])
)
def test_nothing_takes_fewer_labels(
    population: lc.Population, estimands: tuple[str, ...], classifier: str | tuple[str, ...] | None,
    goal: dict[str, float], promise: str,
) -> None:  # fmt: skip
    """Under the promise that is chosen, by no factor: also where others are close."""
    aim, terms = aim_of(estimands, classifier), {"promise": promise}
    names = possible(aim)
    best = recommended(aim, population, names, goal, terms=terms)
    assert recommended(aim, population, names[::-1], goal, terms=terms) == best
    able = [name for name in names if has(promise, aim, population, name)]
    ahead = {name: outlook_of(aim, population, name, goal, terms=terms) for name in able}
    able = [name for name, one in ahead.items() if not one.refused and one.half_widths]
    widest = {name: max(ahead[name].half_widths.values()) for name in able}
    assert best in able and len(able) > 1
    if "margin" in goal:
        assert ahead[best].labels == min(
            ahead[name].labels for name in able if widest[name] <= goal["margin"] + 1e-9
        )
    else:
        assert widest[best] == min(widest.values())


def has(promise: str, aim: Aim, population: lc.Population, name: str) -> bool:
    params = suggested_params(DESIGNS[name], population, (aim.classifier or "",))
    design = DESIGNS[name]
    return promise in design.promises_for(aim.estimands, design.Params(**params))


def test_claims_tried_out_in_another_process_are_the_same(
    population: lc.Population, tmp_path: Path
) -> None:
    plan = lc.Plan("recalibrated_neyman", "precision", classifier="a", claims=["precision >= 0.6"])
    write_snapshot(tmp_path / "items", population)
    unsound = replace(plan, classifier="nobody")
    for one, refused in ((plan, False), (unsound, True)):
        told = json.loads(json.dumps(line_apart(str(tmp_path / "items"), one.to_json())))
        assert line_from(told) == line(population, one)
        assert bool(line_from(told).refused) is refused


def test_a_method_without_the_promise_is_not_the_cheapest(population: lc.Population) -> None:
    """Strata of a single look need fewer labels than anything that may be watched; who watches is
    not told that number as if it were theirs."""
    aim, goal = aim_of(("prevalence",), "a"), {"margin": 0.03}
    once = outlook_of(aim, population, "stratified", goal)
    assert not has("watched", aim, population, "stratified") and not once.refused
    best = recommended(aim, population, possible(aim), goal)
    assert best != "stratified"
    assert once.labels < outlook_of(aim, population, best, goal).labels


def test_each_is_planned_on_the_same_terms(population: lc.Population) -> None:
    aim, goal = aim_of(("accuracy",), "a"), {"margin": 0.05}
    asked: list[lc.Plan] = []

    def forecast(population: lc.Population, plan: lc.Plan) -> Line:
        asked.append(plan)
        return Line(plan.design, "", 100, half_widths={"accuracy": 0.05})

    terms = {"promise": "watched", "confidence": 0.9, "together": True}
    recommended(aim, population, possible(aim), goal, forecast, terms)
    assert len(asked) > 1
    assert {(one.promise, one.confidence, one.together) for one in asked} == {
        ("watched", 0.9, True)
    }


def test_fewest_means_fewest() -> None:
    """One label decides; equal ones fall to the order that is given, then to the name."""
    goal, reached = {"margin": 0.05}, {"accuracy": 0.05}
    lines = [
        Line("a", "", 101, half_widths=reached),
        Line("b", "", 100, half_widths=reached),
        Line("c", "", 100, half_widths=reached),
        Line("d", "", 60, half_widths={"accuracy": 0.06}),
        Line("e", "", 50, half_widths=reached, refused="no"),
        Line("f", "", 40),
    ]
    assert cheapest(lines, goal) == "b"
    assert cheapest(lines, goal, {"b": (2,), "c": (1,)}) == "c"
    assert cheapest(lines[3:], goal) is None


def test_of_many_items_only_what_may_be_proposed_is_tried() -> None:
    names = ["simple_random", "recalibrated_neyman", "stratified"]
    tried = [name for name in names if DESIGNS[name].recommended]
    assert worth_trying(range(EACH_TRIED), names) == names != tried  # type: ignore[arg-type]
    assert worth_trying(range(EACH_TRIED + 1), names) == tried != []  # type: ignore[arg-type]
    assert worth_trying(range(EACH_TRIED + 1), ["stratified"]) == ["stratified"]  # type: ignore[arg-type]


def test_where_nothing_is_foreseen_the_one_measured_most_widely(population: lc.Population) -> None:
    aim, silent = aim_of(("accuracy",), "a"), lambda _, plan: Line(plan.design, "", refused="no")
    names = ["simple_random", "recalibrated_neyman", "stratified"]
    for some in (names, names[::-1]):
        found = recommended(aim, population, some, {"budget": 100}, silent)
        assert found == "recalibrated_neyman"


def test_the_own_promise_where_it_is_the_only_one(population: lc.Population) -> None:
    plan = plan_for(aim_of(("prevalence",), "a"), population, "stratified", {"margin": 0.03})
    assert plan.promise == "fixed"


def test_a_ranked_list_and_a_file_without_a_classifier(population: lc.Population) -> None:
    aim = aim_of(("precision_curve",), "a")
    assert recommended(aim, population, possible(aim), {"budget": 400}) == "geometric_strata"
    nobody = lc.read_population([{"text": "item"}] * 300, content="text", classes=["no", "yes"])
    share = aim_of(("prevalence",), None)
    assert recommended(share, nobody, possible(share), {"budget": 100}) == "simple_random"


@pytest.mark.parametrize("estimands", [("accuracy",), ("precision", "recall"), ("prevalence",)])
def test_claims_are_proposed_only_for_methods_that_take_them(
    population: lc.Population, estimands: tuple[str, ...]
) -> None:
    """A file whose strata mix predictions can be watched for its accuracy and nothing else."""
    aim = aim_of(estimands, "a")
    taken = set()
    for name in possible(aim):
        params = suggested_params(DESIGNS[name], population, ("a",))
        terms = {"params": params, "promise": "watched", "claims": [f"{estimands[0]} >= 0.5"]}
        with suppress(PlanError):
            lc.Plan(name, estimands, classifier="a", stop="claims", **terms)
            taken.add(name)
    assert {name for name in possible(aim) if may_claim(aim, population, name)} == taken
    assert ("stratified" in taken) == (estimands == ("accuracy",))
