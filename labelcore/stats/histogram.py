"""The distribution of a score in bins that follow its crowding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray

EXACT_UP_TO = 1_000_000
FINE_BINS = 8_192
SAMPLE = 200_000
UNIT = 2.0**40
"""A value is added up as round(value * UNIT), half to even."""
HALF, MOST_UNITS = 2.0**30, 2.0**62
"""Numbers of units up to ``MOST_UNITS`` are added up as two halves; larger ones one by one."""
ROWS = 1 << 18


@dataclass(frozen=True, eq=False, slots=True)
class Histogram:
    """Bins of the values, ascending.

    edges    (n_bins + 1,), increasing; a value on an edge belongs to the bin below it
    counts   (n_bins,), items
    means    (n_bins,), mean value of the items
    low      the smallest value; high: the largest one
    """

    edges: FloatArray
    counts: FloatArray
    means: FloatArray
    low: float
    high: float

    def grouped(self, group: IntArray) -> Histogram:
        """Neighbouring bins joined; ``group`` (n_bins,) rises from 0 by 0 or 1."""
        counts = np.bincount(group, self.counts).astype(float)
        means = np.bincount(group, self.counts * self.means) / counts
        last = np.flatnonzero(np.diff(group, append=group[-1] + 1))
        edges = np.append(self.edges[0], self.edges[last + 1])
        return Histogram(edges, counts, means, self.low, self.high)

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


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """Exact counts and sums over the cells of one grid: edges[i - 1] <= value < edges[i].

    counts   (n_cells,), items
    sums     n_cells whole numbers: the sum of round(value * UNIT)
    lowest   (n_cells,), the smallest value, inf in an empty cell; highest likewise, -inf
    """

    counts: IntArray
    sums: list[int]
    lowest: FloatArray
    highest: FloatArray


def binned(batches: Iterable[FloatArray], edges: FloatArray) -> Bins:
    """The values of all batches together, whatever their sizes and order.

    edges   (n_edges,), increasing

    >>> found = binned([np.array([0.5, 0.25]), np.array([1.0])], np.array([0.5]))
    >>> found.counts.tolist(), [one / UNIT for one in found.sums], found.lowest.tolist()
    ([1, 2], [0.25, 1.5], [0.25, 0.5])
    """
    cells = len(edges) + 1
    counts = np.zeros(cells, dtype=np.int64)
    halves = np.zeros((2, cells), dtype=np.int64)
    large = np.zeros(cells, dtype=object)
    lowest, highest = np.full(cells, np.inf), np.full(cells, -np.inf)
    starts = ((batch, first) for batch in batches for first in range(0, len(batch), ROWS))
    for values in (np.sort(batch[first : first + ROWS]) for batch, first in starts):
        bounds = np.concatenate([[0], np.searchsorted(values, edges, side="left"), [len(values)]])
        here = np.flatnonzero(np.diff(bounds))
        start, end = bounds[here], bounds[here + 1]
        counts[here] += end - start
        lowest[here] = np.minimum(lowest[here], values[start])
        highest[here] = np.maximum(highest[here], values[end - 1])
        units = np.rint(values * UNIT)
        if max(-units[0], units[-1]) > MOST_UNITS:
            large[here] += np.add.reduceat(np.array([int(unit) for unit in units], object), start)
        else:
            upper = np.floor(units / HALF)
            halves[0, here] += np.add.reduceat(upper.astype(np.int64), start)
            halves[1, here] += np.add.reduceat((units - upper * HALF).astype(np.int64), start)
    first, second = halves.tolist()
    sums = [
        upper * int(HALF) + lower + int(more)
        for upper, lower, more in zip(first, second, large, strict=True)
    ]
    return Bins(counts, sums, lowest + 0.0, highest + 0.0)


def crowded_edges(bins: Bins, crowded: IntArray) -> FloatArray:
    """Edges that cut some cells, each with more than one value: about 2 * ``FINE_BINS`` in all,
    shared over these cells by their items, evenly between the extremes of each, which get cells of
    their own."""
    share = bins.counts[crowded] / bins.counts[crowded].sum()
    edges = []
    for low, high, number in zip(
        bins.lowest[crowded].tolist(),
        bins.highest[crowded].tolist(),
        np.ceil(2 * FINE_BINS * share).astype(np.int64).tolist(),
        strict=True,
    ):
        inner = low + (high - low) * (np.arange(1, number) / number)
        edges += [inner[(inner > low) & (inner < high)], [np.nextafter(low, np.inf), high]]
    return np.unique(np.concatenate(edges))


def fine_bins(ask: Callable[[FloatArray], Bins]) -> tuple[FloatArray, Bins]:
    """Edges and their cells: as many as it takes until no cell with more than one value holds more
    than one in ``FINE_BINS`` of the items.

    ask   what the cells between some edges hold; is asked a few times
    """
    edges: FloatArray = np.zeros(0)
    bins = ask(edges)
    most = bins.counts.sum() / FINE_BINS
    while True:
        several = bins.lowest < bins.highest
        crowded = np.flatnonzero(several & (bins.counts > most))
        if not crowded.size:
            return edges, bins
        edges = np.union1d(edges, crowded_edges(bins, crowded))
        bins = ask(edges)


def histogram_of(bins: Bins) -> Histogram:
    """Bins with exact counts and sums as a histogram, empty ones left out; edges lie halfway
    between the values next to them."""
    full = np.flatnonzero(bins.counts)
    low, high, counts = bins.lowest[full], bins.highest[full], bins.counts[full]
    means = np.array([bins.sums[cell] / UNIT for cell in full.tolist()]) / counts
    means = np.clip(means, low, high)
    edges = _midpoints(low, high)
    edges[1:-1] = np.where(edges[1:-1] < low[1:], edges[1:-1], high[:-1])  # next to each other
    return Histogram(edges, counts.astype(float), means, float(low[0]), float(high[-1]))


def histogram(values: FloatArray) -> Histogram:
    """A bin for every distinct value of up to a million items. Of more, bins between the quantiles
    of every so-manieth item, with exact counts and means over all items: bins of equal width would
    hold most items in one where scores crowd. Large files are cut so only in plans from before
    there was ``fine_bins``.

    values   (n_items,), finite
    """
    if len(values) <= EXACT_UP_TO:
        means, items = np.unique(values, return_counts=True)
        edges = _midpoints(means, means)
        ends = float(means[0]), float(means[-1])
        return Histogram(edges, items.astype(float), means.astype(float), *ends)
    sample = np.sort(values[:: max(1, len(values) // SAMPLE)])
    inner = np.unique(sample[np.arange(1, FINE_BINS) * len(sample) // FINE_BINS])
    place = np.searchsorted(inner, values, side="left")
    counts = np.bincount(place, minlength=len(inner) + 1).astype(float)
    sums = np.bincount(place, values, minlength=len(inner) + 1)
    edges = np.concatenate([[values.min()], inner, [max(values.max(), inner[-1])]])
    full = counts > 0
    keep = np.append(True, full)
    ends = float(edges[0]), float(edges[-1])
    return Histogram(edges[keep], counts[full], sums[full] / counts[full], *ends)


def _midpoints(low: FloatArray, high: FloatArray) -> FloatArray:
    """Edges halfway between neighbouring bins, from their smallest and largest values; the outer
    ones as far out as the next are in."""
    if len(low) == 1:
        return np.array([low[0] - 0.5, high[0] + 0.5])
    inner = high[:-1] / 2 + low[1:] / 2
    first, last = low[0] + high[0] - inner[0], low[-1] + high[-1] - inner[-1]
    return np.concatenate([[first], inner, [last]])


def _ranked(place: FloatArray) -> IntArray:
    """Rising numbers without gaps for numbers that never fall."""
    steps = np.diff(place, prepend=place[0]) > 0
    return np.cumsum(steps).astype(np.int64)
