"""Figures for the settled judgement from two phases: values by hand, and coverage."""

import math
from dataclasses import replace

import numpy as np
import pytest

from labelcore.estimands import DIFFERENCES, SCALARS, ratios, table_of
from labelcore.stats.profile import Cells, Ratios, Table, fixed_critical
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.two_phase import (
    EVEN,
    Flips,
    Overlap,
    flip_chances,
    flips_of,
    reading_chances,
    settled_interval,
)
from tests.cases import repeated

NAMES = ("accuracy", "precision", "recall")
CELLS = Cells(
    np.array([100.0, 900.0]), np.array([50.0, 90.0]), np.array([40.0, 9.0]),
    np.array([True, False]),
)  # fmt: skip


def table(cells: Cells):
    return ratios([SCALARS[name] for name in NAMES], cells)


def interval(cells: Cells, flips: Flips):
    return settled_interval(
        cells, table(cells), flips, lambda both, linear: fixed_critical(both, linear, 0.95)
    )


def exact(cells: Cells, *shares: float) -> Flips:
    """Shares without any uncertainty: predicted and read negative, read positive, and so on."""
    weight = cells.size / cells.labelled
    read = weight * np.stack([cells.labelled - cells.positive, cells.positive])
    size = np.array([(one * (cells.predicted == side)).sum() for side in (0, 1) for one in read])
    return Flips(size, size, np.array(shares))


def test_value_by_hand() -> None:
    """Of 100 items 80 are read positive, of 900 others 90. A tenth of the 80 and half of the 20 are
    settled otherwise: 72 + 10 = 82. A third of the 90 and a tenth of the 810: 60 + 81 = 141."""
    value, low, high = interval(CELLS, exact(CELLS, 0.1, 1 / 3, 0.5, 0.1))
    assert value == pytest.approx([(82 + 900 - 141) / 1000, 82 / 100, 82 / (82 + 141)])
    assert (low < value).all() and (value < high).all()


def test_without_flips_it_is_the_interval_of_the_first_reading() -> None:
    value, low, high = interval(CELLS, exact(CELLS, 0, 0, 0, 0))
    plain = profile_interval(CELLS, table(CELLS), 0.95, whole_items=False)
    assert value == pytest.approx([(80 + 900 - 90) / 1000, 0.8, 80 / 170])
    assert np.array([low, high]) == pytest.approx(np.array(plain), abs=1e-4)
    whole = replace(CELLS, labelled=np.array([100.0, 90.0]), positive=np.array([80.0, 9.0]))

    def critical(both: Cells, linear: Ratios) -> np.ndarray:
        return fixed_critical(both, linear, 0.95, target="process")

    _, *found = settled_interval(
        whole, table(whole), exact(whole, 0, 0, 0, 0), critical, target="process"
    )
    plain = profile_interval(whole, table(whole), 0.95, target="process")
    assert np.array(found) == pytest.approx(np.array(plain), abs=5e-4), "all labelled, and open"


def test_a_group_that_nobody_read_again_leaves_everything_open() -> None:
    sure = exact(CELLS, 0, 0, 0, 0)
    unread = Flips(sure.size, np.array([810.0, 90, 20, 0]), sure.share)
    _, low, high = interval(CELLS, unread)
    assert low[1] == pytest.approx(0.0, abs=0.01) and high[2] < 1


def test_everything_read_again_is_counted() -> None:
    """8 of 40 yes above the cut are no, 3 of 81 no below are yes: as shares of the items."""
    cell = np.repeat([0, 0, 1, 1], [40, 10, 9, 81])
    first = np.repeat([True, False, True, False], [40, 10, 9, 81])
    settled = first.copy()
    settled[:8], settled[-3:] = False, True
    found = flips_of(CELLS, Overlap(cell, first, settled, np.ones(140)))
    assert found.size == pytest.approx([810, 90, 20, 80])
    assert found.share == pytest.approx([3 / 81, 0, 0, 8 / 40])
    nothing = flips_of(CELLS, Overlap(cell[:0], first[:0], settled[:0], np.ones(0)))
    assert (nothing.readings == 0).all()


def test_whoever_was_rarely_read_again_stands_for_more() -> None:
    """One of 40 yes above the cut, chosen with chance .2 and not .8, is no."""
    first, chance = np.full(40, True), np.where(np.arange(40) < 1, 0.2, 0.8)
    turned = np.arange(40) < 1
    found = flips_of(CELLS, Overlap(np.zeros(40, int), first, first ^ turned, chance))
    weight = 80 / chance / (1 / chance).sum()
    rate = (40 * weight[0] / 80 + 0.5) / 41
    variance = ((weight * (turned - rate)) ** 2).sum()
    assert found.share[3] == pytest.approx(weight[0] / 80)
    assert found.readings[3] == pytest.approx(rate * (1 - rate) * 80**2 / variance)


def test_readings_go_where_flips_are_likely() -> None:
    flips = flip_chances(np.array([0.02, 0.5, 0.98]))
    assert flips[0, 0] < flips[1, 0] < flips[2, 0] and flips[0, 1] > flips[2, 1]
    worth = np.array([0.1, 1.0, 8.0, 0.0])
    expected = np.array([300.0, 200.0, 50.0, 50.0])
    chance = reading_chances(worth, expected, 0.2)
    assert chance @ expected == pytest.approx(0.2 * 600, rel=1e-6)
    assert chance[0] < chance[1] < chance[2] <= 1 and chance[3] == pytest.approx(EVEN * 0.2)
    assert (reading_chances(worth, expected, 1.0) == 1).all()
    assert reading_chances(0 * worth, expected, 0.2) == pytest.approx(np.full(4, 0.2))


