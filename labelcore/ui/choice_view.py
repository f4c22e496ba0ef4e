"""A choice between candidates on the screen: the answer so far, who is in, who is out and why."""

from collections.abc import Callable

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.charts.lists import list_chart
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice
from labelcore.session.session import Session
from labelcore.ui.tables import reading_table

WHERE = "Where do they differ?"
ITEMS_TO_RANK = "Among the first so many of one list, and not of the other"


def lists_panel(
    session: Session, lists: ListDifference, draw: Callable[[Chart, str, str], None]
) -> None:
    """The band in full, its table, and the items on which the lists differ."""
    if not lists.has_interval:
        st.text(f"The band comes later: {lists.missing}.")
    else:
        draw(list_chart(lists), "lists", "The difference as a table")
    st.header(WHERE, anchor=False)
    last = int(lists.x[-1])
    rank = st.number_input(ITEMS_TO_RANK, 1, last, min(100, last), key="list-items-rank")
    reading_table(session.list_items(int(rank)), "list-items")


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


def choice_panel(session: Session, choice: Choice, draw: Callable[[Chart, str, str], None]) -> None:
    """The candidates with their bounds now, and how the bounds moved."""
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
