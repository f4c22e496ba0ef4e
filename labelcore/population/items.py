"""What a method asks of items that are not in memory: counts, ranks and a seeded sample, never an
array of all of them.

Every count is exact, and no float is added up where the items are: the sum of a score is one of
whole numbers, so that the same items give the same figures wherever they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from labelcore.stats.histogram import UNIT as UNIT
from labelcore.stats.histogram import Bins
from labelcore.stats.orders import mid_rank_share

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
IN_MEMORY = 5_000_000
"""Of more items those that are drawn are held, where an engine keeps the others."""
HELD = 20_000_000
"""Up to so many are held nevertheless where a method asks for a value of each of them."""
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
        if self.positive is None:
            return own
        return np.where(predicted == self.positive, own, other)


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
    tie     32 hexadecimal digits of md5("{seed}|tie|{id}"): equal scores stand in their order;
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


def apart(parts: Sequence[Part]) -> bool:
    """Whether it is plain that no two parts share an item: a classifier predicts differently, one
    comes before the other in an order, or lies where the other has a gap."""
    return all(_apart(one, other) for one, other in combinations(parts, 2))


def _apart(one: Part, other: Part) -> bool:
    if any(other.predicted.get(name, code) != code for name, code in one.predicted.items()):
        return True
    pairs = [*product(one.stretches, other.stretches), *product(other.stretches, one.stretches)]
    gaps = [*product(one.stretches, other.without), *product(other.stretches, one.without)]
    return any(_ends(first.until, second.after, first, second) for first, second in pairs) or any(
        (gap.after is None or _ends(gap.after, own.after, gap, own))
        and (gap.until is None or _ends(own.until, gap.until, gap, own))
        for own, gap in gaps
    )


def _ends(first: Mark | None, second: Mark | None, one: Stretch, other: Stretch) -> bool:
    """Whether a place in the order of a piece is not behind another, in the same order."""
    if first is None or second is None or _whole(one) != _whole(other):
        return False
    sign = -1.0 if one.falling else 1.0
    return (sign * first.score, first.tie) <= (sign * second.score, second.tie)


def _whole(piece: Stretch) -> Stretch:
    return replace(piece, after=None, until=None)


class Column(Protocol):
    """Something of each item, asked at some positions: an array, or what looks them up."""

    def __len__(self) -> int:
        """Number of items."""

    def __getitem__(self, positions: Any, /) -> NDArray[Any]:
        """Its values at some positions, in their order."""


class Items(Protocol):
    """Items wherever they are kept. Positions count from 0 in an order of their own."""

    def __len__(self) -> int:
        """Number of items."""

    def counts(self, parts: Sequence[Part]) -> IntArray:
        """How many items each part holds, (n_parts,)."""

    def joined(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        """The classes that these classifiers predict together, and how many items of each part
        have them, (n_parts,)."""

    def sums(self, score: Score, parts: Sequence[Part]) -> list[int]:
        """The sum of round(score * UNIT) over each part, exact."""

    def histogram(self, score: Score, edges: FloatArray, predicted: Mapping[str, int]) -> IntArray:
        """How many items have edges[i - 1] <= score < edges[i], (n_edges + 1,)."""

    def bins(self, score: Score, edges: FloatArray) -> Bins:
        """The same of all items, with exact sums and the extremes of each cell."""

    def at_ranks(
        self, stretch: Stretch, predicted: Mapping[str, int], ranks: Sequence[int]
    ) -> list[Mark]:
        """The places of the items with these ranks, 1, 2, ..., increasing, within a piece and a
        prediction."""

    def scores_at(self, stretch: Stretch, ranks: Sequence[int]) -> FloatArray:
        """The scores of the items with these ranks, increasing, within a piece, (n_ranks,)."""

    def ranks(self, stretch: Stretch, positions: IntArray) -> IntArray:
        """The ranks 1, 2, ... of items of a piece in its order, (n,)."""

    def distinct(self, score: str, most: int) -> int:
        """How many different scores there are; ``most`` + 1 where there are more than so many."""

    def strata(self, parts: Sequence[Part]) -> Column:
        """Which of these parts, of which no two share an item and which leave none out, each item
        belongs to."""

    def queue(self, parts: Sequence[Part], seed: int) -> Column:
        """The positions of all items, those of the first part first, within a part in the order of
        md5("{seed}|draw|{id}"); asked for pieces that lie within a part."""


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
