"""A SQLite store on a bad day: wrong paths, no permission, full disk, locks, damage."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Timer
from typing import NoReturn

import pytest

import labelcore.store.sqlite_file as sqlite_file
from labelcore.errors import MissingStoreError, StoreBusyError, StoreError, StoreNotWritableError
from labelcore.log.events import Content
from labelcore.store.sqlite import SqliteStore
from tests.permissions import modes, ordinary_user
from tests.stores import RECORD, noted, reopened

# Paths


def test_missing_folders_are_created(tmp_path: Path) -> None:
    store = reopened(tmp_path / "a" / "b" / "labels.db")
    store.create(RECORD)
    store.close()
    assert (tmp_path / "a" / "b" / "labels.db").is_file()


def test_a_folder_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="The folder .*file/inside does not exist and could not"):
        reopened(tmp_path / "file" / "inside" / "labels.db")


def test_a_folder_given_as_the_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder. Name a file in it"):
        reopened(tmp_path)


NEEDS_PERMISSIONS = pytest.mark.skipif(
    not hasattr(os, "seteuid"), reason="needs the permissions of a Unix system"
)
KINDS = ["drawn", "labelled"]


@NEEDS_PERMISSIONS
def test_an_unreadable_file(store: SqliteStore, path: Path) -> None:
    store.close()
    message = "could not be read .*Check that this user may read it"
    with (
        ordinary_user(path.parent),
        modes(path, 0o000, 0o755),
        pytest.raises(StoreError, match=message),
    ):
        reopened(path)
    assert_still_works(reopened(path))


@NEEDS_PERMISSIONS
@pytest.mark.parametrize(
    ("file_mode", "folder_mode"), [(0o444, 0o755), (0o444, 0o555), (0o644, 0o555)]
)
def test_what_is_read_only_can_be_read(
    store: SqliteStore, path: Path, file_mode: int, folder_mode: int
) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TRIGGER plan_is_frozen")  # it cannot be put back there
    with ordinary_user(path.parent), modes(path, file_mode, folder_mode):
        archive = reopened(path)
        assert [event.kind for event in archive.events("spam")] == KINDS
        assert archive.content("spam", "m-1") == Content({"text": "hello"})
        with pytest.raises(StoreNotWritableError, match="cannot be written: .* read-only"):
            archive.append("spam", [noted(3)])
        archive.close()
    assert_still_works(reopened(path))


@NEEDS_PERMISSIONS
def test_an_older_file_that_cannot_be_written_can_be_read(older: Path) -> None:
    with ordinary_user(older.parent), modes(older, 0o444, 0o555):
        archive = reopened(older)
        assert [event.kind for event in archive.events("spam")] == KINDS
        assert archive.people("spam") == {}
        assert archive.content("spam", "m-1") == Content({"text": "hello"})
        assert archive.contents("spam") == {"m-1": Content({"text": "hello"})}
        archive.close()
    assert_still_works(reopened(older))


@NEEDS_PERMISSIONS
def test_what_is_read_only_and_not_whole_is_refused(store: SqliteStore, path: Path) -> None:
    """The newest events wait in the file beside the database, which cannot be read then."""
    (path.parent / "archive").mkdir()
    archived = path.parent / "archive" / path.name
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{archived}{suffix}")
    with (
        ordinary_user(archived.parent),
        modes(archived, 0o644, 0o555),
        pytest.raises(StoreError, match="could not be opened"),
    ):
        reopened(archived)
    assert_still_works(reopened(archived))


@NEEDS_PERMISSIONS
def test_a_store_read_as_it_stands_notices_a_writer(store: SqliteStore, path: Path) -> None:
    store.close()
    with ordinary_user(path.parent), modes(path, 0o644, 0o555):
        archive = reopened(path)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE project SET settings_json = '[]'")
        other.commit()
        with pytest.raises(StoreError, match="was changed by another program. Open it again"):
            archive.events("spam")
    archive.close()


def test_opening_does_not_create(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "labels.db"
    with pytest.raises(MissingStoreError, match="it was moved, replaced or deleted") as caught:
        SqliteStore(f"sqlite:///{path}", create=False)
    assert isinstance(caught.value, FileNotFoundError)
    assert not path.parent.exists()
    path.parent.mkdir()
    path.touch()
    with pytest.raises(MissingStoreError, match="is empty"):
        SqliteStore(f"sqlite:///{path}", create=False)
    assert path.stat().st_size == 0


@NEEDS_PERMISSIONS
def test_only_the_owner_can_read_the_files(path: Path) -> None:
    before = os.umask(0o022)
    try:
        store = reopened(path)
        store.create(RECORD)
        found = {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert found == dict.fromkeys(["labels.db", "labels.db-shm", "labels.db-wal"], 0o600)
    store.close()


def test_file_turns_read_only_in_use(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store._engine.dispose()
    monkeypatch.setattr(sqlite_file, "PRAGMAS", (*sqlite_file.PRAGMAS, "PRAGMA query_only = ON"))
    with pytest.raises(StoreError, match="cannot be written: .* read-only"):
        store.append("spam", [noted(3)])
    assert store.last_sequence("spam") == 2
    monkeypatch.undo()
    store._engine.dispose()
    assert_still_works(store)


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_a_file_that_went_away_is_noticed(store: SqliteStore, path: Path, what: str) -> None:
    kept = path.with_suffix(".kept")
    path.rename(kept)
    if what == "replaced":
        shutil.copy(kept, path)
    calls: list[Callable[[], object]] = [
        lambda: store.append("spam", [noted(3)]),
        lambda: store.last_sequence("spam"),
    ]
    for call in calls:
        with pytest.raises(StoreError, match="moved, replaced or deleted"):
            call()
    kept.rename(path)
    assert_still_works(store)


def test_a_folder_that_may_no_longer_be_read_is_no_lost_file(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path, **__: bool) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refused)
        with pytest.raises(StoreError, match=r"could not be read \(no permission\)"):
            store.last_sequence("spam")
        for create in (True, False):
            with pytest.raises(StoreError, match=r"could not be read \(no permission\)"):
                SqliteStore(store.url, create=create)
    assert_still_works(store)


# A full disk, a lock


def test_disk_full_stores_nothing_of_the_batch(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    limit = f"PRAGMA max_page_count = {pages + 3}"
    monkeypatch.setattr(sqlite_file, "PRAGMAS", (*sqlite_file.PRAGMAS, limit))
    store._engine.dispose()
    batch = [noted(n, "x" * 1000) for n in range(3, 60)]
    for _ in range(2):
        with pytest.raises(
            StoreNotWritableError, match="the disk is full. Nothing of this step was stored"
        ):
            store.append("spam", batch, {"m-2": Content({"text": "new"})})
        assert store.last_sequence("spam") == 2
        assert store.content("spam", "m-2") is None
    store.append("spam", [noted(3)])
    monkeypatch.undo()
    store._engine.dispose()
    store.append(
        "spam", [noted(n, "x" * 1000) for n in range(4, 60)], {"m-2": Content({"text": "new"})}
    )
    assert store.last_sequence("spam") == 59


def test_a_lock_held_too_long(store: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="locked by another program for longer"):
            store.append("spam", [noted(3)])
        assert store.last_sequence("spam") == 2, "a writer elsewhere does not stop readers"
        other.execute("ROLLBACK")
    assert_still_works(store)


def test_a_store_that_another_program_has_locked_can_be_opened(
    store: SqliteStore, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        second = reopened(path)
        assert [event.kind for event in second.events("spam")] == KINDS
        second.close()
        other.execute("ROLLBACK")


def test_a_lock_held_by_a_thread_of_this_process(store: SqliteStore) -> None:
    with store._writers, pytest.raises(StoreError, match="busy with other writes for 0.2 seconds"):
        store.append("spam", [noted(3)])
    assert_still_works(store)


def test_opening_waits_for_a_writer_that_is_creating_the_file(path: Path) -> None:
    """SQLite itself does not wait here: switching to WAL beside a writer fails at once."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program for longer"):
            reopened(path)
        timer = Timer(0.05, other.execute, ["ROLLBACK"])
        timer.start()
        SqliteStore(f"sqlite:///{path}", busy_seconds=5).close()
        timer.join()


