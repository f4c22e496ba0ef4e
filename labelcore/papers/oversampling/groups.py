"""How many labels the predicted positives get: the over-sampling ratio and sizes for a margin.

A file falls into two groups, the items predicted positive (group 1) and the others (group 0). With
k items of group 1 for each item of group 0 and a ratio s, the labels are shared k s to 1: s = 1 is
a proportional sample, s > 1 labels the predicted positives more densely. Precision is pi_1, the
rate of positives in group 1; with pi_0, the rate in group 0, recall is 1 / (1 + pi_0 / (k pi_1)).

Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023), "Precision/Recall on Imbalanced Test
Data".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from labelcore.stats.arrays import FloatArray

LEAST_ABOVE = 30
JEFFREYS = 0.5


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """Labelled items by prediction and answer: numbers, or arrays of one shape.

    Fractions are allowed, so that counts may also be the weights of a prior.
    Raises ValueError for a negative or infinite count.
    """

    true_positive: FloatArray
    false_positive: FloatArray
    false_negative: FloatArray
    true_negative: FloatArray

    @classmethod
    def of(cls, *counts: ArrayLike) -> Counts:
        """The four, in the order of the fields, each a number or an array."""
        for field, value in zip(fields(cls), counts, strict=True):
            if not np.all(np.isfinite(value)) or np.any(np.asarray(value) < 0):
                raise ValueError(
                    f"{field.name} must be a number of items, 0 or more, got {value!r}"
                )
        return cls(*(np.asarray(value, dtype=float) for value in counts))

    @property
    def above(self) -> FloatArray:
        """Labels in group 1, n_1."""
        return self.true_positive + self.false_positive

    @property
    def below(self) -> FloatArray:
        """Labels in group 0, n_0."""
        return self.false_negative + self.true_negative

    def plus(self, other: Counts, weight: float = 1.0) -> Counts:
        """These counts and ``weight`` times the others."""
        return Counts(*(mine + weight * more for mine, more in zip(self, other, strict=True)))

    def __iter__(self) -> Iterator[FloatArray]:
        """The four, in order."""
        return (getattr(self, field.name) for field in fields(self))

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """(pi_1, pi_0) as observed; NaN where a group has no label."""
        with np.errstate(invalid="ignore"):
            above = self.true_positive / self.above
            below = self.false_negative / self.below
        return np.asarray(above), np.asarray(below)


NO_COUNTS = Counts.of(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of labels in the two groups, and the ratio that they follow from."""

    above: int
    below: int
    ratio: float

    @property
    def total(self) -> int:
        return self.above + self.below


def group_rates(k: float, precision: float, recall: float) -> tuple[float, float]:
    """(pi_1, pi_0): the rates of positives among the predicted positives and among the others.

    k   predicted positives for each predicted negative
    Source: Shang et al. (2023), equation 9.

    Raises ValueError where more positives would be missed than there are items to hold them.

    >>> pi_1, pi_0 = group_rates(0.033, 0.863, 0.561)
    >>> pi_1, round(pi_0, 4)
    (0.863, 0.0223)
    """
    missed = k * precision * (1 / recall - 1)
    if missed >= 1:
        raise ValueError(
            f"recall = {recall!r} with precision = {precision!r} would miss {missed:.3g} positives "
            f"for each predicted negative (k = {k:.3g}); it must be fewer than 1"
        )
    return precision, missed


