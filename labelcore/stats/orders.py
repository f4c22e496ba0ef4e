"""Seeded random orders that are the same on every machine.

Three independent hashes, never one: ties in a score, draws within a stratum, and the order in
which the items of a batch are asked. One hash for ties and draws would bias the estimate: the
items that a tie pushes to the head of a stratum would be the first ones drawn from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Purpose = Literal["tie", "draw"]
IntArray = NDArray[np.int64]


def hash_keys(seed: int, purpose: str, ids: Iterable[str]) -> NDArray[np.uint64]:
    """md5("{seed}|{purpose}|{id}") of each id as two big-endian words, (n_ids, 2).

    Compared word by word this is the order of the hexadecimal text.
    """
    start = md5(f"{seed}|{purpose}|".encode(), usedforsecurity=False)
    digests = bytearray()
    for name in ids:
        digest = start.copy()
        digest.update(name.encode())
        digests += digest.digest()
    return np.frombuffer(bytes(digests), dtype=">u8").astype(np.uint64).reshape(-1, 2)


def hash_order(keys: NDArray[np.uint64]) -> IntArray:
    """The positions in ascending order of their hash, (n_ids,)."""
    return np.lexsort((keys[:, 1], keys[:, 0])).astype(np.int64)


def ranking(score: NDArray[np.float64], tie_keys: NDArray[np.uint64]) -> IntArray:
    """Positions from the highest score to the lowest, ties by hash, (n_items,)."""
    return np.lexsort((tie_keys[:, 1], tie_keys[:, 0], -score)).astype(np.int64)
