"""How sure a classifier is of its prediction for each item: what strata for accuracy are cut by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.rates import (
    AS_PROBABILITIES,
    NOT_PROBABILITIES,
    PROBABILITY_RANGE,
    looks_like_probability,
)
from labelcore.errors import PlanError
from labelcore.population import Population
from labelcore.population.array_items import Items
from labelcore.population.items import Sureness
from labelcore.stats.histogram import crowded_edges, fine_bins
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import FloatArray

BY_RANK = (
    "planned as if the chance of being judged correctly rose evenly from one half for the least "
    "sure item to one for the surest"
)
MARGINS = "The scores are not probabilities between 0 and 1: strata follow the distance from "
FOUND_CUT = (
    MARGINS + "{cut:.6g}, the cut that agrees best with the predictions ({apart:,} items apart)."
)


@dataclass(frozen=True, eq=False, slots=True)
class OfItems:
    """What an item's score says about its prediction being right.

    z        (n_items,), larger where the classifier is surer: the probability of the predicted
             class, or the distance from the threshold, negative where the prediction is not the
             one that the threshold would give
    chance   (n_items,), of being right, to plan with; in (0, 1)
    words    the assumption behind ``chance``
    notes    sentences about choices made for this file
    """

    z: FloatArray
    chance: FloatArray
    words: str
    notes: tuple[str, ...] = ()


def sureness(population: Population, classifier: str | None) -> OfItems:
    """``sureness_along`` of every item of arrays, (n_items,).

    Raises PlanError for a classifier without scores or without predictions.
    """

    def found(name: str) -> tuple[float, int]:
        score, side = population.ordering_score(name), population.predictions[name]
        assert score is not None
        return best_cut(score, side == population.classes.index(population.positive))

    sure, notes = _along(population, classifier, found)
    name = sure.classifier
    z = sure.of(population.scores[name], population.predictions[name])
    if sure.cut is None:
        return OfItems(z, np.clip(z, *PROBABILITY_RANGE), AS_PROBABILITIES, notes)
    return OfItems(z, 0.5 + mid_rank_share(z) / 2, BY_RANK, notes)


def sureness_along(
    population: Population, classifier: str | None, items: Items
) -> tuple[Sureness, tuple[str, ...]]:
    """The stratification variable z of a classifier of two or several classes, and sentences about
    choices made for this file.

    With probabilities of the positive class z is p where that is predicted and 1 - p elsewhere, so
    below 1/2 where the threshold is not 1/2. With several classes the score is the probability of
    the predicted class. Scores outside 0 to 1 are margins: z is the distance from the threshold, or
    where predictions come from a column, from the cut that agrees best with them.

    Raises PlanError for a classifier without scores or without predictions.
    Source: Kumar and Raj (2018), section 3.5.
    """

    def found(name: str) -> tuple[float, int]:
        turned = Sureness(name, None, name in population.descending, 0.0)
        return best_cut_of(items, turned, population.classes.index(population.positive))

    return _along(population, classifier, found)


def _along(
    population: Population, classifier: str | None, find: Callable[[str], tuple[float, int]]
) -> tuple[Sureness, tuple[str, ...]]:
    """``find`` gives the cut that agrees best with a column of predictions, and how many items it
    does not agree with."""
    if (
        classifier is None
        or classifier not in population.scores
        or classifier not in population.predictions
    ):
        raise PlanError(
            "design 'stratified' needs a classifier with a score and, from a column or by a "
            "threshold, with predictions; without a score there is nothing to cut strata by",
            "needs a score and predictions",
        )
    several, descending = len(population.classes) > 2, classifier in population.descending
    positive = None if several else population.classes.index(population.positive)
    if looks_like_probability(population.scores[classifier]) and not (several and descending):
        return Sureness(classifier, positive, descending), ()
    threshold = population.thresholds.get(classifier)
    if several:
        cut, note = 0.0, NOT_PROBABILITIES
    elif threshold is not None:
        cut = float(-threshold if descending else threshold)
        note = f"{MARGINS}the threshold {threshold:.6g}."
    else:
        cut, apart = find(classifier)
        note = FOUND_CUT.format(cut=cut, apart=apart)
    return Sureness(classifier, positive, descending, cut), (note,)


def best_cut(score: FloatArray, predicted: NDArray[np.bool_]) -> tuple[float, int]:
    """The cut that agrees with the predictions for as many items as possible (halfway between two
    values, the lowest of equally good ones), and how many items it does not agree with.

    >>> best_cut(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]))
    (1.5, 1)
    """
    values, place = np.unique(score, return_inverse=True)
    positive = np.bincount(place, predicted, minlength=len(values))
    negative = np.bincount(place, ~predicted, minlength=len(values))
    missed = np.append(0.0, np.cumsum(positive))
    called = negative.sum() - np.append(0.0, np.cumsum(negative))
    best = int(np.argmin(missed + called))
    ends = np.concatenate([[values[0] - 1], values, [values[-1] + 1]])
    return float(ends[best : best + 2].mean()), int((missed + called)[best])


def best_cut_of(items: Items, score: Sureness, positive: int) -> tuple[float, int]:
    """``best_cut`` from counts: a grid is refined wherever a cut within a cell might agree better
    than those between cells. Of equally good cuts it takes one.

    score     the score that is to be cut; positive: the class that is predicted above the cut
    """
    edges, bins = fine_bins(lambda grid: items.bins(score, grid))
    while True:
        above = items.histogram(score, edges, {score.classifier: positive})
        below = bins.counts - above
        apart = np.append(0, np.cumsum(above)) + below.sum() - np.append(0, np.cumsum(below))
        best = int(np.argmin(apart))
        inside = np.maximum(apart[:-1] - below, apart[1:] - above)
        better = np.flatnonzero((bins.lowest < bins.highest) & (inside < apart[best]))
        if not better.size:
            break
        edges = np.union1d(edges, crowded_edges(bins, better))
        bins = items.bins(score, edges)
    low = bins.highest[:best].max(initial=-np.inf)
    high = bins.lowest[best:].min(initial=np.inf)
    low, high = max(low, bins.lowest.min() - 1), min(high, bins.highest.max() + 1)
    return float((low + high) / 2), int(apart[best])
