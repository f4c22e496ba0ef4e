"""Precision or recall over waves: what came out, what was expected, where it is out of line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.base import VALUE_DOT, Chart, empty_chart, require_columns
from labelcore.charts.design import FIRST, REFERENCE, SECOND
from labelcore.charts.drawing import Axis, Drawing, Line, Symbol, Unit
from labelcore.charts.names import shortened
from labelcore.words import sentences as words

COLUMNS = ("wave", "observed", "expected_low", "expected_high", "alarm")
SHOWN = ("Wave", "Came out", "Expected from", "Expected to", "Alarm")
NOTHING = "No wave yet: the picture starts with the first finished one."
EXPECTED_WIDTH = 18.0


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
    marks = _expected(rows) if any(map(_known, rows)) else []
    for alarm, role, symbol, name in (
        (False, FIRST, Symbol.DOT, "came out"),
        (True, SECOND, Symbol.CROSS, "alarm"),
    ):
        mine = [place for place, row in enumerate(rows, start=1) if row["alarm"] == alarm]
        if mine:
            came = [rows[place - 1] for place in mine]
            observed, texts = [row["observed"] for row in came], [_words(row) for row in came]
            marks.append(
                Line(
                    mine,
                    observed,
                    0.0,
                    dots=VALUE_DOT,
                    symbol=symbol,
                    name=name,
                    role=role,
                    hover=texts,
                )
            )
    names = ((place, shortened(row["wave"])) for place, row in enumerate(rows, start=1))
    drawing = Drawing(
        Axis("wave", ends=(0.5, len(rows) + 0.5), ticks=tuple(names), grid=False),
        Axis(shortened(quantity.lower()), Unit.SHARE),
        marks,
        legend=True,
    )
    said = "; ".join(f"{shortened(str(row['wave']))}: {_numbers(row)}" for row in rows)
    return Chart(drawing, f"{quantity} of each wave. {said}.", _shown(table))


def _expected(rows: Sequence[Mapping[Any, Any]]) -> list[Line]:
    """A broad upright line for each wave that the earlier ones expected something of."""
    found = [(place, row) for place, row in enumerate(rows, start=1) if _known(row)]
    ends = [end for _, row in found for end in (row["expected_low"], row["expected_high"], np.nan)]
    return [
        Line(
            [x for place, _ in found for x in (place, place, np.nan)],
            ends,
            EXPECTED_WIDTH,
            name="expected from the earlier waves",
            role=REFERENCE,
            opacity=0.35,
            hover=[_words(row) for _, row in found for _ in range(3)],
        )
    ]


def _known(row: Mapping[Any, Any]) -> bool:
    return not pd.isna(row["expected_low"])


def _words(row: Mapping[Any, Any]) -> str:
    return f"{shortened(row['wave'])}: {_numbers(row)}"


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
