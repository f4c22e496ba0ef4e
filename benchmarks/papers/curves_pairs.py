"""Figure 2 on the pairs of ppdb_pairs, and all methods with as many labels as PAULA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.papers.curves_lists import fixed_labels, paula_on, precision, uniforms
from benchmarks.real_files import FILES, RealFile
from labelcore.designs.base import Frame, Look, Setup, rank_order
from labelcore.designs.curves import Curve, Ranked
from labelcore.designs.ranked_list import RankedListDesign
from labelcore.papers.curves.logarithmic_strata import (
    LogarithmicGrid,
    logarithmic_band,
    logarithmic_grid,
    printed_draws,
)
from labelcore.papers.curves.paula_bounds import PaulaBounds, PaulaGrid, paula_grid
from labelcore.papers.curves.random_band import Verdicts, random_band
from labelcore.plan.against_file import make_setup
from labelcore.planning.simulation import run_seed
from labelcore.planning.truth import true_codes
from labelcore.stats.arrays import FloatArray
from labelcore.stats.rank_band import RankLabels, yield_estimate
from labelcore.stats.rank_strata import analysis_edges

FILE = "ppdb_pairs.csv.gz"
EPSILONS = {"030": 0.03, "050": 0.05}
SEED, DELTA, FROM_RANK = 30, 0.05, 100
LIST_SEED, DESIGN, PROMISE = 21, "geometric_strata", "fixed"
# what the methods are called in the table and the figure
PAULA, GEOMETRIC = "PAULA, middle of the bounds", "geometric strata (the default)"
FIXED, PRINTED = "logarithmic stratified, fixed sizes", "logarithmic stratified, algorithm 1"
RANDOM, HEAD = "random", "random, half of the labels at the head"


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
        plan = plan.with_planned(labels).with_seed(run_seed(LIST_SEED, run))
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


@dataclass(frozen=True, eq=False)
class PairCurve:
    """One half of figure 2."""

    truth: FloatArray
    bounds: PaulaBounds
    epsilon: float
    labels: int


@dataclass(frozen=True, eq=False)
class StandIn:
    """errors: mean absolute error at each rank by method, points."""

    values: dict[str, float]
    curves: list[PairCurve]
    errors: dict[str, FloatArray]
    table: pd.DataFrame


def stand_in(folder: Path, runs: int) -> StandIn:
    file = next(one for one in FILES if one.name == FILE)
    values: dict[str, float] = {}
    for classifier in file.classifiers:
        one = List.read(folder, file, classifier)
        for key, epsilon in EPSILONS.items():
            found = [compared(one, epsilon, run) for run in range(runs)]
            values |= {
                f"figure2.{classifier}_{key}.{name}": float(number)
                for name, number in summarised(found).items()
            }
    model = List.read(folder, file, "model")
    errors, table = all_methods(model, runs)
    fifth = len(model.hit) // 5
    early = np.nanmean(errors[RANDOM][:fifth]) / np.nanmean(errors[PAULA][:fifth])
    values["figure2.random_early"] = float(early)
    curves = [pair_curve(model, epsilon) for epsilon in EPSILONS.values()]
    return StandIn(values, curves, errors, table)


def ranked_hits(one: List, sample: Sample) -> FloatArray:
    """Verdicts in rank order, ties in the order of this run."""
    return np.asarray(one.hit[sample.order])


def compared(one: List, epsilon: float, run: int) -> dict[str, float]:
    """PAULA and geometric strata with as many labels, on the same order."""
    grid = paula_grid(len(one.hit), epsilon, 100)
    sample = one.run(grid.labels, run)
    verdicts = ranked_hits(one, sample)
    truth, bounds = precision(verdicts), paula_on(grid, verdicts)
    inside = (bounds.low <= truth + 1e-9) & (truth <= bounds.high + 1e-9)
    return {
        "labels": grid.labels,
        "error": 100 * float(np.abs(middle(bounds) - truth).mean()),
        "strata": 100 * float(np.abs(geometric(sample, grid.labels) - truth).mean()),
        "half_width": 100 * float(np.abs(bounds.high - bounds.low).mean()) / 2,
        "ranks": float(inside.mean()),
        "misses": float(not inside.all()),
    }


def summarised(rows: list[dict[str, float]]) -> dict[str, float]:
    means = pd.DataFrame(rows).mean().to_dict()
    strata = means.pop("strata")
    return {**means, "error_over_strata": means["error"] / strata}


def middle(bounds: PaulaBounds) -> FloatArray:
    return np.asarray((bounds.low + bounds.high) / 2)


def geometric(sample: Sample, labels: int) -> FloatArray:
    """The default's estimate of the precision at every rank, from its first ``labels`` draws."""
    asked = sample.asked(labels)
    rank = sample.rank_of[asked]
    ranks = np.arange(1, len(sample.order) + 1)
    pieces = analysis_edges(sample.frame.edges, rank)  # type: ignore[attr-defined]
    return np.asarray(yield_estimate(pieces, RankLabels(rank, sample.hit[asked]), ranks) / ranks)


def pair_curve(one: List, epsilon: float) -> PairCurve:
    grid = paula_grid(len(one.hit), epsilon, 100)
    sample = one.run(grid.labels, 0)
    verdicts = ranked_hits(one, sample)
    return PairCurve(precision(verdicts), paula_on(grid, verdicts), epsilon, grid.labels)


# --- all methods with as many labels -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method says of the precision at every rank."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    labels: int


