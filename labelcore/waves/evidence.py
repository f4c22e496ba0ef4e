"""Has a figure fallen? Evidence from the totals of the last waves, joined.

A wave leaves its counts by stratum, ``Cells`` of labels that were first given in it. Those of the
last k waves are joined stratum by stratum, and the root of the likelihood-ratio statistic at what
is required says how far they lie from it. The sum over k is held against a threshold that is frozen
with the number of waves and the error rate.

Joined totals, not sums of each wave's own root: with few positives a root is off by b on one side,
in the same direction every week, so that a sum over k waves is off by k b against a noise of
sqrt(k), and the root of the joined totals by about b / sqrt(k).

Source: own measurements (docs/monitoring.md). The mixture over sizes of a fall is that of an
e-detector (Shin, Ramdas and Rinaldo 2022); joined totals are none: thresholds come from a
simulation on normal roots, and the rate of false alarms is measured.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from labelcore.estimands import Estimand, ratios
from labelcore.stats.orders import random_of
from labelcore.stats.profile import Cells, FloatArray, Region, freedom_of, plug_in_totals
from labelcore.stats.recalibration import recalibrate

FALLS = np.array([0.5, 1.0, 1.5, 2.0])
"""Sizes of a fall that evidence is spread over, in standard errors of one wave."""
LONGEST = 16
"""Waves that are joined at the most."""
FEW_POSITIVES = 200
"""Fewer positives than this found in joined waves, and the root is doubled."""
FARTHEST = 8.0
SERIES, SEED = 20_000, 20


def joined(waves: Cells, most: int = LONGEST) -> Cells:
    """The totals of the last wave, of the last two, .. of the last ``most``, (..., n_starts,
    n_cells).

    waves   (..., n_waves, n_cells), the oldest first
    """

    def last(counts: FloatArray) -> FloatArray:
        return np.cumsum(counts[..., ::-1, :][..., :most, :], axis=-2)

    return counted(waves, last)


def counted(cells: Cells, change: Callable[[FloatArray], FloatArray]) -> Cells:
    """The same cells with other counts, each made of what it was."""
    size, labelled, positive = map(change, (cells.size, cells.labelled, cells.positive))
    return replace(cells, size=size, labelled=labelled, positive=positive)


def between(waves: Cells, first: int, last: int) -> Cells:
    """The waves from the ``first`` up to before the ``last``, which count from 0."""
    return counted(waves, lambda counts: counts[..., first:last, :])


def fitted(cells: Cells, suggested: FloatArray | None) -> FloatArray | None:
    """The rate of each cell by recalibration of what the scores suggest, (..., n_cells)."""
    if suggested is None:
        return None
    flat = counted(cells, lambda counts: counts.reshape(-1, len(suggested)))
    return recalibrate(suggested, flat.positive, flat.labelled).reshape(cells.positive.shape)


def signed_root(
    cells: Cells,
    row: Estimand,
    required: float | FloatArray,
    rates: FloatArray | None = None,
) -> FloatArray:
    """How many standard errors a figure lies above what is required of it, (...); below 0: under
    it. 0 where nothing was found that speaks of it.

    Promise: approximately normal where the figure is what is required (Student's t with
    Satterthwaite's degrees of freedom, put on the normal scale).
    """
    table, value = ratios([row], cells), value_of(cells, row, rates)
    goal = np.broadcast_to(required, value.shape)[..., None]
    gradient = table.gradient(goal)
    side = np.where(value[..., None] < goal, 1.0, -1.0)
    region = Region(cells, side[..., None] * gradient, "file")
    rest = region.unlabelled_positives(np.full(goal.shape, -np.inf))
    there = table.a0 - goal * table.b0 + (gradient * region.totals(rest)).sum(axis=-1)
    unlabelled, never = region.reaching(-side * there)
    root = np.sqrt(np.maximum(region.statistic(unlabelled), 0.0))
    root = np.where(never, FARTHEST, np.minimum(root, FARTHEST))
    roots = as_normal(-side * root, freedom_of(cells, table, rates))[..., 0]
    return np.where(np.isnan(value), 0.0, roots)


def value_of(cells: Cells, row: Estimand, rates: FloatArray | None) -> FloatArray:
    """A figure, (...); NaN where nothing was found that speaks of it."""
    totals = plug_in_totals(cells, rates)[..., None, :]
    return np.asarray(ratios([row], cells).value(totals)[..., 0])


def as_normal(root: FloatArray, freedom: FloatArray) -> FloatArray:
    """A quantile of Student's t as that of a normal distribution."""
    # From the lower tail, where small shares do not vanish beside 1.
    lower = stdtr(freedom, -np.abs(root))
    return np.asarray(np.sign(root) * -ndtri(np.maximum(lower, 1e-300)))


def doubled(root: FloatArray) -> FloatArray:
    """A root whose share of the lower tail is twice as large: a guard where it leans."""
    return np.asarray(np.minimum(ndtri(np.minimum(1.0, 2 * ndtr(root))), FARTHEST))


def guarded(root: FloatArray, cells: Cells, few: int = FEW_POSITIVES) -> FloatArray:
    """The root, doubled where few positives were found."""
    return np.where(cells.positive.sum(axis=-1) < few, doubled(root), root)


def each_start(root: FloatArray, waves: FloatArray) -> FloatArray:
    """The evidence that a fall began so many waves ago, (...): below 1 speaks against it.

    root    (...), of the joined totals
    waves   what they are worth, in waves
    """
    x, k = root[..., None], np.asarray(waves, dtype=float)[..., None]
    return np.asarray(np.exp(-FALLS * np.sqrt(k) * x - k * FALLS**2 / 2).mean(axis=-1))


def requirement_evidence(
    waves: Cells, row: Estimand, required: float, suggested: FloatArray | None = None
) -> FloatArray:
    """The evidence of each start, (..., n_starts), that a figure is lower than required; the last
    wave alone first. Their sum is held against ``threshold``.

    waves       (..., n_waves, n_cells), the oldest first
    suggested   (n_cells,), the rate of each cell by the scores
    """
    totals = joined(waves)
    root = guarded(signed_root(totals, row, required, fitted(totals, suggested)), totals)
    return each_start(root, np.arange(1, root.shape[-1] + 1))


def change_evidence(
    waves: Cells, row: Estimand, suggested: FloatArray | None = None, *, facing: bool = False
) -> FloatArray:
    """The evidence of each start, (..., n_starts), that a figure is lower than in all waves before
    it; none of the first wave.

    How far each of both lies from the value of all waves, in standard errors of its own, are the
    roots of joined totals; together they are what the difference is in those of both. At the value
    of each other a miss on one side and none on the other was taken for a fall: ten labels a wave
    gave a false alarm of recall in .20 of series (docs/monitoring.md).

    waves, suggested   as in ``requirement_evidence``, all waves since the launch
    facing             the rule of monitors of before: either root is at the value of the other

    Source: the ends that face each other of Zou and Donner (2008), at the difference that was found
    instead of at a confidence.
    """
    count = waves.labelled.shape[-2]
    after = joined(waves, min(LONGEST, count - 1))
    whole = counted(waves, lambda counts: counts.sum(axis=-2, keepdims=True))
    before = replace(
        whole,
        size=whole.size - after.size,
        labelled=whole.labelled - after.labelled,
        positive=whole.positive - after.positive,
    )
    (now, new), (then, old) = (
        (value_of(part, row, rates), rates)
        for part, rates in ((part, fitted(part, suggested)) for part in (after, before))
    )
    known = ~(np.isnan(now) | np.isnan(then))
    if facing:
        own = signed_root(after, row, np.where(known, then, 0.5), new)
        other = signed_root(before, row, np.where(known, now, 0.5), old)
        both = np.hypot(own, other)
        root = np.divide(
            own * np.abs(other), both, out=np.zeros(own.shape), where=known & (both > 0)
        )
    else:
        alike = value_of(whole, row, fitted(whole, suggested))
        alike = np.where(known, np.clip(alike, np.fmin(now, then), np.fmax(now, then)), 0.5)
        own, other = signed_root(after, row, alike, new), signed_root(before, row, alike, old)
        root = np.where(known, np.sign(now - then) * np.hypot(own, other), 0.0)
    last = np.arange(1, after.labelled.shape[-2] + 1)
    return each_start(guarded(root, after), last * (count - last) / count)


@lru_cache(maxsize=64)
def threshold(waves: int, error: float, *, since_launch: bool = False) -> float:
    """What the sum of evidence must reach for an alarm, so that in so many waves of normal roots
    without a fall the chance of one is ``error``.

    since_launch   whether the waves before each start stand for what is required

    Of a requirement every start is tried here, and ``LONGEST`` in a watch: what is left over is a
    reserve (389 for 52 waves and .05, where 342 would do).
    """
    steps = random_of(SEED, "threshold").standard_normal((waves, SERIES))
    highest = np.zeros(SERIES)
    if not since_launch:
        sums = np.zeros((len(FALLS), SERIES))
        for step in steps:
            sums = (sums + 1) * np.exp(-FALLS[:, None] * step - FALLS[:, None] ** 2 / 2)
            highest = np.maximum(highest, sums.mean(axis=0))
        return float(np.quantile(highest, 1 - error))
    seen = np.concatenate([np.zeros((1, SERIES)), np.cumsum(steps, axis=0)])
    for count in range(2, waves + 1):
        total = np.zeros(SERIES)
        for last in range(1, min(LONGEST, count - 1) + 1):
            first = count - last
            root = (seen[count] - seen[first]) / last - seen[first] / first
            worth = last * first / count
            total += each_start(root * np.sqrt(worth), np.array(worth))
        highest = np.maximum(highest, total)
    return float(np.quantile(highest, 1 - error))
