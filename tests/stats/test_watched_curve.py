"""The boundary of a curve's band: its constant, its shape, and plans that cover a file."""

import numpy as np
import pytest

from labelcore.stats.horizon import boundary
from labelcore.stats.rank_band import critical_value, spread_of
from labelcore.stats.rank_strata import rank_allocation, rank_edges
from labelcore.stats.watched_curve import watched_critical

LOOKS = 80


@pytest.mark.parametrize("alpha", [0.2, 0.05])
def test_one_stretch_has_the_constant_of_a_single_figure(alpha: float) -> None:
    """That of the exact recursion of a plain random sample, within 3 %; the quantile of one look is
    15 to 26 % below it. (At .01 it is 3 to 4 % above: the recursion counts whole items.)"""
    found = [watched_critical(np.array([10**9]), np.array([99.0]), 1_000, 1.0, alpha, seed)
             for seed in range(3)]  # fmt: skip
    assert np.mean(found) == pytest.approx(float(boundary(1.0, 0.0, alpha)), rel=0.03)


def test_it_is_wide_first_and_level_after_the_planned_size() -> None:
    edges, planned = np.array([50, 150, 400]), np.array([50.0, 20.0, 25.0])
    at = {t: watched_critical(edges, planned, LOOKS, t, 0.05, 1) for t in (0.0, 0.1, 1.0, 1.7)}
    assert at[0.1] == pytest.approx(10**0.35 * at[1.0], rel=1e-12)
    assert at[1.7] == at[1.0] and np.isfinite(at[0.0])


@pytest.mark.full
def test_it_grows_with_confidence_and_with_the_looks() -> None:
    """Against the critical value of one look at the same labels and equal rates."""
    edges = rank_edges(3_000)
    planned = rank_allocation(edges, 400).astype(float)
    sizes = np.diff(edges, prepend=0).astype(float)
    once = critical_value(tuple(spread_of(sizes, planned, planned / 2)), 0.95, 0)
    level = [watched_critical(edges, planned, LOOKS, 1.0, alpha, 0) for alpha in (0.1, 0.05, 0.01)]
    assert level == sorted(level)
    assert 1.05 * once < level[1] < 1.2 * once
    few = watched_critical(edges, planned, 40, 1.0, 0.05, 0)
    assert few < watched_critical(edges, planned, 400, 1.0, 0.05, 0) < 1.04 * few


def test_a_plan_for_every_item_is_watched_all_the_same() -> None:
    """Fully labelled at the end, so that one look would need no critical value at all."""
    edges = rank_edges(420)
    whole = np.diff(edges, prepend=0).astype(float)
    assert watched_critical(edges, whole, LOOKS, 1.0, 0.05, 0) > 2.5


def test_a_piece_without_a_planned_label_counts_as_if_it_had_one() -> None:
    """No critical value followed from none, and no band held."""
    edges, planned = np.array([50, 150, 400]), np.array([9.0, 0.0, 25.0])
    found = watched_critical(edges, planned, LOOKS, 1.0, 0.05, 1)
    assert found == watched_critical(edges, np.maximum(planned, 1.0), LOOKS, 1.0, 0.05, 1) > 2.2
