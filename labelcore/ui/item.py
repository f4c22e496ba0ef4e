"""The item on screen: nothing of its content runs, is fetched or changes the page."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd
import streamlit as st

from labelcore.items import (
    Folders,
    Form,
    Grid,
    Highlights,
    Layout,
    Part,
    Picture,
    Refusal,
    Text,
    lay_out,
    marked,
    right_to_left,
)
from labelcore.ui.item_style import ITEM_STYLE
from labelcore.ui.plain import JOINER, one_line, plain
from labelcore.ui.sessions import data_folder

HEIGHT, SHORT = 380, 210


def show_item(
    content: Mapping[str, str],
    token: str,
    height: int = HEIGHT,
    highlights: Highlights | None = None,
    items_file: Path | None = None,
) -> None:
    """The item in a box that scrolls: a pair side by side, else title, fields and body.

    Paths of pictures are looked up beside ``items_file``, then in the data folder.
    """
    folders = Folders(data_folder(), items_file.parent if items_file else None)
    layout = lay_out(content, folders, highlights)
    # A new key for each item: the box starts at its top again.
    box = st.container(key="item").container(border=True, height=height, key=f"box-{token}")
    with box:
        if needs_style(layout):
            st.html(ITEM_STYLE)
        bodies = sum(part.role == "body" for row in layout.rows for part in row)
        for row in layout.rows:
            if row[0].role == "field":
                show_fields(row)
                continue
            if row[0].role == "title":
                with st.container(key="title"):
                    show_form(row[0].form)
                continue
            if len(row) == 1:
                show_part(row[0], named=bodies > 1)
                continue
            for place, part in zip(st.columns(len(row)), row, strict=True):
                with place:
                    show_part(part, named=True)
        for note in layout.notes:
            st.caption(plain(note))


def needs_style(layout: Layout) -> bool:
    """Whether anything is marked, written from right to left, or a picture of many pixels."""
    forms = [part.form for row in layout.rows for part in row]
    return any(
        (isinstance(form, Text) and (bool(form.marks) or right_to_left(form.text)))
        or (isinstance(form, Picture) and form.smooth)
        for form in forms
    )


def show_fields(row: Sequence[Part]) -> None:
    """Short facts: plain ones on one line, marked ones below it."""
    forms = {part.name: part.form for part in row if isinstance(part.form, Text)}
    simple = {name: form for name, form in forms.items() if not form.marks and not form.note}
    with st.container(key="fields"):
        said = [
            f"{one_line(name, 80)}: {one_line(form.text, 200)}" for name, form in simple.items()
        ]
        if said:
            st.text(" · ".join(said))
        for part in row:
            if part.name not in simple:
                show_part(part, named=True)


def show_part(part: Part, named: bool) -> None:
    if named:
        st.caption(plain(part.name, 80) or "(no name)")
    show_form(part.form)


def show_form(form: Form) -> None:
    match form:
        case Text():
            show_text(form)
        case Grid():
            table = pd.DataFrame(list(form.rows), columns=list(form.columns), dtype="str")
            st.dataframe(table, hide_index=True, height="content")
            show_note(form.note)
        case Picture():
            st.image(form.data, width="content", alt="the item to judge")
            show_note(form.note)
        case Refusal():
            st.warning(plain(form.sentence), icon=":material/broken_image:")
            st.caption("If you cannot judge without the picture, answer Broken (B).")


def show_text(form: Text) -> None:
    show_note(form.note)
    if form.marks:
        st.html(marked(form.text, form.marks))
    else:
        # As wide as the box where it has a right side to stand at.
        width: Literal["stretch", "content"] = "stretch" if right_to_left(form.text) else "content"
        st.text(whole(form.text) if form.text.strip() else "(empty)", width=width)


def show_note(note: str) -> None:
    if note:
        st.caption(plain(note))


def whole(value: str) -> str:
    """The text such that ``st.text``, which cuts white space at both ends, shows all of it.

    >>> whole("if x:"), whole("    if x:") == f"{JOINER}    if x:{JOINER}"
    ('if x:', True)
    """
    return value if textwrap.dedent(value).strip() == value else f"{JOINER}{value}{JOINER}"
