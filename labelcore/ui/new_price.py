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
from labelcore.estimands import CHOICES, CURVES, LISTS, SUMMARIES
from labelcore.figures.cuts import own_cut
from labelcore.plan.pilot import PILOT
from labelcore.plan.plan import Plan
from labelcore.planning.choosing import Expected
from labelcore.planning.methods import Line
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.results.types import DIFFERENCE
from labelcore.ui import forecasts
from labelcore.ui.chart import show_chart
from labelcore.ui.curve_view import landmark_name
from labelcore.ui.new_known_answers import known_number
from labelcore.ui.new_race import Race
from labelcore.ui.new_screens import Places
from labelcore.ui.safe_text import plain
from labelcore.ui.status import SECONDS_AN_ITEM, estimand_name
from labelcore.ui.times import minutes
from labelcore.words import sentences as words
from labelcore.words.claims import half_words
from labelcore.words.derived import derived_lines
from labelcore.words.differences import is_difference
from labelcore.words.existing import SOURCES, taken_words
from labelcore.words.pilots import found_words
from labelcore.words.promises import LOOKS
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
ROUND = tuple(
    round(digit * 10**power)
    for power in range(1, 7)
    for digit in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
)
SIDES = (48, 10)
"""Pixels beside the picture: the slider's track begins and ends with its axis."""
HOW_EXPECTED = "How the labels saved are estimated"
PLAIN = "simple_random"
MOST_BESIDE = 3
"""For how many figures the widths stand beside each other."""
IF_ONE = ", if one person judges"
CHOSEN, RANDOM = "with your scores", "plain random sample"
IF_OFF = "If your scores mislead: half to twice the labels."
IF_OFF_CHOICE = "If your scores mislead: a quarter to three times the labels."
KEPT = "Promised: precision of at least {least}, and at most {lost} of the finds lost."
SURE_MEANS = (
    "Of 100 projects like this one, about {wrong} would say something false{when}. That holds "
    "whatever the scores are worth. The number of labels is expected as if they were right, and "
    "the time at 8 seconds an item."
)
WIDEST = " Each line is the widest figure of its method."
WHENEVER = ", wherever you look and stop"
SIMULATED = "The curves are those of formulas, moved to what was simulated."
FROM_SCORES = (
    "Expected from the scores as if they were right; the interval itself never relies on that."
)
WITHOUT_SCORES = (
    "Expected on an assumption about the answers; the interval itself never relies on that."
)
DEAREST = "*{name}* takes {share} % of the labels; without it the others need {part} % as many."
MOST_WITHOUT = 0.9
"""Without its dearest class a plan needs at most so many of its labels, or nothing is said."""
ALONE = "Each alone, with as many labels: {each}."
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
    st.markdown(
        f"**{plain(design.label)} asks for exactly {chosen.labels:,} labels with these parameters, "
        f"{minutes(chosen.labels * SECONDS_AN_ITEM)}.**"
    )
    st.text("It assumes that " + ".\nAnd: ".join(design.assumptions) + ".")
    others = [line for line in lines if not line.refused and line.half_widths]
    if others:
        with more:
            st.caption("Other methods for the same question, with as many labels:")
            table = forecasts.readable_lines(others, list(others[0].half_widths), audit)
            st.dataframe(table, hide_index=True)


def show_choice(plan: Plan, population: Population, chosen: Line) -> None:
    """What a choice between candidates is expected to take, and takes at the most."""
    expected = chosen.derived.get("expected")
    with st.container(key="new-price"):
        st.markdown(choice_price(chosen.most, expected))
    if kept := choice_kept(plan.design_params):
        st.text(kept)
    if expected is not None:
        st.text(choice_chances(chosen.most, expected))
    show_promise(plan, population)


def choice_kept(params: Any) -> str:
    """What is promised of the cut that is named.

    >>> from labelcore.designs import DESIGNS
    >>> choice_kept(DESIGNS["reach_selection"].Params())
    'Promised: precision of at least 80.0 %, and at most 10.0 % of the finds lost.'
    """
    if not hasattr(params, "precision_slack"):
        return ""
    least = words.exact_percent(max(params.precision_threshold - params.precision_slack, 0.0))
    return KEPT.format(least=least, lost=words.exact_percent(params.reach_slack))


