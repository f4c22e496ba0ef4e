"""Precision or recall over waves: what came out, what was expected, where it is out of line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import (
    FIRST,
    REFERENCE,
    SECOND,
    Chart,
    empty_chart,
    hover,
    new_figure,
    require_columns,
)
from labelcore.charts.names import escape, shortened
from labelcore.words import sentences as words

COLUMNS = ("wave", "observed", "expected_low", "expected_high", "alarm")
SHOWN = ("Wave", "Came out", "Expected from", "Expected to", "Alarm")
NOTHING = "No wave yet: the picture starts with the first finished one."
EXPECTED_WIDTH = 18


def waves_chart(table: pd.DataFrame, quantity: str) -> Chart:
    """A point for each wave, over the grey bar in which the earlier waves expected it; a wave
    outside of its bar is an orange cross.

    table   a row per wave: wave, observed (NaN where unknown), expected_low, expected_high (NaN
            where no earlier wave is there), alarm
    """
    require_columns(table, COLUMNS)
    if table.empty:
        return empty_chart(NOTHING, SHOWN)
    rows = table.to_dict("records")
    places = list(range(1, len(rows) + 1))
    figure = new_figure(x="wave", y=escape(quantity.lower()))
    expected = [(at, row) for at, row in zip(places, rows, strict=True) if _known(row)]
    if expected:
        figure.add_trace(
            go.Scatter(
                x=[x for at, _ in expected for x in (at, at, None)],
                y=[
                    y
                    for _, row in expected
                    for y in (row["expected_low"], row["expected_high"], None)
                ],
                mode="lines",
                name="expected from the earlier waves",
                line={"color": REFERENCE, "width": EXPECTED_WIDTH},
                opacity=0.35,
                **hover([_words(row) for _, row in expected for _ in range(3)]),
            )
        )
    for alarm, colour, symbol, name in (
        (False, FIRST, "circle", "came out"),
        (True, SECOND, "x", "alarm"),
    ):
        mine = [(at, row) for at, row in zip(places, rows, strict=True) if row["alarm"] == alarm]
        if mine:
            figure.add_trace(
                go.Scatter(
                    x=[at for at, _ in mine],
                    y=[row["observed"] for _, row in mine],
                    mode="markers",
                    name=name,
                    cliponaxis=False,
                    marker={"color": colour, "size": 11, "symbol": symbol},
                    **hover([_words(row) for _, row in mine]),
                )
            )
    figure.update_xaxes(
        tickvals=places,
        ticktext=[escape(str(row["wave"])) for row in rows],
        range=[0.5, len(rows) + 0.5],
        tickformat="",
    )
    figure.update_layout(showlegend=True)
    said = "; ".join(f"{shortened(str(row['wave']))}: {_numbers(row)}" for row in rows)
    return Chart(figure, f"{quantity} of each wave. {said}.", _shown(table))


def _known(row: Mapping[Any, Any]) -> bool:
    return not pd.isna(row["expected_low"])


def _words(row: Mapping[Any, Any]) -> str:
    return f"{escape(str(row['wave']))}: {_numbers(row)}"


def _numbers(row: Mapping[Any, Any]) -> str:
    ends = (float(row["expected_low"]), float(row["expected_high"])) if _known(row) else (0.0, 1.0)
    observed = row["observed"]
    seen = "unknown" if pd.isna(observed) else words.value_percent(float(observed), *ends)
    if not _known(row):
        return f"{seen}, with no earlier wave to compare"
    low, high = words.percent_range(*ends)
    return f"{seen}, expected between {low} and {high}" + (", alarm" if row["alarm"] else "")


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """The same numbers under names for people."""
    found = table[list(COLUMNS)].reset_index(drop=True)
    found.columns = pd.Index(SHOWN)
    found["Alarm"] = np.where(found["Alarm"], "yes", "")
    return found
