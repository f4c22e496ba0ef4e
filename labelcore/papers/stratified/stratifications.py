"""Seven ways of cutting a file into strata along one number per item.

The number z says how sure the classifier is of its prediction: the probability of the predicted
class, or the distance from the threshold. Strata are numbered from 0 by rising z. All but EQSZ cut
z by its histogram alone, so that items need not be in memory (``pieces``); ``stratify`` gives the
stratum of each item of an array. Strata without items are dropped, so that fewer may come out.

Source: Kumar and Raj (2018), section 3.5; Dalenius and Hodges (1959) for SQRT; Singh (1971) for
CBRT; Hansen, Hurwitz and Madow (1953) for WTMN.
Departures: the density comes from bins that hold equally many items instead of a Gaussian kernel
estimate; k-means is exact on a histogram of 256 bins; items of one value of z stay together
everywhere but in EQSZ, which splits them by their tie keys.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.histogram import FINE_BINS, Histogram, histogram
from labelcore.stats.orders import KeysOf, ranking
from labelcore.stats.strata import equal_size_edges

DENSITY_BINS = 256
CLUSTER_BINS = 256
MOST_STRATA = 50
SMALLEST_VARIANCE = 1e-4
"""Of a component at the start, as a share of the variance of z."""
CHUNK = 200_000


def stratify(name: str, z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """The stratum of each item by the stratification ``name``, (n_items,), without empty strata.

    >>> keys = np.zeros((4, 2), dtype=np.uint64)
    >>> stratify("eqwd", np.array([0.5, 0.6, 0.9, 1.0]), 3, keys.__getitem__).tolist()
    [0, 0, 1, 1]
    """
    stratum = _stratified(name, z, n_strata, keys_of)
    return np.asarray(np.unique(stratum, return_inverse=True)[1], dtype=np.int64)


def _stratified(name: str, z: FloatArray, n_strata: int, keys_of: KeysOf) -> IntArray:
    """The stratum of each item, (n_items,); some strata may be empty."""
    if name == EQUAL_SIZE:
        return equal_size(z, n_strata, keys_of)
    bins = histogram(z)
    if name != MIXTURE:
        return _cut(z, CUTS[name](bins, n_strata))
    mixture = fitted_mixture(bins, n_strata)
    chunks = (z[first : first + CHUNK] for first in range(0, len(z), CHUNK))
    return np.concatenate([mixture.component(part) for part in chunks])


def pieces(name: str, bins: Histogram, n_strata: int) -> tuple[FloatArray, IntArray]:
    """Where any stratification but EQSZ cuts z: the cuts, (n_cuts,), rising, and the stratum of
    each piece between them, (n_cuts + 1,); a value on a cut belongs to the piece below it.

    With GMM a bin goes as a whole to the component of its mean, and a stratum may be several
    pieces; with the others the strata are the pieces. Some pieces and strata may hold no item.

    >>> from labelcore.stats.histogram import histogram
    >>> bins = histogram(np.array([0.5, 0.6, 0.9, 1.0]))
    >>> [found.round(2).tolist() for found in pieces("eqwd", bins, 2)]
    [[0.75], [0, 1]]
    """
    if name != MIXTURE:
        cuts = CUTS[name](bins, n_strata)
        return cuts, np.arange(len(cuts) + 1)
    component = fitted_mixture(bins, n_strata).component(bins.means)
    ends = np.flatnonzero(np.diff(component))
    return bins.edges[1:][ends], component[np.append(ends, len(component) - 1)]


def equal_power(fine: Histogram, n_strata: int, power: float) -> FloatArray:
    """SQRT, CBRT: cuts at equal parts of the integral of density^power, straight within a bin."""
    bins = fine.of_equal_counts(DENSITY_BINS)
    width = np.diff(bins.edges)
    share = bins.counts / bins.counts.sum()
    cumulative = np.append(0.0, np.cumsum(share**power * width ** (1 - power)))
    parts = cumulative[-1] * np.arange(1, n_strata) / n_strata
    return np.asarray(np.interp(parts, cumulative, bins.edges))


def weighted_mean(bins: Histogram, n_strata: int) -> FloatArray:
    """WTMN: equal sums of z, so that weight times mean of z is the same in every stratum. Where z
    falls below zero (a prediction against its score) sums are taken from the smallest z on."""
    sums = bins.counts * (bins.means - min(float(bins.means[0]), 0.0))
    cumulative = np.cumsum(sums)
    if cumulative[-1] <= 0:
        return np.zeros(0)
    parts = cumulative[-1] * np.arange(1, n_strata) / n_strata
    nearest = np.searchsorted(cumulative - sums / 2, parts, side="left")
    return np.asarray(bins.edges[nearest])


def k_means(bins: Histogram, n_strata: int) -> FloatArray:
    """KM: the cut into clusters with the least sum of squared distances from their means."""
    wide = bins.of_equal_width(CLUSTER_BINS)
    return wide.edges[1:][best_clusters(wide.means, wide.counts, n_strata)[:-1]]


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


@dataclass(frozen=True, eq=False, slots=True)
class Mixture:
    """Normal components of (z - centre) / scale, by rising mean, (n_components,) each."""

    centre: float
    scale: float
    weights: FloatArray
    means: FloatArray
    variances: FloatArray

    def component(self, z: FloatArray) -> IntArray:
        """The component with the largest posterior, (n,)."""
        part = (z[:, None] - self.centre) / self.scale
        density = (
            np.log(self.weights)
            - np.log(self.variances) / 2
            - (part - self.means) ** 2 / (2 * self.variances)
        )
        return np.asarray(density.argmax(axis=1), dtype=np.int64)


def fitted_mixture(bins: Histogram, n_strata: int) -> Mixture:
    """GMM: a normal mixture, of which each item belongs to the component with the largest
    posterior. A wide component can lie on both sides of a narrow one, so a stratum need not be an
    interval; strata are numbered by the means of their components. Fitted by EM from the clusters
    of KM, on 8,192 quantiles of z."""
    level = (np.arange(FINE_BINS) + 0.5) / FINE_BINS * bins.counts.sum()
    sample = bins.means[np.searchsorted(np.cumsum(bins.counts), level)]
    centre, scale = float(sample.mean()), float(sample.std())
    if scale <= 0:
        return Mixture(centre, 1.0, *np.ones((3, 1)))
    weights, means, variances = _fitted((sample - centre) / scale, n_strata)
    order = np.argsort(means, kind="stable")
    return Mixture(centre, scale, weights[order], means[order], variances[order])


def _fitted(x: FloatArray, n_components: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means and variances of the mixture, (n_components,) each."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    place = _cut(x, k_means(histogram(x), n_components))
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
    """EQSZ: as many items in each stratum, from the largest z down; ties by their keys,
    (n_items,)."""
    order = ranking(z, keys_of)
    edges = equal_size_edges(len(z), n_strata, minimum=1)
    stratum = np.empty(len(z), dtype=np.int64)
    stratum[order] = len(edges) - 1 - np.searchsorted(edges, np.arange(len(z)), side="right")
    return stratum


def equal_width(bins: Histogram, n_strata: int) -> FloatArray:
    """EQWD: equal parts of the range of z."""
    return bins.low + (bins.high - bins.low) * np.arange(1, n_strata) / n_strata


def _cut(z: FloatArray, cuts: FloatArray) -> IntArray:
    """The number of cuts below each value."""
    return np.searchsorted(cuts, z, side="left").astype(np.int64)


EQUAL_SIZE, MIXTURE = "eqsz", "gmm"
CUTS: dict[str, Callable[[Histogram, int], FloatArray]] = {
    "sqrt": partial(equal_power, power=1 / 2),
    "cbrt": partial(equal_power, power=1 / 3),
    "wtmn": weighted_mean,
    "km": k_means,
    "eqwd": equal_width,
}
STRATIFICATIONS = ("sqrt", "cbrt", "wtmn", "km", MIXTURE, EQUAL_SIZE, "eqwd")
