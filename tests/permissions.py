"""Files that may not be read or written, for root too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def ordinary_user(path: Path) -> Iterator[None]:
    """Root may write anywhere, so the block runs as nobody, who owns ``path`` and its files."""
    if os.geteuid() != 0:
        yield
        return
    for part in (path, *path.parents):
        if part.stat().st_uid == 0 and part != Path("/") and part.stat().st_mode & 0o001 == 0:
            part.chmod(part.stat().st_mode | 0o011)
    for entry in (path, *path.rglob("*")):
        os.chown(entry, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def modes(path: Path, file_mode: int, folder_mode: int) -> Iterator[None]:
    """Give the file and its folder these permissions inside the block."""
    path.chmod(file_mode)
    path.parent.chmod(folder_mode)
    try:
        yield
    finally:
        path.parent.chmod(0o755)
        path.chmod(0o644)
