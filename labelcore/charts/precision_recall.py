"""Precision against recall, every cut of the score at once."""

from __future__ import annotations

import numpy as np
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
from labelcore.charts.precision_rank import curve_table, landmarks, score_words, trend
from labelcore.results import Band

COLUMNS = (
    "First items by score", "Score there", "Precision", "Low", "High", "Recall", "Recall low",
    "Recall high",
)  # fmt: skip
NOTHING = "No curve yet: it starts with the first estimates of precision and recall."


def precision_recall_chart(precision: Band, recall: Band) -> Chart:
    """Precision against the estimate of recall at the same ranks, with precision's pointwise band.

    The band is about precision only; hover and table give recall's own interval. Raises ValueError
    when the two curves have other ranks.
    """
    if not np.array_equal(precision.x, recall.x):
        raise ValueError("precision and recall must have the same ranks, got different ones")
    usable = np.isfinite(precision.value) & np.isfinite(recall.value)
    if not usable.any():
        return empty_chart(NOTHING, COLUMNS)
    known = usable & (precision.state == "interval")
    figure = new_figure(x="recall", y="precision", x_share=True)
    figure.layout.xaxis.range = [0, 1.01]
    add_band(figure, recall.value, precision.low, precision.high, known)
    figure.add_trace(
        go.Scatter(
            x=gaps(recall.value, usable), y=gaps(precision.value, usable), mode="lines",
            name="precision", line={"color": FIRST, "width": 2.5 if known.any() else 1},
            cliponaxis=False, **hover(_hover_texts(precision, recall, usable)),
        )
    )  # fmt: skip
    table = curve_table(precision, known)
    recall_known = usable & (recall.state == "interval")
    table["Recall"] = recall.value
    table["Recall low"] = np.where(recall_known, recall.low, np.nan)
    table["Recall high"] = np.where(recall_known, recall.high, np.nan)
    return Chart(figure, _alt(precision, recall, usable), table)


def _pair(precision: Band, recall: Band, i: int) -> tuple[str, str]:
    return tuple(
        interval_words(band.value[i], band.low[i], band.high[i], known=band.state == "interval")
        for band in (precision, recall)
    )  # type: ignore[return-value]


def _hover_texts(precision: Band, recall: Band, usable: np.ndarray) -> list[str]:
    texts = []
    for i in range(len(precision.x)):
        if not usable[i]:
            texts.append("no estimate")
            continue
        first, second = _pair(precision, recall, i)
        texts.append(
            f"first {words.count(int(precision.x[i]), 'item')} "
            f"(score {score_words(precision.threshold[i])})<br>"
            f"precision {first}<br>recall {second}"
        )
    return texts


def _alt(precision: Band, recall: Band, usable: np.ndarray) -> str:
    points = []
    for i in landmarks(precision.x, usable):
        first, second = _pair(precision, recall, i)
        points.append(f"recall {second}, precision {first}")
    return (
        f"Precision against recall, from {words.count(precision.labels_used)}. "
        + trend(precision.value[usable])
        + " At "
        + "; at ".join(points)
        + f". The band is about precision. {precision.sentence()}"
    )
