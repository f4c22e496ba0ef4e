"""Classifiers side by side: rows in order, intervals only where due, hostile names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from labelcore.charts.compare import compare_chart
from labelcore.results.types import Estimate, Scope


def estimate(
    classifier: str, value: float | None, *, first: bool = False, **changes: Any
) -> Estimate:
    given: dict[str, Any] = {
        "estimand": "precision" if first else f"precision@{classifier}",
        "value": value, "low": 0.7, "high": 0.9, "confidence": 0.95, "labels_used": 50,
        "draws_used": 50, "method": "m", "promise": "watched", "assumptions": (), "source": "s",
        "scope": Scope(file="a.csv", classifier=classifier),
    }  # fmt: skip
    return Estimate(**{**given, **changes})


def test_a_row_for_each_classifier_with_its_interval() -> None:
    chart = compare_chart([estimate("a", 0.8, first=True), estimate("b", 0.75)])
    assert [trace.x for trace in chart.figure.data] == [(0.7, 0.8, 0.9), (0.7, 0.75, 0.9)]
    assert chart.figure.layout.yaxis.ticktext == ("a", "b")
    low, high = chart.figure.layout.yaxis.range
    assert low > high, "the first row is on top"
    assert chart.table["Low"].tolist() == [0.7, 0.7]
    assert "a: 80 %, between 70 % and 90 %; b: 75 %" in chart.alt
    assert "Overlapping intervals do not show" in chart.alt


def test_no_interval_before_it_is_due() -> None:
    chart = compare_chart(
        [estimate("a", 0.8, first=True, state="provisional"), estimate("b", None)]
    )
    assert [trace.x for trace in chart.figure.data] == [(0.8,)]
    assert chart.table["Low"].isna().all()
    assert "a: 80 %, without an interval yet; b: not yet" in chart.alt


def test_nothing_known_says_so() -> None:
    assert "No figure yet" in compare_chart([estimate("a", None, first=True)]).alt


def test_one_quantity_only() -> None:
    other = estimate("b", 0.5, estimand="recall@b")
    with pytest.raises(ValueError, match="one quantity, got precision, recall"):
        compare_chart([estimate("a", 0.8, first=True), other])
    with pytest.raises(ValueError, match="one quantity, got none"):
        compare_chart([])


def test_names_do_nothing(hostile: str, inert: Callable[[Any], bool]) -> None:
    chart = compare_chart([estimate(hostile, 0.8)])
    assert inert(chart.figure)
    assert all(set("*[]`${<\\").isdisjoint(text) for text in chart.figure.layout.yaxis.ticktext)


def test_a_value_that_says_little_is_not_told() -> None:
    chart = compare_chart([estimate("a", 0.8, first=True), estimate("b", 0.75, tentative=True)])
    assert "b: between 70 % and 90 %" in chart.alt and "75" not in chart.alt
    assert chart.table["Estimate"].isna().tolist() == [False, True]
    assert [trace.x for trace in chart.figure.data] == [(0.7, 0.8, 0.9), (0.7, 0.9)]
    early = {"state": "provisional", "tentative": True}
    chart = compare_chart([estimate("a", 0.8, first=True, **early)])
    assert "No figure yet" in chart.alt and not chart.figure.data
