"""Lines of a page: one in small letters, and one that opens."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.safe_text import plain

OPEN_AT_FIRST = False


def fold(
    title: str, key: str, inside: Callable[[], object], *, opened: bool = False
) -> DeltaGenerator | None:
    """A line called ``title``; what is ``inside`` is computed and sent only while it is open.
    Returns the place behind it, for more; None while it is closed."""
    first = opened or OPEN_AT_FIRST
    with st.expander(plain(title), first, key=key, on_change="rerun") as behind:
        if behind.open:
            inside()
    return behind if behind.open else None


def quiet(key: str, text: str) -> None:
    """Text in small letters, as the style sheet shows whatever is called quiet."""
    with st.container(key=f"quiet-{key}"):
        st.text(text)
