"""How sure a classifier is of its prediction for each item: what strata for accuracy are cut by."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labelcore.designs.base import IntArray, Setup
from labelcore.designs.rates import (
    AS_PROBABILITIES,
    NOT_PROBABILITIES,
    PROBABILITY_RANGE,
    looks_like_probability,
)
from labelcore.errors import PlanError
from labelcore.papers.stratified.stratifications import EQUAL_SIZE, pieces
from labelcore.population import Population
from labelcore.population.array_items import BEHIND, UNIT, Items, Mark, Part, Stretch, Sureness, cut
from labelcore.stats.histogram import crowded_edges, fine_bins, histogram_of
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import BoolArray, FloatArray
from labelcore.stats.strata import equal_size_edges


@dataclass(frozen=True, eq=False, slots=True)
class SureStrata:
    """Strata of all items by rising sureness, none of them empty.

    parts      which items each holds
    chance     (n_strata,), the share of rightly judged items that the scores suggest
    rates      (n_strata,), the rate of positives that they suggest, in (0, 1); that of rightly
               judged items with several classes
    predicted  (n_strata,), whether more than half of the items are predicted positive
    notes      sentences about choices made for this file
    """

    parts: list[Part]
    chance: FloatArray
    rates: FloatArray
    predicted: BoolArray
    notes: tuple[str, ...]


def sure_strata(setup: Setup, items: Items, stratification: str, n_strata: int) -> SureStrata:
    """Cut along the sureness of the first classifier. Every edge, mean and rate follows from
    counts and from sums of whole numbers, so that the same items give the same strata on every
    engine and in memory.

    The histogram has bins of one value, or with one in 8,192 items at most (``fine_bins``). Items
    of one value stay together but in EQSZ. With GMM a whole bin belongs to the component of its
    mean, and a stratum may lie on both sides of another one. Where scores are no probabilities the
    chance of being right is that of the mean rank of a stratum, for both of its predictions.

    Raises PlanError for a classifier without scores or predictions.
    """
    population, classifier = setup.population, setup.classifier
    sure, notes = sureness_along(population, classifier, items)
    parts, sizes, rank = _parts(setup, items, sure, stratification, n_strata)
    several = sure.positive is None
    called = [replace(part, predicted={sure.classifier: sure.positive or 0}) for part in parts]
    positives = sizes if several else items.counts(called)
    if sure.cut is None:
        totals = items.sums(sure, parts)
        right = totals if several else items.sums(sure, called)
        wrong = [2 * mine - all_of_them for mine, all_of_them in zip(right, totals, strict=True)]
        chance = np.clip(_shares(totals, sizes), *PROBABILITY_RANGE)
        rates = np.clip(_shares(wrong, sizes) + 1 - positives / sizes, *PROBABILITY_RANGE)
    else:
        chance = 0.5 + rank / 2
        rates = (positives * chance + (sizes - positives) * (1 - chance)) / sizes
    return SureStrata(parts, chance, rates, positives > sizes / 2, notes)


def _shares(totals: Sequence[int], sizes: IntArray) -> FloatArray:
    return np.array([total / UNIT for total in totals]) / sizes


def _parts(
    setup: Setup, items: Items, sure: Sureness, stratification: str, n_strata: int
) -> tuple[list[Part], IntArray, FloatArray]:
    """The strata that hold items; how many, and the mean share of items below each of them, ties
    counted half, (n_strata,)."""
    whole = Stretch(sure, False, setup.seed)
    if stratification == EQUAL_SIZE:
        edges = equal_size_edges(len(items), n_strata, minimum=1)
        parts = cut(items, replace(whole, falling=True), {}, edges)[::-1]
        sizes = np.diff(edges, prepend=0)[::-1]
        return parts, sizes, (np.cumsum(sizes) - sizes / 2) / len(items)
    bins = histogram_of(fine_bins(lambda edges: items.bins(sure, edges))[1])
    cuts, stratum = pieces(stratification, bins, n_strata)
    numbers = items.histogram(sure, np.nextafter(cuts, np.inf), {})
    middle = np.cumsum(numbers) - numbers / 2
    ends = whole.pieces([Mark(float(edge), BEHIND) for edge in cuts])
    each = list(_of_each(stratum, numbers))
    number = np.array([numbers[mine].sum() for mine in each])
    below = np.array([(numbers[mine] * middle[mine]).sum() for mine in each]) / number
    return [_united(ends, mine, numbers) for mine in each], number, below / len(items)


def _of_each(stratum: IntArray, numbers: IntArray) -> Iterator[IntArray]:
    """The pieces with items of each stratum that has any."""
    full = np.flatnonzero(numbers)
    for number in np.unique(stratum[full]):
        yield full[stratum[full] == number]


def _united(ends: Sequence[Stretch], members: IntArray, numbers: IntArray) -> Part:
    """Some pieces as one part: from the first to the last of them, without those between that are
    of others."""

    def between(first: int, last: int) -> Stretch:
        return replace(ends[first], until=ends[last].until)

    gaps = [
        between(before + 1, after - 1)
        for before, after in zip(members[:-1].tolist(), members[1:].tolist(), strict=True)
        if numbers[before + 1 : after].any()
    ]
    return Part(stretches=(between(int(members[0]), int(members[-1])),), without=tuple(gaps))


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

    def cut_of(name: str) -> tuple[float, int]:
        score, side = population.ordering_score(name), population.predictions[name]
        assert score is not None
        return best_cut(score, side == population.classes.index(population.positive))

    sure, notes = _along(population, classifier, cut_of)
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

    def cut_of(name: str) -> tuple[float, int]:
        turned = Sureness(name, None, name in population.descending, 0.0)
        return best_cut_of(items, turned, population.classes.index(population.positive))

    return _along(population, classifier, cut_of)


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


def best_cut(score: FloatArray, predicted: BoolArray) -> tuple[float, int]:
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
