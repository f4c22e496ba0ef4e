"""CSV files, gzipped or not: columns by pyarrow, single rows by byte offset and the csv module.

pyarrow reads only files without a fault of structure and must find as many rows; any other file is
read by the csv module alone, which also finds the faults. A property test holds the two together.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from labelcore.errors import Fault, PopulationError
from labelcore.population.csv_scan import BLOCK_BYTES, scan_records
from labelcore.population.csv_walk import StructureFault, Walk, walk_records

ROWS_AT_ONCE = 1 << 16


class CsvFile:
    """A table of text: commas, RFC 4180 quotes, UTF-8 with or without a byte order mark."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = path.name if name is None else name
        self._walk: Walk | None = None
        starts = scan_records(path)
        self._starts = self._walk_all() if starts is None else starts
        if len(self._starts) == 1:
            empty = Fault(self.name, None, None, None, "the file is empty")
            raise PopulationError(self.faults() or [empty])
        self.columns = tuple(self._header())
        if rule := separator_rule(self.columns):
            raise PopulationError([Fault(self.name, None, None, None, rule), *self.faults()])

    def __len__(self) -> int:
        return len(self._starts) - 2

    def load(self, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """These columns as text, each (n_rows,); a first load also finds ragged rows."""
        if self._walk is None or not self._walk.faults:
            columns = self._load_fast(names)
            if columns is not None:
                return columns
        if self._walk is None:
            self._starts = self._walk_all()
        return self._load_by_row(names)

    def faults(self) -> list[Fault]:
        """Ragged rows, quotes that do not match, bytes that are no text: none for a sound file."""
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
        row = self._record(position + 1)
        return {name: row[self.columns.index(name)] for name in names}

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each row starts, as an editor counts."""
        return list(self._lines_at(self._starts[np.asarray(positions) + 1]))

    def _fault(self, fault: StructureFault, line: int) -> Fault:
        row = None if fault.row is None else fault.row + 1
        return Fault(self.name, None, row, fault.value, fault.rule, line)

    def _header(self) -> list[str]:
        if self._walk is not None:
            return next(walk_records(self.path, Walk(self._starts)))
        return self._record(0)

    def _record(self, record: int) -> list[str]:
        start, end = int(self._starts[record]), int(self._starts[record + 1])
        with self.path.open("rb") as stream:
            stream.seek(start)
            text = stream.read(end - start).decode("utf-8")
        return next(csv.reader(io.StringIO(text, newline=""), strict=True))

    def _walk_all(self) -> NDArray[np.int64]:
        self._walk = Walk(np.zeros(1, dtype=np.int64))
        for _ in walk_records(self.path, self._walk):
            pass
        return self._walk.starts

    def _load_fast(self, names: Sequence[str]) -> dict[str, pa.ChunkedArray] | None:
        """By pyarrow; None when it finds a ragged row or another number of rows than the scan."""
        places = {name: str(self.columns.index(name)) for name in names}
        wanted = list(dict.fromkeys(places.values())) or ["0"]
        longest = int(np.diff(self._starts).max())
        try:
            table = pyarrow.csv.read_csv(
                self.path,
                read_options=pyarrow.csv.ReadOptions(
                    column_names=[str(place) for place in range(len(self.columns))],
                    skip_rows_after_names=1,
                    block_size=min(max(BLOCK_BYTES, 2 * longest), 2**31 - 1),
                ),
                parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=wanted,
                    column_types={place: pa.string() for place in wanted},
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        if table.num_rows != len(self):
            return None
        return {name: table.column(place) for name, place in places.items()}

    def _load_by_row(self, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """By the csv module."""
        places = {name: self.columns.index(name) for name in names}
        chunks: dict[str, list[pa.Array]] = {name: [] for name in names}
        records = walk_records(self.path, Walk(self._starts))
        next(records)
        while rows := list(islice(records, ROWS_AT_ONCE)):
            for name, place in places.items():
                cells = [row[place] for row in rows]
                chunks[name].append(pa.array(cells, type=pa.string()))
        return {name: pa.chunked_array(parts, pa.string()) for name, parts in chunks.items()}

    def _lines_at(self, offsets: NDArray[np.int64]) -> list[int]:
        """The line of each byte offset, in one pass over the file."""
        order = np.argsort(offsets, kind="stable")
        lines = np.ones(len(offsets), dtype=np.int64)
        breaks_before, position = 0, 0
        with self.path.open("rb") as stream:
            while len(offsets) and (block := stream.read(BLOCK_BYTES)):
                breaks = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
                first, last = np.searchsorted(offsets[order], [position, position + len(block)])
                here = order[first:last]
                lines[here] += breaks_before + np.searchsorted(breaks, offsets[here] - position)
                breaks_before += len(breaks)
                position += len(block)
        return [int(line) for line in lines]


class GzippedCsvFile(CsvFile):
    """A gzipped CSV file: unpacked once into a temporary file, which goes with the object."""

    def __init__(self, path: Path) -> None:
        handle, unpacked = tempfile.mkstemp(prefix="labelcore-", suffix=".csv")
        weakref.finalize(self, _remove, unpacked)
        with os.fdopen(handle, "wb") as target:
            _unpack(path, target)
        super().__init__(Path(unpacked), name=path.name)


def separator_rule(columns: Sequence[str]) -> str | None:
    """What is wrong with a header that another character than the comma separates.

    >>> separator_rule(["id;text;score"])
    'the header is one column that contains 2 ";": the file seems to be separated by ";", commas
    are needed'
    """
    for mark, name in ((";", '";"'), ("\t", '"tab"')):
        if len(columns) == 1 and mark in columns[0]:
            return (
                f"the header is one column that contains {columns[0].count(mark)} {name}: the "
                f"file seems to be separated by {name}, commas are needed"
            )
    return None


def _unpack(path: Path, target: io.BufferedWriter) -> None:
    try:
        with gzip.open(path, "rb") as source:
            shutil.copyfileobj(source, target, BLOCK_BYTES)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        rule = f"cannot be unpacked as gzip: {error}"
        raise PopulationError([Fault(path.name, None, None, None, rule)]) from error


def _remove(path: str) -> None:
    Path(path).unlink(missing_ok=True)
