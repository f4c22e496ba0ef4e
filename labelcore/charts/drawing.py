"""What a chart is, before anybody draws it: axes, marks, rules and remarks as plain data.

``svg`` draws it for Label, the report, the PDF and slides, ``plotted`` as a Plotly figure. Texts
are plain, their lines parted by line ends; colours are roles of the design.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelcore.charts.design import FIRST, LINE, REFERENCE, THIN

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ends = tuple[float, float]
# x and y of a line, (n_points,) each
Points = tuple[Numbers, Numbers]

HEIGHT = 320.0
MOST_TICKS, FEW_TICKS = 7, 4
ROOM = 0.05
"""Of the length of an axis, beyond the outermost mark."""
LETTER_SHARE = 0.02
"""Of the width of a narrow chart."""
PANEL_GAP = 0.09
"""Between axes one above the other, of the height."""
NARROW_BAND = 7.0
"""How broad a band of one point is drawn, in pixels."""


class Unit(StrEnum):
    """What an axis is of; all but plain numbers are written in per cent."""

    NUMBER = "number"
    SHARE = "share"
    DIFFERENCE = "difference"
    RATIO = "ratio"

    @property
    def limits(self) -> Ends | None:
        """Where an axis ends at the latest, with a hair for lines at the edge."""
        return {Unit.SHARE: (-0.01, 1.01), Unit.DIFFERENCE: (-1.01, 1.01)}.get(self)


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a chart.

    ends    in data; None: as far as the marks reach
    zero    whether an axis without given ends begins at zero, if nothing lies below
    ticks   (place, text); None: round numbers
    grid    whether it has lines at its numbers; names have none
    """

    title: str = ""
    unit: Unit = Unit.NUMBER
    ends: Ends | None = None
    log: bool = False
    zero: bool = False
    ticks: tuple[tuple[float, str], ...] | None = None
    grid: bool = True


def named_axis(names: Iterable[str], title: str = "", *, downwards: bool = False) -> Axis:
    """An axis on which the names stand at 0, 1, 2 ..."""
    ticks = tuple((float(place), name) for place, name in enumerate(names))
    ends = (-0.6, len(ticks) - 0.4)
    return Axis(title, ends=ends[::-1] if downwards else ends, ticks=ticks, grid=False)


class Symbol(StrEnum):
    """The form of a dot; a ringed one stands off from the line below it."""

    DOT = "circle"
    HOLLOW = "circle-open"
    HOLLOW_DIAMOND = "diamond-open"
    RINGED = "circle-ringed"
    CROSS = "x"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Mark:
    """What all marks share.

    name    in the legend, once for all marks that have it; "": not there
    role    of its colour
    hover   what the pointer is told at each point; () for nothing
    kind    what it is, as the class of its element
    panel   the upright axis that it belongs to
    """

    name: str = ""
    role: str = FIRST
    hover: Sequence[str] = ()
    kind: str = ""
    panel: int = 0
    opacity: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Line(Mark):
    """A line through (n_points,) with a gap where a number is NaN, and dots on it.

    width   0: no line
    dash    a name of ``DASHES``
    dots    diameter, one for all points or one for each; 0: none
    """

    x: ArrayLike
    y: ArrayLike
    width: float = LINE
    dash: str = ""
    dots: float | Sequence[float] = 0.0
    symbol: Symbol = Symbol.DOT

    @property
    def points(self) -> Points:
        return np.asarray(self.x, dtype=float), np.asarray(self.y, dtype=float)

    @property
    def reach(self) -> Points:
        return self.points

    @property
    def dotted(self) -> bool:
        return bool(np.any(self.dots))


@dataclass(frozen=True, eq=False, slots=True)
class Band(Mark):
    """The area between two lines, where ``keep`` holds and both have a number."""

    low: Points
    high: Points
    keep: Mask | None = None

    @property
    def reach(self) -> Points:
        """The numbers that its axes have to hold."""
        both = zip(self.low, self.high, strict=True)
        x, y = (np.concatenate(ends) for ends in both)
        return x, y

    def outlines(self) -> Iterator[Points]:
        """A line for each stretch: along the low end, back along the high end."""
        keep = np.all([np.isfinite(end) for end in (*self.low, *self.high)], axis=0)
        for run in runs(keep if self.keep is None else keep & self.keep):
            x, y = (
                np.append(low[run], high[run][::-1])
                for low, high in zip(self.low, self.high, strict=True)
            )
            yield x, y

    @property
    def narrow(self) -> bool:
        """Whether some stretch is of one point only, which has to be drawn broader than it is."""
        return any(len(x) == 2 for x, _ in self.outlines())


