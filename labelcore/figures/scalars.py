"""From the state of an engine to its results: which interval may be shown, and with which words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.curves import JUDGEMENT
from labelcore.designs.scalars import Answers, EstimatesScalars, Figures, certain_ends, half_width
from labelcore.estimands import SCALARS, known_before, table_of
from labelcore.figures.assumptions import assumptions
from labelcore.figures.from_counts import (
    OfGroup,
    answers_of,
    figures_of,
    look_at,
    look_for,
    same_cells,
    with_doubts,
)
from labelcore.figures.narrowing import (
    Limits,
    bands_at_the_end,
    bands_before,
    look_back,
    narrowed,
    narrows,
)
from labelcore.figures.readiness import (
    is_settled,
    is_tentative,
    possible_before,
    scope_of,
    state_of,
)
from labelcore.figures.unsure import judged_share, ranges_of_all
from labelcore.log.engine import Engine
from labelcore.promises import Promise, State, Unsure
from labelcore.results.types import Estimate
from labelcore.stats.judged import in_the_file
from labelcore.stats.profile import Cells
from labelcore.tallies import Question
from labelcore.words.existing import KNOWN_EXACTLY, assumed


def scalar_results(engine: Engine) -> dict[str, Estimate]:
    """Every scalar result of the plan at this moment."""
    return scalar_results_of([engine])[0]


def scalar_results_of(
    engines: Sequence[Engine], *, alone: bool = False, ended: bool = False
) -> list[dict[str, Estimate]]:
    """``scalar_results`` of several sessions of one plan, worked out side by side.

    alone   as if nobody could have looked before, which takes a small part of the time
    ended   of sessions that are looked at this once: not at what cannot have cut their bands
    """
    if not (engines[0].questions and narrows(engines[0].plan)):
        results = [_kept(*pair) for pair in zip(engines, _results_now(engines), strict=True)]
    elif alone:
        results = _results_now(engines)
    elif ended:
        figures = [*figures_of(engines)]
        results = _results_now(engines, bands_at_the_end(engines, figures), figures)
    else:
        look_back(engines)
        results = _results_now(engines, [*map(bands_before, engines)])
    return [
        _of_all_items(engine, _with_goal(engine, mine))
        for engine, mine in zip(engines, results, strict=True)
    ]


def _of_all_items(engine: Engine, results: dict[str, Estimate]) -> dict[str, Estimate]:
    """With the ranges of all items beside figures that leave the unsure out."""
    judged = engine.unsure_reading == Unsure.JUDGED
    if not engine.undecided or not (judged or engine.unsure_reading == Unsure.ODDS):
        return results
    for group in same_cells(engine.questions):
        answers = answers_of([engine], group)[0]
        tally = engine.tallies[group[0].subject]
        look = look_for(engine, group[0], look_at(engine), answers.rows, answers.cells)
        odds, either = ranges_of_all(engine, tally, answers, look)
        for question, by_odds, other in zip(group, odds, either, strict=True):
            if results[question.key].has_interval:
                results[question.key] = replace(
                    results[question.key], odds=by_odds if judged else None, either_way=other
                )
    return results


def _kept(engine: Engine, results: dict[str, Estimate]) -> dict[str, Estimate]:
    """After the planned size: with the bands that are kept from there."""
    if engine.plan.horizon is None or look_at(engine).answered <= engine.watched_for:
        return results
    before = engine.at_planned(_planned_results)
    merged = both_bands if engine.plan.learns else kept_band
    return {key: merged(before[key], result) for key, result in results.items()}


def _planned_results(engine: Engine) -> tuple[int, dict[str, Estimate]]:
    """The draw at which as many labels as planned were there, and the results of that moment."""
    draws = _draws_to_planned(engine)
    return draws, _results_now([stage_until(engine, draws)])[0]


def _results_now(
    engines: Sequence[Engine],
    before: Sequence[Limits] | None = None,
    known: Iterable[OfGroup] | None = None,
) -> list[dict[str, Estimate]]:
    """The results of this moment, within the bands ``before`` it, (2, n_questions) each; from its
    figures where they are ``known``."""
    results: list[dict[str, Estimate]] = [{} for _ in engines]
    keys = {question.key: place for place, question in enumerate(engines[0].questions)}
    for group, figures in known or figures_of(engines):
        places = [keys[question.key] for question in group]
        for number, (engine, (answers, figure)) in enumerate(zip(engines, figures, strict=True)):
            limits = None if before is None else before[number][:, places]
            mine_now = found_of(engine, answers, figure, group, limits)
            results[number] |= {estimate.estimand: estimate for estimate in mine_now}
    return [{key: mine[key] for key in keys} for mine in results]


def kept_band(planned: Estimate, now: Estimate) -> Estimate:
    """The result after the planned size: the band of that size is kept until the new one lies
    inside it. Each holds at the same time as the other."""
    states = (State.INTERVAL, State.WAITING)
    if now.state not in states or planned.state not in states:
        return now
    inside = planned.low <= now.low and now.high <= planned.high
    beyond = now.value is None or not planned.low <= now.value <= planned.high
    return now if inside or beyond else replace(now, low=planned.low, high=planned.high)


def both_bands(planned: Estimate, now: Estimate) -> Estimate:
    """The result after the planned size of a margin plan: what the band of that size and that of
    now have in common, for each holds at the same time as the other. Waiting until one lies inside
    the other would take many more labels."""
    states = (State.INTERVAL, State.WAITING)
    if now.state not in states or planned.state not in states or now.value is None:
        return now
    low, high = max(planned.low, now.low), min(planned.high, now.high)
    if low > high:
        return now
    return replace(now, low=low, high=high, value=min(max(now.value, low), high))


def _draws_to_planned(engine: Engine) -> int:
    """The draw at which as many labels as planned were there, or answers where the unsure are left
    out."""
    left = engine.watched_for - engine.given
    counted = {"labelled", *(("unsure", "broken") if engine.plan.leaves_unsure_out else ())}
    for index in range(1, len(engine.asked) + 1):
        event = engine.in_force(index)
        left -= event is not None and event.kind in counted
        if left == 0:
            return index
    return len(engine.asked)


def within_margin(engine: Engine, results: Mapping[str, Estimate]) -> bool:
    """Whether all of these results are within the plan's margin, and none waits for an answer."""
    asked = [question for question in engine.questions if margin_of(engine, question) is not None]
    if any(results[question.key].state == State.WAITING for question in asked):
        return False
    found = [(results[question.key], margin_of(engine, question) or 0.0) for question in asked]
    return all(one.has_interval and one.half_width <= margin for one, margin in found)


