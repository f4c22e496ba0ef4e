"""What helpers saved: the labels that the same intervals would have taken without them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelcore.designs.base import Frame
from labelcore.estimands import Estimand, ratios
from labelcore.stats.profile import FloatArray, slopes

SharesAt = Callable[[int], FloatArray]


def labels_without(
    row: Estimand, frame: Frame, rates: FloatArray, counts: FloatArray, plain: Frame, at: SharesAt
) -> int | None:
    """The labels with which strata by the score alone would have given one figure the variance that
    it has now; None where that cannot be told.

    The variance is sum g_k^2 N_k^2 theta_k (1 - theta_k) (1 / n_k - 1 / N_k), g_k the derivative of
    the figure: with helpers at the labels n_k that there are and the rates theta_k that the method
    fitted to them, without at the shares that it would have aimed at; the rate of a stratum by the
    score is then the mean of the rates of its items.

    rates, counts   (n_strata,) of ``frame``; at: the shares of ``plain`` with so many labels
    """
    goal = _variance(row, frame, rates, counts)
    of_plain = np.bincount(plain.stratum, rates[frame.stratum], minlength=plain.n_strata)
    mean = of_plain / plain.sizes
    if not np.isfinite(goal) or goal <= 0:
        return None
    low, high = 0, int(plain.sizes.sum())
    while high - low > max(1, high // 500):
        labels = (low + high) // 2
        found = _variance(row, plain, mean, np.minimum(at(labels) * labels, plain.sizes))
        low, high = (low, labels) if found <= goal else (labels, high)
    return high


def _variance(row: Estimand, frame: Frame, rates: FloatArray, counts: FloatArray) -> float:
    """Infinite where a stratum that matters has no label."""
    gradient = slopes(ratios([row], frame.cells()), (frame.sizes * rates)[None, :])[0]
    spread = (gradient * frame.sizes) ** 2 * rates * (1 - rates)
    matters = spread > 0
    left = np.full(len(spread), np.inf)
    np.divide(1.0, counts, out=left, where=counts > 0)
    return float((spread[matters] * (left - 1 / frame.sizes)[matters]).sum())
