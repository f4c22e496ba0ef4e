"""The cells as tables: each target file by file, and each method over all files."""

from collections.abc import Sequence

import numpy as np

from benchmarks.harness import table
from benchmarks.labels.measured import Cell, limit
from benchmarks.labels.methods import LIMIT, METHODS, OURS, PLAIN
from benchmarks.labels.targets import TARGETS

MARK = "✗"
GOAL = 1.1
Found = dict[tuple[str, str, str], Cell]


def by_key(cells: Sequence[Cell]) -> Found:
    return {(cell.file, cell.method, cell.target): cell for cell in cells}


def share(value: float) -> str:
    """A share with two decimals, without its zero."""
    return f"{value:.2f}".removeprefix("0")


def shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    mark = f" {MARK}" if cell.short else ""
    more = "> " if cell.reached < 0.5 else ""
    return f"{more}{cell.median:,.0f} ±{cell.error:,.0f}, {share(cell.coverage)}{mark}"


def ratios(found: Found, method: str, other: str, target: str) -> np.ndarray:
    """Median labels of one method over those of another, on each file that both have."""
    pairs = [
        (cell, found.get((cell.file, other, target)))
        for cell in found.values()
        if cell.method == method and cell.target == target
    ]
    return np.array([mine.median / theirs.median for mine, theirs in pairs if theirs is not None])


def file_by_file(cells: Sequence[Cell]) -> str:
    found = by_key(cells)
    files = list(dict.fromkeys(cell.file for cell in cells))
    parts = []
    for name, target in TARGETS.items():
        methods = [m.name for m in METHODS if any(k[1:] == (m.name, name) for k in found)]
        points = f"{100 * target.large:g}"
        if target.small != target.large:
            points += f" (with fewer than 50,000 items {100 * target.small:g})"
        rows = [[file, *(shown(found.get((file, m, name))) for m in methods)] for file in files]
        parts.append(
            f"### {name[0].upper()}{name[1:]}: half-width {points} points\n\n"
            + table(["file and classifier", *methods], rows)
        )
    return "\n".join(parts)


def over_files(cells: Sequence[Cell]) -> str:
    """Each method and target over all files."""
    found = by_key(cells)
    rows = []
    for name in TARGETS:
        for method in (one.name for one in METHODS):
            mine = [cell for cell in cells if cell.method == method and cell.target == name]
            if not mine:
                continue
            covered = np.concatenate([cell.covered for cell in mine])
            coverage = float(covered.mean(axis=0).min())
            bad = coverage < limit(len(covered))
            plain, best = (ratios(found, method, other, name) for other in (PLAIN, LIMIT))
            rows.append([
                name, method, len(mine),
                f"{np.median(plain):.2f}", f"{plain.max():.2f}",
                f"{np.median(best):.2f}", f"{best.max():.2f}",
                share(coverage) + (f" {MARK}" if bad else ""),
                share(min(cell.coverage for cell in mine)),
                sum(cell.short for cell in mine),
            ])  # fmt: skip
    names = (
        "target", "method", "files", "labels, of plain: median", "worst",
        "of the oracle: median", "worst", "coverage, all runs", "least file", "files marked",
    )  # fmt: skip
    return table(names, rows)


def goal_lines(cells: Sequence[Cell]) -> str:
    """Whether our method keeps the two goals: near the oracle, never beyond plain sampling."""
    found = by_key(cells)
    lines = []
    for name in TARGETS:
        best = ratios(found, OURS, LIMIT, name)
        if not len(best):
            continue
        worse = []
        for cell in cells:
            plain = found.get((cell.file, PLAIN, name))
            if cell.method != OURS or cell.target != name or plain is None:
                continue
            ratio = cell.median / plain.median
            noise = ratio * np.hypot(cell.error / cell.median, plain.error / plain.median)
            if ratio - 2 * noise > 1:
                worse.append(f"{cell.file} ({ratio:.2f} ± {noise:.2f})")
        kept = "kept" if np.median(best) <= GOAL else "missed"
        more = "; ".join(worse) or "nowhere"
        lines.append(
            f"- {name}: {np.median(best):.2f} times the oracle's labels in the median (goal "
            f"{GOAL}: {kept}); more labels than a plain random sample, by more than two standard "
            f"errors: {more}"
        )
    return "\n".join(lines) + "\n"
