"""Every page of a project whose items stay in their engine."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import labelcore as lc
from labelcore.population import items as room
from labelcore.population.engines import sources
from labelcore.ui.new_cards import ACCURACY
from tests.app.conftest import aimed, button, item_texts, surface_buttons, to_aim
from tests.app.test_large_files import named
from tests.app.test_new_project import store


@pytest.fixture
def kept(items: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> lc.Session:
    """A project of a folder of Parquet parts, as if memory held few items."""
    monkeypatch.setattr(sources, "LARGE", 1)
    monkeypatch.setattr(room, "IN_MEMORY", 10)
    monkeypatch.setattr(room, "HELD", 10)
    table, parts = pd.read_csv(items), data_folder / "files" / "parts"
    parts.mkdir()
    for number in range(2):
        rows = table[number * 100 : (number + 1) * 100]
        rows.to_parquet(parts / f"part-{number}.parquet")
    population = lc.read_population(
        parts, id="id", content="text", scores={"lr": "score_lr"}, predictions={"lr": "pred_lr"}
    )
    assert population.kept is not None
    session = lc.Session(
        population,
        lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=60, seed=1),
        f"sqlite:///{data_folder / 'labelcore.db'}",
        "demo",
        settings={"question": "Spam?"},
    )
    for _ in range(50):
        draw = session.next()
        assert draw is not None
        session.answer(draw, int(draw.item_id[1:]) % 5 == 0)
    return session


@pytest.mark.parametrize("page", ["label", "progress", "explore", "review", "report"])
def test_the_page_opens(app, kept: lc.Session, page: str) -> None:
    shown = app(page, project="demo")
    assert not shown.exception and not [one.value for one in shown.error]


def test_an_item_is_labelled(app, kept: lc.Session) -> None:
    shown = app("label", project="demo")
    assert any("item" in text or "bold" in text for text in item_texts(shown))
    after = surface_buttons(shown)[0].run()
    assert not after.exception and not after.error
    assert lc.Session.open(kept.store, "demo").labels == 51


def test_new_project_makes_one(
    app, items: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LARGE", 100)
    monkeypatch.setattr(room, "IN_MEMORY", 150)
    monkeypatch.setattr(room, "HELD", 150)
    table = pd.read_csv(items)
    table.to_parquet(items.parent / "one.parquet")
    page = named(app, "files/one.parquet")
    assert not page.exception and not [one.value for one in page.error]
    page = to_aim(page, "Is it spam?")
    assert not page.exception and not [one.value for one in page.error]
    page = aimed(page, ACCURACY.title)
    assert not page.exception and not [one.value for one in page.error]
    button(page, "new-create").click().run()
    (record,) = store(data_folder).projects()
    found = lc.Session.open(store(data_folder), record.name)
    assert found.population.kept is not None
    assert not app("label", project=record.name).exception
