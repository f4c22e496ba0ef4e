"""Kumar and Raj (2018), equations 11 to 13 and section 3.4.2: what strata gain and lose.

Sizes, accuracies and labels as in ``labelcore.papers.stratified.accuracy_variance``.
Equations 11 and 12 are blank in the text and stand here as their neighbours imply.
"""

import numpy as np
from numpy.typing import ArrayLike

from labelcore.papers.stratified.accuracy_variance import squared_spread


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
