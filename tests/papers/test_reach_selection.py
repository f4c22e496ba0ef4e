"""Bennett, Chickering, Meek and Zhu (2017): published numbers, and what is broken as printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.papers.reach_selection_lists import RankedList
from benchmarks.papers.reach_selection_lockstep import once, orders_of, replaced, words_of
from labelcore.papers.reach_selection.bounds import (
    draws_for_precision,
    draws_for_reach,
    label_bound,
    smallest_budget,
)
from labelcore.papers.reach_selection.selection import (
    DECIDED,
    ReachChoice,
    ReachRules,
    ReachSelection,
    ReachSets,
    make_choice,
    reach_sets,
)
from labelcore.testing.known import most

SECTION_5 = ReachRules(0.9, 0.1, 0.1, delta=0.05, bound="hoeffding")
SIZES_5 = 50 * 2 ** np.arange(9)
NOWHERE = np.full(2, np.nan)


def test_draws_of_section_5() -> None:
    """T 5000, m 9, PT .9, gamma .1, epsilon .1, delta .05; METHODS: 2881 and 4502."""
    assert draws_for_precision(9, 5000, 0.05, 0.1) == 2881
    assert draws_for_reach(9, 5000, 0.05, 0.9, 0.1, 0.1) == 4502
    assert label_bound(9, 5000, 0.05, 0.9, 0.1, 0.1) == 9 * 4502


def test_smallest_fixed_point() -> None:
    """The same setting: 46,800."""
    assert smallest_budget(9, 0.05, 0.9, 0.1, 0.1) == 46_800
    assert label_bound(9, 46_800, 0.05, 0.9, 0.1, 0.1) == 46_800
    assert label_bound(9, 46_799, 0.05, 0.9, 0.1, 0.1) == 46_800


def test_candidates_of_section_5() -> None:
    assert SIZES_5.tolist() == [50, 100, 200, 400, 800, 1600, 3200, 6400, 12800]


# --- broken as printed ---------------------------------------------------------------------------


def printed_end(low: np.ndarray, sizes: np.ndarray, sets: ReachSets) -> int | None:
    """The end of algorithm 1 as it stands there: "if |RQ| > 1 return best in RQ, elseif |KA| > 0
    return best in KA, else alpha"; best is the largest lower bound on the reach."""
    reach = low * sizes
    for members, least in ((sets.qualified, 1), (sets.known_acceptable, 0)):
        if members.sum() > least:
            return int(np.where(members, reach, -1).argmax())
    return None


def test_one_qualified_candidate_is_passed_over_as_printed() -> None:
    """Reach between 202 and 280, and between 210 and 220: the first alone is within a tenth of any
    good one. |RQ| > 1 passes it over for the second, which may reach a quarter less."""
    low, high, sizes = np.array([0.72, 0.84]), np.array([1.0, 0.88]), np.array([280, 250])
    rules = replace(SECTION_5, precision_threshold=0.8)
    sets = reach_sets(low, high, sizes, rules)
    assert sets.qualified.tolist() == [True, False] and sets.known_acceptable.all()
    assert make_choice(low, sizes, NOWHERE, sets, rules) == ReachChoice(0, "guaranteed")
    assert printed_end(low, sizes, sets) == 1
    reach = np.array([280, 212])  # possible: precision 1 and .848
    assert ((low * sizes <= reach) & (reach <= high * sizes)).all()
    assert reach[1] < (1 - rules.reach_slack) * reach[0], "condition 2 is broken"


def test_waiting_for_two_qualified_candidates_never_ends() -> None:
    """With candidates of very different size only one can come within a tenth of the best."""
    member = np.arange(400)[:, None] < np.array([50, 400])
    truth = np.random.default_rng(2).random(400) < 0.97
    rules = replace(SECTION_5, bound="prior_posterior_ratio", early_stopping=False)
    for elimination in (False, True):
        selection = ReachSelection(
            member, replace(rules, elimination=elimination), 400, np.arange(400)
        )
        qualified = []
        while selection.item is not None:
            selection.take(int(truth[selection.item]))
            qualified.append(int(selection.sets.qualified.sum()))
        assert 1 in qualified and max(qualified) == 1
        assert selection.choice() == ReachChoice(1, "guaranteed")