def assert_still_works(store: SqliteStore) -> None:
    last = store.last_sequence("spam")
    store.append("spam", [noted(last + 1)])
    assert store.events("spam", last) == [noted(last + 1)]
    store.close()


# Damage


@pytest.fixture
def long_file(path: Path) -> Path:
    """A closed store with some hundred pages."""
    store = reopened(path)
    store.create(RECORD)
    store.append("spam", [noted(n, "words " * 50) for n in range(1, 1001)])
    store.close()
    return path


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def test_an_undamaged_long_file_opens(long_file: Path) -> None:
    assert_still_works(reopened(long_file))


@pytest.mark.parametrize(
    ("start", "data", "message"),
    [
        (0, b"garbage!", "is not an SQLite database"),
        (16, b"\x00\x03\xff\xff", "is not an SQLite database|is damaged"),
        (100, b"\xff" * 300, "is damaged"),
        (None, b"\xff" * 4096, "is damaged. .*Put back the newest backup"),
    ],
    ids=["header", "page size", "schema page", "middle"],
)
def test_damage_is_found_on_opening(
    long_file: Path, start: int | None, data: bytes, message: str
) -> None:
    middle = long_file.stat().st_size // 2 // 4096 * 4096
    overwrite(long_file, middle if start is None else start, data)
    with pytest.raises(StoreError, match=message):
        reopened(long_file)


def test_a_file_cut_short(long_file: Path) -> None:
    os.truncate(long_file, long_file.stat().st_size // 2)
    with pytest.raises(StoreError, match="is damaged"):
        reopened(long_file)


@pytest.mark.parametrize("content", [b"id,text\n1,hello\n", b"x", os.urandom(9000)])
def test_not_a_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        reopened(path)
    assert path.read_bytes() == content


def test_damage_in_a_file_too_long_to_check_is_found_on_reading(
    long_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "QUICK_CHECK_BYTES", 1000)
    overwrite(long_file, long_file.stat().st_size // 2 // 4096 * 4096, b"\xff" * 4096)
    store = reopened(long_file)
    with pytest.raises(StoreError, match=r"is damaged.* \(.*Page \d+.*\)"):
        store.events("spam")
    store.close()


@pytest.mark.parametrize("detail", ["CAST(x'ff' AS TEXT)", "'{\"cut'"])
def test_a_text_that_cannot_be_read_is_damage(store: SqliteStore, path: Path, detail: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
            f" VALUES (1, 3, 'noted', '', '', {detail}, '')"
        )
    with pytest.raises(StoreError, match="is damaged"):
        store.events("spam")


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    store = reopened(path)
    store.create(RECORD)
    store.close()
