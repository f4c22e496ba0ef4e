"""A form made from a design's Params: its fields, their helps and limits."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

import streamlit as st

from labelcore.designs import Design
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain


def params_form(design: Design) -> dict[str, Any] | None:
    """Values that differ from the defaults; None while one is out of bounds."""
    given, sound = {}, True
    for item in fields(design.Params):
        value = parameter_input(design.name, item)
        if not isinstance(value, str):
            sound &= within(value, item.metadata["low"], item.metadata["high"])
        if value != item.default:
            given[item.name] = value
    return given if sound else None


def parameter_input(design: str, item: Field[Any]) -> Any:
    """One input; an empty one means the default None."""
    words = item.name.replace("_", " ")
    label = plain(f"{words}: {item.metadata['help']}")
    kept = {"key": f"new-param-{design}-{item.name}", "persist_state": "session"}
    if isinstance(item.default, str) or (item.default is None and item.metadata["low"] is None):
        text = st.text_input(label, item.default or "", **kept).strip()
        return text or item.default
    if "float" in str(item.type):
        return st.number_input(label, value=item.default, step=0.05, **kept)
    value = st.number_input(label, value=item.default, step=1, **kept)
    return None if value is None else int(value)
