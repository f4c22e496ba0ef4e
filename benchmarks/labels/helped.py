"""The same labels and the same verdict of another column, read by us and by other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import Job, Row, generator, table
from benchmarks.helpers import DESIGN, MAIN, SHOWN, Pair, figures_of
from benchmarks.labels.peers import missing
from labelcore.designs.base import AnswerCodes
from labelcore.designs.scalars import Answers, EstimatesScalars
from labelcore.figures.from_counts import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.stats.profile import FloatArray

SIZES, ACCURACIES, RUNS, BOOTSTRAPS = (150, 300, 1000), (0.95, 0.7, 0.5), 40, 500
SEED, CONFIDENCE, LARGEST, FEWER = 43, 0.95, "product_pairs", 20
LEAST_REST = 4
"""Items for each label: with fewer, others would be judged by the finite-population factor that
they lack."""
PLAIN, OURS, STRATA = "labels only (Wilson)", "simple_random, difference", DESIGN
PPI, PPI_SCORE, JUDGY = "ppi-python, the verdict", "ppi-python, the score", "judgy, the verdict"
TARGETS = ("accuracy", "prevalence")
Ends = tuple[float, float]


def helped_jobs(folder: Path) -> dict[str, Job]:
    """One for each pair and number of labels."""
    return {
        f"{pair.name}, {size} labels": partial(_of_pair, pair, place, size, folder)
        for place, pair in enumerate(pairs())
        for size in SIZES
    }


def pairs() -> Iterator[Pair]:
    """The first classifier of each file that nothing was chosen on, beside a verdict, the largest
    file last."""
    for file in sorted(SHOWN, key=lambda file: file.name == LARGEST):
        for right in ACCURACIES:
            yield Pair(file, file.classifiers[0], right)


def _of_pair(pair: Pair, place: int, size: int, folder: Path) -> list[Row]:
    """Target, accuracy of the verdict, labels, method, file, width over that of the labels alone,
    coverage; nothing where the file is too small."""
    population, truth = pair.population(folder), pair.truth(folder)
    if size * LEAST_REST > len(truth):
        return []
    said = population.predictions[pair.classifier] == 1
    helper = population.helpers["said"]
    assert helper.verdict is not None
    verdict = helper.verdict == helper.names.index("1")
    values = {"accuracy": float((truth == said).mean()), "prevalence": float(truth.mean())}
    found: dict[tuple[str, str], list[Ends]] = {}
    ours = {PLAIN: "wilson", OURS: "difference"}
    readers = {name: _reader(population, size, how) for name, how in ours.items()}
    runs = FEWER if pair.table.name == LARGEST else RUNS
    for run in range(runs):
        at = generator(SEED, f"{pair.name} {size}", run).permutation(len(truth))[:size]
        for name, read in readers.items():
            for target, ends in zip(TARGETS, read(at, truth), strict=True):
                found.setdefault((target, name), []).append(ends)
        for key, ends in _peers(at, truth, said, verdict, population.scores[pair.classifier], run):
            found.setdefault(key, []).append(ends)
    width = {key: float(np.mean([high - low for low, high in ends])) for key, ends in found.items()}
    head = [f"{100 * (pair.right or 0):.0f} %", f"{size:,}"]
    rows = []
    for (target, name), ends in found.items():
        held = np.mean([low - 1e-12 <= values[target] <= high + 1e-12 for low, high in ends])
        ratio = width[target, name] / max(width[target, PLAIN], 1e-12)
        rows.append([target, *head, name, pair.name, ratio, held])
    plan = lc.Plan(DESIGN, MAIN, classifier=pair.classifier, budget=size, promise="fixed")
    row = figures_of(population, frozen(population, plan, size), truth, runs, place)[0]
    ratio = row["width"] / max(width["accuracy", PLAIN], 1e-12)
    rows.append(["accuracy", *head, STRATA, pair.name, ratio, row["coverage"]])
    return [{"cells": row} for row in rows]


def _reader(
    population: lc.Population, size: int, interval: str
) -> Callable[[NDArray[np.int64], NDArray[np.bool_]], list[Ends]]:
    """Our intervals of a plain random sample, at the items drawn and their answers."""
    plan = lc.Plan(
        "simple_random", TARGETS, classifier=population.classifiers[0], budget=size,
        promise="fixed", params={"interval": interval},
    )  # fmt: skip
    engine = Engine(population, frozen(population, plan, size))
    design: EstimatesScalars[object] = EstimatesScalars.of(engine.design)  # type: ignore[type-var]
    look = replace(look_at(engine), labels=size, draws=size, complete=True)

    def read(at: NDArray[np.int64], truth: NDArray[np.bool_]) -> list[Ends]:
        codes = AnswerCodes()
        codes[at] = truth[at]
        queue = np.concatenate([at, np.setdiff1d(np.arange(len(truth)), at)])
        frame = replace(engine.frame, queue=queue)
        ends = []
        for one in engine.questions:
            tally = engine.tallies[one.subject].emptied()
            tally.add_all(at, codes[at])
            cells = tally.cells(one.class_index)
            answers = Answers(frame, [one.row], cells, None, one.classifier, 1, codes)
            figures = design.figures(answers, look)  # type: ignore[arg-type]
            ends.append((float(figures.low[0]), float(figures.high[0])))
        return ends

    return read


def _peers(
    at: NDArray[np.int64], truth: NDArray[np.bool_], said: NDArray[np.bool_],
    verdict: NDArray[np.bool_], score: FloatArray, run: int,
) -> Iterator[tuple[tuple[str, str], Ends]]:  # fmt: skip
    """The intervals of other packages, where these are installed."""
    chance = score if score.min() >= 0 and score.max() <= 1 else 1 / (1 + np.exp(-score))
    rest = np.ones(len(truth), dtype=bool)
    rest[at] = False
    if missing("ppi_py") is None:
        interval = import_module("ppi_py").ppi_mean_ci
        for name, guess in ((PPI, verdict.astype(float)), (PPI_SCORE, chance)):
            for target in TARGETS:
                right = np.where(said, guess, 1 - guess) if target == "accuracy" else guess
                y = ((truth == said) if target == "accuracy" else truth).astype(float)
                low, high = interval(y[at], right[at], right[rest], alpha=1 - CONFIDENCE)
                yield (target, name), (float(np.squeeze(low)), float(np.squeeze(high)))
    if missing("judgy") is None:
        np.random.seed(run)
        try:
            _, low, high = import_module("judgy").estimate_success_rate(
                truth[at].astype(int), verdict[at].astype(int), verdict[rest].astype(int),
                bootstrap_iterations=BOOTSTRAPS, confidence_level=CONFIDENCE,
            )  # fmt: skip
        except (ValueError, RuntimeError):  # It refuses a judge that is no better than chance.
            low, high = 0.0, 1.0
        yield ("prevalence", JUDGY), (low, high)


def helped_section(rows: Sequence[Row]) -> str:
    names = ["target", "right in", "labels", "method", "file", "ratio", "held"]
    found = pd.DataFrame([row["cells"] for row in rows], columns=names)
    shown = []
    for key, part in found.groupby(names[:4], sort=False):
        labels = part["ratio"] ** 2
        numbers = (labels.mean(), labels.max(), part["held"].mean(), part["held"].min())
        shown.append((*key, *(f"{one:.2f}" for one in numbers)))
    order = {name: place for place, name in enumerate((PLAIN, OURS, STRATA, PPI, PPI_SCORE, JUDGY))}
    shown.sort(key=lambda row: (row[0], -float(row[1][:-2]), int(row[2].replace(",", "")),
                                order[row[3]]))  # fmt: skip
    heads = ("target", "verdict right in", "labels", "read by", "labels, of labels only",
             "worst file", "coverage, mean", "least")  # fmt: skip
    files = found["file"].str.partition(",")[0].nunique()
    return HEADER.format(runs=RUNS, fewer=FEWER, files=files, bootstraps=BOOTSTRAPS) + table(
        heads, shown
    )


HEADER = """## The same labels beside a verdict, by other packages

{files} files that nothing was chosen on, beside a verdict with errors independent of everything
else; {runs} runs of each cell ({fewer} of product pairs) on the same plain random samples, except
`recalibrated_neyman`, which draws as many labels from its strata. "Labels, of labels only" is the
square of the ratio of the mean widths. ppi-python is PPI++ with the verdict or the score as its
guess (it has no form for strata), judgy corrects the verdict's share by its hits and false alarms
({bootstraps:,} bootstraps). Neither has a finite-population factor, so a file counts only where it
has four times as many items as labels. Where judgy refuses a verdict that is no better than chance
its interval counts as 0 to 1. An interval that covers less often than it says is no saving.

"""
