"""The parameters of a design as inputs: their helps, limits and choices follow from its Params."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field as Parameter
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from labelcore.designs import DESIGNS, Design
from labelcore.designs.params import (
    check_parameter,
    choice_words,
    parameter_label,
    read_list,
    read_value,
)
from labelcore.errors import ParameterError
from labelcore.safe_text import plain
from labelcore.ui.draft import Draft, ProjectDraft
from labelcore.ui.fields import Field, outside
from labelcore.words.arguments import refusal_words

LONGEST = 1000
CHOSEN = "Chosen for you"


def param_values(now: Draft, design: Design[Any], suggested: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults."""
    values = {item: param_value(now, design, suggested, item) for item in fields(design.Params)}
    return {item.name: value for item, value in values.items() if value != item.default}


def param_value(
    now: Draft, design: Design[Any], suggested: Mapping[str, Any], item: Parameter[Any]
) -> Any:
    """A parameter as it is chosen; an empty input means the default."""
    row, kind = row_of(design, item, suggested), str(item.type)
    shown = row.shown(now)
    if row.widget != "text":
        return shown
    if "tuple" in kind:
        return read_list(shown, kind) or item.default
    return read_value(shown.strip(), kind) if shown.strip() else item.default


def param_fault(
    now: Draft, design: Design[Any], suggested: Mapping[str, Any], item: Parameter[Any]
) -> str:
    """What is wrong with a parameter; nothing for one that fits."""
    value = param_value(now, design, suggested, item)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return outside(value, item.metadata["low"], item.metadata["high"])
    try:
        check_parameter(item.name, value, str(item.type), item.metadata)
    except ParameterError as error:
        return refusal_words(error) + "."
    return ""


def row_of(design: Design[Any], item: Parameter[Any], suggested: Mapping[str, Any]) -> Field:
    """The input of a parameter, by its kind."""
    asked, help_words = item.metadata["asked"], plain(item.metadata["help"])
    # The name stands last: it is what a refusal calls the parameter.
    named = f"{help_words[:1].upper()}{help_words[1:]} ({plain(parameter_label(item.name))})"
    label = plain(asked) or named
    start, kind = suggested.get(item.name, item.default), str(item.type)
    more: dict[str, Any] = {"help": help_words if asked else None}
    widget, options = "number", None
    if isinstance(item.default, bool):
        widget = "tick"
    elif "tuple" in kind:
        widget, start, more["max_chars"] = "text", listed(start or ()), LONGEST
    elif item.metadata["choices"] and "float" not in kind and "int" not in kind:
        widget = "list"
        known = [*([None] if item.default is None else []), *item.metadata["choices"]]
        texts = [CHOSEN if name is None else plain(choice_words(item, name)) for name in known]
        options = dict(zip(known, texts, strict=True))
    elif "str" in kind:
        widget, start = "text", "" if start is None else str(start)
    else:
        more["step"] = 0.05 if "float" in kind else 1
    part = f"{design.name}-{item.name}"
    return Field("params", widget, label, options, start, more=more, key="param", part=part)


def as_inputs(changes: ProjectDraft) -> ProjectDraft:
    """Changes whose parameters are what their inputs show."""
    method = changes.design or changes.params_of
    if not changes.params or not method:
        return changes
    items = {item.name: item for item in fields(DESIGNS[method].Params)}
    given = {name: input_value(items[name], value) for name, value in changes.params.items()}
    return replace(changes, params=given)


def input_value(item: Parameter[Any], value: Any) -> Any:
    """A parameter as its input holds it."""
    if value is None:
        return None
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


def within(value: float | None, low: float | None, high: float | None) -> bool:
    """Whether a number lies within its bounds; where it does not, a sentence says so."""
    fault = outside(value, low, high)
    if fault:
        st.error(plain(fault))
    return not fault
