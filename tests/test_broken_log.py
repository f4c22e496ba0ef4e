"""A log, or a stored text, that was changed outside Labelcore is found and never reported on."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import (
    BrokenLogError,
    BrokenLogWarning,
    ChangedTextError,
    ReplayError,
    StoreError,
)
from labelcore.log.events import Content, Event
from labelcore.replay import replay_project
from labelcore.report import bundle_zip, estimates_csv, events_csv, report_html, report_json
from tests.answering import answer_draws, next_draw
from tests.report.sessions import begun
from tests.stores import tamper

LABELS = 20
WRITERS = [report_html, report_json, bundle_zip, events_csv, estimates_csv]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with the project "spam", 20 of its 300 items labelled and one on
    screen."""
    folder = tmp_path_factory.mktemp("whole")
    session, _ = begun(folder, store=f"sqlite:///{folder}/labels.db")
    answer_draws(session, lambda draw: draw.index % 2, LABELS)
    session.results()
    session.next()
    session.store.close()
    return folder


@pytest.fixture
def database(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path / "labels.db"


def unsealed(database: Path) -> None:
    """What somebody does who knows of the seals and the backups, too."""
    database.with_suffix(".seals").unlink()
    shutil.rmtree(database.with_suffix(".backups"))


def opened(database: Path) -> lc.Session:
    return lc.Session.open(f"sqlite:///{database}", "spam")


def rewritten(session: lc.Session, change: Callable[[Event], Event]) -> list[str]:
    """Statements that change events and chain them anew, as one does who knows how."""
    hash_before, statements = session.ledger.genesis, []
    for event in session.events:
        changed = change(event).chained(hash_before)
        hash_before = changed.hash
        label = "NULL" if changed.label is None else repr(changed.label)
        statements.append(
            f"UPDATE event SET label = {label}, detail = '{json.dumps(changed.detail)}',"
            f" hash = '{changed.hash}' WHERE sequence = {changed.sequence}"
        )
    return statements


def changes() -> list[object]:
    """Statements, and the first event that they change."""
    update = "UPDATE event SET {} WHERE sequence = {}".format
    found = {
        "label": (update("label = 'no'", 2), 2),
        "late label": (update("label = 'yes'", 40), 40),
        "time": (update("at = '2020-01-01T00:00:00.000001+00:00'", 3), 3),
        "digest of a text": (update("detail = '{}'", 5), 5),
        "bytes": (update("label = x'0102'", 4), 4),
        "missing event": ("DELETE FROM event WHERE sequence = 9", 9),
        "event at the end": (
            "INSERT INTO event (project_id, sequence, kind, at, annotator, text, detail, hash)"
            " SELECT 1, max(sequence) + 1, 'finished', max(at), 'me', '', '{}', 'f0' FROM event",
            2 * LABELS + 3,
        ),
    }
    return [pytest.param(*one, id=name) for name, one in found.items()]


def test_from_the_first_event_on_nothing_is_shown() -> None:
    said = [str(BrokenLogError("spam", sequence)) for sequence in (1, 2)]
    assert "does not follow from the file and the plan. None is shown;" in said[0]
    assert "from the events before it. What is shown ends before event 2;" in said[1]


@pytest.mark.parametrize(("change", "first"), changes())
def test_a_changed_log_can_only_be_read(database: Path, change: str, first: int) -> None:
    with closing(sqlite3.connect(database)) as connection:
        answers = "SELECT count(*) FROM event WHERE kind = 'labelled' AND sequence < ?"
        (labels,) = connection.execute(answers, (first,)).fetchone()
    tamper(database, change)
    with pytest.warns(BrokenLogWarning, match=f"event {first} does not follow"):
        session = opened(database)
    assert session.broken_at == first and len(session.events) == first - 1
    assert session.labels == labels
    assert all(one.labels_used <= labels for one in session.results().values())
    before = session.store.events("spam")
    acts = [
        session.next,
        session.undo,
        session.finish,
        lambda: session.extend(budget=200),
        lambda: session.second_pass(3),
        lambda: session.reword(question="Why?"),
        session.check_log,
    ]
    for act in (*acts, *(partial(write, session) for write in WRITERS)):
        with pytest.raises(BrokenLogError) as caught:
            act()
        assert caught.value.sequence == first and isinstance(caught.value, StoreError)
    assert session.store.events("spam") == before


@pytest.mark.parametrize(("change", "first"), changes())
@pytest.mark.filterwarnings("ignore::labelcore.errors.BrokenLogWarning")
def test_a_log_changed_under_an_open_session_is_not_reported_on(
    database: Path, change: str, first: int
) -> None:
    session = opened(database)
    bundle_zip(session)
    tamper(database, change)
    for write in WRITERS:
        with pytest.raises(BrokenLogError, match=f"event {first} does not follow"):
            write(session)
    with pytest.raises(BrokenLogError):
        session.next()


def test_a_log_written_anew_under_an_open_session_is_not_reported_on(database: Path) -> None:
    """Each hash follows again, so only who read the log before can tell."""
    session = opened(database)

    def all_no(event: Event) -> Event:
        return replace(event, label="no" if event.label else None)

    tamper(database, *rewritten(session, all_no))
    first = next(event.sequence for event in session.events if event.label == "yes")
    with pytest.warns(BrokenLogWarning), pytest.raises(BrokenLogError) as caught:
        report_html(session)
    assert caught.value.sequence == first
    with pytest.warns(BrokenLogWarning, match="is not the one that was stored until"):
        assert opened(database).broken_at in (1, first)  # That of a backup, if it has it already.
    unsealed(database)
    assert not opened(database).broken_at


def test_a_log_cut_short_under_an_open_session_is_not_reported_on(database: Path) -> None:
    session = opened(database)
    tamper(database, "DELETE FROM event WHERE sequence > 30")
    with pytest.warns(BrokenLogWarning), pytest.raises(BrokenLogError, match="event 31 "):
        report_html(session)


def test_the_commands_say_it_in_one_line(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(database, "UPDATE event SET label = 'no' WHERE sequence = 2")
    place = ["--store", f"sqlite:///{database}", "--project", "spam", "-o", ""]
    for command, kind in (
        (["report"], "html"),
        (["export", "bundle"], "zip"),
        (["export", "events"], "csv"),
        (["export", "estimates"], "csv"),
    ):
        place[-1] = str(tmp_path / f"out.{kind}")
        assert main([*command, *place]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.count("\n") == 1
        assert "event 2 does not follow from the events before it" in captured.err
        assert not Path(place[-1]).exists()


# The seal beside the database


@pytest.mark.parametrize("kept", [0, 2, 2 * LABELS])
def test_a_log_that_lost_its_end_can_only_be_read(database: Path, kept: int) -> None:
    """It follows from its first event; only the seal tells that there was more."""
    tamper(database, f"DELETE FROM event WHERE sequence > {kept}")
    with pytest.warns(BrokenLogWarning):
        session = opened(database)
    assert session.broken_at == kept + 1 and len(session.events) == kept
    for act in (session.next, session.check_log, partial(report_html, session)):
        with pytest.raises(BrokenLogError) as caught:
            act()
        assert caught.value.sequence == kept + 1
    if kept:
        assert f"ends at event {kept}, and had {2 * LABELS + 2} on 20" in str(caught.value)
    unsealed(database)
    assert not opened(database).broken_at


def test_a_lost_file_of_the_newest_changes_is_found(database: Path, tmp_path: Path) -> None:
    older = database.read_bytes()
    session = opened(database)
    answer_draws(session, "yes", 1)
    session.store.close()
    database.write_bytes(older)
    with pytest.warns(BrokenLogWarning, match=f"ends at event {2 * LABELS + 2}, and had"):
        opened(database)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": {}}', '{"x": {"project": "spam"}}'])
def test_a_seal_that_cannot_be_read_holds_nobody_up(database: Path, text: str) -> None:
    database.with_suffix(".seals").write_text(text)
    session = opened(database)
    draw = session.next()
    assert draw is not None and session.answer(draw, "yes").sequence > 2 * LABELS
    session.store.close()
    assert not opened(database).broken_at
    assert json.loads(database.with_suffix(".seals").read_text())


# The text that is shown


def test_a_forged_text_is_not_shown(database: Path) -> None:
    session = opened(database)
    draw = next_draw(session)
    own = session.item(draw)
    forge = 'UPDATE item SET content = \'{"text": "%s"}\' WHERE item_id = \'' + draw.item_id + "'"
    tamper(database, forge % "forged")
    for one in (session, opened(database)):
        with pytest.raises(
            ChangedTextError, match=f"{draw.item_id!r} is not the one that was drawn"
        ):
            one.item(draw)
    tamper(database, forge % own["text"])
    assert session.item(draw) == own


def test_replay_holds_the_text_against_the_file(database: Path, tmp_path: Path) -> None:
    """A log whose digests were made anew with the chain: the file still says otherwise."""
    session = opened(database)
    assert replay_project(session.store, "spam").answers == LABELS

    def forged(event: Event) -> Event:
        if event.sequence > 1:
            return event
        salt = session.store.contents("spam")[str(event.item_id)].salt
        other = Content({"text": "forged"}, salt).digest(str(event.item_id))
        return replace(event, detail={"content": other})

    tamper(database, *rewritten(session, forged))
    unsealed(database)
    with pytest.raises(ReplayError, match="event 1: the text of item .* is another one than was"):
        replay_project(session.store, "spam")


def test_a_log_of_0_1_0_has_no_digests_and_goes_on(database: Path) -> None:
    session = opened(database)

    def without(event: Event) -> Event:
        return replace(event, detail={}) if event.kind == "drawn" else event

    tamper(database, *rewritten(session, without))
    unsealed(database)
    old = opened(database)
    assert not old.broken_at
    draw = old.next()
    assert draw is not None and old.item(draw)["text"].startswith("message")
    old.answer(draw, "yes")
    after = old.next()
    assert after is not None and list(old.events[-1].detail) == ["content"]
    assert replay_project(old.store, "spam").answers == LABELS + 1
    report_html(old)
