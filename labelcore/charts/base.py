"""What all charts share: a drawing with its words and its table, and the empty state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import pandas as pd

from labelcore.charts.design import DASHES, LIGHT, SERIES, STRONG, Theme
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Symbol, named_axis
from labelcore.results.told_values import NO_LINE, known_ends
from labelcore.words.differences import is_difference, number_words, range_words
from labelcore.words.sentences import BETWEEN, ONE_END, is_exact

if TYPE_CHECKING:
    import plotly.graph_objects as go

VALUE_DOT = 11.0
ROW_HEIGHT, FRAME_HEIGHT = 34.0, 90.0


@dataclass(frozen=True, eq=False, slots=True)
class Chart:
    """A drawing, the same in words for those who do not see it, and the same numbers as a table.

    ``alt`` is plain text: show it as such, never as markdown or HTML.
    """

    drawing: Drawing
    alt: str
    table: pd.DataFrame

    @property
    def figure(self) -> go.Figure:
        """The drawing as a Plotly figure."""
        return self.plotted()

    def plotted(self, theme: Theme = LIGHT) -> go.Figure:
        """The Plotly figure in the colours of a theme."""
        from labelcore.charts.plotted import plotted

        return plotted(self.drawing, theme)


@dataclass(frozen=True, slots=True)
class Row:
    """A value and the ends of its interval on a line of their own; None for what there is not."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    role: str
    hover: str
    symbol: Symbol = Symbol.DOT

    @property
    def known(self) -> list[tuple[float, float]]:
        """Where its points are, from the left, and how large their dots."""
        points = [(self.low, 0.0), (self.value, VALUE_DOT), (self.high, 0.0)]
        return [(at, size) for at, size in points if at is not None]

    def line(self, place: int) -> Line:
        ends, dots = zip(*self.known, strict=True)
        return Line(
            ends,
            [place] * len(ends),
            STRONG,
            dots=dots,
            symbol=self.symbol,
            role=self.role,
            hover=[self.hover] * len(ends),
        )


def rows_drawing(
    scale: Axis,
    rows: Sequence[Row],
    rules: Sequence[Rule] = (),
    remarks: Sequence[Remark] = (),
) -> Drawing:
    """Values with their intervals one below the other."""
    return Drawing(
        scale,
        named_axis((row.name for row in rows), downwards=True),
        [row.line(place) for place, row in enumerate(rows) if row.known],
        rules,
        remarks,
        height=FRAME_HEIGHT + ROW_HEIGHT * len(rows),
    )


class Turn(TypedDict):
    """Colour and dash of one line among several."""

    role: str
    dash: str


def in_turn(place: int) -> Turn:
    """Those of a place among the lines; no two of the first 36 have both in common."""
    turn, series = divmod(place, len(SERIES))
    return {"role": SERIES[series], "dash": DASHES[(series + turn) % len(DASHES)]}


def no_line() -> Remark:
    """The remark in the middle of a band that allows no line."""
    return Remark(NO_LINE, across=0.5, up=0.5)


def interval_words(
    value: float, low: float, high: float, *, known: bool = True, key: str = ""
) -> str:
    """
    >>> interval_words(0.9, 0.8512, 0.9433)
    '90.0 %, between 85.1 % and 94.4 %'
    >>> interval_words(float("nan"), 0.02, 1.0)
    'at least 2 %'
    >>> interval_words(-1.1 / 300, -1.1 / 300, -1.1 / 300, key="accuracy_difference")
    'exactly −0.37 points'
    """
    bottom, top = range_words(key, low, high) if known else ("", "")
    if value != value:  # There is an interval, and no value is told.
        least = -1.0 if is_difference(key) else 0.0
        return ONE_END.get(known_ends(low, high, least), BETWEEN).format(low=bottom, high=top)
    text = number_words(key, value, (low, high) if known else (0.0, 1.0))
    if known and is_exact(low, high):
        return f"exactly {text}"
    return f"{text}, between {bottom} and {top}" if known else f"{text}, without an interval yet"


def empty_chart(message: str, columns: Iterable[str]) -> Chart:
    """The state before there is anything to draw: a sentence in the middle (never from a file)."""
    drawing = Drawing(remarks=[Remark(message, across=0.5, up=0.5)], bare=True)
    return Chart(drawing, message, pd.DataFrame({name: [] for name in columns}))


def require_columns(table: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raises TypeError or ValueError for a table of another shape."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"table must be a DataFrame, got {type(table).__name__}")
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ValueError(
            f"table must have the columns {', '.join(columns)}; missing are " + ", ".join(missing)
        )
