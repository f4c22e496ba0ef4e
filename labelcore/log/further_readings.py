"""With which chance a labelled item goes to other people as well.

A second answer tells most where the first one is likely to be settled otherwise, and where the item
stands for many. The chances of a batch's items follow from what was known when it was composed, as
the batch itself does, so that they are known and the same in a replay. They leave out who answers,
and nothing that is asked depends on them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from labelcore.estimands import ratios
from labelcore.stats.profile import Cells, FloatArray, smoothed_rates, variance_shares
from labelcore.stats.two_phase import flip_chances, reading_chances
from labelcore.tallies import Question, Subject, Tally

LEAST_VARIANCE = 0.25
"""What a figure's variance is at least, as a share of that without the finite-population factor:
near the census of what a figure rests on it would count for everything."""


def worth_of_cells(
    asked: Sequence[Question],
    tallies: Mapping[Subject, Tally],
    count: FloatArray,
    rates_of: Callable[[Question], FloatArray] | None = None,
) -> FloatArray:
    """How much the variances of figures grow by one item more that is settled otherwise, each as a
    part of itself, summed up over those of the first classifier: (n_cells,), by its cells.

    count      (n_cells,), the labels that each cell is expected to have
    rates_of   the rates of the cells of a question; None: those of the labels so far
    """
    first = asked[0].classifier if asked else None
    places = {name: place for place, name in enumerate(cell_names(tallies[first]))}
    worth = np.zeros(len(count))
    for question in asked:
        if question.versus is not None or question.classifier != first:
            continue
        tally = tallies[question.subject]
        at = np.array([places[name] for name in cell_names(tally)])
        now = tally.cells(question.class_index)
        rates = smoothed_rates(now) if rates_of is None else rates_of(question)
        then = replace(now, labelled=count[at], positive=rates * count[at])
        table = ratios([question.row], then)
        slope = table.sensitivity((then.size * rates)[None, :])[0]
        spread, whole = (
            variance_shares(then, table, target=target).sum() for target in ("file", "process")
        )
        worth[at] += slope**2 / max(spread, LEAST_VARIANCE * whole, 1e-300)
    return worth


def chances(
    cells: Cells, rates: FloatArray, count: FloatArray, worth: FloatArray, share: float
) -> FloatArray:
    """The chance of being read again, (n_cells, 2): of labels that say no, and of those that say
    yes, at so many labels in each cell."""
    flips = flip_chances(rates)
    each = (cells.size / np.maximum(count, 1)) * np.sqrt(worth)
    spread = each[:, None] * np.sqrt(flips * (1 - flips))
    expected = count[:, None] * np.stack([1 - rates, rates], axis=-1)
    return reading_chances(spread.ravel(), expected.ravel(), share).reshape(spread.shape)


def cell_names(tally: Tally) -> list[tuple[int, int]]:
    """Stratum and prediction of each cell, by which it is found among those of others."""
    return list(zip(tally.stratum.tolist(), tally.prediction.tolist(), strict=True))
