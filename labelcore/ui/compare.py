"""The table of figures: classifiers, or groups of a column, down, and figures across."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.charts.figure_bars import shows_interval
from labelcore.promises import State
from labelcore.results.cells import Table, TableCell
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.ui.facts import estimand_name
from labelcore.ui.plain import one_line, plain
from labelcore.words import sentences as words
from labelcore.words.differences import told_interval, told_words

CLASSIFIERS = "classifiers"
CAPTION = (
    "All rows rest on the same labels. Each interval stands on its own: two that overlap do not "
    "show that the two are equally good, and picking the best of many rows makes its figure look "
    "better than it is."
)
GUESS = "{words}, a first guess"
AHEAD, NONE_AHEAD = (
    "{sure} sure: in accuracy {said}.",
    "No group is sure to differ from the rest in accuracy yet.",
)
LONGEST = 80


def has_table(session: Session) -> bool:
    """Whether there is more than one row to show."""
    return bool(session.population.groups) or len(session.population.classifiers) > 1


def compare_panel(session: Session) -> None:
    """A row for each classifier, or for each group of a column, and a column for each figure."""
    if not has_table(session):
        return
    by = _by(session)
    table = session.table(by or ())
    st.dataframe(figures_of(table), hide_index=True, key="compare")
    if by:
        st.text(differing(session, by))
    st.caption(plain(CAPTION))


def _by(session: Session) -> str:
    """The column whose groups are the rows; "" for classifiers."""
    columns = [*session.population.groups]
    if not columns:
        return ""
    asked = session.plan.by or ()
    chosen = st.segmented_control(
        "Rows",
        [CLASSIFIERS, *columns],
        default=asked[0] if len(asked) == 1 else CLASSIFIERS,
        required=True,
        format_func=lambda name: plain(one_line(name, LONGEST)),
        key="table-rows",
        label_visibility="collapsed",
    )
    return "" if chosen == CLASSIFIERS else str(chosen)


def figures_of(table: Table) -> pd.DataFrame:
    """The cells as people read them."""
    rows: dict[tuple[str | None, str | None], dict[str, str]] = {}
    for one in table.cells:
        row = rows.setdefault(one.row, _head(one, table))
        row[one_line(estimand_name(one.figure, whose=False), LONGEST)] = _words(one)
    return pd.DataFrame(list(rows.values()))


def _head(cell: TableCell, table: Table) -> dict[str, str]:
    classifier, group = cell.row
    head = {"classifier": one_line(classifier or "", LONGEST)}
    if table.by:
        head[one_line(table.by, LONGEST)] = (
            "all items" if group is None else one_line(group, LONGEST)
        )
    scope = cell.estimate.scope
    return {**head, "items": f"{scope.n_items:,}", "labels": f"{cell.estimate.labels_used:,}"}


def _words(cell: TableCell) -> str:
    said = interval_words(cell.estimate)
    return said if cell.asked or said == NOT_YET else GUESS.format(words=said)


NOT_YET = "not yet"


def interval_words(estimate: Estimate) -> str:
    """Value and interval, such as "91.2 % (87.0 to 94.1)"."""
    if estimate.told is None:
        return told_interval(estimate) if shows_interval(estimate) else NOT_YET
    value = told_words(estimate)
    if estimate.state == State.EXACT:
        return f"{value} (exact)"
    if not estimate.has_interval:
        return f"{value} (interval at the end)"
    return f"{value} ({words.range_text(estimate.low, estimate.high, unit='')})"


def differing(session: Session, by: str) -> str:
    """Which groups surely differ from the rest in accuracy, all compared at once."""
    pairs = session.differences(by, rest=True)
    sure = pairs[pairs["ahead"] != ""]
    if sure.empty:
        return NONE_AHEAD
    said = []
    for row in sure.to_dict("records"):
        low, high = sorted((abs(row["low"]), abs(row["high"])))
        name, side = one_line(str(row["a"]), LONGEST), "better" if row["low"] > 0 else "worse"
        said.append(f"{name} is {words.range_text(low, high, unit='')} points {side} than the rest")
    return AHEAD.format(sure=words.confidence_words(session.plan.confidence), said="; ".join(said))
