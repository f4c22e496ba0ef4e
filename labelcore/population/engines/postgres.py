"""Tables of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import urldefrag, urlsplit, urlunsplit

import pyarrow as pa
import pyarrow.csv

from labelcore.population.engines.engine import (
    EngineError,
    KeyedEngine,
    Tick,
    first_line,
    go_on,
    imported,
    patiently,
)
from labelcore.population.engines.sql import HOLE, Piece, sql

TYPES = {
    **dict.fromkeys((20, 21, 23), pa.int64()),
    **dict.fromkeys((700, 701), pa.float64()),
    16: pa.bool_(),
}
"""Oid of a type -> what its values become; any other is read as text."""
BLOCK = 1 << 20  # bytes: Arrow asks for some of them before it gives the rows of the first
SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}
"""What the texts of values, ids among them, would else take from the server, the user and this
machine."""


class PostgresEngine(KeyedEngine):
    """A table or view, named behind the address: "postgresql://host/database#schema.table".

    Reads only. Positions count the rows by their id, as text in the C collation.
    """

    text_type: ClassVar[str] = "TEXT"
    in_order: ClassVar[str] = 'ORDER BY {} COLLATE "C"'

    def __init__(self, url: str, id_columns: Sequence[str]) -> None:
        self._url = url
        address, table = urldefrag(url)
        self._psycopg = psycopg = imported("psycopg", table or "the table")
        if not table:
            raise ValueError(
                'source must name a table behind the address: "postgresql://host/database#table"'
            )
        if not id_columns:
            raise ValueError(f"id must name a column: the rows of {table} have no order")
        self.name, self.id_columns = table, tuple(id_columns)
        self.address = without_password(url)
        try:
            self._home = psycopg.connect(
                address.replace("postgresql+psycopg:", "postgresql:"),
                autocommit=True,
                options="-c default_transaction_read_only=on",
            )
            for name, setting in SETTINGS.items():
                self._home.execute("SELECT set_config(%s, %s, false)", (name, setting))
        except psycopg.Error as error:
            raise self._failed(error) from error
        self.table = Piece(".".join(self.quoted(part).text for part in table.split(".")))
        self.columns = tuple(self._types(sql("SELECT * FROM {}", self.table)))

    def __reduce__(self) -> tuple[type[PostgresEngine], tuple[object, ...]]:
        return PostgresEngine, (self._url, self.id_columns)

    def fetch(self, query: Piece, tick: Tick = go_on) -> list[tuple[Any, ...]]:
        def ask() -> list[tuple[Any, ...]]:
            with self._home.cursor() as cursor:
                cursor.execute(_marked(query.text), query.values)
                rows: list[tuple[Any, ...]] = cursor.fetchall()
                return rows

        try:
            return patiently(ask, self._home.cancel_safe, tick)
        except self._psycopg.Error as error:
            raise self._failed(error) from error

    def stream(self, query: Piece, tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """A large result by COPY."""
        try:
            kinds = self._types(query)
            with self._psycopg.ClientCursor(self._home) as cursor:
                text = cursor.mogrify(_marked(query.text), query.values)
                tick()
                with cursor.copy(f"COPY ({text}) TO STDOUT (FORMAT csv)") as copy:
                    yield from _batches(_Blocks(copy, tick), kinds)
        except (self._psycopg.Error, pa.ArrowException) as error:
            raise self._failed(error) from error

    def found(self, query: Piece) -> pa.Table:
        """By COPY, too."""
        batches = list(self.stream(query))
        return pa.Table.from_batches(batches) if batches else pa.table({})

    def close(self) -> None:
        self._home.close()

    def _types(self, query: Piece) -> dict[str, pa.DataType]:
        try:
            with self._home.cursor() as cursor:
                cursor.execute(
                    _marked(f"SELECT * FROM ({query.text}) AS asked LIMIT 0"), query.values
                )
                return {
                    column.name: TYPES.get(column.type_code, pa.string())
                    for column in cursor.description
                }
        except self._psycopg.Error as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> EngineError:
        if isinstance(error, self._psycopg.OperationalError):
            return EngineError(
                f"{self.name}: the database does not answer: {first_line(error)}. Try again when "
                "it does; what was made so far is as it was"
            )
        return EngineError(f"{self.name}: the database refuses: {first_line(error)}")


def without_password(url: str) -> str:
    """The address as it may be kept."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    query = [pair for pair in parts.query.split("&") if not pair.startswith("password=")]
    kept = user.partition(":")[0] + at + host
    return urlunsplit(parts._replace(netloc=kept, query="&".join(query)))


def _marked(text: str) -> str:
    return text.replace("%", "%%").replace(HOLE, "%s")


class _Blocks:
    """What COPY sends, as a file of blocks, with a tick for each."""

    closed = False

    def __init__(self, copy: Any, tick: Tick) -> None:
        self._copy, self._kept, self._tick = copy, b"", tick

    def read(self, size: int = BLOCK) -> bytes:
        self._tick()
        parts, length = [self._kept], len(self._kept)
        while length < size and (more := self._copy.read()):
            parts.append(bytes(more))
            length += len(parts[-1])
        whole = b"".join(parts)
        self._kept = whole[size:]
        return whole[:size]

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True


def _batches(blocks: _Blocks, kinds: dict[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    first = blocks.read(1)
    if not first:
        return
    blocks._kept = first + blocks._kept
    reader = pyarrow.csv.open_csv(
        pa.PythonFile(blocks, mode="r"),
        pyarrow.csv.ReadOptions(column_names=list(kinds), block_size=BLOCK, use_threads=False),
        pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        pyarrow.csv.ConvertOptions(
            column_types=kinds,
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    yield from reader
