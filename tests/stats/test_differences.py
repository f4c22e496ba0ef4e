"""The interval of a difference against other optimisers, by hand, and with mistakes."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import xlogy

from labelcore.estimands import DIFFERENCES, ratios, table_of
from labelcore.stats.profile import Cells, profile_bounds
from labelcore.stats.profile_interval import difference_bounds
from tests.cases import sampled

BOTH, FIRST, SECOND, NEITHER = 3, 1, 2, 0


def cells_of(
    sides: list[int], size: list[float], labelled: list[float], positive: list[float]
) -> Cells:
    said = np.array(sides)
    return Cells(
        np.array(size, float), np.array(labelled, float), np.array(positive, float),
        said % 2 == 1, None, said // 2 == 1,
    )  # fmt: skip


CASE = cells_of(
    [FIRST, FIRST, SECOND, BOTH, BOTH, NEITHER, NEITHER],
    [60, 40, 90, 120, 300, 400, 4000], [12, 10, 20, 15, 10, 20, 20], [4, 7, 15, 12, 10, 2, 0],
)  # fmt: skip
SPARSE = cells_of(
    [FIRST, SECOND, BOTH, NEITHER], [30, 30, 50, 2000], [10, 10, 10, 60], [5, 6, 9, 1]
)


def quarters(cells: Cells, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """s and f with a quarter of a label for each pair of predictions, towards the bound."""
    s, f = cells.positive.copy(), cells.labelled - cells.positive
    for side in range(4):
        mine = (cells.sides == side) & (cells.unlabelled > 0)
        share = np.where(mine, cells.labelled / (4 * max(cells.labelled[mine].sum(), 1e-9)), 0)
        s, f = s + share * (slope > 0), f + share * (slope <= 0)
    return s, f


def statistic(u: np.ndarray, s: np.ndarray, f: np.ndarray, free: np.ndarray) -> float:
    n, v = s + f, free - u
    parts = (
        xlogy(s, s) + xlogy(f, f) - xlogy(n, n) + xlogy(u, u) + xlogy(v, v) - xlogy(free, free)
        - xlogy(s + u, s + u) - xlogy(f + v, f + v) + xlogy(n + free, n + free)
    )  # fmt: skip
    return float(2 * parts.sum())


def by_slsqp(cells: Cells, name: str, q: float, sign: int) -> float:
    """The bound by sequential quadratic programming from several starts, with the quarters of the
    extreme that was found."""
    table = table_of([DIFFERENCES[name]], cells)
    free = cells.unlabelled

    def value(x: np.ndarray) -> float:
        return float(table.value(cells.positive + x * free)[0])

    rng, best = np.random.default_rng(5), -np.inf
    slope = sign * table.sensitivity(cells.size * (cells.positive + 0.5) / (cells.labelled + 1))[0]
    for _ in range(2):
        s, f = quarters(cells, slope)
        inside = {
            "type": "ineq",
            "fun": lambda x, s=s, f=f: q - statistic(np.clip(x, 1e-12, 1) * free, s, f, free),
        }
        rate, best = s / (s + f), -np.inf
        for _ in range(2):
            start = np.clip(rate * rng.uniform(0.8, 1.2, len(rate)), 0.001, 0.999)
            found = minimize(
                lambda x: -sign * value(x), start, bounds=[(1e-9, 1 - 1e-9)] * len(rate),
                constraints=[inside], method="SLSQP", options={"ftol": 1e-13, "maxiter": 500},
            )  # fmt: skip
            if found.success and inside["fun"](found.x) > -1e-6 and sign * value(found.x) > best:
                best = sign * value(found.x)
                slope = sign * table.sensitivity(cells.positive + found.x * free)[0]
    return sign * best


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(DIFFERENCES, 2, seed=1))
@pytest.mark.parametrize("case", [CASE, SPARSE], ids=["case", "sparse"])
def test_bounds_are_the_extremes_that_slsqp_finds(name: str, case: Cells) -> None:
    q = 3.841459
    low, high = difference_bounds(case, table_of([DIFFERENCES[name]], case), np.array([q]))
    assert low[0] == pytest.approx(by_slsqp(case, name, q, -1), abs=2e-5)
    assert high[0] == pytest.approx(by_slsqp(case, name, q, 1), abs=2e-5)


def test_f1_against_every_whole_number_of_small_cells() -> None:
    """Brute force: every assignment of the unlabelled items inside the region lies within the
    bounds, and one comes near each (whole numbers leave gaps)."""
    cells = cells_of([FIRST, SECOND, BOTH, NEITHER], [12, 11, 14, 14], [6, 5, 6, 6], [4, 2, 5, 1])
    table, q = table_of([DIFFERENCES["f1_difference"]], cells), 3.841459
    low, high = difference_bounds(cells, table, np.array([q]))
    slope = table.sensitivity(cells.size * cells.positive / cells.labelled)[0]
    for sign, bound in ((1, high[0]), (-1, low[0])):
        s, f = quarters(cells, sign * slope)
        inside = [
            float(table.value(cells.positive + np.array(u))[0])
            for u in product(*(range(int(m) + 1) for m in cells.unlabelled))
            if statistic(np.array(u, float), s, f, cells.unlabelled) <= q
        ]
        assert max(sign * np.array(inside)) <= sign * bound + 1e-9
        assert max(sign * np.array(inside)) > sign * bound - 0.04


@pytest.mark.parametrize("name", DIFFERENCES)
def test_exact_where_all_is_labelled(name: str) -> None:
    census = cells_of([1, 2, 3, 0], [9, 8, 30, 90], [9, 8, 30, 90], [5, 6, 20, 7])
    low, high = difference_bounds(census, table_of([DIFFERENCES[name]], census), np.array([9.0]))
    truth = {
        "accuracy_difference": (5 - 4 - 6 + 2) / 137,
        "precision_difference": 25 / 39 - 26 / 38,
        "recall_difference": (25 - 26) / 38,
        "f1_difference": 50 / (38 + 39) - 52 / (38 + 38),
    }[name]
    assert low[0] == pytest.approx(truth, abs=1e-12) and high[0] == pytest.approx(truth, abs=1e-12)


def test_accuracy_needs_no_label_where_the_two_agree() -> None:
    settled = cells_of([1, 2, 3, 0], [9, 8, 30, 90], [9, 8, 0, 0], [5, 6, 0, 0])
    table = table_of([DIFFERENCES["accuracy_difference"]], settled)
    low, high = difference_bounds(settled, table, np.array([9.0]))
    assert low[0] == pytest.approx(-3 / 137, abs=1e-12) == high[0]


@pytest.mark.parametrize("name", DIFFERENCES)
def test_swapping_the_two_swaps_the_bounds(name: str) -> None:
    other = Cells(CASE.size, CASE.labelled, CASE.positive, CASE.other, None, CASE.predicted)
    found, turned = (
        difference_bounds(one, table_of([DIFFERENCES[name]], one), np.array([5.0]))
        for one in (CASE, other)
    )
    assert found[0] == pytest.approx(-turned[1], abs=1e-8)
    assert found[1] == pytest.approx(-turned[0], abs=1e-8)


def test_two_separate_intervals_say_less() -> None:
    """The bounds of A less those of B, as if each came from a sample of its own, hold but are much
    wider: the pair shares what both get right."""
    row = DIFFERENCES["f1_difference"]
    table = table_of([row], CASE)
    low, high = difference_bounds(CASE, table, np.array([3.84]))
    first = profile_bounds(CASE, ratios([row], CASE), np.array([3.84]))
    turned = Cells(CASE.size, CASE.labelled, CASE.positive, CASE.other)
    second = profile_bounds(turned, ratios([row], turned), np.array([3.84]))
    assert first[1][0] - second[0][0] - (first[0][0] - second[1][0]) > 2 * (high[0] - low[0])


def test_a_difference_needs_two_predictions() -> None:
    alone = Cells(CASE.size, CASE.labelled, CASE.positive, CASE.predicted)
    with pytest.raises(ValueError, match="predictions of two classifiers"):
        table_of([DIFFERENCES["recall_difference"]], alone)
