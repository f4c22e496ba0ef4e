"""The band over parts of strata: what it is made of, and coverage over all ranks at once."""

import numpy as np
import pytest
from scipy.special import ndtri

from labelcore.stats.rank_band import (
    Parts,
    RankLabels,
    anchor_ranks,
    reach_of,
    strata_band,
    strata_estimate,
    yield_band,
)
from tests.cases import repeated

N_ITEMS, RUNS = 600, repeated(100)


def overlapping(n_items: int = N_ITEMS) -> np.ndarray:
    """Pieces of ranks, each shared by two strata at random."""
    piece = np.searchsorted([60, 150, 320], np.arange(n_items), side="right")
    return 2 * piece + np.random.default_rng(3).integers(0, 2, n_items)


def draw(stratum_at: np.ndarray, each: int, truth: np.ndarray, seed: int) -> RankLabels:
    """``each`` items of every stratum at random."""
    rng = np.random.default_rng(seed)
    strata = [np.flatnonzero(stratum_at == k) for k in range(stratum_at.max() + 1)]
    rank = np.concatenate([1 + rng.permutation(items)[:each] for items in strata])
    return RankLabels(rank, truth[rank - 1])


def falling(n_items: int = N_ITEMS) -> np.ndarray:
    depth = np.arange(n_items) / n_items
    return (np.random.default_rng(4).random(n_items) < 0.9 - 0.8 * depth).astype(float)


def test_strata_that_follow_the_ranks_have_the_band_of_ranked_lists() -> None:
    """At the edges of strata, with the same number of standard deviations. Before the last edge it
    is a little wider, because the directed quarter goes to the strata up to the edge alone."""
    edges, truth = np.array([60, 150, 320, 600]), falling()
    stratum_at = np.searchsorted(edges, np.arange(1, N_ITEMS + 1))
    labels = draw(stratum_at, 20, truth, 0)
    band = strata_band(stratum_at, edges, labels, 0.95, 0, 2.5)
    ranks, ends = np.arange(1, N_ITEMS + 1), (band.low_at_edges, band.high_at_edges)
    assert np.array_equal(band.at(ranks), band.known.between(ranks, *ends)), "nothing is assumed"
    mine = np.array(band.at(edges))
    whole = np.array(yield_band(edges, labels, 0.95, 0, 2.5, whole_items=True).at(edges))
    np.testing.assert_allclose(mine[:, -1], whole[:, -1], rtol=0, atol=1e-6)
    wider = np.array([whole[0] - mine[0], mine[1] - whole[1]])[:, :-1]
    assert (wider >= 0).all() and (wider > 0).any() and (wider < 0.25).all()


def test_a_census_is_the_truth() -> None:
    stratum_at, truth = overlapping(), falling()
    stratum_at[:7] = -1
    labels = RankLabels(np.arange(N_ITEMS, 0, -1), truth[::-1])
    band = strata_band(stratum_at, anchor_ranks(stratum_at), labels, 0.95, 0)
    ranks, hits = np.arange(1, N_ITEMS + 1), np.cumsum(truth)
    np.testing.assert_allclose(band.at(ranks), [hits, hits], rtol=0, atol=1e-9)
    found = strata_estimate(stratum_at, labels, np.zeros(8), ranks)
    np.testing.assert_allclose(found, hits, rtol=0, atol=1e-9)


def test_parts_are_those_above_each_anchor() -> None:
    """Items that were known from the start are a stratum of their own, without variance."""
    stratum_at = np.array([0, 1, -1, 0, 1, 1])
    labels = RankLabels(np.array([5, 3, 1]), np.array([1.0, 1, 0]))
    parts = Parts.of(stratum_at, np.array([3, 6]), labels)
    assert parts.size.tolist() == [[1, 1, 1], [2, 3, 1]]
    assert parts.labelled.tolist() == [[1, 0, 1], [1, 1, 1]]
    assert parts.positive.tolist() == [[0, 0, 1], [0, 1, 1]]
    assert (parts.variances[:, 2] == 0).all() and parts.variances[0, 0] == 0


def test_a_stratum_without_a_label_may_be_anything() -> None:
    stratum_at = np.repeat([0, 1], 50)
    labels = RankLabels(np.arange(1, 51), np.ones(50))
    band = strata_band(stratum_at, anchor_ranks(stratum_at), labels, 0.95, 0)
    assert np.array(band.at(np.array([50, 100]))).tolist() == [[50, 50], [50, 100]]
    found = strata_estimate(stratum_at, labels, np.array([0.2, 0.2]), np.array([50, 100]))
    np.testing.assert_allclose(found, [50, 60])


@pytest.mark.full
@pytest.mark.slow
def test_the_band_holds_for_all_ranks_together() -> None:
    """Confidence 90 %, strata that overlap: at least that less three binomial standard errors
    (81 % of 100 runs). The interval of each rank by itself falls short."""
    stratum_at, truth = overlapping(), falling()
    anchors, hits = anchor_ranks(stratum_at), np.cumsum(truth)
    ranks, right = np.arange(1, N_ITEMS + 1), np.zeros(2)
    for run in range(RUNS):
        labels = draw(stratum_at, 15, truth, run)
        for place, critical in enumerate((None, float(ndtri(0.95)))):
            low, high = strata_band(stratum_at, anchors, labels, 0.9, 0, critical).at(ranks)
            right[place] += np.all((low <= hits + 1e-9) & (hits <= high + 1e-9))
    limit = 0.9 - 3 * np.sqrt(0.9 * 0.1 / RUNS)
    assert right[0] / RUNS >= limit > right[1] / RUNS


def test_more_anchors_take_more_standard_deviations() -> None:
    stratum_at, truth = overlapping(), falling()
    labels = draw(stratum_at, 15, truth, 0)
    one, all_of_them = (
        reach_of(Parts.of(stratum_at, anchors, labels), 0.95, 0)
        for anchors in (np.array([N_ITEMS]), anchor_ranks(stratum_at))
    )
    assert one == pytest.approx(1.96, abs=0.03) and 2.5 < all_of_them < 3.2
