"""Helpers where files or promises are out of the ordinary: tied scores, a few hundred items, a
result about items like these, a session that is watched at every batch, five classes.

One synthetic classifier ("10 % middling" of ``benchmarks.labels``) beside a verdict of a given
accuracy, on and off. Files are drawn from a pool of 400,000 items: one for each run where the
result is about items like these, else one for all. Seeds: run r of the case at place p uses
(13, p, r), on and off.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.allocation import batches, cells_of
from benchmarks.harness import Row, table
from benchmarks.labels.files import synthetic
from labelcore.designs.base import Frame
from labelcore.designs.profile_figures import profile_figures
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.counted import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen

MAIN = ("accuracy", "precision", "recall", "f1")
ACCURACIES = (0.95, 0.7, 0.5)
SEED, POOL = 13, 400_000
SEVERAL_ITEMS, SEVERAL_LABELS, SEVERAL_RIGHT = 20_000, 300, (*ACCURACIES, 0.2)
SHARES, NAMES = (0.4, 0.3, 0.15, 0.1, 0.05), np.array([*"abcde"])
VARIANTS: dict[str, dict[str, Any]] = {"off": {"helpers": []}, "on": {}}


@dataclass(frozen=True)
class Case:
    """A file of so many items with scores of so many digits, and what a plan promises of it."""

    name: str
    items: int
    labels: int
    digits: int = 9
    promise: str = "fixed"
    target: str = "file"


CASES = (
    Case("scores of one digit", 20_000, 300, digits=1),
    Case("400 items", 400, 120),
    Case("items like these", 3_000, 300, target="process"),
    Case("watched at every batch", 20_000, 300, promise="watched"),
)


@lru_cache(maxsize=1)
def pool() -> pd.DataFrame:
    items = synthetic(np.random.default_rng((SEED, 0)), POOL, 0.1, "middling")
    return pd.DataFrame(
        {"score_own": items.score, "pred_own": items.prediction, "true_label": items.truth}
    )


def file_of(case: Case, right: float, run: int) -> pd.DataFrame:
    """Items of the pool, with a verdict of this accuracy in the column "said"."""
    random = np.random.default_rng((SEED, case.items, run))
    found = pool().iloc[random.choice(POOL, case.items, replace=False)].reset_index(drop=True)
    truth = found["true_label"].to_numpy()
    said = np.where(random.random(case.items) < right, truth, 1 - truth)
    score = found["score_own"].round(case.digits)
    return found.assign(score_own=score, said=said, id=np.arange(case.items).astype(str))


def population_of(found: pd.DataFrame) -> lc.Population:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "items.csv"
        found.drop(columns="true_label").to_csv(path, index=False)
        return lc.read_population(
            path, id="id", content=["id"], helpers={"said": "said"},
            scores={"own": "score_own"}, predictions={"own": "pred_own"},
        )  # fmt: skip


def measure(case: Case, right: float, place: int, runs: int) -> list[Row]:
    """A row for each figure, with the helper and without."""
    found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in VARIANTS}
    engines: dict[str, tuple[Engine, NDArray[np.bool_]]] = {}
    for run in range(runs):
        if run == 0 or case.target == "process":
            file = file_of(case, right, run)
            population, truth = population_of(file), file["true_label"].to_numpy() == 1
            engines = {
                name: (Engine(population, _plan(population, case, params)), truth)
                for name, params in VARIANTS.items()
            }
        for name, (engine, truth) in engines.items():
            random = np.random.default_rng((SEED, place, run))
            found[name].append(session_of(case, engine, truth, random))
    return [
        {"case": case.name, "right": right, "variant": name, "figure": figure,
         "labels": case.labels, "held": means[0, at], "width": means[1, at]}
        for name, runs_of in found.items()
        for means in [np.mean(runs_of, axis=0)]
        for at, figure in enumerate(MAIN)
    ]  # fmt: skip


def _plan(population: lc.Population, case: Case, params: dict[str, Any]) -> lc.Plan:
    plan = lc.Plan(
        "recalibrated_neyman", MAIN, budget=case.labels, promise=case.promise, params=params,
        target=case.target, seed=SEED,
    )  # fmt: skip
    return frozen(population, plan, case.labels)


def session_of(
    case: Case, engine: Engine, truth: NDArray[np.bool_], random: np.random.Generator
) -> NDArray[np.float64]:
    """Whether each figure held, at every look of a watched promise, and its width at the end:
    (2, n_figures)."""
    setup, frame, rows = engine.setup, engine.frame, [SCALARS[name] for name in MAIN]
    hits = np.bincount(frame.stratum, truth, minlength=frame.n_strata).astype(np.int64)
    right = _true_values(case, frame, hits)
    held, look = np.ones(len(rows), dtype=bool), look_at(engine)
    for progress in batches(setup, frame, engine, hits, random):
        labels = int(progress.labelled.sum())
        if case.promise == "fixed" and labels < case.labels:
            continue
        counts = cells_of(frame, progress.drawn, progress.positive)
        rates = engine.design.fitted_rates(frame, progress)
        found = profile_figures(rows, counts, replace(look, labels=labels), rates)
        held &= (found.low <= right + 1e-12) & (right <= found.high + 1e-12)
    return np.array([held, found.high - found.low])


def _true_values(case: Case, frame: Frame, hits: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of the file, or of the pool that it was drawn from."""
    if case.target == "file":
        rows = [SCALARS[name] for name in MAIN]
        return ratios(rows, cells_of(frame, frame.sizes, hits)).value(hits.astype(float))
    truth, said = (pool()[name].to_numpy() == 1 for name in ("true_label", "pred_own"))
    both, called, positive = (truth & said).sum(), said.sum(), truth.sum()
    return np.array(
        [(truth == said).mean(), both / called, both / positive, 2 * both / (called + positive)]
    )


