"""Strata of ranks that grow down the list, and how labels are shared over them.

Source: Sabharwal and Sedghi (2017), algorithm 1, for ranks in constant ratio.
"""

import math
from fractions import Fraction

import numpy as np

from labelcore.stats.allocation import largest_remainder
from labelcore.stats.arrays import FloatArray, IntArray

LEAST_LABELS = 8
PIECES = 16, 64
"""The labels of a piece, and the most pieces."""
CENSUS_SHARE = 0.75
LEAST_LAST_PIECE = Fraction(1, 10)


def rank_edges(n_items: int, first_edge: int = 50, growth: float = 1.25) -> IntArray:
    """Last ranks of the strata, (n_strata,), increasing, the last one ``n_items``.

    The edges are first_edge growth^j rounded up; a last piece under a tenth of the items joins its
    neighbour. ``growth`` counts as the decimal number it prints as, at least 1.01.

    >>> rank_edges(200).tolist(), rank_edges(52, 50, 1.01).tolist(), rank_edges(30).tolist()
    ([50, 63, 79, 98, 123, 153, 200], [52], [30])
    """
    ratio, edge = Fraction(str(growth)), Fraction(first_edge)
    edges = [0]
    while edge < n_items:
        if math.ceil(edge) > edges[-1]:
            edges.append(math.ceil(edge))
        edge *= ratio
    while n_items - edges[-1] < LEAST_LAST_PIECE * n_items:
        edges.pop()
    return np.array([*edges[1:], n_items], dtype=np.int64)


def smallest_budget(edges: IntArray) -> int:
    """All items of the first stratum and eight of each other one, or all it has.

    >>> smallest_budget(np.array([50, 63, 69]))
    64
    """
    return int(_floors(_sizes(edges)).sum())


def edge_weights(edges: IntArray, counted: FloatArray | float = 1.0) -> FloatArray:
    """N_k sqrt(c_k), c_k = sum_{j>=k} w_j g_j^-2, (n_strata,): Neyman's (1934) shares for the sum
    over k of w_k times the variance of p(g_k), at equal rates.

    counted   w, (n_strata,); how much the precision at each edge counts
    """
    each = counted * edges.astype(float) ** -2.0
    return np.asarray(_sizes(edges) * np.sqrt(np.cumsum(each[::-1])[::-1]), dtype=np.float64)


def rank_allocation(edges: IntArray, labels: int, weights: FloatArray | None = None) -> IntArray:
    """How many items of each stratum are labelled, (n_strata,), together min(labels, N).

    The first stratum is labelled in full, and from the head down each further one whose share
    reaches three quarters of it, as long as the floors of the others can still be paid. The rest
    is shared in proportion to the weights, with a floor of eight labels. These are fixed before the
    first label: no variance is learned.

    edges     (n_strata,), last ranks
    weights   (n_strata,); None: ``edge_weights``, for a curve
    Raises    ValueError below ``smallest_budget``.
    """
    sizes = _sizes(edges)
    floors = _floors(sizes)
    least = int(floors.sum())
    total = min(labels, int(edges[-1]))
    if total < least:
        raise ValueError(
            f"labels must be at least {least:,}: the first {int(edges[0]):,} items and "
            f"{LEAST_LABELS} of each of the {len(edges) - 1} strata after them; got {labels:,}"
        )
    weights = edge_weights(edges) if weights is None else weights
    planned = _shared(weights, total, floors, sizes)
    for k in range(1, len(sizes)):
        raised = np.append(sizes[: k + 1], floors[k + 1 :])
        if planned[k] < CENSUS_SHARE * sizes[k] or raised.sum() > total:
            break
        floors = raised
        planned = _shared(weights, total, floors, sizes)
    return planned


def _sizes(edges: IntArray) -> IntArray:
    return np.diff(edges, prepend=0)


def _floors(sizes: IntArray) -> IntArray:
    return np.append(sizes[:1], np.minimum(sizes[1:], LEAST_LABELS))


def _shared(weights: FloatArray, total: int, floors: IntArray, sizes: IntArray) -> IntArray:
    """max(floor, what is proportional to the weight), in whole numbers that add up to ``total``."""
    planned = floors.copy()
    free = floors < sizes
    while free.any():
        left = total - int(planned[~free].sum())
        planned[free] = largest_remainder(weights[free], left, sizes[free])
        short = free & (planned < floors)
        if not short.any():
            break
        planned[short] = floors[short]
        free &= ~short
    return planned


