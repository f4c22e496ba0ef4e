"""Files that are there whole, or as they were before."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

MINE = 0o600
"""Readable for this user alone."""


@contextmanager
def whole_file(path: Path, permissions: int = MINE) -> Iterator[BinaryIO]:
    """A file to write, and to read again, that is at ``path`` once all of it is on the disk.

    Where writing fails, what was there stays as it was, and nothing new is left. Several may write
    the same file at once: one of them is last. Raises OSError.

    Examples
    --------
    >>> with whole_file(Path("kept.txt")) as stream:
    ...     _ = stream.write(b"all of it")
    >>> Path("kept.txt").read_text()
    'all of it'
    """
    # The name is the file's own and short: one made from that of the file could be too long.
    handle, half = tempfile.mkstemp(dir=path.parent, prefix=".half-")
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if permissions != MINE:
            os.chmod(half, permissions)
        os.replace(half, path)
    finally:
        Path(half).unlink(missing_ok=True)


def link_or_copy(there: Path, path: Path) -> None:
    """A file that nobody changes under another name too, or a copy of it where the disk is another
    one. Raises OSError."""
    try:
        os.link(there, path)
    except OSError:
        with whole_file(path) as stream, there.open("rb") as source:
            shutil.copyfileobj(source, stream)
