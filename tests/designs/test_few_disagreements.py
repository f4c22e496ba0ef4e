"""Two classifiers that hardly differ: all the items on which they do, and what can be said before
and after."""

from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.scalars import scalar_results
from labelcore.results.types import Estimate
from labelcore.testing.contracts import drawn
from labelcore.testing.known import Known, fewest, label, labelled
from labelcore.ui.status import first_figure_line
from tests.answering import answer_draws
from tests.cases import once, repeated
from tests.designs.paired_files import BOTH, DIFFERENCES, nearly_equal, true_difference

NAME, ITEMS, DIFFER = "paired_comparison", 500, 12
ACCURACY = "accuracy_difference"
known = once(nearly_equal, ITEMS, DIFFER, seed=2)


def plan_of(estimands: tuple[str, ...] = DIFFERENCES[:3], **values: object) -> lc.Plan:
    given = {"classifier": list(BOTH), "budget": 60, "promise": "watched", "seed": 5, **values}
    return lc.Plan(NAME, estimands, **given)  # type: ignore[arg-type]


def differ(known: Known) -> np.ndarray:
    a, b = (known.population.predictions[one] for one in BOTH)
    return np.asarray(a != b)


def test_all_of_them_come_first_and_the_difference_is_exact(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    true = {name: true_difference(known, name) for name in DIFFERENCES[:3]}
    shown = set()
    for labels in label(engine, known.truth):
        for name, one in scalar_results(engine).items():
            assert one.low - 1e-12 <= true[name] <= one.high + 1e-12, (name, labels)
            if one.has_interval and labels < DIFFER:
                assert "(strict)" in one.method and one.low <= one.value <= one.high  # type: ignore[operator]
                shown.add(name)
        if labels == DIFFER:
            found = scalar_results(engine)[ACCURACY]
            assert found.state == "exact"
            assert found.value == pytest.approx(true[ACCURACY], abs=1e-12)
    assert shown == {ACCURACY}
    assert differ(known)[drawn(engine)].tolist() == [True] * DIFFER + [False] * (60 - DIFFER)
    assert "exactly" in scalar_results(engine)[ACCURACY].sentence()
    recall = scalar_results(engine)["recall_difference"]
    assert recall.has_interval and recall.high - recall.low < 0.2


def test_what_is_certain_shrinks_to_the_truth_with_each_label(known: Known) -> None:
    """Of accuracy: one item more or less on either side for each that is not labelled."""
    engine = known.engine(plan_of((ACCURACY,)), 1)
    for labels in label(engine, known.truth):
        one = scalar_results(engine)[ACCURACY]
        if one.has_interval:
            assert one.high - one.low == pytest.approx(2 * (DIFFER - labels) / ITEMS, abs=1e-12)
    assert engine.labels == DIFFER == engine.most


def test_an_unsure_answer_leaves_its_item_open(known: Known) -> None:
    session = lc.Session(known.population, plan_of((ACCURACY,)))
    while (draw := session.next()) is not None:
        truth = bool(known.truth[known.population.position(draw.item_id)])
        session.answer(draw, "unsure" if draw.index == 2 else truth)
    found = session.results()[ACCURACY]
    assert isinstance(found, Estimate) and found.state != "exact"
    assert found.high - found.low >= 2 / ITEMS - 1e-12 and found.scope.judged is None
    assert found.low - 1e-12 <= true_difference(known, ACCURACY) <= found.high + 1e-12


def test_the_preview_says_it(known: Known) -> None:
    ahead = lc.preview(known.population, plan_of())
    assert ahead.expected_half_width[ACCURACY] == pytest.approx(0, abs=1e-12)
    assert f"The two disagree on {DIFFER} of the {ITEMS} items." in ahead.derived["notes"]
    assert lc.preview(known.population, plan_of((ACCURACY,))).labels == DIFFER
    margin = plan_of(budget=None, margin=0.05)
    assert lc.preview(known.population, margin).expected_labels >= 2 * DIFFER
    lc.Session(known.population, margin)


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ({"params": {"disagreements": "sampled"}}, {"params": {"disagreements": "all"}}),
        (
            {"params": {"disagreements": "sampled", "n_agree": 2}, "budget": 50},
            {"params": {"disagreements": "all", "n_agree": 2}},
        ),
        ({"target": "process"}, {"promise": "fixed"}),
        ({"target": "process", "promise": "fixed"}, {"target": "file"}),
    ],
)
def test_every_way_out_leads_out(
    known: Known, values: dict[str, object], first: dict[str, object]
) -> None:
    """The refusal names changes of the plan; each alone leads on, or to a refusal that does."""
    plan = plan_of(**values)
    with pytest.raises(PlanError, match="You can") as refused:
        lc.preview(known.population, plan)
    assert refused.value.remedies[0].changes == first
    assert refused.value.fault in str(refused.value)
    for remedy in refused.value.remedies:
        assert f"{remedy.words} ({next(iter(remedy.changes))}=" in str(refused.value)
    assert leads_out(known, plan, 3)


