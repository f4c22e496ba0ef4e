"""What methods for ranked lists know of the answers."""

import numpy as np

from labelcore.designs.curves import Ranked


def test_items_without_a_verdict_count_both_ways() -> None:
    """100 answers, one of them unsure, and five items put off."""
    place = np.arange(105)
    ranked = Ranked(
        n_items=500, in_order=lambda: np.arange(500), index=place + 1, rank=place + 1,
        stratum=np.zeros(105, dtype=np.int64),
        verdict=np.where((place < 1) | (place >= 100), np.nan, 1.0), opened=place >= 100,
        rates=np.array([0.5]),
    )  # fmt: skip
    assert ranked.doubtful.tolist() == ((place < 1) | (place >= 100)).tolist()
    assert ranked.undecided.tolist() == (place < 1).tolist()
