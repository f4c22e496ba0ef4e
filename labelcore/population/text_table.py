"""A file of text as a table: DuckDB reads columns; single rows lie in a packed copy.

What DuckDB cannot read, or reads otherwise than it is meant, is read once more by an exact pass in
Python, which names every fault; what is sound in it is written anew, so that DuckDB reads it.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.contents import Contents, write_contents
from labelcore.population.copies import TemporaryCopy
from labelcore.population.dialect import Dialect
from labelcore.population.duck import Duck, DuckError, said_by
from labelcore.population.engines.sql import Piece, joined, sql
from labelcore.population.limits import check_rows, refusal
from labelcore.population.text import Columns
from labelcore.population.text_file import MARKS

ROWS_AT_ONCE, SURVEYED = 8192, 1 << 17
NO_VALUE = "\x01no value\x02"
"""What no file holds as a missing value: an empty cell is a text."""


@dataclass
class Rewritten:
    """What an exact pass over a file found, and what is sound in it, written anew.

    lines    the line on which each row starts
    faults   in the order of the file
    broken   rows, counted from 0, whose cells mean nothing
    longest  bytes of a row
    """

    copy: TemporaryCopy
    lines: Sequence[int]
    faults: Sequence[Fault]
    broken: frozenset[int]
    longest: int


class TextTable(ABC):
    """Rows of text; ``TableFile`` says what each method is for.

    rows    what stands behind FROM: columns of text called "0", "1", ...
    width   their number
    """

    name: str
    columns: tuple[str, ...]
    dialect: Dialect
    detected: Dialect
    width: int

    def __init__(self, rows: Piece) -> None:
        self.rows = rows
        self._again: Rewritten | None = None
        self._count: int | None = None
        self._copy: tuple[TemporaryCopy, Contents] | None = None
        self._lock = threading.Lock()
        self._duck: Duck | None = None

    def _named(self, name: str, columns: Sequence[str]) -> None:
        self.name, self.columns = name, tuple(columns)

    def __getstate__(self) -> dict[str, Any]:
        """Without what another process opens anew."""
        return {**vars(self), "_duck": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def __len__(self) -> int:
        if self._count is None:
            self.faults()
        return self._count or 0

    @property
    def duck(self) -> Duck:
        """Its connection."""
        if self._duck is None:
            self._duck = Duck()
        return self._duck

    @abstractmethod
    def load(self, names: Sequence[str]) -> Columns:
        """These columns as text, each (n_rows,)."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same some rows at a time, so that long texts are never all in memory."""

    @abstractmethod
    def first(self, number: int) -> list[dict[str, str]]:
        """All cells of the first rows."""

    def _lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each of these rows starts, of a file that was not written anew."""
        return [None] * len(positions)

    @abstractmethod
    def _row(self, row: Sequence[str], names: Sequence[str]) -> dict[str, str]:
        """The named cells of a row of ``rows``, of the columns that ``_places`` says."""

    @abstractmethod
    def _places(self, names: Sequence[str]) -> list[int]:
        """The columns of ``rows`` in which these cells stand."""

    def faults(self) -> list[Fault]:
        """All that is wrong with the structure of the file."""
        if self._count is None:
            self.load(())
        return [] if self._again is None else list(self._again.faults)

    def broken_rows(self) -> frozenset[int]:
        """Rows that cannot be read."""
        return frozenset() if self._again is None else self._again.broken

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each row starts, as an editor counts."""
        if self._again is not None:
            return [self._again.lines[position] for position in positions.tolist()]
        return self._lines(positions)

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row, from a packed copy; safe from several threads."""
        names = list(dict.fromkeys(names))
        places = list(map(str, self._places(names)))
        row = self._packed.row(position, places)
        return self._row([row[place] for place in places], names)

    @property
    def _packed(self) -> Contents:
        """All rows in a packed copy, which is made when it is first asked for. Raises OSError."""
        with self._lock:
            if self._copy is None:
                copy = TemporaryCopy(".contents")
                names = [str(place) for place in range(self.width)]
                batches = (_columns(names, batch) for batch in self._every())
                try:
                    ends = write_contents(copy.path, names, batches)
                except DuckError as error:
                    raise OSError(said_by(error)) from error
                self._copy = copy, Contents(copy.path, ends)
        return self._copy[1]

    def _every(self) -> Iterator[pa.RecordBatch]:
        """All of ``rows``, some at a time."""
        query = sql("SELECT {} FROM {}", joined(", ", map(column_at, range(self.width))), self.rows)
        return self.duck.stream(query, rows=ROWS_AT_ONCE)

    def _counted(self, rows: int) -> None:
        check_rows(self.name, rows)
        self._count = rows

    def _cannot(self, error: DuckError) -> Exception:
        return refusal(self.name, f"the file cannot be read: {said_by(error)}")


def column_at(place: int) -> Piece:
    return Piece(f'"{place}"')


def _columns(names: Sequence[str], batch: pa.RecordBatch) -> Columns:
    columns = zip(names, batch.columns, strict=True)
    return {name: pa.chunked_array([column]) for name, column in columns}


@dataclass(frozen=True, slots=True)
class Survey:
    """What the bytes of a file say about it.

    lines      how many, quoted ends of lines included
    plain      without NUL and lone carriage returns
    returns    whether carriage returns stand before ends of lines
    doubtful   whether there may be what DuckDB drops: spaces beside quotes, a delimiter at the end
               of a line
    ended      whether the last line has an end
    mark       the byte order mark
    """

    lines: int
    plain: bool
    returns: bool
    doubtful: bool
    ended: bool
    mark: bytes


def survey(path: Path, dialect: Dialect | None = None) -> Survey:
    """One pass over the bytes."""
    delimiter, quote = (ord(sign) if sign else NO_BYTE for sign in _marks(dialect))
    lines, alone, plain, returns, doubtful = 0, 0, True, False, False
    before, mark = b"", b""
    with path.open("rb") as stream:
        while block := stream.read(SURVEYED):
            mark = mark or next((bom for bom in MARKS if not before and block.startswith(bom)), b"")
            # The last byte that was looked at is looked at once more: none stood behind it.
            both = (before or b"\n\n") + block
            data = np.frombuffer(both, dtype=np.uint8)
            end = data[2:] == NEWLINE
            lines += int(np.count_nonzero(end))
            plain = plain and b"\0" not in block
            if b"\r" in both:
                returns = True
                alone += block.count(b"\r") - both.count(b"\r\n", 1)
            if not doubtful:
                doubtful = _doubtful(data, end, delimiter, quote)
            before = both[-2:]
    ended = before[-1:] in (b"\n", b"")
    doubtful = doubtful or (not ended and before[-1] == delimiter)
    return Survey(lines + int(not ended), plain and not alone, returns, doubtful, ended, mark)


def _doubtful(data: NDArray[np.uint8], end: NDArray[np.bool_], delimiter: int, quote: int) -> bool:
    """Whether a delimiter stands before an ``end``, or before the return that is part of it; or a
    space beside a quote."""
    last = data == delimiter
    if (last[1:-1] & end).any() or (last[:-2] & (data[1:-1] == RETURN) & end).any():
        return True
    marks, space = data == quote, (data == SPACE) | (data == TAB)
    return bool((marks[1:] & space[:-1]).any() or (marks[:-1] & space[1:]).any())


def _marks(dialect: Dialect | None) -> tuple[str, str]:
    return ("", "") if dialect is None else (dialect.delimiter, dialect.quote)


NO_BYTE, TAB, NEWLINE, RETURN, SPACE = 256, *b"\t\n\r "
