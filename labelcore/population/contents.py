"""What people judge, and what is looked up beside it: the texts of a file, packed in one of ours.

Whoever shows an item unpacks the few rows that were written with it, and never opens the file that
somebody made.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labelcore.population.arrays import opened
from labelcore.population.text import Columns, as_text, joined
from labelcore.stats.arrays import IntArray
from labelcore.whole_file import link_or_copy, whole_file

SUFFIX = ".contents"
TOGETHER = 1 << 18
"""Bytes of text that are packed together; a row is never split."""
ROW = 64
"""Bytes that a row counts beside its text, so that empty ones are not packed without end."""
Ends = IntArray


class Contents:
    """Texts by row, read from a file of Arrow that ``write_contents`` wrote.

    ends   the row after the last one of each batch, (n_batches,)

    Opening it raises OSError where there is no such file, ValueError for another one. Safe from
    several threads.
    """

    def __init__(self, path: Path, ends: Ends) -> None:
        self.path, self.ends = path, ends
        reader = pa.ipc.open_file(opened(path))
        if reader.num_record_batches != len(ends):
            raise ValueError(f"{path}: it holds other rows than its snapshot")
        self.columns = tuple(reader.schema.names)
        self._mapped = None if sys.platform == "win32" else reader
        self._lock = threading.Lock()
        self._place = -1
        self._rows: dict[str, pa.Array] = {}

    def __reduce__(self) -> tuple[type[Contents], tuple[Path, Ends]]:
        return Contents, (self.path, self.ends)

    def row(self, position: int, names: Sequence[str]) -> dict[str, str]:
        place = int(np.searchsorted(self.ends, position, side="right"))
        with self._lock:
            if place != self._place:
                self._rows = self._unpacked(place)
                self._place = place
            rows = self._rows
        first = int(self.ends[place - 1]) if place else 0
        return {name: rows[name][position - first].as_py() for name in names}

    def load(self, names: Sequence[str]) -> Columns:
        return joined(names, self.batches(names)) if names else {}

    def batches(self, names: Sequence[str] = ()) -> Iterator[Columns]:
        """These columns, or all, some rows at a time."""
        fields = sorted({self.columns.index(name) for name in names})
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        reader = pa.ipc.open_file(opened(self.path), options=options)
        for place in range(len(self.ends)):
            batch = reader.get_batch(place)
            columns = zip(batch.schema.names, batch.columns, strict=True)
            yield {name: pa.chunked_array([column]) for name, column in columns}

    def reader(self) -> pa.RecordBatchReader:
        """All of them, batch by batch."""
        file = pa.ipc.open_file(opened(self.path))
        batches = (file.get_batch(place) for place in range(len(self.ends)))
        return pa.RecordBatchReader.from_batches(file.schema, batches)

    def _unpacked(self, place: int) -> dict[str, pa.Array]:
        batch = (self._mapped or pa.ipc.open_file(opened(self.path))).get_batch(place)
        return dict(zip(self.columns, batch.columns, strict=True))


def write_contents(file: Path, names: Sequence[str], batches: Iterable[Columns]) -> Ends:
    """Write these columns, all of it or nothing; the ends of the batches. Raises OSError."""
    schema = pa.schema([(name, pa.string()) for name in names])
    packed: Any = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))
    ends = [0]
    with (
        whole_file(file) as stream,
        pa.ipc.new_file(pa.PythonFile(stream, "w"), schema, options=packed) as writer,
    ):
        for columns in batches:
            texts = [as_text(columns[name]).combine_chunks() for name in names]
            for batch in _split(pa.RecordBatch.from_arrays(texts, schema=schema)):
                writer.write_batch(batch)
                ends.append(ends[-1] + batch.num_rows)
    return np.array(ends[1:], dtype=np.int64)


def copy_contents(file: Path, contents: Contents) -> Ends:
    """The same in another file. Raises OSError."""
    link_or_copy(contents.path, file)
    return contents.ends


def _split(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Parts of about TOGETHER bytes."""
    sizes = np.full(batch.num_rows, ROW, dtype=np.int64)
    for column in batch.columns:
        sizes += pc.binary_length(column).to_numpy(zero_copy_only=False)
    parts = np.cumsum(sizes) // TOGETHER
    starts = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), batch.num_rows]
    for first, after in pairwise(starts):
        if after > first:
            yield batch.slice(first, after - first)
