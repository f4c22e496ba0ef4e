"""Every record of a delimited file by the csv module: slow, and finds every fault."""

import codecs
import csv
import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from labelcore.population.dialect import Dialect
from labelcore.population.limits import LONGEST_ROW, long_row
from labelcore.population.sniff import reader_options
from labelcore.population.text_file import TextFile
from labelcore.population.text_table import Walk

# The csv module refuses fields over 131,072 characters otherwise; a long document is one field.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))

RULES = {
    "unexpected end of data": "a quote opened in this row is never closed",
    "expected after '\"'": "text follows a closing quote; a quote inside quotes must be doubled",
    "new-line character seen in unquoted field": (
        "a lone carriage return stands outside quotes; lines must end with LF or CRLF"
    ),
}
Records = Iterable[tuple[int, list[str]]]
"""The line on which each record starts, and its cells."""


class _Lines(Iterator[str]):
    """The decoded lines of a file, and how many there were; notes what is not text.

    length   of the record so far, in bytes
    """

    def __init__(self, stream: BinaryIO, text: TextFile, walk: Walk) -> None:
        self._stream, self._text, self._walk = stream, text, walk
        self.line, self.length, self._offset = 0, 0, 0
        if stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
            self._offset = len(codecs.BOM_UTF8)
        stream.seek(self._offset)

    def __next__(self) -> str:
        line = self._stream.readline(LONGEST_ROW + 1 - self.length)
        if not line:
            raise StopIteration
        start, self._offset = self._offset, self._offset + len(line)
        self.line, self.length = self.line + 1, self.length + len(line)
        if self.length > LONGEST_ROW:
            row = None if self._walk.row is None else self._walk.row + 1
            raise long_row(self._text.name, row, "; is a quote opened in it and never closed?")
        if b"\0" in line:
            self._walk.note(self.line, "the file holds a NUL byte; it is not a text file")
            line = line.replace(b"\0", b" ")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            self._walk.note(self.line, *self._text.not_text(start + error.start, line[error.start]))
            return line.decode("utf-8", errors="replace")


def walk_records(text: TextFile, walk: Walk, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The header, if there is one, and each data row; nothing follows a first row that cannot be
    read.

    Quotes are as in RFC 4180, but a quote inside an unquoted field stands for itself. Blank lines
    are no records, nor is a first one that tells the separator.
    """
    with text.path.open("rb") as stream:
        lines = _Lines(stream, text, walk)
        reader = csv.reader(lines, **reader_options(dialect))
        row = -int(dialect.header)
        first = row
        while True:
            line, lines.length = lines.line + 1, 0
            walk.row = None if row < 0 else row
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                walk.note(line, _rule(error))
                if row == first:
                    return
                cells = []
            else:
                if not cells or (line == 1 and cells[0].lower() == "sep=" and cells[1:] == [""]):
                    continue
            row += 1
            yield line, cells


def checked(walk: Walk, records: Records, header: bool) -> Iterator[list[str]]:
    """The data rows, each with as many cells as the first record; empty ones for a broken row."""
    width = 0
    for row, (line, cells) in enumerate(records, -int(header)):
        width = width or len(cells)
        if row < 0:
            continue
        if len(cells) != width and row not in walk.broken:
            walk.row = row
            walk.note(line, f"a row must have {width} cell{'s' * (width > 1)}, got {len(cells)}")
        walk.lines.append(line)
        yield [""] * width if row in walk.broken else cells


def _rule(error: csv.Error) -> str:
    for part, rule in RULES.items():
        if part in str(error):
            return rule
    return f"the row cannot be read: {error}"
