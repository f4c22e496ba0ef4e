"""Seeded random orders that are the same on every machine.

Three independent hashes, never one: ties in a score, draws within a stratum, and the order in
which the items of a batch are asked. One hash for ties and draws would bias the estimate: the
items that a tie pushes to the head of a stratum would be the first ones drawn from it.

A session sorts by numbers that follow from its seed and the ids, so that anybody can draw its
order again. An id has one hash, the first 64 bits of its md5, whatever the seed; mixed with a word
of the seed and the purpose it is the key of the item (``Mixed``). Plans of earlier rules draw by
an md5 of seed, purpose and id (``Hashed``). A simulation needs no more than the law
of that order: its keys are random numbers (``Drawn``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.arrays import IntArray
from labelcore.stats.md5 import Texts, md5_of_texts

Words = NDArray[np.uint64]
Keys = NDArray[np.uint64]
Names = Callable[[], Iterable[str]]
KeysOf = Callable[[IntArray], Keys]
"""What gives the keys of the items at some positions, (n, n_words)."""


class Named(Protocol):
    """Items with an id each, in file order."""

    def __len__(self) -> int:
        """Number of items."""

    def texts_at(self, positions: IntArray | None = None) -> Texts:
        """The ids at some positions, or every one."""

    def id_hashes(self, positions: IntArray | None = None) -> Words:
        """The first 64 bits of the md5 of the ids at some positions, or of every one."""

    def remembered(self, order: Hashable, work: Callable[[], IntArray]) -> IntArray:
        """What ``work`` gives, or gave when the same order was asked for last."""


class Orders(Protocol):
    """Where random orders come from: keys, (n_items, n_words), by which items are sorted. The same
    seed and purpose give the same keys, another purpose independent ones."""

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        """All positions of the file in a random order."""

    def of_some(self, seed: int, purpose: str, file: Named, items: IntArray) -> Keys:
        """The keys of some items of the file, the same whichever others are asked for."""

    def of_items(self, seed: int, purpose: str, number: int, names: Names) -> Keys:
        """A key for each of ``number`` items, for a purpose that no other items share."""

    def of_part(self, items: IntArray) -> Orders:
        """The orders for a file that holds these items alone."""


class Mixed:
    """Keys that mix the hash of each id with the seed and the purpose."""

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        def order() -> IntArray:
            return hash_order(mixed_keys(seed, purpose, file.id_hashes()))

        return file.remembered(("mixed", seed, purpose), order)

    def of_some(self, seed: int, purpose: str, file: Named, items: IntArray) -> Keys:
        return mixed_keys(seed, purpose, file.id_hashes(items))

    def of_items(self, seed: int, purpose: str, number: int, names: Names) -> Keys:
        words = hash_keys_of(names())[:, 0]
        return mixed_keys(seed, purpose, words)

    def of_part(self, items: IntArray) -> Orders:
        return self


class Hashed:
    """Keys that are hashes of seed, purpose and id."""

    def of_file(self, seed: int, purpose: str, file: Named) -> IntArray:
        def order() -> IntArray:
            return hash_order(hash_keys(seed, purpose, file.texts_at()))

        return file.remembered(("hashed", seed, purpose), order)

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


BLOCK = 1 << 20
"""Items that are looked at together."""
FEW = 1 << 10
"""Fewer values are sorted in a moment."""
SAMPLE, FAR_OUT = 1 << 14, 0.002
"""So many values say how a score is spread, by the share of them that begin alike."""
MIXED = Mixed()
HASHED = Hashed()


def narrow(values: NDArray[Any], below: int) -> NDArray[Any]:
    """Whole numbers from -2 to ``below`` - 1 in the smallest type that holds them: what is kept for
    each item of a file is most of what a project takes of the memory.

    >>> [narrow(np.arange(3), below).dtype.name for below in (100, 30_000, 2_000_000, 2**40)]
    ['int8', 'int16', 'int32', 'int64']
    """
    types = (np.int8, np.int16, np.int32, np.int64)
    return values.astype(next(fit for fit in types if below - 1 <= np.iinfo(fit).max), copy=False)


def counted(codes: NDArray[Any], number: int) -> IntArray:
    """How many items have each code below ``number``, (number,); a block at a time, as NumPy makes
    wider numbers of all that it is given.

    >>> counted(np.array([2, 0, 2], dtype=np.int8), 4).tolist()
    [1, 0, 2, 0]
    """
    counts: IntArray = np.zeros(number, dtype=np.int64)
    for first in range(0, len(codes), BLOCK):
        counts += np.bincount(codes[first : first + BLOCK], minlength=number)
    return counts


def by_group(order: IntArray, group: NDArray[Any], number: int) -> IntArray:
    """The items of an order, group after group, those of each in their order, (n_items,).

    group   (n_items,), that of each item, below ``number``

    >>> by_group(np.array([3, 1, 0, 2]), np.array([0, 1, 1, 0]), 2).tolist()
    [3, 0, 1, 2]
    """
    sizes = counted(group, number)
    filled, grouped = np.cumsum(sizes) - sizes, np.empty_like(order)
    for first in range(0, len(order), BLOCK):
        block = order[first : first + BLOCK]
        groups = group[block]
        count = np.bincount(groups, minlength=number)
        place = np.arange(len(block)) + np.repeat(filled - np.cumsum(count) + count, count)
        grouped[place] = block[np.argsort(groups, kind="stable")]
        filled += count
    return grouped


def increasing(values: IntArray) -> IntArray:
    """The different ones of some whole numbers, increasing; ``np.unique`` puts each one in a table
    first, which takes ten times as long.

    >>> increasing(np.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(values)
    return np.asarray(ordered[np.diff(ordered, prepend=ordered[:1] - 1) > 0])


def random_of(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng([abs(seed), int(seed < 0), crc32(purpose.encode())])


def derived_seed(seed: int, purpose: str) -> int:
    """Another seed for one purpose.

    >>> derived_seed(7, "known answers") == derived_seed(7, "known answers") != 7
    True
    """
    return int(random_of(seed, purpose).integers(1 << 32))


def shuffled(seed: int, purpose: str, queue: IntArray, first: IntArray, end: IntArray) -> IntArray:
    """The queue with each of its pieces, from ``first`` to ``end``, in a random order."""
    random, order = random_of(seed, purpose), queue.copy()
    for start, stop in zip(first.tolist(), end.tolist(), strict=True):
        random.shuffle(order[start:stop])
    return order


def hash_keys(seed: int, purpose: str, ids: Iterable[str] | Texts) -> NDArray[np.uint64]:
    """md5("{seed}|{purpose}|{id}") of each id as two big-endian words, (n_ids, 2).

    Compared word by word this is the order of the hexadecimal text.
    """
    if isinstance(ids, Texts):
        return md5_of_texts(f"{seed}|{purpose}|".encode(), ids)
    return _digests(md5(f"{seed}|{purpose}|".encode(), usedforsecurity=False), ids)


def _digests(start: Any, ids: Iterable[str]) -> Keys:
    """What ``start`` and each id make, as two words, (n_ids, 2)."""
    digests = bytearray()
    for name in ids:
        digest = start.copy()
        digest.update(name.encode(errors="surrogatepass"))
        digests += digest.digest()
    return np.frombuffer(bytes(digests), dtype=">u8").astype(np.uint64).reshape(-1, 2)


def mixed_keys(seed: int, purpose: str, hashes: Words) -> Keys:
    """The keys of items with these hashes, (n_items, 1).

    A purpose is a constant, the first eight bytes of its md5. One step of SplitMix64 mixes it with
    the seed modulo 2^64, a second one that word with the hash of each id, both by exclusive or.

    Source: Steele, Lea and Flood (2014), the mix of SplitMix64.
    """
    salt = int.from_bytes(md5(purpose.encode(), usedforsecurity=False).digest()[:8])
    start = split_mix(np.array([salt ^ (seed % 2**64)], dtype=np.uint64))
    keys = np.empty((len(hashes), 1), dtype=np.uint64)
    for first in range(0, len(hashes), BLOCK):
        keys[first : first + BLOCK, 0] = split_mix(hashes[first : first + BLOCK] ^ start)
    return keys


def split_mix(words: Words) -> Words:
    """One step of SplitMix64 from each word, (n_words,).

    >>> [f"{word:016x}" for word in split_mix(np.array([0, 1], dtype=np.uint64)).tolist()]
    ['e220a8397b1dcdaf', '910a2dec89025cc1']
    """
    mixed = words + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def hash_keys_of(ids: Iterable[str] | Texts) -> Keys:
    """The md5 of each id as two words, (n_ids, 2)."""
    if isinstance(ids, Texts):
        return md5_of_texts(b"", ids)
    return _digests(md5(usedforsecurity=False), ids)


def hash_order(keys: Keys) -> IntArray:
    """The positions in ascending order of their keys, (n_items,); those of equal keys, which are
    hardly ever there, in the order of the file."""
    first = np.ascontiguousarray(keys[:, 0])
    order = ascending(first)
    if keys.shape[1] > 1 and follows(first, order).any():
        order = narrow(np.lexsort(keys.T[::-1]), len(first))
    return order


Head = Callable[[NDArray[Any]], Words]
"""What some values begin with: never less for a greater one."""


def ascending(values: NDArray[Any], falling: bool = False) -> IntArray:
    """The positions from the lowest value to the highest, equal ones in the order of the file,
    (n_items,), in a narrow type: what a stable sort gives, in a third of its time and half of its
    memory.

    What a value begins with and its position make one number, and these are sorted. Values that
    begin alike are put right then.

    values    (n_items,), whole numbers or floats; what is no number is last
    falling   whether the highest come first; for floats

    >>> ascending(np.array([0.5, -1.0, 0.5])).tolist()
    [1, 0, 2]
    >>> ascending(np.array([0.5, 1.0, 0.5]), falling=True).tolist()
    [1, 0, 2]
    """
    number = len(values)
    if number < FEW or values.dtype.itemsize <= 2:  # NumPy counts numbers of two bytes.
        return narrow(np.argsort(-values if falling else values, kind="stable"), number)
    bits = (number - 1).bit_length()
    head, last = _head_of(values, 64 - bits), np.uint64(2 ** (64 - bits) - 1)
    packed = np.empty(number, dtype=np.uint64)
    for first in range(0, number, BLOCK):
        block = values[first : first + BLOCK]
        heads = head(block)
        if falling:
            heads = last - np.uint64(1) - heads
        if block.dtype.kind == "f":
            heads[np.isnan(block)] = last
        packed[first : first + BLOCK] = heads << np.uint64(bits)
        packed[first : first + BLOCK] |= np.arange(first, first + len(heads), dtype=np.uint64)
    packed.sort()
    order: IntArray = np.empty(number, dtype=narrow(np.zeros(0, dtype=np.int64), number).dtype)
    wrong = []
    for first in range(0, number, BLOCK):
        part = packed[first : first + BLOCK + 1] & np.uint64(2**bits - 1)
        order[first : first + BLOCK + 1] = part
        some = values[part]
        turned = some[1:] > some[:-1] if falling else some[1:] < some[:-1]
        wrong.append(first + np.flatnonzero(turned))
    alike = np.unique(packed[np.concatenate(wrong)] >> np.uint64(bits)) << np.uint64(bits)
    start = np.searchsorted(packed, alike)
    end = np.searchsorted(packed, alike | np.uint64(2**bits - 1), side="right")
    size = end - start
    parts = np.flatnonzero(np.diff(np.cumsum(size) // BLOCK)) + 1
    for some in np.split(np.arange(len(size)), parts):
        _put_right(values, order, start[some], size[some], falling)
    return order


def _put_right(
    values: NDArray[Any], order: IntArray, start: IntArray, size: IntArray, falling: bool
) -> None:
    """Sort the items of some pieces of an order."""
    run = np.repeat(np.arange(len(start)), size)
    places = np.arange(len(run)) + np.repeat(start - np.cumsum(size) + size, size)
    items = order[places]
    keys = -values[items] if falling else values[items]
    order[places] = items[np.lexsort((keys, run))]


def _head_of(values: NDArray[Any], bits: int) -> Head:
    """So many bits of each value. Of whole numbers what they are more than the least, or the first
    bits of that. Of floats their place between the lowest and the highest; where that tells
    clearly fewer apart in a sample, the first bits of what they are kept as."""
    if values.dtype.kind != "f":
        low = int(values.min())
        more = np.uint64(max((int(values.max()) - low).bit_length() - bits, 0))
        return lambda some: (some.astype(np.uint64) - np.uint64(low % 2**64)) >> more
    sample = values[:: max(len(values) // SAMPLE, 1)]

    def kept(some: NDArray[np.float64]) -> Words:
        return _as_kept(some) >> np.uint64(64 - bits + 1)

    even = _between(values, 2 ** min(bits, 52) - 2)
    alike, others = (len(sample) - len(np.unique(head(sample))) for head in (even, kept))
    return kept if alike > others + FAR_OUT * len(sample) else even


def _between(values: NDArray[np.float64], most: int) -> Head:
    """The place of each value between the lowest and the highest of those that are finite."""
    blocks = (values[first : first + BLOCK] for first in range(0, len(values), BLOCK))
    finite = [block[np.isfinite(block)] for block in blocks]
    low = min(float(block.min(initial=np.inf)) for block in finite)
    high = max(float(block.max(initial=-np.inf)) for block in finite)
    with np.errstate(all="ignore"):
        scale = most / np.float64(high - low)
    if not (np.isfinite(scale) and scale > 0):
        return lambda some: np.zeros(len(some), dtype=np.uint64)

    def place(some: NDArray[np.float64]) -> Words:
        scaled = (np.clip(some, low, high) - low) * scale
        return np.nan_to_num(scaled).astype(np.uint64)

    return place


def _as_kept(some: NDArray[np.float64]) -> Words:
    """The bits of floats as whole numbers that have their order."""
    kept = (some.astype(np.float64) + 0.0).view(np.int64)
    return (kept ^ ((kept >> 63) & np.int64(2**63 - 1))).view(np.uint64) ^ np.uint64(2**63)


def follows(values: NDArray[Any], order: IntArray) -> NDArray[np.bool_]:
    """Whether an item has the value of the one before it in an order, for all but the first; a
    block at a time, so that nothing larger than that is made."""
    equal = np.empty(max(len(order) - 1, 0), dtype=bool)
    for first in range(0, len(equal), BLOCK):
        sorted_values = values[order[first : first + BLOCK + 1]]
        equal[first : first + BLOCK] = sorted_values[1:] == sorted_values[:-1]
    return equal


def ranking(score: NDArray[np.float64], keys_of: KeysOf) -> IntArray:
    """Positions from the highest score to the lowest, ties by hash, (n_items,).

    keys_of   gives the keys of the items at some positions; only those of ties are asked for

    >>> tie = {1: (7, 0), 3: (5, 0)}
    >>> keys_of = lambda items: np.array([tie[item] for item in items.tolist()], dtype=np.uint64)
    >>> ranking(np.array([0.1, 0.5, 0.9, 0.5]), keys_of).tolist()
    [2, 3, 1, 0]
    """
    order = ascending(score, falling=True)
    again = follows(score, order)
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] |= again
    tied[:-1] |= again
    items = order[tied]
    if items.size:
        level = np.cumsum(~np.concatenate([[False], again])[tied]) - 1
        order[tied] = items[_within_levels(level, keys_of(items))]
    return order


def _within_levels(level: IntArray, keys: Keys) -> IntArray:
    """The order by level, then by key; levels are 0, 1, ... and ascend, (n_items,)."""
    bits = max(int(level[-1]).bit_length(), 1)
    first = keys[:, 0] >> np.uint64(bits)
    first |= level.astype(np.uint64) << np.uint64(64 - bits)
    order = ascending(first)
    if follows(first, order).any():  # hardly ever: the rest of a first word tells items apart
        order = np.lexsort((*keys.T[::-1], level))
    return order


def mid_ranks(score: NDArray[np.float64]) -> NDArray[np.signedinteger[Any]]:
    """Twice the rank of each item from the lowest score, counted from one half, ties in the middle
    of their ranks, (n_items,), a whole number from 1 to 2 n_items - 1.

    >>> mid_ranks(np.array([3.0, 1.0, 1.0, 2.0])).tolist()
    [7, 2, 2, 5]
    """
    order, number = ascending(score), len(score)
    starts = narrow(np.flatnonzero(np.append(number > 0, ~follows(score, order))), number)
    ranks = np.empty(number, dtype=narrow(np.zeros(0, dtype=np.int64), 2 * number).dtype)
    for first in range(0, len(starts), BLOCK):
        some = starts[first : first + BLOCK + 1].astype(np.int64)
        if len(some) <= BLOCK:
            some = np.append(some, number)
        ranks[order[some[0] : some[-1]]] = np.repeat(some[:-1] + some[1:], np.diff(some))
    return ranks


def mid_rank_share(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of items below each score, ties counted half, (n_items,), in (0, 1).

    >>> mid_rank_share(np.array([3.0, 1.0, 1.0, 2.0])).tolist()
    [0.875, 0.25, 0.25, 0.625]
    """
    return np.asarray(mid_ranks(score) / (2 * len(score)))
