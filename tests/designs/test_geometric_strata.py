"""Geometric strata: sizes and looks, ties, answers without a class, what preview expects."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.current import results
from labelcore.figures.curves import ranked, ranked_curve
from labelcore.log.events import Event
from labelcore.stats import orders, rank_band
from labelcore.stats.rank_strata import rank_allocation, rank_edges, smallest_budget
from labelcore.testing.known import NOISE, Known, calibrated, label, labelled, write
from tests.answering import answer_draws
from tests.cases import once, repeated
from tests.curves import precision_curve
from tests.designs.synthetic import standard_errors

ASKED = ("precision_curve", "average_precision", "area_under_roc")
NAME = "geometric_strata"
known = once(calibrated, 900, seed=21)


def plan_of(budget: int | None = 200, **values: Any) -> lc.Plan:
    return lc.Plan(NAME, ASKED, budget=budget, **{"promise": "watched", "seed": 3, **values})


def answered(engine: Any, index: int, kind: str) -> None:
    """Call one drawn item unsure, broken or later."""
    engine.answer(index, Event(0, kind, "", "test"))


# --- sizes ---------------------------------------------------------------------------------------


def test_strata_counts_and_queue_are_those_planned(known: Known) -> None:
    engine = labelled(known.engine(plan_of(200), 1), known.truth)
    edges = rank_edges(900)
    sizes = np.diff(edges, prepend=0)
    assert engine.frame.sizes.tolist() == sizes.tolist()
    assert engine.drawn.tolist() == rank_allocation(edges, 200).tolist()
    for k, end in enumerate(edges):
        ranks = np.flatnonzero(engine.frame.stratum[engine.rank_order] == k) + 1
        assert ranks[0] == end - sizes[k] + 1 and ranks[-1] == end


@pytest.mark.parametrize("draws", [37, 50, 100, 150, 199])
def test_every_prefix_is_in_proportion(known: Known, draws: int) -> None:
    """Within one draw of n_k times the share, and what the other strata's rounding moves."""
    engine = known.engine(plan_of(200), 2)
    while len(engine.asked) < draws:
        engine.draw_next()
    planned = rank_allocation(rank_edges(900), 200)
    strata = int((planned > 0).sum())
    slack = 1 + (strata - 2) * planned / 200
    assert np.all(np.abs(engine.drawn - planned * draws / 200) <= slack + 1e-9)


@pytest.mark.parametrize("n_items", [1, 30, 50, 52, 64])
def test_a_list_hardly_longer_than_the_head(tmp_path: Path, n_items: int) -> None:
    known = calibrated(tmp_path, n_items, seed=2)
    least = smallest_budget(rank_edges(n_items))
    if least > 1:
        with pytest.raises(PlanError, match=f"budget must be at least {least}"):
            lc.Session(known.population, plan_of(least - 1))
    for budget in (least, n_items, n_items + 5):
        engine = labelled(known.engine(plan_of(budget), 1), known.truth)
        curve = results(engine)["precision_curve"]
        truth = np.cumsum(known.truth[engine.rank_order])[-1] / n_items
        assert curve.low[-1] - 1e-12 <= truth <= curve.high[-1] + 1e-12
        assert engine.labels == min(budget, n_items)
        assert (curve.state == "exact") == (engine.labels == n_items)


@pytest.mark.full
def test_the_smallest_budget_has_all_its_looks_and_kinds_of_results(known: Known) -> None:
    least = smallest_budget(rank_edges(900))
    engine = known.engine(plan_of(least), 4)
    bases = set()
    for labels in label(engine, known.truth):
        if labels % 10 not in (0, 5, 6) and labels < least:
            continue
        found = results(engine)["precision_curve"]
        assert np.all((found.low >= 0) & (found.low <= found.high) & (found.high <= 1))
        if found.has_interval:
            bases.add(found.draws_used)
    assert sorted(bases) == [*range(5, least, 5), least]


def test_a_negative_seed_serves(known: Known) -> None:
    engine = labelled(known.engine(plan_of(160), -7), known.truth)
    assert precision_curve(engine).state == "interval"


# --- looks ---------------------------------------------------------------------------------------


def test_between_looks_the_band_stays_and_the_estimate_goes_on(known: Known) -> None:
    engine, looks = known.engine(plan_of(200), 5), range(5, 201, 5)
    at_look, moved = None, False
    for labels in label(engine, known.truth):
        if 20 < labels < 180 and 4 < labels % 50 < 45:
            continue
        band = precision_curve(engine)
        if labels < looks[0]:
            waiting = f"of {looks[0]} items judged before a first band"
            assert not band.has_interval and band.missing.endswith(waiting)
        elif labels in looks:
            assert band.provisional is None and band.draws_used == labels
            at_look = band
        else:
            assert at_look is not None and band.provisional is not None
            np.testing.assert_array_equal(band.low, at_look.low)
            np.testing.assert_array_equal(band.high, at_look.high)
            np.testing.assert_array_equal(band.value, at_look.value)
            moved |= not np.array_equal(band.provisional, band.value)
    assert at_look is not None and moved


