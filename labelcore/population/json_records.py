"""Where the rows of a JSON file are, and what is wrong with those that cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from labelcore.errors import Fault, PopulationError
from labelcore.population.json_text import DECODER, checked_object, field_names, flat_rows, why
from labelcore.population.limits import LARGEST_LIST, LONGEST_ROW, long_row, refusal
from labelcore.population.text import shorten
from labelcore.population.text_file import MARKS, TextFile, lines_at

SPACE = re.compile(r"[ \t\r\n]*")
FORMS = "a list of objects [{...}, {...}], or one object {...} a line"
LONGEST_RAW = 400
LONGEST_TOKEN = 20  # of what is not a text: a number cut in two would be another number
WINDOW = LONGEST_ROW + LONGEST_TOKEN
HEAD_BYTES = 1 << 16
LINES_AT_ONCE = 1 << 16  # bytes: one row that needs a look of its own costs those beside it time
ELEMENTS_AT_ONCE = 64


class RowFault(NamedTuple):
    """A rule broken at a byte of the file."""

    offset: int
    rule: str
    value: str | None


class Record(NamedTuple):
    """First byte, the byte after the last, and the fields or what is wrong."""

    start: int
    end: int
    fields: Mapping[str, Any]
    fault: RowFault | None = None


class Records(NamedTuple):
    """Rows one after another, as ``Record`` has them; faults by place among them.

    flat   whether it is known that no field of theirs holds fields
    """

    starts: Sequence[int]
    ends: Sequence[int]
    fields: Sequence[Mapping[str, Any]]
    faults: Mapping[int, RowFault]
    flat: bool = False

    @classmethod
    def of(cls, rows: Sequence[Record]) -> Records:
        faults = {place: row.fault for place, row in enumerate(rows) if row.fault is not None}
        starts, ends, fields, _ = zip(*rows, strict=True)
        return cls(starts, ends, fields, faults)


def find_records(text: TextFile) -> Iterator[Records]:
    """Each row; PopulationError for a file that is neither lines nor a list of objects."""
    with text.path.open("rb") as stream:
        start = len(mark) if (mark := stream.read(3)) in MARKS else 0
        stream.seek(start)
        first = b""
        while part := stream.readline(HEAD_BYTES):
            if first := part.strip():
                break
            start += len(part)
    if first.startswith(b"["):
        return _some_at_once(_elements(text))
    if first.startswith(b"{") and first != b"{":
        return _lines(text, start)
    rule = f"a JSON file must hold {FORMS}" if first else "the file is empty"
    raise PopulationError([Fault(text.name, None, None, None, rule)])


def _some_at_once(rows: Iterable[Record]) -> Iterator[Records]:
    rows = iter(rows)
    while some := list(islice(rows, ELEMENTS_AT_ONCE)):
        yield Records.of(some)


def _lines(text: TextFile, start: int) -> Iterator[Records]:
    """One object a line, without the spaces around it; blank lines are no rows."""
    before = 0
    for place, block in _blocks(text, start):
        rows: list[tuple[int, bytes]] = []
        for line in block.split(b"\n"):
            if len(line) > LONGEST_ROW:
                raise long_row(text.name, before + len(rows) + 1)
            if found := line.strip():
                rows.append((place + line.index(found), found))
            place += len(line) + 1
        if rows:
            yield _together(text, rows)
        before += len(rows)


def _together(text: TextFile, rows: Sequence[tuple[int, bytes]]) -> Records:
    """Rows by their first bytes: at once if that is enough, else each on its own."""
    try:
        fields = flat_rows([line.decode() for _, line in rows])
    except UnicodeDecodeError:
        fields = None
    if fields is None:
        return Records.of([_line(text, start, line) for start, line in rows])
    starts = [start for start, _ in rows]
    return Records(starts, [start + len(line) for start, line in rows], fields, {}, flat=True)


def _blocks(text: TextFile, place: int) -> Iterator[tuple[int, bytes]]:
    """Some lines at once, and their first byte; the last one is cut where it is too long."""
    with text.path.open("rb") as stream:
        stream.seek(place)
        while block := stream.read(LINES_AT_ONCE):
            if not block.endswith(b"\n"):
                block += stream.readline(LONGEST_ROW + 1)
            yield place, block
            place += len(block)


def _line(text: TextFile, start: int, line: bytes) -> Record:
    end = start + len(line)
    try:
        return Record(start, end, field_names(line.decode()))
    except UnicodeDecodeError as error:
        place = start + error.start
        fault = RowFault(place, *text.not_text(place, line[error.start]))
    except ValueError as error:
        shown = line[:LONGEST_RAW].decode(errors="replace").strip()
        fault = RowFault(start, f"the row cannot be read: {error}", shorten(shown))
    return Record(start, end, {}, fault)


def _elements(text: TextFile) -> Iterator[Record]:
    """The elements of one list. After one that is no JSON none can be found."""
    size = text.path.stat().st_size
    if size > LARGEST_LIST:
        raise refusal(
            text.name,
            f"a list of objects may have at most {LARGEST_LIST / 1e6:,.0f} MB, and this one has "
            f"{size / 1e6:,.0f} MB; save it as JSON Lines, an object a line",
        )
    data = text.path.read_bytes()
    place = _first_undecodable(data)
    if place is not None:
        rule, value = text.not_text(place, data[place])
        (line,) = lines_at(text.path, np.array([place]))
        raise PopulationError([Fault(text.name, None, None, value, rule, line)])
    found = data.decode()
    offsets = _Offsets(found, data.isascii())
    del data
    here = _skip(found, found.index("[") + 1)
    more = not found.startswith("]", here)
    window, rows = _Window(text.name, found), 0
    while more:
        first, rows = here, rows + 1
        try:
            element, here = window.decode(first, rows)
        except PopulationError:
            raise
        except (ValueError, RecursionError) as error:
            yield _broken(offsets, first, getattr(error, "pos", first), why(error))
            return
        record = _element(offsets, first, here, element)
        if record.end - record.start > LONGEST_ROW:
            raise long_row(text.name, rows)
        yield record
        here = _skip(found, here)
        more = found.startswith(",", here)
        if more:
            here = _skip(found, here + 1)
    if not found.startswith("]", here):
        missing = "a comma must come before it" if found[here:] else "the list is not closed"
        yield _broken(offsets, here, here, missing)
    elif (after := _skip(found, here + 1)) < len(found):
        yield _broken(offsets, after, after, "text follows the end of the list")


class _Window:
    """A part of a text that is decoded, so that no element can be longer than a row may be."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text
        self._start, self._part = 0, text[:WINDOW]

    def decode(self, first: int, row: int) -> tuple[object, int]:
        """The element that starts at ``first``, and the place after it.

        PopulationError for one that is too long; ValueError or RecursionError for no JSON.
        """
        found = self._decoded(first)
        if found is None and first > self._start:
            self._start, self._part = first, self._text[first : first + WINDOW]
            found = self._decoded(first)
        if found is None:
            raise long_row(self._name, row)
        return found

    def _decoded(self, first: int) -> tuple[object, int] | None:
        """None where the part may end before the element does."""
        cut = self._start + len(self._part) < len(self._text)
        try:
            value, end = DECODER.raw_decode(self._part, first - self._start)
        except json.JSONDecodeError as error:
            if cut and (error.msg.startswith("Unterminated") or self._near_end(error.pos)):
                return None
            raise json.JSONDecodeError(error.msg, self._text, error.pos + self._start) from None
        return None if cut and self._near_end(end) else (value, end + self._start)

    def _near_end(self, place: int) -> bool:
        return place > len(self._part) - LONGEST_TOKEN


