"""Agreement, and agreement beyond chance."""

import math

import numpy as np
import pytest

from labelcore.stats.agreement import (
    ALL_ALIKE,
    COEFFICIENTS,
    NO_ITEM,
    ONE_CLASS,
    TOO_FEW_ITEMS,
    beyond_chance,
    cohen,
    fleiss,
    gwet,
    krippendorff,
    mean_share,
    percent_agreement,
    votes_of,
)
from labelcore.stats.proportion import wilson

# Fleiss (1971) as it is mostly worked: 10 subjects, 14 raters, 5 categories.
SUBJECTS = np.array([
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
], dtype=float)  # fmt: skip
# Krippendorff (2011), section C: 4 observers, 12 units, some missing (here -1).
OBSERVERS = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]).T - 1  # fmt: skip
# 40 items by 3 readers, of numpy.random.default_rng(3) made once.
ROWS = (
    "122 000 002 000 000 222 202 111 000 100 020 111 111 201 000 002 222 222 000 120 "
    "111 111 022 211 111 111 121 111 000 222 222 221 222 000 000 111 111 221 222 200"
)
READERS = np.array([[int(one) for one in row] for row in ROWS.split()])


def pairs(*counts: int) -> np.ndarray:
    """Codes of two people from a table of two classes, row by row."""
    cells = np.repeat(np.arange(4), counts)
    return np.stack([cells // 2, cells % 2], axis=1)


def value(disagreement, items: np.ndarray) -> float:
    observed, chance = disagreement(items, np.ones(len(items)))
    return 1 - observed[0] / chance[0]


@pytest.mark.parametrize("name", ["cohen", *COEFFICIENTS])
def test_each_item_is_left_out_in_turn(name: str) -> None:
    """As if it had never been judged."""
    weight = np.random.default_rng(4).uniform(0.5, 3, len(READERS))
    items = READERS[:, :2] if name == "cohen" else votes_of(READERS, 3)
    disagreement = cohen if name == "cohen" else COEFFICIENTS[name].disagreement
    found = np.array(disagreement(items, weight))
    for place in range(len(items)):
        alone = disagreement(np.delete(items, place, axis=0), np.delete(weight, place))
        assert found[:, place + 1] == pytest.approx([one[0] for one in alone], abs=1e-12)


def test_values_of_published_tables() -> None:
    # Gwet (2002), Kappa statistic is not satisfactory: 118, 5, 2, 0 of 125.
    table, units = pairs(118, 5, 2, 0), votes_of(OBSERVERS, 5)
    assert round(value(gwet, votes_of(table, 2)), 4) == 0.9408
    assert round(value(cohen, table), 4) == -0.0234
    assert round(value(fleiss, SUBJECTS), 3) == 0.210
    assert round(value(krippendorff, units[units.sum(axis=1) >= 2]), 3) == 0.743


def test_values_of_other_programs() -> None:
    """irrCAC 0.4.4: CAC(DataFrame(READERS)).gwet(), .fleiss(), .krippendorff()["est"];
    krippendorff 0.9.0: alpha(READERS.T, level_of_measurement="nominal"); statsmodels 0.15.0:
    fleiss_kappa(votes), cohens_kappa(table of the first two readers)."""
    votes = votes_of(READERS, 3)
    assert round(percent_agreement(votes, 0.95).value, 2) == 0.75
    assert round(value(gwet, votes), 5) == 0.62504
    assert value(fleiss, votes) == pytest.approx(0.6249218587205667, abs=1e-12)
    assert value(krippendorff, votes) == pytest.approx(0.6280475098978955, abs=1e-12)
    assert value(cohen, READERS[:, :2]) == pytest.approx(0.6258185219831618, abs=1e-12)


def test_where_it_is_undefined_it_says_why() -> None:
    one, alike = votes_of(pairs(1, 0, 0, 0), 2), votes_of(pairs(20, 0, 0, 4), 2)
    single = votes_of(pairs(20, 0, 0, 0), 2)
    for row in COEFFICIENTS.values():
        found = beyond_chance(one, row.disagreement, 0.95)
        assert (found.value, found.low, found.high, found.reason) == (None, -1, 1, TOO_FEW_ITEMS)
        found = beyond_chance(alike, row.disagreement, 0.95)
        assert (found.value, found.low, found.high, found.reason) == (1, -1, 1, ALL_ALIKE)
    found = beyond_chance(single, fleiss, 0.95)
    assert (found.value, found.low, found.high, found.reason) == (None, -1, 1, ONE_CLASS)
    assert beyond_chance(single, gwet, 0.95).value == 1  # It calls the half chance.
    assert beyond_chance(votes_of(pairs(20, 1, 0, 4), 2), fleiss, 0.95).reason == ALL_ALIKE
    assert percent_agreement(votes_of(np.array([[0, -1]]), 2), 0.95).reason == NO_ITEM
    assert percent_agreement(single, 0.95).low == pytest.approx(20 / (20 + 1.959964**2))


@pytest.mark.parametrize("name", ["cohen", *COEFFICIENTS])
def test_interval_covers_with_unequal_classes(name: str) -> None:
    """150 samples of 100 items; the broken twin is half as wide."""
    random, table = np.random.default_rng(8), np.array([0.70, 0.05, 0.10, 0.15])
    disagreement = cohen if name == "cohen" else COEFFICIENTS[name].disagreement

    def items(counts: np.ndarray) -> np.ndarray:
        return pairs(*counts) if name == "cohen" else votes_of(pairs(*counts), 2)

    truth = value(disagreement, items((200_000 * table).round().astype(int)))
    covered, twin, runs = 0, 0, 150
    for _ in range(runs):
        found = beyond_chance(items(random.multinomial(100, table)), disagreement, 0.95)
        covered += found.low <= truth <= found.high
        middle, half = (found.low + found.high) / 2, (found.high - found.low) / 4
        twin += abs(middle - truth) <= half
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert covered / runs >= limit
    assert twin / runs < limit


def test_items_chosen_with_unequal_chances_are_weighted() -> None:
    """300 samples of 150 items of which those judged differently are all kept, of the others each
    with a chance of .4. The broken twin counts all alike."""
    random, runs, table = np.random.default_rng(6), 300, [0.70, 0.05, 0.10, 0.15]
    truth = {gwet: value(gwet, votes_of(pairs(700, 50, 100, 150), 2)), None: 0.85}
    held = np.zeros((2, 2))
    for _ in range(runs):
        codes = pairs(*random.multinomial(150, table))
        chance = np.where(codes[:, 0] != codes[:, 1], 1.0, 0.4)
        kept = random.random(150) < chance
        votes = votes_of(codes[kept], 2)
        for row, weight in enumerate((1 / chance[kept], None)):
            found = beyond_chance(votes, gwet, 0.95, weight)
            held[row, 0] += found.low <= truth[gwet] <= found.high
            found = percent_agreement(votes, 0.95, weight)
            held[row, 1] += found.low <= truth[None] <= found.high
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert (held[0] / runs >= limit).all() and (held[1] / runs < limit).all()


@pytest.mark.parametrize("readers", [2, 4])
def test_percent_agreement_covers(readers: int) -> None:
    """600 samples of 60 items; the broken twin takes every pair for an item of its own."""
    random, runs = np.random.default_rng(readers), 600
    truth, covered, twin = 0.85**2 + 0.15**2, 0, 0
    for _ in range(runs):
        codes = (random.random((60, readers)) < 0.15).astype(int)
        codes ^= (random.random((60, 1)) < 0.5).astype(int)
        found = percent_agreement(votes_of(codes, 2), 0.95)
        covered += found.low <= truth <= found.high
        half = 1.96 * math.sqrt(truth * (1 - truth) / (60 * 6))
        twin += abs(found.value - truth) <= half
    limit = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
    assert covered / runs >= limit
    assert twin / runs < limit


@pytest.mark.parametrize("classes", [2, 4])
def test_readings_by_chance_agree_by_chance(classes: int) -> None:
    votes = votes_of(np.random.default_rng(classes).integers(classes, size=(4000, 2)), classes)
    for row in COEFFICIENTS.values():
        assert abs(value(row.disagreement, votes)) < 0.06


@pytest.mark.parametrize("share", [0.0, 1 / 3, 1.0])
def test_shares_that_are_all_alike_leave_room_whatever_their_sums_round_to(share: float) -> None:
    random = np.random.default_rng(0)
    for weights in random.integers(1, 9, (500, 9)) / 7:
        found = mean_share(np.full(9, share), 0.95, weights)
        assert found.value == pytest.approx(share) and 0 <= found.value <= 1
        number = weights.sum() ** 2 / (weights @ weights)
        ends = np.array(wilson(share * number, number, 0.95))
        assert np.array([found.low, found.high]) == pytest.approx(ends, abs=1e-9)


def test_few_that_stand_for_many_and_differ_leave_more_room_than_their_number() -> None:
    shares, weights = np.arange(100) >= 10, np.where(np.arange(100) < 10, 5.0, 1.0)
    found, each = mean_share(shares.astype(float), 0.95, weights), weights / weights.sum()
    mean = 90 / 140
    number = mean * (1 - mean) / (each**2 @ (shares - mean) ** 2)
    assert number < 0.9 * 140**2 / (weights @ weights)
    ends = np.array(wilson(mean * number, number, 0.95))
    assert np.array([found.low, found.high]) == pytest.approx(ends)
