"""JSON as readable text: keys in order, every digit of a number, line breaks as line breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from labelcore.items.forms import Folders, Text
from labelcore.items.text import as_text

LONGEST = 1_000_000
DEEPEST = 40
STEP, BAR, LINE_WIDTH = "  ", "│ ", 70


class Number(str):
    """A number as it was written."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object; a name that comes twice is kept twice."""

    pairs: tuple[tuple[str, Json], ...]


Json: TypeAlias = "Object | list[Json] | Number | str | bool | None"


@lru_cache(maxsize=4)
def parse(value: str) -> Object | list[Json] | None:
    """The object or array that a text is, None when it is neither or is over the limits."""
    if not value or len(value) > LONGEST or value.lstrip()[:1] not in ("{", "["):
        return None
    try:
        found = json.loads(
            value,
            object_pairs_hook=lambda pairs: Object(tuple(pairs)),
            parse_int=Number,
            parse_float=Number,
            parse_constant=Number,
        )
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, (Object, list)) and depth_is_fair(found) else None


def depth_is_fair(value: Json) -> bool:
    """Whether it is nested at most DEEPEST levels deep."""
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [part for one in level for part in parts(one)]
        if not level:
            return True
    return False


def parts(value: Json) -> list[Json]:
    if isinstance(value, Object):
        return [part for _, part in value.pairs]
    return value if isinstance(value, list) else []


def read(value: str, folders: Folders) -> Text | None:
    """An object or array with something in it, indented."""
    found = parse(value) if looks_like_json(value) else None
    return as_text(indented(found)) if found is not None and parts(found) else None


def looks_like_json(value: str) -> bool:
    return value.lstrip()[:1] in ("{", "[") and value.rstrip()[-1:] in ("}", "]")


def indented(value: Json) -> str:
    r"""Readable text; a text of several lines stands behind bars, which no text can imitate.

    >>> print(indented(parse('{"a": 1.50, "b": ["x", null], "c": "one\\ntwo"}')))
    {
      "a": 1.50,
      "b": ["x", null],
      "c":
        │ one
        │ two
    }
    """
    return "\n".join(_lines(value, "", "", ""))


def _lines(value: Json, name: str, indent: str, comma: str) -> Iterator[str]:
    inside = parts(value)
    if isinstance(value, str) and not isinstance(value, Number) and "\n" in value:
        yield indent + name.rstrip()
        yield from (f"{indent}{STEP}{BAR}{line}" for line in value.split("\n"))
    elif not inside or (isinstance(value, list) and fits(value)):
        yield indent + name + compact(value) + comma
    else:
        names = [f"{quoted(key)}: " for key, _ in value.pairs] if isinstance(value, Object) else []
        yield indent + name + ("{" if isinstance(value, Object) else "[")
        for place, part in enumerate(inside):
            own = names[place] if names else ""
            yield from _lines(part, own, indent + STEP, "," if place + 1 < len(inside) else "")
        yield indent + ("}" if isinstance(value, Object) else "]") + comma


def fits(values: list[Json]) -> bool:
    """Whether a list holds nothing nested and goes on one line."""
    plain = not any(isinstance(one, (Object, list)) for one in values)
    return plain and sum(len(compact(one)) + 2 for one in values) <= LINE_WIDTH


def compact(value: Json) -> str:
    """On one line.

    >>> compact(parse('{ "a" : [1,  2.0] }'))
    '{"a": [1, 2.0]}'
    """
    if isinstance(value, Object):
        return "{" + ", ".join(f"{quoted(key)}: {compact(one)}" for key, one in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(compact, value)) + "]"
    return quoted(value) if isinstance(value, str) else scalar(value)


def scalar(value: Number | str | bool | None) -> str:
    """A value that holds no others, as in a cell of a table."""
    if isinstance(value, str):
        return value
    return "null" if value is None else str(value).lower()


def quoted(text: str) -> str:
    return text if isinstance(text, Number) else json.dumps(text, ensure_ascii=False)
