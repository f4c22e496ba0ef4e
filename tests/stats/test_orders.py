"""Random orders: md5 of "{seed}|{purpose}|{id}", compared as hexadecimal text."""

from __future__ import annotations

from hashlib import md5

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from labelcore.stats.orders import hash_keys, hash_order, ranking


def text_order(seed: int, purpose: str, ids: list[str]) -> list[int]:
    names = [md5(f"{seed}|{purpose}|{name}".encode()).hexdigest() for name in ids]
    return sorted(range(len(ids)), key=lambda i: names[i])


@given(st.integers(-(2**70), 2**70), st.lists(st.text(), max_size=40, unique=True))
def test_order_is_that_of_the_hexadecimal_text(seed: int, ids: list[str]) -> None:
    ids = [name.encode("utf-8", "replace").decode() for name in ids]
    for purpose in ("tie", "draw", "batch 3"):
        assert hash_order(hash_keys(seed, purpose, ids)).tolist() == text_order(seed, purpose, ids)


def test_known_digests() -> None:
    """printf '7|draw|a' | md5sum, and so on."""
    keys = hash_keys(7, "draw", ["a", "é"])
    for name, key in zip(["a", "é"], keys, strict=True):
        expected = md5(f"7|draw|{name}".encode()).hexdigest()
        assert f"{int(key[0]):016x}{int(key[1]):016x}" == expected


def test_second_word_decides_when_the_first_is_equal() -> None:
    keys = np.array([[5, 9], [5, 2], [1, 7]], dtype=np.uint64)
    assert hash_order(keys).tolist() == [2, 1, 0]
    assert ranking(np.array([1.0, 1.0, 2.0]), keys.__getitem__).tolist() == [2, 1, 0]


def test_ties_and_draws_are_independent_orders() -> None:
    """Spearman's rho of two independent orders of 4,000 items has a standard error of 1/63; the
    limit is four of them. The twin, one hash for both, has rho 1."""
    ids = [f"item {i}" for i in range(4000)]
    rank = {p: np.argsort(hash_order(hash_keys(1, p, ids))) for p in ("tie", "draw", "batch 1")}
    limit = 4 / np.sqrt(len(ids))
    for one, other in (("tie", "draw"), ("draw", "batch 1"), ("tie", "batch 1")):
        assert abs(spearmanr(rank[one], rank[other]).statistic) < limit
    assert abs(spearmanr(rank["tie"], rank["tie"]).statistic) > limit


@pytest.mark.parametrize("ids", [[], ["only"]])
def test_tiny(ids: list[str]) -> None:
    keys = hash_keys(0, "draw", ids)
    assert keys.shape == (len(ids), 2) and hash_order(keys).tolist() == list(range(len(ids)))


@given(st.lists(st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, 1.0]), max_size=60))
def test_a_ranking_asks_for_the_keys_of_ties_alone_and_is_that_of_all_keys(
    scores: list[float],
) -> None:
    score = np.array(scores, dtype=float)
    keys = hash_keys(3, "tie", [f"i{i}" for i in range(len(score))])
    asked: list[int] = []

    def keys_of(items: np.ndarray) -> np.ndarray:
        asked.extend(items.tolist())
        return np.asarray(keys[items])

    expected = np.lexsort((keys[:, 1], keys[:, 0], -score))
    assert ranking(score, keys_of).tolist() == expected.tolist()
    tied = [i for i, one in enumerate(scores) if scores.count(one) > 1]
    assert sorted(asked) == tied


def test_ties_whose_first_words_hardly_differ() -> None:
    first = 2**63
    keys = np.array([[first + 1, 2], [first, 1], [first + 1, 1], [3, 3]], dtype=np.uint64)
    assert ranking(np.array([1.0, 1.0, 1.0, 0.0]), lambda items: keys[items]).tolist() == [
        1,
        2,
        0,
        3,
    ]
