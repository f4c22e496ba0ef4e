"""Kumar and Raj (2018): what sections 3.1 to 3.4 say of variances, by calculation.

Equations 11 and 12 are blank in the text and stand here as their neighbours imply.
"""

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.papers.stratified_files import ScoredFile
from benchmarks.papers.stratified_runs import Sample
from labelcore.papers.stratified.accuracy_variance import (
    equal_variance,
    optimal_variance,
    proportional_variance,
    random_variance,
    squared_spread,
    stratified_accuracy,
)
from labelcore.papers.stratified.neyman import proportional_counts

RUNS = 20_000


def theory_values(file: ScoredFile, random: np.random.Generator) -> dict[str, float]:
    return {
        **_identities(random),
        **_special_cases(),
        "eq_6_unbiased": _estimated_over_true(file, random),
    }


def _identities(random: np.random.Generator) -> dict[str, float]:
    """Equations 11 to 13 on 200 random populations; the former where 1/N_k is negligible."""
    first, second = 0.0, 0.0
    for _ in range(200):
        n_strata = int(random.integers(2, 11))
        shares = random.random(n_strata)
        sizes = random.integers(5, 5_000, n_strata)
        weight = sizes / sizes.sum()
        accuracy = float(weight @ shares)
        plain = accuracy * (1 - accuracy) / 100
        proportional = float(weight @ (shares * (1 - shares))) / 100
        first = max(first, abs(plain - proportional - gain_of_strata(sizes, shares, 100)))
        gap = (proportional_variance(sizes, shares) - optimal_variance(sizes, shares)) / 100
        second = max(second, abs(gap - gain_of_optimal(sizes, shares, 100)))
    return {"eq_11_12_difference": first, "eq_13_difference": second}


def _special_cases() -> dict[str, float]:
    small = np.full(20, 5)
    alike = np.full(20, 0.8)
    loss = random_variance(0.8, 100) - proportional_variance(small, alike)
    million = np.full(10, 10**6)
    flat = optimal_variance(million, np.full(10, 0.9)) / random_variance(0.9, 10**7)
    pure = np.array([1.0, 1.0, 0.0])
    sizes = np.array([500, 300, 200])
    weighted = np.array([200, 400, 800]), np.array([0.5, 0.5, 0.5])
    spread = 1 / (weighted[0] / 800)  # W_k S_k constant: S_k in proportion to 1 / N_k
    shares = np.array([_share_of(s) for s in 0.5 * spread / spread.max()])
    even = equal_variance(10**9 * weighted[0], shares)
    return {
        "case_2_times_n": loss,
        "remark_1_error": abs(stratified_accuracy(sizes, [1, 1, 1], pure) - 0.8),
        "remark_2_ratio": flat,
        "constant_products_ratio": even / optimal_variance(10**9 * weighted[0], shares),
    }


def _share_of(spread: float) -> float:
    """The accuracy above one half with A (1 - A) = spread^2."""
    return float(0.5 + np.sqrt(0.25 - spread**2))


def _estimated_over_true(file: ScoredFile, random: np.random.Generator) -> float:
    """Mean of equation 6 over equation 5, PRO."""
    strata = file.strata("eqsz", 6)
    counts = proportional_counts(strata.sizes, 120)
    labelled = np.broadcast_to(counts, (RUNS, len(counts)))
    sample = Sample(strata, labelled, random.binomial(labelled, strata.shares))
    return float(sample.estimated_variances.mean()) / strata.variance(counts)


def gain_of_strata(sizes: ArrayLike, accuracies: ArrayLike, labels: float) -> float:
    """V(random) - V(proportional) = (1/n) sum W_k (A_k - A)^2 where all 1/N_k are negligible
    (equations 11 and 12): never negative, and the more the strata differ the larger."""
    weight, share = _weights(sizes), np.asarray(accuracies, dtype=float)
    return float((weight * (share - (weight * share).sum()) ** 2).sum()) / labels


def gain_of_optimal(sizes: ArrayLike, accuracies: ArrayLike, labels: float) -> float:
    """V(proportional) - V(optimal) = (1/n) sum W_k (S_k - S_M)^2, S_M = sum W_k S_k
    (equation 13)."""
    weight, spread = _weights(sizes), np.sqrt(squared_spread(accuracies, sizes))
    return float((weight * (spread - (weight * spread).sum()) ** 2).sum()) / labels


def _weights(sizes: ArrayLike) -> np.ndarray:
    size = np.asarray(sizes, dtype=float)
    return np.asarray(size / size.sum())
