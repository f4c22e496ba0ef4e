"""What a method says of items: pieces of the order of a score, and the parts that they cut out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from labelcore.stats.histogram import UNIT as UNIT
from labelcore.stats.orders import mid_rank_share

FloatArray = NDArray[np.float64]
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
