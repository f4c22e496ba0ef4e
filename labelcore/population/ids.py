"""Item ids: text in file order, found by value without a Python object for each."""

from bisect import bisect_left
from collections.abc import Sequence
from hashlib import md5
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.arrays import let_pages_go, room
from labelcore.stats.md5 import Texts, md5_of_texts
from labelcore.stats.orders import ascending, follows

Hashes = NDArray[np.uint64]
Sought = tuple[Hashes, NDArray[np.signedinteger[Any]]]
FEW = 10_000
"""So many row numbers are hashed as they are asked for."""


class Ids(Protocol):
    """Positions 0, 1, ... to unique, non-empty text and back."""

    def __len__(self) -> int:
        """Number of items."""

    def at(self, position: int) -> str:
        """The id at a position from 0 to len - 1."""

    def find(self, item_id: str) -> int | None:
        """The position of an id; None when no item has it."""

    def some(self, positions: NDArray[np.int64]) -> list[str]:
        """The ids at some positions, in their order."""

    def all(self) -> list[str]:
        """Every id in file order."""

    def texts(self, positions: NDArray[np.int64] | None = None) -> Texts:
        """The ids at some positions, or every one, as bytes."""

    def hashes(self, positions: NDArray[np.int64] | None = None) -> Hashes:
        """The first 64 bits of the md5 of the ids at some positions, or of every one."""


class RowNumbers:
    """The ids "1", "2", ... of a file without an id column; their hashes are worked out once."""

    def __init__(self, n_items: int, hashes: Hashes | None = None) -> None:
        self._n_items, self._hashes = n_items, hashes

    def __len__(self) -> int:
        return self._n_items

    def at(self, position: int) -> str:
        return str(position + 1)

    def find(self, item_id: str) -> int | None:
        """The position when the text is a row number as we write it: "1", never "01"."""
        if not (item_id.isascii() and item_id.isdigit()) or len(item_id) > 18:
            return None
        position = int(item_id) - 1
        return position if 0 <= position < self._n_items and self.at(position) == item_id else None

    def some(self, positions: NDArray[np.int64]) -> list[str]:
        return [str(row) for row in (positions + 1).tolist()]

    def all(self) -> list[str]:
        return [str(row) for row in range(1, self._n_items + 1)]

    def texts(self, positions: NDArray[np.int64] | None = None) -> Texts:
        rows = np.arange(self._n_items) if positions is None else np.asarray(positions)
        return _bytes([pa.array(rows + 1).cast(pa.string())])

    def hashes(self, positions: NDArray[np.int64] | None = None) -> Hashes:
        if self._hashes is None:
            if positions is not None and len(positions) < FEW:
                return _hashes(self.texts(positions))
            self._hashes = _hashes(self.texts())
        return self._hashes if positions is None else self._hashes[positions]


class TextIds:
    """Ids from a column: one block of text, and of each a hash of 64 bits.

    sought   the hashes, and the positions in ascending order of them, (n_items,), where they are
             known already
    """

    def __init__(self, column: pa.ChunkedArray, sought: Sought | None = None) -> None:
        self._texts = column
        self._hashes, self._order = _sought(column) if sought is None else sought
        self._chunk_starts = np.cumsum([0, *(len(chunk) for chunk in column.chunks)])

    def __len__(self) -> int:
        return len(self._texts)

    def at(self, position: int) -> str:
        chunk = int(np.searchsorted(self._chunk_starts, position, side="right")) - 1
        text: str = self._texts.chunk(chunk)[position - int(self._chunk_starts[chunk])].as_py()
        return text

    def find(self, item_id: str) -> int | None:
        """The first position of an id; two ids of one hash are told apart by their text."""
        wanted, order = int(_hash(item_id)), self._order

        def hash_at(place: int) -> int:
            return int(self._hashes[order[place]])

        # NumPy would turn the whole order into wider numbers first.
        for place in range(bisect_left(range(len(order)), wanted, key=hash_at), len(order)):
            if hash_at(place) != wanted:
                return None
            if self.at(position := int(order[place])) == item_id:
                return position
        return None

    @property
    def kept(self) -> tuple[pa.ChunkedArray, Hashes, NDArray[np.signedinteger[Any]]]:
        """What it is made of: the texts, their hashes, and the positions in their order."""
        return self._texts, self._hashes, self._order

    def some(self, positions: NDArray[np.int64]) -> list[str]:
        return [self.at(position) for position in positions.tolist()]

    def all(self) -> list[str]:
        """Every id, as a new list."""
        texts: list[str] = self._texts.to_pylist()
        return texts

    def texts(self, positions: NDArray[np.int64] | None = None) -> Texts:
        return _bytes(self._texts.chunks if positions is None else [pa.array(self.some(positions))])

    def hashes(self, positions: NDArray[np.int64] | None = None) -> Hashes:
        """Those that are known."""
        return self._hashes if positions is None else self._hashes[positions]

    def repeats(self) -> dict[int, int]:
        """Position of every later row of a repeated id -> the position of its first row."""
        equal = np.flatnonzero(follows(self._hashes, self._order))
        suspects = np.unique(np.concatenate([self._order[equal], self._order[equal + 1]]))
        first_of: dict[str, int] = {}
        repeats: dict[int, int] = {}
        for position in suspects.tolist():
            first = first_of.setdefault(self.at(position), position)
            if first != position:
                repeats[position] = first
        return repeats


