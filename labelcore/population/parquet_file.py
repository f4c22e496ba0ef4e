"""Parquet files, by DuckDB; one with lists or objects in its cells is read as JSON Lines are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.errors import PopulationError
from labelcore.population.copies import TemporaryCopy
from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import EngineError
from labelcore.population.engines.table import EngineTable, rows_of
from labelcore.population.json_file import JsonTable, lines_of
from labelcore.population.limits import check_columns, check_rows, check_unpacked, refusal
from labelcore.population.text import as_text

UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
ROWS_AT_ONCE = 1 << 12


class ParquetFile(EngineTable):
    """A single file, where it lies: columns are mapped as they are read, rows are looked up."""

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        path: Path,
        given: Mapping[str, Any] = NOTHING,
        wanted: Mapping[str, bool] = NOTHING,
    ) -> None:
        try:
            super().__init__(DuckEngine(path.name, [str(path)]))
        except EngineError as error:
            raise _unreadable(path, error) from error

    def first(self, number: int) -> list[dict[str, str]]:
        """By pyarrow: of ten thousands of columns DuckDB would hold two thousand rows each."""
        path = self.engine.files[0]
        try:
            with pq.ParquetFile(path) as file:
                batches = islice(file.iter_batches(number), 1)
                return rows_of(pa.Table.from_batches(batches, file.schema_arrow))
        except UNREADABLE as error:
            raise _unreadable(path, error) from error

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """Nothing to choose."""
        return Form(PLAIN, cls.options)


class NestedParquet(JsonTable):
    """A single file with lists or objects in its cells, written anew as an object a line."""

    options: ClassVar[tuple[str, ...]] = ()
    dialect = detected = PLAIN

    def __init__(
        self,
        path: Path,
        given: Mapping[str, Any] = NOTHING,
        wanted: Mapping[str, bool] = NOTHING,
    ) -> None:
        self._lines_copy, longest = TemporaryCopy(".jsonl"), 0
        try:
            with pq.ParquetFile(path) as file, self._lines_copy.path.open("w") as stream:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    for line in json_lines(pa.Table.from_batches([batch])):
                        longest = max(longest, len(line))
                        stream.write(line)
        except UNREADABLE as error:
            raise _unreadable(path, error) from error
        super().__init__(path.name, lines_of(self._lines_copy.path, 4 * longest), wanted)
        self.look()


def json_lines(table: pa.Table) -> Iterable[str]:
    """Each row as a line of JSON: lists and objects as they are, all else as text."""
    cells = [
        [_plain(one) for one in column.to_pylist()]
        if pa.types.is_nested(column.type)
        else as_text(column).to_pylist()
        for column in table.columns
    ]
    for row in zip(*cells, strict=True):
        yield json.dumps(dict(zip(table.column_names, row, strict=True)), ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    """As JSON has it; what an object lacks and others have is left out."""
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        pairs = bool(value) and all(isinstance(one, tuple) for one in value)
        return _plain(dict(value)) if pairs else [_plain(one) for one in value]
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() else value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if value is None or isinstance(value, (str, int)) else str(value)


def open_parquet(
    path: Path, given: Mapping[str, Any] = NOTHING, wanted: Mapping[str, bool] = NOTHING
) -> ParquetFile | NestedParquet:
    """A Parquet file by what its cells hold. PopulationError for one that is over a limit."""
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except UNREADABLE as error:
        raise _unreadable(path, error) from error
    groups = range(metadata.num_row_groups)
    unpacked = sum(int(metadata.row_group(group).total_byte_size) for group in groups)
    check_rows(path.name, metadata.num_rows)
    check_unpacked(path.name, unpacked, path.stat().st_size)
    check_columns(path.name, len(schema))
    nested = any(pa.types.is_nested(kind) for kind in schema.types)
    return (NestedParquet if nested else ParquetFile)(path, given, wanted)


def _unreadable(path: Path, error: Exception) -> PopulationError:
    what = "a text in it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
    return refusal(path.name, f"cannot be read as Parquet: {what}")
