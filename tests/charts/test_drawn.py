"""Charts as SVG: every mark where its number belongs, every name letter by letter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from labelcore.charts import Chart, compare_chart, escape
from labelcore.charts.base import across, hover, new_figure
from labelcore.charts.drawn import WIDTH, drawn
from labelcore.charts.intervals import interval_rows
from labelcore.charts.living import Bar, Node
from tests.charts.test_compare import estimate


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


def chart(figure: go.Figure) -> Chart:
    return Chart(figure, "in words", pd.DataFrame())


def heights(picture: Node) -> dict[str, float]:
    """Where the lines across with their values are."""
    ticks = [one for one in nodes(picture, "text") if one[1].get("text-anchor") == "end"]
    return {one[2]: float(one[1]["y"]) - 4 for one in ticks}


def test_a_line_stands_where_its_numbers_belong() -> None:
    figure = new_figure(x="labels", y="share")
    figure.add_trace(go.Scatter(x=[0, 50, None, 100], y=[0.5, 1.0, None, 0.75], mode="lines"))
    figure.update_yaxes(range=[0, 1])
    picture = drawn(chart(figure), "f")
    first, second = nodes(picture, "polyline")
    at = heights(picture)
    assert points(first)[:, 1] == pytest.approx(
        [(at["0 %"] + at["100 %"]) / 2, at["100 %"]], abs=0.1
    )
    assert points(second)[0, 1] == pytest.approx(
        at["75 %"] if "75 %" in at else at["0 %"] + 0.75 * (at["100 %"] - at["0 %"]), abs=0.1
    )
    left, middle = points(first)[:, 0]
    assert points(second)[0, 0] - left == pytest.approx(2 * (middle - left), abs=0.2)
    assert picture[1]["aria-label"] == "in words"


def test_a_log_scale_has_equal_steps_for_equal_factors() -> None:
    figure = new_figure(x="labels", y="times", y_share=False)
    figure.add_trace(go.Scatter(x=[1, 2, 3], y=[0.1, 1, 10], mode="lines"))
    figure.update_yaxes(type="log")
    figure.update_layout(shapes=[across(10)])
    picture = drawn(chart(figure), "f")
    low, middle, high = points(next(nodes(picture, "polyline")))[:, 1]
    assert low - middle == pytest.approx(middle - high, abs=0.1)
    reference = [one for one in nodes(picture, "line") if "stroke-dasharray" in one[1]]
    assert [float(one[1]["y1"]) for one in reference] == pytest.approx([high], abs=0.1)


def test_bars_are_as_high_as_their_numbers() -> None:
    figure = new_figure(x="", y="items", y_share=False)
    figure.add_trace(go.Bar(x=["a", "b", "c"], y=[10, 40, None], marker={"color": "#0072B2"}))
    figure.update_xaxes(type="category")
    found = list(nodes(drawn(chart(figure), "f"), "rect"))
    tall = [float(one[1]["height"]) for one in found]
    assert len(found) == 2 and tall[1] == pytest.approx(4 * tall[0], abs=0.3)


def test_nothing_is_drawn_outside() -> None:
    figure = new_figure(x="labels", y="share")
    figure.add_trace(go.Scatter(x=[0, 1e6], y=[0.0, 1.0], mode="lines+markers", **hover(["", ""])))
    picture = drawn(chart(figure), "f")
    height = float(picture[1]["viewBox"].split()[-1])
    for one in nodes(picture, "polyline"):
        assert ((points(one) >= 0) & (points(one) <= [WIDTH, height])).all()


def test_names_stand_letter_by_letter(hostile: str) -> None:
    made = compare_chart([estimate(hostile, 0.8, first=True), estimate("b<br>c", 0.7)])
    found = texts(drawn(made, "f"))
    assert "b<br>c" in found
    cut = next(one for one in found if one.startswith("<img src=x>"))
    assert hostile.startswith(cut.rstrip("…"))


def test_a_title_of_two_lines_is_two_texts() -> None:
    figure = new_figure(x="one,<br>two", y=escape("a<br>b"))
    found = texts(drawn(chart(figure), "f"))
    assert {"one,", "two", "a<br>b"} <= set(found)


def test_rows_of_intervals_share_one_scale(hostile: str) -> None:
    shown = [Bar(hostile, 0.5, 0.25, 0.75, ("50 %", "25 to 75")), Bar("b", None, None, None)]
    picture = interval_rows(shown, words="in words")
    scale, band, tick, other = nodes(picture, "rect")
    at, width = float(scale[1]["x"]), float(scale[1]["width"])
    assert float(band[1]["x"]) == pytest.approx(at + width / 4, abs=0.1)
    assert float(band[1]["width"]) == pytest.approx(width / 2, abs=0.2)
    assert float(tick[1]["x"]) + 2 == pytest.approx(at + width / 2, abs=0.1)
    assert (other[1]["x"], other[1]["width"]) == (scale[1]["x"], scale[1]["width"])
    assert hostile.startswith(texts(picture)[0].rstrip("…"))


def test_columns_of_a_table_are_numbers_like_any() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan], "y": [1, 2, 3]})
    drawings = []
    for x, y in ((table["x"], table["y"]), ([1.0, 2.0, None], [1, 2, 3])):
        figure = new_figure(x="labels", y="share", y_share=False)
        figure.add_trace(go.Scatter(x=x, y=y, mode="lines"))
        drawings.append(drawn(chart(figure), "f"))
    assert drawings[0] == drawings[1]