def leads_out(known: Known, plan: lc.Plan, steps: int) -> bool:
    try:
        lc.preview(known.population, plan)
    except PlanError as error:
        return steps > 0 and any(
            leads_out(known, replace(plan, **one.changes), steps - 1)  # type: ignore[arg-type]
            for one in error.remedies
        )
    return True


def test_a_budget_that_reaches_them_but_not_as_many_others() -> None:
    """22 in four strata: 40 labels are not twice as many, which plans of before needed."""
    many = nearly_equal(ITEMS, 22, seed=4)
    lc.preview(many.population, plan_of(budget=40))
    plan = plan_of(budget=40, params={"disagreements": "half"})
    with pytest.raises(PlanError, match="label all 22 items on which they disagree") as refused:
        lc.preview(many.population, plan)
    changed = replace(plan, **refused.value.remedies[0].changes)  # type: ignore[arg-type]
    found = scalar_results(labelled(many.engine(changed, 1), many.truth))
    assert found[ACCURACY].state == "exact"
    assert found[ACCURACY].value == pytest.approx(true_difference(many, ACCURACY), abs=1e-12)


def test_two_that_say_the_same_can_be_asked_how_good_they_are() -> None:
    same = nearly_equal(60, 0, seed=1)
    with pytest.raises(PlanError, match="say the same about every item") as refused:
        lc.preview(same.population, plan_of())
    (remedy,) = refused.value.remedies
    lc.preview(same.population, replace(plan_of(), **remedy.changes))  # type: ignore[arg-type]


def test_a_plan_frozen_before_there_was_a_choice_draws_as_it_did(known: Known) -> None:
    plan = plan_of(promise="fixed", budget=60)
    assert plan.with_planned(60).params == {"disagreements": "first"}
    before = replace(plan, planned=60)
    assert before.params == {} and before.with_planned(60).params == {}
    sampled = replace(plan_of(promise="fixed", params={"disagreements": "sampled"}), planned=60)
    new, old, same = (
        drawn(labelled(known.engine(one, 3), known.truth)) for one in (plan, before, sampled)
    )
    assert old == same != new


@pytest.mark.full
def test_the_band_after_them_covers() -> None:
    """40 watched sessions of 60 labels at 95 %, seeds 0 on, a look at every tenth label: sessions
    without a miss not below the binomial limit (.80) for each difference; a third of the width
    falls below it."""
    runs, names = repeated(40), DIFFERENCES[:3]
    sound, narrow = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for seed in range(runs):
        if seed % 10 == 0:
            file = nearly_equal(600, DIFFER, seed=20 + seed)
            true = {name: true_difference(file, name) for name in names}
        engine = file.engine(plan_of(), seed)
        held, close = dict.fromkeys(names, True), dict.fromkeys(names, True)
        for labels in label(engine, file.truth):
            found = scalar_results(engine) if labels % 10 == 0 else {}
            for name, one in found.items():
                if one.has_interval and one.state != "exact":
                    assert one.value is not None
                    held[name] &= one.low - 1e-12 <= true[name] <= one.high + 1e-12
                    near = [(2 * one.value + end) / 3 for end in (one.low, one.high)]
                    close[name] &= near[0] <= true[name] <= near[1]
        for name in names:
            sound[name] += held[name]
            narrow[name] += close[name]
    assert min(sound.values()) >= fewest(runs, 0.95) * runs
    assert min(narrow.values()) < fewest(runs, 0.95) * runs


def test_figures_come_with_the_first_label(known: Known) -> None:
    """Nothing is counted down to; what has no label on one side yet says so."""
    session = lc.Session(known.population, plan_of())
    assert session.first_figure == 1
    for _ in range(DIFFER):
        answer_draws(session, known, 1)
        assert first_figure_line(session) is None
        found = [one for one in session.results().values() if isinstance(one, Estimate)]
        assert not any("before a first figure" in one.sentence() for one in found)
