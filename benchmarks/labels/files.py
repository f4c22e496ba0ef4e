"""The files of the comparison: the real ones, and synthetic ones from 30 % to .1 % positives."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from scipy.special import expit

import labelcore as lc
from benchmarks.populations import Items, written
from benchmarks.real_files import FILES
from labelcore.designs.base import IntArray
from labelcore.planning.truth import true_codes
from labelcore.stats.arrays import BoolArray
from labelcore.stats.arrays import FloatArray as FloatArray

ITEMS, FILE_SEED, SMALL = 100_000, 41, 50_000
SHARES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
SEPARATION = {"good": 4.0, "middling": 2.5, "badly calibrated": 3.0}
ASTRAY = 0.1
"""The share of positives with the score of a negative, where scores are badly calibrated."""


@dataclass(frozen=True, eq=False)
class File:
    """A file with known labels.

    codes   (n_items,), the class index of every item
    """

    name: str
    population: lc.Population
    codes: IntArray
    classifier: str

    @property
    def size(self) -> int:
        return len(self.codes)

    @cached_property
    def truth(self) -> BoolArray:
        """(n_items,), whether an item is positive."""
        return self.codes == self.population.classes.index(self.population.positive)

    @cached_property
    def said(self) -> BoolArray:
        """(n_items,), whether the classifier calls it positive."""
        positive = self.population.classes.index(self.population.positive)
        return self.population.predictions[self.classifier] == positive

    @property
    def score(self) -> FloatArray:
        return self.population.scores[self.classifier]

    @cached_property
    def values(self) -> dict[str, float]:
        """The true values."""
        both = float(np.sum(self.truth & self.said))
        called, positive = float(self.said.sum()), float(self.truth.sum())
        return {
            "accuracy": float(np.mean(self.truth == self.said)),
            "prevalence": positive / self.size,
            "precision": both / called,
            "recall": both / positive,
            "f1": 2 * both / (called + positive),
        }


def names_of_files() -> tuple[str, ...]:
    """The real files with each of their classifiers, then the synthetic ones."""
    real = [f"{file.name.split('.')[0]} {one}" for file in FILES for one in file.classifiers]
    return (*real, *(f"{100 * share:g} %, {kind}" for share in SHARES for kind in SEPARATION))


@lru_cache(maxsize=1)
def file_of(name: str, folder: Path) -> File:
    """The file of this name; real ones are read from ``folder``."""
    first, _, second = name.partition(" ")
    for file in FILES:
        if file.name.startswith(first):
            population = file.population(folder)
            return File(name, population, true_codes(population, "true_label"), second)
    share, _, kind = name.partition(" %, ")
    items = synthetic(np.random.default_rng((FILE_SEED, 0)), ITEMS, float(share) / 100, kind)
    known = written(items)
    return File(name, known.population, known.codes, known.classifier)


def synthetic(random: np.random.Generator, n: int, share: float, kind: str) -> Items:
    """Evidence with a normal curve for each class, ``SEPARATION`` apart; as many items are called
    positive as there are, those with the most evidence, so that precision equals recall.

    good, middling     the score is the exact probability of being positive
    badly calibrated   logits three times as large and shifted down by 2, and ``ASTRAY`` of the
                       positives look like any negative: they are missed anywhere in the tail
    """
    apart = SEPARATION[kind]
    truth = np.zeros(n, dtype=int)
    positive = random.choice(n, round(share * n), replace=False)
    truth[positive] = 1
    evidence = random.normal(0.0, 1.0, n) + np.where(truth == 1, apart / 2, -apart / 2)
    logits = apart * evidence + np.log(share / (1 - share))
    if kind == "badly calibrated":
        astray = positive[: round(ASTRAY * len(positive))]
        evidence[astray] -= apart
        logits = 3 * (apart * evidence + np.log(share / (1 - share))) - 2
    said = np.zeros(n, dtype=int)
    said[np.argsort(-evidence, kind="stable")[: len(positive)]] = 1
    return Items(truth, np.round(expit(logits), 9), said)
