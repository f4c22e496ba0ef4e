"""What all charts share: colours, layout, the empty state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.design import CHART_TEXT, LIGHT, THIN
from labelcore.results.telling import NO_LINE, known_ends
from labelcore.words.differences import is_difference, number_words, range_words
from labelcore.words.sentences import BETWEEN, ONE_END

SERIES = LIGHT.series
FIRST, SECOND, THIRD = SERIES[:3]
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
REFERENCE, GRID = LIGHT.quiet, LIGHT.rule
SHARE_TICKS = ".3~%"
NUMBER_TICKS = ",~r"
HEIGHT = 320
# For ``st.plotly_chart(config=...)`` and exports: no button bar over the legend.
CONFIG = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False}


@dataclass(frozen=True, eq=False, slots=True)
class Chart:
    """A figure, the same in words for those who do not see it, and the same numbers as a table.

    ``alt`` is plain text: show it as such, never as markdown or HTML.
    """

    figure: go.Figure
    alt: str
    table: pd.DataFrame


AXIS = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "automargin": True}


def layout(height: int = HEIGHT) -> dict[str, Any]:
    """The common layout: nothing moves, zoom is kept, the page's own background shows."""
    return {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "uirevision": "labelcore",
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title_text": ""},
    }


def new_figure(
    *, x: str, y: str, y_share: bool = True, x_share: bool = False, least: float = 0.0
) -> go.Figure:
    """An empty figure in the common layout. ``x`` and ``y`` are axis titles, already escaped.

    An axis of shares stays within ``least`` and 100 % (and a hair more, for lines at the edge).
    """
    return go.Figure(
        layout={**layout(), "xaxis": _axis(x, x_share), "yaxis": _axis(y, y_share, least)},
    )


def _axis(title: str, share: bool, least: float = 0.0) -> dict[str, Any]:
    if not share:
        return {**AXIS, "title": {"text": title}, "tickformat": NUMBER_TICKS}
    ends = {"minallowed": least - 0.01, "maxallowed": 1.01}
    return {**AXIS, "title": {"text": title}, "tickformat": SHARE_TICKS, **ends}


def across(value: float, dash: str = "dash") -> dict[str, Any]:
    """A reference line over the whole width, as a shape of the layout."""
    line = {"color": REFERENCE, "width": THIN, "dash": dash}
    ends = {"x0": 0, "x1": 1, "y0": value, "y1": value}
    return {"type": "line", "xref": "paper", **ends, "line": line}


def upright(value: float, dash: str = "dash") -> dict[str, Any]:
    """A reference line over the whole height, as a shape of the layout."""
    line = {"color": REFERENCE, "width": THIN, "dash": dash}
    ends = {"x0": value, "x1": value, "y0": 0, "y1": 1}
    return {"type": "line", "yref": "paper", **ends, "line": line}


def remark(text: str, **place: Any) -> dict[str, Any]:
    """A short grey text on the figure; never from a file."""
    font = {"color": REFERENCE, "size": CHART_TEXT}
    return {"text": text, "showarrow": False, "yanchor": "bottom", "font": font, **place}


def no_line() -> dict[str, Any]:
    """The remark in the middle of a band that allows no line."""
    return remark(NO_LINE, x=0.5, y=0.5, xref="paper", yref="paper", xanchor="center")


def interval_words(
    value: float, low: float, high: float, *, known: bool = True, key: str = ""
) -> str:
    """
    >>> interval_words(0.9, 0.8512, 0.9433)
    '90.0 %, between 85.1 % and 94.4 %'
    >>> interval_words(float("nan"), 0.02, 1.0)
    'at least 2 %'
    """
    bottom, top = range_words(key, low, high) if known else ("", "")
    if value != value:  # There is an interval, and no value is told.
        least = -1.0 if is_difference(key) else 0.0
        return ONE_END.get(known_ends(low, high, least), BETWEEN).format(low=bottom, high=top)
    said = number_words(key, value, (low, high) if known else (0.0, 1.0))
    return f"{said}, between {bottom} and {top}" if known else f"{said}, without an interval yet"


def empty_chart(message: str, columns: Sequence[str]) -> Chart:
    """The state before there is anything to draw: a sentence in the middle (never from a file)."""
    note = remark(message, x=0.5, y=0.5, xref="paper", yref="paper", yanchor="middle")
    hidden = {"visible": False}
    figure = go.Figure(layout={**layout(), "xaxis": hidden, "yaxis": hidden, "annotations": [note]})
    return Chart(figure, message, pd.DataFrame({name: [] for name in columns}))


def require_columns(table: pd.DataFrame, columns: Sequence[str], argument: str = "table") -> None:
    """Raises TypeError or ValueError, naming the argument, for a table of another shape."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"{argument} must be a DataFrame, got {type(table).__name__}")
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ValueError(
            f"{argument} must have the columns {', '.join(columns)}; missing are "
            + ", ".join(missing)
        )


def hover(sentences: Sequence[str]) -> dict[str, Any]:
    """Ready sentences as the only hover text; they hold numbers of ours and escaped names."""
    return {"hovertext": list(sentences), "hovertemplate": "%{hovertext}<extra></extra>"}
