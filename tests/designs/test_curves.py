"""What methods for ranked lists know of the answers."""

from __future__ import annotations

import numpy as np
import pytest

from labelcore.designs.curves import UNDECIDED_SHARE, Ranked


@pytest.mark.parametrize(("undecided", "doubted"), [(0, 0), (2, 0), (3, 3)])
def test_many_undecided_items_count_both_ways_and_open_ones_always(
    undecided: int, doubted: int
) -> None:
    """100 answers, of which 2 % may be spared, and five items put off."""
    place = np.arange(105)
    ranked = Ranked(
        n_items=500,
        in_order=lambda: np.arange(500),
        index=place + 1,
        rank=place + 1,
        stratum=np.zeros(105, dtype=np.int64),
        verdict=np.where((place < undecided) | (place >= 100), np.nan, 1.0),
        opened=place >= 100,
        rates=np.array([0.5]),
        spared=UNDECIDED_SHARE,
    )
    assert ranked.doubtful.tolist() == ((place < doubted) | (place >= 100)).tolist()
    assert len(ranked.counting().verdict) == 105 - (undecided - doubted)
