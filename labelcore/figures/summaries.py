"""Average precision and the area under the ROC curve, from labels drawn at random within strata."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from labelcore.designs.base import Frame, IntArray, Look, Setup, whole_list
from labelcore.designs.curves import APPROXIMATE, Curve, EstimatesCurve, FloatArray, Ranked
from labelcore.designs.rates import part_rates
from labelcore.figures.from_counts import look_at
from labelcore.figures.readiness import NO_LABEL
from labelcore.log.engine import Engine
from labelcore.population.array_items import cut
from labelcore.promises import Form, Method, Promise, State
from labelcore.stats.horizon import boundary
from labelcore.stats.rank_strata import rank_edges
from labelcore.stats.ranked_summaries import (
    AREA_UNDER_ROC,
    AVERAGE_PRECISION,
    RankedSample,
    Summary,
    covered_share,
    derivative,
    estimate,
    pieces,
    summary_interval,
)

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

EXPECTED_DRAWS, FEW_DRAWS = 6, 2
NO_HIT = "no {positive!r} item was found, or nothing but such items"
PARTS_MISSING = "some parts of the list have no label yet"


@dataclass(frozen=True, slots=True)
class Summarised:
    """One number of a ranked list at a look.

    value     None where there is none
    low, high   0 and 1 where nothing is known of it
    missing   what is still needed for it, in words
    answers   those that it rests on
    """

    value: float | None
    low: float
    high: float
    state: State
    missing: str
    answers: Ranked
    draws: int

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What it rests on, in words."""
        return (*DRAWN, *self.answers.assumed())


def own_intervals(engine: Engine) -> bool:
    """Whether the labels are a random sample of every stratum."""
    design: EstimatesCurve[Any] = EstimatesCurve.of(engine.design)
    return design.samples_every_stratum


def summarised(engine: Engine, ranked: Ranked, curve: Curve, name: str) -> Summarised:
    """The number now, by the answers that ``curve`` rests on; with a watched promise by all of them
    as far as the plan may go on, to the planned size where it may not; by all of them once every
    item has a label.

    Items without a verdict that count both ways are hits where hits move an end outwards.
    """
    look, summary = look_at(engine), SUMMARY_OF[name]
    draws, state = curve.draws, curve.state
    if look.promise == Promise.WATCHED:
        state = State.EXACT if ranked.labels == ranked.n_items else State.INTERVAL
        promised = (engine.plan.horizon or 1) * engine.watched_for - engine.given
        draws = look.draws if state == State.EXACT else min(look.draws, promised)
    answers = ranked.until(draws)
    known = _sample(engine.frame, answers.settled())
    value = estimate(known, summary)
    if np.isnan(value):
        missing = _missing(engine, answers, known)
        nothing = State.TOO_FEW if answers.labels else State.NOTHING
        return Summarised(None, 0.0, 1.0, nothing, missing, answers, draws)
    if not state.has_interval:
        return Summarised(value, 0.0, 1.0, state, curve.missing, answers, draws)
    ends = [_end(engine, answers, summary, look, known, side) for side in (-1.0, 1.0)]
    low, high = min(ends[0], value), max(ends[1], value)
    return Summarised(value, low, high, state, "", answers, draws)


def expected_half_widths(
    setup: Setup,
    frame: Frame,
    counts: IntArray,
    look: Look,
    names: Sequence[str],
    *,
    centred: bool,
) -> dict[str, float]:
    """That of each number with so many labels of each stratum, by labels drawn at the rates that
    the scores suggest, the mean over a few draws; {} where the strata are no stretches of ranks."""
    if not names or not (hasattr(frame, "spans") or frame.n_strata == 1):
        return {}
    n_items, classifier = len(setup.population), str(setup.classifier)
    items, edges = setup.items(), rank_edges(len(setup.population))
    rates = part_rates(setup, items, classifier, cut(items, whole_list(setup), {}, edges))[0]
    last = frame.spans[:, 1] if hasattr(frame, "spans") else np.array([n_items])
    halves_of: dict[str, list[float]] = {name: [] for name in names}
    for draw in range(FEW_DRAWS if look.rough else EXPECTED_DRAWS):
        random = np.random.default_rng(draw)
        rank = _evenly(last, counts, random)
        hit = random.random(len(rank)) < rates[np.searchsorted(edges, rank)]
        sample = RankedSample.of_stretches(last, rank, hit.astype(float), edges)
        for name in names:
            summary = SUMMARY_OF[name]
            wide = 1.0 if sample.without_label else _widening(sample, summary, look)
            _, low, high = summary_interval(
                sample, summary, look.confidence, widening=wide, centred=centred
            )
            halves_of[name].append((high - low) / 2)
    return {name: float(np.mean(halves)) for name, halves in halves_of.items()}


def _evenly(last: IntArray, counts: IntArray, random: np.random.Generator) -> IntArray:
    """Ranks of labelled items, one at random in each of equal pieces of a stratum."""
    sizes, stratum = np.diff(last, prepend=0), np.repeat(np.arange(len(last)), counts)
    place = np.arange(len(stratum)) - (np.cumsum(counts) - counts)[stratum]
    inside = (place + random.random(len(stratum))) / counts[stratum] * sizes[stratum]
    rank = (last - sizes)[stratum] + np.floor(inside).astype(np.int64) + 1
    return np.unique(np.minimum(rank, last[stratum]))


def _missing(engine: Engine, answers: Ranked, known: RankedSample) -> str:
    if not answers.labels:
        return NO_LABEL
    if known.without_label:
        return PARTS_MISSING
    return NO_HIT.format(positive=engine.population.positive)


def _end(
    engine: Engine, ranked: Ranked, summary: Summary, look: Look, known: RankedSample, side: float
) -> float:
    """One end of the interval, (side -1: the lower one)."""
    sample = known
    if ranked.doubtful.any():
        outwards = side * derivative(known, summary, ranked.rank) > 0
        sample = _sample(engine.frame, ranked, ranked.filled(outwards.astype(float)))
    widening = _widening(sample, summary, look)
    centred = EstimatesCurve.of(engine.design).centres_numbers(engine.setup.params)
    ends = summary_interval(sample, summary, look.confidence, widening=widening, centred=centred)
    return ends[1 if side < 0 else 2]


def _widening(sample: RankedSample, summary: Summary, look: Look) -> float:
    """What the boundary of a planned size multiplies the squared critical value by."""
    if look.promise != Promise.WATCHED:
        return 1.0
    covered = covered_share(sample, summary)
    z = float(boundary(look.progress, covered, 1 - look.confidence, look.horizon or 1))
    return max((z / float(ndtri((1 + look.confidence) / 2))) ** 2, 1.0)


def _sample(frame: Frame, ranked: Ranked, positive: FloatArray | None = None) -> RankedSample:
    """The answers as labels of the strata that the design drew from, cut into pieces."""
    edges = rank_edges(ranked.n_items)
    verdict = ranked.verdict if positive is None else positive
    if hasattr(frame, "spans"):
        return RankedSample.of_stretches(frame.spans[:, 1], ranked.rank, verdict, edges)
    strata = pieces(frame.stratum[ranked.order], ranked.rank, edges)
    return RankedSample.of(strata, ranked.rank, verdict)
