"""Bands that only narrow: is the promise kept, what do they save, and what do they cost?

    python -m benchmarks.narrowing [--quick] [--runs 400] [--write]

Six classifiers of real files, the default method, promise "watched", 100, 300 and 1,000 planned
labels. The same sessions are seen twice at the looks of the grid: each band by itself, and as the
product shows it, cut by all bands before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from time import process_time
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import FILES, RealFile
from benchmarks.sessions import FloatArray, Prepared
from labelcore.designs.base import IntArray
from labelcore.figures import narrowing, scalars
from labelcore.figures.current import FiguresNow
from labelcore.figures.narrowing import add_look, whole
from labelcore.figures.scalars import scalar_results_of
from labelcore.log.engine import Engine
from labelcore.planning.runs import label_all, label_each_until, label_until
from labelcore.planning.truth import true_codes
from labelcore.results.types import Estimate

ESTIMANDS = ("accuracy", "precision", "recall", "f1")
PAIRS = {"newsgroups_med": ("lr", "nb"), "ppdb_pairs": ("model", "cosine"),
         "product_pairs": ("lr", "title")}  # fmt: skip
SIZES, SEED, TOGETHER, TIMED = (100, 300, 1000), 29, 20, 150


def measure(folder: Path, file: RealFile, classifier: str, labels: int, runs: int) -> list[Row]:
    """The rows of one file, classifier and planned size."""
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    plan = lc.Plan("recalibrated_neyman", ESTIMANDS, classifier=classifier, budget=labels,
                   promise="watched").with_planned(labels)  # fmt: skip
    prepared, random = Prepared(population, plan, codes), np.random.default_rng([SEED, labels])
    truth = np.array([*prepared.truth().values()])
    engines = [prepared.session(random).engine for _ in range(runs)]
    seen = [
        one
        for start in range(0, runs, TOGETHER)
        for one in _sessions(engines[start : start + TOGETHER], codes, labels, truth)
    ]
    wrong, cut_wrong, at_end, width, cut_width, moved, apart = (
        np.array(one) for one in zip(*seen, strict=True)
    )
    cost = _milliseconds(population, plan, codes)
    return [
        {
            "file": f"{file.name.split('.')[0]} {classifier}",
            "planned": labels,
            "estimand": name,
            "sessions": runs,
            "ever wrong alone": wrong[:, place].mean(),
            "ever wrong": cut_wrong[:, place].mean(),
            "wrong at the end": at_end[:, place].mean(),
            "labels against alone": (cut_width[:, place].mean() / width[:, place].mean()) ** 2,
            "value outside": moved[:, place].mean(),
            "apart": apart[:, place].mean(),
            **cost,
        }
        for place, name in enumerate(ESTIMANDS)
    ]


def _sessions(
    engines: list[Engine], codes: IntArray, labels: int, truth: FloatArray
) -> Iterator[tuple[FloatArray, ...]]:
    """What is seen of each session, (n_questions,) each: ever wrong by themselves, ever wrong when
    cut, wrong at the end, both widths at the end, whether the value lay outside there, and the
    share of looks whose band has no part in common with those before."""
    label_each_until(engines, [codes] * len(engines), labels)
    looks: dict[int, list[tuple[FloatArray, NDArray[np.bool_]]]] = {}

    def kept(engine: Engine, draws: int, ends: FloatArray, shown: NDArray[np.bool_]) -> None:
        looks.setdefault(id(engine), []).append((ends, shown))
        add_look(engine, draws, ends, shown)

    with patch.object(narrowing, "add_look", kept):
        shown = scalar_results_of(engines)
    alone = scalar_results_of(engines, alone=True)
    for engine, at_end, by_itself in zip(engines, shown, alone, strict=True):
        own, there = (np.array(one) for one in zip(*looks[id(engine)], strict=True))
        own = np.concatenate([own, [_ends(by_itself)]])
        there = np.concatenate([there, np.ones((1, len(truth)), dtype=bool)])
        cut = np.array([*(band for _, band in engine.seen), _ends(at_end)])
        before = np.array([whole(len(truth)), *cut[:-1]])
        low, high = np.maximum(before[:, 0], own[:, 0]), np.minimum(before[:, 1], own[:, 1])
        value = np.array([one.value for one in by_itself.values()], dtype=float)
        yield (
            (there & _outside(truth, own[:, 0], own[:, 1])).any(axis=0),
            (there & _outside(truth, cut[:, 0], cut[:, 1])).any(axis=0),
            _outside(truth, cut[-1, 0], cut[-1, 1]),
            own[-1, 1] - own[-1, 0],
            cut[-1, 1] - cut[-1, 0],
            _outside(value, cut[-1, 0], cut[-1, 1]),
            (there & (low > high)).mean(axis=0),
        )


def _ends(found: Mapping[str, Estimate]) -> FloatArray:
    return np.array([[one.low for one in found.values()], [one.high for one in found.values()]])


def _outside(value: FloatArray, low: FloatArray, high: FloatArray) -> NDArray[np.bool_]:
    return np.asarray((low > value + 1e-9) | (high < value - 1e-9))


def _milliseconds(population: lc.Population, plan: lc.Plan, codes: IntArray) -> Row:
    """Processor time of a look after each label, and of a simulated run: of bands that stand alone
    ("before"), and of those that only narrow."""
    with patch.object(scalars, "narrows", return_value=False):
        alone = _spent(population, plan, codes, "before")
    return alone | _spent(population, plan, codes, "now")


def _spent(population: lc.Population, plan: lc.Plan, codes: IntArray, said: str) -> Row:
    prepared, random = Prepared(population, plan, codes), np.random.default_rng(SEED)
    engine = prepared.session(random).engine
    figures, spent = FiguresNow(engine), 0.0
    for labels in range(1, min(int(plan.planned or 0), TIMED) + 1):
        label_until(engine, codes, labels)
        start = process_time()
        figures.results()
        spent += process_time() - start
    found: Row = {f"ms of a look {said}": 1000 * spent / labels}
    engines = [prepared.session(random).engine for _ in range(TOGETHER)]
    start = process_time()
    label_all(engines, codes)
    scalar_results_of(engines, ended=True)
    found[f"ms of a run {said}"] = 1000 * (process_time() - start) / TOGETHER
    return found


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{file.name} {classifier} {labels}": partial(
            measure, options.data, file, classifier, labels, options.runs
        )
        for labels in SIZES
        for file in FILES
        for classifier in PAIRS[file.name.split(".")[0]]
    }  # fmt: skip


DIGITS = {
    "ever wrong alone": 3, "ever wrong": 3, "wrong at the end": 3, "labels against alone": 2,
    "value outside": 4, "apart": 4, "ms of a look before": 1, "ms of a look now": 1,
    "ms of a run before": 1, "ms of a run now": 1,
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    sizes = table.groupby("planned", sort=False)[[*DIGITS]].mean().reset_index()
    files = table.groupby(["planned", "file"], sort=False)[[*DIGITS]].mean().reset_index()
    worst = table.sort_values("ever wrong", ascending=False, kind="stable").head(8)
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    return "\n".join(
        [f"{options.runs} sessions of each classifier and planned size. Standard error of a share "
         f"of 0.05: {noise:.3f}.", "",
         "## Means over classifiers and figures", "", frame_table(sizes, DIGITS), "",
         "## Each classifier", "", frame_table(files, DIGITS), "",
         "## Worst figures", "", frame_table(worst, DIGITS)]
    )  # fmt: skip


HEAD = f"""# Bands that only narrow

{MADE}

A watched band is cut by those at all earlier looks: "never wrong at any look" is said of all looks
together, so that the cut bands are wrong in the very sessions in which one of the bands is wrong by
itself. "Labels against alone": the square of the ratio of both mean widths at the end. "Value
outside": the share of sessions at whose end it lay outside and was moved to the nearer end.
"Apart": looks whose band has no part in common with those before, where the new one is kept.
Milliseconds of the processor: a look after each of up to {TIMED} labels, and a run of a simulation;
"before" are bands that stand alone.

"""
BENCHMARK = Benchmark(
    name="narrowing", about=__doc__, jobs=jobs, tables=tables,
    runs=400, quick_runs=4, page="narrowing.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
