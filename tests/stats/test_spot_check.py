"""Hoeffding sizes: the paper's figures, and the promise by exact binomial sums."""

import math

import pytest
from scipy.stats import binom

from labelcore.stats.spot_check import hoeffding_interval, hoeffding_size


def chance_of_a_miss(labels: int, precision: float, half: float) -> float:
    """P(|share - precision| >= half) for binomial hits."""
    low = math.ceil(labels * (precision - half) - 1e-9)
    high = math.floor(labels * (precision + half) + 1e-9)
    inside = binom.cdf(high - 1, labels, precision) - binom.cdf(low, labels, precision)
    return float(1 - inside)


@pytest.mark.parametrize("precision", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("error", [0.05, 0.1])
def test_size_keeps_its_promise(precision: float, error: float) -> None:
    labels = hoeffding_size(error, precision, 0.05)
    assert chance_of_a_miss(labels, precision, error * precision) <= 0.05
    low, high = hoeffding_interval(precision, labels, 0.05)
    assert (high - low) / 2 <= error * precision + 1e-12
    low, high = hoeffding_interval(precision, labels - 1, 0.05)
    assert (high - low) / 2 > error * precision, "one label fewer is too few for the formula"
    if precision == 0.5:
        assert chance_of_a_miss(labels // 4, precision, error * precision) > 0.05


def test_interval_is_clipped() -> None:
    assert hoeffding_interval(0.0, 10, 0.05)[0] == 0
    assert hoeffding_interval(1.0, 10, 0.05)[1] == 1
