"""Public files in place of the paper's mail: coverage and width of the intervals."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.papers.oversampling_coverage import inside
from benchmarks.real_files import FILES
from labelcore.designs.base import Look, Setup
from labelcore.estimands import SCALARS
from labelcore.papers.oversampling.design import Oversampling
from labelcore.papers.oversampling.groups import Counts
from labelcore.papers.oversampling.intervals import (
    INTERVALS,
    Groups,
    Limits,
    Pair,
    bayes_intervals,
    bootstrap_intervals,
    monte_carlo_intervals,
    normal_intervals,
)
from labelcore.planning.truth import true_codes
from labelcore.stats.profile import Cells

RUNS, PROFILE_RUNS, REPLICAS, SEED = 1000, 400, 1000, 42
MISSED = (0.1, 0.3, 1, 2, 3, 5, 10, 20)


def run_files(data: Path) -> pd.DataFrame:
    """Coverage and width of the four intervals on every classifier, planned by its scores."""
    rows = []
    for file in FILES:
        population = file.population(data)
        positive = population.classes.index(population.positive)
        truth = true_codes(population, "true_label") == positive
        for classifier, labels in itertools.product(file.classifiers, (300, 1000)):
            above = population.predictions[classifier] == positive
            plan = lc.Plan(
                "oversampling", ["precision", "recall"], classifier=classifier, budget=labels,
                promise="fixed",
            )  # fmt: skip
            derived = lc.preview(population, plan).derived
            rows += _file_rows(
                {"file": file.name.split(".")[0], "classifier": classifier, "labels": labels},
                truth, above, derived["n_1"], derived["n_0"],
            )  # fmt: skip
    return pd.DataFrame(rows)


def _file_rows(
    names: dict[str, object], truth: np.ndarray, above: np.ndarray, n_1: int, n_0: int
) -> list[dict[str, object]]:
    rng = np.random.default_rng(SEED)
    groups = Groups(float(above.sum()), float((~above).sum()))
    hits, missed = int((truth & above).sum()), int((truth & ~above).sum())
    tp = rng.hypergeometric(hits, int(groups.above) - hits, n_1, RUNS)
    fn = rng.hypergeometric(missed, int(groups.below) - missed, n_0, RUNS)
    counts = Counts.of(tp, n_1 - tp, fn, n_0 - fn)
    pairs: dict[str, Pair] = {
        "normal": normal_intervals(counts, groups, 0.95),
        "bootstrap": bootstrap_intervals(counts, groups, 0.95, rng, REPLICAS),
        "bayes": bayes_intervals(counts, groups, 0.95),
        "monte_carlo": monte_carlo_intervals(counts, groups, 0.95, rng, replicas=REPLICAS),
    }
    assert set(pairs) == set(INTERVALS)
    pairs["profile"] = _profile(tp[:PROFILE_RUNS], fn[:PROFILE_RUNS], groups, n_1, n_0)
    true = {"precision": hits / groups.above, "recall": hits / (hits + missed)}
    found = []
    for interval, pair in pairs.items():
        row: dict[str, object] = {**names, "n_1": n_1, "n_0": n_0, "interval": interval}
        for quantity in true:
            limits: Limits = getattr(pair, quantity)
            row[f"{quantity} coverage"] = round(100 * inside(limits, true[quantity]), 1)
            row[f"{quantity} width"] = round(100 * float(np.mean(limits[1] - limits[0])), 1)
        found.append(row)
    return found


def _profile(tp: np.ndarray, fn: np.ndarray, groups: Groups, n_1: int, n_0: int) -> Pair:
    """The G-profile over both groups, for the first 400 of the samples."""
    design, rows = Oversampling(), [SCALARS["precision"], SCALARS["recall"]]
    setup = Setup(None, None, (), design.Params(interval="profile"), 0, n_1 + n_0)  # type: ignore[arg-type]
    look = Look(0.95, "fixed", n_1 + n_0, n_1 + n_0, "file", 2, setup=setup)
    sizes, labels = np.array([groups.above, groups.below]), np.array([n_1, n_0], dtype=float)
    found = []
    for hits in np.array([tp, fn], dtype=float).T:
        cells = Cells(sizes, labels, hits, np.array([True, False]))
        made = design.estimate(rows, cells, look, None)
        found.append((made.low, made.high))
    low, high = np.array(found).transpose(1, 2, 0)
    return Pair((low[0], high[0]), (low[1], high[1]))


def stand_in_values(files: pd.DataFrame) -> dict[str, float]:
    """The least coverage of each interval over the files."""
    return {
        f"stand_in.{interval}.{quantity}": float(part[f"{quantity} coverage"].min())
        for interval, part in files[files["interval"] != "profile"].groupby("interval")
        for quantity in ("precision", "recall")
    }
