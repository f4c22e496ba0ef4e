"""Agreement beyond chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labelcore.stats.agreement import MOST_PAIRS_ALIKE, TOO_FEW_PAIRS, gwet_ac1


def pairs(*counts: int) -> tuple[np.ndarray, np.ndarray]:
    """Two readings from a table of two classes, row by row."""
    cells = np.repeat(np.arange(4), counts)
    return cells // 2, cells % 2


def test_value_of_the_published_table() -> None:
    """Gwet (2002), Kappa statistic is not satisfactory: 118, 5, 2, 0 of 125 give .9408."""
    value, low, high, reason = gwet_ac1(*pairs(118, 5, 2, 0), 2, 0.95)
    assert round(value, 4) == 0.9408
    assert low < 0.9408 < high <= 1
    assert not reason


def test_where_it_is_undefined_it_says_why() -> None:
    value, low, high, reason = gwet_ac1(*pairs(1, 0, 0, 0), 2, 0.95)
    assert math.isnan(value)
    assert (low, high, reason) == (-1.0, 1.0, TOO_FEW_PAIRS)
    assert gwet_ac1(*pairs(20, 0, 0, 4), 2, 0.95) == (1.0, -1.0, 1.0, MOST_PAIRS_ALIKE)


def test_interval_covers_with_unequal_classes() -> None:
    """400 samples of 100 items; the broken twin is half as wide."""
    random, table = np.random.default_rng(8), np.array([0.70, 0.05, 0.10, 0.15])
    use = np.array([[0.75, 0.25], [0.80, 0.20]]).mean(axis=0)
    chance = 2 * use[0] * use[1]
    truth = (0.85 - chance) / (1 - chance)
    covered, twin, runs = 0, 0, 400
    for _ in range(runs):
        value, low, high, _ = gwet_ac1(*pairs(*random.multinomial(100, table)), 2, 0.95)
        covered += low <= truth <= high
        twin += abs(value - truth) <= (high - low) / 4
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert covered / runs >= limit
    assert twin / runs < limit


@pytest.mark.parametrize("classes", [2, 4])
def test_readings_by_chance_agree_by_chance(classes: int) -> None:
    random = np.random.default_rng(classes)
    first, second = random.integers(classes, size=(2, 4000))
    value, low, high, _ = gwet_ac1(first, second, classes, 0.999)
    assert low < 0 < high
    assert abs(value) < 0.06
