"""The histogram of a score and the price of a margin."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.drawing import Side
from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.charts.score_histogram import score_histogram_chart

SCORES = np.array([0.0, 0.1, 0.5, 0.5, 0.7, 1.0])


@pytest.mark.parametrize(
    ("threshold", "descending", "called"),
    [(0.5, False, 4), (0.5, True, 4), (0.50001, False, 2), (-1, False, 6), (2, False, 0),
     (0.0, True, 1), (1.0, False, 1), (1.0, True, 6)],
)  # fmt: skip
def test_the_cut_counts_as_classifiers_do(threshold: float, descending: bool, called: int) -> None:
    chart = score_histogram_chart(SCORES, threshold, descending)
    table = chart.table
    assert table["Called positive"].sum() == called
    assert table["Not called positive"].sum() == len(SCORES) - called
    assert not ((table["Called positive"] > 0) & (table["Not called positive"] > 0)).any()
    assert f"{called} items (" in chart.alt or "1 item (" in chart.alt
    drawn = {trace.name: sum(trace.y) for trace in chart.figure.data}
    assert drawn == {"called positive": called, "not called positive": len(SCORES) - called}
    assert chart.figure.layout.shapes[0].x0 == threshold


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("descending", [False, True])
def test_every_item_is_in_one_bar_of_its_side(seed: int, descending: bool) -> None:
    random = np.random.default_rng(seed)
    scores = random.choice(np.round(random.beta(0.3, 2, 50), 2), 500)
    threshold = float(random.choice(scores))
    table = score_histogram_chart(scores, threshold, descending).table
    called = scores <= threshold if descending else scores >= threshold
    assert table["Called positive"].sum() == called.sum()
    assert table["Not called positive"].sum() == (~called).sum()
    assert not ((table["Called positive"] > 0) & (table["Not called positive"] > 0)).any()


def test_no_threshold_no_cut() -> None:
    chart = score_histogram_chart(SCORES, None)
    assert len(chart.figure.data) == 1 and not chart.figure.layout.shapes
    assert chart.table["Items"].sum() == len(SCORES)
    assert chart.alt == "Scores of 6 items from 0 to 1, half of them up to 0.5."


def test_edge_inputs() -> None:
    assert score_histogram_chart([], 0.5).alt == "There are no scores."
    for alike in ([0.3] * 7, [0.3, 0.1 + 0.2], [1e17] * 4):
        assert score_histogram_chart(alike, alike[0]).table["Called positive"].sum() == len(alike)
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="scores must be finite"):
            score_histogram_chart([0.1, bad], 0.5)
        with pytest.raises(ValueError, match="threshold must be finite"):
            score_histogram_chart([0.1], bad)


def test_rare_scores_are_seen() -> None:
    scores = np.concatenate([np.full(10_000, 0.01), np.linspace(0.2, 1, 30)])
    assert score_histogram_chart(scores, 0.5).figure.layout.yaxis.type == "log"
    assert score_histogram_chart(np.linspace(0, 1, 100), 0.5).figure.layout.yaxis.type is None


def prices(**changes: Any) -> pd.DataFrame:
    columns: dict[str, Any] = {
        "labels": [400, 100, 100, 400],
        "half_width": [0.04, 0.08, 0.05, 0.02],
        "design": ["plain", "plain", "clever", "clever"],
        "minutes": [1, 2, 3, 4],
    }
    return pd.DataFrame({**columns, **changes})


def test_one_line_per_design_in_order_of_labels() -> None:
    chart = labels_margin_chart(prices(), margin=0.05)
    plain, clever = chart.figure.data
    assert (plain.name, plain.x, plain.y) == ("plain", (100, 400), (0.08, 0.04))
    assert (clever.name, clever.x, clever.y) == ("clever", (100, 400), (0.05, 0.02))
    assert plain.line.color != clever.line.color and plain.line.dash != clever.line.dash
    assert chart.figure.layout.shapes[0].y0 == 0.05
    assert "plain: plus or minus 8 points with 100 labels, 4.0 points with 400 labels" in chart.alt
    assert "clever" in chart.alt and "plus or minus 5.0 points at about 100 labels." in chart.alt
    assert chart.table["minutes"].tolist() == [1, 2, 3, 4]


def test_the_dot_of_the_number_chosen_is_not_seen_through() -> None:
    table = pd.DataFrame({"labels": [40, 400], "half_width": [0.2, 0.1], "design": ["a", "a"]})
    dot = labels_margin_chart(table, labels=100).figure.data[-1]
    assert dot.marker.size == (0, 12) and dot.marker.opacity == 1


def test_names_stand_in_the_corner_that_no_line_reaches() -> None:
    """One below the other, each behind a piece of its line; the number chosen ends at its line."""
    drawing = labels_margin_chart(prices(), margin=0.05, labels=200).drawing
    wanted, *names = drawing.remarks
    assert (wanted.y, wanted.across) == (0.05, 0.0)
    assert [(one.text, one.up, one.across, one.side) for one in names] == [
        ("— plain", 1.0, 1.0, Side.BELOW), ("- - clever", 0.88, 1.0, Side.BELOW)
    ]  # fmt: skip
    assert [rule.upright for rule in drawing.rules] == [False]
    down = drawing.marks[-1].points
    assert down[0].tolist() == [200, 200] and down[1].tolist() == pytest.approx([0.0, 0.06])


def test_a_margin_out_of_reach_is_said() -> None:
    alt = labels_margin_chart(prices(), margin=0.01).alt
    assert alt.count("plus or minus 1.0 points is not reached.") == 2


def test_gaps_empty_and_wrong_tables() -> None:
    nan = float("nan")
    chart = labels_margin_chart(prices(half_width=[0.04, nan, nan, nan]))
    assert chart.figure.data[0].y == (None, 0.04) and "clever: no forecast." in chart.alt
    assert labels_margin_chart(prices(half_width=[nan] * 4)).alt == "There is no forecast yet."
    assert labels_margin_chart(prices().iloc[:0]).alt == "There is no forecast yet."
    with pytest.raises(ValueError, match="missing are design"):
        labels_margin_chart(prices().drop(columns="design"))


def test_design_names_are_inert(hostile: str, inert: Any) -> None:
    assert inert(labels_margin_chart(prices(design=[hostile] * 2 + ["b"] * 2)).figure)
