"""The menu of a project on the start page."""

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from tests.app.conftest import HOSTILE, button, plainly, store, texts


def reopened(data_folder: Path, name: str) -> lc.Session:
    return lc.Session.open(store(data_folder), name)


def chosen(app, what: str, place: int = 0) -> AppTest:
    """The start page with this form open on the project in this place."""
    page = app()
    page.menu_button[place].set_value(what).run()
    return page


def done(app, form: str, /, **values: object) -> AppTest:
    """The start page once this form was filled in and sent."""
    page = chosen(app, form)
    for name, value in values.items():
        field(page, f"life-{name}").set_value(value)
        if name == "what":  # The other fields follow from it.
            page.run()
    button(page, "life-do").click().run()
    return page


def field(page: AppTest, start: str):
    """The input whose key starts so."""
    kinds = (page.text_input, page.text_area, page.number_input, page.radio)
    return next(one for kind in kinds for one in kind if (one.key or "").startswith(start))


def names(data_folder: Path) -> list[str]:
    return [record.name for record in store(data_folder).projects()]


def test_erase_ends_a_project_or_keeps_its_texts_for_so_long(app, make, data_folder: Path) -> None:
    session = make()
    session.answer(session.next("Ann Lee"), "yes", annotator="Ann Lee")
    page = done(app, "Erase", what="later")
    assert "The texts of 'demo' go 90 days after its end." in plainly(page)
    page = done(app, "Erase", what="texts")
    assert "why must say for what reason" in plainly(page)
    field(page, "life-why").set_value("end of the study")
    button(page, "life-do").click().run()
    assert "Erased. Out of reach: " in plainly(page)
    assert set(reopened(data_folder, "demo").drawn_items()) == set()
    page = done(app, "Erase", what="person", id="Ann Lee", why="left")
    given = [one.annotator for one in reopened(data_folder, "demo").events if one.label]
    assert "Erased." in plainly(page) and given == ["erased 1"], given
    page = done(app, "Erase", what="project", why="mistaken")
    assert "Erased." in plainly(page) and names(data_folder) == []


def test_rename_keeps_the_labels(app, make, data_folder: Path) -> None:
    make(labels=7)
    page = done(app, "Rename", name="junk mail")
    assert "'demo' is called 'junk mail' now." in plainly(page)
    assert names(data_folder) == ["junk mail"]
    session = reopened(data_folder, "junk mail")
    assert session.labels == 7 and json.loads(session.record.settings_json) == {
        "question": "Spam?", "instructions": "Junk counts.", "former_names": ["demo"],
    }  # fmt: skip
    assert not app("label", project="junk mail").error


BAD_NAMES = [
    (what, *name)
    for what in ("Rename", "Duplicate")
    for name in (
        ("", "needs a name"),
        ("   ", "needs a name"),
        ("other", "called 'other' already"),
        ("a\u202eb", "does not show (U+202E)"),
    )
]


@pytest.mark.parametrize(
    ("what", "wanted", "told"),
    BAD_NAMES,
)
def test_a_bad_name_is_told_in_the_form(
    app, make, data_folder: Path, what: str, wanted: str, told: str
) -> None:
    make("other")
    make("demo")
    page = done(app, what, name=wanted)
    assert told in plainly(page)
    assert button(page, "life-do")
    assert names(data_folder) == ["demo", "other"]


def test_a_hostile_name_is_shown_literally(app, make) -> None:
    make()
    page = done(app, "Rename", name=HOSTILE[:60])
    shown = [one.value for kind in ("markdown", "success") for one in getattr(page, kind)]
    assert not any("<img" in value.replace("\\<", "") or ":red[x]" in value for value in shown)


def test_an_old_tab_is_told_the_new_name_and_labels_nothing(app, make, data_folder: Path) -> None:
    """Its item belongs to the renamed project, not to a new one under the former name."""
    make(labels=3)
    tab, other = (app("label", project="demo") for _ in range(2))
    done(app, "Rename", name="junk")
    button(tab, "positive").click().run()
    for old in (tab, *(app(path, project="demo") for path in ("label", "progress", "report"))):
        assert "The project 'demo' is called 'junk' now" in plainly(old)
    assert reopened(data_folder, "junk").labels == 3
    make(labels=1)
    button(other, "positive").click().run()
    assert (reopened(data_folder, "demo").labels, reopened(data_folder, "junk").labels) == (1, 3)


def test_a_name_changed_by_another_program_is_noticed(app, make, data_folder: Path) -> None:
    session = make(labels=3)
    tab = app("label", project="demo")
    session.store.rename("demo", "elsewhere")
    button(tab, "positive").click().run()
    assert "There is no project 'demo'" in plainly(tab)
    assert reopened(data_folder, "elsewhere").labels == 3


def test_archived_projects_are_folded_away_at_the_end_and_come_back(app, make) -> None:
    make("one")
    make("two", labels=2)
    page = chosen(app, "Archive")
    assert "Nothing is deleted" in texts(page)
    button(page, "life-do").click().run()
    assert [one.label for one in page.expander] == ["Archived projects (1)"]
    assert not app("label", project="two").error
    assert "2 of 60 judged" in "".join(one.value for one in page.expander[0].text)
    back = page.expander[0].menu_button[0]
    assert back.options[0] == "Bring back" and "Archive" not in back.options
    back.set_value("Bring back").run()
    assert not page.expander and "'two' is back" in plainly(page)


