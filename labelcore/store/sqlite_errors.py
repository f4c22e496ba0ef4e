"""What SQLite's result codes mean to the person at the screen."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from labelcore.errors import (
    DamagedStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreNotWritableError,
)

_DAMAGED = (
    "is damaged. Put back the newest backup, with what the file still has: labelcore restore."
)
_READ_ONLY = (
    "cannot be written: the file, its folder or the disk is read-only for this user. "
    "Allow writing to the file and to its folder, or choose another place."
)

# Primary result code -> what to say after the file's name. https://www.sqlite.org/rescode.html
_SENTENCES: dict[int, str] = {
    sqlite3.SQLITE_BUSY: (
        "was locked by another program for longer than the waiting time. Close other programs "
        "that have it open, such as a database browser."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "could not be opened. Check that the folder exists and that this user may write to it."
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_FULL: (
        "could not grow: the disk is full. Nothing of this step was stored; "
        "free some space and try again."
    ),
    sqlite3.SQLITE_IOERR: (
        "could not be read or written: the disk or the network drive reported an error. "
        "Nothing of this step was stored; check the disk and try again."
    ),
    sqlite3.SQLITE_NOTADB: (
        "is not an SQLite database, or its first bytes are damaged. Check the path, "
        "or put back the newest backup: labelcore restore."
    ),
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_TOOBIG: "refused a text longer than SQLite can hold. Shorten the item.",
}
# Primary result code -> the kind of error, where callers tell them apart.
_KINDS: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusyError,
    sqlite3.SQLITE_CORRUPT: DamagedStoreError,
    sqlite3.SQLITE_LOCKED: StoreBusyError,
    sqlite3.SQLITE_NOTADB: DamagedStoreError,
    sqlite3.SQLITE_FULL: StoreFullError,
    sqlite3.SQLITE_PERM: StoreNotWritableError,
    sqlite3.SQLITE_READONLY: StoreNotWritableError,
}
# What writing meets where only reading is possible, and what SQLite meets when it cannot make the
# files that it keeps beside the database.
NOT_WRITABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
NO_FILES_BESIDE = (*NOT_WRITABLE, sqlite3.SQLITE_IOERR)
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SENTENCES[sqlite3.SQLITE_LOCKED] = _SENTENCES[sqlite3.SQLITE_BUSY]
_UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn whatever the database raises inside the block into a StoreError.

    A stored text that is no longer JSON, or no longer text, is damage too.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, *_UNREADABLE) as error:
        raise store_error(path, error) from error


def store_error(path: Path, error: Exception) -> StoreError:
    """The StoreError that tells what ``error`` means for the file at ``path``."""
    cause = getattr(error, "orig", None) or error
    code = result_code(error)
    sentence = _SENTENCES.get(code)
    if sentence is None:
        return StoreError(
            f"{path} gave an error that Labelcore did not expect. Nothing of this step was "
            f"stored; open the store again, and report this text if it returns. ({cause})"
        )
    finding = damage(path) if code == sqlite3.SQLITE_CORRUPT else None
    return _KINDS.get(code, StoreError)(f"{path} {sentence} ({finding or cause})")


def busy_here(path: Path, seconds: float) -> StoreBusyError:
    """The error for a store that other threads of this process kept busy."""
    return StoreBusyError(
        f"{path} was busy with other writes for {seconds:g} seconds. Nothing of this step was "
        "stored; try again."
    )


def result_code(error: BaseException) -> int:
    """The primary result code of an error, or of the one that it wraps.

    The driver gives none for a text that is not UTF-8.
    """
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, _UNREADABLE) or "Could not decode to UTF-8" in str(cause):
        return sqlite3.SQLITE_CORRUPT
    return getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def damaged(path: Path, finding: str) -> StoreError:
    """The StoreError for damage that a check found."""
    return DamagedStoreError(f"{path} {_DAMAGED} ({finding})")


def is_database(path: Path) -> bool:
    """Whether SQLite takes the file for one of its own, as far as it can be opened."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        return result_code(error) != sqlite3.SQLITE_NOTADB
    except UnicodeDecodeError:  # of the words of an error that names what is damaged
        return True
    return True


def damage(path: Path, check: str = "quick_check") -> str | None:
    """The first thing that SQLite's quick check, or another one, finds wrong in the file, or None.

    A file that cannot be opened is not called damaged: the caller meets the true cause soon enough.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            finding = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
    except sqlite3.Error as error:
        return str(error) if result_code(error) in _DAMAGE_CODES else None
    except UnicodeDecodeError:
        return "its schema cannot be read"
    return None if finding == "ok" else " ".join(str(finding).split())
