"""What a person is called: asked once somebody else is there, and changed under Help."""

from __future__ import annotations

import streamlit as st

from labelcore.promises import Status
from labelcore.session.session import LONGEST_NAME, Session
from labelcore.ui import people, sessions
from labelcore.ui.guard import acting
from labelcore.ui.trying import is_trial

ASK = "Somebody else judges items here, too. What is your name?"
NAME = "who-name"


def several_people(session: Session) -> bool:
    """Whether more than one browser has come to a project that is no trial."""
    return not is_trial(session) and len(session.store.people(session.project)) > 1


def ask_name(project: str, session: Session, person: str) -> None:
    """Ask whoever has no name yet, where there are others."""
    asked = session.status != Status.FINISHED and person not in session.settings.get("names", {})
    if asked and several_people(session):
        name_form(project, session, person, ASK)


def name_form(project: str, session: Session, person: str, label: str) -> None:
    """A name to type, and the button that keeps it."""
    with st.container(horizontal=True, key="who", vertical_alignment="bottom"):
        known = session.called(person)
        value = "" if known == person else known
        st.text_input(label, value=value, max_chars=LONGEST_NAME, key=NAME)
        st.button("Keep the name", key="who-keep", on_click=keep, args=(project,))


@acting
def keep(project: str) -> None:
    """Keep what was typed as the name of this browser's person."""
    name = str(st.session_state.get(NAME) or "").strip()
    if name:
        session = sessions.session(project)
        session.introduce(name, people.name(session))
