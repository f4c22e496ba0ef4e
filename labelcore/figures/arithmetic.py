"""How a cell of the table of figures comes about, and the labels that would make it narrower."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.base import Look
from labelcore.designs.scalars import Answers, EstimatesScalars
from labelcore.figures.from_counts import answers_of, look_at, look_for
from labelcore.figures.scalars import headline_stage
from labelcore.figures.tables import beside, cells_asked, groups_of
from labelcore.log.engine import Engine
from labelcore.results.cells import TableCell
from labelcore.stats.profile import plug_in_totals
from labelcore.tallies import Question

HALF_WIDTHS = (
    0.3, 0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01,
    0.005,
)  # fmt: skip
"""Half-widths that a price is told for: the first one that an interval is wider than."""
MOST_TIMES = 64
"""How many times the labels so far are tried at most."""


@dataclass(frozen=True, eq=False, slots=True)
class Arithmetic:
    """What stands behind one figure.

    Attributes
    ----------
    parts
        a row for each stratum and predicted class: stratum, called, items, labels, positive (of the
        labels), estimated (positive items), above and below (what they add to the numerator and the
        denominator of the figure)
    above, below
        the sums; without the certain limits and earlier bands their ratio is the value
    half_width
        the next one that is worth a price; None where the interval is narrow enough
    more
        about how many labels more lead to it, of the group if it is one of a group; None for none
    kept
        whether the promise of the plan reaches so far
    coming
        how many labels an extension asks next for it
    """

    parts: pd.DataFrame
    above: float
    below: float
    half_width: float | None = None
    more: int | None = None
    kept: bool = False
    coming: int = 0


def arithmetic(engine: Engine, by: tuple[str, ...], cell: TableCell) -> Arithmetic:
    """That of one cell of ``figure_table(engine, ..., by)``."""
    stage = headline_stage(engine)
    groups = groups_of(stage, by)
    (question,) = (
        question for key, question in cells_asked(stage, groups) if key == (cell.row, cell.figure)
    )
    of_cell = beside(stage, [question], groups)
    answers = answers_of([of_cell], [question])[0]
    parts = _parts(of_cell, question, answers)
    sums = float(parts["above"].sum()), float(parts["below"].sum())
    if not cell.asked or not cell.estimate.has_interval:
        return Arithmetic(parts, *sums)
    half = next((width for width in HALF_WIDTHS if width < cell.estimate.half_width), None)
    if half is None:
        return Arithmetic(parts, *sums)
    look = look_for(stage, question, look_at(stage), answers.rows, answers.cells)
    more, coming = _labels_more(of_cell, answers, look, half), engine.directed(cell.row[1])
    kept = more is not None and _kept(engine, look, more)
    return Arithmetic(parts, *sums, half, more, kept, coming)


def _parts(engine: Engine, question: Question, answers: Answers[Any]) -> pd.DataFrame:
    cells, tally = answers.cells, engine.tallies[question.subject]
    positive = plug_in_totals(cells, answers.rates)
    predicted = cells.predicted.astype(float)
    terms = np.array([cells.size, positive, cells.size * predicted, positive * predicted])
    names = [*engine.population.classes, ""]
    return pd.DataFrame(
        {
            "stratum": tally.stratum + 1,
            "called": [names[code] for code in tally.prediction],
            "items": cells.size.round().astype(int),
            "labels": cells.labelled.round().astype(int),
            "positive": cells.positive.round().astype(int),
            "estimated": positive,
            "above": np.asarray(question.row.numerator) @ terms,
            "below": np.asarray(question.row.denominator) @ terms,
        }
    )


def _labels_more(
    engine: Engine, answers: Answers[Any], look: Look, half_width: float
) -> int | None:
    """About how many labels more, shared as those so far, narrow the interval to a half-width."""
    cells = answers.cells
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)

    def wide(times: float) -> float:
        labelled = np.minimum(cells.labelled * times, cells.size)
        positive = labelled * cells.positive / np.maximum(cells.labelled, 1e-9)
        then = replace(answers, cells=replace(cells, labelled=labelled, positive=positive))
        at = replace(look, labels=round(look.labels * times))
        drawn = np.minimum(engine.drawn * times, engine.frame.sizes)
        return float(design.half_widths(engine.setup, then, at, drawn)[0])

    low, high = 1.0, 2.0
    while wide(high) > half_width:
        low, high = high, 2 * high
        if high > MOST_TIMES:
            return None
    while high / low > 1.005:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if wide(middle) > half_width else (low, middle)
    labels = float(cells.labelled.sum())
    reached = float(np.minimum(cells.labelled * high, cells.size).sum())
    return max(round(reached - labels), 1)


def _kept(engine: Engine, look: Look, more: int) -> bool:
    """Whether the watched promise goes on for so many labels more."""
    horizon = engine.plan.horizon
    if horizon is None or not engine.plan.from_the_first_label:
        return False
    in_all = horizon * engine.watched_for - engine.given - engine.allowed
    return more <= min(in_all, horizon * look.planned - look.answered)