def test_the_band_of_the_last_look_costs_little(known: Known) -> None:
    plain = precision_curve(labelled(known.engine(plan_of(200, promise="fixed"), 6), known.truth))
    steady = precision_curve(labelled(known.engine(plan_of(200), 6), known.truth))
    widths = [np.mean(band.high - band.low) for band in (plain, steady)]
    assert widths[0] < widths[1] < 1.15 * widths[0]


def test_finishing_early_keeps_the_last_look_or_has_no_promise(known: Known) -> None:
    for labels, state, promise, basis in ((4, "stopped early", "none", 4),
                                          (73, "interval", "watched", 70)):  # fmt: skip
        engine = known.engine(plan_of(200), 7)
        for count in label(engine, known.truth):
            if count == labels:
                break
        engine.finished = True
        band = precision_curve(engine)
        assert (band.state, band.promise, band.draws_used) == (state, promise, basis)
    fixed = known.engine(plan_of(200, promise="fixed"), 7)
    for count in label(fixed, known.truth):
        if count == 199:
            break
    fixed.finished = True
    assert precision_curve(fixed).promise == "none"


def extended(known: Known, promise: str) -> tuple[Any, Any]:
    session = lc.Session(known.population, plan_of(200, promise=promise))
    answer_draws(session, known)
    before = session.results()["precision_curve"]
    session.extend(budget=260)
    answer_draws(session, known)
    assert session.labels == 260
    return before, session


@pytest.mark.parametrize("promise", ["fixed", "watched"])
def test_extending_leaves_the_band_of_the_plan(known: Known, promise: str) -> None:
    """The error level is spent: what was not planned cannot narrow the band, and the note says
    so."""
    before, session = extended(known, promise)
    after = session.results()["precision_curve"]
    np.testing.assert_array_equal(before.low, after.low)
    np.testing.assert_array_equal(before.high, after.high)
    if promise == "watched":
        assert after.provisional is not None
        assert "labels after them do not change it" in after.sentence()


def test_extending_to_the_whole_file_is_exact(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 150, seed=21)
    session = lc.Session(known.population, plan_of(100))
    answer_draws(session, known)
    session.extend(budget=150)
    answer_draws(session, known)
    found = session.results()
    assert {one.state for one in found.values()} == {"exact"}
    for name in ("average_precision", "area_under_roc"):
        assert found[name].high - found[name].low < 1e-12


def test_an_answer_changed_after_a_look_is_that_answer_from_the_start(known: Known) -> None:
    engine = labelled(known.engine(plan_of(200), 8), known.truth)
    changed = known.truth.copy()
    for index in (4, 90):
        position = engine.asked[index - 1].position
        changed[position] = 1 - changed[position]
        name = engine.population.classes[changed[position]]
        engine.answer(index, Event(0, "labelled", "", "test", label=name))
    other = labelled(known.engine(plan_of(200), 8), changed)
    assert precision_curve(engine).to_json() == precision_curve(other).to_json()


# --- answers without a class ---------------------------------------------------------------------


def band_where(known: Known, kinds: dict[int, str], look: int = 100) -> Any:
    """The band at 100 draws, where the items of these draws got an answer without a class."""
    engine = known.engine(plan_of(200), 9)
    for _ in label(engine, known.truth):
        index = len(engine.asked)
        if index in kinds:
            answered(engine, index, kinds[index])
        if index == look:
            return precision_curve(engine)
    raise AssertionError("the look was never reached")


