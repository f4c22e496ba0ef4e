"""A result on its own as a figure, for a notebook: ``Estimate.figure()`` and the like."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import plotly.graph_objects as go

from labelcore.charts.base import FIRST, REFERENCE, across, hover, new_figure
from labelcore.charts.candidates import candidates_chart
from labelcore.charts.design import LINE
from labelcore.charts.names import escape
from labelcore.charts.rank import rank_chart
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.words.claims import LEAST_TIMES, MOST_TIMES

ONE_ROW = 140


@singledispatch
def figure_of(result: Any) -> go.Figure:
    """The figure of a result, found by its type."""
    raise TypeError(f"there is no figure of a {type(result).__name__}")


@figure_of.register
def _(result: Estimate) -> go.Figure:
    """The interval as a line, the value as a point; the goal of the plan is in its sentence."""
    least = -1.0 if result.is_difference else 0.0
    figure = new_figure(x="", y="", x_share=True, y_share=False)
    said = hover([escape(result.sentence())])
    name = escape(result.estimand)
    if result.has_interval:
        line = {"color": FIRST, "width": LINE}
        ends = [result.low, result.high]
        figure.add_trace(go.Scatter(x=ends, y=[name, name], mode="lines", line=line, **said))
    if result.told is not None:
        marker = {"color": FIRST, "size": 10}
        points = {"x": [result.told], "y": [name], "mode": "markers", "marker": marker}
        figure.add_trace(go.Scatter(**points, **said))
    figure.update_layout(height=ONE_ROW)
    figure.update_xaxes(range=[least, 1.0], minallowed=least - 0.01)
    figure.update_yaxes(type="category", tickformat="", categoryarray=[name])
    return figure


@figure_of.register
def _(result: Band) -> go.Figure:
    return rank_chart(result).figure


@figure_of.register
def _(result: Choice) -> go.Figure:
    return candidates_chart(result).figure


@figure_of.register
def _(result: Claim) -> go.Figure:
    """The evidence for the claim and for its opposite; the line is where it settles one of them."""
    evidence = [
        min(max(one, LEAST_TIMES), MOST_TIMES) for one in (result.evidence, result.evidence_against)
    ]
    figure = new_figure(x="", y="evidence (times)", y_share=False)
    said = hover([escape(result.sentence())] * 2)
    colours = {"color": [FIRST, REFERENCE]}
    figure.add_trace(go.Bar(x=["for", "against"], y=evidence, marker=colours, **said))
    figure.update_yaxes(type="log")
    figure.update_xaxes(type="category", tickformat="")
    figure.update_layout(shapes=[across(1 / result.alpha)])
    return figure