SEPARATOR, ESCAPE = "|", "\\"
"""Between the parts of an id, and before a sign of a part that is one of these two."""


def joined(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """One text for each row of several columns of text: no two rows that differ have the same."""
    escaped = []
    for column in columns:
        for sign in (ESCAPE, SEPARATOR):
            column = pc.replace_substring(column, sign, ESCAPE + sign)
        escaped.append(column.cast(pa.large_string()).combine_chunks())
    between = pa.scalar(SEPARATOR, pa.large_string())
    return pa.chunked_array([pc.binary_join_element_wise(*escaped, between)])


def id_of(parts: Sequence[str]) -> str:
    """The id of one row, from the texts of its columns."""
    return parts[0] if len(parts) == 1 else str(joined([pa.chunked_array([[x]]) for x in parts])[0])


def id_parts(item_id: str) -> list[str]:
    r"""What ``joined`` put together.

    >>> id_parts("a|b"), id_parts(r"a\|b"), id_parts(r"a\\|b")
    (['a', 'b'], ['a|b'], ['a\\', 'b'])
    """
    parts, escaped = [""], False
    for sign in item_id:
        if escaped or sign not in (SEPARATOR, ESCAPE):
            parts[-1] += sign
            escaped = False
        elif sign == ESCAPE:
            escaped = True
        else:
            parts.append("")
    return parts


class SomeIds:
    """The ids of some of the items, in the order of ``positions`` (n_some,)."""

    def __init__(self, ids: Ids, positions: NDArray[np.int64]) -> None:
        self._ids, self._positions = ids, positions

    def __len__(self) -> int:
        return len(self._positions)

    def at(self, position: int) -> str:
        return self._ids.at(int(self._positions[position]))

    def find(self, item_id: str) -> int | None:
        """The position among them; None when none of them has it."""
        whole = self._ids.find(item_id)
        at = np.flatnonzero(self._positions == (-1 if whole is None else whole))
        return int(at[0]) if at.size else None

    def some(self, positions: NDArray[np.int64]) -> list[str]:
        return self._ids.some(self._positions[positions])

    def all(self) -> list[str]:
        return self._ids.some(self._positions)

    def texts(self, positions: NDArray[np.int64] | None = None) -> Texts:
        places = self._positions if positions is None else self._positions[positions]
        return self._ids.texts(places)

    def hashes(self, positions: NDArray[np.int64] | None = None) -> Hashes:
        return self._ids.hashes(
            self._positions if positions is None else self._positions[positions]
        )


def _bytes(chunks: Sequence[pa.Array]) -> Texts:
    """Arrays of texts, one after another, as bytes."""
    parts, ends = [np.zeros(0, dtype=np.uint8)], [np.zeros(1, dtype=np.int64)]
    for chunk in (chunk for chunk in chunks if len(chunk)):
        wide = pa.types.is_large_string(chunk.type)
        kind, places = np.int64 if wide else np.int32, chunk.buffers()
        offsets = np.frombuffer(places[1], dtype=kind)[chunk.offset : chunk.offset + len(chunk) + 1]
        data = np.frombuffer(places[2] or b"", dtype=np.uint8)
        parts.append(data[offsets[0] : offsets[-1]])
        ends.append(offsets[1:].astype(np.int64) - offsets[0] + ends[-1][-1])
    return Texts(np.concatenate(parts), np.concatenate(ends))


def _sought(column: pa.ChunkedArray) -> Sought:
    """The hashes, and their order."""
    hashes, first = room(len(column), np.uint64), 0
    for chunk in column.chunks:
        hashes[first : first + len(chunk)] = _hashes(_bytes([chunk]))
        first += len(chunk)
    let_pages_go()
    return hashes, ascending(hashes)


def _hash(text: str) -> np.uint64:
    digest = md5(text.encode(errors="surrogatepass"), usedforsecurity=False).digest()
    return np.uint64(int.from_bytes(digest[:8], "big"))


def _hashes(texts: Texts) -> Hashes:
    """(n_texts,) hashes, the same in every process: the head of the md5."""
    return np.ascontiguousarray(md5_of_texts(b"", texts)[:, 0])
