"""The rows of the start page: what each says, their order, search, and ways out of them."""

from streamlit.testing.v1 import AppTest

from tests.app.conftest import HOSTILE, texts

LINK = "page_link"


def names(page: AppTest) -> list[str]:
    """The projects in the order of their rows."""
    links = [one.proto for one in page.get(LINK)]
    return [one.label.strip("*") for one in links if "project=" in one.query_string]


def test_rows_are_found_by_words_and_sorted(app, make) -> None:
    for name, labels, question in (("b", 3, "Spam?"), ("A", 9, "Ham?"), ("c", 0, "Ham?")):
        make(name, labels=labels, question=question)
    assert not app().text_input  # So few are seen at once.
    make("d", labels=1, question=HOSTILE)
    page = app()
    assert names(page) == ["d", "c", "A", "b"]  # Of one without labels, when it was made.
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


def test_a_choice_between_cuts_has_a_row_too(app, make) -> None:
    wanted = {"precision_threshold": 0.8, "precision_slack": 0.1, "reach_slack": 0.2}
    make("cuts", 1, design="reach_selection", estimands="selection", params=wanted)
    page = app()
    assert names(page) == ["cuts"]
    assert "went wrong" not in texts(page)
