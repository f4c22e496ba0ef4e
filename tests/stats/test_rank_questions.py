"""Labels along a ranked list shared by what is asked of it."""

import numpy as np
import pytest

from labelcore.stats.rank_questions import (
    AREA,
    AVERAGE,
    CURVE,
    CUT,
    QUESTIONS,
    YIELD,
    cut_weights,
    edges_for,
    question_weights,
)
from labelcore.stats.rank_strata import edge_weights, rank_allocation, rank_edges, smallest_budget
from labelcore.stats.ranked_summaries import AREA_UNDER_ROC, RankedSample, estimate
from tests.cases import repeated

ITEMS, LABELS, RUNS = 4_000, 300, repeated(150)
DEPTH = (np.arange(ITEMS) + 0.5) / ITEMS
RATE = 0.9 * np.exp(-6 * DEPTH) + 0.02
"""Of each rank."""


def rates_of(edges: np.ndarray) -> np.ndarray:
    sums = np.append(0.0, np.cumsum(RATE))
    return np.diff(sums[np.append(0, edges)]) / np.diff(edges, prepend=0)


def shared(questions: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Edges and labels of each stratum."""
    edges = edges_for(questions, ITEMS, LABELS, 50, 1.25)
    weights = question_weights(questions, edges, rates_of(edges), 0.5)
    return edges, rank_allocation(edges, LABELS, weights)


def test_a_curve_alone_is_shared_as_it_always_was() -> None:
    edges, counts = shared((CURVE,))
    assert edges.tolist() == rank_edges(ITEMS).tolist()
    assert counts.tolist() == rank_allocation(edges, LABELS).tolist()


@pytest.mark.whole
@pytest.mark.parametrize("questions", [(name,) for name in QUESTIONS] + [(CURVE, AREA, AVERAGE)])
@pytest.mark.parametrize("labels", [20, 90, 300, 3_000])
def test_labels_add_up_and_every_stratum_has_some(questions: tuple[str, ...], labels: int) -> None:
    edges = edges_for(questions, ITEMS, labels, 50, 1.25)
    labels = max(labels, smallest_budget(edges))
    counts = rank_allocation(
        edges, labels, question_weights(questions, edges, rates_of(edges), 0.8)
    )
    sizes = np.diff(edges, prepend=0)
    assert edges[-1] == ITEMS and (np.diff(edges) > 0).all()
    assert counts.sum() == labels and (counts >= np.minimum(sizes, 8)).all()


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_rates_that_say_nothing_are_no_trouble(rate: float) -> None:
    edges = edges_for((AREA,), ITEMS, LABELS, 50, 1.25)
    weights = question_weights((AREA, YIELD), edges, np.full(len(edges), rate), 0.8)
    assert np.isfinite(weights).all() and (weights > 0).all()


def test_a_cut_looks_where_the_precision_passes_it() -> None:
    edges = rank_edges(ITEMS)
    rates = rates_of(edges)
    share = cut_weights(edges, rates, 0.5) / edge_weights(edges)
    deepest = edges[np.cumsum(np.diff(edges, prepend=0) * rates) / edges >= 0.5][-1]
    near = np.searchsorted(edges, deepest)
    assert share[near] > 2 * share[-1] and share[near] > 2 * share[0]
    assert question_weights((CURVE, CUT), edges, rates, 0.5)[near] > 0


def spread(questions: tuple[str, ...]) -> float:
    """The standard deviation of the area under the ROC curve over 150 samples of one list."""
    along = (np.random.default_rng(4).random(ITEMS) < RATE).astype(float)
    edges, counts = shared(questions)
    edges, counts = (edges, counts) if questions else (np.array([ITEMS]), np.array([LABELS]))
    found = []
    for run in range(RUNS):
        random = np.random.default_rng((5, run))
        starts = edges - np.diff(edges, prepend=0)
        rank = np.concatenate([
            start + 1 + random.permutation(end - start)[:number]
            for start, end, number in zip(starts, edges, counts, strict=True)
        ])  # fmt: skip
        sample = RankedSample.of_stretches(edges, rank, along[rank - 1], rank_edges(ITEMS))
        found.append(estimate(sample, AREA_UNDER_ROC))
    return float(np.std(found))


def test_an_area_is_no_wider_than_a_plain_sample_gives_it() -> None:
    """Each of the two standard deviations is known to 1/sqrt(2 runs); the limit of their ratio is 1
    and three times that of both. The twin shares the labels as for a curve."""
    noise = 3 * np.sqrt(2 / (2 * RUNS))
    plain = spread(())
    assert spread((AREA,)) / plain < 1 + noise
    assert spread((CURVE,)) / plain > 1 + noise
    assert spread((CURVE, AREA)) / plain < spread((CURVE,)) / plain
