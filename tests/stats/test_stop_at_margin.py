"""Stopping at a margin against enumeration, simulation and the published critical values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import norm

from labelcore.stats.proportion import agresti_coull, finite_wilson, wilson
from labelcore.stats.stop_at_margin import (
    MarginRule,
    calibrated_critical,
    characteristics,
    label_distribution,
    least_coverage,
    stops,
)

ORDINARY = float(ndtri(0.975))
FINE_GRID = (np.arange(20_000) + 0.5) / 20_000
"""Rates that no interval of a stop begins or ends at: the calibration looks at those ends."""


def plain_rule(margin: float, critical: float = ORDINARY, **rest: object) -> MarginRule:
    return MarginRule(margin, critical, **{"first": 30, **rest})  # type: ignore[arg-type]


# --- by hand -----------------------------------------------------------------------------------


def walked(rule: MarginRule, answers: tuple[int, ...]) -> int:
    """The number of labels at which one order of answers stops, label by label."""
    for n in range(1, len(answers) + 1):
        low, high = shown(rule, n, sum(answers[:n]))
        if n >= rule.first and ((high - low) / 2 <= rule.margin or n == rule.most):
            return n
    return len(answers)


@cache
def shown(rule: MarginRule, n: int, s: int) -> tuple[float, float]:
    """The interval by the functions for a fixed size."""
    confidence = 2 * norm.cdf(rule.critical) - 1
    if rule.size is not None and n >= rule.size:
        return s / n, s / n
    if rule.interval == "wilson":
        return finite_wilson(s, n, math.inf if rule.size is None else rule.size, confidence)
    scale = 1.0 if rule.size is None else 1 / (1 - n / rule.size)
    low, high = agresti_coull(s * scale, n * scale, confidence)
    return (0.0 if s == 0 else float(low)), (1.0 if s == n else float(high))


def orders(rule: MarginRule, truth: float) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every order of answers with its chance: 14 independent draws, or all orders of a file."""
    if rule.size is None:
        for answers in product((0, 1), repeat=14):
            yes = sum(answers)
            yield answers, truth**yes * (1 - truth) ** (14 - yes)
    else:
        chance = 1 / math.comb(rule.size, int(truth))
        for places in combinations(range(rule.size), int(truth)):
            yield tuple(int(place in places) for place in range(rule.size)), chance


def enumerated(rule: MarginRule, truth: float) -> tuple[float, float, dict[int, float]]:
    """(coverage, expected labels, chance of each number of labels) over all orders."""
    covered = expected = 0.0
    distribution: dict[int, float] = {}
    rate = truth if rule.size is None else truth / rule.size
    for answers, chance in orders(rule, truth):
        n = walked(rule, answers)
        low, high = shown(rule, n, sum(answers[:n]))
        covered += chance * (low <= rate <= high)
        expected += chance * n
        distribution[n] = distribution.get(n, 0.0) + chance
    return covered, expected, distribution


@pytest.mark.parametrize("interval", ["agresti_coull", "wilson"])
@pytest.mark.parametrize("first", [1, 4])
@pytest.mark.parametrize(
    ("size", "truths"), [(None, (0.0, 0.03, 0.2, 0.5, 0.77, 1.0)), (12, (0, 1, 4, 6, 11, 12))]
)
def test_agrees_with_every_order_written_out(
    interval: str, first: int, size: int | None, truths: tuple[float, ...]
) -> None:
    rule = MarginRule(0.24, 1.7, first, 14, size, interval)
    found = characteristics(rule, truths)
    for place, truth in enumerate(truths):
        coverage, labels, chances = enumerated(rule, truth)
        assert found.coverage[place] == pytest.approx(coverage, rel=1e-12, abs=1e-12)
        assert found.expected_labels[place] == pytest.approx(labels, rel=1e-12)
        reached, chance = label_distribution(rule, truth)
        mine = {int(n): c for n, c in zip(reached, chance, strict=True) if c > 1e-15}
        assert mine == pytest.approx({n: c for n, c in chances.items() if c > 1e-15}, abs=1e-12)


