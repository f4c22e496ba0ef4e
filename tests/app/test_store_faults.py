"""Pages on a bad day of the store: moved away, read-only, locked, its log changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from labelcore.ui import actions
from tests.app.conftest import button, texts

PAGES = ["", "label", "progress", "report"]


@pytest.fixture(autouse=True)
def no_shortest_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "SHORTEST_LOOK", 0.0)


def said(page) -> str:
    """The texts of a page without the signs that keep them literal."""
    return texts(page).replace("\\", "").replace("\N{WORD JOINER}", "")


@pytest.mark.parametrize("page", PAGES)
def test_a_database_that_was_moved_is_not_replaced(app, make, data_folder: Path, page) -> None:
    make(labels=3)
    shown = app("label", project="demo")
    database, kept = data_folder / "labelcore.db", data_folder / "elsewhere.db"
    database.rename(kept)
    button(shown, "positive-").click().run()
    assert "Your last press was not stored" in said(shown)
    for again in (shown.run(), app(page, project="demo")):
        assert "moved, replaced or deleted" in said(again)
        assert "no project" not in said(again) and not again.exception
    assert not database.exists()
    kept.rename(database)
    assert not app(page, project="demo").error


def tamper(data_folder: Path, statement: str) -> None:
    """What a program does that drops the triggers first."""
    with closing(sqlite3.connect(data_folder / "labelcore.db")) as connection, connection:
        for name in ("event_is_never_changed", "event_is_never_deleted"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


@pytest.mark.filterwarnings("ignore::labelcore.errors.BrokenLogWarning")
@pytest.mark.parametrize("page", PAGES)
def test_a_changed_log_is_named_and_nothing_can_be_added(app, make, data_folder, page) -> None:
    make(labels=30)
    change = "CASE label WHEN 'yes' THEN 'no' ELSE 'yes' END"
    tamper(data_folder, f"UPDATE event SET label = {change} WHERE sequence = 5")
    shown = app(page, project="demo")
    assert not shown.exception
    if not page:
        assert "log changed at event 5" in said(shown)
        return
    assert [one.value.replace("\\", "").count("event 5 does not") for one in shown.error] == [1]
    assert not any((one.key or "").startswith("positive-") for one in shown.button)
    assert not shown.get("download_button")


def test_a_forged_text_is_not_shown(app, make, data_folder) -> None:
    make(labels=3)
    app("label", project="demo")
    tamper(data_folder, """UPDATE item SET content = '{"text": "forged"}'""")
    shown = app("label", project="demo")
    assert "is not the one that was drawn" in said(shown) and "forged" not in said(shown)
    assert not any((one.key or "").startswith("positive-") for one in shown.button)
