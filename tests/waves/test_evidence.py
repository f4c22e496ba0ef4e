"""Evidence that a figure has fallen, from joined totals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from labelcore.estimands import SCALARS, ratios
from labelcore.stats.profile import Cells, plug_in_totals
from labelcore.stats.profile_interval import profile_interval
from labelcore.waves.evidence import (
    SERIES,
    between,
    change_evidence,
    doubled,
    each_start,
    guarded,
    joined,
    requirement_evidence,
    signed_root,
    threshold,
)
from labelcore.waves.monitor import frozen_watches

pytestmark = pytest.mark.as_shipped
SIZE = np.array([40.0, 60, 200, 2000, 6000])
POSITIVE = np.array([36, 42, 30, 20, 12])
COUNTS = "size", "labelled", "positive"
CALLED = np.array([True, True, False, False, False])
TAKE = np.array([10, 15, 15, 10, 10])
RATES = np.array([0.9, 0.7, 0.15, 0.01, 0.002])


def waves(series: int, number: int, positive: np.ndarray = POSITIVE, seed: int = 3) -> Cells:
    random, shape = np.random.default_rng(seed), (series, number, len(SIZE))
    hits = random.hypergeometric(positive, (SIZE - positive).astype(int), TAKE, shape)
    size, labelled = (np.broadcast_to(one.astype(float), shape) for one in (SIZE, TAKE))
    return Cells(size, labelled, hits.astype(float), CALLED)


def true_value(figure: str, positive: np.ndarray = POSITIVE) -> float:
    empty = Cells(SIZE, 0 * SIZE, 0 * SIZE, CALLED)
    return float(ratios([SCALARS[figure]], empty).value(positive.astype(float))[0])


@pytest.mark.parametrize("figure", ["precision", "recall", "f1", "accuracy"])
@pytest.mark.parametrize("end", [0, 1])
def test_the_root_at_an_end_of_the_interval_is_its_quantile(figure: str, end: int) -> None:
    """The interval is what the root does not reject: at its ends the root is 1.96, by the same
    statistic and degrees of freedom, worked out the other way round."""
    cells, row = joined(waves(1, 4)), SCALARS[figure]
    ends = profile_interval(cells, ratios([row], cells), 0.95, rates=None, whole_items=False)[end]
    for place in range(4):
        one = Cells(*(getattr(cells, name)[0, place] for name in COUNTS),
                    CALLED)  # fmt: skip
        required = float(ends[0, place, 0])
        root = float(signed_root(one, row, required))
        assert root == pytest.approx(1.959964 * (1 if end == 0 else -1), abs=2e-4)


def test_thresholds_are_those_of_normal_roots() -> None:
    """66, 171 and 389 for 12, 26 and 52 waves at .05 were simulated apart (evidence of the method,
    20,000 series); three standard errors of both simulations' quantiles are about 12 %."""
    found = [threshold(waves, 0.05) for waves in (12, 26, 52)]
    assert found == pytest.approx([66, 171, 389], rel=0.12)
    assert threshold(12, 0.01) > 3 * threshold(12, 0.05)
    assert threshold(12, 0.05, since_launch=True) < threshold(12, 0.05)


def test_of_two_waves_the_threshold_is_that_of_their_one_start() -> None:
    """The second against the first: one normal root, worth half a wave."""
    found = threshold(2, 0.05, since_launch=True)
    share = binom.ppf([0.9999, 0.0001], SERIES, 0.05) / SERIES
    low, high = each_start(ndtri(share), np.full(2, 0.5))
    assert low <= found <= high


@pytest.mark.parametrize(
    ("figure", "lean"), [("precision", 0.06), pytest.param("recall", 0.15, marks=pytest.mark.full)]
)
def test_false_alarms_come_as_seldom_as_said(figure: str, lean: float) -> None:
    """600 series of 12 waves at the true value, seed 3. Limit: three standard errors. Twin: a root
    that leans, as it is to a value somewhat above the true one."""
    series, row, highest = waves(600, 12), SCALARS[figure], np.zeros((2, 600))
    for last in range(1, 13):
        part = Cells(*(getattr(series, name)[:, :last] for name in COUNTS), CALLED)
        for place, required in enumerate((true_value(figure), true_value(figure) + lean)):
            found = requirement_evidence(part, row, required, RATES).sum(axis=1)
            highest[place] = np.maximum(highest[place], found)
    sound, leaning = (highest >= threshold(12, 0.05)).sum(axis=1)
    assert sound <= binom.isf(0.00135, 600, 0.05) < leaning


