"""The page that shows what comes with methods: guarded by what it is about."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from labelcore.access import Right
from labelcore.designs.registry import pages
from labelcore.papers import compare_page
from labelcore.papers.oversampling import waves_page
from labelcore.team.roles import RIGHTS, Role
from labelcore.ui import visitor
from tests.app.conftest import texts

DRAWN = "The page is drawn."


@pytest.mark.parametrize("role", list(Role))
def test_a_page_of_a_method_asks_for_the_right_of_what_it_is_about(
    role: Role, app: Callable[..., AppTest], make: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    make()
    monkeypatch.setattr(visitor, "came", lambda: f"start {role}")
    for module, name in ((compare_page, "compare_page"), (waves_page, "waves_page")):
        monkeypatch.setattr(module, name, lambda *given: st.text(DRAWN))
    for name, page in pages().items():
        test = app("method", page=name, project="demo")
        allowed = (Right.SEE if page.of_project else Right.RUN) in RIGHTS[role]
        assert not test.exception
        assert (DRAWN in texts(test)) == allowed
        assert ("You are here as" in texts(test)) != allowed


def test_a_page_that_no_method_has(app: Callable[..., AppTest]) -> None:
    for named in ({}, {"page": "nobody"}):
        test = app("method", **named)
        assert not test.exception
        assert "not installed here" in test.info[0].value


def test_a_page_about_a_project_without_one(app: Callable[..., AppTest]) -> None:
    assert "No project is named" in app("method", page="waves").info[0].value
