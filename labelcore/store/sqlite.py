"""A store in one SQLite file, for one machine: several threads, several processes.

Durable: write-ahead log with synchronous=FULL, so an append that returned survives a crash and a
power cut. Append-only: triggers in the file itself refuse to change or delete an event.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import OperationalError

from labelcore.errors import StoreError
from labelcore.log.events import FIELDS, Event
from labelcore.store.base import (
    BUSY_SECONDS,
    NO_CONTENTS,
    Contents,
    LabelStore,
    ProjectRecord,
    RepeatedTokenError,
    Seal,
    closed_store,
    follows,
    name_for,
    project_exists,
    unknown_project,
)
from labelcore.store.checks import (
    check_changes,
    check_name,
    check_person,
    check_record,
    checked_contents,
    checked_events,
    detail_json,
    tokens,
)
from labelcore.store.keeper import Keeper, back_up_now
from labelcore.store.migrations import (
    MIGRATIONS,
    OLDEST_READABLE,
    WITH_PEOPLE,
    check_ours,
    is_current,
    migrate,
    schema_version,
)
from labelcore.store.schema import person_table, project_table
from labelcore.store.seals import identity_of, read_seals
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
from labelcore.store.statements import (
    ANNOTATORS,
    CONTENT,
    CONTENTS,
    EVENT_FIELDS,
    EVENTS_AFTER,
    INSERT_EVENT,
    INSERT_ITEM,
    INSERT_KEY,
    KEYS,
    PEOPLE,
    PERSON,
    PROJECT_AND_LAST,
    RECORD_COLUMNS,
    WITH_TOKEN,
)

_TOKENS_AT_ONCE = 500
_DETAIL = FIELDS.index("detail")


class SqliteStore(LabelStore):
    """The store at ``sqlite:///relative.db`` or ``sqlite:////absolute.db``.

    Opening creates the file and its folders where they are missing (unless ``create`` is False),
    checks the file, brings an older schema up to date, after a backup, and puts missing triggers
    back. Its logs are sealed and backed up meanwhile (``labelcore.store.keeper``). A file that
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
        self._unsafe_migration = ""
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
        self._keeper = Keeper(self.path)

    @property
    def problem(self) -> str:
        return self._keeper.problem or self._unsafe_migration

    def seal(self, project: str) -> Seal | None:
        seals = read_seals(self.path)
        found = seals.get(identity_of(self.project(project))) if seals else None
        return found.seal if found else None

    @property
    def items_folder(self) -> Path:
        """The folder beside the database that has its name: "labels.items" beside "labels.db"."""
        return self.path.with_suffix(".items")

    def create(self, record: ProjectRecord) -> None:
        check_record(record)
        with self._writing() as connection:
            self._refuse_taken(connection, record.name)
            values = {column.name: getattr(record, column.name) for column in RECORD_COLUMNS}
            connection.execute(insert(project_table), values)

    def project(self, name: str) -> ProjectRecord:
        with self._reading() as connection:
            row = connection.execute(
                select(*RECORD_COLUMNS).where(project_table.c.name == name)
            ).one_or_none()
            if row is None:
                raise self._unknown(connection, name)
            return ProjectRecord(*row)

    def projects(self) -> list[ProjectRecord]:
        newest_first = select(*RECORD_COLUMNS).order_by(
            project_table.c.created_at.desc(), project_table.c.id.desc()
        )
        with self._reading() as connection:
            return [ProjectRecord(*row) for row in connection.execute(newest_first)]

    def update(
        self,
        name: str,
        *,
        settings_json: str | None = None,
        archived: bool | None = None,
        population_json: str | None = None,
    ) -> None:
        check_changes(settings_json, archived, population_json)
        changes = {
            "settings_json": settings_json,
            "archived": archived,
            "population_json": population_json,
        }
        given = {column: value for column, value in changes.items() if value is not None}
        with self._writing() as connection:
            project_id, _ = self._find(connection, name)
            if given:
                connection.execute(
                    update(project_table).where(project_table.c.id == project_id).values(given)
                )

    def rename(self, old: str, new: str) -> None:
        check_name(new)
        with self._writing() as connection:
            project_id, _ = self._find(connection, old)
            if new != old:
                self._refuse_taken(connection, new)
            connection.execute(
                update(project_table).where(project_table.c.id == project_id).values(name=new)
            )

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        kept = checked_events(events)
        texts = checked_contents(contents)
        with self._writing() as connection:
            project_id, last = self._find(connection, project)
            _refuse_repeated(connection, kept)
            follows(project, kept, last)
            if kept:
                connection.execute(INSERT_EVENT, [_event_row(project_id, one) for one in kept])
            if texts:
                connection.execute(INSERT_ITEM, _item_rows(project_id, texts))
        if kept:
            self._keeper.noticed(project_id, kept)

    def events(self, project: str, after: int = 0) -> list[Event]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            values = {"project_id": project_id, "after": after}
            return [_event(row) for row in connection.execute(EVENTS_AFTER, values)]

    def last_sequence(self, project: str) -> int:
        with self._reading() as connection:
            return self._find(connection, project)[1]

    def content(self, project: str, item_id: str) -> dict[str, str] | None:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            values = {"project_id": project_id, "item_id": item_id}
            text = connection.execute(CONTENT, values).scalar_one_or_none()
            return None if text is None else dict(json.loads(text))

    def contents(self, project: str) -> dict[str, dict[str, str]]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            rows = connection.execute(CONTENTS, {"project_id": project_id})
            return {str(item_id): dict(json.loads(text)) for item_id, text in rows}

    def person(self, project: str, key: str, at: str) -> str:
        check_person(key, at)
        values = {"project": project, "key": key}
        with self._reading() as connection:
            known = connection.execute(PERSON, values).scalar_one_or_none()
        if known is not None:
            return str(known)
        with self._writing() as connection:
            project_id, _ = self._find(connection, project)
            # Again, now that no other process can be giving names.
            known = connection.execute(PERSON, values).scalar_one_or_none()
            if known is not None:
                return str(known)
            given = connection.execute(PEOPLE, {"project_id": project_id})
            in_log = connection.execute(ANNOTATORS, {"project_id": project_id})
            name = name_for([row[0] for row in given], list(in_log.scalars()))
            row = {"project_id": project_id, "key": key, "name": name, "at": at}
            connection.execute(insert(person_table), row)
            return name

    def people(self, project: str) -> dict[str, str]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            if schema_version(connection) < WITH_PEOPLE:
                return {}
            return {
                row[0]: row[1] for row in connection.execute(PEOPLE, {"project_id": project_id})
            }

    def keys(self, project: str) -> dict[str, tuple[str, str]]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            if schema_version(connection) < WITH_PEOPLE:
                return {}
            rows = connection.execute(KEYS, {"project_id": project_id})
            return {row[0]: (row[1], row[2]) for row in rows}

    def admit(self, project: str, keys: Mapping[str, tuple[str, str]]) -> None:
        for key, (_, at) in keys.items():
            check_person(key, at)
        with self._writing() as connection:
            project_id, _ = self._find(connection, project)
            rows = [
                {"project_id": project_id, "key": key, "name": name, "at": at}
                for key, (name, at) in keys.items()
            ]
            if rows:
                connection.execute(INSERT_KEY, rows)

    def backup(self, path: Path) -> None:
        self._check_usable()
        if file_identity(path) == self._identity:
            raise StoreError(f"{path} is the store itself; give the backup another name.")
        copy_database(self.path, path)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._keeper.close()
            self._engine.dispose()

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
        """A migration happens as a whole or not at all, so that it goes on without a backup."""
        try:
            back_up_now(self.path, f"-version-{version}")
        except StoreError as error:
            self._unsafe_migration = f"No backup was made before the update of the store: {error}."

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
    def _writing(self) -> Iterator[Connection]:
        """One transaction that holds the write lock from its first moment."""
        self._check_usable()
        if not self._writers.acquire(timeout=self._busy_seconds):
            raise busy_here(self.path, self._busy_seconds)
        try:
            with translated(self.path), self._engine.connect() as connection:
                connection.execution_options(writing=True)
                with connection.begin():
                    yield connection
        finally:
            self._writers.release()

    def _check_usable(self) -> None:
        if self._closed:
            raise closed_store(self.url)
        # SQLite would go on writing into a deleted file, and those labels would be lost.
        if file_identity(self.path) != self._identity:
            raise StoreError(
                f"{self.path} was moved, replaced or deleted while it was open. Nothing of this "
                "step was stored; put the file back if it was moved, and restart Labelcore."
            )
        if self._as_it_stood not in (None, file_state(self.path)):
            raise StoreError(f"{self.path} was changed by another program. Open it again.")

    def _find(self, connection: Connection, name: str) -> tuple[int, int]:
        """The project's number in the database and its log's last sequence number."""
        row = connection.execute(PROJECT_AND_LAST, {"name": name}).one_or_none()
        if row is None:
            raise self._unknown(connection, name)
        return row[0], row[1]

    def _unknown(self, connection: Connection, name: str) -> Exception:
        names = connection.execute(select(project_table.c.name).order_by(project_table.c.name))
        return unknown_project(name, list(names.scalars()), self.url)

    def _refuse_taken(self, connection: Connection, name: str) -> None:
        taken = select(project_table.c.created_at, project_table.c.fingerprint).where(
            project_table.c.name == name
        )
        row = connection.execute(taken).one_or_none()
        if row is not None:
            raise project_exists(name, row[0], row[1], self.url)


