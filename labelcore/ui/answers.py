"""The answer buttons: a screen's token in each key and each argument."""

from __future__ import annotations

import streamlit as st

from labelcore.log import Draw
from labelcore.session import Session
from labelcore.ui import actions
from labelcore.ui.facts import shown_word
from labelcore.ui.plain import one_line, plain

KINDS = {"positive": "primary", "negative": "secondary"}
OTHER_ANSWERS = (("unsure", "S"), ("later", "L"), ("broken", "B"))


def classes_in_order(session: Session) -> list[tuple[str, str, str]]:
    """(class, key, place), the positive one first; ``place`` is part of a widget's key."""
    positive = session.population.positive
    others = [name for name in session.population.classes if name != positive]
    return [(positive, "Y", "positive"), *((name, "N", "negative") for name in others[:1])]


def answer_buttons(project: str, session: Session, draw: Draw) -> None:
    with st.container(horizontal=True, key="answers"):
        for name, key, place in classes_in_order(session):
            _button(project, draw, name, key, place)
        for name, key in OTHER_ANSWERS:
            _button(project, draw, name, key, name)


def _button(project: str, draw: Draw, answer: str, key: str, place: str) -> None:
    st.button(
        plain(shown_word(answer), 40),
        key=f"{place}-{draw.token}",
        shortcut=key,
        type=KINDS.get(place, "tertiary"),
        on_click=actions.press,
        args=(project, draw.token, answer),
    )


def saved_line(project: str, session: Session, draw: Draw | None, flagged: bool) -> None:
    """What was saved last, and everything that is not an answer."""
    last = session.last_answer()
    with st.container(horizontal=True, key="tools", vertical_alignment="center"):
        with st.container(key="saved", width="content"):
            hint = st.session_state.get(actions.HINT)
            said = f"Saved · {shown_word(last.label or last.kind)}" if last else "Nothing saved yet"
            st.text(hint or one_line(said, 60))
        st.button(
            "Undo",
            key=f"undo-{last.sequence if last else 0}",
            shortcut="U",
            type="tertiary",
            disabled=last is None or session.status == "finished",
            on_click=actions.take_back,
            args=(project, last.sequence if last else 0),
        )
        if draw is not None:
            st.button(
                "Unflag" if flagged else "Flag",
                key=f"flag-{draw.token}-{flagged}",
                shortcut="F",
                type="tertiary",
                on_click=actions.flag,
                args=(project, draw.index, not flagged),
            )
            _opens("Note", "M", "note", project, index=draw.index)
        _opens("Help", "H", "help", project)
        _opens("History", None, "history", project)
        if session.status != "finished":
            _opens("Finish", None, "finish", project)


def _opens(label: str, key: str | None, name: str, project: str, **values: object) -> None:
    st.button(
        label,
        key=f"open-{name}",
        shortcut=key,
        type="tertiary",
        on_click=actions.open_panel,
        args=(name,),
        kwargs={"project": project, **values},
    )
