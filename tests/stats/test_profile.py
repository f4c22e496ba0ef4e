"""The G-profile interval against a general constrained optimiser, and its limiting cases."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import rel_entr, xlogy
from scipy.stats import t as student

from labelcore.estimands import SCALARS, ratios
from labelcore.stats.profile import (
    Cells,
    fixed_critical,
    many_fitted,
    plug_in_totals,
    profile_bounds,
    variance_shares,
)
from labelcore.stats.profile_interval import profile_interval
from tests.cases import sampled

Q = 3.841459


def cells(size, labelled, positive, above: int) -> Cells:  # type: ignore[no-untyped-def]
    arrays = [np.array(x, dtype=float) for x in (size, labelled, positive)]
    return Cells(*arrays, np.arange(len(size)) < above)


CHECK = cells([50, 50, 40, 400, 4000], [10, 10, 10, 20, 20], [9, 7, 0, 1, 0], 2)
CASES = {
    "check": CHECK,
    "a stratum without labels": cells([50, 30, 40, 400], [10, 0, 10, 20], [9, 0, 0, 1], 2),
    "all hits": cells([50, 30, 40, 400], [10, 8, 10, 20], [10, 8, 10, 20], 2),
    "no hits": cells([50, 30, 40, 400], [10, 8, 10, 20], [0, 0, 0, 0], 2),
    "two fully labelled": cells([50, 30, 40, 400], [50, 8, 40, 20], [40, 6, 1, 1], 2),
    "all called positive": cells([50, 30, 400], [5, 3, 40], [1, 0, 30], 3),
    "none called positive": cells([50, 30, 400], [5, 3, 40], [1, 0, 30], 0),
}


def interval(case: Cells, name: str, q: float = Q, target: str = "file") -> tuple[float, float]:
    low, high = profile_bounds(case, ratios([SCALARS[name]], case), np.array([q]), target=target)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", (0.89366, 0.99678)),
        ("precision", (0.61454, 0.91810)),
        ("recall", (0.14477, 0.97969)),
        ("f1", (0.24364, 0.92417)),
    ],
)
def test_check_values_of_methods_7_1(name: str, expected: tuple[float, float]) -> None:
    assert interval(CHECK, name) == pytest.approx(expected, abs=1e-5)


def test_check_estimates_of_methods_7_1() -> None:
    rows = [SCALARS[name] for name in ("accuracy", "precision", "recall", "f1")]
    value = ratios(rows, CHECK).value(plug_in_totals(CHECK))
    assert value == pytest.approx([0.99119, 0.8, 0.8, 0.8], abs=1e-5)


def by_optimiser(case: Cells, name: str, sign: int, target: str) -> float:
    """The extreme of one ratio over the region, by sequential quadratic programming on shares x of
    the unlabelled items; "process" uses the limit of D for infinitely many of them, the binomial
    likelihood ratio."""
    table = ratios([SCALARS[name]], case)
    is_open = (case.unlabelled > 0) | (target == "process")
    upwards = sign * table.gradient(np.array([0.5]))[0] > 0
    quarter = np.zeros(len(case.size))
    for side in (True, False):
        mask = (case.predicted == side) & is_open
        if case.labelled[mask].sum():
            quarter[mask] = case.labelled[mask] / (4 * case.labelled[mask].sum())
    s = (case.positive + quarter * upwards)[is_open]
    f = (case.labelled - case.positive + quarter * ~upwards)[is_open]
    n, free = s + f, case.unlabelled[is_open]

    def statistic(x: np.ndarray) -> float:
        if target == "process":
            safe = np.maximum(n, 1e-300)
            return float(2 * (n * (rel_entr(s / safe, x) + rel_entr(f / safe, 1 - x))).sum())
        u, v = free * x, free * (1 - x)
        k, rest = s + u, f + v
        apart = xlogy(s, s) + xlogy(f, f) - xlogy(n, n) + xlogy(u, u) + xlogy(v, v)
        return float(
            2 * (apart - xlogy(free, free) - xlogy(k, k) - xlogy(rest, rest)
                 + xlogy(k + rest, k + rest)).sum()
        )  # fmt: skip

    def ratio(x: np.ndarray) -> float:
        totals = case.positive.copy()
        totals[is_open] = (
            case.size[is_open] * x if target == "process" else totals[is_open] + free * x
        )
        return float(table.value(totals)[0])

    rng, best = np.random.default_rng(0), -np.inf
    for spread in (0, 0.02, 0.05, 0.1):
        start = np.clip((s + 0.3) / (n + 0.6) + rng.normal(0, spread, len(s)), 0.01, 0.99)
        found = minimize(
            lambda x: -sign * ratio(x), start, method="SLSQP", bounds=[(1e-12, 1 - 1e-12)] * len(s),
            constraints=[{"type": "ineq", "fun": lambda x: Q - statistic(x)}],
            options={"maxiter": 1000, "ftol": 1e-13},
        )  # fmt: skip
        if statistic(found.x) < Q + 1e-6:
            best = max(best, -found.fun)
    return sign * best


ASKED = ("accuracy", "precision", "recall", "f1", "specificity")


@pytest.mark.full
@pytest.mark.parametrize(
    ("case", "name", "target"), sampled(product(CASES, ASKED, ("file", "process")), 6, seed=1)
)
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
def test_equals_a_general_optimiser(case: str, name: str, target: str) -> None:
    counts = CASES[case]
    if np.isnan(ratios([SCALARS[name]], counts).value(plug_in_totals(counts))[0]):
        pytest.skip("0 / 0")
    expected = [by_optimiser(counts, name, sign, target) for sign in (-1, 1)]
    assert interval(counts, name, target=target) == pytest.approx(expected, abs=3e-6)


COUNTS = st.lists(
    st.integers(1, 60).flatmap(
        lambda size: st.integers(0, size).flatmap(
            lambda n: st.tuples(st.just(size), st.just(n), st.integers(0, n))
        )
    ),
    min_size=1,
    max_size=8,
)


@given(COUNTS, st.integers(0, 8), st.sampled_from(sorted(SCALARS)))
def test_region_lies_within_what_is_possible(
    rows: list[tuple[int, int, int]], above: int, name: str
) -> None:
    """Bounds hold the estimate and never leave the worst and best completion of the file."""
    case = cells(*zip(*rows, strict=True), above)
    table = ratios([SCALARS[name]], case)
    value = table.value(plug_in_totals(case))[0]
    low, high = interval(case, name)
    if np.isnan(value) or np.isnan(low) or np.isnan(high):
        return
    rising = table.gradient(np.array([0.5]))[0] > 0
    free = case.unlabelled
    least = table.value(case.positive + np.where(rising, 0, free))[0]
    most = table.value(case.positive + np.where(rising, free, 0))[0]
    assert 0 <= low <= high <= 1
    if not np.isnan(least):
        assert low >= least - 1e-9
    if not np.isnan(most):
        assert high <= most + 1e-9
    if np.all(case.labelled > 0):
        assert low <= value + 1e-6 and value <= high + 1e-6


def test_zero_width_only_where_every_item_that_matters_is_labelled() -> None:
    census = cells([5, 7], [5, 7], [3, 1], 1)
    for name in SCALARS:
        low, high = interval(census, name)
        assert low == high
    half = cells([5, 7], [5, 4], [3, 1], 1)
    assert interval(half, "precision") == pytest.approx((0.6, 0.6))
    for name in ("accuracy", "recall", "f1", "prevalence", "false_omission_rate"):
        low, high = interval(half, name)
        assert high - low > 0.01, name
    for name in ("accuracy", "precision"):
        low, high = interval(census, name, target="process")
        assert high - low > 0.1, "a census of the file is a sample of the process"


def test_width_shrinks_with_labels_and_grows_with_the_critical_value() -> None:
    widths = [
        np.ptp(interval(cells([1000, 1000], [n, n], [0.8 * n, 0.1 * n], 1), "recall"))
        for n in (10, 50, 200, 800, 990)
    ]
    assert widths == sorted(widths, reverse=True)
    spread = [np.ptp(interval(CHECK, "f1", q)) for q in (1e-6, 1.0, 3.84, 12.0)]
    assert spread == sorted(spread)


@pytest.mark.parametrize(("many", "each"), [(90, 2), (20, 3)])
def test_rows_over_many_cells_hold_and_a_twin_of_known_rates_not(many: int, each: int) -> None:
    """Seed 5, 1,500 samples of each of the cells with 50 items: 3 standard errors above .05 are
    .067; the twin is wrong in .15 and .09."""
    rng, runs = np.random.default_rng(5), 1500
    size, labelled = np.full(many, 50.0), np.full(many, float(each))
    positive = np.rint(50 * rng.uniform(0.05, 0.95, many))
    found = rng.hypergeometric(positive.astype(int), 50 - positive.astype(int), each, (runs, many))
    above = np.arange(many) < many // 2
    part = Cells(*np.broadcast_arrays(size, labelled, found.astype(float)), above)
    table = ratios([SCALARS["accuracy"]], part)
    truth = float(np.where(above, positive, 50 - positive).sum() / (50 * many))

    def wrong(inflation: np.ndarray | float) -> float:
        low, high = profile_interval(part, table, 0.95, inflation=inflation, whole_items=False)
        return float(((low[:, 0] > truth) | (high[:, 0] < truth)).mean())

    assert wrong(many_fitted(part.labelled, variance_shares(part, table), 0.95)) < 0.067
    assert wrong(1.0) > 0.08
    alike = many_fitted(np.full(40, 3.0), np.ones((1, 40)), 0.95)
    by_hand = (1 + (1 - 1 / 40) / 2) * (student.ppf(0.975, np.inf) / student.ppf(0.975, 80)) ** 2
    assert alike == pytest.approx([by_hand])


def test_twin_without_the_finite_population_factor_is_too_wide() -> None:
    """80 % of each stratum labelled: "process" ignores it and is over twice as wide."""
    mostly = cells([100, 1000], [80, 800], [64, 40], 1)
    for name in ("accuracy", "precision", "recall", "f1"):
        file, process = (np.ptp(interval(mostly, name, target=t)) for t in ("file", "process"))
        assert process > 2 * file


def test_critical_value_by_hand() -> None:
    """Precision of CHECK: weights g = 1, N = 50 twice; s~ = 9.5/11 and 7.5/11;
    w = 2500 s~(1-s~)/10 (1 - 10/50); df = (w1 + w2)^2 / (w1^2/9 + w2^2/9)."""
    rate = np.array([9.5, 7.5]) / 11
    w = 2500 * rate * (1 - rate) / 10 * 0.8
    df = w.sum() ** 2 / (w**2 / 9).sum()
    table = ratios([SCALARS["precision"]], CHECK)
    np.testing.assert_allclose(variance_shares(CHECK, table)[0, :2], w, rtol=1e-12)
    np.testing.assert_allclose(variance_shares(CHECK, table)[0, 2:], 0, atol=1e-12)
    expected = student.ppf(0.975, df) ** 2
    assert fixed_critical(CHECK, table, 0.95)[0] == pytest.approx(expected, rel=1e-10)


def test_critical_value_uses_the_fitted_rates_and_at_least_four_degrees() -> None:
    few = cells([50, 500], [2, 2], [2, 0], 1)
    table = ratios([SCALARS["precision"]], few)
    assert fixed_critical(few, table, 0.95)[0] == pytest.approx(student.ppf(0.975, 4) ** 2)
    theta = np.array([1.0, 0.5, 0.01, 0.01, 0.0])
    smooth = (CHECK.positive + np.clip(theta, 0.02, 0.98)) / (CHECK.labelled + 1)
    shares = variance_shares(CHECK, ratios([SCALARS["prevalence"]], CHECK), theta)[0]
    by_hand = CHECK.size**2 * smooth * (1 - smooth) / CHECK.labelled
    by_hand *= 1 - CHECK.labelled / CHECK.size
    np.testing.assert_allclose(shares, by_hand, rtol=1e-12)


def test_labelled_everything_has_no_spread_and_no_error() -> None:
    census = cells([5, 7], [5, 7], [3, 1], 1)
    critical = fixed_critical(census, ratios([SCALARS["f1"]], census), 0.95)
    assert np.isfinite(critical[0])


def test_many_strata_and_ratios_at_once_equal_one_at_a_time() -> None:
    rng = np.random.default_rng(5)
    size = rng.integers(10, 5000, 18)
    labelled = rng.integers(2, 10, 18)
    case = cells(size, labelled, rng.binomial(labelled, np.linspace(0.95, 0.01, 18)), 6)
    rows = list(SCALARS.values())
    low, high = profile_bounds(case, ratios(rows, case), np.linspace(1, 9, len(rows)))
    for i, row in enumerate(rows):
        alone = interval(case, row.name, np.linspace(1, 9, len(rows))[i])
        assert (low[i], high[i]) == pytest.approx(alone, abs=1e-8)


SWAPPED = {"recall": "specificity", "precision": "negative_predictive_value"}
RUNS, FEW_ITEMS, FEW_LABELS = 2000, np.array([27.0, 243.0]), np.array([27.0, 93.0])


@pytest.mark.parametrize("name", SWAPPED)
def test_in_whole_items_the_classes_may_change_their_names(name: str) -> None:
    """Recall of one class is specificity of the other, to the last item: seed 8, 2,000 samples of
    270 items, of which 150 have no label, with 10 positives of 27 that are called so and 6 missed
    ones. Each covers the true share in .95 of them, less three standard errors."""
    random = np.random.default_rng(8)
    missed = random.hypergeometric(6, 237, 93, RUNS)
    positive = np.column_stack([np.full(RUNS, 10), missed]).astype(float)
    size, labelled = (np.tile(counts, (RUNS, 1)) for counts in (FEW_ITEMS, FEW_LABELS))
    called = np.array([True, False])
    cases = (
        Cells(size, labelled, positive, called),
        Cells(size, labelled, labelled - positive, ~called),
    )
    true = {"recall": 10 / 16, "precision": 10 / 27}[name]
    own, other = (
        np.array(profile_interval(case, ratios([SCALARS[row]], case), 0.95))
        for case, row in zip(cases, (name, SWAPPED[name]), strict=True)
    )
    assert np.allclose(own, other, atol=1e-7)
    held = (other[0] <= true + 1e-9) & (true <= other[1] + 1e-9)
    assert held.mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / RUNS)
