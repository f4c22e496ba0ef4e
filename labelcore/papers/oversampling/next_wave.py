"""Where the estimates of the next sample will lie, from the whole predictive distribution.

Given earlier labels, the number of positives among the next n labels of a group has a
beta-binomial distribution. Precision's estimate is that of one group, recall's a function of both:
the pairs of both numbers, each with its chance, give its distribution without drawing.

Source: the posterior predictive distribution of Shang, Langlois, Tsioutsiouliklis and Kang (2023),
section 3.2 and appendix A.
Departure: summed up exactly, where equations 6 to 8 take a normal curve and algorithm 2 draws. At
the small error levels of a shared alarm the normal curve's tails are wrong, and few draws fall
there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln

from labelcore.papers.oversampling.groups import Counts, recall_of
from labelcore.stats.arrays import FloatArray

NEGLIGIBLE = 1e-9
MOST_POINTS = 800


@dataclass(frozen=True, eq=False, slots=True)
class Forecast:
    """An estimate of the next sample: its possible values, increasing, and their chances, both
    (n_values,)."""

    value: FloatArray
    chance: FloatArray

    @property
    def mean(self) -> float:
        return float(self.value @ self.chance)

    def limits(self, confidence: float) -> tuple[float, float]:
        """Equal tails: the chance of a value below the lower, or above the upper one, is at most
        (1 - confidence) / 2. Both ends belong to the interval."""
        tail = (1 - confidence) / 2
        below, above = np.cumsum(self.chance), np.cumsum(self.chance[::-1])
        low = self.value[np.searchsorted(below, tail, side="right")]
        high = self.value[::-1][np.searchsorted(above, tail, side="right")]
        return float(low), float(high)


def forecast(zeta: Counts, k: float, above: int, below: int) -> tuple[Forecast, Forecast]:
    """Precision and recall as the next ``above`` and ``below`` labels will show them.

    zeta   prior weights and earlier labels together, every cell above 0, plain numbers
    k      predicted positives for each predicted negative in the next file

    Raises ValueError unless k, above and below are above 0.

    >>> precision, recall = forecast(Counts.of(138, 22, 108, 4732), 160 / 4840, 160, 4840)
    >>> [round(end, 3) for end in (*precision.limits(0.95), *recall.limits(0.95))]
    [0.781, 0.931, 0.496, 0.633]
    """
    for name, number in (("k", k), ("above", above), ("below", below)):
        if not 0 < number < np.inf:
            raise ValueError(f"{name} must be above 0, got {number!r}")
    shares_above = share_forecast(float(zeta.true_positive), float(zeta.false_positive), above)
    shares_below = share_forecast(float(zeta.false_negative), float(zeta.true_negative), below)
    recall = recall_of(k, shares_above.value[:, None], shares_below.value[None, :])
    chance = shares_above.chance[:, None] * shares_below.chance[None, :]
    known = ~np.isnan(recall)
    order = np.argsort(recall[known], kind="stable")
    weight = chance[known][order]
    return shares_above, Forecast(recall[known][order], weight / weight.sum())


def beta_binomial(hits: ArrayLike, misses: ArrayLike, size: int) -> FloatArray:
    """The chance of each number of hits among ``size`` further items of groups whose rates have
    these weights, (..., size + 1)."""
    number = np.arange(size + 1.0)
    a, b = np.asarray(hits)[..., None], np.asarray(misses)[..., None]
    ways = gammaln(size + 1) - gammaln(number + 1) - gammaln(size - number + 1)
    return np.asarray(np.exp(ways + betaln(number + a, size - number + b) - betaln(a, b)))


def share_forecast(hits: float, misses: float, size: int) -> Forecast:
    """The share of positives among ``size`` further items of one group whose rate has the weights
    ``hits`` and ``misses``, both above 0: a beta-binomial distribution.

    Values with a chance below 1e-9 in all are left out; neighbours are put together where there are
    more than 800, at their outer end: limits are then a little wider, and never leave out a wave
    without a hit or a miss.
    """
    number, chance = np.arange(size + 1.0), beta_binomial(hits, misses, size)
    total = np.cumsum(chance)
    keep = (total > NEGLIGIBLE) & (total - chance < total[-1] - NEGLIGIBLE)
    number, chance = number[keep], chance[keep]
    if len(number) > MOST_POINTS:
        bins = np.arange(len(number)) * MOST_POINTS // len(number)
        first = np.flatnonzero(np.diff(bins, prepend=-1))
        last = np.append(first[1:], len(number)) - 1
        mean = float(chance @ number) / float(chance.sum())
        number = np.where(number[last] < mean, number[first], number[last])
        chance = np.bincount(bins, chance).astype(float)
    return Forecast(number / size, chance / chance.sum())
