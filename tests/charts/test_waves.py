"""Waves as a picture: expected bars, points, alarms; the same in words and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.design import LIGHT
from labelcore.papers.oversampling.waves_chart import waves_chart

FIRST, SECOND = LIGHT.series[:2]


def table(name: str = "May") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "wave": [name, "June", "July"],
            "observed": [0.86, 0.875, 0.6],
            "expected_low": [np.nan, 0.762, 0.781],
            "expected_high": [np.nan, 0.95, 0.943],
            "alarm": [False, False, True],
        }
    )


def test_points_bars_and_alarms() -> None:
    chart = waves_chart(table(), "Precision")
    bars, points, alarms = chart.figure.data
    assert list(bars.x) == [2, 2, None, 3, 3, None]
    assert list(bars.y) == [0.762, 0.95, None, 0.781, 0.943, None]
    assert (list(points.x), points.marker.color) == ([1, 2], FIRST)
    assert (list(alarms.x), list(alarms.y), alarms.marker.color) == ([3], [0.6], SECOND)
    assert "May: 86 %, with no earlier wave to compare" in chart.alt
    assert "July: 60 %, expected between 78 % and 95 %, alarm" in chart.alt
    assert list(chart.table["Alarm"]) == ["", "", "yes"]


def test_unknown_recall_is_said_and_not_drawn() -> None:
    chart = waves_chart(table().assign(observed=np.nan, alarm=False), "Recall")
    assert "June: unknown, expected between" in chart.alt


def test_names_do_nothing(hostile: str, inert: Callable[[Any], bool]) -> None:
    assert inert(waves_chart(table(hostile), "Precision").figure)


def test_nothing_and_a_wrong_table() -> None:
    assert waves_chart(table().iloc[:0], "Precision").alt.startswith("No wave yet")
    with pytest.raises(ValueError, match="missing are alarm"):
        waves_chart(table().drop(columns="alarm"), "Precision")
