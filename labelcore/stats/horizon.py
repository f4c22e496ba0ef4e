"""The boundary for a planned size: how wide an interval must be that is looked at all the way.

An interval that is looked at after every label until a planned size n0 is the fixed one with more
standard errors,

    z(tau) = c tau^(DELTA - 1/2),   DELTA = .15,   c = 2.30 at 95 % confidence,

tau being the share of the planned information that is there: wide at first, when little is known
anyway, and 2.30 / 1.96 of the fixed width at n0, which is 1.38 times the labels.

Information is the inverse of the variance. With a share f of the items labelled it is proportional
to f / (1 - f) and grows without end towards the last item. Where the plan covers more than
``LAST_SHARE`` of the items, tau is the share of the information at that share, and the boundary is
level beyond it, with a larger c for the longer way.

While a plan learns its size n0 is not known. Of its error level ``LEARNING`` is kept for a constant
z, so that its boundary is nowhere above that, whatever n0 will be.

Going on beyond n0, up to ``horizon`` times n0, has to be planned: a fifth of the error level
(``RESERVE``) is kept for it. Until n0 the boundary is that of the other four fifths; after it z is
constant (``THEN``).

Source: Wang and Tsiatis (1987) for the boundary; Jennison and Turnbull (1989) for repeated
confidence intervals.
Departure: c is that of an exact recursion over the labels of a plain random sample, a look after
each (``benchmarks/horizon.py``, docs/horizon.md), in place of that of a few looks.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from labelcore.stats.profile import (
    Cells,
    FloatArray,
    Ratios,
    Table,
    profile_bounds,
    variance_shares,
)
from labelcore.stats.profile_interval import in_whole_items

DELTA = 0.15
RESERVE = 0.2
LEARNING, UNKNOWN = 0.05, 13.5
"""The share of the error level of z^2 = the squared normal quantile + ``UNKNOWN``, which is crossed
at some label while information grows a thousandfold in no more of the sessions (Siegmund 1985)."""
ONE_SIDED = 1.9
"""The error level of an interval whose two ends each have error level 1 alone: somewhat less than
2, because the two do not share it equally (docs/likely_claims.md)."""
LAST_SHARE = 0.8
MORE = 1.3
"""How much above what a pilot suggests the size is that is planned after it: planning for too many
labels costs little, going on beyond too few costs much (docs/margins.md)."""
ALL = 0.996
"""The share of the items from which on a file counts as covered."""

LEVELS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0001)
RANGES = (1.0, 2.0, 4.0, 16.0, 64.0)

STEADY: tuple[tuple[float, ...], ...] = (
    (1.72, 1.98, 2.15, 2.37, 2.52),
    (2.03, 2.30, 2.46, 2.67, 2.81),
    (2.30, 2.60, 2.77, 2.97, 3.10),
    (2.63, 2.92, 3.08, 3.27, 3.39),
    (2.86, 3.17, 3.32, 3.51, 3.62),
    (3.07, 3.39, 3.54, 3.72, 3.83),
    (3.53, 3.85, 4.00, 4.16, 4.26),
    (4.09, 4.41, 4.55, 4.70, 4.79),
)
"""c by error level (rows, ``LEVELS``) and by how many times the information grows after the
boundary has become level (columns, ``RANGES``)."""
THEN: tuple[tuple[float, ...], ...] = (
    (2.17, 2.47, 2.81, 3.01),
    (2.50, 2.79, 3.09, 3.27),
    (2.82, 3.09, 3.37, 3.53),
    (3.15, 3.40, 3.66, 3.80),
    (3.40, 3.64, 3.88, 4.02),
    (3.62, 3.85, 4.08, 4.21),
    (4.09, 4.30, 4.50, 4.62),
    (4.64, 4.82, 5.00, 5.10),
)
"""The constant z after n0 by error level and by how many times the information grows after n0
(columns, ``RANGES`` from the second on), when the boundary until n0 is that of four fifths of the
error level."""


def boundary(
    progress: ArrayLike,
    covered: ArrayLike,
    alpha: ArrayLike,
    horizon: float = 1,
    learned: bool = False,
) -> FloatArray:
    """The number of standard errors at a look, arrays of one shape.

    progress   labels over the planned size, up to ``horizon``
    covered    share of the items labelled that the figure rests on, in [0, 1]; 0 where the target
               is the process
    alpha      the error level, two-sided; one number, or one for each look
    horizon    how many times the planned size the labelling may go on to
    learned    whether the planned size is not known from the start
    Promise    the chance to be beyond the boundary at any of the looks is at most ``alpha``, for
               sums of many independent parts.
    Assumption the planned size, the horizon and ``alpha`` were fixed before the first label.

    >>> boundary([0.1, 0.5, 1.0], 0.0, 0.05).round(2).tolist()
    [5.15, 2.93, 2.3]
    """
    if learned:
        known = boundary(progress, covered, np.multiply(alpha, 1 - LEARNING), horizon)
        return np.minimum(known, np.sqrt(ndtri(np.asarray(alpha) / 2) ** 2 + UNKNOWN))
    done, now = np.broadcast_arrays(
        np.maximum(np.asarray(progress, dtype=float), 1e-9), np.asarray(covered, dtype=float)
    )
    now, alpha = np.minimum(now, ALL), np.asarray(alpha, dtype=float)
    planned = np.minimum(now / done, ALL)
    whole = planned > LAST_SHARE + 1e-9
    if horizon == 1:
        return _level_after(done, now, planned, alpha)
    last = np.minimum(horizon * planned, ALL)
    going_on = np.where(planned > 0, _odds(last) / np.maximum(_odds(planned), 1e-300), horizon)
    first = _constant(STEADY, RANGES, alpha * (1 - RESERVE), 1.0)
    until = first * np.minimum(_share_of(done, now, planned), 1.0) ** (DELTA - 0.5)
    beyond = _constant(THEN, RANGES[1:], alpha, going_on)
    to_the_end = _level_after(done, now, np.where(whole, ALL, planned), alpha)
    return np.asarray(np.where(whole, to_the_end, np.where(done > 1, beyond, until)))


def least_boundary(progress: ArrayLike, alpha: float, horizon: float = 1) -> FloatArray:
    """What ``boundary`` is at least at this progress, whatever is covered: a figure on a few items
    that are nearly all labelled has come to its level boundary early."""
    share = np.clip(np.asarray(progress, dtype=float), 1e-9, 1.0)
    until = alpha if horizon == 1 else alpha * (1 - RESERVE)
    level = _constant(STEADY, RANGES, alpha, _odds(ALL) / _odds(LAST_SHARE))
    moving = _constant(STEADY, RANGES, until, 1.0) * share ** (DELTA - 0.5)
    unknown = np.sqrt(ndtri(alpha / 2) ** 2 + UNKNOWN)
    return np.asarray(np.minimum(np.minimum(moving, level), unknown))


def _level_after(
    done: FloatArray, now: FloatArray, planned: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The boundary towards the share ``planned``, level from ``LAST_SHARE`` on."""
    further = planned > LAST_SHARE + 1e-9
    most = _odds(LAST_SHARE)
    growth = np.where(further, _odds(planned) / most, 1.0)
    share = np.where(further, _odds(now) / most, _share_of(done, now, planned))
    constant = _constant(STEADY, RANGES, alpha, growth)
    return np.asarray(constant * np.clip(share, 1e-12, 1.0) ** (DELTA - 0.5))


