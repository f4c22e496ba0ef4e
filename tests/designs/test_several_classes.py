"""The default design on files with more than two classes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs import rates
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.simulation import simulate
from labelcore.stats.profile import Cells
from labelcore.tallies import Tally
from labelcore.testing.known import Known, fewest, labelled, write
from tests.cases import SOUND_AND_BROKEN, once, repeated
from tests.columns import items

NEYMAN = "recalibrated_neyman"
NAMES = np.array(["ads", "bills", "chat", "family", "work"])
EACH = ["accuracy", "precision", "recall"]
RUNS, LABELS = repeated(80), 300


def five_classes(folder: Path, n_items: int, seed: int, *, scored: bool = False) -> Known:
    """Predicted classes of 42 to 5 % of the items, rightly predicted 93 to 70 % of the time; the
    score is the chance of being right. Truth is the index of the class."""
    rng = np.random.default_rng(seed)
    said = rng.choice(5, n_items, p=[0.42, 0.25, 0.18, 0.10, 0.05])
    mean = np.array([0.93, 0.85, 0.80, 0.75, 0.70])[said]
    chance = np.round(np.clip(rng.beta(8 * mean, 8 * (1 - mean)), 0.02, 0.995), 4)
    other = (said + rng.integers(1, 5, n_items)) % 5
    truth = np.where(rng.random(n_items) < chance, said, other)
    return write(folder, truth, prediction=NAMES[said], score=chance if scored else None)


five = once(five_classes, 1200, seed=5)
scored = once(five_classes, 1200, seed=5, scored=True)


def test_a_stratum_holds_one_predicted_class(scored: Known) -> None:
    """18 strata in all, shared by size; within a class cut by the score."""
    frame = scored.engine(lc.Plan(NEYMAN, EACH, budget=LABELS), 1).frame
    said, score = scored.population.predictions["lr"], scored.population.scores["lr"]
    number = [len(np.unique(frame.stratum[said == group])) for group in range(5)]
    assert sum(number) == frame.n_strata == 18
    assert number == sorted(number, reverse=True) and number[-1] >= 1
    for group in range(5):
        own = np.unique(frame.stratum[said == group])
        assert np.ptp(frame.sizes[own]) <= 1
        means = [score[frame.stratum == k].mean() for k in own]
        assert means == sorted(means, reverse=True)


def test_three_classes_share_the_strata_by_size(tmp_path: Path) -> None:
    said = np.repeat(np.arange(3), [600, 300, 300])
    file = write(tmp_path, said, prediction=NAMES[said])
    frame = file.engine(lc.Plan(NEYMAN, ["accuracy"], budget=200), 1).frame
    assert [len(np.unique(frame.stratum[said == one])) for one in range(3)] == [8, 5, 5]


@pytest.mark.parametrize(
    ("labels", "given", "strata"),
    [(40, {}, 8), (89, {}, 17), (90, {}, 18), (9, {}, 5), (40, {"n_above": 6}, 18)],
)
def test_a_new_plan_has_a_stratum_for_every_five_labels(
    scored: Known, labels: int, given: dict[str, int], strata: int
) -> None:
    """At least one a class; not where the plan names them, nor in one frozen without them."""
    kept = kept_plan(scored.population, lc.Plan(NEYMAN, EACH, budget=labels, params=given))
    assert Engine(scored.population, kept).frame.n_strata == strata
    before = replace(kept, params={"allocation": "two_ended"})
    assert Engine(scored.population, before).frame.n_strata == 18


def test_without_a_score_each_class_is_one_stratum(five: Known) -> None:
    kept = kept_plan(five.population, lc.Plan(NEYMAN, EACH, budget=LABELS))
    assert Engine(five.population, kept).frame.n_strata == 5


def test_a_class_that_is_never_called_adds_no_stratum(tmp_path: Path) -> None:
    said = np.repeat([0, 1], [200, 100])
    file = write(tmp_path, said, prediction=NAMES[said], classes=NAMES[:3].tolist())
    kept = kept_plan(file.population, lc.Plan(NEYMAN, ["accuracy"], budget=LABELS))
    assert Engine(file.population, kept).frame.n_strata == 2


@pytest.mark.slow
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_few_labels_do_not_tell_more_than_they_know(tmp_path: Path, broken: bool) -> None:
    """The accuracy of a classifier that is right in 60 % of six classes, in 600 sessions; the limit
    is that of the least coverage that is allowed, 93 %. The twin has the usual strata."""
    rng = np.random.default_rng(5)
    said = rng.integers(0, 6, 2000)
    truth = np.where(rng.random(2000) < 0.6, said, (said + rng.integers(1, 6, 2000)) % 6)
    names = np.array([f"c{number}" for number in range(6)])
    population = write(tmp_path, truth, prediction=names[said]).population
    params = {"n_above": 6, "n_below": 12} if broken else {}
    plan = lc.Plan(NEYMAN, ["accuracy"], budget=40, promise="fixed", params=params)
    runs = 600 if broken else repeated(600)
    found = simulate(population, plan, truth=names[truth], runs=runs, seed=1).table()
    assert (found["covered"].mean() < fewest(runs, 0.93)) == broken


def test_many_classes_have_one_stratum_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    names = np.array([f"class {number:02d}" for number in range(40)])
    said = np.concatenate([np.arange(40), rng.integers(0, 40, 1960)])
    file = write(tmp_path, said, prediction=names[said])
    engine = labelled(file.engine(lc.Plan(NEYMAN, ["accuracy"], budget=200), 1), file.truth)
    assert engine.frame.n_strata == 40
    assert engine.drawn.min() >= 2
    assert scalar_results(engine)["accuracy"].value == 1.0


def test_more_classes_than_the_strata_one_may_ask_for_are_drawn_too() -> None:
    file = items(predictions={"m": [f"class {number % 150:03d}" for number in range(600)]})
    session = lc.Session(file, lc.Plan(NEYMAN, ["accuracy"], budget=200))
    assert session.engine.frame.n_strata == 150 and session.next() is not None


def test_without_a_score_every_stratum_starts_from_four_in_five(five: Known) -> None:
    plan = lc.Plan(NEYMAN, EACH, budget=LABELS)
    assert set(five.engine(plan, 1).frame.rates) == {rates.ASSUMED_RIGHT}
    derived = lc.preview(five.population, plan).derived
    assert derived["notes"] == [rates.NO_SCORES]
    assert derived["assumption"] == "planned as if 80% of the items were judged correctly"


def test_figures_of_each_class_give_small_classes_more_labels(five: Known) -> None:
    """Accuracy alone: labels by size. With figures of each class: by the root of the size."""
    said = five.population.predictions["lr"]
    sizes = np.bincount(said)

    def share(estimands: list[str]) -> np.ndarray:
        engine = labelled(five.engine(lc.Plan(NEYMAN, estimands, budget=800), 1), five.truth)
        asked = np.bincount([said[one.position] for one in engine.asked], minlength=5)
        return asked / asked.sum()

    floor = 0.2 * sizes / sizes.sum()
    root = np.sqrt(sizes) / np.sqrt(sizes).sum()
    np.testing.assert_allclose(share(["accuracy"]), sizes / sizes.sum(), atol=0.03)
    np.testing.assert_allclose(share(EACH), floor + 0.8 * root, atol=0.03)


def missed(known: Known) -> list[str]:
    """The figures whose interval misses the truth more often than ``RUNS`` of the least coverage
    that is allowed, 93 %, let expect once in 10,000 times."""
    plan = lc.Plan(NEYMAN, EACH, budget=LABELS, promise="fixed")
    truth = NAMES[known.truth]
    found = simulate(known.population, plan, truth=truth, runs=RUNS, seed=1).summary()
    assert len(found) == 11 and (found["no_value"] == 0).all()
    return found.index[found["coverage"] < fewest(RUNS, 0.93)].tolist()


@pytest.mark.full
@pytest.mark.slow
def test_figures_of_each_class_are_covered_with_and_without_a_score(
    five: Known, scored: Known
) -> None:
    assert missed(five) == missed(scored) == []


@pytest.mark.slow
def test_a_sample_read_without_its_weights_fails(
    five: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest mistake: each cell as large as its labels, as if the sample were the file."""
    cells = Tally.cells

    def unweighted(self: Tally, class_index: int | None) -> Cells:
        found = cells(self, class_index)
        share = found.labelled / max(found.labelled.sum(), 1)
        return replace(found, size=found.size.sum() * share)

    monkeypatch.setattr(Tally, "cells", unweighted)
    assert {"recall[ads]", "recall[work]"} <= set(missed(five))
