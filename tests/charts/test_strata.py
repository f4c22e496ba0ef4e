"""Strata as bars: exact numbers in order, unknown rates, hostile class names."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.strata import strata_chart

NAN = float("nan")
AXES = [(None, "y"), ("y2",), ("y3",), ("y4",)]


def table(**changes: Any) -> pd.DataFrame:
    columns: dict[str, Any] = {
        "stratum": [1, 2, 3],
        "called": ["spam", "spam", "ham"],
        "items": [10, 20, 1000],
        "labels": [4, 5, 0],
        "positives": [4, 2, 0],
        "rate": [1.0, 0.4, NAN],
        "uncertainty": [0.0, 0.25, 0.75],
    }
    return pd.DataFrame({**columns, **changes})


def bars(chart: Any, panel: int) -> dict[str, float | None]:
    """{stratum: height} of one of the four rows of bars."""
    found = [trace for trace in chart.figure.data if trace.yaxis in AXES[panel]]
    axis = chart.figure.layout.xaxis
    names = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    return {names[x]: y for trace in found for x, y in zip(trace.x, trace.y, strict=True)}


def test_bars_hold_the_numbers_given() -> None:
    chart = strata_chart(table())
    assert bars(chart, 0) == {"1": 10, "2": 20, "3": 1000}
    assert bars(chart, 1) == {"1": 4, "2": 5, "3": 0}
    assert bars(chart, 2) == {"1": 1.0, "2": 0.4, "3": None}
    assert bars(chart, 3) == {"1": 0.0, "2": 0.25, "3": 0.75}
    assert chart.figure.layout.xaxis.ticktext == ("1", "2", "3")
    assert chart.table["Share of uncertainty"].tolist() == [0.0, 0.25, 0.75]
    legend = [trace.name for trace in chart.figure.data if trace.showlegend]
    assert legend == ["called spam", "called ham"]


def test_a_class_keeps_its_colour_where_others_have_no_strata() -> None:
    colours = []
    for called in (["spam", "spam", "ham"], ["ham", "ham", "ham"], ["ham", "ham", "spam"]):
        rows = table(called=called)
        rows.attrs["classes"] = ["spam", "ham"]
        found = {one.name: one.marker.color for one in strata_chart(rows).figure.data}
        colours.append(found["called ham"])
    assert (
        len(set(colours)) == 1 and colours[0] != strata_chart(table()).figure.data[0].marker.color
    )


def test_the_axis_says_what_the_order_means(hostile: str, inert: Any) -> None:
    rows = table()
    assert strata_chart(rows).figure.layout.xaxis.title.text == "stratum"
    rows.attrs["order"] = "only {first} says {positive}, both"
    rows.attrs["names"] = {"first": "lr", "positive": "yes"}
    assert strata_chart(rows).figure.layout.xaxis.title.text == "stratum, only lr says yes, both"
    rows.attrs["names"] = {"first": hostile, "positive": "yes"}
    assert inert(strata_chart(rows).figure)


def test_a_row_of_bars_starts_with_its_first_bar() -> None:
    fresh = table(labels=[0, 0, 0], positives=[0, 0, 0], rate=[NAN, NAN, NAN])
    titles = {axis.title.text for axis in strata_chart(fresh).figure.select_yaxes()}
    assert titles == {"items", "uncertainty"}
    none_positive = table(positives=[0, 0, 0], rate=[0.0, 0.0, NAN])
    titles = {axis.title.text for axis in strata_chart(none_positive).figure.select_yaxes()}
    assert titles == {"items", "labels", "positive", "uncertainty"}


def test_words_name_the_stratum_with_most_uncertainty() -> None:
    alt = strata_chart(table()).alt
    assert alt.startswith("3 strata with 1,030 items and 9 labels.")
    assert "stratum 3 (called 'ham'): 75.0 % of it, with 0 labels on 1,000 items." in alt


@pytest.mark.parametrize("shares", [[NAN, NAN, NAN], [0.0, 0.0, 0.0]])
def test_no_uncertainty_known_or_left_is_no_claim(shares: list[float]) -> None:
    alt = strata_chart(table(uncertainty=shares)).alt
    assert "uncertain" not in alt


def test_a_stratum_split_by_prediction_has_two_bars() -> None:
    one = table(stratum=[1, 1, 1], called=["spam", "ham", ""])
    assert list(bars(strata_chart(one), 0)) == ["1 spam", "1 ham", "1 "]
    assert strata_chart(one).alt.startswith("1 stratum with")


def test_without_predictions_there_is_no_legend() -> None:
    chart = strata_chart(table(called=["", "", ""]))
    assert not chart.figure.layout.showlegend


def test_class_names_are_inert(hostile: str, inert: Any) -> None:
    chart = strata_chart(table(stratum=[1, 1, 2], called=[hostile, "ham", hostile]))
    assert inert(chart.figure)


def test_empty_and_wrong_tables() -> None:
    assert strata_chart(table().iloc[:0]).alt == "There are no strata."
    with pytest.raises(ValueError, match="missing are rate"):
        strata_chart(table().drop(columns="rate"))
    with pytest.raises(TypeError, match="table must be a DataFrame, got list"):
        strata_chart([])  # type: ignore[arg-type]
    assert np.isnan(strata_chart(table()).table["Positive share"].iloc[2])


def test_strata_of_ranks_have_their_names_and_no_row_without_numbers() -> None:
    names = ["ranks 1 to 10", "ranks 11 to 30", "ranks 31 to 1,030"]
    ranks = table(called=["", "", ""], uncertainty=[NAN, NAN, NAN])
    chart = strata_chart(ranks, names)
    assert bars(chart, 2) == {names[0]: 1.0, names[1]: 0.4, names[2]: None}
    assert bars(chart, 3) == {}
    assert chart.figure.data[0].hovertext[0].startswith("ranks 1 to 10<br>10 items, 4 labels")
    assert "Share of uncertainty" not in chart.table
    assert chart.table["Stratum"].tolist() == names
    with pytest.raises(ValueError, match="names must be 3, one for each row, got 1"):
        strata_chart(ranks, names[:1])


def test_several_classes_have_no_positive_share() -> None:
    rows = table()
    rows.attrs["rate"] = "judged rightly"
    chart = strata_chart(rows)
    assert "Judged rightly share" in chart.table and "Positive share" not in chart.table
    assert "judged rightly" in str(chart.figure.data[0].hovertext)
