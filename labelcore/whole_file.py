"""Files that are there whole, or as they were before."""

import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

IN_THIS_PROCESS: dict[str, threading.RLock] = {}
"""By folder."""
HALF = ".half-*"
"""The name of a file that is not whole yet. It is short: one made from that of the whole one could
be too long."""


def half_beside(path: Path) -> Path:
    """A name that no other file has."""
    return path.parent / HALF.replace("*", token_hex(8))


def keep_names(folder: Path) -> None:
    """The names of its files outlast a power cut, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def digest_of(file: Path) -> str:
    """SHA-256 of what is in a file, hexadecimal. Raises OSError."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def whole_file(path: Path, *, shared: bool = False) -> Iterator[BinaryIO]:
    """A file to write, and to read again, that is at ``path`` once all of it is on the disk.

    Where writing fails, what was there stays as it was, and nothing new is left. Several may write
    the same file at once: one of them is last. ``shared``: readable as any new file is, or as the
    one that it replaces; else for this user alone. Raises OSError.

    Examples
    --------
    >>> with whole_file(Path("kept.txt")) as stream:
    ...     _ = stream.write(b"all of it")
    >>> Path("kept.txt").read_text()
    'all of it'
    """
    half = half_beside(path)
    handle = os.open(half, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666 if shared else 0o600)
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if shared and path.exists():
            shutil.copymode(path, half)
        os.replace(half, path)
        keep_names(path.parent)
    finally:
        half.unlink(missing_ok=True)


def new_file(path: Path, content: bytes) -> None:
    """A file for this user alone, which was not there before and is whole from the first moment;
    where the disk knows one name of a file only, a moment later. Raises FileExistsError, OSError.
    """
    half = half_beside(path)
    try:
        _written(half, content)
        os.link(half, path)
    except FileExistsError:
        raise
    except OSError:
        _written(path, content)
    finally:
        half.unlink(missing_ok=True)
    keep_names(path.parent)


def _written(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise


def link_or_copy(there: Path, path: Path) -> None:
    """A file that nobody changes under another name too, or a copy of it where the disk is another
    one. Raises OSError."""
    try:
        os.link(there, path)
    except OSError:
        with whole_file(path) as stream, there.open("rb") as source:
            shutil.copyfileobj(source, stream)


@contextmanager
def alone_in(folder: Path | None) -> Iterator[None]:
    """No other thread or process is in such a block for this folder, of None anybody; on Windows
    and some network drives, where the system cannot see to it, no other thread of this process."""
    if folder is None:
        yield
        return
    handle = None
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Each folder has its own: who is alone in one may wait for a thread that asks for another.
    with IN_THIS_PROCESS.setdefault(os.path.realpath(folder), threading.RLock()):
        with suppress(OSError):
            if sys.platform != "win32":
                import fcntl

                handle = os.open(folder, os.O_RDONLY)
                fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)
