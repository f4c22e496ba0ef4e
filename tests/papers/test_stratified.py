"""Kumar and Raj (2018): what must come out of their formulas, and what is broken as printed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import binom, chi2, norm

from benchmarks.papers.stratified_formulas import (
    gain_of_optimal,
    gain_of_strata,
    loss_of_small_strata,
)
from benchmarks.papers.stratified_runs import (
    Sample,
    Strata,
    fixed_counts,
    labels_for_error,
    printed_sessions,
    shared,
)
from labelcore.papers.stratified.accuracy_variance import (
    equal_variance,
    optimal_variance,
    proportional_variance,
    random_variance,
)
from labelcore.papers.stratified.neyman import (
    estimated_spreads,
    printed_counts,
    proportional_counts,
)
from labelcore.stats.allocation import largest_remainder

NOISE = 1e-4


# --- exact ---------------------------------------------------------------------------------------


def test_equations_11_to_13() -> None:
    """A_k = .95, .8, .5 with W = .5, .3, .2: A = .815; 1/n (.5 x .018225 + .3 x .000225 +
    .2 x .099225) = .029025/n; S = .217945, .4, .5, S_M = .328972."""
    sizes, shares = np.array([5, 3, 2]) * 10**8, [0.95, 0.8, 0.5]
    gain = gain_of_strata(sizes, shares, 100)
    assert gain == pytest.approx(0.029025 / 100, rel=1e-9)
    difference = random_variance(0.815, 10**9, 100) - proportional_variance(sizes, shares, 100)
    assert difference == pytest.approx(gain, rel=1e-6)
    spread = np.sqrt(np.array([0.0475, 0.16, 0.25]))
    second = [0.5, 0.3, 0.2] @ (spread - 0.3289725) ** 2 / 100
    assert gain_of_optimal(sizes, shares, 100) == pytest.approx(second, rel=1e-6)
    difference = proportional_variance(sizes, shares, 100) - optimal_variance(sizes, shares, 100)
    assert difference == pytest.approx(second, rel=1e-6)


def test_small_strata_of_one_accuracy_lose() -> None:
    """Section 3.4.2: N/(N-1) - sum W_k N_k/(N_k-1) = 100/99 - 5/4; its last line lacks N_k."""
    printed = -sum((100 - 5) / (100 * 99 * 4) for _ in range(20)) * 0.16
    found = loss_of_small_strata([5] * 20, 0.8, 1)
    assert found == pytest.approx(0.16 * (100 / 99 - 5 / 4), abs=1e-12)
    assert found == pytest.approx(5 * printed, abs=1e-12)
    assert found == pytest.approx(
        random_variance(0.8, 100, 1) - proportional_variance([5] * 20, [0.8] * 20, 1), abs=1e-12
    )


def test_equal_is_optimal_where_the_products_are_alike_and_can_be_worse_than_random() -> None:
    sizes = np.array([10**9, 4 * 10**9])
    shares = [0.5, 0.5 + np.sqrt(0.25 - 1 / 64)]  # S = 1/2, 1/8
    assert equal_variance(sizes, shares, 50) == pytest.approx(optimal_variance(sizes, shares, 50))
    other = [0.9, 0.8]
    accuracy = 0.2 * 0.9 + 0.8 * 0.8
    assert equal_variance(sizes, other, 50) > random_variance(accuracy, 5 * 10**9, 50)


@pytest.mark.parametrize(("accuracy", "ratio"), [(0.88, 0.59), (0.77, 0.82), (0.67, 0.93)])
def test_best_possible_ratio_falls_as_accuracy_rises(accuracy: float, ratio: float) -> None:
    """Figure 9's trend: two normal classes of equal spread, strata without end: (E sqrt(a(1-a)))^2
    over A(1-A), a the chance of being right at a distance from the threshold; by quadrature."""
    distance = 2 * norm.ppf(accuracy)

    def density(x: float) -> float:
        return float((norm.pdf(x - distance / 2) + norm.pdf(x + distance / 2)) / 2)

    def spread(x: float) -> float:
        a = expit(distance * abs(x))
        return float(np.sqrt(a * (1 - a)) * density(x))

    mean = quad(spread, -12, 12, points=[0], limit=200)[0]
    assert mean**2 / (accuracy * (1 - accuracy)) == pytest.approx(ratio, abs=0.0075)


def test_284_labels_belong_to_an_accuracy_of_953() -> None:
    """Figure 2 (a): the exact mean absolute error of a binomial share."""
    hits = np.arange(285)
    error = (binom.pmf(hits, 284, 0.9532) * np.abs(hits / 284 - 0.9532)).sum()
    assert error == pytest.approx(0.01, abs=5e-5)


# --- broken as printed ---------------------------------------------------------------------------

FROZEN = Strata(np.array([4000, 4000, 1000, 1000]), np.array([3880, 3880, 700, 600]))
RUNS = 1_000
LABELS = 300


def test_a_stratum_whose_first_labels_agree_never_gets_another() -> None:
    """5 of 5 right: S = 0; 27 batches of ten, with ever the same answers, pass it by, though it
    holds four items in ten."""
    drawn, right = np.full(4, 5), np.array([5, 4, 3, 4])
    assert estimated_spreads(drawn, right)[0] == 0
    one_step = printed_counts(FROZEN.sizes, drawn, drawn, right, 280)
    assert one_step[0] == 0 and one_step.sum() == 280
    for _ in range(27):
        added = printed_counts(FROZEN.sizes, drawn, drawn, right, 10)
        assert added[0] == 0
        drawn, right = drawn + added, right + np.rint(added * right / drawn).astype(int)


def is_sound(sample: Sample) -> bool:
    """True error no larger than random sampling's, and the estimated variance close to it: limits
    from the noise of 1,000 runs (chi-square with as many degrees of freedom, chance 1e-4)."""
    high = chi2.isf(NOISE, RUNS) / RUNS
    told = sample.true_ratio / sample.estimated_ratio
    return sample.true_ratio < high and 1 / (1.1 * high) < told < 1.1 * high


def test_proportional_is_sound() -> None:
    counts = proportional_counts(FROZEN.sizes, LABELS)
    assert is_sound(fixed_counts(FROZEN, counts, RUNS, np.random.default_rng(1)))


@pytest.mark.parametrize("step", [None, 10, 20])
@pytest.mark.parametrize("n_initial", [5, 10])
def test_printed_forms_look_splendid_and_are_worse_than_random(
    n_initial: int, step: int | None
) -> None:
    """OPT-A1 (None) and OPT-A2: the estimated variance is under .8 of random sampling's, the true
    error over 1.5 times it, and accuracy comes out too high by a point or more."""
    rng = np.random.default_rng(2)
    _, sample = next(printed_sessions(FROZEN, n_initial, step, (LABELS,), RUNS, rng))
    assert not is_sound(sample)
    assert sample.estimated_ratio < 0.8 and sample.true_ratio > 1.5
    assert sample.errors.mean() > 0.01 and sample.naive_coverage() < 0.6


# --- the benchmark's own machinery ---------------------------------------------------------------


def test_tables_of_sessions_share_as_one_session_does() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        n_strata = int(rng.integers(1, 8))
        shares = rng.random(n_strata) * (rng.random(n_strata) < 0.7) + 1e-9
        room, total = rng.integers(0, 30, n_strata), int(rng.integers(0, 60))
        expected = largest_remainder(shares / shares.sum(), total, room)
        assert np.array_equal(shared(shares[None], total, room[None])[0], expected)


def test_a_session_in_a_table_is_a_session_by_itself() -> None:
    """Each step's labels follow from the counts before it by ``printed_counts``."""
    rng = np.random.default_rng(5)
    looks = (20, 30, 40, 50, 60)
    before: Sample | None = None
    for _, sample in printed_sessions(FROZEN, 5, 10, looks, 20, rng):
        for run in range(20) if before is not None else ():
            n, s = before.labelled[run], before.right[run]  # type: ignore[union-attr]
            added = printed_counts(FROZEN.sizes, n, n, s, 10)
            assert np.array_equal(sample.labelled[run], n + added)
        before = sample


def test_labels_for_an_error() -> None:
    exact = {n: 0.2 / np.sqrt(n) for n in range(100, 900, 50)}
    assert labels_for_error(exact) == pytest.approx(400)
    assert np.isnan(labels_for_error(exact, 0.001))