def labels_of(engine: Engine, question: Question) -> int:
    """The labels that a result rests on: in a group, of its items."""
    if question.group is None:
        return engine.labels
    tally = engine.tallies[replace(question, group=None).subject]
    return round(float(tally.counts[tally.group == question.group].sum()))


def margin_of(engine: Engine, question: Question) -> float | None:
    """The half-width that the plan allows a result; None where any."""
    return engine.plan.margin_of(grouped=question.group is not None)


def second_stage_started(engine: Engine) -> bool:
    """Whether there are draws after the first stage: those beyond the horizon of a watched promise,
    until every item is labelled; with a fixed one after an extension."""
    watched = engine.plan.horizon is not None
    if engine.plan.superseded or (watched and _everything_labelled(engine)):
        return False
    may = watched or (engine.plan.promise == Promise.FIXED and engine.extended)
    return may and len(engine.asked) > first_stage_end(engine)


def _everything_labelled(engine: Engine) -> bool:
    """Whether all that can be asked of the file has a class: the figures are then exact, however
    the labelling came to its end."""
    return engine.plan.target == "file" and engine.kinds["labelled"] >= engine.most


def first_stage_end(engine: Engine) -> int:
    """The draw at which the first stage ends: the planned size, or the horizon of a watched
    promise."""
    if engine.plan.horizon is not None:
        return engine.plan.horizon * engine.watched_for - engine.given
    return engine.watched_for - engine.given


