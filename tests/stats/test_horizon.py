"""The boundary for a planned size, by exact recursion over the labels of a plain random sample.

Nothing here is simulated: each number is the chance that the interval is wrong at one of the looks,
one after every label. The mistakes beside it must be seen.
"""

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks import horizon as exact
from labelcore.stats import horizon
from labelcore.stats.horizon import (
    LEARNING,
    LEVELS,
    STEADY,
    THEN,
    boundary,
    covered_share,
    least_boundary,
    stretch,
    watched_share,
)
from labelcore.stats.profile import Cells, Ratios
from tests.cases import sampled

LEVEL = 0.05


@pytest.mark.parametrize("planned", [20, 100, 300])
def test_ever_wrong_at_most_the_level_at_every_rate(planned: int) -> None:
    assert exact.worst(planned)[0] <= LEVEL


def test_mistakes_are_seen() -> None:
    assert exact.worst(100, statistic=exact.wilson_statistic)[0] > 2 * LEVEL
    assert exact.worst(100, statistic=exact.without_quarter)[0] > 1.5 * LEVEL
    assert exact.worst(100, standard_errors=lambda _: 1.96)[0] > 5 * LEVEL


@pytest.mark.full
@pytest.mark.parametrize("times", [2, 4])
def test_going_on_within_the_horizon(times: int) -> None:
    assert exact.worst(60, times, going_on=times)[0] <= LEVEL


def test_going_on_without_a_horizon_is_seen() -> None:
    assert exact.worst(60, going_on=4)[0] > 2 * LEVEL


@pytest.mark.parametrize("size", [60, 300])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.9, 1.0])
def test_files_of_which_any_share_is_planned(size: int, share: float) -> None:
    last, positives = round(share * size), exact.positives_for(size)
    found = exact.ever_wrong_in_file(exact.of_plan(last, size), size, last, positives)
    assert found.max() <= LEVEL


def test_a_level_end_without_its_own_constant_is_seen() -> None:
    """From four fifths of a file on the information grows many times over."""
    size = 600

    def short(labels: int) -> float:
        share = labels / (size - labels) / 4
        return 2.30 * min(share, 1.0) ** (horizon.DELTA - 0.5)

    found = exact.ever_wrong_in_file(short, size, size, exact.positives_for(size))
    assert found.max() > 1.5 * LEVEL


@pytest.mark.parametrize("level", sampled([0.1, 0.05, 0.035, 0.01], 1, seed=1, keep=[0.035]))
def test_constants_are_those_of_the_recursion(level: float) -> None:
    """Also between the levels of the table; four hundredths less are too few."""
    z = exact.of_plan(300, alpha=level)

    def most(less: float) -> float:
        return max(
            float(exact.ever_wrong(lambda n: (z(n) - less) ** 2, rate, 300)[-1])
            for rate in (0.36, 0.41, 0.5)
        )

    assert most(0.0) <= level < most(0.05)


def test_a_row_of_the_table_is_found_again() -> None:
    found = exact.steady(0.2, 1, 300)
    assert found <= STEADY[0][0] <= found + 0.04
    assert LEVELS[0] == 0.2


@pytest.mark.parametrize("table", [STEADY, THEN])
def test_constants_rise_by_little_with_level_and_range(
    table: tuple[tuple[float, ...], ...],
) -> None:
    for axis, most in ((0, 0.6), (1, 0.4)):
        steps = np.diff(table, axis=axis)
        assert steps.min() > 0 and steps.max() < most


