"""Intervals for the true precision and recall from two independently labelled groups.

Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023), equations 3, 4 and 6 to 8, algorithms 1
and 2; as printed they have no rule for small counts.
Promise: approximate, at a size fixed before the first label. By summing up every outcome of 288
settings with 0.1 to 20 missed positives expected among the labels, recall by equation 4 covered at
least 94.7 % at a confidence of 95 %, where the printed form falls to 0; precision by equation 3 at
least 93 %, by equation 6 at least 90 %. See docs/papers/oversampling_table.md.
Assumption: the labels of each group are a simple random sample of it.
Departures from the paper:
- The paper's credible intervals are predictive (about the next sample's estimate, sqrt(2) times
  wider at equal sizes). These are posterior: about the true value.
- A group without a hit, or without a miss, has Jeffreys' 1/2 added to both cells, and the end of
  the interval that no label contradicts is 0 or 1.
- Precision with fewer than 10 hits or misses has the exact interval of the group, or Wilson's where
  that is wider; recall's ends are then no narrower than the exact limits of that group's rate give.
- In a file of known size each group has the factor 1 - n/N; where the file is itself a sample, the
  variance of ln k is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from labelcore.papers.oversampling.groups import (
    NO_COUNTS,
    Counts,
    normal_quantile,
    recall_of,
    with_jeffreys,
)
from labelcore.papers.oversampling.next_wave import share_forecast
from labelcore.stats.arrays import BoolArray, FloatArray
from labelcore.stats.proportion import clopper_pearson, finite_exact, share_interval

FEW = 10
Limits = tuple[FloatArray, FloatArray]
Moments = tuple[FloatArray, FloatArray]

REPLICAS = 4_000


@dataclass(frozen=True, eq=False, slots=True)
class Pair:
    """Limits of precision and of recall, each (low, high)."""

    precision: Limits
    recall: Limits


@dataclass(frozen=True, slots=True)
class Groups:
    """The two groups that the labels were drawn from.

    above, below   items predicted positive, and the others
    target         "file": these items, drawn without replacement. "process": items like these, of
                   which the file is a sample. "ratio": endlessly many, above / below being known
    """

    above: float
    below: float
    target: str = "file"

    def __post_init__(self) -> None:
        for name, value in (("above", self.above), ("below", self.below)):
            if not 0 < value < np.inf:
                raise ValueError(f"{name} must be above 0, got {value!r}")

    @classmethod
    def of_ratio(cls, k: float) -> Groups:
        """Endlessly many items, k of group 1 for each of group 0: the case of the paper."""
        return cls(k, 1.0, "ratio")

    @property
    def k(self) -> float:
        return self.above / self.below

    @property
    def sizes(self) -> tuple[float, float]:
        """Items of group 1 and of group 0; infinity where the groups have no end."""
        return (self.above, self.below) if self.target == "file" else (np.inf, np.inf)

    @property
    def spread_of_log_k(self) -> float:
        """The variance of ln k: of a binomial share, where the file is a sample; else none."""
        return 1 / self.above + 1 / self.below if self.target == "process" else 0.0

    def replicated_k(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """k of further files like this one; k itself where it is known."""
        if self.target != "process":
            return np.full(shape, self.k)
        share = rng.beta(self.above, self.below, size=shape)
        return np.asarray(share / (1 - share))


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Hits and labels of one group, and its size (infinity: no end)."""

    hits: FloatArray
    trials: FloatArray
    size: float

    @property
    def left(self) -> FloatArray:
        """Items without a label."""
        return np.maximum(np.full_like(self.trials, self.size) - self.trials, 0.0)

    @property
    def rest(self) -> FloatArray:
        """The share of the group without a label."""
        return np.ones_like(self.trials) if np.isinf(self.size) else self.left / self.size

    @property
    def few(self) -> BoolArray:
        """Whether hits or misses are fewer than 10, and the group is not labelled completely."""
        return (np.minimum(self.hits, self.trials - self.hits) < FEW) & (self.rest > 0)

    def exact(self, confidence: float) -> Limits:
        if np.isinf(self.size):
            return clopper_pearson(self.hits, self.trials, confidence)
        return self._of_each(
            lambda hits, trials: finite_exact(round(hits), round(trials), self.size, confidence)
        )

    def share(self, confidence: float) -> Limits:
        """Wilson's interval, no narrower than the exact one where counts are few."""
        return self._of_each(
            lambda hits, trials: share_interval(hits, trials, self.size, confidence)
        )

    def _of_each(self, limits: Callable[[float, float], tuple[float, float]]) -> Limits:
        low, high = np.vectorize(limits, otypes=[float, float])(self.hits, self.trials)
        return low, high


