"""Figures of the runs of reach selection."""

import pandas as pd
from plotly.graph_objects import Bar, Figure, Scatter

from benchmarks.papers.reach_selection_runs import DEFAULT, METHODS, POOLED

COLOURS = ("#999999", "#56B4E9", "#0072B2", "#D55E00", "#009E73")
WORDS = {
    "RR-NES-NME": "in turn, whole budget",
    "RR-ES-NME": "in turn, stops early",
    "RR-ES-ME": "in turn, stops early, eliminates",
    "PSSL-ES-ME": "pooled (the paper's)",
    "PSSL-ES-ME, ratio": "pooled, prior-posterior ratio (default)",
}
LEGEND = {"orientation": "h", "y": -0.22, "x": 0}


def methods_figure(table: pd.DataFrame, column: str, words: str, budget: int | None) -> Figure:
    """The mean over the lists by delta, bars from the least to the greatest list."""
    figure = Figure()
    for method, colour in zip(METHODS, COLOURS, strict=True):
        groups = table[table["method"] == method].groupby("delta", sort=False)[column]
        mean = groups.mean()
        figure.add_trace(
            Scatter(
                x=[f"{delta:g}" for delta in mean.index], y=mean, name=WORDS[method],
                mode="lines+markers", line={"color": colour}, marker={"size": 8},
                error_y={
                    "type": "data", "symmetric": False, "array": groups.max() - mean,
                    "arrayminus": mean - groups.min(), "thickness": 1, "width": 4,
                },
            )
        )  # fmt: skip
    if budget is not None:
        figure.add_hline(y=budget, line={"dash": "dot", "color": "#000000"})
    figure.update_layout(
        title=f"Figure 1: pooled sampling needs the fewest {words}",
        xaxis={"title": "delta, the chance of a wrong choice", "type": "category"},
        yaxis={"title": f"{words}, mean over the lists (bars: all lists)", "rangemode": "tozero"},
        legend=LEGEND, height=520, margin={"b": 130},
    )  # fmt: skip
    return figure


def answers_figure(table: pd.DataFrame) -> Figure:
    """Share of runs with a right answer: guaranteed, and the rest that guesses add."""
    figure = Figure()
    for method, colour in zip(METHODS, COLOURS, strict=True):
        groups = table[table["method"] == method].groupby("delta", sort=False)
        told = groups["guaranteed and right"].mean()
        more = groups["right with guesses"].mean() - told
        x = [f"{delta:g}" for delta in told.index]
        for heights, pattern, shown in ((told, "", True), (more, "/", False)):
            figure.add_trace(
                Bar(
                    x=x, y=heights, name=WORDS[method], legendgroup=method, showlegend=shown,
                    offsetgroup=method, base=None if shown else told,
                    marker={"color": colour, "pattern": {"shape": pattern}},
                    opacity=1.0 if shown else 0.5,
                )
            )  # fmt: skip
    figure.update_layout(
        title="Figure 2: right answers, full: guaranteed, striped: guessed",
        xaxis={"title": "delta, the chance of a wrong choice", "type": "category"},
        yaxis={"title": "share of runs with a right answer", "range": [0, 1.02],
               "tickformat": ".0%"},
        barmode="group", legend=LEGEND, height=520, margin={"b": 130},
    )  # fmt: skip
    return figure


def ratio_figure(table: pd.DataFrame) -> Figure:
    """Distinct labels of Hoeffding's bounds and of the default, list by list at delta .05."""
    mine = table[table["delta"] == 0.05]
    wide = mine.pivot(index="list", columns="method", values="distinct labels")
    wide = wide.sort_values(POOLED)
    figure = Figure()
    for method, colour in ((DEFAULT, COLOURS[4]), (POOLED, COLOURS[3])):
        figure.add_trace(
            Scatter(
                x=wide[method], y=wide.index, mode="markers", name=WORDS[method],
                marker={"color": colour, "size": 10},
            )
        )  # fmt: skip
    figure.update_layout(
        title="Distinct labels until the choice is shown, delta 0.05",
        xaxis={"title": "distinct labels, mean over the runs", "rangemode": "tozero"},
        yaxis={"title": "ranked list", "automargin": True},
        legend={"orientation": "h", "y": -0.16, "x": 0}, height=620, margin={"b": 110},
    )  # fmt: skip
    return figure
