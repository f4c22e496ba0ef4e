"""Files of items: kept in the data folder, never read from anywhere else."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from labelcore.access.settings import data_folder
from labelcore.bounded import start_ahead
from labelcore.population import FORMATS, Duplicates, Form, Population, read_population
from labelcore.population.dialect import NOTHING
from labelcore.population.formats import known_suffix
from labelcore.population.head import Head, filled, first_look, read_and_compared
from labelcore.population.population import FileState
from labelcore.population.tables import parts_of, recognised_as_parquet
from labelcore.ui import waiting
from labelcore.ui.guess import FEW_VALUES
from labelcore.whole_file import whole_file

MOST_LISTED = 200
PREVIEW_ROWS = 5
LARGE, LARGE_PACKED = 2_000_000, 100_000
"""Bytes from which on another process reads a file; a packed one may unpack to a hundred times."""
PACKED = (".gz", ".xlsx")
LONGEST_CELL = 300


class OutsideError(ValueError):
    """A path leads out of the data folder."""


def files_folder() -> Path:
    return data_folder() / "files"


def safe_name(name: str) -> str:
    """A file name without folders, control characters or a leading dot.

    >>> safe_name("../../etc/passwd.csv"), safe_name(".csv")
    ('passwd.csv', 'items.csv')
    """
    last = re.split(r"[\\/]", name)[-1]
    kept = re.sub(r'[\x00-\x1f<>:"|?*]', "_", last).strip()
    suffix = suffix_of(kept)
    stem = kept[: len(kept) - len(suffix)].strip(". ")[:80]
    return (stem or "items") + suffix


def suffix_of(name: str) -> str:
    """The known suffix, or the last one.

    >>> suffix_of("a.csv.gz"), suffix_of("b.doc")
    ('.csv.gz', '.doc')
    """
    lower = name.lower()
    known = [suffix for suffix in FORMATS if lower.endswith(suffix)]
    return max(known, key=len) if known else Path(lower).suffix


def keep_upload(name: str, content: bytes) -> Path:
    """Write an uploaded file to the data folder; the same content is kept once. What another tool
    wrote is kept as the table that it is read as.

    Raises ValueError for a suffix that no reader knows, and for a file of another tool that cannot
    be read.
    """
    wanted = safe_name(name)
    if (table := _recognised(wanted, content)) is not None:
        wanted, content = f"{wanted}.parquet", table
    suffix = known_suffix(wanted)
    folder = files_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stem = wanted[: len(wanted) - len(suffix)]
    digest = hashlib.sha256(content).hexdigest()
    for number in range(1, 1000):
        path = folder / (wanted if number == 1 else f"{stem} {number}{suffix}")
        if not path.exists():
            with whole_file(path) as stream:
                stream.write(content)
            return path
        if path.stat().st_size == len(content) and _digest(path) == digest:
            return path
    raise ValueError(f"{folder} holds a thousand files called {wanted}; give the file another name")


def _recognised(name: str, content: bytes) -> bytes | None:
    key = (name, hashlib.sha256(content).hexdigest())
    call = (recognised_as_parquet, name, content)
    what, large = f"Looking at {name}", len(content) > LARGE
    if large:
        start_ahead()
    return cast(bytes | None, waiting.found("other tool", key, what, call, large=large))


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def inside(text: str) -> Path:
    """The file, or folder of Parquet parts, that a typed path names. Raises OutsideError or
    FileNotFoundError, and ValueError for a folder without parts."""
    if "\0" in text:
        raise ValueError(f"The path {text!r} holds a NUL character, which no file name has.")
    folder = data_folder()
    path = Path(text.strip()).expanduser()
    found = (path if path.is_absolute() else folder / path).resolve()
    parts = _parts(found)
    if not all(part.resolve().is_relative_to(folder) for part in (found, *parts)):
        raise OutsideError(
            f"{text!r} lies outside the data folder {folder}. Copy the file into that folder, or "
            "upload it."
        )
    if not all(part.is_file() for part in parts):
        raise FileNotFoundError(f"There is no file {text!r} in the data folder {folder}.")
    return found


def listed() -> list[str]:
    """Files in the data folder that can be read, by path inside it, the newest first."""
    folder = data_folder()
    found: list[tuple[float, str]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if suffix_of(name) in FORMATS and not name.startswith(".") and path.is_file():
                found.append((path.stat().st_mtime, str(path.relative_to(folder))))
        if len(found) >= MOST_LISTED * 5:
            break
    return [name for _, name in sorted(found, reverse=True)[:MOST_LISTED]]


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of change: the key under which a reading is kept."""
    state = FileState.of(*_parts(path))
    return state.size, state.changed_at


def is_there(path: Path) -> bool:
    """Whether a file, or a folder with a part, still is where it was."""
    try:
        return all(part.is_file() for part in _parts(path))
    except ValueError:
        return False


def _parts(path: Path) -> list[Path]:
    """The parts of a folder, or the file itself."""
    return (parts_of(str(path)) if path.is_dir() else None) or [path]


def is_large(path: Path) -> bool:
    """Whether reading the file is left to another process: it takes longer than starting that."""
    packed = path.suffix.lower() in PACKED
    return stamp(path)[0] > (LARGE_PACKED if packed else LARGE)


def read_form(path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
    """What the file's dialect seems to be. Raises ValueError when nothing can be read, LimitError,
    CancelledError."""
    return _look(path, given)[0]


def read_head(path: Path, given: Mapping[str, Any] = NOTHING) -> Head:
    """Raises ValueError when the file cannot be opened, PopulationError for a broken structure,
    LimitError, CancelledError."""
    head = _look(path, given)[1]
    if isinstance(head, Exception):
        raise head
    return head


def _look(path: Path, given: Mapping[str, Any]) -> tuple[Form, Head | Exception]:
    key = _key(path, given)
    call = (first_look, _parts(path), dict(given))
    what = f"Looking at {path.name}"
    found = waiting.found("look", key, what, call, large=is_large(path))
    return cast(tuple[Form, Head | Exception], found)


def read(path: Path, arguments: dict[str, Any]) -> Population:
    """``read_population``, remembered for the last few ways of reading. Raises LimitError and
    CancelledError, too."""
    key = _key(path, arguments)
    compared = waiting.there("compared", key)
    if compared is not None:
        return cast(Population, compared[0])
    call = (partial(read_population, str(path), **arguments),)
    found = waiting.found("items", key, f"Reading {path.name}", call, large=is_large(path))
    return cast(Population, found)


def read_and_compare(path: Path, arguments: dict[str, Any]) -> tuple[Population, Duplicates]:
    """As ``read``, and the items whose content an earlier one has."""
    call = (read_and_compared, str(path), arguments)
    found = waiting.found("compared", _key(path, arguments), f"Checking {path.name}", call,
                          large=is_large(path))  # fmt: skip
    return cast(tuple[Population, Duplicates], found)


def filled_rows(
    population: Population, columns: Sequence[str], others: Sequence[str]
) -> dict[str, int]:
    """Rows with a value of each of ``columns``; and of each of ``others`` that may hold answers:
    some rows have a value, and few different ones are there."""
    path = population.path
    key = (population.fingerprint, tuple(columns), tuple(others))
    call = (filled, population, tuple(columns), tuple(others), FEW_VALUES)
    what = f"Looking for answers in {path.name}"
    found = waiting.found("filled", key, what, call, large=is_large(path))
    return cast(dict[str, int], found)


def _key(path: Path, given: Mapping[str, Any]) -> waiting.Key:
    return str(path), stamp(path), json.dumps(dict(given), ensure_ascii=False)
