"""Two ranked lists: what is known of their difference, and on which items they differ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.designs.base import NO_ANSWER, OPEN
from labelcore.designs.lists import Compared, ComparesLists, ListAnswers
from labelcore.estimands import LISTS
from labelcore.figures.curves import judged_by
from labelcore.figures.from_counts import look_at
from labelcore.figures.readiness import scope_of_list
from labelcore.log.engine import Engine
from labelcore.promises import Promise
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.scope import Scope
from labelcore.stats.list_difference import DIFFERENCE, FIRST, SECOND, Bounds
from labelcore.stats.profile import FloatArray

NO_LISTS = (
    "this project compares no lists: it was not planned with a method for "
    "'precision_curve_difference'"
)


def list_results(engine: Engine) -> dict[str, ListDifference]:
    """The difference of two lists where the plan asks for it."""
    asked = [name for name in engine.plan.estimands if name in LISTS]
    if not asked or engine.plan.superseded:
        return {}
    return {name: list_difference(engine) for name in asked}


def list_difference(engine: Engine) -> ListDifference:
    """The first classifier's list less the second one's at every rank. Raises ValueError for a plan
    that compares none."""
    design = _design(engine)
    compared = design.compared(engine.setup, engine.frame, list_answers(engine), look_at(engine))
    first, second = (str(name) for name in engine.classifiers[:2])
    scope = _scope(engine, design)
    shared = _shared(engine, design, compared, first)
    bands = None
    if FIRST in compared.bounds:
        scored = _scores(engine, design, compared, second)
        band = _band(compared.bounds[FIRST], replace(scope, versus=None), shared)
        other = replace(scope, classifier=second, versus=None)
        bands = band, _band(compared.bounds[SECOND], other, {**shared, "threshold": scored})
    bounds = compared.bounds[DIFFERENCE]
    return ListDifference(
        estimand="precision_curve_difference",
        value=bounds.value,
        low=bounds.low,
        high=bounds.high,
        scope=scope,
        possible=compared.possible,
        own=bands,
        **shared,
    )


def _band(bounds: Bounds, scope: Scope, shared: dict[str, Any]) -> Band:
    """One list's own precision."""
    ends: dict[str, Any] = {"value": bounds.value, "low": bounds.low, "high": bounds.high}
    return Band(estimand="precision_curve", scope=scope, **ends, **shared)


def _design(engine: Engine) -> ComparesLists[Any]:
    if not isinstance(engine.design, ComparesLists):
        raise ValueError(NO_LISTS)
    return engine.design


def list_answers(engine: Engine) -> ListAnswers:
    """The answers so far; a drawn item without one counts once it is behind the last answer, or put
    off for later."""
    code, positive = engine.draws.code, engine.classes[engine.population.positive]
    opened = np.zeros(len(code), dtype=bool)
    opened[np.array(engine.open_draws(), dtype=np.int64) - 1] = True
    kept = np.flatnonzero((code != OPEN) | opened)
    return ListAnswers(
        kept + 1,
        engine.draws.position[kept].astype(np.int64),
        np.where(code[kept] >= 0, code[kept] == positive, np.nan).astype(float),
    )


def _shared(
    engine: Engine, design: ComparesLists[Any], compared: Compared, first: str
) -> dict[str, Any]:
    """The fields that the difference and each list's own precision have in common."""
    return {
        "x": compared.rank.astype(float),
        "threshold": _scores(engine, design, compared, first),
        "confidence": engine.plan.confidence,
        "simultaneous": True,
        "labels_used": compared.labels,
        "draws_used": compared.draws,
        "method": compared.method.name,
        "promise": compared.promise,
        "assumptions": judged_by(engine, compared.assumptions),
        "source": compared.method.source,
        "state": compared.state,
        "missing": compared.missing,
        "notes": compared.notes,
        "form": compared.method.form,
    }


def _scores(engine: Engine, design: ComparesLists[Any], compared: Compared, name: str) -> Any:
    """The score of a list at each rank, (n_ranks,)."""
    union, *ranks = design.ranks_of(engine.frame)
    mine = ranks[0 if name == engine.classifiers[0] else 1]
    order = np.argsort(mine, kind="stable")
    at = union[order[np.searchsorted(mine[order], compared.rank)]]
    return np.asarray(engine.population.scores[name][at], dtype=float)


def _scope(engine: Engine, design: ComparesLists[Any]) -> Scope:
    watched = engine.plan.promised == Promise.WATCHED
    until = design.watched_until(engine.setup.planned) if watched else 0
    return replace(scope_of_list(engine), versus=engine.classifiers[1], until=until)


def differing_items(engine: Engine, rank: int) -> pd.DataFrame:
    """The items that one list has among its first ``rank`` and the other has not, as
    ``Session.list_items`` gives them. Raises ValueError for a rank that is not looked at."""
    union, first, second = _design(engine).ranks_of(engine.frame)
    last = int(np.minimum(first, second).max())
    if not 1 <= rank <= last:
        raise ValueError(f"rank must lie between 1 and {last:,}, got {rank!r}")
    inside = np.flatnonzero((first <= rank) != (second <= rank))
    inside = inside[np.argsort(np.minimum(first, second)[inside], kind="stable")]
    code = engine.codes[union[inside]]
    classes = engine.population.classes
    names = np.array([str(name) for name in engine.classifiers[:2]])
    return pd.DataFrame(
        {
            "id": engine.population.ids_at(union[inside]),
            "list": names[(second[inside] <= rank).astype(int)],
            f"rank in {names[0]}": first[inside],
            f"rank in {names[1]}": second[inside],
            "label": [classes[answer] if answer > NO_ANSWER else None for answer in code.tolist()],
        }
    )


def true_difference(engine: Engine, positive: NDArray[np.bool_]) -> FloatArray:
    """The difference at the ranks of the band where the truth of every item is known, (n_ranks,).

    positive   (n_items,)
    """
    union, *ranks = _design(engine).ranks_of(engine.frame)
    at = list_difference(engine).x
    hits = [
        np.cumsum(positive[union[np.argsort(rank, kind="stable")]])[at.astype(np.int64) - 1]
        for rank in ranks
    ]
    return np.asarray((hits[0] - hits[1]) / at)