def headline_stage(engine: Engine) -> Engine:
    """The engine that results are read from: a promise for a planned size keeps its first stage."""
    return first_stage(engine) if second_stage_started(engine) else engine


def first_stage(engine: Engine) -> Engine:
    """The engine as it would be had it ended with the first stage (answers as they are now)."""
    return stage_until(engine, first_stage_end(engine))


def stage_until(engine: Engine, draws: int) -> Engine:
    """The engine as it would be after so many draws, with the answers as they are now."""
    (stage,) = engine.stages([draws])
    stage.finished = engine.finished
    return stage


def sizes_after_pilot(engines: Sequence[Engine]) -> list[dict[str, Any]]:
    """What is forecast at the end of the pilot of each of these sessions of one plan: its labels,
    the half-width of its widest fixed interval, the size that follows from it, and where the pilot
    goes on, to how many labels. The interval of
    the pilot itself, never the rates fitted to it: these still believe the scores where no label
    is."""
    widest = np.zeros(len(engines))
    for group, of_group in figures_of(engines, Promise.FIXED):
        margin = margin_of(engines[0], group[0])
        if margin is None:
            continue
        for place, (engine, (answers, figures)) in enumerate(zip(engines, of_group, strict=True)):
            limits = certain_limits(engine, answers, figures)
            half = np.nan_to_num(half_width(within(figures, limits)), nan=1.0).max()
            widest[place] = max(widest[place], half * engine.plan.goal / margin)
    sizes = []
    for engine, half in zip(engines, widest.tolist(), strict=True):
        planned, pilot = engine.size_after(half)
        size = {"labels": engine.labels, "half_width": half, "planned": planned}
        sizes.append({**size, "pilot": pilot} if pilot else size)
    return sizes


def precision_of(engine: Engine, classifier: str | None, predicted: int, judged: int) -> Estimate:
    """Of the items that the classifier predicts as the class ``predicted``, the share whose label
    is the class ``judged``; of all of them: each that nobody can judge counts as the others of its
    cell. For a method that estimates from the counts of cells."""
    for asked in engine.questions if predicted == judged and judged_share(engine) is None else ():
        if (asked.row, asked.subject, asked.class_index) == (
            SCALARS["precision"], classifier, judged,
        ):  # fmt: skip
            return scalar_results(engine)[asked.key]
    question = Question("precision", SCALARS["precision"], classifier, judged)
    answers, tally = answers_of([engine], [question])[0], engine.tallies[classifier]
    cells = replace(in_the_file(answers.cells), predicted=tally.prediction == predicted)
    answers = replace(answers, cells=cells)
    look = look_for(engine, question, look_at(engine), answers.rows, cells)
    figures = EstimatesScalars.of(engine.design).figures(answers, look)
    figures = with_doubts(engine, tally, answers, look, figures)
    (estimate,) = found_of(engine, answers, figures, [question])
    return replace(estimate, certain=None)


def found_of(
    engine: Engine,
    answers: Answers[Any],
    figures: Figures,
    group: list[Question],
    before: Limits | None = None,
) -> list[Estimate]:
    """The results of a group of questions about the same cells, from their figures, cut by the
    bands ``before`` them; a value outside is moved to the nearer end."""
    limits = certain_limits(engine, answers, figures)
    figures = within(figures, limits)
    if before is not None:
        figures = within(figures, narrowed(before, np.array([figures.low, figures.high])))
    return [
        _stated(engine, question, figures, place, answers.cells, limits)
        for place, question in enumerate(group)
    ]


