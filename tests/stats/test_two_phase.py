"""Figures for the settled judgement from two phases: values by hand, and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from labelcore.estimands import SCALARS, ratios
from labelcore.stats.profile import Cells
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.proportion import jeffreys
from labelcore.stats.two_phase import Overlap, Share, flip_share, flips_of, settled_interval

NAMES = ("accuracy", "precision", "recall")


def table(cells: Cells):
    return ratios([SCALARS[name] for name in NAMES], cells)


def interval(cells: Cells, flips):
    def first_phase(moved):
        return profile_interval(cells, moved, 0.95, whole_items=False)

    return settled_interval(cells, table(cells), flips, first_phase)


def fixed(*values: float):
    """Shares without any uncertainty, predicted and read positive first."""
    groups = ((True, True), (True, False), (False, True), (False, False))
    return {group: Share(one, one, one) for group, one in zip(groups, values, strict=True)}


CELLS = Cells(
    np.array([100.0, 900.0]), np.array([50.0, 90.0]), np.array([40.0, 9.0]),
    np.array([True, False]),
)  # fmt: skip


def test_value_by_hand() -> None:
    """Of 100 items 80 are read positive, of 900 others 90. A tenth of the 80 and half of the 20 are
    settled otherwise: 72 + 10 = 82. A third of the 90 and a tenth of the 810: 60 + 81 = 141."""
    value, low, high = interval(CELLS, fixed(0.1, 0.5, 1 / 3, 0.1))
    assert value == pytest.approx([(82 + 900 - 141) / 1000, 82 / 100, 82 / (82 + 141)])
    assert (low < value).all() and (value < high).all()


def test_without_flips_it_is_the_interval_of_the_first_reading() -> None:
    value, low, high = interval(CELLS, fixed(0, 0, 0, 0))
    plain = profile_interval(CELLS, table(CELLS), 0.95, whole_items=False)
    assert value == pytest.approx([(80 + 900 - 90) / 1000, 0.8, 80 / 170])
    assert np.array([low, high]) == pytest.approx(np.array(plain))


def test_squares_of_both_phases_are_added() -> None:
    plain = interval(CELLS, fixed(0.1, 0, 0, 0))
    wide = interval(CELLS, {**fixed(0, 0, 0, 0), (True, True): Share(0.1, 0.05, 0.25)})
    # Precision: .72, at the ends of the share .76 and .60.
    assert wide[1][1] == pytest.approx(0.72 - math.hypot(0.72 - plain[1][1], 0.12))
    assert wide[2][1] == pytest.approx(0.72 + math.hypot(plain[2][1] - 0.72, 0.04))


def test_shares_of_flips() -> None:
    found = flip_share(np.array([True, False, False, False]), np.ones(4), 0.95)
    size = 4 * float(ndtri(0.975) / stdtrit(3, 0.975)) ** 2
    low, high = jeffreys(size / 4, size, 0.95)
    assert (found.value, found.low, found.high) == (0.25, float(low), float(high))
    uneven = flip_share(np.array([True, False, False, False]), np.array([3.0, 1, 1, 1]), 0.95)
    assert uneven.value == 0.5
    assert uneven.high - uneven.low > found.high - found.low
    nothing = flip_share(np.zeros(0, dtype=bool), np.zeros(0), 0.95)
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 1.0)
    none = flip_share(np.zeros(20, dtype=bool), np.ones(20), 0.95)
    assert none.low == 0.0 < none.high < 0.25


def test_coverage_and_what_breaks_it() -> None:
    """200 samples of 400 from 6,000 items in four strata, 30 % judged by two; the first reader
    misses 15 % of the positives and invents 1 %. The twins: no correction, and one that takes the
    overlap for exact."""
    random, runs = np.random.default_rng(5), 200
    stratum = np.repeat(np.arange(4), [300, 700, 2000, 3000])
    above = np.array([True, True, False, False])
    truth = random.random(6000) < np.array([0.9, 0.6, 0.2, 0.03])[stratum]
    settled = truth
    first = truth ^ (random.random(6000) < np.where(truth, 0.15, 0.01))
    size = np.bincount(stratum).astype(float)
    whole = Cells(size, size, np.bincount(stratum, settled).astype(float), above)
    wanted = table(whole).value(whole.positive)
    held = {name: np.zeros(len(NAMES)) for name in ("corrected", "first reading", "exact overlap")}
    for _ in range(runs):
        drawn = np.concatenate(
            [random.choice(np.flatnonzero(stratum == k), 100, replace=False) for k in range(4)]
        )
        cells = Cells(
            size, np.full(4, 100.0), np.bincount(stratum[drawn], first[drawn]).astype(float), above
        )
        again = drawn[random.random(len(drawn)) < 0.3]
        flips = flips_of(cells, Overlap(stratum[again], first[again], settled[again]), 0.95)
        exact = {group: Share(one.value, one.value, one.value) for group, one in flips.items()}
        for name, one in (
            ("corrected", flips), ("first reading", fixed(0, 0, 0, 0)), ("exact overlap", exact),
        ):  # fmt: skip
            _, low, high = interval(cells, one)
            held[name] += (low <= wanted) & (wanted <= high)
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert (held["corrected"] / runs >= limit).all()
    assert (held["first reading"] / runs).min() < limit
    assert (held["exact overlap"] / runs < limit).all()


@pytest.mark.parametrize(
    ("flips", "weight"),
    [
        # The flip is one of many light readings: Kish's size is the smaller one.
        ([True, False, False], [1.0, 1.0, 8.0]),
        # It is the one heavy reading: the linearised variance has the smaller one.
        ([True, *[False] * 40], [10.0, *[1.0] * 40]),
    ],
)
def test_the_smaller_effective_size_decides(flips: list[bool], weight: list[float]) -> None:
    flipped, each = np.array(flips), np.array(weight)
    total = each.sum()
    share = each[flipped].sum() / total
    kish = total**2 / (each**2).sum()
    linear = share * (1 - share) * total**2 / (each**2 * (flipped - share) ** 2).sum()
    assert abs(kish - linear) > 2, "the two must differ for the test to say anything"
    size = min(kish, linear) * float(ndtri(0.975) / stdtrit(len(flips) - 1, 0.975)) ** 2
    low, high = jeffreys(share * size, size, 0.95)
    found = flip_share(flipped, each, 0.95)
    told = (share, float(low), float(high))
    assert (found.value, found.low, found.high) == pytest.approx(told)
