"""What the browser must do itself: drop held keys, enter a reason, let go of a fold."""

import streamlit as st

from labelcore.ui.scripts import component, text_of


def watch_keys() -> None:
    """Once on a page with keys, outside the part that is drawn anew with each label."""
    with st.container(key="watch-keys"):
        component("keys", js=text_of("keys.js"))(key="labelcore-keys", height=1)
