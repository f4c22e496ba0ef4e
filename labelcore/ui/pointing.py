"""The cut moved in the picture of the curve itself: pressed to a place, or dragged there.

While the pointer is down the browser alone draws where the cut would be; the rank is sent when it
is lifted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.charts.design import DARK, LIGHT
from labelcore.ui.scripts import constants, text_of

CHART = "explore-curve"
HINT = "Press or drag in the picture to move the cut."
# A curve along the ranks: the rank below the pointer. Two readings against each other: the rank of
# the nearest point, which the drawn line carries as ``customdata``.
SCRIPT = constants(
    CHART=f".st-key-{CHART}", GREY=f"light-dark({LIGHT.quiet}, {DARK.quiet})"
) + text_of("pointing.js")


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_cut", js=SCRIPT)


def watch_pointer(key: str, most: int, cut: int | None, move: Callable[[int], None]) -> None:
    """Listen in the chart of the key ``CHART``; ``move`` is called with the rank pressed, at most
    ``most``; where that is 0 nothing can be pressed."""
    with st.container(key="keys"):
        _component()(
            key=key,
            data={"most": most, "cut": cut},
            height=1,
            on_moved_change=partial(_moved, key, most, move),
        )


def _moved(key: str, most: int, move: Callable[[int], None]) -> None:
    sent = st.session_state[key]["moved"]
    # A page that redraws itself may deliver one press twice.
    if not sent or sent["press"] == st.session_state.get(f"{key}-press"):
        return
    st.session_state[f"{key}-press"] = sent["press"]
    if most:
        move(min(max(int(sent["rank"]), 1), most))