def choice_price(most: int, expected: Expected | None) -> str:
    """
    >>> choice_price(200, Expected(90, 120, 180, 0.8, 1000))
    'About 120 labels, 16 min; at most 200'
    >>> choice_price(200, Expected(210, 300, 480, 0.1, 1000))
    'At most 200 labels, 27 min: most likely too few'
    >>> choice_price(200, None)
    'At most 200 labels, 27 min; fewer if the choice is clear'
    """
    limit = f"At most {most:,} labels, {minutes(most * SECONDS_AN_ITEM)}"
    if expected is None:
        return f"{limit}; fewer if the choice is clear"
    if expected.middle is None or expected.middle > most:
        return f"{limit}: most likely too few"
    middle = expected.middle
    return f"About {middle:,} labels, {minutes(middle * SECONDS_AN_ITEM)}; at most {most:,}"


def choice_chances(most: int, expected: Expected) -> str:
    """
    >>> choice_chances(200, Expected(90, 120, 180, 0.8, 1000))
    'Enough in 80 % of the simulated sessions. Half of them took 90 to 180.'
    >>> choice_chances(200, Expected(210, 300, None, 0.1, 1000))
    'Enough in 10 % of the simulated sessions. A quarter of them took more than 1,000.'
    >>> choice_chances(200, Expected(None, None, None, 0, 200))
    'Enough in 0 % of the simulated sessions. Most of them took more than 200.'
    """
    enough = f"Enough in {100 * expected.within:.0f} % of the simulated sessions."
    low, high = expected.low, expected.high
    if low is not None and high is not None:
        return f"{enough} Half of them took {low:,} to {high:,}."
    many = "Most" if expected.middle is None else "A quarter"
    return f"{enough} {many} of them took more than {expected.followed:,}."


def show_promise(plan: Plan, population: Population) -> None:
    """How sure, and when, and what it hangs on, in a line."""
    sure = words.confidence_words(plan.confidence)
    promise = Promise(plan.promise or Promise.NONE)
    names = plan.classifiers or population.classifiers
    scored = any(name in population.scores for name in names)
    chosen = {*plan.estimands} <= {*CHOICES}
    if_off = IF_OFF_CHOICE if chosen else IF_OFF
    sentences = [LOOKS[promise].format(sure=sure), *([if_off] if scored else [])]
    if plan.learns:
        sentences[1:] = [f"So many {found_words(0, PILOT, 0, scored=scored)}."]
    wrong = f"{100 * (1 - plan.confidence):.3g}"
    when = WHENEVER if promise == Promise.WATCHED else ""
    lines = "" if chosen else WIDEST
    st.caption(" ".join(sentences), help=SURE_MEANS.format(wrong=wrong, when=when) + lines)


def widest_words(half_widths: Mapping[str, float], audit: bool = False) -> str:
    """Which figure the largest half-width is that of, after the points.

    >>> widest_words({"precision": 0.04, "recall": 0.076}), widest_words({"recall": 0.076})
    (' (recall)', '')
    """
    if len(half_widths) < 2 and not {*half_widths} & {*CURVES, *LISTS}:
        return ""
    if max(half_widths, key=lambda key: half_widths[key]) in {*CURVES, *LISTS}:
        return " (where widest)"
    name = estimand_name(max(half_widths, key=lambda key: half_widths[key]), audit=audit)
    return f" ({plain(name if name[:2].isupper() else name[:1].lower() + name[1:])})"


def others_words(half_widths: Mapping[str, float], audit: bool = False) -> str:
    """The narrower figures beside the widest one, where there are few.

    >>> others_words({"precision": 0.04, "recall": 0.076}), others_words({"recall": 0.076})
    ('Precision ± 4.0 points.', '')
    >>> others_words({"accuracy_difference": 0.01, "f1_difference": 0.02, "recall_difference": 0.0})
    'Differences: accuracy ± 1.0, recall exact.'
    """
    if len(half_widths) > MOST_BESIDE or {*half_widths} & {*CURVES, *LISTS}:
        return ""
    widest = max(half_widths, key=lambda key: half_widths[key])
    beside = {name: width for name, width in half_widths.items() if name != widest}
    apart = [name for name in beside if is_difference(name)]
    texts = {
        name: "exact" if width <= forecasts.EXACT else f"± {forecasts.expected_points(width)}"
        for name, width in beside.items()
    }
    if len(apart) > 1:
        named = (f"{term_of(name.removesuffix(DIFFERENCE), audit)} {texts[name]}" for name in apart)
        return f"Differences: {', '.join(named)}.".replace(" points,", ",")
    return " ".join(f"{estimand_name(name, audit=audit)} {text}." for name, text in texts.items())


