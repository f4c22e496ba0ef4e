"""The strata as a table: size, labels, rate, and their part of the uncertainty."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labelcore.designs.base import BY_SCORE
from labelcore.estimands import table_of
from labelcore.figures.scalars import fitted_cell_rates
from labelcore.log.engine import Engine
from labelcore.stats.profile import variance_shares


def strata_table(engine: Engine) -> pd.DataFrame:
    """One row per stratum (per predicted side of it for a plain sample) of the first classifier.

    Columns: stratum (1, 2, ...), called (the predicted class, "" without predictions), items,
    labels, positives (labelled items of the positive class; with several classes those judged
    rightly, as ``attrs["rate"]`` says), rate (positives / labels, NaN without
    labels), uncertainty (share of the primary estimand's variance, summing to 1).
    ``attrs["classes"]`` are the predicted classes of the whole file, the positive one first, and
    ``attrs["order"]`` says what the order of the strata means, with places for ``attrs["names"]``:
    first and second classifier, positive class.
    """
    tally = engine.tallies[engine.classifiers[0]]
    positive = engine.population.classes.index(engine.population.positive)
    several = len(engine.population.classes) > 2
    cells = tally.cells(None if several else positive)
    primary = engine.questions[0] if engine.questions else None
    share = np.full(len(cells.size), np.nan)
    if primary is not None:
        own = engine.tallies[primary.subject].cells(primary.class_index)
        rates = fitted_cell_rates(engine, tally, primary.class_index)
        table = table_of([primary.row], own)
        parts = variance_shares(own, table, rates, target=engine.plan.target)[0]
        share = parts / parts.sum() if parts.sum() > 0 else np.zeros(len(parts))
    classes = engine.population.classes
    found = pd.DataFrame(
        {
            "stratum": tally.stratum + 1,
            "called": [classes[code] if code >= 0 else "" for code in tally.prediction],
            "items": cells.size.astype(int),
            "labels": cells.labelled.astype(int),
            "positives": cells.positive.astype(int),
            "rate": np.where(
                cells.labelled > 0, cells.positive / np.maximum(cells.labelled, 1), np.nan
            ),
            "uncertainty": share,
        }
    )
    found = found[cells.sampled].reset_index(drop=True)
    found.attrs["rate"] = "judged rightly" if several else "positive"
    named = [classes[positive], *(name for name in classes if name != classes[positive])]
    found.attrs["classes"] = [name for name in named if not (found["called"] == "").all()]
    found.attrs["order"] = order_words(engine)
    first, second, *_ = (*engine.classifiers, None, None)
    found.attrs["names"] = {"first": first, "second": second, "positive": classes[positive]}
    return found


def order_words(engine: Engine) -> str:
    """What the order of the strata means, "" where there is only one. Strata without a score, or
    no more of them than predicted classes, go by the predictions."""
    population, first = engine.population, engine.classifiers[0]
    number, said = engine.frame.n_strata, first is not None and first in population.predictions
    order: str = engine.design.strata_order
    scored = first is not None and first in population.scores
    if order == BY_SCORE and (not scored or number <= (len(population.classes) if said else 1)):
        return "by prediction" if said else ""
    return order
