"""The benchmark of Kumar and Raj (2018) against the product."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.stratified_runs import Sample, Strata, printed_sessions, shared
from labelcore.papers.stratified.neyman import printed_counts
from labelcore.stats.allocation import largest_remainder

FROZEN = Strata(np.array([4000, 4000, 1000, 1000]), np.array([3880, 3880, 700, 600]))


def test_tables_of_sessions_share_as_one_session_does() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        n_strata = int(rng.integers(1, 8))
        shares = rng.random(n_strata) * (rng.random(n_strata) < 0.7) + 1e-9
        room, total = rng.integers(0, 30, n_strata), int(rng.integers(0, 60))
        expected = largest_remainder(shares / shares.sum(), total, room)
        assert np.array_equal(shared(shares[None], total, room[None])[0], expected)


def test_a_session_in_a_table_is_a_session_by_itself() -> None:
    """Each step's labels follow from the counts before it by ``printed_counts``."""
    rng = np.random.default_rng(5)
    looks = (20, 30, 40, 50, 60)
    before: Sample | None = None
    for _, sample in printed_sessions(FROZEN, 5, 10, looks, 20, rng):
        for run in range(20) if before is not None else ():
            n, s = before.labelled[run], before.right[run]  # type: ignore[union-attr]
            added = printed_counts(FROZEN.sizes, n, n, s, 10)
            assert np.array_equal(sample.labelled[run], n + added)
        before = sample
