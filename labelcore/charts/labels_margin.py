"""What a margin costs: expected half-width against labels, one line per design."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.design import THIN
from labelcore.charts.drawing import (
    FEW_TICKS,
    Axis,
    Drawing,
    Line,
    Remark,
    Rule,
    Side,
    powers,
    rounds,
)
from labelcore.safe_text import shortened
from labelcore.words import sentences as words

DOT, HEADROOM, LEAST_HEIGHT = 12.0, 1.05, 0.01
KEYS, ROW = ("—", "- -"), 0.12
"""What stands before the names of the lines, in the corner that none of them reaches."""
READABLE = {"design": "Design", "labels": "Labels", "half_width": "Expected half-width"}


def labels_margin_chart(
    table: pd.DataFrame,
    *,
    margin: float | None = None,
    labels: int | None = None,
    reach: tuple[float, float] | None = None,
    time: Callable[[float], str] | None = None,
) -> Chart:
    """Expected half-width against labels for planning; one line per design, in table order.

    table    columns labels, half_width, design (a name for the screen); others are kept
    margin   the wanted half-width, a dashed line
    labels   the number chosen: a dot on the first line, and a line down to the axis
    reach    the ends of the axis of labels; None: where the lines end
    time     the words for the time that so many labels take, below their number
    """
    require_columns(table, ["labels", "half_width", "design"])
    if table.empty or table["half_width"].isna().all():
        return empty_chart("There is no forecast yet.", list(READABLE.values()))
    parts = [
        (name, part.sort_values("labels")) for name, part in table.groupby("design", sort=False)
    ]
    asked = [] if margin is None else [margin]
    lines = [_line(str(name), part, place) for place, (name, part) in enumerate(parts)]
    ends = reach or (float(table["labels"].min()), float(table["labels"].max()))
    ticks = tuple((at, f"{at:,.0f}" + (f"\n{time(at)}" if time else "")) for at in powers(*ends))
    level = Axis(ends=ends if ends[0] < ends[1] else None, log=True, ticks=ticks)
    top = max(float(table["half_width"].max()) * HEADROOM, LEAST_HEIGHT)
    steps = rounds(0, top, FEW_TICKS)
    upright = Axis(ends=(0, top), ticks=tuple((at, f"±{100 * at:g}") for at in steps))
    chosen = [] if labels is None else [_dot(parts[0][1], labels)]
    drawing = Drawing(
        level,
        upright,
        [*lines, *chosen],
        [Rule(at) for at in asked],
        [
            *(Remark(f"wanted ±{words.goal_points(at)}", y=at) for at in asked),
            *(
                Remark(
                    f"{KEYS[place > 0]} {shortened(str(name))}",
                    up=1 - ROW * place,
                    across=1.0,
                    side=Side.BELOW,
                )
                for place, (name, _) in enumerate(parts)
                if len(parts) > 1
            ),
        ],
    )
    alt = " ".join(_words(str(name), part, margin) for name, part in parts)
    return Chart(drawing, alt, table.rename(columns=READABLE).reset_index(drop=True))


def _line(name: str, part: pd.DataFrame, place: int) -> Line:
    shown = shortened(name)
    texts = [
        f"{shown}\n{words.count(int(n))}: ±{words.points(h)}" if h == h else shown
        for n, h in zip(part["labels"], part["half_width"], strict=True)
    ]
    return Line(part["labels"], part["half_width"], name=shown, hover=texts, **in_turn(place))


def _dot(part: pd.DataFrame, labels: int) -> Line:
    """Where a number of labels lies on a line, and from there down to the axis."""
    numbers, widths = np.log(part["labels"]), part["half_width"]
    width = float(np.interp(np.log(labels), numbers, widths))
    text = f"{words.count(labels)}: ±{words.points(width)}"
    return Line([labels] * 2, [0.0, width], THIN, dots=[0.0, DOT], hover=[text] * 2)


def _words(name: str, part: pd.DataFrame, margin: float | None) -> str:
    rows = part.dropna(subset=["half_width"])
    if rows.empty:
        return f"{shortened(name)}: no forecast."
    last = rows.iloc[-1]
    first = rows.iloc[0]
    text = (
        f"{shortened(name)}: plus or minus {words.points(float(first['half_width']))} with "
        f"{words.count(int(first['labels']))}, {words.points(float(last['half_width']))} with "
        f"{words.count(int(last['labels']))}"
    )
    if margin is None:
        return text + "."
    enough = rows[rows["half_width"] <= margin]
    if enough.empty:
        return text + f"; plus or minus {words.goal_points(margin)} is not reached."
    return text + (
        f"; plus or minus {words.goal_points(margin)} at about "
        f"{words.count(int(enough['labels'].iloc[0]))}."
    )
