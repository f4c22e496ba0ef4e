"""What the benchmark of watched curves counts as wrong is what the band itself says."""

from __future__ import annotations

import numpy as np

from benchmarks.ranked_summaries import List, drawn
from benchmarks.watched_curves import reach
from labelcore.stats.rank_strata import joined_pieces, piece_edges, rank_allocation, rank_edges
from labelcore.stats.yield_band import RankLabels, yield_band


def test_the_reach_of_a_look_is_where_the_band_begins_to_hold_the_truth() -> None:
    """12 sessions, 4 looks each: a band that reaches 2 % less misses the truth at an end of a
    piece, one that reaches 2 % more does not, wherever the reach is large enough to be exact."""
    one = List.synthetic("flat")
    edges = rank_edges(len(one.truth))
    planned = rank_allocation(edges, 400)
    cut, compared = piece_edges(edges, planned), 0
    for run in range(12):
        random = np.random.default_rng((3, run))
        along = one.along_ranks(random)
        rank, hits = drawn(edges, planned, random), np.cumsum(along)
        for labels in (100, 250, 395, 400):
            seen = rank[:labels]
            ends = joined_pieces(edges, *cut, seen)
            needed = reach(along, hits, ends, seen, whole_items=True)
            if needed < 1.7:
                continue
            for factor in (0.98, 1.02):
                band = yield_band(ends, RankLabels(seen, along[seen - 1]), 0.95, 0,
                                  factor * needed, whole_items=True)  # fmt: skip
                _, low, high = band.at(ends)
                truth = hits[ends - 1]
                inside = bool(np.all((low <= truth + 1e-9) & (truth <= high + 1e-9)))
                assert inside == (factor > 1), (run, labels, needed)
                compared += 1
    assert compared >= 20
