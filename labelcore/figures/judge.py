"""How a judge stands to people: agreement, kappa, true and false pass rates, bias by system.

Cohen's kappa is 1 - D / E, with D the share of items that judge and people call differently, and E
that expected of a judge who calls as many positive whatever the item is. The judge calls the known
share q of the file positive, so that E = q + (1 - 2 q) P over the people's share P: (kappa + 1) / 2
is a ratio of two totals like every other estimand, with the interval of the plan's method. The bias
is q - P, with q that of the items that the figures are about. Where it is an estimate, of the items
that a person can judge and of items like these, (bias + 1) / 2 is a ratio of two totals, too.

Where all of several classes are numbers they are grades, and the mean score of the people's is told
beside the judge's (``labelcore.stats.graded_profile``).

Source: Cohen (1960) for kappa. Promise: that of the figures, each by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.base import Look
from labelcore.designs.scalars import Answers, EstimatesScalars
from labelcore.estimands import SCALARS, Estimand, ratios
from labelcore.figures.differences import promise_now
from labelcore.figures.from_counts import answers_of, look_at, with_doubts
from labelcore.figures.prompts import less_sure
from labelcore.figures.scalars import certain_limits, headline_stage, within
from labelcore.figures.settled import settled_ends
from labelcore.figures.tables import beside, groups_of
from labelcore.figures.unsure import cells_of, counts_at_odds, doubtful, moves_of_odds
from labelcore.log.engine import Engine
from labelcore.population.classes import grades_of
from labelcore.results.base import Finding
from labelcore.results.types import Estimate
from labelcore.stats.profile import Cells, FloatArray, smoothed_rates
from labelcore.tallies import Question, filled
from labelcore.words.quantities import settled_key

COLUMNS = ("by", "group", "items", "measure", "value", "low", "high", "labels_used", "promise")
JUDGE, KAPPA = "judge's pass rate", "kappa"
JUDGE_MEAN, MEAN, MEAN_BIAS = "judge's mean score", "mean score", "mean score bias"
NO_SHARES = {KAPPA, JUDGE_MEAN, MEAN, MEAN_BIAS}
"""Measures that are no shares of items, nor differences of such."""
MEASURES = {
    "pass rate": ("prevalence", 0.0, 1.0),
    "bias": ("bias", -1.0, 2.0),
    "agreement": ("accuracy", 0.0, 1.0),
    KAPPA: ("kappa", -1.0, 2.0),
    "true pass rate": ("recall", 0.0, 1.0),
    "false pass rate": ("specificity", 1.0, -1.0),
}
"""What is told, and the estimand that it is: offset and factor."""
BIAS = Estimand("bias", "bias", (0.5, -0.5, 0.5, 0), (1, 0, 0, 0), formula="(1 + bias) / 2")
NO_OVERLAP = " needs a plan with an overlap: nobody else judges an item"
NO_GRADES = " is for verdicts to pass or fail: mean scores have no figure for the settled judgement"
NOT_YET = " needs more items that several people judged, of a sample that is new and has an end"
Measured = tuple[str, float, float, float]
"""A measure with its value, low and high."""


def judge_table(
    engine: Engine,
    by: tuple[str, ...],
    results: Mapping[str, Finding] = MappingProxyType({}),
    *,
    settled: bool = False,
) -> pd.DataFrame:
    """A row for each measure, of all items and of each group. Raises ValueError without the judge's
    verdicts, and for a file of several classes that are not all numbers.

    results   what the plan asks for, by key: its figures are told alike everywhere
    settled   for the settled judgement; raises ValueError where there is none, or none yet
    """
    stage = headline_stage(engine)
    population, name = stage.population, str(stage.classifiers[0])
    grades = grades_of(population.classes)
    if name not in population.predictions or (grades is None and len(population.classes) > 2):
        raise ValueError(
            "a judge is told by its verdicts in a file of two classes, or of several that are all "
            f"numbers, such as 1 to 5; classes are {', '.join(population.classes)}"
        )
    if settled and (grades is not None or not engine.plan.overlap):
        raise ValueError("settled" + (NO_GRADES if grades is not None else NO_OVERLAP))
    groups, predicted = groups_of(stage, by), population.predictions[name]
    parts: list[int | None] = [None, *range(0 if groups is None else len(groups.names))]
    rows: list[dict[str, Any]] = []
    index, kinds = None, [SCALARS["accuracy"]]
    if grades is None:
        index = population.classes.index(population.positive)
        kinds = [SCALARS[name] for name in ("prevalence", "accuracy", "recall", "specificity")]
    passed = np.arange(2) == index if grades is None else grades
    for part in parts:
        mine = predicted if part is None or groups is None else predicted[groups.codes == part]
        cut = None if part is None else groups  # All items are told alike in every table.
        of_part = beside(stage, [Question(JUDGE, kinds[0], name, index, group=part)], cut)
        tally = of_part.tallies[of_part.questions[0].subject]
        cells = cells_of(of_part, tally, index)
        of_these = float(cells.size @ passed[tally.prediction] / cells.size.sum())
        said, rows_told = (float(passed[mine].mean()), of_these), kinds
        if grades is None:
            estimated = [] if _knows_calls(engine, cells) else [BIAS]
            rows_told = [*kinds, kappa_row(of_these), *estimated]
        asked = [Question(kind.name, kind, name, index, group=part) for kind in rows_told]
        of_part.questions, answers = asked, answers_of([of_part], asked)[0]
        look = replace(look_at(of_part), confidence=engine.plan.confidence)
        look = less_sure(of_part, rows_told, look, tally)
        group = None if part is None or groups is None else groups.names[part]
        shared = {"by": groups.label if groups and group else None, "group": group,
                  "items": len(mine), "labels_used": round(float(answers.cells.labelled.sum())),
                  "promise": str(promise_now(engine))}  # fmt: skip
        of = "" if group is None or groups is None else f"[{groups.label}={group}]"
        if settled:
            ends = settled_ends(engine, of_part, look)
            if ends is None:
                raise ValueError("settled" + NOT_YET)
            found = {key: np.array(end) for key, end in ends.items()}
            asked_for = {kind.name: results.get(settled_key(kind.name + of)) for kind in kinds}
            lines = _told(found | _ends_of(asked_for), said)
        elif grades is None:
            asked_for = {kind.name: results.get(kind.name + of) for kind in kinds}
            lines = _told(_ends(of_part, answers, look) | _ends_of(asked_for), said)
        else:
            lines = _grades(of_part, answers, look, grades, said)
        rows += [{**shared, **dict(zip(COLUMNS[3:7], line, strict=True))} for line in lines]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _ends_of(results: Mapping[str, Finding | None]) -> dict[str, FloatArray]:
    """Value, low and high of those results that have them, (3,) each."""
    return {
        name: np.array([result.value, result.low, result.high])
        for name, result in results.items()
        if isinstance(result, Estimate) and result.has_interval and result.value is not None
    }


def _told(ends: Mapping[str, FloatArray], said: tuple[float, float]) -> Iterator[Measured]:
    """Each measure from the value, low and high of its estimand; ``said``: the judge's share of
    passes, or mean grade, of all items, and of those that the figures are about."""
    ends = {BIAS.name: (1 + said[1] - ends["prevalence"]) / 2, **ends}
    yield JUDGE, said[0], said[0], said[0]
    for measure, (estimand, offset, factor) in MEASURES.items():
        yield measure, *_moved(ends[estimand], offset, factor)


def _grades(
    engine: Engine, answers: Answers[Any], look: Look, grades: FloatArray, said: tuple[float, float]
) -> Iterator[Measured]:
    """Of grades, (n_classes,) as numbers."""
    tally = engine.tallies[engine.questions[0].subject]
    yield JUDGE_MEAN, said[0], said[0], said[0]
    if (ends := _mean(engine, answers.cells, look, grades)) is not None:
        yield MEAN, *_moved(ends, 0.0, 1.0)
    calls = None if _knows_calls(engine, answers.cells) else grades[tally.prediction]
    if (ends := _mean(engine, answers.cells, look, grades, calls)) is not None:
        yield MEAN_BIAS, *_moved(ends, said[1], -1.0)
    yield "agreement", *_ends(engine, answers, look)["accuracy"].tolist()


def _knows_calls(engine: Engine, cells: Cells) -> bool:
    """Whether what the judge says of the items that figures are about is known of each."""
    return cells.judged is None and engine.plan.target == "file"


def _mean(
    engine: Engine, cells: Cells, look: Look, grades: FloatArray, said: FloatArray | None = None
) -> FloatArray | None:
    """``EstimatesScalars.mean_grade`` with the items that count both ways at the worst and at the
    best grade, and with unsure ones at the odds that the plan declares; None where there is none.
    """
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    tally = engine.tallies[engine.questions[0].subject]
    if (ends := design.mean_grade(cells, tally.counts, grades, look, said)) is None:
        return None
    least, most = float(grades.min()), float(grades.max())
    unsettled = doubtful(engine, tally)
    if unsettled.any():
        given = filled(cells, unsettled, np.zeros(len(unsettled), dtype=bool))
        for place, grade, wider in ((1, least, np.minimum), (2, most, np.maximum)):
            counts = tally.counts + np.outer(unsettled, grades == grade)
            other = design.mean_grade(given, counts, grades, look, said)
            assert other is not None
            ends[place] = wider(ends[place], other[place])
    if counts_at_odds(engine):
        share = tally.counts @ (grades - least) / (most - least)
        cells = replace(cells, positive=share)
        table = ratios([SCALARS["prevalence"]], cells)
        moves = moves_of_odds(engine, tally, cells, table, smoothed_rates(cells))[:, 0]
        ends[1:] = np.clip(ends[1:] + (most - least) * moves, least, most)
    return ends


def _ends(engine: Engine, answers: Answers[Any], look: Look) -> dict[str, FloatArray]:
    """By estimand its value, low and high, (3,)."""
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    tally, figures = engine.tallies[engine.questions[0].subject], design.figures(answers, look)
    figures = with_doubts(engine, tally, answers, look, figures)
    cut = within(figures, certain_limits(engine, answers, figures))
    ends = np.array([cut.value, cut.low, cut.high])
    return {row.name: ends[:, at] for at, row in enumerate(answers.rows)}


def _moved(ends: FloatArray, offset: float, factor: float) -> tuple[float, float, float]:
    value, *others = (offset + factor * ends).tolist()
    return value, min(others), max(others)


def kappa_row(share: float) -> Estimand:
    """(kappa + 1) / 2 of a judge that calls so many positive, as a row of the table of estimands.

    >>> kappa_row(0.5).numerator
    (1.0, -1.0, -1, 2)
    """
    return Estimand(
        "kappa",
        "kappa",
        (2 * share, 1 - 4 * share, -1, 2),
        (2 * share, 2 - 4 * share, 0, 0),
        formula="(1 + kappa) / 2",
    )
