"""One look at a session as a picture: its bars, its chart, its sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelcore.charts.candidates import moving_bounds_table, race_drawing
from labelcore.charts.figure_bars import (
    LONGEST_OF_TWO,
    candidate_bar,
    estimate_bar,
    head_bar,
    list_bars,
    list_scale,
)
from labelcore.charts.history import looks_words, track_of, with_race
from labelcore.charts.history_table import history_rows
from labelcore.charts.lists import lists_drawing
from labelcore.charts.live_picture import (
    Bar,
    Track,
    bar_name,
    bars,
    labels_drawing,
    living,
    possible_scale,
)
from labelcore.charts.nodes import Node, node
from labelcore.charts.race import Contest, race_node
from labelcore.charts.rank import precision_drawing, rank_words
from labelcore.promises import CandidateState, Promise
from labelcore.results.lists import ListDifference
from labelcore.results.look import Beside, HeadBands, Look
from labelcore.results.types import Choice, Estimate
from labelcore.safe_text import one_line
from labelcore.words.choices import choice_short
from labelcore.words.differences import told_words
from labelcore.words.found_so_far import own_name
from labelcore.words.lists import short_lists
from labelcore.words.race import heads_words, limits_words, more_words, settles_words, verdict_words
from labelcore.words.short_sentences import look_sentence

OVER_LABELS, ALONG_SCORES = "Over labels", "Along the scores"
CANDIDATES_OVER = "Bounds of each candidate's precision against labels."
MOST_BARS = 4
LONGEST_NAME = 60
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
    rows = sorted(rows, key=lambda row: (not row["chosen"], row["out"]))[:MOST_BARS]
    shown = [
        replace(
            candidate_bar(row, one_line(row["classifier"], LONGEST_NAME), choice),
            series=row["series"],
        )
        for row in rows
    ]
    moved = moving_bounds_table(looks, choice.estimand)
    drawing = race_drawing(moved, choice, answered, {str(row["classifier"]) for row in rows})
    chart = living(drawing, f"{CANDIDATES_OVER} {words}")
    drawn = bars(shown, wanted=choice.precision_threshold)
    return Picture(drawn, chart, (), "", words, of_all=said)


def lists_picture(lists: ListDifference) -> Picture:
    """The difference at a few ranks as bars, and its band along all of them."""
    sentence = short_lists(lists)
    chart = living(lists_drawing(lists), sentence) if lists.has_interval else None
    first, second = (one_line(str(name), LONGEST_OF_TWO) for name in _both(lists))
    legend = node("div", MORE_POINTS.format(first=first, second=second), klass="guess")
    rows = bars(list_bars(lists, named=False), list_scale(lists))
    return Picture(rows, chart, (), "", sentence, legend)


def _both(difference: Estimate | ListDifference) -> tuple[str, str]:
    """The two classifiers, the first one the better above zero."""
    return difference.scope.classifier or "", difference.scope.versus or ""


def figures_picture(look: Look, beside: Beside) -> Picture:
    """A bar for each figure and head, one chart, and a sentence about one of them."""
    track, words, contest = None, "", None
    if look.charted is not None:
        track, words = _course(look, beside, look.charted)
    if look.along is not None:
        words = rank_words(look.along, look.cut)
    said = look_sentence(look, None if track is None else track.until_first_figure)
    if look.race is not None:
        race, first = look.race, look.estimates[0]
        certain = limits_words(race), heads_words(race), settles_words(race)
        ahead = verdict_words(first), told_words(first), more_words(race, first)
        contest = Contest(race, *certain, *ahead)
    figures = _estimate_bars(look, beside)
    named = figures if contest is None else figures[1:]
    heads = [] if look.heads is None else _head_bars(look, look.heads)
    shown = [*heads, *named] if look.heads is not None and look.heads.first else [*named, *heads]
    drawn = bars(shown, possible_scale(look.estimates))
    if contest is not None:  # In the place of the first bar, above the others.
        asked = bar_name(figures[0]) if figures[0].key and shown else None
        drawn = node("div", race_node(contest, asked), *([drawn] if shown else []))
    chart = None
    if look.along is not None:
        chart = living(precision_drawing(look.along, look.cut), words)
    elif track is not None and look.view == OVER_LABELS:
        chart = living(labels_drawing(track), words)
    legend = _legend_of(look, shown)
    return Picture(drawn, chart, look.views, look.view, said.text, legend, said.of_all)


def _course(look: Look, beside: Beside, estimate: Estimate) -> tuple[Track, str]:
    """The figure label by label with what is expected of it, and its looks in words."""
    key, margin = estimate.estimand, look.margin
    rows, ahead = history_rows(look.course, key), beside.ahead(key)
    early = estimate.told is None and estimate.promise == Promise.WATCHED
    track = replace(
        track_of(rows, look.names[key], margin, estimate),
        planned=beside.planned,
        ahead=ahead,
        suggested=beside.likely.get(key),
        earliest=float(estimate.scope.first_figure or 0) if early else None,
        possible=estimate.possible.high - estimate.possible.low,
        truth=beside.truths.get(key),
    )
    if look.race is not None and estimate is look.estimates[0]:
        track = with_race(track, look.race, estimate)
    return track, looks_words(rows, key, look.names[key], margin)


def _estimate_bars(look: Look, beside: Beside) -> list[Bar]:
    pressed = OVER_LABELS in look.views and (len(look.barred) > 1 or len(look.views) > 1)
    charted = look.charted if look.view == OVER_LABELS else None
    return [
        replace(
            estimate_bar(estimate, own_name(estimate) or look.names[estimate.estimand]),
            key=estimate.estimand if pressed else "",
            shown=estimate is charted,
            truth=beside.truths.get(estimate.estimand),
            dots=look.dots.get(estimate.estimand),
        )
        for estimate in look.barred
    ]


def _head_bars(look: Look, heads: HeadBands) -> list[Bar]:
    return [
        replace(head_bar(band, name), dots=look.dots.get(name))
        for name, band in heads.bands.items()
    ]


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
