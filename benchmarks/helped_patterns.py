"""Helpers of a plan by agreement patterns: labels and coverage beside a verdict, on and off.

    python -m benchmarks.helped_patterns [--quick] [--runs 60] [--rows FILE]

Precision, then precision and recall, of the classifiers of a file beside a verdict whose errors are
independent of everything else, fixed and watched at every batch. "Labels" is the square of the
ratio of the mean widths of the widest figure with the verdict and without, at as many labels;
"told" what the report says of them, in the mean of ``TOLD`` sessions. Seeds: run r of the case at
place p uses (14, p, r), on and off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.allocation import batches, cells_of
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.helpers import CHOSEN, SHOWN, Pair
from labelcore.designs.base import Progress
from labelcore.designs.pattern_frame import PatternFrame
from labelcore.designs.profile_figures import profile_figures
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.scalars import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.promises import Promise

SEED, LABELS, ACCURACIES, TOLD = 14, 200, (0.95, 0.7, 0.5), 5
PROMISES = ("fixed", "watched")
ASKED = (("precision",), ("precision", "recall"))
VARIANTS: dict[str, dict[str, Any]] = {"off": {}, "on": {"helpers": ["said"]}}
KEYS = ["half", "asked", "right", "promise", "file"]


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
    """A row for each question, promise, variant and figure."""
    population, truth = case.population(folder), case.truth(folder)
    rows: list[Row] = []
    for asked in ASKED:
        for promise in PROMISES:
            for variant, params in VARIANTS.items():
                plan = lc.Plan(
                    "agreement_patterns", asked, classifier=list(case.classifiers), budget=LABELS,
                    promise=promise, params=params, seed=SEED,
                )  # fmt: skip
                engine = Engine(population, frozen(population, plan, LABELS))
                found = _figures(engine, truth, asked, runs, place)
                head = {"half": half, "file": case.table.name, "right": case.right,
                        "asked": " and ".join(asked), "promise": promise,
                        "variant": variant, "strata": engine.frame.n_strata}  # fmt: skip
                rows += [{**head, **one} for one in found]
    return rows


def _figures(
    engine: Engine, truth: np.ndarray, asked: tuple[str, ...], runs: int, place: int
) -> list[Row]:
    """Of each figure of each classifier whether it held, at every batch of a watched promise, its
    width at the end with its standard error, and what is told of the labels without helpers."""
    setup, frame = engine.setup, engine.frame
    assert isinstance(frame, PatternFrame)
    hits = np.bincount(frame.stratum, truth, minlength=frame.n_strata).astype(np.int64)
    held, width = np.ones((runs, len(frame.said), len(asked)), dtype=bool), []
    told: list[Mapping[str, int]] = []
    whole, rows = cells_of(frame, frame.sizes, hits), [SCALARS[name] for name in asked]
    right = np.array([
        ratios(rows, replace(whole, predicted=one)).value(hits.astype(float)) for one in frame.said
    ])  # fmt: skip
    for run in range(runs):
        random = np.random.default_rng((SEED, place, run))
        for progress in batches(setup, frame, engine, hits, random):
            if setup.promise is Promise.FIXED and progress.labelled.sum() < setup.planned:
                continue
            low, high = _ends(engine, progress, asked)
            held[run] &= (low <= right + 1e-12) & (right <= high + 1e-12)
        width.append(high - low)
        if run < TOLD and frame.helpers:
            saved = engine.design.saved(setup, frame, progress)
            told.append(saved.without if saved else {})
    mean, error = np.mean(width, axis=0), np.std(width, axis=0, ddof=1) / np.sqrt(runs)
    return [
        {"classifier": name, "figure": figure, "held": held[:, one, at].mean(),
         "width": mean[one, at], "error": error[one, at],
         "told": np.mean([one.get(figure, np.nan) for one in told]) if told else np.nan}
        for one, name in enumerate(setup.classifiers)
        for at, figure in enumerate(asked)
    ]  # fmt: skip


def _ends(engine: Engine, progress: Progress, asked: tuple[str, ...]) -> np.ndarray:
    """Low and high, (2, n_classifiers, n_figures)."""
    frame, rows = engine.frame, [SCALARS[name] for name in asked]
    assert isinstance(frame, PatternFrame)
    rates = engine.design.fitted_rates(frame, progress)
    look = replace(look_at(engine), labels=int(progress.labelled.sum()))
    cells = cells_of(frame, progress.drawn, progress.positive)
    found = [profile_figures(rows, replace(cells, predicted=one), look, rates)
             for one in frame.said]  # fmt: skip
    return np.array([[one.low for one in found], [one.high for one in found]])


def jobs(options: Options) -> dict[str, Job]:
    every = list(enumerate(cases()))
    return {
        f"{half} {case.name}": partial(measure, half, case, place, options.data, options.runs)
        for place, (half, case) in every
        if not options.quick or place == 0
    }


def tables(rows: Rows, options: Options) -> str:
    """A row for each half, question, accuracy of the verdict and promise; then one for each
    file."""
    found = pd.DataFrame(flat(rows))
    of_file = pd.DataFrame([_of_file(key, part) for key, part in found.groupby(KEYS, sort=False)])
    shown = []
    for key, part in of_file.groupby(["half", "asked", "right", "promise"], sort=False):
        half, asked, right, promise = key
        worst = part.loc[part["ratio"].idxmax()]
        shown.append((half, asked, f"{100 * right:.0f} %", promise, len(part),
                      f"{part['ratio'].mean():.2f}",
                      f"{worst['ratio']:.2f} ± {worst['error']:.2f} ({worst['file']})",
                      f"{part['told'].mean():.2f}",
                      *(f"{part[name].mean():.3f}, {part[name + ' least'].min():.3f}"
                        for name in ("on", "off"))))  # fmt: skip
    names = ("half", "every", "verdict right in", "promise", "files", "labels on / off",
             "worst file", "as told", "held on: mean, least", "off")  # fmt: skip
    return f"{options.runs} runs of {LABELS} labels each.\n\n{table(names, shown)}"


def _of_file(key: tuple[object, ...], part: pd.DataFrame) -> Row:
    """Labels to the same width of the widest figure, on against off, with the standard error."""
    widest = part.loc[part.groupby("variant")["width"].idxmax()].set_index("variant")
    ratio = (widest.at["on", "width"] / widest.at["off", "width"]) ** 2
    noise = np.hypot(*(widest.at[name, "error"] / widest.at[name, "width"] for name in VARIANTS))
    told = LABELS / widest.at["on", "told"]
    held = {
        name + more: getattr(part.loc[part["variant"] == name, "held"], how)()
        for name in VARIANTS
        for more, how in (("", "mean"), (" least", "min"))
    }
    return {**dict(zip(KEYS, key, strict=True)), "ratio": ratio, "error": 2 * ratio * noise,
            "told": told, **held}  # fmt: skip


BENCHMARK = Benchmark(
    name="helped_patterns", about=str(__doc__), jobs=jobs, tables=tables, runs=60, quick_runs=3
)

if __name__ == "__main__":
    command(BENCHMARK)()
