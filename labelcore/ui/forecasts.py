"""What a plan will cost and give, for every design at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from scipy.interpolate import PchipInterpolator

from labelcore.designs import DESIGNS
from labelcore.plan.plan import Plan
from labelcore.planning.methods import (
    Dearest,
    Line,
    dearest_class,
    for_design,
    line,
    line_apart,
    line_from,
    possible,
    refused,
    worth_trying,
)
from labelcore.planning.outlook import AtOnce, Outlook
from labelcore.planning.prices import rank_prices
from labelcore.planning.spendings import LEAST, SHARES, Spending, spendings
from labelcore.population import Population
from labelcore.population.copies import TemporaryCopy
from labelcore.population.snapshots import write_snapshot
from labelcore.ui import waiting
from labelcore.ui.reading import Ask

POINTS, DRAWN = 5, 40
"""Of a curve: worked out, and drawn through these."""
USUAL = 300
"""Labels of a plan that has no number of its own yet."""
TRYING_CLAIMS = "Trying out the claims on simulated labels"
BYTES = 100
"""Of an item, for the memory of another process."""
EXACT = 1e-12
"""A half-width that is none."""
Given = ParamSpec("Given")
Made = TypeVar("Made")


def remembered(most: int) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Keep what a function makes of a population and a plan, for the ``most`` asked for last."""
    return st.cache_data(
        show_spinner=False,
        max_entries=most,
        hash_funcs={Population: lambda population: population.fingerprint, Plan: Plan.to_json},
    )


@remembered(40)
def least(population: Population, plan: Plan) -> int:
    """The fewest labels that the plan's method can be planned with on this file."""
    outlook = Outlook(population, plan)
    return max(outlook.design.least(outlook.frame) - outlook.given, 0 if outlook.given else 1)


@remembered(40)
def at_once(population: Population, plan: Plan) -> AtOnce | None:
    """What a confidence of all numbers at once would change; None where nothing is foreseen."""
    try:
        return Outlook(population, plan).at_once(int(plan.budget or USUAL))
    except ValueError:
        return None


@remembered(400)
def forecast(population: Population, plan: Plan) -> Line:
    """``line``, remembered."""
    return line(population, plan)


@remembered(100)
def ways_to_spend(
    population: Population, plan: Plan, differ: float | None = None
) -> list[Spending]:
    """The ways to spend as many readings as the plan's budget, or those of a plan where people are
    seen to ``differ``; none where nothing is foretold."""
    try:
        if differ is None:
            return spendings(population, plan, plan.budget)
        return spendings(
            population,
            plan,
            disagreement=min(max(differ, LEAST), 0.5),
            shares=sorted({*SHARES, plan.overlap}),
        )
    except ValueError:
        return []


@remembered(100)
def dearest(population: Population, plan: Plan) -> Dearest | None:
    """The class that a plan spends most for."""
    return dearest_class(population, plan, forecast)


@remembered(100)
def along_ranks(population: Population, plan: Plan, labels: int) -> pd.DataFrame:
    """What so many labels are expected to give at the ranks that matter."""
    return rank_prices(population, plan, labels)


def lines(population: Population, plan: Plan) -> list[Line]:
    """The chosen design first, then the others that the question can be asked by, with their
    defaults, and those that refuse it; each is a step, and remembered."""
    entries = [forecast(population, plan)]
    others = [name for name in reversed([*DESIGNS]) if name != plan.design]
    able, asked = possible(plan), set(plan.estimands)
    tried = [n for n in worth_trying(population, others) if asked <= set(DESIGNS[n].estimands)]
    for name in tried:
        waiting.went(len(entries) / (len(tried) + 1))
        try:
            other = for_design(plan, name, population, entries[0].labels)
            entries.append(forecast(population, other))
        except ValueError as error:
            entries.append(refused(name, error))
    return [line for line in entries if line.refused or line.design in (plan.design, *able)]


def claimed(population: Population, plan: Plan) -> Line:
    """The line of a plan with claims: they take seconds to try out, in a process of its own, waited
    for with a way to cancel it. Raises LimitError, CancelledError."""
    key = population.fingerprint, plan.to_json()
    kept: Line | None = waiting.result_kept("claims", key)
    if kept is not None:
        return kept
    copies = [TemporaryCopy()]
    write_snapshot(copies[0].path, population)

    def handed(answer: Any, folder: Path) -> Line:
        copies.clear()  # Until here it had to stay.
        return line_from(answer)

    asked = [str(copies[0].path), plan.to_json()]
    ask = Ask(line_apart, asked, handed, BYTES * len(population))
    return waiting.result_of("claims", key, TRYING_CLAIMS, ask)


