"""Why a cell of the coverage table covers less than it says.

    python -m benchmarks.reasons docs/validity.md ../shared/data

Fills the last column of the table of low cells. A share of a plain random sample has a coverage
that can be calculated: over every number of labels in its denominator and every number of hits. The
other cells are told from noise by their standard error, and what is left has a reason that was
looked for by hand (``FOUND``).
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

import labelcore as lc
from benchmarks.coverage_tables import LOW
from benchmarks.populations import all_cases, known
from labelcore.designs.one_group import counts_of_group
from labelcore.estimands import SCALARS, known_group, ratios
from labelcore.stats.proportion import share_interval
from labelcore.tallies import Tally

HEADING = "## Cells under"
NOISE, CONFIDENCE, UNLIKELY = 2.0, 0.95, 1e-9

# By promise: what was found for the cells of strata that noise does not explain.
FOUND = {"fixed": "few labels a stratum, see what was found above"}


def filled(text: str, folder: Path) -> str:
    """The document with a reason in each row of the table of low cells."""
    before, heading, rest = text.partition(HEADING)
    table, end, after = rest.partition("\n## ")
    lines = table.split("\n")
    first = next((n for n, line in enumerate(lines) if line.startswith("| population")), None)
    if first is None:
        return text
    names = cells_of(lines[first])
    rows = range(first + 2, len(lines))
    for n in rows:
        if lines[n].startswith("|"):
            row = dict(zip(names, cells_of(lines[n]), strict=True))
            row["why"] = reason(row, folder)
            lines[n] = "| " + " | ".join(row.values()) + " |"
    return before + heading + "\n".join(lines) + end + after


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def reason(row: dict[str, str], folder: Path) -> str:
    if row["design"] == "simple_random" and row["promise"] == "fixed":
        exact = exact_coverage(row["population"], row["estimand"], int(row["labels"]), folder)
        if exact is not None:
            return f"counts are whole numbers: {exact:.4f} by calculation"
    if float(row["kept"]) + NOISE * float(row["se"]) >= LOW:
        return f"within two standard errors of {LOW}"
    return FOUND.get(row["promise"], "")


@lru_cache(maxsize=1)
def census_of(name: str, folder: Path) -> tuple[lc.Population, Tally]:
    """A file of the table with every item labelled, as one stratum."""
    case = all_cases()[name]
    file = known(name, folder if case.make is None else None)
    said = file.population.predictions.get(file.classifier)
    tally = Tally(np.zeros(len(file.codes), dtype=np.int64), said, len(file.population.classes))
    np.add.at(tally.counts, (tally.cell_of, file.codes), 1.0)
    return file.population, tally


def exact_coverage(name: str, key: str, labels: int, folder: Path) -> float | None:
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


def main() -> None:
    path, folder = Path(sys.argv[1]), Path(sys.argv[2])
    path.write_text(filled(path.read_text("utf-8"), folder), "utf-8")


if __name__ == "__main__":
    main()
