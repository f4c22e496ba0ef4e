"""Every record of a delimited file by the csv module: slower than scanning, finds every fault."""

from __future__ import annotations

import codecs
import csv
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from labelcore.population.dialect import PLAIN, Dialect
from labelcore.population.limits import LONGEST_ROW, check_rows, long_row
from labelcore.population.sniff import reader_options
from labelcore.population.text_file import TextFile

# The csv module refuses fields over 131,072 characters otherwise; a long document is one field.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))

RULES = {
    "unexpected end of data": "a quote opened in this row is never closed",
    "expected after '\"'": "text follows a closing quote; a quote inside quotes must be doubled",
    "new-line character seen in unquoted field": (
        "a lone carriage return stands outside quotes; lines must end with LF or CRLF"
    ),
}


@dataclass(frozen=True, slots=True)
class StructureFault:
    """A rule broken at a byte of the file; ``row`` None is the header, 0 the first data row."""

    row: int | None
    offset: int
    rule: str
    value: str | None = None


@dataclass
class Walk:
    """What a walk over the whole file found.

    starts       (n_records + 1,) byte offsets, the header (if any) first, the end of the file last
    faults       in file order
    broken_rows  data rows, counted from 0, whose cells mean nothing
    """

    starts: NDArray[np.int64]
    faults: list[StructureFault] = field(default_factory=list)
    broken_rows: set[int] = field(default_factory=set)


class _Lines(Iterator[str]):
    """The decoded lines of a file, and the offset of the next one; notes what is not text.

    start   where the record that the line belongs to starts
    """

    def __init__(self, stream: BinaryIO, text: TextFile, walk: Walk) -> None:
        self.name = text.name
        self._stream = stream
        self._text = text
        self._walk = walk
        self.offset = 0
        self.start = 0
        self.row: int | None = None
        if self._stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
            self.offset = len(codecs.BOM_UTF8)
        self._stream.seek(self.offset)

    def __next__(self) -> str:
        line = self._stream.readline(self.start + LONGEST_ROW + 1 - self.offset)
        if not line:
            raise StopIteration
        start, self.offset = self.offset, self.offset + len(line)
        if self.offset - self.start > LONGEST_ROW:
            row = None if self.row is None else self.row + 1
            raise long_row(self._text.name, row, "; is a quote opened in it and never closed?")
        if b"\0" in line:
            self.note(start + line.index(b"\0"), "the file holds a NUL byte; it is not a text file")
            line = line.replace(b"\0", b" ")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = start + error.start
            self.note(byte, *self._text.not_text(byte, line[error.start]))
            return line.decode("utf-8", errors="replace")

    def note(self, offset: int, rule: str, value: str | None = None) -> None:
        self._walk.faults.append(StructureFault(self.row, offset, rule, value))
        if self.row is not None:
            self._walk.broken_rows.add(self.row)


def walk_records(text: TextFile, walk: Walk, dialect: Dialect = PLAIN) -> Iterator[list[str]]:
    """The header and then each data row; a broken row gives empty cells.

    ``walk`` is filled on the way and complete when the iterator is exhausted; nothing follows a
    first row that cannot be read. Quotes are as in RFC 4180, but a quote inside an unquoted field
    stands for itself. Blank lines are no records.
    """
    with text.path.open("rb") as stream:
        yield from _walk_lines(_Lines(stream, text, walk), walk, dialect)


def _walk_lines(lines: _Lines, walk: Walk, dialect: Dialect) -> Iterator[list[str]]:
    reader = csv.reader(lines, **reader_options(dialect))
    starts = array("q")
    n_columns: int | None = None
    while True:
        start = lines.start = lines.offset
        row = len(starts) - int(dialect.header)
        lines.row = None if row < 0 else row
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            lines.note(start, _rule(error))
            if n_columns is None:
                return
            cells = []
        else:
            if not cells:
                continue
            if n_columns is not None and len(cells) != n_columns:
                lines.note(start, f"a row must have {n_columns} cells, got {len(cells)}")
        starts.append(start)
        check_rows(lines.name, row + 1)
        n_columns = len(cells) if n_columns is None else n_columns
        yield [""] * n_columns if lines.row in walk.broken_rows else cells
    walk.starts = np.append(np.frombuffer(starts, dtype=np.int64), lines.offset)


def _rule(error: csv.Error) -> str:
    for part, rule in RULES.items():
        if part in str(error):
            return rule
    return f"the row cannot be read: {error}"
