"""What the browser must do itself: drop held keys, enter a reason, let go of a fold."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.ui.scripts import text_of


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_keys", js=text_of("keys.js"))


def watch_keys() -> None:
    """Once on a page with keys, outside the part that is drawn anew with each label."""
    with st.container(key="watch-keys"):
        _component()(key="labelcore-keys", height=1)
