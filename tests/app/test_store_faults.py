"""Pages on a bad day of the store: moved away, read-only, locked, its log changed."""

from __future__ import annotations

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
