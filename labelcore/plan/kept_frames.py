"""What a method prepared, as arrays and plain values that can lie on the disk."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from labelcore.designs.base import Frame
from labelcore.population.arrays import Array

PLAIN = (str, int, float, bool, type(None))
HOMES = ("labelcore.designs.", "labelcore.stats.", "labelcore.population.")
"""Where the types of what is kept must be at home: a file may come from anybody."""


def taken_apart(frame: Frame) -> tuple[dict[str, Array], Any] | None:
    """The arrays of a frame, and the rest of it as JSON values; None for one that holds something
    else."""
    arrays: dict[str, Array] = {}
    try:
        return arrays, _plain(frame, arrays)
    except TypeError:
        return None


def put_together(arrays: Mapping[str, Any], plain: Any) -> Frame:
    """The frame that was taken apart. Raises ValueError, KeyError or TypeError otherwise."""
    found = _whole(plain, arrays)
    if not isinstance(found, Frame):
        raise ValueError("what was kept is no frame")
    return found


def _plain(value: Any, arrays: dict[str, Array]) -> Any:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        name = f"array {len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if type(value) in PLAIN:
        return value
    if isinstance(value, dict) and all(type(name) is str for name in value):
        return {"dict": {name: _plain(one, arrays) for name, one in value.items()}}
    if type(value) is tuple:
        return {"tuple": [_plain(one, arrays) for one in value]}
    if is_dataclass(value) and type(value).__module__.startswith(HOMES):
        parts = {one.name: _plain(getattr(value, one.name), arrays) for one in fields(value)}
        return {"module": type(value).__module__, "type": type(value).__qualname__, "parts": parts}
    raise TypeError(f"a {type(value).__name__} is not kept")


def _whole(plain: Any, arrays: Mapping[str, Any]) -> Any:
    if not isinstance(plain, dict):
        return plain
    if "array" in plain:
        return arrays[plain["array"]]
    if "tuple" in plain:
        return tuple(_whole(one, arrays) for one in plain["tuple"])
    if "dict" in plain:
        return {name: _whole(one, arrays) for name, one in plain["dict"].items()}
    module, name = plain["module"], plain["type"]
    kind = getattr(sys.modules[module], name) if module.startswith(HOMES) else None
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ValueError(f"{module}.{name} is not kept")
    found = {one: _whole(part, arrays) for one, part in plain["parts"].items()}
    return kind(**found)
