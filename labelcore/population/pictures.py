"""A zip or a folder, taken apart: its pictures, each under a name that was checked, and a table.

Where a table lies beside the pictures that is the one; else one is made, with a row for each
picture and, where pictures lie in several folders, the name of the folder as the prediction.
"""

import csv
import errno
import lzma
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from labelcore.errors import Fault, PopulationError
from labelcore.population.formats import FORMATS
from labelcore.population.limits import UNPACKED_ALWAYS, check_unpacked, refusal
from labelcore.population.text import shorten

ZIP = ".zip"
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
NOTES = (".txt", ".txt.gz")
MOST_FILES, LONGEST_NAME = 100_000, 200
READ_AT_ONCE, UTF_8 = 1 << 20, 0x800
LEADS_OUT = "a name in it must be a path below its folder"
NO_FILE = "everything in it must be a file or a folder, and this is a link or a device"
ENCRYPTED = "it needs a password: give it without one"
NOTHING = "it holds neither a picture (png, jpg, gif, webp, bmp, tif) nor a table"
NO_ZIP = "it is no zip, or a broken one"
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError),
    *(RuntimeError, UnicodeError, OverflowError, OSError),
)
"""What zipfile raises on bytes that are no zip; an OSError only where it seeks before the start."""


@dataclass(frozen=True)
class Entry:
    """A file in it. ``path`` is below its folder."""

    path: PurePosixPath
    size: int
    open: Callable[[], IO[bytes]]


def take_apart(source: Path, target: Path) -> Path:
    """Copy pictures and table of a zip or a folder to ``target``, which is there and empty; returns
    the path of the table.

    Raises PopulationError for a name that leads elsewhere, a link, a bomb and whatever else is no
    collection of pictures; nothing that is there was read through a link.
    """
    try:
        if source.is_dir():
            return _copied(source.name, list(_in_folder(source)), None, target)
        with zipfile.ZipFile(source) as packed:
            entries = list(_in_zip(source.name, packed))
            return _copied(source.name, entries, source.stat().st_size, target)
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise refusal(source.name, f"{NO_ZIP} ({error})") from None


def _in_folder(folder: Path) -> Iterator[Entry]:
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            inside = PurePosixPath(path.relative_to(folder).as_posix())
            if not _left_out(inside) and stat.S_ISREG((state := path.lstat()).st_mode):
                yield Entry(inside, state.st_size, lambda path=path: path.open("rb"))  # type: ignore[misc]


def _in_zip(name: str, packed: zipfile.ZipFile) -> Iterator[Entry]:
    """The files of a zip. Every name is checked, also of what is left out."""
    infos = packed.infolist()
    if len(infos) > MOST_FILES:
        raise refusal(name, f"at most {MOST_FILES:,} files may be in it, and there are more")
    for info in infos:
        named = _name_of(info)
        parts = named.replace("\\", "/").rstrip("/").split("/")
        if not all(map(_fits, parts)) or parts[0].endswith(":"):
            raise PopulationError([Fault(name, None, None, shorten(named), LEADS_OUT)])
        if (kind := stat.S_IFMT(info.external_attr >> 16)) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise PopulationError([Fault(name, None, None, shorten(named), NO_FILE)])
        path = PurePosixPath(*parts)
        if info.is_dir() or kind == stat.S_IFDIR or _left_out(path):
            continue
        if info.flag_bits & 1:
            raise refusal(name, ENCRYPTED)
        yield Entry(path, info.file_size, lambda info=info: packed.open(info))  # type: ignore[misc]


def _name_of(info: zipfile.ZipInfo) -> str:
    """Its name; several programs write UTF-8 without the flag that says so."""
    if info.flag_bits & UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _fits(part: str) -> bool:
    """Whether a part of a path names something in the folder before it."""
    short = len(part.encode("utf-8", "replace")) <= LONGEST_NAME
    return part not in ("", ".", "..") and part.isprintable() and short


def _left_out(path: PurePosixPath) -> bool:
    """Hidden files, and what is neither picture nor table."""
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return hidden or not path.name.lower().endswith((*SUFFIXES, *FORMATS))


def _is_picture(path: PurePosixPath) -> bool:
    return path.name.lower().endswith(SUFFIXES)


def _copied(name: str, entries: list[Entry], packed: int | None, target: Path) -> Path:
    pictures = [entry for entry in entries if _is_picture(entry.path)]
    tables = [entry for entry in entries if not _is_picture(entry.path)]
    if pictures or len(tables) > 1:  # What is written beside a table is about it.
        tables = [entry for entry in tables if not entry.path.name.lower().endswith(NOTES)]
        entries = [*tables, *pictures]
    if len(tables) > 1:
        both = " and ".join(repr(str(entry.path)) for entry in tables[:2])
        raise refusal(name, f"one table may be in it, and there are {both}")
    if not entries:
        raise refusal(name, NOTHING)
    if len(entries) > MOST_FILES:
        raise refusal(name, f"at most {MOST_FILES:,} files may be in it, and there are more")
    seen: set[str] = set()
    written = 0
    for entry in entries:
        if (key := unicodedata.normalize("NFC", str(entry.path)).casefold()) in seen:
            raise PopulationError([Fault(name, None, None, str(entry.path), "it is there twice")])
        seen.add(key)
        written += _copy(entry, target / entry.path, name, packed, written)
    if tables:
        return target / tables[0].path
    return _made(pictures, target / f"{name.removesuffix(ZIP)}.csv")


def _copy(entry: Entry, path: Path, name: str, packed: int | None, before: int) -> int:
    """Write a file; the bytes are counted as they come, whatever the zip says of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with entry.open() as source, path.open("xb") as stream:
        while part := source.read(READ_AT_ONCE):
            written += len(part)
            if packed is not None and before + written > UNPACKED_ALWAYS:
                check_unpacked(name, before + written, packed)
            stream.write(part)
    return written


def _made(pictures: list[Entry], table: Path) -> Path:
    """A table of the pictures, in the order of their paths."""
    folders = {picture.path.parent.name for picture in pictures}
    head = ["id", "image", *(["prediction"] if len(folders) > 1 else [])]
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        for path in sorted(picture.path for picture in pictures):
            writer.writerow([path, path, path.parent.name or "(no folder)"][: len(head)])
    return table
