"""The race of methods on simulated sessions, against exact widths where these are known."""

from dataclasses import replace
from itertools import pairwise
from math import sqrt
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import labelcore as lc
from labelcore.designs.base import IntArray
from labelcore.figures.cuts import deepest_cut
from labelcore.planning import race as races
from labelcore.planning.methods import Line, for_design, line
from labelcore.planning.race import (
    CUT_LABELS,
    SESSIONS,
    WORLDS,
    _Runner,
    labels_for_cut,
    likely_classes,
    may_race,
    race,
)
from labelcore.planning.runs import label_all
from labelcore.planning.simulation import simulate
from labelcore.testing.known import Known, calibrated
from labelcore.ui import forecasts
from tests.cases import once, sampled
from tests.columns import items

ITEMS, RIGHT = 4_000, 0.8
LIMIT = 3.5
"""Standard errors: one wrong alarm in 2,000 comparisons. Seeds are given, so none by chance."""
AT_LENGTH = 1e6
DEEP = 400
SEED = 3
known = once(calibrated, 2_000, seed=7)


@pytest.fixture(scope="module")
def planted() -> lc.Population:
    """A score of .8 or .2, cut at one half: each item is judged rightly with the same chance, so
    that a plain random sample holds a binomial number of right judgements."""
    said = np.random.default_rng(1).random(ITEMS) < 0.3
    return items(scores={"c": np.where(said, RIGHT, 1 - RIGHT)}, thresholds={"c": 0.5})


def plain(**goal: float) -> lc.Plan:
    return lc.Plan("simple_random", ["accuracy"], promise="fixed", **goal)


def entered(population: lc.Population, plan: lc.Plan, *others: str) -> list[tuple[lc.Plan, Line]]:
    plans = [for_design(plan, name, population) for name in (plan.design, *others)]
    return [(one, line(population, one)) for one in plans]


def expected_half_width(labels: int) -> float:
    """Of Wilson's interval with the finite-population factor, over the binomial number of right
    judgements."""
    z, effective = 1.959963984540054, labels / (1 - labels / ITEMS)
    share = np.arange(labels + 1) / labels
    half = np.sqrt(share * (1 - share) / effective + (z / effective) ** 2 / 4)
    half *= z / (1 + z**2 / effective)
    return float(half @ binom.pmf(np.arange(labels + 1), labels, RIGHT))


def everything_right(population: lc.Population):
    """The nearest mistake: as sure as the prediction."""
    said: IntArray = population.predictions["c"].astype(np.int64)
    return lambda number: said


def within_noise(found: Line, value: float, expected: float) -> bool:
    return abs(value / expected - 1) <= LIMIT * found.error


@pytest.mark.parametrize("labels", [60, pytest.param(400, marks=pytest.mark.full)])
def test_the_width_of_a_plain_sample_is_the_exact_one(planted: lc.Population, labels: int) -> None:
    both = [entered(planted, plain(budget=labels))] * 2
    found, twin = (
        race(planted, one, seconds=AT_LENGTH, seed=SEED, world=world)["simple_random"]
        for one, world in zip(both, (None, everything_right(planted)), strict=True)
    )
    expected = expected_half_width(labels)
    assert found.labels == labels and found.runs == WORLDS * SESSIONS
    assert 0 < found.error < 0.02
    assert within_noise(found, found.half_widths["accuracy"], expected)
    assert not within_noise(found, twin.half_widths["accuracy"], expected)


def test_a_figure_that_no_label_gives_does_not_race() -> None:
    population = items(scores={"c": np.arange(400) / 400}, predictions={"c": [0] * 400})
    plan = lc.Plan("simple_random", ["precision", "accuracy"], budget=100, promise="fixed")
    found = race(population, entered(population, plan), seconds=AT_LENGTH, seed=SEED)
    widths = found["simple_random"].half_widths
    assert [*widths] == ["accuracy"] and widths["accuracy"] < 0.15
    curve = forecasts.curve(population, plan, 200)
    assert curve[0][1] > 1.5 * curve[-1][1], "a precision without a value would stay at one half"


