"""New project, step 4: what the plan will cost and give, at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.designs import Design
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.figures.cuts import own_cut
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line
from labelcore.population import Population
from labelcore.safe_text import plain
from labelcore.ui import forecasts
from labelcore.ui.chart import show_chart
from labelcore.ui.new_known_answers import known_number
from labelcore.ui.new_price_words import (
    Price,
    choice_chances,
    choice_kept,
    choice_price,
    dearest_words,
    labelling_time,
    not_offered,
    others_words,
    plan_price,
    promise_words,
    ranks_words,
    readable_lines,
    shared_words,
)
from labelcore.ui.new_race import Race
from labelcore.ui.new_screens import Places
from labelcore.words.claims import half_words
from labelcore.words.derived import derived_lines
from labelcore.words.existing import SOURCES, taken_words
from labelcore.words.savings import EXPECTED_FORMULA, expected_words

UNFORESEEN = (
    "This method does not forecast how wide the result will be. The result is valid all the same."
)
WITH_KNOWN = (
    "The methods that forecast it cannot use known answers. To use one of them, choose "
    "{ignored!r} on the first screen."
)
SHORTEST_PICTURE, LARGEST_PICTURE = 400, 4000
ROUND = tuple(
    round(digit * 10**power)
    for power in range(1, 7)
    for digit in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
)
SIDES = (48, 32)
"""Pixels beside the picture: the slider's track begins and ends with its axis, and half of the time
of a tick at its end has room."""
HOW_EXPECTED = "How the labels saved are estimated"
PLAIN = "simple_random"
WITH_SCORES, THIS_PLAN, RANDOM = "with your scores", "this plan", "plain random sample"
SIMULATED = "The curves are those of formulas, moved to what was simulated."
ROUGH = "Curves are simulated at the number chosen; far from it they are rough."
FROM_SCORES = (
    "Expected from the scores as if they were right; the interval itself never relies on that."
)
WITHOUT_SCORES = (
    "Expected on an assumption about the answers; the interval itself never relies on that."
)
MOST_WITHOUT = 0.9
"""Without its dearest class a plan needs at most so many of its labels, or nothing is said."""
TOO_CLOSE = (
    "If the scores are right, these labels are not expected to settle every claim: what is claimed "
    "lies too close to the truth."
)


def show_derived(place: DeltaGenerator, line: Line) -> None:
    """What a person must know of this file, and what follows from the parameters, beside them."""
    rows = derived_lines(line.design, line.derived)
    with place:
        for note in line.derived.get("notes", ()):
            st.caption(plain(note))
        if rows:
            st.caption("What follows from these parameters")
            st.text("\n".join(rows))


def show_expected_saving(line: Line) -> None:
    """What helpers may save, and how that is worked out; nothing where nothing is expected."""
    expected = line.derived.get("expected_saving")
    if expected is not None:
        st.text(expected_words(expected))
        with st.expander(HOW_EXPECTED, key="new-expected-saving"):
            st.text(EXPECTED_FORMULA)


def show_size(design: Design[Any], lines: list[Line], more: DeltaGenerator, audit: bool) -> None:
    """A method whose number of labels follows from its parameters, and what it promises."""
    chosen = lines[0]
    st.markdown(Price.OF_PARAMETERS.in_words(chosen.labels, method=plain(design.label)))
    st.text("It assumes that " + ".\nAnd: ".join(design.assumptions) + ".")
    others = [line for line in lines if not line.refused and line.half_widths]
    if others:
        with more:
            st.caption("Other methods for the same question, with as many labels:")
            table = readable_lines(others, list(others[0].half_widths), audit)
            st.dataframe(table, hide_index=True)


def show_choice(plan: Plan, population: Population, chosen: Line) -> None:
    """What a choice between candidates is expected to take, and takes at the most."""
    expected = chosen.derived.get("expected")
    with st.container(key="new-price"):
        st.markdown(choice_price(chosen.most, expected))
    if kept := choice_kept(plan.design_params):
        st.text(kept)
    if expected is not None:
        st.text(choice_chances(expected))
    show_promise(plan, population)


def show_promise(plan: Plan, population: Population) -> None:
    """How sure, and when, and what it hangs on, in a line."""
    line, means = promise_words(plan, is_scored(plan, population))
    st.caption(line, help=means)


def is_scored(plan: Plan, population: Population) -> bool:
    """Whether any classifier that is asked about has a score."""
    return any(name in population.scores for name in plan.classifiers or population.classifiers)


def show_outlook(
    plan: Plan, population: Population, race: Race, places: Places, people: int, least: int
) -> Ahead | None:
    """The price at once and as a picture from ``least`` labels on, beside the plain method."""
    lines = race.lines
    chosen = lines[0]
    with places.price:
        if plan.existing is not None:
            st.text(f"Beside {taken_words(known_number(population), plan.existing)}.")
        if not chosen.half_widths:
            show_unforeseen(plan, lines, places)
            return None
        show_price(plan, population, chosen, people)
        show_dearest(population, plan)
    with places.more:
        expected = FROM_SCORES if is_scored(plan, population) else WITHOUT_SCORES
        st.caption(SIMULATED if race.found else expected)
        table = readable_lines(lines, plan.estimands, population.has_judge)
        st.dataframe(table, hide_index=True, key="new-outlook")
        show_not_offered(lines)
    ahead = Ahead.of(plan, population, lines, least)
    with places.price:
        if race.found and crossing(ahead.curve(chosen.design), ahead.curve(PLAIN)):
            st.caption(ROUGH)
        ahead.show()
    return ahead


def show_dearest(population: Population, plan: Plan) -> None:
    """Which of several classes the labels go to, where one costs much more than the others."""
    if len(population.classes) < 3 or plan.claims:
        return
    dear = forecasts.dearest(population, plan)
    if dear is not None and dear.part <= MOST_WITHOUT:
        st.caption(dearest_words(dear))


def show_price(plan: Plan, population: Population, chosen: Line, people: int) -> None:
    """Labels, minutes and what they give, in a line; then what else they give."""
    audit = population.has_judge
    with st.container(key="new-price"):
        st.markdown(plan_price(plan, chosen, people, audit))
    if half := chosen.derived.get("claims_half"):
        st.caption(half_words(half))
    if beside := others_words(chosen.half_widths, audit):
        st.caption(plain(beside))
    if {*plan.estimands} & {*CURVES, *SUMMARIES}:
        show_along_ranks(plan, population, chosen)
    show_expected_saving(chosen)
    if plan.claims and chosen.labels >= min(plan.budget or len(population), len(population)):
        st.warning(TOO_CLOSE)
    if plan.margin and max(chosen.half_widths.values()) > plan.margin + 1e-9:
        st.warning("Even all the labels allowed are not expected to reach this margin.")


def show_along_ranks(plan: Plan, population: Population, chosen: Line) -> None:
    """What the labels give at the ranks that matter and of the whole list, and what it costs each
    that they are shared."""
    table = forecasts.along_ranks(population, plan, chosen.labels)
    cut = own_cut(population, next(iter((*plan.classifiers, *population.classifiers)), None))
    if len(table):
        st.caption(ranks_words(table, len(population), cut))
    if sentence := shared_words(table, plan.estimands):
        st.caption(sentence)


@dataclass(frozen=True)
class Ahead:
    """What labels are expected to give by each method, worked out for those that are asked about.

    lines   of the methods that foresee something: each curve goes through what its line says
    least   the fewest labels that may be asked
    """

    plan: Plan
    population: Population
    chosen: Line
    lines: Mapping[str, Line]
    least: int = 1

    @classmethod
    def of(cls, plan: Plan, population: Population, lines: Sequence[Line], least: int) -> Ahead:
        able = {line.design: line for line in lines if not line.refused and line.half_widths}
        return cls(plan, population, lines[0], able, least)

    @property
    def most(self) -> int:
        """The labels up to which curves, and the slider below them, go."""
        labels = self.chosen.labels
        most = min(max(4 * labels, SHORTEST_PICTURE), LARGEST_PICTURE)
        return max(min(most, len(self.population)), labels)

    @property
    def stops(self) -> list[int]:
        """Where the slider below the picture stops: round numbers, nearly even along its axis, and
        the number chosen in place of the nearest."""
        labels, points = self.chosen.labels, self.curve(self.chosen.design)
        first = round(points[0][0]) if points else labels
        if first < self.least:
            first = next(n for n in ROUND if n >= self.least)
        low, high = min(first, labels), self.most
        inner = [n for n in ROUND if low < n < high]
        near = min(inner, key=lambda n: abs(math.log(n / labels)), default=labels)
        return sorted({low, high, labels, *inner} - ({near} - {labels}))

    @property
    def width(self) -> float:
        """The widest half-width of the chosen method."""
        return max(self.chosen.half_widths.values())

    def curve(self, design: str, most: int | None = None) -> forecasts.Points:
        """What a method is expected to give at each number of labels; () where nothing is."""
        if (line := self.lines.get(design)) is None:
            return ()
        points = forecasts.curve_of(self.population, self.plan, design, most or self.most)
        return curve_through(points, line)

    def width_at(self, labels: int) -> float:
        """The widest half-width of the chosen method with another number of labels."""
        if labels == self.chosen.labels:
            return self.width
        return forecasts.width_at(self.curve(self.chosen.design), labels)

    def labels_by(self, design: str) -> int | None:
        """The labels that a method is expected to need for the same half-width: no fewer than the
        chosen one where it is no narrower with as many."""
        points, items = self.curve(design), len(self.population)
        if points and points[-1][1] > self.width:  # Beyond the picture.
            points = self.curve(design, items)
        labels, line = forecasts.labels_for(points, self.width, items), self.lines.get(design)
        if labels is None or line is None or line.labels != self.chosen.labels:
            return labels
        narrower = max(line.half_widths.values()) < self.width
        return labels if narrower else max(labels, self.chosen.labels)

    def called(self, design: str) -> str:
        """What the curve of a method is called beside it."""
        if design == PLAIN:
            return RANDOM
        return WITH_SCORES if is_scored(self.plan, self.population) else THIS_PLAN

    def show(self) -> None:
        show_promise(self.plan, self.population)
        shown, ends = (self.chosen.design, PLAIN), (self.stops[0], self.stops[-1])
        curves = {name: forecasts.smooth_curve(self.curve(name)) for name in shown}
        rows = [
            (labels, width, self.called(name))
            for name, curve in curves.items()
            for labels, width in forecasts.begun_at(curve, ends[0])
        ]
        data = pd.DataFrame(rows, columns=["labels", "half_width", "design"])
        chart = labels_margin_chart(
            data,
            margin=self.plan.margin,
            labels=self.chosen.labels,
            reach=ends if ends[0] < ends[1] else None,
            time=labelling_time,
        )
        show_chart(chart, "new-picture", height=230, sides=SIDES)


def crossing(own: forecasts.Points, other: forecasts.Points) -> bool:
    """Whether the ``other`` curve begins below a curve and ends above it.

    >>> own = ((40, 0.5), (800, 0.1))
    >>> crossing(own, ((40, 0.4), (800, 0.2))), crossing(own, ((40, 0.6), (800, 0.2)))
    (True, False)
    """
    return bool(own and other) and other[0][1] < own[0][1] and own[-1][1] < other[-1][1]


def curve_through(points: forecasts.Points, line: Line) -> forecasts.Points:
    """A curve moved to go through what is said of its method, simulated where that was done."""
    widest = max(line.half_widths.values())
    there = forecasts.width_at(points, line.labels)
    if min(there, widest) <= forecasts.EXACT:
        return points
    through = {labels: width * widest / there for labels, width in points}
    return tuple(sorted({**through, line.labels: widest}.items()))


def show_unforeseen(plan: Plan, lines: list[Line], places: Places) -> None:
    """What a method costs that gives no width beforehand, and that another one would."""
    with st.container(key="new-price-unforeseen"):
        st.markdown(Price.NOT_FORESEEN.in_words(lines[0].labels))
    others = plan.existing is not None and any(line.refused for line in lines)
    hint = f" {WITH_KNOWN.format(ignored=SOURCES['ignored'])}" if others else ""
    st.text(f"{UNFORESEEN}{hint}")
    with places.more:
        show_not_offered(lines)


def show_not_offered(lines: list[Line]) -> None:
    """The methods that cannot serve, and why, in one line."""
    if missing := not_offered(lines):
        st.caption(plain(missing))
