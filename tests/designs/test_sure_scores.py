"""A score that is the confidence in the predicted class: recognised, turned round, never unasked
where it decides what is estimated."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

import labelcore as lc
from labelcore.designs.sure_scores import FEWEST, looks_sure
from labelcore.errors import PlanError
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.report import report_html
from labelcore.testing.known import Known, fewest, write
from tests.cases import repeated

Scores = NDArray[np.float64]
Kind = Callable[[np.random.Generator, Scores, NDArray[np.bool_]], Scores]
SHARES, SIZES, CUTS, SEEDS = (0.02, 0.1, 0.3, 0.5, 0.8), (2_000, 20_000), (0.3, 0.5, 0.7), range(4)


def probabilities(random: np.random.Generator, n: int, share: float) -> Scores:
    """Calibrated probabilities of the positive class."""
    truth = random.random(n) < share
    evidence = random.normal(0.0, 1.0, n) + np.where(truth, 1.25, -1.25)
    return np.asarray(expit(2.5 * evidence + np.log(share / (1 - share))))


def confidence(random: np.random.Generator, p: Scores, said: NDArray[np.bool_]) -> Scores:
    return np.where(said, p, 1 - p)


def rounded(random: np.random.Generator, p: Scores, said: NDArray[np.bool_]) -> Scores:
    return np.round(confidence(random, p, said), 2)


def percentages(random: np.random.Generator, p: Scores, said: NDArray[np.bool_]) -> Scores:
    return 100 * confidence(random, p, said)


def overconfident(random: np.random.Generator, p: Scores, said: NDArray[np.bool_]) -> Scores:
    return confidence(random, expit(2 * np.log(p / (1 - p))), said)


SURE: tuple[Kind, ...] = (confidence, rounded, percentages, overconfident)
ORDINARY: dict[str, Kind] = {
    "probability": lambda random, p, said: p,
    "reversed": lambda random, p, said: 1 - p,
    "logit": lambda random, p, said: np.log(p / (1 - p)),
    "percentage": lambda random, p, said: 100 * p,
    "rounded": lambda random, p, said: np.round(p, 1),
    "noise": lambda random, p, said: random.random(len(p)),
    "constant": lambda random, p, said: np.full(len(p), 0.5),
    "the prediction": lambda random, p, said: said.astype(float),
    "upper half": lambda random, p, said: (1 + p) / 2,
    "upper half, reversed": lambda random, p, said: 1 - p / 2,
    "similarity": lambda random, p, said: np.clip(
        0.6 + 0.3 * p + random.normal(0, 0.05, len(p)), 0, 1
    ),
    "rank": lambda random, p, said: (np.argsort(np.argsort(p)) + 1) / len(p),
    "another model": lambda random, p, said: expit(
        np.log(p / (1 - p)) + random.normal(0, 3, len(p))
    ),
    "another model, reversed": lambda random, p, said: expit(
        -np.log(p / (1 - p)) + random.normal(0, 3, len(p))
    ),
    "another model, upper half": lambda random, p, said: 0.5
    + 0.5 * expit(np.log(p / (1 - p)) + random.normal(0, 3, len(p))),
}  # fmt: skip


def files(kind: Kind, cuts: tuple[float, ...]) -> list[bool]:
    """Whether the score of each file with enough of both predictions is recognised."""
    found = []
    for share, size, cut, seed in product(SHARES, SIZES, cuts, SEEDS):
        random = np.random.default_rng((seed, size))
        p = probabilities(random, size, share)
        said = p >= cut
        if min(said.sum(), (~said).sum()) >= FEWEST:
            found.append(looks_sure(kind(random, p, said), said))
    return found


@pytest.mark.parametrize("kind", SURE)
def test_a_confidence_is_recognised(kind: Kind) -> None:
    """On each file, from 2 to 80 % positives; the larger probability decides."""
    found = files(kind, (0.5,))
    assert len(found) > 35 and all(found)


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_score_is_not(name: str) -> None:
    found = files(ORDINARY[name], CUTS)
    assert len(found) > 100 and not any(found)


def test_a_score_of_a_model_that_has_little_to_do_with_the_predictions_is_not() -> None:
    """Above one half and with other predictions: the hardest ordinary score."""

    def upper(noise: float) -> Kind:
        return lambda random, p, said: (
            0.5 + 0.5 * expit(np.log(p / (1 - p)) + random.normal(0, noise, len(p)))
        )

    for noise in (0.3, 1.0, 3.0):
        assert not any(files(upper(noise), CUTS))


def sure(folder: Path, n: int = 4_000, seed: int = 1, **arguments: object) -> Known:
    """A file of a tenth of positives whose score is the confidence in the predicted class."""
    random = np.random.default_rng(seed)
    p = probabilities(random, n, 0.1)
    truth = (random.random(n) < p).astype(int)
    said = (p >= 0.5).astype(int)
    return write(folder, truth, score=np.where(said, p, 1 - p), prediction=said, **arguments)


def plan(**values: object) -> lc.Plan:
    given = {"design": "recalibrated_neyman", "estimands": ["accuracy"], "budget": 200, **values}
    return lc.Plan(**given)  # type: ignore[arg-type]


def test_it_is_turned_round_and_said(tmp_path: Path) -> None:
    known = sure(tmp_path)
    words = "The score of 'lr' looks like how sure it is of its prediction: it is turned round"
    assert any(words in note for note in lc.preview(known.population, plan()).derived["notes"])
    session = lc.Session(known.population, plan())
    assert session.plan.sure_scores == ("lr",)
    score, file = session.engine.population.scores["lr"], known.population.scores["lr"]
    said = known.population.predictions["lr"] == 1
    assert np.array_equal(score, np.where(said, file, 1 - file))
    assert score[said].min() >= 0.5 >= score[~said].max()
    assert lc.Plan.from_json(session.plan.to_json()) == session.plan


def test_the_report_says_it(tmp_path: Path) -> None:
    session = lc.Session(sure(tmp_path).population, plan())
    assert "it is turned round where" in report_html(session)


def test_a_plan_frozen_before_draws_what_it_drew(tmp_path: Path) -> None:
    """A frozen plan that says nothing of it follows the score of the file, as does one told to."""
    known = sure(tmp_path)
    before = lc.Plan.from_json(plan().with_planned(200).to_json())
    assert "sure_scores" not in before.to_json()
    old = Engine(known.population, before)
    assert old.population is known.population
    followed = plan(sure_scores=[], params={"n_above": 6, "n_below": 12})
    told = Engine(known.population, frozen(known.population, followed, 200))
    assert np.array_equal(old.frame.queue, told.frame.queue)
    new = Engine(known.population, frozen(known.population, plan(), 200))
    assert not np.array_equal(old.frame.stratum, new.frame.stratum)


def test_an_ordinary_plan_is_written_as_before(tmp_path: Path) -> None:
    population = sure(tmp_path).population
    ordinary = lc.Session(write_ordinary(tmp_path / "o").population, plan())
    assert "sure_scores" not in ordinary.plan.to_json() and ordinary.plan.sure_scores == ()
    assert '"sure_scores": []' in plan(sure_scores=[]).to_json()
    assert frozen(population, plan(sure_scores=[]), 200).sure_scores == ()


def write_ordinary(folder: Path) -> Known:
    random = np.random.default_rng(2)
    p = probabilities(random, 1_000, 0.3)
    truth = (random.random(1_000) < p).astype(int)
    return write(folder, truth, score=p, prediction=(p >= 0.5).astype(int))


def test_a_ranked_list_is_not_turned_round_unasked(tmp_path: Path) -> None:
    """What is turned round there is another list: another thing to estimate."""
    known = sure(tmp_path)
    curve = {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 400}
    listed = plan(**curve)
    session = lc.Session(known.population, listed)
    assert session.plan.sure_scores == ()
    notes = lc.preview(known.population, listed).derived["notes"]
    assert any("the list follows it as it is" in note for note in notes)
    asked = lc.Session(known.population, plan(**curve, sure_scores=["lr"]))
    said = known.population.predictions["lr"] == 1
    assert said[asked.engine.rank_order[: said.sum()]].all()


def test_several_classes_are_left_alone(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 600)
    names = np.array(["a", "b", "c"])[truth]
    score = 0.5 + random.random(600) / 2
    known = write(tmp_path, truth, score=score, prediction=names)
    assert lc.Session(known.population, plan()).plan.sure_scores == ()
    with pytest.raises(PlanError, match="sure_scores names 'lr', which needs .* two classes"):
        lc.preview(known.population, plan(sure_scores=["lr"]))


def test_a_name_without_a_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="sure_scores names 'nobody', which needs a score"):
        lc.preview(sure(tmp_path).population, plan(sure_scores=["nobody"]))


RUNS, HELD = repeated(60), 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sure_scores", "better"), [(None, True), pytest.param([], False, marks=pytest.mark.full)]
)
def test_fewer_labels_than_a_plain_sample(
    sure_scores: list[str] | None, better: bool, tmp_path: Path
) -> None:
    """Half-width of accuracy at 200 labels, 60 sessions; the broken twin follows the score of the
    file and is no better than a plain random sample."""
    known = sure(tmp_path, n=20_000)
    asked = {"estimands": ["accuracy", "recall"], "promise": "fixed"}
    widths = {}
    for name, one in (
        ("ours", plan(sure_scores=sure_scores, **asked)),
        ("plain", plan(design="simple_random", **asked)),
    ):
        table = lc.simulate(known.population, one, truth="truth", runs=RUNS, seed=4).table()
        table = table[table["estimand"] == "accuracy"]
        assert table["covered"].mean() >= fewest(RUNS, HELD)
        widths[name] = (table["high"] - table["low"]).mean()
    assert bool(widths["ours"] < 0.9 * widths["plain"]) is better


@pytest.mark.slow
def test_a_wrong_guess_costs_labels_and_no_truth(tmp_path: Path) -> None:
    """An ordinary probability taken for a confidence: the intervals still hold the truth."""
    known = write_ordinary(tmp_path)
    wrong = plan(sure_scores=["lr"], estimands=["accuracy", "recall"], promise="fixed")
    table = lc.simulate(known.population, wrong, truth="truth", runs=2 * RUNS, seed=5).table()
    for _, part in table.groupby("estimand"):
        assert part["covered"].mean() >= fewest(2 * RUNS, HELD)
