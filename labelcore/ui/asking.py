"""Inputs of New project, each of which shows a field of the draft and changes it, and refusals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from labelcore.safe_text import plain
from labelcore.ui.draft import Draft, ProjectDraft
from labelcore.ui.fields import FIELDS, Field
from labelcore.ui.params import as_inputs, within
from labelcore.ui.presses import button

DRAFT, INPUTS = "project draft", "new-"
"""Where the draft of this visitor is kept, and how the key of each input begins."""
Drawn = Callable[[Field, dict[str, Any]], Any]


def current() -> Draft:
    """The draft of this visitor."""
    if DRAFT not in st.session_state:
        put(None)
    draft: Draft = st.session_state[DRAFT]
    return draft


def put(draft: Draft | None) -> None:
    """Go on with another draft; with None begin anew."""
    st.session_state[DRAFT] = draft or Draft()


def begin(changes: ProjectDraft) -> None:
    """Let New project show what another page or a button has chosen."""
    current().begin(as_inputs(changes))


def ask(row: str | Field, take: Callable[[Any], None] | None = None, **changes: Any) -> Any:
    """Draw an input, and return what it shows.

    row       of the table, or its name there
    take      what a choice does; by itself the draft takes it
    changes   of the row, where the file decides them
    """
    row = replace(FIELDS[row] if isinstance(row, str) else row, **changes)
    name = (row.key or row.name).replace("_", "-")
    key = f"{INPUTS}{name}" + (f"-{row.part}" if row.part else "")
    value = row.shown(current())
    # A browser tells a choice by its words, which may have changed since they were drawn.
    if row.widget in ("cards", "stops") or st.session_state.get(key, row.first) != value:
        st.session_state[key] = value
    arguments: dict[str, Any] = {"key": key, "on_change": _take, "args": (row, key, take)}
    return WIDGETS[row.widget](row, {**arguments, **row.more})


def _take(row: Field, key: str, take: Callable[[Any], None] | None) -> None:
    """Let the draft take a choice, unless it is told by words that stand there no more, or is what
    the input showed by itself."""
    value = st.session_state[key]
    chosen = value if isinstance(value, list) else [value]
    if row.options and any(choice is not None and choice not in row.options for choice in chosen):
        return
    if take is not None:
        take(value)
    elif value != row.shown(current()):
        current().take(row.name, value, row.part)


def _words(row: Field) -> Callable[[Any], str]:
    """The words of a value; what was an option when it was drawn before may be asked for, too."""
    words = row.options or {}
    return lambda value: words.get(value, str(value))


def _choosing(widget: Callable[..., Any], begins: str, **fixed: Any) -> Drawn:
    """An input with options; ``begins`` is its argument for what it shows at first."""

    def draw(row: Field, more: dict[str, Any]) -> Any:
        options, first = list(row.options or ()), row.first
        if begins == "index" and first is not None:
            first = options.index(first)
        given = {begins: first, "format_func": _words(row), **fixed, **more}
        return widget(row.label, options, **given)

    return draw


WIDGETS: Mapping[str, Drawn] = {
    "row": _choosing(st.segmented_control, "default", required=True),
    "cards": lambda row, more: _choosing(st.radio, "index", captions=row.captions)(row, more),
    "list": _choosing(st.selectbox, "index"),
    "several": _choosing(st.multiselect, "default"),
    "stops": _choosing(st.select_slider, "value"),
    "number": lambda row, more: st.number_input(row.label, value=row.first, **more),
    "slider": lambda row, more: st.slider(row.label, row.low, row.high, row.first, **more),
    "text": lambda row, more: st.text_input(row.label, row.first, **more),
    "area": lambda row, more: st.text_area(row.label, row.first or "", **more),
    "tick": lambda row, more: st.checkbox(row.label, row.first, **more),
    "day": lambda row, more: st.date_input(row.label, row.first, **more),
    "hour": lambda row, more: st.time_input(row.label, row.first, **more),
}


def ask_number(row: Field) -> tuple[Any, bool]:
    """A number, and whether it lies within its bounds; where it does not, a sentence says so."""
    value = ask(row)
    return value, within(value, row.low, row.high)


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
            button(words, key, begin, way.draft)
