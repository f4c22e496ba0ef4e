"""The page that shows what comes with methods: guarded by what it is about."""

from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from labelcore.access import Right
from labelcore.designs.registry import Page, pages
from labelcore.papers import compare_page
from labelcore.team.roles import RIGHTS, Role
from labelcore.ui import visitor, whole_pages
from tests.app.conftest import texts

DRAWN = "The page is drawn."


def of_methods(monkeypatch: pytest.MonkeyPatch) -> dict[str, Page]:
    """The pages that there are, and one about a project."""
    show = "labelcore.papers.compare_page:compare_page"
    found = {**pages(), "own": Page("own", "Own", show, "Own", "", f"{show} offers it")}
    monkeypatch.setattr(whole_pages, "pages", lambda: found)
    return found


@pytest.mark.parametrize("role", list(Role))
def test_a_page_of_a_method_asks_for_the_right_of_what_it_is_about(
    role: Role, app: Callable[..., AppTest], make: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    monkeypatch.setattr(visitor, "came", lambda: f"start {role}")
    monkeypatch.setattr(compare_page, "compare_page", lambda *given: st.text(DRAWN))
    for name, page in of_methods(monkeypatch).items():
        test = app("method", page=name, project="demo")
        allowed = (Right.SEE if page.of_project else Right.RUN) in RIGHTS[role]
        assert (DRAWN in texts(test)) == allowed
        assert ("You are here as" in texts(test)) != allowed


def test_a_page_that_no_method_has(app: Callable[..., AppTest]) -> None:
    for named in ({}, {"page": "nobody"}):
        test = app("method", **named)
        assert test.title[0].value == whole_pages.TITLE
        assert "not installed here" in test.info[0].value


def test_a_page_about_a_project_without_one(
    app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_methods(monkeypatch)
    assert "No project is named" in app("method", page="own").info[0].value
