"""What scores suggest about the rate of positives, before any label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelcore.population import Population
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import FloatArray

PROBABILITY_RANGE = (1e-5, 1 - 1e-5)
SHARE_RANGE = (0.02, 0.98)
ASSUMED_PRECISION, ASSUMED_RECALL = 0.8, 0.8
ASSUMED_RIGHT = 0.8
NOT_PROBABILITIES = (
    "The scores are not probabilities between 0 and 1: each stratum starts from its mid-rank share."
)
NO_SCORES = (
    f"There is no score: every stratum starts as if {ASSUMED_RIGHT:.0%} of its items were judged "
    "correctly."
)
PREDICTIONS_ONLY = (
    "There is no score: the first guess of each stratum comes from the predictions alone."
)


def looks_like_probability(score: FloatArray | None) -> bool:
    return score is not None and bool(score.min() >= 0 and score.max() <= 1)


def item_probability(population: Population, classifier: str) -> FloatArray | None:
    """The score as a probability of the positive class (of being right with several classes),
    (n_items,); None where the scores are no probabilities or there are none."""
    score = population.scores.get(classifier)
    if score is None or not looks_like_probability(score):
        return None
    return 1 - score if classifier in population.descending else score


def stratum_rates(
    population: Population, classifier: str, stratum: NDArray[np.int64], n_strata: int
) -> tuple[FloatArray, tuple[str, ...]]:
    """Mean score of each stratum, or its mid-rank share where scores are no probabilities; several
    classes without a score start at ``ASSUMED_RIGHT``, because a class says nothing of its rate."""
    sizes = np.maximum(np.bincount(stratum, minlength=n_strata), 1)
    probability = item_probability(population, classifier)
    if probability is not None:
        mean = np.bincount(stratum, probability, minlength=n_strata) / sizes
        return np.clip(mean, *PROBABILITY_RANGE), ()
    score = population.ordering_score(classifier)
    if score is None and len(population.classes) > 2:
        return np.full(n_strata, ASSUMED_RIGHT), (NO_SCORES,)
    note = NOT_PROBABILITIES
    if score is None:
        positive = population.classes.index(population.positive)
        score = (population.predictions[classifier] == positive).astype(float)
        note = PREDICTIONS_ONLY
    share = mid_rank_share(score)
    mean = np.bincount(stratum, share, minlength=n_strata) / sizes
    return np.clip(mean, *SHARE_RANGE), (note,)


def planning_rates(
    population: Population, classifier: str | None, predicted: NDArray[np.bool_]
) -> tuple[FloatArray, str]:
    """A rate of positives (of rightly judged items with several classes) for each item to plan
    with, (n_items,), and the assumption in words."""
    probability = None if classifier is None else item_probability(population, classifier)
    if probability is not None:
        return probability, "planned as if the scores were probabilities"
    n = len(population)
    if len(population.classes) > 2:
        words = f"planned as if {ASSUMED_RIGHT:.0%} of the items were judged correctly"
        return np.full(n, ASSUMED_RIGHT), words
    above = int(predicted.sum())
    if above == 0 or above == n:
        return np.full(n, 0.5), "planned as if half of the items were positive"
    below = min(above * ASSUMED_PRECISION * (1 / ASSUMED_RECALL - 1) / (n - above), 0.5)
    words = f"planned as if precision were {ASSUMED_PRECISION:.0%} and recall {ASSUMED_RECALL:.0%}"
    return np.where(predicted, ASSUMED_PRECISION, below), words


def question_rates(
    population: Population,
    classifier: str | None,
    class_index: int | None,
    predicted: NDArray[np.bool_],
) -> FloatArray:
    """A rate for each item to plan with, (n_items,): of the class ``class_index``, or of being
    judged rightly where it is None; ``predicted`` says which items are called so."""
    several = len(population.classes) > 2
    if several and class_index is not None:
        others = len(population.classes) - 1
        return np.where(predicted, ASSUMED_PRECISION, (1 - ASSUMED_RECALL) / others)
    if class_index is None:
        return np.full(len(population), ASSUMED_RIGHT)
    return planning_rates(population, classifier, predicted)[0]
