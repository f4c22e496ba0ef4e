"""Intervals for accuracy, and for ratios of totals, from strata that mix predictions.

Closed forms: they stand where the likelihood region over strata (``profile``) does not, because a
stratum holds items of both predictions, and where sizes are planned.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from labelcore.papers.stratified.accuracy_variance import stratified_accuracy
from labelcore.stats.arrays import FloatArray
from labelcore.stats.profile import Cells, Ratios, plug_in_totals, variance_shares
from labelcore.stats.proportion import FEW_HITS, clopper_pearson, wilson


@dataclass(frozen=True, slots=True)
class AccuracyInterval:
    """Accuracy with its interval.

    value       sum W_k s_k / n_k; NaN without labels
    effective   labels of a plain random sample with the same variance; infinity at a census
    """

    value: float
    low: float
    high: float
    effective: float


def accuracy_interval(
    sizes: ArrayLike,
    labelled: ArrayLike,
    right: ArrayLike,
    confidence: float,
    *,
    target: str = "file",
) -> AccuracyInterval:
    """Wilson's interval at the effective number of labels n_eff = A~ (1 - A~) / v,

        a~_k = (s_k + 1/2) / (n_k + 1),  A~ = sum W_k a~_k,
        v = sum W_k^2 a~_k (1 - a~_k) / n_k (1 - n_k / N_k).

    The half label keeps a stratum whose labels all agree from counting nothing. With up to
    ``FEW_HITS`` errors (or rightly judged items) among the labels it is no narrower than the exact
    interval: Wilson's end after one error covered .855 at an accuracy of .9995.
    target "process": without (1 - n_k / N_k), and with (1/N) sum W_k (a~_k - A~)^2 in v, because
    the file's own shares of the strata are those of a sample.

    Promise: approximate. Too wide for a very accurate classifier.
    Assumption: within each stratum the labels are a simple random sample, and their numbers do not
    follow from the labels.
    sizes, labelled, right   (n_strata,): N_k, n_k, s_k
    Source: Wilson (1927); Kumar and Raj (2018), equation 4; Korn and Graubard (1998).

    >>> one = accuracy_interval([900, 100], [90, 10], [88, 6], 0.95)
    >>> [round(x, 3) for x in (one.value, one.low, one.high, one.effective)]
    [0.94, 0.888, 0.969, 141.313]
    """
    value = stratified_accuracy(sizes, labelled, right)
    if np.isnan(value):
        return AccuracyInterval(value, 0.0, 1.0, 0.0)
    effective = effective_labels(sizes, labelled, right, target=target)
    if np.isinf(effective):
        return AccuracyInterval(value, value, value, effective)
    low, high = wilson(value * effective, effective, confidence)
    hits, trials = float(np.sum(right)), float(np.sum(labelled))
    if min(hits, trials - hits) <= FEW_HITS:
        exact = clopper_pearson(value * effective, effective, confidence)
        low, high = min(low, exact[0]), max(high, exact[1])
    return AccuracyInterval(value, min(float(low), value), max(float(high), value), effective)


def effective_labels(
    sizes: ArrayLike, labelled: ArrayLike, right: ArrayLike, *, target: str = "file"
) -> float:
    """n_eff of ``accuracy_interval``; a stratum without labels counts as one label of one half."""
    size, n, s = (np.asarray(values, dtype=float) for values in (sizes, labelled, right))
    smooth = (s + 0.5) / (n + 1)
    weight = size / size.sum()
    mean = float((weight * smooth).sum())
    rest = 1 - n / size if target == "file" else np.ones(len(size))
    parts = weight**2 * smooth * (1 - smooth) / np.maximum(n, 1) * rest
    between = float((weight * (smooth - mean) ** 2).sum()) / float(size.sum())
    variance = float(parts.sum()) + (between if target == "process" else 0.0)
    return mean * (1 - mean) / variance if variance > 0 else float("inf")


def linearised_interval(
    cells: Cells, ratios: Ratios, critical: FloatArray, *, target: str = "file"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high of ratios of totals, (n_rows,) each, by the linearised variance on the
    logit scale.

    The cells are the parts of the strata that share a prediction: given how many labels fell into
    each, those are a simple random sample of it. Rates are smoothed by one label at the pooled
    rate of the cell's side, itself in doubt by a half: one or two labels of a side that agree say
    little of it. A row without a value has the interval 0 to 1.

    critical   (n_rows,), squared quantiles (``profile.fixed_critical``)
    Promise: approximate; it covers badly where the denominator rests on few labels.
    Source: Woodruff (1971) for the linearisation; Cochran (1977), section 5A.11, for
    post-strata.
    """
    value = np.clip(ratios.value(plug_in_totals(cells, pooled_rates(cells))), 0.0, 1.0)
    rates = pooled_rates(cells, doubt=0.5)
    smooth = (cells.positive + np.clip(rates, 0.02, 0.98)) / (cells.labelled + 1)
    known = (cells.labelled >= cells.size) & (target == "file")
    totals = np.where(known, cells.positive, cells.size * smooth)
    centre = np.clip(np.nan_to_num(ratios.value(totals), nan=0.5), 1e-9, 1 - 1e-9)
    whole = np.maximum(ratios.b0 + (ratios.b * totals).sum(axis=1), 1e-12)
    spread = variance_shares(cells, ratios, rates, target=target).sum(axis=1) / whole**2
    half = np.sqrt(critical * spread) / (centre * (1 - centre))
    sure = spread <= 0
    low = np.where(sure, value, np.minimum(expit(logit(centre) - half), value))
    high = np.where(sure, value, np.maximum(expit(logit(centre) + half), value))
    lacking = np.isnan(value)
    return value, np.where(lacking, 0.0, low), np.where(lacking, 1.0, high)


def pooled_rates(cells: Cells, doubt: float = 0.0) -> FloatArray:
    """The rate of positives among all labels on the cell's side of the prediction, ``doubt`` added
    to both kinds; 1/2 where it has none, (n_cells,)."""
    rates = np.full(len(cells.size), 0.5)
    for side in (True, False):
        mask = cells.predicted == side
        total = float(cells.labelled[mask].sum())
        if total > 0:
            rates[mask] = (float(cells.positive[mask].sum()) + doubt) / (total + 2 * doubt)
    return rates
