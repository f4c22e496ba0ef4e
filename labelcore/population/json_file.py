"""JSON: an object a line, or one list of objects.

The form follows from the first character, whatever the suffix says. The columns are the fields of
all objects in the order in which they first appear, and those within them that ``paths`` names; any
other path is a column as soon as it is asked for. DuckDB reads rows that hold texts, numbers and
truth values alone; whatever it could tell otherwise than it is written, such as an object in an
object or a number that is text, is decoded by the json module.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labelcore.errors import Fault, PopulationError
from labelcore.population.dialect import NOTHING, PLAIN, Dialect, Form, Given, Wanted
from labelcore.population.duck import Duck, DuckError
from labelcore.population.engines.engine import first_line
from labelcore.population.engines.sql import Piece, joined, sql, value
from labelcore.population.json_text import DECODER, checked_object, parse_object, why
from labelcore.population.limits import LARGEST_LIST, LONGEST_ROW, check_columns, long_row, refusal
from labelcore.population.paths import Fields, names_there, row_text, value_at
from labelcore.population.text import Columns, shorten
from labelcore.population.text import joined as joined_columns
from labelcore.population.text_file import MARKS, TextFile, open_text
from labelcore.population.text_table import TextTable, Walk, columns_of, plain_batches
from labelcore.stats.arrays import BoolArray, IntArray

SPACE = re.compile(r"[ \t\r\n]*")
FORMS = "a list of objects [{...}, {...}], or one object {...} a line"
LONGEST_RAW = 400
LINES = Dialect(delimiter="\1", quote="", header=False)
"""A line in each cell: JSON has no such delimiter."""
HEAD_BYTES = 1 << 16


class Found(NamedTuple):
    """A row: the line on which it starts, its text, and the rule that it breaks."""

    line: int
    raw: str
    rule: str = ""
    value: str | None = None


def is_list(text: TextFile) -> bool:
    """Whether the rows are the elements of one list; PopulationError for a file that is neither
    that nor lines of objects."""
    with text.path.open("rb") as stream:
        stream.seek(len(mark) if (mark := stream.read(3)) in MARKS else 0)
        first = b""
        while (part := stream.readline(HEAD_BYTES)) and not (first := part.strip()):
            pass
    if first.startswith(b"["):
        return True
    if first.startswith(b"{") and first != b"{":
        return False
    raise refusal(text.name, f"a JSON file must hold {FORMS}" if first else "the file is empty")


def _checked(walk: Walk, rows: Iterable[Found]) -> Iterator[str]:
    """The text of each row; an empty object for one that is none."""
    for row, found in enumerate(rows):
        walk.row = row
        walk.lines.append(found.line)
        if found.rule:
            walk.note(found.line, found.rule, found.value)
        yield "{}" if found.rule else found.raw


def _lines(text: TextFile) -> Iterator[Found]:
    """One object a line; blank lines are no rows."""
    number, row, offset = 0, 0, 0
    with text.path.open("rb") as stream:
        while line := stream.readline(LONGEST_ROW + 2):
            number += 1
            start, offset = offset, offset + len(line)
            if number == 1 and line[:3] in MARKS:
                start, line = start + 3, line[3:]
            if not line.strip():
                continue
            row += 1
            if len(line.rstrip(b"\n")) > LONGEST_ROW:
                raise long_row(text.name, row)
            yield _line(text, number, start, line)


def _line(text: TextFile, number: int, start: int, line: bytes) -> Found:
    try:
        raw = line.strip().decode()
        parse_object(raw)
        return Found(number, raw)
    except UnicodeDecodeError as error:
        place = line.index(line.strip()) + error.start
        return Found(number, "", *text.not_text(start + place, line[place]))
    except ValueError as error:
        shown = line[:LONGEST_RAW].decode(errors="replace").strip()
        return Found(number, "", f"the row cannot be read: {error}", shorten(shown))


def _elements(text: TextFile) -> Iterator[Found]:
    """The elements of one list. After one that is no JSON none can be found."""
    size = text.path.stat().st_size
    if size > LARGEST_LIST:
        raise refusal(
            text.name,
            f"a list of objects may have at most {LARGEST_LIST / 1e6:,.0f} MB, and this one has "
            f"{size / 1e6:,.0f} MB; save it as JSON Lines, an object a line",
        )
    data = text.path.read_bytes()
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        rule, value = text.not_text(error.start, data[error.start])
        line = data.count(b"\n", 0, error.start) + 1
        raise PopulationError([Fault(text.name, None, None, value, rule, line)]) from None
    del data
    line, counted = 1, 0

    def line_at(place: int) -> int:
        nonlocal line, counted
        line, counted = line + whole.count("\n", counted, place), place
        return line

    def broken(place: int, what: str) -> Found:
        rule = f"the row cannot be read: {what}; the rows after it were not looked at"
        shown = shorten(whole[place : place + LONGEST_RAW].strip())
        return Found(line_at(place), "", rule, shown)

    row, here = 0, _skip(whole, whole.index("[") + 1)
    more = not whole.startswith("]", here)
    while more:
        first, row = here, row + 1
        try:
            element, here = DECODER.raw_decode(whole, first)
        except (ValueError, RecursionError) as error:
            yield broken(getattr(error, "pos", first), why(error))
            return
        raw = whole[first:here]
        if len(raw) > LONGEST_ROW or (not raw.isascii() and len(raw.encode()) > LONGEST_ROW):
            raise long_row(text.name, row)
        try:
            checked_object(element, raw)
            yield Found(line_at(first), raw)
        except ValueError as error:
            rule = f"the row cannot be read: {error}"
            yield Found(line_at(first), "", rule, shorten(raw[:LONGEST_RAW]))
        here = _skip(whole, here)
        more = whole.startswith(",", here)
        here = _skip(whole, here + 1) if more else here
    if not whole.startswith("]", here):
        rest = "a comma must come before it" if whole[here:] else "the list is not closed"
        yield broken(here, rest)
    elif (after := _skip(whole, here + 1)) < len(whole):
        yield broken(after, "text follows the end of the list")


def _skip(text: str, here: int) -> int:
    match = SPACE.match(text, here)
    return here if match is None else match.end()


MOST_NAMED_FROM = 1_000
"""Rows of which it is told what else is there."""
DEEP = Piece("""("0" LIKE '%[%' OR "0" LIKE '_%{%')""")
"""Rows that may hold lists or objects, or brackets in their texts."""


class JsonTable(TextTable):
    """Rows that are each the text of an object.

    wanted   columns that are read as soon as the fields are looked at
    """

    nested = True

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = dict(wanted)

    def _take(self, name: str, rows: Iterable[Columns], walk: Walk | None = None) -> None:
        """Keep the rows, find the columns, and read what is wanted. Raises DuckError for a row that
        is no object."""
        self._pack(name, "0", rows, walk)
        fields, chunks = Fields(), list[Columns]()
        for columns, shapes in self._scan(self._wanted):
            chunks.append(columns)
            for shape in shapes:
                fields.note(shape)
            check_columns(name, len(fields.names))
        self._read = joined_columns(list(self._wanted), chunks)
        self.columns = fields.columns()

    def reach(self, paths: Sequence[str]) -> dict[str, str]:
        """Take paths that lead somewhere in any row for columns; of the others, what is there."""
        missing, seen = dict.fromkeys(paths), list[Mapping[str, Any]]()
        for record in self.records(()):
            seen += [record] if len(seen) < MOST_NAMED_FROM else []
            for path in [path for path in missing if value_at(record, path) is not None]:
                self.columns += (path,)
                del missing[path]
            if not missing:
                break
        return {path: names_there(seen, path) for path in missing}

    def records(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Each row as it is written."""
        for batch in self._packed.batches():
            yield from map(parse_object, batch["0"].to_pylist())

    def load(self, names: Sequence[str]) -> Columns:
        missing = [name for name in dict.fromkeys(names) if name not in self._read]
        texts = self._read | (joined_columns(missing, self.batches(missing)) if missing else {})
        self._read = {}
        return {name: texts[name] for name in names}

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        return (columns for columns, _ in self._scan(dict.fromkeys(names, False)))

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        row = parse_object(self._packed.row(position, "0")["0"])
        return dict(zip(names, row_text(row, names), strict=True))

    def _scan(
        self, wanted: Wanted
    ) -> Iterator[tuple[Columns, list[Mapping[str, Any] | Sequence[str]]]]:
        """Some rows at a time: these columns, and the different fields that rows have, in the order
        in which they first appear. Raises DuckError for a row that is no object."""
        for batch in Duck().stream(_query(wanted), rows=self._packed.reader()):
            fields = batch.column(0).dictionary_encode()
            raw = batch.column(1)
            at = np.flatnonzero(raw.is_valid().to_numpy(zero_copy_only=False))
            objects = [self._object(text) for text in raw.take(pa.array(at)).to_pylist()]
            columns: Columns = {}
            for place, name in enumerate(wanted, 2):
                column = pc.fill_null(batch.column(place), "")
                if len(at):
                    texts = pa.array([row_text(row, [name])[0] for row in objects], pa.string())
                    mask: BoolArray = np.zeros(len(column), dtype=bool)
                    mask[at] = True
                    column = pc.replace_with_mask(column, pa.array(mask), texts)
                columns[name] = pa.chunked_array([column])
            yield columns, self._fields(fields, at, objects)

    def _fields(
        self, fields: pa.DictionaryArray, at: IntArray, objects: list[dict[str, Any]]
    ) -> list[Mapping[str, Any] | Sequence[str]]:
        codes, rows = np.unique(
            fields.indices.fill_null(-1).to_numpy(zero_copy_only=False), return_index=True
        )
        shapes: list[tuple[int, Mapping[str, Any] | Sequence[str]]]
        shapes = list(zip(at.tolist(), objects, strict=True))
        for code, row in zip(codes.tolist(), rows.tolist(), strict=True):
            if code >= 0:
                names = json.loads(fields.dictionary[code].as_py())
                if len(set(names)) < len(names):
                    raise DuckError("two fields of one object have the same name")
                shapes.append((row, names))
        return [shape for _, shape in sorted(shapes, key=lambda each: each[0])]

    @staticmethod
    def _object(text: str) -> dict[str, Any]:
        try:
            return parse_object(text)
        except ValueError as error:
            raise DuckError(str(error)) from error


