"""New project, screen 3: what the plan will cost and give, by every method and for each number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.designs import DESIGNS
from labelcore.designs.curves import EstimatesCurve
from labelcore.errors import CancelledError
from labelcore.estimands import CURVES, DIFFERENCE, SCALARS, SUMMARIES
from labelcore.figures.cuts import own_cut
from labelcore.figures.tables import USUAL
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line
from labelcore.planning.spendings import Spending
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.report.markup import tied
from labelcore.safe_text import one_line, plain
from labelcore.ui import forecasts, waiting
from labelcore.ui.asking import ask, begin, current
from labelcore.ui.chart import show_chart
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_columns import Columns
from labelcore.ui.new_known_answers import known_number
from labelcore.ui.new_price_words import (
    DEAR,
    WITH,
    WITHOUT,
    Price,
    choice_chances,
    choice_kept,
    choice_price,
    dearest_words,
    labelling_time,
    line_gives,
    method_words,
    not_offered,
    others_words,
    plan_price,
    promise_words,
    ranks_words,
    readable_lines,
    shared_words,
)
from labelcore.ui.new_screens import Places
from labelcore.ui.new_terms import RECOMMENDED
from labelcore.ui.status import estimand_name
from labelcore.words.claims import half_words
from labelcore.words.derived import derived_lines
from labelcore.words.existing import SOURCES, taken_words
from labelcore.words.pilots import about_size
from labelcore.words.quantities import term_of
from labelcore.words.savings import EXPECTED_FORMULA, expected_words

UNFORESEEN = (
    "This method does not forecast how wide the result will be. The result is valid all the same."
)
WITH_KNOWN = (
    "The methods that forecast it cannot use known answers. To use one of them, choose "
    "{ignored!r} on the first screen."
)
SHORTEST_PICTURE, LARGEST_PICTURE = 400, 4000
MOST_STOPS = 24
SIDES = (48, 32)
"""Pixels beside the picture: the slider's track begins and ends with its axis, and half of the time
of a tick at its end has room."""
HOW_EXPECTED = "How the labels saved are estimated"
PLAIN = "simple_random"
RANKS = "Working out what the labels will give at each rank"
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
SETTLES = " · its first labels settle {term}"
NUMBERS, CLASSIFIERS = "numbers", "classifiers"
MOST_RIGHT = 0.8
"""Without the dearest number a plan needs at most so much of its labels, or of its half-width, or
nothing is said."""
TOO_CLOSE = (
    "If the scores are right, these labels are not expected to settle every claim: what is claimed "
    "lies too close to the truth."
)


@dataclass(frozen=True)
class Ahead:
    """What labels are expected to give by each method, worked out for those that are asked about.

    lines   of the methods, the plan's own first: each curve goes through what its line says
    least   the fewest labels that may be asked
    spent   how so many answers are spent where several people judge
    """

    plan: Plan
    population: Population
    lines: Sequence[Line]
    least: int = 1
    spent: Spending | None = None

    @property
    def each(self) -> float:
        """How many answers an item gets."""
        return 1.0 if self.spent is None else self.spent.readings / self.spent.items

    @property
    def half_widths(self) -> dict[str, float]:
        """What is expected of the items that get an answer."""
        if self.spent is not None and self.width <= forecasts.EXACT:  # All would be labelled once.
            fewer = replace(self.plan, budget=self.spent.items)
            return dict(forecasts.forecast(self.population, fewer).half_widths)
        part = self.width_with(self.chosen.labels) / max(self.width, 1e-9)
        return {key: part * width for key, width in self.chosen.half_widths.items()}

    @property
    def chosen(self) -> Line:
        return self.lines[0]

    @cached_property
    def able(self) -> dict[str, Line]:
        """The lines of the methods that foresee something."""
        return {one.design: one for one in self.lines if not one.refused and one.half_widths}

    @property
    def audit(self) -> bool:
        return self.population.has_judge

    @property
    def scored(self) -> bool:
        """Whether any classifier that is asked about has a score."""
        names = self.plan.classifiers or self.population.classifiers
        return any(name in self.population.scores for name in names)

    @property
    def most(self) -> int:
        """The labels up to which curves, and the slider below them, go."""
        labels = self.chosen.labels
        most = min(max(4 * labels, SHORTEST_PICTURE), LARGEST_PICTURE)
        return max(min(most, len(self.population)), labels)

    @property
    def stops(self) -> list[int]:
        """Where the slider below the picture stops: even along its axis, so that the number chosen
        stands below its dot; one alone where no other number can be asked."""
        labels, points, high = self.chosen.labels, self.curve(self.chosen.design), self.most
        low = min(max(round(points[0][0]), self.least), labels) if points else labels
        place = float(np.log(labels / low) / max(np.log(high / low), 1e-9))
        found, nearest = sorted({low, labels, high}), 1.0
        for steps in range(2, MOST_STOPS):
            off = abs(round(place * steps) / steps - place)
            even = [int(float(f"{n:.2g}")) for n in np.geomspace(low, high, steps + 1)]
            stops = [low, *even[1:-1], high]
            stops[round(place * steps)] = labels
            if off <= nearest and all(a < b for a, b in pairwise(stops)):
                found, nearest = stops, off
        return found

    @property
    def width(self) -> float:
        """The widest half-width of the chosen method."""
        return max(self.chosen.half_widths.values())

    def curve(self, design: str, most: int | None = None) -> forecasts.Points:
        """What a method is expected to give at each number of labels; () where nothing is."""
        if (line := self.able.get(design)) is None:
            return ()
        points = forecasts.curve_of(self.population, self.plan, design, most or self.most)
        return curve_through(points, line)

    def by_answers(self, design: str) -> forecasts.Points:
        """The curve of a method against answers."""
        most = round(self.most / self.each)
        points = self.curve(design, most)
        return tuple((labels * self.each, width) for labels, width in points if labels <= most)

    def width_at(self, labels: int) -> float:
        """The widest half-width of the chosen method with another number of labels."""
        if labels == self.chosen.labels:
            return self.width
        return forecasts.width_at(self.curve(self.chosen.design), labels)

    def width_with(self, answers: int) -> float:
        """The same with a number of answers."""
        return self.width_at(round(answers / self.each))

    def labels_by(self, design: str) -> int | None:
        """The labels that a method is expected to need for the same half-width: no fewer than the
        chosen one where it is no narrower with as many."""
        points, items = self.curve(design), len(self.population)
        if points and points[-1][1] > self.width:  # Beyond the picture.
            points = self.curve(design, items)
        labels, line = forecasts.labels_for(points, self.width, items), self.able.get(design)
        if labels is None or line is None or line.labels != self.chosen.labels:
            return labels
        narrower = max(line.half_widths.values()) < self.width
        return labels if narrower else max(labels, self.chosen.labels)

    def called(self, design: str) -> str:
        """What the curve of a method is called beside it."""
        if design == PLAIN:
            return RANDOM
        return WITH_SCORES if self.scored else THIS_PLAN

    def show(self) -> None:
        """The promise, and the picture of what other numbers give."""
        self.show_promise()
        if len(self.stops) < 2:
            return
        shown, ends = (self.chosen.design, PLAIN), (self.stops[0], self.stops[-1])
        curves = {name: forecasts.smooth_curve(self.by_answers(name)) for name in shown}
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
            reach=ends,
            time=labelling_time,
        )
        show_chart(chart, "new-picture", height=230, sides=SIDES)

    def show_promise(self) -> None:
        """How sure, and when, and what it hangs on, in a line."""
        exact = bool(self.chosen.half_widths) and self.width <= forecasts.EXACT
        pilot = self.chosen.derived.get("pilot", 0)
        line, means = promise_words(self.plan, self.scored and not exact, pilot)
        st.caption(line, help=means)


def crossing(own: forecasts.Points, other: forecasts.Points) -> bool:
    """Whether the ``other`` curve begins below a curve and ends above it.

    >>> own = ((40, 0.5), (800, 0.1))
    >>> crossing(own, ((40, 0.4), (800, 0.2))), crossing(own, ((40, 0.6), (800, 0.2)))
    (True, False)
    """
    return bool(own and other) and other[0][1] < own[0][1] and own[-1][1] < other[-1][1]


def curve_through(points: forecasts.Points, line: Line) -> forecasts.Points:
    """A curve moved to go through what is said of its method, simulated where that was done; not by
    what is said beyond its end, where only a root is known of it.

    >>> line = Line("simple_random", "Random", labels=800, half_widths={"recall": 0.03})
    >>> curve_through(((100, 0.4), (400, 0.2)), line)
    ((100, 0.4), (400, 0.2))
    """
    widest = max(line.half_widths.values())
    there = forecasts.width_at(points, line.labels)
    if min(there, widest) <= forecasts.EXACT or line.labels > points[-1][0]:
        return points
    through = {labels: width * widest / there for labels, width in points}
    return tuple(sorted({**through, line.labels: widest}.items()))


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


def show_size(ahead: Ahead, more: DeltaGenerator) -> None:
    """A method whose number of labels follows from its parameters, and what it promises."""
    design = ahead.plan.method
    st.markdown(Price.OF_PARAMETERS.in_words(ahead.chosen.labels, method=plain(design.label)))
    st.text("It assumes that " + ".\nAnd: ".join(design.assumptions) + ".")
    if ahead.able:
        with more:
            st.caption("Other methods for the same question, with as many labels:")
            names = list(next(iter(ahead.able.values())).half_widths)
            table = readable_lines([*ahead.able.values()], names, ahead.audit)
            st.dataframe(table, hide_index=True)


def show_choice(ahead: Ahead) -> None:
    """What a choice between candidates is expected to take, and takes at the most."""
    expected = ahead.chosen.derived.get("expected")
    with st.container(key="new-price"):
        st.markdown(choice_price(ahead.chosen.most, expected))
    if kept := choice_kept(ahead.plan.design_params):
        st.text(kept)
    if expected is not None:
        st.text(choice_chances(expected))
    ahead.show_promise()


def show_outlook(ahead: Ahead, simulated: bool, places: Places, people: int) -> bool:
    """The price at once and as a picture, beside the plain method; whether it is foreseen."""
    plan, lines = ahead.plan, ahead.lines
    with places.price:
        if plan.existing is not None:
            st.text(f"Beside {taken_words(known_number(ahead.population), plan.existing)}.")
        if ahead.chosen.half_widths:
            show_price(ahead, people)
        else:
            with st.container(key="new-price-unforeseen"):
                st.markdown(Price.NOT_FORESEEN.in_words(ahead.chosen.labels))
            others = plan.existing is not None and any(line.refused for line in lines)
            hint = f" {WITH_KNOWN.format(ignored=SOURCES['ignored'])}" if others else ""
            st.text(f"{UNFORESEEN}{hint}")
    with places.more:
        if ahead.chosen.half_widths:
            expected = FROM_SCORES if ahead.scored else WITHOUT_SCORES
            st.caption(SIMULATED if simulated else expected)
            table = readable_lines(lines, plan.estimands, ahead.audit)
            st.dataframe(table, hide_index=True, key="new-outlook")
        if missing := not_offered(lines):
            st.caption(plain(missing))
    if not ahead.chosen.half_widths:
        return False
    with places.price:
        if simulated and crossing(ahead.curve(plan.design), ahead.curve(PLAIN)):
            st.caption(ROUGH)
        ahead.show()
    return True


def show_price(ahead: Ahead, people: int) -> None:
    """Labels, minutes and what they give, in a line; then what else they give, and to which of
    several classes the labels go where one costs much more than the others."""
    plan, chosen, population = ahead.plan, ahead.chosen, ahead.population
    labels = min(about_size(chosen.labels), len(population)) if plan.learns else chosen.labels
    with st.container(key="new-price"):
        st.markdown(plan_price(plan, labels, ahead.half_widths, ahead.audit, people, ahead.spent))
    if half := chosen.derived.get("claims_half"):
        st.caption(half_words(half))
    if beside := others_words(ahead.half_widths, ahead.audit):
        st.caption(plain(beside))
    if {*plan.estimands} & {*CURVES, *SUMMARIES}:
        show_along_ranks(ahead)
    show_expected_saving(chosen)
    if plan.claims and chosen.labels >= min(plan.budget or len(population), len(population)):
        st.warning(TOO_CLOSE)
    if plan.margin and ahead.width > plan.margin + 1e-9:
        st.warning("Even all the labels allowed are not expected to reach this margin.")
    if len(population.classes) > 2 and not plan.claims:
        dear = forecasts.dearest(population, plan)
        if dear is not None and dear.part <= MOST_WITHOUT:
            st.caption(dearest_words(dear))


def show_along_ranks(ahead: Ahead) -> None:
    """What the labels give at the ranks that matter and of the whole list, and what it costs each
    that they are shared."""
    plan, population = ahead.plan, ahead.population
    asked = plan, ahead.chosen.labels
    key = population.fingerprint, plan.to_json(), ahead.chosen.labels
    try:
        table = waiting.worked_out(
            "ranks", key, RANKS, lambda: forecasts.along_ranks(population, *asked), keep=False
        )
    except CancelledError:
        return
    cut = own_cut(population, next(iter((*plan.classifiers, *population.classifiers)), None))
    if len(table):
        st.caption(tied(ranks_words(table, len(population), cut)))
    if sentence := shared_words(table, plan.estimands):
        st.caption(tied(sentence))


# --- every method -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A method with one of its promises, and its labels; ``assumes``: it states no chance of
    error."""

    design: str
    promise: str
    labels: int
    assumes: bool
    words: str

    @property
    def name(self) -> str:
        return f"{self.design} {self.promise}"