def test_the_interval_is_the_region_of_the_recursion() -> None:
    """The bounds leave out just the numbers of positives whose statistic exceeds z^2."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        size = int(rng.integers(5, 400))
        labels = int(rng.integers(1, size))
        hits = int(rng.integers(0, labels + 1))
        z = float(rng.uniform(1.5, 6))
        low, high = watched_share(hits, labels, size, z)
        every = np.arange(hits, size - labels + hits + 1.0)
        out = exact.file_statistic(np.array([[float(hits)]]), labels, size, every)[0] > z**2
        inside = (every / size >= low - 1e-9) & (every / size <= high + 1e-9)
        assert inside.tolist() == (~out).tolist()


def test_the_boundary_by_hand() -> None:
    assert float(boundary(1.0, 0.0, 0.05)) == pytest.approx(2.30)
    assert float(boundary(0.25, 0.0, 0.05)) == pytest.approx(2.30 * 0.25**-0.35)
    assert float(boundary(0.5, 0.25, 0.05)) == pytest.approx(2.30 * (1 / 3) ** -0.35)
    assert float(boundary(1.0, 0.0, 0.05, 4)) == pytest.approx(2.38, abs=0.02)
    assert float(boundary(2.0, 0.0, 0.05, 4)) > float(boundary(1.0, 0.0, 0.05, 4))
    assert float(boundary(1.5, 0.5, 0.05, 2)) == pytest.approx(3.09), "four times the information"


@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
def test_a_size_that_is_not_known_takes_its_share_of_the_level(level: float) -> None:
    """The constant by exact recursion, from the first label; a tenth less takes too much."""
    z = float(boundary(1e-6, 0.0, level, 4, learned=True))
    every = [
        [exact.ever_wrong(lambda _, reach=reach: reach**2, rate, 1_000)[-1] for rate in (0.36, 0.5)]
        for reach in (z, 0.9 * z)
    ]
    assert np.max(every[0]) <= LEARNING * level < np.max(every[1])
    for done in (0.001, 0.1, 0.3, 1.0, 3.0):
        known = float(boundary(done, 0.3, level * (1 - LEARNING), 4))
        assert float(boundary(done, 0.3, level, 4, learned=True)) == min(known, z)


def test_the_boundary_never_rises_before_the_planned_size() -> None:
    for planned in (0.1, 0.5, 0.8, 0.81, 0.95, 1.0):
        done = np.linspace(0.01, 1, 100)
        for how_far in (1, 4):
            z = boundary(done, planned * done, 0.05, how_far)
            assert np.all(np.diff(z) <= 1e-12)


def test_covered_share() -> None:
    """One cell: n / N. Cells that are fully labelled no longer count."""
    cells = Cells(*np.array([[80.0, 40.0], [20.0, 40.0], [10.0, 10.0]]), np.array([True, True]))
    table = Ratios(np.zeros(1), np.ones((1, 2)), np.array([120.0]), np.zeros((1, 2)))
    assert covered_share(cells, table) == pytest.approx([0.25])
    of_file, of_process = (
        stretch(cells, table, 0.95, 0.5, 1, target=target) for target in ("file", "process")
    )
    for covered, found in ((0.25, of_file), (0.0, of_process)):
        assert found == pytest.approx((boundary(0.5, covered, 0.05) / ndtri(0.975)) ** 2)
    nearly = Cells(*np.array([[80.0, 40.0], [79.0, 40.0], [10.0, 10.0]]), np.array([True, True]))
    assert covered_share(nearly, table) == pytest.approx([79 / 80])


@pytest.mark.parametrize("horizon", [1, 2, 4, 16])
def test_the_least_boundary_is_below_the_boundary_whatever_is_covered(horizon: int) -> None:
    """Without the level it would not be: a few items may be nearly all labelled early on."""
    done = np.linspace(0.01, horizon, 200)[:, None]
    covered = np.linspace(0, 1, 301)[None, :]
    for alpha in (0.2, 0.05, 0.03, 0.001):
        real = boundary(done, covered, alpha, horizon)
        unknown = boundary(done, covered, alpha, horizon, learned=True)
        least = least_boundary(done, alpha, horizon) / (1 + 1e-12)
        assert (least <= np.minimum(real, unknown)).all()
        assert (boundary(done, 0.0, alpha) > real).any()
