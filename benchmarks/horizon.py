"""The boundary for a planned size, by exact recursion: how often it is wrong, and its constants.

One item is drawn after the other and the interval is looked at after each: the chance that it is
ever wrong follows by recursion over the number of positives, without simulation. ``constants``
finds the numbers of ``labelcore.stats.horizon`` that bring this chance to the error level.
``tests/stats/test_horizon.py`` holds the product against it; docs/horizon.md has the tables.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtri, xlogy

from labelcore.stats.arrays import FloatArray
from labelcore.stats.horizon import DELTA, RANGES, RESERVE, boundary

Critical = Callable[[int], float]
PLANNED, SMALLER = 1000, 100
"""Planned sizes of the recursion: for the constant until n0, and for how much larger the constants
are for a longer way, relative to that of the same size."""
RATES = (0.36, 0.5)
QUARTER = 0.25


def rate_statistic(positive: FloatArray, labels: int, rate: ArrayLike) -> FloatArray:
    """Twice the log-likelihood ratio of ``positive`` of ``labels`` against a rate, with a quarter
    of a label on the side of the rate: the one-stratum G-profile of endlessly many items."""
    above = np.asarray(rate) > positive / labels
    hits = positive + np.where(above, QUARTER, 0.0)
    misses = labels - positive + np.where(above, 0.0, QUARTER)
    share = hits / (labels + QUARTER)
    ratio = xlogy(hits, share) + xlogy(misses, 1 - share)
    ratio = 2 * (ratio - xlogy(hits, rate) - xlogy(misses, 1 - np.asarray(rate)))
    return np.asarray(np.where(np.where(above, share >= rate, share <= rate), 0.0, ratio))


def wilson_statistic(positive: FloatArray, labels: int, rate: ArrayLike) -> FloatArray:
    """The squared score statistic, whose region is Wilson's interval."""
    rate = np.asarray(rate)
    return np.asarray((positive / labels - rate) ** 2 * labels / (rate * (1 - rate)))


def ever_wrong(
    critical: Critical,
    rate: float,
    last: int,
    statistic: Callable[[FloatArray, int, ArrayLike], FloatArray] = rate_statistic,
) -> FloatArray:
    """The chance that the interval of independent draws was wrong at one of the looks so far,
    (last + 1,) by the number of labels; only what can still be right is kept.

    critical   the critical value after so many labels
    """
    still, lowest, wrong = np.ones(1), 0, np.zeros(last + 1)
    for labels in range(1, last + 1):
        further = np.zeros(len(still) + 1)
        further[:-1] = still * (1 - rate)
        further[1:] += still * rate
        positive = np.arange(lowest, lowest + len(further), dtype=float)
        out = statistic(positive, labels, rate) > critical(labels)
        wrong[labels] = further[out].sum()
        kept = np.flatnonzero(~out)
        if not len(kept):
            break
        part = slice(kept[0], kept[-1] + 1)
        still, lowest = np.where(out, 0.0, further)[part], lowest + int(kept[0])
    return wrong.cumsum()


def steady(level: float, span: float, planned: int) -> float:
    """The constant of max(1, share ** (DELTA - 1/2)) for information up to ``span`` times that at
    which the boundary becomes level."""

    def excess(constant: float, rate: float) -> float:
        def critical(labels: int) -> float:
            return (constant * max((labels / planned) ** (DELTA - 0.5), 1.0)) ** 2

        return float(ever_wrong(critical, rate, round(planned * span))[-1]) - level

    return _largest_root(excess, level)


def then(level: float, span: float, first: float, planned: int) -> float:
    """The constant from the planned size on to ``span`` times that size, when the boundary before
    has the constant ``first``."""

    def excess(constant: float, rate: float) -> float:
        def critical(labels: int) -> float:
            share = (labels / planned) ** (DELTA - 0.5)
            return (first * share if labels <= planned else constant) ** 2

        return float(ever_wrong(critical, rate, round(planned * span))[-1]) - level

    return _largest_root(excess, level)


def _largest_root(excess: Callable[[float, float], float], level: float) -> float:
    ordinary = float(-ndtri(level / 2))
    return max(
        float(brentq(excess, ordinary, 4 * ordinary, args=(rate,), xtol=2e-3)) for rate in RATES
    )


def constants(level: float) -> tuple[list[float], list[float]]:
    """The rows of ``STEADY`` and ``THEN`` for an error level: rounded up to hundredths, and one
    more, as the constants grow a little with the planned size."""
    first = steady(level, 1, PLANNED)
    small = steady(level, 1, SMALLER)
    reserved = steady(level * (1 - RESERVE), 1, SMALLER)
    longer = [steady(level, span, SMALLER) * first / small for span in RANGES[1:]]
    later = [then(level, span, reserved, SMALLER) * first / small for span in RANGES[1:]]
    return _rounded_up([first, *longer]), _rounded_up(later)


