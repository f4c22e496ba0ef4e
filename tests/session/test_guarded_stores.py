"""The guard is the same whatever a store is kept in: seals, backups, the way back, dumps."""

import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import StoreBusyError, StoreError
from labelcore.log.events import Event, genesis
from labelcore.replay import replay_project
from labelcore.session.backups import rehearse, restore
from labelcore.session.dumps import dump, load, read_dump
from labelcore.session.integrity import accept, verify
from labelcore.session.managing import duplicate, rename
from labelcore.store import backups, backups_folder, guard, put_back, read_seals, signing
from labelcore.store.anchor import send
from labelcore.store.sqlite import SqliteStore
from tests.answering import answer_draws
from tests.report.sessions import begun
from tests.stores import EACH, empty


@pytest.fixture(params=EACH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty(request.param, tmp_path, request)


@pytest.fixture
def session(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[lc.Session]:
    monkeypatch.setattr(guard, "SEAL_SECONDS", 0.0)
    session, _ = begun(tmp_path, store=url)
    yield session
    session.store.close()


def label(session: lc.Session, number: int) -> None:
    answer_draws(session, lambda draw: "yes" if draw.index % 3 else "no", number)


def newest(session: lc.Session) -> Path:
    """The first automatic backup, as soon as it is there."""
    until, place = time.monotonic() + 30, session.store.guarded
    assert place is not None
    while not (made := backups(place)):
        assert time.monotonic() < until, session.store.problem
        time.sleep(0.02)
    return made[0]


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_a_backup_is_rehearsed_and_put_back_while_somebody_labels(
    session: lc.Session, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    label(session, 1)
    backup = newest(session)
    label(session, 4)
    done = rehearse(None, url, replay_project)
    (one,) = done.differences or ()
    assert done.sound and done.backup == backup and (one.lost_answers, one.back) == (4, 0)
    assert main(["restore", "--rehearse", "--store", url]) == 0
    assert "would have lost" in capsys.readouterr().out
    assert len(session.store.events("spam")) == len(session.events), "nothing was changed"
    with pytest.raises(StoreError, match="would lose it: 'spam'"):
        restore(None, url)
    put_back = restore(None, url, force=True)
    assert put_back.aside is not None and put_back.projects[0].answers == 1
    with pytest.raises(StoreError, match="replaced"):
        label(session, 2)
    again = lc.Session.open(url, "spam")
    label(again, 1)
    assert again.labels == 2 and not again.broken_at
    again.store.close()
    assert verify(url).whole


@pytest.mark.full
@pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)], indirect=True
)
def test_backups_made_while_four_label_are_beginnings_of_the_log(
    session: lc.Session, url: str, tmp_path: Path
) -> None:
    files = []

    def labels(name: str) -> None:
        one = lc.Session.open(url, "spam")
        for _ in range(6):
            if draw := one.next(annotator=name):
                with suppress(ValueError):
                    one.answer(draw, "yes", annotator=name)
        one.store.close()

    people = [threading.Thread(target=labels, args=(name,)) for name in "abcd"]
    for one in people:
        one.start()
    while any(one.is_alive() for one in people):
        file = tmp_path / f"copy-{len(files) % 3}.db"
        file.unlink(missing_ok=True)
        session.store.backup(file)
        files.append(file)
    log = session.store.events("spam")
    for file in {*files}:
        done = rehearse(file, url, replay_project)
        with closing(lc.open_store(f"sqlite:///{file}", create=False)) as copy:
            kept = copy.events("spam")
        assert done.sound and kept == log[: len(kept)], done.disagreeing


def test_a_dump_is_exact_or_refused(session: lc.Session, url: str, tmp_path: Path) -> None:
    label(session, 5)
    session.store.person("spam", "a key", "2026-01-01T00:00:00+00:00")
    lines: list[str] = []
    assert dump(session.store, lines.append) == 1
    with closing(lc.open_store(f"sqlite:///{tmp_path / 'loaded.db'}")) as there:
        assert load(read_dump(lines), there)[0].events == len(session.store.events("spam"))
        for ask in ("events", "contents", "keys"):
            assert getattr(there, ask)("spam") == getattr(session.store, ask)("spam")
        assert load(read_dump(lines), there)[0].events == 0, "again adds what is new"
    twice: list[str] = []
    assert dump(session.store, twice.append, ["spam", "spam"]) == 1 and twice == lines
    turned = [one.replace('"label": "yes"', '"label": "no"') for one in lines]
    for bad in (lines[:-1], lines[:3], lines[1:], [*lines[:2], *lines[3:]], turned, ["x"], []):
        with pytest.raises(StoreError, match="no whole dump"):
            read_dump(bad)