def sized_rows(ahead: Ahead) -> list[Row]:
    """A row for each method with as many labels as the chosen one, whose number follows from its
    parameters, or with those of its own."""
    rows = [row_of(ahead, line, labels) for line in ahead.lines if (labels := least_labels(line))]
    return sorted(rows, key=lambda row: (row.design != ahead.plan.design, row.labels))


def least_labels(line: Line) -> int:
    """The labels of a method; of one that needs more than it was asked with the fewest it takes; 0
    where it cannot serve."""
    if not line.refused:
        return line.labels
    return max((int(remedy.changes.get("budget", 0)) for remedy in line.remedies), default=0)


def row_of(
    ahead: Ahead, line: Line, labels: int, promise: str | None = None, *, foreseen: bool = False
) -> Row:
    """The row of a method, with the promise of the plan where it has that, else its own;
    ``foreseen``: its labels are a forecast, and told as one."""
    design = DESIGNS[line.design]
    if foreseen and (ahead.plan.learns or ahead.plan.budget is not None):
        labels = min(about_size(labels), len(ahead.population))
    wanted, able = promise or ahead.plan.promise, design.promises
    promise = str(wanted if wanted in able else able[0])
    assumes = isinstance(design, EstimatesCurve) and not design.has_confidence
    whole = labels == len(ahead.population)
    how = "all " if whole else "about " if foreseen else ""
    words = method_words(line.label, f"{how}{labels:,}", promise, assumes=assumes)
    return Row(line.design, promise, labels, assumes, words)


