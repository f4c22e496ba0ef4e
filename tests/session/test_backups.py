"""A store backed up while it is used, put back, and copied: what is lost is said."""

import json
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from unittest.mock import patch

import pytest

import labelcore as lc
from labelcore.errors import (
    BrokenLogError,
    MissingStoreError,
    ProjectExistsError,
    StoreError,
    StoreFullError,
)
from labelcore.population.copies import clear_leftovers
from labelcore.replay import replay_project
from labelcore.session import backups
from labelcore.session.backups import LosesLabelsError, back_up, restore
from labelcore.session.copying import copy_project
from labelcore.session.integrity import accept, verify
from labelcore.store import LabelStore, MemoryStore, database, sqlite_backup
from tests.answering import answer_draws
from tests.forked import FORKED, launch
from tests.report.sessions import session_on, write_items
from tests.stores import answers_in, tamper, url

SECRET = "the secret of a browser"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[lc.Session]:
    """Ten labels by one person with a key, on a file of items."""
    write_items(tmp_path / "items.csv")
    made = session_on(tmp_path / "items.csv", store=url(tmp_path / "labels.db"))
    made.person(SECRET)
    answer_draws(made, "yes", 10)
    yield made
    made.store.close()


def change_an_answer(file: Path, sequence: int) -> None:
    """As somebody would who opens the database by hand."""
    tamper(file, f"UPDATE event SET label = 'no' WHERE sequence = {sequence}")


