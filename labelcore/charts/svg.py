"""A drawing as nodes of SVG: for Label, the report, the PDF and the picture for slides.

Colours are custom properties of the page, one for each role of the design.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labelcore.charts.design import CHART_TEXT
from labelcore.charts.drawing import (
    NARROW_BAND,
    AnyMark,
    Band,
    Bars,
    Drawing,
    Ends,
    Line,
    Numbers,
    Points,
    Remark,
    Rule,
    Scale,
    Side,
    Symbol,
    runs,
)
from labelcore.charts.nodes import Node, node

WIDTH = 640.0
LINE_HEIGHT = CHART_TEXT * 1.3
LETTER = 0.56 * CHART_TEXT
"""About how wide a letter is."""
LIFT = 12
"""Of a title above the numbers of its axis."""
MOST_NAME = 190.0
PAD = 8.0
CROSS_TEXT = 16
DASHED = {"": "", "dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "10 4"}
DASHED["longdashdot"] = "10 3 2 3"
HATCHED = {"/": "M0,6 6,0", "x": "M0,0 6,6 M0,6 6,0", "-": "M0,3 6,3", "+": "M3,0 3,6 M0,3 6,3"}
HATCHED["."] = "M2,3 4,3"


@dataclass(frozen=True, slots=True)
class Box:
    """A picture of so many units, and where the data stand in it."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def across(self) -> Ends:
        return self.left, self.right

    @property
    def upwards(self) -> Ends:
        return self.bottom, self.top


@dataclass(frozen=True, slots=True)
class Frame:
    """From data to units of the picture."""

    x: Scale
    y: Scale
    across: Ends
    upwards: Ends

    def at(self, x: Numbers, y: Numbers) -> Points:
        return _along(self.across, self.x.share(x)), _along(self.upwards, self.y.share(y))

    def level(self, x: float) -> float:
        return _between(self.across, self.x.place(x), 1)[0]

    def height(self, y: float) -> float:
        return _between(self.upwards, self.y.place(y), 1)[0]


def svg(drawing: Drawing, name: str, words: str, *, box: Box | None = None) -> Node:
    """The picture as an element.

    name    unlike that of any other picture of the same page
    words   the same for those who do not see it
    box     where the data stand; None: as large as texts and legend leave room for
    """
    level, uprights = drawing.level, drawing.uprights
    legend = _legend_rows(drawing.named)
    box = box or _roomy(drawing, level, uprights, len(legend))
    end = box.height if drawing.below else box.top - 16
    parts = [*_patterns(drawing.marks, name), *_legend(legend, end, name)]
    frames = [
        Frame(level, upright, box.across, _between(box.upwards, *panel))
        for upright, panel in zip(uprights, drawing.panels, strict=True)
    ]
    if not drawing.bare:
        parts += [part for frame in frames for part in _scale_up(frame)]
        parts += _scale_across(frames[-1], box)
    areas: list[Node] = []
    lines: list[Node] = []
    for mark in drawing.marks:
        (lines if isinstance(mark, Line) else areas).extend(_mark(mark, frames[mark.panel], name))
    parts += [*areas, *(_rule(rule, frames[0], box) for rule in drawing.rules), *lines]
    parts += [_remark(remark, frames[0], box) for remark in drawing.remarks]
    return node(
        "svg",
        *parts,
        klass="chart",
        viewBox=f"0 0 {box.width:g} {box.height:g}",
        role="img",
        aria_label=words,
        fill=colour("quiet"),
        font_size=CHART_TEXT,
    )


def colour(role: str) -> str:
    """The custom property of a role."""
    return f"var(--{role})"


def _along(ends: Ends, share: Numbers) -> Numbers:
    return ends[0] + (ends[1] - ends[0]) * share


def _between(ends: Ends, start: float, end: float) -> Ends:
    return ends[0] + (ends[1] - ends[0]) * start, ends[0] + (ends[1] - ends[0]) * end


