"""The whole precision curve from ever longer stretches of ranks: the default for curves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import DesignParams, IntArray, Look, Setup, parameter
from labelcore.designs.curves import (
    LOOK_EVERY,
    FloatArray,
    Ranked,
    between_looks,
    bounded_yields,
    fine_grid,
)
from labelcore.designs.ranked_list import (
    Basis,
    Found,
    ListFrame,
    RankedListDesign,
    in_proportion,
    strata_of_ranks,
    without_bounds,
)
from labelcore.promises import Form, Method, Promise
from labelcore.stats.curve_readings import Yields
from labelcore.stats.rank_band import (
    BRIDGE,
    RankLabels,
    expected_half_widths,
    yield_band,
    yield_estimate,
)
from labelcore.stats.rank_questions import CURVE, QUESTIONS, edges_for, question_weights
from labelcore.stats.rank_strata import (
    analysis_edges,
    joined_pieces,
    piece_edges,
    rank_allocation,
    smallest_budget,
)
from labelcore.stats.watched_curve import FEW_PATHS, PATHS, watched_critical

QUARTERS = (0.25, 0.5, 0.75, 1.0)
METHOD = Method(
    "simultaneous band over strata of ranks (large-sample)",
    "G-profile region at the edges, critical value of the largest of correlated normal deviations; "
    "nearly straight from edge to edge",
    Form.APPROXIMATE,
)
IN_NO_ORDER = (
    "within a short stretch of ranks the share of hits changes no more than from the stretch "
    "before to the one after"
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GeometricFrame(ListFrame):
    """A frame with how many labels of each stratum are planned, and in proportion to which the
    labels are shared, (n_strata,) each."""

    planned: IntArray
    weights: FloatArray

    def shared(self, labels: int) -> IntArray:
        """So many labels over the strata, (n_strata,), at least the fewest there may be."""
        least = max(labels, smallest_budget(self.edges))
        return rank_allocation(self.edges, least, self.weights)


class GeometricStrata(RankedListDesign[GeometricFrame]):
    """Strata of ranks whose edges grow geometrically, the head labelled completely.

    The numbers of labels per stratum are fixed before the first label, by what is asked
    (``labelcore.stats.rank_questions``); the items are asked in an order of which every prefix has
    its labels in proportion. Plans frozen before there was a choice share them as for a curve. The
    band rests on strata cut into pieces of about sixteen labels, or of more beyond 64 pieces, and
    goes nearly straight from one edge of a piece to the next (``labelcore.stats.rank_band``).

    Promise: one band for all ranks together. "fixed": at the planned size, at the plan's
    confidence. "watched": at every look up to the planned size, by the boundary of
    ``labelcore.stats.watched_curve``; the band is renewed after every fifth item, and labels beyond
    the planned size do not change it until every item has one. Large-sample: coverage is measured,
    see docs/watched_curves.md.
    Assumption: none about the scores; the curve may rise. Within a piece the share of hits changes
    no more than from the piece before to the one after.
    Source: our own, on the grid of Sabharwal and Sedghi (2017), definition 4, with
    base ``growth``; the bounds are those of ``labelcore.stats.rank_band``.
    """

    name: ClassVar[str] = "geometric_strata"
    label: ClassVar[str] = "Geometric strata"
    summary: ClassVar[str] = (
        "Recommended for a ranked list: labels the whole head and samples ever longer "
        "stretches below it; one band holds for all ranks together."
    )
    recommended: ClassVar[bool] = True
    method: ClassVar[Method] = METHOD
    labels_the_head: ClassVar[bool] = True
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within stretches of ranks that were fixed before the first "
        "label",
        "the band is a large-sample approximation whose coverage was measured by simulation",
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """Where the strata end, and what the labels are for."""

        first_edge: int = parameter(
            50, "items at the head that are all labelled", low=1, high=1_000_000
        )
        growth: float = parameter(1.25, "how much further each edge lies", low=1.01, high=100.0)
        questions: tuple[str, ...] | None = parameter(
            None,
            "what the labels are shared for, some of precision_curve, cut, average_precision, "
            "area_under_roc, yield; empty: what is asked",
            choices=QUESTIONS,
        )
        precision: float = parameter(
            0.8, "the precision that a cut has to keep, where the labels are for one",
            low=0.001, high=1.0,
        )  # fmt: skip

    def chosen(self, setup: Setup) -> dict[str, Any]:
        asked = setup.params.questions or setup.estimands
        return {"questions": asked} if {*asked} - {CURVE} else {}

    def prepare(self, setup: Setup) -> GeometricFrame:
        n_items, params = len(setup.population), setup.params
        asked = params.questions or (CURVE,)
        edges = edges_for(asked, n_items, setup.planned, params.first_edge, params.growth)
        size = min(max(setup.planned, smallest_budget(edges)), n_items)
        frame = strata_of_ranks(
            setup,
            GeometricFrame,
            edges,
            asked_of=np.diff(edges, prepend=0),
            batch_ends=np.unique([*(math.ceil(size * share) for share in QUARTERS), n_items]),
            edges=edges,
            planned=np.zeros(0, dtype=np.int64),
            weights=np.zeros(0),
        )
        weights = question_weights(asked, edges, frame.rates, params.precision)
        shared = replace(frame, weights=weights)
        return replace(shared, planned=shared.shared(size))

    def asked(self, setup: Setup, frame: GeometricFrame, first: int, end: int) -> IntArray:
        """The planned items, then all others, each in proportion."""
        planned, nothing = int(frame.planned.sum()), np.zeros_like(frame.planned)
        items = []
        if first < planned:
            items.append(in_proportion(setup, frame, nothing, frame.planned, min(end, planned)))
        if end > planned:
            rest = frame.sizes - frame.planned
            items.append(in_proportion(setup, frame, frame.planned, rest, end - planned))
        skipped = first if first < planned else first - planned
        return np.concatenate([np.zeros(0, dtype=np.int64), *items])[skipped:]

    def least(self, frame: GeometricFrame) -> int:
        return smallest_budget(frame.edges)

    def planned_counts(self, setup: Setup, frame: GeometricFrame, labels: int) -> IntArray:
        return frame.shared(labels)

    def due(self, frame: GeometricFrame, planned: int, promise: Promise) -> list[int]:
        if promise != Promise.WATCHED:
            return [planned]
        return [*range(LOOK_EVERY, planned, LOOK_EVERY), planned]

    def watched_until(self, planned: int) -> int:
        return planned

    def early(self, frame: GeometricFrame, draws: int) -> int:
        return draws

    def found(
        self, setup: Setup, frame: GeometricFrame, ranked: Ranked, basis: Basis, at: IntArray
    ) -> Found:
        edges, answers, look = frame.edges, basis.answers, basis.look
        if not basis.bounded:
            return Found(without_bounds(ranked.n_items, at, _estimate(edges, answers, at)))
        seed = abs(setup.seed)
        critical = _critical(edges, frame.planned, look, basis.draws / look.planned, seed)
        planned = None if critical is None else frame.planned
        further = ranked.labels > answers.labels
        return Found(
            bounds_at(edges, answers, look.confidence, seed, at, critical, planned),
            provisional=_present(edges, ranked, at, planned) if further else None,
            notes=between_looks(basis.state, look, basis.draws),
            assumed=(IN_NO_ORDER,),
        )

    def centres_numbers(self, params: Any) -> bool:
        """Not in plans frozen before their labels were shared by what is asked."""
        return bool(params.questions)

    def half_widths_at(
        self, setup: Setup, frame: GeometricFrame, look: Look, ranks: IntArray | None = None
    ) -> FloatArray:
        at = fine_grid(len(setup.population), frame.edges) if ranks is None else ranks
        if look.labels < self.least(frame):
            return np.full(len(at), 0.5)
        counts = frame.shared(look.labels)
        edges, stratum = piece_edges(frame.edges, counts)
        labelled = (counts / frame.sizes)[stratum] * np.diff(edges, prepend=0)
        rates, seed = frame.rates[stratum], abs(setup.seed)
        critical = _critical(frame.edges, counts, look, look.progress, seed)
        widths = expected_half_widths(edges, labelled, rates, look.confidence, seed, critical)
        return np.minimum(_between_edges(edges, labelled, rates, widths, at), 0.5)


def _critical(
    edges: IntArray, planned: IntArray, look: Look, progress: float, seed: int
) -> float | None:
    """The standard deviations that a band reaches which is renewed all the way; None for any
    other. ``planned``: the labels of each stratum at the planned size."""
    if look.promise != Promise.WATCHED:
        return None
    pieces, stratum = piece_edges(edges, planned)
    sizes = np.diff(edges, prepend=0)
    labels = (planned / sizes)[stratum] * np.diff(pieces, prepend=0)
    looks = max(look.planned // LOOK_EVERY, 1)
    paths = FEW_PATHS if look.rough else PATHS
    return watched_critical(pieces, labels, looks, progress, 1 - look.confidence, seed, paths)


def _between_edges(
    edges: IntArray, labelled: FloatArray, rates: FloatArray, widths: FloatArray, at: IntArray
) -> FloatArray:
    """Expected half-widths of the precision at the ranks ``at``, from those at the edges: items
    without a label between a rank and the next edge may be hits or not, as many as in a random
    order."""
    place = np.searchsorted(edges, at)
    reach = np.append(0.0, widths * edges)
    unlabelled = (1 - labelled / np.diff(edges, prepend=0))[place]
    before = (at - np.append(0, edges)[place]) * unlabelled
    after = (edges[place] - at) * unlabelled
    rate, first, last = rates[place], reach[place], reach[place + 1]
    above = np.minimum(first + before * (1 - rate), last + after * rate)
    below = np.minimum(first + before * rate, last + after * (1 - rate))
    reached = (above + below) / 2
    items = before + after
    share = np.divide(before, items, out=np.zeros(len(at)), where=items > 0)
    noise = BRIDGE * np.sqrt(items * share * (1 - share) * rate * (1 - rate))
    reached = np.minimum(reached, first + share * (last - first) + noise)
    return np.asarray(reached / at)


def bounds_at(
    edges: IntArray,
    ranked: Ranked,
    level: float,
    seed: int,
    ranks: IntArray,
    critical: float | None = None,
    planned: IntArray | None = None,
) -> Yields:
    """Estimate and bounds of the hits among the first r items.

    critical   as ``yield_band`` has it
    planned    (n_strata,), the planned labels of each stratum, of which the pieces of a band follow
               that is renewed all the way, its bounds in whole items where few are left; None: the
               pieces follow from the labels there are
    """
    steady = planned is not None
    pieces = _pieces(edges, ranked.rank, planned)

    def bounds(labels: RankLabels) -> tuple[FloatArray, FloatArray]:
        return yield_band(pieces, labels, level, seed, critical, whole_items=steady).at(ranks)

    return bounded_yields(ranked, ranks, _estimate(pieces, ranked, ranks), bounds)


def _estimate(edges: IntArray, ranked: Ranked, ranks: IntArray) -> FloatArray:
    known = ranked.settled()
    return yield_estimate(edges, RankLabels(known.rank, known.verdict), ranks)


def _pieces(edges: IntArray, ranks: IntArray, planned: IntArray | None) -> IntArray:
    """The pieces that the labels at these ranks are analysed in."""
    if planned is None:
        return analysis_edges(edges, ranks)
    return joined_pieces(*piece_edges(edges, planned), ranks)


def _present(
    edges: IntArray, ranked: Ranked, ranks: IntArray, planned: IntArray | None
) -> FloatArray:
    """The precision by all labels so far."""
    pieces = _pieces(edges, ranked.settled().rank, planned)
    return np.asarray(_estimate(pieces, ranked, ranks) / ranks)
