"""Helpers of a plan by agreement patterns: labels and coverage beside a verdict, on and off.

    python -m benchmarks.helped_patterns [--quick] [--runs 60] [--rows FILE]

Precision, then precision and recall, of the classifiers of a file beside a verdict whose errors are
independent of everything else. "Labels" is the square of the ratio of the mean widths of the widest
figure with the verdict and without, at as many labels. Seeds: run r of the case at place p uses
(14, p, r), on and off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.allocation import cells_of, session
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.helpers import CHOSEN, SHOWN, Pair
from labelcore.designs.pattern_frame import PatternFrame
from labelcore.designs.profile_figures import profile_figures
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.scalars import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen

SEED, SIZES, ACCURACIES = 14, (150, 300), (0.95, 0.7, 0.5)
ASKED = (("precision",), ("precision", "recall"))
VARIANTS: dict[str, dict[str, Any]] = {"off": {}, "on": {"helpers": ["said"]}}


@dataclass(frozen=True)
class Several(Pair):
    """A file with all its classifiers, beside a verdict."""

    @property
    def classifiers(self) -> tuple[str, ...]:
        return self.table.classifiers


def cases() -> Iterator[tuple[str, Several]]:
    """The files with several classifiers, beside a verdict of each accuracy."""
    for half, files in (("chosen", CHOSEN), ("shown", SHOWN)):
        for file in files:
            if len(file.classifiers) > 1:
                for right in ACCURACIES:
                    yield half, Several(file, file.classifiers[0], right)


def measure(half: str, case: Several, place: int, folder: Path, runs: int) -> list[Row]:
    """A row for each size, question, variant and figure."""
    population, truth = case.population(folder), case.truth(folder)
    rows: list[Row] = []
    for size in (one for one in SIZES if 3 * one < len(population)):
        for asked in ASKED:
            for variant, params in VARIANTS.items():
                plan = lc.Plan(
                    "agreement_patterns", asked, classifier=list(case.classifiers), budget=size,
                    promise="fixed", params=params, seed=SEED,
                )  # fmt: skip
                engine = Engine(population, frozen(population, plan, size))
                found = _figures(engine, truth, asked, runs, place)
                head = {"half": half, "file": case.table.name, "right": case.right,
                        "labels": size, "asked": " and ".join(asked),
                        "variant": variant, "strata": engine.frame.n_strata}  # fmt: skip
                rows += [{**head, **one} for one in found]
    return rows


def _figures(
    engine: Engine, truth: np.ndarray, asked: tuple[str, ...], runs: int, place: int
) -> list[Row]:
    """Coverage and mean width of each figure of each classifier."""
    setup, frame = engine.setup, engine.frame
    assert isinstance(frame, PatternFrame)
    hits = np.bincount(frame.stratum, truth, minlength=frame.n_strata).astype(np.int64)
    rows, look = [SCALARS[name] for name in asked], replace(look_at(engine), labels=setup.planned)
    held, width = np.zeros((2, runs, len(frame.said), len(rows)))
    for run in range(runs):
        random = np.random.default_rng((SEED, place, run))
        progress = session(setup, frame, engine, hits, random)
        rates = engine.design.fitted_rates(frame, progress)
        for one, said in enumerate(frame.said):
            whole = replace(cells_of(frame, frame.sizes, hits), predicted=said)
            right = ratios(rows, whole).value(hits.astype(float))
            counts = replace(cells_of(frame, progress.drawn, progress.positive), predicted=said)
            found = profile_figures(rows, counts, look, rates)
            held[run, one] = (found.low <= right + 1e-12) & (right <= found.high + 1e-12)
            width[run, one] = found.high - found.low
    return [
        {"classifier": name, "figure": figure, "held": held[:, one, at].mean(),
         "width": width[:, one, at].mean()}
        for one, name in enumerate(setup.classifiers)
        for at, figure in enumerate(asked)
    ]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    every = list(enumerate(cases()))
    return {
        f"{half} {case.name}": partial(measure, half, case, place, options.data, options.runs)
        for place, (half, case) in every
        if not options.quick or place == 0
    }


def tables(rows: Rows, options: Options) -> str:
    """A row for each half, question, accuracy of the verdict and size."""
    found = pd.DataFrame(flat(rows))
    keys = ["half", "asked", "right", "labels"]
    shown = []
    for key, part in found.groupby(keys, sort=False):
        widest = part.groupby(["file", "variant"])["width"].max().unstack()
        ratio = (widest["on"] / widest["off"]) ** 2
        held = part.groupby("variant")["held"].agg(["mean", "min"])
        half, asked, right, labels = key
        shown.append((half, asked, f"{100 * right:.0f} %", f"{labels:,}", len(ratio),
                      f"{ratio.mean():.2f}", f"{ratio.max():.2f}",
                      *(f"{held.loc[name, how]:.3f}" for name in ("on", "off")
                        for how in ("mean", "min"))))  # fmt: skip
    names = ("half", "every", "verdict right in", "labels", "files", "labels on / off",
             "worst file", "coverage on", "least", "off", "least")  # fmt: skip
    return f"{options.runs} runs each.\n\n{table(names, sorted(shown, reverse=True))}"


BENCHMARK = Benchmark(
    name="helped_patterns", about=str(__doc__), jobs=jobs, tables=tables, runs=60, quick_runs=3
)

if __name__ == "__main__":
    command(BENCHMARK)()