def _roomy(drawing: Drawing, level: Scale, uprights: Sequence[Scale], rows: int) -> Box:
    """A box that leaves room for the numbers beside it, the names below and the legend."""
    texts = [text for upright in uprights for _, text in upright.ticks()]
    widest = 0.0 if drawing.bare else max(map(len, texts), default=0) * LETTER
    left, right = min(widest, MOST_NAME) + 6 + PAD, WIDTH - 14
    below = PAD
    if not drawing.bare:
        lines = len(level.axis.title.splitlines())
        names = [text for _, text in level.ticks()]
        turned = min(max(map(len, names), default=0) * LETTER, 110) * 0.8
        below += LINE_HEIGHT * (lines + 1) + (turned if _turned(level, (left, right)) else 2)
    named, top = LINE_HEIGHT * 1.3 * rows, PAD + 16.0
    if drawing.below:
        below += named
    else:
        top += named
    return Box(WIDTH, drawing.height, left, right, top, drawing.height - below)


def _turned(level: Scale, across: Ends) -> bool:
    """Whether names below are too long to stand side by side."""
    names = [text for _, text in level.ticks()] if not level.axis.grid else []
    slot = (across[1] - across[0]) / max(len(names), 1)
    return any(len(name) * LETTER > slot - 4 for name in names)


