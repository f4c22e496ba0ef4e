"""The figures for the settled judgement: what people agree on, or somebody has settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from labelcore.designs.base import COUNTED_RULES, Look
from labelcore.designs.profile_figures import of_process
from labelcore.estimands import size_slopes, table_of
from labelcore.figures.assumptions import settled_assumptions
from labelcore.figures.from_counts import fitted_cell_rates, look_at, look_for
from labelcore.figures.label_error import both_ways
from labelcore.figures.sampled import counted_tally, sampled_labels, samples_of
from labelcore.figures.scalars import headline_stage, scalar_results
from labelcore.figures.unsure import counts_at_odds, moves_of_odds
from labelcore.log.engine import Engine
from labelcore.log.repeats import Judged
from labelcore.plan.existing import RANDOM
from labelcore.promises import Form, Method, Promise, State
from labelcore.results.types import Estimate
from labelcore.stats.horizon import stretch
from labelcore.stats.judged import also_unasked, doubt_of_sizes, variance_by_sizes
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    FloatArray,
    Ratios,
    plug_in_totals,
    smoothed_rates,
)
from labelcore.stats.profile_interval import critical_values
from labelcore.stats.two_phase import (
    Overlap,
    flips_of,
    no_flips,
    settled_interval,
    settled_rates,
    settled_totals,
)
from labelcore.tallies import Question
from labelcore.words.agreement import (
    KNOWN_SETTLED,
    NO_END,
    NONE_POSITIVE,
    OLD_SAMPLE_SETTLED,
    few_judged,
    judged_note,
    unsettled_note,
    waiting_for_people,
)
from labelcore.words.quantities import settled_key

ENOUGH = 10
"""From so many items on that several people judged, figures for the settled judgement are given."""
METHOD = Method(
    "G-profile of both phases",
    "Neyman (1938); Cochran (1977), section 12.6; Cassel, Sarndal and Wretman (1976)",
    Form.APPROXIMATE,
)
Bounds = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class _Known:
    """The items that as many people as the plan asks for have judged, and those put off.

    settled    the class that counts, None where people differ and nobody has said it, and where
               somebody put the item off
    complete   those that have all answers
    waiting    items that wait for another person, those put off among them
    """

    judged: Sequence[Judged]
    settled: Sequence[str | None]
    waiting: int

    @property
    def complete(self) -> int:
        return sum(item.complete for item in self.judged)

    @property
    def done(self) -> float:
        """The share of the overlap that has been judged."""
        return self.complete / (self.complete + self.waiting)

    @property
    def open(self) -> int:
        """Items that are not settled."""
        return sum(label is None for label in self.settled)


def settled_results(engine: Engine) -> dict[str, Estimate]:
    """Every scalar result of the plan once more, for the settled judgement; none without an
    overlap.

    Promise: that of the plan. "fixed": when the planned size is there and nobody is waited for.
    "watched": at every look up to the planned size or horizon, with the boundary at the share of
    the plan of which both phases are there. Approximate: coverage was measured, see
    docs/several_people.md.
    Assumption: that of the plan's labels; the overlap is a random part of them, and people would
    judge and settle any other item as they did these.
    Items that people judge differently count both ways until they are settled, and so do those that
    somebody put off; the value leaves them out and is tentative. Those not yet shown to another
    person are a random part of the overlap.
    """
    if not engine.plan.overlap:
        return {}
    stage = headline_stage(engine)
    observed, known = scalar_results(stage), _known(engine, stage)
    return {
        settled_key(question.key): _estimate(engine, stage, question, observed, known)
        for question in stage.questions
    }


def settled_ends(engine: Engine, stage: Engine, look: Look) -> dict[str, Bounds] | None:
    """By key the value, low and high of what ``stage`` asks for besides the plan, for the settled
    judgement at a look; None while there are none. Promise and assumption: ``settled_results``.

    stage   the session with cells of its own (``figures.tables.beside``)
    """
    known = _known(engine, stage)
    if _missing(stage, known):
        return None
    return {question.key: _bounds(stage, question, known, look) for question in stage.questions}


def _known(engine: Engine, stage: Engine) -> _Known:
    last = len(stage.asked)
    judged = [item for item in engine.repeats.judged() if item.complete and item.index <= last]
    put_off = [item for item in engine.repeats.put_off() if item.index <= last]
    waiting = sum(index <= last for index in engine.repeats.due)
    settled = [*(_class_of(engine, item) for item in judged), *(None for _ in put_off)]
    return _Known([*judged, *put_off], settled, waiting)


def _class_of(engine: Engine, item: Judged) -> str | None:
    if not item.differs:
        return item.first.label
    verdict = engine.settlement(item)
    return None if verdict is None else verdict.label


def _estimate(
    engine: Engine,
    stage: Engine,
    question: Question,
    observed: Mapping[str, Estimate],
    known: _Known,
) -> Estimate:
    first = observed[question.key]
    estimate = replace(
        first,
        estimand=settled_key(question.key),
        method=str(METHOD),
        source=METHOD.source,
        form=METHOD.form,
        assumptions=settled_assumptions(first.assumptions, stage),
        tail_share=None,
        odds=None,
        either_way=None,
        notes=(
            judged_note(known.complete, stage.plan.readers),
            *((unsettled_note(known.open),) if known.open else ()),
        ),
        tentative=bool(known.open),
    )
    missing = _missing(stage, known)
    state = State.TOO_FEW if missing else _state(engine, first, known)
    if state in (State.NOTHING, State.TOO_FEW):
        return _nothing(question, estimate, state, missing or first.missing)
    value, low, high = _bounds(stage, question, known)
    if np.isnan(value):
        return _nothing(question, estimate, State.TOO_FEW, NONE_POSITIVE)
    if not state.has_interval:
        return replace(
            estimate, value=value, low=question.row.least, high=1.0, state=state, missing=""
        )
    missing = waiting_for_people(known.waiting) if state == State.WAITING else ""
    return replace(estimate, value=value, low=low, high=high, state=state, missing=missing)


def _nothing(question: Question, estimate: Estimate, state: State, missing: str) -> Estimate:
    return replace(
        estimate,
        value=None,
        low=question.row.least,
        high=1.0,
        state=state,
        missing=missing,
        tentative=False,
    )


def _missing(stage: Engine, known: _Known) -> str:
    """Why there is no figure, or none yet, in words."""
    if stage.existing.use == RANDOM:
        return OLD_SAMPLE_SETTLED
    if stage.existing.use:
        return KNOWN_SETTLED
    if stage.plan.promised == Promise.WATCHED and stage.plan.horizon is None:
        return NO_END
    return few_judged(known.complete, ENOUGH) if known.complete < ENOUGH else ""


def _state(engine: Engine, first: Estimate, known: _Known) -> State:
    """As far as the first readings have come; a fixed promise waits for every further one."""
    if first.state in (State.EXACT, State.GOAL_REACHED, State.NOT_REACHED):
        state = State.INTERVAL
    else:
        state = first.state
    if state == State.INTERVAL and known.waiting and engine.plan.promise == Promise.FIXED:
        return State.STOPPED_EARLY if engine.finished else State.PROVISIONAL
    return state


def _bounds(stage: Engine, question: Question, known: _Known, look: Look | None = None) -> Bounds:
    """Value, low and high: over every way that open and unsettled items may come out, and with
    those that nobody can judge at the odds that the plan declares.

    look   None: that of the plan's own figure
    """
    own = partial(look_for, stage, question, look_at(stage), [question.row])
    every = both_ways(stage, question)
    if stage.plan.interval_rules >= COUNTED_RULES:
        every = [part for cells in every for part in also_unasked(cells)]
    ends = [
        _of_cells(stage, question, cells, overlap, known, look or own(cells))
        for cells in every
        for cells, overlap in _settlings(stage, question, cells, known)
    ]
    value, low, high = ends[0][0], min(end[1] for end in ends), max(end[2] for end in ends)
    return value, low, high


def _settlings(
    stage: Engine, question: Question, cells: Cells, known: _Known
) -> list[tuple[Cells, Overlap]]:
    """The counts by the first readings, with the overlap: without the items that are not settled;
    where there are some, also with all of them lowering and with all of them raising the figure."""
    positions = np.array([stage.asked[item.index - 1].position for item in known.judged], dtype=int)
    tally = counted_tally(stage, question)
    cell = tally.cells_at(positions)
    counting = np.isin(positions, sampled_labels(stage, question.classifier)) & (cell >= 0)
    first = [stage.classes[str(item.first.label)] for item in known.judged]
    settled = [-1 if label is None else stage.classes[label] for label in known.settled]
    of_class = np.full(len(positions), question.class_index or 0)
    if question.class_index is None:
        of_class = tally.prediction[cell]
    was, now = np.array(first) == of_class, np.array(settled) == of_class
    sure = np.array(settled) >= 0
    chance = np.array([item.chance for item in known.judged])
    # The label in force may have been changed since it was held against a second one.
    in_force = stage.codes[positions] == of_class
    then = _as_first_read(cells, cell[counting], was[counting], in_force[counting])

    def part(now: np.ndarray, kept: BoolArray) -> Overlap:
        return Overlap(cell[kept], was[kept], np.asarray(now, dtype=bool)[kept], chance[kept])

    overlaps = [(then, part(now, counting & sure))]
    if known.open:
        totals = plug_in_totals(cells)
        rising: BoolArray = table_of([question.row], cells).sensitivity(totals)[0] > 0
        for up in (rising, ~rising):
            overlaps.append((then, part(np.where(sure, now, up[cell]), counting)))
    return overlaps


def _as_first_read(cells: Cells, cell: np.ndarray, was: BoolArray, now: BoolArray) -> Cells:
    """The counts with the labels of the overlap as they were when others judged the items."""
    change = np.bincount(cell, was.astype(float) - now, minlength=len(cells.size))
    return replace(cells, positive=cells.positive + change) if change.any() else cells


def _of_cells(
    stage: Engine, question: Question, cells: Cells, overlap: Overlap, known: _Known, look: Look
) -> Bounds:
    plan, confidence = stage.plan, look.confidence
    table = table_of([question.row], cells)
    progress, horizon = look.progress * known.done, plan.horizon or 1
    if len(overlap.cell) == cells.labelled.sum():  # Every label is settled: one phase.
        positive = np.bincount(overlap.cell, overlap.settled, minlength=len(cells.size))
        cells = replace(cells, positive=positive.astype(float))
        flips = no_flips(cells)
    else:
        tally, samples = counted_tally(stage, question), samples_of(stage, question.classifier)
        rates = None if samples else fitted_cell_rates(stage, tally, question.class_index)
        flips = flips_of(cells, overlap, rates)
    target = "file" if look.masses else plan.target
    added = plan.interval_rules >= COUNTED_RULES
    rates = settled_totals(cells, flips) / cells.size if added else smoothed_rates(cells)
    gain = size_slopes([question.row], cells, rates)
    by_sizes = variance_by_sizes(cells, gain, target) if added else 0.0
    doubt = 1.0 if added else doubt_of_sizes(cells, table, gain, target=target)

    def critical(both: Cells, linear: Ratios) -> FloatArray:
        inflation = doubt
        if plan.promised == Promise.WATCHED:
            inflation = doubt * stretch(
                both, linear, confidence, progress, horizon,
                target=target, learned=look.learned,
            )  # fmt: skip
        return critical_values(both, linear, confidence, target=target, inflation=inflation)

    found = settled_interval(cells, table, flips, critical, target=target, by_sizes=by_sizes)
    ends = np.array(found)
    if look.masses:
        ends = of_process([question.row], cells, settled_totals(cells, flips), look, ends)
    value, low, high = ends
    if counts_at_odds(stage):
        rates = settled_rates(cells, flips)
        moves = moves_of_odds(stage, counted_tally(stage, question), cells, table, rates)
        low = np.clip(low + moves[0], question.row.least, low)
        high = np.clip(high + moves[1], high, 1.0)
    return float(value[0]), float(low[0]), float(high[0])
