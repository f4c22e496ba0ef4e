"""JSON: an object a line, or one list of objects.

The form follows from the first character, whatever the suffix says. The columns are the fields of
all objects in the order in which they first appear, and those within them that ``paths`` names; any
other path is a column as soon as it is asked for. DuckDB reads rows that hold texts, numbers and
truth values alone; whatever it could tell otherwise than it is written, such as an object in an
object or a number that is text, is decoded by the json module.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.errors import PopulationError
from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.duck import DuckError, file_value
from labelcore.population.engines.sql import Piece, any_of, joined, sql, value
from labelcore.population.json_text import parse_object
from labelcore.population.json_walk import is_list, rewritten
from labelcore.population.limits import check_columns
from labelcore.population.paths import Fields, names_there, row_text, value_at
from labelcore.population.text import Columns
from labelcore.population.text import joined as joined_columns
from labelcore.population.text_file import open_text
from labelcore.population.text_table import NO_VALUE, TextTable, survey

LONGEST_LINE = 2_000_000
MOST_NAMED_FROM = 1_000
"""Rows of which it is told what else is there."""
MARGIN = 1 << 20
DEEP = Piece("""("0" LIKE '%[%' OR "0" LIKE '_%{%')""")
"""Rows that may hold lists or objects, or brackets in their texts."""
Wanted = Mapping[str, bool]
"""Columns to read, and whether they are read as numbers alone."""


def lines_of(path: Path, longest: int = 0, ends: str = "\\n") -> Piece:
    """What stands behind FROM: each line as it is."""
    options = f", max_line_size = {longest + MARGIN}" if longest > LONGEST_LINE else ""
    return sql(
        "read_csv({}, auto_detect = false, header = false, columns = {'0': 'VARCHAR'}, delim = '', "
        f"quote = '', escape = '', strict_mode = true, nullstr = {{}}, new_line = {{}}{options})",
        file_value(path),
        value(NO_VALUE),
        value(ends),
    )


class JsonTable(TextTable):
    """Rows that are each the text of an object.

    wanted   columns that are read as soon as the fields are looked at
    """

    width = 1

    def __init__(self, name: str, rows: Piece, wanted: Wanted = NOTHING) -> None:
        super().__init__(rows)
        self._named(name, ())
        self._wanted = dict(wanted)

    def _named(self, name: str, columns: Sequence[str]) -> None:
        super()._named(name, columns)
        self._read: Columns = {}

    def look(self) -> None:
        """Find the columns, and read what is wanted."""
        fields, chunks = Fields(), list[Columns]()
        rows = 0
        for columns, found, number in self._scan(self._wanted):
            rows += number
            chunks.append(columns)
            for one in found:
                fields.note(one)
                check_columns(self.name, len(fields.names))
        self._read = joined_columns(list(self._wanted), chunks)
        self.columns = fields.columns()
        self._counted(rows)

    def reach(self, paths: Sequence[str]) -> dict[str, str]:
        """Take paths that lead somewhere in any row for columns; of the others, what is there."""
        missing, seen = dict.fromkeys(paths), list[Mapping[str, Any]]()
        for record in self.records():
            seen += [record] if len(seen) < MOST_NAMED_FROM else []
            for path in [path for path in missing if value_at(record, path) is not None]:
                self.columns += (path,)
                del missing[path]
            if not missing:
                break
        return {path: names_there(seen, path) for path in missing}

    def records(self) -> Iterator[dict[str, Any]]:
        """Each row as it is written."""
        for batch in self.duck.stream(sql('SELECT "0" FROM {}', self.rows)):
            yield from map(parse_object, batch.column(0).to_pylist())

    def load(self, names: Sequence[str]) -> Columns:
        """These columns as text."""
        missing = [name for name in dict.fromkeys(names) if name not in self._read]
        some = (columns for columns, _, _ in self._scan(dict.fromkeys(missing, False)))
        found = self._read | (joined_columns(missing, some) if missing else {})
        self._read = {}
        return {name: found[name] for name in names}

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """Some rows at a time."""
        for columns, _, _ in self._scan(dict.fromkeys(names, False)):
            yield columns

    def first(self, number: int) -> list[dict[str, str]]:
        """All cells of the first rows."""
        query = sql(f'SELECT "0" FROM {{}} LIMIT {int(number)}', self.rows)
        return [self._row(row, self.columns) for row in self.duck.fetch(query)]

    def _places(self, names: Sequence[str]) -> list[int]:
        return [0]

    def _row(self, row: Sequence[str], names: Sequence[str]) -> dict[str, str]:
        return dict(zip(names, row_text(parse_object(row[0]), names), strict=True))

    def _lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        return [None] * len(positions)

    def _scan(
        self, wanted: Wanted
    ) -> Iterator[tuple[Columns, list[Mapping[str, Any] | Sequence[str]], int]]:
        """Some rows at a time: these columns, the different fields that rows have, in the order in
        which they first appear, and how many rows. Raises DuckError for a row that is no object."""
        query = _query(wanted, self.rows)
        for batch in self.duck.stream(query):
            fields = batch.column(0).dictionary_encode()
            raw = batch.column(1)
            at = np.flatnonzero(raw.is_valid().to_numpy(zero_copy_only=False))
            objects = [self._object(text) for text in raw.take(pa.array(at)).to_pylist()]
            columns: Columns = {}
            for place, name in enumerate(wanted, 2):
                column = pc.fill_null(batch.column(place), "")
                if len(at):
                    texts = pa.array([row_text(one, [name])[0] for one in objects], pa.string())
                    mask: NDArray[np.bool_] = np.zeros(len(column), dtype=bool)
                    mask[at] = True
                    column = pc.replace_with_mask(column, pa.array(mask), texts)
                columns[name] = pa.chunked_array([column])
            yield columns, self._fields(fields, at, objects), batch.num_rows

    def _fields(
        self, fields: pa.DictionaryArray, at: NDArray[np.int64], objects: list[dict[str, Any]]
    ) -> list[Mapping[str, Any] | Sequence[str]]:
        codes, rows = np.unique(
            fields.indices.fill_null(-1).to_numpy(zero_copy_only=False), return_index=True
        )
        found: list[tuple[int, Mapping[str, Any] | Sequence[str]]]
        found = list(zip(at.tolist(), objects, strict=True))
        for code, row in zip(codes.tolist(), rows.tolist(), strict=True):
            if code >= 0:
                names = json.loads(fields.dictionary[code].as_py())
                if len(set(names)) < len(names):
                    raise DuckError("two fields of one object have the same name")
                found.append((row, names))
        return [one for _, one in sorted(found, key=lambda each: each[0])]

    @staticmethod
    def _object(text: str) -> dict[str, Any]:
        try:
            return parse_object(text)
        except ValueError as error:
            raise DuckError(str(error)) from error


def _query(wanted: Wanted, rows: Piece) -> Piece:
    """The fields of each row, its text where it is to be decoded here, and the columns."""
    names = [f"/{name.replace('~', '~0').replace('/', '~1')}" for name in wanted]
    odd = [
        _other_number(f"v[{place}]")
        for place, number in enumerate(wanted.values(), 1)
        if not number
    ]
    if any("\0" in name for name in wanted):
        odd.append(Piece("TRUE"))
    cells = [Piece(f"v[{place}]") for place in range(1, len(wanted) + 1)]
    extracted = sql('json_extract_string("0", {})', value(names)) if names else Piece("NULL")
    return sql(
        """WITH a AS (SELECT "0", {} AS deep FROM {}), b AS (
            SELECT "0", deep, CASE WHEN NOT deep THEN {} END AS k,
            CASE WHEN NOT deep THEN {} END AS v
            FROM a
        ) SELECT k, CASE WHEN {} THEN "0" END, {} FROM b""",
        DEEP,
        rows,
        Piece('CAST(to_json(json_keys("0")) AS VARCHAR)'),
        extracted,
        any_of([Piece("deep"), Piece("k = '[]'"), *odd]),
        joined(", ", cells or [Piece("NULL")]),
    )


def _other_number(cell: str) -> Piece:
    """Whether it is a number whose digits DuckDB may write in another way."""
    whole = f"regexp_full_match({cell}, '0|-?[1-9][0-9]{{0,17}}')"
    minus = r"""contains("0", '-0') AND regexp_matches("0", ':\s*-0\s*[,}]')"""
    least = f"({cell} = '0' AND {minus})"
    return Piece(f"({least} OR (try_cast({cell} AS DOUBLE) IS NOT NULL AND NOT {whole}))")


class JsonFile(JsonTable):
    """A .json, .jsonl or .ndjson file, packed or not; ``cell_text`` says what its cells are."""

    options = ("encoding",)

    def __init__(
        self, path: Path, given: Mapping[str, Any] = NOTHING, wanted: Wanted = NOTHING
    ) -> None:
        self.text = text = open_text(path, given.get("encoding"))
        self.dialect = PLAIN.changed({**given, "encoding": text.encoding})
        self.detected = PLAIN.changed({"encoding": text.detected})
        self._bytes = survey(text.path)
        ends = "" if self._bytes.returns else "\\n"
        super().__init__(path.name, lines_of(text.path, ends=ends), wanted)
        self._list = is_list(text)
        if self._list or not (text.sound and self._bytes.plain and self._looked()):
            self._rewrite()

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """The encoding."""
        encoding = open_text(path, given.get("encoding")).encoding
        return Form(PLAIN.changed({"encoding": encoding}), cls.options)

    def _looked(self) -> bool:
        """Whether DuckDB reads each line as a row."""
        try:
            self.look()
        except DuckError:
            return False
        return self._bytes.lines == len(self)

    def _rewrite(self) -> None:
        self._again = again = rewritten(self.text, self._list)
        self.rows = lines_of(again.copy.path, again.longest)
        try:
            self.look()
        except DuckError as error:
            raise self._cannot(error) from error
        if again.faults and not self.columns:
            raise PopulationError(again.faults)

    def _lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """Of a file without blank lines, or with some."""
        wanted, found, row = set(positions.tolist()), dict[int, int](), 0
        with self.text.path.open("rb") as stream:
            for line, text in enumerate(stream, 1):
                if text.strip():
                    if row in wanted:
                        found[row] = line
                    row += 1
        return [found.get(position) for position in positions.tolist()]