def _text(text: str, x: float, y: float, **attributes: object) -> Node:
    return node("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **attributes)


def _fitted(text: str) -> str:
    most = int(MOST_NAME / LETTER)
    return text if len(text) <= most else text[: most - 1] + "…"


def _scale_up(frame: Frame) -> list[Node]:
    """The title above the y axis, lines across, and their numbers."""
    lines = frame.y.axis.title.splitlines()
    (left, right), (bottom, top) = frame.across, frame.upwards
    nodes = [
        _text(line, 0, top - LIFT - LINE_HEIGHT * (len(lines) - 1 - row), klass="axis")
        for row, line in enumerate(lines)
    ]
    for value, text in frame.y.ticks():
        at = frame.height(value)
        if frame.y.axis.grid:
            nodes.append(_line((left, right), (at, at), "rule", 1, kind="grid"))
        nodes.append(_text(_fitted(text), left - 6, at + 4, text_anchor="end"))
    if not frame.y.axis.grid:
        for value, _ in frame.x.ticks():
            at = frame.level(value)
            nodes.append(_line((at, at), (bottom, top), "rule", 1, kind="grid"))
    return nodes


def _scale_across(frame: Frame, box: Box) -> list[Node]:
    """The line below, numbers or names along it, and the title below its end."""
    ticks, turned = frame.x.ticks(), _turned(frame.x, box.across)
    slot = (box.right - box.left) / max(len(ticks), 1)
    every = math.ceil(CHART_TEXT * 1.1 / slot) if turned else 1
    nodes = [_line(box.across, (box.bottom, box.bottom), "rule", 1)]
    for value, text in ticks[::every]:
        at, low = frame.level(value), box.bottom + 10
        place: dict[str, object] = {"text_anchor": "end" if at > box.right - 12 else "middle"}
        if turned:
            place = {"text_anchor": "end", "transform": f"rotate(-50 {at:.1f} {low:.1f})"}
        nodes.append(_text(_fitted(text), at, low if turned else low + 7, **place))
    lines = frame.x.axis.title.splitlines()
    for row, line in enumerate(lines):
        y = box.height - 4 - LINE_HEIGHT * (len(lines) - 1 - row)
        nodes.append(_text(line, box.right, y, klass="axis", text_anchor="end"))
    return nodes


def _stroke(role: str, width: float, dash: str = "") -> dict[str, object]:
    dashed = {"stroke_dasharray": DASHED[dash]} if dash else {}
    return {"stroke": colour(role), "stroke_width": f"{width:g}", **dashed}


def _line(x: Ends, y: Ends, role: str, width: float, dash: str = "", kind: str = "") -> Node:
    ends = {"x1": x[0], "x2": x[1], "y1": y[0], "y2": y[1]}
    placed = {key: f"{value:.1f}" for key, value in ends.items()}
    return node("line", **_class(kind), **placed, **_stroke(role, width, dash))


def _class(kind: str) -> dict[str, str]:
    return {"klass": kind} if kind else {}


def _said(mark: AnyMark) -> dict[str, object]:
    """What a mark is, and how much of the ground is seen through it."""
    seen = {} if mark.opacity == 1 else {"opacity": f"{mark.opacity:g}"}
    return {**_class(mark.kind), **seen}


def _joined(x: Numbers, y: Numbers) -> str:
    """Points to a tenth of a unit, each place once."""
    x, y = np.round(x, 1), np.round(y, 1)
    moved = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    pairs = zip(x[moved].tolist(), y[moved].tolist(), strict=True)
    return " ".join([f"{a:.1f},{b:.1f}" for a, b in pairs])


def _mark(mark: AnyMark, frame: Frame, name: str) -> list[Node]:
    if isinstance(mark, Bars):
        return _bars(mark, frame, name)
    return _band(mark, frame) if isinstance(mark, Band) else _line_and_dots(mark, frame)


def _band(mark: Band, frame: Frame) -> list[Node]:
    look: dict[str, object] = {"fill": colour(mark.role)}
    if mark.narrow:
        look |= _stroke(mark.role, NARROW_BAND)
    return [
        node("polygon", **_said(mark), points=_joined(*frame.at(*outline)), **look)
        for outline in mark.outlines()
    ]


def _line_and_dots(mark: Line, frame: Frame) -> list[Node]:
    x, y = mark.points
    known = frame.x.covers(x) & frame.y.covers(y)
    at = frame.at(x, y)
    nodes = []
    if mark.width:
        look = {"fill": "none", **_stroke(mark.role, mark.width, mark.dash)}
        nodes = [
            node("polyline", **_said(mark), points=_joined(at[0][run], at[1][run]), **look)
            for run in runs(known)
        ]
    if mark.dotted:
        sizes = np.broadcast_to(mark.dots, len(x))
        for place in np.flatnonzero(known & (sizes > 0)):
            where = float(at[0][place]), float(at[1][place])
            nodes.append(_dot(*where, float(sizes[place]) / 2, mark))
    return nodes


def _dot(x: float, y: float, radius: float, mark: Line) -> Node:
    attributes, tint = _said(mark), colour(mark.role)
    if mark.symbol == Symbol.CROSS:
        strong = {"font_size": CROSS_TEXT, "font_weight": 700, "text_anchor": "middle"}
        return _text("×", x, y + 5, **attributes, **strong, fill=tint)
    hollow = mark.symbol in (Symbol.HOLLOW, Symbol.HOLLOW_DIAMOND)
    look = {"fill": "none", **_stroke(mark.role, 1.5)} if hollow else {"fill": tint}
    if mark.symbol == Symbol.RINGED:
        look |= _stroke("ground", 2)
    if mark.symbol == Symbol.HOLLOW_DIAMOND:
        corners = np.array([x, x + radius, x, x - radius]), np.array([y - radius, y, y + radius, y])
        return node("polygon", **attributes, points=_joined(*corners), **look)
    return node("circle", **attributes, cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius:g}", **look)


def _bars(mark: Bars, frame: Frame, name: str) -> list[Node]:
    y = mark.points[1]
    left, right = np.split(_along(frame.across, frame.x.share(mark.reach[0])), 2)
    top, base = _along(frame.upwards, frame.y.share(y)), frame.upwards[0]
    nodes = []
    for place in np.flatnonzero(np.isfinite(y) & ((y > 0) | (not frame.y.axis.log))):
        box = {
            "x": f"{left[place]:.1f}",
            "y": f"{top[place]:.1f}",
            "width": f"{right[place] - left[place]:.1f}",
            "height": f"{base - top[place]:.1f}",
        }
        nodes += [node("rect", **box, fill=fill) for fill in _fills(mark, name)]
    return nodes


def _fills(mark: Bars, name: str) -> list[str]:
    return [colour(mark.role), *([f"url(#{_pattern(name, mark.pattern)})"] if mark.pattern else [])]


def _pattern(name: str, pattern: str) -> str:
    return f"{name}-pattern-{list(HATCHED).index(pattern)}"


def _patterns(marks: Iterable[AnyMark], name: str) -> list[Node]:
    """The hatchings that bars use, in the colour of the ground."""
    used = {mark.pattern for mark in marks if isinstance(mark, Bars)}
    return [
        node(
            "pattern",
            node("path", d=path, fill="none", stroke=colour("ground"), stroke_width=1.2),
            id=_pattern(name, pattern),
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
        )
        for pattern, path in HATCHED.items()
        if pattern in used
    ]


def _rule(rule: Rule, frame: Frame, box: Box) -> Node:
    if rule.upright:
        x, y = (frame.level(rule.at),) * 2, box.upwards
    else:
        x, y = _between(box.across, rule.start, 1.0), (frame.height(rule.at),) * 2
    return _line(x, y, rule.role, rule.width, rule.dash, rule.kind)


def _remark(remark: Remark, frame: Frame, box: Box) -> Node:
    """Its words, within the box if they stand at a value of the y axis."""
    x, y = _between(box.across, remark.across, 1)[0], _between(box.upwards, remark.up, 1)[0]
    aside = 0
    if remark.x is not None:
        x = frame.level(remark.x)
    anchor = remark.anchored(frame.x)
    if remark.x is not None or remark.side == Side.BESIDE:
        aside = {"start": 5, "end": -5, "middle": 0}[anchor]
    if remark.y is not None:
        y = frame.height(remark.y)
    y += {Side.ABOVE: -5, Side.BELOW: 14, Side.BESIDE: 4}[remark.side]
    if remark.y is not None:
        y = max(y, box.top + 10)
    return _text(remark.text, x + aside, y, klass="remark", text_anchor=anchor)


def _legend_rows(marks: Iterable[AnyMark]) -> list[list[AnyMark]]:
    """What is named, as rows that fit the width."""
    rows: list[list[AnyMark]] = []
    left = 0.0
    for mark in marks:
        left -= _legend_width(mark)
        if left < 0:
            rows.append([])
            left = WIDTH - 2 * PAD - _legend_width(mark)
        rows[-1].append(mark)
    return rows


def _legend_width(mark: AnyMark) -> float:
    return 32 + len(mark.name) * LETTER


def _legend(rows: Sequence[Sequence[AnyMark]], bottom: float, name: str) -> list[Node]:
    nodes: list[Node] = []
    for row, marks in enumerate(rows):
        y = bottom - LINE_HEIGHT * 1.3 * (len(rows) - row) + LINE_HEIGHT * 0.3
        x = PAD
        for mark in marks:
            nodes += [
                *_swatch(mark, x, y, name),
                _text(mark.name, x + 22, y + 4, fill=colour("ink")),
            ]
            x += _legend_width(mark)
    return nodes


def _swatch(mark: AnyMark, x: float, y: float, name: str) -> list[Node]:
    box = {"x": x, "y": f"{y - 5:.1f}", "width": 16, "height": 10}
    if isinstance(mark, Bars):
        return [node("rect", **box, fill=fill) for fill in _fills(mark, name)]
    if isinstance(mark, Band):
        return [node("rect", **box, fill=colour(mark.role))]
    nodes = [_line((x, x + 16), (y, y), mark.role, mark.width, mark.dash)] if mark.width else []
    return [*nodes, *([_dot(x + 8, y, 3, mark)] if mark.dotted else [])]
