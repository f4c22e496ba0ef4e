"""A form made from a design's Params: its fields, their helps, limits and choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

import streamlit as st

from labelcore.designs import Design
from labelcore.designs.params import (
    check_parameter,
    choice_words,
    parameter_label,
    read_list,
    read_value,
)
from labelcore.errors import ParameterError
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain
from labelcore.words.arguments import refusal_words

LONGEST = 1000
CHOSEN = "Chosen for you"


def params_form(
    design: Design[Any], suggested: Mapping[str, Any], *, main: bool
) -> dict[str, Any] | None:
    """Values that differ from the defaults; None, with a sentence each, while one is wrong.

    suggested   values to start from, instead of the defaults
    main        whether to ask for what comes first, or for the finer points
    """
    given, sound = {}, True
    for item in (item for item in fields(design.Params) if item.metadata["main"] == main):
        value = parameter_input(design.name, item, suggested.get(item.name, item.default))
        sound &= fits(item, value)
        if value != item.default:
            given[item.name] = value
    return given if sound else None


def parameter_key(design: str, item: Field[Any], start: Any) -> str:
    """The key of an input that starts from ``start``: another suggestion is another input."""
    key = f"new-param-{design}-{item.name}"
    return key if start == item.default else f"{key}-{start}"


def show_params(
    design: Design[Any], suggested: Mapping[str, Any], params: Mapping[str, Any]
) -> None:
    """Let the form show these parameters, and of the others what is suggested."""
    for item in fields(design.Params):
        key = parameter_key(design.name, item, suggested.get(item.name, item.default))
        if params.get(item.name) is None:
            st.session_state.pop(key, None)
        else:
            st.session_state[key] = input_value(item, params[item.name])


def fits(item: Field[Any], value: Any) -> bool:
    """Whether a value fits its field; where it does not, a sentence says so."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return within(value, item.metadata["low"], item.metadata["high"])
    try:
        check_parameter(item.name, value, str(item.type), item.metadata)
    except ParameterError as error:
        st.error(plain(refusal_words(error) + "."))
        return False
    return True


def parameter_input(design: str, item: Field[Any], start: Any) -> Any:
    """One input, by the kind of its field; an empty one means the default None."""
    asked, help_words = item.metadata["asked"], plain(item.metadata["help"])
    label = plain(asked) if asked else f"{plain(parameter_label(item.name))}: {help_words}"
    more, kind = help_words if asked else None, str(item.type)
    key = parameter_key(design, item, start)
    if isinstance(item.default, bool):
        return st.checkbox(label, start, key=key, help=more, persist_state="session")
    if "tuple" in kind:
        text = st.text_input(
            label,
            listed(start or ()),
            max_chars=LONGEST,
            key=key,
            help=more,
            persist_state="session",
        )
        return read_list(text, kind) or item.default
    if item.metadata["choices"] and "float" not in kind and "int" not in kind:
        known = [*([None] if item.default is None else []), *item.metadata["choices"]]
        return st.selectbox(
            label,
            known,
            index=known.index(start),
            format_func=lambda value: CHOSEN if value is None else plain(choice_words(item, value)),
            key=key,
            help=more,
            persist_state="session",
        )
    if "str" in kind:
        first = "" if start is None else str(start)
        text = st.text_input(label, first, key=key, help=more, persist_state="session").strip()
        return read_value(text, kind) if text else item.default
    if "float" in kind:
        return st.number_input(
            label, value=start, step=0.05, key=key, help=more, persist_state="session"
        )
    value = st.number_input(label, value=start, step=1, key=key, help=more, persist_state="session")
    return None if value is None else int(value)


def input_value(item: Field[Any], value: Any) -> Any:
    """A parameter as its input holds it."""
    if isinstance(value, tuple):
        return listed(value)
    text = "str" in str(item.type) and not item.metadata["choices"]
    return str(value) if text else value


def listed(values: tuple[Any, ...]) -> str:
    """
    >>> listed((50, 0.5, "lr"))
    '50, 0.5, lr'
    """
    return ", ".join(str(value) for value in values)
