"""Answers that the file holds already: asked about, never guessed, used as said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import labelcore as lc
from tests.app.conftest import button, texts

LEFT = 120


def screened(known: str = "top") -> bytes:
    """300 items with a score, of which 180 have an answer in the column "included"."""
    rng, rows = random.Random(3), []
    for number in range(300):
        score = round(1 - number / 300, 4)
        told = number < 300 - LEFT if known == "top" else number % 5 < 3
        included = int(rng.random() < score) if told else ""
        rows.append(f"{number},paper {number},{score},{included}\n")
    return ("id,title,score,included\n" + "".join(rows)).encode()


def uploaded(app, content: bytes):
    page = app("new_project")
    page.file_uploader(key="new-upload").upload("papers.csv", content, "text/csv").run()
    return page


def source(page):
    (found,) = [one for one in page.radio if one.label == "Where do the known answers come from?"]
    return found


def open_project(data_folder: Path) -> lc.Session:
    store = lc.session.open_store(f"sqlite:///{data_folder / 'labelcore.db'}")
    (record,) = store.projects()
    return lc.Session.open(store, record.name)


def test_nothing_goes_on_before_the_source_is_said(app) -> None:
    page = uploaded(app, screened())
    assert not page.exception
    assert "included: 180 of 300 items have an answer already" in texts(page).replace("\\", "")
    assert source(page).value is None
    assert "Say where the known answers come from" in texts(page)
    assert [one.value for one in page.subheader] == ["1 · Items"]


@pytest.mark.parametrize(("known", "use"), [("top", "certainty"), ("all over", "random")])
def test_a_project_uses_them_as_said(app, data_folder: Path, known: str, use: str) -> None:
    page = uploaded(app, screened(known))
    source(page).set_value(use).run()
    page.text_input(key="new-question").set_value("Does it belong?").run()
    assert not page.exception
    assert "Beside 180 existing labels, taken as" in texts(page)
    budget = next(one for one in page.number_input if (one.key or "").startswith("new-budget"))
    budget.set_value(60).run()
    button(page, "new-create").click().run()
    session = open_project(data_folder)
    assert session.plan.existing == use and session.plan.budget == 60
    asked = set()
    for _ in range(60):
        draw = session.next()
        assert draw is not None
        asked.add(int(draw.item_id))
        session.answer(draw, True)
    assert not [n for n in asked if (session.population.known[n] >= 0)]
    for name in ("progress", "report", "label"):
        shown = app(name, project=session.project)
        assert not shown.exception
        if name != "report":
            assert "180 existing labels, taken as" in texts(shown)


def test_labels_that_are_no_random_sample_are_not_taken_as_one(app) -> None:
    page = uploaded(app, screened())
    source(page).set_value("random").run()
    page.text_input(key="new-question").set_value("Does it belong?").run()
    assert "are not spread like a random sample" in page.error[0].value
    assert not [one for one in page.button if one.key == "new-create"]


def test_they_can_be_left_out(app, data_folder: Path) -> None:
    page = uploaded(app, screened())
    source(page).set_value("ignored").run()
    page.text_input(key="new-question").set_value("Does it belong?").run()
    button(page, "new-create").click().run()
    session = open_project(data_folder)
    assert session.population.known is None and session.plan.existing is None


def test_a_full_column_leaves_nothing_to_ask(app, items: Path) -> None:
    page = uploaded(app, items.read_bytes())
    assert not [one for one in page.radio if one.label.startswith("Where do the known")]
