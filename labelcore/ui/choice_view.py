"""A choice between candidates on the screen: the answer so far, who is in, who is out and why."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.results.types import Choice
from labelcore.session.session import Session

HOW = (
    "The dashed line is the wanted precision, the dotted line the lowest still tolerated. "
    "'Good': shown to be as precise as wanted; 'acceptable': shown to be as precise as is "
    "tolerated; 'still open': neither yet. 'Out' is for this choice only: the candidate's bounds "
    "rule out the wanted precision, or another one is shown to find about as much as it could, up "
    "to the share that may be lost. The lower ends hold for all candidates together and at every "
    "look; an upper end, and with it 'out', holds for a candidate that somebody had in mind "
    "beforehand."
)
LATER = "This picture starts with the second label."


def choice_of(session: Session) -> Choice | None:
    """The choice that the plan asks for as it stands now; None for other plans."""
    found = (one for one in session.results().values() if isinstance(one, Choice))
    return next(found, None)


def choice_panel(session: Session, draw: Callable[[Chart, str, str], None]) -> None:
    """The candidates with their bounds now, and how the bounds moved; nothing for other plans."""
    choice = choice_of(session)
    if choice is None:
        return
    st.caption(HOW)
    draw(candidates_chart(choice), "candidates", "The candidates as a table")
    st.header("Their bounds, label by label", anchor=False)
    looks = session.looks()
    if len({look["labels"] for look in looks}) < 2:
        st.text(LATER)
        return
    draw(
        moving_bounds_chart(looks, choice.estimand, choice),
        "moving-bounds",
        "The bounds as a table",
    )
