"""The curve of methods that draw batches from strata, with one band for all ranks together."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Look, Setup
from labelcore.designs.curves import (
    LOOK_EVERY,
    PLANNED_BAND,
    Curve,
    EstimatesCurve,
    FloatArray,
    Ranked,
    bounded_yields,
    fine_grid,
)
from labelcore.promises import Form, Method, Promise, State
from labelcore.stats.curve_readings import READINGS, Yields
from labelcore.stats.rank_band import RankLabels, anchor_ranks, strata_band, strata_estimate
from labelcore.stats.rank_strata import rank_edges
from labelcore.stats.ranked_summaries import pieces
from labelcore.stats.watched_curve import watched_critical

METHOD = Method(
    "simultaneous band over parts of strata (large-sample)",
    "G-profile region at many ranks, critical value of the largest of correlated normal "
    "deviations; exact bounds between the ranks",
    Form.APPROXIMATE,
)
SEED = 0
"""Of the draws that find a critical value: these depend on no sample."""


def draws_that_count(frame: Frame, look: Look) -> int:
    """The draws that a band rests on at this look: a watched one is renewed after every
    ``LOOK_EVERY`` draws up to the planned size, and stays then."""
    if look.promise != Promise.WATCHED:
        return look.draws
    planned = max(look.planned - int(frame.drawn_before.sum()), 0)
    if look.draws >= planned:
        return planned
    return look.draws - look.draws % LOOK_EVERY


def curve_of_all_ranks(
    design: EstimatesCurve[Any],
    setup: Setup,
    frame: Frame,
    ranked: Ranked,
    look: Look,
    standing: tuple[State, str, Promise],
    ranks: IntArray | None,
) -> Curve:
    """The curve at a look from draws within strata; its hits among the first r items have bounds
    for all r at once, and everything else is read off these.

    standing   state, what is missing and promise at this look
    """
    stratum_at = frame.stratum[ranked.order]
    anchors = anchor_ranks(stratum_at)
    at = fine_grid(ranked.n_items, anchors) if ranks is None else ranks
    draws = draws_that_count(frame, look)
    state, missing, promise = standing
    if ranked.labels == ranked.n_items:
        state, draws = State.EXACT, look.draws
    answers = ranked.until(draws)
    if state == State.INTERVAL and not answers.labels:
        missing = f"{look.draws:,} of {LOOK_EVERY} items judged before a first band"
        state = State.TOO_FEW
    estimate = np.full(len(at), np.nan)
    if answers.labels:
        estimate = _estimate(stratum_at, answers, at)
    yields = Yields(ranked.n_items, at, estimate, np.zeros(len(at)), at.astype(float))
    if state.has_interval:
        critical = None
        if look.promise == Promise.WATCHED:
            planned = planned_between(design, setup, frame, stratum_at, anchors)
            critical = critical_of(frame, look, draws, anchors, planned)

        def bounds(labels: RankLabels) -> tuple[FloatArray, FloatArray]:
            level = look.confidence
            return strata_band(stratum_at, anchors, labels, level, SEED, critical).at(at)

        yields = bounded_yields(answers, at, estimate, bounds)
    bounded = state.has_interval
    if state == State.PROVISIONAL and not missing:
        missing = f"{look.labels:,} of {look.planned:,} labels before the band"
    return Curve(
        rank=at,
        names=tuple(READINGS),
        read=lambda name: READINGS[name](yields),
        confidence=look.confidence,
        simultaneous=True,
        promise=promise,
        state=state,
        labels=answers.labels if bounded else look.labels,
        draws=draws if bounded else look.draws,
        method=METHOD,
        assumptions=(*design.assumed(setup.params), *answers.assumed()),
        missing=missing,
        yields=yields if bounded else None,
        provisional=_estimate(stratum_at, ranked, at) / at if look.draws > draws > 0 else None,
        notes=_notes(state, look, draws),
    )


def _notes(state: State, look: Look, draws: int) -> tuple[str, ...]:
    beyond = state == State.INTERVAL and look.draws > draws and look.labels > look.planned
    return (PLANNED_BAND.format(f"{draws:,}"),) if beyond else ()


def _estimate(stratum_at: IntArray, answers: Ranked, at: IntArray) -> FloatArray:
    """The hits among the first r by the strata cut into pieces; of a stratum without a label as
    many as are expected."""
    known = answers.settled()
    piece_at = pieces(stratum_at, known.rank, rank_edges(len(stratum_at)))
    rates = np.zeros(int(piece_at.max()) + 1)
    sampled = piece_at >= 0
    rates[piece_at[sampled]] = answers.rates[stratum_at[sampled]]
    return strata_estimate(piece_at, RankLabels(known.rank, known.verdict), rates, at)


def critical_of(
    frame: Frame, look: Look, draws: int, anchors: IntArray, labels: FloatArray
) -> float:
    """The standard deviations that a watched band reaches after so many draws; ``labels`` are those
    of ``planned_between``."""
    given = int(frame.drawn_before.sum())
    looks = (look.planned - given) // LOOK_EVERY
    progress = (draws + given) / max(look.planned, 1)
    return watched_critical(anchors, labels, looks, progress, 1 - look.confidence, SEED)


def planned_between(
    design: EstimatesCurve[Any], setup: Setup, frame: Frame, stratum_at: IntArray, anchors: IntArray
) -> FloatArray:
    """The labels that are expected at the planned size from one anchor to the next, (n_anchors,):
    those of each stratum spread evenly over its items."""
    planned = design.planned_counts(setup, frame, setup.planned)
    share = np.append(planned / np.maximum(frame.sizes, 1), 1.0)[stratum_at]
    return np.diff(np.cumsum(share)[anchors - 1], prepend=0.0)
