"""What stands behind a line that opens."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from labelcore.ui.plain import plain

OPEN_AT_FIRST = False


def fold(title: str, key: str, inside: Callable[[], object]) -> None:
    """A line called ``title``; what is ``inside`` is computed and sent only while it is open."""
    with st.expander(plain(title), OPEN_AT_FIRST, key=key, on_change="rerun") as behind:
        if behind.open:
            inside()
