"""Several classifiers, or thresholds of one score, side by side from the same labels."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.charts.figure_bars import shows_interval
from labelcore.promises import State
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.ui.facts import estimand_name
from labelcore.ui.plain import one_line, plain
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference, told_interval, told_words

CAPTION = (
    "All rows rest on the same labels. Each interval stands on its own: two that overlap do not "
    "show that the classifiers are equally good, and picking the best of many rows makes its "
    "figure look better than it is."
)


def compare_panel(session: Session) -> None:
    """A row for each classifier and a column for each figure; nothing for one classifier alone."""
    found = [one for one in session.results().values() if isinstance(one, Estimate)]
    table = compared(found)
    if len(table) < 2:
        return
    st.dataframe(table, hide_index=True, key="compare")
    st.caption(plain(CAPTION))


def several(estimates: list[Estimate]) -> bool:
    """Whether there is more than one classifier to compare."""
    return len(compared(estimates)) > 1


def compared(estimates: list[Estimate]) -> pd.DataFrame:
    """The figures as people read them, classifiers in the order of the plan."""
    rows: dict[str | None, dict[str, str]] = {}
    for one in (one for one in estimates if not is_difference(one.estimand)):
        classifier = one.scope.classifier
        row = rows.setdefault(classifier, {"classifier": one_line(classifier or "", 80)})
        figure = estimand_name(one.estimand, whose=False)
        row[one_line(figure, 80)] = interval_words(one)
    return pd.DataFrame(list(rows.values()))


def interval_words(estimate: Estimate) -> str:
    """Value and interval, such as "91.2 % (87.0 to 94.1)"."""
    if estimate.told is None:
        return told_interval(estimate) if shows_interval(estimate) else "not yet"
    value = told_words(estimate)
    if estimate.state == State.EXACT:
        return f"{value} (exact)"
    if not estimate.has_interval:
        return f"{value} (interval at the end)"
    return f"{value} ({words.range_text(estimate.low, estimate.high, unit='')})"
