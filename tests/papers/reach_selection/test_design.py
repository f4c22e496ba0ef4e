"""Choosing by reach in a session: candidates, draws, waiting, results."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.choices import choice_made, choice_results
from labelcore.log.engine import Engine
from labelcore.papers.reach_selection.candidates import TIED, candidates_of
from labelcore.papers.reach_selection.design import ReachFrame, ReachSelectionDesign
from labelcore.planning.forecast import planned_size
from labelcore.results.types import Choice
from labelcore.testing.known import Known, fewest, labelled, most, write
from tests.answering import answer_draws
from tests.cases import repeated
from tests.columns import items

N_ITEMS = 400
WANTED = {"precision_threshold": 0.8, "precision_slack": 0.1, "reach_slack": 0.2}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(lc.DESIGNS, "reach_selection", ReachSelectionDesign())


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Precision .94 in the top 100, 0 to a half below; the prediction is the top 150."""
    random = np.random.default_rng(8)
    score = np.round(np.sort(random.random(N_ITEMS))[::-1], 6)
    chance = np.where(np.arange(N_ITEMS) < 100, 0.94, np.linspace(0.7, 0, N_ITEMS))
    truth = (random.random(N_ITEMS) < chance).astype(int)
    said = (np.arange(N_ITEMS) < 150).astype(int)
    folder = tmp_path_factory.mktemp("reach")
    return write(folder, truth, score=score, prediction=said)


def plan_of(budget: int = 250, **params: Any) -> lc.Plan:
    given = {"candidates": [25, 50, 100, 200, 400], **WANTED, **params}
    return lc.Plan("reach_selection", ["selection"], budget=budget, params=given, seed=5)


def choice_of(engine: Engine) -> Choice:
    return choice_results(engine)["selection"]


def frame_of(known: Known, plan: lc.Plan) -> ReachFrame:
    frame = known.engine(plan, plan.seed).frame
    assert isinstance(frame, ReachFrame)
    return frame


def file_of(folder: Path, **arguments: Any) -> Known:
    score = np.array([9, 8, 7, 7, 5, 4, 3, 2, 1, 0], dtype=float)
    return write(folder, np.arange(10) < 4, score=score, **arguments)


def test_top_n_thresholds_and_classifiers(known: Known) -> None:
    score = known.population.scores["lr"].tolist()
    found = frame_of(known, plan_of(candidates=[100, score[29], "lr"])).candidates
    assert [one.name for one in found] == ["top 100", f"lr>={score[29]!r}", "lr"]
    assert [list(one.items) for one in found] == [
        list(range(100)), list(range(30)), list(range(150)),
    ]  # fmt: skip
    middle = (score[99] + score[100]) / 2  # footnote 2
    assert [one.threshold for one in found] == [pytest.approx(middle), score[29], None]


def test_default_candidates_double_up_to_half_the_file(known: Known) -> None:
    sizes = frame_of(known, plan_of(candidates=[])).candidates
    assert [one.name for one in sizes] == ["top 50", "top 100", "top 200"]


def test_a_low_score_may_mean_positive(tmp_path: Path) -> None:
    known = file_of(tmp_path, thresholds={"lr": 3}, descending=("lr",))
    top, below = frame_of(known, plan_of(9, candidates=[2, 2.5])).candidates
    assert (list(top.items), top.threshold) == ([8, 9], 1.5)
    assert (list(below.items), below.name) == ([7, 8, 9], "lr<=2.5")


def test_notes_on_ties_and_on_candidates_without_items(tmp_path: Path) -> None:
    frame = frame_of(file_of(tmp_path), plan_of(9, candidates=[3, 5, 99.5]))
    assert [one.name for one in frame.candidates] == ["top 3", "top 5"]
    assert [note.split("'")[1] for note in frame.notes] == ["lr>=99.5", "top 3"]


