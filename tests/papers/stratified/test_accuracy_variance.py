"""Variances of estimated accuracy against sums over all samples of small files."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from benchmarks.papers.stratified_runs import stratified_variance
from labelcore.papers.stratified import accuracy_variance as av

SIZES, RIGHT = np.array([6, 9, 4]), np.array([5, 3, 4])
COUNTS = np.array([3, 4, 2])
ACCURACIES = RIGHT / SIZES


def moments(estimate: Callable[[np.ndarray], float], finite: bool) -> tuple[float, float]:
    """Mean and variance of an estimate over every number of right labels in every stratum."""
    total, square = 0.0, 0.0
    for hits in product(*(range(n + 1) for n in COUNTS)):
        if finite:
            chance = np.prod(hypergeom.pmf(hits, SIZES, RIGHT, COUNTS))
        else:
            chance = np.prod(binom.pmf(hits, COUNTS, ACCURACIES))
        if chance > 0:
            value = estimate(np.array(hits))
            total, square = total + chance * value, square + chance * value**2
    return total, square - total**2


def estimated(hits: np.ndarray) -> float:
    return av.stratified_accuracy(SIZES, COUNTS, hits)


def test_equation_4_is_unbiased_and_equation_5_its_variance() -> None:
    mean, variance = moments(estimated, finite=True)
    assert mean == pytest.approx(RIGHT.sum() / SIZES.sum(), abs=1e-12)
    found = stratified_variance(SIZES, ACCURACIES, COUNTS)
    assert variance == pytest.approx(found, abs=1e-12)


def test_equation_5_is_above_draws_with_replacement_by_its_own_factor() -> None:
    """S^2 has N/(N-1), which draws with replacement do not have: exact as N_k grows."""
    _, variance = moments(estimated, finite=False)
    weight = SIZES / SIZES.sum()
    assert variance == pytest.approx(
        (weight**2 * ACCURACIES * (1 - ACCURACIES) / COUNTS).sum(), abs=1e-12
    )
    many = stratified_variance(SIZES * 10**9, ACCURACIES, COUNTS)
    assert variance == pytest.approx(many, rel=1e-8)


def test_plain_random_sample() -> None:
    """10 items of which 7 are right, 4 labels."""
    hits = np.arange(5)
    chance = hypergeom.pmf(hits, 10, 7, 4)
    variance = (chance * (hits / 4 - 0.7) ** 2).sum()
    assert av.random_variance(0.7, 10) / 4 == pytest.approx(variance / (1 - 4 / 10), abs=1e-12)


def test_each_allocation_is_equation_5_at_its_own_counts() -> None:
    sizes, shares = np.array([500, 300, 200]), np.array([0.99, 0.8, 0.55])
    n, weight = 60, sizes / sizes.sum()
    spread = np.sqrt(av.squared_spread(shares, sizes))
    for found, counts in (
        (av.proportional_variance, n * weight),
        (av.equal_variance, np.full(3, n / 3)),
        (av.optimal_variance, n * weight * spread / (weight * spread).sum()),
    ):
        expected = (weight**2 * spread**2 / counts).sum()
        assert found(sizes, shares) / n == pytest.approx(expected, rel=1e-12)


def test_strata_without_labels_or_doubt() -> None:
    assert stratified_variance([5, 5], [1.0, 0.5], [0, 2]) > 0
    assert stratified_variance([5, 5], [0.5, 1.0], [0, 2]) == np.inf
    assert av.stratified_accuracy([90, 10], [10, 0], [8, 0]) == pytest.approx(0.8)
    assert np.isnan(av.stratified_accuracy([90, 10], [0, 0], [0, 0]))
