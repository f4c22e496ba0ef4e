"""Paths into nested records, such as "scores[name=verdict].value", and which paths records have."""

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


def value_at(node: Any, path: str) -> Any:
    """What lies at the end of a path; None where it does not lead anywhere.

    A name is looked up as it is before it is taken apart; JSON within a text is read.

    >>> record = {"a.b": 1, "s": [{"name": "x", "value": 2}, {"name": "y", "value": 3}]}
    >>> value_at(record, "a.b"), value_at(record, "s[name=y].value"), value_at(record, "s[-1].name")
    (1, 3, 'y')
    >>> value_at({"a": '{"b": {"c.d": "e"}}'}, "a.b.c.d"), value_at(record, "s[7].value")
    ('e', None)
    """
    if isinstance(node, str):
        node = decoded(node)
    if isinstance(node, list):
        step = _IN_LIST.match(path)
        if step is None:
            return None
        inner, rest = _element(node, *step.groups()), path[step.end() :]
        return value_at(inner, rest) if rest else inner
    if not isinstance(node, Mapping):
        return None
    if path in node:
        return node[path]
    for place, sign in enumerate(path):
        if sign in ".[" and (name := path[:place]) in node:
            value = value_at(node[name], path[place + (sign == ".") :])
            if value is not None:
                return value
    return None


def _element(nodes: list[Any], number: str | None, key: str, value: str) -> Any:
    if number is not None:
        at = int(number)
        return nodes[at] if -len(nodes) <= at < len(nodes) else None
    objects = (node for node in nodes if isinstance(node, Mapping))
    return next((node for node in objects if str(node.get(key)) == value), None)


def decoded(text: str) -> Any:
    """The object or list that a text is, else the text."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return text


def row_text(record: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """What the named fields or paths lead to, as text; what an object lacks is empty."""
    return [cell_text(value_at(record, name)) for name in names]


def naming(records: Sequence[Any]) -> str | None:
    """The field by which the objects of a list are told apart; None where there is none.

    >>> naming([{"name": "a", "judge": "x"}, {"name": "a", "judge": "y"}]), naming([{"role": "u"}])
    ('judge', None)
    """
    if not records or not all(isinstance(record, Mapping) for record in records):
        return None
    keys = [key for key in NAMING if all(_tells(record.get(key)) for record in records)]
    apart = (key for key in keys if len({record[key] for record in records}) == len(records))
    return next(apart, keys[0] if keys else None)


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
                        below = {joined(name, inner): cell for inner, cell in within.items()}
                        self._note(below, levels - 1)

    def columns(self) -> tuple[str, ...]:
        """All of them; without those within a field where that makes too many."""
        leaves: dict[str, None] = {}

        def add(name: str) -> None:
            if not name.endswith("]"):  # An object of a list is shown by its fields.
                leaves[name] = None
            names = self._inner.get(name, {})
            for inner in names if len(names) <= MOST_INNER else ():
                if joined(name, inner) not in self.names:
                    add(joined(name, inner))

        for name in self.names:
            add(name)
        return tuple(leaves if len(leaves) <= MOST_COLUMNS else self.names)


def joined(name: str, within: str) -> str:
    """The path of what lies within a field."""
    return f"{name}{within}" if within.startswith("[") else f"{name}.{within}"


def _by_name(records: list[Any]) -> dict[str, dict[str, Any]]:
    """What the named objects of a list say, by the step that leads to each."""
    key = naming(records)
    if key is None:
        return {}
    steps = {f"[{key}={record[key]}]": _said(record) for record in records}
    return {step: fields for step, fields in steps.items() if fields}


def _said(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in record.items() if SAID.fullmatch(name)}
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
        if all(value_at(record, path[:end]) is None for record in records):
            break
        before = path[:end]
    asked = path[len(before) : end].strip(".[]")
    within = [value_at(record, before) if before else record for record in records]
    within = [decoded(value) if isinstance(value, str) else value for value in within]
    if "=" in asked:
        key, _, asked = asked.partition("=")
        each = (part for some in within if isinstance(some, list) for part in some)
        there = dict.fromkeys(str(part.get(key)) for part in each if isinstance(part, Mapping))
    elif any(isinstance(value, list) for value in within):
        most = max(len(value) for value in within if isinstance(value, list))
        return f"no record has {path[:end]!r}: {before!r} is a list of at most {most:,}"
    else:
        there = dict.fromkeys(name for row in within if isinstance(row, Mapping) for name in row)
    return f"no record has {path[:end]!r}; there are {listing(there)}{did_you_mean(asked, there)}"
