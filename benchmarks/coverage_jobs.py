"""What the benchmarks of coverage and of false claims run: every design on every file."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import Options
from benchmarks.populations import Case, Known, all_cases, known, redrawn, superpopulation, written
from benchmarks.sessions import Prepared
from labelcore.errors import PlanError
from labelcore.planning.simulation import MOST_ITEMS

SEED, SIDE_BY_SIDE = 31, 100
QUICK = ("calibrated", "50 items", "three classes", "redrawn file", "a tie of two classifiers",
         "one accuracy 0.9", "newsgroups_med lr")  # fmt: skip
SCALAR_DESIGNS = ("simple_random", "recalibrated_neyman")
"""Methods that take every file of the table; the coverage of the papers' methods, which refuse some
of them, is in docs/papers."""


@dataclass(frozen=True, slots=True)
class Job:
    """One file, design and planned size; ``fixed`` and ``watched`` are numbers of runs."""

    case: str
    design: str
    variant: str
    labels: int
    fixed: int
    watched: int
    folder: Path | None

    @property
    def title(self) -> str:
        return f"{self.design}, {self.variant}" if self.variant else self.design

    @property
    def name(self) -> str:
        return f"{self.case}, {self.title}, {self.labels} labels"


def jobs(folder: Path, cases: dict[str, Case], fixed: int, watched: int) -> Iterator[Job]:
    """Every design on every case; parameters of a variant belong to the strata of one design."""
    for case in cases.values():
        for variant, params in case.variants.items():
            for design in SCALAR_DESIGNS:
                if params and design != "recalibrated_neyman":
                    continue
                for labels in sorted({*case.fixed, *case.watched}):
                    yield Job(
                        case.name,
                        design,
                        variant,
                        labels,
                        fixed if labels in case.fixed else 0,
                        watched if labels in case.watched else 0,
                        folder if case.make is None else None,
                    )


def cases_of(options: Options) -> dict[str, Case]:
    """All of them, or a few for a first look."""
    return {name: case for name, case in all_cases().items() if not options.quick or name in QUICK}


def plan_of(job: Job, classifier: str, promise: str = "fixed") -> lc.Plan:
    case = all_cases()[job.case]
    return lc.Plan(
        job.design,
        case.estimands,
        classifier=classifier,
        params=dict(case.variants[job.variant]),
        budget=job.labels,
        promise=promise,
        target=case.target,
    ).with_planned(job.labels)


class Files:
    """The prepared file of each run, and the truth: one file, or a file redrawn for each run where
    the target is "process"."""

    def __init__(self, job: Job) -> None:
        self.case = all_cases()[job.case]
        self.known: Known = known(job.case, job.folder)
        self.plan = plan_of(job, self.known.classifier)
        self.process = self.case.target == "process"
        self.watched = job.watched if may_be_watched(job, self.known.classifier) else 0
        if self.process:
            self.items = superpopulation(job.case)
            self.truth = whole_truth(job.case)
        else:
            self.prepared = self._both(self.known)
            self.truth = self.prepared[0].truth()

    @property
    def together(self) -> int:
        """Runs whose sessions fit into memory side by side."""
        return max(1, min(SIDE_BY_SIDE, MOST_ITEMS // len(self.known.population)))

    def of_run(self, random: np.random.Generator) -> tuple[Prepared, Prepared]:
        """The file of one run under the promises "fixed" and "watched"."""
        if not self.process:
            return self.prepared
        return self._both(redrawn(self.known, self.items, random))

    def with_plan(self, plan: lc.Plan, random: np.random.Generator) -> Prepared:
        """The file of one run under another plan."""
        file = redrawn(self.known, self.items, random) if self.process else self.known
        return Prepared(file.population, plan, file.codes)

    def _both(self, file: Known) -> tuple[Prepared, Prepared]:
        fixed = Prepared(file.population, self.plan, file.codes)
        if not self.watched:
            return fixed, fixed
        plan = replace(self.plan, promise="watched")
        return fixed, Prepared(file.population, plan, file.codes)


@lru_cache(maxsize=2)
def whole_truth(name: str) -> dict[str, float]:
    """The true values of what the files of a "process" case are drawn from."""
    case = all_cases()[name]
    whole = written(superpopulation(name))
    plan = lc.Plan("simple_random", case.estimands, budget=1, promise="fixed").with_planned(1)
    return Prepared(whole.population, plan, whole.codes).truth()


def may_be_watched(job: Job, classifier: str) -> bool:
    try:
        plan_of(job, classifier, "watched")
    except PlanError:
        return False
    return True


def generator(job: Job, run: int) -> np.random.Generator:
    return harness.generator(SEED, f"{job.case}|{job.title}|{job.labels}", run)
