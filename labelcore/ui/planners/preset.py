"""What New project's inputs are to show, so that a method and its parameters are chosen there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import streamlit as st

from labelcore.designs import DESIGNS
from labelcore.ui.draft import Aim
from labelcore.ui.new_aim import WHICH, Card
from labelcore.ui.new_method import design_key, possible
from labelcore.ui.params_form import input_value, parameter_key
from labelcore.ui.planners.base import Chosen


def preset(
    chosen: Chosen,
    card: Card,
    design: str,
    params: Mapping[str, Any],
    *,
    classifiers: Sequence[str] = (),
    estimands: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """Inputs of New project by their keys.

    card         the question of step 3; classifiers: those it is asked of, where it takes several
    estimands    the numbers wanted, where they are not those of the card
    more         further answers, by their key without "new-" and with _ for -
    """
    names = tuple(classifiers) or (chosen.classifier,)
    aim = Aim(
        tuple(estimands or card.estimands), names, "unknown",
        str(st.session_state.get("new-target", "file")),
    )  # fmt: skip
    state: dict[str, Any] = {"new-aim": card.title}
    if card in WHICH:
        state[WHICH[card]] = list(aim.estimands)
    state |= {f"new-{name.replace('_', '-')}": value for name, value in more.items()}
    state[design_key(possible(aim))] = design
    suggested = DESIGNS[design].suggested(chosen.population, names)
    for item in fields(DESIGNS[design].Params):
        if item.name in params:
            start = suggested.get(item.name, item.default)
            state[parameter_key(design, item, start)] = input_value(item, params[item.name])
    return state | (several(chosen, names) if classifiers else {})


def several(chosen: Chosen, names: Sequence[str]) -> dict[str, Any]:
    """Which classifiers, and the thresholds of those that have no predictions in the file."""
    fingerprint = chosen.base.fingerprint
    state: dict[str, Any] = {f"new-classifiers-{fingerprint}": list(names)}
    for name, values in chosen.columns.thresholds:
        state[f"new-thresholds-{name}-{fingerprint}"] = " ".join(f"{one:.12g}" for one in values)
    return state
