"""JSON that is a table: a list of flat objects."""

from collections.abc import Sequence

from labelcore.items.forms import Folders, Grid
from labelcore.items.json_text import Json, Object, looks_like_json, parse, parts, scalar
from labelcore.items.text import visible

MOST_ROWS, MOST_COLUMNS = 200, 20
LONGEST_CELL = 60


def read(value: str, folders: Folders) -> Grid | None:
    """A table where every cell can be read at a glance; None for any other value."""
    data = parse(value) if looks_like_json(value) else None
    rows = [row for row in data if isinstance(row, Object)] if isinstance(data, list) else []
    return _records(rows, data) if rows and len(rows) == len(parts(data)) else None


def _records(rows: Sequence[Object], whole: Json) -> Grid | None:
    cells = [dict(row.pairs) for row in rows]
    if any(len(cell) != len(row.pairs) for cell, row in zip(cells, rows, strict=True)):
        return None
    names = list(dict.fromkeys(name for row in rows for name, _ in row.pairs))
    return _grid(names, [[cell.get(name, "") for name in names] for cell in cells], whole)


def _grid(names: Sequence[str], rows: Sequence[Sequence[Json]], whole: Json) -> Grid | None:
    columns = tuple(map(visible, names))
    if not columns or not rows or len(set(columns)) < len(columns):
        return None
    if any(parts(cell) for row in rows for cell in row) or not _short([columns, *rows]):
        return None
    kept = tuple(
        tuple(visible(_cell(cell)) for cell in row[:MOST_COLUMNS]) for row in rows[:MOST_ROWS]
    )
    note = _cut(len(rows), len(columns))
    return Grid(columns[:MOST_COLUMNS], kept, whole, note)


def _cell(value: Json) -> str:
    if isinstance(value, Object):
        return "{}"
    return "[]" if isinstance(value, list) else scalar(value)


def _short(rows: Sequence[Sequence[Json]]) -> bool:
    cells = (cell for row in rows for cell in row if isinstance(cell, str))
    return all(len(cell) <= LONGEST_CELL and len(cell.splitlines()) <= 1 for cell in cells)


def _cut(rows: int, columns: int) -> str:
    """What is not shown, in a sentence.

    >>> _cut(1204, 3)
    'The first 200 of 1,204 rows are shown.'
    """
    kept = []
    if rows > MOST_ROWS:
        kept.append(f"{MOST_ROWS} of {rows:,} rows")
    if columns > MOST_COLUMNS:
        kept.append(f"{MOST_COLUMNS} of {columns:,} columns")
    return f"The first {' and '.join(kept)} are shown." if kept else ""
