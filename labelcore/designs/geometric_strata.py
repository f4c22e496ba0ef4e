"""The whole precision curve from ever longer stretches of ranks: the default for curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    DesignParams,
    Frame,
    IntArray,
    Look,
    Setup,
    make_frame,
    parameter,
    rank_order,
)
from labelcore.designs.curves import Curve, FloatArray, Ranked, fine_grid
from labelcore.designs.ranked_list import ListFrame, RankedListDesign, score_notes
from labelcore.designs.rates import stratum_rates
from labelcore.promises import Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.orders import hash_keys
from labelcore.stats.rank_strata import (
    analysis_edges,
    interleaved,
    piece_edges,
    rank_allocation,
    rank_edges,
    smallest_budget,
)
from labelcore.stats.yield_band import (
    RankLabels,
    expected_half_widths,
    yield_band,
    yield_estimate,
)

QUARTERS = (0.25, 0.5, 0.75, 1.0)
METHOD = Method(
    "simultaneous band over strata of ranks (large-sample)",
    "G-profile region at the edges, critical value of the largest of correlated normal deviations; "
    "exact bounds between the edges",
)


class GeometricStrata(RankedListDesign[ListFrame]):
    """Strata of ranks whose edges grow geometrically, the head labelled completely.

    The numbers of labels per stratum are fixed before the first label; the items are asked in an
    order of which every prefix has its labels in proportion. The band rests on pieces of the
    strata with about 32 labels each: the shorter the pieces, the fewer items between two edges are
    left to guess.

    Promise: one band for all ranks together. "fixed": at the planned size, at the plan's
    confidence. "watched": at four looks, after 25, 50, 75 and 100 % of the planned labels, each at
    1 - alpha/4, so that the chance that any of the four is wrong anywhere is at most alpha; between
    the looks the last band stays. Large-sample: coverage is measured, see docs/curves.md.
    Assumption: none about the scores; the curve may rise.
    Source: our own, on the grid of Sabharwal and Sedghi (2017), definition 4, with
    base ``growth``; the bounds are those of ``labelcore.stats.yield_band``.
    """

    name: ClassVar[str] = "geometric_strata"
    label: ClassVar[str] = "Geometric strata"
    summary: ClassVar[str] = (
        "Recommended for a ranked list: labels the whole head and samples ever longer "
        "stretches below it; one band holds for all ranks together."
    )
    recommended: ClassVar[bool] = True
    looks: ClassVar[int] = len(QUARTERS)
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within stretches of ranks that were fixed before the first "
        "label",
        "the band is a large-sample approximation whose coverage was measured by simulation",
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """Where the strata end."""

        first_edge: int = parameter(
            50, "items at the head that are all labelled", low=1, high=1_000_000
        )
        growth: float = parameter(1.25, "how much further each edge lies", low=1.01, high=100.0)

    def prepare(self, setup: Setup) -> ListFrame:
        n_items, params = len(setup.population), setup.params
        edges = rank_edges(n_items, params.first_edge, params.growth)
        stratum = np.empty(n_items, dtype=np.int64)
        stratum[rank_order(setup)] = np.searchsorted(edges, np.arange(1, n_items + 1))
        rates, _ = stratum_rates(setup.population, str(setup.classifier), stratum, len(edges))
        frame = make_frame(setup, stratum, rates, np.zeros(len(edges), dtype=bool))
        size = min(max(setup.planned, smallest_budget(edges)), n_items)
        first = rank_allocation(edges, size)
        sequence = np.concatenate(
            [
                _in_proportion(setup, frame, np.zeros_like(first), first),
                _in_proportion(setup, frame, first, frame.sizes - first),
            ]
        )
        ends = [*_look_sizes(size, Promise.WATCHED), n_items]
        return ListFrame(
            frame.stratum,
            frame.sizes,
            frame.rates,
            frame.predicted,
            frame.queue,
            frame.start,
            score_notes(setup),
            sequence=sequence,
            batch_ends=np.unique(ends),
            edges=edges,
        )

    def least(self, frame: ListFrame) -> int:
        return smallest_budget(frame.edges)

    def planned_counts(self, setup: Setup, frame: ListFrame, labels: int) -> IntArray:
        return rank_allocation(frame.edges, max(labels, self.least(frame)))

    def first_look(self, frame: ListFrame, planned: int, promise: Promise) -> int:
        return _look_sizes(planned, promise)[0]

    def curve(
        self,
        setup: Setup,
        frame: ListFrame,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        at = fine_grid(ranked.n_items, frame.edges) if ranks is None else ranks
        basis, state, promise = _basis(ranked, look)
        share = len(QUARTERS) if look.promise == Promise.WATCHED else 1
        level = 1 - (1 - look.confidence) / share
        seen = ranked.until(basis)
        bounded = state in (State.INTERVAL, State.STOPPED_EARLY, State.EXACT)
        yields = (
            bounds_at(frame.edges, seen, level, abs(setup.seed), at)
            if bounded
            else _without_bounds(frame.edges, ranked, at)
        )
        later = bounded and ranked.labels > seen.labels
        return Curve(
            rank=at,
            names=tuple(READINGS),
            read=lambda name: READINGS[name](yields),
            confidence=look.confidence,
            simultaneous=True,
            promise=promise,
            state=state,
            labels=seen.labels if bounded else look.labels,
            draws=basis if bounded else look.draws,
            method=METHOD,
            assumptions=(*self.assumptions, *seen.assumed()),
            missing=_missing(look, state),
            yields=yields if bounded else None,
            provisional=_present(frame.edges, ranked, at) if later else None,
            notes=(*frame.notes, *_look_note(look, basis, state)),
        )

    def curve_half_width(self, setup: Setup, frame: ListFrame, look: Look) -> float:
        if look.labels < self.least(frame):
            return 0.5
        share = len(QUARTERS) if look.promise == Promise.WATCHED else 1
        level = 1 - (1 - look.confidence) / share
        counts = rank_allocation(frame.edges, look.labels)
        edges, stratum = piece_edges(frame.edges, counts)
        labelled = (counts / frame.sizes)[stratum] * np.diff(edges, prepend=0)
        rates = frame.rates[stratum]
        widths = expected_half_widths(edges, labelled, rates, level, abs(setup.seed))
        return min(float(_between_edges(edges, labelled, rates, widths).max()), 0.5)

    def derived(self, frame: ListFrame, labels: int) -> dict[str, Any]:
        return {"rank_edges": [int(edge) for edge in frame.edges]}


def _in_proportion(setup: Setup, frame: Frame, drawn: IntArray, counts: IntArray) -> IntArray:
    """The next ``counts`` items of each stratum, every prefix in proportion."""
    parts = [
        frame.queue[first : first + take]
        for first, take in zip(frame.start + drawn, counts, strict=True)
    ]
    items = np.concatenate(parts).astype(np.int64)
    names = [setup.population.id_at(int(position)) for position in items]
    places = (hash_keys(setup.seed, "place", names)[:, 0].astype(float) + 0.5) / 2.0**64
    strata = interleaved(counts, places)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    turn = np.empty(len(items), dtype=np.int64)
    for k in range(len(counts)):
        turn[strata == k] = first[k] + np.arange(counts[k])
    return np.asarray(items[turn])


def _look_sizes(planned: int, promise: Promise) -> list[int]:
    """Numbers of draws after which a band is given."""
    shares = QUARTERS if promise == Promise.WATCHED else (1.0,)
    return [max(1, int(np.ceil(planned * share))) for share in shares]


def _basis(ranked: Ranked, look: Look) -> tuple[int, State, Promise]:
    """(draws the band rests on, state, promise)."""
    if ranked.labels == ranked.n_items:
        return look.draws, State.EXACT, look.promise
    reached = [size for size in _look_sizes(look.planned, look.promise) if size <= look.draws]
    if reached:
        return reached[-1], State.INTERVAL, look.promise
    if look.labels == 0:
        return 0, State.NOTHING, look.promise
    if look.finished:
        return look.draws, State.STOPPED_EARLY, Promise.NONE
    return 0, State.PROVISIONAL, look.promise


def _missing(look: Look, state: State) -> str:
    if state == State.NOTHING:
        return "no item has a label yet"
    first = _look_sizes(look.planned, look.promise)[0]
    waiting = f"{look.draws:,} of {first:,} items judged before a first band"
    return waiting if state == State.PROVISIONAL else ""


def _look_note(look: Look, basis: int, state: State) -> tuple[str, ...]:
    sizes = _look_sizes(look.planned, look.promise)
    ahead = [size for size in sizes if size > look.draws]
    if state != State.INTERVAL or look.promise != Promise.WATCHED:
        return ()
    number = f"look {sizes.index(basis) + 1} of {len(sizes)}"
    then = f"; the next one comes at {ahead[0]:,}." if ahead else ", the last one."
    if not ahead and look.draws > basis:
        then += " Labels after it do not change the band until every item has one."
    return (f"The band is that of {number}, after {basis:,} items{then}",)


def _between_edges(
    edges: IntArray, labelled: FloatArray, rates: FloatArray, widths: FloatArray
) -> FloatArray:
    """Expected half-widths of the precision at many ranks, from those at the edges: items without
    a label between a rank and the next edge may be hits or not."""
    at = fine_grid(int(edges[-1]), edges)
    place = np.searchsorted(edges, at)
    reach = np.append(0.0, widths * edges)
    unlabelled = (1 - labelled / np.diff(edges, prepend=0))[place]
    before = (at - np.append(0, edges)[place]) * unlabelled
    after = (edges[place] - at) * unlabelled
    rate, first, last = rates[place], reach[place], reach[place + 1]
    above = np.minimum(first + before * (1 - rate), last + after * rate)
    below = np.minimum(first + before * rate, last + after * (1 - rate))
    return np.asarray((above + below) / 2 / at)


def bounds_at(edges: IntArray, ranked: Ranked, level: float, seed: int, ranks: IntArray) -> Yields:
    """Estimate and bounds of the hits among the first r items; answers that count both ways are
    no hits for the lower bound and hits for the upper one."""
    seen = ranked.counting()
    pieces = analysis_edges(edges, seen.rank)
    least = yield_band(pieces, RankLabels(seen.rank, seen.filled(0.0)), level, seed)
    most = least
    if seen.doubtful.any():
        most = yield_band(pieces, RankLabels(seen.rank, seen.filled(1.0)), level, seed)
    low, high = least.at(ranks)[1], most.at(ranks)[2]
    return Yields(ranked.n_items, ranks, _estimate(pieces, ranked, ranks), low, high)


def _estimate(edges: IntArray, ranked: Ranked, ranks: IntArray) -> FloatArray:
    known = ranked.settled()
    return yield_estimate(edges, RankLabels(known.rank, known.verdict), ranks)


def _present(edges: IntArray, ranked: Ranked, ranks: IntArray) -> FloatArray:
    """The precision by all labels so far."""
    pieces = analysis_edges(edges, ranked.settled().rank)
    return np.asarray(_estimate(pieces, ranked, ranks) / ranks)


def _without_bounds(edges: IntArray, ranked: Ranked, ranks: IntArray) -> Yields:
    estimate = _estimate(edges, ranked, ranks)
    return Yields(ranked.n_items, ranks, estimate, np.zeros(len(ranks)), ranks.astype(float))