def _share_of(done: FloatArray, now: FloatArray, planned: FloatArray) -> FloatArray:
    """The information at the share ``now`` over that at ``planned`` = now / done."""
    return np.asarray(done * (1 - planned) / (1 - now))


def _odds(share: ArrayLike) -> FloatArray:
    """The information of a share of the items, up to a factor."""
    share = np.asarray(share, dtype=float)
    return np.asarray(share / (1 - share))


def _constant(
    table: tuple[tuple[float, ...], ...],
    ranges: tuple[float, ...],
    alpha: ArrayLike,
    growth: ArrayLike,
) -> FloatArray:
    """A constant for this error level and growth of the information: the table's ratio to the
    normal quantile, linear in the logarithms of both; beyond the table on the safe side."""
    level = np.log(np.clip(alpha, LEVELS[-1], LEVELS[0]))
    at, columns, steps = _columns_of(table, ranges)
    row = np.stack([np.interp(level, at, column) for column in columns], axis=-1)
    x = np.log(np.asarray(growth, dtype=float))
    place = np.clip(np.searchsorted(steps, x, side="right") - 1, 0, len(steps) - 2)
    row, at_place = np.broadcast_arrays(row, place[..., None])
    below, above = (np.take_along_axis(row, at_place[..., :1] + up, -1)[..., 0] for up in (0, 1))
    slope = (above - below) / (steps[place + 1] - steps[place])
    ratio = below + slope * np.maximum(x - steps[place], 0.0)
    return np.asarray(ratio * -ndtri(np.minimum(alpha, LEVELS[0]) / 2))


@cache
def _columns_of(
    table: tuple[tuple[float, ...], ...], ranges: tuple[float, ...]
) -> tuple[FloatArray, list[FloatArray], FloatArray]:
    """Logarithms of the levels, ratios of a table to the normal quantile, logarithms of ranges."""
    ratios = np.array(table) / -ndtri(np.array(LEVELS) / 2)[:, None]
    return np.log(LEVELS)[::-1], [column[::-1] for column in ratios.T], np.log(ranges)


