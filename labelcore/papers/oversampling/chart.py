"""Precision and recall pull in two directions: expected half-widths against over-sampling."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Side, Unit
from labelcore.charts.names import shortened
from labelcore.words import sentences as words

READABLE = {"ratio": "Over-sampling", "precision": "Precision ±", "recall": "Recall ±"}
NOTHING = "There is nothing to choose: every item would be labelled."


def oversampling_chart(
    table: pd.DataFrame, *, margin: float | None = None, marks: Mapping[str, float]
) -> Chart:
    """Expected half-widths of precision and recall against the over-sampling ratio, for one number
    of labels.

    table    columns ratio, precision, recall
    margin   the wanted half-width, a dashed line
    marks    {word: ratio}, upright lines
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    ratios = table["ratio"]
    inside = {word: at for word, at in marks.items() if ratios.min() <= at <= ratios.max()}
    asked = [] if margin is None else [margin]
    drawing = Drawing(
        Axis("over-sampling ratio s", log=True),
        Axis("expected half-width", Unit.SHARE, zero=True),
        [_line(name, table, place) for place, name in enumerate(("precision", "recall"))],
        [Rule(at, upright=True, dash="dot") for at in inside.values()] + [Rule(at) for at in asked],
        [
            *(Remark(shortened(word), x=at, side=Side.BELOW) for word, at in inside.items()),
            *(Remark(f"wanted ±{words.goal_points(at)}", y=at) for at in asked),
        ],
        legend=True,
    )
    readable = table.rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, _alt(table, inside), readable)


def _line(name: str, table: pd.DataFrame, place: int) -> Line:
    texts = [
        f"s = {ratio:.3g}\n{name} ±{words.points(float(half))}"
        for ratio, half in zip(table["ratio"], table[name], strict=True)
    ]
    return Line(table["ratio"], table[name], name=name, hover=texts, **in_turn(place))


def _alt(table: pd.DataFrame, marks: Mapping[str, float]) -> str:
    said = []
    for word, at in {**marks, "the largest ratio drawn": float(table["ratio"].max())}.items():
        row = table.iloc[(table["ratio"] - at).abs().argsort().iloc[0]]
        said.append(
            f"at {word} ({at:.3g}): precision plus or minus "
            f"{words.points(float(row['precision']))}, recall plus or minus "
            f"{words.points(float(row['recall']))}"
        )
    return f"Expected half-widths against the over-sampling ratio; {'; '.join(said)}."
