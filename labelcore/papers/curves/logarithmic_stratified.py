"""Logarithmic stratified sampling: the head of a ranked list, then random samples of stretches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import DesignParams, IntArray, Look, Setup, parameter, rank_order
from labelcore.designs.curves import Ranked
from labelcore.designs.ranked_list import (
    Basis,
    Found,
    ListFrame,
    RankedListDesign,
    asked_in_random_order,
    both_ways,
    planning_ranks,
    strata_of_ranks,
    without_bounds,
)
from labelcore.errors import ArgumentError, ParameterError
from labelcore.papers.curves.logarithmic_strata import (
    Draws,
    LogarithmicBand,
    LogarithmicGrid,
    Uniforms,
    expected_half_widths,
    logarithmic_band,
    logarithmic_grid,
    printed_draws,
)
from labelcore.papers.curves.paula_bounds import GRID_WORDS
from labelcore.promises import Form, Method, Promise
from labelcore.stats.curve_readings import Yields
from labelcore.stats.orders import hash_keys
from labelcore.stats.profile import FloatArray

FIXED, PRINTED = "fixed", "printed"
CHECKED_WITH = 0.05
SOURCE = "Sabharwal and Sedghi (2017), algorithm 1, lemma 1; Hoeffding (1963)"
METHOD = {
    FIXED: "Hoeffding bounds over stretches of ranks, all ranks together",
    PRINTED: "algorithm 1 with Hoeffding bounds, all ranks together",
}
TO_COME = "Bounds up to rank {reached} so far; {left} stretches are still to be asked."


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LogarithmicFrame(ListFrame):
    """A frame with what the method derived; ``draws``, and the items ``drawn`` by them beyond the
    head in the order asked, for the printed sampling only."""

    grid: LogarithmicGrid
    draws: Draws | None
    drawn: IntArray | None


class LogarithmicStratified(RankedListDesign[LogarithmicFrame]):
    """The first g_ell items, then random items of each stretch up to g_k = ceil((1+eps)^k), asked
    stretch by stretch; how many are asked is fixed before the first label.

    Promise: one band for all ranks together, at confidence 1 - ``delta`` (the plan's where none is
    given), by Hoeffding's inequality and so for lists of every kind, with whatever number of
    labels. "watched": after every finished stretch; one event bounds all of them. "fixed": once all
    are asked. The factor beta (1 + epsilon) of theorem 2 needs A.1 and p >= p_min, the band needs
    neither.
    Assumption: none about the scores; the curve may rise.
    Shapes and units: proportions against ranks 1..N. Errors: PlanError for a parameter outside its
    range, and for a beta that asks for more than five million draws with the printed sampling.
    Source: Sabharwal and Sedghi (2017), section 4.4.1, algorithm 1, lemma 1, theorem 2.
    Departure: ``sampling`` = "fixed" asks for s w_j / g_j items of a stretch of w_j, the number
    that algorithm 1 draws in the mean, without repeats, and keeps every label; "printed" is
    algorithm 1 itself, its number of labels depends on the seed. See
    ``labelcore.papers.curves.logarithmic_strata``.
    """

    name: ClassVar[str] = "logarithmic_stratified"
    label: ClassVar[str] = "Logarithmic strata"
    summary: ClassVar[str] = (
        "Labels the whole head and random items of ever longer stretches below it; its band "
        "holds for all ranks together without any approximation, but was at least twice as wide as "
        "that of geometric strata with as many labels on the lists measured."
    )
    promises: ClassVar[tuple[Promise, ...]] = (Promise.WATCHED, Promise.FIXED)
    samples_every_stratum: ClassVar[bool] = False
    size_from_params: ClassVar[bool] = True
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within stretches of ranks, in numbers fixed before the first "
        "label",
    )
    derived_words: ClassVar[dict[str, str]] = {
        **GRID_WORDS,
        "gamma": "factor between the bounds of PAULA at those ranks",
        "beta": "factor kept at the ranks of the grid",
        "beta_factor": "factor kept at every rank",
        "draws_each": "sample at each rank of the grid",
    }

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """The grid, and how near every point of it is to come."""

        epsilon: float = parameter(
            0.03,
            "how much further each rank of the grid lies, as a share",
            low=0.001,
            high=1.0,
            main=True,
        )
        beta: float | None = parameter(
            None,
            "the factor to keep at the ranks of the grid; empty: as PAULA has it",
            low=1.0001,
            high=100.0,
            main=True,
        )
        minimum_precision: float = parameter(
            0.5,
            "the lowest precision at which the factor is kept",
            low=0.001,
            high=1.0,
            main=True,
        )
        first_rank: int | None = parameter(
            None,
            "how many items at the head are all labelled, at least; empty: 1,000, or three over "
            "that share where that is more",
            low=1,
            high=1_000_000_000,
        )
        delta: float | None = parameter(
            None,
            "the chance that the band is wrong anywhere; empty: what the confidence leaves",
            low=1e-9,
            high=0.999,
        )
        sampling: str = parameter(
            FIXED,
            "fixed: sizes set in advance, every label kept; printed: algorithm 1 itself",
            choices=(FIXED, PRINTED),
        )

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        try:
            grid_of(1, params, params.delta or CHECKED_WITH)
        except ArgumentError as error:
            raise ParameterError.of(error) from None

    def prepare(self, setup: Setup) -> LogarithmicFrame:
        n_items = len(setup.population)
        grid = grid_of(n_items, setup.params, _delta(setup, setup.confidence))
        counts, draws, drawn = [grid.edges[0], *grid.counts], None, None
        if setup.params.sampling == PRINTED:
            draws = _drawn(grid, setup.seed)
            blocks = _printed_blocks(setup, draws, len(grid.edges))
            counts = [grid.edges[0], *map(len, blocks)]
            drawn = np.concatenate([np.zeros(0, dtype=np.int64), *blocks])
        beyond = [0] if grid.edges[-1] < n_items else []
        return strata_of_ranks(
            setup,
            LogarithmicFrame,
            grid.edges,
            asked_of=np.array([*counts, *beyond], dtype=np.int64),
            batch_ends=np.cumsum(counts),
            edges=np.array(grid.edges, dtype=np.int64),
            grid=grid,
            draws=draws,
            drawn=drawn,
        )

    def asked(self, setup: Setup, frame: LogarithmicFrame, first: int, end: int) -> IntArray:
        if frame.drawn is None:
            return super().asked(setup, frame, first, end)
        head = int(frame.batch_ends[0])
        items = super().asked(setup, frame, first, min(end, head))
        return np.append(items, frame.drawn[max(first - head, 0) : max(end - head, 0)])

    def due(self, frame: LogarithmicFrame, planned: int, promise: Promise) -> list[int]:
        ends = super().due(frame, planned, promise)
        return ends if promise == Promise.WATCHED else ends[-1:]

    def made_by(self, params: Any) -> Method:
        return Method(METHOD[params.sampling], SOURCE, Form.STRICT)

    def confidence(self, setup: Setup, look: Look) -> float:
        return 1 - _delta(setup, look.confidence)

    def found(
        self, setup: Setup, frame: LogarithmicFrame, ranked: Ranked, basis: Basis, at: IntArray
    ) -> Found:
        finished, delta = frame.finished(basis.draws), _delta(setup, basis.look.confidence)
        n_items = ranked.n_items
        ranks, least, most = both_ways(basis.answers, at, frame.edges, [n_items])
        band = logarithmic_band(frame.grid, least, most, finished, delta, frame.draws, ranks)
        if finished == len(frame.batch_ends):
            return Found(yields_at(band, n_items, ranks, at, basis.bounded))
        reached = int(frame.edges[finished - 1])
        left = f"{len(frame.batch_ends) - finished:,}"
        to_come = TO_COME.format(reached=f"{reached:,}", left=left)
        return Found(
            yields_at(band, n_items, ranks, at[at <= reached], basis.bounded),
            notes=(to_come,) if basis.bounded else (),
        )

    def half_widths_at(
        self, setup: Setup, frame: LogarithmicFrame, look: Look, ranks: IntArray | None = None
    ) -> FloatArray:
        at = planning_ranks(setup, frame) if ranks is None else ranks
        if look.labels < self.most(frame):
            return np.full(1 if at is None else len(at), 0.5)
        missing = len(frame.grid.edges) + 1 - frame.n_strata
        rates = np.append(frame.rates, np.repeat(frame.rates[-1:], missing))
        delta = _delta(setup, look.confidence)
        printed = frame.draws is not None
        return expected_half_widths(frame.grid, rates, delta, printed=printed, at=at)

    def derived(self, frame: LogarithmicFrame, labels: int) -> dict[str, Any]:
        grid = frame.grid
        own = {"beta": grid.beta, "beta_factor": grid.factor, "draws_each": grid.draws}
        return {**grid.facts(), **own}


def _delta(setup: Setup, confidence: float) -> float:
    """The chance that the band is wrong anywhere."""
    return float(setup.params.delta or 1 - confidence)


def grid_of(n_items: int, params: Any, delta: float) -> LogarithmicGrid:
    """The grid of a list, with sizes for this chance of error."""
    return logarithmic_grid(
        n_items, params.epsilon, params.first_rank, params.beta, delta, params.minimum_precision
    )


def _drawn(grid: LogarithmicGrid, seed: int) -> Draws:
    try:
        return printed_draws(grid, _hashed(seed))
    except ArgumentError as error:
        raise ParameterError.of(error) from None


def _hashed(seed: int) -> Uniforms:
    """Numbers in (0, 1] from a hash of the slot and how often it was filled."""

    def uniforms(generation: int, slots: IntArray) -> FloatArray:
        keys = hash_keys(seed, f"slot {generation}", map(str, slots.tolist()))
        return np.asarray((keys.astype(float) + 0.5) / 2.0**64)

    return uniforms


def _printed_blocks(setup: Setup, draws: Draws, blocks: int) -> list[IntArray]:
    """The items that algorithm 1 draws from each stretch."""
    order = rank_order(setup)
    return [
        asked_in_random_order(setup, order[draws.distinct(step) - 1], step)
        for step in range(1, blocks)
    ]


def yields_at(
    band: LogarithmicBand, n_items: int, ranks: IntArray, at: IntArray, bounded: bool
) -> Yields:
    """A band of these ranks at some of them, the estimate kept inside it; ``bounded`` False: the
    estimate alone."""
    place = np.searchsorted(ranks, at)
    estimate = band.estimate[place]
    if not bounded:
        return without_bounds(n_items, at, estimate)
    low, high = band.low[place], band.high[place]
    return Yields(n_items, at, np.clip(estimate, low, high), low, high)
