"""Stopping a stratified session at a margin, simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from benchmarks.stop_calibration import (
    GRID,
    LOOKS_IN_A_BATCH,
    Problem,
    _plain_ends,
    _watched_ends,
    calibrate_stop,
    looks,
    problem,
    stopped_session,
)
from labelcore.designs.base import Look, Progress
from labelcore.errors import PlanError
from labelcore.estimands import ratios
from labelcore.stats.profile import fixed_critical, profile_bounds
from tests.designs.synthetic import Known, calibrated

ESTIMANDS = ("accuracy", "precision", "recall")
MARGIN = 0.12


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return calibrated(tmp_path_factory.mktemp("stopping"), 1500, seed=1)


@pytest.fixture(scope="module")
def plan() -> lc.Plan:
    return lc.Plan("recalibrated_neyman", ESTIMANDS, margin=MARGIN, promise="fixed")


@pytest.fixture(scope="module")
def one(known: Known, plan: lc.Plan) -> Problem:
    return problem(known.population, plan)


def totals(known: Known, one: Problem) -> np.ndarray:
    return np.bincount(one.stratum[known.truth == 1], minlength=len(one.sizes)).astype(np.int64)


def session_to(one: Problem, known: Known, labels: int, seed: int = 0) -> Progress:
    """The first look of a session with at least so many labels."""
    generator = np.random.default_rng(seed)
    states = looks(one, totals(known, one), generator)
    return next(state for state in states if state.drawn.sum() >= labels)


def test_truth_is_that_of_the_file(known: Known, one: Problem) -> None:
    found = one.truth(totals(known, one))
    assert found == pytest.approx([known.value(name) for name in ESTIMANDS], abs=1e-12)


def test_drawn_truth_follows_the_scores(one: Problem) -> None:
    """400 draws of each stratum's positives: four standard errors of their mean."""
    generator = np.random.default_rng(2)
    drawn = np.array([one.drawn_truth(generator) for _ in range(400)])
    expected = np.bincount(one.stratum, one.rate)
    noise = np.sqrt(np.bincount(one.stratum, one.rate * (1 - one.rate)) / 400)
    assert np.all(np.abs(drawn.mean(axis=0) - expected) < 4 * noise)
    assert np.any(np.abs(drawn.mean(axis=0) - expected - one.sizes / 20) > 4 * noise)


def test_a_session_labels_the_whole_file_if_need_be(known: Known, one: Problem) -> None:
    last = session_to(one, known, one.limit)
    assert last.drawn.tolist() == one.sizes.tolist()
    assert last.positive.tolist() == totals(known, one).tolist()


def test_looks_follow_the_designs_batches(known: Known, one: Problem) -> None:
    """The first two batches take what a session of the engine takes, in several looks."""
    states = looks(one, totals(known, one), np.random.default_rng(3))
    counts = [state.drawn.sum() for state, _ in zip(states, range(12), strict=False)]
    engine = known.engine(lc.Plan("recalibrated_neyman", ESTIMANDS, budget=one.planned), 3)
    for _ in range(int(counts[LOOKS_IN_A_BATCH - 1])):
        engine.draw_next()
    found = session_to(one, known, int(counts[LOOKS_IN_A_BATCH - 1])).drawn
    assert found.tolist() == engine.drawn.tolist()
    assert np.all(np.diff(counts) >= 1)


def test_ends_are_those_of_the_design(known: Known, one: Problem) -> None:
    """Without a multiplier the fixed interval, last the watched band; between the roots within a
    thousandth of the interval itself."""
    state = session_to(one, known, 150)
    cells, n = one.cells(state.labelled, state.positive), int(state.drawn.sum())
    rates = one.design.fitted_rates(one.frame, state)
    (low, high), band = _plain_ends(one, state), _watched_ends(one, state)
    for promise, ends in (("fixed", (low[0], high[0])), ("watched", band)):
        look = Look(0.95, promise, n, one.planned, "file", one.frame.n_strata)
        figures = one.design.estimate(list(one.rows), cells, look, rates)
        assert ends[0] == pytest.approx(figures.low, abs=1e-6)
        assert ends[1] == pytest.approx(figures.high, abs=1e-6)
    table = ratios(list(one.rows), cells)
    place = int(np.searchsorted(GRID, 1.06))
    critical = 1.06**2 * fixed_critical(cells, table, 0.95, rates)
    exact = profile_bounds(cells, table, critical)
    assert low[place] == pytest.approx(exact[0], abs=1e-3)
    assert high[place] == pytest.approx(exact[1], abs=1e-3)


def test_a_larger_multiplier_stops_later(known: Known, one: Problem) -> None:
    found = stopped_session(one, totals(known, one), np.random.default_rng(4), watched=True)
    assert np.all(np.diff(found.labels) >= 0) and found.labels[-1] > found.labels[0]
    assert found.reached.all() and found.labels[0] >= one.first


def test_a_margin_out_of_reach_takes_the_budget(known: Known, plan: lc.Plan) -> None:
    small = problem(known.population, replace(plan, margin=0.01, budget=100))
    found = stopped_session(small, totals(known, small), np.random.default_rng(4))
    assert set(found.labels.tolist()) == {100} and not found.reached.any()


def test_calibration_is_seeded_and_says_its_error(known: Known, plan: lc.Plan) -> None:
    found = calibrate_stop(known.population, plan, sessions=12, seed=3)
    again = calibrate_stop(known.population, plan, sessions=12, seed=3)
    assert (found.multiplier, found.coverage, found.labels) == (
        again.multiplier, again.coverage, again.labels,
    )  # fmt: skip
    assert min(found.coverage.values()) >= 0.95 and found.multiplier >= 1
    assert found.coverage_error == pytest.approx(np.sqrt(0.95 * 0.05 / 12))
    assert found.labels >= found.plain_labels


def test_what_cannot_be_calibrated(known: Known, plan: lc.Plan) -> None:
    with pytest.raises(PlanError, match="needs a plan with a margin"):
        problem(known.population, replace(plan, margin=None, budget=100))
    with pytest.raises(PlanError, match="target 'file', got 'process'"):
        problem(known.population, replace(plan, target="process"))
    with pytest.raises(PlanError, match="strata of one prediction each"):
        problem(known.population, replace(plan, design="simple_random"))
    with pytest.raises(ValueError, match="sessions must be at least 1, got 0"):
        calibrate_stop(known.population, plan, sessions=0)


@pytest.mark.slow
@pytest.mark.parametrize(("confidence", "kept"), [(0.95, True), (0.7, False)])
def test_sessions_cover_where_the_scores_are_right(
    one: Problem, confidence: float, kept: bool
) -> None:
    """60 sessions on truths drawn from the scores, the largest multiplier: four standard errors
    under .95; the twin, with intervals of a lower confidence, falls short."""
    other, covered = replace(one, confidence=confidence), []
    for session in range(60):
        generator = np.random.default_rng((9, session))
        covered.append(stopped_session(other, one.drawn_truth(generator), generator).covered[-2])
    limit = 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)
    assert (np.mean(covered, axis=0).min() > limit) == kept
