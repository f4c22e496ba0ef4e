"""How sure a classifier is of its prediction for each item: what strata for accuracy are cut by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.rates import (
    AS_PROBABILITIES,
    NOT_PROBABILITIES,
    PROBABILITY_RANGE,
    item_probability,
    looks_like_probability,
)
from labelcore.errors import PlanError
from labelcore.population import Population
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
class Sureness:
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


def sureness(population: Population, classifier: str | None) -> Sureness:
    """The stratification variable of a classifier of two or several classes.

    With probabilities of the positive class z is p where that is predicted and 1 - p elsewhere, so
    below 1/2 where the threshold is not 1/2. With several classes the score is the probability of
    the predicted class. Scores outside 0 to 1 are margins: z is the distance from the threshold, or
    where predictions come from a column, from the cut that agrees best with them.

    Raises PlanError for a classifier without scores or without predictions.
    Source: Kumar and Raj (2018), section 3.5.
    """
    score = None if classifier is None else population.ordering_score(classifier)
    side = None if classifier is None else population.predictions.get(classifier)
    if classifier is None or score is None or side is None:
        raise PlanError(
            "design 'stratified' needs a classifier with a score and, from a column or by a "
            "threshold, with predictions; without a score there is nothing to cut strata by",
            "needs a score and predictions",
        )
    several = len(population.classes) > 2
    predicted = np.ones(len(score), bool) if several else _positive(population, side)
    probability = score if several else item_probability(population, classifier)
    if probability is not None and looks_like_probability(probability):
        z = np.where(predicted, probability, 1 - probability)
        return Sureness(z, np.clip(z, *PROBABILITY_RANGE), AS_PROBABILITIES)
    cut, notes = (0.0, (NOT_PROBABILITIES,)) if several else _cut(population, classifier, predicted)
    z = np.where(predicted, score - cut, cut - score)
    return Sureness(z, 0.5 + mid_rank_share(z) / 2, BY_RANK, notes)


def _positive(population: Population, side: NDArray[np.int16]) -> NDArray[np.bool_]:
    return np.asarray(side == population.classes.index(population.positive))


def _cut(
    population: Population, classifier: str, predicted: NDArray[np.bool_]
) -> tuple[float, tuple[str, ...]]:
    """The threshold on the ordering score, and a note."""
    threshold = population.thresholds.get(classifier)
    if threshold is not None:
        turned = -threshold if classifier in population.descending else threshold
        return float(turned), (f"{MARGINS}the threshold {threshold:.6g}.",)
    score = population.ordering_score(classifier)
    assert score is not None
    cut, apart = best_cut(score, predicted)
    return cut, (FOUND_CUT.format(cut=cut, apart=apart),)


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
