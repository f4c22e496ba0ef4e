"""Files from easy to nasty for the coverage table, and the real ones."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

import labelcore as lc
from benchmarks.real_files import FILES
from labelcore.designs.base import IntArray
from labelcore.planning.truth import true_codes
from labelcore.stats.arrays import FloatArray

TWO_CLASSES = ("accuracy", "precision", "recall", "f1", "specificity", "prevalence",
               "false_omission_rate")  # fmt: skip
MAIN = ("accuracy", "precision", "recall", "f1")
SEVERAL = ("accuracy", "precision", "recall")
SUPERPOPULATION = 100_000
FILE_SEED = 31


@dataclass(frozen=True, eq=False, slots=True)
class Items:
    """Columns of a file with their true classes, each (n_items,); ``rival`` holds the predictions
    of a second classifier."""

    truth: NDArray[Any]
    score: FloatArray | None = None
    prediction: NDArray[Any] | None = None
    rival: NDArray[Any] | None = None


Maker = Callable[[np.random.Generator, int], Items]


@dataclass(frozen=True)
class Case:
    """A population and what is measured on it.

    fixed, watched   planned sizes for each promise
    variants   names and parameters of recalibrated_neyman; plain random sampling takes part where
               the name is ""
    """

    name: str
    make: Maker | None
    n_items: int = 5_000
    fixed: tuple[int, ...] = (300,)
    watched: tuple[int, ...] = (300,)
    estimands: tuple[str, ...] = MAIN
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})
    target: str = "file"


def probabilities(
    random: np.random.Generator, n: int, a: float = 0.6, b: float = 1.4
) -> FloatArray:
    return np.round(np.clip(random.beta(a, b, n), 1e-6, 1 - 1e-6), 6)


def calibrated(random: np.random.Generator, n: int, a: float = 0.6, b: float = 1.4) -> Items:
    p = probabilities(random, n, a, b)
    return Items((random.random(n) < p).astype(int), p)


def shown(
    random: np.random.Generator, n: int, turn: Callable[[FloatArray], FloatArray], a: float = 0.6
) -> Items:
    """Labels drawn with probability p, while the file shows ``turn(p)`` as the score."""
    p = probabilities(random, n, a)
    return Items((random.random(n) < p).astype(int), np.round(turn(p), 6))


def overconfident(random: np.random.Generator, n: int) -> Items:
    """Logits three times too large, and one positive in fifty missed deep in the tail."""
    p = np.maximum(probabilities(random, n), 0.02)
    return Items((random.random(n) < p).astype(int), np.round(expit(3 * logit(p) - 2), 9))


def flipped_tail(random: np.random.Generator, n: int) -> Items:
    """Below the median the order of the scores is upside down."""
    p = probabilities(random, n)
    middle = np.median(p)
    return Items(
        (random.random(n) < np.where(p < middle, 0.4 * (middle - p) / middle, p)).astype(int), p
    )


def all_right(random: np.random.Generator, n: int) -> Items:
    p = probabilities(random, n)
    return Items((p >= 0.5).astype(int), p)


def right_outside_the_middle(random: np.random.Generator, n: int) -> Items:
    """Wrong only between .4 and .6: most strata are all alike."""
    p = probabilities(random, n)
    doubt = (p > 0.4) & (p < 0.6)
    return Items(np.where(doubt, random.random(n) < p, p >= 0.5).astype(int), p)


def rare(random: np.random.Generator, n: int, share: float = 0.001) -> Items:
    """A known number of positives with high scores, among a long tail of low ones."""
    truth = np.zeros(n, dtype=int)
    truth[random.choice(n, max(1, round(share * n)), replace=False)] = 1
    score = np.where(truth == 1, random.beta(2, 2, n), random.beta(0.3, 30, n))
    return Items(truth, np.round(score, 6))


def rounded(random: np.random.Generator, n: int, values: int) -> Items:
    """Scores with few distinct values, one of them on the threshold."""
    p = probabilities(random, n)
    return Items((random.random(n) < p).astype(int), np.round(p * values) / values)


def constant_score(random: np.random.Generator, n: int) -> Items:
    truth = (random.random(n) < 0.3).astype(int)
    said = np.where(random.random(n) < 0.85, truth, 1 - truth)
    return Items(truth, np.full(n, 0.3), said)


def predictions_only(random: np.random.Generator, n: int) -> Items:
    truth = (random.random(n) < 0.2).astype(int)
    return Items(truth, None, np.where(random.random(n) < 0.9, truth, 1 - truth))


def scaled(random: np.random.Generator, n: int, how: str) -> Items:
    """Scores that are no probabilities, with a prediction beside them."""
    p = probabilities(random, n)
    score = 100 * p if how == "percent" else logit(p)
    return Items((random.random(n) < p).astype(int), score, (p >= 0.5).astype(int))


def of_accuracy(random: np.random.Generator, n: int, accuracy: float, called: float) -> Items:
    """Predictions right with one probability everywhere; the score says nothing about which."""
    said = (np.arange(n) < called * n).astype(int)
    truth = np.where(random.random(n) < accuracy, said, 1 - said)
    score = np.where(said == 1, random.uniform(0.5, 1, n), random.uniform(0, 0.499, n))
    return Items(truth, np.round(score, 4))


def several(random: np.random.Generator, n: int, classes: int, scored: bool) -> Items:
    """Classes of falling size; a score is the probability of being right."""
    size = 0.5 ** np.arange(classes)
    truth = random.choice(classes, n, p=size / size.sum())
    sure = probabilities(random, n, 4, 1)
    said = np.where(random.random(n) < sure, truth, random.integers(0, classes, n))
    names = np.array(list("abcdefgh"))
    return Items(names[truth], sure if scored else None, names[said])


def tied(random: np.random.Generator, n: int, changed: float = 0.05) -> Items:
    """Two classifiers with the same counts of every kind: the second is wrong on as many other
    items, of both classes, as it mends."""
    p = probabilities(random, n)
    truth, said = (random.random(n) < p).astype(int), (p >= 0.5).astype(int)
    rival = said.copy()
    for label in (0, 1):
        pairs = [np.flatnonzero((truth == label) & (said == other)) for other in (0, 1)]
        number = min(round(changed * n / 4), *map(len, pairs))
        for items in pairs:
            one = random.choice(items, number, replace=False)
            rival[one] = 1 - rival[one]
    return Items(truth, p, said, rival)


def _strata_cases() -> list[Case]:
    """One, two, five and ten strata at four accuracies; one stratum: all items called positive."""
    pieces = {"2 strata": (1, 1), "5 strata": (3, 2), "10 strata": (5, 5)}
    parameters = {name: {"n_above": a, "n_below": b} for name, (a, b) in pieces.items()}
    found = []
    for accuracy in (0.8, 0.9, 0.95, 0.99):
        both = partial(of_accuracy, accuracy=accuracy, called=0.5)
        one = partial(of_accuracy, accuracy=accuracy, called=1.0)
        found += [
            Case(f"one accuracy {accuracy:g}", both, 4_000, (100, 300), (300,),
                 ("accuracy", "precision", "recall"), {"": {}, **parameters}),
            Case(f"all called positive, {accuracy:g} right", one, 4_000, (100, 300), (),
                 ("accuracy",), {"1 stratum": {"n_above": 1, "n_below": 1}}),
        ]  # fmt: skip
    return found


FEW_STRATA: dict[str, dict[str, Any]] = {
    "2 / 3 strata": {"n_above": 2, "n_below": 3},
    "strata of a plan with claims": {"n_above": 1, "n_below": 4, "floor": 0.5},
}


SYNTHETIC: tuple[Case, ...] = (
    Case("calibrated", calibrated, fixed=(100, 300, 1000), watched=(300, 1000),
         estimands=TWO_CLASSES),
    Case("sharp scores", partial(calibrated, a=0.08, b=0.2), fixed=(100, 300)),
    Case("all right", all_right, fixed=(100, 300)),
    Case("right outside the middle", right_outside_the_middle, fixed=(100, 300, 1000),
         estimands=TWO_CLASSES),
    Case("prevalence 1 %", partial(rare, share=0.01), 20_000, (300, 1000), (1000,), TWO_CLASSES),
    Case("prevalence .1 %", rare, 20_000, (300, 1000), (1000,), TWO_CLASSES),
    Case("two decimals", partial(rounded, values=100), fixed=(100, 300)),
    Case("ten values", partial(rounded, values=10), fixed=(100, 300)),
    Case("upside down", partial(shown, turn=lambda p: 1 - p), fixed=(100, 300)),
    Case("constant score", constant_score, fixed=(100, 300)),
    Case("predictions only", predictions_only, fixed=(100, 300)),
    Case("overconfident, deep misses", overconfident, fixed=(100, 300, 1000), watched=(300, 1000),
         estimands=TWO_CLASSES),
    Case("underconfident", partial(shown, turn=lambda p: expit(0.4 * logit(p)))),
    Case("shifted up", partial(shown, turn=lambda p: expit(logit(p) + 1.5))),
    Case("shifted down", partial(shown, turn=lambda p: expit(logit(p) - 1.5)), fixed=(300, 1000)),
    Case("compressed", partial(shown, turn=lambda p: 0.4 + 0.2 * p)),
    Case("flipped tail", flipped_tail, fixed=(300, 1000), estimands=TWO_CLASSES),
    Case("scores 0 to 100", partial(scaled, how="percent")),
    Case("logits", partial(scaled, how="logit")),
    Case("50 items", calibrated, 50, (15, 30, 45, 50), (45,)),
    Case("400 items", calibrated, 400, (120, 240, 360, 400), (240,)),
    Case("10^6 items", calibrated, 1_000_000, (300,), (300,)),
    Case("a tie of two classifiers", tied),
    Case("three classes", partial(several, classes=3, scored=True), estimands=SEVERAL),
    Case("five classes, no score", partial(several, classes=5, scored=False), estimands=SEVERAL),
    *(
        Case(f"few strata, {name}", make, estimands=TWO_CLASSES, variants=FEW_STRATA)
        for name, make in (
            ("calibrated", calibrated),
            ("overconfident", overconfident),
            ("right outside the middle", right_outside_the_middle),
        )
    ),
    Case("redrawn file", calibrated, 1_000, target="process"),
    Case("redrawn file, overconfident", overconfident, 1_000, target="process"),
    Case("redrawn file, all of it", calibrated, 200, (200,), (200,), target="process"),
    *_strata_cases(),
)  # fmt: skip


def real_cases() -> tuple[Case, ...]:
    return tuple(
        Case(f"{file.name.split('.')[0]} {classifier}", None, fixed=(300, 1000))
        for file in FILES
        for classifier in file.classifiers
    )


def all_cases() -> dict[str, Case]:
    return {case.name: case for case in (*SYNTHETIC, *real_cases())}


@dataclass(frozen=True, eq=False)
class Known:
    """A population read from its file, and the class index of every item."""

    population: lc.Population
    codes: IntArray
    classifier: str


@lru_cache(maxsize=1)
def known(name: str, folder: Path | None) -> Known:
    """The file of a case; real ones from ``folder``."""
    case = all_cases()[name]
    if case.make is None:
        assert folder is not None
        start, classifier = name.split(" ")
        file = next(file for file in FILES if file.name.startswith(start))
        population = file.population(folder)
        return Known(population, true_codes(population, "true_label"), classifier)
    return written(case.make(np.random.default_rng((FILE_SEED, 0)), case.n_items))


def written(items: Items) -> Known:
    """The items as a file, read back."""
    n = len(items.truth)
    columns: dict[str, Any] = {"id": np.arange(n), "text": "x"}
    given: dict[str, Any] = {}
    if items.score is not None:
        columns["score"], given["scores"] = items.score, {"c": "score"}
        given["thresholds"] = {"c": 0.5}
    if items.prediction is not None:
        columns["said"], given["predictions"] = items.prediction, {"c": "said"}
        given.pop("thresholds", None)
    if items.rival is not None:
        columns["rival"] = items.rival
        given["predictions"]["d"] = "rival"
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "items.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        population = lc.read_population(path, id="id", content="text", **given)
    return Known(population, true_codes(population, items.truth), "c")


@lru_cache(maxsize=2)
def superpopulation(name: str) -> Items:
    """The items from which the file of a "process" case is redrawn, with replacement."""
    case = all_cases()[name]
    assert case.make is not None
    return case.make(np.random.default_rng((FILE_SEED, 1)), SUPERPOPULATION)


def redrawn(template: Known, items: Items, random: np.random.Generator) -> Known:
    """The template file with items drawn at random from ``items``; scores decide at .5."""
    assert items.score is not None
    population = template.population
    place = random.integers(0, len(items.truth), len(population))
    score = items.score[place]
    positive = population.classes.index(population.positive)
    said = np.where(score >= 0.5, positive, 1 - positive).astype(np.int16)
    drawn = replace(population, scores={"c": score}, predictions={"c": said})
    codes = np.where(items.truth[place] == 1, positive, 1 - positive)
    return Known(drawn, codes.astype(np.int64), "c")
