"""One JSON object as a row of text."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from labelcore.population.limits import MOST_NESTED

KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}


TOO_DEEP = f"it is nested too deeply, over {MOST_NESTED} levels"


class Number(str):
    """A JSON number, with its digits as they stand in the file."""

    __slots__ = ()


def parse_object(text: str) -> dict[str, Any]:
    """The fields of one object. ValueError with a rule for anything else."""
    try:
        value = DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{why(error)} at character {error.pos + 1}") from None
    except RecursionError as error:
        raise ValueError(why(error)) from None
    return checked_object(value, text)


def field_names(text: str) -> Mapping[str, Any]:
    """The fields of one object, of which the names alone mean something: as ``parse_object``, and
    faster for a row without objects in it.

    Where every name is followed by its colon at once, and there are as many of these two signs as
    different names, no name stands there twice.
    """
    try:
        found, end = SOUND(text, 0)
    except (StopIteration, ValueError, RecursionError):
        return parse_object(text)
    once = type(found) is dict and text.count('":') == len(found) and not APART.search(text)
    if once and _shallow(text) and end == len(text) and not SURROGATE.search(text):
        names: Mapping[str, Any] = found
        return names
    return parse_object(text)


def flat_rows(texts: Sequence[str]) -> list[Mapping[str, Any]] | None:
    """The fields of some objects, decoded together; None unless each text is an object without
    fields in its fields, and with different names, and so needs no further check.

    What stands between the texts is known to this process alone: were one of them more or less than
    a value, some of it would not come out between two values.
    """
    whole = BETWEEN.join(texts)
    if APART.search(whole) or SURROGATE.search(whole):
        return None
    try:
        found = _SOUND.decode(f"[{whole}]")
    except (ValueError, RecursionError):
        return None
    rows: list[Mapping[str, Any]] = found[::2]
    alone = len(rows) == len(texts) and found[1::2] == [MARK] * (len(texts) - 1)
    if not alone or set(map(type, rows)) != {dict}:
        return None
    once = whole.count('":') == sum(map(len, rows))
    return rows if once and (_shallow(whole) or all(map(_shallow, texts))) else None


def _shallow(text: str) -> bool:
    """Whether an object without fields in its fields is surely not nested too deeply."""
    return text.count("[") < MOST_NESTED


def _check_depth(value: object, text: str) -> None:
    """ValueError for more than MOST_NESTED levels; few rows have brackets enough to look."""
    if text.count("{") + text.count("[") <= MOST_NESTED:
        return
    level: list[Any] = [value]
    for _ in range(MOST_NESTED):
        inner = [list(one.values()) if isinstance(one, dict) else one for one in level]
        level = [part for parts in inner for part in parts if isinstance(part, (dict, list))]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def why(error: Exception) -> str:
    """What is wrong with text that could not be decoded."""
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return f"not JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else str(error)


def checked_object(value: object, text: str) -> dict[str, Any]:
    """A decoded row, if it is an object of texts. ``text`` is where it came from."""
    if not isinstance(value, dict):
        raise ValueError(
            f"a row must be an object {{...}}, not {KINDS.get(type(value), 'a number')}"
        )
    _check_depth(value, text)
    if SURROGATE.search(text):
        try:
            json_text(value).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair is no character") from None
    return value


def cell_text(value: Any) -> str:
    """A field as text: null is empty, numbers keep their digits, nested values are JSON text.

    >>> found = parse_object('{"a": 1.50, "b": null, "c": [1.0, "x"]}')
    >>> row_text(found, ["a", "b", "c", "d"])
    ['1.50', '', '[1.0, "x"]', '']
    """
    return "" if value is None else str(value) if isinstance(value, str) else json_text(value)


def json_text(value: Any) -> str:
    """JSON text of a decoded value, on one line."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        fields = (f"{json_text(name)}: {json_text(field)}" for name, field in value.items())
        return "{" + ", ".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def field_of(found: Mapping[str, Any], name: str) -> Any:
    """The field ``name``, else the one of that name within objects; None where there is none.

    >>> field_of({"a": {"b": {"c": "fail"}}}, "a.b.c"), field_of({"a.b": 1}, "a.b")
    ('fail', 1)
    """
    if name in found or "." not in name:
        return found.get(name)
    place = name.find(".")
    while place >= 0:
        inner = found.get(name[:place])
        if isinstance(inner, dict):
            value = field_of(inner, name[place + 1 :])
            if value is not None:
                return value
        place = name.find(".", place + 1)
    return None


def row_text(found: dict[str, Any], names: Sequence[str]) -> list[str]:
    """The named fields as text; a field that an object lacks is empty."""
    return [cell_text(field_of(found, name)) for name in names]


def sound_row(raw: bytes, names: Sequence[str]) -> list[str]:
    """The same of the bytes of a row that was checked before, and faster."""
    text = raw.decode()
    found, _ = SOUND(text, 0)
    cells = []
    for name in names:
        value = field_of(found, name)
        if type(value) is str:
            cells.append(value)
        elif type(value) in (dict, list):
            return row_text(parse_object(text), names)
        else:
            cells.append(cell_text(value))
    return cells


def sound_columns(raws: Sequence[bytes], names: Sequence[str]) -> list[list[str]]:
    """The same of many rows, by column, and faster still."""
    texts = [raw.decode() for raw in raws]
    rows = _SOUND.decode("[" + ",".join(texts) + "]")
    return [_sound_column(name, rows, texts) for name in names]


def _sound_column(name: str, rows: Sequence[dict[str, Any]], texts: Sequence[str]) -> list[str]:
    plain = "." not in name
    cells: list[Any] = [row.get(name) if plain else field_of(row, name) for row in rows]
    if set(map(type, cells)) == {str}:
        return cells
    return [
        cell_text(field_of(parse_object(text), name) if type(cell) in (dict, list) else cell)
        for cell, text in zip(cells, texts, strict=True)
    ]


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two fields of one object have the name {twice[:80]!r}")
    return found


DECODER = json.JSONDecoder(
    object_pairs_hook=_named_once, parse_float=Number, parse_int=Number, parse_constant=Number
)
APART = re.compile(r'"[ \t\r\n]+:')
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
MARK = secrets.token_hex(16)
BETWEEN = f',"{MARK}",'
_SOUND: Any = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
SOUND = _SOUND.scan_once