def test_a_backup_is_a_store_and_is_put_back(session: lc.Session, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    (kept,) = back_up(session.store, copy)
    assert (kept.project, kept.answers, kept.broken_at) == ("spam", 10, 0)
    assert kept.seal == session.events[-1].hash and kept.events == len(session.events)
    assert oct(copy.stat().st_mode)[-3:] == "600"
    with pytest.raises(ValueError, match="exists already; give --force"):
        back_up(session.store, copy)
    (tmp_path / "items.csv").unlink()
    assert len(lc.Session.open(url(copy), "spam").labels_table(content=True)) == 10

    before = copy.read_bytes()
    elsewhere = tmp_path / "elsewhere" / "labels.db"
    elsewhere.parent.mkdir()
    done = restore(copy, url(elsewhere))
    assert done.aside is None and done.differences == ()
    again = lc.Session.open(url(elsewhere), "spam")
    assert again.labels == 10 and again.person(SECRET) == "me"
    assert replay_project(url(elsewhere), "spam").answers == 10
    answer_draws(again, "yes", 1)
    assert copy.read_bytes() == before, "a backup stays as it is"


def test_what_would_be_lost_is_counted_before_anything_is(
    session: lc.Session, tmp_path: Path
) -> None:
    store, copy = tmp_path / "labels.db", tmp_path / "backup.db"
    back_up(session.store, copy)
    last = len(session.events)
    answer_draws(session, "yes", 3)
    with pytest.raises(LosesLabelsError, match="'spam': .* events with 3 answers since") as caught:
        restore(copy, url(store))
    (found,) = caught.value.differences
    assert (found.kept, found.lost) == (last, len(session.events) - last)
    assert found.since == session.events[last].at
    assert answers_in(store) == 13 and not list(tmp_path.glob("*-before-*"))

    done = restore(copy, url(store), force=True)
    assert done.differences == (found,) and answers_in(store) == 10
    assert done.aside is not None and answers_in(Path(done.aside)) == 13
    with pytest.raises(StoreError, match="moved, replaced or deleted while it was open"):
        answer_draws(session, "yes", 1)
    back = restore(done.aside, url(store))
    assert back.differences is not None
    (found,) = back.differences
    assert (found.lost, found.back_answers) == (0, 3) and answers_in(store) == 13


def test_a_project_that_only_the_store_has_is_lost_whole(
    session: lc.Session, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"
    back_up(session.store, copy)
    other = session_on(tmp_path / "items.csv", store=session.store, project="ham", seed=4)
    answer_draws(other, "yes", 2)
    session.store.rename("spam", "called otherwise")
    with pytest.raises(LosesLabelsError, match="'ham': .* with 2 answers") as caught:
        restore(copy, url(tmp_path / "labels.db"))
    assert len(caught.value.differences) == 1, "another name loses nothing"


def test_a_project_without_an_event_is_not_lost_unsaid(session: lc.Session, tmp_path: Path) -> None:
    copy, place = tmp_path / "backup.db", url(tmp_path / "labels.db")
    back_up(session.store, copy)
    session_on(tmp_path / "items.csv", store=session.store, project="ham", seed=4)
    with pytest.raises(LosesLabelsError, match="lose it: 'ham', which is not in the backup. "):
        restore(copy, place)
    restore(copy, place, recover=True)
    with closing(lc.open_store(place)) as store:
        assert [record.name for record in store.projects()] == ["ham", "spam"]
    changes = restore(copy, place, force=True).differences or ()
    assert [change.gone for change in changes] == [True, False]


def test_a_damaged_store_gives_way_to_its_backup(session: lc.Session, tmp_path: Path) -> None:
    store, copy = tmp_path / "labels.db", tmp_path / "backup.db"
    back_up(session.store, copy)
    session.store.close()
    store.write_bytes(os.urandom(4096))
    with pytest.raises(StoreError, match="nobody can tell what would be lost"):
        restore(copy, url(store))
    done = restore(copy, url(store), force=True)
    assert done.differences is None and "not an SQLite database" in done.unreadable
    assert done.aside is not None and Path(done.aside).stat().st_size == 4096
    assert answers_in(store) == 10


def test_what_a_lost_store_left_beside_it_is_not_taken_for_changes_of_its_backup(
    session: lc.Session, tmp_path: Path
) -> None:
    store, copy = tmp_path / "labels.db", tmp_path / "backup.db"
    back_up(session.store, copy)
    answer_draws(session, "yes", 3)
    left = store.with_name("labels.db-wal")
    changes = left.read_bytes()
    session.store.close()
    store.unlink()
    left.write_bytes(changes)
    done = restore(copy, url(store))
    assert done.aside is None and answers_in(store) == done.projects[0].answers == 10
    (aside,) = tmp_path.glob("labels-before-*.db-wal")
    assert aside.read_bytes() == changes, "nothing of it is lost"


def test_a_backup_whose_log_was_changed_says_so(session: lc.Session, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    back_up(session.store, copy)
    change_an_answer(copy, 4)
    target = url(tmp_path / "new.db")
    with pytest.raises(StoreError, match="'spam' in the backup was changed .*: event 4 is the"):
        restore(copy, target)
    assert not (tmp_path / "new.db").exists()
    assert restore(copy, target, force=True).projects[0].broken_at == 4
    change_an_answer(tmp_path / "labels.db", 4)
    assert back_up(session.store, tmp_path / "changed.db")[0].broken_at == 4


def test_a_full_disk_is_that_of_the_copy(
    session: lc.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(sqlite_backup, "_copied", full)
    (there := tmp_path / "other disk").mkdir()
    with pytest.raises(StoreFullError, match="the disk of .*other disk is full"):
        back_up(session.store, there / "backup.db")
    assert not any(there.iterdir())


def _killed(backup: Path, there: str, temporary: Path) -> None:
    tempfile.tempdir = str(temporary)
    with patch.object(backups, "kept_projects", side_effect=lambda _: os._exit(9)):
        restore(backup, there)


def test_a_restore_that_is_killed_leaves_no_copy_elsewhere(
    session: lc.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next process that makes copies removes it, and so does an erasure."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    back_up(session.store, tmp_path / "backup.db")
    given = tmp_path / "backup.db", session.store.url, temporary
    launch(child := FORKED.Process(target=_killed, args=given))
    child.join()
    assert child.exitcode == 9 and [*temporary.rglob("looked_at.db")]
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    clear_leftovers()
    assert [*temporary.rglob("looked_at.db")] == []


@pytest.mark.parametrize("since", ["", "labelled", "told elsewhere", "another key"])
def test_a_restore_that_is_killed_before_its_seals_is_told_from_an_older_copy(
    session: lc.Session, tmp_path: Path, since: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once somebody labels the store that was there, the backup that was to come is an older copy
    as any other, whoever puts it there. So it is where an anchor knows more, and by the word of
    seals that are not this store's."""
    there, files = session.store.url, [tmp_path / f"{number}.db" for number in range(3)]
    for file in files:
        back_up(session.store, file)
        answer_draws(session, "yes", 3)
    if since == "told elsewhere":
        (tmp_path / "anchor").mkdir()
        monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path / "anchor"))
        session.store.anchor("report")
    session.store.close()
    older, copy, newest = files
    shutil.rmtree(tmp_path / "labels.items")
    real = backups.put_back

    def put_back(backup: Path, at: str) -> str | None:
        if at == there:
            os.replace(backup, tmp_path / "labels.db")
            raise KeyboardInterrupt
        return real(backup, at)

    with patch.object(backups, "put_back", put_back), pytest.raises(KeyboardInterrupt):
        restore(copy, there, force=True)
    sqlite_backup.put_in_place(older, tmp_path / "labels.db")
    assert verify(there).projects[0].missing
    if since == "labelled":
        sqlite_backup.put_in_place(newest, tmp_path / "labels.db")
        accept(there)
        again = lc.Session.open(there, "spam")
        answer_draws(again, "yes", 1)
        again.store.close()
    elif since == "another key":
        (tmp_path / "labels.key").unlink()
    sqlite_backup.put_in_place(copy, tmp_path / "labels.db")
    for _ in range(2):
        (found,) = verify(there).projects
        assert (found.answers, found.whole) == (13, since == ""), found
        with closing(lc.open_store(there)) as store:
            store.anchor("report")


def test_a_restore_that_fails_is_not_expected_any_more(session: lc.Session, tmp_path: Path) -> None:
    there, copy = session.store.url, tmp_path / "copy.db"
    back_up(session.store, copy)
    answer_draws(session, "yes", 3)
    session.store.close()
    with patch.object(sqlite_backup.os, "link", side_effect=OSError), patch.object(
        Path, "rename", side_effect=PermissionError
    ), pytest.raises(StoreError, match="cannot be set aside"):  # fmt: skip
        restore(copy, there, force=True)
    sqlite_backup.put_in_place(copy, tmp_path / "labels.db")
    assert verify(there).projects[0].missing


def test_who_labels_while_a_backup_is_looked_at_loses_nothing(
    session: lc.Session, tmp_path: Path
) -> None:
    there, copy = session.store.url, tmp_path / "copy.db"
    back_up(session.store, copy)
    real = backups.held

    def held(url: str) -> AbstractContextManager[None]:
        answer_draws(session, "yes", 1)
        return real(url)

    with patch.object(backups, "held", held), pytest.raises(LosesLabelsError, match="1 answers"):
        restore(copy, there)
    answer_draws(session, "yes", 1)


def test_nothing_is_half_made(session: lc.Session, tmp_path: Path) -> None:
    with pytest.raises(MissingStoreError, match="There is no store at"):
        restore(tmp_path / "none.db", url(tmp_path / "labels.db"), force=True)
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"no database at all" * 99)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        restore(bad, url(tmp_path / "labels.db"), force=True)
    back_up(session.store, tmp_path / "backup.db")
    with pytest.raises(ValueError, match="memory:// is kept nowhere"):
        restore(tmp_path / "backup.db", "memory://")
    with pytest.raises(StoreError, match="is kept nowhere"):
        back_up(MemoryStore(), tmp_path / "of_memory.db")
    assert answers_in(tmp_path / "labels.db") == 10
    names = {path.name.removesuffix("-wal").removesuffix("-shm") for path in tmp_path.iterdir()}
    names -= {"labels.seals", "labels.key", "labels.backups"}  # there after a second of labelling
    assert names == {"items.csv", "labels.db", "labels.items", "bad.db", "backup.db",
                     "backup.items"}  # fmt: skip


def test_a_backup_is_of_one_moment_while_others_write(session: lc.Session, tmp_path: Path) -> None:
    stop = threading.Event()

    def go_on() -> None:
        while not stop.is_set() and session.going_on:
            answer_draws(session, "yes", 1)

    writer = threading.Thread(target=go_on)
    writer.start()
    found = [back_up(session.store, tmp_path / f"backup-{n}.db")[0] for n in range(5)]
    stop.set()
    writer.join(60)
    assert [one.broken_at for one in found] == [0] * 5
    answers = [one.answers for one in found]
    assert answers == sorted(answers) and 10 <= answers[0] <= answers[-1] <= session.labels
    chain = [event.hash for event in session.events]
    assert all(chain[one.events - 1] == one.seal for one in found), "each is a beginning of the log"


def test_a_backup_takes_the_place_of_an_older_one_and_never_of_its_store(
    session: lc.Session, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"
    back_up(session.store, copy)
    answer_draws(session, "yes", 2)
    # A process that was killed leaves the changes of the older one beside it.
    copy.with_name("backup.db-wal").write_bytes((tmp_path / "labels.db-wal").read_bytes())
    (kept,) = back_up(session.store, copy, force=True)
    assert (kept.answers, kept.broken_at) == (12, 0)
    with pytest.raises(StoreError, match="is the store itself"):
        back_up(session.store, tmp_path / "labels.db", force=True)
    answer_draws(session, "yes", 1)
    assert answers_in(tmp_path / "labels.db") == 13


def test_a_copy_that_breaks_off_is_none(session: lc.Session, tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with closing(lc.open_store(url(tmp_path / "copy.db"))) as target:
        with patch.object(database, "_event_row", broken), pytest.raises(OSError, match="output"):
            copy_project(session.store, target, "spam")
        assert target.projects() == []


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
def test_a_copy_replays_and_takes_in_what_is_new(
    session: lc.Session, tmp_path: Path, kind: str
) -> None:
    target = MemoryStore() if kind == "memory" else lc.open_store(url(tmp_path / "other" / "l.db"))
    done = copy_project(session.store, target, "spam")
    assert (done.events, done.there, done.seal) == (
        len(session.events), 0, session.events[-1].hash)  # fmt: skip
    if kind == "sqlite":
        shutil.rmtree(tmp_path / "other" / "l.items")
    assert copy_project(session.store, target, "spam").events == 0
    answer_draws(session, "yes", 2)
    session.store.update("spam", archived=True)
    assert copy_project(session.store, target, "spam").there == done.events
    assert target.project("spam").archived
    found = lc.Session.open(target, "spam")
    assert found.labels == 12 and found.person(SECRET) == "me"
    assert found.person("somebody else's") == "me 2", "keys of people came along"
    assert found.item_by_id(str(session.events[0].item_id)) == session.item_by_id(
        str(session.events[0].item_id)
    )
    assert replay_project(target, "spam").seal == session.events[-1].hash
    if kind == "sqlite":
        (tmp_path / "items.csv").rename(tmp_path / "moved.csv")
        assert lc.Session.open(target, "spam").labels == 12, "its items came along, lost ones again"


def test_a_project_goes_to_postgresql_and_back(
    session: lc.Session, tmp_path: Path, postgres_url: str
) -> None:
    """Labelled on both sides; log, figures and people are the same wherever it is opened."""
    there, figures = lc.open_store(postgres_url), session.results()
    copy_project(session.store, there, "spam")
    far = lc.Session.open(there, "spam")
    assert far.results() == figures
    answer_draws(far, "yes", 3)
    assert far.results() != figures
    assert copy_project(there, session.store, "spam").events == len(far.events) - len(
        session.events
    )
    session.sync()
    assert session.events == far.events and session.results() == far.results()
    assert session.store.keys("spam") == there.keys("spam")
    assert session.store.contents("spam") == there.contents("spam")
    for store in (there, session.store):
        assert replay_project(store, "spam").seal == far.events[-1].hash
    (tmp_path / "items.csv").unlink()
    assert lc.Session.open(there, "spam").labels == 13, "its items came along, lost ones again"
    there.close()


def test_a_table_of_items_comes_along(tmp_path: Path) -> None:
    rows = [{"text": f"message {n}", "score": n / 99} for n in range(100)]
    items = lc.read_population(rows, content="text", scores={"lr": "score"}, thresholds={"lr": 0.5})
    plan = lc.Plan("simple_random", ["accuracy"], budget=40)
    session = lc.Session(items, plan, url(tmp_path / "a" / "labels.db"), "table")
    answer_draws(session, "yes", 2)
    target = lc.open_store(url(tmp_path / "b" / "labels.db"))
    copy_project(session.store, target, "table")
    place = Path(json.loads(target.project("table").population_json)["path"])
    assert place.is_relative_to(tmp_path / "b") and place.exists()
    assert lc.Session.open(target, "table").labels == 2


def test_a_backup_whose_items_would_lie_elsewhere_changes_nothing(
    session: lc.Session, tmp_path: Path
) -> None:
    copy, evil = tmp_path / "backup.db", tmp_path / "out" / "evil.txt"
    back_up(session.store, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(
            "UPDATE project SET population_json = json_set(population_json, '$.kept', ?)",
            ("../out/evil.txt",),
        )
    evil.parent.mkdir()
    evil.write_text("evil")
    target = tmp_path / "b" / "c" / "labels.db"
    (target.parent.parent / "out").mkdir(parents=True)
    with pytest.raises(StoreError, match="'../out/evil.txt'; a place of kept items lies inside"):
        restore(copy, url(target), force=True)
    with (
        closing(lc.open_store(url(copy))) as store,
        pytest.raises(StoreError, match="a place of kept items lies inside"),
    ):
        copy_project(store, MemoryStore(), "spam")
    assert not target.exists() and not list(tmp_path.rglob("b/**/evil.txt"))


def test_a_copy_never_mixes_two_projects(session: lc.Session, tmp_path: Path) -> None:
    target: LabelStore = lc.open_store(url(tmp_path / "other.db"))
    copy_project(session.store, target, "spam")
    answer_draws(lc.Session.open(target, "spam"), "yes", 1)
    answer_draws(session, "yes", 1)
    with pytest.raises(ProjectExistsError, match="went on by itself"):
        copy_project(session.store, target, "spam")
    session.store.rename("spam", "eggs")
    with pytest.raises(ProjectExistsError, match="has project 'eggs' already, as project 'spam'"):
        copy_project(session.store, target, "eggs")
    assert [record.name for record in target.projects()] == ["spam"], "an empty one is left"
    other = session_on(tmp_path / "items.csv", store=MemoryStore(), seed=9)
    with pytest.raises(ProjectExistsError, match="has another file or another plan"):
        copy_project(other.store, target, "spam")
    change_an_answer(tmp_path / "other.db", 4)
    with pytest.raises(BrokenLogError):
        copy_project(target, MemoryStore(), "spam")
