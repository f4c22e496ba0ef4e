"""Presses: each asks for a right, and what goes wrong is told in a sentence until it is done."""

from __future__ import annotations

import functools
import inspect
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from labelcore.access import Right
from labelcore.errors import StoreBusyError, StoreError, StoreFullError
from labelcore.safe_text import plain
from labelcore.ui import sessions, visitor

if TYPE_CHECKING:
    from labelcore.session.session import Session

PROBLEM = "problem"
AGAIN_SECONDS = 2.0
WAITING, TRIED = "waiting press", "tried again"
NOT_YET = "Your last press is not stored yet. Labelcore tries it again by itself. "
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
        where = error.filename or "A file"
        return f"{where}: {error.strerror or error}. Check the folder and the disk."
    return str(error)


def reopen(error: Exception) -> None:
    """After an error of the store open it anew: it may have been mended or put back. One that is
    locked or full goes on by itself."""
    if isinstance(error, StoreError) and not isinstance(error, (StoreBusyError, StoreFullError)):
        sessions.forget()


Callback = Callable[..., None]


def acting(right: Right) -> Callable[[Callback], Callback]:
    """A widget callback for those who have this right, which is asked at each press. Its errors
    are kept for ``show_problem``; where the store was locked it is kept too, to be tried again."""
    return lambda callback: _asking(callback, right)


def _asking(callback: Callback, right: Right) -> Callback:
    @functools.wraps(callback)
    def run(*args: Any, **values: Any) -> None:
        st.session_state.pop(PROBLEM, None)
        st.session_state.pop(WAITING, None)
        try:
            visitor.require(right, _project_of(callback, args, values))
            callback(*args, **values)
        except Exception as error:
            reopen(error)
            st.session_state[PROBLEM] = sentence(error)
            if isinstance(error, StoreBusyError):
                st.session_state[WAITING] = functools.partial(run, *args, **values)

    return run


def _project_of(callback: Callback, args: Any, values: Mapping[str, Any]) -> str | None:
    """The project that a press acts on; None where it names none."""
    named = list(inspect.signature(callback).parameters)
    if "project" in named and named.index("project") < len(args):
        return str(args[named.index("project")])
    return str(values["project"]) if "project" in values else None


def button(label: str, key: str, act: Callback, *about: Any, **more: Any) -> None:
    """A button that calls ``act`` with what it is ``about``; ``more`` is Streamlit's."""
    st.button(label, key=key, on_click=act, args=about, **more)


def try_again_later() -> None:
    """Every other second, until it is done: the press that waits, else the whole page."""
    st.session_state[TRIED] = time.monotonic()
    _try_again()


@st.fragment(run_every=AGAIN_SECONDS)
def _try_again() -> None:
    if time.monotonic() - st.session_state.get(TRIED, 0.0) < AGAIN_SECONDS / 2:
        return  # drawn just now, with the page
    waiting = st.session_state.get(WAITING) if PROBLEM in st.session_state else None
    if waiting is not None:
        waiting()
        st.session_state[TRIED] = time.monotonic()
    if WAITING not in st.session_state:
        st.rerun()


def show_unrecorded(session: Session) -> None:
    """That the figures on this page were looked at and the log does not say so."""
    if session.unrecorded:
        st.warning(plain(f"This look is not recorded. {session.unrecorded}"))


def show_unsafe() -> None:
    """That labels are stored, and not as safe as they should be."""
    if sessions.store().problem:
        st.warning(plain(sessions.store().problem), icon=":material/health_and_safety:")


def show_problem() -> None:
    """The error of the last press, until the next press or until it is done."""
    problem = st.session_state.get(PROBLEM)
    if problem and WAITING in st.session_state:
        st.warning(plain(f"{NOT_YET}{problem}"), icon=":material/hourglass_top:")
        try_again_later()
    elif problem:
        st.error(plain(f"{NOT_STORED}{problem}"), icon=":material/error:")
