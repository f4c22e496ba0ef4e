"""A plain random sample of a ranked list, the baseline for precision curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from labelcore.designs.base import DesignParams, IntArray, Look, Setup, parameter
from labelcore.designs.curves import FloatArray, Ranked
from labelcore.designs.ranked_list import (
    Basis,
    Found,
    ListFrame,
    RankedListDesign,
    planning_ranks,
    strata_of_ranks,
    without_bounds,
)
from labelcore.papers.curves.random_band import (
    RandomBand,
    Verdicts,
    expected_half_widths,
    random_band,
)
from labelcore.promises import Form, Method, Promise
from labelcore.stats.curve_readings import READINGS, Yields

METHOD = Method(
    "Hoeffding bounds of a random sample, all ranks together",
    "Sabharwal and Sedghi (2017), section 3, equations 2 to 5; Hoeffding (1963)",
    Form.STRICT,
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
    ``labelcore.papers.curves.random_band``.
    """

    name: ClassVar[str] = "random_curve"
    label: ClassVar[str] = "Random sample of a list"
    summary: ClassVar[str] = (
        "The baseline for a precision curve: says little about the first ranks, where few random "
        "items lie. Geometric strata need fewer labels."
    )
    samples_every_stratum: ClassVar[bool] = False
    promises: ClassVar[tuple[Promise, ...]] = (Promise.FIXED,)
    method: ClassVar[Method] = METHOD
    awaited: ClassVar[str] = "the band"
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
        size = min(max(setup.planned, least_of(head, n_items)), n_items)
        ends = np.unique([head or size, size, n_items])
        return strata_of_ranks(
            setup,
            RandomFrame,
            edges,
            asked_of=np.diff(edges, prepend=0),
            batch_ends=ends,
            edges=edges,
            head=head,
        )

    def least(self, frame: RandomFrame) -> int:
        return least_of(frame.head, len(frame.stratum))

    def due(self, frame: RandomFrame, planned: int, promise: Promise) -> list[int]:
        return [planned]

    def early(self, frame: RandomFrame, draws: int) -> int:
        return draws if draws >= self.least(frame) else 0

    def found(
        self, setup: Setup, frame: RandomFrame, ranked: Ranked, basis: Basis, at: IntArray
    ) -> Found:
        delta = 1 - basis.look.confidence if basis.bounded else None
        answers, n_items = basis.answers, len(frame.stratum)
        low, high = answers.filled(0.0), answers.filled(1.0)
        order = np.argsort(answers.rank)
        order = order[~np.isnan(low[order])]
        verdicts = Verdicts(answers.rank[order], low[order], high[order])
        band = random_band(n_items, frame.head, verdicts, at, delta)
        printed, yields = (
            _yields(n_items, band, estimate, basis.bounded)
            for estimate in (band.estimate, band.rising)
        )
        return Found(
            yields,
            precision=READINGS["precision"](printed),
            summed=_without_gaps(yields, frame.head),
        )

    def half_widths_at(
        self, setup: Setup, frame: RandomFrame, look: Look, ranks: IntArray | None = None
    ) -> FloatArray:
        at = planning_ranks(setup, frame) if ranks is None else ranks
        if look.labels < self.least(frame):
            return np.full(1 if at is None else len(at), 0.5)
        n_items, sample = len(frame.stratum), look.labels - frame.head
        delta = 1 - look.confidence
        return expected_half_widths(n_items, frame.head, sample, delta, at)


def least_of(head: int, n_items: int) -> int:
    """One item beyond the head, or all of them."""
    return min(head + 1, n_items)


def _yields(n_items: int, band: RandomBand, estimate: FloatArray, bounded: bool) -> Yields:
    """A band with the estimate kept inside it; ``bounded`` False: the estimate alone."""
    if not bounded:
        return without_bounds(n_items, band.rank, estimate)
    kept = np.clip(estimate, band.low, band.high)
    return Yields(n_items, band.rank, kept, band.low, band.high)


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
