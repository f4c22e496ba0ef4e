"""Precision against rank, and against recall: exact numbers, gaps, no interval yet, words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from labelcore.charts.against import precision_recall_chart
from labelcore.charts.rank import rank_chart
from labelcore.results.curves import Band

Make = Callable[..., Band]
NAN = float("nan")


def line(chart: Any) -> Any:
    return chart.figure.data[-1]


def test_rank_line_and_band_hold_the_numbers_given(make_band: Make) -> None:
    band = make_band("precision", [0.9, 0.8, 0.5])
    chart = rank_chart(band)
    outline = chart.figure.data[0]
    assert line(chart).x == (10, 20, 30) and line(chart).y == (0.9, 0.8, 0.5)
    assert outline.x == (10, 20, 30, 30, 20, 10, 10)
    assert outline.y == pytest.approx((0.8, 0.7, 0.4, 0.6, 0.9, 1.0, 0.8))
    assert chart.table["Precision"].tolist() == [0.9, 0.8, 0.5]
    assert chart.table["Low"].tolist() == band.low.tolist()
    assert "first 20 items (score 0.5)" in line(chart).hovertext[1]
    assert "80 %, between 70 % and 90 %" in line(chart).hovertext[1]


def test_rank_words_hold_value_interval_labels_and_promise(make_band: Make) -> None:
    alt = rank_chart(make_band("precision", [0.9, 0.8, 0.5])).alt
    assert "from 123 labels" in alt
    assert "It falls from 90 % at the first point to 50 % at the last." in alt
    assert "the first 30 items: 50 %, between 40 % and 60 %" in alt
    assert "each rank on its own (95 % confidence, valid at every look)" in alt


def test_values_that_look_alike_are_said_once(make_band: Make) -> None:
    alike = make_band("precision", [0.034, 0.5, 0.031])
    assert "It is about 3 % from the first point to the last." in rank_chart(alike).alt
    recall = make_band("recall", [0.1, 0.4, 1.0])
    ends = {"low": np.array([0.0, 0.3, 1.0]), "high": np.array([0.2, 0.5, 1.0])}
    alt = precision_recall_chart(alike, replace(recall, **ends)).alt
    assert "at recall 100 %, precision" in alt and "and 100 %" not in alt


def test_a_line_of_one_point_is_not_in_the_legend(make_band: Make) -> None:
    recall = make_band("recall", [0.1, 0.4, 1.0])
    for values, named in (([NAN, NAN, 0.5], False), ([NAN, 0.6, 0.5], True)):
        chart = precision_recall_chart(make_band("precision", values), recall)
        names = [mark.name for mark in chart.drawing.named]
        assert ("estimate" in names) is named, values


def test_unknown_points_break_line_and_band(make_band: Make) -> None:
    chart = rank_chart(make_band("precision", [NAN, 0.8, NAN, 0.5, 0.4]))
    assert line(chart).y == (None, 0.8, None, 0.5, 0.4)
    assert chart.figure.data[0].x == (20, 20, 20, None, 40, 50, 50, 40, 40)
    assert np.isnan(chart.table["Low"]).tolist() == [True, False, True, False, False]


def test_without_an_interval_there_is_a_thin_line_and_no_band(make_band: Make) -> None:
    for chart in (
        rank_chart(make_band("precision", [0.9, 0.5], state="too few")),
        precision_recall_chart(
            make_band("precision", [0.9, 0.5], state="too few"),
            make_band("recall", [0.3, 1.0], state="too few"),
        ),
    ):
        assert len(chart.figure.data) == 1 and line(chart).line.width < 2
        assert chart.table["Low"].isna().all()
        assert "without an interval yet" in chart.alt


def test_nothing_known_says_so(make_band: Make) -> None:
    empty = make_band("precision", [NAN, NAN], state="too few")
    for chart in (rank_chart(empty), precision_recall_chart(empty, empty)):
        assert len(chart.figure.data) == 0 and "No curve yet" in chart.alt and chart.table.empty


def test_one_point(make_band: Make) -> None:
    chart = rank_chart(make_band("precision", [0.9]))
    assert line(chart).y == (0.9,) and chart.figure.data[0].line.width > 0


def test_precision_against_recall_holds_the_numbers_given(make_band: Make) -> None:
    precision = make_band("precision", [0.9, 0.8, 0.5])
    recall = make_band("recall", [0.2, 0.6, 1.0], half=0.05)
    chart = precision_recall_chart(precision, recall)
    outline = chart.figure.data[0]
    assert line(chart).x == (0.2, 0.6, 1.0) and line(chart).y == (0.9, 0.8, 0.5)
    assert outline.x == (0.2, 0.6, 1.0, 1.0, 0.6, 0.2, 0.2)
    assert outline.y[:3] == tuple(precision.low) and outline.y[3:6] == tuple(precision.high[::-1])
    assert chart.table["Recall high"].tolist() == recall.high.tolist()
    assert "recall 60.0 %, between 55.0 % and 65.0 %" in line(chart).hovertext[1]
    assert "at recall 60.0 %" in chart.alt and "from 123 labels" in chart.alt


def test_points_unknown_in_either_curve_are_gaps(make_band: Make) -> None:
    chart = precision_recall_chart(
        make_band("precision", [NAN, 0.8, 0.7]), make_band("recall", [0.1, 0.2, NAN])
    )
    assert line(chart).x == (None, 0.2, None) and line(chart).y == (None, 0.8, None)


def test_other_ranks_are_refused(make_band: Make) -> None:
    with pytest.raises(ValueError, match="precision_curve and recall_curve must have the same"):
        precision_recall_chart(make_band("precision", [0.9]), make_band("recall", [0.5, 1.0]))


def test_the_file_name_is_in_the_words_only(make_band: Make, hostile: str) -> None:
    chart = rank_chart(make_band("precision", [0.9, 0.5], file=hostile))
    assert hostile in chart.alt
    assert hostile[:6] not in chart.figure.to_json()
