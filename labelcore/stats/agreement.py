"""How far people agree on the same items, also beyond what chance would give.

Every coefficient but the plain share is 1 - D / E: D is the share of pairs of answers to one item
that differ, E what it would be by chance. They differ in what they call chance.

Votes are an array (n_items, n_classes): how many people gave each class to the item. Items with
fewer than two votes say nothing and are left out. Every function assumes that the items are a
random sample of those that the statement is about, each item of which stands for ``weight`` of
them: one over the chance that it was chosen; None: all for equally many.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from labelcore.stats.arrays import IntArray
from labelcore.stats.label_error import Limits
from labelcore.stats.profile import FloatArray
from labelcore.stats.proportion import wilson

NO_ITEM = "no item has a class by two people"
TOO_FEW_ITEMS = "it needs at least two items"
ALL_ALIKE = "fewer than two items are judged differently, so that its uncertainty is unknown"
ONE_CLASS = "every answer is the same class, so that chance would agree as well"

Disagreement = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""From votes, or for two people from their codes, and weights, to D and E, both (1 + n_items,): of
all items, and with each left out in turn."""


def votes_of(codes: IntArray, n_classes: int) -> FloatArray:
    """Votes of readers whose classes are ``codes``, (n_items, n_readers), -1 for no answer.

    >>> votes_of(np.array([[0, 0], [0, 1], [1, -1]]), 2).tolist()
    [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    votes = np.zeros((len(codes), n_classes))
    for code in range(n_classes):
        votes[:, code] = (codes == code).sum(axis=1)
    return votes


def alike_shares(votes: FloatArray) -> FloatArray:
    """The share of pairs of answers that are the same, of each item, (n_items,)."""
    number = votes.sum(axis=1)
    return np.asarray((votes * (votes - 1)).sum(axis=1) / (number * (number - 1)))


def _means(of_items: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted means of all items, and without each of them, (1 + n_items, n_columns).

    of_items   (n_items, n_columns)
    """
    each = weight[:, None] * of_items
    sums, total = each.sum(axis=0), weight.sum()
    without = (sums - each) / (total - weight)[:, None]
    return np.concatenate([sums[None] / total, without])


def _differing_and_use(votes: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """D, and the share of the answers that each class is, (1 + n_items, n_classes): the answers to
    an item count together as its weight."""
    shares = votes / votes.sum(axis=1, keepdims=True)
    means = _means(np.column_stack([1 - alike_shares(votes), shares]), weight)
    return means[:, 0], means[:, 1:]


def fleiss(votes: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Source: Fleiss (1971), equations 3 to 5; with unequal numbers of readers Gwet (2014)."""
    differing, use = _differing_and_use(votes, weight)
    return differing, 1 - (use**2).sum(axis=1)


def gwet(votes: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Other than kappa it does not fall when one class is rare. Source: Gwet (2008), equation 9."""
    differing, use = _differing_and_use(votes, weight)
    return differing, 1 - (use * (1 - use)).sum(axis=1) / (use.shape[1] - 1)


def krippendorff(votes: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nominal data. Source: Krippendorff (2011), Computing Krippendorff's alpha, section C."""
    number, n_items = votes.sum(axis=1), np.full(len(votes) + 1, len(votes) - 1)
    n_items[0] += 1
    differing = (number**2 - (votes**2).sum(axis=1)) / (number - 1)
    means = _means(np.column_stack([differing, number, votes]), weight)
    total, of_class = n_items * means[:, 1], n_items[:, None] * means[:, 2:]
    chance = (total**2 - (of_class**2).sum(axis=1)) / (total * (total - 1))
    return means[:, 0] / means[:, 1], chance


def cohen(codes: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of two people, from their codes, (n_items, 2). Source: Cohen (1960), equation 1."""
    first, second = (side[:, None] == np.unique(codes) for side in codes.T)
    means = _means(np.column_stack([codes[:, 0] != codes[:, 1], first, second]), weight)
    by_first, by_second = np.split(means[:, 1:], 2, axis=1)
    return means[:, 0], 1 - (by_first * by_second).sum(axis=1)


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


def percent_agreement(
    votes: FloatArray, confidence: float, weight: FloatArray | None = None
) -> Limits:
    """The share of pairs of answers to one item that are the same, 0 to 1, by ``mean_share``.

    votes   (n_items, n_classes)
    """
    judged = votes.sum(axis=1) >= 2
    each = None if weight is None else weight[judged]
    return mean_share(alike_shares(votes[judged]), confidence, each)


def mean_share(shares: FloatArray, confidence: float, weight: FloatArray | None = None) -> Limits:
    """The mean of a share that each item has, with its interval.

    shares, weight   (n_items,), 0 to 1, and items that each stands for; None: equally many
    Promise: fixed. Wilson's interval at the number of items that would vary as much: Kish's
    (sum w)^2 / sum w^2 where each share is 0 or 1, else more; or that of the linearised variance if
    it is smaller. No value, with a reason, without an item.
    Source: Wilson (1927); the effective number as in Korn and Graubard (1998).
    """
    if len(shares) == 0:
        return Limits(None, 0.0, 1.0, NO_ITEM)
    each = np.ones(len(shares)) if weight is None else weight / weight.max()
    mean = min(max(float(each @ shares / each.sum()), 0.0), 1.0)  # Sums may round beyond,
    number = float(each.sum() ** 2 / (each @ each))
    each = each / each.sum()
    spread = float(each @ (shares - mean) ** 2)
    if spread > 1e-12:  # and shares that are all alike are spread by that alone.
        number *= max(1.0, mean * (1 - mean) / spread)
        number = min(number, mean * (1 - mean) / float(each**2 @ (shares - mean) ** 2))
    low, high = wilson(mean * number, number, confidence)
    return Limits(mean, float(low), float(high))


def beyond_chance(
    items: FloatArray,
    disagreement: Disagreement,
    confidence: float,
    weight: FloatArray | None = None,
) -> Limits:
    """A coefficient 1 - D / E with its interval, at most 1.

    items, weight   votes of at least two people each, or codes of two for ``cohen``; (n_items,)
    Promise: fixed. The logarithm of D / E plus and minus Student's t times its jackknife standard
    error, each item left out in turn. Coverage was measured, see docs/several_people.md: near the
    nominal one from 50 items on, less with 20 where a class is rare.
    No value, or no interval, with a reason: fewer than two items, one class only, fewer than two
    items that are judged differently.
    Source: Efron and Stein (1981) for the jackknife; the logarithm because D / E is above 0.
    """
    if len(items) < 2:
        return Limits(None, -1.0, 1.0, TOO_FEW_ITEMS)
    each = np.ones(len(items)) if weight is None else weight
    differing, chance = disagreement(items, each)
    if chance[0] <= 0:
        return Limits(None, -1.0, 1.0, ONE_CLASS)
    value = float(1 - differing[0] / chance[0])
    if min(differing[1:].min(), chance[1:].min()) <= 1e-12:
        return Limits(value, -1.0, 1.0, ALL_ALIKE)
    logs = np.log(differing[1:] / chance[1:])
    error = math.sqrt((len(logs) - 1) * float(logs.var()))
    half = float(stdtrit(len(logs) - 1, (1 + confidence) / 2)) * error
    low, high = (max(1 - (1 - value) * math.exp(end), -1.0) for end in (half, -half))
    return Limits(value, low, high)
