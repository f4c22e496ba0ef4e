"""Items that are no file yet: a table in memory, or a folder of Parquet parts, written as one."""

import glob
import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.errors import Fault, PopulationError
from labelcore.population.copies import copies_folder, folder_of
from labelcore.population.foreign import SUFFIXES, Rows, needed, recognised
from labelcore.population.limits import check_columns, refusal
from labelcore.population.text import listing, shorten

ITEMS = "items.parquet"
UNNAMED = "items"
"""What a table is called that has no name of its own; its file is called ``ITEMS``."""
VIEWS_FROM = 25
"""The first version of pyarrow that reads texts in views, as polars has them, from a stream."""
ROWS_AT_ONCE = 1 << 14
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
ARROW = "__arrow_c_stream__"
KINDS = (
    "a path, a table of pandas, polars or Arrow, a list of dictionaries, or a folder of Parquet "
    "parts"
)


class Written:
    """A file at ``path`` that goes with this object."""

    path: Path

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        """Another process reads the file; it is this one's to remove."""
        return Path, (str(self.path),)


class WrittenTable(Written):
    """A table as a Parquet file that goes with this object.

    name   what faults call it; file: the name of the Parquet file
    """

    def __init__(
        self, name: str, parts: Iterable[pa.Table], schema: pa.Schema, file: str = ITEMS
    ) -> None:
        self.path = folder_of(self) / file
        check_columns(name, len(schema))
        _refuse_repeated(name, schema.names)
        with pq.ParquetWriter(self.path, schema) as writer:
            for part in parts:
                writer.write_table(part, row_group_size=ROWS_AT_ONCE)


