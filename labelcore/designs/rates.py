"""What scores suggest about the rate of positives, before any label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelcore.population import Population
from labelcore.population.array_items import UNIT, Items, Part
from labelcore.population.kept import Kept, Recent
from labelcore.stats.arrays import BoolArray, IntArray
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import FloatArray

if TYPE_CHECKING:
    from labelcore.designs.base import Setup

Rates = tuple[FloatArray, tuple[str, ...]]
"""What scores suggest of each stratum, and sentences about that."""
PART_RATES = Kept(Recent[Rates])
PROBABILITY_RANGE = (1e-5, 1 - 1e-5)
SHARE_RANGE = (0.02, 0.98)
ASSUMED_PRECISION, ASSUMED_RECALL = 0.8, 0.8
ASSUMED_RIGHT = 0.8
AS_PROBABILITIES = "planned as if the scores were probabilities"
INNER = 16
"""Items of a part whose shares stand for those of all."""
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
    population: Population, classifier: str, stratum: IntArray, n_strata: int
) -> Rates:
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


def part_rates(setup: Setup, items: Items, classifier: str, parts: Sequence[Part]) -> Rates:
    """``stratum_rates`` of parts of the items. Those of a large file are from exact sums and, where
    scores are no probabilities, from the mid-rank shares of ``INNER`` items evenly spread over each
    part: the same on every engine."""
    key = classifier, list(parts)
    return setup.shared(PART_RATES, key, lambda: _part_rates(setup, items, classifier, parts))


def _part_rates(setup: Setup, items: Items, classifier: str, parts: Sequence[Part]) -> Rates:
    population = setup.population
    if not setup.sums_exactly:
        stratum = np.asarray(items.strata(parts))
        return stratum_rates(population, classifier, stratum, len(parts))
    score = population.scores.get(classifier)
    if looks_like_probability(score):
        totals = np.array([total / UNIT for total in items.sums(classifier, parts)])
        mean = totals / np.maximum(items.counts(parts), 1)
        mean = 1 - mean if classifier in population.descending else mean
        return np.clip(mean, *PROBABILITY_RANGE), ()
    if score is None and len(population.classes) > 2:
        return np.full(len(parts), ASSUMED_RIGHT), (NO_SCORES,)
    if score is None:
        shares = _shares_by_side(population, items, classifier, parts)
        return np.clip(shares, *SHARE_RANGE), (PREDICTIONS_ONLY,)
    shares = _shares_inside(setup, items, classifier, parts)
    return np.clip(shares, *SHARE_RANGE), (NOT_PROBABILITIES,)


def _shares_by_side(
    population: Population, items: Items, classifier: str, parts: Sequence[Part]
) -> FloatArray:
    """The mid-rank share of each part where the predictions are the score, (n_parts,)."""
    positive = population.classes.index(population.positive)
    called = items.joined([classifier], parts)
    above = called.get((positive,), np.zeros(len(parts)))
    share, number = float(above.sum()) / len(items), sum(called.values())
    high, low = 1 - share / 2, (1 - share) / 2
    return np.asarray((above * high + (number - above) * low) / np.maximum(number, 1))


def _shares_inside(
    setup: Setup, items: Items, classifier: str, parts: Sequence[Part]
) -> FloatArray:
    """The mean mid-rank share of items evenly spread over each part, (n_parts,)."""
    whole = setup.along(classifier)
    scores = []
    for part, size in zip(parts, items.counts(parts).tolist(), strict=True):
        stretch = part.stretches[0] if part.stretches else whole
        ranks = np.unique((2 * np.arange(INNER) + 1) * size // (2 * INNER) + 1).tolist()
        scores.append([mark.score for mark in items.at_ranks(stretch, part.predicted, ranks)])
    values = np.unique(np.concatenate(scores))
    edges = np.unique(np.concatenate([values, np.nextafter(values, np.inf)]))
    until = np.cumsum(items.histogram(classifier, edges, {}))
    below = until[np.searchsorted(edges, values)]
    level = until[np.searchsorted(edges, np.nextafter(values, np.inf))] - below
    share = (below + level / 2) / len(items)
    share = share if whole.falling else 1 - share
    return np.array([share[np.searchsorted(values, of_part)].mean() for of_part in scores])


def planned_part_rates(
    setup: Setup, items: Items, parts: Sequence[Part], predicted: BoolArray
) -> tuple[FloatArray, str]:
    """The mean rate of the items of each part to plan with, (n_parts,), and the assumption in
    words.

    predicted   (n_parts,), whether its items are predicted positive, which no part mixes
    """
    population, classifier = setup.population, str(setup.classifier)
    if not setup.sums_exactly:
        stratum = np.asarray(items.strata(parts))
        rates, words = planning_rates(population, classifier, predicted[stratum])
        return np.array([rates[stratum == k].mean() for k in range(len(parts))]), words
    if looks_like_probability(population.scores.get(classifier)):
        totals = np.array([total / UNIT for total in items.sums(classifier, parts)])
        mean = totals / np.maximum(items.counts(parts), 1)
        return (1 - mean if classifier in population.descending else mean), AS_PROBABILITIES
    assumed, words = assumed_rates(population, int(items.counts(parts)[predicted].sum()))
    return assumed[predicted.astype(np.int64)], words


def planning_rates(
    population: Population, classifier: str | None, predicted: BoolArray
) -> tuple[FloatArray, str]:
    """A rate of positives (of rightly judged items with several classes) for each item to plan
    with, (n_items,), and the assumption in words."""
    probability = None if classifier is None else item_probability(population, classifier)
    if probability is not None:
        return probability, AS_PROBABILITIES
    assumed, words = assumed_rates(population, int(predicted.sum()))
    return assumed[predicted.astype(np.int64)], words


def assumed_rates(population: Population, above: int) -> tuple[FloatArray, str]:
    """The rates to plan with where scores are no probabilities, those of items that are not
    predicted positive and of the ``above`` that are, and the assumption in words."""
    n = len(population)
    if len(population.classes) > 2:
        words = f"planned as if {ASSUMED_RIGHT:.0%} of the items were judged correctly"
        return np.full(2, ASSUMED_RIGHT), words
    if above in (0, n):
        return np.full(2, 0.5), "planned as if half of the items were positive"
    words = f"planned as if precision were {ASSUMED_PRECISION:.0%} and recall {ASSUMED_RECALL:.0%}"
    return class_rates(n, above), words


def class_rates(n: int, above: int) -> FloatArray:
    """The rates of one class to plan with, (2,), among items that are not called so and among the
    ``above`` of ``n`` that are: so many are missed that recall is as assumed for any class."""
    missed = above * ASSUMED_PRECISION * (1 / ASSUMED_RECALL - 1)
    return np.array([min(missed / max(n - above, 1), 0.5), ASSUMED_PRECISION])


def planning_words(population: Population, classifier: str | None, above: int) -> str:
    """The assumption of ``planning_rates`` in words; ``above``: items predicted positive."""
    score = None if classifier is None else population.scores.get(classifier)
    return (
        AS_PROBABILITIES if looks_like_probability(score) else assumed_rates(population, above)[1]
    )


def question_rates(
    population: Population,
    classifier: str | None,
    class_index: int | None,
    predicted: BoolArray,
) -> FloatArray:
    """A rate for each item to plan with, (n_items,): of the class ``class_index``, or of being
    judged rightly where it is None; ``predicted`` says which items are called so."""
    several = len(population.classes) > 2
    if several and class_index is not None:
        return class_rates(len(population), int(predicted.sum()))[predicted.astype(np.int64)]
    if class_index is None:
        return np.full(len(population), ASSUMED_RIGHT)
    return planning_rates(population, classifier, predicted)[0]
