"""Results along the ranks of a score: bands for each reading, and summaries of the whole curve."""

from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import OPEN, IntArray
from labelcore.designs.curves import JUDGEMENT, Curve, EstimatesCurve, Ranked
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.figures.assumptions import judgement
from labelcore.figures.from_counts import look_at
from labelcore.figures.readiness import promised_until, scope_of_list, too_early
from labelcore.figures.summaries import NO_HIT, OWN_METHOD, own_intervals, summarised
from labelcore.log.engine import Engine
from labelcore.promises import Promise, State
from labelcore.results.base import Finding
from labelcore.results.curves import Band
from labelcore.results.types import Estimate, Scope
from labelcore.stats.curve_readings import area_under_roc, average_precision
from labelcore.words.existing import assumed

SUMMARY_FORMULAS = {"average_precision": average_precision, "area_under_roc": area_under_roc}
GRID = 5_000
EARLIER_CURVE = "there is no curve: this project was measured by an earlier rule"
NEEDS_ALL = "the bounds of the whole list are not there yet"


def asks_for_curve(engine: Engine) -> bool:
    """Whether the plan asks for anything along the ranks that is still computed."""
    along = any(name in CURVES or name in SUMMARIES for name in engine.plan.estimands)
    return along and not engine.plan.superseded


def curve_results(engine: Engine) -> dict[str, Finding]:
    """The results along the ranks that the plan asks for, in its order."""
    if not asks_for_curve(engine):
        return {}
    curve = ranked_curve(engine)
    alone = own_intervals(engine)
    summed = any(name in SUMMARIES for name in engine.plan.estimands)
    whole = whole_curve(engine, curve) if summed and not alone else curve
    results: dict[str, Finding] = {}
    for name in engine.plan.estimands:
        if name in CURVES:
            results[name] = band(engine, curve, name.removesuffix("_curve"))
        elif name in SUMMARIES:
            results[name] = (own_summary if alone else summary)(engine, whole, name)
    return results


def ranked_curve(engine: Engine, ranks: IntArray | None = None) -> Curve:
    """What the plan's method says along the ranks now, at ``ranks`` (increasing, the last one N)
    or at a grid of the method's own. Raises ValueError without a score, and where a method needs
    the order of items that an engine keeps, or that an earlier rule made."""
    if engine.plan.superseded:
        raise ValueError(EARLIER_CURVE)
    look = look_at(engine)
    design: EstimatesCurve[Any] = EstimatesCurve.of(engine.design)
    if not design.of_stretches:
        _ = engine.rank_order  # where there is none, that is said before ranks are looked up
    return design.curve(engine.setup, engine.frame, ranked(engine), look, ranks)


def whole_curve(engine: Engine, curve: Curve) -> Curve:
    """``curve`` at so many ranks that what it says of all others follows from them: beside its own,
    the labelled ones, the ones before them, and the last; and ``GRID`` ranks, every one of a list
    that is no longer, because a band that runs nearly straight is wider where it is not looked at.
    """
    known, last = ranked(engine).rank, len(engine.population)
    grid = np.linspace(1, last, min(last, GRID)).round().astype(np.int64)
    places = [curve.rank, known, known[known > 1] - 1, grid]
    return ranked_curve(engine, np.unique(np.concatenate(places)))


def ranked(engine: Engine) -> Ranked:
    """The list in rank order with its answers so far."""
    positive, draws = engine.classes[engine.population.positive], engine.draws
    there, stratum = engine.existing, engine.frame.stratum
    code = np.append(there.codes, draws.code)
    opened = np.zeros(len(code), dtype=bool)
    opened[np.array(engine.open_draws(), dtype=np.int64) + len(there.codes) - 1] = True
    index = np.append(np.zeros(len(there.codes), dtype=np.int64), np.arange(1, len(draws) + 1))
    rank = np.append(engine.rank_of[there.positions], draws.rank(engine.rank_of))
    of_stratum = np.append(stratum[there.positions].astype(np.int64), draws.stratum)
    order = np.argsort(rank)
    order = order[(code[order] != OPEN) | opened[order]]
    code = code[order]
    return Ranked(
        len(engine.population),
        lambda: engine.rank_order,
        index[order],
        rank[order],
        of_stratum[order],
        np.where(code >= 0, code == positive, np.nan),
        opened[order],
        engine.design.fitted_rates(engine.frame, engine.progress),
    )


