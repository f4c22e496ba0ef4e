"""A real file as a ranked list, and one run on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.real_files import RealFile
from labelcore.designs.base import Frame, Look, Setup, rank_order
from labelcore.designs.curves import Curve, Ranked
from labelcore.designs.ranked_list import RankedListDesign
from labelcore.plan.against_file import make_setup
from labelcore.planning.simulation import run_seed
from labelcore.planning.truth import true_codes

SEED, DESIGN, PROMISE = 21, "geometric_strata", "fixed"


@dataclass(frozen=True)
class List:
    """A real file in the order of one classifier's score."""

    classifier: str
    population: lc.Population
    hit: np.ndarray

    @classmethod
    def read(cls, folder: Path, file: RealFile, classifier: str) -> List:
        population = file.population(folder)
        codes = true_codes(population, "true_label")
        positive = population.classes.index(population.positive)
        return cls(classifier, population, (codes == positive).astype(float))

    def run(self, labels: int, run: int) -> Sample:
        """Geometric strata with so many labels; ties and draws are those of the run."""
        plan = lc.Plan(
            DESIGN, ["precision_curve"], classifier=self.classifier, budget=labels, promise=PROMISE
        )
        plan = plan.with_planned(labels).with_seed(run_seed(SEED, run))
        setup = make_setup(self.population, plan, (self.classifier,), labels)
        order = rank_order(setup)
        rank_of = np.empty(len(order), dtype=np.int64)
        rank_of[order] = np.arange(1, len(order) + 1)
        return Sample(plan, setup, plan.method.prepare(setup), order, rank_of, self.hit)


@dataclass(frozen=True)
class Sample:
    """One run: what is asked, and the items in rank order."""

    plan: lc.Plan
    setup: Setup
    frame: Frame
    order: np.ndarray
    rank_of: np.ndarray
    hit: np.ndarray

    def asked(self, draws: int) -> np.ndarray:
        """The first items that the design asks."""
        design = RankedListDesign.of(self.plan.method)
        return design.asked(self.setup, self.frame, 0, draws)

    def curve(self, draws: int, ranks: np.ndarray) -> Curve:
        """What the design says after all of its draws."""
        asked = self.asked(draws)
        seen = Ranked(
            len(self.order), lambda: self.order, np.arange(1, draws + 1), self.rank_of[asked],
            self.frame.stratum[asked], self.hit[asked], np.zeros(draws, dtype=bool),
            self.frame.rates,
        )  # fmt: skip
        look = Look(0.95, PROMISE, draws, draws, "file", self.frame.n_strata, draws)
        return self.plan.method.curve(self.setup, self.frame, seen, look, ranks)
