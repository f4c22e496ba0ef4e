"""What a method asks of the items of a file: counts, ranks and samples, from mapped arrays.

Sums are of whole numbers, so that the same items give the same figures in whatever order they are
added up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from labelcore.population.kept import Kept, Recent
from labelcore.population.population import Population
from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.histogram import UNIT as UNIT
from labelcore.stats.histogram import Bins, binned
from labelcore.stats.orders import (
    HASHED,
    MIXED,
    Keys,
    Orders,
    by_group,
    counted,
    mid_rank_share,
    narrow,
    ranking,
)

BEHIND = "g"
"""The tie of a place behind all items of its score: greater than every hash."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure a classifier is of its prediction: a number that follows from the score and the
    prediction of an item, by which items stand in order and are cut, counted and summed up as by a
    score. Every implementation works it out by the operations of ``of``, to the last digit.

    classifier  has the score and the prediction
    positive    index of the class whose score it is; None: that of the predicted class, so that
                the score is the number
    descending  whether a low score speaks for that class
    cut         None: the score is a probability, the number that of the predicted class; otherwise
                how far the score, turned where ``descending``, lies on the predicted side of this
    """

    classifier: str
    positive: int | None
    descending: bool = False
    cut: float | None = None

    def of(self, score: FloatArray, predicted: NDArray[Any]) -> FloatArray:
        """The number of some items, (n,).

        score      (n,), as in the file
        predicted  (n,), index of the predicted class
        """
        if self.cut is None:
            own = 1 - score if self.descending else score
            other = 1 - own
        else:
            turned = -score if self.descending else score
            own, other = turned - self.cut, self.cut - turned
        return own if self.positive is None else np.where(predicted == self.positive, own, other)


@dataclass(frozen=True, slots=True)
class MeanScore:
    """What several classifiers say of an item together, larger where they are more for the positive
    class. Every implementation works it out by the operations of ``of``, to the last digit.

    classifiers  have the scores, which are probabilities
    descending   those of them whose score is the probability of the other class
    ranked       those whose score may be anything: each stands for the share of the items below it,
                 which takes the scores of all items at once
    logit        whether the mean is that of the logits
    """

    classifiers: tuple[str, ...]
    descending: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    logit: bool = False

    def of(self, scores: Sequence[FloatArray]) -> FloatArray:
        """The mean of all items, (n_items,).

        scores   (n_items,) each, as in the file
        """
        total = self._one(self.classifiers[0], scores[0])
        for name, score in zip(self.classifiers[1:], scores[1:], strict=True):
            total = total + self._one(name, score)
        return np.asarray(total / len(self.classifiers))

    def _one(self, name: str, score: FloatArray) -> FloatArray:
        turned = name in self.descending
        if name in self.ranked:
            share = mid_rank_share(-score if turned else score)
        else:
            share = 1 - score if turned else score
        return np.asarray(special.logit(share)) if self.logit else share


Score = str | Sureness | MeanScore
"""A classifier, whose score it is, how sure one is, or what several say together."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the order of a score.

    score   of the item there, as in the file
    tie     the key of the item for ties in hexadecimal digits: equal scores stand in their order;
            BEHIND: the place behind all items of the score
    """

    score: float
    tie: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the order of one score.

    score    the classifier whose it is, how sure one is, or what several say together; None: all
             items are alike, their order is that of the ties
    falling  whether the highest come first
    seed     of the ties
    after    the piece starts behind this place; None: with the first item
    until    the last place of the piece; None: the last item
    """

    score: Score | None
    falling: bool
    seed: int
    after: Mark | None = None
    until: Mark | None = None

    def pieces(self, marks: Sequence[Mark]) -> list[Stretch]:
        """This piece cut behind each of these places."""
        return [
            replace(self, after=after, until=until)
            for after, until in pairwise([self.after, *marks, self.until])
        ]


@dataclass(frozen=True, slots=True)
class Part:
    """Items of which all of this holds: a stratum.

    predicted   classifier -> the index of the class that it predicts; others: any
    stretches   the pieces of orders that the items lie in
    without     pieces that none of them lies in
    """

    predicted: Mapping[str, int] = field(default_factory=dict)
    stretches: tuple[Stretch, ...] = ()
    without: tuple[Stretch, ...] = ()


Arrays = Recent[NDArray[Any]]
HALF = 2.0**20
MOST_UNITS = 2.0**56
"""Up to here 2^26 scores sum up in halves without a number that takes over 63 bits."""
BLOCK = 1 << 18
"""Scores that are looked at together."""
MOST_KINDS = 1 << 10
"""So many combinations of predictions are counted whether they are there or not."""
SMALL_CODES = 1 << 15
"""Strata are counted in 16 bits: what is computed with them, such as twice their number, fits."""

