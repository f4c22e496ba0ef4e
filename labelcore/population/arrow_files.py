"""Tables in files that are no text and no Parquet: Feather, streams of Arrow, and DuckDB."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from labelcore.population.limits import refusal

ARROW, DUCKDB = (".feather", ".arrow", ".arrows"), ".duckdb"
SUFFIXES = (*ARROW, DUCKDB)
ROWS_AT_ONCE = 1 << 14
NO_ARROW = "is no Feather file of version 2, nor one of Arrow, or a part of it is missing"
NO_DUCKDB = "is no DuckDB file, or one of a newer version"
NO_TABLE = "the file must hold a table, and holds none"
SEVERAL = "the file must hold one table: of several write one, COPY {} TO 'items.parquet' in DuckDB"
ALONE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "threads": "1",
}
"""A database that was handed in reads nothing but itself."""
TABLES = (
    "select schema_name, table_name from duckdb_tables() where not internal and not temporary "
    "order by estimated_size desc, schema_name, table_name"
)


def arrow(path: Path) -> pa.RecordBatchReader | None:
    """A Feather file (version 2), or a file or stream of Arrow, batch by batch."""
    if path.suffix.lower() not in ARROW:
        return None
    try:
        with path.open("rb") as start:
            as_file = start.read(6) == b"ARROW1"
        source = pa.memory_map(str(path))
        if not as_file:
            stream = pa.ipc.open_stream(source)
            return pa.RecordBatchReader.from_batches(stream.schema, _sound(path, stream))
        file = pa.ipc.open_file(source)
        batches = (file.get_batch(number) for number in range(file.num_record_batches))
        return pa.RecordBatchReader.from_batches(file.schema, _sound(path, batches))
    except (pa.ArrowException, OSError) as error:
        raise refusal(path.name, NO_ARROW) from error


def _sound(path: Path, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches, each checked: offsets that lie would be read beyond their end."""
    try:
        for batch in batches:
            batch.validate(full=True)
            yield batch
    except (pa.ArrowException, OSError) as error:
        raise refusal(path.name, NO_ARROW) from error


def database(path: Path) -> pa.RecordBatchReader | None:
    """The one table of a DuckDB file; views are left out, as they may read other files."""
    if path.suffix.lower() != DUCKDB:
        return None
    import duckdb  # where it is needed: importing it takes a tenth of a second

    try:
        connection = duckdb.connect(str(path), read_only=True, config=ALONE)
        tables = [".".join(map(_quoted, names)) for names in connection.execute(TABLES).fetchall()]
        if len(tables) != 1:
            raise refusal(path.name, SEVERAL.format(tables[0]) if tables else NO_TABLE)
        result = connection.sql(f"select * from {tables[0]}").to_arrow_reader(ROWS_AT_ONCE)
        return pa.RecordBatchReader.from_batches(result.schema, _of(connection, result))
    except duckdb.Error as error:
        raise refusal(path.name, NO_DUCKDB) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _of(connection: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with connection:
        yield from batches
