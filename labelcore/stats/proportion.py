"""Intervals for one proportion at a size fixed before the first label.

Every function takes the number of hits and of trials (arrays or numbers, trials >= hits >= 0,
fractions allowed for effective sizes) and a confidence level in (0, 1), and returns (low, high)
arrays. No trial gives 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

FloatArray = NDArray[np.float64]
Limits = tuple[FloatArray, FloatArray]


def _checked(
    hits: ArrayLike, trials: ArrayLike, confidence: float
) -> tuple[FloatArray, FloatArray]:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
    h, n = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    if np.any(h < 0) or np.any(h > n):
        raise ValueError("hits must lie between 0 and trials")
    return np.broadcast_arrays(h, n)  # type: ignore[return-value]


def _limits(low: FloatArray, high: FloatArray, n: FloatArray) -> Limits:
    return (
        np.where(n > 0, np.clip(low, 0, 1), 0.0),
        np.where(n > 0, np.clip(high, 0, 1), 1.0),
    )


def wilson(hits: ArrayLike, trials: ArrayLike, confidence: float) -> Limits:
    """Wilson score interval.

    Source: Wilson (1927).

    >>> low, high = wilson(9, 10, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5958, 0.9821)
    """
    h, n = _checked(hits, trials, confidence)
    z = ndtri((1 + confidence) / 2)
    size = np.maximum(n, 1e-12)
    p = h / size
    centre = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    return _limits(np.where(h == 0, 0.0, centre - half), np.where(h == n, 1.0, centre + half), n)


def agresti_coull(hits: ArrayLike, trials: ArrayLike, confidence: float) -> Limits:
    """Wald's form around the shrunken share. Source: Agresti and Coull (1998)."""
    h, n = _checked(hits, trials, confidence)
    z = ndtri((1 + confidence) / 2)
    size = n + z * z
    p = (h + z * z / 2) / size
    half = z * np.sqrt(p * (1 - p) / size)
    return _limits(p - half, p + half, n)


def clopper_pearson(hits: ArrayLike, trials: ArrayLike, confidence: float) -> Limits:
    """Exact interval by inverting two binomial tests. Source: Clopper and Pearson (1934)."""
    h, n = _checked(hits, trials, confidence)
    alpha = 1 - confidence
    with np.errstate(invalid="ignore"):
        low = np.where(h > 0, betaincinv(np.maximum(h, 1e-12), n - h + 1, alpha / 2), 0.0)
        high = np.where(h < n, betaincinv(h + 1, np.maximum(n - h, 1e-12), 1 - alpha / 2), 1.0)
    return _limits(low, high, n)


def jeffreys(hits: ArrayLike, trials: ArrayLike, confidence: float) -> Limits:
    """Equal-tailed interval of the Beta(1/2, 1/2) posterior, closed at 0 and 1.

    Source: Brown, Cai and DasGupta (2001), section 4.1.1.
    """
    h, n = _checked(hits, trials, confidence)
    alpha = 1 - confidence
    low = np.where(h > 0, betaincinv(h + 0.5, n - h + 0.5, alpha / 2), 0.0)
    high = np.where(h < n, betaincinv(h + 0.5, n - h + 0.5, 1 - alpha / 2), 1.0)
    return _limits(low, high, n)


def wald(hits: ArrayLike, trials: ArrayLike, confidence: float) -> Limits:
    """The textbook normal interval: named for comparison, never a default, covers badly."""
    h, n = _checked(hits, trials, confidence)
    size = np.maximum(n, 1e-12)
    p = h / size
    half = ndtri((1 + confidence) / 2) * np.sqrt(p * (1 - p) / size)
    return _limits(p - half, p + half, n)


INTERVALS: dict[str, Callable[[ArrayLike, ArrayLike, float], Limits]] = {
    "wilson": wilson,
    "agresti_coull": agresti_coull,
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "wald": wald,
}


def finite_wilson(
    hits: float, trials: float, size: float, confidence: float
) -> tuple[float, float]:
    """Wilson's interval for a simple random sample without replacement of ``trials`` out of
    ``size``: the effective number of trials is n / (1 - n/N); a census has zero width."""
    if trials <= 0:
        return 0.0, 1.0
    if trials >= size:
        return hits / trials, hits / trials
    scale = 1 / (1 - trials / size)
    low, high = wilson(hits * scale, trials * scale, confidence)
    return float(low), float(high)
