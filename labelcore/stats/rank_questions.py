"""Where along a ranked list labels are worth most, by what is asked of it.

The error of a number of the list is a sum over strata of a weight squared over the labels there:
a stratum of N_k items whose rate is p_k has the weight N_k |g_k| sqrt(p_k (1 - p_k)), g_k by how
much one hit more in it moves the number. Several questions share the labels in proportion to the
root of the sum of their squared shares, which is the allocation of least variance for their
weighted sum. The rates are what the scores suggest, so half of what follows them is spread in
proportion to the items instead.

Source: Neyman (1934); Cochran (1977), section 5A.4, for several numbers at once.
"""

from collections.abc import Sequence

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.rank_strata import edge_weights, rank_edges, smallest_budget
from labelcore.stats.ranked_summaries import AREA_UNDER_ROC, AVERAGE_PRECISION

CURVE, CUT, YIELD = "precision_curve", "cut", "yield"
AREA, AVERAGE = "area_under_roc", "average_precision"
QUESTIONS = (CURVE, CUT, AVERAGE, AREA, YIELD)
NUMBERS = (AVERAGE, AREA, YIELD)
"""One number of the whole list each."""
SUMMARIES = {AVERAGE: AVERAGE_PRECISION, AREA: AREA_UNDER_ROC}
EVEN_SHARE = 0.5
"""The share in proportion to the items."""
BESIDE_NUMBERS, FOR_AVERAGE = 1.75, 0.5
"""How much a curve counts against numbers beside it, and for average precision alone."""
HEAD_OF_NUMBERS = 10
"""Items at the head that are all labelled where no curve is asked for."""
FLOORS, FLOORS_OF_NUMBERS = 0.45, 0.2
"""The share of the labels that the least of all strata together may take, with a curve or not."""
MOST_GROWTH, COARSER = 50.0, 1.15
NEAR_CUT = 0.1
"""By how much the expected precision may be off where a cut is looked for."""


def asks_for_ranks(questions: Sequence[str]) -> bool:
    """Whether something is asked that is read off the curve."""
    return CURVE in questions or CUT in questions


def edges_for(
    questions: Sequence[str], n_items: int, labels: int, first_edge: int, growth: float
) -> IntArray:
    """Last ranks of the strata, (n_strata,): those of ``rank_edges``; where numbers are asked for
    so much coarser that the least labels of each leave enough to be shared by what is asked.

    >>> len(edges_for(["precision_curve"], 9000, 300, 50, 1.25))
    24
    >>> len(edges_for(["area_under_roc"], 9000, 300, 50, 1.25))
    7
    """
    if not {*questions} & {*NUMBERS}:
        return rank_edges(n_items, first_edge, growth)
    curve = asks_for_ranks(questions) or AVERAGE in questions
    first = first_edge if curve else min(first_edge, HEAD_OF_NUMBERS)
    most = (FLOORS if curve else FLOORS_OF_NUMBERS) * labels
    edges = rank_edges(n_items, first, growth)
    while smallest_budget(edges) > most and growth < MOST_GROWTH:
        growth = round(growth * COARSER, 2)
        edges = rank_edges(n_items, first, growth)
    return edges


def question_weights(
    questions: Sequence[str], edges: IntArray, rates: FloatArray, precision: float
) -> FloatArray:
    """In proportion to which labels are worth most in each stratum, (n_strata,).

    rates       (n_strata,), shares of hits that are expected
    precision   what a cut has to keep
    """
    curve = edge_weights(edges)
    along = _share(curve)
    if CUT in questions:
        along = np.hypot(along, _share(cut_weights(edges, rates, precision)))
    asked = [name for name in NUMBERS if name in questions]
    if not asked:
        return curve if CUT not in questions else along
    sizes = np.diff(edges, prepend=0).astype(float)
    by_number = [_share(_number_weights(name, edges, rates)) for name in asked]
    weights = np.sqrt(np.mean(np.square(by_number), axis=0))
    weights = (1 - EVEN_SHARE) * _share(weights) + EVEN_SHARE * _share(sizes)
    if asks_for_ranks(questions):
        return np.hypot(weights, BESIDE_NUMBERS * along)
    return np.hypot(weights, FOR_AVERAGE * along) if AVERAGE in asked else weights


def cut_weights(edges: IntArray, rates: FloatArray, precision: float) -> FloatArray:
    """``edge_weights`` of the edges alone at which the expected precision is near what is required,
    (n_strata,)."""
    expected = np.cumsum(np.diff(edges, prepend=0) * rates) / edges
    near = np.exp(-(((expected - precision) / NEAR_CUT) ** 2) / 2)
    return edge_weights(edges, near)


def _number_weights(name: str, edges: IntArray, rates: FloatArray) -> FloatArray:
    sizes = np.diff(edges, prepend=0).astype(float)
    slope = np.ones(len(edges))
    if name in SUMMARIES:
        middle = edges - (sizes - 1) / 2
        slope = SUMMARIES[name].gradient(sizes * rates, middle, int(edges[-1]))
    return np.asarray(np.nan_to_num(sizes * np.abs(slope) * np.sqrt(rates * (1 - rates))))


def _share(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
