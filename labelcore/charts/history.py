"""One estimate and its band against the number of labels, look by look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart, interval_words
from labelcore.charts.design import HAIR, LINE
from labelcore.charts.drawing import AnyMark, Axis, Band, Drawing, Line, Remark, Rule, Unit
from labelcore.charts.history_table import COLUMNS, history_table, thinned
from labelcore.charts.names import shortened
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference, number_words
from labelcore.words.quantities import key_parts, label_of

FEW_MARKS = 80
FIRST_BETTER = "above this line the first one is better"
NOTHING = "No figure yet: the curve starts with the first estimate."


def history_chart(
    looks: Sequence[Mapping[str, Any]], key: str, *, margin: float | None = None, label: str = ""
) -> Chart:
    """The estimate ``key`` against labels, with the looks as points and the goal as dashed lines.

    looks    as ``Session.looks()`` gives them. For each number of labels the last look counts, and
             looks at labels that were taken back since are left out
    margin   the goal: lines at the last value plus and minus it
    label    the name of the quantity on screen; empty takes it from the key

    A difference of two classifiers has a line at zero, and says on which side which one is better.

    A look without a figure is left out; where the interval is too wide for a value there is only
    the band, and a value without an interval is a thin line. The figure holds at most 300 looks,
    always the last; the table holds them all.
    """
    table = history_table(looks, key)
    name = label or label_of(key_parts(key)[0])
    if table.empty:
        return empty_chart(NOTHING, COLUMNS)
    shown = table.iloc[thinned(len(table))].reset_index(drop=True)
    difference = is_difference(key)
    rules, remarks = _goal(float(table["Estimate"].iloc[-1]), margin, -1.0 if difference else 0.0)
    if difference:
        rules.append(Rule(0.0, dash=""))
        remarks.append(Remark(FIRST_BETTER, y=0.0))
    drawing = Drawing(
        Axis("labels", zero=True),
        Axis(shortened(name), Unit.DIFFERENCE if difference else Unit.SHARE),
        _marks(shown, key),
        rules,
        remarks,
    )
    return Chart(drawing, _words(table, shortened(name), margin, key), table)


def history_words(
    looks: Sequence[Mapping[str, Any]], key: str, *, margin: float | None = None, label: str = ""
) -> str:
    """What ``history_chart`` shows, in words."""
    table = history_table(looks, key)
    name = label or label_of(key_parts(key)[0])
    return NOTHING if table.empty else _words(table, shortened(name), margin, key)


def _marks(shown: pd.DataFrame, key: str) -> list[AnyMark]:
    """The band, and the values: with points where there is an interval, thin where none is yet."""
    x, value, low, high = (
        shown[name].to_numpy(dtype=float) for name in ("Labels", "Estimate", "Low", "High")
    )
    known = np.isfinite(low)
    texts = [_row_words(row, key) for row in shown.to_dict("records")]
    marks: list[AnyMark] = [Band((x, low), (x, high), name="interval", role="band")]
    for keep, name, width, dots in (
        (known, "estimate", LINE, 5 if len(x) <= FEW_MARKS else 3),
        (~known, "estimate without interval", HAIR, 3),
    ):
        if keep.any():
            there = np.where(keep, value, np.nan)
            marks.append(Line(x, there, width, dots=dots, name=name, hover=texts))
    return marks


def _goal(value: float, margin: float | None, least: float) -> tuple[list[Rule], list[Remark]]:
    if margin is None or np.isnan(value):
        return [], []
    ends = (value - margin, value + margin)
    note = Remark(f"goal ±{words.goal_points(margin)}", y=min(ends[1], 1.0))
    return [Rule(end) for end in ends if least <= end <= 1], [note]


def _row_words(row: Mapping[Any, Any], key: str) -> str:
    known = not np.isnan(row["Low"])
    text = interval_words(row["Estimate"], row["Low"], row["High"], known=known, key=key)
    return f"{words.count(row['Labels'])}: {text}"


def _words(table: pd.DataFrame, name: str, margin: float | None, key: str) -> str:
    rows = table.to_dict("records")
    now = rows[-1]
    known = not np.isnan(now["Low"])
    text = interval_words(now["Estimate"], now["Low"], now["High"], known=known, key=key)
    parts = [f"{name} is {text}, from {words.count(now['Labels'])}."]
    earlier = [row for row in rows[:-1] if not np.isnan(row["Low"] + row["Estimate"])]
    if known and earlier:
        first = earlier[0]
        ends = first["Low"], first["High"]
        parts.append(
            f"At {words.count(first['Labels'])} it was "
            f"{number_words(key, first['Estimate'], ends)}; the half-width went from "
            f"{words.points(first['Half-width'])} to {words.points(now['Half-width'])}."
        )
    if margin is not None and known:
        reached = "is reached" if now["Half-width"] <= margin else "is not reached yet"
        parts.append(f"The goal of plus or minus {words.goal_points(margin)} {reached}.")
    return " ".join(parts)
