"""No traceback on the page: what happened, what is safe, what to do."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from labelcore.errors import (
    ProjectExistsError,
    RenamedProjectError,
    StoreError,
    UnknownProjectError,
)
from labelcore.ui import sessions
from labelcore.ui.plain import plain

PROBLEM = "problem"
NOT_STORED = "Your last press was not stored. "
UNEXPECTED = (
    "Something went wrong that Labelcore did not expect. Every label that the page called saved is "
    "in the store. Reload the page; if this comes back, the details are in the server's output."
)
log = logging.getLogger(__name__)


def sentence(error: Exception) -> str:
    """What to tell the person about an error, as literal text."""
    known = isinstance(error, (ValueError, TypeError, OSError))
    if not known or not str(error):
        log.exception("unexpected error", exc_info=error)
        return UNEXPECTED
    if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
        return f"{error.filename or 'A file'}: {error.strerror or error}. Check folder and disk."
    return str(error)


def next_step(error: Exception) -> str:
    """What is safe and what to do, where the error's own words do not say it."""
    if isinstance(error, RenamedProjectError):
        return ""
    if isinstance(error, UnknownProjectError):
        return "Nothing was changed. Choose a project on the start page."
    if isinstance(error, StoreError):
        return "Labels saved earlier are in that file. When the cause is mended, reload this page."
    if isinstance(error, ProjectExistsError):
        return (
            "The labels are safe in the store. Put back the file as it was when the project was "
            "made, then reload this page."
        )
    if isinstance(error, (FileNotFoundError, ValueError)):
        return "The labels are safe in the store. When the cause is mended, reload this page."
    return ""


def show(error: Exception) -> None:
    """The error as a box with a way on."""
    if isinstance(error, StoreError):
        sessions.forget()
    pressed = NOT_STORED if PROBLEM in st.session_state else ""
    st.error(plain(pressed + sentence(error)), icon=":material/error:")
    step = next_step(error)
    if step:
        st.text(step)
    if isinstance(error, RenamedProjectError):
        st.page_link(
            "pages/progress.py",
            label=f"Open {plain(error.name, 60)}",
            icon=":material/show_chart:",
            query_params={"project": error.name},
        )
    st.page_link("app.py", label="All projects", icon=":material/home:")


@contextmanager
def guard() -> Iterator[None]:
    """Around a page or a fragment."""
    try:
        yield
    except Exception as error:
        show(error)


def acting(callback: Callable[..., None]) -> Callable[..., None]:
    """A widget callback whose errors are kept for ``show_problem``."""

    @functools.wraps(callback)
    def run(*args: Any, **values: Any) -> None:
        st.session_state.pop(PROBLEM, None)
        try:
            callback(*args, **values)
        except Exception as error:
            if isinstance(error, StoreError):
                sessions.forget()
            st.session_state[PROBLEM] = sentence(error)

    return run


def show_problem() -> None:
    """The error of the last press, until the next press."""
    problem = st.session_state.get(PROBLEM)
    if problem:
        st.error(plain(f"{NOT_STORED}{problem}"), icon=":material/error:")
