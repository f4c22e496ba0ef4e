"""The coverage table as Markdown."""

from typing import Any

import numpy as np

from benchmarks.harness import MADE, Row, table

LOW, VERY_LOW = 0.945, 0.93
MOST_ROWS = 300

HEAD = f"""## The tables

{MADE}

Files with known labels, from easy to nasty, confidence 95 %, every sampling method for single
figures (curves are in [curves.md](curves.md)).

- fixed: the interval is read once, at the planned size. "kept" is its coverage.
- watched: a person looks again and again (here at about 30 numbers of labels, from the first figure
  to the last label). "kept" is the share of sessions whose interval was never wrong; "coverage" is
  that of the last look alone.
- Shares are over the runs that showed an interval; "no figure" is the share of runs that did not,
  at the end. Where that is large the runs left are not typical ones.
- "tail": the mean share of the uncertainty that strata without a positive label hold.

"""


def as_markdown(rows: list[Row], fixed: int, watched: int) -> str:
    known = [row for row in rows if row["shown"] > 0]
    ordered = sorted(known, key=lambda row: row["kept"])
    low = [row for row in ordered if row["kept"] < LOW]
    return "\n".join(
        [
            f"{fixed:,} runs a cell for a fixed promise, {watched:,} for a watched one; "
            f"{len(rows):,} cells, {len(rows) - len(known)} of them never with a figure. "
            f"The standard error of a share of .95 is "
            f"{noise(fixed)} points (fixed) and {noise(watched)} (watched).\n",
            "## By design and promise\n",
            designs(known),
            f"## Cells under {LOW}, worst first\n",
            cells(low[:MOST_ROWS]) if low else "None.\n",
            *([f"... and {len(low) - MOST_ROWS} more.\n"] if len(low) > MOST_ROWS else []),
            "## All cells by population, the least first\n",
            populations(known),
        ]
    )


def noise(runs: int) -> str:
    return f"{100 * np.sqrt(0.05 * 0.95 / max(runs, 1)):.1f}"


def grouped(rows: list[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def kept(rows: list[Row]) -> np.ndarray:
    return np.array([row["kept"] for row in rows])


def designs(rows: list[Row]) -> str:
    names = ("design", "promise", "cells", "mean", "least", f"under {LOW}", f"under {VERY_LOW}",
             "largest bias in points, and its se")  # fmt: skip
    found = []
    for (design, promise), part in sorted(grouped(rows, "design", "promise").items()):
        shares = kept(part)
        worst = most_biased(part)
        found.append(
            (f"{design}", promise, len(part), f"{shares.mean():.3f}", f"{shares.min():.3f}",
             int((shares < LOW).sum()), int((shares < VERY_LOW).sum()), bias(worst))
        )  # fmt: skip
    return table(names, found)


def most_biased(rows: list[Row]) -> Row:
    """Of the cells with a figure in most runs: in the others a few odd runs are left."""
    usual = [row for row in rows if row["no figure"] < 0.5] or rows
    return max(usual, key=lambda row: abs(np.nan_to_num(row["bias"])))


def cells(rows: list[Row]) -> str:
    names = ("population", "design", "promise", "labels", "estimand", "runs", "kept", "se",
             "coverage", "ever missed", "bias in points", "width", "no figure", "tail",
             "why")  # fmt: skip
    return table(
        names,
        [
            (row["population"], row["design"], row["promise"], row["labels"], row["estimand"],
             row["runs"], number(row["kept"]), number(row["kept se"]), number(row["coverage"]),
             number(row["ever missed"]), bias(row), number(row["width"]),
             number(row["no figure"], 2), number(row["tail share"], 2),
             row["why"])
            for row in rows
        ],
    )  # fmt: skip


def populations(rows: list[Row]) -> str:
    names = ("population", "design", "promise", "cells", "mean", "least", "se", "at", "mean width",
             "largest bias in points")  # fmt: skip
    found = []
    for (population, design, promise), part in grouped(
        rows, "population", "design", "promise"
    ).items():
        least = min(part, key=lambda row: row["kept"])
        worst = most_biased(part)
        width = np.nanmean([row["width"] for row in part])
        found.append(
            (population, design, promise, len(part), f"{kept(part).mean():.3f}",
             number(least["kept"]), number(least["kept se"]),
             f"{least['estimand']}, {least['labels']} labels", number(float(width)), bias(worst))
        )  # fmt: skip
    return table(names, sorted(found, key=lambda row: row[5]))


def number(value: float, digits: int = 3) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def bias(row: Row) -> str:
    return "" if np.isnan(row["bias"]) else f"{row['bias']:+.2f} ± {number(row['bias se'], 2)}"