def _rounded_up(numbers: list[float]) -> list[float]:
    return [float(np.ceil(100 * one + 1) / 100) for one in numbers]


def file_statistic(
    positive: FloatArray, labels: int, size: int, positives: FloatArray
) -> FloatArray:
    """D(u) of the one-stratum G-profile in whole items, (n_positive, n_positives): that of one item
    nearer to the sample, because bounds go to the next whole item.

    positive    (n_positive, 1), labelled items that are positive
    positives   (n_positives,), positives in the file
    """
    free = float(size - labels)
    missing = np.clip(positives - positive, 0.0, free)
    above = missing * labels > free * positive
    missing = np.clip(np.where(above, missing - 1, missing + 1), 0.0, free)
    s = positive + np.where(above, QUARTER, 0.0)
    f = labels - positive + np.where(above, 0.0, QUARTER)
    n, rest = s + f, free - missing
    found = xlogy(s, s) + xlogy(f, f) - xlogy(n, n) + xlogy(missing, missing) + xlogy(rest, rest)
    found -= xlogy(free, free) + xlogy(s + missing, s + missing) + xlogy(f + rest, f + rest)
    found += xlogy(n + free, n + free)
    inside = np.where(above, missing * n <= free * s, missing * n >= free * s)
    return np.asarray(np.where(inside, 0.0, 2 * found))


def ever_wrong_in_file(
    standard_errors: Critical, size: int, last: int, positives: FloatArray
) -> FloatArray:
    """The chance that the interval of a plain random sample of a file was wrong at one of the looks
    up to ``last`` labels, (n_positives,).

    standard_errors   z after so many labels
    positives         (n_positives,), positives in the file
    """
    still, wrong = np.ones((1, len(positives))), np.zeros(len(positives))
    for labels in range(1, min(last, size - 1) + 1):
        before = np.arange(float(labels))[:, None]
        chance = np.clip((positives - before) / (size - labels + 1), 0.0, 1.0)
        further = np.zeros((labels + 1, len(positives)))
        further[:-1] = still * (1 - chance)
        further[1:] += still * chance
        positive = np.arange(labels + 1.0)[:, None]
        out = file_statistic(positive, labels, size, positives) > standard_errors(labels) ** 2
        wrong += (further * out).sum(axis=0)
        still = np.where(out, 0.0, further)
    return wrong


def of_plan(planned: int, size: float = np.inf, alpha: float = 0.05, horizon: int = 1) -> Critical:
    """z after so many labels of a plan of so many, in a file of ``size``."""

    def standard_errors(labels: int) -> float:
        return float(boundary(labels / planned, labels / size, alpha, horizon))

    return standard_errors


def rates_for(planned: int) -> FloatArray:
    """Rates from one positive in twenty plans to one half."""
    return np.unique(
        np.concatenate([np.geomspace(0.05 / planned, 0.05, 16), np.linspace(0.05, 0.5, 19)])
    )


def positives_for(size: int) -> FloatArray:
    """Numbers of positives from 0 to half of the file."""
    few = np.concatenate([np.arange(12), np.geomspace(12, size // 2, 28)])
    return np.unique(np.rint(few[few <= size // 2]))


def worst(
    planned: int,
    horizon: int = 1,
    *,
    going_on: int = 1,
    statistic: Callable[[FloatArray, int, ArrayLike], FloatArray] = rate_statistic,
    standard_errors: Critical | None = None,
) -> tuple[float, float]:
    """The largest chance to be ever wrong over ``rates_for``, and the rate where it is.

    going_on   how many times the planned size the labelling goes on to
    """
    z = standard_errors or of_plan(planned, horizon=horizon)
    found = [
        (float(ever_wrong(lambda n: z(n) ** 2, rate, going_on * planned, statistic)[-1]), rate)
        for rate in rates_for(planned)
    ]
    return max(found)


def without_quarter(positive: FloatArray, labels: int, rate: ArrayLike) -> FloatArray:
    """The plain likelihood ratio."""
    share = positive / labels
    ratio = xlogy(positive, share) + xlogy(labels - positive, 1 - share)
    ratio -= xlogy(positive, rate) + xlogy(labels - positive, 1 - np.asarray(rate))
    return np.asarray(2 * ratio)


def one_end(positive: FloatArray, labels: int, rate: ArrayLike, *, lower: bool) -> FloatArray:
    """``rate_statistic`` where one end of the interval lies between the rate and the sample."""
    beyond = positive / labels > rate if lower else positive / labels < rate
    return np.where(beyond, rate_statistic(positive, labels, rate), 0.0)
