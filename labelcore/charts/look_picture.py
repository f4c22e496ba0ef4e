"""One look at a session as a picture: its bars, its chart, its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelcore.charts.candidates import moving_bounds_table, moving_marks
from labelcore.charts.drawing import Ends
from labelcore.charts.figure_bars import (
    candidate_bar,
    estimate_bar,
    head_bar,
    list_bars,
    list_scale,
)
from labelcore.charts.history import history_words, track_of, with_race
from labelcore.charts.history_table import Seen, history_rows
from labelcore.charts.live_picture import (
    SHARES,
    Bar,
    Track,
    along_lists,
    along_scores,
    bar_name,
    bars,
    over_labels,
    possible_scale,
    race,
)
from labelcore.charts.nodes import Node, node
from labelcore.charts.race import race_node
from labelcore.charts.rank import rank_words
from labelcore.promises import CandidateState
from labelcore.results.lists import ListDifference
from labelcore.results.look import Beside, HeadBands, Look
from labelcore.results.race import Race
from labelcore.results.types import Choice, Estimate
from labelcore.safe_text import one_line
from labelcore.words.choices import choice_short
from labelcore.words.differences import told_words
from labelcore.words.found_so_far import own_name
from labelcore.words.lists import short_lists
from labelcore.words.race import more_words, verdict_words
from labelcore.words.short_sentences import look_sentence

OVER_LABELS, ALONG_SCORES = "Over labels", "Along the scores"
CANDIDATES_OVER = "Bounds of each candidate's precision against labels."
MOST_BARS = 4
LONGEST_NAME = 60
LONGEST_OF_TWO = 20
LONGEST_SENTENCE = 200
GUESS = "grey: a first guess"
MORE_POINTS = "precision of {first} less {second}, points"


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """What one look shows.

    views     the charts that can be chosen; empty where there is none
    sentence  what is known, in at most twenty words
    legend    what dots and grey marks are, on one line; None where there is no room for it
    of_all    what the figure of the sentence is of all items, where that leaves the unsure ones
              out; of a choice, what is known at other precisions that labels were asked for
    """

    bars: Node
    chart: Node | None
    views: tuple[str, ...]
    view: str
    sentence: str
    legend: Node | None = None
    of_all: str = ""


def choice_picture(
    choice: Choice, looks: Sequence[Mapping[str, Any]], answered: int, further: Sequence[str]
) -> Picture:
    """A bar for each of a few candidates with its two bounds, those that are out last, and the
    bounds label by label in the same colours.

    answered   the answers so far; further: what is known at other precisions
    """
    words = one_line(choice_short(choice), LONGEST_SENTENCE)
    said = " ".join(one_line(other, LONGEST_SENTENCE) for other in further)
    rows = choice.bounds.to_dict("records")
    for place, row in enumerate(rows):
        row["series"], row["out"] = place, CandidateState(row["state"]).out
        row["chosen"] = str(row["classifier"]) == choice.chosen
    rows.sort(key=lambda row: (not row["chosen"], row["out"]))
    rows = rows[:MOST_BARS]
    shown = [
        replace(
            candidate_bar(row, one_line(row["classifier"], LONGEST_NAME), choice.chosen),
            series=row["series"],
        )
        for row in rows
    ]
    moved = moving_bounds_table(looks, choice.estimand)
    marks = moving_marks(moved, choice, {str(row["classifier"]) for row in rows})
    wanted = choice.precision_threshold
    chart = race(marks, answered, wanted, f"{CANDIDATES_OVER} {words}")
    return Picture(bars(shown, wanted=wanted), chart, (), "", words, of_all=said)


def lists_picture(lists: ListDifference) -> Picture:
    """The difference at a few ranks as bars, and its band along all of them."""
    sentence = short_lists(lists)
    chart = along_lists(lists, sentence) if lists.has_interval else None
    first, second = (one_line(str(name), LONGEST_OF_TWO) for name in _both(lists))
    legend = node("div", MORE_POINTS.format(first=first, second=second), klass="guess")
    rows = bars(list_bars(lists, named=False), list_scale(lists))
    return Picture(rows, chart, (), "", sentence, legend)


def _sides(estimate: Estimate) -> tuple[str, str] | None:
    """Of a difference: who is better above zero, and who below it."""
    if not estimate.is_difference:
        return None
    above, below = (f"{one_line(name, 30)} is better" for name in _both(estimate))
    return above, below


def _both(difference: Estimate | ListDifference) -> tuple[str, str]:
    """The two classifiers, the first one the better above zero."""
    return difference.scope.classifier or "", difference.scope.versus or ""


def figures_picture(look: Look, beside: Beside) -> Picture:
    """A bar for each figure and head, one chart, and a sentence about one of them."""
    charted, rows = look.charted, []
    track, more = None, None
    if charted is not None:
        rows = history_rows(look.course, charted.estimand)
        track = _track(look, beside, charted, rows)
        more = track.until_first_figure
    said = look_sentence(look, more)
    named = _estimate_bars(look, beside, said.told)
    raced = named.pop(0) if look.race is not None else None
    heads = [] if look.heads is None else _head_bars(look, look.heads, said.told)
    shown = [*heads, *named] if look.heads is not None and look.heads.first else [*named, *heads]
    drawn = bars(shown, _scale(look.estimates))
    if look.race is not None and raced is not None:
        contest = _contest(look, look.race, raced, shown)
        drawn = node("div", contest, *([drawn] if shown else []))
    chart = None
    if look.along is not None:
        items, words = look.along.scope.n_items, rank_words(look.along, look.cut)
        chart = along_scores(look.along, items, look.cut, words)
    elif charted is not None and track is not None and look.view == OVER_LABELS:
        key = charted.estimand
        words = history_words(rows, key, margin=look.margin, label=look.names[key])
        chart = over_labels(track, words)
    return Picture(
        drawn, chart, look.views, look.view, said.text, _legend_of(look, shown), said.of_all
    )


def _track(look: Look, beside: Beside, estimate: Estimate, rows: Sequence[Seen]) -> Track:
    """The figure label by label, and what is expected of it."""
    key, name = estimate.estimand, look.names[estimate.estimand]
    scale, sides = _scale([estimate]), _sides(estimate)
    track = replace(
        track_of(rows, key, name, look.margin),
        planned=beside.planned,
        scale=scale,
        ahead=beside.ahead(key),
        suggested=beside.likely.get(key),
        earliest=None if estimate.told is not None else float(estimate.scope.first_figure or 0),
        possible=estimate.possible.high - estimate.possible.low,
        truth=beside.truths.get(key),
        sides=sides,
    )
    if look.race is None or estimate is not look.estimates[0]:
        return track
    return with_race(track, look.race, estimate)


def _estimate_bars(look: Look, beside: Beside, told: str) -> list[Bar]:
    pressed = OVER_LABELS in look.views and (len(look.barred) > 1 or len(look.views) > 1)
    charted = look.charted if look.view == OVER_LABELS else None
    return [
        replace(
            estimate_bar(estimate, _name_of(look, estimate)),
            key=estimate.estimand if pressed else "",
            shown=estimate is charted,
            told=estimate.estimand == told,
            truth=beside.truths.get(estimate.estimand),
            dots=look.dots.get(estimate.estimand),
        )
        for estimate in look.barred
    ]


def _name_of(look: Look, estimate: Estimate) -> str:
    own = own_name(estimate)
    return one_line(own, LONGEST_NAME) if own else look.names[estimate.estimand]


def _head_bars(look: Look, heads: HeadBands, told: str) -> list[Bar]:
    drawn = {name: head_bar(band, name) for name, band in heads.bands.items()}
    return [
        replace(bar, told=name == told and bar.low is not None, dots=look.dots.get(name))
        for name, bar in drawn.items()
    ]


def _contest(look: Look, race: Race, bar: Bar, others: Sequence[Bar]) -> Node:
    """Who is right where two classifiers disagree; ``bar`` is the one in whose place it stands,
    above the ``others``."""
    asked = bar_name(bar) if bar.key and others else None
    first = look.estimates[0]
    verdict, value, more = verdict_words(first), told_words(first), more_words(race, first)
    return race_node(race, verdict, value, more, asked)


def _legend_of(look: Look, shown: Sequence[Bar]) -> Node:
    """The line below the bars and the chart: always there, so that nothing moves when it says
    something."""
    guess = any(bar.guessed for bar in shown)
    if look.along is not None:
        guess = not look.along.has_interval and bool(np.isfinite(look.along.told).any())
    full, hollow = f"with the {look.model}", "against it"
    compared = (estimate for estimate in look.estimates if estimate.is_difference)
    if (both := next(map(_both, compared), None)) is not None:
        full, hollow = (f"{one_line(name, LONGEST_OF_TWO)} right" for name in both)
    parts: list[Node | str] = []
    if shown and any(len(marks) for marks in look.dots.values()):
        parts += [node("span", klass="agreed"), full, node("span", klass="against"), hollow]
    if guess:
        parts += [" · " if parts else "", GUESS]
    return node("div", *parts, klass="guess")


def _scale(estimates: Sequence[Estimate]) -> Ends:
    """Shares from 0 to 100 %; differences as far as was possible before the first label."""
    ends = [estimate.possible for estimate in estimates if estimate.is_difference]
    if not ends:
        return SHARES
    return possible_scale(min(end.low for end in ends), max(end.high for end in ends))
