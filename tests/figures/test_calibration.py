"""Calibration: ranges fixed before the first label, a band that holds for all of them together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.charts.calibration import calibration_chart
from labelcore.figures.calibration import bounds, cell_rates, counted
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, label_all
from labelcore.planning.simulation import run_seed
from labelcore.stats.profile import Cells
from labelcore.testing.known import Known, calibrated
from tests.answering import answer_draws, next_draw
from tests.cases import once
from tests.columns import items

DESIGNS = {
    "recalibrated_neyman": ("precision", "recall"),
    "simple_random": ("accuracy", "precision"),
}
SESSIONS, NOISE = 80, 3.0
LIMIT = 0.95 - NOISE * np.sqrt(0.95 * 0.05 / SESSIONS)
known = once(calibrated, 1500, seed=11)


def labelled(known: Known, plan: lc.Plan, most: int | None = None) -> lc.Session:
    return answer_draws(lc.Session(known.population, plan), known, until=most)


def missed(engine: Engine, truth: np.ndarray) -> list[bool]:
    """Whether the band of any range misses: at the end, at any tenth label as the watched band and,
    at the end, with the whole error level for each range."""
    ranges, tally, _ = counted(engine, "lr")
    tally, position = tally.emptied(), engine.draws.position.astype(np.int64)
    each = tally.after_each(position, truth[position], 1)
    looks, rates = np.arange(10, len(position) + 1, 10), cell_rates(engine, "lr", tally)
    number, found = len(ranges.sizes), [False, False, False]
    done = looks / len(position), engine.plan.horizon or 1
    for place in range(number):
        mine = tally.group == place
        at = np.ix_(looks - 1, mine)
        cells = Cells(
            each.size[mine], each.labelled[at], each.positive[at], each.predicted[mine],
            np.zeros(mine.sum(), dtype=np.int64),
        )  # fmt: skip
        own, share = np.broadcast_to(rates[mine], cells.labelled.shape), 0.05 / number
        true = truth[ranges.codes == place].mean()
        for kind, (level, spent) in enumerate(((share, None), (share, done), (0.05, None))):
            low, high = bounds(cells, own, 1 - level, spent)
            wrong = (low > true + 1e-9) | (high < true - 1e-9)
            found[kind] |= bool(wrong.any() if spent else wrong[-1])
    return found


@pytest.mark.full
@pytest.mark.slow
def test_the_band_holds_for_all_ranges_and_at_all_looks_together(known: Known) -> None:
    """80 seeded sessions of 150 labels; without Bonferroni the same test fails."""
    design = "simple_random"
    plan = lc.Plan(design, DESIGNS[design], classifier="lr", budget=150)
    first = beginning(known.population, kept_plan(known.population, plan))
    engines = [first.redrawn(run_seed(41, run)) for run in range(SESSIONS)]
    label_all(engines, known.truth)
    held = 1 - np.mean([missed(engine, known.truth) for engine in engines], axis=0)
    assert min(held[:2]) >= LIMIT > held[2]


@pytest.mark.parametrize("design", DESIGNS)
def test_ranges_part_the_scores_and_stay_as_they_were(known: Known, design: str) -> None:
    plan = lc.Plan(design, DESIGNS[design], budget=200, seed=2)
    before, after = lc.Session(known.population, plan), labelled(known, plan)
    first, found = before.calibration(), after.calibration()
    assert np.isnan(first.value).all() and not first.low.any() and (first.high == 1).all()
    score = known.population.scores["lr"]
    place = np.searchsorted(found.score_to, score)
    assert np.bincount(place).tolist() == found.items.tolist() == first.items.tolist()
    assert (found.score_from[1:] > found.score_to[:-1]).all()
    assert found.labels.sum() == 200 and (found.labels > 8).all()
    assert (found.low <= found.value).all() and (found.value <= found.high).all()
    assert "range" in found.sentence() and len(found.to_frame()) == len(found.items)


def test_a_fixed_promise_is_told_at_the_planned_size_only(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["precision"], budget=60, seed=2, promise="fixed")
    early = labelled(known, plan, 59).calibration()
    assert not early.has_band and "told at the planned 60 labels" in early.sentence()
    session = labelled(known, plan)
    done = session.calibration()
    assert done.has_band and "valid at the planned 60 labels only" in done.sentence()
    drawing = calibration_chart(replace(done, classifier="x" * 200)).drawing
    assert len(drawing.level.axis.title) < 60, "a name from a file is shortened on a chart"
    engine, number = session.engine, len(done.items)
    _, tally, _ = counted(engine, "lr")
    for place in range(number):
        own = cell_rates(engine, "lr", tally)[tally.group == place]
        cells = tally.of_group(place).cells(1)
        ends = bounds(cells, own, 1 - 0.05 / number, None)
        assert ends == pytest.approx((done.low[place], done.high[place]), abs=1e-9)
    watched = replace(plan, promise="watched")
    wider = labelled(known, watched).calibration()
    assert (wider.high - wider.low > done.high - done.low - 1e-9).all()


def test_a_census_is_exact_and_an_open_item_counts_both_ways(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 300, seed=11)
    population = known.population
    plan = lc.Plan("simple_random", ["prevalence"], budget=len(population))
    session = labelled(known, plan, len(population) - 1)
    nearly = session.calibration()
    draw = next_draw(session)
    session.answer(draw, "unsure")
    wide = session.calibration()
    assert ((wide.high - wide.low) > 1e-9).sum() == 1 and (wide.labels == nearly.labels).all()
    session.revise(draw.index, bool(known.truth[population.position(draw.item_id)]), "t")
    exact = session.calibration()
    place = np.searchsorted(exact.score_to, population.scores["lr"])
    truth = np.bincount(place, known.truth) / exact.items
    assert np.allclose(exact.low, truth, atol=1e-9) and np.allclose(exact.high, truth, atol=1e-9)


def test_corrected_scores_are_the_weighted_fit_that_rises(known: Known) -> None:
    session = labelled(known, lc.Plan("recalibrated_neyman", ["precision"], budget=200, seed=3))
    found = session.corrected_scores()
    ordered = found.sort_values("score")
    assert found["id"].tolist()[:2] == [known.population.id_at(0), known.population.id_at(1)]
    assert (np.diff(ordered["corrected"]) >= -1e-12).all()
    labels = session.labels_table().merge(found, on="id")
    said = labels["answer"] == known.population.positive
    # Of a fit by pooling the weighted means of both sides are equal (Robertson et al. 1988, 1.3).
    mean = np.average(said, weights=labels["weight"])
    assert np.average(labels["corrected"], weights=labels["weight"]) == pytest.approx(mean)


def test_what_has_no_calibration_says_why(known: Known) -> None:
    session = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], budget=20))
    with pytest.raises(ValueError, match="classifier must be one with a score: lr, got 'lt'"):
        session.calibration("lt")
    with pytest.raises(ValueError, match="no label yet to correct the scores by"):
        session.corrected_scores()
    three = items(predictions={"lr": ["a", "b", "c", "a"] * 10})
    with pytest.raises(ValueError, match="needs two classes, and there are 3"):
        lc.Session(three, lc.Plan("simple_random", ["accuracy"], budget=20)).calibration()


def test_about_items_like_these_how_many_of_each_cell_there_are_is_chance_too() -> None:
    size = np.array([500.0, 500.0])
    cells = Cells(size, size, np.array([50.0, 450.0]), np.array([False, True]))
    low, high = bounds(cells, np.array([0.1, 0.9]), 0.95, None, "process")
    plain = 1.96 * np.sqrt(0.25 / 1000)  # Of a thousand items, half of them positive.
    assert 0.9 * plain < float(high - low) / 2 < 1.3 * plain
