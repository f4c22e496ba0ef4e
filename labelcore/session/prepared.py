"""What a project prepares once, beside its store: the frame of its plan.

It can be made again from the items and the plan at any time, so nothing rests on it: what is
missing or broken, or was written by another version, is made anew.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from labelcore.plan.kept_frames import put_together, taken_apart
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.arrays import read_arrays, write_arrays

FOLDER = "prepared"
LEAST = 20_000
"""Files with fewer items are read and prepared in a moment."""
DIGITS = 16


def prepared_frame(folder: Path | None, population: Population, plan: Plan) -> Any:
    """What the method of a frozen plan prepared; None where it has to be prepared anew."""
    if folder is None:
        return None
    found = read_arrays(_frame_file(folder, population, plan))
    if found is None or found[1].get("plan") != plan.to_json():
        return None
    try:
        return put_together(found[0], found[1]["frame"])
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


def _version() -> str:
    found: str = sys.modules["labelcore"].__version__
    return found


def place(folder: Path, fingerprint: str) -> Path:
    return folder / FOLDER / fingerprint[:DIGITS]


def _frame_file(folder: Path, population: Population, plan: Plan) -> Path:
    """Named by all that the frame follows from: the items, the plan and the version."""
    text = f"{_version()}|{population.fingerprint}|{plan.to_json()}"
    name = sha256(text.encode()).hexdigest()[:DIGITS]
    return place(folder, population.fingerprint) / f"frame-{name}.arrow"
