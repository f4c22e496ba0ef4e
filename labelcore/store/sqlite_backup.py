"""A database file copied while others write to it, and put in the place of another one."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from labelcore.errors import StoreError, StoreFullError, StoreNotWritableError
from labelcore.store.guard import BESIDE
from labelcore.store.kept import AS_IT_STANDS, half_copies
from labelcore.store.sqlite_errors import NO_FILES_BESIDE, busy_here, result_code, translated
from labelcore.store.sqlite_file import check_file, create_file, refuse_missing, unwritten_log
from labelcore.whole_file import keep_names

HELD_SECONDS = 5.0
"""How long a write of somebody else is waited for."""


def copy_database(source: Path, target: Path) -> None:
    """A copy as the database is at one moment, whole on the disk when this returns.

    Others may write meanwhile. Nothing new is at ``target`` before the copy is whole. Source:
    https://www.sqlite.org/backup.html.

    Raises StoreError; MissingStoreError where there is no database.
    """
    refuse_missing(source)
    check_file(source)
    half = target.with_name(f"{target.name}.{os.getpid()}.half")
    create_file(half)
    try:
        with translated(source):
            try:
                _copied(source, half, "mode=ro")
            except sqlite3.OperationalError as error:
                # Where SQLite cannot make its files beside the database, nobody writes to it.
                if result_code(error) not in NO_FILES_BESIDE or unwritten_log(source):
                    raise
                _copied(source, half, AS_IT_STANDS)
        # Changes that belonged to another database of this name must not be taken for this one's.
        for end in BESIDE[1:]:
            target.with_name(target.name + end).unlink(missing_ok=True)
        os.replace(half, target)
        keep_names(target.parent)
    except StoreFullError as error:
        raise StoreFullError(
            f"{source} could not be copied: the disk of {target.parent} is full. Free some space "
            "and try again."
        ) from error
    except OSError as error:
        raise StoreNotWritableError(
            f"{target} cannot be written: {error.strerror or error}"
        ) from error
    finally:
        for end in BESIDE:
            half.with_name(half.name + end).unlink(missing_ok=True)


def _copied(source: Path, target: Path, how: str) -> None:
    with (
        closing(sqlite3.connect(f"{source.as_uri()}?{how}", uri=True)) as there,
        closing(sqlite3.connect(target)) as here,
    ):
        there.backup(here)


@contextmanager
def held(path: Path | None) -> Iterator[None]:
    """Nobody else writes to the database meanwhile, where it can be locked: a damaged one may not
    be, nor a missing one. Windows moves no file that anybody has open, this process neither.
    Raises StoreBusyError."""
    if path is None or not path.exists():
        yield
        return
    opened = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=HELD_SECONDS, isolation_level=None
    )
    with closing(opened) as connection:
        try:
            # What is moved away next is then whole in one file.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if result_code(error) == sqlite3.SQLITE_BUSY:
                raise busy_here(path, HELD_SECONDS) from error
        if sys.platform == "win32":
            connection.close()
        yield


def put_in_place(copy: Path, path: Path) -> Path | None:
    """Let the database ``copy`` be the one at ``path``; the new name of the one that was there, of
    which nothing is lost. None where there was none; what a lost one left beside it is moved all
    the same, because SQLite would take it for changes of the next one. A database is at ``path`` at
    every moment, and whoever has the former one open is refused from then on. A link stays one.

    Raises StoreError.
    """
    path = Path(os.path.realpath(path))
    for left in half_copies(path):  # Nobody else puts one there while the store is held.
        left.unlink(missing_ok=True)
    staged = path.with_name(f"{path.name}.{os.getpid()}.new")
    copy_database(copy, staged)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = path.with_name(f"{path.stem}-before-{stamp}{path.suffix}")
    there = path.exists()
    try:
        if there:
            try:
                os.link(path, aside)
            except OSError:  # The disk knows one name of a file only.
                path.rename(aside)
        for end in BESIDE[1:]:
            file = path.with_name(path.name + end)
            if file.exists():
                file.rename(aside.with_name(aside.name + end))
        os.replace(staged, path)
        keep_names(path.parent)
    except OSError as error:
        with suppress(OSError):
            staged.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be set aside: {error.strerror or error}") from error
    return aside if there else None
