"""One estimate and its band against the number of labels, look by look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart, interval_words
from labelcore.charts.history_table import COLUMNS, history_table
from labelcore.charts.living import Track, difference_scale, labels_drawing
from labelcore.charts.names import shortened
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference, number_words
from labelcore.words.quantities import key_parts, label_of

SIDES = "the first one is better", "the second one is better"
NOTHING = "No figure yet: the curve starts with the first estimate."


def history_chart(
    looks: Sequence[Mapping[str, Any]], key: str, *, margin: float | None = None, label: str = ""
) -> Chart:
    """The estimate ``key`` and its band against labels, and where the band would end at the goal.

    looks    as ``Session.looks()`` gives them. For each number of labels the last look counts, and
             looks at labels that were taken back since are left out
    margin   the goal: dashes at the last value plus and minus it
    label    the name of the quantity on screen; empty takes it from the key

    A difference of two classifiers has a line at zero, and says on which side which one is better.

    A look without a figure is left out; where the interval is too wide for a value there is only
    the band, and a value without an interval is a grey line. The figure holds at most 160 looks,
    always the last; the table holds them all.
    """
    table = history_table(looks, key)
    name = shortened(label or label_of(key_parts(key)[0]))
    if table.empty:
        return empty_chart(NOTHING, COLUMNS)
    track = track_of(table, key, name, margin)
    if is_difference(key):
        ends = difference_scale(np.concatenate([track.low, track.high]))
        track = replace(track, scale=ends, sides=SIDES)
    said = [_row_words(row, key) for row in table.to_dict("records")]
    drawing = labels_drawing(replace(track, hover=said))
    return Chart(drawing, _words(table, name, margin, key), table)


def track_of(table: pd.DataFrame, key: str, name: str, margin: float | None) -> Track:
    """The looks of a table as they are drawn, to the last label that there is."""
    labels, value, low, high = (
        table[column].to_numpy(dtype=float) for column in ("Labels", "Estimate", "Low", "High")
    )
    unit = "points" if is_difference(key) else "%"
    return Track(labels, value, low, high, 0, margin=margin, name=f"{name}, {unit}")


def history_words(
    looks: Sequence[Mapping[str, Any]], key: str, *, margin: float | None = None, label: str = ""
) -> str:
    """What ``history_chart`` shows, in words."""
    table = history_table(looks, key)
    name = label or label_of(key_parts(key)[0])
    return NOTHING if table.empty else _words(table, shortened(name), margin, key)


def _row_words(row: Mapping[Any, Any], key: str) -> str:
    known = not np.isnan(row["Low"])
    text = interval_words(row["Estimate"], row["Low"], row["High"], known=known, key=key)
    return f"{words.count(row['Labels'])}: {text}"


def _words(table: pd.DataFrame, name: str, margin: float | None, key: str) -> str:
    rows = table.to_dict("records")
    now = rows[-1]
    known = not np.isnan(now["Low"])
    text = interval_words(now["Estimate"], now["Low"], now["High"], known=known, key=key)
    parts = [f"{name} is {text}, from {words.count(now['Labels'])}."]
    earlier = [row for row in rows[:-1] if not np.isnan(row["Low"] + row["Estimate"])]
    if known and earlier:
        first = earlier[0]
        ends = first["Low"], first["High"]
        parts.append(
            f"At {words.count(first['Labels'])} it was "
            f"{number_words(key, first['Estimate'], ends)}; the half-width went from "
            f"{words.points(first['Half-width'])} to {words.points(now['Half-width'])}."
        )
    if margin is not None and known:
        reached = "is reached" if now["Half-width"] <= margin else "is not reached yet"
        parts.append(f"The goal of plus or minus {words.goal_points(margin)} {reached}.")
    return " ".join(parts)
