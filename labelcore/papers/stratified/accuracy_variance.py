"""How much an estimate of accuracy varies from sample to sample: strata against a random sample.

An item is right or wrong. Stratum k holds N_k of the N items, W_k = N_k / N, of which the share A_k
is right; S_k^2 = N_k A_k (1 - A_k) / (N_k - 1) is the variance of being right in it. Shares lie in
[0, 1], sizes and labels are numbers of items, variances are those of a share.

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
    size, share = _strata(sizes, accuracies)
    factor = np.divide(size, size - 1, out=np.zeros(len(size)), where=size > 1)
    return np.asarray(factor * share * (1 - share))


def random_variance(accuracy: float, size: float, labels: float) -> float:
    """V of a plain random sample: N A (1 - A) / ((N - 1) n) (proposition 1).

    >>> round(random_variance(0.9, 1_000_000, 100), 6)
    0.0009
    """
    return float(squared_spread([accuracy], [size])[0]) / _labels(labels)


def stratified_variance(
    sizes: ArrayLike, accuracies: ArrayLike, counts: ArrayLike, *, finite: bool = False
) -> float:
    """V of the stratified estimate with n_k labels in stratum k (equation 5); infinite where a
    stratum with right and wrong items has none.

    sizes, accuracies, counts   (n_strata,): N_k, A_k, n_k
    finite   without replacement: stratum k counts (1 - n_k / N_k) times
    """
    size, share = _strata(sizes, accuracies)
    n = _per_stratum(counts, "counts", len(size))
    rest = 1 - n / size if finite else np.ones(len(size))
    top = (size / size.sum()) ** 2 * squared_spread(share, size) * rest
    parts = np.divide(top, n, out=np.where(top > 0, np.inf, 0.0), where=n > 0)
    return float(parts.sum())


def proportional_variance(sizes: ArrayLike, accuracies: ArrayLike, labels: float) -> float:
    """V with n_k = W_k n (equation 7)."""
    weight, spread2, n = _parts(sizes, accuracies, labels)
    return float((weight * spread2).sum()) / n


def equal_variance(sizes: ArrayLike, accuracies: ArrayLike, labels: float) -> float:
    """V with n_k = n / K (equation 8)."""
    weight, spread2, n = _parts(sizes, accuracies, labels)
    return len(weight) / n * float((weight**2 * spread2).sum())


def optimal_variance(sizes: ArrayLike, accuracies: ArrayLike, labels: float) -> float:
    """V with n_k in proportion to W_k S_k, the least there is (equations 9 and 10). The S_k are the
    true ones, which nobody has before labelling: a yardstick, not a method.

    >>> strata = [500, 500], [1.0, 0.5]
    >>> V = proportional_variance(*strata, 100), optimal_variance(*strata, 100)
    >>> [round(v, 6) for v in V]
    [0.001253, 0.000626]
    """
    weight, spread2, n = _parts(sizes, accuracies, labels)
    return float((weight * np.sqrt(spread2)).sum()) ** 2 / n


def stratified_accuracy(sizes: ArrayLike, labelled: ArrayLike, right: ArrayLike) -> float:
    """sum W_k s_k / n_k (equation 4); a stratum without labels counts like the others together, NaN
    without any label.

    sizes, labelled, right   (n_strata,): N_k, n_k and s_k

    >>> round(stratified_accuracy([90, 10], [10, 10], [9, 5]), 3)
    0.86
    """
    size, n, s = _counted(sizes, labelled, right)
    if n.sum() == 0:
        return float("nan")
    seen = n > 0
    share = np.divide(s, n, out=np.zeros(len(n)), where=seen)
    return float((size * share)[seen].sum() / size[seen].sum())


def _parts(
    sizes: ArrayLike, accuracies: ArrayLike, labels: float
) -> tuple[FloatArray, FloatArray, float]:
    size, share = _strata(sizes, accuracies)
    return size / size.sum(), squared_spread(share, size), _labels(labels)


def _strata(sizes: ArrayLike, accuracies: ArrayLike) -> tuple[FloatArray, FloatArray]:
    size = _sizes(sizes)
    share = _per_stratum(accuracies, "accuracies", len(size))
    bad = np.flatnonzero(~((share >= 0) & (share <= 1)))
    if bad.size:
        raise ValueError(
            f"accuracies must lie between 0 and 1, got {share[bad[0]]!r} in stratum {bad[0]}"
        )
    return size, share


def _counted(
    sizes: ArrayLike, labelled: ArrayLike, right: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    size = _sizes(sizes)
    n = _per_stratum(labelled, "labelled", len(size))
    s = _per_stratum(right, "right", len(size))
    for name, values, most in (("labelled", n, size), ("right", s, n)):
        bad = np.flatnonzero(~((values >= 0) & (values <= most)))
        if bad.size:
            raise ValueError(
                f"{name} must lie between 0 and {most[bad[0]]:g} in stratum {bad[0]}, got "
                f"{values[bad[0]]:g}"
            )
    return size, n, s


def _sizes(sizes: ArrayLike) -> FloatArray:
    size = np.atleast_1d(np.asarray(sizes, dtype=float))
    bad = np.flatnonzero(~(size >= 1))
    if size.ndim != 1 or len(size) == 0 or bad.size:
        got = size[bad[0]] if bad.size else size.tolist()
        raise ValueError(f"sizes must hold numbers of items of at least 1, got {got!r}")
    return size


def _per_stratum(values: ArrayLike, name: str, n_strata: int) -> FloatArray:
    numbers = np.atleast_1d(np.asarray(values, dtype=float))
    if numbers.shape != (n_strata,):
        raise ValueError(f"{name} must hold {n_strata} numbers, one a stratum, got {numbers.size}")
    return numbers


def _labels(labels: float) -> float:
    if not labels > 0:
        raise ValueError(f"labels must be above 0, got {labels!r}")
    return float(labels)
