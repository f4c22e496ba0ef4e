"""What the SQLite store promises beyond the contract: the file, its schema, its faults."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import labelcore.store.sqlite as migrations
from labelcore.errors import StoreError
from labelcore.log.events import FIELDS, Content
from labelcore.store import act, note, open_store
from labelcore.store.database import event_table
from labelcore.store.sqlite import SqliteStore
from tests.stores import RECORD, answered, check_tables, drawn, noted, reopened

REPLACED_PROJECT = (
    "INSERT OR REPLACE INTO project SELECT id, name, created_at, fingerprint, '[]',"
    " population_json, settings_json, archived FROM project"
)
REPLACED_ACT = "INSERT OR REPLACE INTO act SELECT sequence, at, 'x', what, about, hash FROM act"


# The file


def test_pragmas_are_in_force_on_every_connection(store: SqliteStore) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "fullfsync": 1, "foreign_keys": 1,
              "busy_timeout": 200}  # fmt: skip
    with store._engine.connect() as first, store._engine.connect() as second:
        for connection in (first, second):
            for name, value in wanted.items():
                assert connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() == value


def test_default_waiting_time_is_ten_seconds(path: Path) -> None:
    store = open_store(f"sqlite:///{path}")
    assert isinstance(store, SqliteStore)
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 10_000
    store.close()


def test_only_seals_and_backups_are_left_beside_the_file_after_close(
    store: SqliteStore, path: Path
) -> None:
    store.close()
    left = {entry.name for entry in path.parent.iterdir()}
    assert left == {"labels.db", "labels.seals", "labels.key", "labels.backups"}


# Append-only


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET label = 'no' WHERE sequence = 2",
        "UPDATE event SET annotator = 'nobody'",
        "DELETE FROM event",
        "DELETE FROM event WHERE sequence = 2",
        "INSERT OR REPLACE INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
        " VALUES (1, 2, 'noted', '', '', '{}', '')",
        "INSERT OR REPLACE INTO event (project_id, sequence, kind, at, annotator, token, detail,"
        " hash) VALUES (1, 3, 'drawn', '', '', 't1', '{}', '')",
        "INSERT OR REPLACE INTO event (project_id, sequence, kind, at, annotator, answers, detail,"
        " hash) VALUES (1, 3, 'labelled', '', '', 't1', '{}', '')",
        "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
        " VALUES (1, 4, 'noted', '', '', '{}', '')",
        "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
        " VALUES (1, 0, 'noted', '', '', '{}', '')",
        "UPDATE project SET plan_json = '[]'",
        "UPDATE project SET fingerprint = 'f2'",
        REPLACED_PROJECT,
        "INSERT OR REPLACE INTO project SELECT 7, name, created_at, fingerprint, '[]',"
        " population_json, settings_json, archived FROM project",
        "UPDATE act SET who = 'x'",
        "DELETE FROM act WHERE sequence = 2",
        REPLACED_ACT,
        "INSERT INTO act (at, who, what, about, hash) VALUES ('', 'x', '', '', '')",
    ],
)
def test_the_database_itself_refuses(store: SqliteStore, path: Path, statement: str) -> None:
    note(store, act("ann", "came"), act("ann", "exported"))
    before, trail = store.events("spam"), store.acts()
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only|cannot be changed"):
            connection.execute(statement)
        connection.rollback()
    assert store.events("spam") == before and store.acts() == trail
    assert store.project("spam") == RECORD


@pytest.mark.parametrize(
    ("trigger", "statement"),
    [("project_is_new", REPLACED_PROJECT), ("act_follows_the_last", REPLACED_ACT)],
)
def test_without_a_trigger_a_row_takes_the_place_of_another(
    store: SqliteStore, path: Path, trigger: str, statement: str
) -> None:
    """The broken twin of the refusals; opening the file puts the trigger there."""
    note(store, act("ann", "came"), act("ann", "exported"))
    before = store.acts(), store.project("spam")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(statement)
    assert (store.acts(), store.project("spam")) != before
    reopened(path).close()
    with (
        closing(sqlite3.connect(path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="append-only|cannot be changed"),
    ):
        connection.execute(statement)


def test_a_project_with_a_log_cannot_be_deleted(store: SqliteStore) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"), store._writing() as connection:
        connection.exec_driver_sql("DELETE FROM project")


def test_triggers_let_a_good_row_in(store: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
            " VALUES (1, 3, 'noted', '', '', '{}', '')"
        )
    assert store.last_sequence("spam") == 3


@pytest.mark.parametrize(
    "instead", [None, "CREATE TRIGGER {name} BEFORE UPDATE ON event BEGIN SELECT 1; END"]
)
def test_opening_puts_triggers_back(store: SqliteStore, path: Path, instead: str | None) -> None:
    store.close()
    find = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    with closing(sqlite3.connect(path)) as connection, connection:
        before = connection.execute(find).fetchall()
        assert len(before) == 9
        for name, _ in before:
            connection.execute(f"DROP TRIGGER {name}")
            if instead:
                connection.execute(instead.format(name=name))
    again = reopened(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(find).fetchall() == before
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM event")
    again.close()


def test_opening_a_good_file_writes_nothing(store: SqliteStore, path: Path) -> None:
    store.close()
    before = path.stat().st_mtime_ns, path.read_bytes()
    again = reopened(path)
    assert not path.with_name("labels.db-wal").stat().st_size
    again.close()
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


# Schema and migrations


def test_tables_are_those_the_migrations_make(store: SqliteStore, path: Path) -> None:
    check_tables(f"sqlite:///{path}")
    assert set(FIELDS) == set(event_table.c.keys()) - {"project_id"}


def test_a_version_1_file_opens(older: Path) -> None:
    store = reopened(older)
    assert store.project("spam") == RECORD
    assert store.events("spam") == [drawn(1, "t1"), answered(2, "t1")]
    assert store.content("spam", "m-1") == Content({"text": "hello"})
    assert store.people("spam") == {}
    store.append("spam", [noted(3)])
    store.close()


def test_an_older_file_is_migrated_once(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    newer = [*migrations.MIGRATIONS, ("ALTER TABLE project ADD COLUMN colour TEXT",)]
    monkeypatch.setattr(migrations, "MIGRATIONS", newer)
    for _ in range(2):
        again = reopened(path)
        assert again.events("spam") == [drawn(1, "t1"), answered(2, "t1")]
        with again._reading() as connection:
            assert migrations.schema_version(connection) == len(newer)
        again.close()


def test_a_migration_that_fails_leaves_the_old_version(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    known = list(migrations.MIGRATIONS)
    bad = ("ALTER TABLE project ADD COLUMN colour TEXT", "ALTER TABLE missing ADD COLUMN x TEXT")
    monkeypatch.setattr(migrations, "MIGRATIONS", [*known, bad])
    with pytest.raises(StoreError, match="no such table: missing"):
        reopened(path)
    monkeypatch.setattr(migrations, "MIGRATIONS", known)
    again = reopened(path)
    with again._reading() as connection:
        assert migrations.schema_version(connection) == len(known)
    assert again.project("spam") == RECORD
    again.close()


@pytest.mark.parametrize(
    ("ours", "statement", "told"),
    [
        (True, "PRAGMA user_version = 7", r"version 7, and this .* up to \d\. Install the newer"),
        (False, "CREATE TABLE bookmarks (url TEXT)", "another program"),
        (False, "PRAGMA application_id = 7", "another program"),
    ],
)
def test_a_newer_file_and_that_of_another_program_are_refused_unchanged(
    path: Path, ours: bool, statement: str, told: str
) -> None:
    if ours:
        reopened(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=told):
        reopened(path)
    assert path.read_bytes() == before


def test_a_file_upgraded_while_it_is_being_opened_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def another_process_upgrades(_: SqliteStore) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
            connection.execute("PRAGMA user_version = 7")

    monkeypatch.setattr(SqliteStore, "_enter_wal", another_process_upgrades)
    with pytest.raises(StoreError, match="version 7"):
        reopened(path)
