"""The strata as a table: size, labels, rate, and their part of the uncertainty."""

import numpy as np
import pandas as pd

from labelcore.designs.base import BY_SCORE
from labelcore.estimands import table_of
from labelcore.figures.from_counts import fitted_cell_rates
from labelcore.figures.sampled import sampled_tally, samples_of
from labelcore.log.engine import Engine
from labelcore.log.further_readings import cell_names
from labelcore.stats.profile import FloatArray, variance_shares
from labelcore.tallies import Tally


def strata_table(engine: Engine) -> pd.DataFrame:
    """One row per stratum (per predicted side of it for a plain sample) of the first classifier.

    A stratum is what its labels are a random sample of, as the method says (``Design.samples``).
    Columns: stratum (1, 2, ...), called (the predicted class, "" without predictions), items,
    labels (those that are a random sample of the row's items), positives (of these, the ones of the
    positive class; with several classes those judged rightly, as ``attrs["rate"]`` says), rate
    (positives / labels, NaN without labels), uncertainty (share of the primary estimand's variance,
    summing to 1).
    ``attrs``: "known" items were known from the start and stand in no stratum, "apart" labels are a
    random sample of none, "classes" are the predicted classes of the whole file, the positive one
    first, and "order" says what the order of the strata means, with places for "names": first and
    second classifier, positive class.
    """
    tally = sampled_tally(engine, engine.classifiers[0])
    positive = engine.population.classes.index(engine.population.positive)
    several = len(engine.population.classes) > 2
    cells = tally.cells(None if several else positive)
    share = _uncertainty(engine, tally)
    classes = engine.population.classes
    table = pd.DataFrame(
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
    table = table[cells.sampled].reset_index(drop=True)
    table.attrs["known"] = int(cells.size[~cells.sampled].sum())
    table.attrs["apart"] = len(engine.codes.labelled) - int(cells.labelled.sum())
    table.attrs["rate"] = "judged rightly" if several else "positive"
    named = [classes[positive], *(name for name in classes if name != classes[positive])]
    table.attrs["classes"] = [name for name in named if not (table["called"] == "").all()]
    table.attrs["order"] = order_words(engine)
    first, second, *_ = (*engine.classifiers, None, None)
    table.attrs["names"] = {"first": first, "second": second, "positive": classes[positive]}
    return table


def _uncertainty(engine: Engine, rows: Tally) -> FloatArray:
    """Each row's share of the variance of the first number that is asked for, (n_rows,), NaN where
    there is none."""
    if not engine.questions:
        return np.full(len(rows.size), np.nan)
    primary = engine.questions[0]
    tally = rows
    if isinstance(primary.subject, tuple):
        tally = engine.tallies[primary.subject]
    cells = tally.cells(primary.class_index)
    samples = samples_of(engine, primary.classifier)
    rates = fitted_cell_rates(engine, tally, primary.class_index) if samples is None else None
    table = table_of([primary.row], cells)
    parts = variance_shares(cells, table, rates, target=engine.plan.target)[0]
    total = parts.sum()
    place = {row: number for number, row in enumerate(cell_names(rows))}
    share = np.zeros(len(rows.size))
    np.add.at(share, [place[row] for row in cell_names(tally)], parts / (total if total > 0 else 1))
    return share


def order_words(engine: Engine) -> str:
    """What the order of the strata means, "" where there is only one. Strata without a score, or
    no more of them than predicted classes, go by the predictions."""
    population, first = engine.population, engine.classifiers[0]
    number, called = engine.frame.n_strata, first is not None and first in population.predictions
    order: str = engine.design.order_of_strata(engine.frame)
    scored = first is not None and first in population.scores
    if order == BY_SCORE and (not scored or number <= (len(population.classes) if called else 1)):
        return "by prediction" if called else ""
    return order
