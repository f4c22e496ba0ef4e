"""A store in one SQLite file, for one machine: several threads, several processes.

Durable: write-ahead log with synchronous=FULL, so an append that returned survives a crash and a
power cut. Append-only: triggers in the file itself refuse to change or delete an event.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from labelcore.errors import StoreError
from labelcore.store.base import BUSY_SECONDS, beside, closed_store
from labelcore.store.database import DatabaseStore, unsafe_migration
from labelcore.store.guard import BESIDE, Guard, back_up_now
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

# "Lblc" in ASCII: tells our files from other programs' databases.
APPLICATION_ID = 0x4C626C63

_CREATE_EVERYTHING = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    """
    CREATE TABLE project (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        plan_json TEXT NOT NULL,
        population_json TEXT NOT NULL,
        settings_json TEXT NOT NULL,
        archived BOOLEAN NOT NULL
    )
    """,
    """
    CREATE TABLE event (
        project_id INTEGER NOT NULL REFERENCES project (id),
        sequence INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at TEXT NOT NULL,
        annotator TEXT NOT NULL,
        token TEXT,
        answers TEXT,
        "index" INTEGER,
        item_id TEXT,
        stratum INTEGER,
        batch INTEGER,
        basis INTEGER,
        label TEXT,
        text TEXT,
        previous INTEGER,
        shown_at TEXT,
        detail TEXT NOT NULL,
        hash TEXT NOT NULL,
        lease_until TEXT,
        PRIMARY KEY (project_id, sequence)
    ) WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX event_token ON event (token) WHERE token IS NOT NULL",
    "CREATE UNIQUE INDEX event_answers ON event (answers) WHERE answers IS NOT NULL",
    """
    CREATE TABLE item (
        project_id INTEGER NOT NULL REFERENCES project (id),
        item_id TEXT NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (project_id, item_id)
    )
    """,
    """
    CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event cannot be changed'); END
    """,
    """
    CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event cannot be deleted'); END
    """,
    # INSERT OR REPLACE deletes without firing the trigger above; these two refuse it, as do
    # "project_is_new" and "act_follows_the_last".
    """
    CREATE TRIGGER event_follows_the_last BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT
        1 + (SELECT coalesce(max(sequence), 0) FROM event WHERE project_id = NEW.project_id)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event must follow the last'); END
    """,
    """
    CREATE TRIGGER event_tokens_are_new BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE token = NEW.token)
        OR EXISTS (SELECT 1 FROM event WHERE answers = NEW.answers)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: a token cannot come twice'); END
    """,
    """
    CREATE TRIGGER plan_is_frozen BEFORE UPDATE OF id, created_at, fingerprint, plan_json ON project
    BEGIN SELECT RAISE(ABORT, 'the plan of a project cannot be changed'); END
    """,
    """
    CREATE TRIGGER project_is_new BEFORE INSERT ON project
    WHEN EXISTS (SELECT 1 FROM project WHERE id = NEW.id OR name = NEW.name)
    BEGIN SELECT RAISE(ABORT, 'a project cannot be changed by another one'); END
    """,
)

_ALL_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"

_PEOPLE = (
    # Nothing ever read or wrote it: how long an item is kept for a person follows from the log.
    "ALTER TABLE event DROP COLUMN lease_until",
    """
    CREATE TABLE person (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        project_id INTEGER NOT NULL REFERENCES project (id),
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        at TEXT NOT NULL,
        UNIQUE (project_id, key),
        UNIQUE (project_id, name)
    )
    """,
)

_SALT = ("ALTER TABLE item ADD COLUMN salt TEXT NOT NULL DEFAULT ''",)

_ACTS = (
    """
    CREATE TABLE act (
        sequence INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL,
        about TEXT NOT NULL,
        hash TEXT NOT NULL
    )
    """,
    """
    CREATE TRIGGER act_is_never_changed BEFORE UPDATE ON act
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END
    """,
    """
    CREATE TRIGGER act_is_never_deleted BEFORE DELETE ON act
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END
    """,
    """
    CREATE TRIGGER act_follows_the_last BEFORE INSERT ON act
    WHEN NEW.sequence IS NOT 1 + (SELECT coalesce(max(sequence), 0) FROM act)
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: a line must follow the last'); END
    """,
)

MIGRATIONS: list[tuple[str, ...]] = [_CREATE_EVERYTHING, _PEOPLE, _SALT, _ACTS]
SINCE = {"people": 2, "salts": 3, "acts": 4}
"""The version that a part came with."""
OLDEST_READABLE = 1
"""A file that cannot be written, and so not be migrated, is read from this version on."""


def schema_version(connection: Connection) -> int:
    """The version the database is at; 0 for an empty file."""
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def check_ours(connection: Connection, path: str) -> None:
    """Raise StoreError when the database belongs to another program or to a newer Labelcore."""
    version = schema_version(connection)
    owner = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
    foreign = owner != APPLICATION_ID if version else tables > 0 or owner != 0
    if foreign:
        raise StoreError(
            f"{path} is a database of another program, and Labelcore will not write into it. "
            "Give the path of a new file, or of one that Labelcore made."
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} has schema version {version}, and this Labelcore knows versions up to "
            f"{len(MIGRATIONS)}. Install the newer Labelcore that wrote it; the file is unchanged."
        )


def is_current(connection: Connection) -> bool:
    """Whether ``migrate`` has nothing to do."""
    return schema_version(connection) == len(MIGRATIONS) and not _triggers_to_mend(connection)


def migrate(connection: Connection) -> None:
    """Bring the database to the newest version, and put back what guards its log; to be called
    inside one writing transaction."""
    for version in range(schema_version(connection), len(MIGRATIONS)):
        for statement in MIGRATIONS[version]:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(f"PRAGMA user_version = {version + 1}")
    for name, statement in _triggers_to_mend(connection).items():
        connection.exec_driver_sql(f'DROP TRIGGER IF EXISTS "{name}"')
        connection.exec_driver_sql(statement)


def _triggers_to_mend(connection: Connection) -> dict[str, str]:
    """{name: statement} of the triggers that are missing, or that say something else."""
    there = {str(name): text for name, text in connection.exec_driver_sql(_ALL_TRIGGERS)}
    wanted = _triggers_of(tuple(MIGRATIONS))
    return {name: text for name, text in wanted.items() if there.get(name) != text}


@cache
def _triggers_of(migrations: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(";".join(map(";".join, migrations)))
        return dict(model.execute(_ALL_TRIGGERS))


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
        return beside(self.path, ".items")

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

    @contextmanager
    def _unguarded(self, connection: Connection) -> Iterator[None]:
        for name in ("event_is_never_changed", "event_is_never_deleted"):
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        yield
        migrate(connection)

    def _holds(self, part: str, connection: Connection) -> bool:
        return schema_version(connection) >= SINCE[part]

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
        with closing(SqliteStore(f"sqlite:///{half}")) as store, store._writing() as connection:
            yield connection
        with translated(path):
            copy_database(half, path)
    finally:
        for end in BESIDE:
            half.with_name(half.name + end).unlink(missing_ok=True)
