"""Runs of every method on every file: a cell each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, generator
from benchmarks.labels.files import file_of
from benchmarks.labels.methods import BY_NAME, METHODS, unavailable
from benchmarks.labels.targets import TARGETS

SEED = 41
NOISE = 3.0


@dataclass(frozen=True, eq=False)
class Cell:
    """All runs of one method on one file for one target.

    labels    (n_runs,); covered: (n_runs, n_estimands); reached: share of the runs
    """

    file: str
    method: str
    target: str
    labels: np.ndarray
    covered: np.ndarray
    reached: float

    @property
    def median(self) -> float:
        return float(np.median(self.labels))

    @property
    def error(self) -> float:
        """Half the distance of the order statistics one standard error about the median."""
        ordered, n = np.sort(self.labels), len(self.labels)
        aside = np.sqrt(n) / 2
        low = max(int(np.floor(n / 2 - aside)), 0)
        high = min(int(np.ceil(n / 2 + aside)), n - 1)
        return float(ordered[high] - ordered[low]) / 2

    @property
    def coverage(self) -> float:
        """Of the estimand that was covered least often."""
        return float(self.covered.mean(axis=0).min())

    @property
    def short(self) -> bool:
        """Whether it covered less often than .95 less binomial noise allows."""
        return self.coverage < limit(len(self.labels))


def limit(runs: int) -> float:
    """The least coverage that still passes: ``NOISE`` standard errors under .95."""
    return 0.95 - NOISE * float(np.sqrt(0.95 * 0.05 / runs))


def cell_of(row: Row) -> Cell:
    return Cell(
        row["file"], row["method"], row["target"], np.array(row["labels"]),
        np.array(row["covered"], dtype=bool), row["reached"],
    )  # fmt: skip


def measure(folder: Path, name: str, method: str, target: str, runs: int) -> list[Row]:
    """One cell: run r uses the r-th child of the cell's own seed."""
    randoms = [generator(SEED, f"{name}|{method}|{target}", run) for run in range(runs)]
    stops = BY_NAME[method].stops(file_of(name, folder), TARGETS[target], randoms)
    row = {
        "file": name, "method": method, "target": target,
        "labels": [stop.labels for stop in stops],
        "covered": [list(stop.covered) for stop in stops],
        "reached": sum(stop.reached for stop in stops) / len(stops),
    }  # fmt: skip
    return [row]


def wanted_cells(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """File, method and target of each cell that can be measured here."""
    out = unavailable()
    return [
        (name, method.name, target)
        for name in names
        for method in METHODS
        for target in method.targets
        if method.name not in out
    ]
