"""A chart as SVG, drawn from the same figure that the page shows; no script and no browser.

The figure is read, not drawn anew: its traces (lines, marks, filled outlines, bars), reference
lines, remarks and axes are all that the charts use. Colours are those of the light theme.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from labelcore.charts.base import GRID, HEIGHT, REFERENCE, SHARE_TICKS, Chart
from labelcore.charts.design import CHART_TEXT, LIGHT
from labelcore.charts.living import Node, node

WIDTH = 640.0
LINE_HEIGHT = CHART_TEXT * 1.3
LETTER = 0.56 * CHART_TEXT
"""About how wide a letter is."""
MOST_NAME = 190.0
PAD = 8.0
STEPS = (1, 2, 2.5, 5, 10)
DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "10 4"}
DASHES["longdashdot"] = "10 3 2 3"
PATTERNS = {"/": "M0,6 6,0", "x": "M0,0 6,6 M0,6 6,0", "-": "M0,3 6,3", "+": "M3,0 3,6 M0,3 6,3"}
PATTERNS["."] = "M2,3 4,3"
Values = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """From data to units of the drawing along one side.

    ends    of the data, as logarithms to base 10 on a log scale
    sides   where they are drawn
    places  category -> its number; empty on a scale of numbers
    """

    given: Mapping[str, Any]
    ends: tuple[float, float]
    sides: tuple[float, float]
    places: Mapping[str, int]

    @property
    def log(self) -> bool:
        return self.given.get("type") == "log"

    def at(self, value: Any) -> float:
        return self.along(_number(value, self.log, self.places))

    def along(self, number: float) -> float:
        """The same from a place on the scale: a logarithm on a log scale."""
        (low, high), (start, end) = self.ends, self.sides
        return start + (end - start) * (number - low) / (high - low)

    def ticks(self) -> list[tuple[float, str]]:
        """Where ticks are, and their texts."""
        names = self.given.get("ticktext")
        if names is not None:
            values = self.given["tickvals"]
            return [(self.at(v), _plain(n)[0]) for v, n in zip(values, names, strict=True)]
        if self.places:
            return [(self.along(place), _plain(name)[0]) for name, place in self.places.items()]
        low, high = self.ends
        if self.log:
            powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
            every = math.ceil(len(powers) / 8) or 1
            return [(self.along(p), f"{10.0**p:,.10g}") for p in powers[::every]]
        step = _step(high - low)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        share = self.given.get("tickformat") == SHARE_TICKS
        return [(self.along(n * step), _tick(n * step, share)) for n in range(first, last + 1)]


def drawn(chart: Chart, name: str, title: str = "") -> Node:
    """The chart as an svg element.

    name    unlike that of any other drawing of the same page
    title   the text instead, where the chart's words stand beside it; "": its words
    """
    # Trace by trace: the whole figure at once would have its arrays encoded.
    data = [trace.to_plotly_json() for trace in chart.figure.data]
    layout = chart.figure.layout.to_plotly_json()
    height = float(layout.get("height") or HEIGHT)
    rows = _legend_rows(data) if layout.get("showlegend") else []
    upright = _upright_axes(data, layout)
    level = _range(layout.get("xaxis", {}), data, "x", ())
    left = _left(layout, upright)
    across = (left + PAD, WIDTH - 14.0)
    turned = _turned(level, across)
    bottom = height - _below(layout.get("xaxis", {}), level, turned)
    above = float((layout.get("margin") or {}).get("t") or 0)
    top = PAD + 16 + max(LINE_HEIGHT * 1.3 * len(rows), above - 18)
    x = Axis(level.given, level.ends, across, level.places)
    shapes: list[Node] = []
    for reference, axis in upright.items():
        part = axis.given.get("domain") or (0.0, 1.0)
        sides = bottom - (bottom - top) * part[0], bottom - (bottom - top) * part[1]
        y = Axis(axis.given, axis.ends, sides, axis.places)
        shapes += _grid(y, across, str((axis.given.get("title") or {}).get("text") or ""))
        own = [trace for trace in data if (trace.get("yaxis") or "y") == reference]
        shapes += [one for trace in own for one in _trace(trace, x, y, name)]
        if reference == "y":
            shapes += _references(layout, x, y, (top, bottom))
    if layout.get("xaxis", {}).get("visible") is not False:
        shapes += _below_axis(x, bottom, turned, height)
    legend = _legend(rows, top - 16, name)
    box = f"0 0 {WIDTH:g} {height:g}"
    parts = [*_patterns(data, name), *legend, *shapes]
    return node(
        "svg", *parts, klass="drawn", viewBox=box, role="img", aria_label=title or chart.alt
    )


def _number(value: Any, log: bool, places: Mapping[str, int]) -> float:
    if places:
        return float(places.get(str(value), 0))
    number = float(value)
    return math.log10(number) if log else number


def _known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _plain(text: object) -> list[str]:
    """The lines of a text of a figure, names in it letter by letter."""
    return [html.unescape(line) for line in str(text).split("<br>")]


def _tick(value: float, share: bool) -> str:
    text = f"{100 * value:.4g} %" if share else f"{value:,.10g}"
    return text.replace("-", "−")


def _step(span: float) -> float:
    """A round distance between about five ticks."""
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * one for one in STEPS if power * one >= rough * (1 - 1e-9))


def _values(trace: Mapping[str, Any], side: str) -> Values:
    found = trace.get(side)
    return [] if found is None else list(found)


def _upright_axes(data: Values, layout: Mapping[str, Any]) -> dict[str, Axis]:
    """The upright axes by the name that traces use."""
    used = dict.fromkeys([str(trace.get("yaxis") or "y") for trace in data] or ["y"])
    found = {}
    for reference in used:
        given = layout.get("yaxis" + reference[1:], {})
        own = [trace for trace in data if (trace.get("yaxis") or "y") == reference]
        lines = layout.get("shapes") or () if reference == "y" else ()
        found[reference] = _range(given, own, "y", lines)
    return found


def _range(given: Mapping[str, Any], data: Values, side: str, shapes: Values) -> Axis:
    """An axis with the ends that it was given, or that its data need."""
    if given.get("type") == "category":
        seen = [str(one) for trace in data for one in _values(trace, side) if one is not None]
        order = given.get("categoryarray")
        names = list(dict.fromkeys(seen if order is None else [str(one) for one in order]))
        places = {one: place for place, one in enumerate(names)}
        ends = given.get("range") or (-0.6, len(names) - 0.4)
        return Axis(given, (float(ends[0]), float(ends[1])), (0, 1), places)
    log = given.get("type") == "log"
    if given.get("range") is not None:
        low, high = (float(end) for end in given["range"])
    else:
        low, high = _reach(given, data, side, shapes, log)
    for limit, choose in (("minallowed", max), ("maxallowed", min)):
        if given.get(limit) is not None:
            low, high = choose(low, given[limit]), choose(high, given[limit])
    return Axis(given, (low, high if high > low else low + 1.0), (0, 1), {})


def _reach(
    given: Mapping[str, Any], data: Values, side: str, shapes: Values, log: bool
) -> tuple[float, float]:
    """The least and the largest value, with room; bars and scales of amounts start at zero."""
    found = [
        _number(one, log, {})
        for trace in data
        for one in _values(trace, side)
        if _known(one) and not (log and float(one) <= 0)
    ]
    held = [one for one in shapes if one.get(f"{side}ref") != "paper"]
    found += [_number(one[f"{side}0"], log, {}) for one in held]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    bars = side == "y" and any(trace.get("type") == "bar" for trace in data)
    room = 0.05 * (high - low) or 0.1 * abs(high) or 1.0
    # A line drawn through the whole width needs no room at its ends.
    room = 0.0 if side == "x" and not _marked(data) else room
    if not log and low >= 0 and (bars or given.get("rangemode") == "tozero"):
        return 0.0, high + room
    return low - room, high + room


def _marked(data: Values) -> bool:
    return any("markers" in (trace.get("mode") or "") for trace in data)


def _left(layout: Mapping[str, Any], axes: Mapping[str, Axis]) -> float:
    """Room for the ticks on the left and the axis titles above them."""
    texts = [text for axis in axes.values() for _, text in axis.ticks() if _shown(axis.given)]
    widest = max((len(text) for text in texts), default=0) * LETTER
    return min(widest, MOST_NAME) + 6


def _shown(given: Mapping[str, Any]) -> bool:
    return given.get("visible") is not False


def _turned(axis: Axis, across: tuple[float, float]) -> bool:
    """Whether names below are too long to stand side by side."""
    names = list(axis.places)
    slot = (across[1] - across[0]) / max(len(names), 1)
    return any(len(_plain(name)[0]) * LETTER > slot - 4 for name in names)


def _below(given: Mapping[str, Any], axis: Axis, turned: bool) -> float:
    """Room for ticks and title below."""
    if not _shown(given):
        return PAD
    lines = len(_title(given))
    longest = max((len(_plain(name)[0]) for name in axis.places), default=0) * LETTER
    return PAD + LINE_HEIGHT * (lines + 1) + (min(longest, 110) * 0.8 if turned else 2)


def _title(given: Mapping[str, Any]) -> list[str]:
    text = (given.get("title") or {}).get("text") or ""
    return _plain(text) if text else []


def _text(text: str, x: float, y: float, **attributes: object) -> Node:
    given = {"fill": LIGHT.quiet, "font_size": CHART_TEXT, **attributes}
    return node("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **given)


def _grid(y: Axis, across: tuple[float, float], title: str) -> list[Node]:
    """Lines across with their values, and the title above the axis."""
    if not _shown(y.given):
        return []
    made: list[Node] = []
    for at, text in y.ticks():
        if not y.places:
            made.append(_line((across[0], at), (across[1], at), GRID, 1))
        made.append(_text(_fitted(text), across[0] - 6, at + 4, text_anchor="end"))
    if title:
        for line in _plain(title):
            made.append(_text(line, across[0], min(y.sides) - 5))
    return made


def _fitted(text: str) -> str:
    most = int(MOST_NAME / LETTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _below_axis(x: Axis, bottom: float, turned: bool, height: float) -> list[Node]:
    made = [_line((x.sides[0], bottom), (x.sides[1], bottom), GRID, 1)]
    ticks = x.ticks()
    slot = (x.sides[1] - x.sides[0]) / max(len(ticks), 1)
    every = math.ceil(CHART_TEXT * 1.1 / slot) if turned else 1
    for at, text in ticks[::every]:
        place: dict[str, Any] = {"text_anchor": "middle"}
        if turned:
            place = {"text_anchor": "end", "transform": f"rotate(-50 {at:.1f} {bottom + 10:.1f})"}
        elif at > x.sides[1] - 12:
            place = {"text_anchor": "end"}
        made.append(_text(_fitted(text), at, bottom + (10 if turned else 16), **place))
    lines = _title(x.given)
    middle = sum(x.sides) / 2
    for row, line in enumerate(lines):
        at = height - PAD / 2 - LINE_HEIGHT * (len(lines) - 1 - row)
        made.append(_text(line, middle, at, text_anchor="middle"))
    return made


def _line(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float, dash: str = ""
) -> Node:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    placed = {key: f"{value:.1f}" for key, value in ends.items()}
    return node("line", **placed, stroke=colour, stroke_width=f"{width:g}", **_dashed(dash))


def _dashed(dash: str | None) -> dict[str, object]:
    return {"stroke_dasharray": DASHES[dash]} if dash in DASHES else {}


def _trace(trace: Mapping[str, Any], x: Axis, y: Axis, name: str) -> list[Node]:
    if trace.get("type") == "bar":
        return _bars(trace, x, y, name)
    points = [
        (x.at(a), y.at(b)) if _known(a) and _known(b) else None
        for a, b in zip(_values(trace, "x"), _values(trace, "y"), strict=True)
    ]
    made: list[Node] = []
    if "lines" in (trace.get("mode") or "lines"):
        made += _lines(trace, points)
    if "markers" in (trace.get("mode") or ""):
        made += _marks(trace, points)
    return made


def _lines(trace: Mapping[str, Any], points: Sequence[tuple[float, float] | None]) -> list[Node]:
    line, made = trace.get("line") or {}, []
    width = line.get("width", 2)
    filled = trace.get("fill") == "toself"
    for known, run in groupby(points, key=lambda one: one is not None):
        if not known:
            continue
        at = _joined(run)
        stroke = {"stroke": line.get("color"), "stroke_width": f"{width:g}"} if width else {}
        if filled:
            fill = trace.get("fillcolor")
            made.append(node("polygon", points=at, fill=fill, **stroke))
        elif width:
            dash = _dashed(line.get("dash"))
            made.append(
                node("polyline", points=at, fill="none", stroke_linejoin="round", **stroke, **dash)
            )
    return made


def _joined(run: Iterable[tuple[float, float] | None]) -> str:
    """Points to a tenth of a unit, each place once."""
    texts = (f"{point[0]:.1f},{point[1]:.1f}" for point in run if point is not None)
    return " ".join(text for text, _ in groupby(texts))


def _marks(trace: Mapping[str, Any], points: Sequence[tuple[float, float] | None]) -> list[Node]:
    marker = trace.get("marker") or {}
    size, colour = marker.get("size", 6), marker.get("color")
    made = []
    for place, point in enumerate(points):
        own = size[place] if isinstance(size, list | tuple) else size
        if point is None or not own:
            continue
        tint = colour[place] if isinstance(colour, list | tuple) else colour
        made.append(_mark(point, float(own) / 2, tint, str(marker.get("symbol") or "circle")))
    return made


def _mark(point: tuple[float, float], radius: float, colour: Any, symbol: str) -> Node:
    hollow = symbol.endswith("-open")
    look = {"fill": "none", "stroke": colour, "stroke_width": 1.5} if hollow else {"fill": colour}
    x, y = point
    if symbol.startswith("diamond"):
        corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        return node("polygon", points=_joined(corners), **look)
    return node("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius:g}", **look)


def _bars(trace: Mapping[str, Any], x: Axis, y: Axis, name: str) -> list[Node]:
    marker = trace.get("marker") or {}
    shape = (marker.get("pattern") or {}).get("shape") or ""
    colour, widths = marker.get("color"), trace.get("width")
    base = y.sides[0]
    made = []
    for place, (at, value) in enumerate(zip(_values(trace, "x"), _values(trace, "y"), strict=True)):
        if not _known(value) or (y.log and value <= 0):
            continue
        middle, end = x.at(at), y.at(value)
        wide = widths[place] if widths is not None else 0.85
        half = abs(x.along(float(wide)) - x.along(0.0)) / 2
        box = {
            "x": f"{middle - half:.1f}",
            "y": f"{min(base, end):.1f}",
            "width": f"{2 * half:.1f}",
            "height": f"{abs(base - end):.1f}",
        }
        tint = colour[place] if isinstance(colour, list | tuple) else colour
        hatched = [f"url(#{name}-{_shape_name(shape)})"] if shape else []
        made += [node("rect", **box, fill=one) for one in (tint, *hatched)]
    return made


def _shape_name(shape: str) -> str:
    return f"pattern-{list(PATTERNS).index(shape)}"


def _patterns(data: Values, name: str) -> list[Node]:
    """The hatchings that bars use, in the colour of the ground."""
    used = {((trace.get("marker") or {}).get("pattern") or {}).get("shape") for trace in data}
    return [
        node(
            "pattern",
            node("path", d=path, fill="none", stroke=LIGHT.ground, stroke_width=1.2),
            id=f"{name}-{_shape_name(shape)}",
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
        )
        for shape, path in PATTERNS.items()
        if shape in used
    ]


def _references(
    layout: Mapping[str, Any], x: Axis, y: Axis, upright: tuple[float, float]
) -> list[Node]:
    """Reference lines and remarks, in data or in shares of the box."""
    made = []
    for shape in layout.get("shapes") or ():
        ends = [(_place(shape, "x", end, x), _place(shape, "y", end, y, upright)) for end in (0, 1)]
        line = shape["line"]
        colour = line.get("color") or REFERENCE
        made.append(_line(ends[0], ends[1], colour, line.get("width", 1), line.get("dash") or ""))
    for note in layout.get("annotations") or ():
        at = note.get("x", 0), note.get("y", 0)
        across = _share(at[0], x.sides) if note.get("xref") == "paper" else x.along(float(at[0]))
        if note.get("yref") == "paper":
            place = _share(at[1], (upright[1], upright[0]))
        else:
            place = y.along(float(at[1]))
        anchor = {"left": "start", "right": "end"}.get(note.get("xanchor") or "", "middle")
        made.append(_text(_plain(note["text"])[0], across, place - 4, text_anchor=anchor))
    return made


def _place(
    shape: Mapping[str, Any],
    side: str,
    end: int,
    axis: Axis,
    sides: tuple[float, float] | None = None,
) -> float:
    value = shape[f"{side}{end}"]
    if shape.get(f"{side}ref") in ("paper", "x domain", "y domain"):
        whole = axis.sides if sides is None else (sides[1], sides[0])
        return _share(value, whole)
    return axis.at(value)


def _share(value: float, sides: tuple[float, float]) -> float:
    return sides[0] + (sides[1] - sides[0]) * float(value)


def _legend_rows(data: Values) -> list[list[tuple[Mapping[str, Any], str]]]:
    """What is named, as rows that fit the width."""
    rows: list[list[tuple[Mapping[str, Any], str]]] = []
    left = 0.0
    for trace in data:
        if trace.get("showlegend") is False or not trace.get("name"):
            continue
        text = _plain(trace["name"])[0]
        left -= _legend_width(text)
        if left < 0:
            rows.append([])
            left = WIDTH - 2 * PAD - _legend_width(text)
        rows[-1].append((trace, text))
    return rows


def _legend_width(text: str) -> float:
    return 32 + len(text) * LETTER


def _legend(
    rows: Sequence[Sequence[tuple[Mapping[str, Any], str]]], bottom: float, name: str
) -> list[Node]:
    made: list[Node] = []
    for row, entries in enumerate(rows):
        y = bottom - LINE_HEIGHT * 1.3 * (len(rows) - row) + LINE_HEIGHT * 0.3
        x = PAD
        for trace, text in entries:
            made += [*_swatch(trace, x, y, name), _text(text, x + 22, y + 4, fill=LIGHT.ink)]
            x += _legend_width(text)
    return made


def _swatch(trace: Mapping[str, Any], x: float, y: float, name: str) -> list[Node]:
    marker, line = trace.get("marker") or {}, trace.get("line") or {}
    box = {"x": x, "y": f"{y - 5:.1f}", "width": 16, "height": 10}
    if trace.get("type") == "bar":
        shape = (marker.get("pattern") or {}).get("shape")
        hatched = [f"url(#{name}-{_shape_name(shape)})"] if shape else []
        return [node("rect", **box, fill=one) for one in (marker.get("color"), *hatched)]
    if trace.get("fill") == "toself":
        return [node("rect", **box, fill=trace.get("fillcolor"))]
    made = []
    mode = trace.get("mode") or "lines"
    if "lines" in mode:
        width, dash = line.get("width", 2), line.get("dash") or ""
        made.append(_line((x, y), (x + 16, y), line.get("color") or REFERENCE, width, dash))
    if "markers" in mode:
        tint = marker.get("color")
        made.append(_mark((x + 8, y), 3, tint, str(marker.get("symbol") or "circle")))
    return made
