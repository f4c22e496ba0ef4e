"""Values and G-profile intervals over strata: shared by the methods that use them."""

from __future__ import annotations

import numpy as np

from labelcore.designs.base import Figures, Frame, Look
from labelcore.designs.one_group import share_of_group
from labelcore.designs.target import sampled_file
from labelcore.estimands import Estimand, known_group, table_of
from labelcore.promises import Form, Method
from labelcore.stats.differences import difference_bounds
from labelcore.stats.profile import (
    Cells,
    Differences,
    FloatArray,
    Ratios,
    Table,
    fixed_critical,
    plug_in_totals,
    profile_bounds,
    variance_shares,
)
from labelcore.stats.sequences import MINIMUM_STRATA, first_watched_look, watched_critical

FEW_LEFT = 200
"""Unlabelled items that a figure rests on, up to which its bounds are in whole items."""

METHOD = {
    "fixed": Method(
        "G-profile interval over strata",
        "Wilks (1938); likelihood-ratio region with Satterthwaite's degrees of freedom",
        Form.APPROXIMATE,
    ),
    "watched": Method(
        "G-profile band over strata",
        "Wilks (1938); Waudby-Smith et al. (2024) for the multiplier",
        Form.APPROXIMATE,
    ),
}


def profile_first_look(frame: Frame, planned: int, promise: str) -> int:
    """The number of labels from which a figure is shown."""
    items = int(frame.sizes[frame.asked].sum())
    if promise == "fixed":
        return min(30, planned, items)
    strata = np.count_nonzero(frame.asked)
    one_part = frame.wanted is not None and strata == 1  # By itself a plain random sample.
    if strata < MINIMUM_STRATA and not one_part:
        return items
    return min(first_watched_look(planned), items)


def profile_figures(
    rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
) -> Figures:
    """Values and intervals of ratios of totals, or of differences of two classifiers."""
    table = table_of(rows, cells)
    least = np.array([row.least for row in rows])
    low, high = _bounds(rows, cells, look, rates, table)
    value = np.clip(table.value(plug_in_totals(cells, rates)), least, 1.0)
    low = np.where(np.isnan(low), least, np.minimum(low, np.nan_to_num(value, nan=1.0)))
    high = np.where(np.isnan(high), 1.0, np.maximum(high, np.nan_to_num(value, nan=-1.0)))
    made = [METHOD["watched" if look.promise == "watched" else "fixed"]] * len(rows)
    if isinstance(table, Differences):
        return Figures(value, low, high, tuple(made), np.full(len(rows), np.nan))
    for place in range(len(rows)) if look.promise == "watched" else ():
        group = known_group(rows[place], cells)
        if group is not None and np.count_nonzero(group & cells.sampled) == 1:
            # The band over strata needs several; one is a plain random sample by itself.
            _, low[place], high[place], made[place] = share_of_group(
                cells, look, table.row(place), group
            )
    return Figures(value, low, high, tuple(made), _tail(cells, table, rates, look))


def _bounds(
    rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None, table: Table
) -> tuple[FloatArray, FloatArray]:
    if look.promise == "watched":
        q = watched_critical(look.labels, look.planned, 1 - look.confidence)
        critical = np.full(len(rows), q)
    else:
        critical = fixed_critical(cells, table, look.confidence, rates, target=look.target)
    if look.target == "process":
        critical = critical * sampled_file(rows, cells, table, rates)
    if isinstance(table, Differences):
        return difference_bounds(cells, table, critical, target=look.target)
    low, high = profile_bounds(cells, table, critical, target=look.target)
    few = np.array([_left(row, cells) <= FEW_LEFT for row in rows])
    if look.target == "process" or not few.any():
        return low, high
    least, most = in_whole_items(cells, table, low, high)
    return np.where(few, least, low), np.where(few, most, high)


def _left(row: Estimand, cells: Cells) -> float:
    """Unlabelled items among those that the figure rests on."""
    group = known_group(row, cells)
    return float((cells.unlabelled if group is None else cells.unlabelled[group]).sum())


def in_whole_items(
    cells: Cells, table: Ratios, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds, (n_rows,) each, moved outwards to whole items: up to the next one where what is
    divided by is known, else by what one item can move; never beyond what is certain.

    The region takes numbers of items for continuous, which covers too little where few are left:
    .83 to .93 instead of .95 with 36 to 162 of 594 items unlabelled.
    """
    known = ~table.b.any(axis=1)
    below = np.maximum(table.below(cells.positive), 1e-12)
    found = []
    for bound, sign in ((low, -1.0), (high, 1.0)):
        slope = sign * table.gradient(np.nan_to_num(bound, nan=0.5))
        step = np.where(cells.unlabelled > 1e-9, np.abs(slope), 0.0).max(axis=1) / below
        items = np.divide(sign * bound, step, out=np.zeros(len(step)), where=step > 0)
        moved = np.where(known & (step > 0), np.ceil(items - 1e-9) * step, sign * bound + step)
        most = cells.positive + np.where(slope > 0, cells.unlabelled, 0.0)
        found.append(sign * np.minimum(moved, sign * table.value(most)))
    return found[0], found[1]


def _tail(cells: Cells, table: Table, rates: FloatArray | None, look: Look) -> FloatArray:
    """The share of each row's variance owed to cells without a positive, (n_rows,)."""
    shares = variance_shares(cells, table, rates, target=look.target)
    total = shares.sum(axis=1)
    dry = (shares * (cells.positive == 0)).sum(axis=1)
    return np.asarray(np.divide(dry, total, out=np.full(len(total), np.nan), where=total > 0))
