"""Where the records of a delimited file start, by counting quotes instead of parsing.

A line break ends a record when an even number of quotes comes before it. That is right only where
every quote follows RFC 4180, which is checked for each; any doubt and the caller parses instead.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from labelcore.population.dialect import PLAIN, Dialect
from labelcore.population.limits import LONGEST_ROW, check_rows, long_row

BLOCK_BYTES = 1 << 23
NEWLINE, RETURN = b"\n\r"
NO_BYTE = 256


def _table(*allowed: int) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=bool)
    table[list(allowed)] = True
    return table


def scan_records(
    path: Path, dialect: Dialect = PLAIN, name: str | None = None
) -> NDArray[np.int64] | None:
    """Byte offsets of the records, (n_records + 1,): the header first, the end of the file last.

    Blank lines are no records. None when the file is not plain RFC 4180 in UTF-8: a quote that
    neither opens nor closes a field, a lone carriage return, a NUL byte, an open quote at the end.
    PopulationError, which calls the file ``name``, for too many rows or one that is too long.
    """
    scanner = _Scanner(dialect, name or path.name)
    with path.open("rb") as stream:
        block = stream.read(BLOCK_BYTES)
        if block.startswith(codecs.BOM_UTF8):
            block = block[len(codecs.BOM_UTF8) :] or stream.read(BLOCK_BYTES)
            scanner.position = len(codecs.BOM_UTF8)
        while block:
            if not scanner.feed(block):
                return None
            block = stream.read(BLOCK_BYTES)
    return scanner.close()


@dataclass
class _Lines:
    """The record ends of one block: (n_lines,) each."""

    ends: NDArray[np.int64]
    blank: NDArray[np.bool_]


class _Scanner:
    """Looks at a block with two bytes before and one after each position looked at."""

    def __init__(self, dialect: Dialect, name: str) -> None:
        self._name = name
        marks = (dialect.delimiter + dialect.quote).encode()
        self._quote = ord(dialect.quote) if dialect.quote else NO_BYTE
        self._before_opening = _table(NEWLINE, *marks)
        self._after_closing = _table(NEWLINE, RETURN, *marks)
        self.position = 0  # the file's offset of the first byte not yet looked at
        self._first: int | None = None
        self._record, self._records = 0, 0  # where the open record starts, how many were closed
        self._quotes = 0
        self._buffer = b"\n\n"  # two bytes looked at, then at most one not yet
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._lines: list[_Lines] = []

    def feed(self, block: bytes) -> bool:
        """Look at one more block; False when the file needs parsing."""
        if self._first is None:
            self._first = self._record = self.position
        return b"\0" not in block and self._is_utf8(block) and self._look(block)

    def close(self) -> NDArray[np.int64] | None:
        """The offsets, once every block was fed; None when the file needs parsing."""
        if self._first is None:
            return np.zeros(1, dtype=np.int64)
        ended = self._buffer.endswith(b"\n")
        if not self._is_utf8(b"", final=True) or not self._look(b"\n") or self._quotes % 2:
            return None
        end_of_file = self.position
        if not ended:
            self._look(b"\n")
        ends = np.concatenate([lines.ends for lines in self._lines])
        blank = np.concatenate([lines.blank for lines in self._lines])
        starts = np.concatenate([[self._first], ends[:-1] + 1])[~blank]
        return np.append(starts, end_of_file)

    def _is_utf8(self, block: bytes, final: bool = False) -> bool:
        pending = self._decoder.getstate()[0]
        if block.isascii() and not pending:
            return True
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError:
            return False
        return True

    def _look(self, block: bytes) -> bool:
        """Look at all bytes but the last, which waits for the byte after it."""
        data = np.frombuffer(self._buffer + block, dtype=np.uint8)
        seen = data[2:-1]
        quotes = np.flatnonzero(seen == self._quote)
        opening, closing = (quotes[self._quotes % 2 :: 2], quotes[1 - self._quotes % 2 :: 2])
        if (
            not self._before_opening[data[opening + 1]].all()
            or not self._after_closing[data[closing + 3]].all()
        ):
            return False
        returns = self._outside(np.flatnonzero(seen == RETURN), quotes)
        if (data[returns + 3] != NEWLINE).any():
            return False
        breaks = self._outside(np.flatnonzero(seen == NEWLINE), quotes)
        before, second_before = data[breaks + 1], data[breaks]
        blank = (before == NEWLINE) | ((before == RETURN) & (second_before == NEWLINE))
        self._lines.append(_Lines(breaks + self.position, blank))
        self._check_records(breaks + self.position + 1, blank, self.position + len(seen))
        self._quotes += len(quotes)
        self.position += len(seen)
        self._buffer = data[-3:].tobytes()
        return True

    def _check_records(
        self, ends: NDArray[np.int64], blank: NDArray[np.bool_], position: int
    ) -> None:
        lengths = np.diff(ends, prepend=self._record, append=position)
        if (long := np.flatnonzero(lengths > LONGEST_ROW)).size:
            before = self._records + int(np.count_nonzero(~blank[: long[0]]))
            hint = "; is a quote opened in it and never closed?" if self._quote != NO_BYTE else ""
            raise long_row(self._name, before or None, hint)
        self._records += int(np.count_nonzero(~blank))
        check_rows(self._name, self._records - 1)
        self._record = int(ends[-1]) if len(ends) else self._record

    def _outside(self, places: NDArray[np.int64], quotes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those places with an even number of quotes before them."""
        if not len(quotes):
            return places if self._quotes % 2 == 0 else places[:0]
        outside = (self._quotes + np.searchsorted(quotes, places)) % 2 == 0
        return np.compress(outside, places)
