"""Intervals that start from labels which were there before keep their promise.

Each run draws the existing labels anew and labels on. Limits are three standard deviations of the
simulation's own binomial noise. Broken twin: convenience labels taken for a random sample.

The approximate interval of a paired comparison holds less than it says with some thirty labels of
a hundred disagreements, existing ones or not: the truth is in .91 to .93 of 600 runs with 32, 34
and 36 labels of this file, in .94 and .95 with 50 and 60. What is asked of it here is that labels
that were there cost it nothing: it holds as with as many that were all drawn anew.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.special import chdtrc, chdtri

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.scalars import scalar_results_of
from labelcore.log.engine import Engine
from labelcore.plan import existing
from labelcore.planning.runs import label_all
from labelcore.planning.simulation import true_values
from tests.cases import repeated
from tests.existing_files import ITEMS, from_the_top, made, read, with_known

RUNS = repeated(150)
LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / RUNS)


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    folder: Path = tmp_path_factory.mktemp("existing")
    return read(folder)


def sampled(number: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(20)
    return (rng.permutation(ITEMS)[:number] for _ in range(RUNS))


def convenient(number: int) -> Iterator[np.ndarray]:
    """Three of four from the top, as active learning leaves them, the others anywhere."""
    rng = np.random.default_rng(21)
    top = from_the_top(2 * number)
    for _ in range(RUNS):
        head = rng.permutation(top)[: 3 * number // 4]
        others = np.setdiff1d(np.arange(ITEMS), head)
        yield np.concatenate([head, rng.permutation(others)[: number - len(head)]])


def coverage(
    population: lc.Population, at: Iterable[np.ndarray | None], use: str | None, design: str,
    budget: int,
) -> dict[str, float]:  # fmt: skip
    """The share of runs whose interval holds the truth, {result: share}."""
    paired = design == "paired_comparison"
    names = ["accuracy_difference"] if paired else ["accuracy", "precision", "recall"]
    codes, hit, engines = made()[1], dict.fromkeys(names, 0), []
    for run, positions in enumerate(at):
        plan = lc.Plan(
            design, names, classifier=["a", "b"] if paired else "a", budget=budget, promise="fixed",
            existing=use, seed=run,
        )  # fmt: skip
        items = population if positions is None else with_known(population, positions)
        engines.append(Engine(items, plan.with_planned(budget)))
    label_all(engines, codes)
    for engine, found in zip(engines, scalar_results_of(engines), strict=True):
        truth = true_values(engine, codes, found)
        for name in names:
            one = found[name]
            hit[name] += bool(one.low - 1e-12 <= truth[name] <= one.high + 1e-12)
    return {name: number / RUNS for name, number in hit.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "design", "budget"),
    [
        ("random", "recalibrated_neyman", 50),
        pytest.param("random", "simple_random", 40, marks=pytest.mark.full),
        pytest.param("certainty", "recalibrated_neyman", 50, marks=pytest.mark.full),
        ("certainty", "simple_random", 40),
    ],
)
def test_coverage(population: lc.Population, design: str, budget: int, use: str) -> None:
    at = sampled(80) if use == "random" else convenient(120)
    for name, share in coverage(population, at, use, design, budget).items():
        assert share >= LEAST, (name, share)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("use", ["random", pytest.param("certainty", marks=pytest.mark.full)])
def test_a_paired_comparison_holds_as_without_existing_labels(
    population: lc.Population, use: str
) -> None:
    at = sampled(80) if use == "random" else convenient(120)
    disagreeing = np.mean(population.predictions["a"] != population.predictions["b"])
    anew = 25 + round(80 * disagreeing)
    alone = coverage(population, [None] * RUNS, None, "paired_comparison", anew)
    for name, share in coverage(population, at, use, "paired_comparison", 25).items():
        least = alone[name] - 3 * np.sqrt(2 * alone[name] * (1 - alone[name]) / RUNS)
        assert share >= least, (name, share, alone)


def test_broken_twin_convenience_labels_taken_for_a_random_sample(
    population: lc.Population, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the check the intervals miss; the check refuses each of these samples."""
    for positions in list(convenient(120))[:20]:
        with pytest.raises(PlanError, match="not spread like a random sample"):
            existing.check_random(population, "a", positions)
    monkeypatch.setattr(existing, "check_random", lambda *given: None)
    found = coverage(population, convenient(120), "random", "simple_random", 40)
    assert found["accuracy"] < LEAST
    assert found["recall"] < LEAST


def test_true_samples_are_refused_as_often_as_the_level_says() -> None:
    """3,000 samples of half the items, at the level 1 in 20, both ways within three standard
    deviations. Broken twin: without the finite-population factor hardly any is refused."""
    runs, level = 3000, 0.05
    rng = np.random.default_rng(22)
    group = np.arange(ITEMS) * 10 // ITEMS
    found = np.array([
        existing.spread_p_value(group, rng.permutation(ITEMS)[: ITEMS // 2]) for _ in range(runs)
    ])  # fmt: skip
    noise = 3 * np.sqrt(level * (1 - level) / runs)
    assert abs(np.mean(found < level) - level) <= noise
    twin = chdtrc(9, chdtri(9, found) / 2)
    assert np.mean(twin < level) < level - noise
