"""Files of items: kept in the data folder, and read from nowhere else. Another file of this machine
is copied there first, for whoever sits at it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.population import FORMATS, Duplicates, Form, Population, apart
from labelcore.population.copies import copies_folder
from labelcore.population.dialect import NOTHING
from labelcore.population.foreign import SUFFIXES
from labelcore.population.formats import known_suffix
from labelcore.population.guess import FEW_VALUES
from labelcore.population.head import Head
from labelcore.population.opinions import Features, Opinion
from labelcore.population.pictures import MOST_FILES, ZIP
from labelcore.population.tree import Tree
from labelcore.safe_text import one_line
from labelcore.settings import data_folder
from labelcore.ui import waiting
from labelcore.ui.reading import Ask, Made, items_of, parts_at, stamp
from labelcore.whole_file import digest_of, whole_file

MOST_LISTED = 200
PREVIEW_ROWS, PREVIEW_COLUMNS = 5, 200
"""Of a file on the page; columns that mean something come first."""
LONGEST_CELL = 300
MOST_COPIED, MOST_BYTES = 500_000_000, 200
JOINERS = "\u200c\u200d"
"""Signs that do not show and belong to the letters beside them."""
TO_BE_COPIED = (
    "{text!r} has more than {most:,.0f} MB. Copy it into the data folder, and name it there."
)


class OutsideError(ValueError):
    """A path leads out of the data folder."""


def files_folder() -> Path:
    return data_folder() / "files"


def dropped_as(path: Path) -> str:
    """What somebody calls a file of items: the zip or folder whose table it is, else the file."""
    folder = next((one for one in path.parents if one.parent == files_folder().resolve()), None)
    name = one_line(path.name if folder is None else folder.name.rpartition(" ")[0])
    return "".join(sign for sign in name if sign.isprintable() or sign in JOINERS)


def safe_name(name: str) -> str:
    """A file name without folders, control characters or a leading dot, as long as systems take.

    >>> safe_name("../../etc/passwd.csv"), safe_name(".csv"), safe_name(".zip")
    ('passwd.csv', 'items.csv', 'items.zip')
    """
    last = re.split(r"[\\/]", name)[-1]
    kept = re.sub(r'[\x00-\x1f<>:"|?*]', "_", last).strip()
    suffix = suffix_of(kept)
    stem = kept[: len(kept) - len(suffix)].strip(". ")[:80].encode(errors="ignore")
    return (stem[:MOST_BYTES].decode(errors="ignore") or "items") + suffix


def suffix_of(name: str) -> str:
    """The known suffix, or the last one.

    >>> suffix_of("a.csv.gz"), suffix_of("b.doc")
    ('.csv.gz', '.doc')
    """
    lower = name.lower()
    known = [suffix for suffix in (*FORMATS, ZIP) if lower.endswith(suffix)]
    return max(known, key=len) if known else Path(lower).suffix


def keep_upload(name: str, content: bytes) -> Path:
    """Write an uploaded file to the data folder; the same content is kept once. What another tool
    wrote is kept as the table that it is read as, and of a zip what is in it: the path is that of
    its table.

    Raises ValueError for a suffix that no reader knows, and for a file of another tool, or a zip,
    that cannot be read.
    """
    wanted = safe_name(name)
    if wanted.endswith(ZIP):
        with tempfile.TemporaryDirectory(dir=copies_folder()) as place:
            packed = Path(place) / wanted
            packed.write_bytes(content)
            return _taken_apart(packed, hashlib.sha256(content).hexdigest(), len(content))
    if (table := _recognised(wanted, content)) is not None:
        wanted, content = f"{Path(wanted).stem}{table[0]}", table[1]
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
        if path.stat().st_size == len(content) and digest_of(path) == digest:
            return path
    raise ValueError(f"{folder} holds a thousand files called {wanted}; give the file another name")


def _taken_apart(source: Path, digest: str, size: int) -> Path:
    """What is in a zip or a folder, kept under its name and ``digest``; the path of its table."""
    name = safe_name(source.name).removesuffix(ZIP)
    place = files_folder() / f"{name} {digest[:8]}"
    ask = Ask(apart.take, (str(source),), apart.taken_to(place), size)
    return waiting.result_of("taken", (str(place),), f"Taking {source.name} apart", ask)


def _recognised(name: str, content: bytes) -> tuple[str, bytes] | None:
    """A table and its suffix, where another tool wrote the file."""
    if Path(name).suffix.lower() not in SUFFIXES:
        return None
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        key = (name, hashlib.sha256(content).hexdigest())
        ask = Ask(apart.recognise, (str(path), name), apart.table_of, len(content))
        return waiting.result_of("other tool", key, f"Looking at {name}", ask)


def with_scores(path: Path, name: str, content: bytes) -> Path:
    """The rows of a file with the scores of an uploaded one, kept as one file."""
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        scores = Path(folder) / safe_name(name)
        scores.write_bytes(content)
        key = (str(path), hashlib.sha256(content).hexdigest())
        size = len(content) + stamp(path)[0]
        ask = Ask[Any](apart.join, ([str(path), str(scores)],), apart.table_of, size)
        _, joined = waiting.result_of("scores", key, f"Joining {name}", ask)
    return keep_upload(f"{path.name.partition('.')[0]} with scores.jsonl", joined)


def named(text: str, *, anywhere: bool) -> Path:
    """The file that a typed path names, or the pictures of a folder; ``anywhere``: on this machine,
    from where a copy is taken, else in the data folder alone. Raises what ``inside`` raises, and
    what ``keep_upload`` does."""
    if "\0" in text or not anywhere:
        return inside(text)
    typed = os.path.expanduser(text.strip().strip("\"'"))
    path = Path(os.path.realpath(data_folder() / typed))
    within = path.is_relative_to(data_folder())
    copied = path.suffix.lower() in (*SUFFIXES, ZIP) and suffix_of(path.name) not in FORMATS
    if (within and not copied) or (path.is_dir() and any(path.glob("*.parquet"))):
        return inside(str(path))
    if path.is_dir():
        states = [entry.lstat() for entry in islice(path.rglob("*"), MOST_FILES)]
        known = f"{path} {[(state.st_size, state.st_mtime_ns) for state in states]}"
        digest = hashlib.sha256(known.encode()).hexdigest()
        return _taken_apart(path, digest, sum(state.st_size for state in states))
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {text!r} on this machine.")
    if not copied:
        known_suffix(path.name)  # Nothing else is opened.
    if path.stat().st_size > MOST_COPIED:
        raise OutsideError(TO_BE_COPIED.format(text=text, most=MOST_COPIED / 1e6))
    return keep_upload(path.name, path.read_bytes())


def inside(text: str) -> Path:
    """The file, or folder of Parquet parts, that a typed path names. Raises OutsideError or
    FileNotFoundError, and ValueError for a folder without parts."""
    if "\0" in text:
        raise ValueError(f"The path {text!r} holds a NUL character, which no file name has.")
    folder = data_folder()
    path = Path(os.path.expanduser(text.strip()))
    place = Path(os.path.realpath(folder / path))
    parts = parts_at(place)
    if not all(Path(os.path.realpath(part)).is_relative_to(folder) for part in (place, *parts)):
        raise OutsideError(
            f"{text!r} lies outside the data folder {folder}. Copy the file into that folder, or "
            "upload it."
        )
    if not all(part.is_file() for part in parts):
        raise FileNotFoundError(f"There is no file {text!r} in the data folder {folder}.")
    return place


def listed() -> list[str]:
    """Files in the data folder that can be read, by path inside it, the newest first."""
    folder = data_folder()
    dated: list[tuple[float, str]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if suffix_of(name) in FORMATS and not name.startswith(".") and path.is_file():
                dated.append((path.stat().st_mtime, str(path.relative_to(folder))))
        if len(dated) >= MOST_LISTED * 5:
            break
    return [name for _, name in sorted(dated, reverse=True)[:MOST_LISTED]]


def read_form(path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
    """What the file's dialect seems to be. Raises ValueError when nothing can be read, LimitError,
    CancelledError."""
    return _asked("form", path, given, apart.look, apart.form_of)


def read_head(path: Path, given: Mapping[str, Any] = NOTHING, paths: Sequence[str] = ()) -> Head:
    """The first look, with what lies at some ``paths``. Raises ValueError when the file cannot be
    opened, PopulationError for a broken structure, LimitError, CancelledError."""
    return _asked("head", path, given, apart.look_inside, apart.head_from, list(paths))


def read_tree(path: Path, given: Mapping[str, Any], columns: Sequence[str]) -> Tree:
    """What lies in the records of a file, and the different values of some columns. Raises what
    ``read_head`` does."""
    return _asked("tree", path, given, apart.climb, apart.tree_from, list(columns))


def _asked(
    kind: str,
    path: Path,
    given: Mapping[str, Any],
    function: Callable[..., Any],
    made_of: Callable[[Any], Made],
    *more: list[str],
) -> Made:
    """What is made of an answer that leaves no files."""

    def handed(answer: Any, folder: Path) -> Made:
        shutil.rmtree(folder, ignore_errors=True)
        return made_of(answer)

    parts = [str(part) for part in parts_at(path)]
    ask = Ask(function, (parts, dict(given), *more), handed, stamp(path)[0])
    key = _key(path, {**given, "more": more})
    return waiting.result_of(kind, key, f"Looking at {dropped_as(path)}", ask)


def read(path: Path, arguments: dict[str, Any]) -> Population:
    """``read_population``, remembered for the last few ways of reading. Raises LimitError and
    CancelledError, too."""
    key = _key(path, arguments)
    compared: Checked | None = waiting.result_kept("compared", key)
    if compared is not None:
        return compared.population
    ask = Ask(apart.read, (str(path), arguments), items_of(path), stamp(path)[0])
    return waiting.result_of("items", key, f"Reading {dropped_as(path)}", ask)


@dataclass(frozen=True)
class Checked:
    """A file as it was read.

    repeated   the items whose content an earlier one has
    filled     rows with a value, of each column that may hold answers
    """

    population: Population
    repeated: Duplicates
    filled: Mapping[str, int]


def read_and_compare(
    path: Path, arguments: dict[str, Any], columns: Sequence[str] = (), others: Sequence[str] = ()
) -> Checked:
    """As ``read``, with what else is told of it.

    columns, others   whose rows with a value are counted; of ``others`` where only some rows have
                      one, and few different ones are there
    """

    def handed(answer: Any, folder: Path) -> Checked:
        population = apart.population_from(folder, path)
        duplicates = apart.duplicates_from(answer["repeated"])
        return Checked(population, duplicates, dict(answer["filled"]))

    given = (str(path), arguments, list(columns), list(others), FEW_VALUES)
    ask = Ask(apart.read_and_compare, given, handed, stamp(path)[0])
    return waiting.result_of("compared", _key(path, arguments), f"Checking {dropped_as(path)}", ask)


def told_rows(population: Population, column: str) -> NDArray[np.int64]:
    """The rows with a value in a column, from 0."""
    path = population.path
    given = (str(path), dict(population.arguments), column)
    ask = Ask(apart.told, given, lambda _, folder: apart.rows_of(folder), stamp(path)[0])
    what = f"Looking for answers in {dropped_as(path)}"
    key = (population.fingerprint, column)
    return waiting.result_of("told", key, what, ask)


LEARNED, MOST_SECONDS = "learned", 1800.0


def learned(
    population: Population, classifier: str, *, numbers: bool
) -> tuple[Opinion, Features | None]:
    """What the content of the items says of a classifier, and, where labels are to teach something
    about it, as ``numbers``."""
    path = population.path
    given = (str(path), dict(population.arguments), classifier, numbers)
    ask = Ask(apart.learn, given, apart.learned_from, stamp(path)[0], MOST_SECONDS)
    what, key = f"Learning from {path.name}", (population.fingerprint, classifier, numbers)
    return waiting.result_of(LEARNED, key, what, ask)


def _key(path: Path, given: Mapping[str, Any]) -> waiting.Key:
    return str(path), stamp(path), json.dumps(dict(given), ensure_ascii=False)
