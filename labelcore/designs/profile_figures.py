"""Values and G-profile intervals over strata: shared by the methods that use them."""

from __future__ import annotations

import numpy as np

from labelcore.designs.base import WHOLE_ITEMS, Frame, Look
from labelcore.designs.one_group import share_of_group
from labelcore.designs.scalars import FIRST_FIGURE, Figures
from labelcore.designs.target import sampled_file
from labelcore.estimands import Estimand, known_group, table_of
from labelcore.promises import Form, Method, Promise
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Table,
    plug_in_totals,
    variance_shares,
)
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.sequences import MINIMUM_STRATA, first_watched_look, watched_critical

METHOD = {
    Promise.FIXED: Method(
        "G-profile interval over strata",
        "Wilks (1938); likelihood-ratio region with Satterthwaite's degrees of freedom",
        Form.APPROXIMATE,
    ),
    Promise.WATCHED: Method(
        "G-profile band over strata",
        "Wilks (1938); Waudby-Smith et al. (2024) for the multiplier",
        Form.APPROXIMATE,
    ),
}


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
    table = table_of(rows, cells)
    value, low, high = g_profile(rows, cells, look, rates, always_whole=True)
    made = [METHOD[Promise.WATCHED if look.promise == Promise.WATCHED else Promise.FIXED]] * len(
        rows
    )
    if isinstance(table, Differences):
        return Figures(value, low, high, tuple(made), np.full(len(rows), np.nan))
    for place in range(len(rows)) if look.promise == Promise.WATCHED else ():
        group = known_group(rows[place], cells)
        if group is not None and np.count_nonzero(group & cells.sampled) == 1:
            # The band over strata needs several; one is a plain random sample by itself.
            _, low[place], high[place], made[place] = share_of_group(
                cells, look, table.row(place), group
            )
    return Figures(value, low, high, tuple(made), _tail(cells, table, rates, look))


def g_profile(
    rows: list[Estimand],
    cells: Cells,
    look: Look,
    rates: FloatArray | None = None,
    *,
    value: FloatArray | None = None,
    always_whole: bool = False,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high of each row, (n_rows,) each, by the G-profile at this look.

    value        (n_rows,) where the method has one of its own; None: the plug-in of the cells
    always_whole whether plans of version 0.1.0 had bounds in whole items, too
    An interval holds its value; where nothing is known it is the whole range of the quantity.
    """
    table = table_of(rows, cells)
    least = np.array([row.least for row in rows])
    watched = look.promise == Promise.WATCHED
    process = look.target == "process" and cells.labelled.sum() > 0
    low, high = profile_interval(
        cells,
        table,
        look.confidence,
        watched=watched_critical(look.labels, look.planned, 1 - look.confidence)
        if watched
        else None,
        rates=rates,
        target=look.target,
        inflation=sampled_file(rows, cells, table, rates) if process else 1.0,
        rests_on=np.array([_rests_on(row, cells) for row in rows]),
        whole_items=always_whole or look.rules >= WHOLE_ITEMS,
    )
    if value is None:
        value = np.clip(table.value(plug_in_totals(cells, rates)), least, 1.0)
    low = np.where(np.isnan(low), least, np.minimum(low, np.nan_to_num(value, nan=1.0)))
    high = np.where(np.isnan(high), 1.0, np.maximum(high, np.nan_to_num(value, nan=-1.0)))
    return value, low, high


def _rests_on(row: Estimand, cells: Cells) -> BoolArray:
    """The cells whose items the figure rests on, (n_cells,)."""
    group = known_group(row, cells)
    return np.ones(len(cells.size), dtype=bool) if group is None else group


def _tail(cells: Cells, table: Table, rates: FloatArray | None, look: Look) -> FloatArray:
    """The share of each row's variance owed to cells without a positive, (n_rows,)."""
    shares = variance_shares(cells, table, rates, target=look.target)
    total = shares.sum(axis=1)
    dry = (shares * (cells.positive == 0)).sum(axis=1)
    return np.asarray(np.divide(dry, total, out=np.full(len(total), np.nan), where=total > 0))