@dataclass(frozen=True, eq=False, slots=True)
class Bars(Mark):
    """Bars from zero to (n_bars,) heights, none where it is NaN; ``width`` in data.

    pattern   a name of ``PATTERNS``; "": plain
    """

    x: ArrayLike
    y: ArrayLike
    width: ArrayLike = 0.85
    pattern: str = ""

    @property
    def points(self) -> Points:
        return np.asarray(self.x, dtype=float), np.asarray(self.y, dtype=float)

    @property
    def reach(self) -> Points:
        x, y = self.points
        half = np.broadcast_to(self.width, x.shape) / 2
        return np.concatenate([x - half, x + half]), y


AnyMark = Line | Band | Bars


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line through the chart at a value of the y axis, or upright of the x axis.

    start   where it begins, as a share of the box
    """

    at: float
    upright: bool = False
    dash: str = "dash"
    role: str = REFERENCE
    width: float = THIN
    start: float = 0.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis whose ends are known."""

    axis: Axis
    ends: Ends
    most: int = MOST_TICKS

    def share(self, at: ArrayLike) -> Numbers:
        """Places from 0 to 1; what lies beyond an end is drawn there."""
        values, (low, high) = np.asarray(at, dtype=float), self.ends
        if self.axis.log:
            values = np.log10(np.maximum(values, min(low, high)))
            low, high = math.log10(low), math.log10(high)
        shares: Numbers = np.clip((values - low) / (high - low), 0.0, 1.0)
        return shares

    def place(self, at: float) -> float:
        """``share`` of one number, which takes a tenth of the time."""
        low, high = self.ends
        if self.axis.log:
            at, low, high = (math.log10(number) for number in (max(at, min(low, high)), low, high))
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def covers(self, at: Numbers) -> Mask:
        """Which numbers lie on it; NaN do not."""
        low, high = min(self.ends), max(self.ends)
        return (at >= low - 1e-9) & (at <= high + 1e-9)

    def ticks(self) -> list[tuple[float, str]]:
        """(place, text) of each number along the axis."""
        if self.axis.ticks is not None:
            return list(self.axis.ticks)
        low, high = self.ends
        places = powers(low, high) if self.axis.log else rounds(low, high, self.most)
        return [(at, self._text(at)) for at in places]

    def _text(self, at: float) -> str:
        text = f"{100 * at:.4g} %" if self.axis.unit != Unit.NUMBER else f"{at:,.10g}"
        return text.replace("-", "\N{MINUS SIGN}")


class Side(StrEnum):
    """Where a remark stands, seen from its place."""

    ABOVE = "bottom"
    BELOW = "top"
    BESIDE = "middle"


@dataclass(frozen=True, slots=True)
class Remark:
    """A few words at a place: ``x`` and ``y`` in data, or else ``across`` and ``up`` as shares of
    the box. With ``x`` it begins there, or ends there if there is no room to its right.
    """

    text: str
    x: float | None = None
    y: float | None = None
    across: float = 0.0
    up: float = 1.0
    side: Side = Side.ABOVE
    anchor: str = ""

    def anchored(self, level: Scale) -> str:
        """The end of the words that stands at the place: "start", "middle" or "end"."""
        if self.anchor:
            return self.anchor
        if self.x is not None:
            room = 1 - level.place(self.x)
            return "start" if room > LETTER_SHARE * len(self.text) else "end"
        return {0.0: "start", 1.0: "end"}.get(self.across, "middle")


