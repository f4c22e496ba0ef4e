"""How much an estimate of accuracy varies from sample to sample: strata against a random sample.

An item is right or wrong. Stratum k holds N_k of the N items, W_k = N_k / N, of which the share A_k
is right; S_k^2 = N_k A_k (1 - A_k) / (N_k - 1) is the variance of being right in it. Shares lie in
[0, 1], sizes are numbers of items of at least 1, variances are those of a share times the number of
labels.

Every formula is for draws with replacement, as printed.

Source: Kumar and Raj (2018), equations 2, 4, 5 and 7 to 10; Cochran (1977), chapter 5.
"""

import numpy as np
from numpy.typing import ArrayLike

from labelcore.stats.arrays import FloatArray


def squared_spread(accuracies: ArrayLike, sizes: ArrayLike) -> FloatArray:
    """S^2 of each stratum from its accuracy and its number of items (lemma 1); one item has none.

    >>> squared_spread([0.5, 1.0, 0.0], [2, 9, 1]).tolist()
    [0.5, 0.0, 0.0]
    """
    size, share = np.asarray(sizes, dtype=float), np.asarray(accuracies, dtype=float)
    factor = np.divide(size, size - 1, out=np.zeros(len(size)), where=size > 1)
    return np.asarray(factor * share * (1 - share))


def random_variance(accuracy: float, size: float) -> float:
    """n V of a plain random sample: N A (1 - A) / (N - 1) (proposition 1).

    >>> round(random_variance(0.9, 1_000_000), 4)
    0.09
    """
    return float(squared_spread([accuracy], [size])[0])


def proportional_variance(sizes: ArrayLike, accuracies: ArrayLike) -> float:
    """n V with n_k = W_k n (equation 7)."""
    weight, spread2 = _parts(sizes, accuracies)
    return float((weight * spread2).sum())


def equal_variance(sizes: ArrayLike, accuracies: ArrayLike) -> float:
    """n V with n_k = n / K (equation 8)."""
    weight, spread2 = _parts(sizes, accuracies)
    return len(weight) * float((weight**2 * spread2).sum())


def optimal_variance(sizes: ArrayLike, accuracies: ArrayLike) -> float:
    """n V with n_k in proportion to W_k S_k, the least there is (equations 9 and 10). The S_k are
    the true ones, which nobody has before labelling: a yardstick, not a method.

    >>> strata = [500, 500], [1.0, 0.5]
    >>> [round(V(*strata), 4) for V in (proportional_variance, optimal_variance)]
    [0.1253, 0.0626]
    """
    weight, spread2 = _parts(sizes, accuracies)
    return float((weight * np.sqrt(spread2)).sum()) ** 2


def stratified_accuracy(sizes: ArrayLike, labelled: ArrayLike, right: ArrayLike) -> float:
    """sum W_k s_k / n_k (equation 4); a stratum without labels counts like the others together, NaN
    without any label.

    sizes, labelled, right   (n_strata,): N_k, n_k and s_k

    >>> round(stratified_accuracy([90, 10], [10, 10], [9, 5]), 3)
    0.86
    """
    size, n, s = (np.asarray(counts, dtype=float) for counts in (sizes, labelled, right))
    if n.sum() == 0:
        return float("nan")
    seen = n > 0
    share = np.divide(s, n, out=np.zeros(len(n)), where=seen)
    return float((size * share)[seen].sum() / size[seen].sum())


def _parts(sizes: ArrayLike, accuracies: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The weight of each stratum, and S^2 in it."""
    size = np.asarray(sizes, dtype=float)
    return size / size.sum(), squared_spread(accuracies, size)
