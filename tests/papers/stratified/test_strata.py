"""Strata by sureness from counts: those of arrays, and the same wherever the items are kept."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import labelcore as lc
from labelcore.designs import base
from labelcore.designs.base import Setup
from labelcore.errors import PlanError
from labelcore.papers.stratified.stratifications import STRATIFICATIONS, stratify
from labelcore.papers.stratified.sureness import (
    SureStrata,
    best_cut,
    best_cut_of,
    sure_strata,
    sureness,
)
from labelcore.population.array_items import Items, Sureness
from labelcore.stats import histogram
from labelcore.testing.known import write
from tests.cases import sampled
from tests.columns import items

N, SEED = 2_000, 7
DESIGN = lc.DESIGNS["stratified"]
BY: dict[str, dict[str, Any]] = {
    "smooth": {"predictions": {"smooth": "said"}},
    "tied": {"thresholds": {"tied": 0.4}},
    "low": {"thresholds": {"low": 0.3}, "descending": ["low"]},
    "margin": {"thresholds": {"margin": -0.25}},
    "against": {"predictions": {"against": "said"}, "descending": ["against"]},
    "kinds": {"predictions": {"kinds": "kind"}},
    "points": {"predictions": {"points": "kind"}},
}
MARGINS = ("margin", "against", "points")
CASES = [
    pytest.param(name, way, marks=() if often or way == "cbrt" else pytest.mark.full)
    for name, often in zip(BY, (True, True, False, True, False, True, False), strict=True)
    for way in STRATIFICATIONS
]


def made_rows() -> pa.Table:
    """A smooth score; one of two decimals, a third of all items tied; a low one; margins; and the
    probability of the predicted of three classes, and points for it."""
    rng = np.random.default_rng(3)
    smooth = rng.beta(0.3, 0.9, N)
    tied = np.round(rng.beta(0.4, 1.5, N), 2)
    tied[rng.permutation(N)[: N // 3]] = 0.07
    margin = rng.normal(-1, 2, N)
    sure = 1 - 0.6 * rng.beta(0.4, 1, N)
    columns: dict[str, Any] = {"id": [f"item {row * 7919 % 100_003}" for row in range(N)]}
    columns |= {"smooth": smooth, "tied": tied, "low": 1 - smooth**2, "margin": margin}
    columns |= {"against": 3 - margin, "kinds": sure, "points": np.round(30 * sure)}
    columns["said"] = np.where((smooth > 0.45) ^ (rng.random(N) < 0.08), "yes", "no")
    columns["kind"] = np.array(list("abc"))[rng.integers(0, 3, N)]
    return pa.table({**columns, "text": ["x"] * N})


@pytest.fixture(scope="module")
def files() -> dict[str, lc.Population]:
    """Classifier -> the items."""
    rows = made_rows()
    return {
        name: lc.read_population(rows, id="id", content="text", scores={name: name}, **by)
        for name, by in BY.items()
    }


def setup_of(population: lc.Population, way: str, n_strata: int = 6, **values: Any) -> Setup:
    name = population.classifiers[0]
    params = DESIGN.Params(stratification=way, n_strata=n_strata)
    return Setup(population, name, ("accuracy",), params, SEED, 100, **values)


def cut_by(setup: Setup) -> SureStrata:
    params = setup.params
    return sure_strata(setup, setup.items(), params.stratification, params.n_strata)


@pytest.mark.parametrize(("name", "way"), sampled(CASES, 12, seed=1))
def test_few_items_have_the_strata_of_arrays(name: str, way: str, files: Any) -> None:
    """With a bin for every value, also in GMM; means and ranks to the precision of their sums."""
    population = files[name]
    setup, sure = setup_of(population, way), sureness(population, name)
    found = cut_by(setup)
    stratum = stratify(way, sure.z, 6, setup.tie_keys)
    assert setup.items().strata(found.parts)[:].tolist() == stratum.tolist()
    sizes = np.bincount(stratum)
    frame = DESIGN.prepare(setup)
    if name not in MARGINS:
        means = np.bincount(stratum, sure.chance) / sizes
        np.testing.assert_allclose(found.chance, means, atol=1e-5)
        np.testing.assert_allclose(found.rates, frame.rates, atol=2e-5)
    elif way != "eqsz":
        share = np.bincount(stratum, population.predictions[name] == 1) / sizes
        share = share if name != "points" else np.ones(len(sizes))
        np.testing.assert_allclose(found.chance, frame.chance, atol=1e-12)
        rates = share * frame.chance + (1 - share) * (1 - frame.chance)
        np.testing.assert_allclose(found.rates, rates, atol=1e-12)
    assert found.predicted.tolist() == frame.predicted.tolist()
    assert set(frame.notes) >= set(found.notes)


def test_small_files_and_older_plans_are_cut_as_they_were(
    files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a million items on, and in plans that sum up exactly, alone."""
    population = files["smooth"]
    setup = setup_of(population, "cbrt")
    before = DESIGN.prepare(setup)
    monkeypatch.setattr(base, "LARGE", 1_000)
    older = DESIGN.prepare(replace(setup, rounded=True))
    assert np.array_equal(older.rates, before.rates) and older.rates.dtype == before.rates.dtype
    monkeypatch.setattr(histogram, "FINE_BINS", 60)
    assert np.array_equal(DESIGN.prepare(replace(setup, rounded=True)).rates, before.rates)
    assert not np.array_equal(DESIGN.prepare(setup).rates, before.rates)


