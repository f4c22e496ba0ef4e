"""What a factor costs along a ranked list: labels against the factor, one line per method."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import (
    DASHES,
    SERIES,
    Chart,
    empty_chart,
    hover,
    new_figure,
    remark,
    require_columns,
    upright,
)
from labelcore.charts.design import LINE
from labelcore.charts.names import escape, shortened
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
    figure = new_figure(x="factor between estimate and truth", y="labels", y_share=False)
    parts = [
        (str(name), part.sort_values("factor"))
        for name, part in table.groupby("method", sort=False)
    ]
    for series, (name, part) in enumerate(parts):
        figure.add_trace(_line(name, part, series))
    if wanted is not None:
        note = remark("wanted", x=wanted, y=1, yref="paper", yanchor="top", xanchor="left")
        figure.update_layout(shapes=[upright(wanted)], annotations=[note])
    figure.update_layout(showlegend=True)
    figure.update_xaxes(tickformat=".2f")
    figure.update_yaxes(rangemode="tozero")
    alt = "Labels for the whole curve against the factor. " + " ".join(
        _words(name, part) for name, part in parts
    )
    return Chart(figure, alt, table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, part: pd.DataFrame, series: int) -> go.Scatter:
    shown = escape(name)
    texts = [
        f"{shown}<br>factor {factor:.3f}: {words.count(int(labels))}"
        for factor, labels in zip(part["factor"], part["labels"], strict=True)
    ]
    return go.Scatter(
        x=part["factor"].tolist(),
        y=part["labels"].tolist(),
        name=shown,
        mode="lines",
        line={
            "color": SERIES[series % len(SERIES)],
            "width": LINE,
            "dash": DASHES[series % len(DASHES)],
        },
        **hover(texts),
    )


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.count(int(first['labels']))} at a factor of "
        f"{first['factor']:.3f}, {words.count(int(last['labels']))} at {last['factor']:.3f}."
    )
