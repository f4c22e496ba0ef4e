"""The file under a SQLite store: its path, its first checks, its connections."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from labelcore.errors import DamagedStoreError, MissingStoreError, StoreError
from labelcore.store.checks import check_path
from labelcore.store.sqlite_errors import damage, damaged, is_database

QUICK_CHECK_BYTES = 50_000_000
OWNER_ONLY = 0o600
HEADER_BYTES = 100
"""A shorter file is none of SQLite's, which would take it for a new one."""
READABLE = "Check that this user may read it."

# Set on every connection; WAL is a property of the file and is set once, on opening. Without
# fullfsync, macOS takes what the disk's cache has as written; elsewhere it changes nothing.
PRAGMAS = ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA foreign_keys = ON")

_PREFIX = "sqlite:///"


def named_path(url: str) -> Path:
    """The absolute path that ``url`` names.

    Raises ValueError for an address without a path, StoreError for a path that is a folder.
    """
    text = url.removeprefix(_PREFIX)
    if not url.startswith(_PREFIX) or text in ("", ":memory:"):
        raise ValueError(
            f"A SQLite store needs a file, as in sqlite:///labels.db or sqlite:////srv/labels.db"
            f"; got {url!r}. For a store that keeps nothing, use memory://."
        )
    path = Path(os.path.abspath(text))
    if os.path.isdir(path):
        raise StoreError(f"{path} is a folder. Name a file in it, for example {path}/labels.db.")
    return path


def create_file(path: Path) -> None:
    """Make an empty file for this user alone, and its folder, where they are missing.

    SQLite gives the files beside the database the same permissions. Raises ValueError for a path
    that is no text, StoreError.
    """
    if file_identity(path) is None:
        check_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {path.parent} does not exist and could not be created "
            f"({error.strerror}). Create it, or choose another place."
        ) from error
    try:
        path.touch(mode=OWNER_ONLY, exist_ok=False)
    except FileExistsError:
        return
    except OSError as error:
        raise StoreError(
            f"{path} could not be created ({error.strerror}). Check that this user may write to "
            "the folder, or choose another place."
        ) from error


def refuse_missing(path: Path) -> None:
    """Raise MissingStoreError when there is no file, or only an empty one, at ``path``."""
    if file_identity(path) is None:
        raise MissingStoreError(
            f"There is no store at {path}: it was moved, replaced or deleted, or the path is "
            "another one. No new one was made; put the file back."
        )
    if path.stat().st_size == 0:
        raise MissingStoreError(
            f"The store {path} is empty: its content was deleted, or it was never used. No new "
            "one was made; put the file back."
        )


def unwritten_log(path: Path) -> bool:
    """Whether the file beside the database holds changes that are not in the database yet."""
    path = Path(os.path.realpath(path))  # SQLite keeps it where a link leads to.
    beside = path.with_name(path.name + "-wal")
    return beside.exists() and beside.stat().st_size > 0


def unreadable(path: Path, reason: str | None) -> StoreError:
    return StoreError(f"{path} could not be read ({reason}). {READABLE}")


def check_file(path: Path) -> None:
    """Raise StoreError when the file is not a database or a cheap check finds damage.

    Only SQLite may open the file: closing any other handle of it drops, on POSIX systems, the locks
    of all connections in this process, and another program could then throw their changes away.
    See https://www.sqlite.org/howtocorrupt.html, section 2.2.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(path, error.strerror) from error
    if not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        raise unreadable(path, "no permission")
    if size == 0:
        return
    if size < HEADER_BYTES or not is_database(path):
        raise DamagedStoreError(
            f"{path} is not an SQLite database, or its first bytes are damaged. Check the path, or "
            "put back the newest backup: labelcore restore."
        )
    finding = damage(path) if size < QUICK_CHECK_BYTES else None
    if finding is not None:
        raise damaged(path, finding)


def file_identity(path: Path) -> tuple[int, int] | None:
    """Device and number of the file now at ``path``, None when there is none.

    Raises StoreError where this user may not look.
    """
    try:
        status = path.stat()
    except PermissionError as error:
        raise unreadable(path, "no permission") from error
    except OSError:
        return None
    return status.st_dev, status.st_ino


def file_state(path: Path) -> tuple[int, int, bool]:
    """What changes when another program writes to the database."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, unwritten_log(path)


def make_engine(path: Path, busy_seconds: float, *, immutable: bool = False) -> Engine:
    """An engine whose transactions begin as readers, or as writers with the option ``writing``.

    With ``writing=None`` no transaction is begun: some pragmas work outside of one only.
    immutable   read the file as it stands, without the files that SQLite keeps beside it
    """
    query = {"mode": "ro", "immutable": "1", "uri": "true"} if immutable else {}
    engine = create_engine(
        URL.create("sqlite", database=path.as_uri() if immutable else str(path), query=query),
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
