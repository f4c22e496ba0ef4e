"""Cutting a ranked list: what is kept, where a precision ends, packages, and their promise."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.curves import Curve
from labelcore.figures.current import FiguresNow
from labelcore.figures.curves import ranked_curve
from labelcore.figures.cuts import (
    cheapest_cut,
    cut_at,
    deepest_cut,
    own_cut,
    packages,
    rank_of_score,
    ranks_that_matter,
    told_rank,
)
from labelcore.log.engine import Engine
from labelcore.stats import curve_readings
from labelcore.testing.known import Known, calibrated, fewest, label, labelled, write
from tests.answering import labelled_to, many_labelled
from tests.cases import once
from tests.columns import items
from tests.curves import precision_curve

N_ITEMS = 900
REQUIRED = (0.9, 0.7, 0.5)
known = once(calibrated, N_ITEMS, seed=41, a=1.2, b=1.0)


@pytest.mark.parametrize(("number", "told"), [(5, 5), (30, 10), (400, 100)])
def test_a_list_is_told_by_a_rank_that_its_page_shows(number: int, told: int) -> None:
    population = items(scores={"m": [n / number for n in range(number)]})
    assert told_rank(population, "m") == told in ranks_that_matter(population, "m")


def plan_of(budget: int = 250, confidence: float = 0.95) -> lc.Plan:
    return lc.Plan("geometric_strata", ["precision_curve"], budget=budget, confidence=confidence,
                   promise="fixed")  # fmt: skip


@pytest.fixture(scope="module")
def done(known: Known) -> Engine:
    return labelled(known.engine(plan_of(), 2), known.truth)


def precision(known: Known, engine: Engine, rank: int) -> float:
    return float(known.truth[engine.rank_order[:rank]].mean())


def test_a_cut_reads_the_curve_at_its_rank(done: Engine) -> None:
    whole = ranked_curve(done, np.arange(1, N_ITEMS + 1))
    for rank in (1, 50, 51, 333, N_ITEMS):
        cut = cut_at(done, rank)
        assert set(cut.readings) == {"precision", "recall", "yield", "f1"}
        for name, one in cut.readings.items():
            value, low, high = (part[rank - 1] for part in whole.read(name))
            assert (one.value[0], one.low[0], one.high[0]) == pytest.approx((value, low, high))
            row = cut.to_frame().set_index("reading").loc[name]
            assert row[["value", "low", "high"]].tolist() == pytest.approx([value, low, high])
        assert ("the first item" if rank == 1 else f"the first {rank:,} items") in cut.sentence()
    assert "95 % confidence, approximate, all ranks together" in cut_at(done, 333).sentence()
    assert "exactly" not in cut_at(done, 333).sentence()


@pytest.mark.parametrize(
    ("called", "tied", "cut"),
    [
        ([1, 1, 0, 0], (), 2),
        ([1, 0, 1, 0], (), None),
        ([0] * 4, (), None),
        ([1] * 4, (), None),
        ([1, 1, 0, 0], (0, 1), 2),
        ([1, 1, 0, 0], (1, 2), None),
    ],
)
def test_the_own_cut_is_one_only_where_the_first_items_are_called(
    called: list[int], tied: tuple[int, ...], cut: int | None
) -> None:
    """The list orders items of equal score, ``tied``, by chance."""
    score = [4 - min(tied) if n in tied else 4 - n for n in range(len(called))]
    population = items(scores={"m": score}, predictions={"m": called})
    assert own_cut(population, "m") == cut and own_cut(population, None) is None


def test_cuts_worked_out_together_are_those_of_each_alone(done: Engine) -> None:
    ranks = [120, 1, 37, len(done.population)]
    now = FiguresNow(done)
    together = now.cuts(ranks)
    for rank, one in zip(ranks, together, strict=True):
        alone = cut_at(done, rank)
        assert (one.rank, one.score, one.tied) == (alone.rank, alone.score, alone.tied)
        assert one.sentence() == alone.sentence() and {*one.readings} == {*alone.readings}
        for name, reading in alone.readings.items():
            same = one.readings[name]
            assert (same.low[0], same.high[0]) == (reading.low[0], reading.high[0])
    assert now.cuts([37])[0] is together[2]
    with pytest.raises(TypeError, match="whole number"):
        now.cuts([True])


def test_the_bounds_of_a_cut_hold_the_truth_of_a_census(known: Known) -> None:
    engine = labelled(known.engine(plan_of(N_ITEMS), 2), known.truth)
    cut = cut_at(engine, 123)
    assert "exactly" in cut.sentence()
    for end in (cut.readings["precision"].low[0], cut.readings["precision"].high[0]):
        assert end == pytest.approx(precision(known, engine, 123), abs=1e-12)


@pytest.mark.parametrize(
    ("rank", "error", "words"),
    [
        (0, ValueError, "rank must lie between 1 and 900, got 0"),
        (901, ValueError, "got 901"),
        (2.5, TypeError, "rank must be a whole number, got 2.5"),
        (True, TypeError, "got True"),
        ("7", TypeError, "got '7'"),
    ],
)
def test_a_rank_that_is_none_is_refused(
    done: Engine, rank: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        cut_at(done, rank)  # type: ignore[arg-type]


def test_equal_scores_are_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    score = np.repeat([0.9, 0.5, 0.1], [60, 100, 140])
    known = write(tmp_path_factory.mktemp("tied"), np.arange(300) % 2, score=score)
    engine = labelled(known.engine(plan_of(), 1), known.truth)
    assert cut_at(engine, 100).tied == (61, 160) and cut_at(engine, 160).tied == (61, 160)
    assert "Ranks 61 to 160 have this same score" in cut_at(engine, 100).sentence()
    assert "same score" not in cut_at(engine, 160).sentence()
    for value, rank in ((0.95, 0), (0.9, 60), (0.5, 160), (0.3, 160), (0.0, 300)):
        assert rank_of_score(engine, value) == rank


def test_low_scores_first_where_low_means_positive(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    score = np.linspace(0, 1, 300)
    known = write(tmp_path_factory.mktemp("turned"), (score < 0.4).astype(int), score=score,
                  descending=["lr"])  # fmt: skip
    engine = labelled(known.engine(plan_of(200), 1), known.truth)
    assert rank_of_score(engine, score[9]) == 10
    assert cut_at(engine, 10).score == pytest.approx(score[9], abs=1e-6)


def test_before_a_first_label_nothing_is_known(known: Known) -> None:
    engine = known.engine(plan_of(), 2)
    assert "nothing is known yet" in cut_at(engine, 40).sentence()
    assert deepest_cut(engine, 0.5) is None and packages(engine, [0.5]).empty
    labelled_to(engine, known, 150)
    assert "this has no interval yet" in cut_at(engine, 40).sentence()


@pytest.mark.parametrize("asked", [0.95, 0.8, 0.7, 0.55])
def test_the_deepest_cut_is_the_last_rank_whose_lower_bound_reaches(
    done: Engine, asked: float
) -> None:
    """At every rank, not only at those of a chart's grid."""
    _, low, _ = ranked_curve(done, np.arange(1, N_ITEMS + 1)).read("yield")
    sure = np.ceil(low - 1e-6)
    reaching = np.flatnonzero(sure >= asked * np.arange(1, N_ITEMS + 1) - 1e-9) + 1
    cut = deepest_cut(done, asked)
    assert (cut.rank if cut else 0) == (reaching[-1] if len(reaching) else 0)


