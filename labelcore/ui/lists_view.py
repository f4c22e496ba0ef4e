"""Two ranked lists on the screen: where one is better, the band, and the items they differ on."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.lists import list_chart
from labelcore.results.lists import ListDifference
from labelcore.session.session import Session
from labelcore.ui.tables import reading_table

WHERE = "Where do they differ?"
ITEMS_TO_RANK = "Among the first so many of one list, and not of the other"


def lists_of(session: Session) -> ListDifference | None:
    """The difference of two lists that the plan asks for, as it stands now; None for others."""
    found = (one for one in session.results().values() if isinstance(one, ListDifference))
    return next(found, None)


def lists_panel(session: Session, draw: Callable[[Chart, str, str], None]) -> None:
    """The band in full, its table, and the items on which the lists differ."""
    found = lists_of(session)
    if found is None:
        return
    if not found.has_interval:
        st.text(f"The band comes later: {found.missing}.")
    else:
        draw(list_chart(found), "lists", "The difference as a table")
    st.header(WHERE, anchor=False)
    last = int(found.x[-1])
    rank = st.number_input(ITEMS_TO_RANK, 1, last, min(100, last), key="list-items-rank")
    reading_table(session.list_items(int(rank)), "list-items")
