"""Figures 1 to 3 of Sabharwal and Sedghi, and the errors of all methods by rank."""

import numpy as np
import pandas as pd
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from benchmarks.papers.curves_lists import FloatArray, LongList
from benchmarks.papers.curves_pairs import PairCurve
from labelcore.papers.curves.paula_bounds import PaulaBounds

TRUTH, LOW, HIGH, POINTS = "#000000", "#0072B2", "#D55E00", "#009E73"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARGIN = {"l": 70, "r": 20, "t": 70, "b": 60}
PLACES = 400
BELOW = {"orientation": "h", "y": -0.2, "x": 0}


def figure1(labels: pd.DataFrame) -> go.Figure:
    """Labels against the error allowed, one line a method."""
    figure = go.Figure()
    for name, colour, dash in zip(labels.columns, COLOURS, DASHES, strict=False):
        figure.add_scatter(
            x=labels.index, y=labels[name], name=name, mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
        )  # fmt: skip
    ticks = {10_000: "10,000", 30_000: "30,000", 100_000: "100,000", 300_000: "300,000",
             1_000_000: "1 million"}  # fmt: skip
    figure.update_yaxes(
        type="log", title="Labels needed, logarithmic scale",
        tickvals=list(ticks), ticktext=list(ticks.values()),
    )  # fmt: skip
    figure.update_layout(
        title="Labels for the whole curve of 10 million items (figure 1)",
        xaxis_title="Error allowed at every rank, % of the precision",
        margin=MARGIN,
        legend=BELOW,
    )
    return figure


def figure2(curves: list[PairCurve]) -> go.Figure:
    """The truth and PAULA's bounds on the stand-in for PPDB, one panel an epsilon."""
    titles = [f"epsilon {one.epsilon:g}, {one.labels:,} labels" for one in curves]
    figure = make_subplots(rows=len(curves), cols=1, subplot_titles=titles, vertical_spacing=0.16)
    for row, one in enumerate(curves, start=1):
        _bounds(figure, one.truth, one.bounds, row)
    figure.update_yaxes(title="Precision", range=[0.35, 1])
    figure.update_xaxes(title="Rank: the first r of 26,456 pairs", row=len(curves), col=1)
    figure.update_layout(
        title="PAULA's bounds and the truth on labelled paraphrases (figure 2)",
        height=640,
        margin=MARGIN,
        legend={"orientation": "h", "y": -0.12, "x": 0},
    )
    return figure


def figure3(found: LongList) -> go.Figure:
    """A synthetic list of the length of Science KB, with three independent point estimates."""
    figure = make_subplots(rows=1, cols=1)
    _bounds(figure, found.truth, found.bounds, 1)
    rank, value, half = zip(*found.points, strict=True)
    figure.add_scatter(
        x=rank, y=value, name="point estimates, 2,000 draws each, 95 %", mode="markers",
        error_y={"array": half, "color": POINTS}, marker={"color": POINTS, "size": 9},
    )  # fmt: skip
    figure.update_layout(
        title=f"PAULA on a synthetic list of 217,076, {found.labels:,} labels (figure 3)",
        xaxis_title="Rank: the first r items",
        yaxis_title="Precision",
        margin=MARGIN,
        legend=BELOW,
    )
    return figure


def figure_errors(errors: dict[str, FloatArray]) -> go.Figure:
    """Mean error of each method by rank, with as many labels as PAULA."""
    figure = go.Figure()
    for (name, error), colour, dash in zip(errors.items(), COLOURS, DASHES, strict=False):
        at = places(len(error), 1_000)
        figure.add_scatter(
            x=at, y=error[at - 1], name=name, mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
        )  # fmt: skip
    figure.update_xaxes(title="Rank: the first r of 26,456 pairs, from 1,000 on")
    figure.update_yaxes(title="Mean error, points", rangemode="tozero")
    figure.update_layout(
        title="Error by rank of each method with about 10,292 labels",
        height=520,
        margin=MARGIN,
        legend={"orientation": "h", "y": -0.2, "x": 0},
    )
    return figure


def _bounds(figure: go.Figure, truth: FloatArray, bounds: PaulaBounds, row: int) -> None:
    at = places(len(truth), 200)
    parts = (
        ("truth", truth, TRUTH, "solid"),
        ("upper bound", bounds.high, HIGH, "dash"),
        ("lower bound", bounds.low, LOW, "dot"),
    )
    for name, values, colour, dash in parts:
        figure.add_scatter(
            x=at, y=values[at - 1], name=name, mode="lines", showlegend=row == 1,
            line={"color": colour, "dash": dash, "width": 1.8}, row=row, col=1,
        )  # fmt: skip


def places(n_items: int, first: int) -> np.ndarray:
    """About 400 ranks, half of them evenly spaced and half in constant ratio."""
    even = np.linspace(first, n_items, PLACES // 2)
    growing = np.geomspace(first, n_items, PLACES // 2)
    return np.unique(np.rint(np.concatenate([even, growing])).astype(int))