def test_packages_are_deepest_cuts_and_what_lies_between(known: Known, done: Engine) -> None:
    asked = [0.7, 0.9, 0.6, 1.0]
    table = packages(done, asked)
    assert table["precision"].tolist() == sorted(asked, reverse=True)
    assert table["items"].sum() == table["last"].max()
    yields = ranked_curve(done, np.arange(1, N_ITEMS + 1)).yields
    assert yields is not None
    before = 0
    scores = np.sort(known.population.scores["lr"])[::-1]
    for row, exact in zip(table.itertuples(), curve_readings.packages(yields, asked), strict=True):
        cut = deepest_cut(done, row.precision)
        assert row.last == (cut.rank if cut else 0) == exact.last_rank
        np.testing.assert_allclose([row.low, row.own_high], [exact.low, exact.own_high])
        if row.items:
            assert row.first == before + 1 and row.low >= row.precision - 1e-9
            assert row.score == scores[row.last - 1]
            own = known.truth[done.rank_order[before : row.last]].mean()
            assert row.own_low - 1e-9 <= own <= row.own_high + 1e-9
        before = row.last


def test_a_searched_place_needs_bounds_for_all_ranks(known: Known) -> None:
    plan = lc.Plan("simple_random", ["precision", "precision_curve"], budget=120)
    engine = labelled(known.engine(plan, 1), known.truth)
    assert cut_at(engine, 100).readings["precision"].has_interval
    for search in (lambda: deepest_cut(engine, 0.8), lambda: packages(engine, [0.8])):
        with pytest.raises(ValueError, match="Choose a method for ranked lists"):
            search()