@pytest.mark.full
def test_coverage_and_what_breaks_it() -> None:
    """120 samples of 800 from 6,000 items in four strata, of which two people judge each with a
    chance that is least where the first one errs. The twins: the first reading alone, flips taken
    as exact, and chances the wrong way round."""
    random, runs = np.random.default_rng(5), repeated(120)
    stratum = np.repeat(np.arange(4), [300, 700, 2000, 3000])
    above, rates = np.array([True, True, False, False]), np.array([0.9, 0.6, 0.2, 0.1])
    settled = random.random(6000) < rates[stratum]
    missed, invented = np.array([0.0, 0.4, 0.0, 0.5]), np.array([0.0, 0.4, 0.0, 0.0])
    wrong = np.where(settled, missed[stratum], invented[stratum])
    first = settled ^ (random.random(6000) < wrong)
    size = np.bincount(stratum).astype(float)
    whole = Cells(size, size, np.bincount(stratum, settled).astype(float), above)
    wanted = table(whole).value(whole.positive)
    chances = np.array([[1.0, 1.0], [0.3, 0.3], [1.0, 1.0], [0.3, 1.0]])
    ways = ("settled", "first reading", "exact", "chances the wrong way")
    held = {name: np.zeros(len(NAMES)) for name in ways}
    for _ in range(runs):
        drawn = np.concatenate(
            [random.choice(np.flatnonzero(stratum == k), 200, replace=False) for k in range(4)]
        )
        labels = np.full(4, 200.0)
        cells = Cells(size, labels, np.bincount(stratum[drawn], first[drawn]).astype(float), above)
        chance = chances[stratum[drawn], first[drawn].astype(int)]
        kept = random.random(800) < chance
        again, chance = drawn[kept], chance[kept]
        parts = stratum[again], first[again], settled[again]
        flips = flips_of(cells, Overlap(*parts, chance))
        for name, one in zip(
            ways,
            (
                flips,
                exact(cells, 0, 0, 0, 0),
                Flips(flips.size, flips.size, flips.share),
                flips_of(cells, Overlap(*parts, 1.3 - chance)),
            ),
            strict=True,
        ):
            _, low, high = interval(cells, one)
            held[name] += (low <= wanted) & (wanted <= high)
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert (held["settled"] / runs >= limit).all(), held
    for twin in ways[1:]:
        assert held[twin].min() / runs < limit, held


def compared(*counts: np.ndarray) -> tuple[Cells, Table]:
    """Cells of two classifiers that say yes and yes, yes and no, no and yes, no and no."""
    said = np.array([[True, True, False, False], [True, False, True, False]])
    cells = Cells(*counts, said[0], other=said[1])
    names = ("accuracy_difference", "precision_difference")
    return cells, table_of([DIFFERENCES[name] for name in names], cells)


def test_a_difference_by_hand() -> None:
    """Read positive are 180, 40, 30 and 60 items. Of those where only the first says yes 10 of the
    40 are settled no and 6 of the 60 others yes: 36 positive, so that accuracy differs by
    (36 - 64) - (30 - 70) of 1,200, precision by 216 / 300 - 210 / 300."""
    size, labels = np.array([200.0, 100.0, 100.0, 800.0]), np.array([50.0, 50.0, 50.0, 80.0])
    cells, table = compared(size, labels, np.array([45.0, 20.0, 15.0, 6.0]))
    items = np.array([740.0, 60, 60, 40, 70, 30, 20, 180])
    shares = np.array([0, 0, 0.1, 0.25, 0, 0, 0, 0])
    value, low, high = settled_interval(
        cells, table, Flips(items, items, shares), lambda both, one: fixed_critical(both, one, 0.95)
    )
    assert value == pytest.approx([12 / 1200, 6 / 300])
    assert (low < value).all() and (value < high).all() and low[1] > -1


def test_differences_hold_and_what_breaks_them() -> None:
    """100 samples of 600 from 5,000 items, half of them judged by another person. The twins: the
    first reading alone, and flips taken as exact."""
    random, runs = np.random.default_rng(9), repeated(100)
    side = np.repeat(np.arange(4), [1200, 400, 900, 2500])
    settled = random.random(5000) < np.array([0.85, 0.6, 0.4, 0.1])[side]
    first = settled ^ (random.random(5000) < np.array([0.1, 0.35, 0.02, 0.05])[side])
    size = np.bincount(side).astype(float)
    wanted = compared(size, size, np.bincount(side, settled).astype(float))[1].value(
        np.bincount(side, settled).astype(float)
    )
    held = np.zeros((3, 2))
    for _ in range(runs):
        drawn = np.concatenate(
            [random.choice(np.flatnonzero(side == k), 150, replace=False) for k in range(4)]
        )
        labels = np.full(4, 150.0)
        cells, table = compared(size, labels, np.bincount(side[drawn], first[drawn]).astype(float))
        again = drawn[random.random(600) < 0.5]
        overlap = Overlap(side[again], first[again], settled[again], np.full(len(again), 0.5))
        flips = flips_of(cells, overlap)
        known = Flips(flips.size, flips.size, flips.share)
        for way, one in enumerate((flips, Flips(flips.size, flips.size, 0 * flips.share), known)):
            _, low, high = settled_interval(
                cells, table, one, lambda both, linear: fixed_critical(both, linear, 0.95)
            )
            held[way] += (low <= wanted) & (wanted <= high)
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert held[0].min() / runs >= limit, held
    assert held[1].min() / runs < limit and held[2].min() / runs < limit, held
