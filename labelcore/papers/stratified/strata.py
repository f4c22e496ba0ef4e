"""Strata by sureness from counts, ranks and exact sums, wherever the items are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labelcore.designs.base import IntArray, Setup
from labelcore.designs.rates import PROBABILITY_RANGE
from labelcore.papers.stratified.stratifications import EQUAL_SIZE, pieces
from labelcore.papers.stratified.sureness import sureness_along
from labelcore.population.array_items import Items, cut
from labelcore.population.items import BEHIND, UNIT, Mark, Part, Stretch, Sureness
from labelcore.stats.histogram import fine_bins, histogram_of
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
    called = [replace(one, predicted={sure.classifier: sure.positive or 0}) for one in parts]
    said = sizes if several else items.counts(called)
    if sure.cut is None:
        totals = items.sums(sure, parts)
        right = totals if several else items.sums(sure, called)
        wrong = [2 * own - all_of_them for own, all_of_them in zip(right, totals, strict=True)]
        chance = np.clip(_shares(totals, sizes), *PROBABILITY_RANGE)
        rates = np.clip(_shares(wrong, sizes) + 1 - said / sizes, *PROBABILITY_RANGE)
    else:
        chance = 0.5 + rank / 2
        rates = (said * chance + (sizes - said) * (1 - chance)) / sizes
    return SureStrata(parts, chance, rates, said > sizes / 2, notes)


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
    ends = whole.pieces([Mark(float(one), BEHIND) for one in cuts])
    each = list(_of_each(stratum, numbers))
    number = np.array([numbers[own].sum() for own in each])
    below = np.array([(numbers[own] * middle[own]).sum() for own in each]) / number
    return [_united(ends, own, numbers) for own in each], number, below / len(items)


def _of_each(stratum: IntArray, numbers: IntArray) -> Iterator[IntArray]:
    """The pieces with items of each stratum that has any."""
    full = np.flatnonzero(numbers)
    for one in np.unique(stratum[full]):
        yield full[stratum[full] == one]


def _united(ends: Sequence[Stretch], own: IntArray, numbers: IntArray) -> Part:
    """Some pieces as one part: from the first to the last of them, without those between that are
    of others."""

    def between(first: int, last: int) -> Stretch:
        return replace(ends[first], until=ends[last].until)

    gaps = [
        between(before + 1, after - 1)
        for before, after in zip(own[:-1].tolist(), own[1:].tolist(), strict=True)
        if numbers[before + 1 : after].any()
    ]
    return Part(stretches=(between(int(own[0]), int(own[-1])),), without=tuple(gaps))
