"""What a margin costs: expected half-width against labels, one line per design."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.band import gaps
from labelcore.charts.base import (
    DASHES,
    SERIES,
    Chart,
    across,
    empty_chart,
    hover,
    new_figure,
    remark,
    require_columns,
)
from labelcore.charts.design import LINE
from labelcore.charts.names import escape, shortened
from labelcore.words import sentences as words

DOT = 12
READABLE = {"design": "Design", "labels": "Labels", "half_width": "Expected half-width"}


def labels_margin_chart(
    table: pd.DataFrame, *, margin: float | None = None, labels: int | None = None
) -> Chart:
    """Expected half-width against labels for planning; one line per design, in table order.

    table    columns labels, half_width, design (a name for the screen); others are kept
    margin   the wanted half-width, a dashed line
    labels   the number chosen: a dot on the first line
    """
    require_columns(table, ["labels", "half_width", "design"])
    if table.empty or table["half_width"].isna().all():
        return empty_chart("There is no forecast yet.", list(READABLE.values()))
    figure = new_figure(x="labels", y="±")
    parts = [
        (name, part.sort_values("labels")) for name, part in table.groupby("design", sort=False)
    ]
    for series, (name, part) in enumerate(parts):
        figure.add_trace(_line(str(name), part, series))
    if margin is not None:
        note = remark(
            f"wanted ±{words.goal_points(margin)}", x=1, xref="paper", xanchor="right", y=margin
        )
        figure.update_layout(shapes=[across(margin)], annotations=[note])
    if labels is not None:
        figure.add_trace(_dot(parts[0][1], labels))
    figure.update_layout(showlegend=len(parts) > 1)
    figure.update_xaxes(rangemode="tozero")
    figure.update_yaxes(rangemode="tozero")
    alt = " ".join(_words(str(name), part, margin) for name, part in parts)
    return Chart(figure, alt, table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, part: pd.DataFrame, series: int) -> go.Scatter:
    shown = escape(name)
    texts = [
        f"{shown}<br>{words.count(int(n))}: ±{words.points(h)}" if h == h else shown
        for n, h in zip(part["labels"], part["half_width"], strict=True)
    ]
    return go.Scatter(
        x=part["labels"].tolist(),
        y=gaps(part["half_width"].to_numpy(dtype=float)),
        name=shown,
        mode="lines",
        **hover(texts),
        line={
            "color": SERIES[series % len(SERIES)],
            "width": LINE,
            "dash": DASHES[series % len(DASHES)],
        },
    )


def _dot(part: pd.DataFrame, labels: int) -> go.Scatter:
    """Where a number of labels lies on a line."""
    width = float(np.interp(labels, part["labels"], part["half_width"]))
    return go.Scatter(
        x=[labels],
        y=[width],
        mode="markers",
        showlegend=False,
        **hover([f"{words.count(labels)}: ±{words.points(width)}"]),
        marker={"color": SERIES[0], "size": DOT},
    )


def _words(name: str, part: pd.DataFrame, margin: float | None) -> str:
    rows = part.dropna(subset=["half_width"])
    if rows.empty:
        return f"{shortened(name)}: no forecast."
    last = rows.iloc[-1]
    first = rows.iloc[0]
    text = (
        f"{shortened(name)}: plus or minus {words.points(float(first['half_width']))} with "
        f"{words.count(int(first['labels']))}, {words.points(float(last['half_width']))} with "
        f"{words.count(int(last['labels']))}"
    )
    if margin is None:
        return text + "."
    enough = rows[rows["half_width"] <= margin]
    if enough.empty:
        return text + f"; plus or minus {words.goal_points(margin)} is not reached."
    return text + (
        f"; plus or minus {words.goal_points(margin)} at about "
        f"{words.count(int(enough['labels'].iloc[0]))}."
    )
