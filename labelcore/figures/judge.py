"""How a judge stands to people: agreement, kappa, true and false passes, and its bias by system.

Cohen's kappa is 1 - D / E, with D the share of items that judge and people call differently, and E
that expected of a judge who calls as many positive whatever the item is. The judge calls the known
share q of the file positive, so that E = q + (1 - 2 q) P over the people's share P: (kappa + 1) / 2
is a ratio of two totals like every other estimand, with the interval of the plan's method. The bias
is q - P.

Source: Cohen (1960) for kappa. Promise: that of the figures, each by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.scalars import EstimatesScalars
from labelcore.estimands import SCALARS, Estimand
from labelcore.figures.counted import answers_of, look_at
from labelcore.figures.differences import promise_now
from labelcore.figures.prompts import less_sure
from labelcore.figures.scalars import certain_limits, headline_stage, within
from labelcore.figures.tables import beside, groups_of
from labelcore.log.engine import Engine
from labelcore.tallies import Question

COLUMNS = ("by", "group", "items", "measure", "value", "low", "high", "labels_used", "promise")
MEASURES = {
    "pass rate": ("prevalence", 0.0, 1.0),
    "bias": ("prevalence", 0.0, -1.0),
    "agreement": ("accuracy", 0.0, 1.0),
    "kappa": ("kappa", -1.0, 2.0),
    "true pass rate": ("recall", 0.0, 1.0),
    "false pass rate": ("specificity", 1.0, -1.0),
}
"""What is told, and the estimand that it is: offset and factor; of the bias the offset is q."""
JUDGE = "judge's pass rate"


def judge_table(engine: Engine, by: tuple[str, ...]) -> pd.DataFrame:
    """A row for each measure, of all items and of each group. Raises ValueError for a file of
    several classes, or without the judge's verdicts."""
    stage = headline_stage(engine)
    population, name = stage.population, str(stage.classifiers[0])
    if len(population.classes) > 2 or name not in population.predictions:
        raise ValueError("a judge is told by its verdicts in a file of two classes")
    index, groups = population.classes.index(population.positive), groups_of(stage, by)
    passed = population.predictions[name] == index
    parts: list[int | None] = [None, *range(0 if groups is None else len(groups.names))]
    rows: list[dict[str, Any]] = []
    for part in parts:
        mine = slice(None) if part is None or groups is None else groups.codes == part
        share, items = float(passed[mine].mean()), int(passed[mine].size)
        kinds = [*(SCALARS[one] for one in ("prevalence", "accuracy", "recall", "specificity")),
                 kappa_row(share)]  # fmt: skip
        asked = [Question(one.name, one, name, index, group=part) for one in kinds]
        own = beside(stage, asked, groups)
        answers = answers_of([own], asked)[0]
        look = look_at(own)
        look = replace(look, confidence=engine.plan.confidence)
        look = less_sure(own, kinds, look) if part is None else look
        design: EstimatesScalars[Any] = EstimatesScalars.of(stage.design)
        found = within(
            figures := design.figures(answers, look), certain_limits(own, answers, figures)
        )
        ends = np.array([found.value, found.low, found.high])
        place = {one.name: at for at, one in enumerate(kinds)}
        group = None if part is None or groups is None else groups.names[part]
        shared = {"by": groups.label if groups and group else None, "group": group, "items": items,
                  "labels_used": round(float(answers.cells.labelled.sum())),
                  "promise": str(promise_now(engine))}  # fmt: skip
        rows.append({**shared, "measure": JUDGE, "value": share, "low": share, "high": share})
        for measure, (estimand, offset, factor) in MEASURES.items():
            start = share if measure == "bias" else offset
            value, low, high = start + factor * ends[:, place[estimand]]
            low, high = min(low, high), max(low, high)
            rows.append({**shared, "measure": measure, "value": value, "low": low, "high": high})
    return pd.DataFrame(rows, columns=list(COLUMNS))


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
