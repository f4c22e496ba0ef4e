"""Precision and recall pull in two directions: expected half-widths against over-sampling."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import (
    FIRST,
    SECOND,
    Chart,
    across,
    empty_chart,
    hover,
    new_figure,
    remark,
    require_columns,
    upright,
)
from labelcore.charts.design import LINE
from labelcore.charts.names import escape
from labelcore.words import sentences as words

READABLE = {"ratio": "Over-sampling", "precision": "Precision ±", "recall": "Recall ±"}
NOTHING = "There is nothing to choose: every item would be labelled."


def oversampling_chart(
    table: pd.DataFrame, *, margin: float | None = None, marks: Mapping[str, float]
) -> Chart:
    """Expected half-widths of precision and recall against the over-sampling ratio, for one number
    of labels.

    table    columns ratio, precision, recall
    margin   the wanted half-width, a dashed line
    marks    {word: ratio}, upright lines
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    figure = new_figure(x="over-sampling ratio s", y="expected half-width")
    for name, colour, dash in (("precision", FIRST, "solid"), ("recall", SECOND, "dash")):
        figure.add_trace(_line(name, table, colour, dash))
    ratios = table["ratio"]
    inside = {word: at for word, at in marks.items() if ratios.min() <= at <= ratios.max()}
    shapes = [upright(at, "dot") for at in inside.values()]
    notes = [  # On this axis an annotation takes the logarithm, a shape the number itself.
        remark(escape(word), x=log10(at), y=1, yref="paper", xanchor="center")
        for word, at in inside.items()
    ]
    if margin is not None:
        shapes.append(across(margin))
        wanted = f"wanted ±{words.goal_points(margin)}"
        notes.append(remark(wanted, x=0, xref="paper", xanchor="left", y=margin))
    figure.update_layout(showlegend=True, shapes=shapes, annotations=notes)
    figure.update_layout(legend={"y": 1.1})
    figure.update_xaxes(type="log", tickformat="~r", dtick="D2")
    figure.update_yaxes(rangemode="tozero")
    return Chart(figure, _alt(table, inside), table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, table: pd.DataFrame, colour: str, dash: str) -> go.Scatter:
    texts = [
        f"s = {ratio:.3g}<br>{name} ±{words.points(float(half))}"
        for ratio, half in zip(table["ratio"], table[name], strict=True)
    ]
    return go.Scatter(
        x=table["ratio"].tolist(),
        y=table[name].tolist(),
        name=name,
        mode="lines",
        line={"color": colour, "width": LINE, "dash": dash},
        **hover(texts),
    )


def _alt(table: pd.DataFrame, marks: Mapping[str, float]) -> str:
    said = []
    for word, at in {**marks, "the largest ratio drawn": float(table["ratio"].max())}.items():
        row = table.iloc[(table["ratio"] - at).abs().argsort().iloc[0]]
        said.append(
            f"at {word} ({at:.3g}): precision plus or minus "
            f"{words.points(float(row['precision']))}, recall plus or minus "
            f"{words.points(float(row['recall']))}"
        )
    return f"Expected half-widths against the over-sampling ratio; {'; '.join(said)}."
