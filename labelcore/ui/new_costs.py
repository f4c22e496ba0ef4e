"""New project: what each number that is asked for costs, and a switch for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.figures.tables import USUAL
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line
from labelcore.population import Population
from labelcore.safe_text import one_line, plain
from labelcore.ui import forecasts
from labelcore.ui.asking import current
from labelcore.ui.new_price_words import DEAR, WITH, WITHOUT, line_gives
from labelcore.ui.status import estimand_name

NUMBERS, CLASSIFIERS = "numbers", "classifiers"
MOST_RIGHT = 0.8
"""Without the dearest number a plan needs at most so much of its labels, or of its half-width, or
nothing is said."""


@dataclass(frozen=True)
class Switch:
    """A number, or a classifier, that can be asked for or not.

    kept   what is asked for once it is pressed: estimands, or classifiers
    plan   that plan
    label  what it is called
    """

    kind: str
    name: str
    on: bool
    kept: tuple[str, ...]
    plan: Plan
    label: str


def switches(plan: Plan, audit: bool = False) -> Iterator[Switch]:
    """Those of a plan: each figure that is usual or asked for, each classifier that is judged."""
    on = plan.estimands
    if not {*on} <= {*SCALARS}:
        return
    for name in dict.fromkeys([*on, *USUAL]):
        kept = tuple(other for other in on if other != name) if name in on else (*on, name)
        if kept and (changed := _changed(plan, estimands=kept)):
            yield Switch(NUMBERS, name, name in on, kept, changed, estimand_name(name, audit=audit))
    names = tuple(map(str, plan.classifiers))
    for name in names if len(names) > 2 else ():
        kept = tuple(other for other in names if other != name)
        if changed := _changed(plan, classifier=kept):
            yield Switch(CLASSIFIERS, name, True, kept, changed, one_line(name, 40))


def _changed(plan: Plan, **changes: Any) -> Plan | None:
    """The plan with something else asked for; None where its method cannot ask so."""
    try:
        return replace(plan, **changes)
    except ValueError:
        return None


def dear_words(plan: Plan, population: Population, line: Line) -> str:
    """The number without which the plan costs least, where that is much less; "" for none."""
    of_plan = _cost(line, plan)
    costs = []
    for switch in switches(plan, population.has_judge) if of_plan else ():
        if not switch.on:
            continue
        other = forecasts.forecast(population, switch.plan)
        if cost := _cost(other, plan):
            costs.append((cost / of_plan, switch, other))
    if not costs:
        return ""
    share, switch, other = min(costs, key=lambda row: row[0])
    if share > MOST_RIGHT:
        return ""
    return DEAR.format(name=plain(switch.label), gives=line_gives(other, plan))


def _cost(line: Line, plan: Plan) -> float:
    if line.refused or not line.half_widths:
        return 0.0
    return float(line.labels) if plan.margin is not None else max(line.half_widths.values())


def show_switches(plan: Plan, population: Population, card: str) -> None:
    """A line for each number: on or off, and what the plan would cost the other way."""
    for switch in switches(plan, population.has_judge):
        other = line_gives(forecasts.forecast(population, switch.plan), plan)
        effect = (WITHOUT if switch.on else WITH).format(gives=other) if other else ""
        key = f"new-switch-{switch.kind}-{switch.name}"
        st.session_state[key] = switch.on
        st.toggle(
            f"**{plain(switch.label)}** · {effect}" if effect else f"**{plain(switch.label)}**",
            key=key,
            on_change=_take,
            args=(switch, card),
        )


def _take(switch: Switch, card: str) -> None:
    current().take(switch.kind, list(switch.kept), card if switch.kind == NUMBERS else "")
