"""What recycling saves: the share of each child's labels that its parent already has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from labelcore.charts.base import Chart, Row, empty_chart, require_columns, rows_drawing
from labelcore.charts.design import SERIES
from labelcore.charts.names import shortened
from labelcore.words import sentences as words

NEEDED = ("child", "saved", "low", "high")
READABLE = {
    "child": "Classifier",
    "parent_intersection": "Parent's items shared",
    "child_intersection": "Own items shared",
    "saved": "Draws saved",
    "low": "From",
    "high": "To",
}
NOTHING = "There is no child to recycle for."


def savings_chart(table: pd.DataFrame) -> Chart:
    """A row for each child: the mean share of its draws that is recycled as a point, where 95 of
    100 drawings lie as a line.

    table   columns child, saved, low, high; shares between 0 and 1; others are kept
    """
    require_columns(table, NEEDED)
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    rows = table.to_dict("records")
    shown = [_row(row, SERIES[place % len(SERIES)]) for place, row in enumerate(rows)]
    drawing = rows_drawing("share of the draws saved", shown, (-0.01, 1.01))
    said = "; ".join(f"{shortened(str(row['child']))}: {_words(row)}" for row in rows)
    readable = table.rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, f"Share of each child's draws that is recycled. {said}.", readable)


def _row(row: Mapping[Any, Any], role: str) -> Row:
    name, said = shortened(row["child"]), _words(row)
    return Row(name, row["saved"], row["low"], row["high"], role, f"{name}\n{said}")


def _words(row: Mapping[Any, Any]) -> str:
    low, high = (words.percent(float(row[end]), 1) for end in ("low", "high"))
    mean = words.percent(float(row["saved"]), 1)
    return f"{mean}, between {low} and {high} in 95 of 100 drawings"
