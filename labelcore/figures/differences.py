"""Differences of classifiers, of groups, and of each group from the rest, all of them at once.

Two classifiers judge the same items, so that their difference is estimated from the same labels,
over strata cut at what both say. Two groups share no item: the ends of their difference are made of
the ends of both (MOVER), each at the level that the correlation of all the differences leaves
(``stats.max_t``). Systems whose prompts are drawn whole share these: their figures are correlated
(``figures.prompts``). What items move that count both ways is no chance: it is added as it is.

Source: Zou and Donner (2008) for the ends, also of dependent figures; as in
``labelcore.stats.max_t`` for the level.
Promise: that of the figures, approximate, for all differences of one table together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.scalars import Answers, EstimatesScalars
from labelcore.errors import did_you_mean
from labelcore.estimands import DIFFERENCE, DIFFERENCES, SCALARS, Estimand, table_of
from labelcore.figures.from_counts import answers_of, fitted_cell_rates, look_at, with_doubts
from labelcore.figures.prompts import covariance_of_cells, less_sure
from labelcore.figures.readiness import complete
from labelcore.figures.scalars import certain_limits, headline_stage, within
from labelcore.figures.tables import beside, confidence_of, groups_of
from labelcore.figures.unsure import cells_of
from labelcore.log.engine import Engine
from labelcore.population.groupings import Grouping
from labelcore.promises import Promise
from labelcore.stats.max_t import error_levels, pull_of
from labelcore.stats.profile import FloatArray, slopes
from labelcore.tallies import Question, Tally

COLUMNS = ("a", "b", "by", "estimand", "value", "low", "high", "labels_used", "promise", "ahead",
           "more")  # fmt: skip
REST = "the rest"
NO_PAIRS = (
    "the method {name!r} tells no differences of classifiers: its intervals are those of each by "
    "itself. Choose 'Recalibrated Neyman' (recalibrated_neyman)"
)
MOST_MORE = 4
"""Beyond so many times the labels there are, two are told as too close to tell apart."""


def differences(
    engine: Engine, by: tuple[str, ...], estimand: str, *, rest: bool = False
) -> pd.DataFrame:
    """A row for each pair, ``a`` less ``b``, or for each group less ``REST``; ``ahead`` is the one
    that is surely larger, "" while that is open; ``more`` as in ``labels_to_decide``."""
    stage = headline_stage(engine)
    if estimand not in SCALARS:
        near = did_you_mean(estimand, SCALARS)
        raise ValueError(f"estimand must be one of {', '.join(SCALARS)}, got {estimand!r}{near}")
    groups = groups_of(stage, by)
    if groups is None:
        rows = _of_classifiers(stage, estimand)
    else:  # One group has nothing to be held against.
        rows = _of_groups(stage, groups, estimand, rest=rest) if len(groups.names) > 1 else []
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    asked = float(stage.frame.sizes[stage.frame.asked].sum())
    more = [labels_to_decide(pair, stage.labels, asked) for pair in table.to_dict("records")]
    return table.assign(more=pd.array(more, dtype="Int64"))


def labels_to_decide(row: Mapping[Any, Any], labels: int, items: float) -> int | None:
    """About how many labels more of the session decide a pair whose difference is what it seems; 0
    where it is decided, None where it is too close to tell.

    >>> labels_to_decide({"ahead": "", "value": 0.1, "low": -0.1, "high": 0.3}, 100, 1e9)
    300
    >>> labels_to_decide({"ahead": "", "value": 0.01, "low": -0.1, "high": 0.12}, 100, 1e9) is None
    True
    """
    value = abs(row["value"])
    if row["ahead"]:
        return 0
    if not value or not labels or value != value:
        return None
    reach = row["value"] - row["low"] if row["value"] > 0 else row["high"] - row["value"]
    left = max(1 / labels - 1 / items, 0.0) * (value / max(reach, value)) ** 2
    more = round(1 / (left + 1 / items)) - labels
    return max(more, 1) if more <= MOST_MORE * labels else None


def ranking(engine: Engine, by: tuple[str, ...], estimand: str) -> pd.DataFrame:
    """The groups or classifiers from the largest value down, with the places that each may have."""
    return places_of(differences(engine, by, estimand))


def places_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """The ranking that these differences make: a place is left out where one that is sure says so,
    all differences at once. What has no value comes last."""
    names = list(dict.fromkeys([*pairs["a"], *pairs["b"]]))
    worse, better = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    value = dict.fromkeys(names, 0.0)
    known = set()
    for a, b, ahead, less in pairs[["a", "b", "ahead", "value"]].to_numpy().tolist():
        if less == less:
            known |= {a, b}
            value[a] += less
            value[b] -= less
        if ahead:
            better[b if ahead == a else a] += 1
            worse[ahead] += 1
    order = sorted(names, key=lambda name: (name not in known, -value[name]))
    return pd.DataFrame(
        {
            "name": order,
            "place_from": [1 + better[name] for name in order],
            "place_to": [len(names) - worse[name] for name in order],
        }
    )


def _of_classifiers(engine: Engine, estimand: str) -> list[dict[str, Any]]:
    row = DIFFERENCES.get(estimand + DIFFERENCE)
    if row is None or len(engine.population.classes) > 2:
        able = ", ".join(name.removesuffix(DIFFERENCE) for name in DIFFERENCES)
        raise ValueError(
            f"estimand must be one of {able}, of a file with two classes, to compare classifiers, "
            f"got {estimand!r}"
        )
    names = [name for name in engine.classifiers if name in engine.population.predictions]
    if len(names) < 2:
        raise ValueError("differences need two classifiers that the plan asks about, or by")
    if not EstimatesScalars.of(engine.design).compares(engine.plan.design_params):
        raise ValueError(NO_PAIRS.format(name=engine.design.label))
    positive = engine.population.classes.index(engine.population.positive)
    asked = [
        Question(f"{row.name}@{a} - {b}", row, a, positive, b) for a, b in combinations(names, 2)
    ]
    stage = beside(engine, asked, None)
    each = [[question] for question in asked]
    answers = [answers_of([stage], part)[0] for part in each]
    sure = confidence_of(stage, each, answers, together=len(asked) > 1)
    look = replace(look_at(stage), confidence=sure)
    design: EstimatesScalars[Any] = EstimatesScalars.of(stage.design)
    rows = []
    for pair, mine in zip(asked, answers, strict=True):
        figures = design.figures(mine, look)
        figures = with_doubts(stage, stage.tallies[pair.subject], mine, look, figures)
        figures = within(figures, certain_limits(stage, mine, figures))
        ends = figures.value[0], figures.low[0], figures.high[0]
        rows.append(_row(str(pair.classifier), str(pair.versus), "", estimand, ends, engine.labels,
                         figures.promise or promise_now(engine)))  # fmt: skip
    return rows


def promise_now(engine: Engine) -> Promise:
    """That of figures at this moment: none of a fixed one before the planned size."""
    fixed = engine.plan.promised == Promise.FIXED
    return Promise.NONE if fixed and not complete(engine) else engine.plan.promised


@dataclass(frozen=True, eq=False, slots=True)
class _Side:
    """A group, or all others: its cells, what its figure is worked out from, and how each cell of
    the classifier moves it, (n_cells,)."""

    name: str
    tally: Tally
    answers: Answers[Any]
    slope: FloatArray


def _of_groups(
    engine: Engine, groups: Grouping, estimand: str, *, rest: bool
) -> list[dict[str, Any]]:
    classifier, row = engine.classifiers[0], SCALARS[estimand]
    several = len(engine.population.classes) > 2
    if several and not row.of_all_classes:
        able = ", ".join(name for name, other in SCALARS.items() if other.of_all_classes)
        raise ValueError(
            f"estimand must be one of {able} to compare groups of a file with several classes, "
            f"got {estimand!r}"
        )
    index = None if several else engine.population.classes.index(engine.population.positive)
    asked = [
        Question(f"{estimand}[{name}]", row, classifier, index, group=place)
        for place, name in enumerate(groups.names)
    ]
    stage = beside(engine, asked, groups)
    tally = stage.tallies[classifier]
    cells, rates = cells_of(stage, tally, index), fitted_cell_rates(stage, tally, index)
    sides = [_side(stage, row, tally, place, name, index)
             for place, name in enumerate(groups.names)]  # fmt: skip
    others = [_side(stage, row, tally, place, REST, index, rest=True)
              for place in range(len(sides) * rest)]  # fmt: skip
    pairs = list(zip(sides, others, strict=True) if rest else combinations(sides, 2))
    pull = pull_of(cells, table_of([row], cells), np.zeros(len(cells.size), dtype=np.int64), rates,
                   target=engine.plan.target)  # fmt: skip
    covariance = covariance_of_cells(stage, tally, pull, index)
    apart = np.array([a.slope - b.slope for a, b in pairs])
    plan = engine.plan
    together = apart @ covariance @ apart.T
    level = float(error_levels(together, plan.confidence, portable=plan.portable))
    look = replace(look_at(stage), confidence=1 - level)
    design: EstimatesScalars[Any] = EstimatesScalars.of(stage.design)
    ends = {}
    for part in {id(side): side for pair in pairs for side in pair}.values():
        mine = less_sure(stage, [row], look, part.tally)
        known = design.figures(part.answers, mine)
        either = with_doubts(stage, part.tally, part.answers, mine, known)
        limits = certain_limits(stage, part.answers, known)
        known, either = within(known, limits), within(either, limits)
        doubt = known.low - either.low, either.high - known.high
        there = part.answers.cells.labelled.any()  # Scores alone are no value.
        value = known.value if there else np.full(1, np.nan)
        ends[id(part)] = [float(end[0]) for end in (value, known.low, known.high, *doubt)]
    promise = promise_now(engine)
    return [
        _row(a.name, b.name, groups.label, estimand,
             mover(ends[id(a)], ends[id(b)], _correlation(covariance, a.slope, b.slope)),
             round(float(a.answers.cells.labelled.sum() + b.answers.cells.labelled.sum())), promise)
        for a, b in pairs
    ]  # fmt: skip


def _side(
    engine: Engine, row: Estimand, tally: Tally, place: int, name: str, index: int | None, *,
    rest: bool = False,
) -> _Side:  # fmt: skip
    part, mine = tally.of_group(place, rest=rest), (tally.group == place) != rest
    cells, guess = cells_of(engine, part, index), fitted_cell_rates(engine, part, index)
    answers = Answers(engine.frame, [row], cells, guess, engine.classifiers[0], index, engine.codes)
    smooth, slope = cells.size * (0.5 if guess is None else guess), np.zeros(len(mine))
    each = slopes(table_of([row], cells), smooth[None, :])  # type: ignore[arg-type]
    slope[mine] = np.nan_to_num(each)[0]
    return _Side(name, part, answers, slope)


def _correlation(covariance: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """That of two figures that each cell moves so, -1 to 1; 0 where one has no variance."""
    scale = np.sqrt((a @ covariance @ a) * (b @ covariance @ b))
    return float(np.clip(a @ covariance @ b / scale, -1.0, 1.0)) if scale > 0 else 0.0


def mover(
    a: Sequence[float], b: Sequence[float], correlation: float = 0.0
) -> tuple[float, float, float]:
    """Value and ends of a difference from those of two figures; behind these may stand by how much
    items that count both ways widen each of the ends. Where one has no value (NaN) the ends are as
    far apart as theirs allow.

    >>> [round(one, 3) for one in mover((0.9, 0.8, 0.95), (0.7, 0.6, 0.8))]
    [0.2, 0.059, 0.312]
    >>> [round(one, 3) for one in mover((0.9, 0.8, 0.95), (0.7, 0.6, 0.8), 0.5)]
    [0.2, 0.1, 0.287]
    >>> [round(one, 3) for one in mover((0.9, 0.8, 0.95), (float("nan"), 0.0, 1.0))]
    [nan, -0.2, 0.95]
    """

    def reach(half: float, other: float) -> float:
        return float(np.sqrt(max(half**2 + other**2 - 2 * correlation * half * other, 0.0)))

    value, low, high = a[0] - b[0], a[1] - b[2], a[2] - b[1]
    if not np.isnan(value):
        low = value - reach(a[0] - a[1], b[2] - b[0])
        high = value + reach(a[2] - a[0], b[0] - b[1])
    low -= sum((*a[3:4], *b[4:5]))
    high += sum((*a[4:5], *b[3:4]))
    return value, max(float(low), -1.0), min(float(high), 1.0)


def _row(
    a: str, b: str, by: str, estimand: str, ends: Sequence[float], labels: int, promise: Promise
) -> dict[str, Any]:
    value, low, high = (float(end) for end in ends)
    ahead = "" if promise == Promise.NONE else a if low > 0 else b if high < 0 else ""
    named = (a, b, by or None, estimand, value, low, high, labels, str(promise), ahead, None)
    return dict(zip(COLUMNS, named, strict=True))
