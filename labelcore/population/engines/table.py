"""A table in an engine as a ``TableFile``: the columns of scores and predictions come out of it
once, into a file that is mapped; contents stay where they are and are looked up row by row."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from labelcore.population.arrays import opened
from labelcore.population.copies import TemporaryCopy
from labelcore.population.engines.engine import (
    ChangedRowError,
    Engine,
    EngineError,
    Tick,
    go_on,
    unique,
)
from labelcore.population.engines.sql import joined as joined_by
from labelcore.population.engines.sql import sql
from labelcore.population.ids import joined
from labelcore.population.table_file import TableFile
from labelcore.population.text import Columns, as_text

CHANGED = (
    "the row of the item {id!r} is not the one that was read: its {column} was changed; put it "
    "back, or read the table as another population"
)


class EngineTable(TableFile):
    """What ``read_values`` and a population ask of a file, answered by an engine.

    tick   is called several times a second while rows are read; what it raises ends the reading
    """

    def __init__(self, engine: Engine, tick: Tick = go_on) -> None:
        self.engine, self._tick = engine, tick
        self.columns = engine.columns
        self._rows = engine.count()
        self._files: list[tuple[TemporaryCopy, list[str]]] = []
        self._mapped: Columns = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without what another process maps anew, and what it does not call."""
        return {**vars(self), "_mapped": {}, "_tick": go_on}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.map_anew()

    def map_anew(self) -> None:
        """Let go of the pages that were read."""
        for file, names in self._files:
            self._mapped |= _mapped(file, names)

    def __len__(self) -> int:
        return self._rows

    def load(self, names: Sequence[str]) -> Columns:
        """These columns, mapped from a file that goes with them."""
        missing = [name for name in unique(names) if name not in self._mapped]
        if missing:
            file = _written(self.engine.items(missing, self._tick), self._rows)
            self._mapped |= _mapped(file, missing)
            self._files.append((file, missing))
        return {name: self._mapped[name] for name in unique(names)}

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same some rows at a time; nothing is kept of them."""
        for batch in self.engine.items(names):
            yield {name: pa.chunked_array([batch.column(name)]) for name in unique(names)}

    def first(self, number: int) -> list[dict[str, str]]:
        """All values of the first rows, as text."""
        columns = joined_by(", ", self.engine.selected(self.columns))
        some = sql(f"SELECT {{}} FROM {{}} LIMIT {int(number)}", columns, self.engine.table)
        return rows_of(pa.Table.from_batches(list(self.engine.stream(some))))

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row as text. Raises EngineError where it is not the row that was read."""
        ids = self.engine.id_columns
        item = self._id_at(position)
        row = self.engine.cells(position, item, unique([*names, *ids, *self._mapped]))
        for name, column in self._mapped.items():
            if row[name] != as_text(column.slice(position, 1))[0].as_py():
                kind = ChangedRowError if self.engine.place is None else EngineError
                raise kind(f"{self.engine.name}: " + CHANGED.format(id=item, column=name))
        return {name: row[name] for name in names}

    def digest(self) -> str:
        """SHA-256 of what was read, whatever the batches that it came in, hexadecimal."""
        whole = hashlib.sha256()
        for name, column in self._mapped.items():
            whole.update(f"{name}\n{column.type}\n".encode())
            whole.update(_digest(column))
        return whole.hexdigest()

    def _id_at(self, position: int) -> str:
        ids = self.load(self.engine.id_columns)
        parts = [as_text(column.slice(position, 1)) for column in ids.values()]
        if not parts:
            return str(position + 1)
        whole = parts[0] if len(parts) == 1 else joined(parts)
        text: str = whole[0].as_py()
        return text


def rows_of(table: pa.Table) -> list[dict[str, str]]:
    texts = [as_text(column).to_pylist() for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*texts, strict=True)]


def _written(batches: Iterator[pa.RecordBatch], rows: int) -> TemporaryCopy:
    """All batches in a file; an empty one where there is none."""
    file, writer, written = TemporaryCopy(".arrow"), None, 0
    try:
        for batch in batches:
            if writer is None:
                writer = pa.ipc.new_file(str(file.path), batch.schema)
            writer.write_batch(batch)
            written += batch.num_rows
    finally:
        if writer is not None:
            writer.close()
    if written != rows:
        raise EngineError(
            f"{written:,} rows were read and {rows:,} counted: the table is being changed"
        )
    return file


def _mapped(file: TemporaryCopy, names: Sequence[str]) -> Columns:
    if not file.path.stat().st_size:
        return {name: pa.chunked_array([], pa.null()) for name in names}
    table = pa.ipc.open_file(opened(file.path)).read_all()
    return {name: table.column(place) for place, name in enumerate(names)}


def _digest(column: pa.ChunkedArray) -> bytes:
    """Of lengths and contents for texts, of values for numbers; missing values have a sign of their
    own."""
    missing, lengths, contents = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for chunk in column.chunks:
        missing.update(np.asarray(chunk.is_null().to_numpy(zero_copy_only=False)).tobytes())
        if pa.types.is_floating(chunk.type) or pa.types.is_integer(chunk.type):
            contents.update(np.ascontiguousarray(chunk.fill_null(0).to_numpy()).tobytes())
            continue
        texts = as_text(pa.chunked_array([chunk])).combine_chunks().cast(pa.large_string())
        offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset :][
            : len(texts) + 1
        ]
        lengths.update(np.diff(offsets).tobytes())
        data = texts.buffers()[2]
        contents.update(memoryview(data)[offsets[0] : offsets[-1]] if data is not None else b"")
    return missing.digest() + lengths.digest() + contents.digest()