def test_a_difference_without_an_interval_may_lie_anywhere_between_minus_one_and_one() -> None:
    """Hardly a positive: most sessions say nothing of either recall, and none is sure of more than
    a small part of the range."""
    said = np.random.default_rng(1).integers(0, 2, (ITEMS, 2))
    scores = dict.fromkeys("ab", [0.001] * ITEMS)
    population = items(scores=scores, predictions=dict(zip("ab", said.T, strict=True)))
    plan = lc.Plan(
        "paired_comparison", ["recall_difference"], classifier=("a", "b"), budget=100,
        promise="fixed",
    )  # fmt: skip
    assert at_size(population, plan, line(population, plan)) > 0.9


@pytest.mark.parametrize("margin", [0.1, 0.03])
def test_the_labels_of_a_plain_sample_are_the_exact_ones(
    planted: lc.Population, margin: float
) -> None:
    (entrant,) = entered(planted, plain(margin=margin))
    start = replace(entrant[1], labels=3 * entrant[1].labels)
    exact = next(n for n in range(5, ITEMS) if expected_half_width(n) <= margin)
    for formula in (entrant[1], start):
        found = race(planted, [(entrant[0], formula)], seconds=AT_LENGTH, seed=SEED)
        assert within_noise(found["simple_random"], found["simple_random"].labels, exact)
        assert found["simple_random"].half_widths["accuracy"] == pytest.approx(margin, rel=0.02)
    twin = race(planted, [entrant], seconds=AT_LENGTH, seed=SEED, world=everything_right(planted))[
        "simple_random"
    ]
    assert not within_noise(found["simple_random"], twin.labels, exact)


@pytest.mark.parametrize(
    "design", sampled(["recalibrated_neyman", "stratified", "oversampling"], 1, seed=1)
)
@pytest.mark.full
def test_the_widths_are_those_of_simulate(known: Known, design: str) -> None:
    """With the same classes, although strata are made once: another way to the same mean."""
    plan = lc.Plan(design, ["accuracy"], budget=100, promise="fixed")
    found = race(
        known.population, entered(known.population, plan), seconds=AT_LENGTH, seed=SEED,
        world=lambda number: known.truth,
    )[design]  # fmt: skip
    shown = simulate(known.population, plan, truth=known.truth, runs=100, seed=1).table()
    half = (shown["high"] - shown["low"]) / 2
    noise = sqrt(float(half.var(ddof=1)) / 100 + (found.error * found.half_widths["accuracy"]) ** 2)
    assert abs(found.half_widths["accuracy"] - half.mean()) <= LIMIT * noise
    said = known.population.predictions["lr"].astype(np.int64)
    twin = race(known.population, entered(known.population, plan), seconds=AT_LENGTH, seed=SEED,
                world=lambda number: said)[design]  # fmt: skip
    assert abs(twin.half_widths["accuracy"] - half.mean()) > LIMIT * noise


def test_the_same_seed_gives_the_same_numbers_whoever_runs_beside(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=60)
    many = entered(known.population, plan, "simple_random")
    alone = race(known.population, many[:1], seconds=AT_LENGTH, seed=SEED)
    beside = race(known.population, many, seconds=AT_LENGTH, seed=SEED)
    assert set(beside) == {"recalibrated_neyman", "simple_random"}
    assert beside["recalibrated_neyman"] == alone["recalibrated_neyman"]
    other = race(known.population, many[:1], seconds=AT_LENGTH, seed=SEED + 1)
    assert other["recalibrated_neyman"].half_widths != alone["recalibrated_neyman"].half_widths


def test_no_time_and_a_cancelled_race_give_nothing(known: Known) -> None:
    many = entered(known.population, plain(budget=50), "recalibrated_neyman")
    assert race(known.population, many, seconds=0) == {}
    shares: list[float] = []

    def cancel(share: float) -> bool:
        shares.append(share)
        return len(shares) < 5

    assert race(known.population, many, seconds=AT_LENGTH, progress=cancel) == {}
    assert len(shares) == 5


