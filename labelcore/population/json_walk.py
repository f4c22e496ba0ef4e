"""Every row of a JSON file by the json module: slow, and finds every fault."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from labelcore.errors import Fault, PopulationError
from labelcore.population.copies import TemporaryCopy
from labelcore.population.json_text import DECODER, checked_object, parse_object, why
from labelcore.population.limits import LARGEST_LIST, LONGEST_ROW, check_rows, long_row, refusal
from labelcore.population.text import shorten
from labelcore.population.text_file import MARKS, TextFile
from labelcore.population.text_table import Rewritten

SPACE = re.compile(r"[ \t\r\n]*")
FORMS = "a list of objects [{...}, {...}], or one object {...} a line"
LONGEST_RAW = 400
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


def rewritten(text: TextFile, as_list: bool) -> Rewritten:
    """An object a line; an empty one for a row that is none."""
    copy, lines, longest, faults = TemporaryCopy(".jsonl"), array("q"), 0, list[Fault]()
    with copy.path.open("w", encoding="utf-8", newline="") as stream:
        for row, found in enumerate(_elements(text) if as_list else _lines(text), 1):
            check_rows(text.name, row)
            lines.append(found.line)
            raw = found.raw
            if found.rule:
                faults.append(Fault(text.name, None, row, found.value, found.rule, found.line))
                raw = "{}"
            # Within texts JSON has no ends of lines.
            stream.write(raw.replace("\n", " ").replace("\r", " ") + "\n")
            longest = max(longest, len(raw))
    broken = frozenset((fault.row or 1) - 1 for fault in faults)
    return Rewritten(copy, lines, faults, broken, 4 * longest)


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
    found = SPACE.match(text, here)
    return here if found is None else found.end()