def certain_limits(engine: Engine, answers: Answers[Any], figures: Figures) -> Limits:
    """What is certain of each row whatever the items without a label are, (2, n_rows); the whole
    range of the quantity where no promise goes with the figures, and about a process."""
    plan, rows = engine.plan, answers.rows
    limits = np.array([[row.least for row in rows], np.ones(len(rows))])
    printed = Promise.NONE in (plan.promised, figures.promise)
    if plan.target != "file" or printed:
        return limits
    return np.array(certain_ends(rows, answers.cells))


def within(figures: Figures, limits: Limits) -> Figures:
    """The figures cut to these limits, (2, n_rows); a value outside is moved to the nearer one, and
    nothing has no sign."""
    ends = (figures.value, figures.low, figures.high)
    value, low, high = (np.clip(end, *limits) + 0.0 for end in ends)
    return replace(figures, value=value, low=low, high=high)


def _stated(
    engine: Engine,
    question: Question,
    figures: Figures,
    place: int,
    cells: Cells,
    limits: Limits,
) -> Estimate:
    """The estimate with the state its numbers allow; without an interval it has the ``limits``."""
    plan = engine.plan
    known = known_before(question.row, cells) if plan.target == "file" else None
    if known is not None:
        return _known_estimate(engine, question, cells, known)
    value = float(figures.value[place])
    low, high = float(figures.low[place]), float(figures.high[place])
    possible = possible_before(engine, question)
    state, missing, promise = state_of(engine, question, cells, value)
    promise = figures.promise or promise
    if state == State.INTERVAL and plan.target == "file" and is_settled(question, cells):
        state = State.EXACT
    tentative = is_tentative(engine, state, low, high, possible)
    low, high = (low, high) if state.has_interval else limits[:, place].tolist()
    tail, method = float(figures.tail_share[place]), figures.method[place]
    return Estimate(
        estimand=question.key,
        value=None if state in (State.NOTHING, State.TOO_FEW) else value,
        low=low,
        high=high,
        confidence=None if figures.promise == Promise.NONE else plan.confidence,
        labels_used=labels_of(engine, question),
        draws_used=engine.prefix() if figures.draws is None else figures.draws[place],
        method=str(method),
        promise=promise,
        assumptions=assumptions(engine, method.form),
        source=method.source,
        state=state,
        missing=missing,
        tail_share=None if np.isnan(tail) else tail,
        scope=scope_of(engine, question),
        notes=tuple(filter(None, figures.notes[place : place + 1])),
        form=method.form,
        tentative=tentative,
        certain=possible,
    )


def _known_estimate(engine: Engine, question: Question, cells: Cells, known: int) -> Estimate:
    """A figure that rests on known items alone: exact before the first label."""
    value = float(table_of([question.row], cells).value(cells.positive)[0])
    taken = assumed(len(engine.existing.positions), engine.existing.use)
    return Estimate(
        question.key,
        value,
        value,
        value,
        engine.plan.confidence,
        State.EXACT,
        labels_used=0,
        draws_used=0,
        method=KNOWN_EXACTLY[0],
        promise=engine.plan.promised,
        assumptions=(JUDGEMENT, *taken),
        source=KNOWN_EXACTLY[1],
        scope=replace(scope_of(engine, question), existing=known),
    )


def _with_goal(engine: Engine, results: dict[str, Estimate]) -> dict[str, Estimate]:
    """Say of each interval whether the margin is reached, once there is one to reach."""
    ended = engine.finished or engine.answers_given >= engine.limit

    def restated(estimate: Estimate, margin: float | None) -> Estimate:
        if margin is None or estimate.state != State.INTERVAL:
            return estimate
        if estimate.half_width <= margin:
            return replace(estimate, state=State.GOAL_REACHED)
        return replace(estimate, state=State.NOT_REACHED) if ended else estimate

    return {
        question.key: restated(results[question.key], margin_of(engine, question))
        for question in engine.questions
    }
