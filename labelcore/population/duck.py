"""DuckDB, the reader of Parquet and of flat JSON: one database in memory for each process."""

import functools
import os
import re
import secrets
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from labelcore.population.copies import copies_folder
from labelcore.population.engines.engine import ROWS_AT_ONCE, Tick, go_on, patiently
from labelcore.population.engines.sql import HOLE, Piece

MEMORY = "1GB"
REMOTE = "://"


class DuckError(ValueError):
    """DuckDB cannot answer; what it said, to be told as who asked sees fit."""


class Duck:
    """A connection that fetches no extension, unless it is asked to read an address.

    remote   whether it may fetch what reads addresses
    """

    def __init__(self, remote: bool = False) -> None:
        import duckdb  # where it is needed: importing it takes a tenth of a second

        self._error = duckdb.Error
        self.version = str(duckdb.__version__)
        self._home = _opened(remote=True) if remote else _of_process(os.getpid())

    def fetch(self, query: Piece, tick: Tick = go_on) -> list[tuple[Any, ...]]:
        """All rows of a small result. Raises DuckError."""
        cursor = self._home.cursor()
        text = query.text.replace(HOLE, "?")

        def ask() -> list[tuple[Any, ...]]:
            rows: list[tuple[Any, ...]] = cursor.execute(text, list(query.values)).fetchall()
            return rows

        try:
            return patiently(ask, cursor.interrupt, tick)
        except self._error as error:
            raise DuckError(str(error)) from error
        finally:
            cursor.close()

    def stream(
        self, query: Piece, tick: Tick = go_on, rows: pa.RecordBatchReader | None = None
    ) -> Iterator[pa.RecordBatch]:
        """A large result, some rows at a time, in their order; ``rows``: what is called "packed" in
        the query. Raises DuckError."""
        try:
            with self._home.cursor() as cursor:
                if rows is not None:
                    cursor.register("packed", rows)
                text = query.text.replace(HOLE, "?")
                reader = cursor.sql(text, params=list(query.values)).to_arrow_reader(ROWS_AT_ONCE)
                for batch in reader:
                    tick()
                    yield batch
        except (self._error, pa.ArrowException, OSError) as error:  # The last from a later batch.
            raise DuckError(str(error)) from error


@functools.cache
def _of_process(process: int) -> Any:
    """The one of a process: opening one takes longer than looking up a row."""
    return _opened(remote=False)


def _opened(remote: bool) -> Any:
    import duckdb

    home = duckdb.connect(
        config={
            "memory_limit": MEMORY,
            "threads": 2,
            "temp_directory": str(copies_folder() / f"duckdb-{secrets.token_hex(4)}"),
            "autoinstall_known_extensions": remote,
            "autoload_known_extensions": remote,
        }
    )
    # Else the texts of moments, ids among them, would be those of this machine's zone.
    home.execute("SET GLOBAL TimeZone = 'UTC'")
    return home


def as_written(part: str) -> str:
    """A file whose name holds the signs of a pattern, as the pattern of this file alone; an address
    may be a pattern.

    >>> as_written("parts/x[1].parquet"), as_written("s3://bucket/*.parquet")
    ('parts/x[[]1].parquet', 's3://bucket/*.parquet')
    """
    return part if REMOTE in part else re.sub(r"([\[*?])", r"[\1]", part)