def size_again(
    half_width: float,
    labels: int,
    margin: float,
    confidence: float,
    *,
    horizon: float | None = 1,
    items: float = np.inf,
) -> int:
    """The planned size at which an interval meets a margin, by the width of the interval of a fixed
    size that a pilot gave.

    half_width   that of the pilot's interval, the largest of the figures
    labels       those of the pilot
    horizon      that of a watched interval; None for one of a fixed size
    items        that can be labelled; infinite where the target is the process
    Promise      none: a forecast. It follows from a width alone, which says next to nothing of the
                 error of a figure, so that the boundary may be for this size from there on; that
                 was measured (docs/margins.md), not proved. The strict way would be the conditional
                 error principle of Mueller and Schaefer (2001).

    >>> size_again(0.27, 60, 0.12, 0.95, horizon=2), size_again(0.27, 60, 0.12, 0.95, items=300)
    (587, 209)
    >>> size_again(0.27, 60, 0.12, 0.95, horizon=None)
    395
    """
    if labels >= items:
        return int(items)
    alpha = 1 - confidence
    wider = 1.0 if horizon is None else float(boundary(1, 0, alpha, horizon) / -ndtri(alpha / 2))
    times = MORE * (wider * half_width / margin) ** 2
    wanted = times * labels / (1 - labels / items)
    labels_wanted = wanted if np.isinf(items) else wanted / (1 + wanted / items)
    return int(np.ceil(min(labels_wanted, items) - 1e-9))


def covered_share(cells: Cells, table: Table, rates: FloatArray | None = None) -> FloatArray:
    """The share of the items labelled that each row of ``table`` rests on, (..., n_rows): 1 - V/U,
    V and U being the variance with and without the finite-population factor over the cells that are
    not fully labelled. In one cell it is n / N; 1 / (1 - share) is how fast the information grows
    in all of them, when each gets labels in proportion to those that it has.
    """
    left = np.where(cells.unlabelled > 1e-9, cells.unlabelled / cells.size, 0.0)[..., None, :]
    spread = variance_shares(cells, table, rates, target="process")
    whole = (spread * (left > 0)).sum(axis=-1)
    rest = (spread * left).sum(axis=-1)
    return np.asarray(1 - np.divide(rest, whole, out=np.ones(whole.shape), where=whole > 0))


def stretch(
    cells: Cells,
    table: Table,
    confidence: FloatArray | float,
    progress: ArrayLike,
    horizon: float,
    rates: FloatArray | None = None,
    *,
    target: str = "file",
    learned: bool = False,
) -> FloatArray:
    """What the critical value of a fixed size is multiplied by at a look, (..., n_rows): the square
    of ``boundary`` over the normal quantile.

    confidence, progress   that of each figure, and labels over the planned size, (...)
    """
    covered = 0.0 if target == "process" else covered_share(cells, table, rates)
    sure = np.asarray(confidence, dtype=float)[..., None]
    z = boundary(np.asarray(progress)[..., None], covered, 1 - sure, horizon, learned)
    return np.asarray((z / ndtri((1 + sure) / 2)) ** 2)


def watched_share(
    hits: ArrayLike, trials: ArrayLike, size: ArrayLike, z: ArrayLike, *, target: str = "file"
) -> tuple[FloatArray, FloatArray]:
    """Bounds of a share from a plain random sample: the likelihood-ratio region with the directed
    quarter (the G-profile of one cell), in whole items of a file; of several samples at once.

    hits, trials, size   labels that count, labels, and items of the group, (...)
    z                    ``boundary`` at this look, (...)
    Returns              low, high, (...); 0 and 1 without labels

    Promise      with ``boundary``: wrong at some look in at most the error level of all sessions,
                 shown by exact recursion for rates and files of all sizes (docs/horizon.md).
    Source       Wilks (1938) for the ratio; the quarter is our own.

    >>> [round(float(end), 4) for end in watched_share(90, 100, 10_000, 2.30)]
    [0.815, 0.9549]
    """
    positive, labels, items, reach = np.broadcast_arrays(
        *(np.asarray(counts, dtype=float) for counts in (hits, trials, size, z))
    )
    known = labels > 0
    items, labels, positive = (counts[known][:, None] for counts in (items, labels, positive))
    low, high = np.zeros(known.shape), np.ones(known.shape)
    if known.any():
        cells, one = Cells(items, labels, positive, np.array([True])), np.ones((len(items), 1, 1))
        table = Ratios(0 * one[..., 0], one, items, 0 * one)
        ends = profile_bounds(cells, table, reach[known][:, None] ** 2, target=target)
        if target == "file":
            ends = in_whole_items(cells, table, *ends)
        low[known], high[known] = (end[:, 0] for end in ends)
    return low, high
