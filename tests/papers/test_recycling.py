"""Published numbers of Tripathi et al., and what is broken as printed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from benchmarks.papers.recycling import outlier
from benchmarks.papers.recycling_grid import (
    PRINTED,
    RATIOS,
    SIZE,
    exact_means,
    grid_values,
    run_grid,
    trial,
)
from benchmarks.papers.recycling_models import recalls, run_trials
from labelcore.papers.recycling.samples import sample_size
from labelcore.papers.recycling.savings import mean_savings, savings

NOISE = 1e-4


@pytest.mark.parametrize(("precision", "size"), [(0.5, 1068), (0.9, 385), (0.93, 278)])
def test_sample_sizes(precision: float, size: int) -> None:
    """Section 3.2: a margin of 3 points at 95 %."""
    assert sample_size(0.03, 0.05, precision) == size


@pytest.mark.parametrize("cell", PRINTED)
def test_mean_savings_of_table_1(cell: tuple[float, float]) -> None:
    """Within a point by lemma 3 with 1100 draws for parent and child, at the printed digits."""
    ours = round(100 * savings(SIZE, SIZE, *cell).mean_share, 2)
    assert abs(ours - PRINTED[cell][0]) <= 1.0 + 1e-9


def test_mean_savings_of_all_combinations() -> None:
    """34.2 % where the paper has 33.68 %; part b alone, without the cut, would give 50 %."""
    exact = exact_means()
    assert exact.mean() == pytest.approx(34.2, abs=0.05)
    assert exact.max() == pytest.approx(100 * mean_savings(SIZE, SIZE, 0.95, 0.95))
    never_cut = 100 * np.broadcast_to(RATIOS[:, None], exact.shape)
    assert abs(never_cut.mean() - 33.68) > 10


def test_lower_percentiles_do_not_come_out() -> None:
    """Printed 55.49 % at PIR = CIR = .85; any fixed size has its 2.5th percentile near the mean."""
    for size in (278, 385, 1068, 1100, 4400):
        assert 100 * savings(size, size, 0.85, 0.85).quantile(0.025) / size > 79


def test_precision_errors_of_the_grid() -> None:
    """Mean 1.367 and deviation 1.269 %: 10 trials a combination, within four standard errors."""
    grid = run_grid(10, seed=2)
    found = grid_values(grid, exact_means())
    error = 4 * 1.269 / np.sqrt(grid.error.size)
    for name in ("grid_error", "grid_srs_error"):
        assert found[f"{name}_mean"] == pytest.approx(1.367, abs=error)
        assert found[f"{name}_sd"] == pytest.approx(1.269, abs=2 * error)
    assert found["grid_mean_savings"] == pytest.approx(34.2, abs=0.1)


@lru_cache(maxsize=1)
def models() -> pd.DataFrame:
    return run_trials(50, 2_000, decaying=False)[0]


@pytest.mark.parametrize("model", ["ML1", "ML2", "ML3"])
def test_median_savings_of_the_vote(model: str) -> None:
    """Section 5.2, figure 2(a): above 85 % in at least half of the trials."""
    table = models()
    shuffle = table[(table["algorithm"] == "shuffle") & (table["model"] == model)]
    assert shuffle["savings"].median() > 85


def test_the_printed_outlier_is_a_plain_interval_of_1100_draws() -> None:
    """Its error is 4.5 standard errors of 1100 independent draws: the draws were not."""
    found = outlier()
    assert round(found["figure2_outlier_error"], 2) == 12.43
    assert round(found["figure2_outlier_size"]) == 1100
    assert (0.539 - 0.472) / np.sqrt(0.539 * 0.461 / 1100) > 4.4


def covers(option: str, own: bool, runs: int = 400) -> bool:
    """Whether 95 % intervals at PIR = CIR = .9 hold as often as they say, but for noise."""
    random = np.random.default_rng((9, len(option)))
    held = 0
    for _ in range(runs):
        one = trial(random, 0.9, 0.9, option)
        low, high = one.own_interval()[1:] if own else one.printed_interval()
        held += low <= one.precision <= high
    return bool(held >= binom.ppf(NOISE, runs, 0.95))


def test_plain_interval_of_option_sample_is_broken() -> None:
    """Lemma 1: elements repeat, so that a plain Wald interval covers .83 instead of .95."""
    assert covers("shuffle", own=True)
    assert not covers("sample", own=False)


def test_option_sample_has_nearly_twice_the_variance_of_lemma_1() -> None:
    """1500 trials; 1.98 by theory, 1 by independence, limits of four standard errors."""
    random = np.random.default_rng(6)
    for option, expected in (("sample", 1.98), ("shuffle", 1.0)):
        squared, spread = np.zeros(1500), np.zeros(1500)
        for run in range(1500):
            one = trial(random, 0.9, 0.9, option)
            squared[run] = (one.printed - one.precision) ** 2
            spread[run] = one.precision * (1 - one.precision) / SIZE
        ratio = squared.sum() / spread.sum()
        error = squared.std() / spread.mean() / np.sqrt(1500)
        assert abs(ratio - expected) < 4 * error
        assert (abs(ratio - 1.0) > 4 * error) == (option == "sample")


def test_recalls_by_section_6() -> None:
    """TP of 80 and 60 among 100 positives, 20 of them among 900 predicted negatives."""
    found = recalls([0.8, 0.5], [100, 120], 20 / 900, 900)
    assert found == pytest.approx([0.8, 0.6])
    assert found[1] / found[0] == pytest.approx(0.5 * 120 / (0.8 * 100))
    assert np.isnan(recalls([0.0, 0.0], [10, 10], 0.0, 90)).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([1.2], [5], 0.1, 5), "precisions must lie between 0 and 1"),
        (([0.2], [5], 1.1, 5), "false_omission_rate must lie in 0 to 1, got 1.1"),
        (([0.2], [-5], 0.1, 5), "must not be below 0"),
    ],
)
def test_recalls_refuse(given: tuple[list[float], list[int], float, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        recalls(*given)