class WrittenLines(Written):
    """Nested rows as a file of JSON Lines that goes with this object."""

    def __init__(self, file: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.path = folder_of(self) / file
        with self.path.open("w", encoding="utf-8") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def written_table(source: object, wanted: Collection[str]) -> Written | None:
    """The source as one Parquet file; None for a path to a file that is a table itself, or not
    there. The folders of parts are columns where they are ``wanted``.

    Raises TypeError for what is neither a path nor a table, PopulationError for a table that cannot
    be written and for parts that do not fit together.
    """
    if isinstance(source, (str, os.PathLike)):
        paths = parts_of(os.fsdecode(source))
        return None if paths is None else _joined(os.fsdecode(source), paths, wanted)
    name = type(source).__name__
    if hasattr(source, "collect") and not hasattr(source, ARROW):
        raise TypeError(f"source is a {name}, which holds no rows yet: give its collect()")
    if type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        return _of_columns(name, _pandas_columns(name, source))
    if hasattr(source, ARROW) and not hasattr(source, "to_frame"):
        return _of_stream(name, source)
    if isinstance(source, Sequence) and not isinstance(source, (bytes, bytearray)):
        return _of_columns(name, _record_columns(source))
    instead = ": give its to_frame()" if hasattr(source, "to_frame") else ""
    raise TypeError(f"source must be {KINDS}, got {name}{instead}")


def written_foreign(path: Path, wanted: Sequence[str]) -> Written | None:
    """A file of another tool as a table (``labelcore.population.foreign``), where ``wanted`` names
    a column that it has only then; None for another file."""
    rows = needed(path, wanted) if path.is_file() else None
    return None if rows is None else written_rows(path, rows)


def written_rows(path: Path, rows: Rows) -> Written:
    """Rows of another tool's file; a column that holds numbers and texts holds texts."""
    file = f"{path.stem}.parquet"
    if isinstance(rows, list):
        if any(isinstance(cell, (list, dict)) for row in rows for cell in row.values()):
            return WrittenLines(f"{path.stem}.jsonl", rows)
        columns = [(name, _alike(cells)) for name, cells in _record_columns(rows)]
        return _of_columns(path.name, columns, file)
    return _of_stream(path.name, rows, file)


def recognised_as_table(name: str, content: bytes) -> tuple[str, bytes] | None:
    """The content of a file of another tool as Parquet, or as JSON Lines where its rows are nested,
    with the suffix, by whatever it holds; None for any other.

    Raises PopulationError for one that is recognised and cannot be read.
    """
    if Path(name).suffix.lower() not in SUFFIXES:
        return None
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        rows = recognised(path)
        if rows is None:
            return None
        written = written_rows(path, rows)
        return written.path.suffix, written.path.read_bytes()


def _alike(cells: list[Any]) -> list[Any]:
    texts = any(isinstance(cell, str) for cell in cells)
    return [cell if cell is None else str(cell) for cell in cells] if texts else cells


# --- tables in memory ----------------------------------------------------------------------------


def _of_columns(name: str, columns: Iterable[tuple[str, Any]], file: str = ITEMS) -> Written:
    """Of (name, values) pairs; every column that cannot be written is a fault."""
    arrays: list[tuple[str, Any]] = []
    faults: list[Fault] = []
    for column, values in columns:
        try:
            arrays.append((column, pa.array(values, from_pandas=True)))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            if {int} == {type(value) for value in values} - {type(None)}:  # Of over 64 bits.
                arrays.append((column, pa.array(_texts(values))))
            else:
                faults.append(_mixed(name, column, values))
    if faults:
        raise PopulationError(faults)
    table = pa.Table.from_arrays([_plain(part) for _, part in arrays], [name for name, _ in arrays])
    try:
        return WrittenTable(name, [table], table.schema, file)
    except pa.ArrowNotImplementedError:  # An object without a field is nothing that Parquet holds.
        return WrittenLines(f"{Path(file).stem}.jsonl", table.to_pylist())


def _texts(values: Iterable[Any]) -> list[str | None]:
    """Values that Arrow, or Parquet, has no type for, or only that of a bare number."""
    return [None if value is None or value != value else str(value) for value in values]


def _mixed(name: str, column: str, values: Iterable[Any]) -> Fault:
    """Values of several types: the first one that differs from the first of all."""
    first: type | None = None
    for row, value in enumerate(values, 1):
        if value is None or value != value:
            continue
        first = first or type(value)
        if type(value) is not first:
            rule = f"a column must hold values of one type; its first value is {first.__name__}"
            return Fault(name, column, row, shorten(str(value)), rule)
    kind = "nothing" if first is None else first.__name__
    rule = f"a column must hold texts, numbers or truth values, and this one holds {kind}"
    return Fault(name, column, None, None, rule)


def _pandas_columns(name: str, frame: Any) -> Iterator[tuple[str, Any]]:
    for place, column in enumerate(frame.columns):
        if not isinstance(column, (str, int)):
            raise refusal(
                name, f"the name of a column must be text, got {type(column).__name__} {column!r}"
            )
        values = frame.iloc[:, place]
        if str(values.dtype).startswith("Sparse"):
            values = values.sparse.to_dense()
        kind = getattr(values.dtype, "categories", values).dtype
        spans = str(kind).startswith(("period", "interval", "timedelta"))
        yield str(column), _texts(values) if spans else values


def _record_columns(rows: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """The columns of a list of dictionaries; a key that a row lacks is a missing value."""
    names: dict[str, None] = {}
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"source[{place}] must be a dictionary, got {type(row).__name__}")
        for key in row:
            if not isinstance(key, str):
                raise TypeError(f"source[{place}] must have texts as keys, got {key!r}")
        names |= dict.fromkeys(row)
    return [(name, [row.get(name) for row in rows]) for name in names]


def _of_stream(name: str, source: Any, file: str = ITEMS) -> WrittenTable:
    """Of anything that hands out Arrow batches, one after another."""
    try:
        reader = pa.RecordBatchReader.from_stream(source)
        _refuse_views(reader.schema)
        empty = _plain_table(reader.schema.empty_table())
        parts = (_plain_table(pa.Table.from_batches([batch])) for batch in reader)
        return WrittenTable(name, parts, empty.schema, file)
    except pa.ArrowException as error:
        raise refusal(name, f"cannot be written as Parquet: {error}") from error


def _refuse_views(schema: pa.Schema) -> None:
    """Raise ValueError where this version of pyarrow would crash on texts in views."""
    version = str(pa.__version__)
    if int(version.partition(".")[0]) >= VIEWS_FROM:
        return
    views = [field.name for field in schema if str(field.type) in ("string_view", "binary_view")]
    if views:
        raise ValueError(
            f"{listing(views)}: pyarrow {version} cannot read texts in views; install pyarrow "
            f"{VIEWS_FROM} or newer, or hand over a DataFrame of pandas"
        )


def _plain_table(table: pa.Table) -> pa.Table:
    columns = [_plain(table.column(place)) for place in range(table.num_columns)]
    return pa.Table.from_arrays(columns, table.schema.names)


def _plain(column: Any) -> Any:
    """Without categories, whose codes may differ from part to part, and in types of Parquet: a span
    of time as text, of which it would be a bare number there."""
    if pa.types.is_dictionary(column.type):
        kind, chunks = _without_views(column.type.value_type), getattr(column, "chunks", [column])
        parts = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in chunks]
        column = pa.chunked_array(parts, kind)
    kind = column.type
    if pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return pa.array(_texts(column.to_pylist()), pa.string())
    plain = _without_views(kind)
    return column if plain == kind else column.cast(plain)


