"""What the whole precision curve of a ranked list costs by each method."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Side
from labelcore.papers.curves.annotations_needed import LabelsNeeded, epsilon_for, labels_needed
from labelcore.papers.planners import (
    Chosen,
    confidence,
    number_input,
    offer,
    outlook_of,
    percent_input,
    project,
    suited,
    way_input,
)
from labelcore.plan.plan import Plan
from labelcore.promises import Promise
from labelcore.safe_text import plain, shortened
from labelcore.ui import waiting
from labelcore.ui.new_cards import RANKED
from labelcore.ui.params import within
from labelcore.ui.presses import sentence
from labelcore.ui.progress import draw
from labelcore.ui.status import SECONDS_AN_ITEM
from labelcore.ui.tables import reading_table
from labelcore.ui.times import minutes
from labelcore.words import sentences as words

READABLE = {"method": "Method", "factor": "Factor", "labels": "Labels"}
NOTHING = "There is nothing to compare yet."


def labels_factor_chart(table: pd.DataFrame, *, wanted: float | None = None) -> Chart:
    """Labels for the whole curve against the largest factor between estimate and truth; one line
    per method, in table order.

    table    columns method (a name for the screen), factor, labels; others are kept
    wanted   the factor asked for, an upright line
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    parts = [
        (str(name), part.sort_values("factor"))
        for name, part in table.groupby("method", sort=False)
    ]
    asked = [] if wanted is None else [wanted]
    drawing = Drawing(
        Axis("factor between estimate and truth"),
        Axis("labels", zero=True),
        [_line(name, part, place) for place, (name, part) in enumerate(parts)],
        [Rule(at, upright=True) for at in asked],
        [Remark("wanted", x=at, side=Side.BELOW) for at in asked],
        legend=True,
    )
    alt = "Labels for the whole curve against the factor. " + " ".join(
        _words(name, part) for name, part in parts
    )
    return Chart(drawing, alt, table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, part: pd.DataFrame, place: int) -> Line:
    shown = shortened(name)
    texts = [
        f"{shown}\nfactor {factor:.3f}: {words.count(int(labels))}"
        for factor, labels in zip(part["factor"], part["labels"], strict=True)
    ]
    return Line(part["factor"], part["labels"], name=shown, hover=texts, **in_turn(place))


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.count(int(first['labels']))} at a factor of "
        f"{first['factor']:.3f}, {words.count(int(last['labels']))} at {last['factor']:.3f}."
    )


WHAT = (
    "For a ranked list: the precision of the first 10, 100, 1,000 ... items, and of every number "
    "in between. Three methods of the paper promise a factor between estimate and truth; geometric "
    "strata, Labelcore's own, give a band of so many points."
)
FACTOR, EPSILON = "A factor", "Epsilon"
FACTOR_KEYS = {"factor": "compare-factor", "epsilon": "compare-epsilon"}
LIMITS = {"factor": (1.01, 100.0), "epsilon": (0.001, 1.0)}
FACTOR_WORDS = (
    "A factor of {factor:.3g}: where the precision is 80 %, the estimate lies between {low} and "
    "{high}; where it is 10 %, between {low_tail} and {high_tail}."
)
METHODS = {"paula": "PAULA", "fixed": "Logarithmic strata", "random": "Random sample"}
PROMISES = {
    "geometric": "One band around the whole curve at {confidence} confidence, whatever the list is "
    "like; a large-sample band whose coverage was measured.",
    "paula": "The factor holds if precision falls along the list as the method assumes. No chance "
    "of error is stated, and real lists never fall that evenly.",
    "fixed": "The factor holds at all ranks with {confidence} confidence if precision falls along "
    "the list and is at least {precision}. Its band holds everywhere, without any approximation.",
    "random": "The factor holds with {confidence} confidence at all ranks where precision is at "
    "least {precision}. Half of the labels go to the first items.",
}
DRAWING = "Working out the labels of each factor"
EPSILONS = tuple(float(f"{value:.3g}") for value in np.geomspace(0.01, 0.4, 30))
FORMULAS = r"""
$N$ items, ranks $g_k = \lceil (1 + \varepsilon)^k \rceil$ from $g_\ell$ to $g_L$, window $\Delta$,
$m = \lfloor \varepsilon (1 + \varepsilon)^\ell \rfloor - 1$ and
$\gamma = 1 + \varepsilon + (2 + \varepsilon) / m$. The factor is $\gamma (1 + \varepsilon)$.

- **PAULA** labels the first $g_\ell$ items and the last $\Delta$ before each further $g_k$:
  $g_\ell + \Delta (L - \ell)$ labels (theorem 3).
- **Logarithmic strata** draw $s = \ln(2 (L - \ell) / \delta) / (2 (\gamma - 1)^2 p_{min}^2)$ at
  each $g_k$, most of them taken over from the rank before; here in fixed numbers,
  $s (g_k - g_{k-1}) / g_k$ from each stretch (theorem 2).
- **Random sample**: $n$ items at the head and $n$ random ones,
  $2 n = 2 \sqrt{N \ln(2 N / \delta) / (2 \alpha^2 p^2)}$ with $\alpha$ = factor - 1 (equation 5).

None labels more than all $N$ items. Source: Sabharwal and Sedghi (2017), sections 4.4.3 to 5.1.
The margin of **geometric strata** is the half-width expected where their band is widest.
"""


