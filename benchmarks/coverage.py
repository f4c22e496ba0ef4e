"""Bias, coverage and sessions ever wrong, for every design, estimand and promise.

    python -m benchmarks.coverage ../shared/data [--quick] [--runs 3000] [--watched-runs 2000]
        [--only WORD] [--output docs/validity.md]

Populations from easy to nasty (``benchmarks.populations``) and the real files are labelled by their
known classes; ``benchmarks.sessions`` drives each design's own code. A fixed interval is read at
the planned size, a watched one at about 30 numbers of labels in constant ratio, chosen in advance,
from the first figure to the last label. Run r of a cell's file, design and size uses
SeedSequence((31, crc32 of "file|design|labels"), spawn key r), the same run serving all estimands
and both promises; ties and hashes use ``run_seed(31, r % n)`` with n seeds a file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

import labelcore as lc
from benchmarks.coverage_tables import HEADER, as_markdown
from benchmarks.populations import (
    Case,
    Known,
    all_cases,
    known,
    redrawn,
    superpopulation,
    written,
)
from benchmarks.sessions import FloatArray, Prepared, Shown, see
from labelcore.designs.base import IntArray
from labelcore.designs.stratified import StratifiedDesign
from labelcore.errors import PlanError
from labelcore.simulate import run_seed

SEED, CHUNK = 31, 100
SCALAR_DESIGNS = tuple(
    name
    for name, design in lc.DESIGNS.items()
    if isinstance(design, StratifiedDesign) and "accuracy" in design.estimands
)


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
    """The prepared file of each run, and the truth: one file under several seeds, or a file redrawn
    for each run where the target is "process"."""

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
            self.prepared = [
                Prepared(
                    self.known.population, self.plan.with_seed(run_seed(SEED, t)), self.known.codes
                )
                for t in range(min(self.case.tie_seeds, 1 + max(job.fixed, job.watched) // 10))
            ]
            self.watching = [self._watching(one) for one in self.prepared]
            self.truth = self.prepared[0].truth()

    def of_run(self, run: int, random: np.random.Generator) -> tuple[Prepared, Prepared]:
        """The file of one run under the promises "fixed" and "watched"."""
        if not self.process:
            return self.prepared[run % len(self.prepared)], self.watching[run % len(self.watching)]
        file = redrawn(self.known, self.items, random)
        plan = self.plan.with_seed(run_seed(SEED, run))
        prepared = Prepared(file.population, plan, file.codes)
        return prepared, self._watching(prepared)

    def _watching(self, prepared: Prepared) -> Prepared:
        return prepared.watching() if self.watched else prepared


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
    key = crc32(f"{job.case}|{job.title}|{job.labels}".encode())
    return np.random.default_rng(np.random.SeedSequence((SEED, key), spawn_key=(run,)))


def runs(job: Job) -> tuple[list[str], FloatArray, list[Shown], list[Shown]]:
    """Keys of the questions, their truth, and what is shown: at the planned size of each run, and
    at each look, in chunks of runs."""
    files = Files(job)
    watched = files.watched
    fixed_parts, watched_parts = [], []
    keys: list[str] = []
    for start in range(0, max(job.fixed, watched), CHUNK):
        ends: list[tuple[Prepared, FloatArray]] = []
        looks: list[tuple[Prepared, FloatArray]] = []
        for run in range(start, min(start + CHUNK, max(job.fixed, watched))):
            random = generator(job, run)
            file, watching = files.of_run(run, random)
            order: IntArray = file.run(random)
            keys = [question.key for question in file.questions]
            if run < job.fixed:
                ends.append((file, file.counts(order, [len(order)])[0]))
            if run < watched:
                looks += [(watching, one) for one in watching.counts(order, watching.looks())]
        if ends:
            fixed_parts.append(see(ends))
        if looks:
            watched_parts.append(by_session(see(looks), [prepared for prepared, _ in looks]))
    return keys, np.array([files.truth[key] for key in keys]), fixed_parts, watched_parts


def by_session(shown: Shown, prepared: list[Prepared]) -> Shown:
    """Arrays (n_sessions, n_looks, n_questions): all sessions of a cell look equally often."""
    looks = len(prepared[0].looks())
    return Shown(
        *(
            array.reshape(-1, looks, array.shape[-1])
            for array in (shown.interval, shown.value, shown.low, shown.high, shown.tail_share)
        )
    )


def covered(shown: Shown, truth: FloatArray) -> np.ndarray:
    return (shown.low - 1e-9 <= truth) & (truth <= shown.high + 1e-9)


def measure(job: Job) -> list[dict[str, Any]]:
    """A row per estimand and promise."""
    keys, truth, fixed, watched = runs(job)
    found = []
    for promise, parts in (("fixed", fixed), ("watched", watched)):
        if not parts:
            continue
        whole = Shown(*(np.concatenate([getattr(part, name) for part in parts]) for name in NAMES))
        for place, key in enumerate(keys):
            if np.isnan(truth[place]):
                continue
            one = Shown(*(getattr(whole, name)[..., place] for name in NAMES))
            found.append(
                {
                    "population": job.case,
                    "design": job.title,
                    "promise": promise,
                    "labels": job.labels,
                    "estimand": key,
                    **summary(one, float(truth[place])),
                }
            )
    return found


NAMES = ("interval", "value", "low", "high", "tail_share")


def summary(shown: Shown, truth: float) -> dict[str, float]:
    """One cell: arrays (n_runs,), or (n_sessions, n_looks) where it is watched."""
    inside = covered(shown, np.asarray(truth))
    ever = np.nan
    last = shown
    sessions = float(shown.interval.any(axis=-1).sum()) if shown.interval.ndim > 1 else 0.0
    if shown.interval.ndim > 1:
        missed = (shown.interval & ~inside).any(axis=-1).sum()
        ever = float(missed / sessions) if sessions else np.nan
        last = Shown(*(getattr(shown, name)[:, -1] for name in NAMES))
        inside = inside[:, -1]
    seen = last.interval
    count = int(seen.sum())
    coverage = float(inside[seen].mean()) if count else np.nan
    errors = (last.value - truth)[seen & ~np.isnan(last.value)]
    tails = last.tail_share[seen & ~np.isnan(last.tail_share)]
    kept, of = (coverage, count) if np.isnan(ever) else (1 - ever, sessions)
    spread = float(errors.std(ddof=1)) if len(errors) > 1 else np.nan
    return {
        "runs": len(seen),
        "shown": of,
        "kept": kept,
        "kept se": float(np.sqrt(kept * (1 - kept) / of)) if of else np.nan,
        "coverage": coverage,
        "ever missed": ever,
        "bias": 100 * float(errors.mean()) if len(errors) else np.nan,
        "bias se": 100 * spread / np.sqrt(max(len(errors), 1)),
        "width": float((last.high - last.low)[seen].mean()) if count else np.nan,
        "no figure": 1 - count / len(seen),
        "tail share": float(tails.mean()) if len(tails) else np.nan,
    }


def effort(job: Job) -> float:
    """Roughly the time a job takes, to start the long ones first."""
    case = all_cases()[job.case]
    looks = 30 * job.watched * len(case.estimands) / 4
    batches = 1 if job.design == "simple_random" else 10 * np.log10(job.labels)
    return looks + job.fixed * batches / 3 + case.n_items / 10 * (case.n_items > 100_000)


def table(todo: list[Job], workers: int) -> list[dict[str, Any]]:
    """The rows of all jobs, in the order of the jobs, however they were shared out."""
    start = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        running: dict[int, Future[list[dict[str, Any]]]] = {
            place: pool.submit(measure, todo[place])
            for place in sorted(range(len(todo)), key=lambda place: -effort(todo[place]))
        }
        for number, (place, future) in enumerate(running.items(), start=1):
            if future.exception() is not None:
                pool.shutdown(cancel_futures=True)
            future.result()
            job, seconds = todo[place], time.monotonic() - start
            print(f"{seconds:6.0f} s {number}/{len(todo)} {job.case}, {job.title}", flush=True)
    return [row for place in range(len(todo)) for row in running[place].result()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--watched-runs", type=int, default=2000)
    parser.add_argument("--quick", action="store_true", help="30 and 15 runs, for a first look")
    parser.add_argument("--only", default="", help="files whose name holds this word")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    fixed, watched = (30, 15) if options.quick else (options.runs, options.watched_runs)
    cases = {name: case for name, case in all_cases().items() if options.only in name}
    start = time.monotonic()
    rows = table(list(jobs(options.folder, cases, fixed, watched)), options.workers)
    text = as_markdown(rows, fixed, watched, time.monotonic() - start)
    print(text)
    if options.output:
        options.output.write_text(HEADER + text, encoding="utf-8")


if __name__ == "__main__":
    main()
