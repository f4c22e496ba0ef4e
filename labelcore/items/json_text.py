"""JSON as fields: names in order, every digit of a number, line breaks as line breaks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from labelcore.items.forms import Block, Folders, Rich, Text
from labelcore.items.text import one_line, visible

LONGEST = 16_000_000
DEEPEST = 40
MOST_PARTS = 2_000
"""Parts of an array or object that is shown by its fields; a larger one is text as it is."""
OPEN_LEVELS, LINE_WIDTH, SUMMARY = 2, 70, 80


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
        data = json.loads(
            value,
            object_pairs_hook=lambda pairs: Object(tuple(pairs)),
            parse_int=Number,
            parse_float=Number,
            parse_constant=Number,
        )
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, (Object, list)) and depth_is_fair(data) else None


def depth_is_fair(value: Json) -> bool:
    """Whether it is nested at most DEEPEST levels deep."""
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [part for node in level for part in parts(node)]
        if not level:
            return True
    return False


def parts(value: Json) -> list[Json]:
    if isinstance(value, Object):
        return [part for _, part in value.pairs]
    return value if isinstance(value, list) else []


def read(value: str, folders: Folders) -> Rich | None:
    """The fields of an object, or the entries of an array, with something in it."""
    data = parse(value) if looks_like_json(value) else None
    few = data is not None and parts(data) and _size(data) <= MOST_PARTS
    return fields(data) if few else None


def _size(value: Json) -> int:
    return 1 + sum(map(_size, parts(value)))


def looks_like_json(value: str) -> bool:
    return value.lstrip()[:1] in ("{", "[") and value.rstrip()[-1:] in ("}", "]")


def fields(value: Json, levels: int = OPEN_LEVELS) -> Rich:
    """Each field by its name, or entry by its number; what lies deep is folded.

    >>> fields(parse('{"a": 1.50, "b": ["x", null]}')).parts[0]
    Block(kind='field', parts=(Text(text='1.50', marks=(), note=''),), said='a')
    >>> [part.said for part in fields(parse('["x", "y"]')).parts]
    ['1', '2']
    """
    named = value.pairs if isinstance(value, Object) else enumerate(parts(value), 1)
    return Rich(tuple(_field(visible(str(name)), inner, levels) for name, inner in named))


def _field(name: str, value: Json, levels: int) -> Block:
    inside = parts(value)
    if not inside or (isinstance(value, list) and _flat(value)):
        plain = isinstance(value, str)
        return Block("field", (Text(visible(str(value) if plain else compact(value))),), name)
    within = fields(value, levels - 1).parts
    if levels > 0:
        return Block("field", within, name)
    return Block("fold", within, f"{name}: {one_line(compact(value), SUMMARY)}")


def _flat(values: list[Json]) -> bool:
    """Whether a list holds nothing nested and goes on one line."""
    plain = not any(isinstance(entry, (Object, list)) for entry in values)
    return plain and sum(len(compact(entry)) + 2 for entry in values) <= LINE_WIDTH


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