def test_paula_may_be_cut_but_promises_nothing(known: Known) -> None:
    plan = lc.Plan("paula", ["precision_curve"], params={"epsilon": 0.2, "window": 10})
    engine = labelled(known.engine(plan, 1), known.truth)
    cut = deepest_cut(engine, 0.8)
    assert cut is not None and "no confidence goes with it" in cut.sentence()
    assert "95" not in cut.sentence().replace(str(cut.rank), "")


def true_share(known: Known, place: Callable[[Engine], int], runs: int = 80) -> float:
    """How often at least 70 % are positive down to the place found, at confidence 80 %."""
    right = 0
    for engine in many_labelled(known, plan_of(160, 0.8), runs):
        rank = place(engine)
        right += rank == 0 or precision(known, engine, rank) >= 0.7
    return right / runs


def by_bounds(engine: Engine) -> int:
    cut = deepest_cut(engine, 0.7)
    return cut.rank if cut else 0


def by_estimate(engine: Engine) -> int:
    """The deepest cut whose estimate reaches it: the place that was lucky."""
    value = ranked_curve(engine, np.arange(1, N_ITEMS + 1)).read("precision")[0]
    return int(np.flatnonzero(value >= 0.7)[-1]) + 1


@pytest.mark.full
@pytest.mark.slow
def test_a_place_found_by_the_bounds_keeps_the_promise_and_one_by_the_estimate_not(
    known: Known,
) -> None:
    assert true_share(known, by_bounds) >= fewest(80, 0.8) > true_share(known, by_estimate)


