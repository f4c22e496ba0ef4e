"""Thousands of labelling sessions over strata at once: only counts by stratum matter for accuracy.

What ``labelcore.papers.stratified.neyman.printed_counts`` does for one session ``shared`` does for
a table of them, row by row; tests/test_papers_benchmark.py compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from labelcore.papers.stratified.accuracy_variance import squared_spread
from labelcore.papers.stratified.neyman import first_counts
from labelcore.stats.arrays import BoolArray, FloatArray, IntArray


def stratified_variance(sizes: ArrayLike, accuracies: ArrayLike, counts: ArrayLike) -> float:
    """V of the stratified estimate (equation 5), without replacement."""
    size, n = np.asarray(sizes, dtype=float), np.asarray(counts, dtype=float)
    top = (size / size.sum()) ** 2 * squared_spread(accuracies, size) * (1 - n / size)
    return float(np.divide(top, n, out=np.where(top > 0, np.inf, 0.0), where=n > 0).sum())


@dataclass(frozen=True, eq=False)
class Strata:
    """A file cut into strata: items and rightly judged items of each, (n_strata,)."""

    sizes: IntArray
    right: IntArray

    @classmethod
    def of(cls, stratum: IntArray, right: BoolArray) -> Strata:
        return cls(np.bincount(stratum), np.bincount(stratum, right).astype(np.int64))

    @property
    def shares(self) -> FloatArray:
        return np.asarray(self.right / self.sizes)

    @property
    def items(self) -> int:
        return int(self.sizes.sum())

    @property
    def accuracy(self) -> float:
        return float(self.right.sum() / self.sizes.sum())

    def random_variance(self, labels: int) -> float:
        return stratified_variance([self.items], [self.accuracy], [labels])

    def variance(self, counts: IntArray) -> float:
        """The exact variance, and mean squared error, of fixed counts without replacement."""
        return stratified_variance(self.sizes, self.shares, counts)


@dataclass(frozen=True, eq=False)
class Sample:
    """Labels and right labels of each session and stratum, (n_runs, n_strata)."""

    strata: Strata
    labelled: IntArray
    right: IntArray

    @property
    def estimates(self) -> FloatArray:
        shares = self.right / np.maximum(self.labelled, 1)
        return np.asarray(shares @ (self.strata.sizes / self.strata.items))

    @property
    def errors(self) -> FloatArray:
        return self.estimates - self.strata.accuracy

    @property
    def estimated_variances(self) -> FloatArray:
        """Equation 6 with the finite-population factor, (n_runs,)."""
        n = self.labelled
        shares = self.right / np.maximum(n, 1)
        rest = 1 - n / self.strata.sizes
        weight = self.strata.sizes / self.strata.items
        return np.asarray((weight**2 * shares * (1 - shares) / np.maximum(n - 1, 1) * rest).sum(1))

    @property
    def true_ratio(self) -> float:
        """Mean squared error over that of a plain random sample of the same size."""
        labels = int(self.labelled[0].sum())
        return float((self.errors**2).mean()) / self.strata.random_variance(labels)

    @property
    def estimated_ratio(self) -> float:
        """Mean estimated variance over the same: what the paper reports."""
        labels = int(self.labelled[0].sum())
        return float(self.estimated_variances.mean()) / self.strata.random_variance(labels)

    def naive_coverage(self, z: float = 1.959964) -> float:
        """Of the normal interval with the estimated variance."""
        return float((np.abs(self.errors) <= z * np.sqrt(self.estimated_variances)).mean())


def fixed_counts(
    strata: Strata, counts: IntArray, runs: int, random: np.random.Generator
) -> Sample:
    """Sessions with the same numbers of labels, without replacement."""
    labelled = np.broadcast_to(counts, (runs, len(counts)))
    wrong = strata.sizes - strata.right
    return Sample(strata, labelled, random.hypergeometric(strata.right, wrong, labelled))


def printed_sessions(
    strata: Strata,
    n_initial: int,
    step: int | None,
    looks: Sequence[int],
    runs: int,
    random: np.random.Generator,
) -> Iterator[tuple[int, Sample]]:
    """OPT-A2 with ``step`` labels at a time, read at each of ``looks`` (rising); OPT-A1 with None,
    whose second stage then starts anew for each look."""
    first = first_counts(strata.sizes, max(looks), n_initial)
    start = fixed_counts(strata, first, runs, random)
    now = start
    for look in looks:
        if step is None:
            now = start
        while (left := look - int(now.labelled[0].sum())) > 0:
            now = _stepped(now, left if step is None else min(step, left), random)
        yield look, now


def _stepped(sample: Sample, batch: int, random: np.random.Generator) -> Sample:
    strata, n, s = sample.strata, sample.labelled, sample.right
    share = s / np.maximum(n, 1)
    spread = np.sqrt(np.where(n > 1, n * share * (1 - share) / np.maximum(n - 1, 1), 0.0))
    weight = np.broadcast_to(strata.sizes / strata.items, n.shape)
    product = weight * spread
    flat = product.sum(axis=1, keepdims=True) <= 0
    added = shared(np.where(flat, weight, product), batch, strata.sizes - n)
    right_left = strata.right - s
    wrong_left = strata.sizes - n - right_left
    return Sample(strata, n + added, s + random.hypergeometric(right_left, wrong_left, added))


def shared(shares: FloatArray, total: int, room: IntArray) -> IntArray:
    """``labelcore.stats.allocation.largest_remainder`` of each row, (n_runs, n_strata)."""
    shares = shares / shares.sum(axis=1, keepdims=True)
    space = room.astype(float)
    given = np.zeros(shares.shape)
    left = np.minimum(float(total), space.sum(axis=1, keepdims=True))
    goal = left.copy()
    while (left > 1e-9).any():
        weight = np.where(space - given > 1e-9, np.maximum(shares, 1e-12), 0.0)
        whole = np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
        step = np.minimum(left * weight / whole, space - given)
        given += step
        left = left - step.sum(axis=1, keepdims=True)
    counts = np.floor(given + 1e-9)
    missing = np.rint(goal - counts.sum(axis=1, keepdims=True))
    rest = np.where(counts < room, given - counts, -1.0)
    rank = np.argsort(np.argsort(-rest, axis=1, kind="stable"), axis=1, kind="stable")
    return (counts + (rank < missing)).astype(np.int64)


def labels_for_error(errors: Mapping[int, float], wanted: float = 0.01) -> float:
    """Where the mean absolute error by labels falls to ``wanted``: a straight line through the four
    nearest points of the logarithms, which evens out the noise of the runs; NaN outside them."""
    x, y = np.log(list(errors)), np.log(list(errors.values()))
    if not y.min() <= np.log(wanted) <= y.max():
        return float("nan")
    near = np.argsort(np.abs(y - np.log(wanted)), kind="stable")[:4]
    slope, base = np.polyfit(x[near], y[near], 1)
    return float(np.exp((np.log(wanted) - base) / slope))
