"""Random orders: one hash of each id mixed with the seed; in older plans the md5 of
"{seed}|{purpose}|{id}", compared as hexadecimal text."""

from hashlib import md5

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from labelcore.stats import orders
from labelcore.stats.orders import (
    ascending,
    hash_keys,
    hash_keys_of,
    hash_order,
    mixed_keys,
    ranking,
    split_mix,
)
from tests.cases import repeated, sampled


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


MILLION = repeated(10**6)
"""A third of a million with every change."""
FAR_OUT = 4.5
"""Standard deviations: over fewer than a hundred checks of a sound mix, one lies beyond with a
chance below 1e-3."""


def test_split_mix_gives_what_others_print() -> None:
    """The first three numbers of SplitMix64 from 1234567, as its author's program prints them."""
    state = np.array([1234567], dtype=np.uint64)
    found = []
    for _ in range(3):
        found.append(int(split_mix(state)[0]))
        state = state + np.uint64(0x9E3779B97F4A7C15)
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(-(2**70), 2**70), st.text(max_size=9))
def test_a_mixed_key_is_two_steps(seed: int, name: str) -> None:
    name = name.encode("utf-8", "replace").decode()

    def word(text: str) -> int:
        return int.from_bytes(md5(text.encode()).digest()[:8])

    def step(number: int) -> int:
        return int(split_mix(np.array([number], dtype=np.uint64))[0])

    hashes = hash_keys_of([name])[:, 0]
    for purpose in ("tie", "draw"):
        wanted = step(word(name) ^ step(word(purpose) ^ seed % 2**64))
        assert mixed_keys(seed, purpose, hashes).tolist() == [[wanted]]


def test_orders_are_made_block_by_block_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal scores and equal keys on both sides of a block's end."""
    words = hash_keys_of(map(str, range(100)))[:, 0]
    score = np.repeat([0.1, 0.5, 0.4, 0.4, 0.9], 20)

    def made() -> list[list[int]]:
        keys = mixed_keys(7, "tie", words)
        equal = np.column_stack([keys[:, 0] >> np.uint64(62), keys[:, 0]])
        return [
            keys[:, 0].tolist(),
            hash_order(keys).tolist(),
            hash_order(equal).tolist(),
            ranking(score, lambda items: keys[items]).tolist(),
        ]

    at_once = made()
    for block in (1, 7, 99):
        monkeypatch.setattr(orders, "BLOCK", block)
        assert made() == at_once


@pytest.fixture(scope="module")
def hashes() -> np.ndarray:
    """Of a million names of the plainest kind."""
    return hash_keys_of(map(str, range(1, MILLION + 1)))[:, 0]


def unevenness(counts: np.ndarray) -> float:
    """Pearson's chi-square against equal cells, in standard deviations of it."""
    expected, free = counts.sum() / counts.size, counts.size - 1
    return float((((counts - expected) ** 2 / expected).sum() - free) / np.sqrt(2 * free))


def cells(keys: np.ndarray, bits: int = 10) -> np.ndarray:
    return (keys[:, 0] >> np.uint64(64 - bits)).astype(np.int64)


PAIRS = [
    ((7, "tie"), (7, "draw")),
    ((0, "tie"), (0, "draw")),
    ((7, "draw"), (8, "draw")),
    ((0, "draw"), (2**63, "draw")),
    ((-1, "tie"), (1, "draw")),
]


@pytest.mark.parametrize(("one", "other"), sampled(PAIRS, 2, seed=1))
def test_mixed_orders_are_uniform_and_independent(
    one: tuple[int, str], other: tuple[int, str], hashes: np.ndarray
) -> None:
    """A million ids: by their first ten bits in 1,024 cells; by five bits of each of two orders in
    1,024; how often neighbours rise; and how the two orders go together (a standard error of
    1/1,000)."""
    keys, others = mixed_keys(*one, hashes), mixed_keys(*other, hashes)
    assert len(np.unique(keys)) == MILLION
    assert abs(unevenness(np.bincount(cells(keys), minlength=1024))) < FAR_OUT
    assert abs(unevenness(np.bincount(cells(keys << np.uint64(54)), minlength=1024))) < FAR_OUT
    both = cells(keys, 5) * 32 + cells(others, 5)
    assert abs(unevenness(np.bincount(both, minlength=1024))) < FAR_OUT
    rises = (keys[1:, 0] > keys[:-1, 0]).mean()
    assert abs(rises - 0.5) < FAR_OUT * np.sqrt(1 / 12 / MILLION)
    rho = np.corrcoef(keys[:, 0].astype(float), others[:, 0].astype(float))[0, 1]
    assert abs(rho) < FAR_OUT / np.sqrt(MILLION)


def test_a_weaker_mix_is_found_out(hashes: np.ndarray) -> None:
    """The twins: one key for both orders, and a seed that is added and mixed no further."""
    tie = mixed_keys(7, "tie", hashes)
    both = cells(tie, 5) * 32 + cells(tie, 5)
    assert unevenness(np.bincount(both, minlength=1024)) > FAR_OUT
    added = (hashes + np.uint64(12_345_678_901)).reshape(-1, 1)
    both = cells(added, 5) * 32 + cells(hashes.reshape(-1, 1), 5)
    assert unevenness(np.bincount(both, minlength=1024)) > FAR_OUT


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
        1, 2, 0, 3,
    ]  # fmt: skip


NUMBERS = st.one_of(
    st.lists(st.floats(allow_subnormal=True), min_size=1, max_size=60).map(np.array),
    st.lists(st.sampled_from([0.0, -0.0, 0.5, 0.25, 1e300, -np.inf]), min_size=1).map(np.array),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1).map(lambda x: np.array(x, np.int64)),
    st.lists(st.integers(0, 2**64 - 1), min_size=1).map(lambda x: np.array(x, np.uint64)),
    st.lists(st.integers(-40_000, 40_000), min_size=1).map(lambda x: np.array(x, np.int32)),
)


@given(NUMBERS, st.booleans())
def test_ascending_is_a_stable_sort(values: np.ndarray, falling: bool) -> None:
    falling = falling and values.dtype.kind == "f"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "FEW", 0)
        patch.setattr(orders, "BLOCK", 7)
        found = ascending(values, falling)
    assert found.tolist() == np.argsort(-values if falling else values, kind="stable").tolist()


@pytest.mark.parametrize(
    "spread",
    ["even", "around zero", "crowded", "far out", "tiny", "over magnitudes", "neighbours"],
)
def test_ascending_of_many_that_begin_alike(spread: str) -> None:
    random = np.random.default_rng(3)
    values = random.random(200_000) ** 3
    values = {
        "even": values,
        "around zero": 4 * values - 1,
        "crowded": np.where(values < 0.1, np.round(values, 2), values),
        "far out": np.append(values, [1e12, -np.inf, np.inf]),
        "tiny": values * 1e-310,
        "over magnitudes": np.exp(200 * (values - 0.5)),
        "neighbours": np.append(values, np.nextafter(values, 0)),
    }[spread]
    for falling in (False, True):
        expected = np.argsort(-values if falling else values, kind="stable")
        assert np.array_equal(ascending(values, falling), expected)


def test_ascending_without_putting_right_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).random(2_000)
    values = np.append(values, np.nextafter(values, 0))
    monkeypatch.setattr(orders, "_put_right", lambda *_: None)
    assert not np.array_equal(ascending(values), np.argsort(values, kind="stable"))
