"""The price of a choice: what simulated sessions took, against sessions simulated otherwise."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.planning import choosing
from labelcore.planning.choosing import FEWEST, Expected
from labelcore.planning.methods import Line, line
from labelcore.planning.race import may_race, race
from labelcore.planning.simulation import simulate

ITEMS, AT_LENGTH, SESSIONS = 600, 1e6, 12
WANTED = {"candidates": (60, 150, 300), "precision_threshold": 0.8}


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    """Scores that fall from nearly one to nearly none along the list."""
    score = np.round(0.98 / (1 + np.exp((np.arange(ITEMS) - 160) / 25)) + 0.01, 6)
    path = tmp_path_factory.mktemp("choosing") / "items.csv"
    truth = (np.random.default_rng(5).random(ITEMS) < score).astype(int)
    frame = pd.DataFrame({"text": "a", "score": score, "true_label": truth})
    frame.to_csv(path, index_label="id")
    return lc.read_population(path, id="id", content="text", scores={"c": "score"})


@pytest.fixture(autouse=True, scope="module")
def few_sessions() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "SESSIONS", SESSIONS)
        yield


@pytest.fixture(scope="module")
def likely(population: lc.Population, few_sessions: None) -> Line:
    """Of sessions answered as the scores suggest."""
    return raced(population, plan_of())


def raced(
    population: lc.Population, plan: lc.Plan, truth: np.ndarray | None = None, seed: int = 4
) -> Line:
    world = None if truth is None else lambda number: truth
    found = race(
        population, [(plan, line(population, plan))], seconds=AT_LENGTH, seed=seed, world=world
    )
    return found["reach_selection"]


def plan_of(budget: int = 200, **params: object) -> lc.Plan:
    return lc.Plan("reach_selection", "selection", params={**WANTED, **params}, budget=budget)


def test_it_is_what_simulated_sessions_take(population: lc.Population) -> None:
    """With one truth in every world, the same sessions by the other way to simulate."""
    truth = population.column("true_label")
    codes = np.array([int(one) for one in truth])
    found = raced(population, plan_of(), codes)
    expected = found.derived["expected"]
    other = simulate(population, plan_of(ITEMS), truth="true_label", runs=SESSIONS, seed=4).table()
    assert (other["status"] == "guaranteed").all()
    taken = np.sort(other["labels_used"])
    assert (expected.low, expected.middle, expected.high) == tuple(taken[[2, 5, 8]])
    assert expected.within == np.mean(taken <= 200)
    assert (found.labels, found.runs) == (expected.middle, SESSIONS)


def test_the_answers_follow_the_scores(population: lc.Population, likely: Line) -> None:
    """Where hardly anything is positive no candidate is good, which shows soon."""
    none = raced(population, plan_of(), np.zeros(ITEMS, dtype=np.int64))
    assert none.labels < 0.5 * likely.labels


def test_too_few_labels_are_followed_further(population: lc.Population, likely: Line) -> None:
    full = likely.derived["expected"]
    few = raced(population, plan_of(10))
    assert few.labels == 10
    assert few.derived["expected"] == replace(full, within=0.0)


def test_a_limit_that_is_part_of_the_bounds_stays(population: lc.Population) -> None:
    found = raced(population, plan_of(20, bound="hoeffding"))
    assert found.derived["expected"] == Expected(None, None, None, 0.0, 20)


def test_too_little_time_says_nothing(population: lc.Population) -> None:
    plan = plan_of()
    assert may_race(population, plan) and FEWEST > 1
    assert race(population, [(plan, line(population, plan))], seconds=0) == {}
