"""Runs of the product's own designs, side by side, each until its half-width is met."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import labelcore as lc
from benchmarks import sessions
from benchmarks.labels.files import File
from benchmarks.labels.targets import FIRST, Follower, Stop, Target
from benchmarks.sessions import Prepared
from labelcore.designs.scalars import EstimatesScalars, Figures
from labelcore.figures import from_counts as estimation
from labelcore.figures import readiness
from labelcore.log.engine import Engine
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
    """One run, and where it is looked at next."""

    def __init__(self, session: sessions.Session, goal: float) -> None:
        engine = session.engine
        first = max(FIRST, readiness.first_figure(engine))
        self.session, self.follower = session, Follower(goal, engine.limit, first)
        self.stop: Stop | None = None

    def go_to_look(self, prepared: Prepared) -> None:
        """Label up to the present look, from the start again where it lies behind."""
        if self.session.engine.labels > self.follower.size:
            self.session = prepared.again(self.session)
        self.session.go_to(self.follower.size)


def runs(
    prepared: Prepared,
    goal: float,
    randoms: Sequence[np.random.Generator],
    interval: Ends | None = None,
) -> list[Stop]:
    """Where each run ends."""
    truth = prepared.truth()
    right = np.array([truth[key] for key in prepared.keys])
    all_of_them = [Run(prepared.session(random), goal) for random in randoms]
    while left := [run for run in all_of_them if run.stop is None]:
        for run in left:
            run.go_to_look(prepared)
        bounds = ends([run.session.engine for run in left], interval)
        for run, low, high in zip(left, *bounds, strict=True):
            if run.follower.ends(float(np.max(high - low)) / 2):
                held = (low - 1e-12 <= right) & (right <= high + 1e-12)
                run.stop = Stop(run.follower.size, tuple(held.tolist()))
    return [run.stop for run in all_of_them if run.stop is not None]


def ends(engines: Sequence[Engine], interval: Ends | None = None) -> tuple[FloatArray, FloatArray]:
    """Low and high of each question, (n_engines, n_questions) each; 0 and 1 where labels of a
    needed kind are missing."""
    design: EstimatesScalars[Any] = EstimatesScalars.of(engines[0].design)
    found: dict[str, list[tuple[float, float]]] = {}
    looks = [estimation.look_at(engine) for engine in engines]
    for group in estimation.same_cells(engines[0].questions):
        answers = estimation.answers_of(engines, group)
        of_group = design.figures_of(answers, looks)
        for engine, one, figures in zip(engines, answers, of_group, strict=True):
            shown = figures if interval is None else interval(figures, one.cells)
            for place, question in enumerate(group):
                lacking = readiness.lacking_side(engine, question, one.cells)[0]
                nothing = bool(lacking) or np.isnan(shown.value[place])
                pair = (float(shown.low[place]), float(shown.high[place]))
                found.setdefault(question.key, []).append((0.0, 1.0) if nothing else pair)
    bounds = np.array([found[question.key] for question in engines[0].questions])
    return bounds[..., 0].T, bounds[..., 1].T
