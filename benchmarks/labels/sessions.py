"""Runs of the product's own designs, side by side, each until its half-width is met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import labelcore as lc
from benchmarks.labels.files import File
from benchmarks.labels.targets import FIRST, Follower, Stop, Target
from benchmarks.sessions import Prepared
from benchmarks.stacked import estimates
from labelcore.designs.base import IntArray
from labelcore.designs.scalars import Figures
from labelcore.figures import scalars as estimation
from labelcore.plan.against_file import frozen
from labelcore.planning.simulation import run_seed
from labelcore.stats.profile import Cells, FloatArray

SEED, SIDE_BY_SIDE = 41, 25
Ends = Callable[[Figures, Cells], Figures]


@dataclass(frozen=True)
class Session:
    """A sampling method of the product.

    plans      whether the planned size matters: then it is what the plan's preview says
    params     its parameters, given the file and the target
    interval   what takes the place of the design's own interval
    """

    name: str
    design: str
    targets: tuple[str, ...]
    promise: str = "fixed"
    plans: bool = False
    params: Callable[[File, Target], Mapping[str, Any]] = field(default=lambda file, target: {})
    interval: Ends | None = None

    def prepared(self, file: File, target: Target) -> Prepared:
        """One file and target, made ready; the planned size does not end a run."""
        margin, params = target.margin(file), dict(self.params(file, target))
        plan = lc.Plan(
            self.design, target.estimands, classifier=file.classifier, params=params,
            margin=margin, promise=self.promise, seed=run_seed(SEED, 0),
        )  # fmt: skip
        planned = lc.preview(file.population, plan).planned if self.plans else FIRST
        whole = replace(plan, budget=file.size, margin=None, stop=None)
        return Prepared(file.population, frozen(file.population, whole, planned), file.codes)

    def stops(
        self, file: File, target: Target, randoms: Sequence[np.random.Generator]
    ) -> list[Stop]:
        prepared = self.prepared(file, target)
        found: list[Stop] = []
        for start in range(0, len(randoms), SIDE_BY_SIDE):
            part = randoms[start : start + SIDE_BY_SIDE]
            found += runs(prepared, target.margin(file), part, self.interval)
        return found


class Run:
    """One run: its draws, as far as they were asked for, and where it is looked at next."""

    def __init__(self, prepared: Prepared, goal: float, random: np.random.Generator) -> None:
        draws = prepared.random_draws(random)
        self.batches: Iterator[IntArray] = prepared.batches(
            draws, lambda _, items: random.permutation(items)
        )
        self.order = np.zeros(0, dtype=np.int64)
        first = max(FIRST, estimation.first_figure(prepared.engine))
        self.follower = Follower(goal, prepared.engine.limit, first)
        self.stop: Stop | None = None

    def counts(self, prepared: Prepared) -> FloatArray:
        """Labels by cell and class at the present look, (n_cells, n_classes)."""
        parts = [self.order]
        have = len(self.order)
        while have < self.follower.size:
            parts.append(next(self.batches))
            have += len(parts[-1])
        self.order = np.concatenate(parts)
        cells, classes = len(prepared.tally.size), prepared.n_classes
        kinds = prepared.cell_and_class[self.order[: self.follower.size]]
        return np.bincount(kinds, minlength=cells * classes).reshape(cells, classes).astype(float)


def runs(
    prepared: Prepared,
    goal: float,
    randoms: Sequence[np.random.Generator],
    interval: Ends | None = None,
) -> list[Stop]:
    """Where each run ends."""
    truth = prepared.truth()
    right = np.array([truth[question.key] for question in prepared.questions])
    all_of_them = [Run(prepared, goal, random) for random in randoms]
    while left := [run for run in all_of_them if run.stop is None]:
        counts = [run.counts(prepared) for run in left]
        tasks = [task for one in counts for task in prepared.tasks(one)]
        groups = len(prepared.groups)
        figures = estimates(tasks)
        for place, run in enumerate(left):
            mine = figures[place * groups : (place + 1) * groups]
            low, high = ends(prepared, counts[place], mine, interval)
            if run.follower.ends(float(np.max(high - low)) / 2):
                held = (low - 1e-12 <= right) & (right <= high + 1e-12)
                run.stop = Stop(run.follower.size, tuple(held.tolist()))
    return [run.stop for run in all_of_them if run.stop is not None]


def ends(
    prepared: Prepared, counts: FloatArray, figures: Sequence[Figures], interval: Ends | None
) -> tuple[FloatArray, FloatArray]:
    """Low and high of each question; 0 and 1 where labels of a needed kind are missing."""
    prepared.put(counts)
    found: list[tuple[float, float]] = []
    for group, of_group in zip(prepared.groups, figures, strict=True):
        cells = prepared.tally.cells(group[0].class_index)
        shown = of_group if interval is None else interval(of_group, cells)
        for place, question in enumerate(group):
            lacking = estimation._lacking_side(prepared.engine, question, cells)[0]
            nothing = bool(lacking) or np.isnan(shown.value[place])
            pair = (float(shown.low[place]), float(shown.high[place]))
            found.append((0.0, 1.0) if nothing else pair)
    low, high = np.array(found).T
    return low, high