MOST_KEPT = 5_000_000
"""Of more items nothing is kept but what a frame holds."""


class Worked:
    """What was worked out of the items of a file under one kind of random orders.

    ordered   positions in the order of a score; along, places: predictions along it, and where in
              it those are that are predicted so
    marks     how many items stand before a place, or there
    scores    numbers that follow from scores
    strata    the strata of parts; queues: their draw orders
    joined    items of parts by what classifiers predict together
    """

    def __init__(self) -> None:
        self.ordered, self.along, self.places = Arrays(), Arrays(), Arrays()
        self.scores, self.strata, self.queues = Arrays(), Arrays(), Arrays()
        self.joined = Recent[dict[tuple[int, ...], IntArray]]()
        self.marks: dict[tuple[Score | None, bool, int, Mark], int] = {}


MIXED_ONES, HASHED_ONES = Kept(Worked), Kept(Worked)


class Items:
    """The items of a file. Positions count from 0 in its order.

    orders   where the random orders come from
    """

    def __init__(self, population: Population, orders: Orders = MIXED) -> None:
        self._file, self._orders = population, orders
        ones = {MIXED: MIXED_ONES, HASHED: HASHED_ONES}.get(orders)
        self._shared = ones is not None and len(population) <= MOST_KEPT
        self._worked = ones.of(population) if ones is not None and self._shared else Worked()

    def __len__(self) -> int:
        return len(self._file)

    # --- counts and sums -------------------------------------------------------------------------

    def counts(self, parts: Sequence[Part]) -> IntArray:
        """Items of each part, (n_parts,)."""
        strata = self._worked.strata.there(list(parts))
        if strata is not None:
            return counted(strata, len(parts))
        return np.array([len(self._members(part)) for part in parts], dtype=np.int64)

    def joined(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        """Predictions of several classifiers together -> items of each part, (n_parts,)."""
        key = tuple(classifiers), list(parts)
        return dict(self._worked.joined.get(key, lambda: self._joined(classifiers, parts)))

    def _joined(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        number, together = len(self._file.classes), self._file.said_together(classifiers)
        if number ** len(classifiers) <= MOST_KINDS:
            kinds, place = np.arange(number ** len(classifiers)), together
        else:
            kinds, place = np.unique(together, return_inverse=True)
        counts = np.array(
            [
                counted(place if part == Part() else place[self._members(part)], len(kinds))
                for part in parts
            ]
        )
        codes = [
            tuple(int(kind) // number**power % number for power in range(len(classifiers))[::-1])
            for kind in kinds.tolist()
        ]
        return {kind: counts[:, at] for at, kind in enumerate(codes) if counts[:, at].any()}

    def sums(self, score: Score, parts: Sequence[Part]) -> list[int]:
        """What the scores of each part sum to, each the nearest whole number of 2^-40."""
        values = self.values(score)
        return [
            sum(
                _units(values[members[first : first + BLOCK]])
                for first in range(0, len(members), BLOCK)
            )
            for members in map(self._members, parts)
        ]

    def histogram(self, score: Score, edges: FloatArray, predicted: Mapping[str, int]) -> IntArray:
        """Items below the first edge, from each edge on up to the next, and from the last on."""
        values = self.values(score)[self._members(Part(predicted))]
        cells = np.searchsorted(edges, values, side="right")
        return np.bincount(cells, minlength=len(edges) + 1).astype(np.int64)

    def bins(self, score: Score, edges: FloatArray) -> Bins:
        """Counts, sums and extremes of the cells between some edges."""
        return binned([self.values(score)], edges)

    # --- ranks -----------------------------------------------------------------------------------

    def at_ranks(
        self, stretch: Stretch, predicted: Mapping[str, int], ranks: Sequence[int]
    ) -> list[Mark]:
        """The items at ranks 1, 2, ... of the order within a stretch and predictions."""
        order, places = self.order(stretch), self._places_of(stretch, predicted)
        if len(ranks) and not 1 <= min(ranks) <= max(ranks) <= len(places):
            raise ValueError(f"ranks must be 1 to {len(places):,}, got {ranks[0]} to {ranks[-1]}")
        at = places[np.array(ranks, dtype=np.int64) - 1]
        scores = self.values(stretch.score)[order[at]].tolist()
        ties = _texts(self._ties(stretch, order[at]))
        marks = [Mark(score, tie) for score, tie in zip(scores, ties, strict=True)]
        for mark, place in zip(marks, at.tolist(), strict=True):
            self._worked.marks[stretch.score, stretch.falling, stretch.seed, mark] = place + 1
        return marks

    def scores_at(self, stretch: Stretch, ranks: Sequence[int]) -> FloatArray:
        """The scores at ranks 1, 2, ... within a stretch, (n_ranks,)."""
        score = self.values(stretch.score)
        if stretch.after is not None or stretch.until is not None:
            score = score[self._between(stretch)]
        ordered = np.sort(score)
        places = np.array(ranks, dtype=np.int64)
        return np.asarray(ordered[-places if stretch.falling else places - 1])

    def ranks(self, stretch: Stretch, positions: IntArray) -> IntArray:
        """The ranks of some items within a stretch, (n,), by counting: no order is made."""
        score = self.values(stretch.score)
        levels, inverse = np.unique(score[positions], return_inverse=True)
        sizes = np.zeros(2 * len(levels) + 1, dtype=np.int64)
        tied = []
        for first in range(0, len(score), BLOCK):
            block = score[first : first + BLOCK]
            place = np.searchsorted(levels, block)
            level = place < len(levels)
            level[level] = levels[place[level]] == block[level]
            sizes += np.bincount(2 * place + level, minlength=len(sizes))
            tied.append(first + np.flatnonzero(level))
        below, number = np.cumsum(sizes[:-1:2] + np.append(0, sizes[1:-2:2])), sizes[1::2]
        before = below if not stretch.falling else len(score) - below - number
        rank = before[inverse] + self._among_equal(stretch, np.concatenate(tied), positions, levels)
        return np.asarray(rank - self._until(stretch, stretch.after))

    def _among_equal(
        self, stretch: Stretch, items: IntArray, positions: IntArray, levels: FloatArray
    ) -> IntArray:
        """The ranks of some items among those of the same score, (n,).

        items   all that have one of these scores
        """
        level = np.searchsorted(levels, self.values(stretch.score)[items])
        number = np.bincount(level, minlength=len(levels))
        several = number[level] > 1
        items, level = items[several], level[several]
        keys = self._ties(stretch, items)
        order = np.lexsort((*keys.T[::-1], level))
        start = np.cumsum(np.where(number > 1, number, 0)) - number
        rank = np.empty(len(items), dtype=np.int64)
        rank[order] = np.arange(len(items)) - start[level[order]] + 1
        ranks = np.ones(len(positions), dtype=np.int64)
        shared = np.isin(positions, items)
        ranks[shared] = rank[np.searchsorted(items, positions[shared])]
        return ranks

    def distinct(self, score: str, most: int) -> int:
        """Different scores, ``most`` + 1 where there are more."""
        return min(len(np.unique(self._file.scores[score])), most + 1)

    def values(self, score: Score | None) -> FloatArray:
        """A score of all items, (n_items,)."""
        if score is None:
            return np.zeros(len(self))
        if isinstance(score, str):
            return self._file.scores[score]
        return self._worked.scores.get(score, lambda: self._derived(score))

    def _derived(self, score: Sureness | MeanScore) -> FloatArray:
        scores = self._file.scores
        if isinstance(score, MeanScore):
            return score.of([scores[name] for name in score.classifiers])
        return score.of(scores[score.classifier], self._file.predictions[score.classifier])

    def _ties(self, stretch: Stretch, items: IntArray) -> Keys:
        return self._orders.of_some(stretch.seed, "tie", self._file, items)

    def order(self, stretch: Stretch) -> IntArray:
        """All positions in the order of the score of a stretch, (n_items,)."""
        score = self.values(stretch.score)

        def make() -> IntArray:
            turned = score if stretch.falling else -score
            return ranking(turned, lambda items: self._ties(stretch, items))

        key = stretch.score, stretch.falling, stretch.seed
        return self._worked.ordered.get(key, make)

    def _until(self, stretch: Stretch, mark: Mark | None) -> int:
        """How many items of the whole order stand before a mark or there."""
        if mark is None:
            return 0
        known = self._worked.marks.get((stretch.score, stretch.falling, stretch.seed, mark))
        if known is not None:
            return known
        order, score = self.order(stretch), self.values(stretch.score)
        sign = -1.0 if stretch.falling else 1.0

        def at(place: int) -> float:
            return sign * float(score[order[place]])

        first = bisect_left(range(len(order)), sign * mark.score, key=at)
        last = bisect_right(range(len(order)), sign * mark.score, key=at)
        level = order[first:last]

        def tie(place: int) -> str:
            return _texts(self._ties(stretch, level[place : place + 1]))[0]

        return first + bisect_right(range(len(level)), mark.tie, key=tie)

    # --- parts -----------------------------------------------------------------------------------

    def _members(self, part: Part) -> IntArray:
        if len(part.stretches) == 1 and not part.without and _by_ties(part.stretches[0]):
            stretch = part.stretches[0]
            return self.order(stretch)[self._places_of(stretch, part.predicted)]
        every = np.arange(len(self), dtype=narrow(np.zeros(0, dtype=np.int64), len(self)).dtype)
        inside = self._inside(part.stretches[0]) if part.stretches else every
        for stretch in part.stretches[1:]:
            inside = inside[np.isin(inside, self._inside(stretch))]
        if part.without:
            left = np.ones(len(self), dtype=bool)
            for stretch in part.without:
                left[self._inside(stretch)] = False
            inside = inside[left[inside]]
        for name, code in part.predicted.items():
            inside = inside[self._file.predictions[name][inside] == code]
        return inside

    def _places_of(self, stretch: Stretch, predicted: Mapping[str, int]) -> IntArray:
        """The places in the whole order of the items of a stretch that classifiers predict so."""
        first = self._until(stretch, stretch.after)
        end = len(self) if stretch.until is None else self._until(stretch, stretch.until)
        if not predicted:
            return np.arange(first, end)

        def make() -> IntArray:
            along = [self._along(stretch, name) == code for name, code in predicted.items()]
            return narrow(np.flatnonzero(np.all(along, axis=0)), len(self) + 1)

        key = stretch.score, stretch.falling, stretch.seed, *sorted(predicted.items())
        every = self._worked.places.get(key, make)
        # NumPy would make wider numbers of all of them for ends of another type.
        ends = np.array([first, end], dtype=every.dtype)
        return every[slice(*np.searchsorted(every, ends).tolist())]

    def _along(self, stretch: Stretch, classifier: str) -> NDArray[Any]:
        """What a classifier predicts along an order, (n_items,)."""
        key = stretch.score, stretch.falling, stretch.seed, classifier
        predictions = self._file.predictions[classifier]
        return self._worked.along.get(key, lambda: predictions[self.order(stretch)])

    def _inside(self, stretch: Stretch) -> IntArray:
        """The positions of a stretch. One that takes items of equal score all together is found
        without the order of the ties."""
        if _by_ties(stretch):
            return self._between(stretch)
        score, sign = self.values(stretch.score), -1.0 if stretch.falling else 1.0
        there = np.ones(len(self), dtype=bool)
        if stretch.after is not None:
            there &= sign * score > sign * stretch.after.score
        if stretch.until is not None:
            there &= sign * score <= sign * stretch.until.score
        return np.flatnonzero(there)

    def _between(self, stretch: Stretch) -> IntArray:
        """The positions of a stretch, in its order."""
        end = len(self) if stretch.until is None else self._until(stretch, stretch.until)
        return self.order(stretch)[self._until(stretch, stretch.after) : end]

    def strata(self, parts: Sequence[Part]) -> IntArray:
        """Which of these parts each item belongs to, (n_items,), in a narrow type."""

        def make() -> IntArray:
            kind = narrow(np.zeros(0, dtype=np.int64), max(len(parts), SMALL_CODES)).dtype
            strata = np.zeros(len(self), dtype=kind)
            for number, part in enumerate(parts):
                strata[self._members(part)] = number
            return strata

        return self._worked.strata.get(list(parts), make)

    def queue(self, parts: Sequence[Part], seed: int) -> IntArray:
        """Part after part in draw order, (n_items,)."""

        def make() -> IntArray:
            stratum = self.strata(parts)
            if not self._shared:
                self._worked = Worked()  # The orders of scores, which take the room of this one.
            order = self._orders.of_file(seed, "draw", self._file)
            return by_group(order, stratum, len(parts))

        return self._worked.queues.get((seed, list(parts)), make)


def _units(scores: FloatArray) -> int:
    """What some scores sum to, each the nearest whole number of 2^-40."""
    units = np.rint(scores * UNIT)
    if np.abs(units).max(initial=0.0) > MOST_UNITS:
        return sum(map(int, units.tolist()))
    high = np.floor(units / HALF)
    low = units - high * HALF
    return int(high.astype(np.int64).sum()) * int(HALF) + int(low.astype(np.int64).sum())


def _by_ties(stretch: Stretch) -> bool:
    """Whether a stretch may end between items of equal score."""
    ends = stretch.after, stretch.until
    return any(mark is not None and mark.tie != BEHIND for mark in ends)


def _texts(keys: Keys) -> list[str]:
    """Keys as hexadecimal text, which has their order."""
    return ["".join(f"{word:016x}" for word in key) for key in keys.tolist()]


def cut(
    items: Items, whole: Stretch, predicted: Mapping[str, int], edges: Sequence[int] | IntArray
) -> list[Part]:
    """The items of a prediction cut along a score.

    edges   the ranks at which pieces end, increasing, the last one that of the last item
    """
    inner = [int(edge) for edge in edges[:-1]]
    if not inner:
        return [Part(predicted)]
    marks = items.at_ranks(whole, predicted, inner)
    return [Part(predicted, (piece,)) for piece in whole.pieces(marks)]
