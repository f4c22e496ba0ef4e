"""Explore's picture: where the script sets the handle is where the cut is drawn."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from labelcore.charts.cut_picture import BOX, HEIGHT, WIDTH, CutPicture
from labelcore.charts.drawing import Line
from labelcore.charts.nodes import Node
from labelcore.results.curves import Band
from tests.ui.test_recorded import parts

Make = Callable[..., Band]
HANDLE_HEIGHT = 26
"""How far the handle reaches from the axis up and down on a narrow screen, in units."""


def drawn(band: Band, last: int, cut: int, **more: Any) -> tuple[CutPicture, Node]:
    at = band.part(band.x == cut)
    picture = CutPicture(band, at, last, cut, **more)
    return picture, picture.node("words")


@pytest.mark.parametrize(("last", "cut"), [(30, 20), (6000, 20), (6000, 30)])
def test_the_handle_stands_at_the_drawn_cut(make_band: Make, last: int, cut: int) -> None:
    picture, made = drawn(make_band("precision", [0.9, 0.8, 0.5]), last, cut)
    places = picture.places()
    share = picture.level.place(cut)
    at = places["left"] + share * (places["right"] - places["left"])
    upright = [
        one for one in parts(made, "line")
        if one[1]["x1"] == one[1]["x2"] and float(one[1]["y2"]) == BOX.top
    ]  # fmt: skip
    assert float(upright[-1][1]["x1"]) == pytest.approx(at * WIDTH, abs=0.06)
    assert places["bottom"] == BOX.bottom / HEIGHT and places["log"] == (last >= 5000)
    title = picture.level.axis.title
    assert title == "first items by score" + " (log scale)" * (last >= 5000)


def test_one_line_is_drawn_where_none_has_a_name(make_band: Make) -> None:
    band = replace(make_band("precision", [0.9, 0.8, 0.5]), provisional=np.array([0.8, 0.7, 0.4]))
    marks = CutPicture(band, None, 30, 20).drawing().marks
    assert sum(isinstance(one, Line) and one.kind.startswith("estimate") for one in marks) == 1


def test_the_line_goes_through_the_dot(make_band: Make) -> None:
    """A curve of a duel is computed at few ranks, and at the cut."""
    whole = make_band("precision", [0.9, 0.6, 0.7])
    few, at = whole.part(whole.x != 20), whole.part(whole.x == 20)
    lines = [mark for mark in CutPicture(few, at, 30, 20).drawing().marks if isinstance(mark, Line)]
    (line,) = [mark for mark in lines if mark.kind.startswith("estimate")]
    assert (20, 0.6) in zip(*line.points, strict=True)
    assert [20.0] in [mark.points[0] for mark in lines if mark.dots], "the dot itself"


def test_no_number_of_the_axis_stands_half_behind_the_handle(make_band: Make) -> None:
    for cut, behind in ((360, {400}), (500, set())):
        level = CutPicture(make_band("precision", [0.9]), None, 800, cut).level
        assert {at for at, _ in level.ticks()} == {0, 200, 400, 600, 800} - behind


def test_what_is_needed_and_what_is_sure_are_drawn_apart(make_band: Make) -> None:
    _, made = drawn(make_band("precision", [0.9, 0.8, 0.5]), 30, 20, own=30, need=0.7, sure=12)
    said = {str(one[2]): one[1] for one in parts(made, "text")}
    assert {"12", "own cut at 30", "first items by score"} <= said.keys()
    assert said["I need 70 %"]["text-anchor"] == "start"  # The band falls through the right end.
    assert any(one.startswith("at least") for one in said) and "at most 100" not in " ".join(said)


@pytest.mark.parametrize(("high", "above"), [(0.92, False), (0.86, True), (0.99, True)])
def test_what_is_needed_is_told_beside_the_edge_of_the_band(
    make_band: Make, high: float, above: bool
) -> None:
    """An upper end just above the line went through the words."""
    _, made = drawn(make_band("precision", [high - 0.3] * 3, half=0.3), 30, 20, need=0.9)
    (said,) = [one for one in parts(made, "text") if one[2] == "I need 90 %"]
    line = BOX.bottom - 0.9 * (BOX.bottom - BOX.top)
    assert (float(said[1]["y"]) < line) == above


@pytest.mark.parametrize("low", [0.04, 0.05, 0.08, 0.12, 0.2])
def test_the_lower_end_is_told_above_the_handle(make_band: Make, low: float) -> None:
    made = drawn(make_band("precision", [0.4 + low] * 3, half=0.4), 30, 20)[1]
    (said,) = [one for one in parts(made, "text") if str(one[2]).startswith("at least")]
    assert float(said[1]["y"]) <= BOX.bottom - HANDLE_HEIGHT


def test_no_cut_goes_through_the_words_about_the_line(make_band: Make) -> None:
    made = drawn(make_band("precision", [0.9, 0.8, 0.5], half=0.45), 30, 20)[1]
    (said,) = [one for one in parts(made, "text") if str(one[2]).startswith("no line")]
    assert float(said[1]["y"]) > BOX.bottom + HANDLE_HEIGHT