def test_a_fall_is_noticed_and_dated() -> None:
    """Precision falls from .78 to .5 after 8 waves: of 100 series nearly all say so four waves on,
    most of them since the wave that it began in, give or take two."""
    before, after = waves(100, 8), waves(100, 4, np.array([20, 30, 30, 20, 12]), seed=4)
    both = Cells(
        *(np.concatenate([getattr(before, name), getattr(after, name)], axis=1) for name in COUNTS),
        CALLED,
    )
    for found in (
        requirement_evidence(both, SCALARS["precision"], true_value("precision"), RATES),
        change_evidence(both, SCALARS["precision"], RATES),
    ):
        assert (found.sum(axis=1) >= threshold(12, 0.05)).mean() > 0.9
        assert (np.abs(found.argmax(axis=1) + 1 - 4) <= 2).mean() > 0.8
    quiet = change_evidence(waves(300, 12), SCALARS["precision"], RATES).sum(axis=1)
    assert (quiet >= threshold(12, 0.05, since_launch=True)).mean() < 0.05


def test_a_few_misses_are_no_change_since_launch() -> None:
    """200 series of 52 waves of ten labels, seed 3, on a file of which one item in 200 is missed,
    looked at in every second wave from the 38th on. Limit: three standard errors. Twin: the rule
    of monitors of before."""
    size, rates, take = np.array([50, 4950]), np.array([0.6, 0.005]), np.array([3, 7])
    positive = np.round(size * rates).astype(int)
    found = np.random.default_rng(3).hypergeometric(positive, size - positive, take, (200, 52, 2))
    series = Cells(
        np.broadcast_to(size.astype(float), found.shape),
        np.broadcast_to(take.astype(float), found.shape),
        found.astype(float),
        np.array([True, False]),
    )
    alarms, suggested = np.zeros((2, 200), dtype=bool), np.array([0.756, 0.248])
    for last in range(38, 53, 2):
        for place, facing in enumerate((False, True)):
            part = between(series, 0, last)
            evidence = change_evidence(part, SCALARS["recall"], suggested, facing=facing)
            alarms[place] |= evidence.sum(axis=1) >= threshold(52, 0.05, since_launch=True)
    sound, leaning = alarms.sum(axis=1)
    assert sound <= binom.isf(0.00135, 200, 0.05) < leaning


def test_monitors_of_before_keep_the_rule_that_they_began_with() -> None:
    stored = {"watches": [["recall", None], ["recall", None, False], ["precision", 0.8]]}
    assert [watch.facing for watch in frozen_watches(stored)] == [True, False, True]


def test_totals_are_joined_from_the_last_wave_back() -> None:
    series = waves(1, 3)
    found = joined(series, most=2)
    assert found.positive[0].tolist() == [
        series.positive[0, 2].tolist(), series.positive[0, 1:].sum(axis=0).tolist(),
    ]  # fmt: skip
    assert plug_in_totals(found).shape == (1, 2, 5)


def test_the_evidence_of_a_start_is_an_e_value_of_a_normal_root() -> None:
    """Its mean is 1 over 200,000 roots (seed 5), within three of their standard errors; a doubled
    root has less."""
    root = np.random.default_rng(5).standard_normal(200_000)
    found = each_start(root, np.array(0.5))
    assert found.mean() == pytest.approx(1.0, abs=3 * found.std() / np.sqrt(200_000))
    assert each_start(doubled(root), np.array(0.5)).mean() < 0.8


def test_a_root_is_doubled_where_few_positives_were_found() -> None:
    few, many = waves(1, 1), waves(1, 30)
    root = np.array([[-2.0]])
    assert ndtr(guarded(root, joined(few))) == pytest.approx(2 * ndtr(root))
    assert guarded(np.full((1, 16), -2.0), joined(many))[0, -1] == -2.0


def test_waves_that_are_alike_or_found_nothing_are_no_change() -> None:
    """The root is 0, which is doubled to the farthest."""
    some, row = waves(1, 4), SCALARS["recall"]
    none = each_start(doubled(np.zeros(3)), np.array([0.75, 1.0, 0.75]))
    alike = replace(some, positive=some.positive[:, [0] * 4])
    assert change_evidence(alike, row)[0] == pytest.approx(none)
    for wave, start in ((-1, 0), (0, -1)):
        found = some.positive.copy()
        found[:, wave] = 0
        assert change_evidence(replace(some, positive=found), row)[0, start] == none[start]


def test_nothing_labelled_is_no_evidence() -> None:
    empty = Cells(SIZE[None], 0 * SIZE[None], 0 * SIZE[None], CALLED)
    assert requirement_evidence(empty, SCALARS["recall"], 0.8).item() <= 1.0
    none_found = Cells(SIZE, TAKE.astype(float), 0 * SIZE, CALLED)
    assert signed_root(none_found, SCALARS["recall"], 0.8) == 0.0
    assert change_evidence(empty, SCALARS["recall"]).shape == (0,)
