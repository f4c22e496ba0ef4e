"""Watched bands that only narrow: each is cut by those at all earlier looks of a fixed grid.

"Never wrong at any look" is said of all looks together, so that a band cut by all earlier ones
keeps the same promise. The looks are those of the draw order, whether anybody looked or not:
sessions, scripts, simulations and a replay of the log agree.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter

import numpy as np

from labelcore.designs.base import COUNTED_RULES
from labelcore.designs.scalars import EstimatesScalars
from labelcore.figures.from_counts import (
    OfGroup,
    answers_after_each,
    figures_of,
    labels_in,
    least_look,
    look_for,
    rates_after_each,
    same_cells,
)
from labelcore.figures.readiness import begun
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import looking
from labelcore.promises import Promise, Unsure
from labelcore.stats.profile import BoolArray, FloatArray

Limits = FloatArray
"""The least and the largest value of each row, (2, n_rows)."""
EVERY_LABEL, THEN_EVERY, UNTIL, PARTS = 20, 5, 500, 100
"""A look at every label to 20, then at every fifth; beyond 500 at every hundredth part of the plan.
"""
AT_ONCE = 256
"""Looks back that are worked out side by side."""

MEASURED = ((100, 0.93), (300, 0.89), (1000, 0.87))
"""Planned labels, and the square of the ratio of both mean widths at the end, by which a forecast
goes: means over six classifiers of three files (docs/narrowing.md)."""


def grid(planned: int, until: int, first: int = 1) -> list[int]:
    """The draws of the looks, up to ``until``.

    >>> grid(100, 33)[-5:], grid(2_000, 545)[-4:]
    ([18, 19, 20, 25, 30], [495, 500, 520, 540])
    """
    step = max(THEN_EVERY, planned // PARTS)
    return [
        *range(first, min(EVERY_LABEL, until) + 1),
        *range(EVERY_LABEL + THEN_EVERY, min(UNTIL, until) + 1, THEN_EVERY),
        *range(UNTIL + step, until + 1, step),
    ]


def looks_before(engine: Engine) -> list[int]:
    """The looks of the grid before the last answered draw; with a random sample from before the
    project also the one before the first draw. Where strata were cut once more the last one before
    that is one of them, so that the cut never shows a wider band."""
    looks = grid(engine.setup.planned, engine.prefix() - 1, 0 if engine.given else 1)
    at = engine.cut_after if engine.cut_anew_yet else 0
    return sorted({*looks, at}) if 0 < at <= engine.prefix() else looks


def cuts_from(engine: Engine) -> int:
    """The first draw after which a band cuts later ones. Until somebody is unsure a difference
    takes all items for judged; once somebody is, those bands cut none. 0 where each does."""
    compares = any(question.versus is not None for question in engine.questions)
    judged = engine.unsure_reading == Unsure.JUDGED
    since = compares and judged and engine.plan.interval_rules >= COUNTED_RULES
    return engine.first_undecided if since else 0


def narrows(plan: Plan) -> bool:
    """Whether the plan's bands only narrow: watched for a planned size, in a session that no figure
    ends. Not where a margin or claims may end it, for which this was not measured."""
    watched = plan.promised == Promise.WATCHED and plan.horizon is not None
    return watched and not looking(plan.stop_rules)


def expected_share(labels: int) -> float:
    """How wide a band that only narrows is at the end, of its width alone: what was measured.

    >>> [round(expected_share(labels), 3) for labels in (100, 300, 1_000)]
    [0.964, 0.943, 0.933]
    """
    sizes, of_labels = zip(*MEASURED, strict=True)
    return float(np.sqrt(np.interp(np.log(max(labels, 1)), np.log(sizes), of_labels)))


def unseen(engine: Engine) -> list[int]:
    """The looks before the present one that are not in ``engine.seen``."""
    looks = looks_before(engine)
    last = engine.seen[-1][0] if engine.seen else -1
    return looks[bisect_left(looks, last + 1) :]


def look_back(engines: Sequence[Engine]) -> None:
    """Look at each session at every draw of the grid before its last answered one at which it was
    not looked at yet. What was certain then is so now, too, and need not cut those bands.

    Several sessions are worked out side by side. Those looks of one are worked out one by one: a
    band then is the same to the last digit, whichever other looks were due with it.
    """
    at_once = AT_ONCE if len(engines) > 1 else 1
    ahead = ((engine, draws, _due(engine, draws)) for engine in engines for draws in unseen(engine))
    for engine, draws, ends, shown in _bands_at(ahead, at_once):
        add_look(engine, draws, ends, shown)


def _bands_at(
    looks: Iterable[tuple[Engine, int, BoolArray]], at_once: int = AT_ONCE
) -> Iterator[tuple[Engine, int, Limits, BoolArray]]:
    """The bands of sessions at draws, each by itself, and which of those due are shown."""
    stages = (
        (*look, stage)
        for engine, mine in groupby(looks, key=itemgetter(0))
        for of_engine in [[*mine]]
        for look, stage in zip(of_engine, engine.stages([row[1] for row in of_engine]), strict=True)
    )
    while part := list(islice(stages, at_once)):
        bands = _bands_of([stage for *_, stage in part], np.array([mine for _, _, mine, _ in part]))
        for (engine, draws, mine, _), ends, shown in zip(part, *bands, strict=True):
            yield engine, draws, ends, shown & mine


def _due(engine: Engine, draws: int) -> BoolArray:
    """Which questions there is a look at after so many draws: those of all items, and those of a
    group that an item was drawn of since the look before, (n_questions,)."""
    groups, asked = engine.setup.groups, engine.questions
    if groups is None or not any(question.group is not None for question in asked):
        return np.ones(len(asked), dtype=bool)
    looks = grid(engine.setup.planned, draws - 1, 0)
    drawn = engine.drawn_positions[looks[-1] if looks else 0 : draws]
    new = {*groups.codes[drawn].tolist()}
    return np.array([question.group is None or question.group in new for question in asked])


def _bands_of(
    engines: Sequence[Engine], due: BoolArray | None, known: Iterable[OfGroup] | None = None
) -> tuple[FloatArray, BoolArray]:
    """The bands of the sessions, (n_engines, 2, n_questions), and which are shown,
    (n_engines, n_questions), of those that are ``due``; by their figures where they are known."""
    place_of = {question.key: place for place, question in enumerate(engines[0].questions)}
    ends = np.full((len(engines), 2, len(place_of)), np.nan)
    shown = np.zeros((len(engines), len(place_of)), dtype=bool)
    for group, of_group in known or figures_of(engines, due=due):
        places = [place_of[question.key] for question in group]
        for number, part in enumerate(of_group):
            if part is None:
                continue
            answers, figures = part
            ends[number][:, places] = figures.low, figures.high
            shown[number, places] = [
                begun(engines[number], question, answers.cells, value)
                for question, value in zip(group, figures.value.tolist(), strict=True)
            ]
    return ends, shown


def bands_at_the_end(engines: Sequence[Engine], figures: Iterable[OfGroup]) -> list[Limits]:
    """What the looks before the present one leave. A look whose bands hold those of now cuts
    nothing and is left out; where two bands lie apart all are looked at."""
    ends, shown = _bands_of(engines, None, figures)
    numbers = {id(engine): number for number, engine in enumerate(engines)}
    band = np.where(shown[:, None], ends, np.array([[np.inf], [-np.inf]]))
    left = [whole(ends.shape[2]) for _ in engines]
    cutting = chain.from_iterable(map(_cutting_looks, engines, band))
    for engine, _, then, there in _bands_at(cutting):
        low, high = left[numbers[id(engine)]]
        np.maximum(low, then[0], out=low, where=there)
        np.minimum(high, then[1], out=high, where=there)
    for number, (engine, (low, high), now) in enumerate(zip(engines, left, band, strict=True)):
        if (np.maximum(low, now[0]) > np.minimum(high, now[1]))[shown[number]].any():
            look_back([engine])
            left[number] = bands_before(engine)
    return left


def _cutting_looks(engine: Engine, band: Limits) -> Iterator[tuple[Engine, int, BoolArray]]:
    """The looks before the present one at which bands may cut ``band``, (2, n_questions), and those
    that may."""
    looks, number = looks_before(engine), len(engine.questions)
    due = np.array([_due(engine, draws) for draws in looks]).reshape(len(looks), number)
    due[: bisect_left(looks, cuts_from(engine))] = False
    positions = engine.drawn_positions[: looks[-1] if looks else 0]
    codes = engine.codes[positions]
    if looks and not (engine.given or engine.undecided or (codes < 0).any()):
        draws, beginning, look = np.array(looks), engine.beginning(), least_look(engine)
        known = positions, codes, draws - 1
        fitted = rates_after_each(beginning, *known)
        for group in same_cells(engine.questions):
            answers = answers_after_each(beginning, group, *known, fitted)
            places = [engine.questions.index(question) for question in group]
            terms = look_for(engine, group[0], look, answers.rows, answers.cells)
            labels = labels_in(group[0], draws, answers.cells)
            held = EstimatesScalars.of(engine.design).holds(answers, terms, labels, band[:, places])
            if engine.cut_anew_yet:
                held &= draws <= engine.cut_after  # The strata of later looks are others.
            due[np.ix_(np.flatnonzero(held), np.array(places))] = False
    for place in np.flatnonzero(due.any(axis=1)).tolist():
        yield engine, looks[place], due[place]


def add_look(engine: Engine, draws: int, ends: Limits, shown: BoolArray) -> None:
    """Keep what the next look of the grid leaves of the bands before it; rows that are not
    ``shown`` have none."""
    last, before = engine.seen[-1] if engine.seen else (-1, whole(ends.shape[1]))
    if last >= draws:
        return  # Another stage of the same session has been there.
    if last < cuts_from(engine) <= draws:
        before = whole(ends.shape[1])
    engine.seen.append((draws, np.where(shown, narrowed(before, ends), before)))


def bands_before(engine: Engine) -> Limits:
    """What all looks of the grid before the present one leave, (2, n_questions)."""
    now = engine.prefix() + (engine.cut_anew_yet and engine.cut_after == engine.prefix())
    place = bisect_left(engine.seen, now, key=lambda look: look[0])
    cuts = place > 0 and engine.seen[place - 1][0] >= cuts_from(engine)
    limits: Limits = engine.seen[place - 1][1] if cuts else whole(len(engine.questions))
    return limits


def whole(n_rows: int) -> Limits:
    """No limit at all."""
    return np.array([np.full(n_rows, -np.inf), np.full(n_rows, np.inf)])


def narrowed(before: Limits, ends: Limits) -> Limits:
    """The part of a band that lies within the one before it. Where none does one of both is wrong,
    and the new one is kept, which more labels stand behind."""
    low, high = np.maximum(before[0], ends[0]), np.minimum(before[1], ends[1])
    return np.where(low <= high, [low, high], ends)