def both_cases(known: Known, indices: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The lower bounds with these items negative, the upper ones with them positive."""
    ends = []
    for value in (0, 1):
        engine = known.engine(plan_of(200), 9)
        truth = known.truth.copy()
        for _ in label(engine, truth):
            index = len(engine.asked)
            if index in indices:
                name = engine.population.classes[value]
                engine.answer(index, Event(0, "labelled", "", "test", label=name))
            if index == 100:
                break
        ends.append(precision_curve(engine))
    return ends[0].low, ends[1].high


@pytest.mark.parametrize("kind", ["unsure", "broken", "later"])
@pytest.mark.parametrize("indices", [[10], [10, 40, 70]])
def test_items_without_a_class_count_both_ways(known: Known, indices: list[int], kind: str) -> None:
    band = band_where(known, dict.fromkeys(indices, kind))
    low, high = both_cases(known, indices)
    np.testing.assert_allclose(band.low, low, atol=1e-12)
    np.testing.assert_allclose(band.high, high, atol=1e-12)
    assert any("both ways" in sentence for sentence in band.assumptions)
    assert not any("unsure" in sentence for sentence in band_where(known, {}).assumptions)


def test_one_unsure_answer_more_makes_no_jump(known: Known) -> None:
    """Three, four and five of 150: up to two percent were left out before."""
    wide = []
    for number in (3, 4, 5):
        band = band_where(known, {10 + 20 * place: "unsure" for place in range(number)}, look=150)
        wide.append((band.high - band.low).mean())
    assert wide[1] / wide[0] < 1.1 and wide[2] / wide[1] < 1.1 and wide[0] < wide[2]


def test_an_unsure_item_in_the_head_leaves_a_width_there(known: Known) -> None:
    engine = labelled(known.engine(plan_of(200), 9), known.truth)
    ranks = np.arange(1, 901)
    index = next(i for i, row in enumerate(engine.asked, 1) if engine.rank_of[row.position] == 20)
    assert not np.any(np.ptp(ranked_curve(engine, ranks).read("precision")[1:], axis=0)[:50])
    answered(engine, index, "unsure")
    width = np.ptp(ranked_curve(engine, ranks).read("precision")[1:], axis=0)
    assert np.all(width[:19] == 0) and np.all(width[19:50] > 0)


def test_nothing_but_unsure_says_nothing(known: Known) -> None:
    band = band_where(known, dict.fromkeys(range(1, 101), "unsure"))
    assert np.isnan(band.value).all() and np.all(band.low == 0)


def test_open_items_wait_while_the_last_of_a_look_is_open(known: Known) -> None:
    assert band_where(known, {100: "later"}).draws_used == 95


# --- ties ----------------------------------------------------------------------------------------


def test_a_constant_score_is_a_shuffled_list_and_says_so(tmp_path: Path) -> None:
    truth = (np.random.default_rng(1).random(300) < 0.3).astype(int)
    known = write(tmp_path, truth, score=np.full(300, 0.5))
    engine = labelled(known.engine(plan_of(160), 1), truth)
    band = precision_curve(engine)
    assert "All items have the same score" in band.sentence()
    assert band.low[-1] <= truth.mean() <= band.high[-1]
    other = known.engine(plan_of(160), 2)
    assert not np.array_equal(engine.rank_order, other.rank_order)


def test_few_different_scores_are_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    known = write(tmp_path, rng.integers(0, 2, 500), score=np.round(rng.random(500) * 2.1, 2))
    engine = known.engine(plan_of(160), 1)
    assert "different scores for 500 items" in precision_curve(engine).sentence()


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """1,200 items, five different scores; the rate of positives follows the score."""
    rng = np.random.default_rng(8)
    score = np.round(rng.random(1200) * 4) / 4
    truth = (rng.random(1200) < score).astype(int)
    return write(tmp_path_factory.mktemp("tied"), truth, score=score)


def tied_bias(tied: Known) -> float:
    """Mean error of the share of positives over 60 seeds of 164 labels, in standard errors."""
    errors = []
    for seed in range(repeated(60)):
        engine = labelled(tied.engine(plan_of(164, promise="fixed"), seed), tied.truth)
        errors.append(ranked_curve(engine, np.array([1200])).read("precision")[0][0])
    return standard_errors(np.array(errors) - tied.truth.mean())


@pytest.mark.slow
def test_two_hashes_leave_no_bias(tied: Known) -> None:
    assert abs(tied_bias(tied)) < norm.isf(NOISE / 2)


@pytest.mark.slow
def test_one_hash_for_ties_and_draws_is_biased(
    tied: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed_keys = orders.mixed_keys

    def one_word(seed: int, purpose: str, hashes: np.ndarray) -> np.ndarray:
        return mixed_keys(seed, "tie" if purpose == "draw" else purpose, hashes)

    monkeypatch.setattr(orders, "mixed_keys", one_word)
    assert abs(tied_bias(tied)) > norm.isf(NOISE / 2)


# --- from edge to edge ---------------------------------------------------------------------------


def test_the_band_goes_nearly_straight_and_says_what_it_assumes(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = labelled(known.engine(plan_of(200, promise="fixed"), 4), known.truth)
    now = precision_curve(engine)
    assert "nearly straight" in now.source
    assert any("short stretch of ranks" in one for one in now.assumptions)
    monkeypatch.setattr(rank_band.Known, "nearly_straight", rank_band.Known.between)
    exact = precision_curve(engine)
    assert np.mean(now.high - now.low) < np.mean(exact.high - exact.low)


# --- preview -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("budget", "promise"), [(160, "fixed"), (400, "fixed"), (400, "watched")])
def test_preview_expects_the_width_that_comes(known: Known, budget: int, promise: str) -> None:
    """On calibrated scores: the mean over 8 sessions of the band's greatest half-width beyond the
    head, within a quarter of what was expected."""
    plan = lc.Plan(NAME, ["precision_curve"], budget=budget, promise=promise)
    expected = lc.preview(known.population, plan).expected_half_width["precision_curve"]
    widest = []
    for seed in range(8):
        band = precision_curve(labelled(known.engine(plan, seed), known.truth))
        widest.append(float(np.max(band.high - band.low)) / 2)
    assert 0.75 < np.mean(widest) / expected < 1.25


def test_a_margin_becomes_the_labels_that_meet_it(known: Known) -> None:
    plan = lc.Plan(NAME, ["precision_curve"], margin=0.08, promise="fixed", seed=3)
    found = lc.preview(known.population, plan)
    assert found.expected_half_width["precision_curve"] <= 0.08
    fewer = lc.preview(
        known.population, replace(plan, margin=None, budget=found.expected_labels - 20)
    )
    assert fewer.expected_half_width["precision_curve"] > 0.08
    assert found.derived["rank_edges"] == rank_edges(900).tolist()


def test_what_the_list_cannot_do_is_refused(known: Known, tmp_path: Path) -> None:
    truth = np.array([0, 1] * 60)
    unscored = write(tmp_path, truth, prediction=truth).population
    with pytest.raises(PlanError, match="needs two classes and a score"):
        lc.preview(unscored, plan_of(110))
    for wrong, words in (
        ({"growth": 1.0}, "must lie between 1.01"),
        ({"first_edge": 0}, "between"),
    ):
        with pytest.raises(PlanError, match=words):
            plan_of(200, params=wrong)
    with pytest.raises(PlanError, match="target must be file"):
        plan_of(200, target="process")
    with pytest.raises(PlanError, match="'accuracy', which design .* does not estimate"):
        lc.Plan(NAME, ["accuracy"], budget=200)


def test_ranked_rows_are_the_answers(known: Known) -> None:
    engine = labelled(known.engine(plan_of(200), 3), known.truth)
    rows = ranked(engine)
    assert sorted(rows.index.tolist()) == list(range(1, 201)) and rows.labels == 200
    assert (np.diff(rows.rank) > 0).all()
    assert rows.until(60).labels == 60
    np.testing.assert_array_equal(
        rows.verdict, known.truth[engine.rank_order[rows.rank - 1]].astype(float)
    )


# --- what the labels are shared for ---------------------------------------------------------------


def test_labels_are_shared_by_what_is_asked_and_the_plan_keeps_it(known: Known) -> None:
    area = lc.Plan(NAME, ["area_under_roc"], budget=200, seed=3)
    session = lc.Session(known.population, area)
    assert session.plan.params["questions"] == ("area_under_roc",)
    assert session.engine.frame.sizes[0] == 10
    curve = lc.Session(known.population, lc.Plan(NAME, ["precision_curve"], budget=200, seed=3))
    assert "questions" not in curve.plan.params
    # A plan frozen before there was a choice.
    before = replace(session.plan, params={})
    again = lc.Session(known.population, before)
    assert again.engine.frame.planned.tolist() == curve.engine.frame.planned.tolist()
    with pytest.raises(PlanError, match="questions.* must be one of precision_curve, cut"):
        plan_of(200, params={"questions": ["depth"]})


@pytest.mark.parametrize("asked", ["area_under_roc", "average_precision"])
def test_preview_expects_the_width_of_a_number(known: Known, asked: str) -> None:
    """As for the band: the mean of 8 sessions, within a quarter of what was expected."""
    plan = lc.Plan(NAME, [asked], budget=200, promise="fixed")
    expected = lc.preview(known.population, plan).expected_half_width
    assert [*expected] == [asked]
    kept = lc.Session(known.population, plan).plan
    halves = [
        results(labelled(known.engine(kept, seed), known.truth))[asked].half_width
        for seed in range(8)
    ]
    assert 0.75 < np.mean(halves) / expected[asked] < 1.25


def test_preview_says_what_each_costs_the_other(known: Known) -> None:
    both = lc.Plan(NAME, ["precision_curve", "area_under_roc"], budget=300, promise="fixed")
    table = lc.preview(known.population, both).along_ranks.set_index("of")
    assert [*table.index][:2] == ["10", "100"] and "area_under_roc" in table.index
    assert (table["expected_half_width"] >= table["asked_alone"] - 0.01).loc[["100"]].all()
    area = table.loc["area_under_roc"]
    assert area["expected_half_width"] > area["asked_alone"] > 0
    none = lc.preview(known.population, lc.Plan("simple_random", ["accuracy"], budget=100))
    assert none.along_ranks.empty
