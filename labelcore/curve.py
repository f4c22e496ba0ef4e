"""Precision and recall along the ranks of a score, weighted by the design.

At each rank the file is cut in two, the strata with it; the part of a stratum above the cut has a
known size, and the labels that fell into it are a simple random sample of it. So each point is an
ordinary estimate of the same design. An unweighted curve of a stratified sample would show the
sample, not the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.engine import Engine
from labelcore.estimands import SCALARS
from labelcore.estimation import complete, first_figure, look_at
from labelcore.results import Band, Scope
from labelcore.stats.profile import Cells, FloatArray

POINTS = 30


def grid(n_items: int) -> IntArray:
    """Ranks at which a curve is computed: even and geometric steps together."""
    even = np.linspace(1, n_items, POINTS)
    growing = np.geomspace(min(5, n_items), n_items, POINTS)
    return np.unique(np.rint(np.concatenate([even[1:], growing])).astype(np.int64))


def precision_curve(engine: Engine) -> Band:
    """Precision of "the first r items" against r, each point with its own interval.

    Promise: the plan's, for each rank on its own, not for all ranks together.
    """
    return _curve(engine, "precision")


def recall_curve(engine: Engine) -> Band:
    """Recall of "the first r items" against r, each point with its own interval."""
    return _curve(engine, "recall")


@dataclass(frozen=True, eq=False, slots=True)
class _Labels:
    rank: IntArray
    stratum: IntArray
    positive: FloatArray


def _labels(engine: Engine, rank_of: IntArray) -> _Labels:
    rows = []
    for index, asked in enumerate(engine.asked, start=1):
        event = engine.in_force(index)
        if event is not None and event.kind == "labelled":
            rows.append((asked.position, asked.stratum, event.label == engine.population.positive))
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return _Labels(rank_of[table[:, 0]], table[:, 1], table[:, 2].astype(float))


def _curve(engine: Engine, name: str) -> Band:
    population = engine.population
    order = engine.rank_order
    rank_of = np.empty(len(order), dtype=np.int64)
    rank_of[order] = np.arange(1, len(order) + 1)
    labels = _labels(engine, rank_of)
    ranks = grid(len(population))
    shown, promise = _shown(engine)
    rates = _stratum_rates(engine, labels)
    points = np.array(
        [_point(engine, name, rank, rank_of, labels, rates, promise) for rank in ranks]
        if engine.labels >= first_figure(engine)
        else [(np.nan, 0.0, 1.0)] * len(ranks)
    )
    if not shown:
        points[:, 1], points[:, 2] = 0.0, 1.0
    score = population.scores[str(engine.classifiers[0])]
    return Band(
        estimand=f"{name}_curve",
        x=ranks.astype(float),
        value=points[:, 0],
        low=points[:, 1],
        high=points[:, 2],
        threshold=score[order[ranks - 1]].astype(float),
        confidence=engine.plan.confidence,
        simultaneous=False,
        labels_used=engine.labels,
        draws_used=engine.prefix(),
        method="the design's own interval at each rank",
        promise=promise,  # type: ignore[arg-type]
        assumptions=(*engine.design.assumptions, "each point of the curve on its own"),
        source="post-stratification at each rank",
        state="interval" if shown else "too few",
        scope=_scope(engine),
    )


def _shown(engine: Engine) -> tuple[bool, str]:
    promise = str(engine.plan.promise)
    if engine.labels < first_figure(engine):
        return False, promise
    if promise == "fixed" and not complete(engine):
        return engine.finished, "none" if engine.finished else promise
    return True, promise


def _scope(engine: Engine) -> Scope:
    return Scope(
        file=engine.population.name,
        n_items=len(engine.population),
        classifier=engine.classifiers[0],
        target=engine.plan.target,
        positive=engine.population.positive,
        margin=engine.plan.margin,
        first_figure=first_figure(engine),
        planned=int(engine.plan.planned or 0),
    )


def _stratum_rates(engine: Engine, labels: _Labels) -> FloatArray:
    """The observed rate of each stratum, the fitted one where it has no label, (n_strata,)."""
    fitted = engine.design.fitted_rates(engine.frame, engine.progress)
    counts = np.bincount(labels.stratum, minlength=engine.frame.n_strata)
    hits = np.bincount(labels.stratum, labels.positive, minlength=engine.frame.n_strata)
    return np.asarray(np.divide(hits, counts, out=fitted.copy(), where=counts > 0))


def _point(
    engine: Engine,
    name: str,
    rank: int,
    rank_of: IntArray,
    labels: _Labels,
    rates: FloatArray,
    promise: str,
) -> tuple[float, float, float]:
    """Value, low and high at one rank."""
    cells, stratum = cut_cells(engine, rank, rank_of, labels)
    look = look_at(engine, promise)
    figures = engine.design.estimate([SCALARS[name]], cells, look, rates[stratum])
    return float(figures.value[0]), float(figures.low[0]), float(figures.high[0])


def cut_cells(
    engine: Engine, rank: int, rank_of: IntArray, labels: _Labels
) -> tuple[Cells, IntArray]:
    """The parts of the strata above and below a rank, empty ones left out, and their strata."""
    strata = engine.frame.n_strata
    above = (rank_of <= rank).astype(np.int64)
    size = np.bincount(engine.frame.stratum * 2 + above, minlength=2 * strata)
    own = labels.stratum * 2 + (labels.rank <= rank)
    labelled = np.bincount(own, minlength=2 * strata)
    positive = np.bincount(own, labels.positive, minlength=2 * strata).astype(float)
    keep = np.flatnonzero(size)
    cells = Cells(
        size[keep].astype(float), labelled[keep].astype(float), positive[keep], keep % 2 == 1
    )
    return cells, keep // 2
