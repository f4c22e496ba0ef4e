"""The history: exact numbers, states without interval, undone looks, thinning, words."""

from collections.abc import Callable
from typing import Any

import pytest

from labelcore.charts.history import history_chart
from labelcore.charts.history_table import MOST_POINTS, history_rows, thinned

Look = Callable[..., dict[str, Any]]


def traces(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_line_and_band_hold_the_numbers_given(look: Look) -> None:
    chart = history_chart(
        [look(40, 0.6, 0.3, 0.8), look(50, 0.65, 0.4, 0.79), look(60, 0.7, 0.5, 0.78)], "recall"
    )
    found = traces(chart.figure)
    assert found["estimate"].x == (40, 50, 60)
    assert found["estimate"].y == (0.6, 0.65, 0.7)
    assert found["interval"].x == (40, 50, 60, 60, 50, 40, 40)
    assert found["interval"].y == (0.3, 0.4, 0.5, 0.78, 0.79, 0.8, 0.3)
    assert found["interval"].fill == "toself"
    assert found["estimate"].hovertext[2] == "60 labels: 70 %, between 50 % and 78 %"
    assert chart.figure.data[-1].x == (60,), "the last one is a dot"
    assert chart.table["Estimate"].tolist() == [0.6, 0.65, 0.7]
    assert chart.table["Half-width"].tolist() == pytest.approx([0.25, 0.195, 0.14])


@pytest.mark.parametrize("state", ["interval", "goal reached", "not reached", "exact"])
def test_states_with_interval_have_a_band(look: Look, state: str) -> None:
    chart = history_chart([look(40, 0.6, 0.3, 0.8), look(50, 0.6, 0.5, 0.7, state)], "recall")
    assert traces(chart.figure)["interval"].x == (40, 50, 50, 40, 40)


def test_provisional_looks_are_a_thin_line_without_band(look: Look) -> None:
    looks = [look(n, 0.5, state="provisional") for n in (30, 40)] + [look(50, 0.6, 0.5, 0.7)]
    chart = history_chart(looks, "recall")
    found = traces(chart.figure)
    assert found["estimate without interval"].y == (0.5, 0.5, None)
    assert found["estimate"].y == (None, 0.5, 0.6), "it begins at the last grey point"
    assert found["estimate without interval"].line.width < found["estimate"].line.width
    assert found["interval"].x == (50, 50, 50)
    assert found["interval"].line.width > 0, "a band of one point must be seen"
    only = history_chart(looks[:2], "recall")
    assert traces(only.figure)["estimate"].y == (None, None)
    assert traces(only.figure)["interval"].x == ()
    assert "50 %, without an interval yet, from 40 labels" in only.alt
    assert only.table["Low"].isna().all()


def test_no_difference_has_no_sign(look: Look) -> None:
    key = "recall_difference"
    (row,) = history_rows([look(40, -0.0, -0.0, -0.0, "exact", key=key)], key)
    assert [str(end) for end in row[1:5]] == ["0.0"] * 4


def test_looks_without_a_value_are_left_out(look: Look) -> None:
    looks = [look(10, None, state="nothing"), look(20, None, state="too few"), look(30, 0.4, 0, 1)]
    chart = history_chart(looks, "recall")
    assert chart.table["Labels"].tolist() == [30]
    assert traces(chart.figure)["estimate"].x == (30,)


@pytest.mark.parametrize("case", ["no looks", "all missing", "other key"])
def test_nothing_to_draw_says_so(look: Look, case: str) -> None:
    looks = {
        "no looks": [],
        "all missing": [look(5, None, state="too few")],
        "other key": [look(50, 0.5, key="precision")],
    }[case]
    chart = history_chart(looks, "recall", margin=0.03)
    assert len(chart.figure.data) == 0
    assert chart.figure.layout.annotations[0].text == chart.alt
    assert "No figure yet" in chart.alt
    assert chart.table.empty and "Labels" in chart.table.columns


def test_the_last_look_at_a_number_of_labels_counts_and_undone_ones_go(look: Look) -> None:
    looks = [look(40, 0.5, 0.3, 0.7), look(41, 0.9, 0.8, 1), look(42, 0.9, 0.8, 1)]
    looks += [look(40, 0.5, 0.3, 0.7), look(41, 0.4, 0.2, 0.6)]
    chart = history_chart(looks, "recall")
    assert chart.table["Labels"].tolist() == [40, 41]
    assert chart.table["Estimate"].tolist() == [0.5, 0.4]
    looks += [look(30, 0.5, 0.3, 0.7), look(45, 0.4, 0.2, 0.6)]
    assert history_chart(looks, "recall").table["Labels"].tolist() == [30, 45]


def test_an_undo_below_the_first_figure_removes_it(look: Look) -> None:
    looks = [look(40, 0.5, 0.3, 0.7), look(39, None, state="too few")]
    assert history_chart(looks, "recall").table.empty


def test_goal_is_dashed_at_the_last_value_and_stays_within_0_and_1(look: Look) -> None:
    looks = [look(40, 0.8, 0.7, 0.9), look(50, 0.9, 0.8, 0.95)]
    shapes = history_chart(looks, "recall", margin=0.03).figure.layout.shapes
    assert [s.y0 for s in shapes] == pytest.approx([0.87, 0.93])
    assert {s.line.dash for s in shapes} == {"dash"}
    shapes = history_chart(looks, "recall", margin=0.2).figure.layout.shapes
    assert [s.y0 for s in shapes] == pytest.approx([0.7])


def test_words_state_value_interval_labels_trend_and_goal(look: Look) -> None:
    looks = [look(40, 0.6, 0.3, 0.8), look(1204, 0.9137, 0.9, 0.93)]
    alt = history_chart(looks, "recall", margin=0.02, label="Recall of lr").alt
    assert "Recall of lr is 91.4 %, between 90.0 % and 93.0 %, from 1,204 labels." in alt
    assert "At 40 labels it was 60 %" in alt and "25 points to 1.5 points" in alt
    assert "The goal of plus or minus 2.0 points is reached." in alt
    assert "not reached yet" in history_chart(looks, "recall", margin=0.01).alt


@pytest.mark.parametrize("n_points", [1, 2, 299, 300, 301, 302, 599, 600, 601, 5000, 100_001])
def test_thinning_keeps_first_and_last_and_at_most_300(n_points: int) -> None:
    kept = thinned(n_points)
    assert kept[0] == 0 and kept[-1] == n_points - 1
    assert len(kept) <= MOST_POINTS
    assert len(kept) == n_points or len(kept) >= MOST_POINTS / 2
    assert kept == sorted(set(kept))


def test_thinned_points_stay_where_they_are_as_looks_come_in() -> None:
    assert set(thinned(1000)[:-1]) == set(thinned(1001)[:-1]) - {1000}


def test_a_long_history_is_thinned_in_the_figure_only(look: Look) -> None:
    looks = [look(n, n / 5000, 0, 0.5) for n in range(1, 2001)]
    chart = history_chart(looks, "recall")
    line = traces(chart.figure)["estimate"]
    assert len(line.x) <= MOST_POINTS and line.x[-1] == 2000 and line.y[-1] == 0.4
    assert len(chart.table) == 2000


def test_untrusted_labels_and_keys_are_inert(look: Look, hostile: str, inert: Any) -> None:
    key = f"precision@{hostile}"
    looks = [look(40, 0.5, 0.3, 0.7, key=key)]
    assert inert(history_chart(looks, key, label=hostile).figure)
    by_key = history_chart(looks, key).figure
    assert "<" not in by_key.layout.yaxis.title.text


def test_the_layout_does_not_jump(look: Look) -> None:
    first = history_chart([look(40, 0.5, 0.3, 0.7)], "recall").figure.layout
    second = history_chart([look(41, 0.6, 0.3, 0.7)], "recall").figure.layout
    assert first.uirevision == second.uirevision and first.height == second.height
    assert first.paper_bgcolor == "rgba(0,0,0,0)" and first.title.text is None
    assert first.transition.duration is None and not first.updatemenus


def test_a_difference_has_a_line_at_zero_and_points(look: Look) -> None:
    looks = [look(40, -0.02, -0.1, 0.06), look(50, 0.03, 0.01, 0.05)]
    for one in looks:
        one["results"] = {"recall_difference": next(iter(one["results"].values()))}
    chart = history_chart(looks, "recall_difference", margin=0.05, pair=("lr", "svm" * 20))
    lines = [(one.y0, one.line.dash) for one in chart.figure.layout.shapes]
    assert (0, None) in lines and (pytest.approx(-0.02), "dash") in lines
    assert chart.figure.layout.yaxis.range == (-0.1, 0.1)
    notes = {one.text: one.y for one in chart.figure.layout.annotations}
    (other,) = (text for text in notes if text.startswith("svmsvm"))
    assert notes["lr is better"] > notes[other] and len(other) == 30 + len(" is better")
    assert "+3.0 points, between +1.0 and +5.0 points" in chart.alt
    plain = history_chart([look(40, 0.6, 0.3, 0.8)], "recall").figure
    assert not plain.layout.shapes and plain.layout.yaxis.range == (0, 1)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_value_that_says_little_is_neither_drawn_nor_told(look: Look, recorded: bool) -> None:
    """Logs of earlier versions have no word for it: the ends say it."""
    looks = [look(5, 0.6, 0.1, 0.9), look(50, 0.7, 0.5, 0.8)]
    if recorded:
        looks[0]["results"]["recall"]["tentative"] = True
    chart = history_chart(looks, "recall")
    assert traces(chart.figure)["estimate"].y == (None, 0.7)
    assert max(traces(chart.figure)["interval"].y) == 0.9, "drawn from the first label on"
    assert chart.table["Estimate"].isna().tolist() == [True, False]
    assert "60" not in chart.alt + str(traces(chart.figure)["estimate"].hovertext)
    assert "between 10 % and 90 %" in history_chart(looks[:1], "recall").alt
    one_end = history_chart([look(5, 1.0, 0.02, 1.0)], "recall").alt
    assert "is at least 2 %, from" in one_end and "100" not in one_end
