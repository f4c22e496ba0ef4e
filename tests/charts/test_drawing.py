"""Outlines are closed where they are drawn, axes hold what stands on them, ticks are round."""

import numpy as np
import pytest

from labelcore.charts.drawing import (
    Axis,
    Band,
    Bars,
    Drawing,
    Line,
    Rule,
    Scale,
    Unit,
    named_axis,
    runs,
)
from labelcore.charts.plotted import plotted

X = np.array([1.0, 2, 3, 4, 5])
LOW, HIGH = X / 10, X / 5
NAN = float("nan")


def outlines(keep: list[bool]) -> list[tuple[list[float], list[float]]]:
    found = Band((X, LOW), (X, HIGH), np.array(keep)).outlines()
    return [(x.tolist(), y.tolist()) for x, y in found]


def test_one_stretch_goes_along_low_and_back_along_high() -> None:
    assert outlines([False, True, True, True, False]) == [
        ([2, 3, 4, 4, 3, 2], [0.2, 0.3, 0.4, 0.8, 0.6, 0.4])
    ]


def test_stretches_are_apart_and_a_missing_end_parts_them() -> None:
    assert [x for x, _ in outlines([True, True, False, True, True])] == [[1, 2, 2, 1], [4, 5, 5, 4]]
    low = LOW.copy()
    low[2] = NAN
    assert len(list(Band((X, low), (X, HIGH)).outlines())) == 2


def test_a_stretch_of_one_point_is_an_upright_line() -> None:
    assert outlines([False, False, True, False, False]) == [([3, 3], [0.3, 0.6])]
    assert Band((X, LOW), (X, HIGH), X == 3).narrow
    assert not Band((X, LOW), (X, HIGH)).narrow


def test_nothing_kept_gives_nothing() -> None:
    assert outlines([False] * 5) == []
    assert list(runs(np.zeros(5, dtype=bool))) == []


def test_an_axis_holds_its_marks_and_its_rules() -> None:
    marks = [Line([10, 20], [0.4, NAN]), Line([30], [0.6], dots=5)]
    drawing = Drawing(Axis(zero=True), Axis(unit=Unit.SHARE), marks, [Rule(0.9), Rule(5, True)])
    assert drawing.level.ends == (0, pytest.approx(31.25))
    low, high = drawing.uprights[0].ends
    assert low == pytest.approx(0.375) and high == pytest.approx(0.925)


def test_shares_end_at_100_and_bars_begin_at_zero() -> None:
    full = Drawing(y=Axis(unit=Unit.SHARE), marks=[Line([1, 2], [0.0, 1.0])])
    assert full.uprights[0].ends == (-0.01, 1.01)
    bars = Drawing(marks=[Bars([1, 2], [4, 5])])
    assert bars.uprights[0].ends[0] == 0 and bars.level.ends == pytest.approx((0.575, 2.425))
    below = Drawing(y=Axis(zero=True), marks=[Line([1, 2], [-1.0, 1.0])])
    assert below.uprights[0].ends[0] < -1


def test_each_panel_has_its_own_axis() -> None:
    marks = [Line([1], [100]), Line([1], [2], panel=1)]
    first, second = Drawing(y=(Axis(), Axis()), marks=marks).uprights
    assert first.ends[0] > second.ends[1]


def test_names_stand_at_whole_numbers() -> None:
    axis = named_axis(["a", "b"], downwards=True)
    scale = Scale(axis, axis.ends or (0, 0))
    assert scale.ticks() == [(0, "a"), (1, "b")]
    first, second = scale.share([0, 1])
    assert first > second, "the first one is on top"


@pytest.mark.parametrize("end", [0.7, 1.01, 37, 595, 1204, 40_000])
def test_ticks_are_those_of_plotly(end: float) -> None:
    """Its rule: the first of 1, 2 or 5 times a power of ten with at most ``nticks`` ticks."""
    drawing = Drawing(Axis(ends=(0, end)), marks=[Line([0, end], [0, 1])])
    places = [at for at, _ in drawing.level.ticks()]
    step = places[1] - places[0]
    assert 2 < len(places) <= plotted(drawing).layout.xaxis.nticks
    assert f"{step:.0e}"[0] in "125" and step == pytest.approx(float(f"{step:.0e}"))