def show_outlook(
    plan: Plan, population: Population, race: Race, places: Places, people: int
) -> Ahead | None:
    """The price at once and as a picture, beside the plain method."""
    lines = race.lines
    chosen = lines[0]
    with places.price:
        if plan.existing is not None:
            st.text(f"Beside {taken_words(known_number(population), plan.existing)}.")
        if not chosen.half_widths:
            show_unforeseen(plan, lines, places)
            return None
        show_price(plan, population, chosen, people)
        if sentence := dearest_words(population, plan):
            st.caption(sentence)
    with places.more:
        scored = any(
            name in population.scores for name in plan.classifiers or population.classifiers
        )
        st.caption(SIMULATED if race.found else FROM_SCORES if scored else WITHOUT_SCORES)
        table = forecasts.readable_lines(lines, plan.estimands, population.has_judge)
        st.dataframe(table, hide_index=True, key="new-outlook")
        show_not_offered(lines)
    ahead = Ahead.of(plan, population, lines)
    with places.price:
        ahead.show()
    return ahead


def dearest_words(population: Population, plan: Plan) -> str:
    """Which of several classes the labels go to, and what would do without it; "" where none costs
    much more than the others."""
    if len(population.classes) < 3 or plan.claims:
        return ""
    dear = forecasts.dearest(population, population.fingerprint, plan.to_json())
    if dear is None or dear.part > MOST_WITHOUT:
        return ""
    return DEAREST.format(
        name=plain(dear.name), share=f"{100 * dear.share:.0f}", part=f"{100 * dear.part:.0f}"
    )


def show_price(plan: Plan, population: Population, chosen: Line, people: int) -> None:
    """Labels, minutes and what they give, in a line."""
    widest = max(chosen.half_widths.values())
    about = "About" if plan.margin or plan.claims else "With"
    until = " until every claim is settled, and then" if plan.claims else ":"
    of = widest_words(chosen.half_widths, population.has_judge)
    exact = widest <= forecasts.EXACT
    gives = "exact" if exact else f"± {forecasts.expected_points(widest)}{of}"
    gives += IF_ONE if people > 1 else ""
    with st.container(key="new-price"):
        st.markdown(
            f"{about} {chosen.labels:,} labels, {minutes(chosen.labels * SECONDS_AN_ITEM)}{until} "
            f"{gives}"
        )
    if half := chosen.derived.get("claims_half"):
        st.caption(half_words(half))
    if beside := others_words(chosen.half_widths, population.has_judge):
        st.caption(plain(beside))
    if {*plan.estimands} & {*CURVES, *SUMMARIES}:
        show_along_ranks(plan, population, chosen)
    show_expected_saving(chosen)
    if plan.claims and chosen.labels >= min(plan.budget or len(population), len(population)):
        st.warning(TOO_CLOSE)
    if plan.margin and widest > plan.margin + 1e-9:
        st.warning("Even all the labels allowed are not expected to reach this margin.")


def show_along_ranks(plan: Plan, population: Population, chosen: Line) -> None:
    """What the labels give at the ranks that matter and of the whole list, and what it costs each
    that they are shared."""
    table = forecasts.along_ranks(population, population.fingerprint, plan.to_json(), chosen.labels)
    cut = own_cut(population, next(iter((*plan.classifiers, *population.classifiers)), None))
    if len(table):
        st.caption(ranks_words(table, len(population), cut))
    if sentence := shared_words(table, plan.estimands):
        st.caption(sentence)


