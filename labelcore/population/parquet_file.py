"""Parquet files: columns by pyarrow; single rows from an unpacked copy of their row group."""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from labelcore.errors import Fault, PopulationError
from labelcore.population.copies import copies_folder
from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.limits import check_columns, check_rows, check_unpacked
from labelcore.population.text import Columns, as_text
from labelcore.population.typed import TypedTable

ROWS_AT_ONCE = 1 << 12
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


class ParquetFile(TypedTable):
    """A typed table.

    A row group must be unpacked as a whole to reach one row. The first row asked of it does that,
    in small batches, into a temporary file that is then mapped: later rows take microseconds and
    contents are never all in memory. The temporary files go with the object.
    """

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path, given: Mapping[str, Any] = NOTHING) -> None:
        self.path = path
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                metadata = file.metadata
                check_rows(path.name, metadata.num_rows)
                check_unpacked(path.name, _unpacked_bytes(metadata), path.stat().st_size)
                self.columns: tuple[str, ...] = tuple(file.schema_arrow.names)
        except UNREADABLE as error:
            raise _unreadable(path, error) from error
        check_columns(path.name, len(self.columns))
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self._ends = np.cumsum(sizes, dtype=np.int64)
        self._lock = threading.Lock()
        self._groups: dict[tuple[int, tuple[str, ...]], _UnpackedGroup] = {}

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """Nothing to choose."""
        return Form(PLAIN, cls.options)

    def __reduce__(self) -> tuple[type[ParquetFile], tuple[Path]]:
        return ParquetFile, (self.path,)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def load(self, names: Sequence[str]) -> Columns:
        """These columns, each (n_rows,), typed as in the file."""
        wanted = list(dict.fromkeys(names))
        try:
            with pyarrow.parquet.ParquetFile(self.path) as file:
                table = file.read(columns=wanted)
        except UNREADABLE as error:
            raise _unreadable(self.path, error) from error
        return {name: table.column(name) for name in wanted}

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same a few rows at a time."""
        wanted = list(dict.fromkeys(names))
        try:
            with pyarrow.parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE, columns=wanted):
                    yield {name: pa.chunked_array([batch.column(name)]) for name in wanted}
        except UNREADABLE as error:
            raise _unreadable(self.path, error) from error

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row as text; safe from several threads."""
        group = int(np.searchsorted(self._ends, position, side="right"))
        first = int(self._ends[group - 1]) if group else 0
        key = (group, tuple(dict.fromkeys(names)))
        with self._lock:
            if key not in self._groups:
                self._groups[key] = _UnpackedGroup(self.path, group, key[1])
            return self._groups[key].row(position - first)


class _UnpackedGroup:
    """Some columns of one row group as text, in small batches of a mapped temporary file."""

    def __init__(self, path: Path, group: int, names: Sequence[str]) -> None:
        folder = tempfile.TemporaryDirectory(dir=copies_folder())
        unpacked = Path(folder.name) / "group.arrow"
        schema = pa.schema([(name, pa.string()) for name in names])
        ends: list[int] = []
        try:
            with (
                pyarrow.parquet.ParquetFile(path) as file,
                pa.ipc.new_file(str(unpacked), schema) as writer,
            ):
                batches = file.iter_batches(ROWS_AT_ONCE, row_groups=[group], columns=list(names))
                for batch in batches:
                    texts = [as_text(pa.chunked_array([batch.column(name)])) for name in names]
                    for part in pa.table(texts, schema=schema).to_batches(ROWS_AT_ONCE):
                        writer.write_batch(part)
                        ends.append(part.num_rows + (ends[-1] if ends else 0))
        except UNREADABLE as error:
            raise _unreadable(path, error) from error
        mapped = pa.memory_map(str(unpacked))
        self._ends = np.array(ends, dtype=np.int64)
        self._reader = pa.ipc.open_file(mapped)
        self._place, self._first = -1, 0
        self._columns: dict[str, pa.Array] = {}
        self._remove = weakref.finalize(self, _release, mapped, folder)

    def row(self, position: int) -> dict[str, str]:
        place = int(np.searchsorted(self._ends, position, side="right"))
        if place != self._place:  # of thousands of columns, a batch takes long to open
            batch = self._reader.get_batch(place)
            self._place, self._first = place, int(self._ends[place]) - batch.num_rows
            self._columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        return {
            name: cells[position - self._first].as_py() for name, cells in self._columns.items()
        }


def _unpacked_bytes(metadata: pyarrow.parquet.FileMetaData) -> int:
    groups = range(metadata.num_row_groups)
    return sum(int(metadata.row_group(group).total_byte_size) for group in groups)


def _release(mapped: pa.MemoryMappedFile, folder: tempfile.TemporaryDirectory[str]) -> None:
    mapped.close()
    folder.cleanup()


def _unreadable(path: Path, error: Exception) -> PopulationError:
    what = "a text in it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
    rule = f"cannot be read as Parquet: {what}"
    return PopulationError([Fault(path.name, None, None, None, rule)])
