"""What of a store is whole and what is lost, by what was done to it; and the way back."""

import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import (
    AnswerError,
    BrokenLogError,
    BrokenLogWarning,
    ChangedTextError,
    MissingStoreError,
    StoreError,
)
from labelcore.log.events import Content, genesis
from labelcore.replay import replay_bundle, replay_project
from labelcore.report import bundle_zip
from labelcore.report.page import report_html
from labelcore.session import backups as putting_back
from labelcore.session.backups import LosesLabelsError, newest_backup, restore
from labelcore.session.integrity import accept, verify
from labelcore.session.managing import relink
from labelcore.store import backups
from labelcore.store.trail import trail_file
from tests.answering import answer_draws
from tests.report.sessions import automatic_backup, begun, session_on
from tests.stores import tamper, url

FIRST, SINCE = 12, 6
"""Answers in the backup, and after it."""


def label(session: lc.Session, number: int) -> None:
    answer_draws(session, lambda draw: "yes" if draw.index % 3 else "no", number)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve labels, an automatic backup, six more; closed."""
    folder = tmp_path_factory.mktemp("integrity") / "store"
    folder.mkdir()
    session, _ = begun(folder, store=url(folder / "labels.db"))
    label(session, FIRST)
    automatic_backup(folder / "labels.db")
    label(session, SINCE)
    session.store.close()
    return folder


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Path:
    """The same once more, in a folder of its own."""
    return Path(shutil.copytree(made, tmp_path / "store")) / "labels.db"


def flip(database: Path) -> None:
    """Damage the first page of rows of events."""
    with closing(sqlite3.connect(database)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = 'event'"
        page = connection.execute(asked).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(database.read_bytes())
    content[(page - 1) * size : (page - 1) * size + 64] = b"\xff" * 64
    database.write_bytes(bytes(content))


def test_a_whole_store_is_whole(database: Path) -> None:
    found = verify(url(database))
    assert found.whole and found.backup == backups(database)[0] and found.backup_at is not None
    assert found.backup.parent.stat().st_mode & 0o777 == 0o700, "nobody else looks into backups"
    (one,) = found.projects
    assert (one.answers, one.events, one.sound) == (FIRST + SINCE, one.events, one.events)
    with pytest.raises(MissingStoreError):
        verify(url(database.parent / "nothing.db"))
    tamper(database, "PRAGMA user_version = 7")
    with pytest.raises(StoreError, match="version 7, and this Labelcore knows versions up to"):
        verify(url(database))


DONE = {
    "an answer was changed": (
        "UPDATE event SET label = 'no' WHERE sequence = 32",
        "event 32 was changed outside Labelcore",
    ),
    "an answer of before the backup was changed": (
        "UPDATE event SET label = 'no' WHERE sequence = 2",
        "event 2 was changed outside Labelcore",
    ),
    "an event is missing": (
        "DELETE FROM event WHERE sequence = 31",
        "event 31 was changed outside Labelcore",
    ),
    "the end is missing": ("DELETE FROM event WHERE sequence > 20", "ends at event 20, and had 36"),
}


@pytest.mark.parametrize("done", DONE)
def test_a_log_that_was_changed_is_said_and_comes_back(database: Path, done: str) -> None:
    statement, said = DONE[done]
    before = [one.hash for one in lc.Session.open(url(database), "spam").events]
    tamper(database, statement)
    (one,) = verify(url(database)).projects
    assert said in one.wrong and not one.whole
    assert one.missing == (16 if done == "the end is missing" else 0)

    found = restore(None, url(database), recover=True)
    session = lc.Session.open(url(database), "spam")
    after = [one.hash for one in session.events]
    # All that follows from the backup: up to the change, or all of it where the backup has that.
    whole = {"an answer was changed": 31, "an event is missing": 30, "the end is missing": 24}
    assert len(after) == whole.get(done, 36) and after == before[: len(after)]
    assert found.recovered.get("spam", 0) == len(after) // 2 - FIRST
    assert found.aside is not None and Path(found.aside).exists()
    assert verify(url(database)).whole and not session.broken_at
    label(session, 1)
    session.store.close()
    assert replay_project(url(database), "spam").answers == len(after) // 2 + 1


def test_a_question_forged_beside_the_log_is_shown_nowhere(database: Path) -> None:
    """Nor one in a log of before, of which the words stood beside it, that was given its first
    event later: the words come first or not at all."""
    items = database.parent / "items.csv"
    asked = {"question": "Is this spam?", "keys": "1 / 2"}
    label(session_on(items, store=url(database), project="asked", settings=asked), 3)
    forged = '{"question": "Is this message ENGLISH?", "instructions": "Say yes."}'
    tamper(database, f"UPDATE project SET settings_json = '{forged}'")
    for project, words in (("asked", asked), ("spam", {})):
        session = lc.Session.open(url(database), project)
        assert session.settings == words
        with pytest.raises(AnswerError, match="its first event"):
            session.ledger.write(partial(session.ledger.event, "worded", "me", detail=words))
    assert "ENGLISH" not in report_html(session)


def test_what_was_chained_anew_after_the_backup_does_not_come_back(database: Path) -> None:
    """It follows from the backup, and is not what was sealed."""
    with closing(lc.open_store(url(database))) as store:
        events = store.events("spam")
    changed = events[:29]
    for event in events[29:]:
        label = {"yes": "no", "no": "yes"}.get(event.label or "", event.label)
        changed.append(replace(event, label=label).chained(changed[-1].hash))
    for one in changed[29:]:
        label = "NULL" if one.label is None else repr(one.label)
        tamper(
            database,
            f"UPDATE event SET label = {label}, hash = '{one.hash}' "
            f"WHERE sequence = {one.sequence}",
        )
    assert "was written anew" in verify(url(database)).projects[0].wrong
    assert not restore(None, url(database), recover=True).recovered
    assert lc.Session.open(url(database), "spam").labels == FIRST and verify(url(database)).whole


def test_a_changed_text_does_not_come_back(database: Path) -> None:
    tamper(database, 'UPDATE item SET content = \'{"text": "x"}\'')
    tamper(database, "UPDATE event SET at = '2020' WHERE sequence = 1")
    assert restore(None, url(database), recover=True).recovered == {"spam": SINCE}
    (one,) = verify(url(database)).projects
    assert (one.wrong, one.changed_texts) == ("", SINCE), "which are lost, and that is said"


def test_words_of_an_error_that_are_no_text(database: Path) -> None:
    content = database.read_bytes()
    place = content.index(b"CREATE TABLE project")
    damaged = content[: place + 30] + b"\xc8\x8b\xbb\xed\xff\xb2" * 20 + content[place + 150 :]
    database.write_bytes(damaged)
    assert verify(url(database)).damage
    assert restore(None, url(database), recover=True).unreadable
    assert verify(url(database)).whole


@pytest.mark.parametrize("how", ["a page of events", "first bytes"])
def test_a_damaged_database_is_said_and_comes_back(database: Path, how: str) -> None:
    content = database.read_bytes()
    if how == "a page of events":
        flip(database)
    else:
        database.write_bytes(b"\0" * 100 + content[100:])
    found = verify(url(database))
    assert found.damage and not found.whole and found.backup is not None
    done = restore(None, url(database), recover=True)
    assert done.unreadable and done.aside is not None
    assert verify(url(database)).whole
    assert lc.Session.open(url(database), "spam").labels >= FIRST


def test_a_lost_file_of_new_changes_is_said(database: Path) -> None:
    """What was written since the last checkpoint lay in it alone."""
    whole = database.read_bytes()
    session = lc.Session.open(url(database), "spam")
    label(session, 2)
    session.store._guard.close()  # type: ignore[attr-defined]
    copy = database.parent / "copy"
    copy.mkdir()
    shutil.copy(database.with_suffix(".seals"), copy)
    (copy / "labels.db").write_bytes(whole)
    (one,) = verify(url(copy / "labels.db")).projects
    assert one.missing == 4 and "ends at event 36, and had 40 on 20" in one.wrong
    session.store.close()


def test_a_project_that_an_older_file_lacks_is_lost(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its log is nowhere, so that no log says anything of it."""
    older = database.read_bytes()
    other = session_on(database.parent / "items.csv", store=url(database), project="b", seed=4)
    label(other, 2)
    other.store.close()
    assert verify(url(database)).whole
    put_back = database.parent / "older"
    shutil.copytree(database.with_suffix(".items"), put_back / "labels.items")
    shutil.copy(database.with_suffix(".seals"), put_back)
    (put_back / "labels.db").write_bytes(older)
    found = verify(url(put_back / "labels.db"))
    assert not found.whole and all(one.whole for one in found.projects)
    assert [one.project for one in found.lost] == ["b"]
    assert main(["verify", "--store", url(put_back / "labels.db")]) == 1
    assert f"b: is lost; it had {found.lost[0].seal.events} events on 20" in capsys.readouterr().out
    assert accept(url(put_back / "labels.db")).whole


