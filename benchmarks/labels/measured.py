"""Runs of every method on every file, shared out over processes, and kept in a file as they end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.labels.files import file_of, remembered_hashes
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


def cell_of(row: dict[str, Any], runs: int) -> Cell:
    """The first runs of a row."""
    return Cell(
        row["file"], row["method"], row["target"], np.array(row["labels"][:runs]),
        np.array(row["covered"][:runs], dtype=bool), row["reached"],
    )  # fmt: skip


def measure(folder: Path, name: str, method: str, target: str, runs: int) -> dict[str, Any]:
    """One cell, as a row that can be kept: run r uses the r-th child of the cell's own seed."""
    key = crc32(f"{name}|{method}|{target}".encode())
    randoms = [
        np.random.default_rng(np.random.SeedSequence((SEED, key), spawn_key=(run,)))
        for run in range(runs)
    ]
    start = time.process_time()
    with remembered_hashes(name, folder):
        stops = BY_NAME[method].stops(file_of(name, folder), TARGETS[target], randoms)
    return {
        "file": name, "method": method, "target": target, "runs": runs,
        "labels": [stop.labels for stop in stops],
        "covered": [list(stop.covered) for stop in stops],
        "reached": sum(stop.reached for stop in stops) / len(stops),
        "seconds": round(time.process_time() - start, 1),
    }  # fmt: skip


def lines_of(kept: Path | None) -> list[dict[str, Any]]:
    """What is done so far."""
    lines = kept.read_text("utf-8").splitlines() if kept and kept.exists() else []
    return [json.loads(line) for line in lines]


def keep(kept: Path | None, row: dict[str, Any]) -> None:
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def section_rows(
    kept: Path | None, name: str, make: Callable[[], list[list[str]]]
) -> list[list[str]]:
    """The rows of a further table, from ``kept`` where they are done."""
    for row in lines_of(kept):
        if row.get("section") == name:
            return list(row["rows"])
    rows = make()
    keep(kept, {"section": name, "rows": rows})
    return rows


def rows_of(kept: Path | None, runs: int) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The kept rows with at least as many runs, by file, method and target."""
    return {
        (row["file"], row["method"], row["target"]): row
        for row in lines_of(kept)
        if row.get("runs", 0) >= runs
    }


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


def kept_cells(names: Sequence[str], runs: int, kept: Path | None) -> list[Cell]:
    """The cells that ``kept`` holds, of files that are complete."""
    done = rows_of(kept, runs)
    complete = [name for name in names if set(wanted_cells([name])) <= set(done)]
    return [cell_of(done[one], runs) for one in wanted_cells(complete)]


def all_cells(
    folder: Path, names: Sequence[str], runs: int, workers: int, kept: Path | None
) -> list[Cell]:
    """Every method on every file; rows of ``kept`` with as many runs are not computed again, of
    further runs the first are taken."""
    done, wanted = rows_of(kept, runs), wanted_cells(names)
    start = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        jobs = {one: pool.submit(measure, folder, *one, runs) for one in wanted if one not in done}
        for number, (one, job) in enumerate(jobs.items(), start=1):
            done[one] = job.result()
            keep(kept, done[one])
            seconds = time.monotonic() - start
            print(f"{seconds:6.0f} s {number}/{len(jobs)} {', '.join(one)}", flush=True)
    return [cell_of(done[one], runs) for one in wanted]
