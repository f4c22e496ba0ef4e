"""How many items of each predicted class truly belong to each class, estimated from the labels."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.designs.scalars import EstimatesFromCells
from labelcore.figures.sampled import sampled_tally, samples_of
from labelcore.figures.scalars import precision_of
from labelcore.log.engine import Engine
from labelcore.tallies import Tally

MOST_CLASSES = 10
"""With more, no bounds: each cell is a figure of its own, and there would be hundreds."""
Bounds = NDArray[np.float64]
"""Lowest and highest number of each cell, (n_classes, n_classes, 2)."""
UNLABELLED = "strata without a label"


def confusion(engine: Engine, classifier: str | None = None) -> pd.DataFrame:
    """Estimated number of items of the file by predicted class (rows) and true class (columns).

    A cell is the part of a stratum that shares a prediction: sum over cells of N_cell times the
    share of each class among its labels, of those that are a random sample of it. Nothing is
    guessed where a cell has no label: its items stand in the last column. Each row sums to the
    known number of items predicted so.

    classifier   one that the plan names; None: the first
    Returns      (n_classes, n_classes + 1) items, classes in the population's order
    Promise: none, these are values, whose intervals are ``cell_bounds``; unbiased for a cell given
    that it has a label. Items called unsure or broken count as the labelled ones of their cell.
    Raises ValueError for a classifier that the plan lacks, or that decides nothing.
    Source: Cochran (1977), section 5A.9, stratification after selection.
    """
    tally, classes = _tally(engine, classifier), list(engine.population.classes)
    labelled = tally.counts.sum(axis=1)
    weight = np.divide(tally.size, labelled, out=np.zeros(len(labelled)), where=labelled > 0)
    cells = np.column_stack([weight[:, None] * tally.counts, np.where(labelled > 0, 0, tally.size)])
    return _table(engine, tally, cells, [*classes, UNLABELLED])


def labelled_cells(engine: Engine, classifier: str | None = None) -> pd.DataFrame:
    """The labels that each cell of ``confusion`` rests on: a random sample of each stratum.

    classifier   as for ``confusion``, which says what is raised
    Returns      (n_classes, n_classes) labels, classes in the population's order
    """
    tally = _tally(engine, classifier)
    return _table(engine, tally, tally.counts, list(engine.population.classes)).astype(int)


def cell_bounds(engine: Engine, classifier: str | None = None) -> Bounds:
    """The interval of each cell of ``confusion``: that of the precision of the row's items for the
    column's class, times their number.

    classifier   as for ``confusion``, which says what is raised
    Returns      (n_classes, n_classes, 2) items, lowest and highest; NaN throughout a row of which
                 nothing is told yet: one of its intervals is missing or too wide, or some of its
                 items are in a stratum without a label
    Promise: that of the plan's figures, for each cell by itself. Methods that estimate precision
    with this promise from the counts of cells have it, for up to ten classes; others give NaN.
    Source: that of the method's precision.
    """
    name = engine.classifiers[0] if classifier is None else classifier
    table = confusion(engine, classifier)
    classes = len(table)
    bounds = np.full((classes, classes, 2), np.nan)
    if classes > MOST_CLASSES or not _has_bounds(engine, name):
        return bounds
    totals, open_items = table.sum(axis=1).to_numpy(), table.to_numpy()[:, -1]
    for row in np.flatnonzero((totals > 0) & (open_items == 0)):
        shares = _shares(engine, name, int(row), classes)
        if not np.isnan(shares).any():
            bounds[row] = shares * totals[row]
    return bounds


def _has_bounds(engine: Engine, classifier: str | None) -> bool:
    """Whether the plan's promise goes with the shares of its cells."""
    design, plan = engine.design, engine.plan
    return (
        not plan.superseded
        and isinstance(design, EstimatesFromCells)
        and design.bounds_any_share(plan.design_params, plan.promised)
        and samples_of(engine, classifier) is None
    )


def _shares(engine: Engine, classifier: str | None, row: int, classes: int) -> Bounds:
    """Of the items predicted as ``row``: lowest and highest share of each class, (n_classes, 2);
    NaN where there is no interval, one too wide for a value, or one without a promise."""
    if classes == 2:
        positive = engine.population.classes.index(engine.population.positive)
        low, high = _share(engine, classifier, row, positive)
        both = [(low, high), (1 - high, 1 - low)]
        return np.array(both if positive == 0 else both[::-1])
    return np.array([_share(engine, classifier, row, column) for column in range(classes)])


def _share(engine: Engine, classifier: str | None, row: int, column: int) -> tuple[float, float]:
    estimate = precision_of(engine, classifier, row, column)
    told = estimate.has_interval and estimate.told is not None and estimate.confidence is not None
    return (estimate.low, estimate.high) if told else (np.nan, np.nan)


def _tally(engine: Engine, classifier: str | None) -> Tally:
    name = engine.classifiers[0] if classifier is None else classifier
    if name not in engine.tallies:
        known = ", ".join(repr(name) for name in engine.classifiers)
        raise ValueError(f"classifier must be one that the plan names: {known}, got {name!r}")
    if name is None or name not in engine.population.predictions:
        raise ValueError(
            "a confusion table needs a classifier with a prediction or a threshold; "
            f"{'there is none' if name is None else f'{name!r} has neither'}"
        )
    return sampled_tally(engine, name)


def _table(engine: Engine, tally: Tally, cells: NDArray[Any], columns: list[str]) -> pd.DataFrame:
    """What stands in the cells of all strata, by predicted class."""
    classes = list(engine.population.classes)
    table = np.zeros((len(classes), len(columns)))
    np.add.at(table, tally.prediction, cells)
    return pd.DataFrame(
        table,
        index=pd.Index(classes, name="predicted", dtype=object),
        columns=pd.Index(columns, dtype=object),
    )
