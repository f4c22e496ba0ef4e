"""Two ranked lists: where the labels go, how often the band holds, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Look
from labelcore.designs.lists import ListAnswers
from labelcore.designs.paired_lists import PairedLists
from labelcore.errors import ParameterError, PlanError
from labelcore.figures.from_counts import look_at
from labelcore.figures.lists import list_answers, list_difference, true_difference
from labelcore.log.engine import Engine
from labelcore.promises import Promise, State
from labelcore.results.lists import ListDifference
from labelcore.stats import list_difference as stats
from labelcore.stats.list_difference import DIFFERENCE, fixed_reach, list_bounds
from labelcore.testing.known import Known, labelled, most
from tests.answering import answer_draws
from tests.cases import once, repeated
from tests.columns import items
from tests.designs.paired_files import BOTH, paired

ASKED = "precision_curve_difference"
ITEMS, RANK, LABELS, RUNS = 1_500, 400, 120, repeated(150)
known = once(paired, ITEMS, seed=8, shift=0.9)


def plan_of(budget: int = LABELS, promise: str = "fixed", **params: object) -> lc.Plan:
    given = {"last_rank": RANK, "own": False, **params}
    return lc.Plan(
        "paired_lists", ASKED, classifier=list(BOTH), budget=budget, promise=promise, params=given
    )


def drawn(engine: Engine, run: int) -> np.ndarray:
    """Places in the union: as many of each stratum as are planned, at random."""
    random, along = np.random.default_rng((3, run)), engine.frame.along
    return np.concatenate(
        [
            random.permutation(np.flatnonzero(along.stratum == one))[: engine.frame.planned[one]]
            for one in range(along.number)
        ]
    )


def true_at(known: Known, engine: Engine, kind: str = DIFFERENCE) -> np.ndarray:
    along = engine.frame.along
    counted = along.heads.counts(kind, along.ranks)
    return np.asarray(known.truth[engine.frame.union] @ counted / along.ranks)


def test_what_both_lists_have_first_gets_no_label(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    assert len(engine.frame.along.heads.edges) > 5
    labelled(engine, known.truth)
    places = np.searchsorted(engine.frame.union, engine.drawn_positions)
    heads = engine.frame.along.heads
    assert len(places) == LABELS and (heads.side[places] != 0).all()
    for stratum in range(engine.frame.along.number):
        assert len(set(heads.side[engine.frame.along.stratum == stratum].tolist())) == 1
    sizes, planned = engine.frame.along.sizes, engine.frame.planned[: engine.frame.along.number]
    assert (planned >= np.minimum(4, sizes)).all() and planned.sum() == LABELS
    # A few hits in the head decide there: it is labelled more densely than the end.
    early = np.minimum(*heads.bands) == 0
    dense = [np.isin(np.flatnonzero(which & (heads.side != 0)), places).mean() for which in
             (early, np.minimum(*heads.bands) == len(heads.edges) - 1)]  # fmt: skip
    assert dense[0] > 2 * dense[1]


def test_equal_scores_stand_in_the_order_of_the_hash() -> None:
    population = items(scores={"a": np.arange(300) % 7, "b": np.arange(300) % 5})
    known = Known(population, np.zeros(300))
    plan = plan_of(40, last_rank=100)
    one, same, other = (known.engine(plan, seed).frame.along.heads for seed in (1, 1, 2))
    assert np.array_equal(one.first, same.first) and len(one.first) > 0
    assert not np.array_equal(np.sort(one.first), one.first)
    assert len(one.first) != len(other.first) or not np.array_equal(one.first, other.first)


def wrong_share(known: Known, plan: lc.Plan, reach: Callable[[float], float]) -> float:
    """The share of samples in which any rank of anything asked lies outside its bounds."""
    engine, wrong = known.engine(plan, 1), 0
    along = engine.frame.along
    truth = {kind: true_at(known, engine, kind) for kind in along.heads.kinds}
    for run in range(RUNS):
        items = drawn(engine, run)
        positive = known.truth[engine.frame.union[items]].astype(float)
        found = list_bounds(along, items, positive, 0.95, reach)
        wrong += any(
            ((truth[kind] < one.low - 1e-9) | (truth[kind] > one.high + 1e-9)).any()
            for kind, one in found.items()
        )
    return wrong / RUNS


@pytest.mark.full
@pytest.mark.parametrize("own", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_band_holds_at_all_ranks_at_once(known: Known, own: bool) -> None:
    assert wrong_share(known, plan_of(own=own), fixed_reach) <= most(RUNS, 0.05)


@pytest.mark.full
def test_without_max_t_it_is_wrong_too_often(known: Known) -> None:
    assert wrong_share(known, plan_of(), lambda level: 1.96) > most(RUNS, 0.05)


def watched_wrong(known: Known, promise: Promise) -> float:
    """The share of sessions in which a band is wrong at any look."""
    design, engine, runs, wrong = PairedLists(), known.engine(plan_of(), 1), 60, 0
    truth = true_at(known, engine)
    for run in range(runs):
        order = np.random.default_rng((4, run)).permutation(drawn(engine, run))
        items = engine.frame.union[order]
        answers = ListAnswers(np.arange(1, LABELS + 1), items, known.truth[items].astype(float))
        for draws in range(60, LABELS + 1, 5):
            look = Look(0.95, promise, draws, LABELS, "file", 1, draws=draws)
            one = design.bounds(engine.frame, answers.until(draws), look, draws)[DIFFERENCE]
            if ((truth < one.low - 1e-9) | (truth > one.high + 1e-9)).any():
                wrong += 1
                break
    return wrong / runs


@pytest.mark.full
def test_a_watched_band_holds_at_every_look(known: Known) -> None:
    assert watched_wrong(known, Promise.WATCHED) <= most(60, 0.05)


def test_a_union_that_is_labelled_gives_the_truth(known: Known) -> None:
    engine = labelled(known.engine(plan_of(2_000, last_rank=150), 1), known.truth)
    found = list_difference(engine)
    assert found.state == State.EXACT
    truth = true_difference(engine, known.truth == 1)
    for ends in (found.value, found.low, found.high):
        np.testing.assert_allclose(ends, truth, atol=1e-12)


def test_before_it_is_due_what_is_certain_stands_and_no_value(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    before = list_difference(engine)
    assert before.state == State.NOTHING and np.isnan(before.value).all()
    np.testing.assert_allclose(before.high - before.low, before.possible)
    labelled(engine, known.truth)
    after = list_difference(engine)
    assert after.state == State.INTERVAL and (after.possible >= after.high - after.low).all()
    design, answers = PairedLists(), list_answers(engine)
    expected = design.bounds(engine.frame, answers, look_at(engine), engine.setup.planned)
    np.testing.assert_array_equal(after.low, expected[DIFFERENCE].low)
    truth = true_at(known, engine)
    assert ((before.low <= truth) & (truth <= before.high)).all()


def test_answers_without_a_verdict_count_for_either_list(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    items = drawn(engine, 0)
    positive = known.truth[engine.frame.union[items]].astype(float)
    doubtful = np.where(np.arange(len(items)) % 6 == 0, np.nan, positive)
    along = engine.frame.along
    sure, unsure = (list_bounds(along, items, one, 0.95)[DIFFERENCE]
                    for one in (positive, doubtful))  # fmt: skip
    assert (unsure.high - unsure.low).mean() > (sure.high - sure.low).mean()
    certain = list_bounds(along, items, doubtful, None)[DIFFERENCE]
    truth = true_at(known, engine)
    assert ((certain.low <= truth + 1e-12) & (truth <= certain.high + 1e-12)).all()


def test_a_reach_beyond_all_numbers_leaves_what_is_certain(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    items = drawn(engine, 0)
    positive = known.truth[engine.frame.union[items]].astype(float)
    far = list_bounds(engine.frame.along, items, positive, 0.95, lambda level: 12.0)[DIFFERENCE]
    certain = list_bounds(engine.frame.along, items, positive, None)[DIFFERENCE]
    np.testing.assert_allclose(far.low, certain.low)
    np.testing.assert_allclose(far.high, certain.high)


@pytest.fixture(scope="module")
def session(known: Known) -> lc.Session:
    made = lc.Session(known.population, plan_of(300, own=True, promise="watched"))
    answer_draws(made, known)
    return made


def test_where_one_list_is_better_may_be_looked_for(session: lc.Session) -> None:
    found = session.list_difference()
    ranges = found.ranges()
    assert set(ranges["better"]) == {"a"} and len(ranges) >= 1
    for better, first, last in ranges.itertuples(index=False):
        inside = (found.x >= first) & (found.x <= last)
        assert better == "a" and (found.low[inside] > 0).all()
    turned = session.list_difference("b", "a")
    assert set(turned.ranges()["better"]) == {"a"}
    np.testing.assert_array_equal(turned.value, -found.value)
    np.testing.assert_array_equal(turned.low, -found.high)
    assert "'a' is better from rank" in found.sentence()
    assert "(95 % confidence for all ranks together" in found.sentence()
    value, ends = found.at(found.x[3])
    assert (value, ends.low, ends.high) == (found.value[3], found.low[3], found.high[3])
    with pytest.raises(ValueError, match=r"^rank must lie between 50 and 400, got 401$"):
        found.at(401)
    with pytest.raises(ValueError, match=r"^a and b must be 'a' and 'b', got 'a' and 'c'$"):
        session.list_difference("a", "c")


def test_each_list_has_its_own_precision_where_it_is_asked(session: lc.Session) -> None:
    found = session.list_difference()
    assert found.own is not None
    first, second = found.own
    assert (first.scope.classifier, second.scope.classifier) == ("a", "b")
    np.testing.assert_allclose(first.value - second.value, found.value, atol=0.1)
    read = json.loads(found.to_json())
    assert read["own"][0]["scope"]["classifier"] == "a" and read["simultaneous"] is True
    assert [*found.to_frame()][-1] == "second_high"


def test_the_items_on_which_they_differ(session: lc.Session, known: Known) -> None:
    found = session.list_items(100)
    _, first, second = PairedLists().ranks_of(session.engine.frame)
    assert len(found) == int(((first <= 100) != (second <= 100)).sum())
    assert {*found["list"]} == {"a", "b"}
    assert ((found["rank in a"] <= 100) == (found["list"] == "a")).all()
    told = found.dropna(subset="label")
    assert len(told) > 20
    truth = [known.truth[known.population.position(one)] for one in told["id"]]
    assert (told["label"] == known.population.positive).tolist() == [one == 1 for one in truth]
    with pytest.raises(ValueError, match=r"^rank must lie between 1 and 400, got 0$"):
        session.list_items(0)


def test_labels_beyond_the_planned_ones_leave_the_band(session: lc.Session, known: Known) -> None:
    before = session.list_difference()
    session.extend(budget=310)
    answer_draws(session, known)
    after = session.list_difference()
    assert isinstance(after, ListDifference) and session.labels == 310
    np.testing.assert_array_equal(before.low, after.low)
    assert "labels after them do not change it" in after.sentence()


def test_a_simulation_knows_the_truth(known: Known) -> None:
    names = [known.population.classes[one] for one in known.truth]
    found = lc.simulate(known.population, plan_of(), truth=names, runs=3).summary()
    engine = known.engine(plan_of(), 0)
    assert found.loc[ASKED, "truth"] == pytest.approx(true_at(known, engine).mean(), abs=0.02)
    assert found.loc[ASKED, "mean_labels"] == LABELS


def test_the_plan_says_how_wide_it_will_be(known: Known) -> None:
    few, many = (lc.preview(known.population, plan_of(one)) for one in (100, 300))
    wide, narrow = (one.expected_half_width[ASKED] for one in (few, many))
    assert 0 < narrow < 0.75 * wide < 0.5
    with_own = lc.preview(known.population, plan_of(300, own=True))
    assert with_own.expected_half_width[ASKED] > narrow


def notes(population: lc.Population, last: int = 100) -> str:
    return " ".join(lc.preview(population, plan_of(60, last_rank=last)).derived["notes"])


def test_lists_of_other_items_are_named() -> None:
    with pytest.raises(ValueError, match="row 251.*column 'b': a score must be a finite number"):
        items(scores={"a": range(500), "b": [*map(str, range(250)), *[""] * 250]})


def test_a_shuffle_works_and_is_told() -> None:
    scores = np.arange(400.0)
    shuffled = np.random.default_rng(1).permutation(scores)
    said = notes(items(scores={"a": scores, "b": shuffled}))
    assert "one list looks like a shuffle of the other" in said
    near = scores + np.random.default_rng(1).normal(0, 40, 400)
    assert "shuffle" not in notes(items(scores={"a": scores, "b": near}))


@pytest.mark.parametrize(("last", "most"), [(200, 115), (100, 36)])
def test_a_shuffle_is_told_up_to_three_standard_deviations(last: int, most: int) -> None:
    """Two random heads of 200 of 400 items share 100 with a hypergeometric standard deviation of
    5, of 100 they share 25 with 3.75."""
    first = np.arange(400)
    for shared in (most, most + 1):
        second = np.concatenate([first[:shared], first[last:], first[shared:last]])
        scores = {"a": -first.astype(float), "b": -np.argsort(second).astype(float)}
        told = "one list looks like a shuffle of the other" in notes(items(scores=scores), last)
        assert told == (shared == most), shared


def test_all_scores_equal_works_and_is_told() -> None:
    said = notes(items(scores={"a": range(400), "b": [0.5] * 400}))
    assert "All scores of 'b' are equal: its list is in a random order." in said


@pytest.mark.parametrize("second", [[*range(400)], [2 * one for one in range(400)]])
def test_equal_lists_are_refused(second: list[int]) -> None:
    population = items(scores={"a": range(400), "b": second})
    rule = "which put the same items first, down to rank 100: neither list can be better"
    with pytest.raises(PlanError, match=rule):
        lc.preview(population, plan_of(60, last_rank=100))


def test_a_list_shorter_than_the_rank_asked_is_refused(known: Known) -> None:
    rule = r"^params\['last_rank'\] must be at most 1,500, the items of each list, got 2000$"
    with pytest.raises(ParameterError, match=rule):
        lc.preview(known.population, plan_of(last_rank=2_000))
    with pytest.raises(ParameterError, match="must be at most 400, the last one, got 500"):
        lc.preview(known.population, plan_of(first_rank=500))


def test_two_classifiers_with_scores_are_needed(known: Known) -> None:
    with pytest.raises(PlanError, match="must name exactly two for design 'paired_lists'"):
        lc.preview(known.population, replace(plan_of(), classifier="a"))
    bare = items(scores={"a": np.arange(60) / 60}, predictions={"b": [0, 1] * 30})
    with pytest.raises(PlanError, match="needs two classes and a score of each classifier"):
        lc.preview(bare, plan_of(20, last_rank=30))
    other = lc.Session(known.population, lc.Plan("simple_random", "accuracy", classifier="a",
                                                 budget=40))  # fmt: skip
    with pytest.raises(ValueError, match="this project compares no lists"):
        other.list_difference()


def test_few_labels_are_shared_out_as_far_as_they_go() -> None:
    sizes = np.array([3, 50, 400])
    weights = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, 30.0]])
    assert stats.shared_out(weights, sizes, 7).tolist() == [2, 3, 2]
    assert stats.shared_out(weights, sizes, 453).tolist() == sizes.tolist()
    assert stats.shared_out(weights, sizes, 60).sum() == 60
