"""Tripathi, Jagannathan and Dhamodharaswamy: every number that can be run.

    python -m benchmarks.papers --only recycling [--quick]

Section 5.3 (table 1, figure 3) stands in recycling_grid.py, section 5.2 (figure 2) in
recycling_models.py, the stand-in for section 5.4 (table 2) in recycling_stand_in.py.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from plotly.graph_objects import Figure
from scipy.special import ndtri

from benchmarks.papers.outcome import Outcome
from benchmarks.papers.recycling_grid import (
    PRINTED,
    SHOWN,
    SIZE,
    exact_means,
    grid_values,
    run_grid,
    surface_figure,
    surface_values,
    table1,
    table_values,
    trial,
)
from benchmarks.papers.recycling_models import MEASURES, figure2, figure2_values, run_trials
from benchmarks.papers.recycling_stand_in import FILE, run_stand_in, stand_in_table, stand_in_values

COVERAGE_RUNS = 4000
NO_FILE = "The stand-in for table 2 was not run: {path} is not there."


def run(quick: bool, data: Path = Path("../shared/data")) -> Outcome:
    """All numbers; ``quick`` leaves out those that need many trials."""
    values = {**sizes(), **outlier()}
    exact = exact_means()
    values |= surface_values(exact)
    figures: dict[str, Figure] = {"savings_surface": surface_figure(exact)}
    if quick:
        shown = run_grid(40, np.array(SHOWN))
        cells = table_values(shown, np.array(SHOWN))
        values |= {key: one for key, one in cells.items() if "_error_" not in key}
    else:
        grid = run_grid(200)
        values |= {**grid_values(grid, exact), **table_values(grid), **coverage(COVERAGE_RUNS)}
    tables: dict[str, pd.DataFrame] = {}
    if not quick:
        tables["Table 1, paper / ours"] = table1(values)
        tables["Mean savings of table 1 less the exact mean"] = differences(values)
    trials, positives = (60, 4_000) if quick else (200, 20_000)
    for name, decaying in (("uniform", False), ("decaying", True)):
        table, distinct = run_trials(trials, positives, decaying)
        found = figure2_values(table, name)
        values |= {key: one for key, one in found.items() if not quick or "savings_m" in key}
        if decaying or quick:
            continue
        values["figure2_collective_srs"] = distinct["srs"]
        values["figure2_collective_shuffle"] = distinct["shuffle"]
        figures |= {f"figure2_{measure}": figure2(table, measure) for measure in MEASURES}
    notes = []
    if (data / FILE).exists():
        found = stand_in_values(run_stand_in(data, 50 if quick else 1000))
        values |= found if not quick else {}
        tables["Stand-in for table 2: newsgroups, parent vote"] = stand_in_table(found)
    else:
        notes.append(NO_FILE.format(path=data / FILE))
    return Outcome(values, figures, tables, notes)


def sizes() -> dict[str, float]:
    """Section 3.2, equation 1. The print has z of 1 - delta; its footnote and its figures mean the
    two-sided quantile."""
    labels = ndtri(1 - 0.05 / 2) ** 2 / 0.03**2
    return {f"sample_size_{p}": float(np.ceil(labels * p * (100 - p) / 1e4)) for p in (50, 90, 93)}


def outlier() -> dict[str, float]:
    """The printed arithmetic of section 5.2, and the sample size that its interval betrays."""
    precision, estimate, low, high = 0.539, 0.472, 0.442, 0.501
    half, centre = (high - low) / 2, (high + low) / 2
    return {
        "figure2_outlier_error": 100 * abs(estimate - precision) / precision,
        "figure2_outlier_ci": 100 * max(precision - low, abs(high - precision)) / precision,
        "figure2_outlier_size": centre * (1 - centre) * (1.959963985 / half) ** 2,
    }


def coverage(runs: int, seed: int = 0) -> dict[str, float]:
    """How often 95 % intervals hold, and the variance of option sample, at PIR = CIR = .9."""
    random = np.random.default_rng((seed, 41))
    printed, squared, expected = 0, 0.0, 0.0
    for _ in range(runs):
        one = trial(random, 0.9, 0.9, "sample")
        low, high = one.printed_interval()
        printed += low <= one.precision <= high
        squared += (one.printed - one.precision) ** 2
        expected += one.precision * (1 - one.precision) / SIZE
    return {
        "coverage_sample_wald": printed / runs,
        "coverage_sample_variance": squared / expected,
        "coverage_shuffle_own": own_coverage(random, runs, None),
        "coverage_shuffle_strata": own_coverage(random, runs, (0.95, 0.6)),
    }


def own_coverage(
    random: np.random.Generator, runs: int, shares: tuple[float, float] | None
) -> float:
    held = 0
    for _ in range(runs):
        one = trial(random, 0.9, 0.9, "shuffle", shares)
        _, low, high = one.own_interval()
        held += low <= one.precision <= high
    return held / runs


def differences(values: dict[str, float]) -> pd.DataFrame:
    """Ours less the paper's in points: 25 cells, parent intersection down, child's across."""
    rows = []
    for pir in SHOWN:
        found = [
            PRINTED[pir, cir][0] - values[f"table1_mean_{100 * pir:02.0f}_{100 * cir:02.0f}"]
            for cir in SHOWN
        ]
        rows.append((f"PIR {pir:.2f}", *(f"{one:+.2f}" for one in found)))
    return pd.DataFrame(rows, columns=["", *(f"CIR {cir:.2f}" for cir in SHOWN)])