def test_a_stratum_of_a_mixture_lies_on_both_sides_of_another() -> None:
    rng = np.random.default_rng(2)
    score = np.concatenate([rng.normal(0, 1, N // 2), rng.normal(1.5, 0.05, N // 2)])
    population = items(scores={"m": score}, thresholds={"m": -9.0})
    found = cut_by(setup_of(population, "gmm", 2))
    assert [len(part.without) for part in found.parts] == [1, 0]
    stratum = Items(population).strata(found.parts)
    assert np.bincount(stratum).sum() == N
    inside = stratum == 1
    assert score[~inside].min() < score[inside].min() < score[inside].max() < score[~inside].max()
    assert 0.5 < found.chance[0] < found.chance[1] < 1


@pytest.mark.parametrize("seed", range(12))
def test_best_cut_of_counts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve bins at first: as few items apart as by the best of all cuts."""
    monkeypatch.setattr(histogram, "FINE_BINS", 12)
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(0, 4, 400), seed % 4) + 20
    said = (score + rng.normal(0, seed / 4, 400) > 21).astype(int)
    population = items(scores={"m": score}, predictions={"m": np.array(["no", "yes"])[said]})
    counted = Items(population)
    for descending, own, positive in ((False, score, 1), (True, -score, 0)):
        cut, apart = best_cut_of(counted, Sureness("m", None, descending, 0.0), positive)
        assert apart == best_cut(own, said == positive)[1]
        assert apart == int(((own >= cut) != (said == positive)).sum())
    if seed == 0:
        assert cut == best_cut(-score, said == 0)[0]


TRUTH = np.array([0, 1, 1, 0, 1])
SCORE = np.array([0.1, 0.35, 0.6, 0.9, 0.3])


def test_probability_of_the_predicted_class(tmp_path: Path) -> None:
    """Below 1/2 between the threshold and 1/2: not the larger of p and 1 - p."""
    file = write(tmp_path, TRUTH, score=SCORE, thresholds={"lr": 0.3})
    found = sureness(file.population, "lr")
    assert found.z.tolist() == pytest.approx([0.9, 0.35, 0.6, 0.9, 0.3])
    assert found.chance.tolist() == pytest.approx(found.z.tolist()) and found.notes == ()


def test_a_prediction_decides_against_its_score(tmp_path: Path) -> None:
    said = np.array([1, 0, 1, 1, 0])
    file = write(tmp_path, TRUTH, score=SCORE, prediction=said)
    assert sureness(file.population, "lr").z.tolist() == pytest.approx([0.1, 0.65, 0.6, 0.9, 0.7])


def test_descending_probabilities(tmp_path: Path) -> None:
    """A low score means positive: .1 and .3 are called positive with probability .9 and .7."""
    file = write(tmp_path, TRUTH, score=SCORE, thresholds={"lr": 0.3}, descending=["lr"])
    assert sureness(file.population, "lr").z.tolist() == pytest.approx([0.9, 0.35, 0.6, 0.9, 0.7])


def test_distance_from_the_threshold(tmp_path: Path) -> None:
    score = np.array([-2.0, 0.5, 3.0, 1.0, 0.0])
    for turn, descending in ((1, []), (-1, ["lr"])):
        folder = tmp_path / str(turn)
        file = write(folder, TRUTH, score=turn * score, thresholds={"lr": turn * 1.0},
                     descending=descending)  # fmt: skip
        found = sureness(file.population, "lr")
        assert found.z.tolist() == [3.0, 0.5, 2.0, 0.0, 1.0]
        assert found.chance.tolist() == pytest.approx([0.95, 0.65, 0.85, 0.55, 0.75])
        assert f"the threshold {turn}." in found.notes[0] and "one half" in found.words


def test_predictions_without_a_threshold(tmp_path: Path) -> None:
    """The cut 0.75 agrees with all but the item at 3, whose distance is negative."""
    score, said = np.array([-2.0, 0.5, 3.0, 1.0, 0.0]), np.array([0, 0, 0, 1, 0])
    file = write(tmp_path, TRUTH, score=score, prediction=said)
    found = sureness(file.population, "lr")
    assert found.z.tolist() == [2.75, 0.25, -2.25, 0.25, 0.75]
    assert "0.75" in found.notes[0] and "1 items apart" in found.notes[0]


@pytest.mark.parametrize("seed", range(20))
def test_best_cut_against_every_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, said = rng.integers(0, 6, 12).astype(float), rng.random(12) < 0.5
    cuts = np.arange(-0.5, 6, 0.5)
    fewest = min(int(((score >= cut) != said).sum()) for cut in cuts)
    cut, apart = best_cut(score, said)
    assert apart == fewest == ((score >= cut) != said).sum()


def test_several_classes() -> None:
    population = items(scores={"m": [0.9, 0.4, 0.7]}, predictions={"m": [*"abc"]})
    found = sureness(population, "m")
    assert found.z.tolist() == found.chance.tolist() == [0.9, 0.4, 0.7]


def test_what_cannot_be_cut(tmp_path: Path) -> None:
    bare = write(tmp_path / "a", TRUTH, prediction=TRUTH)
    unsaid = write(tmp_path / "b", TRUTH, score=SCORE)
    for population, name in ((bare.population, "lr"), (unsaid.population, "lr"),
                             (bare.population, None)):  # fmt: skip
        with pytest.raises(PlanError, match="needs a classifier with a score and"):
            sureness(population, name)