def test_nothing_is_cut_beyond_what_paula_has_reached(known: Known) -> None:
    """Half of the blocks: the hits seen would be half of a longer head too, but nothing is said
    about it."""
    plan = lc.Plan("paula", ["precision_curve"], params={"epsilon": 0.3, "window": 5})
    engine = known.engine(plan, 1)
    steps = label(engine, known.truth)
    half = int(engine.frame.batch_ends[len(engine.frame.batch_ends) // 2])  # type: ignore[attr-defined]
    while engine.labels < half:
        next(steps)
    reached = int(precision_curve(engine).x[-1])
    assert reached < len(known.truth)
    cut = deepest_cut(engine, 0.05)
    assert cut is not None and cut.rank == reached and cut.readings["precision"].has_interval
    assert packages(engine, [0.05])["last"].max() == reached


def test_bounds_that_cross_are_no_certainty(tmp_path: Path) -> None:
    """Precision that rises along the list: the upper bound falls below the lower one."""
    score = np.linspace(1, 0, 400).round(6)
    truth = (np.arange(400) >= 200).astype(int)
    rising = write(tmp_path, truth, score=score)
    plan = lc.Plan("paula", ["precision_curve"], params={"epsilon": 0.3, "window": 5})
    engine = labelled(rising.engine(plan, 1), rising.truth)
    band = precision_curve(engine)
    rank = int(band.x[np.flatnonzero(band.low > band.high + 0.01)[0]])
    told = cut_at(engine, rank).sentence()
    assert "contradict each other" in told and "the assumption fails" in told
    assert "%" not in told.split("contradict")[0].split("score")[0]


def test_the_cheapest_cut_of_a_census_is_that_of_the_truth(known: Known) -> None:
    engine = labelled(known.engine(plan_of(N_ITEMS), 2), known.truth)
    hits = np.append(0, np.cumsum(known.truth[engine.rank_order]))
    for miss, alarm in ((1.0, 1.0), (3.0, 1.0), (1.0, 4.0)):
        cost = miss * (hits[-1] - hits) + alarm * (np.arange(N_ITEMS + 1) - hits)
        least = np.flatnonzero(cost == cost.min())
        found = cheapest_cut(engine, miss, alarm)
        assert found is not None
        assert (found.first, found.last) == (least[0], least[-1]) and found.rank in least


def test_the_cheapest_cut_lies_between_bounds_that_hold_the_true_one(
    known: Known, done: Engine
) -> None:
    hits = np.append(0, np.cumsum(known.truth[done.rank_order]))
    for miss, alarm in ((1.0, 1.0), (5.0, 1.0), (1.0, 5.0)):
        cost = miss * (hits[-1] - hits) + alarm * (np.arange(N_ITEMS + 1) - hits)
        found = cheapest_cut(done, miss, alarm)
        assert found is not None
        assert found.first <= int(np.argmin(cost)) <= found.last
        assert found.first <= found.rank <= found.last < N_ITEMS + 1
        assert rank_of_score(done, found.score) == found.rank
        sentence = found.sentence()
        assert f"costs {miss:g} and a false alarm {alarm:g}" in sentence
        assert "95 % confidence, approximate, all ranks together" in sentence
    assert cheapest_cut(known.engine(plan_of(), 2), 1.0, 1.0) is None


def test_bounds_that_leave_most_of_the_list_name_no_cut(known: Known, done: Engine) -> None:
    found = cheapest_cut(done, 1.0, 1.0)
    assert found is not None
    wide = replace(found, first=1, last=6 * N_ITEMS // 10 + 2).sentence()
    assert "do not say yet where to cut" in wide and "costs least" not in wide
    assert "costs least" in replace(found, first=1, last=N_ITEMS // 2).sentence()


def test_what_was_asked_of_a_state_is_worked_out_once_and_anew_after_a_label(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Explore asks at each of its visits: one curve, and one of all ranks; what is read off is
    what curves that are made anew say."""
    made: list[int] = []

    def counted(*asked: Any) -> Curve:
        made.append(1)
        return ranked_curve(*asked)

    for room in ("curves", "current"):
        monkeypatch.setattr(f"labelcore.figures.{room}.ranked_curve", counted)
    engine, told = known.engine(plan_of(), 3), []
    figures = FiguresNow(engine)
    for labels in label(engine, known.truth):
        if labels < 249:
            continue
        made.clear()
        for _ in range(2):
            cuts = [figures.deepest_cut(one) for one in REQUIRED]
            cheap, table = figures.cheapest_cut(5.0, 1.0), figures.packages(REQUIRED)
        told.append(len(made))
        anew = [deepest_cut(engine, one) for one in REQUIRED]
        assert [one and one.rank for one in cuts] == [one and one.rank for one in anew]
        again = cheapest_cut(engine, 5.0, 1.0)
        assert (cheap and cheap.rank) == (again and again.rank)
        assert table.equals(packages(engine, REQUIRED))
    assert told == [2, 2] and any(cuts)
