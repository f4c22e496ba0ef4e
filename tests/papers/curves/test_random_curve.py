"""The random-sampling baseline for curves: what is asked, and the band from the answers."""

import math
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.current import results
from labelcore.figures.curves import ranked_curve
from labelcore.log.engine import Engine
from labelcore.testing.known import Known, calibrated, label, labelled
from tests.answering import labelled_to
from tests.cases import once
from tests.curves import precision_curve
from tests.designs.doubtful_items import check_doubtful_item_counts_both_ways

NAME, N_ITEMS = "random_curve", 600
ASKED = ("precision_curve", "average_precision", "area_under_roc")
RANKS = np.arange(1, N_ITEMS + 1)
known = once(calibrated, N_ITEMS, seed=22, a=1.0, b=1.0)


def plan_of(head: int = 0, budget: int = 200, **values: Any) -> lc.Plan:
    return lc.Plan(NAME, ASKED, params={"head": head}, budget=budget, seed=3, **values)


def in_ranks(known: Known, engine: Engine) -> np.ndarray:
    return known.truth[engine.rank_order].astype(float)


def asked_ranks(engine: Engine, draws: int) -> np.ndarray:
    return np.array([engine.rank_of[one.position] for one in engine.asked[:draws]])


@pytest.mark.parametrize("head", [0, 80])
def test_the_head_first_then_random_items(known: Known, head: int) -> None:
    engines = [labelled(known.engine(plan_of(head), seed), known.truth) for seed in (3, 4)]
    first, second = (asked_ranks(engine, 200) for engine in engines)
    assert sorted(first[:head]) == list(range(1, head + 1))
    assert first[head:].min() > head and len(set(first)) == 200
    assert set(first[head:]) != set(second[head:])


@pytest.mark.parametrize("head", [0, 80])
def test_the_band_from_the_answers(known: Known, head: int) -> None:
    """At each rank beyond the head: its hits, and the mean of what was sampled up to there. Where
    other ranks say no more the ends are the inequality's own."""
    engine = labelled(known.engine(plan_of(head), 3), known.truth)
    verdicts, asked = in_ranks(known, engine), asked_ranks(engine, 200)
    value, low, high = ranked_curve(engine, RANKS).read("precision")
    own_ends = np.zeros(2, dtype=bool)
    for rank in (1, 50, 80, 81, 90, 124, 300, 600):
        inside = asked[(asked > head) & (asked <= rank)]
        if not len(inside):
            assert rank <= head or np.isnan(value[rank - 1])
            continue
        hits = verdicts[:head].sum() + (rank - head) * verdicts[inside - 1].mean()
        reach = math.sqrt(math.log(2 * (N_ITEMS - head) / 0.05) / (2 * len(inside)))
        share = (rank - head) / rank
        assert low[rank - 1] - 1e-12 <= value[rank - 1] <= high[rank - 1] + 1e-12
        ends = hits / rank - share * reach, hits / rank + share * reach
        assert low[rank - 1] >= ends[0] - 1e-12 and high[rank - 1] <= ends[1] + 1e-12
        own_ends |= np.isclose((low[rank - 1], high[rank - 1]), ends)
        if low[rank - 1] < hits / rank < high[rank - 1]:
            assert value[rank - 1] == pytest.approx(hits / rank)
    assert np.all(low[:head] == high[:head]) and own_ends.all()
    band = precision_curve(engine)
    assert (band.confidence, band.simultaneous, band.promise) == (0.95, True, "fixed")


def test_nothing_before_the_planned_size_and_nothing_new_after(known: Known) -> None:
    engine = known.engine(plan_of(80), 3)
    for labels in label(engine, known.truth):
        if labels in (1, 80):
            assert precision_curve(engine).state == "too few"
        if labels in (81, 199):
            band = precision_curve(engine)
            assert band.state == "provisional" and np.isfinite(band.value[-1])
            assert np.all(band.low == 0) and np.all(band.high == 1)
            assert f"{labels} of 200 items judged" in band.sentence()
    before = precision_curve(engine)
    assert before.state == "interval"
    engine.limit = 300
    labelled(engine, known.truth)
    assert engine.labels == 300
    np.testing.assert_array_equal(precision_curve(engine).low, before.low)


def test_stopped_early_has_no_promise(known: Known) -> None:
    engine = known.engine(plan_of(), 3)
    labelled_to(engine, known, 120)
    engine.finished = True
    band = precision_curve(engine)
    assert (band.state, band.promise, band.draws_used) == ("stopped early", "none", 120)


@pytest.mark.parametrize("kind", ["unsure", "broken", "later"])
@pytest.mark.parametrize("index", [20, 120])
def test_an_item_without_a_class_counts_both_ways(known: Known, kind: str, index: int) -> None:
    check_doubtful_item_counts_both_ways(known, plan_of(80), kind, index, seed=5)


@pytest.mark.parametrize("head", [0, 80, 600, 5_000])
def test_a_census_is_exact(known: Known, head: int) -> None:
    engine = labelled(known.engine(plan_of(head, budget=N_ITEMS), 3), known.truth)
    curve = ranked_curve(engine, RANKS)
    truth = np.cumsum(in_ranks(known, engine)) / RANKS
    assert curve.state == "exact"
    np.testing.assert_allclose(curve.read("precision"), [truth] * 3, atol=1e-9)


def test_what_is_read_off_the_whole_list(known: Known) -> None:
    """Also where no sampled item lies among the first ranks."""
    for head in (0, 80):
        engine = labelled(known.engine(plan_of(head), 3), known.truth)
        for name in ASKED[1:]:
            one = results(engine)[name]
            assert one.value is not None and one.low < one.value < one.high
            assert (one.confidence, one.promise) == (0.95, "fixed")


def test_preview_says_how_wide_it_is_where_it_is_widest(known: Known) -> None:
    widest = [
        lc.preview(known.population, plan_of(head)).expected_half_width["precision_curve"]
        for head in (0, 80)
    ]
    assert widest[0] == 0.5 and 0.05 < widest[1] < 0.4
    band = ranked_curve(labelled(known.engine(plan_of(80), 3), known.truth), RANKS)
    _, low, high = band.read("precision")
    assert (high - low).max() / 2 == pytest.approx(widest[1], abs=0.1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"params": {"head": -1}}, r"params\['head'\] must lie between 0 and 1000000000, got -1"),
        (
            {"promise": "watched"},
            "promise 'watched' cannot go with design 'random_curve', which has fixed",
        ),
        ({"target": "process"}, "target must be file for design 'random_curve', got 'process'"),
        ({"budget": None}, "needs a budget"),
    ],
)
def test_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        lc.Plan(NAME, ASKED, **{"budget": 100, **values})


def test_a_budget_within_the_head_is_refused(known: Known) -> None:
    with pytest.raises(PlanError, match="budget must be at least 81 for design .* file, got 80"):
        lc.Session(known.population, plan_of(80, budget=80))
