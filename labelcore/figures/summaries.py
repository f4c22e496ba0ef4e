"""Average precision and the area under the ROC curve, from labels drawn at random within strata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, Look
from labelcore.designs.curves import APPROXIMATE, JUDGEMENT, EstimatesCurve, FloatArray, Ranked
from labelcore.figures.assumptions import judgement
from labelcore.figures.scalars import look_at
from labelcore.log.engine import Engine
from labelcore.promises import Form, Method, Promise, State
from labelcore.stats.ranked_summaries import (
    AREA_UNDER_ROC,
    AVERAGE_PRECISION,
    RankedSample,
    Summary,
    derivative,
    estimate,
    summary_interval,
)

OWN_INTERVALS = 3
"""The version of the interval rules from which the numbers have intervals of their own."""
SUMMARY_OF = {"average_precision": AVERAGE_PRECISION, "area_under_roc": AREA_UNDER_ROC}
OWN_METHOD = Method(
    "empirical likelihood within strata",
    "Owen (1990); Zhong and Rao (2000) for strata; Satterthwaite (1946)",
    Form.APPROXIMATE,
)
DRAWN = (
    "items were drawn at random within strata that were fixed before the first label",
    APPROXIMATE,
)


@dataclass(frozen=True, slots=True)
class Summarised:
    """One number of a ranked list at a look; value None, 0 and 1 where nothing is known of it."""

    value: float | None
    low: float
    high: float
    state: State
    assumptions: tuple[str, ...]


def own_intervals(engine: Engine) -> bool:
    """Whether the labels are a random sample of every stratum, and the plan is not older than this
    rule; a watched promise keeps to what holds at the looks of its band."""
    design: EstimatesCurve[Any] = EstimatesCurve.of(engine.design)
    new = engine.plan.interval_rules >= OWN_INTERVALS
    return new and design.samples_every_stratum and engine.plan.promised != Promise.WATCHED


def summarised(engine: Engine, ranked: Ranked, name: str, state: State) -> Summarised:
    """The number by the answers of ``ranked``; ``state`` says how far these have come.

    Items without a verdict that count both ways are hits where hits move an end outwards.
    """
    look, summary = look_at(engine), SUMMARY_OF[name]
    known = _sample(engine.frame, ranked.settled())
    value = estimate(known, summary)
    assumptions = (*DRAWN, *_judged(engine, ranked.assumed()))
    if np.isnan(value):
        return Summarised(None, 0.0, 1.0, State.TOO_FEW, assumptions)
    if not state.has_interval:
        return Summarised(value, 0.0, 1.0, state, assumptions)
    low = _end(engine.frame, ranked, summary, look, known, -1.0)
    high = _end(engine.frame, ranked, summary, look, known, 1.0)
    return Summarised(value, min(low, value), max(high, value), state, assumptions)


def _end(
    frame: Frame, ranked: Ranked, summary: Summary, look: Look, known: RankedSample, side: float
) -> float:
    """One end of the interval, (side -1: the lower one)."""
    sample = known
    if ranked.doubtful.any():
        counted = ranked.counting()
        outwards = side * derivative(known, summary, counted.rank) > 0
        sample = _sample(frame, counted, counted.filled(outwards.astype(float)))
    return summary_interval(sample, summary, look.confidence)[1 if side < 0 else 2]


def _sample(frame: Frame, ranked: Ranked, positive: FloatArray | None = None) -> RankedSample:
    """The answers as labels of the strata that the design drew from."""
    order = np.argsort(frame.stratum[ranked.order], kind="stable")
    sampled = frame.stratum[ranked.order][order]
    ranks = order[sampled >= 0] + 1.0
    ends = np.cumsum(frame.sizes)
    middle = np.stack([(ends - frame.sizes + ends - 1) // 2, (ends - frame.sizes + ends) // 2])
    inside = np.minimum(middle, max(len(ranks) - 1, 0))
    return RankedSample(
        ranked.n_items,
        frame.sizes,
        ranks[inside].mean(axis=0),
        ranked.rank,
        ranked.stratum,
        ranked.verdict if positive is None else positive,
    )


def _judged(engine: Engine, assumptions: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the answers; a list of them does not know of second ones."""
    return tuple(judgement(engine) if one == JUDGEMENT else one for one in assumptions)
