"""What a factor costs along a ranked list: labels against the factor, one line per method."""

from __future__ import annotations

import pandas as pd

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Side
from labelcore.charts.names import shortened
from labelcore.words import sentences as words

READABLE = {"method": "Method", "factor": "Factor", "labels": "Labels"}
NOTHING = "There is nothing to compare yet."


def labels_factor_chart(table: pd.DataFrame, *, wanted: float | None = None) -> Chart:
    """Labels for the whole curve against the largest factor between estimate and truth; one line
    per method, in table order.

    table    columns method (a name for the screen), factor, labels; others are kept
    wanted   the factor asked for, an upright line
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    parts = [
        (str(name), part.sort_values("factor"))
        for name, part in table.groupby("method", sort=False)
    ]
    asked = [] if wanted is None else [wanted]
    drawing = Drawing(
        Axis("factor between estimate and truth"),
        Axis("labels", zero=True),
        [_line(name, part, place) for place, (name, part) in enumerate(parts)],
        [Rule(at, upright=True) for at in asked],
        [Remark("wanted", x=at, side=Side.BELOW) for at in asked],
        legend=True,
    )
    alt = "Labels for the whole curve against the factor. " + " ".join(
        _words(name, part) for name, part in parts
    )
    return Chart(drawing, alt, table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, part: pd.DataFrame, place: int) -> Line:
    shown = shortened(name)
    texts = [
        f"{shown}\nfactor {factor:.3f}: {words.count(int(labels))}"
        for factor, labels in zip(part["factor"], part["labels"], strict=True)
    ]
    return Line(part["factor"], part["labels"], name=shown, hover=texts, **in_turn(place))


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.count(int(first['labels']))} at a factor of "
        f"{first['factor']:.3f}, {words.count(int(last['labels']))} at {last['factor']:.3f}."
    )
