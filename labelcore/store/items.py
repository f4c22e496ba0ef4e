"""Items kept beside a store: copies of what was labelled, in folders named by what is in them.

A record of a project says where its items were read ("path"), in which place of the store's folder
its snapshot lies ("kept"), and in which what is judged ("contents").
Projects made before snapshots have the copy under "kept".
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labelcore.errors import StoreError, StoreNotWritableError
from labelcore.store.base import ProjectRecord
from labelcore.whole_file import digest_of, half_beside, whole_file

SNAPSHOT = ".snapshot"
"""How the name of a file ends that needs no other one."""
CONTENTS = ".contents"
"""How that of what is judged beside it ends, which is no file of items by itself."""
DIGITS = 16
"""Of the SHA-256 that names a folder."""


def keep(file: Path, folder: Path) -> str:
    """Copy a file into the folder, unless it is there; its place in it.

    Raises StoreNotWritableError.
    """
    place = Path(digest_of(file)[:DIGITS]) / file.name
    _copied(file, folder / place)
    return place.as_posix()


def _copied(file: Path, there: Path) -> None:
    """Nothing is there before all of it is on the disk; who is first of several that copy the same
    does not matter."""
    with _kept_in(there.parent):
        if not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with whole_file(there) as stream, file.open("rb") as source:
                shutil.copyfileobj(source, stream)


def keep_written(folder: Path, name: str, write: Callable[[Path], None]) -> str:
    """Let ``write`` write a file of this name into the folder; its place in it.

    Raises StoreNotWritableError.
    """
    half = half_beside(folder / name)
    try:
        with _kept_in(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write(half)
            place = Path(digest_of(half)[:DIGITS]) / name
            (folder / place).parent.mkdir(exist_ok=True, mode=0o700)
            os.replace(half, folder / place)
    finally:
        half.unlink(missing_ok=True)
    return place.as_posix()


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreNotWritableError(
            f"{folder}: the items cannot be kept beside the store: {error.strerror or error}"
        ) from error


def places_of(record: ProjectRecord) -> list[str]:
    """The places of what is kept of a project's items in the folder of its store, the snapshot
    first.

    Raises StoreError for a place that is not inside a folder: a store may come from anybody.
    """
    source: Mapping[str, Any] = json.loads(record.population_json)
    places = [str(source[name]) for name in ("kept", "contents") if name in source]
    if not places and source.get("table"):
        path = Path(source["path"])
        # A table's items lie nowhere else; older records do not name their place.
        places = [f"{path.parent.name}/{path.name}"]
    for place in places:
        plain = Path(place)
        if plain.anchor or ".." in plain.parts or not plain.parts:
            raise _outside(record, place)
    return places


def contents_path(record: ProjectRecord, folder: Path | None) -> Path | None:
    """Where the copy of a project's file is; None where there is none beside its snapshot.

    Raises StoreError for a copy outside the folder.
    """
    places = places_of(record)
    if folder is None or len(places) < 2:
        return None
    return _within(folder, places[1], record)


def _outside(record: ProjectRecord, place: str) -> StoreError:
    return StoreError(
        f"project {record.name!r} says that its items are kept at {place!r}; a place of kept items "
        "lies inside the folder beside the store"
    )


def _within(folder: Path, place: str, record: ProjectRecord) -> Path:
    """The file at a place of the folder; StoreError where a link leads out of it."""
    file = folder / place
    if not file.resolve().is_relative_to(folder.resolve()):
        raise _outside(record, place)
    return file


def items_path(record: ProjectRecord, folder: Path | None) -> Path:
    """Where a project's items can be read: their snapshot beside the store, else the copy that goes
    with it, else where they were, else the copy of a project made before snapshots.

    folder   of the store; None where it keeps nothing

    Raises StoreError for a copy outside the folder.
    """
    path = Path(json.loads(record.population_json)["path"])
    places = places_of(record)
    if folder is None or not places:
        return path
    if not places[0].endswith(SNAPSHOT) and path.exists():
        return path
    paths = [_within(folder, place, record) for place in places if not place.endswith(CONTENTS)]
    return next((kept for kept in paths if kept.exists()), path)


def copy_items(records: Iterable[ProjectRecord], source: Path | None, target: Path | None) -> None:
    """Copy what one store keeps of these projects' items to the folder of another one, where both
    keep any. Raises StoreNotWritableError, and StoreError for items outside the folders; then
    nothing is copied."""
    places = [(record, place) for record in records for place in places_of(record)]
    if source is None or target is None:
        return
    files = [(_within(source, at, record), _within(target, at, record)) for record, at in places]
    for file, there in files:
        if file.exists():
            _copied(file, there)
