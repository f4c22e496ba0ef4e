"""A selection that follows corrected labels is the one that the labels alone lead to."""

from dataclasses import replace

import numpy as np
import pytest

from labelcore.papers.reach_selection import design as reach_follow
from labelcore.papers.reach_selection.bounds import DOUBTFUL
from labelcore.papers.reach_selection.design import ReachFollower
from labelcore.papers.reach_selection.selection import ReachRules, ReachSelection

MEMBER = np.arange(120)[:, None] < np.array([15, 30, 60, 120])
RULES = ReachRules(0.7, 0.05, 0.1)


def begin(rules: ReachRules) -> ReachSelection:
    words = np.random.default_rng(1).integers(0, 2**64, 200, dtype=np.uint64)
    return ReachSelection(MEMBER, rules, 200, np.random.default_rng(2).permutation(120), words)


@pytest.mark.parametrize("bound", ["hoeffding", "prior_posterior_ratio"])
@pytest.mark.parametrize("sampler", ["pooled", "round_robin"])
def test_follows_as_if_never_otherwise(
    bound: str, sampler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach_follow, "APART", 7)
    random, rules = np.random.default_rng(3), replace(RULES, bound=bound, sampler=sampler)
    follower, verdicts = ReachFollower(lambda: begin(rules)), np.full(120, -1)
    for _ in range(150):
        changed = random.integers(0, 120, random.integers(1, 12))
        verdicts[changed] = random.choice([-1, 0, 1, 1, 1, DOUBTFUL], len(changed))
        found = follower.follow(verdicts.__getitem__)
        plain = ReachFollower(lambda: begin(rules)).follow(verdicts.__getitem__)
        assert (found.made, found.item, found.ended) == (plain.made, plain.item, plain.ended)
        assert found.choice(ended=True) == plain.choice(ended=True)
        assert found.ahead(9) == plain.ahead(9) and found.certain == plain.certain
        np.testing.assert_array_equal(found.bounds.low, plain.bounds.low)
        np.testing.assert_array_equal(found.active, plain.active)


def test_each_draw_is_taken_once_while_labels_come_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken, take = [], ReachSelection.take

    def counted(self: ReachSelection, verdict: int) -> None:
        taken.append(verdict)
        take(self, verdict)

    monkeypatch.setattr(ReachSelection, "take", counted)
    rules = replace(RULES, early_stopping=False, elimination=False)
    follower, verdicts = ReachFollower(lambda: begin(rules)), np.full(120, -1)
    while (item := follower.follow(verdicts.__getitem__).item) is not None:
        verdicts[item] = 1
    assert len(taken) == 120
