"""Strata of ranks, their shares, and the order in which they are asked."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.stats.rank_strata import (
    PIECES,
    analysis_edges,
    interleaved,
    piece_edges,
    rank_allocation,
    rank_edges,
    smallest_budget,
)
from tests.cases import searched


def sizes_of(edges: np.ndarray) -> np.ndarray:
    return np.diff(edges, prepend=0)


@given(st.integers(1, 10**8), st.integers(1, 300), st.sampled_from([1.05, 1.25, 1.5, 2.0, 3.7]))
def test_edges(n_items: int, first_edge: int, growth: float) -> None:
    edges = rank_edges(n_items, first_edge, growth)
    assert edges[-1] == n_items and np.all(sizes_of(edges) > 0)
    if n_items <= first_edge:
        assert len(edges) == 1
    if len(edges) > 1:
        assert edges[0] == first_edge
        assert 10 * sizes_of(edges)[-1] >= n_items
        powers = {math.ceil(first_edge * Fraction(str(growth)) ** j) for j in range(len(edges) * 3)}
        assert set(edges[:-1].tolist()) <= powers


def test_edges_by_hand() -> None:
    """50, 62.5, 78.125, 97.65...: rounded up; 19 of 98 are more than a tenth, 9 of 88 as well."""
    assert rank_edges(98).tolist() == [50, 63, 79, 98]
    assert rank_edges(88).tolist() == [50, 63, 79, 88]
    assert rank_edges(87).tolist() == [50, 63, 87]
    assert rank_edges(55).tolist() == [55]
    assert rank_edges(56).tolist() == [50, 56]


@searched(60)
@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([10, 50]))
def test_allocation(n_items: int, part: float, first_edge: int) -> None:
    edges = rank_edges(n_items, first_edge)
    sizes, least = sizes_of(edges), smallest_budget(edges)
    labels = least + int(part**3 * (n_items - least))
    planned = rank_allocation(edges, labels)
    assert planned.sum() == min(labels, n_items)
    assert planned[0] == sizes[0]
    assert np.all(planned >= np.minimum(8, sizes)) and np.all(planned <= sizes)
    # fully labelled from the head down, and the next one has less than three quarters, unless the
    # floors of those after it would have to pay for it
    full = int(np.argmin(np.append(planned == sizes, False)))
    if full < len(sizes) and planned[full] >= 0.75 * sizes[full]:
        assert sizes[: full + 1].sum() + np.minimum(8, sizes[full + 1 :]).sum() > labels


def test_allocation_is_proportional_between_floor_and_census() -> None:
    edges = rank_edges(1_000_000)
    planned, sizes = rank_allocation(edges, 5_000), sizes_of(edges)
    weights = sizes * np.sqrt([np.sum(edges[k:].astype(float) ** -2) for k in range(len(edges))])
    free = (planned > 8) & (planned < sizes)
    assert free.sum() > 20
    shares = planned[free] / weights[free]
    assert np.all(np.abs(planned[free] - weights[free] * np.median(shares)) <= 1.5)


def test_allocation_at_the_ends() -> None:
    edges = rank_edges(1000)
    least = smallest_budget(edges)
    assert rank_allocation(edges, least).tolist() == [50, *[8] * (len(edges) - 1)]
    with pytest.raises(ValueError, match=f"at least {least}: the first 50 items and 8 of each"):
        rank_allocation(edges, least - 1)
    assert np.array_equal(rank_allocation(edges, 10**9), sizes_of(edges))
    assert rank_allocation(np.array([7]), 7).tolist() == [7]


def worst_deviation(stratum: np.ndarray, planned: np.ndarray) -> np.ndarray:
    """max over prefixes of |draws of stratum k - s n_k / n|, (n_strata,)."""
    total = planned.sum()
    drawn = np.cumsum(stratum[:, None] == np.arange(len(planned)), axis=0)
    expected = np.arange(1, total + 1)[:, None] * planned / total
    return np.abs(drawn - expected).max(axis=0)


PLANNED = st.lists(st.integers(0, 60), min_size=1, max_size=12).filter(lambda n: sum(n) > 0)


@given(PLANNED, st.integers(0, 10**6))
def test_every_prefix_is_nearly_proportional(counts: list[int], seed: int) -> None:
    """Within 1 + (K - 2) n_k / n, the bound proved in the docstring."""
    planned = np.array(counts)
    uniforms = np.random.default_rng(seed).uniform(1e-12, 1, planned.sum())
    stratum = interleaved(planned, uniforms)
    assert np.array_equal(np.bincount(stratum, minlength=len(planned)), planned)
    used = int((planned > 0).sum())
    bound = 1 + (used - 2) * planned / planned.sum()
    assert np.all(worst_deviation(stratum, planned) <= bound + 1e-9)


def test_one_stratum_after_the_other_breaks_the_bound() -> None:
    planned = np.array([40, 60, 20])
    one_by_one = np.repeat(np.arange(3), planned)
    bound = 1 + planned / planned.sum()
    assert np.all(worst_deviation(one_by_one, planned) > bound)


def test_many_labels_do_not_make_ever_more_pieces() -> None:
    edges = rank_edges(100_000)
    for labels in (2_000, 20_000, 60_000):
        counts = rank_allocation(edges, labels)
        fine, stratum = piece_edges(edges, counts)
        open_ones = (counts < np.diff(edges, prepend=0))[stratum]
        assert len(edges) < len(fine) and np.count_nonzero(open_ones) <= PIECES[1] + len(edges)
        if labels == 2_000:
            assert np.all((counts // np.bincount(stratum))[np.bincount(stratum) > 1] < 64)


@given(st.integers(60, 4000), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_pieces_keep_the_strata_and_eight_labels_each(
    n_items: int, share: float, seed: int
) -> None:
    edges = rank_edges(n_items)
    least = smallest_budget(edges)
    counts = rank_allocation(edges, least + round(share * (n_items - least)))
    rng = np.random.default_rng(seed)
    starts = np.append(0, edges[:-1])
    parts = [
        rng.choice(np.arange(first + 1, last + 1), number, replace=False)
        for first, last, number in zip(starts, edges, counts, strict=True)
    ]
    pieces = analysis_edges(edges, np.concatenate(parts))
    assert np.all(np.diff(pieces) > 0) and set(edges.tolist()) <= set(pieces.tolist())
    inside = np.diff(
        np.searchsorted(np.sort(np.concatenate(parts)), pieces, side="right"), prepend=0
    )
    whole = np.isin(pieces, edges) & np.isin(np.append(0, pieces[:-1]), np.append(0, edges))
    assert np.all((inside >= 8) | whole)
    fine, stratum = piece_edges(edges, counts)
    assert np.all(np.diff(fine) > 0) and fine[-1] == n_items
    assert np.array_equal(np.unique(stratum), np.arange(len(edges)))
    full = counts == np.diff(edges, prepend=0)
    assert np.all(np.bincount(stratum)[full] == 1)
