"""Bennett, Chickering, Meek and Zhu (2017): the benchmark's own machinery against the product;
``python -m benchmarks.papers`` has the published numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.papers.reach_selection_lists import RankedList
from benchmarks.papers.reach_selection_lockstep import once, orders_of, replaced, words_of
from labelcore.papers.reach_selection.selection import ReachRules, ReachSelection

SECTION_5 = ReachRules(0.9, 0.1, 0.1, delta=0.05, bound="hoeffding")

# --- the benchmark -----------------------------------------------------------------------------

NESTED = np.array([20, 40, 80, 160])
HEAD = (np.random.default_rng(1).random(160) < np.where(np.arange(160) < 50, 0.97, 0.2)).astype(int)


def alone(rules: ReachRules, order: np.ndarray, words: np.ndarray | None) -> ReachSelection:
    member = np.arange(160)[:, None] < NESTED
    selection = ReachSelection(member, rules, 400, order, words)
    while selection.item is not None:
        selection.take(int(HEAD[selection.item]))
    return selection


@pytest.mark.full
@pytest.mark.parametrize("sampler", ["pooled", "round_robin", "once"])
@pytest.mark.parametrize("elimination", [True, False])
def test_runs_side_by_side_are_those_of_the_product(sampler: str, elimination: bool) -> None:
    """The benchmark's draws and bounds for many runs at once, against ``ReachSelection``."""
    rules = replace(SECTION_5, elimination=elimination)
    if sampler == "once":
        rules, order = replace(rules, bound="prior_posterior_ratio"), orders_of(1, 4, 160)
        ends = once(HEAD, NESTED, rules, 400, 0.05, order)
        runs = [alone(rules, order[run].astype(np.int64), None) for run in range(4)]
    else:
        rules, words = replace(rules, sampler=sampler), words_of(1, 4, 400)
        ends, _ = replaced(HEAD, NESTED, rules, 400, np.array([0.05]), words)
        runs = [alone(rules, np.arange(160), words[run]) for run in range(4)]
    assert [run.made for run in runs] == ends.draws.tolist()
    assert [run.certain for run in runs] == ends.labels.tolist()
    assert [run.choice() for run in runs] == ends.choices(NESTED, rules)
    np.testing.assert_allclose([run.bounds.low for run in runs], ends.low)
    np.testing.assert_allclose([run.bounds.high for run in runs], ends.high)


def test_which_answers_the_benchmark_calls_right() -> None:
    """Precision 1, 1, .95, .85, ...: the fourth reaches 340 of 340 and is acceptable, the third
    reaches 190, the best good one; without a good one "none" is right."""
    truth = np.zeros(12_800, dtype=np.int64)
    truth[:190] = truth[200:350] = 1
    right, none_right = RankedList("a", truth).right(SECTION_5)
    assert right.tolist() == [False, False, True, True] + [False] * 5 and not none_right
    assert RankedList("b", 0 * truth).right(SECTION_5)[1]
