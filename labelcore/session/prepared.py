"""What a project prepares once, beside its store: the frame of its plan.

It can be made again from the items and the plan at any time, so nothing rests on it: what is
missing or broken, or was written by another version, is made anew.
"""

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from labelcore.designs.base import Frame
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.arrays import Array, read_arrays, write_arrays
from labelcore.version import __version__

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
    frame = _whole(plain, arrays)
    if not isinstance(frame, Frame):
        raise ValueError("what was kept is no frame")
    return frame


def _plain(value: Any, arrays: dict[str, Array]) -> Any:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        name = f"array {len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if type(value) in PLAIN:
        return value
    if isinstance(value, dict) and all(type(name) is str for name in value):
        return {"dict": {name: _plain(part, arrays) for name, part in value.items()}}
    if type(value) is tuple:
        return {"tuple": [_plain(part, arrays) for part in value]}
    if is_dataclass(value) and type(value).__module__.startswith(HOMES):
        parts = {field.name: _plain(getattr(value, field.name), arrays) for field in fields(value)}
        return {"module": type(value).__module__, "type": type(value).__qualname__, "parts": parts}
    raise TypeError(f"a {type(value).__name__} is not kept")


def _whole(plain: Any, arrays: Mapping[str, Any]) -> Any:
    if not isinstance(plain, dict):
        return plain
    if "array" in plain:
        return arrays[plain["array"]]
    if "tuple" in plain:
        return tuple(_whole(part, arrays) for part in plain["tuple"])
    if "dict" in plain:
        return {name: _whole(part, arrays) for name, part in plain["dict"].items()}
    module, name = plain["module"], plain["type"]
    kind = getattr(sys.modules[module], name) if module.startswith(HOMES) else None
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise ValueError(f"{module}.{name} is not kept")
    return kind(**{name: _whole(part, arrays) for name, part in plain["parts"].items()})


FOLDER = "prepared"
LEAST = 20_000
"""Files with fewer items are read and prepared in a moment."""
DIGITS = 16


def prepared_frame(folder: Path | None, population: Population, plan: Plan) -> Any:
    """What the method of a frozen plan prepared; None where it has to be prepared anew."""
    if folder is None:
        return None
    kept = read_arrays(_frame_file(folder, population, plan))
    if kept is None or kept[1].get("plan") != plan.to_json():
        return None
    try:
        return put_together(kept[0], kept[1]["frame"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def keep_prepared(folder: Path | None, population: Population, plan: Plan, frame: Any) -> None:
    """Keep it, unless it is there; a disk that is full or not writable hurts nobody."""
    if folder is None or len(population) < LEAST or population.turned:
        return
    try:
        file, parts = _frame_file(folder, population, plan), taken_apart(frame)
        if parts is not None and read_arrays(file) is None:
            write_arrays(file, parts[0], {"plan": plan.to_json(), "frame": parts[1]})
    except OSError:
        return


def place(folder: Path, fingerprint: str) -> Path:
    return folder / FOLDER / fingerprint[:DIGITS]


def _frame_file(folder: Path, population: Population, plan: Plan) -> Path:
    """Named by all that the frame follows from: the items, the plan and the version."""
    text = f"{__version__}|{population.fingerprint}|{plan.to_json()}"
    name = sha256(text.encode()).hexdigest()[:DIGITS]
    return place(folder, population.fingerprint) / f"frame-{name}.arrow"