def method_rows(ahead: Ahead, other: str | None) -> list[Row]:
    """A row for each method that foresees its labels, and one for the ``other`` promise of the
    chosen one. Those with the plan's promise stand first, among them the fewest labels first; last
    those that state no chance of error."""
    plan, rows = ahead.plan, []
    for line in ahead.lines:
        if line.refused:
            continue
        own_size = DESIGNS[line.design].size_from_params
        same = line.design == plan.design or plan.margin is not None or own_size
        labels = line.labels if same else ahead.labels_by(line.design)
        if labels is not None and (line.half_widths or own_size):
            counted = plan.budget is not None and line.design == plan.design
            rows.append(row_of(ahead, line, labels, foreseen=not (own_size or counted)))
    if other is not None and (labels := labels_with(ahead, other)) is not None:
        rows.append(row_of(ahead, ahead.chosen, labels, other, foreseen=True))

    def place(row: Row) -> tuple[object, ...]:
        return row.assumes, row.promise != plan.promise, row.labels, row.design != plan.design

    return sorted(rows, key=place)


def labels_with(ahead: Ahead, promise: str) -> int | None:
    """The labels that the chosen method needs for the same half-width with another promise."""
    plan = ahead.plan
    try:
        changed = replace(plan, promise=promise, stop=None)
        if plan.margin is not None:
            line = forecasts.forecast(ahead.population, changed)
            return None if line.refused else line.labels
    except ValueError:
        return None
    population, most = ahead.population, 4 * ahead.chosen.labels
    points = forecasts.curve(population, changed, most)
    formula = forecasts.curve_of(population, plan, plan.design, most)
    there = forecasts.width_at(formula, ahead.chosen.labels)
    exact = min(ahead.width, there) <= forecasts.EXACT
    width = ahead.width if exact else there  # before it was moved to what was simulated
    return forecasts.labels_for(points, width, len(population))


