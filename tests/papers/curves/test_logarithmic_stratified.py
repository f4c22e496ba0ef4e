"""Logarithmic stratified sampling: what is asked, and the band after each stretch, worked out anew
from the answers."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.current import results
from labelcore.figures.curves import ranked_curve
from labelcore.log.engine import Engine
from labelcore.papers.curves.logarithmic_strata import logarithmic_grid
from labelcore.papers.curves.logarithmic_stratified import LogarithmicStratified
from labelcore.testing.known import Known, calibrated, fewest, label, labelled
from tests.answering import labelled_to
from tests.cases import once, sampled
from tests.curves import precision_curve
from tests.designs.doubtful_items import check_doubtful_item_counts_both_ways
from tests.papers.curves.test_paula import blocks
from tests.papers.curves.test_random_curve import in_ranks

NAME = "logarithmic_stratified"
ASKED = ("precision_curve", "average_precision", "area_under_roc")
SMALL = {"epsilon": 0.2, "first_rank": 60, "beta": 1.2}
GRID = logarithmic_grid(900, 0.2, 60, 1.2)
known = once(calibrated, 900, seed=21, a=1.0, b=1.0)


def plan_of(params: dict[str, Any] | None = None, **values: Any) -> lc.Plan:
    return lc.Plan(NAME, ASKED, params={**SMALL, **(params or {})}, seed=3, **values)


def test_the_head_and_random_items_of_each_stretch(known: Known) -> None:
    engine, other = (known.engine(plan_of(), seed) for seed in (3, 4))
    head, *stretches = blocks(engine)
    assert sorted(head) == list(range(1, 68)) and head.tolist() != sorted(head)
    for k, ranks in enumerate(stretches):
        assert len(set(ranks)) == len(ranks) == GRID.counts[k]
        assert GRID.edges[k] < ranks.min() and ranks.max() <= GRID.edges[k + 1]
    assert any(set(a) != set(b) for a, b in zip(stretches, blocks(other)[1:], strict=True))
    engine = labelled(engine, known.truth)
    asked = [engine.rank_of[one.position] for one in engine.asked]
    assert asked == np.concatenate([head, *stretches]).tolist()


def test_what_it_derives_and_costs(known: Known) -> None:
    found = lc.preview(known.population, plan_of())
    assert found.labels == found.expected_labels == found.draws == GRID.labels < 900
    assert {name: found.derived[name] for name in ("ell", "g_ell", "L", "m")} == {
        "ell": 23, "g_ell": 67, "L": 37, "m": GRID.m,
    }  # fmt: skip
    assert found.derived["beta"] == 1.2
    assert found.derived["beta_factor"] == pytest.approx(1.44)
    assert found.derived["draws_each"] == GRID.draws
    band = precision_curve(labelled(known.engine(plan_of(), 3), known.truth))
    widest = float((band.high - band.low).max() / 2)
    assert found.expected_half_width["precision_curve"] == pytest.approx(widest, abs=0.03)


def test_a_list_no_longer_than_the_head_is_labelled_completely(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 60, seed=2)
    engine = labelled(known.engine(plan_of(), 3), known.truth)
    band = precision_curve(engine)
    assert engine.labels == 60 and band.state == "exact"
    truth = np.cumsum(in_ranks(known, engine)) / band.x
    np.testing.assert_allclose([band.value, band.low, band.high], [truth] * 3, atol=1e-12)


def test_the_band_after_every_stretch(known: Known) -> None:
    """At the ranks g_k: the weighted means and Hoeffding's bounds, from nothing but the answers."""
    engine = known.engine(plan_of(), 3)
    verdicts, asked = in_ranks(known, engine), blocks(engine)
    ends = np.cumsum([len(block) for block in asked]).tolist()
    for labels in label(engine, known.truth):
        if labels not in ends:
            continue
        band, finished = precision_curve(engine), ends.index(labels) + 1
        last = finished == len(ends)
        assert last or "stretches are still to be asked" in band.notes[0]
        assert band.x[-1] == (900 if last else GRID.edges[finished - 1])
        assert (band.confidence, band.promise, band.state) == (0.95, "watched", "interval")
        total, spread = verdicts[:67].sum(), 0.0
        for k in range(1, finished):
            width = GRID.edges[k] - GRID.edges[k - 1]
            total += width * verdicts[asked[k] - 1].mean()
            spread += width**2 / GRID.counts[k - 1] if GRID.counts[k - 1] < width else 0
            reach = math.sqrt(math.log(2 * 14 / 0.05) * spread / 2) / GRID.edges[k]
            at = int(np.flatnonzero(band.x == GRID.edges[k])[0])
            assert band.value[at] == pytest.approx(total / GRID.edges[k], abs=1e-12)
            assert band.low[at] >= band.value[at] - reach - 1e-12
            assert band.high[at] <= band.value[at] + reach + 1e-12
            assert reach <= 0.1 + 1e-12, "(beta - 1) p_min"
    assert band.notes == ()


