"""What the buttons of the labelling page do; every position comes from the store."""

from __future__ import annotations

import secrets
import time
from typing import Any

import streamlit as st

from labelcore.errors import LateAnswerError
from labelcore.log.events import Event, answer_word
from labelcore.session.session import Session
from labelcore.ui import people, sessions
from labelcore.ui.guard import acting

SHORTEST_LOOK = 0.150
PANEL, SHOWN, HINT = "panel", "shown", "hint"
TOO_LATE = "That press came too late and was not stored: look at the item shown now."
TOO_QUICK = "Too quick: that item had only just appeared. Look, then press again."


def mark_shown(token: str) -> None:
    """Remember when an item was first put on this screen."""
    if st.session_state.get(SHOWN, ("", 0.0))[0] != token:
        st.session_state[SHOWN] = (token, time.monotonic())


def too_quick(token: str) -> bool:
    """Whether the item has been on the screen for less than the shortest look."""
    shown, since = st.session_state.get(SHOWN, ("", 0.0))
    return bool(shown == token and time.monotonic() - since < SHORTEST_LOOK)


def gone(token: str) -> bool:
    """Whether this screen was sent another item after the one pressed on: its text may be there
    already while the old buttons still are."""
    shown = st.session_state.get(SHOWN)
    return shown is not None and shown[0] != token


def hint(text: str | None) -> None:
    if text is None:
        st.session_state.pop(HINT, None)
    else:
        st.session_state[HINT] = text


@acting
def press(project: str, token: str, answer: str) -> None:
    """Answer the item shown; a second press of the same item changes nothing."""
    session = sessions.session(project)
    if gone(token):
        first = session.state.answered.get(token)
    elif too_quick(token):
        hint(TOO_QUICK)
        return
    else:
        first = _answered(session, token, answer)
    hint(None if first is not None and answer_word(first) == answer else TOO_LATE)


def _answered(session: Session, token: str, answer: str) -> Event | None:
    """The event that answers the item, this press or an earlier one; None where it came too
    late."""
    try:
        return session.answer(token, answer, annotator=people.name(session))
    except LateAnswerError:
        return None


@acting
def take_back(project: str, sequence: int) -> None:
    """Undo the answer that this screen called the last one."""
    session = sessions.session(project)
    person = people.name(session)
    hint(None)
    session.sync()
    last = session.last_answer(person)
    if last is not None and last.sequence == sequence:
        session.undo(person)


@acting
def open_panel(name: str, **values: Any) -> None:
    st.session_state[PANEL] = {"name": name, "token": secrets.token_hex(12), **values}


@acting
def close_panel() -> None:
    st.session_state.pop(PANEL, None)


@acting
def flag(project: str, index: int, flagged: bool) -> None:
    session = sessions.session(project)
    session.flag(index, flagged, people.name(session))


@acting
def save_note(project: str, index: int, key: str) -> None:
    session = sessions.session(project)
    session.note(index, str(st.session_state.get(key, "")), people.name(session))
    st.session_state.pop(PANEL, None)
    hint("Note saved.")


@acting
def change(project: str, index: int, answer: str, token: str) -> None:
    """Change an earlier answer; ``token`` was minted when it was opened."""
    session = sessions.session(project)
    session.revise(index, answer, token, annotator=people.name(session))
    st.session_state[PANEL] = {"name": "history", "project": project}


@acting
def finish(project: str, key: str | None = None) -> None:
    reason = st.session_state.get(key) if key else None
    session = sessions.session(project)
    session.finish(str(reason or ""), people.name(session))
    st.session_state.pop(PANEL, None)


@acting
def go_on(project: str, key: str) -> None:
    session = sessions.session(project)
    more = int(st.session_state.get(key, 0))
    answered = session.engine.answers_given
    budget = min(answered + more, session.engine.most)
    session.extend(budget=budget, annotator=people.name(session))
    st.session_state.pop(PANEL, None)


@acting
def second_pass(project: str, items: int) -> None:
    session = sessions.session(project)
    session.second_pass(items, people.name(session))


def panel(project: str) -> dict[str, Any]:
    """The panel that is open on this project; empty when none is."""
    found = st.session_state.get(PANEL) or {}
    return found if found.get("project", project) == project else {}