def _without_views(kind: pa.DataType) -> pa.DataType:
    """The type with texts as Parquet has them, also within lists and records."""
    views = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    if pa.types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return pa.struct([one.with_type(_without_views(one.type)) for one in fields])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = kind.value_field.with_type(_without_views(kind.value_type))
        return kind if inner == kind.value_field else pa.large_list(inner)
    return views.get(str(kind), kind)


def _refuse_repeated(name: str, columns: Sequence[str]) -> None:
    repeated = sorted({name for name in columns if columns.count(name) > 1}) if len(columns) else []
    if repeated:
        raise refusal(
            name, f"two columns are called {listing(repeated)}; each must have a name of its own"
        )


# --- parts ---------------------------------------------------------------------------------------


def parts_of(source: str) -> list[Path] | None:
    """The Parquet files of a folder or a pattern in the order of their names; None for a file."""
    path = Path(source)
    if path.is_dir():
        parts = [file for file in path.rglob("*.parquet") if _counts(file.relative_to(path))]
        if not parts:
            raise ValueError(f"{source}: the folder holds no file whose name ends in .parquet")
    elif glob.has_magic(source) and not path.exists():
        parts = [Path(file) for file in glob.glob(source, recursive=True)]
        if not parts:
            raise FileNotFoundError(f"{source}: no file has such a name")
        if other := [file.name for file in parts if file.suffix.lower() != ".parquet"]:
            raise ValueError(
                f"{source}: the parts of a table must be Parquet files; {listing(other)} "
                f"{'is' if len(other) == 1 else 'are'} not"
            )
    else:
        return None
    return sorted(parts)


def _counts(path: Path) -> bool:
    """Whether a file of a folder is a part: others write hidden ones beside them."""
    return not any(part.startswith((".", "_")) for part in path.parts)


def _joined(source: str, paths: Sequence[Path], wanted: Collection[str]) -> WrittenTable:
    """All parts as one table: the columns of the first, in types that hold the values of all."""
    schemas = [_schema_of(path, wanted) for path in paths]
    first, faults = schemas[0], []
    for path, schema in zip(paths[1:], schemas[1:], strict=True):
        if set(schema.names) != set(first.names):
            differing = sorted(set(schema.names) ^ set(first.names))
            rule = f"every part must have the columns of {paths[0].name}; {listing(differing)} " + (
                "is in one of the two only" if len(differing) == 1 else "are in one of the two only"
            )
            faults.append(Fault(path.name, None, None, None, rule))
    if faults:
        raise PopulationError(faults)
    try:
        whole = pa.unify_schemas(schemas, promote_options="permissive").remove_metadata()
        return WrittenTable(Path(source).name, _batches(paths, whole), whole)
    except pa.ArrowException as error:
        raise refusal(
            Path(source).name, f"the parts hold columns of types that do not go together: {error}"
        ) from error


def _of_part(path: Path, table: pa.Table, wanted: Collection[str]) -> pa.Table:
    """Rows of a part, with a column for each of its folders that is called "name=value", if it is
    ``wanted``: in these Spark and others keep what all rows of a part share."""
    table = _plain_table(table)
    for name, sign, value in (folder.partition("=") for folder in path.parent.parts):
        if sign and name in wanted and name not in table.column_names:
            shared = None if value == NO_VALUE else unquote(value)
            table = table.append_column(name, pa.array([shared] * len(table), pa.string()))
    return table


def _schema_of(path: Path, wanted: Collection[str]) -> pa.Schema:
    try:
        return _of_part(path, pq.read_schema(path).empty_table(), wanted).schema
    except (pa.ArrowException, OSError) as error:
        raise refusal(path.name, f"cannot be read as Parquet: {error}") from error


def _batches(paths: Sequence[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                table = _of_part(path, pa.Table.from_batches([batch]), schema.names)
                yield table.select(schema.names).cast(schema)
