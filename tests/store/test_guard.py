"""Seals and backups that are made while people label: when, which are kept, and that none of it
fails a label."""

import shutil
import sqlite3
import threading
import time
from collections import namedtuple
from contextlib import closing
from datetime import UTC, datetime, timedelta
from errno import EMFILE
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import labelcore as lc
from labelcore.errors import StoreError
from labelcore.session.integrity import verify
from labelcore.store import backups, backups_folder, guard, kept
from labelcore.store.guard import rotate, seal_anew
from labelcore.store.kept import STAMP, read_seals
from tests.answering import answer_draws
from tests.report.sessions import begun, session_on, write_items
from tests.stores import answers_in, url


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with twelve labels, closed, and no backup."""
    folder = tmp_path_factory.mktemp("guard") / "store"
    folder.mkdir()
    session, _ = begun(folder, store=url(folder / "labels.db"))
    answer_draws(session, "yes", 12)
    session.store.close()
    shutil.rmtree(backups_folder(folder / "labels.db"))
    return folder


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Path:
    """The same once more, in a folder of its own."""
    return Path(shutil.copytree(made, tmp_path / "store")) / "labels.db"


def labelled(database: Path, number: int = 1) -> lc.Session:
    """As another process does: open, label, close. The session, closed."""
    session = lc.Session.open(url(database), "spam")
    answer_draws(session, "yes", number)
    session.store.close()
    return session


def test_the_first_label_of_a_process_makes_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_items(tmp_path / "items.csv")
    database = tmp_path / "labels.db"
    session = session_on(tmp_path / "items.csv", store=url(database))
    assert not backups(database), "a new store has nothing to protect"
    answer_draws(session, "yes", 1)
    session.store.close()
    (made,) = backups(database)
    assert answers_in(made) == 1 and oct(made.stat().st_mode)[-3:] == "600"
    labelled(database)
    assert backups(database) == [made], "the newest one is young"
    monkeypatch.setattr(guard, "BACKUP_SECONDS", 0.0)
    labelled(database)
    assert answers_in(backups(database)[0]) == 3 and len(backups(database)) == 2


@pytest.mark.parametrize(("most", "due"), [(100, (1, 2, 4, 8, 16)), (4, (1, 2, 4, 8, 12))])
def test_a_sitting_is_backed_up_as_it_grows(
    most: int, due: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the first label, then with as many again or so many more, the store in use."""
    monkeypatch.setattr(guard, "BACKUP_ANSWERS", most)
    monkeypatch.setattr(guard, "BACKUP_SECONDS", 0.0)
    monkeypatch.setattr(guard, "SEAL_SECONDS", 0.0)
    monkeypatch.setattr(guard, "SHARE", 0)
    write_items(tmp_path / "items.csv")
    database = tmp_path / "labels.db"
    session, given = session_on(tmp_path / "items.csv", store=url(database)), 0
    for number in due:
        answer_draws(session, "yes", number - given)
        given, until = number, time.monotonic() + 30
        while not (made := backups(database)) or answers_in(made[0]) < number:
            assert time.monotonic() < until, f"no backup with {number} labels"
            time.sleep(0.02)


def test_reading_makes_none(database: Path) -> None:
    session = lc.Session.open(url(database), "spam")
    session.labels_table()
    session.store.close()
    assert not backups_folder(database).exists()


Usage = namedtuple("Usage", "total used free")


def test_a_clock_that_was_ahead_stops_no_backup(database: Path) -> None:
    ahead = f"{datetime.now(UTC) + timedelta(days=4000):{STAMP}}"
    labelled(database)
    (made,) = backups(database)
    wrong = made.rename(made.with_name(f"labels-{ahead}.db"))
    labelled(database)
    assert len(backups(database)) == 2 and backups(database)[1] == wrong


def test_a_name_in_other_letters_has_its_backups(database: Path) -> None:
    """Where a system takes both for one name, as macOS does."""
    labelled(database)
    found, folder = backups(database), backups_folder(database)
    for backup in found:
        backup.rename(folder / backup.name.replace("labels", "Labels").replace(".db", ".DB"))
    (folder / "other-20260101T000000000000Z.db").touch()
    assert [one.name.lower() for one in backups(database)] == [one.name.lower() for one in found]
    assert found


def test_a_name_with_brackets_has_its_backups(database: Path) -> None:
    named = database.rename(database.with_name("labels[1].db"))
    labelled(named)
    assert len(backups(named)) == 1


def test_a_full_disk_fails_no_label(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10, 10, 0))
    session = labelled(database)
    assert not backups(database) and answers_in(database) == 13
    assert session.store.problem.startswith("No backup could be made: the disk of ")
    assert session.store.problem.endswith("Labels are stored all the same.")


