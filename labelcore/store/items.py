"""Items kept beside a store: copies of what was labelled, in folders named by what is in them.

A record of a project says where its items were read ("path") and, where a copy is kept, in which
place of the store's folder ("kept"). Tables have no other place than the copy.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelcore.errors import StoreNotWritableError
from labelcore.store.base import ProjectRecord

DIGITS = 16
"""Of the SHA-256 that names a folder."""


def keep(file: Path, folder: Path) -> str:
    """Copy a file into the folder, unless it is there; its place in it.

    Raises StoreNotWritableError.
    """
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    place = Path(digest[:DIGITS]) / file.name
    _copied(file, folder / place)
    return place.as_posix()


def _copied(file: Path, there: Path) -> None:
    try:
        if not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            half = there.with_name(f"{there.name}.{os.getpid()}")
            shutil.copyfile(file, half)
            os.replace(half, there)
    except OSError as error:
        raise StoreNotWritableError(
            f"{there.parent}: the items cannot be kept beside the store: {error.strerror or error}"
        ) from error


def place_of(record: ProjectRecord) -> str | None:
    """The place of a project's copy in the folder of its store; None where none is kept."""
    source: Mapping[str, Any] = json.loads(record.population_json)
    if "kept" in source:
        return str(source["kept"])
    path = Path(source["path"])
    # A table's items lie nowhere else; older records do not name their place.
    return f"{path.parent.name}/{path.name}" if source.get("table") else None


def items_path(record: ProjectRecord, folder: Path | None) -> Path:
    """Where a project's items can be read: where they were, else the copy beside the store.

    folder   of the store; None where it keeps nothing
    """
    path = Path(json.loads(record.population_json)["path"])
    place = place_of(record)
    if folder is None or place is None or path.exists():
        return path
    kept = folder / place
    return kept if kept.exists() else path


def copy_items(records: Iterable[ProjectRecord], source: Path | None, target: Path | None) -> None:
    """Copy what one store keeps of these projects' items to the folder of another one, where both
    keep any. Raises StoreNotWritableError."""
    if source is None or target is None:
        return
    for record in records:
        place = place_of(record)
        if place is not None and (source / place).exists():
            _copied(source / place, target / place)
