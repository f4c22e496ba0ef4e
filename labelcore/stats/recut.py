"""Strata cut once more by what the labels so far say of the items' content.

A model of the truth is learned from the labels, with the rate that each stratum has by them as its
offset, and each stratum is cut in two by it where that pays. **Folds of all items keep it honest:**
an item is placed by the model of the labels outside its fold, so that no label moves its own item
into the part where it looks best, and within each fold of a stratum the model is centred.

Source: our own, measured in docs/content.md; ridge logistic regression after le Cessie and van
Houwelingen (1992), cross-fitting after Chernozhukov et al. (2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logit

from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import BoolArray, FloatArray
from labelcore.stats.strata import MINIMUM_SIZE

FOLDS = 5
PENALTIES = (3.0, 10.0, 30.0, 100.0)
LEVEL_PENALTY = 1.0
LEAST_GAIN = 1.0
"""By so much the held-out log-likelihood must beat that of the strata alone."""
LEAST_SHARE, LEAST_LABELS, LEAST_FALL = 0.05, 5, 0.02
RATE_RANGE = (1e-4, 1 - 1e-4)
STEPS, CLOSE = 50, 1e-6
BLOCK = 1 << 16


@dataclass(frozen=True, eq=False, slots=True)
class Learned:
    """What labels say of all items beyond their strata.

    beyond    (n_items,), on the logit scale, with the mean of its stratum in each fold of it
    penalty   the one with the best held-out likelihood
    gain      by how much it beats the strata alone there
    """

    beyond: FloatArray
    penalty: float
    gain: float


def folds(random: np.random.Generator, items: int) -> NDArray[np.int8]:
    """The fold of each item, (n_items,), as equal in size as can be."""
    return (random.permutation(items) % FOLDS).astype(np.int8)


def learned(
    columns: Sequence[NDArray[Any]],
    stratum: NDArray[Any],
    rates: FloatArray,
    fold: NDArray[Any],
    items: IntArray,
    positive: BoolArray,
) -> Learned:
    """What a model of labels says of all items, cross-fitted.

    columns    (n_items, n_columns) each, side by side what is known of the content, in one scale
               for all columns: the penalties are for items of length 4 or so
    stratum    (n_items,); rates: (n_strata,), by the labels so far
    fold       (n_items,)
    items, positive   (n_labels,), the labelled items and their truth
    """
    from threadpoolctl import threadpool_limits

    x = _rows(columns, items)
    offset = logit(np.clip(rates, *RATE_RANGE))
    start, of_label = offset[stratum[items]], fold[items]
    y = positive.astype(np.float64)
    alone = _log_likelihood(start, y)
    with threadpool_limits(1):  # So small, that threads would only wait for each other.
        tried = _cross_fitted(x, start, y, of_label)
        gains = [_log_likelihood(start + held_out, y) - alone for held_out, _ in tried]
        best = int(np.argmax(gains))
        beyond = _of_all(columns, fold, tried[best][1])
    return Learned(_centred(beyond, stratum, fold), PENALTIES[best], float(gains[best]))


def edges(
    beyond: FloatArray,
    stratum: NDArray[Any],
    rates: FloatArray,
    expected: FloatArray,
) -> FloatArray:
    """Where each stratum is cut, (n_strata,): items from this value on are its upper part; NaN
    where it stays whole. At the cut sum N sqrt(p (1 - p)) of the parts is least.

    expected   (n_strata,), the labels that it will get: under five it stays whole, and so it does
               where the sum would not fall by 2 %, or a part would have under 5 % of the items
    """
    edge = np.full(len(rates), np.nan)
    order = np.lexsort((beyond, stratum))
    ends = np.cumsum(np.bincount(stratum, minlength=len(rates)))
    offset = logit(np.clip(rates, *RATE_RANGE))
    for k, items in enumerate(np.split(order, ends[:-1])):
        if expected[k] >= LEAST_LABELS and len(items) >= 2 * MINIMUM_SIZE:
            edge[k] = _edge(beyond[items], float(offset[k]))
    return edge


def _edge(rising: FloatArray, offset: float) -> float:
    """The edge in values that rise, NaN for none."""
    n = len(rising)
    total = np.cumsum(expit(offset + rising))
    below = np.arange(1, n, dtype=np.float64)
    above = n - below

    def spread(number: Any, sum_of: Any) -> Any:
        return np.sqrt(np.maximum(sum_of * (number - sum_of), 0.0))

    parts = spread(below, total[:-1]) + spread(above, total[-1] - total[:-1])
    least = max(MINIMUM_SIZE, LEAST_SHARE * n)
    allowed = (below >= least) & (above >= least) & (rising[1:] > rising[:-1])
    whole = float(spread(n, total[-1]))
    if not allowed.any() or whole <= 0:
        return np.nan
    at = int(np.argmin(np.where(allowed, parts, np.inf)))
    return float(rising[at + 1]) if parts[at] <= (1 - LEAST_FALL) * whole else np.nan


def _cross_fitted(
    x: FloatArray, offset: FloatArray, y: FloatArray, fold: NDArray[Any]
) -> list[tuple[FloatArray, FloatArray]]:
    """By each penalty what the model says of each label by those of the other folds, (n_labels,),
    and its level and slopes for each fold, (n_folds, 1 + n_columns)."""
    models = np.zeros((len(PENALTIES), FOLDS, 1 + x.shape[1]))
    held_out = np.zeros((len(PENALTIES), len(y)))
    for part in range(FOLDS):
        mine, start = fold == part, np.zeros(1 + x.shape[1])
        for place in reversed(range(len(PENALTIES))):  # The most careful is the quickest.
            start = _ridge(x[~mine], offset[~mine], y[~mine], PENALTIES[place], start)
            models[place, part] = start
            held_out[place, mine] = start[0] + x[mine] @ start[1:]
    return list(zip(held_out, models, strict=True))


def _ridge(
    x: FloatArray, offset: FloatArray, y: FloatArray, penalty: float, start: FloatArray
) -> FloatArray:
    """Level and slopes of a logistic regression with an offset, by Newton's steps; halved where a
    whole one would not climb."""
    x = np.column_stack([np.ones(len(x)), x])
    weight = np.full(x.shape[1], penalty)
    weight[0] = LEVEL_PENALTY

    def height(beta: FloatArray) -> float:
        return _log_likelihood(offset + x @ beta, y) - 0.5 * float(weight @ beta**2)

    beta, now = start, height(start)
    for _ in range(STEPS):
        rate = expit(offset + x @ beta)
        gradient = x.T @ (y - rate) - weight * beta
        hessian = (x * (rate * (1 - rate))[:, None]).T @ x + np.diag(weight)
        step = np.linalg.solve(hessian, gradient)
        while height(beta + step) < now and np.abs(step).max() > CLOSE:
            step = step / 2
        beta, now = beta + step, height(beta + step)
        if np.abs(step).max() <= CLOSE:
            break
    return beta


def _log_likelihood(logits: FloatArray, y: FloatArray) -> float:
    return float((y * log_expit(logits) + (1 - y) * log_expit(-logits)).sum())


def _rows(columns: Sequence[NDArray[Any]], rows: Any) -> FloatArray:
    return np.hstack([column[rows] for column in columns]).astype(np.float64)


def _of_all(columns: Sequence[NDArray[Any]], fold: NDArray[Any], models: FloatArray) -> FloatArray:
    """What the model of its fold says of each item, (n_items,)."""
    levels, slopes = models[:, 0], models[:, 1:].T
    beyond = np.empty(len(fold))
    for at in range(0, len(fold), BLOCK):
        rows = slice(at, at + BLOCK)
        every = levels + _rows(columns, rows) @ slopes
        beyond[rows] = np.take_along_axis(every, fold[rows, None].astype(np.int64), axis=1)[:, 0]
    return beyond


def _centred(beyond: FloatArray, stratum: NDArray[Any], fold: NDArray[Any]) -> FloatArray:
    """With the mean of its stratum in each fold of it."""
    cell = stratum.astype(np.int64) * FOLDS + fold
    number = np.bincount(cell)
    mean_of_cell = np.bincount(cell, beyond) / np.maximum(number, 1)
    in_stratum = np.bincount(stratum, beyond) / np.maximum(np.bincount(stratum), 1)
    return np.asarray(beyond - mean_of_cell[cell] + in_stratum[stratum])
