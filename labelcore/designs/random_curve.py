"""A plain random sample of a ranked list, the baseline for precision curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    DesignParams,
    IntArray,
    Look,
    Setup,
    make_frame,
    parameter,
    rank_order,
)
from labelcore.designs.curves import Curve, FloatArray, Ranked, fine_grid, yields_at
from labelcore.designs.ranked_list import ListFrame, RankedListDesign, score_notes, verdicts
from labelcore.designs.rates import stratum_rates
from labelcore.promises import Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.random_curve import expected_half_widths, random_band

METHOD = Method(
    "Hoeffding bounds of a random sample, all ranks together",
    "Sabharwal and Sedghi (2017), section 3, equations 2 to 5; Hoeffding (1963)",
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RandomFrame(ListFrame):
    """A frame with the number of items at the head that are all asked for."""

    head: int


class RandomCurve(RankedListDesign[RandomFrame]):
    """The first ``head`` items, then items drawn at random from all the others.

    Promise: "fixed": one band for all ranks together at the planned size, at the plan's confidence,
    by Hoeffding's inequality and so for lists of every kind.
    Assumption: none about the scores; the curve may rise.
    Shapes and units: proportions against ranks 1..N. Errors: PlanError for a head outside its
    range, and for a budget that does not reach beyond the head.
    Source: Sabharwal and Sedghi (2017), sections 2.1 and 3, equations 2 to 5.
    Departure: without replacement, and the head is no part of the sample; see
    ``labelcore.stats.random_curve``.
    """

    name: ClassVar[str] = "random_curve"
    label: ClassVar[str] = "Random sample of a list"
    summary: ClassVar[str] = (
        "The baseline for a precision curve: says little about the first ranks, where few random "
        "items lie. Geometric strata need fewer labels."
    )
    promises: ClassVar[tuple[Promise, ...]] = (Promise.FIXED,)
    assumptions: ClassVar[tuple[str, ...]] = (
        "items beyond the head were drawn at random, in a number fixed before the first label",
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """How much of the head is labelled beside the sample."""

        head: int = parameter(
            0, "items at the head that are all labelled", low=0, high=1_000_000_000, main=True
        )

    def prepare(self, setup: Setup) -> RandomFrame:
        n_items = len(setup.population)
        head = min(setup.params.head, n_items)
        edges = np.unique([edge for edge in (head, n_items) if edge > 0]).astype(np.int64)
        stratum = np.empty(n_items, dtype=np.int64)
        stratum[rank_order(setup)] = np.searchsorted(edges, np.arange(1, n_items + 1))
        rates, _ = stratum_rates(setup.population, str(setup.classifier), stratum, len(edges))
        frame = make_frame(setup, stratum, rates, np.zeros(len(edges), dtype=bool))
        size = min(max(setup.planned, least_of(head, n_items)), n_items)
        return RandomFrame(
            frame.stratum,
            frame.sizes,
            frame.rates,
            frame.predicted,
            frame.queue,
            frame.start,
            score_notes(setup),
            sequence=frame.queue,
            batch_ends=np.unique([head or size, size, n_items]),
            edges=edges,
            head=head,
        )

    def least(self, frame: RandomFrame) -> int:
        return least_of(frame.head, len(frame.stratum))

    def first_look(self, frame: RandomFrame, planned: int, promise: Promise) -> int:
        return planned

    def curve(
        self,
        setup: Setup,
        frame: RandomFrame,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        basis, state, promise = _basis(frame, ranked, look)
        bounded = state in (State.INTERVAL, State.STOPPED_EARLY, State.EXACT)
        seen = ranked.until(basis)
        at = fine_grid(ranked.n_items, frame.edges) if ranks is None else ranks
        printed = yields = _without_anything(ranked.n_items, at)
        if bounded or state == State.PROVISIONAL:
            delta = 1 - look.confidence if bounded else None
            low, high = verdicts(seen, 0.0), verdicts(seen, 1.0)
            band = random_band(frame.head, low, high, delta)
            printed = yields_at(band, at, bounded)
            yields = yields_at(replace(band, estimate=rising(band.estimate)), at, bounded)
        return Curve(
            rank=at,
            names=tuple(READINGS),
            read=lambda name: READINGS[name](printed if name == "precision" else yields),
            confidence=look.confidence,
            simultaneous=True,
            promise=promise,
            state=state,
            labels=seen.labels if bounded else look.labels,
            draws=basis if bounded else look.draws,
            method=METHOD,
            assumptions=(*self.assumptions, *seen.assumed(both_ways=True)),
            missing="" if bounded else _missing(look),
            yields=_without_gaps(yields, frame.head) if bounded else None,
            notes=frame.notes,
        )

    def curve_half_width(self, setup: Setup, frame: RandomFrame, look: Look) -> float:
        if look.labels < self.least(frame):
            return 0.5
        n_items, sample = len(frame.stratum), look.labels - frame.head
        delta = 1 - look.confidence
        return float(expected_half_widths(n_items, frame.head, sample, delta).max())

    def derived(self, frame: RandomFrame, labels: int) -> dict[str, Any]:
        return {"rank_edges": [int(edge) for edge in frame.edges]}


def least_of(head: int, n_items: int) -> int:
    """One item beyond the head, or all of them."""
    return min(head + 1, n_items)


def _basis(frame: RandomFrame, ranked: Ranked, look: Look) -> tuple[int, State, Promise]:
    """(draws that the curve rests on, state, promise)."""
    if look.labels == 0:
        return 0, State.NOTHING, look.promise
    if ranked.labels == ranked.n_items:
        return look.draws, State.EXACT, look.promise
    if look.draws >= look.planned:
        return look.planned, State.INTERVAL, look.promise
    if look.draws < least_of(frame.head, ranked.n_items):
        return 0, State.TOO_FEW, look.promise
    return (
        (look.draws, State.STOPPED_EARLY, Promise.NONE)
        if look.finished
        else (look.draws, State.PROVISIONAL, look.promise)
    )


def rising(hits: FloatArray) -> FloatArray:
    """Estimated hits of each rank, none fewer than of a rank before: the mean of the highest so far
    and the lowest to come, which is hardly biased either way; NaN stays.

    The paper estimates the precision of each rank for itself, so its hits may fall along the list,
    and recall would pass 1.

    >>> rising(np.array([np.nan, 1.0, 3.0, 2.0, 2.5, np.nan])).tolist()
    [nan, 1.0, 2.5, 2.5, 2.75, nan]
    """
    known = ~np.isnan(hits)
    if not known.any():
        return hits
    so_far = np.maximum.accumulate(np.where(known, hits, -np.inf))
    to_come = np.minimum.accumulate(np.where(known, hits, np.inf)[::-1])[::-1]
    return np.where(known, (so_far + np.where(known, to_come, 0.0)) / 2, np.nan)


def _without_gaps(yields: Yields, head: int) -> Yields:
    """The same with an estimate where no sampled item lies between the head and the rank: there the
    share of the next rank that has one. What is read off the whole curve needs one everywhere."""
    known = np.flatnonzero(~np.isnan(yields.estimate))
    beyond = known[yields.rank[known] > head]
    if not len(beyond):
        return yields
    start = yields.estimate[known[known < beyond[0]]][-1] if known[0] < beyond[0] else 0.0
    share = (yields.estimate[beyond[0]] - start) / (yields.rank[beyond[0]] - head)
    guess = start + (yields.rank - head) * share
    filled = np.where(np.isnan(yields.estimate), guess, yields.estimate)
    return replace(yields, estimate=np.clip(filled, yields.low, yields.high))


def _without_anything(n_items: int, at: IntArray) -> Yields:
    return Yields(n_items, at, np.full(len(at), np.nan), np.zeros(len(at)), at.astype(float))


def _missing(look: Look) -> str:
    if look.labels == 0:
        return "no item has a label yet"
    return f"{look.draws:,} of {look.planned:,} items judged before the band"
