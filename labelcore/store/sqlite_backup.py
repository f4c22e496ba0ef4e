"""A database file copied while others write to it, and put in the place of another one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from labelcore.errors import StoreError, StoreNotWritableError
from labelcore.store.kept_backups import BESIDE
from labelcore.store.seals import seals_file
from labelcore.store.sqlite_errors import NO_FILES_BESIDE, result_code, translated
from labelcore.store.sqlite_file import check_file, create_file, refuse_missing, unwritten_log


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
                _copied(source, half, "immutable=1")
        # Changes that belonged to another database of this name must not be taken for this one's.
        for end in BESIDE[1:]:
            target.with_name(target.name + end).unlink(missing_ok=True)
        os.replace(half, target)
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


def set_aside(path: Path) -> Path | None:
    """Give the database at ``path`` another name, so that nothing of it is lost; the name. None
    where there is no database; what a lost one left beside it is moved all the same, because SQLite
    would take it for changes of the next one. Whoever has it open is refused from then on. Raises
    StoreError."""
    there = path.exists()
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    aside = path.with_name(f"{path.stem}-before-{stamp}{path.suffix}")
    try:
        for end in BESIDE:
            file = path.with_name(path.name + end)
            if file.exists():
                file.rename(aside.with_name(aside.name + end))
        if seals_file(path).exists():
            seals_file(path).rename(seals_file(aside))
    except OSError as error:
        raise StoreError(f"{path} cannot be set aside: {error.strerror or error}") from error
    return aside if there else None


def put_in_place(copy: Path, path: Path) -> Path | None:
    """Let the database ``copy`` be the one at ``path``; the new name of the one that was there.

    Raises StoreError.
    """
    staged = path.with_name(f"{path.name}.{os.getpid()}.new")
    copy_database(copy, staged)
    aside = set_aside(path)
    os.replace(staged, path)
    return aside
