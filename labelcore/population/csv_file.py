"""Delimited text: columns by pyarrow, single rows by byte offset and the csv module.

pyarrow reads only files without a fault of structure and must find as many rows; any other file is
read by the csv module alone, which also finds the faults. A property test holds the two together.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from labelcore.errors import Fault, PopulationError
from labelcore.population.csv_scan import BLOCK_BYTES, scan_records
from labelcore.population.csv_walk import StructureFault, Walk, walk_records
from labelcore.population.dialect import NOTHING, Dialect, Form
from labelcore.population.limits import check_columns
from labelcore.population.sniff import detect_dialect, reader_options
from labelcore.population.text import Columns, joined, text_column
from labelcore.population.text_file import TextFile, lines_at, open_text
from labelcore.stats.orders import narrow

ROWS_AT_ONCE = 1 << 16


class DelimitedText:
    """A table of text: RFC 4180 quotes or none, UTF-8 with or without a byte order mark."""

    def __init__(self, text: TextFile, dialect: Dialect) -> None:
        self.text, self.dialect = text, dialect
        self.name = text.name
        self._header_rows = int(dialect.header)
        self._walk: Walk | None = None
        self._checked = False
        starts = scan_records(text.path, dialect, text.name)
        starts = self._walk_all() if starts is None else starts
        self._starts = narrow(starts, int(starts[-1]) + 1)
        if len(self._starts) == 1:
            empty = Fault(self.name, None, None, None, "the file is empty")
            raise PopulationError(self._found() or [empty])
        self.columns = tuple(self._names())
        check_columns(self.name, len(self.columns))
        places = reversed(list(enumerate(self.columns)))
        self._places = {name: place for place, name in places}  # the first of each name

    def __len__(self) -> int:
        return len(self._starts) - 1 - self._header_rows

    def load(self, names: Sequence[str]) -> Columns:
        """These columns as text, each (n_rows,)."""
        if self._walk is None or not self._walk.faults:
            columns = self._load_fast(names)
            if columns is not None:
                self._checked = True
                return columns
        if self._walk is None:
            self._starts = self._walk_all()
        return joined(names, self._by_row(names))

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same a few rows at a time, so that long texts are never all in memory."""
        return self._by_row(names) if self._walk is not None else self._by_block(names)

    def faults(self) -> list[Fault]:
        """Ragged rows, quotes that do not match, bytes that are no text: none for a sound file."""
        if not self._checked:
            self._check()
        return self._found()

    def _check(self) -> None:
        """Look for ragged rows, which counting quotes does not find."""
        try:
            rows = sum(batch.num_rows for batch in self._blocks(()))
        except pa.ArrowInvalid:
            rows = -1
        if rows != len(self):
            self._starts = self._walk_all()
        self._checked = True

    def _found(self) -> list[Fault]:
        if self._walk is None:
            return []
        found = self._walk.faults
        lines = self._lines_at(np.array([fault.offset for fault in found], dtype=np.int64))
        return [self._fault(fault, line) for fault, line in zip(found, lines, strict=True)]

    def broken_rows(self) -> frozenset[int]:
        """Rows with the wrong number of cells or text that cannot be read."""
        return frozenset() if self._walk is None else frozenset(self._walk.broken_rows)

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row, read from the file; each call opens the file, so threads do not meet."""
        row = self._record(position + self._header_rows)
        return {name: row[self._places[name]] for name in names}

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each row starts, as an editor counts."""
        return list(self._lines_at(self._starts[np.asarray(positions) + self._header_rows]))

    def _lines_at(self, offsets: NDArray[np.int64]) -> list[int]:
        return lines_at(self.text.path, offsets)

    def _fault(self, fault: StructureFault, line: int) -> Fault:
        row = None if fault.row is None else fault.row + 1
        return Fault(self.name, None, row, fault.value, fault.rule, line)

    def _names(self) -> list[str]:
        if self._walk is not None:
            first = next(walk_records(self.text, Walk(self._starts), self.dialect))
        else:
            first = self._record(0)
        if self.dialect.header:
            return first
        return [f"column {number}" for number in range(1, len(first) + 1)]

    def _record(self, record: int) -> list[str]:
        start, end = int(self._starts[record]), int(self._starts[record + 1])
        with self.text.path.open("rb") as stream:
            stream.seek(start)
            return _cells(stream.read(end - start), self.dialect)

    def _walk_all(self) -> NDArray[np.int64]:
        self._walk = Walk(np.zeros(1, dtype=np.int64))
        for _ in walk_records(self.text, self._walk, self.dialect):
            pass
        self._checked = True
        return self._walk.starts

    def _load_fast(self, names: Sequence[str]) -> Columns | None:
        """By pyarrow; None when it finds a ragged row or another number of rows than the scan."""
        try:
            table = pyarrow.csv.read_csv(self.text.path, **self._arrow_options(names))
        except pa.ArrowInvalid:
            return None
        if table.num_rows != len(self):
            return None
        return {name: table.column(self._place(name)) for name in names}

    def _by_block(self, names: Sequence[str]) -> Iterator[Columns]:
        """By pyarrow, for a file that it could load."""
        for batch in self._blocks(names):
            yield {name: pa.chunked_array([batch.column(self._place(name))]) for name in names}

    def _blocks(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with pyarrow.csv.open_csv(self.text.path, **self._arrow_options(names)) as batches:
            yield from batches

    def _place(self, name: str) -> str:
        """What pyarrow calls the column: names may be empty, and places are never the same."""
        return str(self._places[name])

    def _arrow_options(self, names: Sequence[str]) -> dict[str, Any]:
        wanted = list(dict.fromkeys(map(self._place, names))) or ["0"]
        longest = int(np.diff(self._starts).max())
        return {
            "read_options": pyarrow.csv.ReadOptions(
                column_names=[str(place) for place in range(len(self.columns))],
                skip_rows_after_names=self._header_rows,
                block_size=min(max(BLOCK_BYTES, 2 * longest), 2**31 - 1),
            ),
            "parse_options": pyarrow.csv.ParseOptions(
                delimiter=self.dialect.delimiter,
                quote_char=self.dialect.quote or False,
                newlines_in_values=True,
            ),
            "convert_options": pyarrow.csv.ConvertOptions(
                include_columns=wanted,
                column_types={place: pa.string() for place in wanted},
                strings_can_be_null=False,
            ),
        }

    def _by_row(self, names: Sequence[str]) -> Iterator[Columns]:
        """By the csv module."""
        places = {name: self._places[name] for name in names}
        records = walk_records(self.text, Walk(self._starts), self.dialect)
        for _ in range(self._header_rows):
            next(records)
        while rows := list(islice(records, ROWS_AT_ONCE)):
            yield {
                name: text_column([row[place] for row in rows]) for name, place in places.items()
            }


class CsvFile(DelimitedText):
    """A .csv, .tsv or .txt file, packed or not, in any dialect."""

    options = ("encoding", "delimiter", "decimal", "quote", "header")

    def __init__(self, path: Path, given: Mapping[str, Any] = NOTHING) -> None:
        text = open_text(path, given.get("encoding"))
        dialect = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        self.detected = detect_dialect(text.path, path.name, {"encoding": text.detected})
        super().__init__(text, dialect)

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """The dialect as far as it is not given."""
        text = open_text(path, given.get("encoding"))
        found = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        return Form(found, cls.options)


def _cells(raw: bytes, dialect: Dialect) -> list[str]:
    """The cells of one record."""
    text = raw.decode("utf-8")
    return next(csv.reader(io.StringIO(text, newline=""), **reader_options(dialect)))
