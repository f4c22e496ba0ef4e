"""Pages on a bad day of the store: moved away, read-only, locked, its log changed."""

import re
import shutil
import sqlite3
import threading
from collections import namedtuple
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from streamlit.runtime.secrets import Secrets

import labelcore as lc
from labelcore.errors import StoreNotWritableError
from labelcore.report import bundle_zip, report_html
from labelcore.store import guard
from labelcore.ui import presses, sessions, summary
from tests.app.conftest import button, plainly, surface
from tests.permissions import modes, ordinary_user
from tests.report.sessions import automatic_backup
from tests.stores import tamper

PAGES, MARKED = ["", "label", "progress", "explore", "report"], ["review", "people"]


@pytest.mark.parametrize("page", PAGES)
def test_a_database_that_was_moved_is_not_replaced(app, make, data_folder: Path, page) -> None:
    make(labels=3)
    shown = app("label", project="demo")
    database, kept = data_folder / "labelcore.db", data_folder / "elsewhere.db"
    database.rename(kept)
    button(shown, "positive").click().run()
    assert "Your last press was not stored" in plainly(shown)
    for again in (shown.run(), app(page, project="demo")):
        assert "moved, replaced or deleted" in plainly(again)
        assert "no project" not in plainly(again)
    assert not database.exists()
    kept.rename(database)
    assert not app(page, project="demo").error


@pytest.mark.filterwarnings("ignore::labelcore.errors.BrokenLogWarning")
@pytest.mark.parametrize("page", [*PAGES, *MARKED])
def test_a_changed_log_is_named_and_nothing_can_be_added(app, make, data_folder, page) -> None:
    make(labels=30)
    change = "CASE label WHEN 'yes' THEN 'no' ELSE 'yes' END"
    tamper(data_folder / "labelcore.db", f"UPDATE event SET label = {change} WHERE sequence = 5")
    shown = app(page, project="demo")
    if not page:
        assert "log changed at event 5" in plainly(shown) and "No figures are shown" in plainly(
            shown
        )
        return
    assert [one.value.replace("\\", "").count("event 5 does not") for one in shown.error] == [1]
    assert not surface(shown).get("answers")
    assert not shown.get("download_button")


