"""The hash of an id is the head of its md5, whoever works it out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from labelcore.population import ids as module
from labelcore.population.ids import RowNumbers, SomeIds, TextIds
from labelcore.stats.orders import hash_keys_of

NAMES = ["a", "", "é|", "id of some length", "日本", "x" * 70, "nul\0"] * 3
CHUNKS = [pa.array(NAMES[:4]), pa.array([], pa.string()), pa.array(["x", *NAMES])[5:]]


@pytest.mark.parametrize("few", [0, 10_000], ids=["by DuckDB", "one by one"])
@pytest.mark.parametrize(
    "made",
    [
        lambda: RowNumbers(12),
        lambda: TextIds(pa.chunked_array(CHUNKS)),
        lambda: TextIds(pa.chunked_array([one.cast(pa.large_string()) for one in CHUNKS])),
        lambda: TextIds(pa.chunked_array([], pa.string())),
        lambda: SomeIds(RowNumbers(12), np.array([7, 2, 2])),
    ],
)
def test_hashes_are_the_head_of_the_md5(
    made: object, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", few)
    assert callable(made)
    ids = made()
    some = np.arange(len(ids))[::-2]
    assert np.array_equal(ids.hashes(), hash_keys_of(ids.all())[:, 0])
    assert np.array_equal(ids.hashes(some), hash_keys_of(ids.some(some))[:, 0])
