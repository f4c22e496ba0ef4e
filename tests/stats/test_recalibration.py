"""The fit against a general optimiser of the same penalised likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy

from labelcore.stats.recalibration import recalibrate


def by_optimiser(q: np.ndarray, s: np.ndarray, n: np.ndarray) -> np.ndarray:
    def loss(beta: np.ndarray) -> float:
        rate = np.clip(expit(beta[0] + beta[1] * logit(q)), 1e-300, 1 - 1e-16)
        likelihood = (xlogy(s, rate) + xlog1py(n - s, -rate)).sum()
        return float(-likelihood + beta[0] ** 2 / 2 + (beta[1] - 1) ** 2 / (2 * 0.25))

    found = minimize(
        loss, [0, 1], method="L-BFGS-B", bounds=[(None, None), (0, 5)],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )  # fmt: skip
    return np.asarray(expit(found.x[0] + found.x[1] * logit(q)))


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("largest", [3, 40, 5000])
def test_equals_a_general_optimiser(seed: int, largest: int) -> None:
    rng = np.random.default_rng(seed)
    q = rng.uniform(1e-3, 1 - 1e-3, 9)
    n = rng.integers(0, largest, 9).astype(float)
    s = rng.binomial(n.astype(int), expit(rng.normal() + rng.uniform(0, 2) * logit(q)))
    np.testing.assert_allclose(recalibrate(q, s, n), by_optimiser(q, s, n), atol=2e-5)


def with_evidence_by_optimiser(
    q: np.ndarray, s: np.ndarray, n: np.ndarray, z: np.ndarray
) -> np.ndarray:
    x = np.column_stack([np.ones(len(q)), logit(q), z])
    middle, precision = np.array([0, 1, 0.3]), np.array([1, 4, 4])

    def loss(beta: np.ndarray) -> float:
        rate = np.clip(expit(x @ beta), 1e-300, 1 - 1e-16)
        likelihood = (xlogy(s, rate) + xlog1py(n - s, -rate)).sum()
        return float(-likelihood + (precision * (beta - middle) ** 2).sum() / 2)

    found = minimize(
        loss, middle, method="L-BFGS-B", bounds=[(None, None), (0, 5), (-3, 5)],
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
    )  # fmt: skip
    return np.asarray(expit(x @ found.x))


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("largest", [3, 40, 5000])
def test_evidence_has_a_slope_of_its_own(seed: int, largest: int) -> None:
    rng = np.random.default_rng(seed)
    q, z = rng.uniform(1e-3, 1 - 1e-3, 24), rng.normal(size=24)
    n = rng.integers(0, largest, 24).astype(float)
    truth = expit(0.5 * rng.normal() + logit(q) + rng.uniform(-2, 2) * z)
    s = rng.binomial(n.astype(int), truth).astype(float)
    found = recalibrate(q, s, n, z)
    np.testing.assert_allclose(found, with_evidence_by_optimiser(q, s, n, z), atol=2e-5)


@pytest.mark.parametrize("slope", [-1.5, 1.5])
def test_evidence_that_points_the_wrong_way_is_of_use(slope: float) -> None:
    rng = np.random.default_rng(7)
    q, z = rng.uniform(0.05, 0.95, 24), rng.normal(size=24)
    n, truth = np.full(24, 1000.0), expit(logit(q) + slope * z)
    s = rng.binomial(1000, truth).astype(float)
    found, without = recalibrate(q, s, n, z), recalibrate(q, s, n)
    assert np.abs(found - truth).max() < 0.06 < 0.2 < np.abs(without - truth).max()


def test_each_group_has_a_level_of_its_own() -> None:
    truth = np.array([0.3, 0.5, 0.8])
    found = recalibrate(np.full(3, 0.5), 1e4 * truth, np.full(3, 1e4), group=np.arange(3))
    np.testing.assert_allclose(found, truth, atol=0.01)


def test_no_labels_give_the_scores_back() -> None:
    q = np.array([1e-5, 0.2, 0.5, 0.99999])
    np.testing.assert_allclose(recalibrate(q, np.zeros(4), np.zeros(4)), q, atol=1e-12)


def test_scores_that_point_the_wrong_way_are_given_no_slope() -> None:
    """The slope stays in [0, 5]: reversed scores end as one common rate."""
    q = np.array([0.05, 0.5, 0.95])
    n = np.full(3, 10_000.0)
    rates = recalibrate(q, np.array([9000.0, 5000, 1000]), n)
    assert np.ptp(rates) < 1e-9
    np.testing.assert_allclose(rates, by_optimiser(q, np.array([9000.0, 5000, 1000]), n), atol=1e-4)


@pytest.mark.parametrize("hits", [0.0, 1.0])
def test_extremes_stay_finite(hits: float) -> None:
    q = np.array([1e-5, 0.5, 1 - 1e-5])
    n = np.full(3, 1e6)
    rates = recalibrate(q, hits * n, n)
    assert np.all(np.isfinite(rates)) and np.all((rates >= 0) & (rates <= 1))
