"""Values and G-profile intervals over strata: shared by the methods that use them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np
from scipy.special import stdtrit

from labelcore.designs.base import Frame, IntArray, Look
from labelcore.designs.one_group import Run, share_may_meet, shares_of_groups
from labelcore.designs.scalars import FIRST_FIGURE, Answers, Figures, Goal
from labelcore.estimands import (
    SCALARS,
    Estimand,
    known_group,
    sampled_file,
    size_slopes,
    table_of,
    table_of_masses,
)
from labelcore.promises import Form, Method, Promise
from labelcore.stats.graded_profile import mean_bounds
from labelcore.stats.horizon import least_boundary, stretch
from labelcore.stats.judged import (
    apart,
    doubt_of_sizes,
    doubts_of_sizes,
    further_out,
    variance_by_sizes,
)
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Ratios,
    Table,
    freedom_of,
    many_fitted,
    plug_in_totals,
    smoothed_rates,
    variance_shares,
)
from labelcore.stats.profile_interval import (
    FEW_LEFT,
    critical_values,
    in_whole_items,
    profile_interval,
)
from labelcore.stats.profile_reach import reached
from labelcore.stats.sequences import MINIMUM_STRATA, first_watched_look

WIDEST_MARGIN = 0.2
"""For items like these the ends of intervals that are no wider are found to within ``ROUNDING``."""
WIDENED = Method(
    "G-profile band over strata for a planned size",
    "Wilks (1938); Wang and Tsiatis (1987) for the boundary",
    Form.APPROXIMATE,
)
METHOD = Method(
    "G-profile interval over strata",
    "Wilks (1938); likelihood-ratio region with Satterthwaite's degrees of freedom",
    Form.APPROXIMATE,
)


def method_at(look: Look) -> Method:
    """How the G-profile's bounds were made at this look."""
    return WIDENED if look.promise == Promise.WATCHED else METHOD


def profile_first_look(frame: Frame, planned: int, promise: Promise) -> int:
    """The number of labels from which a figure is shown."""
    items = int(frame.sizes[frame.asked].sum())
    if promise == Promise.FIXED:
        return min(FIRST_FIGURE, planned, items)
    strata = np.count_nonzero(frame.asked)
    one_part = frame.wanted is not None and strata == 1  # By itself a plain random sample.
    if strata < MINIMUM_STRATA and not one_part:
        return items
    return min(first_watched_look(planned), items)


def profile_figures(
    rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
) -> Figures:
    """Values and intervals of ratios of totals, or of differences of two classifiers."""
    bounds = [ends[None] for ends in g_profile(rows, cells, look, rates)]
    return shown(rows, [(cells, look, rates)], bounds)[0]


def profile_may_meet(
    answers: Answers[Any],
    look: Look,
    labels: IntArray,
    goal: Goal,
    value: FloatArray | None = None,
) -> BoolArray:
    """``EstimatesScalars.may_meet`` of a method whose watched intervals are G-profiles: points
    inside the region show that one is too wide. Whole items only widen an interval.

    Every look has the critical value of its interval; a first try with the least one that it may
    have takes a fraction of the time. There is no bound where there is none (``bounded``), nor for
    items like these beyond ``WIDEST_MARGIN``: up to it their region holds that of known masses.

    value   (n_looks,) where the method has one of its own; None: the plug-in of the cells
    """
    rows, cells = answers.rows, answers.cells
    table = table_of(rows, cells)
    if not bounded(table) or (look.target == "process" and goal.margin > WIDEST_MARGIN):
        return np.ones(len(labels), dtype=bool)
    if not isinstance(table, Differences) and one_sample(known_group(rows[0], cells), cells):
        return share_may_meet(rows[0], cells, look, labels, goal)
    if value is None:
        value = table.value(plug_in_totals(cells, answers.rates)[..., None, :])[:, 0]
    possible: BoolArray = np.ones(len(labels), dtype=bool)
    if goal.memory.get("row") == rows[0].name:
        progress = labels / max(look.planned, 1)
        least = least_boundary(progress, 1 - look.confidence, look.horizon or 1) ** 2
        possible = _may_meet(cells, table, least, value, look, goal)
        if not possible.any():
            return possible
    left = np.flatnonzero(possible)
    part = replace(cells, labelled=cells.labelled[left], positive=cells.positive[left])
    rates = None if answers.rates is None else answers.rates[left]
    done = labels[left] / max(look.planned, 1)
    widened = widening(rows, part, table, look, rates, done, look.confidence)
    critical = critical_values(part, table, look.confidence, **widened)
    critical = np.broadcast_to(critical, (len(left), 1))[:, 0]
    possible[left] = _may_meet(part, table, critical, value[left], look, goal)
    goal.memory["row"] = rows[0].name
    return possible


