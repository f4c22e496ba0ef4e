"""Parquet files and folders of them, by DuckDB."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.population.duck import REMOTE, Duck, DuckError, as_written
from labelcore.population.engines.engine import Engine, EngineError, Tick, first_line, go_on, unique
from labelcore.population.engines.sql import Piece, joined, sql, value
from labelcore.population.text import as_text

MOMENT = "%Y-%m-%d %H:%M:%S"
MOMENTS = {
    "TIMESTAMP": f"{MOMENT}.%f",
    "TIMESTAMP WITH TIME ZONE": f"{MOMENT}.%fZ",
    "TIMESTAMP_NS": f"{MOMENT}.%n",
}
"""How Arrow writes a moment, by its type."""
TAKEN = {"file_row_number", "file_index"}
"""What DuckDB calls the place of a row; it cannot tell that of a file with such a column."""
WANTED = re.compile(r"install the required extension '(\w+)")
LATE = re.compile(r"unsuccessful query result[\s:]+(.+)")
"""The cause, where a result breaks off."""
NO_EXTENSION = (
    "{name}: DuckDB reads this address by its extension {extension}, which is not on this machine "
    'and could not be downloaded. Where there is a way to the internet, python -c "import duckdb; '
    "duckdb.sql('INSTALL {extension}')\" puts it into ~/.duckdb/extensions; copy that folder here, "
    "for DuckDB {version}, or copy the Parquet files"
)


def taken(columns: Sequence[str]) -> bool:
    """Whether a file has a column of a name in ``TAKEN``."""
    return not TAKEN.isdisjoint(map(str.lower, columns))


def parquet(parts: Sequence[str], *options: str) -> Piece:
    """What stands behind FROM for Parquet files. On this machine a folder such as "lang=en" makes
    no column: it would hide that of the file."""
    if not any(REMOTE in part for part in parts):
        options = (*options, "hive_partitioning = false")
    names = value([as_written(part) for part in parts])
    return sql(f"read_parquet({', '.join(('{}', *options))})", names)


class DuckEngine(Engine):
    """Parquet parts in one order; a position counts the rows of all parts before, then those of its
    own. Reads files and, by its httpfs extension, addresses in object stores."""

    def __init__(self, name: str, parts: Sequence[str], id_columns: Sequence[str] = ()) -> None:
        self.name, self.id_columns = name, tuple(id_columns)
        self.parts = tuple(parts)
        asked = any(REMOTE in part for part in parts)
        self._duck = Duck(remote=asked)
        self.files = () if asked else tuple(map(Path, self.parts))
        rows = self._describe()
        self.address = parts[0] if asked else None
        self._ends = np.cumsum(rows, dtype=np.int64)
        starts = [int(end - number) for end, number in zip(self._ends, rows, strict=True)]
        together = f"file_row_number = true, union_by_name = {str(asked).lower()}"
        self.table = parquet(self.parts, together)
        self.place: Piece = sql(
            "(CAST({} AS BIGINT[])[CAST(file_index AS BIGINT) + 1] + file_row_number)",
            value(starts),
        )

    def _describe(self) -> list[int]:
        """The columns, and the rows of each part."""
        query = sql(
            "SELECT file_name, num_rows FROM parquet_file_metadata({})",
            value([as_written(part) for part in self.parts]),
        )
        rows = dict(self.fetch(query))
        self.parts = tuple(self.parts if set(self.parts) <= set(rows) else sorted(rows))
        table = sql("DESCRIBE SELECT * FROM {}", parquet(self.parts[:1]))
        kinds = [(str(row[0]), str(row[1])) for row in self.fetch(table)]
        # DuckDB gives another name to one that differs from another by its capitals only.
        names = pq.read_schema(self.files[0]).names if self.files else [name for name, _ in kinds]
        self.columns = tuple(names)
        self._called = {name: called for name, (called, _) in zip(names, kinds, strict=True)}
        self.types = {name: kind for name, (_, kind) in zip(names, kinds, strict=True)}
        return [int(rows[part]) for part in self.parts]

    def column(self, name: str) -> Piece:
        """As DuckDB calls it."""
        super().column(name)
        return self.quoted(self._called[name])

    def text(self, name: str) -> Piece:
        """A moment as it is read from the file."""
        form = MOMENTS.get(self.types.get(name, ""))
        if form is None:
            return super().text(name)
        return sql("COALESCE(strftime({}, {}), '')", self.column(name), value(form))

    def __reduce__(self) -> tuple[type[DuckEngine], tuple[object, ...]]:
        return DuckEngine, (self.name, self.parts, self.id_columns)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def count(self) -> int:
        """From the footers of the parts."""
        return len(self)

    def fetch(self, query: Piece, tick: Tick = go_on) -> list[tuple[Any, ...]]:
        try:
            return self._duck.fetch(query, tick)
        except DuckError as error:
            raise self._failed(error) from error

    def stream(self, query: Piece, tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """A large result, in the order of the rows."""
        try:
            yield from self._duck.stream(query, tick)
        except DuckError as error:
            raise self._failed(error) from error

    def items(self, columns: Sequence[str], tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """Part after part, row after row."""
        wanted = [*self.selected(columns), self.place]
        query = sql("SELECT {} FROM {}", joined(", ", wanted), self.table)
        due = 0
        for batch in self.stream(query, tick):
            *cells, place = batch.columns
            places = place.to_numpy()
            if not np.array_equal(places, np.arange(due, due + len(places))):
                raise EngineError(f"{self.name}: rows came in another order than that of the file")
            due += len(places)
            yield pa.RecordBatch.from_arrays(cells, unique(columns))
        if due != len(self):
            raise EngineError(f"{self.name}: {due:,} of {len(self):,} rows were read")

    def cells(self, position: int, item_id: str, columns: Sequence[str]) -> dict[str, str]:
        """The texts of one row, from its part alone."""
        part = int(np.searchsorted(self._ends, position, side="right"))
        first = int(self._ends[part - 1]) if part else 0
        names = unique(columns)
        query = sql(
            "SELECT {} FROM {} WHERE file_row_number = {}",
            joined(", ", map(self.column, names)),
            parquet(self.parts[part : part + 1], "file_row_number = true"),
            value(position - first),
        )
        batches = list(self.stream(query))
        if sum(batch.num_rows for batch in batches) != 1:
            raise EngineError(f"{self.name}: row {position + 1:,} is not there any more")
        row = pa.Table.from_batches(batches)
        return {name: as_text(row.column(at))[0].as_py() for at, name in enumerate(names)}

    def _failed(self, error: DuckError) -> EngineError:
        gone = [part for part in self.parts if REMOTE not in part and not Path(part).exists()]
        if gone:
            return EngineError(f"{self.name}: the part {Path(gone[0]).name} is not there any more")
        if wanted := WANTED.search(str(error)):
            facts = {"name": self.name, "extension": wanted[1], "version": self._duck.version}
            return EngineError(NO_EXTENSION.format(**facts))
        if any(REMOTE in part for part in self.parts):
            cause = late[1] if (late := LATE.search(str(error))) else first_line(error)
            return EngineError(
                f"{self.name}: it cannot be read from its address: {cause}. Try again when it can; "
                "what was made so far is as it was"
            )
        return EngineError(f"{self.name}: DuckDB cannot read it: {first_line(error)}")
