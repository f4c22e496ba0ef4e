"""The table of figures: classifiers, groups and estimands from the same labels.

What the plan asks for is told as ``results`` tell it. Every other cell is a first guess: the same
interval over the same strata, cut after the fact at what the classifier says and at the group.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from scipy.special import ndtri

from labelcore.designs.scalars import EstimatesScalars
from labelcore.estimands import SCALARS
from labelcore.figures.from_counts import answers_of, look_at, look_for, with_doubts
from labelcore.figures.prompts import less_sure
from labelcore.figures.scalars import found_of, headline_stage
from labelcore.figures.together import confidences
from labelcore.log.engine import Engine
from labelcore.population.groupings import Grouping, grouping_of
from labelcore.results.base import Finding
from labelcore.results.cells import Row, Table, TableCell
from labelcore.results.types import Estimate
from labelcore.stats.horizon import boundary
from labelcore.tallies import InGroup, Question, Tallies, Tally, questions, tally_of

USUAL = ("accuracy", "precision", "recall", "f1")
"""What a table tells of a file of two classes beside what is asked; of one with several the
accuracy."""
MOST_TOGETHER = 60
"""Cells whose correlation is worked out; more share the error level equally."""


def figure_table(
    engine: Engine, known: Mapping[str, Finding], by: Sequence[str] = (), *, together: bool = False
) -> Table:
    """The table at this moment.

    known   the results of this moment
    by      the column of the groups, or two that are crossed; none: only all items
    """
    stage = headline_stage(engine)
    groups = groups_of(stage, tuple(by))
    asked = {question.key for question in stage.questions}
    of_cells = cells_asked(stage, groups)
    every = [question for _, question in of_cells]
    keys = [question.key for question in every]
    estimates = {key: result for key, result in known.items() if isinstance(result, Estimate)}
    shown = {} if together else {key: estimates[key] for key in keys if key in estimates}
    if isinstance(stage.design, EstimatesScalars):
        guessed = [question for question in every if question.key not in shown]
        for part, cut in _cut_by_group(guessed, groups, together=together):
            shown |= _guesses(stage, part, cut, together=together)
    cells = [
        TableCell(*where, shown[question.key], question.key in asked)
        for where, question in of_cells
        if question.key in shown
    ]
    label = "" if groups is None else groups.label
    return Table(tuple(cells), label, stage.plan.confidence, together or stage.plan.together)


def _cut_by_group(
    wanted: list[Question], groups: Grouping | None, *, together: bool
) -> list[tuple[list[Question], Grouping | None]]:
    """What is told from cells cut by group: each figure of all items by itself is told from cells
    that are not, so that it is the same in every table."""
    if together:
        return [(wanted, groups)]
    whole = [question for question in wanted if question.group is None]
    return [(whole, None), ([part for part in wanted if part.group is not None], groups)]


def groups_of(engine: Engine, by: tuple[str, ...]) -> Grouping | None:
    """The groups of the plan where they are of this column, with those that it joined apart."""
    if not by:
        return None
    asked = engine.setup.groups
    if asked is not None and asked.by == by:
        return asked
    known: Grouping = engine.of_frame(("groups", by), lambda: grouping_of(engine.population, by))
    return known


def cells_asked(engine: Engine, groups: Grouping | None) -> list[tuple[tuple[Row, str], Question]]:
    """Row and figure of each cell of the table, and what is asked there."""
    return [
        (((question.classifier, _name(groups, question)), _figure(question, engine)), question)
        for question in _questions(engine, groups)
        if question.versus is None
    ]


def _questions(engine: Engine, groups: Grouping | None) -> list[Question]:
    """The cells of the table: what is asked of the plan's classifiers, and what is usual, of all
    classifiers that have predictions."""
    population, plan = engine.population, engine.plan
    others = [name for name in population.classifiers if name in population.predictions]
    who = tuple(dict.fromkeys([*engine.classifiers, *others]))
    usual = USUAL if len(population.classes) == 2 else USUAL[:1]
    names = [name for name in plan.estimands if name in SCALARS]
    names += [name for name in usual if name not in names]
    asked = questions(population, tuple(names), who, plan.classes, groups)
    able = [question for question in asked if not _lacks(engine, question)]
    place = {name: at for at, name in enumerate(who)}
    return sorted(
        able, key=lambda cell: (place[cell.classifier], -1 if cell.group is None else cell.group)
    )


def _lacks(engine: Engine, question: Question) -> bool:
    """Whether nothing stands behind a figure: predictions that it needs, or labels of a part of
    the file that is never asked."""
    silent = question.classifier not in engine.population.predictions
    whole = bool(engine.frame.asked.all())
    asked = {(question.row, question.classifier) for question in engine.questions}
    known = (question.row, question.classifier) in asked
    return (question.row.needs_prediction and silent) or not (whole or known)


def _guesses(
    engine: Engine, wanted: Sequence[Question], groups: Grouping | None, *, together: bool
) -> dict[str, Estimate]:
    """The cells that no result of the session tells."""
    if not wanted:
        return {}
    stage = beside(engine, wanted, groups)
    each = _same_subject(wanted)
    answers = [answers_of([stage], part)[0] for part in each]
    sure = confidence_of(stage, each, answers, together=together)
    look = replace(look_at(stage), confidence=sure)
    planned = {question.key for question in engine.questions}
    looks = [
        look_for(stage, part[0], look, mine.rows, mine.cells)
        if part[0].group is None or part[0].key in planned
        else less_sure(stage, mine.rows, look, stage.tallies[part[0].subject])
        for part, mine in zip(each, answers, strict=True)
    ]
    design: EstimatesScalars[Any] = EstimatesScalars.of(stage.design)
    number = len(wanted) if together else 1
    estimates: dict[str, Estimate] = {}
    for places in _alike(each):
        figures = design.figures_of([answers[at] for at in places], [looks[at] for at in places])
        for at, mine in zip(places, figures, strict=True):
            tally = stage.tallies[each[at][0].subject]
            mine = with_doubts(stage, tally, answers[at], looks[at], mine)
            for found in found_of(stage, answers[at], mine, each[at]):
                scope = replace(found.scope, together=number)
                estimates[found.estimand] = replace(found, scope=scope)
    return estimates


def beside(engine: Engine, wanted: Sequence[Question], groups: Grouping | None) -> Engine:
    """The session with the cells of these questions; nobody may answer in it."""
    stage = copy(engine)
    stage.questions = list(wanted)
    stage.setup = replace(engine.setup, groups=groups)
    subjects = (question.subject for question in wanted)
    every = dict.fromkeys(who.whose if isinstance(who, InGroup) else who for who in subjects)
    first = engine.classifiers[0]
    stage.tallies = Tallies({first: engine.tallies[first]})
    stage.tallies |= {whose: _filled(engine, whose, groups) for whose in every}
    return stage


def _filled(engine: Engine, whose: Any, groups: Grouping | None) -> Tally:
    """The labels so far in the cells of a classifier, cut by group."""

    def empty() -> Tally:
        return tally_of(engine.population, engine.frame.stratum, whose, groups)

    by = None if groups is None else groups.by, groups and groups.names
    tally: Tally = engine.of_frame(("cells", whose, by), empty).copied()
    labelled = engine.codes.labelled
    tally.add_all(labelled, engine.codes[labelled])
    return tally


def confidence_of(
    engine: Engine, each: Sequence[list[Question]], answers: Sequence[Any], *, together: bool
) -> float:
    plan, number = engine.plan, sum(map(len, each))
    if not together:
        return plan.confidence
    if (
        number > MOST_TOGETHER
        or not isinstance(engine.design, EstimatesScalars)
        or not (engine.design.correlates)
    ):
        return 1 - (1 - plan.confidence) / number
    engine.plan = replace(plan, together=True)
    return confidences([engine], each, [[part] for part in answers])[0]


def wider_together(engine: Engine, by: tuple[str, ...]) -> float:
    """How many times as wide about each interval of the table is where the confidence is for all of
    them at once."""
    stage = headline_stage(engine)
    groups = groups_of(stage, by)
    wanted = [question for _, question in cells_asked(stage, groups)]
    if not wanted or not isinstance(stage.design, EstimatesScalars):
        return 1.0
    all_asked = beside(stage, wanted, groups)
    each = _same_subject(wanted)
    answers = [answers_of([all_asked], part)[0] for part in each]
    levels = 1 - np.array(
        [confidence_of(all_asked, each, answers, together=True), engine.plan.confidence]
    )
    horizon = engine.plan.horizon
    z = -ndtri(levels / 2) if horizon is None else boundary(1, 0, levels, horizon)
    return float(z[0] / z[1])


def _same_subject(wanted: Sequence[Question]) -> list[list[Question]]:
    groups = groupby(wanted, key=lambda question: (question.subject, question.class_index))
    return [list(part) for _, part in groups]


def _alike(each: Sequence[list[Question]]) -> Iterator[list[int]]:
    """Places of questions that are about the same estimands of the same classifier and class: those
    of its groups, side by side."""
    places: dict[Any, list[int]] = {}
    for at, part in enumerate(each):
        first = part[0]
        rows = tuple(question.row.name for question in part)
        places.setdefault((first.classifier, first.class_index, rows), []).append(at)
    yield from places.values()


def _name(groups: Grouping | None, question: Question) -> str | None:
    return None if groups is None or question.group is None else groups.names[question.group]


def _figure(question: Question, engine: Engine) -> str:
    """The estimand, with the class that it is about where there are several."""
    index, several = question.class_index, len(engine.population.classes) > 2
    if not several or index is None:
        return question.row.name
    return f"{question.row.name}[{engine.population.classes[index]}]"