# The anchor


def closed(session: lc.Session, url: str, number: int, reason: str = "finish") -> None:
    """Label in a process of its own, bring the seals away, end."""
    label(session, number)
    session.store.anchor(reason)
    session.store.close()


@pytest.mark.parametrize("kind", ["folder", "store", "command"])
def test_an_anchor_names_the_first_event_that_differs(
    kind: str, session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    script = (
        "import sys, time, pathlib as p;"
        "p.Path(sys.argv[1], f'{time.time_ns()}.json').write_text(sys.stdin.read())"
    )
    program = [sys.executable, "-c", script, str(away)]
    places = {
        "folder": str(away),
        "store": f"sqlite:///{away / 'seals.db'}",
        "command": f"command:{shlex.join(program)}",
    }
    monkeypatch.setenv("LABELCORE_ANCHOR", places[kind])
    closed(session, url, 6)
    at = str(away) if kind == "command" else places[kind]
    assert verify(url, at).whole
    held = lc.Session.open(url, "spam").check_log()
    assert held.key and (held.anchored == 12) == (kind != "command")
    turned_anew(url, event=2)
    (one,) = verify(url, at).projects
    assert "by the anchor: event 2 is the first that is another one" in one.wrong
    (one,) = verify(url, "command:cat").projects
    assert one.wrong == "" and "rewritten together" in " ".join(one.held.sentences())


def turned_anew(url: str, event: int) -> None:
    """One answer turned, the log chained anew, the seals and the backups and the key deleted."""
    with closing(lc.open_store(url)) as store:
        record, log, contents = store.project("spam"), store.events("spam"), store.contents("spam")
        place = store.guarded
    assert place is not None and log[event - 1].label == "yes"
    before, turned = genesis(record.fingerprint, record.plan_json), []
    for one in log:
        changed = replace(one, label="no") if one.sequence == event else one
        turned.append(changed.chained(before))
        before = turned[-1].hash
    with closing(lc.open_store(f"sqlite:///{place.parent / 'forged.db'}")) as forged:
        forged.create(record)
        forged.append("spam", turned, contents)
    put_back(place.parent / "forged.db", url)
    for end in (".seals", ".key"):
        place.with_suffix(end).unlink()
    shutil.rmtree(backups_folder(place))


@pytest.mark.parametrize("away", ["away", "sqlite:///away.db"])
def test_what_the_environment_names_stays_where_the_program_began(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: str
) -> None:
    """A program that went to another folder made a new key, and began another anchor, there."""
    monkeypatch.setattr(signing, "STARTED_IN", str(tmp_path), raising=False)
    (other := tmp_path / "other").mkdir()
    (tmp_path / "away").mkdir()
    monkeypatch.setenv("LABELCORE_KEY", "key")
    monkeypatch.setenv("LABELCORE_ANCHOR", away)
    monkeypatch.chdir(tmp_path)
    label(session, 2)
    monkeypatch.chdir(other)
    closed(session, url, 1)
    assert not list(other.iterdir()) and (tmp_path / "key").exists() and verify(url).whole
    assert lc.Session.open(url, "spam").check_log().anchored == 6


def test_an_anchor_that_is_away_holds_up_no_label_and_is_said(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path / "not mounted"))
    closed(session, url, 3)
    assert "The seals were not brought to the anchor" in session.store.problem
    again = lc.Session.open(url, "spam")
    assert any("cannot be read" in one for one in again.check_log().sentences())
    assert verify(url).whole
    (fault,) = verify(url, str(tmp_path / "not mounted")).faults
    assert fault.startswith("the anchor cannot be read ([Errno 2] No such file or directory: ")
    (tmp_path / "not mounted").mkdir()
    with pytest.raises(StoreError, match="reached: ~nobody-here is no folder that is there"):
        send("~nobody-here", "labels-1", "{}")
    with pytest.raises(StoreError, match="the anchor cannot be reached"):
        send(str(tmp_path / "not mounted"), "labels-1", "one that ends before \ud800 its end")
    assert not list((tmp_path / "not mounted").iterdir())
    closed(again, url, 1)
    assert not again.store.problem and again.labels == 4
    held = lc.Session.open(url, "spam").check_log()
    assert held.anchored == 8
    said = replace(held, seal=9).sentences()
    assert said[-1] == "Events after 8 are not at the anchor yet."


