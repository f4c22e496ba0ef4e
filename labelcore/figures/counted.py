"""From the counts of a session's cells to values and intervals, as its method makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray, Look, Progress
from labelcore.designs.scalars import Answers, EstimatesScalars, Figures
from labelcore.figures.readiness import complete, first_figure
from labelcore.figures.together import confidences
from labelcore.figures.unsure import at_odds, cells_of, doubtful, widened
from labelcore.log.engine import Engine
from labelcore.promises import Promise, Unsure
from labelcore.stats.profile import Cells, FloatArray
from labelcore.tallies import Question, Subject, Tally

OfGroup = tuple[list[Question], list[tuple[Answers[Any], Figures]]]
"""Questions about the same cells; for each session what their figures are worked out from, and they
themselves."""


def same_cells(questions: list[Question]) -> list[list[Question]]:
    groups: dict[tuple[Subject, int | None], list[Question]] = {}
    for question in questions:
        groups.setdefault((question.subject, question.class_index), []).append(question)
    return list(groups.values())


def look_at(engine: Engine, promise: Promise | None = None) -> Look:
    return Look(
        confidence=engine.plan.confidence_of_each(len(engine.questions)),
        promise=promise or engine.plan.promised,
        labels=engine.labels,
        planned=max(engine.watched_for, 1),
        target=engine.plan.target,
        n_strata=engine.frame.n_strata,
        draws=engine.prefix(),
        first=first_figure(engine),
        complete=complete(engine),
        finished=engine.finished,
        setup=engine.setup,
        horizon=engine.plan.horizon,
        unsure=engine.undecided if engine.plan.leaves_unsure_out else 0,
    )


def look_in_group(look: Look, cells: Cells, planned: float, unsure: float = 0.0) -> Look:
    """The look at a group of the items: with the labels in it, of those planned there. Beyond the
    horizon of a watched promise, which another pace than planned may lead to, it stays there."""
    planned = max(round(planned), 1)
    labels = round(float(np.max(cells.labelled.sum(axis=-1))))
    if look.horizon is not None:
        labels = min(labels, look.horizon * planned - round(unsure))
    return replace(look, labels=labels, planned=planned, unsure=round(unsure))


def look_for(engine: Engine, question: Question, look: Look, cells: Cells) -> Look:
    """The look at the figures of a question."""
    if question.group is None:
        return look
    unsure = 0.0
    if engine.plan.leaves_unsure_out and engine.undecided:
        tally = engine.tallies[question.subject]
        unsure = float(tally.unresolved(engine.undecided_positions()).sum())
    return look_in_group(look, cells, planned_in_groups(engine)[question.group], unsure)


def planned_in_groups(engine: Engine) -> FloatArray:
    """The labels that each group is expected to get of those that the watched band is for,
    (n_groups,)."""
    planned = max(engine.watched_for, 1)

    def made() -> FloatArray:
        counts = engine.design.planned_counts(engine.setup, engine.frame, planned)
        return np.bincount(np.asarray(engine.frame.group), counts).astype(float)

    return engine.of_frame(("labels planned in groups", planned), made)


def labels_in(question: Question, labels: IntArray, cells: Cells) -> IntArray:
    """The labels that a question rests on after each of several, (n_looks,)."""
    return labels if question.group is None else cells.labelled.sum(axis=-1).astype(np.int64)


def fitted_cell_rates(
    engine: Engine, tally: Tally, class_index: int | None, progress: Progress | None = None
) -> FloatArray | None:
    """The design's idea of each cell's rate, where it speaks of this class; by another ``progress``
    than that of the engine, where that is given."""
    several = len(engine.population.classes) > 2
    if several and class_index is not None:
        return None
    rates = engine.design.fitted_rates(engine.frame, progress or engine.progress)
    return np.asarray(rates[..., tally.stratum])


def _rates_together(engines: Sequence[Engine], first: Question) -> list[FloatArray | None]:
    """``fitted_cell_rates`` of several sessions; from one call where they have the same strata."""
    tallies = [engine.tallies[first.subject] for engine in engines]
    several = len(engines[0].population.classes) > 2 and first.class_index is not None
    same = all(engine.frame.rates is engines[0].frame.rates for engine in engines)
    if len(engines) == 1 or several or not same:
        each = zip(engines, tallies, strict=True)
        return [fitted_cell_rates(*one, first.class_index) for one in each]
    states = [engine.progress for engine in engines]
    labelled = np.array([one.labelled for one in states])
    positive = np.array([one.positive for one in states])
    together = replace(states[0], labelled=labelled, positive=positive)
    rates = engines[0].design.fitted_rates(engines[0].frame, together)
    every = np.broadcast_to(rates, labelled.shape)
    return [one[tally.stratum] for one, tally in zip(every, tallies, strict=True)]


def answers_of(engines: Sequence[Engine], group: list[Question]) -> list[Answers[Any]]:
    """What the figures of a group of questions about the same cells are worked out from, for each
    session of one plan."""
    first = group[0]
    return [
        Answers(
            engine.frame,
            [question.row for question in group],
            cells_of(engine, engine.tallies[first.subject], first.class_index),
            rates,
            first.classifier,
            first.class_index,
            engine.codes,
        )
        for engine, rates in zip(engines, _rates_together(engines, first), strict=True)
    ]


def answers_after_each(
    engine: Engine,
    group: list[Question],
    positions: IntArray,
    codes: IntArray,
    chosen: IntArray | slice = slice(None),
) -> Answers[Any]:
    """``answers_of`` a group of questions after each of several labels more: an axis of looks in
    the counts of the cells and in their rates.

    positions, codes   (n_labels,), the items and their classes
    chosen             the labels after which there is a look
    """
    first = group[0]
    tally = engine.tallies[first.subject]
    ahead = engine.progress_after_each(positions, codes)
    ahead = replace(ahead, labelled=ahead.labelled[chosen], positive=ahead.positive[chosen])
    cells = tally.after_each(positions, codes, first.class_index)
    labelled, positive = cells.labelled[chosen], cells.positive[chosen]
    return Answers(
        engine.frame,
        [question.row for question in group],
        replace(cells, labelled=labelled, positive=positive),
        fitted_cell_rates(engine, tally, first.class_index, ahead),
        first.classifier,
        first.class_index,
        engine.codes,
    )


def least_look(engine: Engine) -> Look:
    """The look of now with a confidence that bands of looks ahead or back have at least, each of
    which is as narrow as that of one figure alone, or wider."""
    look = look_at(engine)
    return replace(look, confidence=engine.plan.confidence) if engine.plan.correlated else look


def figures_of(engines: Sequence[Engine], promise: Promise | None = None) -> Iterator[OfGroup]:
    """For each group of questions about the same cells what their figures are worked out from, and
    they themselves, for each session; by another promise than the plan's where one is given."""
    groups = same_cells(engines[0].questions)
    answers = [answers_of(engines, group) for group in groups]
    sure = confidences(engines, groups, answers)
    looks = [
        replace(look_at(one, promise), confidence=mine)
        for one, mine in zip(engines, sure, strict=True)
    ]
    for group, mine in zip(groups, answers, strict=True):
        design: EstimatesScalars[Any] = EstimatesScalars.of(engines[0].design)
        own = [
            look_for(engine, group[0], look, one.cells)
            for engine, look, one in zip(engines, looks, mine, strict=True)
        ]
        if len(engines) == 1:
            figures = [design.figures(mine[0], own[0])]
        else:
            figures = design.figures_of(mine, own)
        several = zip(engines, mine, own, figures, strict=True)
        yield group, [(one[1], with_doubts(*one, group[0].subject)) for one in several]


def with_doubts(
    engine: Engine, answers: Answers[Any], look: Look, figures: Figures, subject: Subject
) -> Figures:
    """The figures with the items that count both ways, where there are some, and with unsure ones
    at the odds that the plan declares."""
    tally = engine.tallies[subject]
    if doubtful(engine, tally).any():
        figures = widened(engine, tally, answers, figures, look)
    if engine.undecided and engine.unsure_reading == Unsure.ODDS:
        figures = at_odds(engine, tally, answers, figures)
    return figures
