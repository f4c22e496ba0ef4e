"""Bounds on the hits among the first r items, against every 0/1 list that agrees with them."""

from itertools import product

import numpy as np
import pytest

from labelcore.papers.curves.yield_closure import certain_yields, closed_yields

N_ITEMS = 9


def lists_between(
    labels: np.ndarray, ranks: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Yields of every 0/1 list that has these labels and lies inside the bounds, (n, N_ITEMS)."""
    every = np.array(list(product([0, 1], repeat=N_ITEMS)))
    known = ~np.isnan(labels)
    agrees = np.all(every[:, known] == labels[known], axis=1)
    yields = np.cumsum(every, axis=1)
    there = yields[:, ranks - 1]
    return yields[agrees & np.all((low <= there) & (there <= high), axis=1)]


def case(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Some labels, and whole bounds around the yields of one list at some ranks."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N_ITEMS)
    labels = np.where(rng.random(N_ITEMS) < 0.3, truth, np.nan)
    ranks = np.sort(rng.choice(N_ITEMS, 3, replace=False)) + 1
    there = np.cumsum(truth)[ranks - 1]
    return labels, ranks, there - rng.integers(0, 3, 3), there + rng.integers(0, 3, 3)


def test_no_narrower_and_no_wider_than_the_lists_inside() -> None:
    forward_only = 0
    for seed in range(150):
        labels, ranks, low, high = case(seed)
        yields = lists_between(labels, ranks, low, high)
        certain = certain_yields(labels, labels)
        found = closed_yields((ranks, low.astype(float), high.astype(float)), certain)
        assert found[0].tolist() == yields.min(axis=0).tolist()
        assert found[1].tolist() == yields.max(axis=0).tolist()
        start = certain[0].copy()
        start[ranks - 1] = np.maximum(start[ranks - 1], low)
        onward = certain[0] + np.maximum.accumulate(start - certain[0])
        forward_only += onward.tolist() != yields.min(axis=0).tolist()
    assert forward_only > 20, "what a rank says about those before it must matter"


def test_a_doubtful_item_counts_both_ways() -> None:
    low, high = np.array([1.0, 0.0, np.nan]), np.array([1.0, 1.0, np.nan])
    least, most = certain_yields(low, high)
    assert (least.tolist(), most.tolist()) == ([1, 1, 1], [1, 2, 3])


@pytest.mark.parametrize("wrong", [(3.0, 3.0), (0.0, 0.5)])
def test_bounds_that_contradict_the_labels_are_left_out(wrong: tuple[float, float]) -> None:
    labels = np.array([1.0, 0.0, np.nan])
    certain = certain_yields(labels, labels)
    found = closed_yields((np.array([2]), np.array([wrong[0]]), np.array([wrong[1]])), certain)
    assert [one.tolist() for one in found] == [one.tolist() for one in certain]