def rounds(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Round numbers from low to high, as Plotly chooses them.

    >>> rounds(0, 595), rounds(0.15, 1.01)
    ([0.0, 100.0, 200.0, 300.0, 400.0, 500.0], [0.2, 0.4, 0.6, 0.8, 1.0])
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (2, 5, 10) if power * factor > rough * (1 + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def powers(low: float, high: float) -> list[float]:
    """Powers of ten from low to high, on a short axis with twice and five times as much, on a long
    one every second: the words of each need room on a narrow screen.

    >>> powers(1, 40_000), powers(0.5, 6)
    ([1.0, 10.0, 100.0, 1000.0, 10000.0], [0.5, 1.0, 2.0, 5.0])
    >>> powers(1, 1_000_000)
    [1.0, 100.0, 10000.0, 1000000.0]
    """
    reach = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside = low * (1 - 1e-9), high * (1 + 1e-9)

    def kept(leads: Sequence[float]) -> list[float]:
        numbers = [lead * 10.0**power for power in reach for lead in leads]
        return [float(f"{number:.12g}") for number in numbers if inside[0] <= number <= inside[1]]

    tens = kept((1,))
    return tens[:: math.ceil(len(tens) / 6) or 1] if len(tens) > 2 else kept((1, 2, 5))


Part = AnyMark | Rule | Remark
"""What stands on a chart."""


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """A chart: one x axis, one or several y axes one above the other, and what stands on them.

    legend   whether the names of marks are shown
    below    whether they stand below the lowest panel, not above the highest
    along    whether the pointer is told of the nearest point along x, not of the nearest point
    bare     without axes: only words
    """

    x: Axis = field(default_factory=Axis)
    y: Axis | tuple[Axis, ...] = field(default_factory=Axis)
    marks: Sequence[AnyMark] = ()
    rules: Sequence[Rule] = ()
    remarks: Sequence[Remark] = ()
    legend: bool = False
    below: bool = False
    along: bool = False
    height: float = HEIGHT
    bare: bool = False

    @classmethod
    def of(cls, x: Axis, y: Axis, parts: Iterable[Part]) -> Drawing:
        """One of marks, rules and remarks in any order."""
        rules, remarks, marks = [], [], []
        for part in parts:
            if isinstance(part, Rule):
                rules.append(part)
            elif isinstance(part, Remark):
                remarks.append(part)
            else:
                marks.append(part)
        return cls(x, y, marks, rules, remarks)

    @property
    def level(self) -> Scale:
        """The x axis with its ends."""
        return Scale(self.x, self._ends(self.x, self.marks, 0))

    @property
    def uprights(self) -> list[Scale]:
        """The y axes with their ends, from the top."""
        axes = self.y if isinstance(self.y, tuple) else (self.y,)
        rows = [[mark for mark in self.marks if mark.panel == place] for place in range(len(axes))]
        return [
            Scale(axis, self._ends(axis, marks, 1), MOST_TICKS if len(axes) == 1 else FEW_TICKS)
            for axis, marks in zip(axes, rows, strict=True)
        ]

    @property
    def panels(self) -> list[Ends]:
        """Where each y axis stands, from the top, as shares of the height."""
        number = len(self.uprights)
        high = (1 - PANEL_GAP * (number - 1)) / number
        tops = (1 - place * (high + PANEL_GAP) for place in range(number))
        return [(max(top - high, 0.0), top) for top in tops]

    @property
    def named(self) -> list[AnyMark]:
        """The first mark of each name, if there is a legend."""
        first = {mark.name: mark for mark in reversed(self.marks) if mark.name}
        return list(first.values())[::-1] if self.legend else []

    def _ends(self, axis: Axis, marks: Sequence[AnyMark], side: int) -> Ends:
        """The ends that were given, or the least and the largest value with room."""
        if axis.ends is not None:
            return axis.ends
        low, high = self._reach(axis, marks, side)
        if axis.unit.limits is not None:
            low, high = max(low, axis.unit.limits[0]), min(high, axis.unit.limits[1])
        return (low, high) if high > low else (low, low + 1.0)

    def _reach(self, axis: Axis, marks: Sequence[AnyMark], side: int) -> Ends:
        at = np.array([rule.at for rule in self.rules if rule.upright == (side == 0)], dtype=float)
        known = np.concatenate([*(mark.reach[side] for mark in marks), at])
        known = known[np.isfinite(known) & ((known > 0) | (not axis.log))]
        if axis.log:
            known = np.log10(known)
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        room = ROOM * (high - low) or 0.1 * abs(high) or 1.0
        # A line through the whole width needs no room at its ends.
        if side == 0 and not any(isinstance(mark, Line) and mark.dotted for mark in marks):
            room = 0.0
        if axis.log:
            return 10 ** (low - room), 10 ** (high + room)
        bars = side == 1 and any(isinstance(mark, Bars) for mark in marks)
        return (0.0 if low >= 0 and (axis.zero or bars) else low - room), high + room


def runs(keep: Mask) -> Iterator[NDArray[np.int64]]:
    """The stretches of neighbouring True values, as positions."""
    inside = np.flatnonzero(keep)
    if len(inside):
        yield from np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1)
