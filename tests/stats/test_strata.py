"""Cutting a ranked list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.stats.strata import MINIMUM_SIZE, equal_size_edges, geometric_edges

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
