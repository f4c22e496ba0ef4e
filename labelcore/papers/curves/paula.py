"""PAULA: precision along a ranked list from chosen stretches, under monotone precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import DesignParams, IntArray, Setup, Size, parameter, whole_list
from labelcore.designs.curves import FloatArray, Ranked, Reading
from labelcore.designs.ranked_list import (
    Basis,
    Found,
    ListFrame,
    RankedListDesign,
    asked_in_random_order,
    both_ways,
    frame_of_parts,
)
from labelcore.errors import ArgumentError, ParameterError
from labelcore.papers.curves.paula_bounds import (
    GRID_WORDS,
    PaulaBounds,
    PaulaGrid,
    paula_bounds,
    paula_grid,
)
from labelcore.population.array_items import Items, Part
from labelcore.promises import Method, Promise
from labelcore.stats.curve_readings import Yields

METHOD = Method(
    "PAULA's bounds (no confidence bounds)",
    "Sabharwal and Sedghi (2017), algorithm 2, theorem 3",
)
ROUNDING = 1e-6
OFFERED, WINDOW_OF = (0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.05, 0.03), 3
"""Spacings among which a form chooses, and windows times spacing."""
GIVES = "bounds within a factor of {factor:.3g}"
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

    Promise: none. If precision falls along the ranks in the sense of assumption A.2 the bounds hold
    within the head and at each g_k, and the factor at every rank; on lists with the usual noise
    that never held exactly, so they are drawn without any confidence, with the sampling noise of a
    window beside them. There is no point estimate: the value is the midpoint of the bounds.
    Assumption: A.1 and A.2 of the paper for ranks from ``first_rank`` on.
    Source: Sabharwal and Sedghi (2017), section 4.4.2. Departure: see
    ``labelcore.papers.curves.paula_bounds``.
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
    has_weights: ClassVar[bool] = False
    method: ClassVar[Method] = METHOD
    awaited: ClassVar[str] = "the first bounds"
    samples_every_stratum: ClassVar[bool] = False
    assumptions: ClassVar[tuple[str, ...]] = (
        "precision falls along the list: the share of positives in the window before a rank is at "
        "least the mean over any long enough stretch after it, and that at least the share in the "
        "window at its end",
        "the bounds are not confidence bounds: no chance of error is stated",
    )
    derived_words: ClassVar[dict[str, str]] = {
        **GRID_WORDS,
        "gamma": "factor between the bounds at the ranks of the grid",
        "factor": "largest factor between the bounds at any rank",
    }

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """The grid and its windows."""

        epsilon: float = parameter(
            0.03, "how much further each rank of the grid lies, as a share", low=0.001, high=1.0
        )
        window: int = parameter(
            100, "items labelled before each rank of the grid", low=1, high=1_000_000
        )
        first_rank: int | None = parameter(
            None,
            "how many items at the head are all labelled, at least; empty: window and two more, "
            "over the share",
            low=1,
            high=1_000_000_000,
        )

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        try:
            paula_grid(1, params.epsilon, params.window, params.first_rank)
        except ArgumentError as error:
            raise ParameterError.of(error) from None

    def sizes(self, n_items: int) -> list[Size]:
        """From loose to tight, with windows of ``3 / epsilon`` as the paper has at .03; those that
        spare at least some of the items."""
        by_labels = {}
        for epsilon in OFFERED:
            window = round(WINDOW_OF / epsilon)
            grid = paula_grid(n_items, epsilon, window)
            if grid.labels < n_items:
                gives = GIVES.format(factor=grid.factor)
                by_labels[grid.labels] = Size(
                    {"epsilon": epsilon, "window": window}, grid.labels, gives
                )
        return [by_labels[labels] for labels in sorted(by_labels)]

    def prepare(self, setup: Setup) -> PaulaFrame:
        n_items, params = len(setup.population), setup.params
        grid = paula_grid(n_items, params.epsilon, params.window, params.first_rank)
        items, blocks = setup.items(), np.array(grid.blocks(), dtype=np.int64)
        parts = _blocks(setup, items, blocks)
        sizes = blocks[:, 1] - blocks[:, 0] + 1
        spans, asked_of = blocks, sizes
        if grid.labels < n_items:
            first = np.setdiff1d(blocks[:, 1] + 1, blocks[:, 0])
            last = np.setdiff1d(np.append(blocks[:, 0] - 1, n_items), blocks[:, 1])
            parts.append(Part(without=tuple(part.stretches[0] for part in parts)))
            spans = np.append(blocks, [[first[0], last[-1]]], axis=0)
            asked_of = np.append(sizes, 0)
        base = frame_of_parts(
            setup,
            PaulaFrame,
            items,
            parts,
            asked_of=asked_of,
            batch_ends=np.cumsum(sizes),
            edges=np.array(grid.edges, dtype=np.int64),
            spans=spans,
            grid=grid,
        )
        return replace(base, rates=np.full(base.n_strata, 0.5))

    def asked(self, setup: Setup, frame: PaulaFrame, first: int, end: int) -> IntArray:
        """Block by block, within a block in an order of its own."""
        items = [np.zeros(0, dtype=np.int64)]
        starts = np.append(0, frame.batch_ends[:-1])
        for block, (before, last) in enumerate(zip(starts, frame.batch_ends, strict=True)):
            if before < end and last > first:
                block_items = frame.queue[frame.start[block] : frame.start[block] + last - before]
                ordered = asked_in_random_order(setup, block_items, block)
                items.append(ordered[max(first - before, 0) : end - before])
        return np.concatenate(items)

    def found(
        self, setup: Setup, frame: PaulaFrame, ranked: Ranked, basis: Basis, at: IntArray
    ) -> Found:
        finished = frame.finished(basis.draws)
        ranks, least, most = both_ways(basis.answers)
        bounds = paula_bounds(frame.grid, least, most, finished, at, ranks)
        parts = (bounds.low + bounds.high) / 2, bounds.low, bounds.high
        return Found(
            _yields(ranked.n_items, bounds.rank, parts),
            precision=parts,
            extra=_extra(frame.grid, bounds),
            notes=_notes(frame, bounds, finished),
        )

    def derived(self, frame: PaulaFrame, labels: int) -> dict[str, Any]:
        return {**frame.grid.facts(), "factor": frame.grid.factor}


def _blocks(setup: Setup, items: Items, blocks: IntArray) -> list[Part]:
    """The items between the first and the last rank of each block, (n_blocks, 2)."""
    whole = whole_list(setup)
    edges = np.unique(np.append(blocks[:, 0] - 1, blocks[:, 1]))
    edges = edges[(edges > 0) & (edges < len(items))]
    marks = dict(zip(edges.tolist(), items.at_ranks(whole, {}, edges.tolist()), strict=True))
    return [
        Part({}, (replace(whole, after=marks.get(first - 1), until=marks.get(last)),))
        for first, last in blocks.tolist()
    ]


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
    grid, notes = frame.grid, []
    if not bounds.head_holds:
        notes.append(HEAD_FAILS.format(edge=f"{grid.edges[0]:,}", window=f"{grid.window:,}"))
    if bounds.violations:
        rank = grid.edges[bounds.violations[0] - grid.ell]
        notes.append(
            RISES.format(
                times=f"{len(bounds.violations):,}", steps=f"{finished - 1:,}", rank=f"{rank:,}"
            )
        )
    if finished < len(frame.batch_ends):
        notes.append(
            f"Bounds up to rank {int(bounds.reached):,} so far, the list cut there; "
            f"{len(frame.batch_ends) - finished:,} stretches are still to be asked."
        )
    return tuple(notes)
