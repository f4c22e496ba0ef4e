"""Arrays of any lengths in one file, mapped and not read when it is opened.

The file is a stream of Arrow's with one row and a list in each column, and the CRC-32 of all of it
behind its end. Whoever opens it gets the arrays as they lie on the disk; several sessions and
processes share one copy of them in memory.
"""

import io
import json
import mmap
import os
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from labelcore.population.copies import TemporaryCopy
from labelcore.whole_file import whole_file

LAYOUT = 3
"""The version of what is written; a file of another one is not read."""
META = b"labelcore"
CHECKED_AT_ONCE = 1 << 22
SUM_BYTES = 4
MANY = 5_000_000
"""So many items are worked on in files that are mapped, not in memory."""
MAPPED = WeakKeyDictionary[mmap.mmap, TemporaryCopy | None]()
"""Files that are mapped, with the temporary one that goes then."""
Array: TypeAlias = NDArray[Any] | pa.Array
UNREADABLE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, IndexError)


def room(number: int, kind: type[np.generic]) -> NDArray[Any]:
    """An array to fill: in memory, or for many items in a temporary file that is mapped and goes
    with it. Raises OSError where the disk has no room for that."""
    if number < MANY or not hasattr(os, "posix_fallocate"):
        return np.empty(number, dtype=kind)
    file, size = TemporaryCopy(".room"), number * np.dtype(kind).itemsize
    with file.path.open("r+b") as stream:
        os.posix_fallocate(stream.fileno(), 0, size)  # A full disk must not end the process later.
        mapped = mmap.mmap(stream.fileno(), size)
    MAPPED[mapped] = file
    return np.frombuffer(mapped, dtype=kind)


def opened(path: Path) -> pa.NativeFile:
    """A file that is mapped, to read from; Windows lets no file that is mapped or open be erased or
    replaced, so there for a look. Raises OSError; ValueError for an empty one."""
    if sys.platform == "win32":
        return pa.OSFile(str(path))
    with path.open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    MAPPED[mapped] = None
    return pa.BufferReader(pa.py_buffer(mapped))


def let_pages_go() -> None:
    """Leave the pages of mapped files to the system, which may drop them: they are this process's
    again when it looks at them."""
    if hasattr(mmap, "MADV_DONTNEED"):
        for pages in list(MAPPED):
            pages.madvise(mmap.MADV_DONTNEED)


def write_arrays(path: Path, arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> None:
    """Write all of it, or nothing; whoever writes the same at the same time does not matter.

    arrays   numbers of any shape, or texts of Arrow; meta: JSON values

    Raises OSError.
    """
    columns, forms = [], {}
    for name, array in arrays.items():
        values = array
        if isinstance(array, np.ndarray):
            forms[name] = [array.dtype.str, list(array.shape)]
            plain = np.ascontiguousarray(array).reshape(-1)
            values = pa.array(plain.view(np.uint8) if plain.dtype == np.bool_ else plain)
        ends = pa.array([0, len(values)], pa.int64())
        columns.append(pa.LargeListArray.from_arrays(ends, values))
    text = json.dumps({"layout": LAYOUT, "forms": forms, "meta": dict(meta)})
    batch = pa.RecordBatch.from_arrays(columns, list(arrays))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    schema = batch.schema.with_metadata({META: text.encode()})
    with whole_file(path) as stream:
        with pa.ipc.new_stream(_Written(stream), schema) as writer:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
        stream.write(_sum(stream, stream.seek(0, os.SEEK_END)))
    let_pages_go()


class _Written(io.RawIOBase):
    """A stream that lets go of the pages that were written to it, column by column."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        let_pages_go()
        return self._stream.write(data)


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """The arrays, which nobody may write to, and what was said with them; None where there is no
    such file, or it is not, byte by byte, what ``write_arrays`` of this version wrote."""
    try:
        with path.open("rb") as stream:
            length = stream.seek(0, os.SEEK_END) - SUM_BYTES
            if _sum(stream, length) != stream.read():
                return None
        reader = pa.ipc.open_stream(opened(path))
        meta = json.loads(reader.schema.metadata[META])
        if meta["layout"] != LAYOUT:
            return None
        batch, forms = reader.read_next_batch(), meta["forms"]
        arrays: dict[str, Array] = {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            values = column.values
            if name not in forms:
                arrays[name] = values
                continue
            kind, shape = forms[name]
            plain = values.to_numpy(zero_copy_only=True)
            arrays[name] = plain.view(np.dtype(kind)).reshape(shape)
        return arrays, meta["meta"]
    except UNREADABLE:
        return None


def _sum(stream: BinaryIO, length: int) -> bytes:
    """The CRC-32 of the first ``length`` bytes; the stream stands behind them then."""
    stream.seek(0)
    checksum = 0
    while length > 0:
        block = stream.read(min(length, CHECKED_AT_ONCE))
        if not block:
            break
        checksum, length = zlib.crc32(block, checksum), length - len(block)
    return checksum.to_bytes(SUM_BYTES, "big")
