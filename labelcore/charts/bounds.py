"""The bounds of a curve on a figure: a filled band, or two lines where they have no confidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from labelcore.charts.band import add_band, gaps
from labelcore.charts.base import FIRST, REFERENCE, hover
from labelcore.charts.curve_points import Mask, Numbers, Points
from labelcore.charts.design import HAIR, LIGHT, LINE, THIN
from labelcore.charts.readings import assurance
from labelcore.promises import State

ENVELOPE_NAME = "envelope that the method allows"
NOISE_NAME = "noise of one window, ± 1 standard error"


def add_bounds(
    figure: go.Figure, points: Points, low: tuple[Numbers, Numbers], high: tuple[Numbers, Numbers]
) -> None:
    """Bounds along (x, y) of the low and of the high end, where there is an interval.

    A band that has no confidence is drawn as two lines; an exact curve needs none.
    """
    band, known = points.band, points.known
    if band.state == State.EXACT or not known.any():
        return
    name = assurance(band)
    if band.confidence is not None:
        add_band(figure, low, high, known, name)
        return
    for first, (x, y) in ((True, low), (False, high)):
        figure.add_trace(
            go.Scatter(
                x=gaps(x, known),
                y=gaps(y, known),
                mode="lines",
                name=name,
                legendgroup="bounds",
                showlegend=first,
                hoverinfo="skip",
                line={"color": FIRST, "width": THIN},
            )
        )


def add_noise(figure: go.Figure, points: Points) -> None:
    """The chance error of one window around the midpoint, as a light band of another colour."""
    noise = points.band.extra.get("noise")
    if noise is None or not points.known.any():
        return
    value, spread = points.value, points.of(noise)
    keep = points.known & points.told & (spread > 0)
    if keep.any():
        low, high = np.maximum(value - spread, 0.0), np.minimum(value + spread, 1.0)
        add_band(
            figure, (points.rank, low), (points.rank, high), keep, NOISE_NAME, colour=LIGHT.noise
        )


def add_envelope(figure: go.Figure, points: Points) -> None:
    """The factor that the method guarantees between its bounds, as thin dotted lines."""
    extra = points.band.extra
    if "envelope_low" not in extra or not points.known.any():
        return
    for name in ("envelope_low", "envelope_high"):
        figure.add_trace(
            go.Scatter(
                x=points.rank.tolist(),
                y=gaps(points.of(extra[name]), points.known),
                mode="lines",
                name=ENVELOPE_NAME,
                legendgroup="envelope",
                showlegend=name == "envelope_low",
                hoverinfo="skip",
                line={"color": REFERENCE, "width": HAIR, "dash": "dot"},
            )
        )


def value_name(points: Points) -> str:
    """What the line of values is called: a midpoint is never called an estimate."""
    if points.band.state == State.EXACT:
        return f"{points.reading.label.lower()}, exact"
    if not points.known.any():
        return f"{points.reading.label.lower()}, a first guess"
    return "midpoint of the bounds" if points.band.confidence is None else "estimate"


def value_line(points: Points) -> dict[str, Any]:
    """Thick where it is an estimate with an interval, thin where it is a guess or a midpoint."""
    band = points.band
    thick = points.known.any() and (band.confidence is not None or band.state == State.EXACT)
    return {"color": FIRST, "width": LINE if thick else HAIR}


def says(texts: list[str], *, apart: bool, **more: Any) -> dict[str, Any]:
    """What the pointer is told on a line of values; nothing where ``add_pointed`` says it."""
    return {"hoverinfo": "skip"} if apart else {**more, **hover(texts)}


def add_pointed(
    figure: go.Figure, x: Numbers, y: Numbers, keep: Mask, texts: list[str], **more: Any
) -> None:
    """What the pointer is told of every point, where some have bounds and no value; not drawn."""
    figure.add_trace(
        go.Scatter(
            x=gaps(x, keep),
            y=gaps(y, keep),
            mode="lines",
            name="bounds",
            showlegend=False,
            line={"width": 0},
            **more,
            **hover(texts),
        )
    )
