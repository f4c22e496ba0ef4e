"""What the intervals of Shang et al. (2023) are made of, and theirs for the next sample as printed.

They have no rule for small counts; ``with_jeffreys`` mends that for the predictive ones.

Counts may be arrays of one shape; limits are (low, high) of that shape, not cut at 0 and 1.
Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023), sections 3.1 and 3.2 and appendix A.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from labelcore.papers.oversampling.groups import Counts, normal_quantile, recall_of
from labelcore.stats.arrays import FloatArray

Limits = tuple[FloatArray, FloatArray]
Moments = tuple[FloatArray, FloatArray]

REPLICAS = 4_000


@dataclass(frozen=True, eq=False, slots=True)
class Pair:
    """Limits of precision and of recall, each (low, high)."""

    precision: Limits
    recall: Limits


def log_ratio_limits(
    k: float, pi_1: FloatArray, pi_0: FloatArray, variance: FloatArray, confidence: float
) -> Limits:
    """1 / (1 + pi_0 / (k pi_1) exp(-+ z sqrt(variance))), the larger one first in the exponent.

    The exponent is -+ z sqrt(variance) as a whole, which equation 7 lacks the parentheses to say.
    """
    ratio = pi_0 / (k * pi_1)
    factor = np.exp(normal_quantile(confidence) * np.sqrt(variance))
    return np.asarray(1 / (1 + ratio * factor)), np.asarray(1 / (1 + ratio / factor))


def moments(zeta: Counts, above: ArrayLike, below: ArrayLike) -> tuple[Moments, Moments]:
    """Mean and variance (equation 12) of the share of positives among so many further labels of
    group 1 and of group 0; among infinitely many those of the posterior."""
    return (
        _group_moments(zeta.true_positive, zeta.false_positive, above),
        _group_moments(zeta.false_negative, zeta.true_negative, below),
    )


def _group_moments(hits: FloatArray, misses: FloatArray, size: ArrayLike) -> Moments:
    total, number = hits + misses, np.asarray(size, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = np.where(np.isinf(number), 1.0, (total + number) / number)
    return hits / total, hits * misses * stretch / (total**2 * (total + 1))


def percentiles(above: FloatArray, below: FloatArray, k: ArrayLike, confidence: float) -> Pair:
    """Equal tails of precision and recall over replicas of the two rates, (replicas, ...)."""
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    recall = recall_of(1.0, np.asarray(k) * above, below)
    quantile = np.nanquantile if np.isnan(recall).any() else np.quantile
    precision, recalled = np.quantile(above, tails, axis=0), quantile(recall, tails, axis=0)
    return Pair((precision[0], precision[1]), (recalled[0], recalled[1]))
