"""Several figures from the same labels at once: the error level of each at which all hold together.

The errors of figures that rest on the same labels are related: whoever finds too many positives
sees precision and recall too high together. With their correlation R the largest of the normal
errors |Z_i| exceeds q with the error level of all, and each figure at the level

    a = 2 Phi(-q),   q the quantile of max_i |Z_i|,   Z normal with correlation R,

holds together with the others. Fixed or watched: a watched figure takes the boundary of its level.

The covariance of the figures i and j is a sum over the parts of the file within which the labels
are a random sample,

    sum_k slope_ik slope_jk N_k^2 / n_k (1 - n_k / N_k) cov(y_i, y_j | k),

of which ``variance_shares`` has the terms of i = j; y_i is whether an item counts as positive for
figure i. Negative eigenvalues of R, which smoothing may leave, count as 0; a figure without
variance takes no part.

Source: Westfall and Young (1993) and Hothorn, Bretz and Westfall (2008) for the largest statistic.
Departure: R anew at each look, from smoothed rates; the normals are frozen, so that a replay finds
the same level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import Cells, FloatArray, Table, smoothed_rates

SEED, NORMALS = 20_260_729, 4_000
"""Those that q is read off. They belong to the rule: another seed is another rule."""
FEWEST_BEYOND = 20
"""Normals that must lie beyond q; where fewer would, the error level is divided instead."""
AT_ONCE = 64
"""Runs whose normals are held together."""


@dataclass(frozen=True, eq=False, slots=True)
class Pull:
    """How the labels of each cell move the figures that are read from the same cells.

    slope   (..., n_rows, n_cells), by one positive more
    rate    (..., n_cells), smoothed
    reach   (..., n_cells), N sqrt((1 - n/N) / n): a mean's deviation as one of the total
    counted (..., n_cells), the class that counts as positive in each cell
    labelled (..., n_cells)
    """

    slope: FloatArray
    rate: FloatArray
    reach: FloatArray
    counted: IntArray
    labelled: FloatArray

    def run(self, place: int) -> Pull:
        return Pull(*(getattr(self, field.name)[place] for field in fields(self)))


@dataclass(frozen=True, eq=False, slots=True)
class Overlap:
    """Labels by their cells in two divisions of the file, (n_pairs,) each.

    first, second   the cell in each
    labelled        labels in both
    positive        (2, n_pairs), those that count as positive in the first and in the second; None
                    where that is not known
    """

    first: IntArray
    second: IntArray
    labelled: FloatArray
    positive: FloatArray | None


def pull_of(
    cells: Cells,
    table: Table,
    counted: IntArray,
    rates: FloatArray | None = None,
    *,
    target: str = "file",
) -> Pull:
    """The pull of the rows of ``table``, of one run or of several side by side."""
    rate = smoothed_rates(cells, rates)
    rest = 1.0 if target == "process" else 1 - cells.labelled / cells.size
    reach = cells.size * np.sqrt(np.maximum(rest, 0.0) / np.maximum(cells.labelled, 1))
    slope = table.sensitivity((cells.size * rate)[..., None, :])
    return Pull(slope, rate, np.asarray(reach), counted, cells.labelled)


def shared_covariance(first: Pull, second: Pull) -> FloatArray:
    """Of the rows of both, (..., n_first, n_second), where their cells are the same parts."""
    same = first.counted == second.counted
    spread = np.where(same, first.rate, 0.0) - first.rate * second.rate
    weight = first.reach * second.reach * spread
    return np.asarray((first.slope * weight[..., None, :]) @ np.swapaxes(second.slope, -1, -2))


def crossed_covariance(first: Pull, second: Pull, both: Overlap) -> FloatArray:
    """The same, (n_first, n_second), where the cells of one lie across those of the other: from the
    labels that they share. Their rates are smoothed by one label with the rates of the cells."""
    a, b = both.first, both.second
    p, q = first.rate[a], second.rate[b]
    same = first.counted[a] == second.counted[b]
    expected = np.where(same, (p + q) / 2, [p, q])
    hits = expected * both.labelled if both.positive is None else both.positive
    mine, other = (hits + expected) / (both.labelled + 1)
    spread = np.where(same, mine, 0.0) - q * mine - p * other + p * q
    labels = np.maximum(first.labelled[a] * second.labelled[b], 1e-9)
    weight = both.labelled / np.sqrt(labels) * first.reach[a] * second.reach[b] * spread
    return np.asarray((first.slope[:, a] * weight) @ second.slope[:, b].T)


def blocks(parts: Sequence[Sequence[FloatArray]]) -> FloatArray:
    """The whole matrix, (..., m, m), of the blocks on and above its diagonal: ``parts[i]`` holds
    those of i with i, i + 1, ..."""
    rows = [
        np.concatenate(
            [np.swapaxes(parts[j][i - j], -1, -2) for j in range(i)] + list(parts[i]), axis=-1
        )
        for i in range(len(parts))
    ]
    return np.concatenate(rows, axis=-2)


@lru_cache(maxsize=32)
def frozen_normals(figures: int) -> FloatArray:
    """(``NORMALS``, figures): quantiles of the raw bits of PCG64, which no version of numpy
    changes."""
    raw = np.random.PCG64(SEED).random_raw(NORMALS * figures)
    return np.asarray(ndtri(((raw >> np.uint64(11)) + 0.5) / 2.0**53)).reshape(NORMALS, figures)


def error_levels(covariance: FloatArray, confidence: float, *, portable: bool = True) -> FloatArray:
    """The error level of each figure at which all of them hold with ``confidence``, (...).

    covariance   (..., m, m)
    portable       not by whichever of several equally good vectors a processor finds

    Never above that of one figure alone, never below its m-th part.

    >>> alike, apart = np.ones((4, 4)), np.eye(4)
    >>> [round(float(one), 4) for one in error_levels(np.array([alike, apart]), 0.95)]
    [0.05, 0.0125]
    """
    alpha = 1 - confidence
    figures = np.maximum((_deviations(covariance) > 0).sum(axis=-1), 1)
    if alpha * NORMALS < FEWEST_BEYOND:
        return np.asarray(alpha / figures)
    quantile = _of_largest(
        covariance, lambda largest: np.quantile(largest, confidence, axis=-1), portable
    )
    return np.clip(2 * ndtr(-quantile), alpha / figures, alpha)


def all_right(covariance: FloatArray, confidence: float) -> FloatArray:
    """The share of cases in which all figures hold when each has ``confidence`` alone, (...).

    >>> all_right(np.array([np.eye(4), np.ones((4, 4))]), 0.95).round(2).tolist()
    [0.82, 0.95]
    """
    edge = ndtri((1 + confidence) / 2)
    return _of_largest(covariance, lambda largest: (largest <= edge).mean(axis=-1))


def _of_largest(
    covariance: FloatArray, summary: Callable[[FloatArray], FloatArray], portable: bool = True
) -> FloatArray:
    """A ``summary`` of the largest of the errors in each of the normal draws, (...)."""
    size = covariance.shape[-1]
    roots = _root(covariance.reshape(-1, size, size), portable)
    normals = frozen_normals(size)
    summaries = [
        summary(np.abs(roots[at : at + AT_ONCE] @ normals.T).max(axis=-2))
        for at in range(0, len(roots), AT_ONCE)
    ]
    return np.asarray(np.concatenate(summaries).reshape(covariance.shape[:-2]))


def _deviations(covariance: FloatArray) -> FloatArray:
    """The standard deviation of each figure, (..., m); 0 of one without variance."""
    return np.asarray(np.sqrt(np.maximum(np.diagonal(covariance, axis1=-2, axis2=-1), 0.0)))


def _root(covariance: FloatArray, portable: bool) -> FloatArray:
    """The rows with which independent normals become errors of this correlation, (n, m, m): of
    length 1, and 0 for a figure without variance. The symmetric root, the only one that is the same
    whichever vectors are found for equal values; earlier rules took those vectors as they came."""
    deviation = _deviations(covariance)
    scale = np.divide(1.0, deviation, out=np.zeros(deviation.shape), where=deviation > 0)
    correlation = covariance * scale[:, :, None] * scale[:, None, :]
    values, vectors = np.linalg.eigh((correlation + np.swapaxes(correlation, -1, -2)) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    if portable:
        root = root @ np.swapaxes(vectors, -1, -2)
    length = np.sqrt((root**2).sum(axis=-1, keepdims=True))
    there = (deviation > 0)[:, :, None] & (length > 0)
    return np.asarray(np.divide(root, length, out=np.zeros(root.shape), where=there))
