"""The plain sample's intervals are those of the table METHODS 7.0, computed here again."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Look
from labelcore.designs.simple_random import SimpleRandom, expected_left
from labelcore.estimands import SCALARS, Estimand, ratios
from labelcore.stats.profile import Cells
from labelcore.stats.proportion import finite_exact, wilson
from labelcore.stats.sequences import finite_sequence, rate_sequence
from labelcore.testing.known import Known, calibrated, labelled, write

CELLS = Cells(
    np.array([200.0, 800]), np.array([20.0, 80]), np.array([15.0, 4]), np.array([True, False])
)
GROUPS = {  # hits, labelled, size
    "accuracy": (15 + 76, 100, 1000), "prevalence": (19, 100, 1000), "precision": (15, 20, 200),
    "false_omission_rate": (4, 80, 800), "negative_predictive_value": (76, 80, 800),
}  # fmt: skip


def figures(name: str, promise: str, target: str = "file") -> tuple[float, float, float]:
    look = Look(0.95, promise, 100, 100, target, 1)
    found = SimpleRandom().estimate([SCALARS[name]], CELLS, look, None)
    return float(found.value[0]), float(found.low[0]), float(found.high[0])


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_fixed_is_wilson_within_the_denominator(name: str) -> None:
    hits, n, size = GROUPS[name]
    for target, factor in (("file", 1 - n / size), ("process", 1.0)):
        low, high = wilson(hits / factor, n / factor, 0.95)
        expected = (hits / n, float(low), float(high))
        assert figures(name, "fixed", target) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_watched_is_the_prior_posterior_ratio_within_the_denominator(name: str) -> None:
    hits, n, size = GROUPS[name]
    low, high = finite_sequence(hits, n, size, 0.05)
    assert figures(name, "watched") == pytest.approx((hits / n, low / size, high / size))
    assert figures(name, "watched", "process")[1:] == pytest.approx(rate_sequence(hits, n, 0.05))


@pytest.mark.parametrize("name", ["recall", "f1", "specificity"])
def test_watched_ratios_take_the_worst_corner_of_two_sequences(name: str) -> None:
    """Each at half the error level; every corner is tried here."""
    ends = [finite_sequence(s, n, size, 0.025) for s, n, size in ((15, 20, 200), (4, 80, 800))]
    table = ratios([SCALARS[name]], CELLS)
    corners = [table.value(np.array(corner))[0] for corner in itertools.product(*ends)]
    assert figures(name, "watched", "file")[1:] == pytest.approx((min(corners), max(corners)))


@pytest.mark.parametrize(
    ("name", "hits", "others", "weight"),
    [("recall", 15, 4, 1), ("f1", 15, 5 + 4, 2), ("specificity", 76, 5, 1)],
)
def test_watched_ratios_of_items_like_these_rest_on_shares_of_all_labels(
    name: str, hits: int, others: int, weight: int
) -> None:
    """TP 15, FP 5, FN 4, TN 76: the file's own number of predicted items is no help."""
    x, y = (rate_sequence(number, 100, 0.025) for number in (hits, others))
    corners = [weight * a / (weight * a + b) for a in x for b in y]
    assert figures(name, "watched", "process")[1:] == pytest.approx((min(corners), max(corners)))


def test_each_weight_in_a_ratio_has_a_sequence_of_its_own() -> None:
    """F2, 5 TP / (5 TP + 4 FN + FP), with the same counts."""
    row = Estimand("f2", "F2", (0, 0, 0, 5), (0, 4, 1, 0), formula="")
    look = Look(0.95, "watched", 100, 100, "process", 1)
    found = SimpleRandom().estimate([row], CELLS, look, None)
    tp, fn, fp = (rate_sequence(number, 100, 0.05 / 3) for number in (15, 4, 5))
    corners = [5 * a / (5 * a + 4 * b + c) for a in tp for b in fn for c in fp]
    ends = float(found.low[0]), float(found.high[0])
    assert ends == pytest.approx((min(corners), max(corners)))
    assert ends[0] < float(found.value[0]) < ends[1]


def test_one_random_order(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A longer sample begins with the shorter one: the draws do not depend on the budget, nor on
    the labels."""
    known: Known = calibrated(tmp_path_factory.mktemp("plain"), 100, seed=1)
    plans = [lc.Plan("simple_random", ["accuracy"], budget=b, promise="fixed") for b in (30, 90)]
    short, long = (labelled(known.engine(plan, 2), known.truth) for plan in plans)
    positions = [[asked.position for asked in engine.asked] for engine in (short, long)]
    assert set(positions[0]) == set(known.engine(plans[1], 2).frame.queue[:30].tolist())
    assert set(positions[1]) == set(known.engine(plans[1], 2).frame.queue[:90].tolist())


@pytest.mark.parametrize("target", ["file", "process"])
def test_few_misses_have_the_exact_end(target: str) -> None:
    cells = Cells(CELLS.size, CELLS.labelled, np.array([19.0, 4]), CELLS.predicted)
    look = Look(0.95, "fixed", 100, 100, target, 1)
    found = SimpleRandom().estimate([SCALARS["precision"]], cells, look, None)
    size = 200 if target == "file" else np.inf
    assert found.high[0] == finite_exact(19, 20, size, 0.95)[1] > wilson(19, 20, 0.95)[1]
    assert "exact" in str(found.method[0]) and "(approximate)" in str(found.method[0])


@pytest.mark.parametrize(
    ("name", "left"),
    [
        # Scores .1, .3, .5 and .7 alike: mean .4, variance .05, of .4 x .6 in all.
        ("prevalence", 1 - 0.05 / 0.24),
        # Of .5 and .7 called positive: mean .6, variance .01.
        ("precision", 1 - 0.01 / 0.24),
        ("recall", 1.0),
    ],
)
def test_what_the_scores_leave(tmp_path: Path, name: str, left: float) -> None:
    score = np.tile([0.1, 0.3, 0.5, 0.7], 50)
    known = write(tmp_path, np.tile([0, 1], 100), score=score, thresholds={"lr": 0.5})
    assert expected_left(known.population, "lr", SCALARS[name]) == pytest.approx(left, abs=1e-12)


def test_where_nothing_is_called_positive_the_scores_leave_everything(tmp_path: Path) -> None:
    score = np.tile([0.1, 0.3, 0.5, 0.7], 50)
    known = write(tmp_path, np.tile([0, 1], 100), score=score, thresholds={"lr": 0.9})
    with np.errstate(all="raise"):
        assert expected_left(known.population, "lr", SCALARS["precision"]) == 1.0
