"""The waves of a monitor: each figure with what is required, and the evidence below."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.base import VALUE_DOT, Chart, empty_chart
from labelcore.charts.design import DASHES, FIRST, REFERENCE, SECOND, SERIES, THIN
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Side, Symbol, Unit
from labelcore.safe_text import shortened
from labelcore.words import sentences as words
from labelcore.words.quantities import label_of

SHOWN = {
    "wave": "Wave", "watch": "Watched", "value": "Value", "low": "From", "high": "To",
    "evidence": "Evidence", "threshold": "Alarm from", "alarm": "Alarm",
}  # fmt: skip
NOTHING = "No wave yet: the picture starts with the first finished one."
INTERVAL_WIDTH, PANEL = 6.0, 160.0
LEAST, MOST_NAMES = 1e-2, 14
FROM_HERE = "lower from about here"
OF_ALARM = ((0.01, "1 %"), (0.1, "10 %"), (1.0, "alarm"), (10.0, "\N{MULTIPLICATION SIGN} 10"),
            (100.0, "\N{MULTIPLICATION SIGN} 100"))  # fmt: skip
"""Evidence as a share of what raises the alarm."""


def monitor_chart(table: pd.DataFrame, since: str = "") -> Chart:
    """A panel for each figure, a bar for each wave over its interval, and one for the evidence of
    each line as a share of what raises the alarm; a wave with an alarm is orange.

    table   as ``Monitor.table`` gives it
    since   the wave from which a figure has probably been lower: an upright line before it
    """
    shown = table[list(SHOWN)].rename(columns=SHOWN)
    known = table.dropna(subset=["evidence"])
    if known.empty:
        return empty_chart(NOTHING, tuple(SHOWN.values()))
    names = list(dict.fromkeys(table["wave"]))
    place = {name: at for at, name in enumerate(names, start=1)}
    figures = list(dict.fromkeys(known["estimand"]))
    marks: list[Line] = []
    for panel, figure in enumerate(figures):
        mine = known[known["estimand"] == figure]
        alarmed = set(mine.loc[mine["alarm"].astype(bool), "wave"])
        for row in mine.drop_duplicates("wave").to_dict("records"):
            marks += _wave(row, place[str(row["wave"])], panel, row["wave"] in alarmed)
        for required in mine["required"].dropna().unique():
            marks.append(_level(float(required), len(names), panel))
    marks.append(_level(1.0, len(names), len(figures)))
    for number, (_, mine) in enumerate(known.groupby("watch", sort=False)):
        share = np.maximum(mine["evidence"] / mine["threshold"], LEAST)
        at = [place[name] for name in mine["wave"]]
        called, dash, role = _line_name(mine.iloc[0]), DASHES[number % 6], SERIES[number % 6]
        marks.append(
            Line(at, share.tolist(), panel=len(figures), name=called, dash=dash, role=role)
        )
    every = math.ceil(len(names) / MOST_NAMES)
    ticks = tuple((at, shortened(name)) for name, at in place.items())[::every]
    rules = [Rule(place[since] - 0.5, upright=True, dash="dot", role=SECOND)] if since else []
    axes = [Axis(shortened(label_of(figure)), Unit.SHARE) for figure in figures]
    highest = max(1.0, float((known["evidence"] / known["threshold"]).max()))
    ticks_of = tuple(tick for tick in OF_ALARM if tick[0] <= highest)
    evidence = Axis("Evidence", log=True, ticks=ticks_of)
    drawing = Drawing(
        Axis(ends=(0.5, len(names) + 0.5), ticks=ticks, grid=False),
        (*axes, evidence), marks, rules, legend=True, below=True,
        height=PANEL * (len(figures) + 1),
    )  # fmt: skip
    below = drawing.panels[0][0]
    named = [Remark(FROM_HERE, x=rule.at, up=below, side=Side.BELOW) for rule in rules]
    drawing = replace(drawing, remarks=named)
    summary = "; ".join(_words(row) for row in known.to_dict("records"))
    return Chart(drawing, f"Figures of each wave and the evidence of a fall. {summary}.", shown)


def _wave(row: dict[Any, Any], at: int, panel: int, alarmed: bool) -> list[Line]:
    role, symbol = (SECOND, Symbol.CROSS) if alarmed else (FIRST, Symbol.DOT)
    hover = [_words(row)]
    ends = [float(row["low"]), float(row["high"])]
    lines = [Line([at, at], ends, INTERVAL_WIDTH, panel=panel, role=role, opacity=0.35,
                  hover=hover * 2)]  # fmt: skip
    if not pd.isna(row["value"]):
        lines.append(Line([at], [float(row["value"])], 0.0, dots=VALUE_DOT, symbol=symbol,
                          panel=panel, role=role, hover=hover))  # fmt: skip
    return lines


def _line_name(row: dict[Any, Any] | pd.Series[Any]) -> str:
    figure = label_of(str(row["estimand"]))
    if pd.isna(row["required"]):
        return shortened(f"{figure} lower than before")
    return shortened(f"{figure} below {100 * row['required']:.10g} %")


def _level(at: float, waves: int, panel: int) -> Line:
    return Line([0.5, waves + 0.5], [at, at], THIN, dash="dash", panel=panel, role=REFERENCE)


def _words(row: dict[Any, Any]) -> str:
    low, high = words.percent_range(float(row["low"]), float(row["high"]))
    alarm = ", alarm" if row["alarm"] else ""
    return f"{shortened(str(row['wave']))}: {_line_name(row)}, {low} to {high}{alarm}"
