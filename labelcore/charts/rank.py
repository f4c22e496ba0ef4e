"""A reading of the first items by score, such as precision, against how many of them are taken."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from labelcore.charts.band import gaps
from labelcore.charts.base import (
    FIRST,
    REFERENCE,
    Chart,
    across,
    empty_chart,
    new_figure,
    no_line,
    remark,
)
from labelcore.charts.bounds import (
    add_bounds,
    add_envelope,
    add_noise,
    add_pointed,
    says,
    value_line,
    value_name,
)
from labelcore.charts.curve_points import (
    HIGH,
    LOW,
    RANK,
    SCORE,
    Points,
    curve_table,
    hover_texts,
    landmarks,
    points_of,
    trend,
    value_words,
)
from labelcore.charts.design import HAIR, THIN
from labelcore.results.curves import Band
from labelcore.words import sentences as words

NOTHING = "No curve yet: it starts with the first estimate."
LOG_FROM_ITEMS = 5000


def rank_chart(
    band: Band,
    *,
    log: bool | None = None,
    cut: int | None = None,
    required: float | None = None,
    own: int | None = None,
) -> Chart:
    """One reading along the ranks with its band; without one while there is no interval.

    band       as ``Session.band`` gives it. Bounds without confidence are drawn as two lines, their
               midpoint thin, with what else the method says: envelope and noise of a window
    log        whether ranks are on a log scale; None: from 5,000 items on, because what matters is
               near the top
    cut        a rank, drawn as an upright line
    required   a value of the reading that is asked for, drawn as a dashed line
    own        the classifier's own cut, a dotted upright line that says so

    The line has gaps where the bounds are too wide for a value; where they are everywhere a remark
    says so.
    Raises ValueError for a reading that is not known.
    """
    points = points_of(band)
    if not points.usable.any():
        label = points.reading.label
        return empty_chart(NOTHING, [RANK, SCORE, label, LOW, HIGH])
    if log is None:
        log = max(band.scope.n_items, float(band.x[-1])) >= LOG_FROM_ITEMS
    figure = new_figure(
        x="first items by score" + (" (log scale)" if log else ""),
        y=points.reading.label.lower(),
        y_share=points.reading.unit == "share",
    )
    texts = hover_texts(points)
    x, sides = points.rank, (points.of(band.low), points.of(band.high))
    add_noise(figure, points)
    add_bounds(figure, points, (x, sides[0]), (x, sides[1]))
    add_envelope(figure, points)
    _add_provisional(figure, points)
    figure.add_trace(
        go.Scatter(
            x=x.tolist(),
            y=gaps(points.value, points.usable),
            mode="lines",
            name=value_name(points),
            showlegend=not points.without_line,
            line=value_line(points),
            cliponaxis=False,
            **says(texts, apart=points.gappy),
        )
    )
    if points.gappy:
        add_pointed(figure, points.rank, points.place, points.usable, texts)
    _set_axes(figure, points, log)
    _add_lines(figure, points, log, cut, required, own)
    figure.update_layout(showlegend=True, hovermode="x")
    return Chart(figure, _words(points, cut, required), curve_table(band))


def rank_words(band: Band, cut: int | None = None) -> str:
    """What ``rank_chart`` shows, in words."""
    points = points_of(band)
    return _words(points, cut, None) if points.usable.any() else NOTHING


def _add_provisional(figure: go.Figure, points: Points) -> None:
    band = points.band
    if band.provisional is None or not points.told.any():
        return
    figure.add_trace(
        go.Scatter(
            x=points.rank.tolist(),
            y=gaps(points.of(band.provisional), points.told),
            mode="lines",
            name="provisional, by all labels so far",
            hoverinfo="skip",
            line={"color": FIRST, "width": HAIR, "dash": "dot"},
        )
    )


def _set_axes(figure: go.Figure, points: Points, log: bool) -> None:
    """The list from its first item to its last, and a share from a round number to 100 %."""
    last = max(points.band.scope.n_items, float(points.band.x[-1]))
    if log:
        figure.update_xaxes(
            type="log", dtick=1, minor={"showgrid": False}, range=[0, math.log10(max(last, 2))]
        )
    else:
        figure.update_xaxes(range=[0, last])
    if points.reading.unit == "share":
        shown = points.of(points.band.low) if points.known.any() else points.value
        least = float(np.nanmin(shown))
        figure.update_yaxes(range=[max(math.floor(10 * least - 0.2) / 10, 0.0), 1.01])
    else:
        figure.update_yaxes(rangemode="tozero")


def _add_lines(
    figure: go.Figure,
    points: Points,
    log: bool,
    cut: int | None,
    required: float | None,
    own: int | None,
) -> None:
    shapes, notes = [], []
    if required is not None:
        shapes.append(across(required))
        text = f"required {points.reading.number(required)}"
        notes.append(remark(text, x=0, xref="paper", xanchor="left", y=required))
    low, high = (figure.layout.xaxis.range[end] for end in (0, 1))
    marks = []
    if own is not None and own != cut:
        marks.append((own, "dot", f" own cut {own:,} ", 1))
    if cut is not None:
        said = "own cut at" if cut == own else "cut at"
        marks.append((cut, "solid", f" {said} {cut:,} ", 0))
    for rank, dash, words_there, y in marks:
        line = {"color": REFERENCE, "width": THIN, "dash": dash}
        shapes.append(
            {"type": "line", "yref": "paper", "x0": rank, "x1": rank, "y0": 0, "y1": 1,
             "line": line}
        )  # fmt: skip
        place = math.log10(rank) if log else float(rank)
        side = "left" if place - low < (high - low) / 2 else "right"
        notes.append(remark(words_there, x=place, xanchor=side, y=y, yref="paper"))
    if points.without_line:
        notes.append(no_line())
    figure.update_layout(shapes=shapes, annotations=notes)


def _words(points: Points, cut: int | None, required: float | None) -> str:
    band, label = points.band, points.reading.label
    spoken = [
        f"the first {words.count(int(points.rank[place]), 'item')}: {value_words(points, place)}"
        for place in landmarks(points.usable)
    ]
    parts = [
        f"{label} of the items with the highest scores, from {words.count(band.labels_used)}.",
        trend(points.reading, points.value[points.usable], points.width[points.usable]),
        "Of " + "; of ".join(spoken) + ".",
    ]
    if cut is not None:
        parts.append(f"A line marks the cut at {words.count(cut, 'item')}.")
    if required is not None:
        parts.append(f"A dashed line marks the required {points.reading.number(required)}.")
    return " ".join([*parts, band.sentence()])
