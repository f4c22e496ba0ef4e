"""What a person is called: asked once somebody else is there, and changed under Help.

A browser that has a name in one project of the data folder is called so in the others, too. Whoever
comes by a person's link or a login has that name, and no other.
"""

import streamlit as st

from labelcore.access import NotAllowedError, Right
from labelcore.session.managing import called_elsewhere
from labelcore.session.session import LONGEST_NAME, Session
from labelcore.ui import people, sessions, visitor
from labelcore.ui.door import entrance
from labelcore.ui.presses import acting, button
from labelcore.ui.trying import is_trial

ASK = "Someone else judges items here too. What is your name?"
GIVEN = "Your name here comes from your link or login: {name}."
OWN = "name must be your own: another person is called {name!r}"
NAME, CARRIED = "who-name", "who-carried"


def several_people(session: Session) -> bool:
    """Whether more than one person has come to a project that is no trial."""
    if is_trial(session):
        return False
    return len(session.store.people(session.project)) > 1 or entrance().knows_others()


def is_asked(session: Session, person: str) -> bool:
    """Whether somebody has no name yet, where there are others."""
    named = visitor.name_of_login() or person in session.settings.get("names", {})
    return not session.status.over and not named and several_people(session)


def ask_name(project: str, session: Session, person: str) -> None:
    """Ask whoever has no name yet, in this project or another one."""
    if is_asked(session, person) and not carried(session, person):
        name_form(project, session, person, ASK)


def carried(session: Session, person: str) -> bool:
    """Whether this browser has a name in another project, and takes it here; looked for once."""
    secret, looked = people.secret(), (session.project, person)
    if secret is None or st.session_state.get(CARRIED) == looked:
        return False
    st.session_state[CARRIED] = looked
    name = called_elsewhere(session.store, secret, session.project)
    try:
        if name:
            introduce(session, name, person)
    except ValueError:  # Somebody else is called so here: then it is asked.
        return False
    return bool(name)


def name_form(project: str, session: Session, person: str, label: str) -> None:
    """A name to type, kept by Enter or by the button; for a name that is given, what it is."""
    if given := visitor.name_of_login():
        st.text(GIVEN.format(name=given))
        return
    with st.container(horizontal=True, key="who", vertical_alignment="center"):
        known = session.called(person)
        value = "" if known == person else known
        st.caption(label, width="content")
        st.text_input(
            label, value, LONGEST_NAME, key=NAME, on_change=keep, args=(project,),
            label_visibility="collapsed",
        )  # fmt: skip
        button("Keep the name", "who-keep", keep, project)


@acting(Right.JUDGE)
def keep(project: str) -> None:
    """Keep what was typed as the name of this browser's person."""
    if visitor.name_of_login():
        raise NotAllowedError(GIVEN.format(name=visitor.name_of_login()))
    name = str(st.session_state.get(NAME) or "").strip()
    session = sessions.session(project)
    person = people.name(session)
    if name and name != session.called(person):  # Enter and the button may both arrive.
        introduce(session, name, person)


def introduce(session: Session, name: str, person: str) -> None:
    """Give this browser a name. ValueError for one that somebody with a link or a login has."""
    if entrance().is_taken(name):
        raise ValueError(OWN.format(name=name))
    session.introduce(name, person)