def choose_row(rows: Sequence[Row], plan: Plan, best: str) -> None:
    """The rows to choose from, the one that is taken marked; choosing takes its method, its promise
    and, where labels are counted, as many."""
    taken = f"{plan.design} {plan.promise}"
    by_name = {row.name: row for row in rows}
    if len(by_name) < 2 or taken not in by_name:
        return

    def take(name: str) -> None:
        row = by_name[name]
        least = DESIGNS[row.design].smallest_watched_budget if row.promise == Promise.WATCHED else 1
        budget = max(row.labels, least) if plan.budget is not None else None
        # On other terms another method may be the recommended one.
        same = row.design == best and (row.promise, budget) == (plan.promise, plan.budget)
        design = RECOMMENDED if same else row.design
        begin(ProjectDraft(design=design, promise=row.promise, budget=budget))

    ask("row", take=take, options=words_of(rows, best), first=taken)


def words_of(rows: Sequence[Row], best: str) -> dict[str, str]:
    """The words of each row; why the ``best`` is recommended where it is not the cheapest."""
    settled = DESIGNS[best].settles.removesuffix(DIFFERENCE)
    told = SETTLES.format(term=term_of(settled)) if settled and best != rows[0].design else ""
    return {row.name: plain(row.words + told * (row.design == best)) for row in rows}