def bounded(table: Table) -> bool:
    """Whether there are points that its intervals surely reach: not of differences whose
    denominator is not known, for which of their cells rise depends on the point."""
    if not isinstance(table, Differences):
        return True
    return not (table.first.b.any() or table.second.b.any())


def one_sample(group: BoolArray | None, cells: Cells) -> TypeGuard[BoolArray]:
    """Whether the sampled items of a group of known size are those of one cell."""
    return group is not None and np.count_nonzero(group & cells.sampled) == 1


def _may_meet(
    cells: Cells,
    table: Table,
    critical: FloatArray,
    value: FloatArray,
    look: Look,
    goal: Goal,
) -> BoolArray:
    def settled(low: FloatArray, high: FloatArray) -> BoolArray:
        return goal.missed(value, low, high)

    low, high, goal.memory["points"] = reached(
        cells, table, critical, settled, target=look.target, known=goal.memory.get("points")
    )
    return ~settled(low, high)


def equally_many(several: Sequence[Cells]) -> list[list[int]]:
    """The places of runs that can be estimated side by side: those with equally many cells."""
    places: dict[int, list[int]] = {}
    for place, cells in enumerate(several):
        places.setdefault(len(cells.size), []).append(place)
    return list(places.values())


def shown(
    rows: list[Estimand],
    parts: Sequence[tuple[Cells, Look, FloatArray | None]],
    bounds: Sequence[FloatArray],
) -> list[Figures]:
    """The figures of runs of one plan with these values and bounds, (n_runs, n_rows) each.

    parts   the cells, the look and the rates of each run
    """
    value, low, high = bounds
    tables = [table_of(rows, cells) for cells, _, _ in parts]
    methods = [[method_at(look)] * len(rows) for _, look, _ in parts]
    for place, row in enumerate(rows) if parts[0][1].promise == Promise.WATCHED else ():
        # The band over strata needs several; one is a plain random sample by itself.
        alone = {
            at: Run(cells, look, table.row(place), group)
            for at, ((cells, look, _), table) in enumerate(zip(parts, tables, strict=True))
            if isinstance(table, Ratios) and one_sample(group := known_group(row, cells), cells)
        }
        for at, share in zip(alone, shares_of_groups([*alone.values()]), strict=True):
            _, low[at, place], high[at, place], methods[at][place] = share
    return [
        Figures(value[at], low[at], high[at], tuple(methods[at]), _tail(cells, table, rates, look))
        for at, ((cells, look, rates), table) in enumerate(zip(parts, tables, strict=True))
    ]


