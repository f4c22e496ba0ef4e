"""Kumar and Raj (2018) on the real files: the true error of each allocation, and coverage."""

import numpy as np
import pandas as pd

from benchmarks.papers.stratified_files import ScoredFile
from benchmarks.papers.stratified_runs import Sample, Strata, fixed_counts, printed_sessions
from labelcore.papers.stratified.accuracy_interval import accuracy_interval
from labelcore.papers.stratified.neyman import equal_counts, optimal_counts, proportional_counts
from labelcore.papers.stratified.stratifications import STRATIFICATIONS

RUNS = 3_000
COVERED_RUNS = 1_000  # of which coverage is counted; of PRO all
N_STRATA = 10
LOOKS = (300, 1_000)


def real_values(
    files: dict[str, ScoredFile], random: np.random.Generator
) -> tuple[dict[str, float], dict[str, pd.DataFrame], pd.DataFrame]:
    """Values by key, tables by title, and a row for each file, stratification and printed form."""
    rows = [
        row
        for file in files.values()
        for name in STRATIFICATIONS
        for row in _rows(file, name, random)
    ]
    table = pd.DataFrame(rows)
    second = table[table["allocation"] == "OPT-A2"]
    few, many = (second[second["labels"] == labels] for labels in LOOKS)
    proportional = table[(table["allocation"] == "PRO") & (table["labels"] == LOOKS[0])]
    values = {
        "real_a2_worst_300": few["true"].max(),
        "real_a2_worst_1000": many["true"].max(),
        "real_a2_coverage_least": few["naive coverage"].min(),
        "real_a2_coverage_most": few["naive coverage"].max(),
        "real_pro_coverage_least": proportional["coverage"].min(),
    }
    titles = {
        f"Real files, {labels} labels, {N_STRATA} strata, seven stratifications: least to most":
        _ranges(table[table["labels"] == labels]) for labels in LOOKS
    }  # fmt: skip
    printed = table[table["allocation"].str.startswith("OPT-A") & (table["labels"] == LOOKS[0])]
    return {key: float(value) for key, value in values.items()}, titles, printed


def _rows(file: ScoredFile, name: str, random: np.random.Generator) -> list[dict[str, str | float]]:
    strata = file.strata(name, N_STRATA)
    spread = np.sqrt(strata.shares * (1 - strata.shares))
    found: list[tuple[str, int, Sample]] = []
    for labels in LOOKS:
        for allocation, counts in (
            ("PRO", proportional_counts(strata.sizes, labels)),
            ("EQU", equal_counts(strata.sizes, labels)),
            ("ideal OPT", optimal_counts(strata.sizes, spread, labels, 2)),
        ):
            found.append((allocation, labels, fixed_counts(strata, counts, RUNS, random)))
    for allocation, step in (("OPT-A1", None), ("OPT-A2", 10)):
        for labels, sample in printed_sessions(strata, 5, step, LOOKS, RUNS, random):
            found.append((allocation, labels, sample))
    return [
        {"file": file.name, "stratification": name.upper(), "allocation": allocation,
         "labels": labels, **_measured(strata, sample, allocation)}
        for allocation, labels, sample in found
    ]  # fmt: skip


def _measured(strata: Strata, sample: Sample, allocation: str) -> dict[str, float]:
    fixed = not allocation.startswith("OPT-A")
    labels = int(sample.labelled[0].sum())
    exact = strata.variance(sample.labelled[0]) / strata.random_variance(labels) if fixed else 0.0
    return {
        "true": exact if fixed else sample.true_ratio,
        "estimated": sample.estimated_ratio,
        "bias": 100 * float(sample.errors.mean()),
        "naive coverage": sample.naive_coverage(),
        "coverage": _coverage(sample, RUNS if allocation == "PRO" else COVERED_RUNS),
    }


def _coverage(sample: Sample, runs: int) -> float:
    """Of Wilson's interval at the effective number of labels, 95 %, over the first runs."""
    strata, inside = sample.strata, 0
    for labelled, right in zip(sample.labelled[:runs], sample.right[:runs], strict=True):
        found = accuracy_interval(strata.sizes, labelled, right, 0.95)
        inside += found.low <= strata.accuracy <= found.high
    return inside / runs


def _ranges(table: pd.DataFrame) -> pd.DataFrame:
    """Least to most over the seven stratifications, a row for each file and allocation."""
    columns = {
        "true": "true error over random", "estimated": "estimated over random",
        "bias": "bias, points", "naive coverage": "coverage, normal, eq. 6",
        "coverage": "coverage, Wilson at n_eff",
    }  # fmt: skip
    rows = []
    for (file, allocation), part in table.groupby(["file", "allocation"], sort=False):
        cells = {
            title: f"{part[name].min():.2f} to {part[name].max():.2f}"
            for name, title in columns.items()
        }
        rows.append({"file": file, "allocation": allocation, **cells})
    return pd.DataFrame(rows)
