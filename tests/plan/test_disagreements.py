"""Counts of the items on which two classifiers disagree."""

from __future__ import annotations

import numpy as np

from labelcore.plan.claim_totals import Disagreements


def test_counts_after_each_label_are_those_of_labels_given_one_by_one() -> None:
    """40 labels of 300 items of four strata and three classes, of which some are agreed on."""
    random = np.random.default_rng(2)
    stratum, truth = random.integers(0, 4, 300), random.integers(0, 3, 300)
    left, right = (random.integers(0, 3, 300).astype(np.int16) for _ in range(2))
    tally, drawn = Disagreements(stratum, left, right, 3), random.permutation(300)
    tally.add_all(drawn[:60], truth[drawn[:60]])
    ahead = drawn[60:100]
    found = tally.after_each(ahead, truth[ahead], None)
    for place, position in enumerate(ahead):
        tally.add(position, truth[position])
        now = tally.cells(None)
        np.testing.assert_array_equal(found.labelled[place], now.labelled)
        np.testing.assert_array_equal(found.positive[place], now.positive)
    assert now.labelled[:4].sum() < 100