def test_zero_width_only_where_everything_is_labelled(known: Known) -> None:
    engine, ranks = known.engine(plan_of(), 3), np.arange(1, 901)
    for labels in label(engine, known.truth):
        if labels < 67 or labels % 40:
            continue
        whole = ranked_curve(engine, ranks)
        seen = np.zeros(900, dtype=bool)
        seen[[engine.rank_of[one.position] - 1 for one in engine.asked[: whole.draws]]] = True
        settled = np.logical_and.accumulate(seen)[: len(whole.rank)]
        _, low, high = whole.read("precision")
        assert np.array_equal(high - low < 1e-9, settled), labels


class Peeking(LogarithmicStratified):
    """Positive items first, which nobody can know."""

    truth: np.ndarray

    def prepare(self, setup: Any) -> Any:
        frame = super().prepare(setup)
        order = np.argsort(-self.truth[frame.queue], kind="stable")
        queue = frame.queue[order][np.argsort(frame.stratum[frame.queue[order]], kind="stable")]
        return replace(frame, queue=queue, drawn=None)


@pytest.mark.full
@pytest.mark.parametrize("sampling", sampled(["fixed", "printed"], 1, seed=1))
def test_the_band_holds_after_all_stretches_together(
    known: Known, sampling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Confidence 80 %, 25 sessions looked at after every stretch: right at all ranks in as many as
    the binomial noise allows. The twin peeks."""
    plan = plan_of({"sampling": sampling, "delta": 0.2})
    assert share_right(known, plan, 25) >= fewest(25, 0.8)
    if sampling == "fixed":
        Peeking.truth = known.truth
        monkeypatch.setitem(lc.DESIGNS, NAME, Peeking())
        assert share_right(known, plan, 5) < fewest(25, 0.8)


def share_right(known: Known, plan: lc.Plan, runs: int) -> float:
    held = 0
    for seed in range(runs):
        engine = Engine(known.population, plan.with_seed(seed).with_planned(900))
        truth = np.cumsum(in_ranks(known, engine)) / np.arange(1, 901)
        ends, right = set(engine.frame.batch_ends.tolist()), True  # type: ignore[attr-defined]
        for labels in label(engine, known.truth):
            if labels in ends:
                band = ranked_curve(engine, np.arange(1, 901))
                _, low, high = band.read("precision")
                here = truth[: len(band.rank)]
                right &= bool(np.all((low <= here + 1e-9) & (here <= high + 1e-9)))
        held += right
    return held / runs


def test_a_fixed_promise_waits_for_the_last_stretch(known: Known) -> None:
    engine = known.engine(plan_of(promise="fixed"), 3)
    for labels in label(engine, known.truth):
        if labels in (1, 66):
            assert precision_curve(engine).state == "too few"
        if labels in (67, 200, GRID.labels - 1):
            band = precision_curve(engine)
            assert band.state == "provisional" and np.all(band.low == 0) and np.all(band.high == 1)
            assert f"{labels:,} of {GRID.labels:,} items judged" in band.sentence()
    band = precision_curve(engine)
    assert (band.state, band.promise) == ("interval", "fixed")
    watched = precision_curve(labelled(known.engine(plan_of(), 3), known.truth))
    np.testing.assert_array_equal(band.low, watched.low)


@pytest.mark.parametrize("promise", ["watched", "fixed"])
def test_stopped_early(known: Known, promise: str) -> None:
    engine = known.engine(plan_of(promise=promise), 3)
    labelled_to(engine, known, 150)
    engine.finished = True
    band = precision_curve(engine)
    expected = ("interval", "watched") if promise == "watched" else ("stopped early", "none")
    assert (band.state, band.promise) == expected
    assert np.any(band.low > 0) and band.labels_used <= 150


@pytest.mark.parametrize("kind", ["unsure", "broken", "later"])
@pytest.mark.parametrize("index", [20, 120, 300])
def test_an_item_without_a_class_counts_both_ways(known: Known, kind: str, index: int) -> None:
    check_doubtful_item_counts_both_ways(known, plan_of(), kind, index)


def test_delta_decides_the_confidence(known: Known) -> None:
    band = precision_curve(labelled(known.engine(plan_of({"delta": 0.2}), 3), known.truth))
    assert band.confidence == pytest.approx(0.8) and "80 % confidence" in band.sentence()
    sure = precision_curve(labelled(known.engine(plan_of(confidence=0.99), 3), known.truth))
    usual = precision_curve(labelled(known.engine(plan_of(), 3), known.truth))
    assert sure.confidence == 0.99 and sure.draws_used > usual.draws_used


def test_average_precision_waits_for_the_whole_list(known: Known) -> None:
    engine = known.engine(plan_of(), 3)
    for labels in label(engine, known.truth):
        if labels == 200:
            early = results(engine)["average_precision"]
    assert early.value is None and "whole list are not there yet" in early.sentence()
    late = results(engine)["average_precision"]
    assert late.value is not None and late.low < late.value < late.high


# --- algorithm 1 as printed ----------------------------------------------------------------------


def test_the_printed_sampling(known: Known) -> None:
    """S_k / s from the slots at each rank; which items are drawn depends on the seed, how many
    too, and a plan frozen with another seed's number still gives a band."""
    plan = plan_of({"sampling": "printed"})
    engine = labelled(known.engine(plan, 3), known.truth)
    frame: Any = engine.frame
    verdicts, draws = in_ranks(known, engine), frame.draws
    curve = ranked_curve(engine, np.arange(1, 901))
    _, low, high = curve.read("precision")
    for step in range(1, len(GRID.edges)):
        slots = draws.rank[(draws.born <= step) & (step < draws.died)]
        assert len(slots) == GRID.draws
        middle, edge = verdicts[slots - 1].mean(), GRID.edges[step]
        reach = math.sqrt(math.log(2 * 14 / 0.05) / (2 * GRID.draws))
        assert low[edge - 1] >= middle - reach - 1e-12 and high[edge - 1] <= middle + reach + 1e-12
    asked = {int(engine.rank_of[one.position]) for one in engine.asked}
    assert asked == {*range(1, 68), *draws.rank.tolist()}
    assert "algorithm 1" in curve.method.name
    numbers = {lc.preview(known.population, plan.with_seed(seed)).labels for seed in range(4)}
    assert len(numbers) > 1
    table = lc.simulate(known.population, plan, truth=known.truth, runs=3).table()
    assert table["covered"].all()


def test_estimates_are_kept_inside_the_band(known: Known) -> None:
    engine = labelled(known.engine(plan_of({"sampling": "printed"}), 3), known.truth)
    band = precision_curve(engine)
    assert np.all((band.low <= band.value) & (band.value <= band.high))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"params": {"first_rank": 10}}, "first_rank must be at least 3 / epsilon = 100, got 10"),
        ({"params": {"epsilon": 0.0}}, r"params\['epsilon'\] must lie between 0.001 and 1.0"),
        ({"params": {"beta": 1.0}}, r"params\['beta'\] must lie between 1.0001 and 100.0"),
        ({"params": {"delta": 1.0}}, r"params\['delta'\] must lie between 1e-09 and 0.999"),
        ({"params": {"minimum_precision": 2.0}}, "must lie between 0.001 and 1.0, got 2.0"),
        ({"params": {"sampling": "twice"}}, "must be one of fixed, printed, got 'twice'"),
        ({"params": {"window": 5}}, "does not have"),
        (
            {"target": "process"},
            "target must be file for design 'logarithmic_stratified', got 'process'",
        ),
        ({"stop": "margin", "margin": 0.1}, "not available"),
    ],
)
def test_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        lc.Plan(NAME, ASKED, **values)


def test_too_many_slots_are_refused(known: Known) -> None:
    plan = plan_of({"sampling": "printed", "beta": 1.0005})
    with pytest.raises(PlanError, match="beta and minimum_precision ask for .* at most 5,000,000"):
        lc.preview(known.population, plan)