def test_enumeration_stops_at_several_numbers_of_labels() -> None:
    """What the test above compares is no single fixed size."""
    rule = MarginRule(0.24, 1.7, 1, 14)
    assert len(enumerated(rule, 0.2)[2]) >= 4


# --- the pieces --------------------------------------------------------------------------------


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_are_those_of_a_fixed_size(n: int, share: float, confidence: float) -> None:
    s, z = round(n * share), float(ndtri((1 + confidence) / 2))
    for size in (None, 400):
        rule = MarginRule(0.05, z, size=size, interval="wilson")
        expected = (
            wilson(s, n, confidence) if size is None else finite_wilson(s, n, size, confidence)
        )
        assert rule.at_stop(n, s) == pytest.approx((s / n, *map(float, expected)), abs=1e-9)
    ends = rule.limits([n, n], [s, n - s])
    assert ends[0][0] == pytest.approx(1 - ends[1][1], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    st.floats(0.03, 0.3),
    st.floats(1, 3),
    st.integers(1, 60),
    st.one_of(st.none(), st.integers(20, 900)),
    st.sampled_from(["agresti_coull", "wilson"]),
)
def test_chances_add_up_and_every_stop_meets_the_margin(
    margin: float, critical: float, first: int, size: int | None, interval: str
) -> None:
    rule = MarginRule(margin, critical, first, None, size, interval)
    at = stops(rule)
    assert np.all(rule.half_width(at.labels, at.positive) <= margin)
    assert np.all(at.labels >= min(first, rule.last)) and np.all(at.share > 0)
    truth = 0.3 if size is None else size // 3
    labels, chance = label_distribution(rule, truth)
    assert chance.sum() == pytest.approx(1, abs=1e-8)
    expected = characteristics(rule, truth).expected_labels[0]
    assert labels @ chance == pytest.approx(expected, rel=1e-12)


def test_rates_mirror_each_other() -> None:
    rule = plain_rule(0.05)
    low, high = characteristics(rule, [0.013, 0.21]), characteristics(rule, [0.987, 0.79])
    assert low.coverage == pytest.approx(high.coverage, abs=1e-10)
    assert low.expected_labels == pytest.approx(high.expected_labels, abs=1e-8)


def test_expected_half_width_is_the_mean_over_the_stops() -> None:
    for rule, truth in ((plain_rule(0.05), 0.1), (plain_rule(0.05, most=90, size=400), 80)):
        at, found = stops(rule), characteristics(rule, truth)
        labels, chance = label_distribution(rule, truth)
        low, high = float((at.high - at.low).min()) / 2, float((at.high - at.low).max()) / 2
        assert low <= found.expected_half_width[0] <= high
        if rule.most is None:
            assert 0.045 < found.expected_half_width[0] <= 0.05
        else:
            still = chance[labels == 90].sum()
            assert found.expected_half_width[0] == pytest.approx(
                0.05 + still * (rule.half_width(90, 18) - 0.05), abs=2e-3
            )


def test_before_the_first_label_nothing_is_known() -> None:
    for size in (None, 40):
        low, high = plain_rule(0.05, size=size).limits(0, 0)
        assert (float(low), float(high)) == (0.0, 1.0)


def test_a_budget_ends_it_and_a_census_is_exact() -> None:
    assert stops(plain_rule(0.01, most=100)).labels.max() == 100
    assert label_distribution(plain_rule(0.01, most=100), 0.5)[0].tolist() == [100]
    assert label_distribution(plain_rule(0.01, most=20), 0.5)[0].tolist() == [20]
    census = plain_rule(0.001, size=40)
    assert characteristics(census, [0, 7, 40]).coverage == pytest.approx(1.0)
    assert census.at_stop(40, 7) == (0.175, 0.175, 0.175)


def test_draws_with_and_without_replacement_agree_in_a_huge_file() -> None:
    infinite = characteristics(plain_rule(0.05), [0.01, 0.2, 0.5])
    size = 10_000_000
    finite = characteristics(plain_rule(0.05, size=size), [0.01 * size, 0.2 * size, 0.5 * size])
    assert finite.coverage == pytest.approx(infinite.coverage, abs=2e-3)
    assert finite.expected_labels == pytest.approx(infinite.expected_labels, abs=0.05)