def all_methods(one: List, runs: int) -> tuple[dict[str, FloatArray], pd.DataFrame]:
    """Errors by rank, and a table of errors, widths and misses, at PAULA's number of labels."""
    grid = paula_grid(len(one.hit), 0.03, 100)
    fixed, printed = (
        as_many_labels(len(one.hit), grid.labels, count)
        for count in (fixed_size, expected_distinct)
    )
    errors: dict[str, list[FloatArray]] = {}
    rows = []
    for run in range(runs):
        sample = one.run(grid.labels, run)
        verdicts = ranked_hits(one, sample)
        truth = precision(verdicts)
        answers = answers_of(grid, fixed, printed, verdicts, run)
        curve = sample.curve(grid.labels, np.arange(1, len(truth) + 1))
        answers[GEOMETRIC] = Answer(*curve.read("precision"), grid.labels)
        for name, answer in answers.items():
            errors.setdefault(name, []).append(100 * np.abs(answer.value - truth))
            rows.append({"method": name, **measured(answer, truth)})
    mean = pd.DataFrame(rows).groupby("method", sort=False).mean()
    return {name: mean_where_any(found) for name, found in errors.items()}, as_text(mean)


def mean_where_any(rows: list[FloatArray]) -> FloatArray:
    """The mean of the runs that say something at a rank, NaN where none does."""
    found = np.array(rows)
    said = (~np.isnan(found)).sum(axis=0)
    total = np.nansum(found, axis=0)
    return np.divide(total, said, out=np.full(len(total), np.nan), where=said > 0)


def as_many_labels(
    n_items: int, labels: int, count: Callable[[LogarithmicGrid], float]
) -> LogarithmicGrid:
    """Logarithmic sampling with r~ 1000 that needs about as many labels by ``count``: beta follows
    by bisection."""
    low, high = 1.001, 3.0
    for _ in range(40):
        beta = (low + high) / 2
        found = logarithmic_grid(n_items, 0.03, 1_000, beta, DELTA, 0.5)
        low, high = (beta, high) if count(found) > labels else (low, beta)
    return logarithmic_grid(n_items, 0.03, 1_000, high, DELTA, 0.5)


def fixed_size(grid: LogarithmicGrid) -> float:
    return grid.labels


def expected_distinct(grid: LogarithmicGrid) -> float:
    """Items that algorithm 1 is expected to ask for: one drawn twice is asked once."""
    edges = np.array(grid.edges, dtype=float)
    width = np.diff(edges)
    missed = np.exp(grid.draws * width / edges[1:] * np.log1p(-1 / width))
    return float(edges[0] + (width * (1 - missed)).sum())


def answers_of(
    grid: PaulaGrid,
    fixed: LogarithmicGrid,
    printed: LogarithmicGrid,
    verdicts: FloatArray,
    run: int,
) -> dict[str, Answer]:
    random = np.random.default_rng((SEED, run))
    bounds = paula_on(grid, verdicts)
    half = grid.labels // 2
    return {
        PAULA: Answer(middle(bounds), bounds.low, bounds.high, grid.labels),
        FIXED: logarithmic_answer(fixed, fixed_labels(fixed, verdicts, random)),
        PRINTED: printed_answer(printed, verdicts, run),
        RANDOM: random_answer(0, grid.labels, verdicts, random),
        HEAD: random_answer(half, grid.labels - half, verdicts, random),
    }


def logarithmic_answer(grid: LogarithmicGrid, seen: FloatArray) -> Answer:
    band = logarithmic_band(grid, seen, seen, len(grid.edges), DELTA)
    ranks = np.arange(1, grid.n_items + 1)
    labels = int((~np.isnan(seen)).sum())
    return Answer(band.estimate / ranks, band.low / ranks, band.high / ranks, labels)


def printed_answer(grid: LogarithmicGrid, verdicts: FloatArray, run: int) -> Answer:
    draws = printed_draws(grid, uniforms(SEED, run))
    seen = np.full(grid.n_items, np.nan)
    asked = np.unique(np.append(np.arange(grid.edges[0]), draws.rank - 1))
    seen[asked] = verdicts[asked]
    band = logarithmic_band(grid, seen, seen, len(grid.edges), DELTA, draws)
    ranks = np.arange(1, grid.n_items + 1)
    return Answer(band.estimate / ranks, band.low / ranks, band.high / ranks, len(asked))


def random_answer(
    head: int, sample: int, verdicts: FloatArray, random: np.random.Generator
) -> Answer:
    chosen = head + np.sort(random.choice(len(verdicts) - head, sample, replace=False))
    labelled, ranks = np.append(np.arange(head), chosen), np.arange(1, len(verdicts) + 1)
    seen = Verdicts(labelled + 1, verdicts[labelled], verdicts[labelled])
    band = random_band(len(verdicts), head, seen, ranks, DELTA)
    return Answer(band.estimate / ranks, band.low / ranks, band.high / ranks, head + sample)


def measured(answer: Answer, truth: FloatArray) -> dict[str, float]:
    error = 100 * np.abs(answer.value - truth)
    inside = (answer.low <= truth + 1e-9) & (truth <= answer.high + 1e-9)
    half = 50 * np.abs(answer.high - answer.low)
    return {
        "labels": answer.labels,
        "mean error": float(np.nanmean(error)),
        "largest error": float(np.nanmax(error[FROM_RANK:])),
        "mean half-width": float(half.mean()),
        "widest": float(half[FROM_RANK:].max()),
        "missed somewhere": float(not inside.all()),
    }


def as_text(mean: pd.DataFrame) -> pd.DataFrame:
    """Points with two decimals; the share of runs in per cent."""
    found = mean.reset_index()
    found["labels"] = [f"{number:,.0f}" for number in found["labels"]]
    for name in ("mean error", "largest error", "mean half-width", "widest"):
        found[name] = [f"{number:.2f}" for number in found[name]]
    found["missed somewhere"] = [f"{100 * share:.0f} %" for share in found["missed somewhere"]]
    return found
