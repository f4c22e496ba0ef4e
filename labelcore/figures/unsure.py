"""What a figure takes the items for that people call unsure or broken, and those put off."""

from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import COUNTED_RULES, JUDGED_RULES, AnswerCodes, IntArray, Look
from labelcore.designs.scalars import ROUNDING, Answers, EstimatesScalars, Figures, certain_ends
from labelcore.estimands import slope_of, table_of
from labelcore.log.engine import Engine
from labelcore.promises import Unsure
from labelcore.results.interval import Interval
from labelcore.stats.certain import certain_bounds
from labelcore.stats.judged import also_unasked, apart, in_the_file, judgeable, judged_cells
from labelcore.stats.profile import BoolArray, Cells, FloatArray, Table, smoothed_rates
from labelcore.tallies import Question, Tally, filled

TIMES = 3.0
"""How many times as likely, or as unlikely, as the others of its stratum an unsure item may be
judged wrongly, by its odds (``Unsure.ODDS``)."""
FARTHEST = (TIMES**0.5 - 1) / (TIMES**0.5 + 1)
"""How far such odds move a rate at most."""


def cells_of(engine: Engine, tally: Tally, class_index: int | None) -> Cells:
    """The counts that figures are worked out from, by the reading of the plan: with the sizes that
    a person can judge, or those of the file."""
    cells = tally.cells(class_index)
    if not engine.undecided or engine.unsure_reading != Unsure.JUDGED:
        return cells
    rules = engine.plan.interval_rules
    more = 0.0 if rules < JUDGED_RULES else 0.5 if rules < COUNTED_RULES else 2.0
    return judged_cells(cells, tally.unresolved(engine.undecided_positions()), more)


def judged_share(engine: Engine, question: Question | None = None) -> float | None:
    """The share of the file that a person can judge, estimated; None where the figures are not
    about these alone, 0 where nothing tells it: without a label, for a group, and where a part is
    never asked."""
    if not engine.undecided or engine.unsure_reading != Unsure.JUDGED:
        return None
    told = engine.labels and engine.frame.asked.all()
    if not told or (question is not None and question.group is not None):
        return 0.0
    sizes = cells_of(engine, engine.tallies[engine.classifiers[0]], None).size
    return float(sizes.sum() / len(engine.population))


def both_ways(engine: Engine) -> bool:
    """Whether there are unsure or broken items, and they count both ways."""
    return engine.unsure_reading == Unsure.EITHER_WAY and bool(engine.undecided)


def counts_at_odds(engine: Engine) -> bool:
    """Whether there are unsure or broken items, and they count at odds that are bounded."""
    return engine.unsure_reading == Unsure.ODDS and bool(engine.undecided)


def doubtful(engine: Engine, tally: Tally, *, strictly: bool = False) -> FloatArray:
    """Items per cell that count both ways: open ones inside the prefix always, unsure and broken
    ones as ``both_ways`` has it, with ``strictly`` always."""
    return tally.unresolved(doubtful_positions(engine, strictly=strictly))


def doubtful_positions(engine: Engine, *, strictly: bool) -> list[int]:
    """The items that count both ways, as ``doubtful`` has it."""
    unsure = strictly or both_ways(engine)
    return engine.open_positions() + (engine.undecided_positions() if unsure else [])


def widened(
    engine: Engine,
    tally: Tally,
    answers: Answers[Any],
    figures: Figures,
    look: Look,
    *,
    strictly: bool = False,
) -> Figures:
    """The interval from the worst to the best case of the doubtful items, which are those of
    ``doubtful``."""
    unsettled = doubtful(engine, tally, strictly=strictly)
    doubts = np.array(doubtful_positions(engine, strictly=strictly), dtype=np.int64)
    doubts = doubts[tally.cells_at(doubts) >= 0]
    cases: dict[bytes, Answers[Any]] = {}
    ends = []
    for place, row in enumerate(answers.rows):
        slope = slope_of(row, answers.cells, figures.value[place : place + 1])
        ends.append([(slope < 0).tobytes(), (slope > 0).tobytes()])
        for rising in (slope < 0, slope > 0):
            if rising.tobytes() in cases:
                continue
            codes = _filled_codes(tally, answers, rising, doubts)
            cases[rising.tobytes()] = replace(
                answers,
                cells=filled(answers.cells, unsettled, rising),
                rates=_filled_rates(engine, tally, answers, codes, doubts),
                codes=codes,
            )
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    bands = dict(zip(cases, design.figures_of([*cases.values()], [look] * len(cases)), strict=True))
    low = np.array([bands[worst].low[place] for place, (worst, _) in enumerate(ends)])
    high = np.array([bands[best].high[place] for place, (_, best) in enumerate(ends)])
    return replace(
        figures,
        low=np.where(low < figures.low, low, figures.low),
        high=np.where(high > figures.high, high, figures.high),
    )