@pytest.mark.filterwarnings("ignore::labelcore.errors.BrokenLogWarning")
def test_start_reads_the_logs_again_from_time_to_time(
    app, make, data_folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is changed in place while the server runs has no new event."""
    make(labels=30)
    now = [0.0]
    monkeypatch.setattr(summary, "monotonic", lambda: now[0])
    assert "log changed" not in plainly(app(""))
    tamper(data_folder / "labelcore.db", "UPDATE event SET label = 'no' WHERE label = 'yes'")
    now[0] = summary.CHECKED_SECONDS + 1
    assert "log changed at event" in plainly(app(""))


@pytest.mark.filterwarnings("ignore::labelcore.errors.BrokenLogWarning")
@pytest.mark.parametrize(
    ("page", "how"),
    [*product(["label", "progress"], ["changed", "damaged"])],
)  # fmt: skip
def test_the_newest_backup_comes_back_by_one_press(app, make, data_folder, page, how) -> None:
    database = data_folder / "labelcore.db"
    make(labels=10)
    app("label", project="demo")
    automatic_backup(database)
    make(labels=3)
    sessions.store().close()
    if how == "changed":
        tamper(data_folder / "labelcore.db", "UPDATE event SET at = '2020' WHERE sequence = 5")
    else:
        database.write_bytes(b"not a database" * 100)
        for end in ("-wal", "-shm"):  # as long as a session is open, pages lie there, too
            database.with_name(database.name + end).unlink(missing_ok=True)
    sessions.forget()
    shown = app(page, project="demo")
    assert shown.error
    pressed = shown.button(key="put-back").click().run()
    assert not pressed.error
    found = re.search(r"is back, with (\d) answers? given since", plainly(pressed))
    assert found is not None
    since = int(found[1])
    # Of a damaged file SQLite may still have pages that lay in the file of the newest changes.
    assert since == 3 if how == "changed" else since in range(4)
    assert "The store as it was is labelcore-before-" in plainly(pressed)
    session = lc.Session.open(f"sqlite:///{database}", "demo")
    assert session.labels == 10 + since and not session.broken_at
    assert not app("label", project="demo").error


def test_without_a_backup_there_is_no_button(app, data_folder: Path) -> None:
    data_folder.mkdir(parents=True)
    (data_folder / "labelcore.db").write_bytes(b"not a database" * 100)
    shown = app("progress", project="demo")
    assert "There is no automatic backup" in plainly(shown)
    assert "put-back" not in {one.key for one in shown.button}


@pytest.mark.parametrize("page", ["", "progress"])
def test_a_disk_without_room_for_a_backup_is_said(app, make, page, monkeypatch) -> None:
    make(labels=12, here=True)
    full = namedtuple("Usage", "total used free")(10, 10, 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    monkeypatch.setattr(guard, "BACKUP_ANSWERS", 1)
    monkeypatch.setattr(guard, "SEAL_SECONDS", 0.0)
    monkeypatch.setattr(guard, "IDLE_SECONDS", 0.0)
    shown = app("label", project="demo")
    button(shown, "positive").click().run()
    for guarding in (one for one in threading.enumerate() if one.name == "guard"):
        guarding.join(120)
    assert "No backup could be made" in plainly(app(page, project="demo"))
    assert not app("label", project="demo").error


def test_a_forged_text_is_not_shown(app, make, data_folder) -> None:
    make(labels=3)
    app("label", project="demo")
    tamper(data_folder / "labelcore.db", """UPDATE item SET content = '{"text": "forged"}'""")
    shown = app("label", project="demo")
    assert "is not the one that was drawn" in plainly(shown) and "forged" not in plainly(shown)
    assert not surface(shown).get("answers")


def test_a_locked_database_keeps_the_item_and_stores_the_press_later(
    app, make, data_folder
) -> None:
    session = make(labels=10)
    shown = app("label", project="demo")
    item = session.next()
    with closing(sqlite3.connect(data_folder / "labelcore.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        button(shown, "positive").click().run()
        assert "not stored yet. Labelcore tries it again by itself" in plainly(shown)
        assert "locked by another program" in plainly(shown)
        assert button(shown, "positive")
        assert not shown.error
        for page in ("progress", "report", ""):
            other_page = app(page, project="demo")
            assert not other_page.error
        other.execute("ROLLBACK")
    shown.session_state[presses.WAITING]()
    shown.run()
    session.sync()
    assert session.last_answer().answers == item.token


def test_what_is_not_recorded_is_said(app, make, data_folder, monkeypatch) -> None:
    """The last label came without a look, and the store cannot be written."""
    # Nobody may look into the home of root.
    monkeypatch.setattr(Secrets, "load_if_toml_exists", lambda self: False)
    session = make(labels=12, here=True)
    for page in ("progress", "report", ""):  # Their modules may lie where only root reads them.
        app(page, project="demo")
    sessions.store().close()
    sessions.forget()
    session.answer(session.next(), "yes")
    log = session.store.events("demo")
    session.store.close()
    database = data_folder / "labelcore.db"
    with ordinary_user(data_folder), modes(database, 0o644, 0o555):
        for page in ("progress", "report"):
            shown = app(page, project="demo")
            assert [one.value for one in shown.error] == []
            assert "This look is not recorded." in plainly(shown) and "read-only" in plainly(shown)
            assert "13 of 60" in plainly(shown) or page == "report"
        session = lc.Session.open(f"sqlite:///{database}", "demo")
        assert session.results()["accuracy"].labels_used == 13
        assert "read-only" in session.unrecorded
        assert "accuracy" in report_html(session) and bundle_zip(session)
        with pytest.raises(StoreNotWritableError, match="read-only"):
            session.next()
        session.store.close()
        assert not app(project="demo").error
    session = lc.Session.open(f"sqlite:///{database}", "demo")
    session.results()
    assert session.events[:-1] == log and session.events[-1].kind == "looked"
    assert not session.unrecorded
    shown = app("progress", project="demo")
    assert "not recorded" not in plainly(shown)
