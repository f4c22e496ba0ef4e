"""Candidates and the bounds of their precision: which are in, which are out, and why."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.axes import PRECISION, labels_along, upright
from labelcore.charts.base import VALUE_DOT, Chart, Row, empty_chart, interval_words, rows_drawing
from labelcore.charts.design import DASHES, FIRST, REFERENCE, SECOND, SERIES, THIN
from labelcore.charts.drawing import (
    AnyMark,
    Axis,
    Band,
    Drawing,
    Line,
    Remark,
    Rule,
    Side,
    Symbol,
    Unit,
)
from labelcore.charts.history_table import last_looks, thinned
from labelcore.promises import CandidateState
from labelcore.results.told_values import known_ends, too_wide
from labelcore.results.types import Choice
from labelcore.safe_text import shortened
from labelcore.words import sentences as words

COLUMNS = ("Candidate", "Items", "Precision", "Low", "High", "Reach from", "Reach to", "State")
MOVED_COLUMNS = ("Labels", "Candidate", "Low", "High", "State")
NOTHING = "No bounds yet: they start with the first labels."
MOST_POINTS = 160
CHOSEN, IN, OUT = 0.32, 0.16, 0.55
"""How much the band of a candidate covers, and the bounds of one that is out."""


def candidates_chart(choice: Choice) -> Chart:
    """A row for each candidate: its precision as a point, where its bounds are not too wide for
    one, and these as a line; the wanted precision dashed, the tolerated one dotted. The chosen one
    is drawn in its own colour, those that are out are grey."""
    table = candidates_table(choice)
    if table.empty:
        return empty_chart(NOTHING, COLUMNS)
    wanted = choice.precision_threshold
    drawing = rows_drawing(
        Axis("precision", Unit.SHARE),
        [_row(row, choice) for row in table.to_dict("records")],
        rules=[
            Rule(wanted, upright=True),
            Rule(wanted - choice.precision_slack, upright=True, dash="dot"),
        ],
        remarks=[Remark("wanted", x=wanted, side=Side.BELOW)],
    )
    return Chart(drawing, _alt(table, choice), table)


def candidates_table(choice: Choice) -> pd.DataFrame:
    """A row per candidate: the bounds of its precision, and of its reach in items."""
    bounds = choice.bounds
    size = bounds["size"].to_numpy(dtype=float)
    low, high = (bounds[end].to_numpy(dtype=float) for end in ("low", "high"))
    return pd.DataFrame(
        {
            "Candidate": bounds["classifier"].astype(str),
            "Items": size.astype(int),
            "Precision": np.where(too_wide(low, high), np.nan, bounds["value"]).astype(float),
            "Low": low,
            "High": high,
            "Reach from": np.ceil(low * size - 1e-9).astype(int),
            "Reach to": np.floor(high * size + 1e-9).astype(int),
            "State": bounds["state"].astype(str),
        }
    )


def moving_bounds_chart(looks: Sequence[Mapping[str, Any]], key: str, choice: Choice) -> Chart:
    """The bounds of every candidate's precision against labels, look by look: one that is out ends
    where it went out."""
    table = moving_bounds_table(looks, key)
    if table.empty:
        return empty_chart(NOTHING, MOVED_COLUMNS)
    drawing = race_drawing(table, choice, 0)
    tolerated = Rule(choice.precision_threshold - choice.precision_slack, dash="dot")
    drawing = replace(drawing, rules=[*drawing.rules, tolerated], legend=True)
    last = table[table["Labels"] == table["Labels"].max()].to_dict("records")
    bounds = "; ".join(_moved_words(shortened(row["Candidate"]), row) for row in last)
    now = words.count(int(table["Labels"].max()))
    alt = f"Bounds of each candidate's precision against labels. At {now}: {bounds}."
    return Chart(drawing, alt, table)


def race_drawing(
    table: pd.DataFrame, choice: Choice, labels: int, shown: Collection[str] | None = None
) -> Drawing:
    """The bounds of each candidate, or of those ``shown``, against the ``labels`` that there are,
    and the precision that is wanted of them."""
    marks, wanted = _marks(table, choice, shown), choice.precision_threshold
    last = max([1.0, float(labels), *(float(mark.reach[0].max()) for mark in marks)])
    goal, said = Rule(wanted, role="ink", kind="goal"), Remark("wanted", y=wanted, across=1.0)
    return Drawing(labels_along(last).axis, upright(PRECISION).axis, marks, [goal], [said])


def _marks(table: pd.DataFrame, choice: Choice, shown: Collection[str] | None) -> list[AnyMark]:
    """Each in its colour and dash; one that is out ends in a cross. The chosen one, then those
    still in, are drawn on top."""
    names = dict.fromkeys([*choice.bounds["classifier"].astype(str), *table["Candidate"]])
    curves = []
    for place, name in enumerate(names):
        rows = table[table["Candidate"] == name]
        out = np.array([CandidateState(state).out for state in rows["State"]], dtype=bool)
        rows = rows.iloc[: int(out.argmax()) + 1] if out.any() else rows
        if len(rows) and (shown is None or name in shown):
            look = SERIES[place % len(SERIES)], DASHES[place % len(DASHES)]
            curves.append((out.any(), name == choice.chosen, _moving(name, rows, *look, choice)))
    curves.sort(key=lambda curve: (not curve[0], curve[1]))
    return [mark for _, _, marks in curves for mark in marks]


def _moving(name: str, rows: pd.DataFrame, role: str, dash: str, choice: Choice) -> list[AnyMark]:
    out = CandidateState(rows["State"].iloc[-1]).out
    rows, shown = rows.iloc[thinned(len(rows), MOST_POINTS)], shortened(name)
    x, low, high = (rows[column].to_numpy(dtype=float) for column in ("Labels", "Low", "High"))
    texts = [_moved_words(shown, row) for row in rows.to_dict("records")]
    role, seen = (REFERENCE, OUT) if out else (role, 1.0)
    bounds: list[AnyMark] = [
        Line(x, end, THIN, dash, name=shown, role=role, kind="bound", opacity=seen, hover=texts)
        for end in (low, high)
    ]
    if not out:
        covers = CHOSEN if name == choice.chosen else IN
        return [Band((x, low), (x, high), role=role, kind="band", opacity=covers), *bounds]
    gone = x[-1:], (low[-1:] + high[-1:]) / 2
    cross = Line(*gone, 0.0, "", VALUE_DOT, Symbol.CROSS, role="ink", kind="gone", opacity=seen)
    return [*bounds, cross]


def moving_bounds_table(looks: Sequence[Mapping[str, Any]], key: str) -> pd.DataFrame:
    """A row per look and candidate; the last look counts for each number of labels."""
    rows = [
        (labels, name, bounds["low"], bounds["high"], bounds["state"])
        for labels, look in last_looks(looks).items()
        for name, bounds in look.get("results", {}).get(key, {}).get("candidates", {}).items()
    ]
    return pd.DataFrame(rows, columns=list(MOVED_COLUMNS))


def _colour(row: Mapping[Any, Any], choice: Choice) -> str:
    if row["Candidate"] == choice.chosen:
        return SECOND
    return REFERENCE if CandidateState(row["State"]).out else FIRST


def _row(row: Mapping[Any, Any], choice: Choice) -> Row:
    value = None if np.isnan(row["Precision"]) else row["Precision"]
    name, role = shortened(row["Candidate"]), _colour(row, choice)
    return Row(name, value, row["Low"], row["High"], role, _words(row))


def _words(row: Mapping[Any, Any]) -> str:
    name, precision = shortened(row["Candidate"]), _precision_words(row)
    return f"{name} ({words.count(row['Items'], 'item')}): {precision}\n{shortened(row['State'])}"


def _precision_words(row: Mapping[Any, Any]) -> str:
    if np.isnan(row["Precision"]) and not any(known_ends(row["Low"], row["High"])):
        return "nothing known"
    return interval_words(row["Precision"], row["Low"], row["High"])


def _moved_words(name: str, row: Mapping[Any, Any]) -> str:
    low, high = words.percent_range(row["Low"], row["High"])
    return f"{name} {low} to {high}, {row['State']}"


def _alt(table: pd.DataFrame, choice: Choice) -> str:
    rows = "; ".join(
        f"{shortened(str(row['Candidate']))}: {_precision_words(row)}, {row['State']}"
        for row in table.to_dict("records")
    )
    return (
        f"Precision of each candidate with its bounds; wanted is "
        f"{words.exact_percent(choice.precision_threshold)}. {rows}."
    )