def g_profile(
    rows: list[Estimand],
    cells: Cells,
    look: Look,
    rates: FloatArray | None = None,
    *,
    value: FloatArray | None = None,
    progress: FloatArray | None = None,
    confidence: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high of each row, (..., n_rows) each, by the G-profile at this look.

    value        (n_rows,) where the method has one of its own; None: the plug-in of the cells
    progress, confidence   (n_runs,), those of each run where several are side by side; None: the
                 look's
    An interval holds its value; where nothing is known it is the whole range of the quantity.
    """
    table = table_of(rows, cells)
    least = np.array([row.least for row in rows])
    rests_on = [_rests_on(row, cells) for row in rows]
    sure = look.confidence if confidence is None else confidence
    widened = widening(rows, cells, table, look, rates, progress, sure)
    low, high = profile_interval(
        cells,
        table,
        sure,
        rests_on=np.stack(rests_on, axis=-2),
        masses=table_of_masses(rows, cells) if _by_masses(look, table) else None,
        **widened,
    )
    if value is None:
        value = np.clip(table.value(plug_in_totals(cells, rates)[..., None, :]), least, 1.0)
    low = np.where(np.isnan(low), least, np.minimum(low, np.nan_to_num(value, nan=1.0)))
    high = np.where(np.isnan(high), 1.0, np.maximum(high, np.nan_to_num(value, nan=-1.0)))
    if apart(cells):
        gain = size_slopes(rows, cells, plug_in_totals(cells, rates) / cells.size)
        added = critical_values(cells, table, sure, **widened)
        added = added * variance_by_sizes(cells, gain, look.target)
        low, high = further_out(value, low, high, added)
        low, high = np.maximum(low, least), np.minimum(high, 1.0)
    return value, low, high


def of_process(
    rows: list[Estimand], cells: Cells, totals: FloatArray, look: Look, of_file: FloatArray
) -> FloatArray:
    """Value, low and high about items like these, (3, n_rows), from ``of_file``, those about the
    file: towards either end the root of the sum of squares of both distances, the other one being
    that of a file of which everything is known (Zou and Donner 2008).

    totals   (n_cells,), the positives of each cell
    """
    known = replace(cells, labelled=cells.size, positive=totals, judged=None)
    value, low, high = of_file
    _, least, most = g_profile(rows, known, replace(look, promise=Promise.FIXED), value=value)
    low = value - np.hypot(value - low, value - least)
    high = value + np.hypot(high - value, most - value)
    return np.array([value, np.fmax(low, rows[0].least), np.fmin(high, 1.0)])


def graded_mean(
    cells: Cells,
    counts: FloatArray,
    grades: FloatArray,
    look: Look,
    said: FloatArray | None = None,
) -> FloatArray:
    """``EstimatesScalars.mean_grade``, (3, ...), of one run or of several side by side.

    A cell of grades stands for one of passes and fails with the same mean, as a share of the way
    from the lowest to the highest grade, in degrees of freedom and in what a watched promise adds.
    What random sizes of the cells add is the root of the sum of squares of either half-width and
    of theirs (Zou and Donner 2008), which does not depend on the spread within the cells.
    """
    least, most = float(grades.min()), float(grades.max())
    part = replace(cells, positive=(counts * (grades - least)).sum(axis=-1) / (most - least))
    rows = [SCALARS["prevalence"]]
    table = table_of(rows, part)
    assert not isinstance(table, Differences)
    progress, sure = np.asarray(look.progress), np.asarray(look.confidence)
    watched = _stretched(part, table, look, None, progress, sure)
    critical = critical_values(part, table, sure, target=look.target, inflation=watched)[..., 0]
    low, high = mean_bounds(counts, part.size, grades, critical, target=look.target)
    value = table.value(plug_in_totals(part)[..., None, :])[..., 0]
    value = np.where(part.labelled.any(axis=-1), value, np.nan)
    low, high = ((end - least) / (most - least) for end in (low, high))
    low, high = np.fmin(low, value), np.fmax(high, value)
    if look.target == "file" and part.unlabelled.sum(axis=-1).max() <= FEW_LEFT:
        moved = in_whole_items(part, table, low[..., None], high[..., None])
        low, high = (end[..., 0] for end in moved)
    means = plug_in_totals(part) / part.size
    if said is not None:
        means = means - (said - least) / (most - least)
    added = np.nan_to_num(critical) * _variance_of_cell_sizes(part, means, look.target)
    centre = np.where(np.isnan(value), (low + high) / 2, value)
    low = centre - np.sqrt((centre - low) ** 2 + added)
    high = centre + np.sqrt((high - centre) ** 2 + added)
    if said is None:
        low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
    return least + (most - least) * np.array([value, low, high])


def _variance_of_cell_sizes(cells: Cells, means: FloatArray, target: str) -> FloatArray:
    """That of the mean of all items, (...), which is owed to the sizes of the cells: those of a
    sample of a process, and those of the items that a person can judge.

    means   (..., n_cells)
    """
    share = cells.size / cells.size.sum(axis=-1, keepdims=True)
    means = means - (share * means).sum(axis=-1, keepdims=True)
    variance = doubts_of_sizes(cells, target) / cells.size.sum(axis=-1, keepdims=True) ** 2
    if target == "process":
        variance = variance + share / cells.size.sum(axis=-1, keepdims=True)
    return np.asarray((variance * means**2).sum(axis=-1))


def widening(
    rows: list[Estimand],
    cells: Cells,
    table: Table,
    look: Look,
    rates: FloatArray | None,
    progress: FloatArray | None,
    confidence: FloatArray | float,
) -> dict[str, Any]:
    """What the critical values at this look, or at each number of labels, are made with: arguments
    of ``critical_values``."""
    process = look.target == "process"
    inflation = sampled_file(rows, cells, table, rates) if process else 1.0
    if _by_masses(look, table):
        # The region has it; what a file of this size varies by is known to all its items.
        freedom = freedom_of(cells, table, rates, target=look.target)
        level = (1 + np.asarray(confidence, dtype=float)[..., None]) / 2
        inflation = (stdtrit(freedom * inflation**2, level) / stdtrit(freedom, level)) ** 2
    if cells.judged is not None and not apart(cells):
        gain = size_slopes(rows, cells, smoothed_rates(cells, rates))
        inflation = inflation * doubt_of_sizes(cells, table, gain, rates, target=look.target)
    if look.by_group:
        shares = variance_shares(cells, table, rates, target=look.target)
        inflation = inflation * many_fitted(cells.labelled, shares, confidence)
    inflation = inflation * _stretched(cells, table, look, rates, progress, confidence)
    return {"rates": rates, "target": look.target, "inflation": inflation}


def _by_masses(look: Look, table: Table) -> bool:
    """Whether sizes of cells are chance by their own likelihood: not of differences, which held as
    they were and would be up to 1.2 times as wide (docs/validity.md)."""
    return look.masses and not isinstance(table, Differences)


def _stretched(
    cells: Cells,
    table: Table,
    look: Look,
    rates: FloatArray | None,
    progress: FloatArray | None,
    confidence: FloatArray | float,
) -> FloatArray | float:
    """What a watched promise multiplies the critical values by."""
    if look.promise != Promise.WATCHED:
        return 1.0
    done = np.asarray(look.progress if progress is None else progress)
    horizon, target, learned = look.horizon or 1, look.target, look.learned
    return stretch(cells, table, confidence, done, horizon, rates, target=target, learned=learned)


def _rests_on(row: Estimand, cells: Cells) -> BoolArray:
    """The cells whose items the figure rests on, (..., n_cells)."""
    group = known_group(row, cells)
    return np.ones(cells.predicted.shape, dtype=bool) if group is None else group


def _tail(cells: Cells, table: Table, rates: FloatArray | None, look: Look) -> FloatArray:
    """The share of each row's variance owed to cells without a positive, (n_rows,); NaN for
    differences."""
    if isinstance(table, Differences):
        return np.full(len(table.first.a0), np.nan)
    shares = variance_shares(cells, table, rates, target=look.target)
    total = shares.sum(axis=1)
    dry = (shares * (cells.positive == 0)).sum(axis=1)
    return np.asarray(np.divide(dry, total, out=np.full(len(total), np.nan), where=total > 0))
