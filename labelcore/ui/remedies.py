"""Buttons that do what a refusal on New project advises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelcore.ui.plain import plain


@dataclass(frozen=True)
class WayOut:
    """What a button says, and what the inputs of the page show once it is pressed, by their keys;
    None takes back what was chosen there."""

    words: str
    inputs: Mapping[str, Any]


def refuse(fault: str, ways: Sequence[WayOut], *, asks: bool = False) -> None:
    """Why the page does not go on, and a button for each way out; ``asks`` where nothing is wrong
    and only something still to be chosen."""
    (st.info if asks else st.error)(plain(fault))
    with st.container(horizontal=True, key="new-ways-out"):
        for place, way in enumerate(ways):
            words = way.words[:1].upper() + way.words[1:]
            st.button(plain(words), key=f"new-way-out-{place}", on_click=put, args=(way.inputs,))


def put(inputs: Mapping[str, Any]) -> None:
    for key, value in inputs.items():
        if value is None:
            st.session_state.pop(key, None)
        else:
            st.session_state[key] = value


def known_key() -> str | None:
    """The key of the question where the known answers come from, if it is asked."""
    keys = [str(key) for key in st.session_state if str(key).startswith("new-known-")]
    return next((key for key in keys if not key.startswith("new-known-column-")), None)
