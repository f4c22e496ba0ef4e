"""What second readings say: how often the answers differ, and the figures for the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from labelcore.designs.scalars import EstimatesFromCells
from labelcore.estimands import ratios, table_of
from labelcore.figures.from_counts import fitted_cell_rates, look_at
from labelcore.figures.prompts import less_sure
from labelcore.figures.readiness import complete
from labelcore.figures.sampled import counted_tally, sampled_labels, samples_of
from labelcore.figures.scalars import headline_stage, scalar_results
from labelcore.figures.unsure import cells_of, counts_at_odds, doubtful, moves_of_odds
from labelcore.log.engine import Engine
from labelcore.log.people import NOBODY, people_count
from labelcore.log.repeats import Judged
from labelcore.plan.existing import RANDOM
from labelcore.results.label_error import ENOUGH, MANY, Agreement, Drift, LabelError, TrueFigure
from labelcore.results.types import Estimate
from labelcore.stats.agreement import beyond_chance, gwet, votes_of
from labelcore.stats.label_error import (
    HalfByHalf,
    Limits,
    SecondReadings,
    bounded,
    change_of_errors,
    corrected,
    difference_share,
    error_rate,
)
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    FloatArray,
    Ratios,
    plug_in_totals,
    smoothed_rates,
)
from labelcore.tallies import Question, filled
from labelcore.words import label_error as words

BORROWED = 20
"""Labels that the fitted rate of a cell counts for where halves of the answers are compared."""


def label_error(engine: Engine, since: Mapping[str, str] = NOBODY) -> LabelError:
    """The state of the second readings; ``since`` as for ``labelcore.log.people.people_count``.

    Promise: fixed, one look when labelling is over; figures are given from then on, also where the
    plan's own intervals may be watched; where other people judge, these have figures of their own
    (``figures.settled``). Only items answered by the stage that results are read from
    count. Source: ``labelcore.stats.label_error``.
    """
    stage, confidence = headline_stage(engine), engine.plan.confidence
    readings = [item for item in engine.repeats.readings() if item.index <= len(stage.asked)]
    share = _share(readings, confidence)
    rates = error_rate([0.0 if share.value is None else share.value, share.low, share.high])
    rate, least, most = (float(rate) for rate in rates)
    error = Limits(None if share.value is None else rate, least, most, share.reason)
    given = [asked.answers[-1] for asked in stage.asked if asked.answers]
    over = engine.finished or engine.stopped or complete(engine)
    enough = len(readings) >= ENOUGH and not engine.plan.superseded
    shown = enough and over and (engine.finished or not engine.repeats.due)
    return LabelError(
        tuple(readings),
        0 if engine.finished else len(engine.repeats.due),
        people_count(given, since, apart=bool(engine.plan.overlap)),
        bool(engine.existing.use),
        share,
        error,
        tuple(_agreements(engine, readings, since)),
        tuple(_figures(stage, readings)) if shown and not engine.repeats.others else (),
        confidence,
        drift(stage, readings) if over and (engine.finished or not engine.repeats.due) else None,
    )


def drift(stage: Engine, readings: Sequence[Judged]) -> Drift | None:
    """How mistakes changed from the first half of the answers to the second; None where that cannot
    be told: it needs labels that are a random sample of their cells in any order."""
    if not stage.questions:
        return None
    first = stage.questions[0].classifier
    if not isinstance(stage.design, EstimatesFromCells) or samples_of(stage, first) is not None:
        return None
    asked = [item for item in stage.asked if item.answers and item.answers[-1].kind == "labelled"]
    if len(asked) < MANY:
        return None
    given = np.array([item.answers[-1].sequence for item in asked])
    half = float(np.median(given))
    # Others read what is likelier to differ: their answers say nothing of how often.
    again = [] if stage.repeats.others else [*readings]
    late = np.array([reading.first.sequence > half for reading in again], dtype=bool)
    differs = np.array([reading.differs for reading in again], dtype=bool)
    tally = stage.tallies[first]
    once = ~np.isin(given, [reading.first.sequence for reading in again])
    positions = np.array([item.position for item in asked])[once]
    several = len(stage.population.classes) > 2
    of_class = None if several else stage.population.classes.index(stage.population.positive)
    cell, cells = tally.cells_at(positions), tally.cells(of_class)
    counted = tally.prediction[cell] if several else of_class
    answers = HalfByHalf(given[once] > half, stage.codes[positions] == counted, cell)
    fitted = fitted_cell_rates(stage, tally, of_class)
    rates = smoothed_rates(cells, fitted)
    plain = float(cells.positive.sum() / cells.labelled.sum()) if fitted is None else fitted
    usual = (cells.positive + BORROWED * plain) / (cells.labelled + BORROWED)
    change = change_of_errors(
        answers, rates, usual, len(stage.population.classes), late, differs, stage.plan.confidence
    )
    if change.value is None:
        return None
    both = [(int(differs[late == half].sum()), int((late == half).sum())) for half in (False, True)]
    return Drift(change, (both[0][0], both[1][0]), (both[0][1], both[1][1]))


def _share(readings: Sequence[Judged], confidence: float, *, alike: bool = False) -> Limits:
    """The share of the labelled items whose two answers differ, or are the same."""
    if not readings:
        return Limits(None, 0.0, 1.0, words.NO_REPEATS)
    differs = np.array([reading.differs != alike for reading in readings])
    return Limits(*difference_share(differs, _weights(readings), confidence))


def _weights(readings: Sequence[Judged]) -> FloatArray:
    chance = np.array([reading.chance for reading in readings])
    return np.asarray(chance.max(initial=0.0) / chance)


def _agreements(
    engine: Engine, readings: Sequence[Judged], since: Mapping[str, str]
) -> list[Agreement]:
    """Of one person with themselves, and of two people, where there are such items."""
    agreements = []
    for same in (True, False):
        mine = [reading for reading in readings if reading.same_person == same]
        if not mine:
            continue
        differing = sum(reading.differs for reading in mine)
        ac1 = Limits(None, -1.0, 1.0, words.ONE_PERSON) if same else _ac1(engine, mine)
        equal = _share(mine, engine.plan.confidence, alike=True)
        both = [answer for reading in mine for answer in (reading.first, reading.second)]
        known = people_count(both, since, apart=bool(engine.plan.overlap)) is not None
        agreements.append(Agreement(same, known, len(mine), differing, equal, ac1))
    return agreements


def _ac1(engine: Engine, readings: Sequence[Judged]) -> Limits:
    """Over the items to which both gave a class."""
    readings = [reading for reading in readings if reading.second.label]
    both = [(reading.first.label, reading.second.label) for reading in readings]
    codes = np.array(
        [[engine.classes[str(name)] for name in pair] for pair in both], dtype=np.int64
    ).reshape(-1, 2)
    votes, confidence = votes_of(codes, len(engine.classes)), engine.plan.confidence
    return beyond_chance(votes, gwet, confidence, _weights(readings))


def _figures(stage: Engine, readings: Sequence[Judged]) -> list[TrueFigure]:
    results = scalar_results(stage)
    return [
        _figure(stage, question, results[question.key], readings)
        for question in stage.questions
        if results[question.key].has_interval
    ]


def _figure(
    stage: Engine, question: Question, observed: Estimate, readings: Sequence[Judged]
) -> TrueFigure:
    confidence = stage.plan.confidence_of_each(len(stage.questions))
    if question.row.difference:
        none = Limits(None, -1.0, 1.0, words.NO_DIFFERENCES)
        return TrueFigure(observed, none, none, confidence)
    if stage.existing.use == RANDOM:
        # Only new labels are read twice: in strata that the old ones filled nothing is known.
        none = Limits(None, 0.0, 1.0, words.OLD_SAMPLE)
        return TrueFigure(observed, none, none, confidence)
    sure = less_sure(
        stage, [question.row], look_at(stage), counted_tally(stage, question)
    ).confidence
    judged = [reading for reading in readings if reading.second.label is not None]
    differing = sum(reading.differs for reading in judged)
    several = len(stage.population.classes) > 2
    alike, bounds = [], []
    for cells in both_ways(stage, question):
        table = ratios([question.row], cells)
        bounds += bounded(cells, table, _seconds(stage, question, cells, readings), sure)
        alike += [
            _from_observed(observed, cells, table, limits)
            for limits in corrected(cells, table, len(judged), differing, sure)
        ]
    if counts_at_odds(stage):
        error = float(error_rate(differing / max(len(judged), 1)))
        alike, bounds = _at_odds(stage, question, alike, bounds, error)
    none = Limits(None, 0.0, 1.0, words.SEVERAL_CLASSES)
    return TrueFigure(observed, none if several else _wide(alike), _wide(bounds), confidence)


def _at_odds(
    stage: Engine,
    question: Question,
    alike: Sequence[Limits],
    bounds: Sequence[Limits],
    error: float,
) -> tuple[list[Limits], list[Limits]]:
    """The limits of all items, with the unsure ones at the odds that the plan declares: where
    mistakes are alike everywhere at the true rates, else whatever these are."""
    tally = counted_tally(stage, question)
    cells = cells_of(stage, tally, question.class_index)
    table, rates = ratios([question.row], cells), smoothed_rates(cells)
    least = 0.5 / (cells.labelled + 1)
    true = np.clip((rates - error) / max(1 - 2 * error, 1e-9), least, 1 - least)
    down, up = moves_of_odds(stage, tally, cells, table, true)[:, 0].tolist()
    far = moves_of_odds(stage, tally, cells, table, rates, anywhere=True)[:, 0].tolist()
    return [_moved(one, down, up) for one in alike], [_moved(one, *far) for one in bounds]


def _moved(limits: Limits, down: float, up: float) -> Limits:
    low, high = max(limits.low + min(down, 0), 0), min(limits.high + max(up, 0), 1)
    return replace(limits, low=low, high=high)


def _from_observed(observed: Estimate, cells: Cells, table: Ratios, limits: Limits) -> Limits:
    """The corrected value as the estimate that is shown, moved by what the mistakes move the plain
    one of the counts. Without any mistake it is that estimate, which may be made otherwise: of a
    plain random sample it is the share of the labels, not weighted by prediction."""
    if limits.value is None or observed.value is None:
        return limits
    plain = float(np.clip(table.value(plug_in_totals(cells))[0], 0, 1))
    moved = observed.value + limits.value - plain
    return replace(limits, value=float(np.clip(moved, limits.low, limits.high)))


def _wide(limits: Sequence[Limits]) -> Limits:
    """The first of the limits, widened to hold all of them."""
    reason = next((each.reason for each in limits if each.reason), "")
    low, high = min(each.low for each in limits), max(each.high for each in limits)
    return Limits(None if reason else limits[0].value, low, high, reason)


def both_ways(stage: Engine, question: Question) -> list[Cells]:
    """The counts; and where items count both ways, those of the worst and of the best case."""
    tally = counted_tally(stage, question)
    cells = cells_of(stage, tally, question.class_index)
    unsettled = doubtful(stage, tally)
    if not unsettled.any():
        return [cells]
    totals = plug_in_totals(cells)
    rising: BoolArray = table_of([question.row], cells).sensitivity(totals)[0] > 0
    return [cells, filled(cells, unsettled, ~rising), filled(cells, unsettled, rising)]


def _seconds(
    stage: Engine, question: Question, cells: Cells, readings: Sequence[Judged]
) -> SecondReadings:
    """The second readings of labels that are a random sample of their cell."""
    counting = {*sampled_labels(stage, question.classifier).tolist()}
    placed = [(stage.asked[reading.index - 1].position, reading) for reading in readings]
    tally = counted_tally(stage, question)
    mine = [pair for pair in placed if pair[0] in counting and tally.cells_at(pair[0]) >= 0]
    cell = tally.cells_at(np.array([position for position, _ in mine], dtype=np.int64))
    weight = cells.size / np.maximum(cells.labelled, 1)
    differs = np.array([reading.differs for _, reading in mine], dtype=bool)
    return SecondReadings(differs, cells.predicted[cell], weight[cell])
