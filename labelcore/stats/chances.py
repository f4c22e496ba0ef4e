"""Chances of so many positives, multiplied up from the likeliest number: without the logarithms of
factorials, whose rounding grows with the sample, and without ``scipy.stats``, whose import takes
longer than all the rest of a small plan.
"""

import numpy as np

from labelcore.stats.arrays import FloatArray


def binomial(trials: int, share: float) -> FloatArray:
    """The chance of 0, 1, ... ``trials`` positives in independent trials, (trials + 1,).

    >>> binomial(2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    if share in (0, 1):
        return np.asarray(np.eye(trials + 1)[round(trials * share)])
    below = np.arange(trials, dtype=float)
    return _from_rises((trials - below) / (below + 1) * (share / (1 - share)))


def at_least(hits: int, positives: int, size: int, trials: int) -> float:
    """The chance of ``hits`` or more positives among ``trials`` items drawn without replacement
    from a file of ``size`` items that has so many ``positives``.

    >>> round(at_least(1, positives=3, size=5, trials=2), 12)
    0.9
    """
    negatives = size - positives
    first, last = max(0, trials - negatives), min(positives, trials)
    if hits <= first:
        return 1.0
    below = np.arange(first, last, dtype=float)
    rises = (positives - below) / (below + 1) * (trials - below) / (negatives - trials + below + 1)
    return float(_from_rises(rises)[hits - first :].sum())


def _from_rises(rises: FloatArray) -> FloatArray:
    """Chances from the factors between neighbours, which fall from one to the next."""
    top = int(np.searchsorted(-rises, -1.0))  # The chances rise up to here.
    before = np.cumprod(1 / rises[:top][::-1])[::-1]
    chance = np.concatenate([before, [1.0], np.cumprod(rises[top:])])
    return np.asarray(chance / chance.sum())
