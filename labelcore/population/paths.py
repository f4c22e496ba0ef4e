"""Paths into nested records, such as "scores[name=verdict].value", and which paths records have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from labelcore.errors import did_you_mean
from labelcore.population.json_text import DECODER, cell_text
from labelcore.population.limits import MOST_COLUMNS
from labelcore.population.text import listing

MOST_INNER = 20
"""More different fields than these within one field are keys of its own, and no columns."""
MOST_LEVELS = 5
"""Objects within objects, of which the fields are columns."""
NAMING = ("judge", "evaluator", "name", "metric", "criterion", "key", "rater", "annotator")
"""Fields by which the objects of a list are told apart."""
LONGEST_NAME = 60
SAID = re.compile(
    r"(string_?)?value|score|label|verdict|grade|rating|passed|result|reason(ing)?|comment"
    r"|explanation|rationale|justification",
    re.IGNORECASE,
)
"""Fields of a named object in a list that are columns without being asked for."""
PATH = re.compile(r"[^.\[\]]+(\.[^.\[\]]+|\[-?\d+\]|\[[^=\[\]]+=[^\[\]]*\])*")
_IN_LIST = re.compile(r"\[(?:(-?\d+)|([^=\[\]]+)=([^\[\]]*))\]\.?")


def value_at(found: Any, path: str) -> Any:
    """What lies at the end of a path; None where it does not lead anywhere.

    A name is looked up as it is before it is taken apart; JSON within a text is read.

    >>> record = {"a.b": 1, "s": [{"name": "x", "value": 2}, {"name": "y", "value": 3}]}
    >>> value_at(record, "a.b"), value_at(record, "s[name=y].value"), value_at(record, "s[-1].name")
    (1, 3, 'y')
    >>> value_at({"a": '{"b": {"c.d": "e"}}'}, "a.b.c.d"), value_at(record, "s[7].value")
    ('e', None)
    """
    if isinstance(found, str):
        found = decoded(found)
    if isinstance(found, list):
        step = _IN_LIST.match(path)
        if step is None:
            return None
        inner, rest = _element(found, *step.groups()), path[step.end() :]
        return value_at(inner, rest) if rest else inner
    if not isinstance(found, Mapping):
        return None
    if path in found:
        return found[path]
    for place, sign in enumerate(path):
        if sign in ".[" and (name := path[:place]) in found:
            value = value_at(found[name], path[place + (sign == ".") :])
            if value is not None:
                return value
    return None


def _element(found: list[Any], number: str | None, key: str, value: str) -> Any:
    if number is not None:
        at = int(number)
        return found[at] if -len(found) <= at < len(found) else None
    return next((one for one in found if _named(one, key, value)), None)


def _named(one: Any, key: str, value: str) -> bool:
    return isinstance(one, Mapping) and str(one.get(key)) == value


def decoded(text: str) -> Any:
    """The object or list that a text is, else the text."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return text


def row_text(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """What the named fields or paths lead to, as text; what an object lacks is empty."""
    return [cell_text(value_at(found, name)) for name in names]


def naming(found: Sequence[Any]) -> str | None:
    """The field by which the objects of a list are told apart; None where there is none.

    >>> naming([{"name": "a", "judge": "x"}, {"name": "a", "judge": "y"}]), naming([{"role": "u"}])
    ('judge', None)
    """
    if not found or not all(isinstance(one, Mapping) for one in found):
        return None
    told = [key for key in NAMING if all(_tells(one.get(key)) for one in found)]
    apart = (key for key in told if len({one[key] for one in found}) == len(found))
    return next(apart, told[0] if told else None)


def _tells(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and not set(name) & set("[]=")


class Fields:
    """The columns of records: their fields in the order in which they first appear, and after a
    field that holds an object, or a list of named ones, those within it."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self._inner: dict[str, dict[str, None]] = {}

    def note(self, fields: Mapping[str, Any] | Iterable[str]) -> None:
        """Those of one record, or their names where nothing lies within them."""
        self.names.update(dict.fromkeys(fields))
        if isinstance(fields, Mapping):
            self._note(fields, MOST_LEVELS)

    def _note(self, fields: Mapping[str, Any], levels: int) -> None:
        """One name more than MOST_INNER within each field at the most."""
        for name, within in fields.items():
            within = _by_name(within) if isinstance(within, list) else within
            if isinstance(within, dict) and len(self._inner) <= MOST_COLUMNS:
                names = self._inner.setdefault(name, {})
                if len(names) <= MOST_INNER:
                    names.update(dict.fromkeys(islice(within, MOST_INNER + 1)))
                    if levels > 1 and {dict, list} & set(map(type, within.values())):
                        below = {joined(name, one): cell for one, cell in within.items()}
                        self._note(below, levels - 1)

    def columns(self) -> tuple[str, ...]:
        """All of them; without those within a field where that makes too many."""
        found: dict[str, None] = {}

        def add(name: str) -> None:
            if not name.endswith("]"):  # An object of a list is shown by its fields.
                found[name] = None
            names = self._inner.get(name, {})
            for one in names if len(names) <= MOST_INNER else ():
                if joined(name, one) not in self.names:
                    add(joined(name, one))

        for name in self.names:
            add(name)
        return tuple(found if len(found) <= MOST_COLUMNS else self.names)


def joined(name: str, within: str) -> str:
    """The path of what lies within a field."""
    return f"{name}{within}" if within.startswith("[") else f"{name}.{within}"


def _by_name(found: list[Any]) -> dict[str, dict[str, Any]]:
    """What the named objects of a list say, by the step that leads to each."""
    key = naming(found)
    if key is None:
        return {}
    said = {f"[{key}={one[key]}]": _said(one) for one in found}
    return {step: fields for step, fields in said.items() if fields}


def _said(one: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in one.items() if SAID.fullmatch(name)}
    return {
        name: _said(value) if isinstance(value, dict) else value for name, value in kept.items()
    }


def names_there(records: Iterable[Mapping[str, Any]], path: str) -> str:
    """What is there where a path that leads nowhere goes astray.

    >>> names_there([{"s": [{"name": "safe"}, {"name": "helpful"}]}], "s[name=helpfull].value")
    "no record has 's[name=helpfull]'; there are 'safe', 'helpful'; did you mean 'helpful'?"
    >>> names_there([{"a": {"b": 1, "c": 2}}], "a.d")
    "no record has 'a.d'; there are 'b', 'c'"
    """
    if not PATH.fullmatch(path):
        return f"{path!r} is no path into a record; write a.b, a[0].b or a[key=value].b"
    records, before = list(records), ""
    ends = [place for place in range(1, len(path)) if path[place] in ".["] + [len(path)]
    for end in ends:
        if all(value_at(one, path[:end]) is None for one in records):
            break
        before = path[:end]
    asked = path[len(before) : end].strip(".[]")
    within = [value_at(one, before) if before else one for one in records]
    within = [decoded(one) if isinstance(one, str) else one for one in within]
    if "=" in asked:
        key, _, asked = asked.partition("=")
        each = (one for some in within if isinstance(some, list) for one in some)
        there = dict.fromkeys(str(one.get(key)) for one in each if isinstance(one, Mapping))
    elif any(isinstance(one, list) for one in within):
        most = max(len(one) for one in within if isinstance(one, list))
        return f"no record has {path[:end]!r}: {before!r} is a list of at most {most:,}"
    else:
        there = dict.fromkeys(name for one in within if isinstance(one, Mapping) for name in one)
    return f"no record has {path[:end]!r}; there are {listing(there)}{did_you_mean(asked, there)}"
