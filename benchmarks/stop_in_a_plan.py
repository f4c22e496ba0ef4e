"""A plan that stops at a margin: labels and coverage with the calibrated stop and the watched band.

Sessions of ``lc.simulate``, seed 0, on files without scores.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from labelcore.plan.margin_stop import margin_rule
from labelcore.stats.stop_at_margin import characteristics

SIZE, MARGIN = 10_000, 0.05


def plan(promise: str) -> lc.Plan:
    return lc.Plan("simple_random", "prevalence", margin=MARGIN, promise=promise, stop="margin")


def plan_row(rate: float, runs: int) -> list[str]:
    """Both plans on the same file with this rate of positives."""
    truth = (np.arange(SIZE) < round(rate * SIZE)).astype(int)
    population = _without_scores(SIZE)
    stopped, watched = (
        _summary(population, plan(promise), truth, runs) for promise in ("fixed", "watched")
    )
    rule = margin_rule(plan("fixed"), SIZE)
    assert rule is not None
    exact = characteristics(rule, truth.sum())
    return [
        f"{rate:g}",
        f"{exact.expected_labels[0]:,.0f}",
        f"{stopped['mean_labels']:,.0f}",
        f"{watched['mean_labels']:,.0f}",
        f"{watched['mean_labels'] / stopped['mean_labels']:.1f}",
        f"{exact.coverage[0]:.4f}",
        f"{stopped['coverage']:.2f}",
        f"{watched['coverage']:.2f}",
    ]


def _summary(population: lc.Population, chosen: lc.Plan, truth: np.ndarray, runs: int) -> pd.Series:
    return lc.simulate(population, chosen, truth=truth, runs=runs).summary().loc["prevalence"]


def _without_scores(size: int) -> lc.Population:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text("text\n" + "".join(f"item {i}\n" for i in range(size)), "utf-8")
        return lc.read_population(path, content=["text"], classes=["no", "yes"])