def test_a_race_that_is_out_of_time_keeps_what_was_done(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that runs a tenth of a second between any two looks at it."""
    ticks = iter(range(10**6))
    monkeypatch.setattr(races, "monotonic", lambda: next(ticks) / 10)
    many = entered(known.population, plain(budget=50), "recalibrated_neyman")
    found = race(known.population, many, seconds=4, seed=SEED)
    assert {one.runs for one in found.values()} <= set(range(16, 40)) and len(found) == 2
    assert race(known.population, many, seconds=1, seed=SEED) == {}


def test_progress_goes_up_to_its_end(known: Known) -> None:
    shares: list[float] = []
    many = entered(known.population, plain(margin=0.2), "recalibrated_neyman")
    race(known.population, many, seconds=AT_LENGTH, progress=shares.append)
    assert all(one <= other for one, other in pairwise(shares)) and shares[-1] == 1.0
    assert shares[0] > 0


def test_a_size_is_as_wide_as_the_widest_figure_of_its_worlds_on_average() -> None:
    widths = [np.array([0.1, 0.3]), np.array([0.2, 0.1])]
    assert _Runner._widest(SimpleNamespace(widths=widths)) == pytest.approx(0.2)  # type: ignore[arg-type]


def test_margins_that_are_hardly_met(known: Known) -> None:
    """A margin for which everything is to be labelled, or that a cap does not reach; another that
    anything meets."""
    (entrant,) = entered(known.population, plain(margin=0.0001))
    assert entrant[1].labels == 2_000
    assert race(known.population, [entrant], seconds=AT_LENGTH) == {}
    capped = replace(entrant[0], budget=300)
    found = race(known.population, entered(known.population, capped), seconds=AT_LENGTH)
    assert found["simple_random"].labels == 300
    assert found["simple_random"].half_widths["accuracy"] > 0.01
    (entrant,) = entered(known.population, plain(margin=0.49))
    found = race(known.population, [entrant], seconds=AT_LENGTH)["simple_random"]
    assert found.labels <= entrant[1].labels and found.half_widths["accuracy"] <= 0.5


def test_worlds_follow_the_score(planted: lc.Population) -> None:
    """Share of positives within each score, in standard errors; a turned score is the twin."""
    plan = plain(budget=10)
    world = likely_classes(planted, plan, SEED)
    assert world is not None
    classes = np.array([world(number) for number in range(5)])
    for score in (RIGHT, 1 - RIGHT):
        at = planted.scores["c"] == score
        noise = sqrt(score * (1 - score) / (5 * at.sum()))
        assert abs(classes[:, at].mean() - score) <= LIMIT * noise
        assert abs((1 - classes[:, at]).mean() - score) > LIMIT * noise
    assert (classes[0] != classes[1]).any() and (world(0) == classes[0]).all()


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    """Three classes; scores with a mean of .9 that the prediction is right."""
    random, path = np.random.default_rng(2), tmp_path_factory.mktemp("three") / "items.csv"
    score, names = random.beta(9, 1, 3_000), np.array(["a", "b", "c"])
    said = random.integers(0, 3, 3_000)
    columns = {"text": "a", "score": score, "said": names[said]}
    pd.DataFrame(columns).to_csv(path, index_label="id")
    return lc.read_population(
        path, id="id", content="text", classes=list(names),
        scores={"c": "score"}, predictions={"c": "said"},
    )  # fmt: skip


def test_worlds_of_several_classes(three: lc.Population) -> None:
    said, score = three.predictions["c"].astype(np.int64), three.scores["c"]
    world = likely_classes(three, plain(budget=10), SEED)
    assert world is not None
    classes = world(0)
    noise = sqrt(float((score * (1 - score)).sum())) / len(said)
    assert abs((classes == said).mean() - score.mean()) <= LIMIT * noise
    others = np.bincount((classes - said)[classes != said] % 3, minlength=3)[1:]
    assert abs(others[0] - others[1]) <= LIMIT * sqrt(others.sum())


def test_who_may_race(known: Known, tmp_path: Path) -> None:
    population = known.population
    assert may_race(population, plain(budget=50))
    refused = {
        "a curve": lc.Plan("simple_random", ["precision_curve"], budget=50),
        "claims": lc.Plan("recalibrated_neyman", ["accuracy"], claims=["accuracy > 0.6"]),
    }
    assert [name for name, plan in refused.items() if may_race(population, plan)] == []
    path = tmp_path / "bare.csv"
    pd.DataFrame({"text": ["a"] * 9, "said": [0, 1, 1] * 3, "far": range(9)}).to_csv(
        path, index_label="id"
    )
    read = {"id": "id", "content": "text", "predictions": {"c": "said"}}
    bare, far = (
        lc.read_population(path, **read),
        lc.read_population(path, **read, scores={"c": "far"}),
    )
    assert not may_race(bare, plain(budget=5)) and not may_race(far, plain(budget=5))
    plan = plain(budget=5)
    assert race(bare, [(plan, line(bare, plan))]) == {}


@pytest.mark.parametrize(
    "design", ["simple_random", pytest.param("recalibrated_neyman", marks=pytest.mark.full)]
)
def test_formulas_of_several_classes_follow_the_scores(three: lc.Population, design: str) -> None:
    """Near the simulated width, as 80 % right judgements are not."""
    plan = lc.Plan(design, ["accuracy"], budget=200)
    ((_, formula),) = both = entered(three, plan)
    found = race(three, both, seconds=AT_LENGTH, seed=SEED)[design]
    assert formula.half_widths["accuracy"] == pytest.approx(found.half_widths["accuracy"], rel=0.1)
    unscored = replace(three, scores={})
    ((_, at_80),) = entered(unscored, plan)
    assert at_80.half_widths["accuracy"] > 1.2 * found.half_widths["accuracy"]


def test_few_labels_where_widths_fall_by_steps(known: Known) -> None:
    """A budget of so few watched labels would be refused, a margin is not; wherever it starts, the
    size is one that meets the margin, and one 6 % below it does not."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.18, promise="watched")
    formula = line(known.population, plan)
    for labels in (formula.labels, 45, 90):
        both = [(plan, replace(formula, labels=labels))]
        found = race(known.population, both, seconds=AT_LENGTH, seed=SEED)["recalibrated_neyman"]
        assert found.labels < 40 and found.half_widths["accuracy"] <= 0.18 + 1e-9
        fewer = round(0.94 * found.labels)
        assert at_size(known.population, plan, replace(formula, labels=fewer)) > 0.18


def test_a_size_just_above_one_that_is_too_wide_is_taken(known: Known) -> None:
    """Where a width falls by a step, no size comes nearer to the margin."""
    plan = plain(margin=0.1)
    runner = races._Runner(known.population, plan, line(known.population, plan), None, SEED)
    runner.engine = known.engine(plan, SEED)
    runner.tried, runner.labels, runner.widths = [(960, 0.2)], 1_000, [np.array([0.05])]
    assert runner._is_found()


def at_size(population: lc.Population, plan: lc.Plan, formula: Line) -> float:
    """The mean half-width at just the size of the line."""
    world = likely_classes(population, plan, SEED)
    assert world is not None
    runner = races._Runner(population, plan, formula, world, SEED)
    runner.wanted = WORLDS + 1
    for _ in range(WORLDS):
        runner.step()
    return runner._widest()


@pytest.mark.full
def test_labels_for_a_cut_are_those_with_which_sessions_find_one(known: Known) -> None:
    """Other sessions than those it was found by, answered by the file's truth, nearly all have a
    cut with as many labels, and fewer one as deep as takes more."""
    population = known.population
    plan = lc.Plan("geometric_strata", ["precision_curve"], classifier="c", budget=1_000)
    plan = replace(plan, classifier=population.classifiers[0])
    easy, deep = (labels_for_cut(population, plan, 0.6, depth) for depth in (10, DEEP))
    assert easy is not None and deep is not None and CUT_LABELS <= easy < deep
    assert labels_for_cut(population, plan, 1.0, 1_500) is None

    engines = [known.engine(replace(plan, budget=easy), 50 + run) for run in range(20)]
    label_all(engines, known.truth)
    cuts = [deepest_cut(engine, 0.6) for engine in engines]

    def share(depth: int) -> float:
        return sum(cut is not None and cut.rank >= depth for cut in cuts) / len(cuts)

    assert share(10) >= 0.8
    assert share(DEEP) < 0.8
