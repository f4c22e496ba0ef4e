"""Looking at the results: all of them at one moment, and what of it is written to the log."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from labelcore.designs.choices import OtherChoice
from labelcore.designs.curves import Curve
from labelcore.figures.choices import choice_results, choices_at
from labelcore.figures.claims import claim_results
from labelcore.figures.curves import curve_results, ranked_curve, whole_curve
from labelcore.figures.cuts import (
    cheapest_cut,
    check_rank,
    cuts_at,
    deepest_cut,
    packages,
    told_rank,
)
from labelcore.figures.differences import differences
from labelcore.figures.judge import judge_table
from labelcore.figures.lists import list_results
from labelcore.figures.narrowing import looks_before
from labelcore.figures.scalars import (
    headline_stage,
    scalar_results,
    scalar_results_of,
    sizes_after_pilot,
)
from labelcore.figures.settled import settled_results
from labelcore.figures.stops import stop_reason
from labelcore.figures.tables import figure_table
from labelcore.figures.with_classifier import agreements, race_of
from labelcore.log.engine import Engine
from labelcore.log.recuts import found_recut
from labelcore.results.base import Finding, plain
from labelcore.results.cells import Table
from labelcore.results.curves import Band, CheapestCut, Cut
from labelcore.results.lists import ListDifference
from labelcore.results.race import Race
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.stats.profile import BoolArray

Made = TypeVar("Made")
LOOKS_AT_ONCE = 64
"""Looks back that are held side by side."""


def results(engine: Engine) -> dict[str, Finding]:
    """Every result of the plan at this moment.

    A fixed promise holds at the planned size: before it there is a value without an interval, and
    after an extension the first stage stays the result.
    """
    return results_of([engine])[0]


def results_of(engines: Sequence[Engine], *, ended: bool = False) -> list[dict[str, Finding]]:
    """``results`` of several sessions of one plan, worked out side by side; ``ended``: of sessions
    that are looked at this once."""
    stages = [headline_stage(engine) for engine in engines]
    numbers = scalar_results_of(stages, ended=ended)
    claims = map(claim_results, engines)
    return [_together(*session) for session in zip(stages, numbers, claims, strict=True)]


def _together(
    stage: Engine, scalars: Mapping[str, Estimate], claims: Mapping[str, Claim]
) -> dict[str, Finding]:
    curves = curve_results(stage)
    primary_first = stage.plan.estimands[0] in curves
    numbers = {**curves, **scalars} if primary_first else {**scalars, **curves}
    numbers |= choice_results(stage)
    return {**list_results(stage), **numbers, **claims}


def course(engine: Engine, findings: Mapping[str, Finding]) -> list[dict[str, Any]]:
    """The numbers at each look of the grid up to now, worked out from the answers as they are, and
    last the ``findings`` now; as JSON values.

    labels, draws, results   as in ``look_detail``
    at                       when the last answer up to there was given
    """
    stage = headline_stage(engine)
    last = engine.told[-1][0] if engine.told else -1
    stages = engine.stages([draws for draws in looks_before(stage) if draws > last])
    while part := list(islice(stages, LOOKS_AT_ONCE)):
        for then, results in zip(part, scalar_results_of(part), strict=True):
            engine.told.append((len(then.asked), moment(then, results)))
    looks = [look for draws, look in engine.told if draws < stage.prefix()]
    return [*looks, moment(stage, findings)] if stage.prefix() else []


def results_after(
    engine: Engine, draws: Sequence[int]
) -> Iterator[tuple[Engine, dict[str, Finding]]]:
    """Every result as it would be after each of these numbers of draws, which rise, with the
    answers as they are now; and the engine of that moment."""
    stages = engine.stages(draws)
    while part := list(islice(stages, LOOKS_AT_ONCE)):
        yield from zip(part, results_of(part), strict=True)


def moment(engine: Engine, findings: Mapping[str, Finding]) -> dict[str, Any]:
    """What ``course`` says of an engine that has found this."""
    keys = [question.key for question in engine.questions]
    last = engine.in_force(engine.prefix()) if engine.prefix() else None
    return {
        "at": "" if last is None else last.at,
        "labels": engine.labels,
        "draws": engine.prefix(),
        "results": {key: _figures(findings[key]) for key in keys},
    }


class FiguresNow:
    """The figures of an engine at the present moment, computed once for each of its states."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._kept: tuple[tuple[int, bool, int], dict[Any, Any]] | None = None

    def _once(self, key: object, make: Callable[[], Made]) -> Made:
        """What ``make`` makes of the present state, under this key."""
        state = (self.engine.version, self.engine.finished, self.engine.limit)
        if self._kept is None or self._kept[0] != state:
            self._kept = (state, {})
        kept = self._kept[1]
        if key not in kept:
            kept[key] = make()
        made: Made = kept[key]
        return made

    def stage(self) -> Engine:
        """The engine that results are read from."""
        return self._once("stage", lambda: headline_stage(self.engine))

    def scalars(self) -> dict[str, Estimate]:
        """The numbers of the plan."""
        return self._once("scalars", lambda: scalar_results(self.stage()))

    def claims(self) -> dict[str, Claim]:
        """What is known of each claim of the plan."""
        return self._once("claims", lambda: claim_results(self.engine))

    def results(self) -> dict[str, Finding]:
        """Every result of the plan."""

        def make() -> dict[str, Finding]:
            together = _together(self.stage(), self.scalars(), self.claims())
            return {**together, **settled_results(self.engine)}

        return self._once("results", make)

    def table(self, by: tuple[str, ...], together: bool) -> Table:
        """The figures of all classifiers, by group if asked."""
        return self._once(
            ("table", by, together),
            lambda: figure_table(self.engine, self.results(), by, together=together),
        )

    def further_choices(self) -> list[OtherChoice]:
        """What is known of those that labels were asked for after that of the plan."""
        precisions = list(dict.fromkeys(precision for _, precision in self.engine.sought))
        return choices_at(self.engine, precisions) if precisions else []

    def race(self) -> Race | None:
        """Two classifiers where they disagree; None of others."""
        return self._once("race", lambda: race_of(self.engine))

    def agreements(self, heads: Mapping[str, int]) -> dict[str, BoolArray]:
        """Whether each label agrees with the classifier, for each figure and each first items."""
        return agreements(self.engine, heads)

    def differences(self, by: tuple[str, ...], estimand: str, rest: bool) -> pd.DataFrame:
        """Those of all pairs of classifiers or of groups."""
        return self._once(
            ("differences", by, estimand, rest),
            lambda: differences(self.engine, by, estimand, rest=rest),
        ).copy()

    def judge(self, by: tuple[str, ...], settled: bool) -> pd.DataFrame:
        """How the first classifier, as a judge, stands to people; what the table of the same groups
        tells, too, is told alike."""

        def make() -> pd.DataFrame:
            cells = self.table(by, together=False).cells
            told = {cell.estimate.estimand: cell.estimate for cell in cells}
            return judge_table(self.engine, by, told | self.results(), settled=settled)

        return self._once(("judge", by, settled), make).copy()

    def curve(self) -> Curve:
        """What is known along the ranks. Raises ValueError without a score."""
        return self._once("curve", lambda: ranked_curve(self.stage()))

    def cuts(self, ranks: Sequence[int]) -> list[Cut]:
        """What keeping the first items would mean, for each rank; those not asked for before are
        worked out together."""
        for rank in ranks:
            check_rank(rank, len(self.engine.population))
        cuts = self._once("cuts", dict[int, Cut])
        new = [rank for rank in dict.fromkeys(ranks) if rank not in cuts]
        if new:
            cuts.update(zip(new, cuts_at(self.stage(), new), strict=True))
        return [cuts[rank] for rank in ranks]

    def whole_curve(self) -> Curve:
        """The curve at so many ranks that it says all of the others. Raises ValueError likewise."""
        return self._once("whole curve", lambda: whole_curve(self.stage(), self.curve()))

    def deepest_cut(self, precision: float, at_most: int | None = None) -> Cut | None:
        """The longest head that is sure to be so precise. Raises ValueError where the bounds do not
        hold for all ranks."""
        return self._once(
            ("deepest cut", precision, at_most),
            lambda: deepest_cut(self.stage(), precision, at_most, self.whole_curve()),
        )

    def cheapest_cut(self, miss: float, false_alarm: float) -> CheapestCut | None:
        """The head whose mistakes cost least. Raises ValueError likewise."""
        return self._once(
            ("cheapest cut", miss, false_alarm),
            lambda: cheapest_cut(self.stage(), miss, false_alarm, self.whole_curve()),
        )

    def packages(self, precisions: Sequence[float]) -> pd.DataFrame:
        """The list cut where each precision still holds. Raises ValueError likewise."""
        return self._once(
            ("packages", *precisions),
            lambda: packages(self.stage(), precisions, self.whole_curve()),
        ).copy()

    def look(self, after: int, like: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """What a look records that has seen the answers up to event ``after``; of a ranked list the
        same first items as a look ``like`` it."""
        detail, findings = look_detail(self.engine, self.results(), after), self.results()
        before = (like or {}).get("results", {})
        for key, result in findings.items():
            if isinstance(result, Band) and not isinstance(result, ListDifference):
                rank = before.get(key, {}).get("head", {}).get("rank")
                detail["results"][key] |= self._head(result, rank)
        return detail

    def _head(self, along: Band, rank: int | None) -> dict[str, Any]:
        """What a ranked list is told by first, where there are bounds: the precision of its first
        ``rank`` items, if that is one of its ranks, else of ``told_rank`` many."""
        band, population = None, self.engine.population
        if along.has_interval:
            usual = told_rank(population, along.scope.classifier)
            known = type(rank) is int and 1 <= rank <= len(population)
            cuts = self.cuts([rank if known and rank else usual])
            band = cuts[0].readings.get("precision")
        if band is None or not band.has_interval:
            return {}
        value, low, high = (float(end[0]) for end in (band.told, band.low, band.high))
        share = None if np.isnan(value) or band.confidence is None else value
        return {"head": {"rank": cuts[0].rank, "value": share, "low": low, "high": high}}

    def course(self) -> list[dict[str, Any]]:
        """The numbers at each look of the grid, and now."""
        return self._once("course", lambda: course(self.engine, self.results()))

    def stop_reason(self, at: str) -> str | None:
        """The stop rules that end the session at this time, "" when it goes on."""
        return stop_reason(self.engine, at, self.scalars, self.claims)

    def reforecast(self) -> dict[str, Any]:
        """What the end of a margin plan's pilot records; nothing while it is not due."""
        engine = self.engine
        return sizes_after_pilot([engine])[0] if 0 < engine.pilot <= engine.labels else {}

    def recut(self) -> dict[str, Any]:
        """What is recorded when strata are cut once more; nothing while it is not due."""
        return self._once("recut", lambda: found_recut(self.engine))


def look_detail(engine: Engine, findings: Mapping[str, Finding], after: int) -> dict[str, Any]:
    """The figures shown, as JSON values.

    after    the sequence number of the last answer or undo that the look saw
    results  {key: {value, low, high, state, promise}}, and tentative where the value is not told;
             a curve keeps its means only, and with a look the precision of its first items:
             head {rank, value, low, high}
    """
    return {
        "after": after,
        "labels": engine.labels,
        "draws": engine.prefix(),
        "results": {key: _figures(result) for key, result in findings.items()},
    }


def _figures(result: Finding) -> dict[str, Any]:
    if isinstance(result, Claim):
        return {
            "value": result.value,
            "state": str(result.status),
            "evidence": result.evidence,
            "evidence_against": result.evidence_against,
            "promise": str(result.promise),
            **({} if result.low is None else {"low": result.low, "high": result.high}),
        }
    if isinstance(result, Choice):
        ends = ("value", "low", "high", "state")
        return {
            "chosen": result.chosen,
            "state": str(result.status),
            "promise": str(result.promise),
            "candidates": {
                str(row["classifier"]): {name: plain(row[name]) for name in ends}
                for row in result.bounds.to_dict("records")
            },
        }
    assert isinstance(result, Estimate | Band)
    if isinstance(result, Estimate):
        value: float | None = result.value
        low, high = result.low, result.high
    else:
        value = None if np.isnan(result.value).all() else float(np.nanmean(result.value))
        low, high = float(np.mean(result.low)), float(np.mean(result.high))
    kept_back = isinstance(result, Estimate) and value is not None and result.told is None
    tentative = kept_back or (isinstance(result, Estimate) and result.tentative)
    return {
        "value": value,
        "low": low,
        "high": high,
        "state": str(result.state),
        "promise": str(result.promise),
        **({"tentative": True} if tentative else {}),
    }