# --- against simulated sessions ----------------------------------------------------------------


@pytest.mark.parametrize(("interval", "rate"), [("wilson", 0.12), ("agresti_coull", 0.3)])
def test_agrees_with_simulated_sessions(interval: str, rate: float) -> None:
    """20,000 sessions, seed (7, rate); four standard errors of the simulation."""
    rule, runs = plain_rule(0.05, interval=interval), 20_000
    generator = np.random.default_rng((7, round(100 * rate)))
    n = np.arange(1, rule.last + 1)
    labels, covered = np.empty(runs), np.empty(runs)
    for run in range(runs):
        s = np.cumsum(generator.random(rule.last) < rate)
        low, high = rule.limits(n, s)
        end = int(np.argmax(((high - low) / 2 <= rule.margin) & (n >= rule.first)))
        labels[run], covered[run] = n[end], low[end] <= rate <= high[end]
    exact = characteristics(rule, rate)
    noise = math.sqrt(exact.coverage[0] * (1 - exact.coverage[0]) / runs)
    assert abs(covered.mean() - exact.coverage[0]) < 4 * noise
    assert abs(labels.mean() - exact.expected_labels[0]) < 4 * labels.std() / math.sqrt(runs)
    assert abs(covered.mean() - 0.5) > 4 * noise, "a wrong coverage would be seen"


# --- least coverage ----------------------------------------------------------------------------


@pytest.mark.parametrize("interval", ["agresti_coull", "wilson"])
@pytest.mark.parametrize("margin", [0.05, 0.03])
def test_no_grid_finds_less_than_the_least_coverage(interval: str, margin: float) -> None:
    rule = plain_rule(margin, interval=interval)
    least, where = least_coverage(rule)
    everywhere = characteristics(rule, FINE_GRID).coverage
    beside = characteristics(rule, where + np.array([-1e-9, 0.0, 1e-9])).coverage
    assert least <= everywhere.min() + 1e-12
    assert least == pytest.approx(beside.min(), abs=1e-6), "it is reached"


def test_no_number_of_positives_has_less_than_the_least_coverage() -> None:
    rule = plain_rule(0.05, size=700)
    everywhere = characteristics(rule, np.arange(701)).coverage
    assert least_coverage(rule)[0] == pytest.approx(everywhere.min(), abs=1e-12)


def test_wilson_uncalibrated_falls_short() -> None:
    """.932 over rates of .01, .015, ... and .9295 over all of these; .885 where positives are so
    rare that one of them already lifts the low end above the rate."""
    rule = plain_rule(0.05, interval="wilson")
    assert least_coverage(rule, 0.01)[0] == pytest.approx(0.9295, abs=5e-5)
    assert least_coverage(rule, 0.01)[0] < 0.945
    assert characteristics(rule, np.arange(2, 101) / 200).coverage.min() == pytest.approx(
        0.932, abs=5e-4
    )
    least, where = least_coverage(rule)
    assert least == pytest.approx(0.8855, abs=5e-5) and where < 0.004


def covers_everywhere(rule: MarginRule, confidence: float) -> bool:
    """Whether the confidence is kept at every rate of a grid that the calibration did not use."""
    return bool(characteristics(rule, FINE_GRID).coverage.min() >= confidence)


@pytest.mark.parametrize(
    ("margin", "confidence"), [(0.1, 0.95), (0.05, 0.95), (0.03, 0.95), (0.05, 0.9), (0.05, 0.99)]
)
def test_calibrated_it_covers_at_every_rate(margin: float, confidence: float) -> None:
    critical = calibrated_critical(margin, confidence, 30)
    assert covers_everywhere(plain_rule(margin, critical), confidence)
    ordinary = float(ndtri((1 + confidence) / 2))
    assert not covers_everywhere(plain_rule(margin, ordinary), confidence), "the twin fails"


