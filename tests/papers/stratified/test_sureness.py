"""The stratification variable of every kind of classifier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.papers.stratified.sureness import best_cut, sureness
from labelcore.testing.known import write

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


def test_several_classes(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,text,p,said\n1,x,0.9,a\n2,x,0.4,b\n3,x,0.7,c\n")
    population = lc.read_population(
        path, id="id", content="text", scores={"m": "p"}, predictions={"m": "said"}
    )
    found = sureness(population, "m")
    assert found.z.tolist() == found.chance.tolist() == [0.9, 0.4, 0.7]


def test_what_cannot_be_cut(tmp_path: Path) -> None:
    bare = write(tmp_path / "a", TRUTH, prediction=TRUTH)
    unsaid = write(tmp_path / "b", TRUTH, score=SCORE)
    for population, name in ((bare.population, "lr"), (unsaid.population, "lr"),
                             (bare.population, None)):  # fmt: skip
        with pytest.raises(PlanError, match="needs a classifier with a score and"):
            sureness(population, name)
