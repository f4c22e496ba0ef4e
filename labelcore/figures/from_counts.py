"""From the counts of a session's cells to values and intervals, as its method makes them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import LEARNED_RULES, IntArray, Look
from labelcore.designs.scalars import Answers, EstimatesScalars, Figures
from labelcore.estimands import Estimand
from labelcore.figures.prompts import less_sure
from labelcore.figures.readiness import complete, first_figure
from labelcore.figures.together import confidences
from labelcore.figures.unsure import at_odds, cells_of, counts_at_odds, doubtful, freed, widened
from labelcore.log.engine import Engine
from labelcore.promises import Promise
from labelcore.stats.profile import BoolArray, Cells, FloatArray
from labelcore.tallies import Question, Subject, Tally

OfGroup = tuple[list[Question], list[Any]]
"""Questions about the same cells; for each session what their figures are worked out from, and they
themselves, or None where they are not due."""


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
        by_group=engine.frame.group is not None,
        masses=engine.plan.counts_masses,
        draws=engine.prefix(),
        first=first_figure(engine),
        complete=complete(engine),
        finished=engine.finished,
        setup=engine.setup,
        horizon=engine.plan.horizon,
        learned=engine.plan.learns and engine.plan.interval_rules >= LEARNED_RULES,
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


def look_for(
    engine: Engine, question: Question, look: Look, rows: list[Estimand], cells: Cells
) -> Look:
    """The look at the figures of a question, and of others from the same cells."""
    if question.group is None:
        return less_sure(engine, rows, look)
    unsure = 0.0
    if engine.plan.leaves_unsure_out and engine.undecided:
        tally = engine.tallies[question.subject]
        unsure = float(tally.unresolved(engine.undecided_positions()).sum())
    return look_in_group(look, cells, planned_in_groups(engine)[question.group], unsure)


def planned_in_groups(engine: Engine) -> FloatArray:
    """The labels that each group is expected to get of those that the watched band is for,
    (n_groups,)."""
    planned = max(engine.watched_for, 1)

    def compute() -> FloatArray:
        counts = engine.design.planned_counts(engine.setup, engine.frame, planned)
        return np.bincount(np.asarray(engine.frame.group), counts).astype(float)

    return engine.of_frame(("labels planned in groups", planned), compute)


def labels_in(question: Question, labels: IntArray, cells: Cells) -> IntArray:
    """The labels that a question rests on after each of several, (n_looks,)."""
    return labels if question.group is None else cells.labelled.sum(axis=-1).astype(np.int64)


def fitted_cell_rates(engine: Engine, tally: Tally, class_index: int | None) -> FloatArray | None:
    """The design's idea of each cell's rate, where it speaks of this class."""
    several = len(engine.population.classes) > 2
    if several and class_index is not None:
        return None
    return np.asarray(engine.design.fitted_rates(engine.frame, engine.progress)[..., tally.stratum])


def _rates_of_strata(engines: Sequence[Engine]) -> list[FloatArray]:
    """The design's idea of each stratum's rate in each session, (n_strata,) each; from one call
    where all have the same strata."""
    same = all(engine.frame.rates is engines[0].frame.rates for engine in engines)
    if len(engines) == 1 or not same:
        return [engine.design.fitted_rates(engine.frame, engine.progress) for engine in engines]
    states = [engine.progress for engine in engines]
    labelled = np.array([state.labelled for state in states])
    positive = np.array([state.positive for state in states])
    together = replace(states[0], labelled=labelled, positive=positive)
    rates = engines[0].design.fitted_rates(engines[0].frame, together)
    return list(np.broadcast_to(rates, labelled.shape))


def answers_of(
    engines: Sequence[Engine], group: list[Question], fitted: Sequence[FloatArray] | None = None
) -> list[Answers[Any]]:
    """What the figures of a group of questions about the same cells are worked out from, for each
    session of one plan.

    fitted   the rates of each session's strata where they are known
    """
    first = group[0]
    several = len(engines[0].population.classes) > 2 and first.class_index is not None
    known = () if several else fitted or _rates_of_strata(engines)
    answers = []
    for at, engine in enumerate(engines):
        tally = engine.tallies[first.subject]
        rates = None if several else np.asarray(known[at][..., tally.stratum])
        cells = cells_of(engine, tally, first.class_index)
        rows = [question.row for question in group]
        whose = first.classifier, first.class_index
        answers.append(Answers(engine.frame, rows, cells, rates, *whose, engine.codes))
    return answers


def answers_after_each(
    engine: Engine,
    group: list[Question],
    positions: IntArray,
    codes: IntArray,
    chosen: IntArray | slice = slice(None),
    fitted: FloatArray | None = None,
) -> Answers[Any]:
    """``answers_of`` a group of questions after each of several labels more: an axis of looks in
    the counts of the cells and in their rates.

    positions, codes   (n_labels,), the items and their classes
    chosen             the labels after which there is a look
    fitted             (n_looks, n_strata), ``rates_after_each`` where they are known
    """
    first = group[0]
    tally = engine.tallies[first.subject]
    if fitted is None:
        fitted = rates_after_each(engine, positions, codes, chosen)
    several = len(engine.population.classes) > 2 and first.class_index is not None
    cells = tally.after_each(positions, codes, first.class_index)
    labelled, positive = cells.labelled[chosen], cells.positive[chosen]
    return Answers(
        engine.frame,
        [question.row for question in group],
        replace(cells, labelled=labelled, positive=positive),
        None if several else fitted[..., tally.stratum],
        first.classifier,
        first.class_index,
        engine.codes,
    )


def rates_after_each(
    engine: Engine, positions: IntArray, codes: IntArray, chosen: IntArray | slice = slice(None)
) -> FloatArray:
    """The design's idea of each stratum's rate after each of several labels more,
    (n_looks, n_strata) or what broadcasts to it."""
    ahead = engine.progress_after_each(positions, codes)
    ahead = replace(ahead, labelled=ahead.labelled[chosen], positive=ahead.positive[chosen])
    return np.asarray(engine.design.fitted_rates(engine.frame, ahead))


def least_look(engine: Engine) -> Look:
    """The look of now with a confidence that bands of looks ahead or back have at least, each of
    which is as narrow as that of one figure alone, or wider."""
    look = look_at(engine)
    return replace(look, confidence=engine.plan.confidence) if engine.plan.correlated else look


def figures_of(
    engines: Sequence[Engine], promise: Promise | None = None, due: BoolArray | None = None
) -> Iterator[OfGroup]:
    """For each group of questions about the same cells what their figures are worked out from, and
    they themselves, for each session; by another promise than the plan's where one is given.

    due   (n_sessions, n_questions), which are worked out where each has the confidence of the plan
    """
    groups = same_cells(engines[0].questions)
    if not groups:
        return
    fitted = _rates_of_strata(engines)
    mine = [[*range(len(engines))]] * len(groups)
    if due is not None and not engines[0].plan.together:
        first = [engines[0].questions.index(group[0]) for group in groups]
        mine = [np.flatnonzero(due[:, place]).tolist() for place in first]
    answers = [
        answers_of([engines[at] for at in of], group, [fitted[at] for at in of]) if of else []
        for group, of in zip(groups, mine, strict=True)
    ]
    sure = confidences(engines, groups, answers)
    looks = [
        replace(look_at(engine, promise), confidence=level)
        for engine, level in zip(engines, sure, strict=True)
    ]
    by_group = [
        [look_for(engines[at], group[0], looks[at], part.rows, part.cells)
         for at, part in zip(of, parts, strict=True)]
        for group, of, parts in zip(groups, mine, answers, strict=True)
    ]  # fmt: skip
    figures = _figures_at_once(engines[0], groups, answers, by_group)
    for place, group in enumerate(groups):
        each: list[tuple[Answers[Any], Figures] | None] = [None] * len(engines)
        several = zip(mine[place], answers[place], by_group[place], figures[place], strict=True)
        for at, answer, look, figure in several:
            tally = engines[at].tallies[group[0].subject]
            each[at] = answer, with_doubts(engines[at], tally, answer, look, figure)
        yield group, each


def _figures_at_once(
    engine: Engine,
    groups: Sequence[list[Question]],
    answers: Sequence[Sequence[Answers[Any]]],
    looks: Sequence[Sequence[Look]],
) -> list[list[Figures]]:
    """The figures of each group of questions in each of its sessions; side by side those of the
    same estimands of several classes or groups of items, of which there may be hundreds."""
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    alike: dict[Any, list[int]] = {}
    for place, group in enumerate(groups):
        rows = tuple(question.row.name for question in group), group[0].group is None
        alike.setdefault(rows, []).append(place)
    by_group: list[list[Figures]] = [[] for _ in groups]
    for places in alike.values():
        every = [part for place in places for part in answers[place]]
        of_every = [look for place in places for look in looks[place]]
        if len(every) == 1:
            figures = iter([design.figures(every[0], of_every[0])])
        else:
            figures = iter(design.figures_of(every, of_every) if every else ())
        for place in places:
            by_group[place] = [next(figures) for _ in answers[place]]
    return by_group


def with_doubts(
    engine: Engine, tally: Tally, answers: Answers[Any], look: Look, figures: Figures
) -> Figures:
    """The figures with the items that count both ways, where there are some, and with unsure ones
    at the odds that the plan declares."""
    in_file = answers.cells.judged is not None and look.target == "file"
    if in_file and engine.plan.interval_rules >= LEARNED_RULES:
        figures = freed(engine, answers, look, figures)
    if doubtful(engine, tally).any():
        figures = widened(engine, tally, answers, figures, look)
    if counts_at_odds(engine):
        figures = at_odds(engine, tally, answers, figures)
    return figures
