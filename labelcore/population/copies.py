"""Temporary copies of items, readable for this user alone and gone when the process is.

All copies of a process lie in one folder, which holds a lock for as long as the process lives. The
folder of a process that was killed has no lock any more, and the next process removes it.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ValueT = TypeVar("ValueT")

PREFIX = "labelcore-"
LOCK = "lock"
# A younger folder may belong to a process that is just about to lock it.
SETTLED_SECONDS = 60.0


class TemporaryCopy:
    """A temporary file that goes with this object."""

    def __init__(self, suffix: str = ".txt") -> None:
        handle, name = tempfile.mkstemp(dir=copies_folder(), suffix=suffix)
        os.close(handle)
        self.path = Path(name)
        weakref.finalize(self, _remove, name)

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.path = state["path"]
        if (mine := getattr(_adopting, "mine", None)) is not None:
            mine.append(self)


class AdoptedFile:
    """A file that another process wrote, and that goes with this object."""

    def __init__(self, path: Path) -> None:
        self.path = path


_adopting = threading.local()


def adopted(read: Callable[[], ValueT], folder: Path) -> ValueT:
    """What ``read`` reads that another process wrote; the temporary files of that process, which
    lie in ``folder``, go with it from now on. Otherwise they stay that process's."""
    mine: list[TemporaryCopy | AdoptedFile] = []
    _adopting.mine = mine
    try:
        value = read()
    finally:
        _adopting.mine = None
    for one in mine:
        weakref.finalize(one, shutil.rmtree, folder, ignore_errors=True)
    if not mine:
        shutil.rmtree(folder, ignore_errors=True)
    return value


def file_of_another(path: str) -> Path | AdoptedFile:
    """A file of the process that handed it on."""
    if (mine := getattr(_adopting, "mine", None)) is None:
        return Path(path)
    mine.append(found := AdoptedFile(Path(path)))
    return found


def copies_folder() -> Path:
    """The folder for the copies of this process."""
    return _folder(os.getpid())


def clear_leftovers() -> None:
    """Remove the copies that killed processes of this user have left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            settled = time.time() - folder.stat().st_mtime > SETTLED_SECONDS
            if not settled or not (folder / LOCK).exists():
                continue
            handle = _lock(folder / LOCK)
            if handle is not None:
                shutil.rmtree(folder)
                os.close(handle)
        except OSError:  # another user's, or removed by another process meanwhile
            continue


@functools.cache
def _folder(process: int) -> Path:
    clear_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    _lock(folder / LOCK)  # never closed: that would give the lock up
    atexit.register(_remove_folder, folder, process)
    return folder


def _lock(path: Path) -> int | None:
    """The open lock file, or None when a living process has locked it."""
    if sys.platform == "win32":
        return None
    import fcntl

    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove_folder(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in a child that was forked and ends
        shutil.rmtree(folder, ignore_errors=True)


def _remove(path: str) -> None:
    Path(path).unlink(missing_ok=True)