# --- each number --------------------------------------------------------------------------------


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
        if changed := _changed(plan, estimands=kept) if kept else plan:
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


def dear_words(ahead: Ahead) -> str:
    """The number without which the plan costs least, where that is much less; "" for none."""
    plan, of_plan = ahead.plan, _cost(ahead.chosen, ahead.plan)
    costs = []
    for switch in switches(plan, ahead.audit) if of_plan else ():
        if not switch.on or not switch.kept:
            continue
        other = forecasts.forecast(ahead.population, switch.plan)
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


def show_switches(ahead: Ahead, card: str) -> None:
    """A line for each number: on or off, and what the plan would cost the other way."""
    for switch in switches(ahead.plan, ahead.audit):
        other = line_gives(forecasts.forecast(ahead.population, switch.plan), ahead.plan)
        effect = (WITHOUT if switch.on else WITH).format(gives=other) if other else ""
        effect = effect if switch.kept else ""
        key = f"new-switch-{switch.kind}-{switch.name}"
        st.session_state[key] = switch.on
        st.toggle(
            f"**{plain(switch.label)}** · {effect}" if effect else f"**{plain(switch.label)}**",
            key=key,
            disabled=not switch.kept,
            on_change=_switched,
            args=(switch, card, ahead.population),
        )


def _switched(switch: Switch, card: str, population: Population) -> None:
    if switch.kind == NUMBERS:
        current().take(NUMBERS, list(switch.kept), card)
    else:
        read = {"dialect": {}, **population.arguments}
        begin(Columns.checked(**read).asking(switch.kept))