def of_several(right: float) -> tuple[lc.Population, list[str]]:
    """A file of five classes and its answers: calls that are right as often as the score says, .77
    in all, and a verdict of this accuracy; what is wrong is any other class."""
    random, n = np.random.default_rng((SEED, SEVERAL_ITEMS)), SEVERAL_ITEMS
    truth = random.choice(len(SHARES), n, p=SHARES)
    others = (truth + random.integers(1, len(SHARES), (2, n))) % len(SHARES)
    sure = random.beta(4, 1.2, n).round(4)
    found = pd.DataFrame({
        "id": np.arange(n).astype(str), "sure": sure,
        "own": NAMES[np.where(random.random(n) < sure, truth, others[0])],
        "said": NAMES[np.where(random.random(n) < right, truth, others[1])],
    })  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "items.csv"
        found.to_csv(path, index=False)
        population = lc.read_population(
            path, id="id", content=["id"], helpers={"said": "said"},
            scores={"own": "sure"}, predictions={"own": "own"},
        )  # fmt: skip
    return population, NAMES[truth].tolist()


def measure_several(right: float, runs: int) -> list[Row]:
    """A row for each figure of a file of five classes, with the helper and without."""
    population, truth = of_several(right)
    rows: list[Row] = []
    for name, params in VARIANTS.items():
        plan = lc.Plan(
            "recalibrated_neyman", ["accuracy", "precision", "recall"], budget=SEVERAL_LABELS,
            promise="fixed", params=params, seed=SEED,
        )  # fmt: skip
        settled = frozen(population, plan, SEVERAL_LABELS)
        table_of_runs = lc.simulate(population, settled, truth=truth, runs=runs, seed=1).table()
        table_of_runs["width"] = table_of_runs["high"] - table_of_runs["low"]
        rows += [
            {"case": f"five classes, {'accuracy' if figure == 'accuracy' else 'each class'}",
             "right": right, "variant": name, "figure": figure,
             "labels": SEVERAL_LABELS, "held": part["covered"].mean(),
             "width": part["width"].mean()}
            for figure, part in table_of_runs.groupby("estimand", sort=False)
        ]  # fmt: skip
    return rows


def cases() -> Iterator[tuple[int, Case, float]]:
    """Each case beside a verdict of each accuracy, with its place."""
    every = [(case, right) for case in CASES for right in ACCURACIES]
    for place, (case, right) in enumerate(every):
        yield place, case, right


def case_table(found: pd.DataFrame) -> str:
    """A row for each case and accuracy of the verdict."""
    rows = []
    for (case, right), part in found.groupby(["case", "right"], sort=False):
        on, off = (part[part["variant"] == name].set_index("figure") for name in ("on", "off"))
        ratio = (on["width"] / off["width"]) ** 2
        numbers = (on["held"].mean(), on["held"].min(), off["held"].mean(), off["held"].min())
        rows.append((case, f"{100 * right:.0f} %", f"{part['labels'].iloc[0]:,}",
                     f"{ratio.mean():.2f}", f"{ratio.max():.2f}",
                     *(f"{one:.3f}" for one in numbers)))  # fmt: skip
    names = ("case", "verdict right in", "labels", "labels on / off", "worst figure",
             "held on", "least", "off", "least")  # fmt: skip
    return table(names, rows)
