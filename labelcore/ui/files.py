"""Files of items: kept in the data folder, never read from anywhere else."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.access.settings import data_folder
from labelcore.errors import PopulationError
from labelcore.population import FORMATS, Dialect, Duplicates, Form, Population, read_population
from labelcore.population.dialect import NOTHING
from labelcore.population.formats import detect, known_suffix, open_table
from labelcore.population.population import FileState
from labelcore.population.sniff import first_row_is_data
from labelcore.population.tables import parts_of, recognised_as_parquet
from labelcore.ui.guess import FEW_VALUES

MOST_LISTED = 200
PREVIEW_ROWS, SAMPLE_ROWS = 5, 60
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
    if (table := recognised_as_parquet(wanted, content)) is not None:
        wanted, content = f"{Path(wanted).stem}.parquet", table
    suffix = known_suffix(wanted)
    folder = files_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stem = wanted[: len(wanted) - len(suffix)]
    digest = hashlib.sha256(content).hexdigest()
    for number in range(1, 1000):
        path = folder / (wanted if number == 1 else f"{stem} {number}{suffix}")
        if not path.exists():
            _write(path, content)
            return path
        if path.stat().st_size == len(content) and _digest(path) == digest:
            return path
    raise ValueError(f"{folder} holds a thousand files called {wanted}; give the file another name")


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".upload-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


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


@dataclass(frozen=True)
class Head:
    """The first look at a file: its columns, how many rows, and the first of them as text.

    ``headless`` when the first row was taken for names and looks like data.
    """

    columns: tuple[str, ...]
    rows: int
    sample: tuple[dict[str, str], ...]
    dialect: Dialect
    headless: bool


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of change: the key under which a reading is kept."""
    state = FileState.of(*_parts(path))
    return state.size, state.changed_at


def _parts(path: Path) -> list[Path]:
    """The parts of a folder, or the file itself."""
    return (parts_of(str(path)) if path.is_dir() else None) or [path]


@st.cache_resource(show_spinner=False, max_entries=8)
def _form(path: str, state: tuple[int, int], given: str) -> Form:
    return detect(_parts(Path(path))[0], json.loads(given))


def read_form(path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
    """What the file's dialect seems to be. Raises ValueError when nothing can be read."""
    return _form(str(path), stamp(path), json.dumps(dict(given)))


@st.cache_resource(show_spinner=False, max_entries=4)
def _head(path: str, state: tuple[int, int], given: str) -> Head:
    parts = _parts(Path(path))
    table = open_table(parts[0], json.loads(given))
    if faults := table.faults():
        raise PopulationError(faults)
    names = list(dict.fromkeys(table.columns))
    number = min(len(table), SAMPLE_ROWS)
    rows = tuple(table.cells(position, names) for position in range(number))
    named = table.dialect.header and "header" in FORMATS[known_suffix(parts[0].name)].options
    headless = named and first_row_is_data(names, [list(row.values()) for row in rows])
    every = len(table) + sum(len(open_table(part)) for part in parts[1:])
    return Head(tuple(table.columns), every, rows, table.dialect, headless)


def read_head(path: Path, given: Mapping[str, Any] = NOTHING) -> Head:
    """Raises ValueError when the file cannot be opened, PopulationError for a broken structure."""
    return _head(str(path), stamp(path), json.dumps(dict(given)))


@st.cache_resource(show_spinner=False, max_entries=6)
def _population(path: str, state: tuple[int, int], arguments: str) -> Population:
    return read_population(path, **json.loads(arguments))


def read(path: Path, arguments: dict[str, object]) -> Population:
    """``read_population``, remembered for the last few ways of reading."""
    return _population(str(path), stamp(path), json.dumps(arguments, ensure_ascii=False))


@st.cache_data(show_spinner=False, max_entries=40)
def _answered(_population: Population, fingerprint: str, column: str) -> int:
    return sum(bool(text.strip()) for text in _population.column(column))


def answered(population: Population, column: str) -> int:
    """Rows of a column that are not empty; counted once for the same file."""
    return _answered(population, population.fingerprint, column)


@st.cache_data(show_spinner=False, max_entries=40)
def _partly_filled(_population: Population, fingerprint: str, names: str) -> dict[str, int]:
    return _population.partly_filled(json.loads(names), FEW_VALUES)


def partly_filled(population: Population, names: Sequence[str]) -> dict[str, int]:
    """Rows with a value of each column with some of them and few different ones; counted once."""
    return _partly_filled(population, population.fingerprint, json.dumps(list(names)))


@st.cache_resource(show_spinner=False, max_entries=6)
def _duplicates(
    _population: Population, path: str, state: tuple[int, int], dialect: Dialect, content: str
) -> Duplicates:
    return _population.duplicate_contents()


def duplicates(population: Population) -> Duplicates:
    """Items whose content an earlier one has; looked for once for the same content columns, and not
    where contents stay in an engine: that would read all of them."""
    if population.stays:
        return Duplicates(0, ())
    path, content = population.path, json.dumps(population.content_columns)
    return _duplicates(population, str(path), stamp(path), population.dialect, content)