class _Offsets:
    """Bytes of growing places in a text."""

    def __init__(self, text: str, is_ascii: bool) -> None:
        self.text = text
        self._ascii = is_ascii
        self._place, self._offset = 0, 0

    def at(self, place: int) -> int:
        if self._ascii:
            return place
        part = self.text[self._place : place] if place >= self._place else self.text[:place]
        start = self._offset if place >= self._place else 0
        self._place, self._offset = place, start + len(part.encode())
        return self._offset


def _element(offsets: _Offsets, first: int, last: int, value: object) -> Record:
    raw = offsets.text[first:last]
    start, end = offsets.at(first), offsets.at(last)
    try:
        return Record(start, end, checked_object(value, raw))
    except ValueError as error:
        rule = f"the row cannot be read: {error}"
        return Record(start, end, {}, RowFault(start, rule, shorten(raw[:LONGEST_RAW])))


def _broken(offsets: _Offsets, first: int, place: int, what: str) -> Record:
    """The last record: nothing after it is read."""
    start = offsets.at(first)
    shown = shorten(offsets.text[place : place + LONGEST_RAW].strip())
    rule = f"the row cannot be read: {what}; the rows after it were not looked at"
    return Record(start, start, {}, RowFault(offsets.at(place), rule, shown))


def _first_undecodable(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def _skip(text: str, here: int) -> int:
    found = SPACE.match(text, here)
    return here if found is None else found.end()
