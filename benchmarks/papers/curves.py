"""Sabharwal and Sedghi: every number that can be run.

    python -m benchmarks.papers --only curves [--quick]

Here stand the sizes and figure 1; the theorems and lists with noise in curves_lists.py, the pairs
that stand in for figure 2 in curves_pairs.py, the figures' drawing in curves_figures.py.
"""

import math
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.papers import curves_lists as lists
from benchmarks.papers import curves_pairs as pairs
from benchmarks.papers.curves_figures import figure1, figure2, figure3, figure_errors
from benchmarks.papers.outcome import Outcome
from labelcore.papers.curves.annotations_needed import LabelsNeeded, epsilon_for, labels_needed
from labelcore.papers.curves.logarithmic_strata import logarithmic_grid
from labelcore.papers.curves.paula_bounds import paula_grid
from labelcore.papers.curves.random_band import curve_labels, first_rank_within
from labelcore.stats.spot_check import hoeffding_half_width

SCIENCE, TEN_MILLION, DELTA = 217_077, 10_000_000, 0.05
PERCENTS = range(3, 11)
LENGTHS = {
    "ppdb_030": (35_615, 0.03),
    "ppdb_050": (35_615, 0.05),
    "science": (SCIENCE, 0.03),
    "science_5_3": (SCIENCE - 1, 0.03),
    "200k": (200_000, 0.03),
    "169m": (169_000_000, 0.03),
    "2b": (2_000_000_000, 0.03),
    "2b_introduction": (2_000_000_000, 0.03),
}
NO_FILE = "The stand-in for figure 2 was not run: {path} is not there."


def run(quick: bool, data: Path = Path("../shared/data")) -> Outcome:
    """All numbers; ``quick`` takes fewer runs where a theorem is tried, and leaves out figures that
    rest on many."""
    needed = {
        percent: labels_needed(TEN_MILLION, epsilon=epsilon_for(1 + percent / 100))
        for percent in PERCENTS
    }
    values = {**sizes(), **random_sizes(), **step_sizes(), **figure1_values(needed)}
    runs = 20 if quick else 300
    values |= lists.theorems(runs) | lists.points()
    synthetic = lists.noise(4 if quick else 40)
    values |= synthetic.values
    figures = {"labels": figure1(labels_by_factor())}
    figures["long_list"] = figure3(synthetic.long_list)
    tables = {"Labels for the whole curve, N 10,000,000, p_min .5": needed_table(needed)}
    notes = [
        "The heights of figure 1's curves cannot be read from the text; they are drawn anew from "
        "the formulas, delta .05.",
    ]
    if not (data / pairs.FILE).exists():
        return Outcome(values, figures, tables, [*notes, NO_FILE.format(path=data / pairs.FILE)])
    found = pairs.stand_in(data, 2 if quick else 40)
    values |= found.values
    figures["pairs"] = figure2(found.curves)
    figures["errors"] = figure_errors(found.errors)
    tables["Methods with as many labels on ppdb_pairs"] = found.table
    return Outcome(values, figures, tables, notes)


def sizes() -> dict[str, float]:
    """Labels of PAULA, and the exponents of section 4.4.4."""
    found = {
        f"labels.{key}": float(paula_grid(n_items, epsilon, 100).labels)
        for key, (n_items, epsilon) in LENGTHS.items()
    }
    short, long = (paula_grid(n_items, 0.03, 20, 1000) for n_items in (10_000, 100_000))
    return {
        **found,
        "exponent.ell": short.ell,
        "exponent.last_10k": short.L,
        "exponent.last_100k": long.L,
        "step.inverse_epsilon": 1 / 0.03,
    }


def random_sizes() -> dict[str, float]:
    """The comparison of section 4.4.3."""
    grid = paula_grid(SCIENCE, 0.03, 100)
    exact = grid.factor - 1
    asked = (0.7, DELTA)
    rounded = curve_labels(SCIENCE, 0.08, *asked)
    whole = [s + first_rank_within(SCIENCE, s, 0.08, *asked) for s in range(20_000, 28_000)]
    return {
        "alpha.science": exact,
        "random.science_rounded": rounded,
        "random.science_exact": curve_labels(SCIENCE, exact, *asked),
        "random.introduction": rounded,
        "random.first_rank": first_rank_within(SCIENCE, grid.labels, 0.08, *asked),
        "random.first_rank_exact": first_rank_within(SCIENCE, grid.labels, exact, *asked),
        "random.balance": rounded / min(whole),
        "section2.half_width": hoeffding_half_width(2_000, DELTA),
    }


def step_sizes() -> dict[str, float]:
    """The comparison of section 4.4.4, with the factor rounded as printed and exact."""
    found: dict[str, float] = {}
    for name, n_items in (("10k", 10_000), ("100k", 100_000)):
        grid = logarithmic_grid(n_items, 0.03, 1000, None, DELTA, 0.5)
        found["step.coefficient"] = grid.step_coefficient
        found[f"step.{name}"] = round(grid.step_coefficient, 1) * grid.logarithm
        found[f"step.{name}_exact"] = grid.step_coefficient * grid.logarithm
    return found


def figure1_values(needed: dict[int, LabelsNeeded]) -> dict[str, float]:
    """Labels of the sampling methods over those of PAULA, and where two curves cross."""
    found: dict[str, float] = {}
    for name in ("random", "logarithmic"):
        over = {percent: getattr(one, name) / one.paula for percent, one in needed.items()}
        key = f"figure1.{name}_over_paula"
        found[key] = math.exp(np.mean(np.log(list(over.values()))))
        found |= {f"{key}.{percent:02d}": share for percent, share in over.items()}
    found["figure1.crossing"] = crossing()
    return found


def crossing() -> float:
    """The largest alpha, in hundredths of a point, at which logarithmic sampling needs fewer labels
    than PAULA."""
    cheaper = math.nan
    for alpha in np.arange(0.0205, 0.1, 0.0001):
        found = labels_needed(TEN_MILLION, epsilon=epsilon_for(1 + float(alpha)))
        if found.logarithmic < found.paula:
            cheaper = float(alpha)
    return cheaper


def labels_by_factor() -> pd.DataFrame:
    """Labels of each method against alpha."""
    alphas = np.concatenate([np.arange(0.0205, 0.03, 0.0005), np.arange(0.03, 0.1501, 0.0025)])
    rows = [labels_needed(TEN_MILLION, epsilon=epsilon_for(1 + float(alpha))) for alpha in alphas]
    columns = {
        "PAULA": [one.paula for one in rows],
        "logarithmic stratified": [one.logarithmic for one in rows],
        "random": [one.random for one in rows],
    }
    return pd.DataFrame(columns, index=100 * alphas)


def needed_table(needed: dict[int, LabelsNeeded]) -> pd.DataFrame:
    rows = [
        (f"{1 + percent / 100:.2f}", f"{one.epsilon:g}", f"{one.paula:,}",
         f"{one.logarithmic:,}", f"{one.fixed:,}", f"{one.random:,}",
         f"{one.logarithmic / one.paula:.2f}", f"{one.random / one.paula:.1f}")
        for percent, one in needed.items()
    ]  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=["factor", "epsilon", "PAULA", "logarithmic (theorem 2)",
                 "logarithmic, fixed sizes", "random", "logarithmic / PAULA", "random / PAULA"],
    )  # fmt: skip
