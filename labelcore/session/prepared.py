"""What a project prepares once, beside its store: the frame of its plan.

It can be made again from the items and the plan at any time, so nothing rests on it: what is
missing or broken, or was written by another version, is made anew.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from labelcore.plan.kept_frames import put_together, taken_apart
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.arrays import read_arrays, write_arrays
from labelcore.population.content_features import Features
from labelcore.population.second_opinion import features_key, features_of, remember_features

FOLDER, CONTENT = "prepared", "content"
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


def keep_content(
    folder: Path | None, population: Population, classifier: str, made: Features | None
) -> None:
    """Have the content of the items at hand as numbers, from the disk where it is there: made now,
    it keeps nobody waiting later.

    made   it, where somebody made it before
    """
    if made is None:
        made = kept_content(folder, population, classifier)
    if made is None:
        made = features_of(population, classifier)
    remember_features(population, classifier, made)
    if folder is None:
        return
    file = _content_file(folder, population, classifier)
    if not file.exists():
        with suppress(OSError):
            meta = {"columns": made.columns, "hash": made.hash, "notes": made.notes}
            write_arrays(file, {"values": made.values}, meta)


def kept_content(folder: Path | None, population: Population, classifier: str) -> Features | None:
    """The content that lies on the disk; None where it would have to be made."""
    if folder is None or classifier not in population.opinions:
        return None
    file = _content_file(folder, population, classifier)
    if (found := read_arrays(file)) is None:
        file.unlink(missing_ok=True)
        return None
    told = tuple(found[1]["columns"]), found[1]["hash"], tuple(found[1]["notes"])
    return Features(np.asarray(found[0]["values"]), *told)


def _content_file(folder: Path, population: Population, classifier: str) -> Path:
    """Named by what it is made from and the version."""
    text = f"{_version()}|{features_key(population, classifier)}"
    name = sha256(text.encode()).hexdigest()[:DIGITS]
    return place(folder, population.fingerprint) / f"{CONTENT}-{name}.arrow"


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
