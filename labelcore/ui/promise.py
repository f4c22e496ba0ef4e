"""The promise of a trial's interval as a picture: other sessions of its plan, simulated."""

from __future__ import annotations

import streamlit as st

from labelcore.charts.living import bars
from labelcore.charts.sessions import sessions_strip
from labelcore.session.session import Session
from labelcore.trials.reveal import how_often
from labelcore.ui.facts import figure_name
from labelcore.ui.living import Picture
from labelcore.ui.picture import show_picture
from labelcore.ui.trying import reveals, simulated

SIMULATED = "{hit} of {sessions} simulated sessions like yours hit the truth; promised: {promised}."


def show_promise(session: Session) -> None:
    """How often sessions like this finished trial hit the truth; nothing elsewhere."""
    first = next(iter(reveals(session)), None)
    if first is None or first.estimate.confidence is None:
        return
    intervals = simulated(session)
    hit = sum(low <= first.truth <= high for low, high in intervals)
    promised = how_often(first.estimate.confidence)[0]
    said = SIMULATED.format(hit=hit, sessions=len(intervals), promised=promised)
    chart = sessions_strip(intervals, first.truth, figure_name(first.estimate), said)
    show_picture("twenty", Picture(bars([]), chart, (), "", ""))
    with st.container(key="quiet-twenty"):
        st.text(said)
