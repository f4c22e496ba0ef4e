"""Second readings: what they say of the error rate, and of the figures for the truth."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

from benchmarks.label_error import ALIKE, READERS, SecondReadings, covered, made_up, session, table
from labelcore.estimands import SCALARS, ratios
from labelcore.stats.label_error import (
    NOTHING_LEFT,
    TOO_DIFFERENT,
    TOO_FEW,
    HalfByHalf,
    bounded,
    change_of_errors,
    corrected,
    difference_share,
    error_rate,
    true_ratios,
    worst_case,
)
from labelcore.stats.profile import Cells, plug_in_totals
from labelcore.stats.proportion import clopper_pearson
from tests.cases import sampled

CELLS = Cells(
    np.array([400.0, 1600.0]),
    np.array([100.0, 200.0]),
    np.array([80.0, 20.0]),
    np.array([True, False]),
)
RUNS = 40


def rows(*names: str):
    return ratios([SCALARS[name] for name in names], CELLS)


def readings(differs: int, number: int, predicted: bool = True, weight: float = 4.0):
    return SecondReadings(
        np.arange(number) < differs, np.full(number, predicted), np.full(number, weight)
    )


def test_error_rate_undoes_the_chance_of_two_answers_that_differ() -> None:
    error = np.linspace(0, 0.5, 11)
    assert error_rate(2 * error * (1 - error)) == pytest.approx(error, abs=1e-8)
    assert float(error_rate(0.9)) == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_error_lies_between_the_rate_and_its_transform(seed: int) -> None:
    error = np.random.default_rng(seed).beta(0.5, 2, 1000) / 2
    differs = 2 * error * (1 - error)
    assert differs.mean() / 2 <= error_rate(differs.mean()) <= error.mean() <= differs.mean()


def test_equal_weights_are_the_exact_interval_and_unequal_ones_count_for_less() -> None:
    equal = difference_share(np.arange(40) < 4, np.full(40, 7.0), 0.95)
    low, high = clopper_pearson(4, 40, 0.95)
    assert equal == pytest.approx((0.1, float(low), float(high)))
    weight = np.concatenate([np.full(20, 1.0), np.full(20, 9.0)])
    assert difference_share(np.zeros(40, bool), weight, 0.95)[2] > clopper_pearson(0, 40, 0.95)[1]
    none = difference_share(np.zeros(0, bool), np.zeros(0), 0.95)
    assert math.isnan(none[0])
    assert none[1:] == (0.0, 1.0)


def test_true_ratios_give_back_the_figures_of_labels_without_mistakes() -> None:
    """Rogan and Gladen: with error 1/10, 340 of 400 positives are observed as 312."""
    names = ("accuracy", "precision", "recall", "f1", "specificity")
    truth, error = np.array([340.0, 160.0]), 0.1
    observed = truth * (1 - error) + (CELLS.size - truth) * error
    assert observed[0] == 312
    wanted = rows(*names).value(truth)
    found = true_ratios(rows(*names), CELLS.size, error).value(observed)
    assert found == pytest.approx(wanted, abs=1e-12)


def test_no_difference_leaves_the_value_and_a_wider_interval() -> None:
    plain = rows("precision")
    (found,) = corrected(CELLS, plain, 100, 0, 0.95)
    assert found.value == pytest.approx(plain.value(plug_in_totals(CELLS))[0]) == 0.8
    assert found.low < 0.71
    assert found.high > 0.87
    assert not found.reason


def test_what_cannot_be_corrected_says_why() -> None:
    plain = rows("recall")
    assert corrected(CELLS, plain, 40, 18, 0.95)[0].reason == TOO_DIFFERENT
    assert corrected(CELLS, plain, 0, 0, 0.95)[0].value is None
    rare = Cells(CELLS.size, CELLS.labelled, np.array([8.0, 0.0]), CELLS.predicted)
    missed = Cells(CELLS.size, CELLS.labelled, np.array([0.0, 20.0]), CELLS.predicted)
    for cells, differing in ((rare, 6), (missed, 2)):  # Of the latter the ends alone are finite.
        found = corrected(cells, ratios([SCALARS["recall"]], cells), 60, differing, 0.95)[0]
        assert (found.value, found.low, found.high, found.reason) == (None, 0.0, 1.0, NOTHING_LEFT)


def test_worst_case_moves_each_side_by_its_own_wrong_labels() -> None:
    plain = rows("precision", "recall")
    without = worst_case(CELLS, plain, {True: 0.0, False: 0.0}, 0.95)
    above = worst_case(CELLS, plain, {True: 0.1, False: 0.0}, 0.95)
    below = worst_case(CELLS, plain, {True: 0.0, False: 0.1}, 0.95)
    assert above[0] == pytest.approx((without[0][0] - 0.1, without[0][1] + 0.1), abs=1e-6)
    assert below[0] == pytest.approx(without[0], abs=1e-9)
    assert below[1][0] < without[1][0] - 0.1
    assert worst_case(CELLS, plain, {True: 0.5, False: 0.5}, 0.95)[0] == (0.0, 1.0)


def test_a_side_that_was_never_read_twice_bounds_nothing_there() -> None:
    precision, recall = bounded(CELLS, rows("precision", "recall"), readings(1, 60), 0.95)
    most = {True: difference_share(readings(1, 60).differs, np.ones(60), 0.975)[2], False: 1.0}
    ends = worst_case(CELLS, rows("precision"), most, 0.975)[0]
    assert precision.low > 0.5 and (precision.low, precision.high) == pytest.approx(ends)
    assert precision.value is None
    assert not precision.reason
    unknown = bounded(CELLS, rows("precision"), readings(0, 60, predicted=False), 0.95)[0]
    assert (unknown.low, unknown.high, unknown.reason) == (0.0, 1.0, TOO_FEW)
    assert recall.high == 1.0


def coverage(reader: str, *ways: str) -> list[np.ndarray]:
    """Share of ``RUNS`` sessions in which each figure's interval holds the truth, by way."""
    file, place = made_up(), list(READERS).index(reader)
    hits = np.zeros((len(ways), 4))
    for run in range(RUNS):
        random = np.random.default_rng((place, run, 1))
        chances = READERS[reader](file.score, file.truth, np.random.default_rng(place))
        first, second = (file.truth ^ (random.random(len(c)) < c) for c in chances)
        found = covered(file, session(file, first, second, 0.2, random), ways)
        hits += [found[way][:, 0] for way in ways]
    return list(hits / RUNS)


