"""How far people agree on the same items, also beyond what chance would give.

Every coefficient but the plain share is 1 - D / E: D is the share of pairs of answers to one item
that differ, E what it would be by chance. They differ in what they call chance.

Votes are an array (n_items, n_classes): how many people gave each class to the item. Items with
fewer than two votes say nothing and are left out. Every function assumes that the items are a
simple random sample of those that the statement is about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from labelcore.stats.label_error import Limits
from labelcore.stats.profile import FloatArray
from labelcore.stats.proportion import wilson

NO_ITEM = "no item has a class by two people"
TOO_FEW_ITEMS = "it needs at least two items"
ALL_ALIKE = "fewer than two items are judged differently, so that its uncertainty is unknown"
ONE_CLASS = "every answer is the same class, so that chance would agree as well"

Disagreement = Callable[[FloatArray], tuple[float, float]]
"""From votes, or for two people from their codes, to D and E."""


def votes_of(codes: NDArray[np.int64], n_classes: int) -> FloatArray:
    """Votes of readers whose classes are ``codes``, (n_items, n_readers), -1 for no answer.

    >>> votes_of(np.array([[0, 0], [0, 1], [1, -1]]), 2).tolist()
    [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    votes = np.zeros((len(codes), n_classes))
    for one in range(n_classes):
        votes[:, one] = (codes == one).sum(axis=1)
    return votes


def several(votes: FloatArray) -> FloatArray:
    """The items with at least two votes."""
    return np.asarray(votes[votes.sum(axis=1) >= 2])


def alike_shares(votes: FloatArray) -> FloatArray:
    """The share of pairs of answers that are the same, of each item, (n_items,)."""
    number = votes.sum(axis=1)
    return np.asarray((votes * (votes - 1)).sum(axis=1) / (number * (number - 1)))


def _differing(votes: FloatArray) -> float:
    return float(1 - alike_shares(votes).mean())


def _use(votes: FloatArray) -> FloatArray:
    """The share of the answers that each class is, every item counting alike, (n_classes,)."""
    return np.asarray((votes / votes.sum(axis=1, keepdims=True)).mean(axis=0))


def fleiss(votes: FloatArray) -> tuple[float, float]:
    """Source: Fleiss (1971), equations 3 to 5; with unequal numbers of readers Gwet (2014)."""
    return _differing(votes), 1 - float((_use(votes) ** 2).sum())


def gwet(votes: FloatArray) -> tuple[float, float]:
    """Other than kappa it does not fall when one class is rare. Source: Gwet (2008), equation 9."""
    use = _use(votes)
    return _differing(votes), 1 - float((use * (1 - use)).sum()) / (len(use) - 1)


def krippendorff(votes: FloatArray) -> tuple[float, float]:
    """Nominal data. Source: Krippendorff (2011), Computing Krippendorff's alpha, section C."""
    number, total = votes.sum(axis=1), votes.sum()
    observed = ((number**2 - (votes**2).sum(axis=1)) / (number - 1)).sum() / total
    of_class = votes.sum(axis=0)
    return float(observed), float((total**2 - (of_class**2).sum()) / (total * (total - 1)))


def cohen(codes: FloatArray) -> tuple[float, float]:
    """Of two people, from their codes, (n_items, 2). Source: Cohen (1960), equation 1."""
    first, second = codes.T
    names = np.unique(codes)
    alike = sum(float((first == one).mean() * (second == one).mean()) for one in names)
    return float((first != second).mean()), 1 - alike


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One way to measure agreement beyond chance among any number of people."""

    label: str
    disagreement: Disagreement


COEFFICIENTS: Mapping[str, Coefficient] = {
    "fleiss_kappa": Coefficient("Fleiss' kappa", fleiss),
    "krippendorff_alpha": Coefficient("Krippendorff's alpha", krippendorff),
    "gwet_ac1": Coefficient("Gwet's AC1", gwet),
}


def percent_agreement(votes: FloatArray, confidence: float) -> Limits:
    """The share of pairs of answers to one item that are the same, 0 to 1, by ``mean_share``.

    votes   (n_items, n_classes)
    """
    return mean_share(alike_shares(several(votes)), confidence)


def mean_share(shares: FloatArray, confidence: float) -> Limits:
    """The mean of a share that each item has, with its interval.

    shares   (n_items,), 0 to 1
    Promise: fixed. Wilson's interval at the number of items that would vary as much: their own
    where each share is 0 or 1, else more. No value, with a reason, without an item.
    Source: Wilson (1927); the effective number as in Korn and Graubard (1998).
    """
    if len(shares) == 0:
        return Limits(None, 0.0, 1.0, NO_ITEM)
    mean, spread = float(shares.mean()), float(shares.var())
    number = max(len(shares), len(shares) * mean * (1 - mean) / spread) if spread else len(shares)
    low, high = wilson(mean * number, number, confidence)
    return Limits(mean, float(low), float(high))


def beyond_chance(items: FloatArray, disagreement: Disagreement, confidence: float) -> Limits:
    """A coefficient 1 - D / E with its interval, at most 1.

    items    votes of at least two people each, or codes of two for ``cohen``
    Promise: fixed. The logarithm of D / E plus and minus Student's t times its jackknife standard
    error, each item left out in turn. Coverage was measured, see docs/several_people.md: near the
    nominal one from 50 items on, less with 20 where a class is rare.
    No value, or no interval, with a reason: fewer than two items, one class only, fewer than two
    items that are judged differently.
    Source: Efron and Stein (1981) for the jackknife; the logarithm because D / E is above 0.
    """
    if len(items) < 2:
        return Limits(None, -1.0, 1.0, TOO_FEW_ITEMS)
    differing, chance = disagreement(items)
    if chance <= 0:
        return Limits(None, -1.0, 1.0, ONE_CLASS)
    left_out = [disagreement(np.delete(items, place, axis=0)) for place in range(len(items))]
    if min(min(one) for one in left_out) <= 1e-12:
        return Limits(1 - differing / chance, -1.0, 1.0, ALL_ALIKE)
    logs = np.array([math.log(one / other) for one, other in left_out])
    error = math.sqrt((len(logs) - 1) * float(logs.var()))
    half = float(stdtrit(len(logs) - 1, (1 + confidence) / 2)) * error
    ends = (1 - differing / chance * math.exp(end) for end in (half, -half))
    low, high = (max(end, -1.0) for end in ends)
    return Limits(1 - differing / chance, low, high)