def _refuse_repeated(connection: Connection, events: Sequence[Event]) -> None:
    """Raise RepeatedTokenError for the first event whose token the store already has."""
    keys = [key for one in events for key in tokens(one)]
    found: dict[tuple[str, str], tuple[Event, str]] = {}
    for field, statement in WITH_TOKEN.items():
        wanted = [token for name, token in keys if name == field]
        for start in range(0, len(wanted), _TOKENS_AT_ONCE):
            some = wanted[start : start + _TOKENS_AT_ONCE]
            for row in connection.execute(statement, {"wanted": some}):
                found[field, row[0]] = (_event(row[2:]), row[1])
    for key in keys:
        if key in found:
            raise RepeatedTokenError(*found[key])


def _event_row(project_id: int, one: Event) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(one, name) for name in EVENT_FIELDS}
    row["project_id"] = project_id
    row["detail"] = detail_json(one)
    return row


def _item_rows(project_id: int, contents: Contents) -> list[dict[str, Any]]:
    return [
        {"project_id": project_id, "item_id": item_id, "content": json.dumps(columns)}
        for item_id, columns in contents.items()
    ]


def _event(row: Row[Any] | Sequence[Any]) -> Event:
    values = list(row)
    values[_DETAIL] = {} if row[_DETAIL] == "{}" else json.loads(row[_DETAIL])
    return Event(*values)
