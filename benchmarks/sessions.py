"""Light sessions: a design's own drawing and analysis on known labels, without an event per label.

An engine is made once per plan seed; each run then draws a fresh random order inside every stratum,
asks the design for the size of each batch, and mixes the batch across strata at random, as the
hashes of the engine do. The counts at each look are put into the engine, and ``Design.estimate``
and the rules of ``labelcore.figures.scalars`` say what a person would be shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.stacked import Task, estimates
from labelcore.designs.base import IntArray, Progress
from labelcore.designs.scalars import Figures
from labelcore.designs.stratified import StratifiedDesign
from labelcore.figures import scalars as estimation
from labelcore.log.engine import Engine
from labelcore.planning.simulation import true_values

FloatArray = NDArray[np.float64]
Mixer = Callable[[int, IntArray], IntArray]
LOOKS = 30


@dataclass(frozen=True, eq=False, slots=True)
class Shown:
    """What is seen at each look, arrays (n_looks, n_questions)."""

    interval: NDArray[np.bool_]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    tail_share: FloatArray


class Prepared:
    """One file, plan and plan seed, ready for runs."""

    def __init__(self, population: lc.Population, plan: lc.Plan, codes: IntArray) -> None:
        engine = Engine(population, plan)
        assert isinstance(engine.design, StratifiedDesign)
        self.engine, self.design, self.codes = engine, engine.design, codes
        self.tally = engine.tallies[engine.classifiers[0]]
        self.n_classes = len(population.classes)
        self.cell_and_class = self.tally.cell_of.astype(np.int64) * self.n_classes + codes
        positive = engine.classes[population.positive]
        right = self.tally.prediction[self.tally.cell_of]
        self.right = (codes == right).astype(float)
        self.hit = (codes == (right if self.n_classes > 2 else positive)).astype(float)
        frame = engine.frame
        self.members = [
            frame.queue[first : first + size]
            for first, size in zip(frame.start, frame.sizes, strict=True)
        ]
        self.groups = estimation._same_cells(engine.questions)
        self.questions = [question for group in self.groups for question in group]

    def truth(self) -> dict[str, float]:
        """The true value of each question for this file."""
        return {
            key: float(value) for key, value in true_values(self.engine, self.codes, {}).items()
        }

    def watching(self) -> Prepared:
        """The same file and strata under the promise "watched"."""
        other = object.__new__(Prepared)
        other.__dict__.update(self.__dict__)
        other.engine = self.engine.beginning()
        other.engine.plan = replace(self.engine.plan, promise="watched")
        other.tally = other.engine.tallies[other.engine.classifiers[0]]
        return other

    # --- drawing ---------------------------------------------------------------------------

    def random_draws(self, random: np.random.Generator) -> list[IntArray]:
        """A random order of each stratum's items, as far as it can be asked."""
        limit = self.engine.limit
        return [
            items[random.choice(len(items), min(len(items), limit), replace=False)]
            for items in self.members
        ]

    def asked(self, draws: Sequence[IntArray], mix: Mixer) -> IntArray:
        """The positions in the order in which they are asked, (limit,); ``draws`` holds the order
        inside each stratum and ``mix`` the order inside a batch."""
        return np.concatenate(list(self.batches(draws, mix)))

    def batches(self, draws: Sequence[IntArray], mix: Mixer) -> Iterator[IntArray]:
        """The same, batch by batch, each composed when it is asked for."""
        engine = self.engine
        hits = [np.concatenate([[0.0], np.cumsum(self.hit[items])]) for items in draws]
        right = [np.concatenate([[0.0], np.cumsum(self.right[items])]) for items in draws]
        drawn = np.zeros(len(draws), dtype=np.int64)
        number = 0
        while (total := int(drawn.sum())) < engine.limit:
            progress = Progress(
                drawn, drawn.astype(float), at(hits, drawn), engine.limit, at(right, drawn)
            )
            counts = self.design.allocate(engine.setup, engine.frame, progress)
            taken = np.flatnonzero(counts)
            items = np.concatenate([draws[k][drawn[k] : drawn[k] + counts[k]] for k in taken])
            number += 1
            yield mix(number, items)[: engine.limit - total]
            drawn = drawn + counts

    def run(self, random: np.random.Generator) -> IntArray:
        return self.asked(self.random_draws(random), lambda _, items: random.permutation(items))

    # --- looking ---------------------------------------------------------------------------

    def looks(self) -> list[int]:
        """About ``LOOKS`` numbers of labels, in constant ratio from the first figure to the last
        label."""
        first, last = max(estimation.first_figure(self.engine), 1), self.engine.limit
        return np.unique(np.rint(np.geomspace(min(first, last), last, LOOKS)).astype(int)).tolist()

    def counts(self, order: IntArray, looks: Sequence[int]) -> FloatArray:
        """Labels by cell and class at each look, (n_looks, n_cells, n_classes)."""
        cells = len(self.tally.size) * self.n_classes
        edges = np.array(looks)
        kind = self.cell_and_class[order[: edges[-1]]]
        at = np.searchsorted(edges, np.arange(len(kind)), side="right")
        table = np.bincount(at * cells + kind, minlength=cells * len(edges)).astype(float)
        table = np.cumsum(table.reshape(len(edges), cells), axis=0)
        return np.asarray(table.reshape(len(edges), -1, self.n_classes))

    def put(self, counts: FloatArray) -> int:
        """The engine as it is with these labels; their number."""
        engine, number = self.engine, int(counts.sum())
        self.tally.counts = counts
        engine.kinds = Counter(labelled=number)
        engine._last_answered = number
        strata = engine.frame.n_strata
        labelled = np.bincount(self.tally.stratum, counts.sum(axis=1), minlength=strata)
        engine.drawn = labelled.astype(np.int64)
        return number

    def tasks(self, counts: FloatArray) -> list[Task]:
        """A call of ``Design.estimate`` for each group of questions."""
        self.put(counts)
        look, engine = estimation.look_at(self.engine), self.engine
        found: list[Task] = []
        for group in self.groups:
            cells = self.tally.cells(group[0].class_index)
            rates = estimation.fitted_cell_rates(engine, self.tally, group[0].class_index)
            rows = [question.row for question in group]
            found.append(
                lambda rows=rows, cells=cells, rates=rates: self.design.estimate(  # type: ignore[misc]
                    rows, cells, look, rates
                )
            )
        return found

    def allowed(self, counts: FloatArray, figures: Sequence[Figures]) -> list[bool]:
        """Whether each question's interval is shown, as ``figures.scalars`` does."""
        self.put(counts)
        found = []
        for group, of_group in zip(self.groups, figures, strict=True):
            cells = self.tally.cells(group[0].class_index)
            for question, value in zip(group, of_group.value, strict=True):
                state = estimation._state(self.engine, question, cells, float(value))[0]
                found.append(state in ("interval", "stopped early"))
        return found


def at(totals: Sequence[FloatArray], places: IntArray) -> FloatArray:
    """The running total of each stratum at its place, (n_strata,)."""
    return np.array([total[place] for total, place in zip(totals, places, strict=True)])


def see(looks: Iterable[tuple[Prepared, FloatArray]]) -> Shown:
    """What is seen at each (prepared file, counts)."""
    given = list(looks)
    groups = [prepared.tasks(counts) for prepared, counts in given]
    figures = iter(estimates([task for group in groups for task in group]))
    found = [[next(figures) for _ in group] for group in groups]
    interval = [
        prepared.allowed(counts, one) for (prepared, counts), one in zip(given, found, strict=True)
    ]

    def column(name: str) -> FloatArray:
        return np.array([np.concatenate([getattr(part, name) for part in one]) for one in found])

    return Shown(
        np.array(interval), column("value"), column("low"), column("high"), column("tail_share")
    )
