"""PAULA: precision along a ranked list from chosen stretches, under monotone precision."""

from __future__ import annotations

from dataclasses import dataclass
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
from labelcore.designs.curves import Curve, FloatArray, Ranked, Reading, fine_grid
from labelcore.designs.ranked_list import ListFrame, RankedListDesign, score_notes, verdicts
from labelcore.errors import ArgumentError, ParameterError
from labelcore.promises import Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.orders import hash_keys, hash_order
from labelcore.stats.paula import PaulaBounds, PaulaGrid, paula_bounds, paula_grid

METHOD = Method(
    "PAULA's bounds (no confidence bounds)",
    "Sabharwal and Sedghi (2017), algorithm 2, theorem 3",
)
ROUNDING = 1e-6
HEAD_FAILS = (
    "Precision rises at the head: over the first {edge} items it is below that of the last "
    "{window} of them, so the factor between the two bounds is not guaranteed."
)
RISES = (
    "The precision of the stretches rises at {times} of {steps} steps (first at rank {rank}): the "
    "assumption fails there, and the bounds may miss the truth."
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PaulaFrame(ListFrame):
    """A frame with what PAULA derived from its parameters."""

    grid: PaulaGrid


class Paula(RankedListDesign[PaulaFrame]):
    """The first g_ell items and a window of ``window`` items before each g_k = ceil((1+eps)^k),
    asked block by block in rank order, within a block in a seeded random order.

    Promise: none. The bounds hold if precision falls along the ranks in the sense of assumption
    A.2; on lists with the usual noise that never held exactly, so they are drawn without any
    confidence, with the sampling noise of a window beside them. There is no point estimate: the
    value is the midpoint of the bounds.
    Assumption: A.1 and A.2 of the paper for ranks from ``first_rank`` on.
    Source: Sabharwal and Sedghi (2017), section 4.4.2. Departure: see ``labelcore.stats.paula``.
    """

    name: ClassVar[str] = "paula"
    label: ClassVar[str] = "PAULA"
    summary: ClassVar[str] = (
        "Bounds from short windows at ever larger ranks, under the assumption that precision falls "
        "along the list. Its number of labels follows from its parameters; no confidence goes with "
        "it."
    )
    promises: ClassVar[tuple[Promise, ...]] = (Promise.FIXED,)
    size_from_params: ClassVar[bool] = True
    has_confidence: ClassVar[bool] = False
    assumptions: ClassVar[tuple[str, ...]] = (
        "precision falls along the list: the share of positives in the window before a rank is at "
        "least the mean over any long enough stretch after it, and that at least the share in the "
        "window at its end",
        "the bounds are not confidence bounds: no chance of error is stated",
    )
    derived_words: ClassVar[dict[str, str]] = {
        "g_ell": "items at the head that are all labelled (g_ell)",
        "ell": "first step of the grid (ell)",
        "L": "last step of the grid (L)",
        "m": "stretches averaged (m)",
        "gamma": "gamma",
        "factor": "largest factor between the bounds, gamma (1 + epsilon)",
    }

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """The grid and its windows."""

        epsilon: float = parameter(
            0.03, "how much further each rank of the grid lies, as a share", low=0.001, high=1.0
        )
        window: int = parameter(
            100, "items labelled before each rank of the grid (Delta)", low=1, high=1_000_000
        )
        first_rank: int | None = parameter(
            None,
            "items at the head that are all labelled; empty: (window + 2) / epsilon",
            low=1,
            high=1_000_000_000,
        )

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        try:
            paula_grid(1, params.epsilon, params.window, params.first_rank)
        except ArgumentError as error:
            raise ParameterError.of(error) from None

    def prepare(self, setup: Setup) -> PaulaFrame:
        n_items, params = len(setup.population), setup.params
        grid = paula_grid(n_items, params.epsilon, params.window, params.first_rank)
        order, blocks = rank_order(setup), grid.blocks()
        stratum = np.full(n_items, len(blocks), dtype=np.int64)
        for number, (first, last) in enumerate(blocks):
            stratum[order[first - 1 : last]] = number
        strata = int(stratum.max()) + 1
        base = make_frame(setup, stratum, np.full(strata, 0.5), np.zeros(strata, dtype=bool))
        sequence = [
            asked_in_random_order(setup, order[first - 1 : last], number)
            for number, (first, last) in enumerate(blocks)
        ]
        return PaulaFrame(
            base.stratum,
            base.sizes,
            base.rates,
            base.predicted,
            base.queue,
            base.start,
            score_notes(setup),
            sequence=np.concatenate(sequence),
            batch_ends=np.cumsum([len(block) for block in sequence]),
            edges=np.array(grid.edges, dtype=np.int64),
            grid=grid,
        )

    def first_look(self, frame: PaulaFrame, planned: int, promise: Promise) -> int:
        return int(frame.batch_ends[0])

    def curve(
        self,
        setup: Setup,
        frame: PaulaFrame,
        ranked: Ranked,
        look: Look,
        ranks: IntArray | None = None,
    ) -> Curve:
        ends = frame.batch_ends
        finished = int(np.searchsorted(ends, look.draws, side="right"))
        seen = ranked.until(int(ends[finished - 1]) if finished else 0)
        at = fine_grid(ranked.n_items, frame.edges) if ranks is None else ranks
        bounds = paula_bounds(frame.grid, verdicts(seen, 0.0), verdicts(seen, 1.0), finished, at)
        state = _state(ranked, look, finished)
        middle = (bounds.low + bounds.high) / 2
        reached = bounds.rank if finished else at
        parts = (middle, bounds.low, bounds.high) if finished else _nothing_known(len(at))
        yields = _yields(ranked.n_items, reached, parts)

        def read(name: str) -> Reading:
            return parts if name == "precision" else READINGS[name](yields)

        return Curve(
            rank=reached,
            names=tuple(READINGS),
            read=read,
            confidence=None,
            simultaneous=False,
            promise=Promise.NONE,
            state=state,
            labels=seen.labels if finished else look.labels,
            draws=int(ends[finished - 1]) if finished else look.draws,
            method=METHOD,
            assumptions=(*self.assumptions, *seen.assumed(both_ways=True)),
            missing="" if finished else _missing(look, int(ends[0])),
            yields=yields if finished else None,
            extra=_extra(frame.grid, bounds) if finished else {},
            notes=(*frame.notes, *_notes(frame, bounds, finished)),
        )

    def derived(self, frame: PaulaFrame, labels: int) -> dict[str, Any]:
        grid = frame.grid
        return {
            "ell": grid.ell,
            "g_ell": grid.edges[0],
            "L": grid.L,
            "m": grid.m,
            "gamma": grid.gamma,
            "factor": grid.factor,
        }


def asked_in_random_order(setup: Setup, items: IntArray, block: int) -> IntArray:
    names = [setup.population.id_at(int(position)) for position in items]
    return np.asarray(items[hash_order(hash_keys(setup.seed, f"block {block}", names))])


def _yields(n_items: int, rank: IntArray, parts: Reading) -> Yields:
    """Hits among the first r between the two lists of labels that run closest along the bounds.

    No list of whole hits lies inside bounds that cross or are closer than one hit, which PAULA's
    are on real labels; the other readings would have nothing to speak of.
    """
    place = rank.astype(float)
    value, low, high = (part * place for part in parts)
    low = np.maximum.accumulate(np.floor(low + ROUNDING))
    low = place + np.maximum.accumulate((low - place)[::-1])[::-1]
    high = place + np.minimum.accumulate(np.ceil(high - ROUNDING) - place)
    high = np.minimum.accumulate(high[::-1])[::-1]
    return Yields(n_items, rank, value, np.minimum(low, high), np.maximum(low, high))


def _nothing_known(points: int) -> Reading:
    return np.full(points, np.nan), np.zeros(points), np.ones(points)


def _state(ranked: Ranked, look: Look, finished: int) -> State:
    if look.labels == 0:
        return State.NOTHING
    if ranked.labels == ranked.n_items:
        return State.EXACT
    return State.INTERVAL if finished else State.TOO_FEW


def _missing(look: Look, head: int) -> str:
    return f"{look.draws:,} of {head:,} items judged before the first bounds"


def _extra(grid: PaulaGrid, bounds: PaulaBounds) -> dict[str, FloatArray]:
    """Where theorem 3 puts the precision, q+ / factor to q- times factor, and the noise of a
    window."""
    return {
        "envelope_low": np.where(
            bounds.rank <= grid.edges[0], bounds.low, np.maximum(bounds.high / grid.factor, 0.0)
        ),
        "envelope_high": np.where(
            bounds.rank <= grid.edges[0], bounds.high, np.minimum(bounds.low * grid.factor, 1.0)
        ),
        "noise": bounds.noise,
    }


def _notes(frame: PaulaFrame, bounds: PaulaBounds, finished: int) -> tuple[str, ...]:
    grid, found = frame.grid, []
    if not finished:
        return ()
    if not bounds.head_holds:
        found.append(HEAD_FAILS.format(edge=f"{grid.edges[0]:,}", window=f"{grid.window:,}"))
    if bounds.violations:
        rank = grid.edges[bounds.violations[0] - grid.ell]
        found.append(
            RISES.format(
                times=f"{len(bounds.violations):,}", steps=f"{finished - 1:,}", rank=f"{rank:,}"
            )
        )
    if finished < len(frame.batch_ends):
        found.append(
            f"Bounds up to rank {int(bounds.reached):,} so far, the list cut there; "
            f"{len(frame.batch_ends) - finished:,} stretches are still to be asked."
        )
    return tuple(found)
