"""The intervals of Shang et al. (2023) as printed, which the product does not use.

They have no rule for small counts: a group without a positive gives NaN, a group whose labels all
agree gives no width. ``labelcore.papers.oversampling.intervals`` mends that.

Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023), sections 3.1 and 3.2 and appendix A;
Katz, Baptista, Azen and Pike (1978) for the variance of the logarithm of a ratio.
"""

import numpy as np
from numpy.typing import ArrayLike

from labelcore.papers.oversampling.groups import Counts, normal_quantile, recall_of
from labelcore.papers.oversampling.intervals import (
    REPLICAS,
    Limits,
    Pair,
    log_ratio_limits,
    moments,
    percentiles,
)
from labelcore.stats.arrays import FloatArray


def predictive(
    zeta: Counts, k: float, above: ArrayLike, below: ArrayLike, confidence: float
) -> Pair:
    """Equations 6 to 8: where the estimates from the next ``above`` and ``below`` labels will lie.

    zeta   prior weights and earlier labels together, every cell above 0 (``with_jeffreys``)
    """
    (mean_1, spread_1), (mean_0, spread_0) = moments(zeta, above, below)
    half = normal_quantile(confidence) * np.sqrt(spread_1)
    variance = spread_1 / mean_1**2 + spread_0 / mean_0**2
    recall = log_ratio_limits(k, mean_1, mean_0, variance, confidence)
    return Pair((mean_1 - half, mean_1 + half), recall)


def printed_precision(counts: Counts, confidence: float) -> Limits:
    """Equation 3: pi_1 plus or minus z sqrt(pi_1 (1 - pi_1) / n_1)."""
    rate, _ = counts.rates()
    half = normal_quantile(confidence) * np.sqrt(rate * (1 - rate) / counts.above)
    return rate - half, rate + half


def printed_recall(counts: Counts, k: float, confidence: float) -> Limits:
    """Equation 4: the normal interval of ln(pi_0 / pi_1), turned into recall."""
    pi_1, pi_0 = counts.rates()
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_ratio_limits(k, pi_1, pi_0, _log_variance(counts), confidence)


def printed_recall_linear(counts: Counts, k: float, confidence: float) -> Limits:
    """Equation 5: symmetric around the estimate; equations 10 and 11 plan with it."""
    recall = recall_of(k, *counts.rates())
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = recall * (1 - recall) * np.sqrt(_log_variance(counts))
    half = normal_quantile(confidence) * spread
    return recall - half, recall + half


def _log_variance(counts: Counts) -> FloatArray:
    """The variance of ln(pi_0 / pi_1)."""
    pi_1, pi_0 = counts.rates()
    return np.asarray((1 - pi_1) / counts.true_positive + (1 - pi_0) / counts.false_negative)


def printed_bootstrap(
    counts: Counts,
    k: float,
    confidence: float,
    rng: np.random.Generator,
    replicas: int = REPLICAS,
) -> Pair:
    """Algorithm 1: one binomial draw per group and replica, percentiles of both estimates."""
    pi_1, pi_0 = counts.rates()
    n_1, n_0 = (np.rint(size).astype(np.int64) for size in (counts.above, counts.below))
    shape = (replicas, *np.shape(pi_1))
    above, below = rng.binomial(n_1, pi_1, size=shape), rng.binomial(n_0, pi_0, size=shape)
    return percentiles(above / n_1, below / n_0, k, confidence)


def monte_carlo_predictive(
    zeta: Counts,
    k: float,
    above: ArrayLike,
    below: ArrayLike,
    confidence: float,
    rng: np.random.Generator,
    replicas: int = REPLICAS,
) -> Pair:
    """Algorithm 2: rates from their Beta posteriors, the next labels from those, percentiles.

    zeta   as in ``predictive``
    """
    shape = (replicas, *np.shape(zeta.true_positive))
    n_1, n_0 = (np.asarray(size, dtype=np.int64) for size in (above, below))
    pi_1 = rng.beta(zeta.true_positive, zeta.false_positive, size=shape)
    pi_0 = rng.beta(zeta.false_negative, zeta.true_negative, size=shape)
    above, below = rng.binomial(n_1, pi_1), rng.binomial(n_0, pi_0)
    return percentiles(above / n_1, below / n_0, k, confidence)
