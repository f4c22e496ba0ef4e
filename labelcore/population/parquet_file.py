"""Parquet files, by DuckDB; one with lists or objects in its cells is read as JSON Lines are."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.errors import PopulationError
from labelcore.population.dialect import NOTHING, PLAIN, Form, Given, Wanted
from labelcore.population.duck import DuckError
from labelcore.population.engines.duck import DuckEngine, parquet, taken
from labelcore.population.engines.engine import EngineError
from labelcore.population.engines.sql import Piece, joined, sql, value
from labelcore.population.engines.table import EngineTable, rows_of
from labelcore.population.json_file import JsonTable
from labelcore.population.limits import check_columns, check_rows, check_unpacked, refusal
from labelcore.population.text import as_text

HELD = 1 << 20  # bytes of a file whose columns are held: DuckDB looks up a row in 5 ms
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


class ParquetFile(EngineTable):
    """A single file, where it lies: columns are mapped as they are read, rows are looked up."""

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
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

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        if self.engine.files[0].stat().st_size > HELD:
            return super().cells(position, names)
        held = self.load(names)
        return {name: as_text(held[name].slice(position, 1))[0].as_py() for name in names}

    @classmethod
    def detect(cls, path: Path, given: Given = NOTHING) -> Form:
        """Nothing to choose."""
        return Form(PLAIN, cls.options)


class NestedParquet(JsonTable):
    """A single file with lists or objects in its cells, or a column of a name that DuckDB takes:
    each row as the text of an object."""

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
        super().__init__(wanted)
        try:
            file = DuckEngine(path.name, [str(path)])
            rows = (pa.chunked_array(batch.columns) for batch in file.stream(_objects(file)))
            self._take(path.name, ({"0": column} for column in rows))
        except (DuckError, EngineError) as error:
            raise _unreadable(path, error) from error


def _objects(file: DuckEngine) -> Piece:
    """Each row as the text of an object. What JSON would write to other digits is a text in it."""
    cells = []
    for name in file.columns:
        kind = file.types[name]
        exact = kind == "FLOAT" or (kind.startswith("DECIMAL") and kind.endswith(")"))
        column = file.column(name)
        cells += [value(name), sql("CAST({} AS VARCHAR)", column) if exact else column]
    rows = "SELECT CAST(json_object({}) AS VARCHAR) FROM {}"
    return sql(rows, joined(", ", cells), parquet(file.parts))


def open_parquet(
    path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING
) -> ParquetFile | NestedParquet:
    """A Parquet file by what its cells hold. PopulationError for one that is over a limit."""
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except UNREADABLE as error:
        raise _unreadable(path, error) from error
    unpacked = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    check_rows(path.name, metadata.num_rows)
    check_unpacked(path.name, unpacked, path.stat().st_size)
    check_columns(path.name, len(schema))
    if not schema.names:
        raise refusal(path.name, "it holds neither columns nor rows")
    nested = any(pa.types.is_nested(kind) for kind in schema.types) or taken(schema.names)
    return (NestedParquet if nested else ParquetFile)(path, given, wanted)


def _unreadable(path: Path, error: Exception) -> PopulationError:
    what = "a text in it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
    return refusal(path.name, f"cannot be read as Parquet: {what}")
