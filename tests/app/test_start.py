"""The rows of the start page: what each says, their order, search, and ways out of them."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.words.sentences import value_percent
from tests.app.conftest import HOSTILE, bar_texts, texts

LINK = "page_link"


def names(page: AppTest) -> list[str]:
    """The projects in the order of their rows."""
    links = [one.proto for one in page.get(LINK)]
    return [one.label.strip("*") for one in links if "project=" in one.query_string]


@pytest.mark.full
def test_a_row_says_what_the_log_knows(app, make) -> None:
    session = make("one", labels=60)
    make("two", labels=4)
    make("three")
    found = session.results()["accuracy"]
    page = app()
    new, early, done = bar_texts(page)
    assert new == ["Accuracy", "", "not yet"]
    assert early[1] == "" and any(one in early[2] for one in ("to", "at least", "at most"))
    assert done[1] == value_percent(found.value, found.low, found.high)
    low, high = (float(end) / 100 for end in done[2].split(" to "))
    assert low <= found.low <= low + 0.01 and high - 0.01 <= found.high <= high


def test_rows_are_found_by_words_and_sorted(app, make) -> None:
    for name, labels, question in (("b", 3, "Spam?"), ("A", 9, "Ham?"), ("c", 0, "Ham?")):
        make(name, labels=labels, question=question)
    assert not app().text_input  # So few are seen at once.
    make("d", labels=1, question=HOSTILE)
    page = app()
    assert names(page) == ["d", "A", "b", "c"]
    page.selectbox[0].set_value("Name").run()
    assert names(page) == ["A", "b", "c", "d"]
    page.selectbox[0].set_value("Labels left").run()
    assert names(page) == ["c", "d", "b", "A"]
    page.text_input[0].set_value("ham").run()
    assert names(page) == ["c", "A"]
    page.text_input[0].set_value("ham nothing").run()
    assert names(page) == [] and "No project has these words" in texts(page)


def test_many_rows_come_in_two_steps(app, make, monkeypatch) -> None:
    monkeypatch.setattr("labelcore.ui.start.ROWS", 2)
    for name in "abc":
        make(name)
    page = app()
    assert len(names(page)) == 2
    (more,) = (one for one in page.button if one.label == "Show 1 more")
    more.click().run()
    assert sorted(names(page)) == ["a", "b", "c"]


def test_the_menu_leads_to_the_other_pages(app, make) -> None:
    make(labels=50)
    page = app()
    page.menu_button[0].set_value("Report").run()
    assert page.get("download_button")


def test_a_choice_between_cuts_has_a_row_too(app, items, data_folder) -> None:
    population = lc.read_population(
        items, id="id", content="text", scores={"lr": "score_lr"}, predictions={"lr": "pred_lr"}
    )
    wanted = {"precision_threshold": 0.8, "precision_slack": 0.1, "reach_slack": 0.2}
    plan = lc.Plan("reach_selection", "selection", params=wanted, budget=60, seed=1)
    session = lc.Session(population, plan, f"sqlite:///{data_folder / 'labelcore.db'}", "cuts")
    session.answer(session.next(), True)
    session.results()
    page = app()
    assert names(page) == ["cuts"]
    assert "went wrong" not in texts(page)
