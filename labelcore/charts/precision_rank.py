"""Precision of the first items by score, against how many of them are taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from labelcore import words
from labelcore.charts.band import add_band, gaps
from labelcore.charts.base import (
    FIRST,
    Chart,
    empty_chart,
    hover,
    interval_words,
    new_figure,
)
from labelcore.results import Band

COLUMNS = ("First items by score", "Score there", "Precision", "Low", "High")
NOTHING = "No curve yet: it starts with the first estimate."
LOG_FROM_ITEMS = 5000


def precision_rank_chart(precision: Band) -> Chart:
    """Precision against rank with its pointwise band; without one while there is no interval.

    From 5,000 items on the ranks are on a log scale: what matters is near the top.
    """
    if not np.isfinite(precision.value).any():
        return empty_chart(NOTHING, COLUMNS)
    known = np.isfinite(precision.value) & (precision.state == "interval")
    log = float(precision.x[-1]) >= LOG_FROM_ITEMS
    figure = new_figure(x="first items by score" + (" (log scale)" if log else ""), y="precision")
    add_band(figure, precision.x, precision.low, precision.high, known)
    figure.add_trace(
        go.Scatter(
            x=precision.x.tolist(), y=gaps(precision.value), mode="lines", name="precision",
            line={"color": FIRST, "width": 2.5 if known.any() else 1}, cliponaxis=False,
            **hover(_hover_texts(precision, known)),
        )
    )  # fmt: skip
    if log:
        figure.update_xaxes(type="log", dtick=1, minor={"showgrid": False})
    else:
        figure.update_xaxes(rangemode="tozero")
    return Chart(figure, _alt(precision, known), curve_table(precision, known))


def curve_table(precision: Band, known: np.ndarray) -> pd.DataFrame:
    """The points drawn; Low and High are empty where there is no interval."""
    return pd.DataFrame(
        {
            "First items by score": precision.x.astype(int),
            "Score there": precision.threshold,
            "Precision": precision.value,
            "Low": np.where(known, precision.low, np.nan),
            "High": np.where(known, precision.high, np.nan),
        }
    )


def score_words(score: float) -> str:
    """
    >>> score_words(0.123456), score_words(1234567.0)
    ('0.1235', '1.235e+06')
    """
    return f"{score:.4g}"


def _hover_texts(band: Band, known: np.ndarray) -> list[str]:
    return [
        f"first {words.count(int(band.x[i]), 'item')} (score {score_words(band.threshold[i])})<br>"
        + interval_words(band.value[i], band.low[i], band.high[i], known=bool(known[i]))
        if np.isfinite(band.value[i])
        else "no estimate"
        for i in range(len(band.x))
    ]


def landmarks(x: np.ndarray, usable: np.ndarray) -> list[int]:
    """Positions of up to four points to put into words: the first, two between, the last."""
    inside = np.flatnonzero(usable)
    picks = np.unique(np.linspace(0, len(inside) - 1, 4).round().astype(int))
    return [int(inside[i]) for i in picks]


def _alt(band: Band, known: np.ndarray) -> str:
    usable = np.isfinite(band.value)
    points = [
        f"the first {words.count(int(band.x[i]), 'item')}: "
        + interval_words(band.value[i], band.low[i], band.high[i], known=bool(known[i]))
        for i in landmarks(band.x, usable)
    ]
    return (
        f"Precision of the items with the highest scores, from {words.count(band.labels_used)}. "
        + trend(band.value[usable])
        + " Of "
        + "; of ".join(points)
        + f". {band.sentence()}"
    )


def trend(values: np.ndarray) -> str:
    """
    >>> trend(np.array([0.9, 0.8, 0.4]))
    'It falls from 90.0 % at the first point to 40.0 % at the last.'
    """
    first, last = float(values[0]), float(values[-1])
    move = "falls" if last < first else "rises" if last > first else "goes"
    ends = f"{words.percent(first)} at the first point to {words.percent(last)} at the last"
    return f"It {move} from {ends}."
