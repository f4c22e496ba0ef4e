"""Why a cell of the coverage table covers less than it says.

A share of a plain random sample has a coverage that can be calculated: over every number of labels
in its denominator and every number of hits. The other cells are told from noise by their standard
error, and what is left has a reason that was looked for by hand (``FOUND``).
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

import labelcore as lc
from benchmarks.coverage_tables import LOW
from benchmarks.harness import Row
from benchmarks.populations import all_cases, known
from labelcore.designs.one_group import counts_of_group
from labelcore.estimands import SCALARS, known_group, ratios
from labelcore.stats.proportion import share_interval
from labelcore.tallies import Tally

NOISE, CONFIDENCE, UNLIKELY = 2.0, 0.95, 1e-9
ENOUGH = 1_000
"""Runs from which on a coverage is calculated; with fewer noise explains nearly every cell."""

# By promise: what was found for the cells of strata that noise does not explain.
FOUND = {"fixed": "few labels a stratum, see what was found above"}


def reason(row: Row, folder: Path | None) -> str:
    """In words; "" for a cell that covers enough, or has no reason yet."""
    if not row["kept"] < LOW:
        return ""
    if row["design"] == "simple_random" and row["promise"] == "fixed" and row["runs"] >= ENOUGH:
        exact = exact_coverage(row["population"], row["estimand"], row["labels"], folder)
        if exact is not None:
            return f"counts are whole numbers: {exact:.4f} by calculation"
    if row["kept"] + NOISE * row["kept se"] >= LOW:
        return f"within two standard errors of {LOW}"
    return FOUND.get(row["promise"], "")


@lru_cache(maxsize=1)
def census_of(name: str, folder: Path | None) -> tuple[lc.Population, Tally]:
    """A file of the table with every item labelled, as one stratum."""
    file = known(name, folder)
    said = file.population.predictions.get(file.classifier)
    tally = Tally(np.zeros(len(file.codes), dtype=np.int64), said, len(file.population.classes))
    np.add.at(tally.counts, (tally.cell_of, file.codes), 1.0)
    return file.population, tally


def exact_coverage(name: str, key: str, labels: int, folder: Path | None) -> float | None:
    """Coverage of a share whose denominator is known before labelling, over every plain sample of
    ``labels`` items that has a label in it; None for other quantities, and for files drawn anew."""
    if all_cases()[name].target == "process":
        return None
    population, tally = census_of(name, folder)
    estimand, _, inside = key.rstrip("]").partition("[")
    row, several = SCALARS[estimand], len(population.classes) > 2
    positive = inside if inside else population.positive
    cells = tally.cells(
        None if several and not row.per_class else population.classes.index(positive)
    )
    group = known_group(row, cells)
    if group is None:
        return None
    hits, _, size = counts_of_group(cells, ratios([row], cells), group)
    return over_samples(len(population), round(size), round(hits), labels)


def over_samples(items: int, size: int, hits: int, labels: int) -> float:
    """The mean coverage of the share hits / size over the numbers of labels that fall on it."""
    found = total = 0.0
    for trials in range(1, min(labels, size) + 1):
        chance = float(hypergeom.pmf(trials, items, size, labels))
        if chance > UNLIKELY:
            found += chance * coverage(size, hits, trials)
            total += chance
    return found / total


def coverage(size: int, hits: int, trials: int) -> float:
    seen = np.arange(max(0, trials - (size - hits)), min(hits, trials) + 1)
    chance = hypergeom.pmf(seen, size, hits, trials)
    ends = [
        share_interval(s, trials, size, CONFIDENCE) if p > UNLIKELY else (2.0, 2.0)
        for s, p in zip(seen.tolist(), chance, strict=True)
    ]
    share = hits / size
    inside = [low - 1e-9 <= share <= high + 1e-9 for low, high in ends]
    return float(chance @ np.array(inside, dtype=float))
