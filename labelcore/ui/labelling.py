"""The labelling page: the next item first, then the figures, the chart last."""

from __future__ import annotations

import time

import streamlit as st

from labelcore.items import highlights_of
from labelcore.log.events import Draw
from labelcore.session.session import Session
from labelcore.ui import actions, people, sessions
from labelcore.ui.answers import answer_buttons, saved_line
from labelcore.ui.facts import counts, progress_line
from labelcore.ui.figures import show_figures
from labelcore.ui.guard import guard, show_problem
from labelcore.ui.item import HEIGHT, SHORT, show_item
from labelcore.ui.panels import opened_item, show_panel
from labelcore.ui.plain import one_line
from labelcore.ui.states import show_state
from labelcore.ui.times import clock, reader_zone

# What is sent within 10 ms is drawn together; the figures wait until the item is on its way.
ITEM_FIRST_SECONDS = 0.02


@st.fragment(key="labelling")
def labelling(project: str) -> None:
    """Drawn anew with each key; the page around it is not."""
    with guard():
        session = sessions.session(project)
        person = people.name(session)
        people.is_here(session)
        left, right = st.columns([60, 40], gap="medium")
        with left:
            judge(project, session, person)
        time.sleep(ITEM_FIRST_SECONDS)
        with right:
            show_figures(project, session)


def judge(project: str, session: Session, person: str) -> None:
    draw = session.next(person)
    if draw is None and people.release_gone(session):
        draw = session.next(person)
    panel = actions.panel(project)
    _head(session, person)
    if panel.get("name") == "open":
        opened_item(session, panel)
    elif draw is not None:
        actions.mark_shown(draw.token)
        show_item(
            session.item(draw),
            draw.token,
            SHORT if panel else HEIGHT,
            highlights_of(session.settings),
            session.population.path,
        )
    elif not panel:
        show_state(project, session)
    show_problem()
    if panel:
        show_panel(project, session, draw, panel, person)
        return
    if draw is not None:
        answer_buttons(project, session, draw)
    saved_line(project, session, person, draw, draw is not None and _flagged(session, draw))


def _head(session: Session, person: str) -> None:
    last = session.last_answer(person)
    saved = clock(last.at, reader_zone()) if last else None
    now = counts(session).together()
    with st.container(key="head", gap=None):
        with st.container(key="question"):
            st.text(one_line(session.settings.get("question") or session.project, 300))
        with st.container(key="line"):
            st.text(progress_line(now, saved))
        st.progress(now.share)


def _flagged(session: Session, draw: Draw) -> bool:
    return session.last_said(draw, "flagged") == "yes"
