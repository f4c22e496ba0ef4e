"""Strata by the own score, and those crossed with what other columns say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from labelcore.stats.crossed_strata import agreement_in_order, crossed, crossed_pieces, surprise
from labelcore.stats.strata import MINIMUM_SIZE, equal_size_edges, geometric_edges


def test_pieces_follow_the_plan() -> None:
    """Strata of at most three parts a piece, with four labels each where there are more."""
    assert crossed_pieces(4 * 27 - 1) == (2, 3) and crossed_pieces(4 * 27) == (3, 6)
    assert crossed_pieces(10) == (2, 3) and crossed_pieces(100_000) == (3, 6)


@given(st.integers(0, 10_000), st.integers(1, 300), st.integers(1, 6))
def test_every_stratum_lies_in_one_piece_and_no_part_is_small(
    seed: int, n: int, pieces: int
) -> None:
    random = np.random.default_rng(seed)
    piece = random.integers(0, pieces, n)
    _, piece = np.unique(piece, return_inverse=True)
    says, others = random.random(n) < random.random(), np.round(random.normal(size=n), 1)
    share = np.full(piece.max() + 1, random.choice([0.35, 0.5]))
    stratum, parent = crossed(random.permutation(n), piece, says, others, share)
    assert np.array_equal(parent[stratum], piece)
    sizes, parts = np.bincount(stratum, minlength=len(parent)), np.bincount(parent)
    assert parts.max() <= 3 and sizes.min() >= 1
    assert np.all(sizes[parts[parent] > 1] >= 5)
    for number in range(len(share)):
        mine = piece == number
        if min(says[mine].sum(), (~says[mine]).sum()) >= 5:
            for k in np.flatnonzero(parent == number):
                assert len(set(says[stratum == k])) == 1


def test_the_larger_part_is_cut_by_what_the_others_say() -> None:
    n = 100
    others = np.random.default_rng(2).normal(size=n)
    says = np.arange(n) < 20
    stratum, _ = crossed(np.arange(n), np.zeros(n, int), says, others, np.array([0.35]))
    assert np.bincount(stratum).tolist() == [20, 28, 52]
    assert set(stratum[says]) == {0}
    assert others[stratum == 1].min() > others[stratum == 2].max()


def test_ties_of_the_others_keep_the_own_order() -> None:
    order = np.random.default_rng(3).permutation(60)
    stratum, _ = crossed(
        order, np.zeros(60, int), np.zeros(60, bool), np.zeros(60), np.array([0.5])
    )
    assert set(order[:30]) == set(np.flatnonzero(stratum == 0))


def test_surprise_is_what_a_line_within_each_side_leaves() -> None:
    random = np.random.default_rng(4)
    own, noise, side = random.normal(size=400), random.normal(size=400), np.arange(400) < 150
    others = np.where(side, 2 * own + 3, 1 - own) + noise
    found = surprise(own, others, side)
    for mask in (side, ~side):
        slope, start = np.polyfit(own[mask], others[mask], 1)
        np.testing.assert_allclose(found[mask], others[mask] - slope * own[mask] - start, atol=1e-9)
    assert not surprise(own, 2 * own, side).round(9).any()
    np.testing.assert_allclose(
        surprise(np.ones(400), noise, side)[side], noise[:150] - noise[:150].mean()
    )


def test_agreement_is_spearmans_correlation_within_the_sides() -> None:
    random = np.random.default_rng(5)
    own = np.round(random.normal(size=300), 1)
    others, side = own + random.normal(size=300), own > 1
    each = [spearmanr(own[mask], others[mask]).statistic for mask in (side, ~side)]
    expected = float(np.average(each, weights=[side.sum(), (~side).sum()]))
    assert agreement_in_order(own, others, side) == pytest.approx(expected)
    assert agreement_in_order(own, np.zeros(300), side) == 0


SIZES = st.one_of(st.integers(1, 200), st.integers(1, 10**8))


@given(SIZES, st.integers(1, 100))
@pytest.mark.parametrize("cut", [equal_size_edges, geometric_edges])
def test_pieces(cut, n_items: int, n_strata: int) -> None:  # type: ignore[no-untyped-def]
    edges = cut(n_items, n_strata)
    pieces = np.diff(np.concatenate([[0], edges]))
    assert edges[-1] == n_items and 1 <= len(edges) <= n_strata
    assert pieces.min() >= min(MINIMUM_SIZE, n_items)


@given(SIZES, st.integers(1, 100))
def test_equal_sizes_are_equal(n_items: int, n_strata: int) -> None:
    assert np.ptp(np.diff(np.concatenate([[0], equal_size_edges(n_items, n_strata)]))) <= 1


def test_geometric_edges_by_hand() -> None:
    """12 pieces of 1,000,000 items: first 1,000,000 / 2^11 = 488, then doubling."""
    edges = geometric_edges(1_000_000, 12)
    assert len(edges) == 12 and edges[0] == 488
    np.testing.assert_allclose(edges[1:] / edges[:-1], 2, rtol=0.002)
    # 12 pieces of 2,000: the first 20, then 20 x 100^(j/11)
    expected = np.rint(20 * 100 ** (np.arange(12) / 11)).astype(int)
    assert geometric_edges(2000, 12).tolist() == expected.tolist()
    # pieces under five items join a neighbour, the last one the piece before it
    assert geometric_edges(24, 12).tolist() == [20 + 4]
    assert geometric_edges(4, 12).tolist() == [4]
    assert geometric_edges(0, 12).tolist() == [] == equal_size_edges(0, 6).tolist()
