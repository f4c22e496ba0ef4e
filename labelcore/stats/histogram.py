"""The distribution of a score in bins that follow its crowding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EXACT_UP_TO = 1_000_000
FINE_BINS = 8_192
SAMPLE = 200_000


@dataclass(frozen=True, eq=False, slots=True)
class Histogram:
    """Bins of the values, ascending.

    edges    (n_bins + 1,), increasing; a value on an edge belongs to the bin below it
    counts   (n_bins,), items
    means    (n_bins,), mean value of the items
    """

    edges: FloatArray
    counts: FloatArray
    means: FloatArray

    def grouped(self, group: IntArray) -> Histogram:
        """Neighbouring bins joined; ``group`` (n_bins,) rises from 0 by 0 or 1."""
        counts = np.bincount(group, self.counts).astype(float)
        means = np.bincount(group, self.counts * self.means) / counts
        last = np.flatnonzero(np.diff(group, append=group[-1] + 1))
        return Histogram(np.append(self.edges[0], self.edges[last + 1]), counts, means)

    def of_equal_counts(self, bins: int) -> Histogram:
        """At most ``bins`` bins of about as many items each; no bin is split."""
        if len(self.counts) <= bins:
            return self
        middle = np.cumsum(self.counts) - self.counts / 2
        return self.grouped(_ranked(np.floor(bins * middle / self.counts.sum())))

    def of_equal_width(self, bins: int) -> Histogram:
        """At most ``bins`` bins of the same width, empty ones left out; no bin is split."""
        if len(self.counts) <= bins:
            return self
        low, high = self.means[0], self.means[-1]
        place = np.floor(bins * (self.means - low) / (high - low))
        return self.grouped(_ranked(np.minimum(place, bins - 1)))


def histogram(values: FloatArray) -> Histogram:
    """A bin for every distinct value of up to a million items. Of more, bins between the quantiles
    of every so-manieth item, with exact counts and means over all items: bins of equal width would
    hold most items in one where scores crowd.

    values   (n_items,), finite
    Raises   ValueError for no value and for one that is not finite.
    """
    check_finite(values, "values")
    if len(values) <= EXACT_UP_TO:
        means, items = np.unique(values, return_counts=True)
        return Histogram(_midpoints(means), items.astype(float), means.astype(float))
    sample = np.sort(values[:: max(1, len(values) // SAMPLE)])
    inner = np.unique(sample[np.arange(1, FINE_BINS) * len(sample) // FINE_BINS])
    place = np.searchsorted(inner, values, side="left")
    counts = np.bincount(place, minlength=len(inner) + 1).astype(float)
    sums = np.bincount(place, values, minlength=len(inner) + 1)
    edges = np.concatenate([[values.min()], inner, [max(values.max(), inner[-1])]])
    full = counts > 0
    keep = np.append(True, full)
    return Histogram(edges[keep], counts[full], sums[full] / counts[full])


def check_finite(values: FloatArray, name: str) -> None:
    """Raise ValueError unless ``values`` is a row of at least one number, all finite."""
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold at least one number, got shape {values.shape}")
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name} must be finite, got {values[bad]} at position {bad}")


def _midpoints(values: FloatArray) -> FloatArray:
    """Edges halfway between neighbouring values, the outer ones as far out as the next are in."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    inner = values[:-1] / 2 + values[1:] / 2
    first, last = 2 * values[0] - inner[0], 2 * values[-1] - inner[-1]
    return np.concatenate([[first], inner, [last]])


def _ranked(place: FloatArray) -> IntArray:
    """Rising numbers without gaps for numbers that never fall."""
    steps = np.diff(place, prepend=place[0]) > 0
    return np.cumsum(steps).astype(np.int64)
