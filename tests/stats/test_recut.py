"""Strata cut once more by a model of labels: its fit, its cuts, and why it is cross-fitted."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from labelcore.designs import DESIGNS
from labelcore.designs.base import Look
from labelcore.estimands import SCALARS
from labelcore.promises import Promise
from labelcore.stats import recut
from labelcore.stats.profile import Cells
from labelcore.stats.recut import FOLDS, edges, folds, learned
from tests.cases import repeated

SEED, RUNS = 5, repeated(150)
ITEMS, LABELS, COLUMNS, RATE = 1000, 120, 80, 0.3


def test_the_fit_is_that_of_a_general_optimiser() -> None:
    random = np.random.default_rng(SEED)
    x, offset = random.normal(size=(80, 3)), random.normal(size=80)
    y = (random.random(80) < expit(offset + x[:, 0])).astype(float)

    def cost(beta: np.ndarray) -> float:
        at = offset + beta[0] + x @ beta[1:]
        fit = (y * log_expit(at) + (1 - y) * log_expit(-at)).sum()
        return float(-fit + 0.5 * beta[0] ** 2 + 0.5 * 10 * beta[1:] @ beta[1:])

    expected = minimize(cost, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    found = recut._ridge(x, offset, y, 10.0, np.ones(4))
    assert np.allclose(found, expected, atol=1e-5)


def test_a_stratum_is_cut_where_the_spread_of_both_parts_is_least() -> None:
    random = np.random.default_rng(SEED)
    beyond = np.concatenate([random.normal(-2, 0.3, 60), random.normal(2, 0.3, 40), np.zeros(50)])
    stratum, rates = np.repeat([0, 1], [100, 50]), np.array([0.4, 0.4])
    found = edges(beyond, stratum, rates, np.array([20.0, 20.0]))
    assert np.isnan(found[1]), "all alike: nothing to gain"
    p = expit(logit(0.4) + beyond[:100])

    def spread(part: np.ndarray) -> float:
        return float(len(part) * np.sqrt(part.mean() * (1 - part.mean())))

    upper = beyond[:100] >= beyond[:100, None]
    allowed = (upper.sum(axis=1) >= 5) & (upper.sum(axis=1) <= 95)
    each = [spread(p[mine]) + spread(p[~mine]) if fits else np.inf
            for mine, fits in zip(upper, allowed, strict=True)]  # fmt: skip
    assert found[0] == beyond[int(np.argmin(each))]


@pytest.mark.parametrize(("expected", "items"), [(4.9, 100), (20.0, 9)])
def test_what_gets_few_labels_or_has_few_items_stays_whole(expected: float, items: int) -> None:
    beyond = np.repeat([-3.0, 3.0], [items - items // 2, items // 2])
    stratum = np.zeros(items, dtype=np.int64)
    assert np.isnan(edges(beyond, stratum, np.array([0.5]), np.array([expected])))[0]


def test_folds_are_as_equal_as_can_be() -> None:
    assert np.bincount(folds(np.random.default_rng(1), 23)).tolist() == [5, 5, 5, 4, 4]


def test_each_fold_of_a_stratum_has_the_same_mean() -> None:
    _, found, stratum, fold, _ = next(sessions(1))
    for one in range(FOLDS):
        mean = found.beyond[(stratum == 0) & (fold == one)].mean()
        assert mean == pytest.approx(found.beyond[stratum == 0].mean(), abs=1e-9)


@pytest.mark.full
def test_parts_keep_the_coverage() -> None:
    """Content that is noise, cut whatever the guard says: the interval of the rate over the parts,
    with the labels that were there. 150 sessions, limit three standard errors under .95."""
    assert covered() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.full
def test_without_cross_fitting_it_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin places each item by its own label, too: positives that were labelled lie in one
    part, and the other items there are taken for positives."""

    def own_labels(x, offset, y, fold):  # type: ignore[no-untyped-def]
        found = []
        for penalty in recut.PENALTIES:
            model = recut._ridge(x, offset, y, penalty, np.zeros(1 + x.shape[1]))
            found.append((model[0] + x @ model[1:], np.tile(model, (FOLDS, 1))))
        return found

    monkeypatch.setattr(recut, "_cross_fitted", own_labels)
    assert covered() < 0.95 - 3 * np.sqrt(0.05 * 0.95 / RUNS)


def covered() -> float:
    look = Look(0.95, Promise.FIXED, LABELS, LABELS, "file", 4, complete=True)
    inside = 0
    for truth, found, stratum, _, items in sessions(RUNS):
        edge = edges(found.beyond, stratum, np.full(2, RATE), np.full(2, LABELS / 2))
        part = 2 * stratum + (found.beyond >= edge[stratum])
        size = np.bincount(part, minlength=4)
        n = np.bincount(part[items], minlength=4)
        s = np.bincount(part[items], truth[items], minlength=4)
        there = size > 0
        cells = Cells(
            *(one[there].astype(float) for one in (size, n, s)), np.zeros(there.sum()) > 1
        )
        made = DESIGNS["recalibrated_neyman"].estimate([SCALARS["prevalence"]], cells, look, None)
        inside += bool(made.low[0] <= truth.mean() <= made.high[0])
    return inside / RUNS


def sessions(
    runs: int,
) -> Iterator[tuple[np.ndarray, recut.Learned, np.ndarray, np.ndarray, np.ndarray]]:
    """Truth, what is learned, strata, folds and labelled items of sessions on noise."""
    random = np.random.default_rng(SEED)
    stratum = np.repeat([0, 1], ITEMS // 2)
    for _ in range(runs):
        truth = (random.random(ITEMS) < RATE).astype(float)
        columns = random.normal(size=(ITEMS, COLUMNS)).astype(np.float32) * 0.5
        half = [random.choice(ITEMS // 2, LABELS // 2, replace=False) for _ in range(2)]
        items = np.concatenate([half[0], ITEMS // 2 + half[1]])
        fold = folds(random, ITEMS)
        found = learned([columns], stratum, np.full(2, RATE), fold, items, truth[items] > 0)
        yield truth, found, stratum, fold, items
