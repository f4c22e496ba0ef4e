"""What methods would give, as pictures: lines, marks, and the same in words and numbers."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from labelcore.charts.design import LIGHT
from labelcore.papers.curves.planner import labels_factor_chart
from labelcore.papers.oversampling import planner
from labelcore.papers.oversampling.groups import Counts, Sizes
from labelcore.papers.oversampling.planner import oversampling_chart
from labelcore.papers.recycling.planner import savings_chart
from labelcore.papers.stratified.planner import stratifications_chart

FIRST, SECOND = LIGHT.series[:2]


def strata(names: tuple[str, ...] = ("SQRT", "KM")) -> pd.DataFrame:
    rows = [
        (name, number, sharing, number, 10, ratio, 1 - ratio)
        for name, ratios in zip(names, ((0.9, 0.75), (0.8, 1.3)), strict=False)
        for sharing in ("in proportion", "equally")
        for number, ratio in zip((2, 3), ratios, strict=True)
    ]
    columns = ["stratification", "n_strata", "allocation", "found", "smallest", "ratio", "saved"]
    return pd.DataFrame(rows, columns=columns)


HALF_WIDTHS = pd.DataFrame(
    {"ratio": [0.5, 1.0, 5.0], "precision": [0.2, 0.1, 0.04], "recall": [0.09, 0.07, 0.05]}
)
NEEDED = pd.DataFrame(
    {
        "method": ["PAULA", "PAULA", "Random sample", "Random sample"],
        "factor": [1.5, 1.1, 1.1, 1.5],
        "labels": [200, 1_000, 4_000, 900],
    }
)


def savings(name: str = "nb") -> pd.DataFrame:
    return pd.DataFrame(
        {"child": [name, "svm"], "saved": [0.29, 0.96], "low": [0.263, 0.95], "high": [0.317, 0.97]}
    )


def test_a_line_for_each_stratification_with_the_allocation_chosen() -> None:
    chart = stratifications_chart(strata(), "in proportion")
    first, second = chart.figure.data
    assert (list(first.x), list(first.y)) == ([2, 3], [0.9, 0.75])
    assert list(second.y) == [0.8, 1.3], "what costs more than a random sample is drawn too"
    assert chart.figure.layout.shapes[0].y0 == 1
    assert "SQRT: 90.0 % with 2 strata, 75.0 % with 3." in chart.alt
    assert len(chart.table) == 8 and list(chart.table["Labels shared"].unique()) == [
        "in proportion",
        "equally",
    ]


def test_seven_stratifications_are_told_apart() -> None:
    names = [f"way {n}" for n in range(7)]
    table = pd.concat([strata((name,)) for name in names])
    traces = stratifications_chart(table, "equally").figure.data
    assert len({(one.line.color, one.line.dash) for one in traces}) == 7


def test_half_widths_against_the_ratio_with_marks_where_they_are_drawn() -> None:
    marks = {"proportional": 1.0, "s*": 4.0, "far away": 40.0}
    chart = oversampling_chart(HALF_WIDTHS, margin=0.05, marks=marks)
    precision, recall = chart.figure.data
    assert (precision.name, precision.line.color) == ("precision", FIRST)
    assert (recall.line.color, list(recall.y)) == (SECOND, [0.09, 0.07, 0.05])
    assert [shape.x0 for shape in chart.figure.layout.shapes] == [1.0, 4.0, 0]
    placed = [note.x for note in chart.figure.layout.annotations]
    assert placed[:2] == pytest.approx([0, 0.60206]), "on a logarithmic axis"
    assert "proportional (1): precision plus or minus 10 points, recall plus or minus" in (
        chart.alt
    )
    assert list(chart.table.columns) == ["Over-sampling", "Precision ±", "Recall ±"]


def test_over_sampling_where_the_best_ratio_is_zero_and_where_nothing_was_found() -> None:
    for shares in ((1.0, 0.8), (0.8, 1.0)):
        assert len(planner.half_widths(planner.Wanted(100, 900, *shares, 0.05, 0.95), 200)) > 30
    earlier, ratio_of_one = Counts.of(0, 5, 0, 5), Sizes(30, 30, 1.0)
    table = planner.next_wave_table(earlier, 100, 900, ratio_of_one, 0.95)
    assert table["Earlier labels"].tolist() == ["0 %", "no positive found"]


def test_what_each_child_saves() -> None:
    chart = savings_chart(savings().assign(parent_intersection=0.5))
    assert list(chart.figure.data[0].x) == [0.263, 0.29, 0.317]
    assert "nb: 29.0 %, between 26.3 % and 31.7 % in 95 of 100 drawings" in chart.alt
    assert list(chart.table.columns)[-1] == "Parent's items shared"


def test_labels_against_the_factor() -> None:
    chart = labels_factor_chart(NEEDED, wanted=1.2)
    paula, random = chart.figure.data
    assert (list(paula.x), list(paula.y)) == ([1.1, 1.5], [1_000, 200])
    assert random.name == "Random sample" and chart.figure.layout.shapes[0].x0 == 1.2
    assert "Random sample: 4,000 labels at a factor of 1.100, 900 labels at 1.500." in chart.alt


def test_names_do_nothing(hostile: str, inert: Callable[[Any], bool]) -> None:
    assert inert(stratifications_chart(strata((hostile,)), "equally").figure)
    assert inert(savings_chart(savings(hostile)).figure)
    assert inert(labels_factor_chart(NEEDED.assign(method=hostile)).figure)
    assert inert(oversampling_chart(HALF_WIDTHS, marks={hostile: 1.0}).figure)


def test_nothing_and_a_wrong_table() -> None:
    assert stratifications_chart(strata(), "unheard of").alt.startswith("There is nothing")
    assert oversampling_chart(HALF_WIDTHS.iloc[:0], marks={}).alt.startswith("There is nothing")
    assert savings_chart(savings().iloc[:0]).alt.startswith("There is no child")
    assert labels_factor_chart(NEEDED.iloc[:0]).alt.startswith("There is nothing")
    with pytest.raises(ValueError, match="missing are labels"):
        labels_factor_chart(NEEDED.drop(columns="labels"))
    with pytest.raises(ValueError, match="missing are high"):
        savings_chart(savings().drop(columns="high"))
    with pytest.raises(ValueError, match="missing are recall"):
        oversampling_chart(HALF_WIDTHS.drop(columns="recall"), marks={})
    with pytest.raises(ValueError, match="missing are ratio"):
        stratifications_chart(strata().drop(columns="ratio"), "equally")