def ranks_words(table: pd.DataFrame, items: int, cut: int | None) -> str:
    """
    >>> rows = [("10", 0.0, 0.0), ("151", 0.12, 0.1), ("area_under_roc", 0.03, 0.02)]
    >>> columns = ["of", "expected_half_width", "asked_alone"]
    >>> ranks_words(pd.DataFrame(rows, columns=columns), 4000, 151)
    'Expected: first 10 exact · own cut, 151 ± 12 · area under the ROC curve ± 3.0 points'
    """
    parts = []
    for name, width in zip(table["of"], table["expected_half_width"], strict=True):
        label = landmark_name(int(name), items, cut) if name.isdigit() else term_of(name)
        label = label[:1].lower() + label[1:]
        exact = width <= forecasts.EXACT
        parts.append(f"{label} exact" if exact else f"{label} ± {forecasts.expected_points(width)}")
    return f"Expected: {' · '.join(parts)}".replace(" points ·", " ·")


def shared_words(table: pd.DataFrame, asked: Sequence[str]) -> str:
    """What each would have of the labels alone, where they are shared; "" where one has all.

    >>> rows = [("100", 0.05, 0.04), ("1000", 0.06, 0.05), ("area_under_roc", 0.03, 0.02)]
    >>> table = pd.DataFrame(rows, columns=["of", "expected_half_width", "asked_alone"])
    >>> shared_words(table, ["precision_curve", "area_under_roc"])
    'Each alone, with as many labels: first 1,000 ± 5.0, area under the ROC curve ± 2.0 points.'
    >>> shared_words(table, ["precision_curve"])
    ''
    """
    rows = dict(zip(table["of"], table["asked_alone"], strict=True))
    kept = [name for name in asked if name in rows]
    if len(asked) < 2 or not kept:
        return ""
    heads = [name for name in rows if name.isdigit() and rows[name] > forecasts.EXACT]
    parts = [
        f"first {int(name):,} ± {forecasts.expected_points(rows[name])}" for name in heads[-1:]
    ]
    parts += [f"{term_of(name)} ± {forecasts.expected_points(rows[name])}" for name in kept]
    return ALONE.format(each=", ".join(parts).replace(" points,", ","))


@dataclass(frozen=True)
class Ahead:
    """What labels are expected to give by each method, worked out for those that are asked about.

    lines   of the methods that foresee something: each curve goes through what its line says
    """

    plan: Plan
    population: Population
    chosen: Line
    lines: Mapping[str, Line]

    @classmethod
    def of(cls, plan: Plan, population: Population, lines: Sequence[Line]) -> Ahead:
        able = {line.design: line for line in lines if not line.refused and line.half_widths}
        return cls(plan, population, lines[0], able)

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
        low, high = min(round(points[0][0]) if points else labels, labels), self.most
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

    def show(self) -> None:
        show_promise(self.plan, self.population)
        called = {PLAIN: RANDOM, self.chosen.design: CHOSEN}
        rows = [
            (labels, width, called[name])
            for name in dict.fromkeys((self.chosen.design, PLAIN))
            for labels, width in forecasts.smooth_curve(self.curve(name))
        ]
        data = pd.DataFrame(rows, columns=["labels", "half_width", "design"])
        ends = (self.stops[0], self.stops[-1])
        chart = labels_margin_chart(
            data,
            margin=self.plan.margin,
            labels=self.chosen.labels,
            reach=ends if ends[0] < ends[1] else None,
            time=lambda labels: minutes(labels * SECONDS_AN_ITEM),
        )
        show_chart(chart, "new-picture", height=230, sides=SIDES)


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
    labels = lines[0].labels
    with st.container(key="new-price-unforeseen"):
        st.markdown(f"With {labels:,} labels, {minutes(labels * SECONDS_AN_ITEM)}.")
    others = plan.existing is not None and any(line.refused for line in lines)
    hint = f" {WITH_KNOWN.format(ignored=SOURCES['ignored'])}" if others else ""
    st.text(f"{UNFORESEEN}{hint}")
    with places.more:
        show_not_offered(lines)


def show_not_offered(lines: list[Line]) -> None:
    """The methods that cannot serve, and why, in one line."""
    if missing := forecasts.not_offered(lines):
        st.caption(plain(missing))
