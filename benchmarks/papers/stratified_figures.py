"""Figures of the paper by Kumar and Raj, with the true error beside the estimated one."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchmarks.papers.stratified_runs import Sample

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000",
)  # fmt: skip
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
RATIO = "Ratio to a random sample (1)"
LABELS = "Labels"
Series = Mapping[str, Mapping[int, Sample]]


def _laid_out(figure: go.Figure, title: str, height: int = 430) -> go.Figure:
    figure.update_layout(
        title={"text": title, "font": {"size": 16}}, height=height, font={"size": 13},
        legend={"orientation": "h", "y": -0.22, "x": 0}, margin={"t": 70, "r": 20, "b": 110},
    )  # fmt: skip
    return figure


def _line(x: Sequence[float], y: Sequence[float], name: str, colour: str, dash: str) -> go.Scatter:
    return go.Scatter(
        x=list(x), y=list(y), name=name, mode="lines+markers",
        line={"color": colour, "dash": dash}, marker={"size": 6},
    )  # fmt: skip


def errors_by_labels(name: str, errors: Mapping[str, Mapping[int, float]]) -> go.Figure:
    """Figures 2, 4 and 6 (a), (c), (e)."""
    figure = go.Figure()
    for colour, (label, found) in zip((BLACK, *COLOURS), errors.items(), strict=False):
        shown = [100 * error for error in found.values()]
        figure.add_trace(_line(list(found), shown, label, colour, "solid"))
    figure.add_hline(1, line={"color": "#777777", "dash": "dot"})
    figure.update_xaxes(title=LABELS)
    figure.update_yaxes(title="Mean absolute error, points")
    return _laid_out(figure, f"Labels until accuracy is off by one point in the mean ({name})")


def by_stratification(panels: Mapping[str, pd.DataFrame]) -> go.Figure:
    """Figures 2 and 4 (b), (d), (f), and the ideal allocation; a panel for each file."""
    figure = make_subplots(len(panels), 1, subplot_titles=list(panels), vertical_spacing=0.11)
    for row, table in enumerate(panels.values(), start=1):
        for colour, name in ((BLUE, "PRO"), (ORANGE, "EQU"), (GREEN, "OPT")):
            label = "ideal OPT" if name == "OPT" else name
            bar = go.Bar(x=list(table.index), y=table[name], name=label, marker_color=colour,
                         showlegend=row == 1)  # fmt: skip
            figure.add_trace(bar, row=row, col=1)
        figure.add_hline(1, line={"color": BLACK, "dash": "dot"}, row=row, col=1)
    figure.update_yaxes(title="Ratio of variances", rangemode="tozero")
    _laid_out(figure, "Proportional never loses to a random sample, equal can", 760)
    figure.update_layout(legend={"y": -0.06}, margin={"b": 70})
    return figure


def by_number_of_strata(numbers: list[int], lines: Mapping[str, list[float]]) -> go.Figure:
    """Figures 3 and 5."""
    figure = go.Figure()
    for colour, (name, found) in zip(COLOURS, lines.items(), strict=False):
        figure.add_trace(_line(numbers, found, name, colour, "solid"))
    figure.update_xaxes(title="Strata", dtick=1)
    figure.update_yaxes(title=RATIO, rangemode="tozero")
    return _laid_out(figure, "Variance by number of strata: little changes beyond six")


def _logarithmic(figure: go.Figure, x: str, y: str) -> None:
    ticks = [digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5)]
    words = [f"{tick:g}" if tick < 1000 else f"{tick:,.0f}" for tick in ticks]
    figure.update_xaxes(title=x, type="log", tickvals=ticks, ticktext=words)
    figure.update_yaxes(title=y, type="log", tickvals=ticks, ticktext=words)


def _both(figure: go.Figure, series: Series, row: int | None = None) -> None:
    """Each series twice: the true error as a line, the estimated one dashed."""
    where = {} if row is None else {"row": row, "col": 1}
    for colour, (name, found) in zip(COLOURS, series.items(), strict=False):
        sizes = list(found)
        true = _line(sizes, [one.true_ratio for one in found.values()], name, colour, "solid")
        told = _line(sizes, [one.estimated_ratio for one in found.values()], name, colour, "dash")
        true.legendgroup = told.legendgroup = name
        true.showlegend, told.showlegend = row in (None, 1), False
        figure.add_trace(true, **where)
        figure.add_trace(told, **where)
    figure.add_hline(1, line={"color": "#777777", "dash": "dot"}, **where)


def first_labels(series: Series) -> go.Figure:
    """Figure 7."""
    figure = go.Figure()
    _both(figure, series)
    _logarithmic(figure, LABELS, RATIO)
    return _laid_out(
        figure, "OPT-A1 by its first labels a stratum: true (line), estimated (dashed)"
    )


def one_step_or_many(panels: Mapping[str, Series]) -> go.Figure:
    """Figure 8."""
    figure = make_subplots(len(panels), 1, subplot_titles=list(panels), vertical_spacing=0.19)
    for row, series in enumerate(panels.values(), start=1):
        kept = {name: found for name, found in series.items() if "20" not in name}
        _both(figure, kept, row)
    _logarithmic(figure, LABELS, RATIO)
    _laid_out(figure, "OPT-A1 and OPT-A2: true error (line) and estimated (dashed)", 800)
    figure.update_layout(legend={"y": -0.1}, margin={"b": 90})
    return figure


def by_accuracy(series: Series, ideal: Sequence[float]) -> go.Figure:
    """Figure 9, with the ratio that the best possible allocation would have."""
    figure = go.Figure()
    _both(figure, series)
    for colour, value in zip(COLOURS, ideal, strict=False):
        figure.add_hline(value, line={"color": colour, "dash": "dot", "width": 1})
    _logarithmic(figure, LABELS, RATIO)
    return _laid_out(figure, "OPT-A2: true (line), estimated (dashed), ideal (dotted)")


def estimated_and_true(points: pd.DataFrame) -> go.Figure:
    """What equation 6 says of the printed forms on real files, and what is so."""
    figure = go.Figure()
    for colour, (name, part) in zip((ORANGE, BLUE), points.groupby("allocation"), strict=False):
        figure.add_trace(
            go.Scatter(x=part["estimated"], y=part["true"], mode="markers", name=str(name),
                       marker={"color": colour, "size": 7})
        )  # fmt: skip
    ends = [float(points["estimated"].min()) / 1.2, float(points["true"].max()) * 1.2]
    figure.add_trace(
        go.Scatter(x=ends, y=ends, mode="lines", name="estimated = true",
                   line={"color": BLACK, "dash": "dot"})
    )  # fmt: skip
    figure.add_hline(1, line={"color": "#777777", "dash": "dot"})
    _logarithmic(figure, "Estimated variance over a random sample's",
                 "True error over a random sample's")  # fmt: skip
    return _laid_out(figure, "Real files, 300 labels: the printed forms look better than they are")
