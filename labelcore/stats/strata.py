"""Cutting a ranked list into strata."""

import numpy as np

from labelcore.stats.arrays import IntArray

MINIMUM_SIZE = 5


def equal_size_edges(n_items: int, n_strata: int, minimum: int = MINIMUM_SIZE) -> IntArray:
    """Ends (exclusive ranks) of at most ``n_strata`` equal-size pieces of at least ``minimum``.

    >>> [equal_size_edges(*case).tolist() for case in ((20, 3), (7, 6), (0, 3))]
    [[6, 13, 20], [7], []]
    """
    if n_items == 0:
        return np.zeros(0, dtype=np.int64)
    pieces = max(1, min(n_strata, n_items // minimum))
    return (np.arange(1, pieces + 1) * n_items) // pieces


def geometric_edges(n_items: int, n_strata: int, minimum: int = MINIMUM_SIZE) -> IntArray:
    """Ends of at most ``n_strata`` pieces: the first max(20, n_items / 2^(n_strata - 1)) items,
    then edges in constant ratio; a piece under ``minimum`` items joins its neighbour.

    >>> geometric_edges(1000, 4).tolist(), geometric_edges(12, 4).tolist()
    ([125, 250, 500, 1000], [12])
    """
    if n_items == 0:
        return np.zeros(0, dtype=np.int64)
    first = min(max(20.0, n_items / 2 ** (n_strata - 1)), n_items)
    steps = np.arange(n_strata) / max(n_strata - 1, 1)
    edges = np.rint(first * (n_items / first) ** steps).astype(np.int64)
    edges[-1] = n_items
    return _joined(edges, minimum)


def _joined(edges: IntArray, minimum: int) -> IntArray:
    kept: list[int] = []
    start = 0
    for edge in edges.tolist():
        if edge - start >= minimum:
            kept.append(edge)
            start = edge
    if not kept:
        return edges[-1:]
    kept[-1] = int(edges[-1])
    return np.array(kept, dtype=np.int64)