def test_what_was_renamed_since_goes_to_the_anchor_by_its_name_of_now(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path))
    closed(session, url, 2)
    again = lc.Session.open(url, "spam")
    label(again, 2)
    again.store.close()
    with closing(lc.open_store(url)) as store:
        rename(store, "spam", "ham")
        duplicate(store, "ham", "spam")
        store.anchor("report")
    assert not store.problem and verify(url).whole
    assert lc.Session.open(url, "ham").check_log().anchored == 8


def test_a_server_that_is_faster_at_the_anchor_ends_no_guard(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", f"sqlite:///{tmp_path / 'away.db'}")
    closed(session, url, 2)
    there, faster = SqliteStore.events, []

    def late(store: SqliteStore, project: str, after: int = 0) -> list[Event]:
        log = there(store, project, after)
        if project == "seals" and not faster:
            last = log[-1]
            faster.append(replace(last, sequence=last.sequence + 1).chained(last.hash))
            store.append(project, faster)
        return log

    monkeypatch.setattr(SqliteStore, "events", late)
    again, until = lc.Session.open(url, "spam"), time.monotonic() + 30
    label(again, 1)
    again.store.anchor("report")
    while not faster:
        assert time.monotonic() < until, again.store.problem
        time.sleep(0.02)
    closed(again, url, 1)
    assert not again.store.problem and lc.Session.open(url, "spam").check_log().seal == 8


def test_a_lost_key_is_made_anew_and_said_and_a_foreign_one_is_found(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path))
    monkeypatch.setenv("LABELCORE_KEY", str(tmp_path / "elsewhere" / "key"))
    closed(session, url, 2)
    (tmp_path / "elsewhere" / "key").unlink()
    closed(lc.Session.open(url, "spam"), url, 1)
    again = lc.Session.open(url, "spam")
    held = again.check_log()
    assert len(held.former) == 1 and "The key that signs seals was changed: 1 time." in (
        held.sentences()
    )
    again.store.close()
    (tmp_path / "elsewhere" / "key").write_text("00" * 32)
    (one,) = verify(url).projects
    assert "was not written with the key of this store" in one.wrong
    assert accept(url).whole


def test_what_is_given_up_is_said_at_the_anchor(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path))
    label(session, 1)
    backup = newest(session)
    closed(session, url, 4)
    restore(backup, url, force=True)
    assert verify(url).whole, "who puts a backup back is the owner"
    closed(lc.Session.open(url, "spam"), url, 2)
    held = lc.Session.open(url, "spam").check_log()
    assert held.given_up == 1 and not held.unread and held.anchored == 6


def test_a_clock_that_was_wrong_puts_statements_out_of_order_and_nothing_else(
    session: lc.Session, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_ANCHOR", str(tmp_path))
    closed(session, url, 2)
    for one in tmp_path.glob("*.json"):
        one.rename(one.with_name(f"x-later-{one.name}"))
    closed(lc.Session.open(url, "spam"), url, 2)
    held = lc.Session.open(url, "spam").check_log()
    assert held.anchored == 8 and not held.unread and verify(url).whole
    (first, *_) = sorted(tmp_path.glob("*.json"))
    first.write_text(first.read_text().replace('"finish"', '"report"'))
    assert any("do not go on" in one for one in verify(url).faults)


def test_a_store_that_is_away_for_a_moment_is_sealed_when_it_is_back(
    session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(session, 1)
    newest(session)
    there, times = session.store.events, []

    def away(project: str, after: int = 0) -> list[Event]:
        if threading.current_thread().name == "guard" and len(times) < 3:
            times.append(after)
            raise StoreBusyError("the server is starting")
        return there(project, after)

    monkeypatch.setattr(session.store, "events", away)
    label(session, 1)
    place, until = session.store.guarded, time.monotonic() + 30
    assert place is not None
    while next(iter(read_seals(place).values())).seal.events < 4:
        assert time.monotonic() < until, session.store.problem
        time.sleep(0.02)
    assert len(times) == 3 and session.labels == 2