def _query(wanted: Wanted) -> Piece:
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
        """WITH a AS (SELECT "0", {} AS deep FROM packed), b AS (
            SELECT "0", deep, CASE WHEN NOT deep THEN {} END AS k,
            CASE WHEN NOT deep THEN {} END AS v
            FROM a
        ) SELECT k, CASE WHEN {} THEN "0" END, {} FROM b""",
        DEEP,
        Piece('CAST(to_json(json_keys("0")) AS VARCHAR)'),
        extracted,
        joined(" OR ", [Piece("deep"), Piece("k = '[]'"), *odd]),
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

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
        super().__init__(wanted)
        self.text = text = open_text(path, given.get("encoding"))
        self.dialect = PLAIN.changed({**given, "encoding": text.encoding})
        self.detected = PLAIN.changed({"encoding": text.detected})
        as_list = is_list(text)
        if text.sound and not as_list:
            with suppress(DuckError, pa.ArrowInvalid):
                return self._take(path.name, plain_batches(text.path, 1, LINES))
        walk = Walk(path.name)
        rows = _checked(walk, _elements(text) if as_list else _lines(text))
        try:
            self._take(path.name, columns_of([row] for row in rows), walk)
        except DuckError as error:
            raise refusal(path.name, f"the file cannot be read: {first_line(error)}") from error
        if walk.faults and not self.columns:
            raise PopulationError(walk.faults)

    @classmethod
    def detect(cls, path: Path, given: Given = NOTHING) -> Form:
        """The encoding."""
        encoding = open_text(path, given.get("encoding")).encoding
        return Form(PLAIN.changed({"encoding": encoding}), cls.options)

    def _line_of_each(self) -> Iterable[int]:
        return (found.line for found in _lines(self.text))