def band(engine: Engine, curve: Curve, name: str) -> Band:
    """One reading of a curve as a result. Raises ValueError for a reading it does not have."""
    if name not in curve.names:
        known = ", ".join(curve.names)
        raise ValueError(f"the curve has no reading {name!r}; it has {known}")
    value, low, high = curve.read(name)
    precision, there = name == "precision", engine.existing
    return Band(
        estimand=f"{name}_curve",
        x=curve.rank.astype(float),
        value=value,
        low=low,
        high=high,
        threshold=engine.rank_of.scores(curve.rank),
        confidence=curve.confidence,
        simultaneous=curve.simultaneous,
        labels_used=curve.labels,
        draws_used=curve.draws,
        method=curve.method.name,
        promise=curve.promise,
        assumptions=(
            *judged_by(engine, curve.assumptions),
            *assumed(len(there.positions), there.use),
        ),
        source=curve.method.source,
        state=curve.state,
        tentative=too_early(engine, curve.state),
        scope=_scope(engine),
        missing=curve.missing,
        provisional=curve.provisional if precision else None,
        extra=dict(curve.extra) if precision else {},
        notes=curve.notes,
        form=curve.method.form,
    )


def summary(engine: Engine, curve: Curve, name: str) -> Estimate:
    """One number of the whole list, with its extremes over the curves inside the bounds."""
    yields = curve.yields
    whole = yields is not None and int(yields.rank[-1]) == len(engine.population)
    shown = whole and curve.state.has_interval
    value, low, high = SUMMARY_FORMULAS[name](yields) if shown and yields else (None, 0.0, 1.0)
    unknown = value is None or np.isnan(value)
    return Estimate(
        estimand=name,
        value=None if unknown else value,
        low=0.0 if unknown else low,
        high=1.0 if unknown else high,
        confidence=curve.confidence,
        labels_used=curve.labels,
        draws_used=curve.draws,
        method=f"extremes over the curves inside the bounds ({curve.method.name})",
        promise=curve.promise,
        assumptions=judged_by(engine, curve.assumptions),
        source=curve.method.source,
        state=State.TOO_FEW if unknown else curve.state,
        missing=(curve.missing or _why_unknown(engine, curve, whole)) if unknown else "",
        scope=_scope(engine),
        form=curve.method.form,
    )


def own_summary(engine: Engine, curve: Curve, name: str) -> Estimate:
    """One number of the whole list, with an interval of its own."""
    numbers = summarised(engine, ranked(engine), curve, name)
    watched = engine.plan.promised == Promise.WATCHED
    return Estimate(
        estimand=name,
        value=numbers.value,
        low=numbers.low,
        high=numbers.high,
        confidence=curve.confidence,
        labels_used=numbers.answers.labels,
        draws_used=numbers.draws,
        method=str(OWN_METHOD),
        promise=Promise.WATCHED if watched else curve.promise,
        assumptions=judged_by(engine, numbers.assumptions),
        source=OWN_METHOD.source,
        state=numbers.state,
        missing=numbers.missing,
        scope=_scope(engine),
        form=OWN_METHOD.form,
    )


def judged_by(engine: Engine, assumptions: tuple[str, ...]) -> tuple[str, ...]:
    """What a result rests on; a method does not know of second answers."""
    return tuple(judgement(engine) if text == JUDGEMENT else text for text in assumptions)


def _why_unknown(engine: Engine, curve: Curve, whole: bool) -> str:
    if not whole or curve.yields is None:
        return NEEDS_ALL
    return NO_HIT.format(positive=engine.population.positive)


def _scope(engine: Engine) -> Scope:
    return replace(scope_of_list(engine), until=promised_until(engine))
