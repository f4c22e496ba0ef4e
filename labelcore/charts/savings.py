"""What recycling saves: the share of each child's labels that its parent already has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import SERIES, Chart, empty_chart, hover, new_figure, require_columns
from labelcore.charts.design import STRONG
from labelcore.charts.names import escape, shortened
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
ROW_HEIGHT, FRAME_HEIGHT = 34, 90


def savings_chart(table: pd.DataFrame) -> Chart:
    """A row for each child: the mean share of its draws that is recycled as a point, where 95 of
    100 drawings lie as a line.

    table   columns child, saved, low, high; shares between 0 and 1; others are kept
    """
    require_columns(table, NEEDED)
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    figure = new_figure(x="share of the draws saved", y="", x_share=True)
    rows = table.to_dict("records")
    places = [f"{row}" for row in range(len(rows))]
    for place, row in zip(places, rows, strict=True):
        figure.add_trace(_row(row, place))
    figure.update_layout(height=FRAME_HEIGHT + ROW_HEIGHT * len(rows))
    figure.update_xaxes(range=[-0.01, 1.01])
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=places[::-1],
        tickmode="array",
        range=[-0.6, len(places) - 0.4],
        tickvals=places,
        tickformat="",
        ticktext=[escape(str(row["child"])) for row in rows],
    )
    figure.layout.yaxis.minallowed = figure.layout.yaxis.maxallowed = None
    said = "; ".join(f"{shortened(str(row['child']))}: {_words(row)}" for row in rows)
    readable = table.rename(columns=READABLE).reset_index(drop=True)
    return Chart(figure, f"Share of each child's draws that is recycled. {said}.", readable)


def _row(row: Mapping[Any, Any], place: str) -> go.Scatter:
    colour = SERIES[int(place) % len(SERIES)]
    name = escape(str(row["child"]))
    return go.Scatter(
        x=[row["low"], row["saved"], row["high"]],
        y=[place] * 3,
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": STRONG},
        cliponaxis=False,
        marker={"color": colour, "size": [0, 11, 0]},
        **hover([f"{name}<br>{_words(row)}"] * 3),
    )


def _words(row: Mapping[Any, Any]) -> str:
    low, high = (words.percent(float(row[end]), 1) for end in ("low", "high"))
    mean = words.percent(float(row["saved"]), 1)
    return f"{mean}, between {low} and {high} in 95 of 100 drawings"
