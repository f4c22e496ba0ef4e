"""The error level at which several figures from the same labels hold together."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtri

from labelcore.stats.max_t import (
    NORMALS,
    Overlap,
    Pull,
    all_right,
    blocks,
    crossed_covariance,
    error_levels,
    frozen_normals,
    pull_of,
    shared_covariance,
)
from labelcore.stats.profile import Cells, Ratios, variance_shares

CELLS = Cells(
    np.array([50.0, 50, 40, 400, 60]),
    np.array([10.0, 10, 10, 20, 60]),
    np.array([9.0, 7, 0, 1, 6]),
    np.array([True, True, False, False, False]),
)
POSITIVE = np.ones(5, dtype=np.int64)
FIRST = [-1.872601966247994, -2.62315994840366, 0.45743805678703514]
RECALL = Ratios(np.zeros(1), np.array([[1.0, 1, 0, 0, 0]]), np.zeros(1), np.ones((1, 5)))
PRECISION = Ratios(np.zeros(1), np.array([[1.0, 1, 0, 0, 0]]), np.array([100.0]), np.zeros((1, 5)))


def equal(figures: int, correlation: float) -> np.ndarray:
    return np.full((figures, figures), correlation) + (1 - correlation) * np.eye(figures)


def share_right(correlation: np.ndarray, alpha: float) -> float:
    """How many of 100,000 other normals (seed 1) keep all figures below the level's quantile."""
    random = np.random.default_rng(1)
    draws = random.multivariate_normal(np.zeros(len(correlation)), correlation, 100_000)
    return float((np.abs(draws).max(axis=1) <= -ndtri(alpha / 2)).mean())


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("figures", "correlation"), [(2, 0.5), (4, 0.0), (4, 0.9), (8, 0.5)])
def test_all_hold_as_often_as_said(figures: int, correlation: float, confidence: float) -> None:
    """Limit: three standard errors of the frozen normals. Twin: each on its own."""
    matrix = equal(figures, correlation)
    noise = 3 * np.sqrt(confidence * (1 - confidence) / NORMALS)
    level = float(error_levels(matrix, confidence))
    assert abs(share_right(matrix, level) - confidence) < noise
    assert share_right(matrix, 1 - confidence) < confidence - noise


def test_the_level_lies_between_a_shared_one_and_that_of_one_alone() -> None:
    assert error_levels(np.ones((4, 4)), 0.95) == pytest.approx(0.05, abs=1e-12)
    for one in (np.eye(4), equal(4, 0.3), np.diag([1.0, 4, 9, 1e8])):
        assert 0.0125 - 1e-12 <= float(error_levels(one, 0.95)) <= 0.05
    assert float(error_levels(np.eye(4), 0.999)) == pytest.approx(0.00025, abs=1e-12)


def test_a_figure_without_variance_takes_no_part() -> None:
    assert error_levels(np.diag([1.0, 0.0]), 0.95) == pytest.approx(0.05, abs=1e-12)
    assert error_levels(np.zeros((2, 2)), 0.95) == pytest.approx(0.05, abs=1e-12)
    two, noise = np.zeros((3, 3)), 3 * np.sqrt(0.95 * 0.05 / NORMALS)
    two[:2, :2] = equal(2, 0.5)
    assert abs(share_right(equal(2, 0.5), float(error_levels(two, 0.95))) - 0.95) < noise
    assert share_right(equal(2, 0.5), 0.05 / 3) > 0.95 + noise, "were all three counted"


