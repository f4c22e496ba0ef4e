"""What the interval at a calibrated stop covers: exactly, and in sessions of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

import labelcore as lc
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.plan.margin_stop import margin_rule
from labelcore.planning.runs import label_all
from labelcore.stats.stop_at_margin import MarginRule, characteristics
from tests.designs.synthetic import Known, fewest, write

PLAN = lc.Plan("simple_random", "prevalence", margin=0.05, promise="fixed", stop="margin")


@pytest.fixture(scope="module")
def shares(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """200 items without any score, 28 of them positive."""
    truth = (np.random.default_rng(2).permutation(200) < 28).astype(int)
    return write(tmp_path_factory.mktemp("shares"), truth, classes=["no", "yes"])


RUNS = 200


def stopped(known: Known, rule: MarginRule) -> tuple[np.ndarray, float]:
    """Labels of each of ``RUNS`` sessions of the engine, and the share whose interval is right."""
    plan = PLAN.with_planned(200)
    truth, labels, hits = float(known.truth.mean()), [], 0
    for seed in range(RUNS):
        engine = Engine(known.population, replace(plan, seed=seed))
        engine.rule = rule
        assert label_all([engine], known.truth) == ["goal reached"]
        one = scalar_results(engine)["prevalence"]
        assert isinstance(one, lc.Estimate) and one.half_width <= 0.05
        hits += one.low - 1e-12 <= truth <= one.high + 1e-12
        labels.append(engine.labels)
    return np.array(labels, dtype=float), hits / RUNS


def follows(labels: np.ndarray, rule: MarginRule, positives: int) -> bool:
    """Whether the mean number of labels is the calculated one, within four standard errors."""
    expected = characteristics(rule, positives).expected_labels[0]
    return bool(abs(labels.mean() - expected) < 4 * labels.std(ddof=1) / np.sqrt(len(labels)))


def test_sessions_of_the_engine_cover_where_the_ordinary_value_does_worst(shares: Known) -> None:
    """28 of 200 positive; a method of 95 % falls below the limit once in 10,000 times. The twin has
    a critical value of 1.2 and does. Ordinary and calibrated sessions differ in their labels."""
    rule = margin_rule(PLAN, 200)
    assert rule is not None
    labels, share = stopped(shares, rule)
    assert share >= fewest(RUNS, 0.95) and follows(labels, rule, 28)
    assert not follows(labels, replace(rule, critical=float(ndtri(0.975))), 28)
    broken = replace(rule, critical=1.2)
    labels, share = stopped(shares, broken)
    assert share < fewest(RUNS, 0.95) and follows(labels, broken, 28)


def test_the_ordinary_value_would_fall_short(shares: Known) -> None:
    """The rule of the plan at every number of positives, exactly; its twin has the value 1.96."""
    rule = margin_rule(PLAN, 200)
    assert rule is not None and int(shares.truth.sum()) == 28
    every = np.arange(201)
    assert characteristics(rule, every).coverage.min() >= 0.95
    twin = characteristics(replace(rule, critical=float(ndtri(0.975))), every).coverage
    assert twin.min() == pytest.approx(0.9295, abs=5e-5) and 28 in np.argsort(twin)[:2]


def test_simulate_counts_at_the_stop(shares: Known) -> None:
    found = lc.simulate(shares.population, PLAN, truth=shares.truth, runs=5, seed=1)
    table = found.table()
    assert set(table["status"]) == {"goal reached"} and table["labels_used"].nunique() > 1
    assert ((table["high"] - table["low"]) / 2 <= 0.05).all()
    assert table["labels_used"].max() <= found.plan.planned < 200
