"""Temporary copies of items, readable for this user alone and gone when the process is.

All copies of a process lie in one folder, which holds a lock for as long as the process lives. The
folder of a process that was killed has no lock any more, and the next process removes it.
"""

import atexit
import functools
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

PREFIX, BEFORE = "labelcore-", ".labelcore-"
"""How the name of a folder begins, and that of one which is not locked yet."""
LOCK = "lock"


class TemporaryCopy:
    """A temporary file that goes with this object."""

    def __init__(self, suffix: str = ".txt") -> None:
        handle, name = tempfile.mkstemp(dir=copies_folder(), suffix=suffix)
        os.close(handle)
        self.path = Path(name)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


class TakenFile:
    """A file that another process wrote to a folder of its own, which goes with this object."""

    def __init__(self, path: Path) -> None:
        self.path = path
        weakref.finalize(self, shutil.rmtree, path.parent, ignore_errors=True)


def folder_of(owner: object) -> Path:
    folder = Path(tempfile.mkdtemp(dir=copies_folder()))
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder


def copies_folder() -> Path:
    return _folder(os.getpid())


def clear_leftovers() -> None:
    """Remove the copies that killed processes of this user have left, this moment too."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if not (folder / LOCK).exists():
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
    folder = Path(tempfile.mkdtemp(prefix=BEFORE))
    _lock(folder / LOCK)  # never closed: that would give the lock up
    folder = folder.rename(folder.with_name(folder.name.removeprefix(".")))
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