def test_ties_fall_by_another_hash_than_draws(tmp_path: Path) -> None:
    """With one hash the top 5 of ten equal scores would be the first five drawn."""
    known = write(tmp_path, np.ones(10), score=np.full(10, 0.5))
    equal = 0
    for seed in range(40):
        frame = known.engine(plan_of(9, candidates=[5, 10]), seed).frame
        assert isinstance(frame, ReachFrame)
        equal += set(frame.union[:5]) == set(frame.candidates[0].items)
    assert equal <= 3  # each with a chance of 1 in 252


def test_classifiers_are_read_off_the_parameters(known: Known) -> None:
    design = ReachSelectionDesign()
    params = design.Params(candidates=(50, "lr", 0.5, "svm"))
    assert design.classifiers(params) == ("lr", "svm")
    assert design.suggested(known.population, ("lr",)) == {}


@pytest.mark.parametrize("bound", ["prior_posterior_ratio", "hoeffding"])
@pytest.mark.parametrize("sampler", ["pooled", "round_robin"])
@pytest.mark.whole
def test_a_session_ends_with_a_right_choice(known: Known, bound: str, sampler: str) -> None:
    plan = plan_of(20_000, bound=bound, sampler=sampler)
    assert planned_size(known.population, plan) == 20_000, "T counts draws: more than items"
    engine = Engine(known.population, plan.with_planned(20_000))
    labelled(engine, known.truth)
    choice = choice_of(engine)
    assert choice.status == "guaranteed" and choice.chosen in ("top 100", "top 200")
    assert choice_made(engine) and engine.peek() is None
    assert choice.labels_used == engine.labels < N_ITEMS
    assert choice.draws_used == engine.labels or (bound, sampler) != (
        "prior_posterior_ratio", "pooled",
    )  # fmt: skip
    assert bound == "prior_posterior_ratio" or choice.draws_used > engine.labels
    precision = known.truth[:100].mean()
    row = choice.bounds.set_index("classifier").loc["top 100"]
    assert row["low"] <= precision <= row["high"]


def test_items_come_in_draw_order_without_those_of_nobody(known: Known) -> None:
    engine = known.engine(plan_of(candidates=[25, 100], elimination=False), 5)
    labelled(engine, known.truth)
    asked = [one.position for one in engine.asked]
    frame = engine.frame
    assert isinstance(frame, ReachFrame) and max(asked) < 100
    assert asked == list(frame.union[: len(asked)])


def test_while_one_item_is_open_others_label_ahead(known: Known) -> None:
    """The choice waits for the item of the present draw, and loses nothing of what came after."""
    plain = labelled(known.engine(plan_of(elimination=False), 5), known.truth)
    session = lc.Session(known.population, plan_of(elimination=False))
    first = session.next("a")
    for _ in range(20):
        draw = session.next("b")
        assert first is not None and draw is not None and draw.item_id != first.item_id
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
    assert choice_of(session.engine).draws_used == 0
    assert first is not None
    session.answer(first, bool(known.truth[known.population.position(first.item_id)]))
    assert choice_of(session.engine).draws_used == 21
    answer_draws(session, known, who="a")
    assert choice_of(session.engine).to_json() == choice_of(plain).to_json()


def test_nobody_runs_further_ahead_than_fifty_draws(known: Known) -> None:
    session = lc.Session(known.population, plan_of())
    session.next("a")
    came = 0
    while (draw := session.next("b")) is not None and came < 60:
        session.answer(draw, False)
        came += 1
    assert came == 49


def test_unsure_and_broken_count_both_ways(known: Known) -> None:
    session = lc.Session(known.population, plan_of(400, early_stopping=False, elimination=False))
    while (draw := session.next()) is not None:
        position = known.population.position(draw.item_id)
        session.answer(draw, "unsure" if position % 4 == 0 else bool(known.truth[position]))
    row = choice_of(session.engine).bounds.set_index("classifier").loc["top 100"]
    certain = np.arange(100) % 4 > 0
    assert row["low"] == known.truth[:100][certain].sum() / 100
    assert row["high"] == row["low"] + 0.25
    assert row["value"] == known.truth[:100][certain].mean()


