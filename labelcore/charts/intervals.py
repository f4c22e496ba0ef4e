"""Figures with their intervals as rows on one scale, as SVG for a report."""

from collections.abc import Sequence

from labelcore.charts.axes import SHARES
from labelcore.charts.design import FIRST
from labelcore.charts.drawing import Ends
from labelcore.charts.live_picture import Bar
from labelcore.charts.nodes import Node, node
from labelcore.charts.svg import LETTER, WIDTH, colour
from labelcore.safe_text import shortened

ROW, THICK = 30.0, 10.0
SIZE = 14
VALUE, LEAST_RANGE = 64.0, 80.0
LONGEST, LONGEST_ROW, SHORT_NAME = 34, 30, 22
TALL, LINE, SLIM = 44.0, 18.0, 6.0
SMALL, GAP, WIDEST = 11, 16.0, 280.0
"""Of several figures beside each other: a row, its words, its bars, between columns, and a column
of few."""


def interval_rows(
    shown: Sequence[Bar],
    scale: Ends = SHARES,
    *,
    words: str,
    wanted: float | None = None,
    wide: float = WIDTH,
) -> Node:
    """A row for each figure: name, value, interval and value on the scale, ends in numbers.

    scale    of differences it has a line at zero
    words    the same as text
    wanted   a value that is asked for, as a line through all rows with its number below
    wide     of the picture, where no name is long
    """
    names = [shortened(bar.name, LONGEST) for bar in shown]
    longest = max(map(len, names))
    wide = WIDTH if longest > SHORT_NAME else wide
    left = longest * LETTER * SIZE / 12 + 12
    room = max(len(bar.said[1]) for bar in shown) * LETTER * SIZE / 12
    ends = left + VALUE, wide - max(room + 18, LEAST_RANGE)
    nodes: list[Node] = []
    for place, (bar, name) in enumerate(zip(shown, names, strict=True)):
        nodes += _row(bar, name, ROW * (place + 0.5), ends, scale)
    height = ROW * len(shown)
    for value in ([0.0] if scale[0] < 0 else []) + ([] if wanted is None else [wanted]):
        x = f"{_along(value, ends, scale):.1f}"
        dashed = {"stroke": colour("quiet"), "stroke_width": 1.5, "stroke_dasharray": "5 4"}
        nodes.append(node("line", x1=x, x2=x, y1=0, y2=height, **dashed))
    if wanted is not None:
        where = {"text_anchor": "middle", "fill": colour("quiet")}
        nodes.append(_text(f"wanted: {100 * wanted:g} %", float(x), height + ROW / 3, **where))
        height += ROW * 2 / 3
    box = f"0 0 {wide:g} {height:g}"
    return node("svg", *nodes, klass="chart", viewBox=box, role="img", aria_label=words)


def interval_columns(
    heads: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Bar | None]]],
    *,
    words: str,
) -> Node:
    """A table of figures: a row for each name, a column for each figure, all on one scale.

    rows    name, and the bar of each column
    words   the same as text
    """
    names = [shortened(name, LONGEST_ROW) for name, _ in rows]
    left = min(max(len(name) for name in names) * LETTER + 12, WIDTH / 3)
    wide = min((WIDTH - left) / len(heads), WIDEST)
    shown = [shortened(head, int((wide - GAP) / LETTER)) for head in heads]
    nodes = [
        _text(head, left + wide * at, LINE / 2, font_size=SMALL, fill=colour("quiet"))
        for at, head in enumerate(shown)
    ]
    for place, (name, (_, cells)) in enumerate(zip(names, rows, strict=True)):
        top = LINE + 6 + TALL * place
        nodes.append(_text(name, 0, top + LINE / 2, font_size=SMALL + 1))
        for at, bar in enumerate(cells):
            if bar is not None:
                start = left + wide * at
                nodes += _cell(bar, (start, start + wide - GAP), top)
    box = f"0 0 {WIDTH:g} {LINE + 6 + TALL * len(rows):g}"
    return node("svg", *nodes, klass="chart", viewBox=box, role="img", aria_label=words)


def _cell(bar: Bar, ends: tuple[float, float], top: float) -> list[Node]:
    """Value and interval in words above the bar."""
    y, words = top + LINE + 7, top + LINE / 2
    strong = {"font_size": SMALL + 1, "font_weight": "bold", "klass": "said"}
    side = {"text_anchor": "end", "font_size": SMALL, "fill": colour("quiet"), "klass": "between"}
    nodes = [
        _text(bar.said[0], ends[0], words, **strong),
        _text(bar.said[1], ends[1], words, **side),
        _box(ends, y, SLIM, fill=colour("empty"), klass="track"),
    ]
    return nodes + _marks(bar, ends, SHARES, y, SLIM)


def _marks(bar: Bar, ends: tuple[float, float], scale: Ends, y: float, thick: float) -> list[Node]:
    """Interval and value on the scale; what there is not is hidden, for a replay to show."""
    tint = colour("quiet" if bar.out or bar.guessed else FIRST)
    gone = {"visibility": "hidden"}
    low, high = (_along(end or 0.0, ends, scale) for end in (bar.low, bar.high))
    outline = {"fill": "none", "stroke": tint, "stroke_dasharray": "4 3"}
    look: dict[str, object] = {"fill": tint, "fill_opacity": 0.42}
    band = {**(outline if bar.assumed else look), "klass": "interval"}
    band |= gone if bar.low is None else {}
    at = _along(bar.value or 0.0, ends, scale)
    value = {"fill": tint, "klass": "value", **(gone if bar.value is None else {})}
    return [
        _box((low, max(high, low + 1)), y, thick, **band),
        _box((at - 2, at + 2), y, thick + 6, **value),
    ]


def _along(value: float, ends: tuple[float, float], scale: Ends) -> float:
    share = (min(max(value, scale[0]), scale[1]) - scale[0]) / (scale[1] - scale[0])
    return ends[0] + (ends[1] - ends[0]) * share


def _row(bar: Bar, name: str, y: float, ends: tuple[float, float], scale: Ends) -> list[Node]:
    strong = {"font_weight": "bold"} if bar.chosen else {}
    nodes = [
        _text(name, 0, y, fill=colour("ink") if bar.chosen else colour("quiet"), **strong),
        _text(bar.said[0], ends[0] - 14, y, text_anchor="end", font_weight="bold", klass="said"),
        _box(ends, y, THICK, fill=colour("empty"), klass="track"),
    ]
    nodes += _marks(bar, ends, scale, y, THICK)
    return [*nodes, _text(bar.said[1], ends[1] + 14, y, klass="between")]


def _text(text: str, x: float, y: float, **look: object) -> Node:
    given = {"fill": colour("ink"), "font_size": SIZE, **look}
    return node("text", text, x=f"{x:.1f}", y=f"{y + 5:.1f}", **given)


def _box(sides: tuple[float, float], y: float, height: float, **look: object) -> Node:
    x, width = sides[0], sides[1] - sides[0]
    place = {"x": f"{x:.1f}", "y": f"{y - height / 2:.1f}", "width": f"{width:.1f}"}
    return node("rect", **place, height=f"{height:g}", rx=min(height, width) / 2, **look)
