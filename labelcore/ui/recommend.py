"""Which method New project proposes: the one whose forecast takes the fewest labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelcore.designs import DESIGNS
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.ui import outlook
from labelcore.ui.draft import Aim

CLOSE = 1.25
"""Forecasts take the scores for right: fewer labels by less than this factor is no difference."""


def recommended(
    aim: Aim, population: Population, names: Sequence[str], goal: Mapping[str, Any]
) -> str:
    """Of ``names`` the method with the fewest expected labels for the margin in ``goal``, or the
    narrowest result for its budget, each with the promise of one look, which all of them have.
    Among those that are close the one that is measured most widely, and may be watched; without any
    forecast that alone decides."""
    prices = {name: _price(outlook_of(aim, population, name, goal), goal) for name in names}
    least = min(prices.values(), default=np.inf)
    close = [name for name in names if prices[name] <= CLOSE * least + 1e-12]
    return min(close, key=lambda name: (*_standing(name), prices[name]))


def _standing(name: str) -> tuple[int, int, int]:
    design = DESIGNS[name]
    return -int(design.recommended), -len(design.promises), len(design.estimands)


def _price(line: outlook.Line, goal: Mapping[str, Any]) -> float:
    """Labels for the margin; with a budget labels times the squared half-width, which stays about
    the same however many there are. Infinite where nothing is foreseen, or where a size of the
    method's own lies beyond the budget."""
    if line.refused or not line.half_widths:
        return np.inf
    widest = max(line.half_widths.values())
    if "budget" in goal:
        apart = DESIGNS[line.design].size_from_params and line.labels > goal["budget"]
        return np.inf if apart else line.labels * widest**2
    return float(line.labels) if widest <= goal["margin"] + 1e-9 else np.inf


def outlook_of(
    aim: Aim, population: Population, name: str, goal: Mapping[str, Any]
) -> outlook.Line:
    """What a method is expected to need or to give; with its fewest labels where the budget does
    not reach them."""
    try:
        plan = plan_for(aim, population, name, goal)
    except ValueError as error:
        return outlook.refused(name, error)
    found = outlook.one(population, population.fingerprint, plan.to_json())
    more = [one.changes["budget"] for one in found.remedies if "budget" in one.changes]
    if found.refused and more and more[0] > goal.get("budget", more[0]):
        return outlook_of(aim, population, name, {"budget": more[0]})
    return found


def plan_for(aim: Aim, population: Population, name: str, goal: Mapping[str, Any]) -> Plan:
    """The question asked by a method with the parameters that suit the file."""
    design = DESIGNS[name]
    classifiers = outlook.named(aim.classifier)
    params = design.suggested(population, classifiers)
    return Plan(
        name,
        aim.estimands,
        classifier=outlook.in_order(design, params, aim.classifier),
        params=params,
        promise=Promise.FIXED if Promise.FIXED in design.promises else design.promises[0],
        target=aim.target,
        existing=aim.existing,
        **({} if outlook.follows(design, params) else goal),
    )
