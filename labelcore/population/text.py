"""Values of a file as text, and text short enough for a message."""

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

LONGEST_SHOWN = 80
MOST_LISTED = 30
Columns = dict[str, pa.ChunkedArray]


def shorten(value: str, most: int = LONGEST_SHOWN) -> str:
    """The value itself, or its first characters and an ellipsis: at most ``most`` characters."""
    return value if len(value) <= most else value[: most - 1] + "…"


def listing(names: Iterable[str]) -> str:
    """Quoted names separated by commas, at most 30 of them, for a message."""
    names = list(names)
    shown = ", ".join(repr(shorten(name)) for name in names[:MOST_LISTED])
    more = len(names) - MOST_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown or "none"


def joined(names: Sequence[str], batches: Iterable[Columns]) -> Columns:
    chunks: dict[str, list[pa.Array]] = {name: [] for name in names}
    for batch in batches:
        for name in chunks:
            chunks[name].extend(batch[name].chunks)
    return {name: pa.chunked_array(parts, pa.string()) for name, parts in chunks.items()}


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Any Arrow column as text without nulls: missing values are empty.

    Whole numbers stored as floats lose ".0" (an integer column with gaps becomes one in pandas).
    Nothing is lost for integers of any size, decimals or dates.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_boolean(kind):
        texts = pc.if_else(column, "True", "False")
    elif pa.types.is_floating(kind):
        texts = pc.if_else(pc.is_nan(column), None, column.cast(pa.string()))
    elif pa.types.is_null(kind):
        texts = pa.chunked_array([pa.nulls(len(column), pa.string())])
    else:
        texts = _cast_or_print(column)
    return pc.fill_null(texts, "")


def _cast_or_print(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists, structures and bytes that are not UTF-8 have no Arrow text; Python's will do. What a
    value is as text depends on no other one: a row is looked up alone."""
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        chunks = [
            pa.array(
                [None if value is None else _printed(value) for value in chunk.to_pylist()],
                pa.string(),
            )
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, type=pa.string())


def _printed(value: object) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            pass
    return str(value)