@pytest.mark.parametrize("seed", ["fresh", "same"])
def test_duplicate(app, make, data_folder: Path, seed: str) -> None:
    first = make(labels=5)
    page = chosen(app, "Duplicate")
    assert "No label is copied" in texts(page)
    assert field(page, "life-name").value == "demo copy"
    field(page, "life-seed").set_value(seed)
    button(page, "life-do").click().run()
    assert "'demo copy' was made" in plainly(page)
    copy = reopened(data_folder, "demo copy")
    assert (copy.labels, copy.settings["question"]) == (0, "Spam?")
    assert (copy.plan == first.plan) == (seed == "same")
    assert copy.plan.with_seed(first.plan.seed) == first.plan


def test_finish_with_a_reason(app, make, data_folder: Path) -> None:
    make(labels=5)
    page = done(app, "Finish", reason="enough")
    assert "Its report is final" in plainly(page)
    session = reopened(data_folder, "demo")
    assert session.status == "finished"
    assert [e.text for e in session.events if e.kind == "finished"] == ["enough"]
    assert page.menu_button[0].options[5:] == [
        *("Rename", "Duplicate", "Go on longer", "Archive", "Erase")
    ]


def test_go_on_longer(app, make, data_folder: Path) -> None:
    make(labels=60)
    page = chosen(app, "Go on longer")
    assert field(page, "life-budget").value == 110
    field(page, "life-budget").set_value(90)
    button(page, "life-do").click().run()
    assert "continues to 90 labels" in plainly(page)
    assert reopened(data_folder, "demo").status == "open"


@pytest.mark.parametrize("budget", [60, 201])
def test_go_on_out_of_bounds(app, make, data_folder: Path, budget: int) -> None:
    make(labels=60)
    page = chosen(app, "Go on longer")
    field(page, "life-budget").set_value(budget).run()
    assert f"from 61 to 200 is needed here, and this is {budget}" in plainly(page)
    assert not [one for one in page.button if one.key == "life-do"]


def test_nothing_is_left_to_go_on_with(app, make) -> None:
    make(labels=3, budget=200)
    page = chosen(app, "Go on longer")
    assert "there is nothing to add" in texts(page)


def test_mended_words_are_shown_and_nothing_else_changes(app, make, data_folder: Path) -> None:
    session = make(labels=50)
    before = session.results()["accuracy"]
    page = chosen(app, "Correct the wording")
    field(page, "life-question").set_value("Is it  junk?").run()
    field(page, "life-meaning-1").set_value("all that was asked for").run()
    field(page, "life-words").set_value("free\n\n win \nfree").run()
    field(page, "life-patterns").set_value(r"\d+ \$")
    button(page, "life-do").click().run()
    assert "is corrected" in plainly(page)
    assert "Is it junk?" in texts(page)
    (event,) = [e for e in reopened(data_folder, "demo").events if e.kind == "reworded"]
    assert dict(event.detail) == {
        "question": "Is it junk?",
        "answer_words": ["", "all that was asked for"],
        "highlight": {"words": ["free", "win"], "patterns": [r"\d+ \$"]},
    }
    again = reopened(data_folder, "demo")
    assert again.settings["instructions"] == "Junk counts."
    assert again.results()["accuracy"] == before
    assert "Is it junk?" in texts(app("label", project="demo"))


def test_nothing_mended_is_no_event(app, make, data_folder: Path) -> None:
    make(labels=1)
    page = done(app, "Correct the wording")
    assert "Nothing was changed." in plainly(page)
    assert "reworded" not in {e.kind for e in reopened(data_folder, "demo").events}


def test_words_that_cannot_be_used(app, make, data_folder: Path) -> None:
    make(labels=1)
    page = chosen(app, "Correct the wording")
    for key, value, told in (
        ("life-question", "  ", "must not be empty"),
        ("life-patterns", "fine\n(open", "'(open' cannot be read"),
        ("life-words", "x" * 101, "may have at most 100 characters, got 101"),
        ("life-words", "\n".join(map(str, range(201))), "at most 200 words"),
    ):
        before = field(page, key).value
        field(page, key).set_value(value).run()
        button(page, "life-do").click().run()
        assert told in plainly(page)
        assert field(page, key).value == value
        field(page, key).set_value(before).run()
    assert "reworded" not in {e.kind for e in reopened(data_folder, "demo").events}


@pytest.mark.parametrize(
    "what",
    [
            "Rename", "Correct the wording", "Duplicate", "Go on longer", "Finish", "Archive",
            "Erase",
        ],
)  # fmt: skip
def test_cancel_changes_nothing(app, make, data_folder: Path, what: str) -> None:
    session = make(labels=3)
    before = session.store.project("demo"), session.store.events("demo")
    page = chosen(app, what)
    button(page, "life-cancel").click().run()
    assert not [one for one in page.button if one.key == "life-do"]
    assert (session.store.project("demo"), session.store.events("demo")) == before


@pytest.mark.parametrize("what", ["Correct the wording", "Go on longer", "Finish"])
def test_a_missing_file_is_a_sentence(app, make, items: Path, what: str) -> None:
    session = make(labels=3, here=True)
    items.unlink()
    assert session.store.items_folder is not None
    shutil.rmtree(session.store.items_folder)
    assert "no longer there" in plainly(chosen(app, what))