def test_a_folder_that_cannot_be_written_fails_no_label(database: Path) -> None:
    backups_folder(database).write_text("in the way")
    assert "No backup could be made" in labelled(database).store.problem
    backups_folder(database).unlink()
    assert not labelled(database).store.problem and answers_in(database) == 14


def test_a_problem_is_whole_sentences(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "back_up_now", Mock(side_effect=StoreError("x is locked. Wait.")))
    problem = labelled(database).store.problem
    assert problem.endswith("made: x is locked. Wait. Labels are stored all the same.")


def test_a_seal_that_cannot_be_written_fails_no_label(database: Path) -> None:
    database.with_suffix(".seals").unlink()
    database.with_suffix(".seals").mkdir()
    assert "The labels are not sealed" in labelled(database).store.problem
    assert answers_in(database) == 13


def test_a_store_that_cannot_be_looked_at_stops_no_guard(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(lc.Session.open(url(database), "spam").store) as store:
        with monkeypatch.context() as patched:
            patched.setattr(store, "in_place", Mock(side_effect=StoreError("it is hidden.")))
            store._guard._guard({}, "")
        assert "it is hidden." in store.problem


def test_seals_that_cannot_be_opened_at_this_moment_stay(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a process has too many files open: those of other projects were forgotten."""
    other = session_on(database.parent / "items.csv", store=url(database), project="other")
    answer_draws(other, "yes", 1)
    other.store.close()
    before, read = read_seals(database), Path.read_text

    def refused(file: Path, *given: Any) -> str:
        if file.suffix == ".seals":
            raise OSError(EMFILE, "Too many open files")
        return read(file, *given)

    monkeypatch.setattr(Path, "read_text", refused)
    assert "labels.seals cannot be read: Too many" in labelled(database).store.problem
    monkeypatch.undo()
    assert len(before) == 2 and read_seals(database) == before


def test_who_seals_at_once_forgets_no_seal_of_others(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As two processes, of which one is slow at it."""
    other = session_on(database.parent / "items.csv", store=url(database), project="other")
    monkeypatch.setattr(guard, "SEAL_SECONDS", 60.0)
    answer_draws(other, "yes", 1)
    answer_draws(first := lc.Session.open(url(database), "spam"), "yes", 1)
    read, slow = kept.read_seals_file, threading.Event()

    def waits(place: Path, **given: bool) -> kept.SealsFile:
        file = read(place, **given)
        if threading.current_thread() is thread:
            slow.set()
            time.sleep(0.3)
        return file

    monkeypatch.setattr(kept, "read_seals_file", waits)
    monkeypatch.setattr(guard, "read_seals_file", waits)
    thread = threading.Thread(
        target=guard.seal, args=(first.store, database, {"spam": first.events[-1]})
    )
    thread.start()
    slow.wait()
    guard.seal(other.store, database, {"other": other.events[-1]})
    thread.join()
    found = {one.project: one.seal.hash for one in read_seals(database).values()}
    assert found == {"spam": first.events[-1].hash, "other": other.events[-1].hash}
    first.store.close()
    other.store.close()


@pytest.mark.parametrize("broken", ["secret_of", "whole_file"])
def test_who_is_killed_before_the_first_seal_leaves_no_key_without_seals(
    database: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Seals that were taken away look so; what a killed process leaves has none of both, or seals
    whose key is lost."""
    place, seals, key = url(database), database.with_suffix(".seals"), database.with_suffix(".key")
    seals.unlink()
    assert not verify(place).whole
    key.unlink()
    with monkeypatch.context() as killed:
        killed.setattr(kept, broken, Mock(side_effect=KeyboardInterrupt))
        with closing(lc.open_store(place)) as store, pytest.raises(KeyboardInterrupt):
            seal_anew(store)
    assert verify(place).whole and not key.exists() and seals.exists() == (broken == "secret_of")
    with closing(lc.open_store(place)) as store:
        seal_anew(store)
    first = kept.read_seals_file(database)
    assert (first.forged, first.keys, first.early) == (False, [], False)
    labelled(database)
    assert verify(place).whole and key.exists() and not kept.read_seals_file(database).forged


def test_a_key_that_is_made_while_seals_are_written_signs_them(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.with_suffix(".key").unlink()
    write = kept.whole_file

    def late(file: Path) -> Any:
        kept.secret_of(database)
        return write(file)

    monkeypatch.setattr(kept, "whole_file", late)
    with closing(lc.open_store(url(database))) as store:
        seal_anew(store)
    assert not kept.read_seals_file(database).forged and verify(url(database)).whole


def test_a_seal_is_never_ahead_of_its_log(database: Path) -> None:
    session = lc.Session.open(url(database), "spam")
    (key,) = read_seals(database)
    sealed = read_seals(database)[key].seal
    assert (sealed.events, sealed.hash) == (len(session.events), session.events[-1].hash)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DROP TRIGGER event_is_never_deleted")
    answer_draws(session, "yes", 2)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM event WHERE sequence > 20")
    session.store.close()
    assert read_seals(database)[key].seal.events == sealed.events, "what is not there is not sealed"


def test_seals_written_since_a_store_was_read_are_not_gone(
    database: Path,
) -> None:
    """Whoever looks while the first label is sealed may have read none, and then find the key."""
    seals = database.with_suffix(".seals")
    written = seals.rename(f"{seals}.later")
    with closing(lc.open_store(url(database))) as store:
        copies, logs = store.copies(), {"spam": store.events("spam")}
    assert kept.faults_of(copies, logs, database) == [f"{seals} is missing or cannot be read"]
    written.rename(seals)
    assert kept.faults_of(copies, logs, database) == []


@pytest.mark.parametrize("name", ["labels.bak", "labels"])
def test_a_copy_with_another_ending_has_no_seal_of_the_original(database: Path, name: str) -> None:
    copy = database.with_name(name)
    with closing(lc.open_store(url(database))) as store:
        store.backup(copy)
    labelled(database)
    labelled(copy)
    assert answers_in(copy) == answers_in(database) == 13


def test_what_is_given_up_is_kept_in_mind(database: Path) -> None:
    (before,) = read_seals(database).values()
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DROP TRIGGER event_is_never_deleted")
        connection.execute("DELETE FROM event WHERE sequence > 20")
    with closing(lc.open_store(url(database))) as store:
        seal_anew(store)
    (after,) = read_seals(database).values()
    assert after.seal.events == 20 and after.given_up == (before.seal,)
    labelled(database)
    (later,) = read_seals(database).values()
    assert later.seal.events > 20 and later.given_up == (before.seal,)


# Which are kept


def dated(database: Path, at: datetime, source: Path | None = None) -> Path:
    """A backup that was made at a time."""
    folder = backups_folder(database)
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(source or database, folder / f"labels-{at.strftime(STAMP)}.db"))


def test_the_newest_and_the_last_of_each_day_are_kept(database: Path) -> None:
    noon = datetime(2026, 5, 20, 12, tzinfo=UTC)
    made = {
        (day, hour): dated(database, noon - timedelta(days=day, hours=hour))
        for day in range(9)
        for hour in range(5)
    }
    rotate(database)
    kept = {(0, 0), (0, 1), (0, 2), *((day, 0) for day in range(7))}
    assert {place for place, file in made.items() if file.exists()} == kept


def test_a_backup_that_has_more_is_never_removed(database: Path, tmp_path: Path) -> None:
    """As when a log lost its end, or was written anew: the good backup must not be rotated away."""
    longer = Path(shutil.copy(database, tmp_path / "longer.db"))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DROP TRIGGER event_is_never_deleted")
        connection.execute("DELETE FROM event WHERE sequence > 20")
    noon = datetime(2026, 5, 20, 12, tzinfo=UTC)
    good = dated(database, noon - timedelta(hours=9), longer)
    equal = dated(database, noon - timedelta(hours=8))
    for hour in range(5):
        dated(database, noon - timedelta(hours=hour))
    rotate(database)
    assert good.exists() and not equal.exists()


def test_a_backup_that_is_removed_while_it_is_read_is_no_fault(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a process that labels; an empty one took its place, and was no backup for good."""
    noon = datetime(2026, 5, 20, 12, tzinfo=UTC)
    stays, goes = dated(database, noon), dated(database, noon - timedelta(hours=1))
    listed = kept.backups(database)
    goes.unlink()
    monkeypatch.setattr(kept, "backups", lambda place: listed)
    assert [copy.what for copy in kept.copies_at(database, None, "")[1:]] == [
        f"the backup {stays.name}"
    ]
    assert backups(database) == [stays] and verify(url(database)).whole


def test_an_older_store_is_backed_up_before_it_is_migrated(older: Path) -> None:
    lc.open_store(url(older)).close()
    (made,) = backups(older)
    assert made.stem.endswith("-version-1")
    versions = []
    for file in (made, older):
        with closing(sqlite3.connect(file)) as connection:
            versions.append(connection.execute("PRAGMA user_version").fetchone()[0])
    assert versions[0] == 1 < versions[1]


def test_a_migration_without_room_for_a_backup_goes_on_and_says_so(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10, 10, 0))
    with closing(lc.open_store(url(older))) as store:
        assert "No backup was made before the update of the store" in store.problem
        assert store.projects() and not backups(older)
