"""What helpers saved, or may save: the labels that the same intervals would have taken without
them."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from labelcore.designs.base import Frame
from labelcore.estimands import Estimand, ratios
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import FloatArray, slopes
from labelcore.stats.recalibration import recalibrate

LEAST_SAVED = 0.1
"""A smaller share is not told: verdicts that know nothing came out at up to .07 (docs/helpers.md).
"""
LEAST_LEARNED = 0.03
"""What is learned from content is not told, nor taken, below this share beyond that of noise."""
RIGHT_RANGE = (0.02, 0.98)
BINS, BELIEVED, IMPLIED_RANGE = 50, 0.2, (0.002, 0.98)

SharesAt = Callable[[int], FloatArray]
SlopesOf = Callable[[Any, FloatArray], FloatArray]


def slopes_of(row: Estimand) -> SlopesOf:
    """The derivatives of one figure, (1, n_strata), at the rates of a frame's strata."""

    def of_frame(frame: Frame, rates: FloatArray) -> FloatArray:
        return slopes(ratios([row], frame.cells()), (frame.sizes * rates)[None, :])

    return of_frame


def labels_without(
    gradient: SlopesOf,
    frame: Frame,
    rates: FloatArray,
    counts: FloatArray,
    plain: Frame,
    at: SharesAt,
    within: tuple[int, int] | None = None,
) -> int | None:
    """The labels with which strata without helpers would have given a figure the variance that it
    has now, the widest one of several; None where that cannot be told.

    The variance is sum g_k^2 N_k^2 theta_k (1 - theta_k) (1 / n_k - 1 / N_k), g_k the derivative of
    the figure: with helpers at the labels n_k that there are and the rates theta_k that the method
    fitted to them, without at the shares that it would have aimed at; the rate of a stratum without
    helpers is then the mean of the rates of its items.

    gradient        (n_figures, n_strata) of a frame, given the rates of its strata
    rates, counts   (n_strata,) of ``frame``; at: the shares of ``plain`` with so many labels
    within          the numbers between which it is looked for; None: none, and all items
    """
    goal = _variance(gradient, frame, rates, counts)
    mean = rates_without(frame, rates, plain)
    if not np.isfinite(goal) or goal <= 0:
        return None
    low, high = within or (0, int(plain.sizes.sum()))
    while high - low > max(1, high // 500):
        labels = (low + high) // 2
        variance = _variance(gradient, plain, mean, np.minimum(at(labels) * labels, plain.sizes))
        low, high = (low, labels) if variance <= goal else (labels, high)
    return high


def rates_without(frame: Frame, rates: FloatArray, plain: Frame) -> FloatArray:
    """The mean rate of the items of each stratum of ``plain``, given those of the strata of
    ``frame``, (n_strata,)."""
    total = np.bincount(plain.stratum, rates[frame.stratum], minlength=plain.n_strata)
    return np.asarray(total / plain.sizes)


def rates_with_verdicts(
    rates: FloatArray, votes: Iterable[NDArray[np.floating[Any]]]
) -> FloatArray:
    """The rate of positives of each item, (n_items,), once verdicts are known, as if ``rates``
    were right and each verdict erred independently of all else.

    Then the share of items called positive is a straight line in their rate: 1 - specificity where
    it is 0, sensitivity where it is 1. The line is fitted to all items, and each verdict changes
    the odds by Bayes' rule.

    rates   (n_items,), in (0, 1), without the verdicts
    votes   (n_items,) each, 1 for positive, 0 for not, NaN where a column says nothing
    """
    odds = logit(rates)
    for vote in votes:
        there = ~np.isnan(vote)
        x, y = rates[there], vote[there].astype(np.float64)
        spread = float(x.var()) if there.any() else 0.0
        if spread < 1e-12:
            continue
        slope = float(((x - x.mean()) * (y - y.mean())).mean()) / spread
        false_alarm = float(y.mean() - slope * x.mean())
        hit, false_alarm = np.clip([false_alarm + slope, false_alarm], *RIGHT_RANGE)
        said_so, said_not = np.log(hit / false_alarm), np.log((1 - hit) / (1 - false_alarm))
        odds[there] += np.where(y == 1, said_so, said_not)
    return np.asarray(expit(odds))


def rates_with_content(
    rates: FloatArray, score: NDArray[np.floating[Any]], own: NDArray[np.bool_]
) -> FloatArray:
    """The rate of positives of each item, (n_items,), once a model says how likely each is to be
    called positive by the classifier, as if ``rates`` were right.

    The share that is called so in parts by the model's order, smoothed by ``recalibrate``, is a
    straight line in their rate of positives, as in ``rates_with_verdicts``, and gives that rate. It
    changes the odds of each item by the power ``BELIEVED`` of what it would if content and scores
    erred independently: a classifier has mostly read the same content.

    own   (n_items,), whether the classifier calls it positive
    """
    part = np.minimum((mid_rank_share(score.astype(np.float64)) * BINS).astype(np.int64), BINS - 1)
    items, called, sums = (np.bincount(part, weights, BINS).astype(np.float64)
                           for weights in (np.ones(len(own)), own, expit(score)))  # fmt: skip
    implied_share = np.clip(sums / np.maximum(items, 1), *IMPLIED_RANGE)
    share = recalibrate(implied_share, called, items)[part]
    hit = float(rates @ own / rates.sum())
    false_alarm = float((1 - rates) @ own / (1 - rates).sum())
    if hit - false_alarm < 1e-6:
        return rates
    implied = np.clip((share - false_alarm) / (hit - false_alarm), *IMPLIED_RANGE)
    return np.asarray(expit(logit(rates) + BELIEVED * (logit(implied) - logit(rates.mean()))))


def _variance(gradient: SlopesOf, frame: Frame, rates: FloatArray, counts: FloatArray) -> float:
    """Of the widest figure; infinite where a stratum that matters has no label."""
    spread = (gradient(frame, rates) * frame.sizes) ** 2 * rates * (1 - rates)
    left = np.full(len(counts), np.inf)
    np.divide(1.0, counts, out=left, where=counts > 0)
    each = np.where(spread > 0, left - 1 / frame.sizes, 0.0)
    return float((np.where(spread > 0, spread, 1.0) * each).sum(axis=-1).max())
