"""How the figures came about, label by label: what the script of the page plays."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.axes import SHARES
from labelcore.charts.candidates import moving_bounds_table, race_drawing
from labelcore.charts.design import SERIES
from labelcore.charts.drawing import Ends
from labelcore.charts.figure_bars import NOT_YET
from labelcore.charts.history import looks_words, track_of, with_race
from labelcore.charts.history_table import history_rows, history_table
from labelcore.charts.lists import lists_drawing
from labelcore.charts.live_picture import BOX, Bar, labels_drawing, living
from labelcore.charts.nodes import Node, node
from labelcore.charts.rank import precision_drawing, rank_words
from labelcore.charts.svg import colour
from labelcore.figures.current import moment, results_after
from labelcore.figures.cuts import cuts_at, own_cut
from labelcore.figures.narrowing import grid
from labelcore.figures.scalars import headline_stage
from labelcore.figures.with_classifier import labels_in_force, race_of
from labelcore.log.engine import Engine
from labelcore.report.along_ranks import AlongRanks
from labelcore.report.dates import day_words
from labelcore.report.facts import Facts
from labelcore.report.figures import folded_numbers
from labelcore.report.first_page import MOST_ROWS, drawn_rows, scale_of, short_answer
from labelcore.report.markup import Markup, data_block, element, picture
from labelcore.report.sections import name_of
from labelcore.results.base import Finding
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Estimate
from labelcore.session.session import Session

MOST_FRAMES, MOST_RANKS, MOST_LISTS = 400, 100, 8
STRIP, DIGITS = 22.0, 6
SHORT, TALL, UP, DOWN = (7.0, 8.0, 0), (1.0, 20.0, 1), (1.0, 10.0, 0), (11.0, 10.0, 1)
"""Where a mark begins, how long it is, and its place among the colours."""
WRONG = "Each mark is a label; tall: {name} was wrong."
APART = "Each mark is a label; up: only {first} was right, down: only {second}."
LABEL_BY_LABEL = "Label by label"
PLAIN, PLAY = "Each mark is a label.", "\N{BLACK RIGHT-POINTING TRIANGLE}"


@dataclass(frozen=True, eq=False, slots=True)
class Replay:
    """The figure that is played, and what the script is told."""

    figure: Markup
    data: Markup


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """The figures after so many labels, and when the last of them was given."""

    labels: int
    at: str
    facts: Facts
    seen: Mapping[str, Any]


@dataclass(frozen=True, eq=False, slots=True)
class Course:
    """The chart that is played: over labels, which are uncovered one by one, or anew each time.

    end, up    labels at the end of its axis, and the ends of the other one
    key        of the figure whose value is the dot
    table      its numbers, where no other figure has them
    """

    drawn: Node
    end: float
    table: pd.DataFrame | None = None
    up: Ends = SHARES
    key: str = ""
    anew: Callable[[Facts], Node] | None = None


def replayed(session: Session, facts: Facts) -> Replay | None:
    """The course of a session from its first label to now, with the answers as they are; None
    before there is a label, and for figures that are not computed any more."""
    engine = session.engine
    if not engine.prefix() or facts.plan.superseded:
        return None
    frames = list(_frames(engine, facts))
    course = _course(engine, facts, frames)
    if course is None:
        return None
    keys = list(drawn_rows(facts, MOST_ROWS))
    sentences, days, parts = _Pool(), _Pool(), _Pool()
    rows = []
    for frame in frames:
        day = days.place(day_words(frame.at) if frame.at else "")
        row: list[Any] = [
            frame.labels,
            sentences.place(short_answer(frame.facts)),
            day,
            _rows(frame.facts, keys),
        ]
        if course.anew is not None:
            row.append([parts.place(json.dumps(part)) for part in course.anew(frame.facts)[2:]])
        rows.append(row)
    data: dict[str, Any] = {"scale": scale_of(facts), "frames": rows}
    data |= {"sentences": list(sentences), "days": list(days), "parts": [*map(json.loads, parts)]}
    if course.anew is None:
        box = [BOX.left, BOX.right, BOX.top, BOX.bottom]
        place = keys.index(course.key) if course.key in keys else -1
        data["over"] = {"box": box, "up": course.up, "end": course.end, "row": place}
    return Replay(_figure(engine, course, frames[-1].labels), data_block("replay", data))


class _Pool(dict[str, int]):
    """Texts that are told once, by their place."""

    def place(self, text: str) -> int:
        return self.setdefault(text, len(self))


def _frames(engine: Engine, facts: Facts) -> Iterator[Frame]:
    """One before any label and one for each up to now; of many labels, and of curves, which take
    longer, at the looks of the session's own grid, and of two lists at a few of them."""
    stage = headline_stage(engine)
    last = stage.prefix()
    curves = any(isinstance(result, Band) for result in facts.results.values())
    every = not curves and last <= MOST_FRAMES
    draws = [*range(last)] if every else grid(stage.setup.planned, last - 1, 0)
    most = MOST_LISTS if isinstance(facts.primary, ListDifference) else MOST_FRAMES
    draws = draws[:: -(-len(draws) // most)]
    seen_frames: dict[int, Frame] = {}
    for then, results in results_after(engine, draws):
        seen = moment(then, results)
        there = _without_tables(facts)
        there.results, there.along = results, _along(then, facts, results)
        there.sentence = next(iter(results.values())).sentence()
        seen_frames[then.labels] = Frame(then.labels, seen["at"], there, seen)
    seen = moment(stage, facts.results)
    yield from (frame for labels, frame in seen_frames.items() if labels < stage.labels)
    yield Frame(stage.labels, seen["at"], _without_tables(facts), seen)


def _without_tables(facts: Facts) -> Facts:
    other = copy(facts)
    other.tables = ()
    return other


def _along(engine: Engine, facts: Facts, results: Mapping[str, Finding]) -> AlongRanks | None:
    """What was known of the first items that the report tells of."""
    if facts.along is None:
        return None
    first = next(result for result in results.values() if isinstance(result, Band))
    there = [mark.rank for mark in facts.along.landmarks if first.has_interval]
    ranks = [rank for rank in there if rank <= first.x[-1]]
    cuts = cuts_at(headline_stage(engine), ranks) if ranks else []
    return replace(facts.along, landmarks=[cut for cut in cuts if "precision" in cut.readings])


def _rows(facts: Facts, keys: Sequence[str]) -> list[list[Any] | None]:
    """Low, high, value and both texts of each row; None for one that stays as it is."""
    there, nothing = drawn_rows(facts), Bar("", None, None, None, NOT_YET)
    bars = [there.get(key, nothing if key.startswith("first ") else None) for key in keys]
    return [
        None if bar is None else [*map(_short, (bar.low, bar.high, bar.value)), *bar.said]
        for bar in bars
    ]


def _short(number: float | None) -> float | None:
    return None if number is None else round(float(number), DIGITS)


def _course(engine: Engine, facts: Facts, frames: Sequence[Frame]) -> Course | None:
    first, last = facts.primary, float(frames[-1].labels)
    if isinstance(first, ListDifference):
        return Course(_of_lists(facts), last, anew=_of_lists)
    if isinstance(first, Band):
        return Course(_of_ranks(facts), last, anew=_of_ranks)
    if isinstance(first, Choice):
        return _of_choice(facts, first, last)
    return _of_number(engine, facts.numbers[0], frames) if facts.numbers else None


def _of_lists(facts: Facts) -> Node:
    assert isinstance(facts.primary, ListDifference)
    return living(lists_drawing(facts.primary), short_answer(facts))


def _of_ranks(facts: Facts) -> Node:
    band = facts.primary
    assert isinstance(band, Band)
    cut = own_cut(facts.population, band.scope.classifier)
    return living(precision_drawing(band, cut, most=MOST_RANKS), rank_words(band, cut))


def _of_choice(facts: Facts, choice: Choice, last: float) -> Course | None:
    moved = moving_bounds_table(facts.looks, choice.estimand)
    if moved.empty:
        return None
    drawing = race_drawing(moved, choice, int(last), drawn_rows(facts, MOST_ROWS))
    return Course(living(drawing, short_answer(facts)), drawing.level.ends[1])


def _of_number(engine: Engine, now: Estimate, frames: Sequence[Frame]) -> Course:
    key, name, margin = now.estimand, name_of(now), now.scope.margin
    rows = history_rows([frame.seen for frame in frames], key)
    track = track_of(rows, name, margin, now)
    contest = race_of(engine) if now.is_difference else None
    if contest is not None and contest.first == now.scope.classifier:
        track = with_race(track, contest, now)
    words = looks_words(rows, key, name, margin)
    drawing = labels_drawing(track)
    end = drawing.level.ends[1]
    return Course(living(drawing, words), end, history_table(rows), track.scale, key)


def _figure(engine: Engine, course: Course, labels: int) -> Markup:
    """The chart, a mark for each label, and what moves them."""
    strip, legend = _strip(engine, course.end)
    slider = {"type": "range", "min": str(engine.given), "max": str(labels), "step": "1"}
    moved = element("input", **slider, value=str(labels), aria_label="Labels", class_="slider")
    button = element("button", PLAY, type="button", aria_label="Play")
    return element(
        "figure",
        element("div", picture(course.drawn), class_="moving"),
        element("div", button, element("div", picture(strip), moved), class_="player", hidden=""),
        element("p", "", class_="now"),
        element("figcaption", legend),
        None if course.table is None else folded_numbers(LABEL_BY_LABEL, course.table),
        class_="replay",
    )


def _strip(engine: Engine, end: float) -> tuple[Node, str]:
    """A mark for each label, tall where a classifier was wrong or two of them disagree, and what
    that means."""
    position, code = labels_in_force(engine)
    known = engine.population.predictions
    names = [name for name in engine.classifiers if name is not None and name in known][:2]
    wrong = [known[name][position] != code for name in names]
    if len(names) == 2 and engine.questions and engine.questions[0].versus is not None:
        only = [wrong[1] & ~wrong[0], wrong[0] & ~wrong[1]]
        kinds = [(~only[0] & ~only[1], *SHORT), (only[0], *UP), (only[1], *DOWN)]
        legend = APART.format(first=names[0], second=names[1])
    elif names:
        kinds, legend = [(~wrong[0], *SHORT), (wrong[0], *TALL)], WRONG.format(name=names[0])
    else:
        kinds, legend = [(np.ones(len(code), dtype=bool), *SHORT)], PLAIN
    at = engine.given + 1 + np.arange(len(code))
    x = BOX.left + (BOX.right - BOX.left) * np.minimum(at / end, 1.0)
    paths = []
    for kind, start, height, series in kinds:
        path = "".join(f"M{place:.1f},{start:g}v{height:g}" for place in x[kind])
        if path:
            tint = colour(SERIES[series])
            paths.append(node("path", d=path, stroke=tint, stroke_width="1", fill="none"))
    box = f"0 0 {BOX.width:g} {STRIP:g}"
    return node("svg", *paths, klass="strip", viewBox=box, aria_hidden="true"), legend
