"""Candidates and their bounds as pictures, with the same in words and numbers."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.charts.design import LIGHT
from tests.words.test_choices import BOUNDS, choice

FIRST, SECOND, REFERENCE = *LIGHT.series[:2], LIGHT.quiet

OUT = BOUNDS.assign(state=["good", "acceptable", "out: precision too low"])


def look(labels: int, low: float, high: float, state: str = "in") -> dict[str, Any]:
    one = {"value": None, "low": low, "high": high, "state": state}
    return {"labels": labels, "results": {"selection": {"candidates": {"top 50": one}}}}


def test_a_row_for_each_candidate_the_chosen_one_apart() -> None:
    chart = candidates_chart(choice(bounds=OUT))
    assert [trace.line.color for trace in chart.figure.data] == [FIRST, SECOND, REFERENCE]
    assert list(chart.figure.data[1].x) == [0.82, 0.9, 0.94]
    assert list(chart.figure.data[2].x) == [0.0, 1.0], "nothing known: no point"
    assert [shape.x0 for shape in chart.figure.layout.shapes] == [0.9, 0.8]
    table = chart.table
    assert list(table["Reach from"]) == [43, 82, 0] and list(table["Reach to"]) == [49, 94, 200]
    assert "top 100: 90 %, between 82 % and 94 %, acceptable" in chart.alt
    assert "top 200: nothing known, out: precision too low" in chart.alt


def test_bounds_move_and_labels_taken_back_are_left_out() -> None:
    looks = [look(5, 0.1, 0.9), look(9, 0.2, 0.8), look(7, 0.15, 0.85, "out: precision too low")]
    chart = moving_bounds_chart(looks, "selection", choice())
    assert list(chart.table["Labels"]) == [5, 7]
    low, high, cross = chart.figure.data
    assert list(low.y) == [0.1, 0.15] and list(high.y) == [0.9, 0.85]
    assert (list(cross.x), list(cross.y)) == ([7], [0.5]), "it is out"
    assert chart.figure.layout.xaxis.range == (0, 7), "as on Label"
    assert [note.text for note in chart.figure.layout.annotations] == ["wanted"]
    assert [shape.y0 for shape in chart.figure.layout.shapes] == [0.9, 0.8]
    assert "At 7 labels" in chart.alt and "out: precision too low" in chart.alt


def test_names_do_nothing(hostile: str, inert: Callable[[Any], bool]) -> None:
    bounds = BOUNDS.assign(classifier=[hostile, "b", "c"])
    assert inert(candidates_chart(choice(bounds=bounds)).figure)
    one = {"value": None, "low": 0.1, "high": 0.9, "state": "in"}
    looks = [{"labels": 5, "results": {"selection": {"candidates": {hostile: one}}}}]
    assert inert(moving_bounds_chart(looks, "selection", choice()).figure)


def test_before_the_first_look_a_sentence() -> None:
    assert moving_bounds_chart([], "selection", choice()).alt.startswith("No bounds yet")
    empty = choice(bounds=pd.DataFrame(BOUNDS.iloc[:0]))
    assert candidates_chart(empty).alt.startswith("No bounds yet")


def test_bounds_too_wide_for_a_value_have_no_point() -> None:
    wide = BOUNDS.assign(low=[0.2, 0.82, 0.0], high=[0.9, 0.94, 1.0])
    chart = candidates_chart(choice(bounds=wide))
    assert list(chart.figure.data[0].x) == [0.2, 0.9] and len(chart.figure.data[1].x) == 3
    assert "top 50: between 20 % and 90 %" in chart.alt
