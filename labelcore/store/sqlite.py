"""A store in one SQLite file, for one machine: several threads, several processes.

Durable: write-ahead log with synchronous=FULL, so an append that returned survives a crash and a
power cut. Append-only: triggers in the file itself refuse to change or delete an event.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from labelcore.errors import StoreError
from labelcore.store.base import BUSY_SECONDS, closed_store
from labelcore.store.database import DatabaseStore, unsafe_migration
from labelcore.store.guard import BESIDE, Guard, back_up_now
from labelcore.store.migrations import (
    MIGRATIONS,
    OLDEST_READABLE,
    WITH_ACTS,
    WITH_PEOPLE,
    WITH_SALT,
    check_ours,
    is_current,
    migrate,
    schema_version,
)
from labelcore.store.sqlite_backup import copy_database
from labelcore.store.sqlite_errors import (
    NO_FILES_BESIDE,
    NOT_WRITABLE,
    busy_here,
    result_code,
    translated,
)
from labelcore.store.sqlite_file import (
    check_file,
    create_file,
    file_identity,
    file_state,
    make_engine,
    named_path,
    refuse_missing,
    unwritten_log,
)


class SqliteStore(DatabaseStore):
    """The store at ``sqlite:///relative.db`` or ``sqlite:////absolute.db``.

    Opening creates the file and its folders where they are missing (unless ``create`` is False),
    checks the file, brings an older schema up to date, after a backup, and puts missing triggers
    back. Its logs are sealed and backed up meanwhile (``labelcore.store.guard``). A file that
    cannot be written is opened for reading. A relative path is taken from the working folder at
    that moment. ``busy_seconds`` is how long to wait while another process writes.
    """

    def __init__(
        self, url: str, *, create: bool = True, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        self.url = url
        self.path = named_path(url)
        self._busy_seconds = busy_seconds
        self._writers = Lock()
        self._closed = False
        self._ready = False
        self._as_it_stood: object = None
        if create:
            create_file(self.path)
        else:
            refuse_missing(self.path)
        self._engine = make_engine(self.path, busy_seconds)
        try:
            with translated(self.path):
                self._prepare()
        except BaseException:
            self._engine.dispose()
            raise
        self._identity = file_identity(self.path)
        self._guard = Guard(self)

    @property
    def guarded(self) -> Path:
        return self.path

    def in_place(self) -> bool:
        return file_identity(self.path) == self._identity

    @property
    def items_folder(self) -> Path:
        """The folder beside the database that has its name: "labels.items" beside "labels.db"."""
        return self.path.with_suffix(".items")

    def backup(self, path: Path) -> None:
        self._check_usable()
        if file_identity(path) == self._identity:
            raise StoreError(f"{path} is the store itself; give the backup another name.")
        copy_database(self.path, path)

    def cleanse(self) -> None:
        """The file written anew, and the one of the newest changes emptied."""
        self._check_usable()
        with translated(self.path), self._engine.connect() as connection:
            connection.execution_options(writing=None)
            connection.exec_driver_sql("VACUUM")
            row = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        if row[0]:
            raise busy_here(self.path, self._busy_seconds)

    def close(self) -> None:
        if not self._closed:
            self._guard.close()
            self._closed = True
            self._engine.dispose()

    @contextmanager
    def _unguarded(self, connection: Connection) -> Iterator[None]:
        for name in ("event_is_never_changed", "event_is_never_deleted"):
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        yield
        migrate(connection)

    def _has_people(self, connection: Connection) -> bool:
        return schema_version(connection) >= WITH_PEOPLE

    def _has_salts(self, connection: Connection) -> bool:
        return schema_version(connection) >= WITH_SALT

    def _has_acts(self, connection: Connection) -> bool:
        return schema_version(connection) >= WITH_ACTS

    def _prepare(self) -> None:
        """Check the file, and bring it up to date where that needs writing and can be done."""
        check_file(self.path)
        try:
            version = self._look()
        except OperationalError as error:
            if result_code(error) not in NO_FILES_BESIDE or unwritten_log(self.path):
                raise
            self._read_as_it_stands()
            version = self._look()
        if self._ready:
            return
        try:
            if 0 < version < len(MIGRATIONS):
                self._back_up_first(version)
            self._bring_up_to_date()
        except OperationalError as error:
            if version < OLDEST_READABLE or result_code(error) not in NOT_WRITABLE:
                raise

    def _back_up_first(self, version: int) -> None:
        try:
            back_up_now(self.path, partial(copy_database, self.path), f"-version-{version}")
        except StoreError as error:
            self._unsafe_migration = unsafe_migration(error)

    def _look(self) -> int:
        """The version of the schema, once it is clear that the file is ours."""
        with self._engine.connect() as connection, connection.begin():
            check_ours(connection, str(self.path))
            journal = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
            self._ready = journal == "wal" and is_current(connection)
            return schema_version(connection)

    def _read_as_it_stands(self) -> None:
        """SQLite cannot make its files beside the database: the folder is read-only, or the disk
        full. Without them the database can be read while nobody writes."""
        self._engine.dispose()
        self._engine = make_engine(self.path, self._busy_seconds, immutable=True)
        self._as_it_stood = file_state(self.path)

    def _bring_up_to_date(self) -> None:
        self._enter_wal()
        with self._engine.connect() as connection:
            connection.execution_options(writing=True)
            with connection.begin():
                # Again, now that no other process can be in the middle of creating it.
                check_ours(connection, str(self.path))
                migrate(connection)

    def _enter_wal(self) -> None:
        """Switch the file to a write-ahead log.

        SQLite does not wait by itself when several processes do this at once, so this does. Where
        the file system has no shared memory the journal stays as it is: slower, as durable.
        """
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                with self._engine.connect() as connection:
                    connection.execution_options(writing=None)
                    connection.exec_driver_sql("PRAGMA journal_mode = WAL")
                return
            except OperationalError as error:
                if result_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_usable()
        with translated(self.path), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self, *projects: str) -> Iterator[Connection]:
        """One transaction that holds the lock of the whole file from its first moment."""
        self._check_usable()
        if not self._writers.acquire(timeout=self._busy_seconds):
            raise busy_here(self.path, self._busy_seconds)
        try:
            with translated(self.path), self._engine.connect() as connection:
                connection.execution_options(writing=True)
                with connection.begin():
                    self._check_usable()  # A backup may have taken its place while this waited.
                    yield connection
        finally:
            self._writers.release()

    def _check_usable(self) -> None:
        if self._closed:
            raise closed_store(self.url)
        # SQLite would go on writing into a deleted file, and those labels would be lost.
        if not self.in_place():
            raise StoreError(
                f"{self.path} was moved, replaced or deleted while it was open. Nothing of this "
                "step was stored; put the file back if it was moved, and restart Labelcore."
            )
        if self._as_it_stood not in (None, file_state(self.path)):
            raise StoreError(f"{self.path} was changed by another program. Open it again.")


@contextmanager
def new_file(path: Path) -> Iterator[Connection]:
    """An empty store to fill in one transaction, that is at ``path`` once all of it is on the disk.

    Raises StoreError.
    """
    half = path.with_name(f"{path.name}.{os.getpid()}.half")
    try:
        with closing(SqliteStore(f"sqlite:///{half}")) as made, made._writing() as connection:
            yield connection
        with translated(path):
            copy_database(half, path)
    finally:
        for end in BESIDE:
            half.with_name(half.name + end).unlink(missing_ok=True)