Points = tuple[tuple[float, float], ...]
"""Numbers of labels, each with the widest half-width expected there."""


@remembered(400)
def curve(population: Population, plan: Plan, most: int) -> Points:
    """The widest half-width expected of one plan's method; () where none is foreseen."""
    try:
        outlook = Outlook(population, plan)
        items = min(outlook.most, len(population))
        return tuple(
            (labels, max(outlook.foreseen(labels, labels, rough=True).values()))
            for labels in sizes(items, most, outlook.design.least(outlook.frame))
        )
    except ValueError:
        return ()


def curve_of(population: Population, plan: Plan, name: str, most: int) -> Points:
    """The same question by the method ``name``, up to ``most`` labels."""
    try:
        return curve(population, for_design(plan, name, population), most)
    except ValueError:
        return ()


def smooth_curve(points: Points) -> Points:
    """A smooth curve through the points, evenly along the logarithm of the labels.

    >>> len(smooth_curve(((100, 0.1), (400, 0.05), (1600, 0.03)))), smooth_curve(((100, 0.1),))
    (40, ((100, 0.1),))
    """
    known = [(n, width) for n, width in points if width > EXACT]
    if len(known) < 3:
        return points
    numbers, widths = np.log(np.array(known)).T
    at = np.linspace(numbers[0], numbers[-1], DRAWN)
    smooth = np.exp([at, PchipInterpolator(numbers, widths)(at)])
    exact = [point for point in points if point[1] <= EXACT]
    return (*zip(smooth[0].tolist(), smooth[1].tolist(), strict=True), *exact)


def begun_at(points: Points, labels: float) -> Points:
    """A curve from a number of labels on.

    >>> begun_at(((100, 0.4), (400, 0.1)), 400), begun_at(((100, 0.4), (400, 0.1)), 50)
    (((400, 0.1),), ((100, 0.4), (400, 0.1)))
    """
    if not points or labels <= points[0][0]:
        return points
    numbers, widths = np.array(points).T
    width = float(np.interp(np.log(labels), np.log(numbers), widths))
    return ((labels, width), *(point for point in points if point[0] > labels))


def width_at(points: Points, labels: float) -> float:
    """The half-width at a number of labels; outside the points with the root of the labels.

    >>> round(width_at(((100, 0.1), (400, 0.05)), 200), 4), width_at(((100, 0.1),), 400)
    (0.0707, 0.05)
    >>> width_at(((100, 0.1), (400, 0.0)), 400)
    0.0
    """
    known = [(n, width) for n, width in points if width > EXACT]
    if not known or any(width <= EXACT and n <= labels for n, width in points):
        return 0.0
    numbers, widths = np.log(np.array(known)).T
    if len(known) > 2 and known[0][0] < labels < known[-1][0]:
        return float(np.exp(PchipInterpolator(numbers, widths)(np.log(labels))))
    nearest = known[0] if labels < known[0][0] else known[-1]
    if not known[0][0] <= labels <= known[-1][0]:
        return nearest[1] * float(np.sqrt(nearest[0] / labels))
    return float(np.exp(np.interp(np.log(labels), numbers, widths)))


def labels_for(points: Points, width: float, items: int) -> int | None:
    """The number of labels at which the half-width has come down to ``width``, at most all items;
    None where nothing is foreseen.

    >>> labels_for(((100, 0.1), (400, 0.05)), 0.05, 1000), labels_for(((100, 0.1),), 0.05, 300)
    (400, 300)
    >>> labels_for(((100, 0.5), (400, 0.5)), 0.4, 1000)
    1000
    """
    if width <= EXACT:
        return items if points else None
    known = [(n, width) for n, width in points if width > EXACT]
    if not known:
        return None
    numbers, widths = np.log(np.array(known)).T
    falling = np.minimum.accumulate(widths)
    wanted = float(np.log(width))
    if falling[-1] <= wanted <= falling[0]:
        log_labels = float(np.interp(-wanted, -falling, numbers))
    elif wanted < falling[-1] == falling[0]:
        return items  # It does not fall: nothing short of all items is known to be enough.
    else:
        place = 0 if wanted > falling[0] else -1
        log_labels = float(numbers[place]) + 2 * (float(falling[place]) - wanted)
    return min(round(float(np.exp(log_labels))), items)


def sizes(items: int, most: int, fewest: int = 1) -> list[int]:
    """Numbers of labels to draw the picture at, from ``fewest`` or 40 on.

    >>> sizes(100, 1000)
    [40, 50, 63, 80, 100]
    """
    high = min(items, most)
    low = min(max(40, fewest), high)
    return sorted({round(x) for x in np.geomspace(low, high, POINTS)})
