"""md5 side by side is the md5 of hashlib."""

from hashlib import md5
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from labelcore.population.ids import RowNumbers, SomeIds, TextIds
from labelcore.stats import md5 as module
from labelcore.stats.md5 import Texts, md5_of_texts
from labelcore.stats.orders import hash_keys, hash_keys_of


@pytest.mark.parametrize("prefix", [b"", b"7|draw|", b"x" * 55, b"y" * 64])
def test_digests_of_all_lengths(prefix: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 7)
    random = np.random.default_rng(4)
    length = random.permutation(np.repeat(np.arange(70), 10))
    data = random.integers(0, 256, length.sum(), dtype=np.uint8)
    offsets = np.concatenate([[0], np.cumsum(length)])
    found = md5_of_texts(prefix, Texts(data, offsets)).astype(">u8").tobytes()
    wanted = [md5(prefix + data[at:end].tobytes()).digest() for at, end in pairwise(offsets)]
    assert found == b"".join(wanted)


def test_no_texts() -> None:
    assert md5_of_texts(b"7|", Texts(np.zeros(0, np.uint8), np.zeros(1, np.int64))).shape == (0, 2)


NAMES = ["a", "", "é|", "id of some length", "日本"] * 3
CHUNKS = [pa.array(NAMES[:4]), pa.array([], pa.string()), pa.array(["x", *NAMES])[5:]]


@pytest.mark.parametrize(
    "ids",
    [
        RowNumbers(12),
        TextIds(pa.chunked_array(CHUNKS)),
        TextIds(pa.chunked_array([one.cast(pa.large_string()) for one in CHUNKS])),
        TextIds(pa.chunked_array([], pa.string())),
        SomeIds(RowNumbers(12), np.array([7, 2, 2])),
    ],
)
def test_ids_as_bytes_have_the_keys_of_their_texts(ids: TextIds) -> None:
    assert np.array_equal(hash_keys(7, "tie", ids.texts()), hash_keys(7, "tie", ids.all()))
    some = np.arange(len(ids))[::-2]
    assert np.array_equal(hash_keys(7, "tie", ids.texts(some)), hash_keys(7, "tie", ids.some(some)))
    assert np.array_equal(ids.hashes(), hash_keys_of(ids.all())[:, 0])
    assert np.array_equal(ids.hashes(some), hash_keys_of(ids.some(some))[:, 0])