# Four figures are looked at in each of two tests: 8 shares, z = 3.
LIMIT = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


def test_corrected_covers_the_truth_when_mistakes_are_alike_everywhere() -> None:
    """The broken twin: the interval for the judgements, shown while nobody looked twice."""
    held, twin = coverage(ALIKE[1], "corrected", "uncorrected")
    assert (held >= LIMIT).all()
    assert (twin < LIMIT).any()


def test_bounded_covers_the_truth_where_correcting_does_not() -> None:
    held, twin = coverage("positives missed, 15 % against 1 %", "bounded", "corrected")
    assert (held >= LIMIT).all()
    assert (twin < LIMIT).any()


def test_the_file_of_the_simulation_has_the_truth_that_its_items_have() -> None:
    file = made_up()
    hits = file.truth & file.predicted
    assert file.figures[1] == pytest.approx(hits.sum() / file.predicted.sum())
    assert file.figures[2] == pytest.approx(hits.sum() / file.truth.sum())
    assert table(CELLS).value(np.array([80.0, 20.0]))[2] == pytest.approx(0.8)


def halves(
    random: np.random.Generator, errors: tuple[float, float], repeats: int = 30
) -> tuple[HalfByHalf, np.ndarray, np.ndarray, np.ndarray]:
    """300 answers in ten cells of rates .02 to .98, wrong with a chance of each half; the repeats'
    halves, whether they differ, and the smoothed rates."""
    usual = np.linspace(0.02, 0.98, 10)
    cell, late = random.integers(0, 10, 300), np.arange(300) >= 150
    wrong = random.random(300) < np.where(late, errors[1], errors[0])
    hit = (random.random(300) < usual[cell]) != wrong
    again = np.arange(repeats) >= repeats // 2
    chance = np.where(again, errors[1], errors[0])
    differs = random.random(repeats) < 2 * chance * (1 - chance)
    counts = np.bincount(cell, minlength=10)
    rates = (np.bincount(cell, hit, minlength=10) + usual) / (counts + 1)
    return HalfByHalf(late, hit, cell), rates, again, differs


def beyond_chance(errors: tuple[float, float], runs: int = 1000) -> tuple[float, float]:
    """How often the interval leaves out no change, and holds the change there is."""
    random, told, held = np.random.default_rng(8), 0, 0
    usual = np.linspace(0.02, 0.98, 10)
    for _ in range(runs):
        answers, rates, late, differs = halves(random, errors)
        found = change_of_errors(answers, rates, usual, 2, late, differs, 0.95)
        told += not found.low <= 0 <= found.high
        held += found.low <= errors[1] - errors[0] <= found.high
    return told / runs, held / runs


@pytest.mark.parametrize("error", sampled([0.0, 0.05, 0.2], 1, seed=1, keep=[0.05]))
def test_without_drift_it_is_seldom_beyond_chance(error: float) -> None:
    """1,000 sessions, seed 8; limit three standard errors. Twin: a drift."""
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)
    assert beyond_chance((error, error))[0] <= limit
    assert beyond_chance((error, 0.3 - error), 200)[0] > limit


def test_the_change_is_held_by_its_interval() -> None:
    """Both ways, in no cell under .93 beyond three standard errors of 1,000 sessions."""
    for errors in ((0.0, 0.15), (0.2, 0.0)):
        told, held = beyond_chance(errors)
        assert told > 0.8 and held >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / 1000)


def change_in_repeats(late: np.ndarray, differs: np.ndarray) -> tuple[float | None, float, float]:
    """By these alone: there is one answer of each half, in different cells."""
    alone = HalfByHalf(np.array([True, False]), np.array([True, True]), np.array([0, 1]))
    rates = np.array([0.5, 0.5])
    found = change_of_errors(alone, rates, rates, 2, late, differs, 0.95)
    return found.value, found.low, found.high


def test_a_change_without_anything_to_compare_is_not_known() -> None:
    nobody = np.zeros(0, dtype=bool)
    assert change_in_repeats(nobody, nobody) == (None, -1.0, 1.0)


def test_turned_round_in_time_a_change_has_the_other_sign_and_the_same_width() -> None:
    late, differs = np.arange(30) >= 15, np.arange(30) < 6
    value, low, high = change_in_repeats(late, differs)
    assert value is not None and value < 0
    assert change_in_repeats(~late, differs) == pytest.approx((-value, -high, -low))
    late = np.arange(100) >= 50
    value, low, high = change_in_repeats(late, late & (np.arange(100) < 60))
    variance = sum(p * (1 - p) / 50 / (4 * (1 - 2 * p)) for p in (1 / 52, 11 / 52))
    assert value == pytest.approx(float(error_rate(0.2)))
    assert (high - low) / 2 == pytest.approx(ndtri(0.975) * math.sqrt(variance))
