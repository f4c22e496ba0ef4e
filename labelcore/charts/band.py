"""Bands as closed outlines, and lines that break where there is no number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from labelcore.charts.design import LIGHT

BAND = LIGHT.band

Numbers = NDArray[np.float64]
Gaps = list[float | None]
# x and y of a line, (n_points,) each
Line = tuple[Numbers, Numbers]


def runs(keep: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """The stretches of neighbouring True values, as positions."""
    inside = np.flatnonzero(keep)
    if len(inside):
        yield from np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1)


def band_outline(low: Line, high: Line, keep: NDArray[np.bool_]) -> tuple[Gaps, Gaps]:
    """A closed outline for each stretch of ``keep``: along low, back along high, to the start."""
    xs: Gaps = []
    ys: Gaps = []
    for run in runs(keep):
        for found, one in ((xs, 0), (ys, 1)):
            found += [None] if found else []
            found += low[one][run].tolist() + high[one][run][::-1].tolist()
            found.append(float(low[one][run][0]))
    return xs, ys


def add_band(
    figure: go.Figure,
    low: Line,
    high: Line,
    keep: NDArray[np.bool_],
    name: str = "interval",
    *,
    colour: str = BAND,
) -> None:
    """The band as one filled trace; a stretch of one point is drawn as a broad upright line."""
    xs, ys = band_outline(low, high, keep)
    single = any(len(run) == 1 for run in runs(keep))
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="lines",
            fill="toself",
            fillcolor=colour,
            name=name,
            line={"width": 7 if single else 0, "color": colour},
            hoverinfo="skip",
        )
    )


def gaps(values: Sequence[float] | Numbers, keep: NDArray[np.bool_] | None = None) -> Gaps:
    """Numbers for Plotly: None where there is none, so that a line breaks there."""
    array = np.asarray(values, dtype=float)
    known = np.isfinite(array) if keep is None else np.isfinite(array) & keep
    return [float(v) if shown else None for v, shown in zip(array, known, strict=True)]
