"""Charts as SVG: every mark where its number belongs, every name letter by letter."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.base import Row, rows_drawing
from labelcore.charts.design import FIRST
from labelcore.charts.drawing import Axis, Bars, Drawing, Line, Remark, Rule, Unit, named_axis
from labelcore.charts.intervals import interval_columns, interval_rows
from labelcore.charts.live_picture import Bar
from labelcore.charts.nodes import Node
from labelcore.charts.plotted import plotted
from labelcore.charts.svg import LETTER, WIDTH, svg
from labelcore.safe_text import shortened

NAN = float("nan")


def nodes(node: Node | str, tag: str) -> Iterator[Node]:
    if not isinstance(node, str):
        if node[0] == tag:
            yield node
        for child in node[2:]:
            yield from nodes(child, tag)


def texts(node: Node) -> list[str]:
    return ["".join(one[2:]) for one in nodes(node, "text")]


def points(node: Node) -> np.ndarray:
    return np.array([pair.split(",") for pair in node[1]["points"].split()], dtype=float)


def drawn(**given: Any) -> Node:
    return svg(Drawing(**given), "f", "in words")


def heights(picture: Node) -> dict[str, float]:
    """Where the lines across with their values are."""
    ticks = [one for one in nodes(picture, "text") if one[1].get("text-anchor") == "end"]
    return {one[2]: float(one[1]["y"]) - 4 for one in ticks}


def test_a_line_stands_where_its_numbers_belong() -> None:
    line = Line([0, 50, NAN, 100], [0.5, 1.0, NAN, 0.75])
    picture = drawn(x=Axis("labels"), y=Axis("share", Unit.SHARE, (0, 1)), marks=[line])
    first, second = nodes(picture, "polyline")
    at = heights(picture)
    high, low = at["100 %"], at["0 %"]
    assert points(first)[:, 1] == pytest.approx([(low + high) / 2, high], abs=0.1)
    assert points(second)[0, 1] == pytest.approx(low + 0.75 * (high - low), abs=0.1)
    left, middle = points(first)[:, 0]
    assert points(second)[0, 0] - left == pytest.approx(2 * (middle - left), abs=0.2)
    assert picture[1]["aria-label"] == "in words"


def test_a_log_scale_has_equal_steps_for_equal_factors() -> None:
    line = Line([1, 2, 3], [0.1, 1, 10])
    picture = drawn(y=Axis("times", log=True), marks=[line], rules=[Rule(10)])
    low, middle, high = points(next(nodes(picture, "polyline")))[:, 1]
    assert low - middle == pytest.approx(middle - high, abs=0.1)
    reference = [one for one in nodes(picture, "line") if "stroke-dasharray" in one[1]]
    assert [float(one[1]["y1"]) for one in reference] == pytest.approx([high], abs=0.1)


def test_bars_are_as_high_as_their_numbers() -> None:
    bars = Bars([0, 1, 2], [10, 40, NAN], pattern="/")
    names = [letter * 30 for letter in "abc"]  # As wide as the bars' places: turned.
    picture = drawn(x=named_axis(names), y=Axis("items"), marks=[bars])
    assert sum("transform" in one[1] for one in nodes(picture, "text")) == 3
    found = [one for one in nodes(picture, "rect") if one[1]["fill"] == "var(--data)"]
    tall = [float(one[1]["height"]) for one in found]
    assert len(found) == 2 and tall[1] == pytest.approx(4 * tall[0], abs=0.3)
    (pattern,) = nodes(picture, "pattern")
    hatched = [one for one in nodes(picture, "rect") if pattern[1]["id"] in one[1]["fill"]]
    assert len(hatched) == 2


def test_nothing_is_drawn_outside() -> None:
    line = Line([0, 1e6], [0.0, 3.0], dots=5)
    picture = drawn(y=Axis("share", Unit.SHARE), marks=[line])
    height = float(picture[1]["viewBox"].split()[-1])
    for one in nodes(picture, "polyline"):
        assert ((points(one) >= 0) & (points(one) <= [WIDTH, height])).all()


def test_names_stand_letter_by_letter(hostile: str) -> None:
    rows = [Row(shortened(name), 0.7, 0.6, 0.8, FIRST, "") for name in (hostile, "b<br>c")]
    found = texts(svg(rows_drawing(Axis(unit=Unit.SHARE), rows), "f", ""))
    assert "b<br>c" in found
    cut = next(one for one in found if one.startswith("<img src=x>"))
    assert hostile.startswith(cut.rstrip("…"))


def test_titles_of_panels_keep_clear_of_numbers() -> None:
    axes = tuple(Axis(name, Unit.SHARE) for name in ("Precision", "Recall"))
    marks = [Line([1, 2], [0.4, 1.0], panel=panel) for panel in (0, 1)]
    said = [*nodes(drawn(y=axes, marks=marks, height=320), "text")]
    titles = [float(one[1]["y"]) for one in said if one[2] in ("Precision", "Recall")]
    numbers = [float(one[1]["y"]) for one in said if one[2].endswith(" %")]
    assert len(titles) == 2 and min(abs(a - b) for a in titles for b in numbers) > 14


def test_a_title_of_two_lines_is_two_texts() -> None:
    found = texts(drawn(x=Axis("one,\ntwo"), y=Axis("a<br>b")))
    assert {"one,", "two", "a<br>b"} <= set(found)


@pytest.mark.parametrize("place", [2.0, 98.0])
def test_a_remark_has_room_beside_its_place_and_stays_in_the_box(place: float) -> None:
    line = Line([0, 100], [0.0, 1.0])
    picture = drawn(y=Axis(ends=(0, 1)), marks=[line], remarks=[Remark("cut", x=place, y=1.2)])
    (note,) = [one for one in nodes(picture, "text") if one[1].get("class") == "remark"]
    assert note[1]["text-anchor"] == ("start" if place < 50 else "end")
    top = min(points(next(nodes(picture, "polyline")))[:, 1])
    assert float(note[1]["y"]) >= top + 9


def test_rows_of_intervals_share_one_scale(hostile: str) -> None:
    shown = [Bar(hostile, 0.5, 0.25, 0.75, ("50 %", "25 to 75")), Bar("b", 0.5, None, None)]
    picture = interval_rows(shown, words="in words")
    scale, band, tick, other, *hidden = nodes(picture, "rect")
    at, width = float(scale[1]["x"]), float(scale[1]["width"])
    assert float(band[1]["x"]) == pytest.approx(at + width / 4, abs=0.1)
    assert float(band[1]["width"]) == pytest.approx(width / 2, abs=0.2)
    assert float(tick[1]["x"]) + 2 == pytest.approx(at + width / 2, abs=0.1)
    assert (other[1]["x"], other[1]["width"]) == (scale[1]["x"], scale[1]["width"])
    assert [one[1].get("visibility") for one in (band, *hidden)] == [None, "hidden", None]
    assert [one[1]["fill"] for one in (tick, hidden[1])] == ["var(--data)", "var(--quiet)"]
    assert hostile.startswith(texts(picture)[0].rstrip("…"))


def test_columns_of_a_table_are_numbers_like_any() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan], "y": [1, 2, 3]})
    columns = drawn(marks=[Line(table["x"], table["y"])])
    assert columns == drawn(marks=[Line([1.0, 2.0, NAN], [1, 2, 3])])


def test_a_table_of_figures_places_every_interval_in_its_column() -> None:
    """Two figures of two rows: each band lies within its column, as far along as its ends."""
    bars = [Bar("", 0.5, 0.25, 0.75, ("50 %", "25 to 75")), Bar("", 1.0, 0.5, 1.0, ("100 %", ""))]
    node = interval_columns(["Accuracy", "F1"], [("m", bars), ("<b>n</b>", [None, bars[0]])],
                            words="in words")  # fmt: skip
    assert {"m", "<b>n</b>", "Accuracy", "F1", "50 %", "25 to 75"} <= set(texts(node))
    boxes = [one[1] for one in nodes(node, "rect")]
    empty = [one for one in boxes if one["class"] == "track"]
    bands = [one for one in boxes if "fill-opacity" in str(one).replace("_", "-")]
    assert len(bands) == 3 and len({one["x"] for one in empty}) == 2
    for band, (low, high), column in zip(bands, [(0.25, 0.75), (0.5, 1), (0.25, 0.75)], (0, 1, 1),
                                         strict=True):  # fmt: skip
        whole = sorted({(float(one["x"]), float(one["width"])) for one in empty})[column]
        assert float(band["x"]) == pytest.approx(whole[0] + low * whole[1], abs=0.11)
        assert float(band["width"]) == pytest.approx((high - low) * whole[1], abs=0.11)


@pytest.mark.parametrize("below", [False, True])
def test_the_names_of_lines_stand_above_all_panels_or_below_them(below: bool) -> None:
    marks = [Line([0, 1], [0, 1], panel=panel, name=f"line {panel}") for panel in (0, 1)]
    given = {"y": (Axis("first"), Axis("second")), "marks": marks, "legend": True, "below": below}
    drawing = Drawing(**given)  # type: ignore[arg-type]
    picture = svg(drawing, "f", "in words")
    named = [float(one[1]["y"]) for one in nodes(picture, "text") if one[2].startswith("line ")]
    across = [y for one in nodes(picture, "polyline") for y in points(one)[:, 1]]
    assert len(named) == 2 and max(named) < drawing.height
    assert all(name > max(across) if below else name < min(across) for name in named)
    assert (plotted(drawing).layout.legend.y < 0.5) == below


def test_the_head_of_a_column_ends_before_the_next_one() -> None:
    """The class in it is a name from a file."""
    bar = Bar("", 0.7, 0.6, 0.8, ("70 %", "60 to 80"))
    heads = [f"Precision of 'a class with a long name {place}'" for place in range(4)]
    node = interval_columns(heads, [("m", [bar] * 4)], words="in words")
    shown = [part[2] for part in node[2:6]]
    assert all(text.endswith("…") and len(text) <= 140 / LETTER for text in shown)
