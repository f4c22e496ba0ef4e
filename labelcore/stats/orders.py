"""Seeded random orders that are the same on every machine.

Three independent hashes, never one: ties in a score, draws within a stratum, and the order in
which the items of a batch are asked. One hash for ties and draws would bias the estimate: the
items that a tie pushes to the head of a stratum would be the first ones drawn from it.

A session sorts by hashes of the ids, so that anybody can draw its order again (``Hashed``). A
simulation needs no more than the law of that order: its keys are random numbers (``Drawn``), which
take no ids and a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.md5 import Texts, md5_of_texts

IntArray = NDArray[np.int64]
Keys = NDArray[np.uint64]
Names = Callable[[], Iterable[str]]
KeysOf = Callable[[IntArray], Keys]
"""What gives the keys of the items at some positions, (n, 2)."""


class Named(Protocol):
    """Items with an id each, in file order."""

    def __len__(self) -> int:
        """Number of items."""

    def texts_at(self, positions: IntArray) -> Texts:
        """The ids at some positions."""

    def hash_order(self, seed: int, purpose: str) -> IntArray:
        """All positions in the order of the md5 of seed, purpose and id."""


class Orders(Protocol):
    """Where random orders come from: keys, (n_items, 2), by which items are sorted. The same seed
    and purpose give the same keys, another purpose independent ones."""

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        """All positions of the file in a random order."""

    def of_some(self, seed: int, purpose: str, file: Named, items: IntArray) -> Keys:
        """The keys of some items of the file, the same whichever others are asked for."""

    def of_items(self, seed: int, purpose: str, number: int, names: Names) -> Keys:
        """A key for each of ``number`` items, for a purpose that no other items share."""

    def of_part(self, items: IntArray) -> Orders:
        """The orders for a file that holds these items alone."""


class Hashed:
    """Keys that are hashes of the ids."""

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        return file.hash_order(seed, purpose)

    def of_some(self, seed: int, purpose: str, file: Named, items: IntArray) -> Keys:
        return hash_keys(seed, purpose, file.texts_at(items))

    def of_items(self, seed: int, purpose: str, number: int, names: Names) -> Keys:
        return hash_keys(seed, purpose, names())

    def of_part(self, items: IntArray) -> Orders:
        return self


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """Keys that are random numbers, for a file of ``size`` items or for ``items`` of it; those of
    which some were asked for last are kept."""

    size: int
    items: IntArray | None = None
    _last: dict[tuple[int, str], Keys] = field(default_factory=dict, repr=False)

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        return hash_order(self._keys(seed, purpose))

    def of_some(self, seed: int, purpose: str, file: Named, items: IntArray) -> Keys:
        if (seed, purpose) not in self._last:
            self._last.clear()
            self._last[seed, purpose] = self._keys(seed, purpose)
        return self._last[seed, purpose][items]

    def _keys(self, seed: int, purpose: str) -> Keys:
        keys = random_of(seed, purpose).integers(2**64, size=(self.size, 2), dtype=np.uint64)
        return keys if self.items is None else keys[self.items]

    def of_items(self, seed: int, purpose: str, number: int, names: Names) -> Keys:
        return random_of(seed, purpose).integers(2**64, size=(number, 2), dtype=np.uint64)

    def of_part(self, items: IntArray) -> Orders:
        return Drawn(self.size, items)


HASHED = Hashed()


def narrow(values: NDArray[Any], below: int) -> NDArray[Any]:
    """Whole numbers from -2 to ``below`` - 1 in the smallest type that holds them: what is kept for
    each item of a file is most of what a project takes of the memory.

    >>> [narrow(np.arange(3), below).dtype.name for below in (100, 30_000, 2_000_000, 2**40)]
    ['int8', 'int16', 'int32', 'int64']
    """
    types = (np.int8, np.int16, np.int32, np.int64)
    return values.astype(next(one for one in types if below - 1 <= np.iinfo(one).max), copy=False)


def random_of(seed: int, purpose: str) -> np.random.Generator:
    """The random numbers for one purpose."""
    return np.random.default_rng([abs(seed), int(seed < 0), crc32(purpose.encode())])


def shuffled(seed: int, purpose: str, queue: IntArray, first: IntArray, end: IntArray) -> IntArray:
    """The queue with each of its pieces, from ``first`` to ``end``, in a random order."""
    random, found = random_of(seed, purpose), queue.copy()
    for start, stop in zip(first.tolist(), end.tolist(), strict=True):
        random.shuffle(found[start:stop])
    return found


def hash_keys(seed: int, purpose: str, ids: Iterable[str] | Texts) -> NDArray[np.uint64]:
    """md5("{seed}|{purpose}|{id}") of each id as two big-endian words, (n_ids, 2).

    Compared word by word this is the order of the hexadecimal text.
    """
    if isinstance(ids, Texts):
        return md5_of_texts(f"{seed}|{purpose}|".encode(), ids)
    start = md5(f"{seed}|{purpose}|".encode(), usedforsecurity=False)
    digests = bytearray()
    for name in ids:
        digest = start.copy()
        digest.update(name.encode())
        digests += digest.digest()
    return np.frombuffer(bytes(digests), dtype=">u8").astype(np.uint64).reshape(-1, 2)


def order_of(seed: int, purpose: str, ids: Iterable[str] | Texts) -> IntArray:
    """The positions of the ids in the order of their hashes, (n_ids,)."""
    return hash_order(hash_keys(seed, purpose, ids))


def hash_order(keys: NDArray[np.uint64]) -> IntArray:
    """The positions in ascending order of their hash, (n_ids,)."""
    first = np.ascontiguousarray(keys[:, 0])
    order = np.argsort(first)
    if _any_equal(first[order]):  # hardly ever: the first words alone are half of an md5
        order = np.lexsort((keys[:, 1], first))
    return narrow(order, len(order))


def ranking(score: NDArray[np.float64], keys_of: KeysOf) -> IntArray:
    """Positions from the highest score to the lowest, ties by hash, (n_items,).

    keys_of   gives the keys of the items at some positions; only those of ties are asked for

    >>> tie = {1: (7, 0), 3: (5, 0)}
    >>> keys_of = lambda items: np.array([tie[item] for item in items.tolist()], dtype=np.uint64)
    >>> ranking(np.array([0.1, 0.5, 0.9, 0.5]), keys_of).tolist()
    [2, 3, 1, 0]
    """
    order = narrow(np.argsort(-score), len(score))
    follows = score[order[1:]] == score[order[:-1]]
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] |= follows
    tied[:-1] |= follows
    items = order[tied]
    if items.size:
        level = np.cumsum(~np.concatenate([[False], follows])[tied]) - 1
        order[tied] = items[_within_levels(level, keys_of(items))]
    return order


def _within_levels(level: IntArray, keys: Keys) -> IntArray:
    """The order by level, then by key; levels are 0, 1, ... and ascend, (n_items,)."""
    bits = max(int(level[-1]).bit_length(), 1)
    first = keys[:, 0] >> np.uint64(bits)
    first |= level.astype(np.uint64) << np.uint64(64 - bits)
    order = np.argsort(first)
    if _any_equal(first[order]):  # hardly ever: what is left of a first word tells items apart
        order = np.lexsort((keys[:, 1], keys[:, 0], level))
    return order


def _any_equal(ascending: NDArray[np.uint64]) -> bool:
    return bool((ascending[1:] == ascending[:-1]).any())


def mid_rank_share(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of items below each score, ties counted half, (n_items,), in (0, 1).

    >>> mid_rank_share(np.array([3.0, 1.0, 1.0, 2.0])).tolist()
    [0.875, 0.25, 0.25, 0.625]
    """
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    below = np.cumsum(count) - count
    return np.asarray((below + count / 2)[place] / len(score))
