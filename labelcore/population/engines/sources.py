"""Which sources an engine reads, and the engine of each."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.population.engines.duck import DuckEngine, taken
from labelcore.population.engines.engine import Engine
from labelcore.population.engines.postgres import PostgresEngine
from labelcore.population.engines.spark import SCHEME, SparkEngine
from labelcore.population.tables import parts_of

LARGE = 5_000_000
"""From so many rows on, Parquet files are left where they are and read by DuckDB."""
POSTGRESQL = ("postgresql://", "postgresql+psycopg://", "postgres://")
STORES = ("s3://", "gs://", "gcs://", "r2://", "az://", "hf://", "https://", "http://")


def is_address(source: str) -> bool:
    return source.startswith((*POSTGRESQL, *STORES, SCHEME))


def engine_of(source: str, id_columns: Sequence[str]) -> Engine | None:
    """The engine that reads a source; None for what is read into memory.

    Raises ValueError where a package of an extra is missing, EngineError where the engine does not
    answer.
    """
    if source.startswith(POSTGRESQL):
        return PostgresEngine(source, id_columns)
    if source.startswith(SCHEME):
        return SparkEngine(source, id_columns)
    if source.startswith(STORES):
        return DuckEngine(source.rstrip("/").rpartition("/")[2], [source], id_columns)
    parts = large_parts(source)
    return None if parts is None else DuckEngine(Path(source).name, parts, id_columns)


def large_parts(source: str) -> list[str] | None:
    """The Parquet files of a file, folder or pattern with ``LARGE`` rows or more, in order; None
    for any other, and where the types of the parts differ."""
    path = Path(source)
    if path.is_file():
        parts = [path] if path.suffix.lower() == ".parquet" else []
    else:
        parts = parts_of(source) or [] if path.is_dir() or "*" in source else []
    return [str(part) for part in parts] if stay(parts) else None


def stay(parts: Sequence[Path]) -> bool:
    """Whether DuckDB reads these Parquet files where they lie."""
    if not parts:
        return False
    try:
        rows = sum(pq.read_metadata(part).num_rows for part in parts)
        first = pq.read_schema(parts[0])
        alike = all(pq.read_schema(part).equals(first) for part in parts[1:])
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return False  # said by the reader in memory
    return rows >= LARGE and alike and not taken(first.names)
