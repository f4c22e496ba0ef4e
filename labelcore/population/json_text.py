"""One JSON object as a row of text."""

import json
import re
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


def _check_depth(value: object, text: str) -> None:
    """ValueError for more than MOST_NESTED levels; few rows have brackets enough to look."""
    if text.count("{") + text.count("[") <= MOST_NESTED:
        return
    level: list[Any] = [value]
    for _ in range(MOST_NESTED):
        inner = [list(node.values()) if isinstance(node, dict) else node for node in level]
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
    >>> [cell_text(value) for value in found.values()]
    ['1.50', '', '[1.0, "x"]']
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


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two fields of one object have the name {twice[:80]!r}")
    return record


DECODER = json.JSONDecoder(
    object_pairs_hook=_named_once, parse_float=Number, parse_int=Number, parse_constant=Number
)
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
