"""Pictures in files of the data folder, named by a path in a column."""

import os
import stat
import unicodedata
from functools import lru_cache
from pathlib import Path

from labelcore.items.forms import Folders, Picture, Refusal
from labelcore.items.picture import MOST_BYTES, SVG, TOO_HEAVY, decode

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
NOT_SHOWN = (".svg", ".svgz")
LONGEST_PATH = 300

OUTSIDE = "lies outside the data folder. Pictures are read from inside it only."
MISSING = "is not there: the data folder holds no such file."
UNREADABLE = "cannot be read. Check the permissions of the file."


def is_path(value: str) -> bool:
    """Whether a text reads like the path of a picture.

    >>> is_path("cats/1.JPG"), is_path("http://a.example/1.jpg"), is_path("1.jpg is fine")
    (True, False, False)
    """
    return (
        value[-5:].lower().endswith((*SUFFIXES, *NOT_SHOWN))
        and len(value) <= LONGEST_PATH
        and value.isprintable()
        and "://" not in value
    )


def read(value: str, folders: Folders) -> Picture | Refusal | None:
    """The picture, or why it is not shown.

    A text with spaces that names no file is a sentence which happens to end like one: None.
    """
    if not is_path(value):
        return None
    root = Path(os.path.realpath(folders.root))
    ways = _ways(value, folders, root)
    inside = [way for way in ways if way.is_relative_to(root)]
    for path in inside:
        try:
            state = os.stat(path)
        except OSError:
            continue
        if stat.S_ISREG(state.st_mode):
            return _decoded(path, value, state.st_size, state.st_mtime_ns, folders.largest)
    if len(inside) < len(ways):
        return Refusal(f"{value} {OUTSIDE}")
    return None if " " in value else Refusal(f"{value} {MISSING}")


def _ways(value: str, folders: Folders, root: Path) -> list[Path]:
    """Where the path may lead, with every link followed, from each folder inside ``root``."""
    starts = [Path(os.path.realpath(start)) for start in (folders.beside, root) if start]
    inside = [start for start in starts if start.is_relative_to(root)]
    # macOS takes letters with accents apart in names of files, tables seldom do.
    spelled = {value, unicodedata.normalize("NFC", value), unicodedata.normalize("NFD", value)}
    return list(
        dict.fromkeys(Path(os.path.realpath(start / way)) for start in inside for way in spelled)
    )


@lru_cache(maxsize=64)
def _decoded(path: Path, value: str, size: int, changed: int, largest: int) -> Picture | Refusal:
    """``size`` (bytes) and ``changed`` (nanoseconds) tell one state of the file from the next."""
    if path.suffix.lower() in NOT_SHOWN:
        return Refusal(f"{value} {SVG}")
    if size > MOST_BYTES:
        return Refusal(f"{value} {TOO_HEAVY}")
    try:
        data = path.read_bytes()
    except OSError:
        return Refusal(f"{value} {UNREADABLE}")
    return decode(data, value, largest)