def test_strict_comparison_finds_no_perfect_candidate() -> None:
    """PG = {UCB > PT} is empty from the start at PT = 1, and alpha is returned for a list without
    a single mistake; section 2 calls a precision of at least PT good."""
    rules = replace(
        SECTION_5, precision_threshold=1.0, precision_slack=0.2, bound="prior_posterior_ratio"
    )
    selection = ReachSelection(np.ones((200, 1), dtype=bool), rules, 200, np.arange(200))
    while selection.item is not None:
        assert not (selection.bounds.high > rules.precision_threshold).any(), "PG as printed"
        selection.take(1)
    assert selection.ended == DECIDED and selection.choice() == ReachChoice(0, "guaranteed")


def test_the_printed_loop_cannot_choose_after_the_budget() -> None:
    """ "if S > T return alpha" stands inside the loop, which ends at the first qualified candidate;
    the variants without early stopping of section 5.2 choose after all T draws."""
    member = np.arange(300)[:, None] < np.array([100, 300])
    truth = np.arange(300) < 100
    rules = replace(
        SECTION_5, bound="prior_posterior_ratio", early_stopping=False, elimination=False
    )
    order = np.random.default_rng(4).permutation(300)
    selection = ReachSelection(member, rules, 250, order)
    while selection.item is not None:
        selection.take(int(truth[selection.item]))
    assert selection.made == 250
    assert selection.choice() == ReachChoice(0, "guaranteed")


# --- theorem 1 by Hoeffding's bounds -------------------------------------------------------------

LIST = np.concatenate([np.arange(60) < 56, np.arange(60) < 50, np.arange(240) < 60])
SIZES = np.array([60, 120, 360])
RUNS = 20


class CountingOn(ReachSelection):
    """The mistake: an eliminated candidate goes on being updated, and is drawn for no more."""

    def take(self, verdict: int) -> None:
        assert self._next is not None
        self._next = self._next[0], np.flatnonzero(self._next[0] < SIZES)
        super().take(verdict)


def missed(kind: Callable[..., ReachSelection]) -> float:
    """Share of sessions of 1,200 draws in which an interval misses a precision."""
    member, found = np.arange(360)[:, None] < SIZES, 0
    precision = np.array([LIST[:size].mean() for size in SIZES])
    rules = replace(SECTION_5, early_stopping=False, precision_threshold=0.85)
    for seed in range(RUNS):
        words = np.random.default_rng(seed).integers(0, 2**64, 1200, dtype=np.uint64)
        selection = kind(member, rules, 1200, np.arange(360), words)
        while selection.item is not None:
            selection.take(int(LIST[selection.item]))
        low, high = selection.bounds.low, selection.bounds.high
        found += bool(((precision < low) | (precision > high)).any())
    return found / RUNS


def test_anytime_bounds_hold_for_all_candidates() -> None:
    """Equation 8 at delta .05, 20 sessions; limit from binomial noise."""
    assert missed(ReachSelection) <= most(RUNS, 0.05)


@pytest.mark.full
def test_updating_an_eliminated_candidate_breaks_them() -> None:
    assert missed(CountingOn) > most(RUNS, 0.05)


# --- the benchmark -----------------------------------------------------------------------------

NESTED = np.array([20, 40, 80, 160])
HEAD = (np.random.default_rng(1).random(160) < np.where(np.arange(160) < 50, 0.97, 0.2)).astype(int)


def alone(rules: ReachRules, order: np.ndarray, words: np.ndarray | None) -> ReachSelection:
    member = np.arange(160)[:, None] < NESTED
    selection = ReachSelection(member, rules, 400, order, words)
    while selection.item is not None:
        selection.take(int(HEAD[selection.item]))
    return selection


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