def test_when_the_draws_are_used_up(known: Known) -> None:
    for guess, status in ((False, "undecided"), (True, "guess")):
        engine = labelled(known.engine(plan_of(12, guess=guess), 5), known.truth)
        choice = choice_of(engine)
        assert choice.status == status and engine.peek() is None
        assert not choice_made(engine), "the rule of the plan does not take this for a choice"
        assert choice.missing == ("" if guess else "all 12 draws are used up")
        assert choice.promise == ("none" if guess else "watched")


def test_ended_early_by_a_person(known: Known) -> None:
    session = lc.Session(known.population, plan_of(guess=True))
    answer_draws(session, known, 9)
    assert choice_of(session.engine).missing.endswith(" of 5 candidates are left")
    session.finish()
    assert choice_of(session.engine).status == "guess"


def test_none_acceptable(known: Known) -> None:
    engine = labelled(known.engine(plan_of(), 5), np.zeros(N_ITEMS, dtype=int))
    assert choice_of(engine).status == "none acceptable"
    assert choice_made(engine) and engine.peek() is None


def test_delta_decides_over_the_confidence(known: Known) -> None:
    assert choice_of(known.engine(plan_of(delta=0.2), 5)).confidence == pytest.approx(0.8)
    assert choice_of(known.engine(plan_of(), 5)).confidence == pytest.approx(0.95)
    surely = replace(plan_of(), confidence=0.6)
    assert frame_of(known, surely).rules.delta == pytest.approx(0.4)


