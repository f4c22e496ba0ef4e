"""Buttons that do what a refusal on New project advises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from labelcore.ui import draft
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.plain import plain


@dataclass(frozen=True)
class WayOut:
    """What a button says, and what the inputs of the page show once it is pressed."""

    words: str
    draft: ProjectDraft


def refuse(fault: str, ways: Sequence[WayOut], *, asks: bool = False) -> None:
    """Why the page does not go on, and a button for each way out; ``asks`` where nothing is wrong
    and only something still to be chosen."""
    (st.info if asks else st.error)(plain(fault))
    with st.container(horizontal=True, key="new-ways-out"):
        for place, way in enumerate(ways):
            words = plain(way.words[:1].upper() + way.words[1:])
            key = f"new-way-out-{place}"
            st.button(words, key=key, on_click=draft.begin, args=(way.draft,))