@pytest.mark.parametrize("portable", [True, False])
def test_no_choice_among_equally_good_vectors_decides(
    portable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another processor finds others for equal values; earlier rules took them as they came."""
    turned, eigh = np.linalg.qr(np.random.default_rng(2).normal(size=(5, 5)))[0], np.linalg.eigh
    level = float(error_levels(np.eye(5), 0.95, portable=portable))

    def others(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = eigh(matrix)
        return values, vectors @ turned

    monkeypatch.setattr(np.linalg, "eigh", others)
    again = float(error_levels(np.eye(5), 0.95, portable=portable))
    assert (again == pytest.approx(level, rel=1e-9)) == portable


def test_negative_eigenvalues_count_as_none() -> None:
    crooked = np.array([[1.0, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    assert np.linalg.eigvalsh(crooked).min() < -0.5
    assert 0.05 / 3 <= float(error_levels(crooked, 0.95)) < 0.05


def test_several_looks_are_each_what_they_are_alone() -> None:
    several = np.array([equal(4, one) for one in np.linspace(-0.3, 1, 150)])
    every, right = error_levels(several, 0.95), all_right(several, 0.95)
    for place in (0, 63, 64, 149):
        assert every[place] == pytest.approx(float(error_levels(several[place], 0.95)), abs=1e-9)
        assert right[place] == pytest.approx(float(all_right(several[place], 0.95)), abs=1e-3)


def test_the_normals_are_frozen() -> None:
    """Raw bits of PCG64(20260729) by numpy 2; another seed would be another rule."""
    normals = frozen_normals(3)
    assert normals.shape == (NORMALS, 3)
    assert normals[0].tolist() == pytest.approx(FIRST, abs=1e-12)
    assert np.abs(normals.mean(axis=0)).max() < 3 / np.sqrt(NORMALS)


def test_the_variance_is_that_of_its_shares() -> None:
    for table, target in product((RECALL, PRECISION), ("file", "process")):
        pull = pull_of(CELLS, table, POSITIVE, target=target)
        assert shared_covariance(pull, pull)[0, 0] == pytest.approx(
            float(variance_shares(CELLS, table, target=target).sum()), rel=1e-12
        )


def test_labels_of_one_class_are_not_of_another() -> None:
    """Two classes of the same cells: the counts of a multinomial, -p q each."""
    mine = pull_of(CELLS, PRECISION, POSITIVE)
    other = Pull(mine.slope, 0.5 * mine.rate, mine.reach, 2 * POSITIVE, mine.labelled)
    found = shared_covariance(mine, other)[0, 0]
    expected = -(mine.slope[0] ** 2 * mine.reach**2 * mine.rate**2 / 2).sum()
    assert found == pytest.approx(float(expected), rel=1e-12) and found < 0


def test_cells_that_are_the_same_cross_as_they_share() -> None:
    one, other = (pull_of(CELLS, table, POSITIVE) for table in (RECALL, PRECISION))
    every = np.arange(5)
    expected = Overlap(every, every, CELLS.labelled, None)
    assert crossed_covariance(one, other, expected)[0, 0] == pytest.approx(
        float(shared_covariance(one, other)[0, 0]), rel=1e-9
    )
    across = Overlap(every, every[::-1], np.full(5, 5.0), None)
    back = Overlap(across.second, across.first, across.labelled, None)
    assert crossed_covariance(one, other, across)[0, 0] == pytest.approx(
        float(crossed_covariance(other, one, back)[0, 0]), rel=1e-9
    )


def test_crossing_cells_have_the_covariance_of_their_estimates() -> None:
    """Two classifiers, each read by its own cells of one plain sample: the correlation of the two
    accuracies over 1,000 samples (seed 4) is the one foretold from the labels of each. Limit: four
    standard errors. Twin: unrelated errors."""
    random = np.random.default_rng(4)
    size, labels, runs = 2_000, 400, 1_000
    truth = random.random(size) < 0.4
    said = [np.where(random.random(size) < miss, ~truth, truth) for miss in (0.2, 0.25)]
    said[1] = np.where(random.random(size) < 0.5, said[0], said[1])
    values, foretold = [], []
    for _ in range(runs):
        drawn = random.permutation(size)[:labels]
        pulls, cell = [], []
        for one in said:
            mine = one.astype(np.int64)
            n = np.bincount(mine[drawn], minlength=2).astype(float)
            s = np.bincount(mine[drawn], truth[drawn], minlength=2)
            cells = Cells(
                np.bincount(mine, minlength=2).astype(float), n, s, np.array([False, True])
            )
            table = Ratios(
                np.zeros(1), np.array([[-1.0, 1]]), np.array([size * 1.0]), np.zeros((1, 2))
            )
            pulls.append(pull_of(cells, table, np.ones(2, dtype=np.int64)))
            cell.append(mine[drawn])
            values.append(float((cells.size * s / n) @ [-1, 1]))
        joint = 2 * cell[0] + cell[1]
        n = np.bincount(joint, minlength=4).astype(float)
        s = np.bincount(joint, truth[drawn], minlength=4)
        sides = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        both = crossed_covariance(*pulls, Overlap(*sides, n, np.array([s, s])))
        own = [shared_covariance(one, one) for one in pulls]
        matrix = blocks([[own[0], both], [own[1]]])
        foretold.append(matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1]))
    found = np.corrcoef(np.array(values).reshape(runs, 2).T)[0, 1]
    noise = 4 * (1 - found**2) / np.sqrt(runs)
    assert abs(np.mean(foretold) - found) < noise < found