def _both(counts: Counts, groups: Groups) -> tuple[Group, Group]:
    above, below = groups.sizes
    return (
        Group(counts.true_positive, counts.above, above),
        Group(counts.false_negative, counts.below, below),
    )


def normal_intervals(counts: Counts, groups: Groups, confidence: float) -> Pair:
    """Precision by equation 3, recall by equation 4, with the departures above.

    >>> found = normal_intervals(Counts.of(138, 22, 108, 4732), Groups.of_ratio(0.033), 0.95)
    >>> [[round(float(end), 3) for end in limits] for limits in (found.precision, found.recall)]
    [[0.809, 0.916], [0.512, 0.608]]
    """
    above, below = _both(counts, groups)
    filled = with_jeffreys(counts)
    smooth, plain = filled.rates(), counts.rates()
    pi_1 = np.where(above.rest > 0, smooth[0], plain[0])
    pi_0 = np.where(below.rest > 0, smooth[1], plain[1])
    half = normal_quantile(confidence) * np.sqrt(pi_1 * (1 - pi_1) * above.rest / filled.above)
    variance = (
        (1 - pi_1) / filled.true_positive * above.rest
        + (1 - pi_0) / filled.false_negative * below.rest
        + groups.spread_of_log_k
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        recall = log_ratio_limits(groups.k, pi_1, pi_0, variance, confidence)
    return _mended(Pair((pi_1 - half, pi_1 + half), recall), counts, groups, confidence)


def bootstrap_intervals(
    counts: Counts,
    groups: Groups,
    confidence: float,
    rng: np.random.Generator,
    replicas: int = REPLICAS,
) -> Pair:
    """Percentiles of algorithm 1, with the departures above.

    In a group without a hit or without a miss, where every replica would be the same, the rate is
    drawn from Jeffreys' posterior. In a file the replicas are drawn in towards the estimate by the
    square root of the share without a label (Rao and Wu 1988).
    """
    above, below = (_replicated(group, rng, replicas) for group in _both(counts, groups))
    k = groups.replicated_k(rng, (replicas, *[1] * (above.ndim - 1)))
    return _mended(percentiles(above, below, k, confidence), counts, groups, confidence)


def _replicated(group: Group, rng: np.random.Generator, replicas: int) -> FloatArray:
    """Rates in replicas of a group's labels, (replicas, ...)."""
    shape = (replicas, *np.shape(group.hits))
    number = np.maximum(np.rint(group.trials), 1).astype(np.int64)
    rate = np.clip(np.nan_to_num(group.hits / number), 0, 1)
    share = rng.binomial(number, rate, size=shape) / number
    alike = (group.hits == 0) | (group.hits == group.trials)
    if np.any(alike):
        drawn = rng.beta(group.hits + 0.5, group.trials - group.hits + 0.5, size=shape)
        share = np.where(alike, drawn, share)
    return np.asarray(rate + (share - rate) * np.sqrt(group.rest))


def bayes_intervals(
    counts: Counts, groups: Groups, confidence: float, prior: Counts | None = None
) -> Pair:
    """Equations 6 to 8 with endlessly many further labels or, in a file, with the items that have
    no label: the posterior of the true value.

    prior   weights of earlier labels. None: the paper's improper prior, with the departures above.
            With a prior no interval holds whatever the truth: ``confidence`` is the weight of the
            posterior, if the prior is about the same rates; counts are then plain numbers.
    """
    both = _both(counts, groups)
    (mean_1, spread_1), (mean_0, spread_0) = _posterior(counts, groups, prior)
    half = normal_quantile(confidence) * np.sqrt(spread_1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = spread_1 / mean_1**2 + spread_0 / mean_0**2 + groups.spread_of_log_k
        recall = log_ratio_limits(groups.k, mean_1, mean_0, variance, confidence)
    pair = Pair((mean_1 - half, mean_1 + half), recall)
    if prior is None:
        return _mended(pair, counts, groups, confidence)
    tails = _beta_tails(_zeta(counts, prior), both[0], confidence)
    return _kept(Pair(tails, recall), counts, groups)


def posterior_means(
    counts: Counts, groups: Groups, prior: Counts | None = None
) -> tuple[FloatArray, FloatArray]:
    """Precision and recall at the posterior means of the two rates; without a prior, and with hits
    and misses in both groups, the plain estimates of equation 2."""
    (above, _), (below, _) = _posterior(counts, groups, prior)
    return above, recall_of(groups.k, above, below)


def _posterior(counts: Counts, groups: Groups, prior: Counts | None) -> tuple[Moments, Moments]:
    """Mean and variance of the shares of positives in the two whole groups."""
    above, below = _both(counts, groups)
    shares = moments(_zeta(counts, prior), above.left, below.left)
    return _in_whole(above, *shares[0]), _in_whole(below, *shares[1])


def _zeta(counts: Counts, prior: Counts | None) -> Counts:
    """Labels and prior weights together, no cell empty."""
    return with_jeffreys(counts.plus(prior or NO_COUNTS))


def _in_whole(group: Group, mean: FloatArray, variance: FloatArray) -> Moments:
    """Moments of the share in the whole group, from those of the items without a label."""
    if np.isinf(group.size):
        return mean, variance
    share = (group.hits + group.left * mean) / group.size
    inside = np.where(group.rest > 0, variance, 0.0)
    return np.asarray(share), np.asarray(group.rest**2 * inside)


def _beta_tails(zeta: Counts, group: Group, confidence: float) -> Limits:
    """Equal tails of the posterior of precision, of plain numbers: of a Beta, or of the file's
    items without a label. Equation 6 is their normal curve."""
    hits, misses = float(zeta.true_positive), float(zeta.false_positive)
    if np.isinf(group.size):
        tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
        low, high = np.asarray(betaincinv(hits, misses, tails), dtype=float)
        return low, high
    left = round(float(group.left))
    rest = share_forecast(hits, misses, left).limits(confidence) if left else (0.0, 0.0)
    low, high = (np.asarray((group.hits + end * left) / group.size) for end in rest)
    return low, high


def monte_carlo_intervals(
    counts: Counts,
    groups: Groups,
    confidence: float,
    rng: np.random.Generator,
    prior: Counts | None = None,
    replicas: int = REPLICAS,
) -> Pair:
    """Percentiles of algorithm 2 for the true value: rates drawn from their Beta posteriors and, in
    a file, the items without a label drawn at those rates. Prior as in ``bayes_intervals``."""
    zeta, both = _zeta(counts, prior), _both(counts, groups)
    shape = (replicas, *np.shape(counts.above))
    above = rng.beta(zeta.true_positive, zeta.false_positive, size=shape)
    below = rng.beta(zeta.false_negative, zeta.true_negative, size=shape)
    above, below = _with_rest(both[0], above, rng), _with_rest(both[1], below, rng)
    k = groups.replicated_k(rng, (replicas, *[1] * (above.ndim - 1)))
    pair = percentiles(above, below, k, confidence)
    if prior is None:
        return _mended(pair, counts, groups, confidence)
    return _kept(pair, counts, groups)


def _with_rest(group: Group, rate: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Shares of positives in the whole group, its items without a label drawn at ``rate``."""
    if np.isinf(group.size):
        return rate
    number = np.rint(group.left).astype(np.int64)
    return np.asarray((group.hits + rng.binomial(number, rate)) / group.size)


# --- what the intervals are made of ---------------------------------------------------------------
# Counts may be arrays of one shape; limits are (low, high) of that shape, not cut at 0 and 1.


def log_ratio_limits(
    k: float, pi_1: FloatArray, pi_0: FloatArray, variance: FloatArray, confidence: float
) -> Limits:
    """1 / (1 + pi_0 / (k pi_1) exp(-+ z sqrt(variance))), the larger one first in the exponent.

    The exponent is -+ z sqrt(variance) as a whole, which equation 7 lacks the parentheses to say.
    """
    ratio = pi_0 / (k * pi_1)
    factor = np.exp(normal_quantile(confidence) * np.sqrt(variance))
    return np.asarray(1 / (1 + ratio * factor)), np.asarray(1 / (1 + ratio / factor))


def moments(zeta: Counts, above: ArrayLike, below: ArrayLike) -> tuple[Moments, Moments]:
    """Mean and variance (equation 12) of the share of positives among so many further labels of
    group 1 and of group 0; among infinitely many those of the posterior."""
    return (
        _group_moments(zeta.true_positive, zeta.false_positive, above),
        _group_moments(zeta.false_negative, zeta.true_negative, below),
    )


def _group_moments(hits: FloatArray, misses: FloatArray, size: ArrayLike) -> Moments:
    total, number = hits + misses, np.asarray(size, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = np.where(np.isinf(number), 1.0, (total + number) / number)
    return hits / total, hits * misses * stretch / (total**2 * (total + 1))


def percentiles(above: FloatArray, below: FloatArray, k: ArrayLike, confidence: float) -> Pair:
    """Equal tails of precision and recall over replicas of the two rates, (replicas, ...)."""
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    recall = recall_of(1.0, np.asarray(k) * above, below)
    quantile = np.nanquantile if np.isnan(recall).any() else np.quantile
    precision, recalled = np.quantile(above, tails, axis=0), quantile(recall, tails, axis=0)
    return Pair((precision[0], precision[1]), (recalled[0], recalled[1]))


# --- few labels of a kind, and what is possible at all -------------------------------------------


def _mended(pair: Pair, counts: Counts, groups: Groups, confidence: float) -> Pair:
    """The rules for groups with fewer than 10 hits or misses."""
    above, below = _both(counts, groups)
    low, high = pair.precision
    if np.any(above.few):
        share = above.share(confidence)
        low, high = np.where(above.few, share[0], low), np.where(above.few, share[1], high)
    least, most = pair.recall
    pi_1, pi_0 = counts.rates()
    if np.any(above.few):
        ends = [recall_of(groups.k, rate, pi_0) for rate in above.exact(confidence)]
        least = np.where(above.few, np.fmin(least, ends[0]), least)
        most = np.where(above.few, np.fmax(most, ends[1]), most)
    if np.any(below.few):
        ends = [recall_of(groups.k, pi_1, rate) for rate in below.exact(confidence)]
        least = np.where(below.few, np.fmin(least, ends[1]), least)
        most = np.where(below.few, np.fmax(most, ends[0]), most)
    unknown = (counts.above == 0) | (counts.below == 0)
    least = np.where(unknown | (counts.true_positive == 0), 0.0, least)
    most = np.where(unknown | (counts.false_negative == 0), 1.0, most)
    return _kept(Pair((low, high), (least, most)), counts, groups)


def _kept(pair: Pair, counts: Counts, groups: Groups) -> Pair:
    """The limits cut at what the labels leave possible; 0 to 1 where there are none."""
    above, below = _both(counts, groups)
    low, high = np.zeros_like(counts.above), np.ones_like(counts.above)
    least, most = low, high
    if groups.target == "file":
        tp, fn = counts.true_positive, counts.false_negative
        low, high = tp / groups.above, (tp + above.left) / groups.above
        with np.errstate(invalid="ignore"):
            least = np.nan_to_num(tp / (tp + fn + below.left), nan=0.0)
            most = np.nan_to_num((tp + above.left) / (tp + above.left + fn), nan=1.0)
    return Pair(_within(pair.precision, low, high), _within(pair.recall, least, most))


def _within(limits: Limits, least: FloatArray, most: FloatArray) -> Limits:
    low, high = np.nan_to_num(limits[0], nan=0.0), np.nan_to_num(limits[1], nan=1.0)
    return np.clip(low, least, most), np.clip(high, least, most)


Maker = Callable[[Counts, Groups, float, Counts | None, np.random.Generator], Pair]

INTERVALS: dict[str, Maker] = {
    "normal": lambda counts, groups, sure, prior, rng: normal_intervals(counts, groups, sure),
    "bootstrap": lambda counts, groups, sure, prior, rng: bootstrap_intervals(
        counts, groups, sure, rng
    ),
    "bayes": lambda counts, groups, sure, prior, rng: bayes_intervals(counts, groups, sure, prior),
    "monte_carlo": lambda counts, groups, sure, prior, rng: monte_carlo_intervals(
        counts, groups, sure, rng, prior
    ),
}