def freed(engine: Engine, answers: Answers[Any], look: Look, figures: Figures) -> Figures:
    """Of the items that a person can judge an end at all that their estimated number leaves
    possible (a plain sample rounds it), where nothing moves it, goes as far as all that may be."""
    cells = answers.cells
    if apart(cells):
        return _unasked(engine, answers, look, figures)
    items = np.maximum((cells.sides[:, None] == cells.sides) @ cells.size, ROUNDING)
    size = cells.size * np.floor(items + ROUNDING) / items
    cells = replace(cells, size=np.maximum(size, cells.labelled))
    low, high = certain_bounds(cells, table_of(answers.rows, cells))
    least, most = certain_ends(answers.rows, answers.cells)
    low = np.where(figures.low <= low + ROUNDING, least, figures.low)
    high = np.where(figures.high >= high - ROUNDING, most, figures.high)
    return replace(figures, low=low, high=high)


def _unasked(engine: Engine, answers: Answers[Any], look: Look, figures: Figures) -> Figures:
    """Differences as ``also_unasked`` has it."""
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    judged = answers.cells.judged
    assert judged is not None
    counted = engine.plan.interval_rules >= COUNTED_RULES
    silent = (answers.cells.labelled + judged.unsure == 0).any()
    for cells in also_unasked(answers.cells)[1:] if counted or silent else []:
        if counted:
            found = design.figures(replace(answers, cells=cells), look)
            low, high = found.low, found.high
        else:
            low, high = certain_bounds(judgeable(cells), table_of(answers.rows, judgeable(cells)))
        low, high = np.minimum(figures.low, low), np.maximum(figures.high, high)
        figures = replace(figures, low=low, high=high)
    return figures


def _filled_codes(
    tally: Tally, answers: Answers[Any], rising: BoolArray, doubts: IntArray
) -> AnswerCodes:
    """The codes with every doubtful item positive in the cells that are ``rising`` and another
    class elsewhere."""
    cell = tally.cells_at(doubts)
    positive = tally.prediction[cell] if answers.class_index is None else answers.class_index
    other = np.where(np.asarray(positive) == 0, 1, 0)
    codes = answers.codes.copy()
    codes[doubts] = np.where(rising[cell], positive, other)
    return codes


def _filled_rates(
    engine: Engine, tally: Tally, answers: Answers[Any], codes: AnswerCodes, doubts: IntArray
) -> FloatArray | None:
    """The method's own idea of each cell's rate, had the doubtful items these answers."""
    if answers.rates is None or not len(doubts):
        return answers.rates
    ahead = engine.progress_after_each(doubts, codes[doubts])
    given = replace(ahead, labelled=ahead.labelled[-1], positive=ahead.positive[-1])
    return np.asarray(engine.design.fitted_rates(engine.frame, given)[..., tally.stratum])


def at_odds(engine: Engine, tally: Tally, answers: Answers[Any], figures: Figures) -> Figures:
    """The figures of all items, each end moved by what it moves if the odds of the unsure items, in
    the file as in the sample, are ``TIMES`` those of the others of their cell, or one ``TIMES``-th.

    answers, figures   with the sizes of the file; the unsure left out
    """
    cells = answers.cells
    table, rates = table_of(answers.rows, cells), smoothed_rates(cells, answers.rates)
    down, up = moves_of_odds(engine, tally, cells, table, rates)
    least = np.array([row.least for row in answers.rows])
    low = np.clip(figures.low + down, least, figures.low)
    return replace(figures, low=low, high=np.clip(figures.high + up, figures.high, 1.0))


def moves_of_odds(
    engine: Engine,
    tally: Tally,
    cells: Cells,
    table: Table,
    rates: FloatArray,
    *,
    anywhere: bool = False,
) -> FloatArray:
    """By how much the odds of the unsure items move the low and the high end, (2, n_rows); 0 where
    there is no figure.

    cells      with the sizes of the file; the unsure left out
    rates      (n_cells,), those of the items that can be judged
    anywhere   whatever these rates may be
    """
    judged = judged_cells(cells, tally.unresolved(engine.undecided_positions()))
    unsure, totals = cells.size - judged.size, cells.size * rates
    middle = table.value(totals)
    moves = []
    for sign in (-1.0, 1.0):
        rising = sign * table.sensitivity(totals) > 0
        odds = rates / (1 - rates) * np.where(rising, TIMES, 1 / TIMES)
        apart = odds / (1 + odds) - rates
        if anywhere:
            apart = np.where(rising, FARTHEST, -FARTHEST)
        moves.append(table.value(np.clip(totals + unsure * apart, 0, cells.size)) - middle)
    return np.nan_to_num(moves)


def ranges_of_all(
    engine: Engine, tally: Tally, answers: Answers[Any], look: Look
) -> tuple[list[Interval], list[Interval]]:
    """For each row what it is of all items, by the odds of the unsure ones and either way, which
    holds what it is by the odds, with the error level of each by itself."""
    whole = replace(answers, cells=in_the_file(answers.cells))
    figures = EstimatesScalars.of(engine.design).figures(whole, look)
    if doubtful(engine, tally).any():
        figures = widened(engine, tally, whole, figures, look)
    possible = certain_bounds(whole.cells, table_of(answers.rows, whole.cells))
    odds = at_odds(engine, tally, whole, figures)
    either = widened(engine, tally, whole, odds, look, strictly=True)
    intervals = []
    for figure in (odds, either):
        ends = zip(*np.clip((figure.low, figure.high), *possible).tolist(), strict=True)
        intervals.append([Interval(low, high) for low, high in ends])
    return intervals[0], intervals[1]