def test_what_is_given_up_lets_labelling_go_on(database: Path) -> None:
    tamper(database, "DELETE FROM event WHERE sequence > 20")
    with pytest.warns(BrokenLogWarning), pytest.raises(BrokenLogError):
        lc.Session.open(url(database), "spam").next()
    assert accept(url(database)).whole
    label(lc.Session.open(url(database), "spam"), 1)
    tamper(database, "UPDATE event SET label = 'no' WHERE sequence = 2")
    assert not accept(url(database)).whole, "a log that does not follow stays closed"


def test_texts_and_kept_items(database: Path) -> None:
    tamper(database, 'UPDATE item SET content = \'{"text": "x"}\' WHERE rowid < 3')
    (one,) = verify(url(database)).projects
    assert (one.changed_texts, one.wrong, one.items, one.whole) == (2, "", "", False)
    (kept,) = database.with_suffix(".items").glob("*/items.contents")
    kept.write_bytes(kept.read_bytes() + b"\n")
    assert "was changed" in verify(url(database)).projects[0].items
    kept.unlink()
    assert "is missing" in verify(url(database)).projects[0].items


def test_what_became_of_the_file_is_said(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    items, moved = database.with_name("items.csv"), database.with_name("moved.csv")

    def said() -> str:
        found = verify(url(database))
        assert found.whole
        return found.projects[0].source

    with closing(lc.open_store(url(database))) as store:
        relink(store, "spam", items)
    assert said() == ""
    os.utime(items, (0, 0))
    assert said() == "", "touched, with the same bytes"
    there = Path.exists

    def exists(path: Path) -> bool:
        if path == items:
            raise PermissionError(13, "Permission denied")
        return there(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "exists", exists)
        assert said().startswith("the source of its items cannot be read: [Errno 13]")
    items.rename(moved)
    assert said() == f"{items}, where its items were read, is not there any more"
    with closing(lc.open_store(url(database))) as store:
        relink(store, "spam", moved)
    assert said() == "", "said where it is now"
    content = moved.read_bytes()
    for other in (content + content.splitlines(True)[-1], content.replace(b"0.", b"1.", 1)):
        moved.write_bytes(other)
        assert said() == f"{moved} was changed since its items were read"
    assert main(["verify", "--store", url(database)]) == 0
    assert "was changed since its items were read. Labels and figures" in capsys.readouterr().out
    moved.write_bytes(content)
    assert said() == ""


def test_what_is_deleted_of_a_text_leaves_a_chain_that_holds(database: Path) -> None:
    with closing(lc.open_store(url(database))) as store:
        gone, *_ = store.contents("spam")
    tamper(database, f"DELETE FROM item WHERE item_id = '{gone}'")
    (one,) = verify(url(database)).projects
    assert (one.wrong, one.changed_texts, one.whole) == ("", 1, False)
    session = lc.Session.open(url(database), "spam")
    assert session.labels == FIRST + SINCE and not session.broken_at
    assert gone not in session.drawn_items()
    with pytest.raises(ChangedTextError, match=f"{gone!r} as it was drawn is no longer in the st"):
        session.item_by_id(gone)
    done = replay_project(session.store, "spam")
    assert done.answers == FIRST + SINCE
    assert "Texts: 1 text not compared: no salt of theirs is known." in done.stages


@pytest.mark.parametrize("how", ["salt = '00'", "salt = ''", 'content = \'{"text": "x"}\''])
def test_a_text_or_a_salt_that_was_changed_is_found(database: Path, how: str) -> None:
    tamper(database, f"UPDATE item SET {how} WHERE rowid = 3")
    (one,) = verify(url(database)).projects
    assert (one.changed_texts, one.wrong, one.whole) == (1, "", False)


def test_a_log_of_before_salts_is_checked_as_it_is(database: Path, tmp_path: Path) -> None:
    """Hashes without salts, as the versions before wrote them; what is drawn next has one."""
    with closing(lc.open_store(url(database))) as store:
        start = genesis(store.project("spam").fingerprint, store.project("spam").plan_json)
        events, contents = store.events("spam"), store.contents("spam")
    for one in events:
        if one.kind == "drawn":
            plain = Content(contents[str(one.item_id)].columns).digest(str(one.item_id))
            one = replace(one, detail={"content": plain})
        start = one.chained(start).hash
        detail = json.dumps(dict(one.detail))
        tamper(
            database,
            f"UPDATE event SET hash = '{start}', detail = '{detail}'"
            f" WHERE sequence = {one.sequence}",
        )
    tamper(database, "UPDATE item SET salt = ''")
    accept(url(database))
    assert verify(url(database)).whole
    session = lc.Session.open(url(database), "spam")
    label(session, 2)
    assert sum(bool(one.salt) for one in session.store.contents("spam").values()) == 2
    (tmp_path / "b.zip").write_bytes(bundle_zip(session))
    stages = replay_project(session.store, "spam").stages
    assert replay_bundle(tmp_path / "b.zip", database.with_name("items.csv")).stages[:-1] == stages
    assert not any("not compared" in stage for stage in stages)
    tamper(database, 'UPDATE item SET content = \'{"text": "x"}\' WHERE rowid = 1')
    assert verify(url(database)).projects[0].changed_texts == 1


def test_a_sound_store_is_not_replaced_unasked(database: Path) -> None:
    """The backup and what follows it is all there is, or nothing is done."""
    done = restore(None, url(database), recover=True)
    assert done.recovered == {"spam": SINCE} and verify(url(database)).whole
    other = session_on(database.parent / "items.csv", store=url(database), project="b", seed=4)
    label(other, 2)
    assert restore(None, url(database), recover=True).recovered == {"spam": SINCE, "b": 2}
    automatic_backup(database)
    tamper(database, "DELETE FROM event WHERE project_id = 1 AND sequence > 20")
    accept(url(database))
    label(lc.Session.open(url(database), "spam"), 3)
    given_up = max((database.with_suffix(".backups") / "given-up").iterdir())
    with pytest.raises(LosesLabelsError, match="'spam': 6 events with 3 answers"):
        restore(given_up, url(database), recover=True)


def test_a_project_without_answers_in_the_backup_gets_them_back(database: Path) -> None:
    other = session_on(database.parent / "items.csv", store=url(database), project="b", seed=4)
    automatic_backup(database)
    label(other, 3)
    other.store.close()
    tamper(database, "UPDATE event SET label = 'no' WHERE project_id = 1 AND sequence = 2")
    backups(database)[1].unlink()
    restore(None, url(database), recover=True)
    assert lc.Session.open(url(database), "b").labels == 3


def test_who_answers_while_a_backup_is_put_back_is_kept_or_refused(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored before the last look: kept. Waiting for the store while it is replaced: refused."""
    session = lc.Session.open(url(database), "spam")
    check, replace_it = putting_back._unsound, putting_back.put_back
    refused: list[StoreError] = []

    def late() -> None:
        with pytest.raises(StoreError) as caught:
            label(session, 1)
        refused.append(caught.value)

    waiting = threading.Thread(target=late)

    def checked(place: str) -> bool:
        label(session, 1)
        return check(place)

    def replaced(backup: Path, place: str) -> Path | None:
        if place == url(database):
            waiting.start()
            locked = session.store._writers.locked  # type: ignore[attr-defined]
            while waiting.is_alive() and not locked():
                time.sleep(0.01)
        return replace_it(backup, place)

    monkeypatch.setattr(putting_back, "_unsound", checked)
    monkeypatch.setattr(putting_back, "put_back", replaced)
    done = restore(None, url(database), recover=True)
    waiting.join()
    assert done.recovered == {"spam": SINCE + 1} and len(refused) == 1
    assert lc.Session.open(url(database), "spam").labels == FIRST + SINCE + 1


def test_a_restore_that_is_killed_leaves_a_store(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to its last step the former one is in its place, from then on the backup, with all."""
    tamper(database, "UPDATE event SET label = 'no' WHERE sequence = 2")
    there: list[bool] = []
    replace_it = os.replace

    def replaced(source: Path, target: Path) -> None:
        if Path(target) == database:
            there.append(database.exists())
            replace_it(source, target)
            assert lc.Session.open(url(database), "spam").labels == FIRST + SINCE
        else:
            replace_it(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    restore(None, url(database), recover=True)
    assert there == [True]


@pytest.mark.parametrize("done", [False, True])
def test_a_restore_that_is_killed_leaves_no_text_and_says_what_it_did(
    database: Path, done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next restore removes the copy, and so does an automatic backup, but of a copy that
    somebody may be writing; the trail has a line from the moment the backup is in its place."""

    def restored() -> list[str]:
        with closing(lc.open_store(url(database), create=False)) as store:
            return [line.what for line in store.acts()]

    def left() -> list[Path]:
        return [*database.parent.glob(f"{database.name}.*")]

    replace_it = os.replace

    def killed(source: Path, target: Path) -> None:
        if Path(target) != database or done:
            replace_it(source, target)
        if Path(target) == database:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        restore(None, url(database), force=True)
    monkeypatch.undo()
    assert restored() == ["restored"] * done and bool(left()) is not done
    if not done:
        automatic_backup(database)
        assert left()
        os.utime(left()[0], (0, 0))
        automatic_backup(database)
        assert not left()
        (database.parent / f"{database.name}.77.new").write_bytes(b"text")
    restore(None, url(database), force=True)
    assert restored() == ["restored"] * (1 + done) and not left()
    beside = [json.loads(line)["what"] for line in trail_file(database).read_text().splitlines()]
    assert beside == ["restored"]


@pytest.mark.skipif(os.name == "nt", reason="few may make links")
def test_a_link_to_itself_gives_way_to_what_is_written(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("loop.db", "loop.html", "again.html"):
        (database.parent / name).symlink_to(name)
    shutil.copy(backups(database)[0], copy := database.parent / "copy.db")
    assert main(["restore", str(copy), "--store", url(database.parent / "loop.db")]) == 0
    store, made = url(database), database.parent / "loop.html"
    assert main(["report", "--store", store, "--project", "spam", "-o", str(made), "--force"]) == 0
    again = lc.write_report(lc.Session.open(store, "spam"), made.with_name("again.html"))
    assert made.is_file() and again.is_file() and not capsys.readouterr().err


def test_a_bad_backup_is_passed_over(database: Path) -> None:
    good, *older = backups(database)
    for backup in older:  # One more where it took long to label.
        backup.unlink()
    tamper(database, "UPDATE event SET label = 'no' WHERE sequence = 2")
    automatic_backup(database)
    assert len(backups(database)) == 2 and newest_backup(url(database)) == good
    backups(database)[0].write_bytes(b"x" * 5000)
    assert newest_backup(url(database)) == good
    good.unlink()
    with pytest.raises(MissingStoreError, match="has no backup that can be read"):
        restore(None, url(database), recover=True)
    with pytest.raises(ValueError, match="kept nowhere"):
        newest_backup("memory://")


@pytest.mark.parametrize("place", range(24))
def test_wherever_a_byte_changes_it_is_said_in_a_sentence(database: Path, place: int) -> None:
    """Nothing but the words of ``verify``, and after it a store that is whole again, but for the
    one text that the byte was of where no backup has it: ``verify`` says so."""
    content = bytearray(database.read_bytes())
    content[place * len(content) // 24 + 40] ^= 0x10
    database.write_bytes(bytes(content))
    try:
        found = verify(url(database))
        if not found.whole:
            restore(None, url(database), recover=True)
    except StoreError as error:
        pytest.fail(str(error))
    left = verify(url(database))
    assert not left.damage and not any(one.wrong or one.missing for one in left.projects)
    assert left.whole or [one.changed_texts for one in left.projects] == [1]


def test_the_command(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place: list[str] = ["--store", url(database)]
    run: Callable[..., int] = lambda *given: main([*given, *place])  # noqa: E731
    assert run("verify") == 0
    assert "36 events, 18 answers; all whole." in capsys.readouterr().out
    tamper(database, "UPDATE event SET label = 'no' WHERE sequence = 32")
    assert run("verify") == 1
    out = capsys.readouterr().out
    assert "event 32 was changed outside Labelcore." in out and "31 events before it" in out
    assert "labelcore restore puts it back." in out
    assert run("restore") == 0
    out = capsys.readouterr().out
    assert "3 answers given after the backup recovered." in out and "is the backup " in out
    assert run("verify") == 0
    tamper(database, "DELETE FROM event WHERE sequence > 20")
    assert run("verify") == 1 and run("verify", "--accept") == 0
