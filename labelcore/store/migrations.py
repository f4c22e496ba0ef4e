"""The schema of a SQLite store, version by version.

MIGRATIONS[k] leads from version k to version k + 1. A migration that has been released is never
edited: a change is a new one. The version is kept in ``PRAGMA user_version``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from sqlalchemy import Connection

from labelcore.errors import StoreError

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
    # INSERT OR REPLACE deletes without firing the trigger above; these two refuse it.
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
)

MIGRATIONS: list[tuple[str, ...]] = [_CREATE_EVERYTHING, _PEOPLE, _SALT, _ACTS]
WITH_PEOPLE = 2
WITH_SALT = 3
WITH_ACTS = 4
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
    there = _triggers(connection.exec_driver_sql(_ALL_TRIGGERS))
    with closing(sqlite3.connect(":memory:")) as model:
        for statements in MIGRATIONS:
            for statement in statements:
                model.execute(statement)
        wanted = _triggers(model.execute(_ALL_TRIGGERS))
    return {name: text for name, text in wanted.items() if there.get(name) != text}


def _triggers(rows: Iterable[Any]) -> dict[str, str]:
    return {str(name): str(text) for name, text in rows}
