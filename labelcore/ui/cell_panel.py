"""What stands behind a cell of the table of figures, on a page: strata, price, course."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.charts.history import history_chart
from labelcore.figures.arithmetic import Arithmetic, arithmetic
from labelcore.results.cells import TableCell
from labelcore.session.session import Session
from labelcore.ui import people, sessions
from labelcore.ui.chart import show_chart
from labelcore.ui.plain import plain
from labelcore.ui.presses import acting
from labelcore.ui.tables import number_table
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference
from labelcore.words.quantities import key_parts
from labelcore.words.tables import cell_words

PRICE = "{labels} for ± {points}"
ADD = "Add {labels} for ± {points} points"
NOT_KEPT = "About {labels} for ± {points} points; this plan's promise ends before."
COMING = "Asked next for it: {labels}."
SUM = "{value} = {above} of {below}, estimated from {labels} in {strata}."
SUM_ALONE = "{above} of {below}, estimated from {labels} in {strata}."


def price_words(found: Arithmetic) -> str:
    """What the next narrower interval takes; "" where there is no price."""
    if found.more is None or found.half_width is None or not found.kept or found.coming:
        return ""
    labels = words.count(found.more, "more label")
    return PRICE.format(labels=labels, points=f"{100 * found.half_width:g}")


def cell_panel(session: Session, cell: TableCell, by: tuple[str, ...]) -> None:
    """The arithmetic of a cell, what would make it narrower, and how it came about."""
    found, estimate = arithmetic(session.engine, by, cell), cell.estimate
    with st.container(key="table-cell", border=True):
        st.markdown(f"**{plain(cell_words(cell)[:1].upper() + cell_words(cell)[1:])}**")
        st.text(sum_words(cell, found))
        with st.container(horizontal=True, vertical_alignment="center"):
            _price(session, cell, found)
        shown, course = st.columns([3, 2], gap="large")
        with shown:
            number_table(parts_table(found), "table-cell-parts")
        with course:
            if cell.asked and not is_difference(estimate.estimand):
                margin = session.plan.margin_of(grouped=bool(estimate.scope.by))
                key = estimate.estimand
                chart = history_chart(session.course(key), key, margin=margin)
                if not chart.table.empty:
                    show_chart(chart, "table-cell-course", height=240)


def _price(session: Session, cell: TableCell, found: Arithmetic) -> None:
    if found.coming:
        st.caption(COMING.format(labels=words.count(found.coming)))
        return
    if found.more is None or found.half_width is None:
        return
    labels, points = words.count(found.more, "more label"), f"{100 * found.half_width:g}"
    if not found.kept:
        st.caption(NOT_KEPT.format(labels=labels, points=points))
        return
    st.button(
        ADD.format(labels=labels, points=points),
        key="table-cell-add",
        on_click=_add,
        args=(session.project, found.more, cell),
    )


@acting(Right.RUN)
def _add(project: str, more: int, cell: TableCell) -> None:
    """Ask so many labels more, of the group and for the figure of a cell."""
    session = sessions.session(project)
    name = key_parts(cell.figure)[0]
    group = cell.estimate.scope.group if cell.estimate.scope.by else None
    session.extend(
        budget=session.engine.limit + more,
        annotator=people.name(session),
        estimand=name if name in session.plan.estimands else None,
        group=group,
    )


def sum_words(cell: TableCell, found: Arithmetic) -> str:
    """The figure as what it is a ratio of."""
    told, estimate = cell.estimate.told, cell.estimate
    number = found.parts["stratum"].nunique()
    parts = {
        "above": f"{found.above:,.0f}",
        "below": f"{found.below:,.0f}",
        "labels": words.count(int(found.parts["labels"].sum())),
        "strata": f"{number} {'stratum' if number == 1 else 'strata'}",
    }
    if told is None:
        return SUM_ALONE.format(**parts)
    return SUM.format(value=words.value_percent(told, estimate.low, estimate.high), **parts)


def parts_table(found: Arithmetic) -> pd.DataFrame:
    """The strata that a figure rests on, those that it is most of first."""
    parts = found.parts[found.parts[["above", "below"]].any(axis=1)]
    parts = parts.sort_values("below", ascending=False)
    names = {"stratum": "Stratum", "called": "Called", "items": "Items", "labels": "Labels",
             "positive": "Positive", "above": "Adds", "below": "Of"}  # fmt: skip
    return parts[[*names]].rename(columns=names).round({"Adds": 1, "Of": 1})
