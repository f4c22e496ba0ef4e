"""JSON: an object a line, or one list of objects; single rows by byte offset.

The form follows from the first character, whatever the suffix says. The columns are the fields of
all objects in the order in which they first appear; after a field that holds an object come the
fields of that object, as ``judge.verdict``, and of those within it, unless there are more than
MOST_INNER.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.errors import Fault, PopulationError
from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.json_records import RowFault, find_records
from labelcore.population.json_text import sound_columns, sound_row
from labelcore.population.limits import MOST_COLUMNS, check_columns, check_rows
from labelcore.population.text import Columns, joined, text_column
from labelcore.population.text_file import lines_at, open_text

BYTES_AT_ONCE = 1 << 20
MOST_INNER = 20
"""More different fields than these within one field are keys of its own, and no columns."""
MOST_LEVELS = 5
"""Objects within objects, of which the fields are columns."""


class JsonFile:
    """A .json, .jsonl or .ndjson file, packed or not; ``cell_text`` says what its cells are."""

    options = ("encoding",)

    def __init__(self, path: Path, given: Mapping[str, Any] = NOTHING) -> None:
        self._text = open_text(path, given.get("encoding"))
        self.dialect = PLAIN.changed({**given, "encoding": self._text.encoding})
        self.detected = PLAIN.changed({"encoding": self._text.detected})
        self._starts, self._ends = array("q"), array("q")
        self._faults: dict[int, RowFault] = {}
        columns: dict[str, None] = {}
        inner: dict[str, dict[str, None]] = {}
        for rows in find_records(self._text):
            self._faults |= {len(self) + place: fault for place, fault in rows.faults.items()}
            self._starts.extend(rows.starts)
            self._ends.extend(rows.ends)
            check_rows(path.name, len(self))
            for names in dict.fromkeys(map(tuple, rows.fields)):
                if not columns.keys() >= set(names):
                    columns.update(dict.fromkeys(names))
                    check_columns(path.name, len(columns))
            for fields in () if rows.flat else rows.fields:
                if dict in map(type, fields.values()):
                    _note_inner(inner, fields)
        if self._faults and not columns:
            raise PopulationError(self.faults())
        self.columns = _with_inner(columns, inner)

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """The encoding."""
        encoding = open_text(path, given.get("encoding")).encoding
        return Form(PLAIN.changed({"encoding": encoding}), cls.options)

    def __len__(self) -> int:
        return len(self._starts)

    def load(self, names: Sequence[str]) -> Columns:
        """These columns as text, each (n_rows,)."""
        return joined(names, self.batches(names))

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same a few rows at a time."""
        for rows in self._some_rows():
            cells = zip(names, sound_columns(rows, names), strict=True)
            yield {name: text_column(column) for name, column in cells}

    def faults(self) -> list[Fault]:
        """Rows that are no JSON, no object, or no text."""
        offsets = np.array([fault.offset for fault in self._faults.values()], dtype=np.int64)
        return [
            Fault(self._text.name, None, row + 1, fault.value, fault.rule, line)
            for (row, fault), line in zip(
                self._faults.items(), lines_at(self._text.path, offsets), strict=True
            )
        ]

    def broken_rows(self) -> frozenset[int]:
        """Rows whose values mean nothing."""
        return frozenset(self._faults)

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row, read from the file; each call opens the file, so threads do not meet."""
        start, end = self._starts[position], self._ends[position]
        with self._text.path.open("rb") as stream:
            stream.seek(start)
            return dict(zip(names, sound_row(stream.read(end - start), names), strict=True))

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each row starts."""
        starts = np.frombuffer(self._starts, dtype=np.int64)
        return list(lines_at(self._text.path, starts[np.asarray(positions)]))

    def _some_rows(self) -> Iterator[list[bytes]]:
        """The bytes of rows, as many at once as lie together; an empty object for a broken row."""
        starts, ends = (np.frombuffer(one, dtype=np.int64) for one in (self._starts, self._ends))
        row = 0
        with self._text.path.open("rb") as stream:
            while row < len(self):
                first = int(starts[row])
                after = max(row + 1, int(np.searchsorted(ends, first + BYTES_AT_ONCE)))
                stream.seek(first)
                data = stream.read(int(ends[after - 1]) - first)
                spans = (np.stack([starts[row:after], ends[row:after]], axis=1) - first).tolist()
                rows = [data[start:end] for start, end in spans]
                for broken in self._faults.keys() & set(range(row, after)):
                    rows[broken - row] = b"{}"
                yield rows
                row = after


def _note_inner(
    inner: dict[str, dict[str, None]], fields: Mapping[str, Any], levels: int = MOST_LEVELS
) -> None:
    """The names within each field that holds an object; one more than MOST_INNER at the most."""
    for name, value in fields.items():
        if isinstance(value, dict) and len(inner) <= MOST_COLUMNS:
            names = inner.setdefault(name, {})
            if len(names) <= MOST_INNER:
                names.update(dict.fromkeys(islice(value, MOST_INNER + 1)))
                if levels > 1 and dict in map(type, value.values()):
                    below = {f"{name}.{one}": cell for one, cell in value.items()}
                    _note_inner(inner, below, levels - 1)


def _with_inner(
    columns: Mapping[str, None], inner: Mapping[str, Mapping[str, None]]
) -> tuple[str, ...]:
    """The columns with the fields within them; without those where that makes too many."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        found[name] = None
        names = inner.get(name, {})
        for one in names if len(names) <= MOST_INNER else ():
            if f"{name}.{one}" not in columns:
                add(f"{name}.{one}")

    for name in columns:
        add(name)
    return tuple(found if len(found) <= MOST_COLUMNS else columns)
