"""The file under a SQLite store: its path, its first checks, its connections."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from labelcore.errors import StoreError
from labelcore.store.sqlite_errors import damage, damaged

QUICK_CHECK_BYTES = 50_000_000

# Set on every connection; WAL is a property of the file and is set once, on opening.
PRAGMAS = ("PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")

_PREFIX = "sqlite:///"
_HEADER = b"SQLite format 3\x00"


def usable_path(url: str) -> Path:
    """The absolute path that ``url`` names, its folder created.

    Raises ValueError for an address without a path, StoreError for a path that cannot be a file.
    """
    text = url.removeprefix(_PREFIX)
    if not url.startswith(_PREFIX) or text in ("", ":memory:"):
        raise ValueError(
            f"A SQLite store needs a file, as in sqlite:///labels.db or sqlite:////srv/labels.db"
            f"; got {url!r}. For a store that keeps nothing, use memory://."
        )
    path = Path(os.path.abspath(text))
    if path.is_dir():
        raise StoreError(f"{path} is a folder. Name a file in it, for example {path}/labels.db.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {path.parent} does not exist and could not be created "
            f"({error.strerror}). Create it, or choose another place."
        ) from error
    return path


def check_file(path: Path) -> None:
    """Raise StoreError when the file is not a database or a cheap check finds damage."""
    try:
        size = path.stat().st_size
        if size == 0:
            return
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"{path} could not be read ({error.strerror}). Check that this user may read it."
        ) from error
    if header != _HEADER:
        raise StoreError(
            f"{path} is not an SQLite database, or its first bytes are damaged. Check the path, or "
            "put back the latest backup."
        )
    found = damage(path) if size < QUICK_CHECK_BYTES else None
    if found is not None:
        raise damaged(path, found)


def file_identity(path: Path) -> tuple[int, int] | None:
    """Device and number of the file now at ``path``, None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def make_engine(path: Path, busy_seconds: float) -> Engine:
    """An engine whose transactions begin as readers, or as writers with the option ``writing``.

    With ``writing=None`` no transaction is begun: some pragmas work outside of one only.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_seconds, "check_same_thread": False},
        max_overflow=-1,
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, _entry: ConnectionPoolEntry) -> None:
    # The driver must not begin transactions by itself; _on_begin does.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _on_begin(connection: Connection) -> None:
    """Take the write lock at once when writing: a lock taken later could be refused half-way."""
    writing = connection.get_execution_options().get("writing", False)
    if writing is not None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