def test_what_is_derived(known: Known) -> None:
    sizes = [10, 20, 40, 80, 100, 120, 150, 200, 300]
    plan = plan_of(250, candidates=sizes, precision_threshold=0.9, reach_slack=0.1, delta=0.05)
    found = lc.preview(known.population, plan)
    assert found.derived["n_gamma"] == 2282 and found.derived["T"] == 250
    assert found.derived["label_bound"] == 9 * found.derived["n_epsilon"]
    assert found.derived["smallest_T"] == 46_800
    assert found.labels == 250 and found.draws == 250


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"precision_threshold": 0.0}, "precision_threshold must be above 0 .* got 0.0"),
        ({"precision_threshold": 1.5}, "'precision_threshold'.* between 0.0 and 1.0, got 1.5"),
        ({"precision_slack": 0.85}, "precision_slack must lie between 0 and .* 0.8, got 0.85"),
        ({"reach_slack": 0.0}, "reach_slack must be above 0 and at most 1, got 0.0"),
        ({"delta": 0.0}, "delta must lie between 0 and 1, both excluded, got 0.0"),
        ({"sampler": "all"}, "'sampler'.* must be one of pooled, round_robin, got 'all'"),
        ({"bound": "normal"}, "'bound'.* must be one of .*, got 'normal'"),
        ({"candidates": [50, 50]}, "'candidates'.* names one twice"),
        ({"candidates": [401]}, "'candidates'.* from 1 to the 400 items of the file, got 401"),
        ({"candidates": [0]}, "from 1 to the 400 items of the file, got 0"),
        ({"candidates": [7.0]}, "'candidates'.* needs one that calls an item positive"),
        ({"candidates": ["lr", "svm"]}, "which the file lacks; it has lr"),
        ({"candidates": [float("inf")]}, "must be finite, got inf"),
    ],
)
def test_refused(known: Known, params: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        known.engine(plan_of(**params), 5)


def test_known_answers_count_and_the_rest_is_drawn_in_another_order(known: Known) -> None:
    """Candidates are those of the whole file; those of an earlier project of the same seed may be
    known, and what it passed over does not come first."""
    first = labelled(known.engine(plan_of(90, early_stopping=False), 5), known.truth)
    there = np.sort(first.drawn_positions)
    column = ["" if place not in there else str(int(one)) for place, one in enumerate(known.truth)]
    read = items(scores=known.population.scores, known=column)
    plan = replace(plan_of(400, early_stopping=False, elimination=False), existing="certainty")
    engine = Known(read, known.truth).engine(plan, 5)
    before = [one for one in frame_of(known, plan_of(400)).queue if one not in there]
    assert sorted(engine.frame.union) == sorted(before) and list(engine.frame.union) != before
    row = choice_of(engine).bounds.set_index("classifier").loc["top 100"]
    head = np.intersect1d(there, np.arange(100))
    assert row["low"] == known.truth[head].sum() / 100
    labelled(engine, known.truth)
    found = choice_of(engine)
    assert found.labels_used == N_ITEMS - len(there) and "known" in found.sentence()
    shares = [known.truth[:size].mean() for size in (25, 50, 100, 200, 400)]
    np.testing.assert_allclose(found.bounds["low"], shares, atol=1e-12)
    np.testing.assert_allclose(found.bounds["value"], shares, atol=1e-12)
    with pytest.raises(PlanError, match="known answers need bound"):
        Known(read, known.truth).engine(
            replace(plan_of(bound="hoeffding"), existing="certainty"), 5
        )


def test_fewer_draws_than_candidates_in_turn(known: Known) -> None:
    with pytest.raises(PlanError, match="budget must be at least 5 for .* and this file, got 4"):
        known.engine(plan_of(4, sampler="round_robin"), 5)


def test_a_file_without_scores_or_predictions(tmp_path: Path) -> None:
    known = write(tmp_path, np.ones(10))
    for candidates, words in (([], "needs a classifier with a score or"), ([5], "got None")):
        with pytest.raises(PlanError, match=words):
            known.engine(plan_of(5, candidates=candidates), 5)


def test_draws_that_are_counted_are_never_taken_back(known: Known) -> None:
    """T counts draws, of which some are of the same item: an extension must go beyond T itself."""
    session = lc.Session(known.population, plan_of(20, sampler="round_robin"))
    answer_draws(session, known)
    with pytest.raises(PlanError, match="more than the 20 that the project may ask now"):
        session.extend(budget=20)
    session.extend(budget=40)
    with pytest.raises(PlanError, match="more than the 40 that the project may ask now"):
        session.extend(budget=30)


def test_a_right_guess_of_none_counts_as_right(known: Known) -> None:
    """Without a hit each draw rules out all candidates that hold its item; the next is drawn from
    the largest one left, where every smaller one is left with half the chance of the one above it.
    Three draws leave a guess with chance 5/16, without elimination (15/16)^3."""
    runs, chance = repeated(200), 5 / 16
    for elimination in (True, False):
        plan = plan_of(3, guess=True, precision_threshold=0.999, elimination=elimination)
        found = lc.simulate(known.population, plan, truth=[0] * N_ITEMS, runs=runs).table()
        assert set(found["truth"]) == {"none acceptable"} and found["covered"].all()
        share = (found["status"] == "guess").mean()
        assert (fewest(runs, chance) <= share <= most(runs, chance)) == elimination


def test_a_guess_of_another_candidate_counts_as_wrong(known: Known) -> None:
    plan = plan_of(3, guess=True, precision_threshold=0.6)
    found = lc.simulate(known.population, plan, truth="truth", runs=20).table()
    assert {*found["truth"]} == {"top 200"} and {*found["status"]} == {"guess"}
    assert len({*found["chosen"]}) > 1
    assert (found["covered"] == (found["chosen"] == "top 200")).all()


def test_only_a_top_n_is_told_that_it_cuts_among_equal_scores() -> None:
    """Ten items share each score; "top rule" calls five of ten positive, by something else."""
    places = np.arange(100)
    rule = {"top rule": (places < 35).astype(int)}
    population = items(scores={"m": (99 - places) // 10 / 10}, predictions=rule)
    plan = lc.Plan(
        "reach_selection", ["selection"], classifier="m", budget=50,
        params={"candidates": [30, 35, 100, 0.5, "top rule"]},
    ).with_planned(50)  # fmt: skip
    found, notes = candidates_of(Engine(population, plan).setup)
    sizes = {one.name: len(one.items) for one in found}
    assert sizes == {"top 30": 30, "top 35": 35, "top 100": 100, "m>=0.5": 50, "top rule": 35}
    assert notes == (TIED.format(name="top 35"),)
