"""The G-profile interval for a difference of two ratios of totals of the same cells.

The region is that of ``labelcore.stats.profile``; the interval runs from the smallest to the
largest difference in it. Differences of accuracy and of precision are linear in the totals and
those of recall have one denominator, so that a few steps reach the extreme; one of F1 has two. Each
step maximises the gradient at the point that the last one reached. Where that does not rise,
the step is halved towards it, and a point on the way is again in the region, which is convex.

Source: the likelihood-ratio principle of Wilks (1938), as there; maximising a linearisation over a
convex set is the method of Frank and Wolfe (1956).
"""

from __future__ import annotations

import numpy as np

from labelcore.stats.profile import (
    Cells,
    Differences,
    FloatArray,
    Region,
    smoothed_rates,
)

STEPS = 25
HALVINGS = 6
CLOSE = 1e-10


def difference_bounds(
    cells: Cells, differences: Differences, critical: FloatArray, *, target: str = "file"
) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each difference over the region D(u) <= critical.

    critical  (..., n_rows), for instance the squared quantile of Student's t (``fixed_critical``)
    target    "file": the cells' own unlabelled items; "process": infinitely many like them
    Returns   low, high, each (..., n_rows), in -1 .. 1; NaN where a denominator is zero
    """
    both = differences.twice()
    start = (cells.size * smoothed_rates(cells))[..., None, :]
    shape = both.value(start).shape
    rows = shape[-1] // 2
    direction = np.repeat([-1.0, 1.0], rows)
    limits = np.broadcast_to(critical, (*shape[:-1], rows))
    limits = np.concatenate([limits, limits], axis=-1)
    totals = np.broadcast_to(start, (*shape, start.shape[-1]))
    point, best = np.full(shape, -2.0), np.full(shape, -np.inf)
    for _ in range(STEPS):
        slope = direction[:, None] * both.sensitivity(totals)
        largest = np.abs(slope).max(axis=-1, keepdims=True)
        region = Region(cells, slope / np.where(largest > 0, largest, 1.0), target)
        unlabelled, point = region.solve(limits, point)
        reached, height = _halved(both, direction, totals, region.totals(unlabelled), best)
        gain = height - best
        totals, best = np.where((gain > 0)[..., None], reached, totals), np.fmax(best, height)
        if not np.any(gain > CLOSE):
            break
    found = np.where(np.isfinite(best), direction * best, np.nan)
    return np.clip(found[..., :rows], -1.0, 1.0), np.clip(found[..., rows:], -1.0, 1.0)


def _halved(
    table: Differences,
    direction: FloatArray,
    start: FloatArray,
    end: FloatArray,
    best: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Where each row rises above ``best`` on the way from the end back to the start, and how high;
    the last point tried where it does not."""
    reached, height = end, direction * table.value(end)
    for _ in range(HALVINGS):
        short = np.isfinite(best) & (height < best)
        if not short.any():
            break
        reached = np.where(short[..., None], (start + reached) / 2, reached)
        height = direction * table.value(reached)
    return reached, height