@pytest.mark.parametrize("size", [120, 1000])
def test_calibrated_it_covers_every_number_of_positives(size: int) -> None:
    critical = calibrated_critical(0.05, 0.95, 30, size)
    kept = characteristics(plain_rule(0.05, critical, size=size), np.arange(size + 1)).coverage
    assert kept.min() >= 0.95
    infinite = calibrated_critical(0.05, 0.95, 30)
    other = characteristics(plain_rule(0.05, infinite, size=size), np.arange(size + 1)).coverage
    assert other.min() < 0.95, "the value for independent draws falls short for a file"


def test_the_published_critical_values() -> None:
    """Agresti and Coull's interval: 2.02 at 5 points, and 1.99 at 3 points. The second is enough,
    to three decimals, over whole percents; over all rates 2.005 is needed."""
    assert round(calibrated_critical(0.05, 0.95, 30), 2) == 2.02
    percents = np.arange(1, 100) / 100
    covers = characteristics(plain_rule(0.03, 1.99), percents).coverage.min()
    assert round(float(covers), 3) == 0.95
    assert least_coverage(plain_rule(0.03, 1.99))[0] == pytest.approx(0.94835, abs=5e-6)
    assert calibrated_critical(0.03, 0.95, 30) == 2.005


@pytest.mark.parametrize("margin", [0.05, 0.03])
def test_exactness_costs_between_two_and_six_percent_more_labels(margin: float) -> None:
    critical = calibrated_critical(margin, 0.95, 30)
    rates = [0.02, 0.1, 0.3, 0.5]
    exact = characteristics(plain_rule(margin, critical), rates).expected_labels
    plain = characteristics(plain_rule(margin), rates).expected_labels
    more = exact / plain - 1
    print(f"margin {margin}: critical {critical}, more labels {np.round(100 * more, 1)} %")
    assert np.all((more > 0.02) & (more < 0.065))


# --- limits of use -----------------------------------------------------------------------------


def test_wilson_cannot_be_calibrated_for_the_rarest_rates() -> None:
    with pytest.raises(ValueError, match=r"the wilson interval at the stop cover 95\.0% at every"):
        calibrated_critical(0.05, 0.95, 30, interval="wilson")
    critical = calibrated_critical(0.05, 0.95, 30, interval="wilson", lowest_rate=0.01)
    rule = plain_rule(0.05, critical, interval="wilson")
    kept = characteristics(rule, FINE_GRID[(FINE_GRID >= 0.01) & (FINE_GRID <= 0.99)]).coverage
    assert kept.min() >= 0.95


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": 0.0}, "margin must lie between 0 and 1/2, got 0.0"),
        ({"margin": 0.5}, "margin must lie between 0 and 1/2, got 0.5"),
        ({"critical": 0.0}, "critical must be a number above 0, got 0.0"),
        ({"critical": math.nan}, "critical must be a number above 0, got nan"),
        ({"first": 0}, "first must be at least 1, got 0"),
        ({"most": 0}, "most must be at least 1, got 0"),
        ({"size": 0}, "size must be at least 1, got 0"),
        ({"interval": "wald"}, "interval must be one of agresti_coull, wilson, got 'wald'"),
    ],
)
def test_a_rule_says_what_is_wrong(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MarginRule(**{"margin": 0.05, "critical": 2.0, **arguments})  # type: ignore[arg-type]


def test_functions_say_what_is_wrong() -> None:
    rule = plain_rule(0.05)
    with pytest.raises(ValueError, match="truth must lie between 0 and 1, got 1.5"):
        characteristics(rule, 1.5)
    with pytest.raises(ValueError, match="truth must lie between 0 and 1, got nan"):
        characteristics(rule, math.nan)
    with pytest.raises(ValueError, match="truth must be whole numbers of positives, got 0.5"):
        characteristics(plain_rule(0.05, size=100), 0.5)
    with pytest.raises(ValueError, match="positive must lie between 0 and labels, got 5 of 4"):
        rule.at_stop(4, 5)
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1, got 1"):
        calibrated_critical(0.05, 1)
    with pytest.raises(ValueError, match="lowest_rate must lie between 0 and 1/2, got 0.6"):
        least_coverage(rule, 0.6)