def interleaved(planned: IntArray, uniforms: FloatArray, taken: IntArray | None = None) -> IntArray:
    """The stratum of each successive draw, so that every prefix is close to proportional.

    The j-th draw of stratum k stands at the time (j - U_kj) / n_k. At time t stratum k has had
    floor(t n_k) or one more, so within one of t n_k. Hence, with K strata in use, it has within
    1 + (K - 2) n_k / n of s n_k / n among the first s draws: the deviation is
    d_k (1 - n_k / n) - (n_k / n) times the sum of the other d_j, where all |d_j| <= 1.

    planned    (n_strata,), draws of each stratum (n_k)
    uniforms   (sum of taken,), numbers in (0, 1), those of the first stratum first
    taken      (n_strata,), so many draws of each stratum, its first ones; None: all of them
    Returns    (sum of taken,), indices of strata

    >>> interleaved(np.array([1, 3]), np.full(4, 0.5)).tolist()
    [1, 0, 1, 1]
    """
    number_of = planned if taken is None else taken
    stratum = np.repeat(np.arange(len(planned)), number_of)
    starts = np.cumsum(number_of) - number_of
    number = np.arange(len(stratum)) - starts[stratum] + 1
    times = (number - uniforms) / planned[stratum]
    return np.asarray(stratum[np.argsort(times, kind="stable")], dtype=np.int64)


def piece_edges(edges: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Strata cut for the analysis into equal pieces of about sixteen labels each, or of more where
    that would be over 64 pieces: between the edges of shorter pieces fewer items are left to
    guess, but the work of a look grows with the square of their number.

    edges, counts   (n_strata,), last ranks, and labels of each stratum
    Returns         last ranks of the pieces and their stratum, (n_pieces,) each; a stratum with
                    fewer labels, or labelled completely, stays whole

    >>> piece_edges(np.array([50, 150]), np.array([50, 32]))[0].tolist()
    [50, 100, 150]
    """
    sizes = _sizes(edges)
    labels = max(PIECES[0], -(-int(counts[counts < sizes].sum()) // PIECES[1]))
    pieces = np.where(counts < sizes, np.maximum(counts // labels, 1), 1)
    stratum = np.repeat(np.arange(len(edges)), pieces)
    number = np.arange(len(stratum)) - (np.cumsum(pieces) - pieces)[stratum] + 1
    start = edges[stratum] - sizes[stratum]
    return start + sizes[stratum] * number // pieces[stratum], stratum


def analysis_edges(edges: IntArray, ranks: IntArray) -> IntArray:
    """The pieces of ``piece_edges`` at the labels there are, those with fewer than eight joined
    with their neighbours in the stratum, (n_pieces,).

    Where the pieces end depends on how many labels fell where, never on what they say: given these
    numbers the labels of each piece are a simple random sample of it.

    ranks   (n_labels,), ranks of the labelled items
    """
    limits = np.append(0, edges)
    counts = np.diff(np.searchsorted(np.sort(ranks), limits, side="right"))
    return joined_pieces(*piece_edges(edges, counts), ranks)


def joined_pieces(pieces: IntArray, stratum: IntArray, ranks: IntArray) -> IntArray:
    """Pieces with fewer than eight labels joined with their neighbours in the stratum, (n_left,).

    pieces, stratum   as ``piece_edges`` gives them
    ranks             (n_labels,), ranks of the labelled items
    """
    limits = np.append(0, pieces)
    labels = np.searchsorted(np.sort(ranks), limits, side="right").tolist()
    ends, starts = pieces.tolist(), np.append(True, np.diff(stratum) > 0).tolist()
    kept: list[int] = []
    before = 0
    for number, end in enumerate(ends):
        if starts[number]:
            inside, before = [], labels[number]
        if labels[number + 1] - before >= LEAST_LABELS:
            inside.append(end)
            before = labels[number + 1]
        if number + 1 == len(ends) or starts[number + 1]:
            kept += [*inside[:-1], end]
    return np.array(kept, dtype=np.int64)
