"""Parameters of a sampling method: what may be given, from which forms and checks are built."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

import numpy as np

from labelcore.errors import ParameterError


def parameter(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    called: tuple[str, ...] = (),
    main: bool = False,
    asked: str = "",
) -> Any:
    """A field of a ``DesignParams`` class: forms and checks are built from what stands here.

    low, high   limits of a number, and of each number of a list
    choices     the texts that are known; empty: any
    called      plain words for each of the choices; empty: their own names
    main        whether a form asks for it first, and not among the finer points
    asked       in a few words what the form asks for; empty: the name and the help
    """
    limits = {"help": help, "low": low, "high": high, "choices": choices, "main": main}
    names = dict(zip(choices, called or choices, strict=True))
    return field(default=default, metadata={**limits, "called": names, "asked": asked})


def parameter_label(name: str) -> str:
    """A parameter as people read it."""
    return name.replace("_", " ")


def choice_words(item: Field[Any], value: Any) -> str:
    """A value as people read it: the plain words of a choice, a list with commas, anything else as
    it is.

    >>> item = field(metadata={"called": {"wilson": "labels only"}})
    >>> choice_words(item, "wilson"), choice_words(item, 3), choice_words(item, ("lr", "nb"))
    ('labels only', '3', 'lr, nb')
    """
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(item.metadata["called"].get(value, value))


@dataclass(frozen=True, slots=True)
class DesignParams:
    """Parameters of a method; each field is made by ``parameter``. Lists become tuples."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, (np.generic, np.ndarray)):
                value = value.tolist()
            value = tuple(value) if isinstance(value, list) else value
            object.__setattr__(self, item.name, value)
            check_parameter(item.name, value, str(item.type), item.metadata)

    def in_words(self) -> dict[str, str | None]:
        """Each parameter as people read it; None where the method chooses it."""
        values = ((item, getattr(self, item.name)) for item in fields(self))
        return {
            item.name: None if value is None else choice_words(item, value)
            for item, value in values
        }


@dataclass(frozen=True, slots=True)
class WatchedParams(DesignParams):
    """Parameters of a method whose figures may be watched up to a planned size."""

    horizon: int | None = parameter(
        None,
        "how many times the planned size a watched session may go on to: 1 for the planned size "
        "alone; more costs about 7 % more labels at the planned size. Empty: 1 with a budget, "
        "without one or with groups 4, with approximate claims 16",
        low=1,
        high=16,
    )


def check_parameter(name: str, value: Any, kind: str, limits: Mapping[str, Any]) -> None:
    """Raise PlanError unless ``value`` fits the annotation ``kind``, such as "int | None" or
    "tuple[int | str, ...]"."""
    inner = re.search(r"tuple\[(.*), \.\.\.\]", kind)
    if inner and isinstance(value, tuple):
        for entry in value:
            check_parameter(name, entry, inner[1], limits)
        return
    if value is None and kind.endswith("None"):
        return
    if inner:
        raise ParameterError(name, "must be a list", got=value)
    if isinstance(value, bool) and "bool" in kind:
        return
    if isinstance(value, str) and "str" in kind:
        known = limits["choices"]
        if known and value not in known:
            raise ParameterError(name, f"must be one of {', '.join(known)}", got=value)
        return
    _check_number(name, value, kind, limits)


NAMES = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}


def _check_number(name: str, value: Any, kind: str, limits: Mapping[str, Any]) -> None:
    parts = [part for part in NAMES if part in kind and (part, "float" in kind) != ("int", True)]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not {"int", "float"} & set(parts):
        wanted = " or ".join(NAMES[part] for part in parts)
        raise ParameterError(name, f"must be {wanted}", got=value)
    if "float" not in parts and not isinstance(value, int):
        raise ParameterError(name, "must be a whole number", got=value)
    low, high = limits["low"], limits["high"]
    if not (low is None or value >= low) or not (high is None or value <= high):
        raise ParameterError(name, f"must lie between {low} and {high}", got=value)


def read_list(text: str, kind: str) -> tuple[Any, ...]:
    """What stands between commas or semicolons, numbers where the field takes numbers.

    >>> read_list("50, 0.5; lr", "tuple[int | float | str, ...]")
    (50, 0.5, 'lr')
    """
    parts = (part.strip() for part in re.split(r"[,;]", text))
    return tuple(read_value(part, kind) for part in parts if part)


def read_value(text: str, kind: str) -> Any:
    """A number where the field takes numbers and the text is one, else the text.

    >>> read_value("3", "float | str"), read_value("3", "str"), read_value("1e-2", "float | str")
    (3, '3', 0.01)
    """
    for number, part in ((int, "int"), (int, "float"), (float, "float")):
        if part in kind:
            try:
                return number(text)
            except ValueError:
                continue
    return text


def read_parameter(item: Field[Any], text: str) -> Any:
    """A parameter from a text: what is JSON as that (3, 0.5, null, a list), what is to be a list
    at its commas, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        kind = str(item.type)
        return read_list(text, kind) if "tuple" in kind else text
