"""Seven ways of cutting a file into strata along one number per item.

The number z says how sure the classifier is of its prediction: the probability of the predicted
class, or the distance from the threshold. Strata are numbered from 0 by rising z. Each function
takes z (n_items,), the number of strata wanted, and what gives the keys for ties; it gives the
stratum of each item, (n_items,). Strata without items are dropped, so that fewer may come out.

Source: Kumar and Raj (2018), section 3.5; Dalenius and Hodges (1959) for SQRT; Singh (1971) for
CBRT; Hansen, Hurwitz and Madow (1953) for WTMN.
Departures: the density comes from bins that hold equally many items instead of a Gaussian kernel
estimate; k-means is exact on a histogram of 256 bins; items of one value of z stay together
everywhere but in EQSZ, which splits them by their tie keys.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.histogram import FINE_BINS, check_finite, histogram
from labelcore.stats.orders import KeysOf, ranking
from labelcore.stats.strata import equal_size_edges

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DENSITY_BINS = 256
CLUSTER_BINS = 256
MOST_STRATA = 50
SMALLEST_VARIANCE = 1e-4
"""Of a component at the start, as a share of the variance of z."""
CHUNK = 200_000


def stratify(name: str, z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """The stratum of each item by the stratification ``name``, (n_items,), without empty strata.

    Raises ValueError for an unknown name, for fewer than one or more than 50 strata, and for values
    of z that are not finite.

    >>> keys = np.zeros((4, 2), dtype=np.uint64)
    >>> stratify("eqwd", np.array([0.5, 0.6, 0.9, 1.0]), 3, keys.__getitem__).tolist()
    [0, 0, 1, 1]
    """
    if name not in STRATIFICATIONS:
        known = ", ".join(STRATIFICATIONS)
        raise ValueError(f"stratification must be one of {known}, got {name!r}")
    if not 1 <= n_strata <= MOST_STRATA:
        raise ValueError(f"n_strata must lie between 1 and {MOST_STRATA}, got {n_strata!r}")
    values = np.asarray(z, dtype=float)
    check_finite(values, "z")
    found = STRATIFICATIONS[name](values, n_strata, keys_of)
    return np.asarray(np.unique(found, return_inverse=True)[1], dtype=np.int64)


def equal_root(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """SQRT: equal intervals of the cumulative square root of the density of z."""
    return _equal_power(z, n_strata, 1 / 2)


def equal_cube_root(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """CBRT: the same with the cube root."""
    return _equal_power(z, n_strata, 1 / 3)


def _equal_power(z: FloatArray, n_strata: int, power: float) -> IntArray:
    """Cuts at equal parts of the integral of density^power, straight within a bin."""
    bins = histogram(z).of_equal_counts(DENSITY_BINS)
    width = np.diff(bins.edges)
    share = bins.counts / bins.counts.sum()
    cumulative = np.append(0.0, np.cumsum(share**power * width ** (1 - power)))
    parts = cumulative[-1] * np.arange(1, n_strata) / n_strata
    return _cut(z, np.interp(parts, cumulative, bins.edges))


def weighted_mean(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """WTMN: equal sums of z, so that weight times mean of z is the same in every stratum. Where z
    falls below zero (a prediction against its score) sums are taken from the smallest z on."""
    bins = histogram(z)
    sums = bins.counts * (bins.means - min(float(bins.means[0]), 0.0))
    cumulative = np.cumsum(sums)
    if cumulative[-1] <= 0:
        return np.zeros(len(z), dtype=np.int64)
    parts = cumulative[-1] * np.arange(1, n_strata) / n_strata
    nearest = np.searchsorted(cumulative - sums / 2, parts, side="left")
    return _cut(z, bins.edges[nearest])


def k_means(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """KM: the cut into clusters with the least sum of squared distances from their means."""
    return _cut(z, _cluster_cuts(z, n_strata))


def _cluster_cuts(z: FloatArray, n_clusters: int) -> FloatArray:
    bins = histogram(z).of_equal_width(CLUSTER_BINS)
    return bins.edges[1:][best_clusters(bins.means, bins.counts, n_clusters)[:-1]]


def best_clusters(values: FloatArray, weights: FloatArray, n_clusters: int) -> IntArray:
    """The last position of each cluster of sorted values with the least weighted sum of squares,
    (n_clusters,) or as many as there are values; by dynamic programming, exact.

    >>> best_clusters(np.array([0.0, 0.1, 0.5, 0.9, 1.0]), np.ones(5), 3).tolist()
    [1, 2, 4]
    """
    n = len(values)
    clusters = min(n_clusters, n)
    scale = max(float(values[-1] - values[0]), 1e-300)
    x = (values - values[0]) / scale
    w, first, second = (
        np.append(0.0, np.cumsum(part)) for part in (weights, weights * x, weights * x * x)
    )
    start, end = np.arange(n)[:, None], np.arange(1, n + 1)[None, :]
    mass = w[end] - w[start]
    with np.errstate(invalid="ignore", divide="ignore"):
        cost = second[end] - second[start] - (first[end] - first[start]) ** 2 / mass
    cost = np.where(start < end, np.maximum(cost, 0.0), np.inf)
    best = cost[0]
    origin = []
    for _ in range(clusters - 1):
        through = np.append(np.inf, best[:-1])[:, None] + cost
        origin.append(through.argmin(axis=0))
        best = through.min(axis=0)
    ends = [n - 1]
    for starts in origin[::-1]:
        ends.append(int(starts[ends[-1]]) - 1)
    return np.array(ends[::-1], dtype=np.int64)


def gaussian_mixture(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """GMM: the component of a normal mixture with the largest posterior. A wide component can lie
    on both sides of a narrow one, so a stratum need not be an interval; strata are numbered by the
    means of their components. Fitted by EM from the clusters of KM, on 8,192 quantiles of z."""
    bins = histogram(z)
    level = (np.arange(FINE_BINS) + 0.5) / FINE_BINS * bins.counts.sum()
    sample = bins.means[np.searchsorted(np.cumsum(bins.counts), level)]
    centre, scale = float(sample.mean()), float(sample.std())
    if scale <= 0:
        return np.zeros(len(z), dtype=np.int64)
    weights, means, variances = _fitted((sample - centre) / scale, n_strata)
    order = np.argsort(means, kind="stable")
    found = np.empty(len(z), dtype=np.int64)
    for first in range(0, len(z), CHUNK):
        part = (z[first : first + CHUNK, None] - centre) / scale
        density = np.log(weights) - np.log(variances) / 2 - (part - means) ** 2 / (2 * variances)
        found[first : first + CHUNK] = density[:, order].argmax(axis=1)
    return found


def _fitted(x: FloatArray, n_components: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means and variances of the mixture, (n_components,) each."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    place = _cut(x, _cluster_cuts(x, n_components))
    size = np.bincount(place)
    means = np.bincount(place, x) / size
    spread = np.maximum(np.bincount(place, x * x) / size - means**2, SMALLEST_VARIANCE)
    mixture = GaussianMixture(
        len(size),
        covariance_type="diag",
        max_iter=200,
        weights_init=size / size.sum(),
        means_init=means[:, None],
        precisions_init=1 / spread[:, None],
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(x[:, None])
    return mixture.weights_, mixture.means_[:, 0], mixture.covariances_[:, 0]


def equal_size(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """EQSZ: as many items in each stratum, from the largest z down; ties by their keys."""
    order = ranking(z, keys_of)
    edges = equal_size_edges(len(z), n_strata, minimum=1)
    found = np.empty(len(z), dtype=np.int64)
    found[order] = len(edges) - 1 - np.searchsorted(edges, np.arange(len(z)), side="right")
    return found


def equal_width(z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """EQWD: equal parts of the range of z."""
    low, high = float(z.min()), float(z.max())
    return _cut(z, low + (high - low) * np.arange(1, n_strata) / n_strata)


def _cut(z: FloatArray, cuts: FloatArray) -> IntArray:
    """The number of cuts below each value."""
    return np.searchsorted(cuts, z, side="left").astype(np.int64)


Stratification = Callable[[FloatArray, int, KeysOf], IntArray]
STRATIFICATIONS: dict[str, Stratification] = {
    "sqrt": equal_root,
    "cbrt": equal_cube_root,
    "wtmn": weighted_mean,
    "km": k_means,
    "gmm": gaussian_mixture,
    "eqsz": equal_size,
    "eqwd": equal_width,
}
