"""The profile of grades: against a general optimiser, at its ends, and its coverage."""

import numpy as np
import pytest
from scipy.optimize import minimize

from labelcore.stats.graded_profile import mean_bounds

COUNTS = np.array([[0.0, 2, 6, 11], [3, 4, 2, 1]])
SIZE, GRADES = np.array([300.0, 100.0]), np.array([1.0, 2, 4, 5])
SEED, RUNS, Z = 6, 1_500, 3.0
LEAST = 0.95 - Z * np.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize("target", ["file", "process"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_bounds_are_those_of_a_general_optimiser(sign: int, target: str) -> None:
    labelled = COUNTS.sum(axis=1)
    far = COUNTS.copy()
    far[:, 0 if sign < 0 else -1] += 0.25 * labelled / labelled.sum()
    left = 1 - labelled / SIZE if target == "file" else np.ones(2)
    weight = far * ((1 - 1 / labelled) / left)[:, None]
    own = weight / weight.sum(axis=1, keepdims=True)

    def shares(free: np.ndarray) -> np.ndarray:
        grade = np.exp(free.reshape(2, 4))
        return np.asarray(grade / grade.sum(axis=1, keepdims=True))

    def room(free: np.ndarray) -> float:
        ratio = np.where(weight > 0, own / shares(free), 1.0)
        return float(3.84 - 2 * (weight * np.log(ratio)).sum())

    def mean(free: np.ndarray) -> float:
        return float((SIZE / SIZE.sum()) @ (shares(free) @ GRADES))

    start = np.log(np.maximum(own, 1e-6)).ravel()
    found = minimize(lambda free: -sign * mean(free), start, method="SLSQP",
                     constraints={"type": "ineq", "fun": room},
                     options={"maxiter": 500, "ftol": 1e-12})  # fmt: skip
    bound = mean_bounds(COUNTS, SIZE, GRADES, np.array(3.84), target=target)[(sign + 1) // 2]
    assert found.success and bound == pytest.approx(mean(found.x), abs=1e-4)


def test_a_cell_without_labels_may_be_anything_and_a_census_is_exact() -> None:
    counts = np.array([[0.0, 0, 0, 5], [0, 0, 0, 0]])
    ends = mean_bounds(counts, np.array([5.0, 5.0]), GRADES, np.array(3.84))
    assert [float(end) for end in ends] == pytest.approx([3.0, 5.0], abs=1e-6)
    ends = mean_bounds(COUNTS, COUNTS.sum(axis=1), GRADES, np.array(3.84))
    mean = (COUNTS @ GRADES).sum() / COUNTS.sum()
    assert [float(end) for end in ends] == pytest.approx([mean, mean], abs=1e-9)


def test_rare_bad_grades_are_covered_and_not_by_the_labelled_spread() -> None:
    """Seed 6, 1,500 runs, least .95 - 3 standard errors; of the items that the judge calls good 1 %
    are a 1 and few of them labelled; the twin is Student's t on the spread of what is labelled."""
    random = np.random.default_rng(SEED)
    held = np.array([[28, 0, 0, 2772], [22, 10, 70, 98]])
    size, labels = held.sum(axis=1), 60
    truth = (held @ GRADES).sum() / size.sum()
    counts = np.stack(
        [random.multivariate_hypergeometric(of, labels, size=RUNS) for of in held], axis=1
    ).astype(float)
    low, high = mean_bounds(counts, size, GRADES, np.full(RUNS, 3.92))
    assert ((low <= truth) & (truth <= high)).mean() >= LEAST
    mean = counts @ GRADES / labels
    variance = (counts @ GRADES**2 / labels - mean**2) / (labels - 1) * (1 - labels / size)
    share = size / size.sum()
    apart = np.abs(mean @ share - truth) / np.sqrt(variance @ share**2)
    assert (apart**2 <= 3.92).mean() < LEAST