def curve_planner(chosen: Chosen) -> None:
    st.text(WHAT)
    if not suited(chosen, score=True):
        return
    sure = confidence()
    given = factor_inputs()
    half = percent_input(
        "Geometric strata: plus or minus where the band is widest",
        5.0,
        "compare-half",
        0.1,
        49,
        unit="points",
    )
    if given is None or half is None:
        return
    size, delta = len(chosen.population), round(1 - sure, 10)
    try:
        factor = given.pop("factor", None)
        if factor is not None:
            given["epsilon"] = epsilon_for(factor, given["window"])
        needed = labels_needed(size, delta=delta, **given)
        geometric = geometric_labels(chosen, half, sure)
    except ValueError as error:
        st.error(plain(sentence(error)))
        return
    show(needed, geometric, half, given, sure)
    offer_one(chosen, needed, half, given)


def factor_inputs() -> dict[str, Any] | None:
    """Arguments of ``labels_needed``, or a factor for epsilon; None, with a sentence each, while a
    number is wrong."""
    way = way_input("Start from", [FACTOR, EPSILON], key="compare-from")
    left, middle, right = st.columns(3)
    with left:
        key, value = ("factor", 1.2) if way == FACTOR else ("epsilon", 0.03)
        label = {
            "factor": "Factor between estimate and truth",
            "epsilon": "How much further each rank of the grid lies",
        }[key]
        wanted = st.number_input(
            label,
            value=value,
            step=0.01,
            format="%.3f",
            key=FACTOR_KEYS[key],
            persist_state="session",
        )
        sound = within(float(wanted), *LIMITS[key])
    with middle:
        precision = percent_input("Lowest precision to count on", 50.0, "compare-least")
    with right:
        window = number_input("PAULA's window", 100, "compare-window", 1, 10_000)
    if not sound or precision is None or window is None:
        return None
    return {key: float(wanted), "precision": precision, "window": window}


def geometric_labels(chosen: Chosen, half: float, sure: float) -> int:
    plan = Plan(
        "geometric_strata",
        ["precision_curve"],
        classifier=chosen.classifier,
        margin=half,
        confidence=sure,
        promise=Promise.FIXED,
    )
    return outlook_of(chosen.population, plan).labels


def show(
    needed: LabelsNeeded, geometric: int, half: float, given: dict[str, Any], sure: float
) -> None:
    points = words.goal_points(half)
    st.markdown(
        f"**Geometric strata: about {geometric:,} labels, {minutes(geometric * SECONDS_AN_ITEM)}, "
        f"for a band of plus or minus {points}.**"
    )
    factor = needed.factor
    ends = [words.percent(min(p * f, 1.0)) for p in (0.8, 0.1) for f in (1 / factor, factor)]
    st.caption(
        FACTOR_WORDS.format(
            factor=factor, low=ends[0], high=ends[1], low_tail=ends[2], high_tail=ends[3]
        )
    )
    reading_table(needed_table(needed, geometric, half, given["precision"], sure), "compare-needed")
    table = against_factor(needed.n_items, given["window"], given["precision"], round(1 - sure, 10))
    chart = labels_factor_chart(table, wanted=factor)
    draw(chart, "compare-factor-picture", "These labels as a table")
    with st.expander("The formulas"):
        st.markdown(FORMULAS)


def needed_table(
    needed: LabelsNeeded, geometric: int, half: float, precision: float, sure: float
) -> pd.DataFrame:
    """A row for each method: labels, and what is promised for them."""
    terms = {
        "confidence": words.confidence_words(sure),
        "precision": words.exact_percent(precision),
    }
    factor = f"factor {needed.factor:.3f}"
    rows = [("Geometric strata", geometric, f"± {words.goal_points(half)}", "geometric")]
    rows += [(METHODS[key], getattr(needed, key), factor, key) for key in METHODS]
    return pd.DataFrame(
        [
            (name, label_words(labels, needed.n_items), aim, PROMISES[key].format(**terms))
            for name, labels, aim, key in rows
        ],
        columns=["method", "labels", "for", "what is promised"],
    )


def label_words(labels: int, items: int) -> str:
    """
    >>> label_words(1200, 5000), label_words(5000, 5000)
    ('1,200', '5,000, that is all')
    """
    return f"{labels:,}" + (", that is all" if labels >= items else "")


def against_factor(items: int, window: int, precision: float, delta: float) -> pd.DataFrame:
    """Labels of the three methods along the factor, remembered."""

    def table() -> pd.DataFrame:
        needs = []
        for place, epsilon in enumerate(EPSILONS):
            waiting.went(place / len(EPSILONS))
            needs.append(
                labels_needed(
                    items, epsilon=epsilon, window=window, precision=precision, delta=delta
                )
            )
        rows = [(METHODS[key], row.factor, getattr(row, key)) for key in METHODS for row in needs]
        return pd.DataFrame(rows, columns=["method", "factor", "labels"])

    return waiting.worked_out("factors", (items, window, precision, delta), DRAWING, table)


def offer_one(chosen: Chosen, needed: LabelsNeeded, half: float, given: dict[str, Any]) -> None:
    """The method to go on with."""
    grid = {"epsilon": needed.epsilon}
    ranked = project(chosen, RANKED)
    wants = {
        "Geometric strata": replace(
            ranked, design="geometric_strata", params={}, margin=half, promise=Promise.FIXED
        ),
        "PAULA": replace(ranked, design="paula", params={**grid, "window": given["window"]}),
        "Logarithmic strata": replace(
            ranked,
            design="logarithmic_stratified",
            params={**grid, "minimum_precision": given["precision"]},
            promise=Promise.FIXED,
        ),
    }
    offer(wants[way_input("Go on with", list(wants), key="compare-goes-on")], "curve")