def recall_of(k: float, pi_1: ArrayLike, pi_0: ArrayLike) -> FloatArray:
    """Recall from the rates of the two groups; NaN where neither holds a positive.

    Source: Shang et al. (2023), equation 2, the form with k. The form with s gives the same only
    before the sizes are whole numbers, and not where the number of predicted positives was capped.
    """
    called_rightly = k * np.asarray(pi_1, dtype=float)
    every = called_rightly + np.asarray(pi_0, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(called_rightly / every)


def _odds(rate: float) -> float:
    return rate / (1 - rate) if rate < 1 else math.inf


def optimal_ratio(k: float, pi_1: float, pi_0: float) -> float:
    """s*: the ratio at which recall's estimate varies least, when the two rates are known.

    Below 1 the paper uses 1; this is the value before that (``used_ratio``).
    Source: Shang et al. (2023), theorem 1: s* = (1/k) sqrt(Omega_0 / Omega_1), Omega odds.

    >>> round(optimal_ratio(0.033, *group_rates(0.033, 0.863, 0.561)), 3)
    1.823
    """
    return math.sqrt(_odds(pi_0) / _odds(pi_1)) / k


def optimal_ratio_from_counts(k: float, counts: Counts) -> float:
    """s*: the ratio at which the next estimate of recall varies least, given earlier counts.

    counts   the zeta of the paper: prior weights and earlier labels together, plain numbers; a
             group without a positive or without a negative gets Jeffreys' 1/2 on both sides
    Source:  Shang et al. (2023), theorem 2: s* = (1/k) sqrt(Theta_0 / Theta_1).
    Departure: the paper's noninformative prior of zeros has no Theta there.

    >>> round(optimal_ratio_from_counts(0.033, Counts.of(431.5, 68.5, 337.67, 14813.85)), 3)
    1.821
    """
    filled = with_jeffreys(counts)
    theta_1 = _theta(float(filled.true_positive), float(filled.false_positive))
    theta_0 = _theta(float(filled.false_negative), float(filled.true_negative))
    return math.sqrt(theta_0 / theta_1) / k


def _theta(positive: float, negative: float) -> float:
    total = positive + negative
    return positive * (total + 1) / (negative * total)


def with_jeffreys(counts: Counts) -> Counts:
    """The counts with 1/2 added to both cells of each group of which one cell is empty.

    Source: Jeffreys' prior Beta(1/2, 1/2), where the improper prior of Shang et al. (2023) has no
    posterior.
    """
    above = JEFFREYS * ((counts.true_positive == 0) | (counts.false_positive == 0))
    below = JEFFREYS * ((counts.false_negative == 0) | (counts.true_negative == 0))
    return counts.plus(Counts(above, above, below, below))


def used_ratio(optimal: float) -> float:
    """The ratio to use for s*: never below 1 (section 5 of the paper).

    A smaller one takes labels from precision. What it would gain for recall alone is at most the
    share of the items that are predicted positive, k / (k + 1), of its variance."""
    return max(optimal, 1.0)


def unrounded_sizes(total: float, k: float, ratio: float) -> tuple[float, float]:
    """(n_1, n_0) of equation 1 before rounding, for curves over the ratio."""
    return total * k * ratio / (k * ratio + 1), total / (k * ratio + 1)


def group_sizes(total: float, k: float, ratio: float) -> Sizes:
    """Labels of each group for ``total`` labels in all, rounded up, so that their sum may be one
    more.

    Source: Shang et al. (2023), equation 1.

    >>> group_sizes(10_000, 0.01, 1)
    Sizes(above=100, below=9901, ratio=1)
    """
    above, below = unrounded_sizes(total, k, ratio)
    return Sizes(_up(above), _up(below), ratio)


def _up(number: float) -> int:
    """The next whole number, an excess within rounding error left out."""
    return math.ceil(number - 1e-9 * max(abs(number), 1.0))


def live_sizes(total: int, above: int, below: int, ratio: float) -> Sizes:
    """Labels of each group of one file, exactly ``total`` in all (or every item, where there are
    fewer).

    above, below   items of the file in group 1 and group 0
    The predicted positives get equation 1's number, but at least 30, or half of the labels, or all
    of them where these are fewer; at most as many as there are. At .06 % predicted positives the
    plain rule labels one of them.

    >>> live_sizes(300, 60, 100_000, 1.0), live_sizes(2_000, 60, 100_000, 200.0)
    (Sizes(above=30, below=270, ratio=1.0), Sizes(above=60, below=1940, ratio=200.0))
    """
    total = min(total, above + below)
    if above == 0 or below == 0 or total == 0:
        return Sizes(min(above, total), min(below, total), ratio)
    wanted = _up(unrounded_sizes(total, above / below, ratio)[0])
    wanted = max(wanted, min(LEAST_ABOVE, math.ceil(total / 2)))
    labelled = max(min(wanted, above, total), total - below)
    return Sizes(labelled, total - labelled, ratio)


@dataclass(frozen=True, slots=True)
class Margins:
    """Expected half-widths."""

    precision: float
    recall: float


def expected_margins(
    k: float, pi_1: float, pi_0: float, above: float, below: float, confidence: float = 0.95
) -> Margins:
    """Half-widths expected at ``above`` and ``below`` labels in the two groups.

    Source: Shang et al. (2023), equation 10, from their equations 3 and 5. No factor for a finite
    population.

    >>> found = expected_margins(0.046, *group_rates(0.046, 0.79, 0.67), 307, 4410)
    >>> round(found.precision, 4), round(found.recall, 4)
    (0.0456, 0.05)
    """
    z = normal_quantile(confidence)
    precision = z * math.sqrt(pi_1 * (1 - pi_1) / above)
    if pi_0 == 0:
        return Margins(precision, 0.0)
    recall = k * pi_1 / (k * pi_1 + pi_0)
    spread = (1 - pi_1) / (above * pi_1) + (1 - pi_0) / (below * pi_0)
    return Margins(precision, z * recall * (1 - recall) * math.sqrt(spread))


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile."""
    return float(ndtri((1 + confidence) / 2))


def sizes_for_margin(
    k: float,
    pi_1: float,
    pi_0: float,
    margin: float,
    *,
    confidence: float = 0.95,
    ratio: float | None = None,
    above: int | None = None,
    below: int | None = None,
) -> Sizes:
    """The fewest labels, in the given ratio, that meet ``margin`` for precision and for recall.

    Where precision is the harder one, both groups grow in the ratio. n_0 follows from n_1 before
    it is rounded up.

    ratio          None: that of ``optimal_ratio``, or 1 where this is below 1
    above, below   items of the file in the two groups, where known: no group gets more labels than
                   items, group 1 at least 30. With every item of group 1 labelled, pi_1 is known
                   and group 0 alone has to meet the margin of recall.
    Source:        Shang et al. (2023), equation 11, both inequalities.

    >>> sizes_for_margin(0.046, *group_rates(0.046, 0.79, 0.67), 0.05, ratio=1.51)
    Sizes(above=307, below=4410, ratio=1.51)
    """
    used = used_ratio(optimal_ratio(k, pi_1, pi_0)) if ratio is None else ratio
    per_margin = (normal_quantile(confidence) / margin) ** 2
    for_precision = per_margin * pi_1 * (1 - pi_1)
    recall = k * pi_1 / (k * pi_1 + pi_0)
    steep = per_margin * (recall * (1 - recall)) ** 2
    alone = steep * (1 - pi_0) / pi_0 if pi_0 > 0 else 0.0
    for_recall = steep * (1 - pi_1) / pi_1 + k * used * alone
    wanted = max(for_precision, for_recall)
    n_1, n_0 = max(_up(wanted), 1), max(_up(wanted / (k * used)), 1)
    if above is not None:
        if n_1 >= above:
            n_0 = max(_up(alone), 1)
        n_1 = min(max(n_1, LEAST_ABOVE), above)
    if below is not None:
        n_0 = min(n_0, below)
    return Sizes(n_1, n_0, used)
