"""The item on screen, literally."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import streamlit as st

from labelcore.ui.images import picture
from labelcore.ui.plain import JOINER, plain

HEIGHT, SHORT = 380, 210


def show_item(content: Mapping[str, str], token: str, height: int = HEIGHT) -> None:
    """Each column of the item; two columns stand side by side under their names."""
    # A new key for each item: the box starts at its top again.
    box = st.container(key="item").container(border=True, height=height, key=f"box-{token}")
    with box:
        if len(content) == 1:
            show_value(next(iter(content.values())))
        elif len(content) == 2:
            for place, (name, value) in zip(st.columns(2), content.items(), strict=True):
                with place:
                    show_named(name, value)
        else:
            for name, value in content.items():
                show_named(name, value)


def show_named(name: str, value: str) -> None:
    st.caption(plain(name, 80) or "(no name)")
    show_value(value)


def show_value(value: str) -> None:
    image = picture(value)
    if image is not None:
        st.image(image, width="content", alt="the item to judge")
    elif value.strip():
        st.text(whole(value))
    else:
        st.text("(empty)")


def whole(value: str) -> str:
    """The text such that ``st.text``, which cuts white space at both ends, shows all of it.

    >>> whole("if x:"), whole("    if x:") == f"{JOINER}    if x:{JOINER}"
    ('if x:', True)
    """
    return value if textwrap.dedent(value).strip() == value else f"{JOINER}{value}{JOINER}"
