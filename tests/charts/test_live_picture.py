"""The living picture: what stands where, and that nothing of a name is ever markup."""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.candidates import MOVED_COLUMNS, race_drawing
from labelcore.charts.figure_bars import estimate_bar
from labelcore.charts.live_picture import (
    BELOW,
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Bar,
    Track,
    bars,
    dot_row,
    labels_drawing,
    living,
)
from labelcore.charts.look_picture import OVER_LABELS, _estimate_bars, choice_picture
from labelcore.charts.nodes import Node
from labelcore.charts.rank import precision_drawing
from labelcore.promises import CandidateState, Promise, State
from labelcore.results.curves import Band
from labelcore.results.told_values import NO_LINE
from labelcore.results.types import Estimate, Scope
from labelcore.ui.scripts import text_of
from labelcore.ui.summary import Known
from tests.findings import BASIS
from tests.results.test_types import ONE
from tests.words.test_choices import choice

DIGIT = 6.1
"""How wide a digit is in the chart, in pixels, measured in Chromium."""

OUT = str(CandidateState.PRECISION_TOO_LOW)
HOSTILE = "</text><script>alert(1)</script><img src=x onerror=alert(1)>"


def nodes(tree: Node) -> Iterator[Node]:
    yield tree
    for child in tree[2:]:
        if not isinstance(child, str):
            yield from nodes(child)


def of_class(tree: Node, name: str) -> list[Node]:
    return [one for one in nodes(tree) if one[1].get("class") == name]


def texts(tree: Node) -> list[str]:
    return [child for one in nodes(tree) for child in one[2:] if isinstance(child, str)]


def points(one: Node) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in one[1]["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def at(x: float, y: float, planned: float = 100.0) -> tuple[float, float]:
    """Where a number of labels and a share stand in the chart."""
    return (
        pytest.approx(LEFT + (WIDTH - LEFT - RIGHT) * x / planned, abs=0.06),
        pytest.approx(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y, abs=0.06),
    )


def track(**other: object) -> Track:
    found: dict[str, object] = {
        "labels": np.array([1.0, 2.0, 10.0]),
        "value": np.array([np.nan, 0.5, 0.8]),
        "low": np.array([0.0, 0.1, 0.4]),
        "high": np.array([1.0, 0.9, 0.95]),
        "planned": 100,
    }
    return Track(**(found | other))  # type: ignore[arg-type]


def over_labels(track: Track, words: str) -> Node:
    return living(labels_drawing(track), words)


def test_a_bar_stands_where_its_numbers_are() -> None:
    (one,) = of_class(bars([Bar("Recall", 0.75, 0.5, 0.9, ("75 %", "50 to 90"))]), "bar")
    (band,), (tick,) = of_class(one, "band"), of_class(one, "tick")
    assert band[1]["style"] == "left:50.00%;width:40.00%"
    assert tick[1]["style"] == "left:75.00%"
    assert texts(one) == ["Recall", "75 %", "50 to 90"]


def test_a_bar_of_a_difference_has_zero_marked() -> None:
    shown = bars([Bar("Difference", 0.1, -0.1, 0.3)], (-0.5, 0.5))
    (band,), (line,) = of_class(shown, "band"), of_class(shown, "across")
    assert band[1]["style"] == "left:40.00%;width:40.00%"
    assert line[1]["style"] == "left:50.00%"


def test_a_bar_without_interval_is_empty_and_bounds_without_confidence_are_outlined() -> None:
    assert not of_class(bars([Bar("Recall", None, None, None)]), "band")
    shown = bars([Bar("Recall", 0.5, 0.2, 0.7, assumed=True, chosen=True)])
    assert of_class(shown, "band assumed") and of_class(shown, "tick")
    assert of_class(shown, "bar chosen") and not of_class(shown, "band")
    assert of_class(bars([Bar("Recall", 0.5, None, None)]), "tick grey"), "as the legend says"


AHEAD = np.array([10.0, 40.0, 100.0]), np.array([0.45, 0.2, 0.1])


def test_before_the_first_label_all_is_expected_around_what_the_scores_suggest() -> None:
    nothing = np.empty(0)
    none = Track(
        *(nothing, nothing, nothing, nothing, 100), ahead=AHEAD, suggested=0.8, earliest=1.0
    )
    found = none.expected()
    assert found is not None
    x, low, high = found
    ends = np.stack([low, high], axis=1)
    assert ends[0] == pytest.approx([0, 1]) and ends[x == 40][0] == pytest.approx([0.6, 1.0])
    assert ends[-1] == pytest.approx([0.7, 0.9])
    # A value is told at 60 points: half-width .3 lies between 10 and 40 labels, on a log scale.
    first = none.first_figure()
    assert first is not None and 20 < first < 35
    drawn = over_labels(none, "")
    assert "first figure, about here" in texts(drawn)
    (rule,) = of_class(drawn, "first")
    assert float(rule[1]["x1"]) == at(first, 0)[0]
    assert replace(none, earliest=50.0).first_figure() == 50
    assert replace(none, earliest=None).first_figure() is None
    assert replace(none, ahead=(AHEAD[0], np.full(3, 0.4))).first_figure() is None


def test_dots_are_filled_where_a_label_agrees_and_the_newest_has_a_halo() -> None:
    (row,) = of_class(bars([Bar("Recall", None, None, None, dots=[True, False])]), "dots")
    assert [one[1]["class"] for one in row[2:]] == ["agreed", "against newest"]
    assert row[1]["aria-label"] == "1 of 2 agreed"
    assert not of_class(bars([Bar("Recall", None, None, None)]), "dots")


@pytest.mark.parametrize(("labels", "kept"), [(15, 15), (16, 16), (30, 30), (31, 16), (46, 16)])
def test_of_many_dots_the_last_are_shown(labels: int, kept: int) -> None:
    row = dot_row([False] * (labels - kept) + [True] * kept)
    assert len(row) - 2 == kept and all("agreed" in one[1]["class"] for one in row[2:])
    assert row[1]["class"] == ("dots small" if labels > 15 else "dots")


def test_two_that_seldom_differ_have_a_bar_before_the_first_label() -> None:
    """What is certain of them is drawn; of others nothing is until there is an interval."""

    def bar(low: float, high: float) -> Bar:
        return estimate_bar(Known("accuracy_difference", None, low, high), "Difference")

    some, none = bar(-0.008, 0.008), bar(-1.0, 1.0)
    assert (some.low, some.high, some.said) == (-0.008, 0.008, ("", "−0.8 to +0.8"))
    assert (none.low, none.said) == (None, ("", "not yet"))
    share = estimate_bar(Known("recall", None, 0.2, 1.0), "Recall")
    assert (share.low, share.said) == (None, ("", "not yet"))


def test_a_truth_stands_where_it_is_inside_or_not() -> None:
    (dot,) = of_class(bars([Bar("Recall", 0.5, 0.4, 0.6, truth=0.7)]), "truth")
    assert dot[1]["style"] == "left:70.00%"
    (dot,) = of_class(over_labels(track(truth=0.3), ""), "truth")
    assert (float(dot[1]["cx"]), float(dot[1]["cy"])) == at(10, 0.3)
    assert not of_class(over_labels(track(), ""), "truth")


def test_a_name_that_can_be_pressed_says_whose_chart_is_shown() -> None:
    two = bars([Bar("A", 0.5, 0.4, 0.6, key="a", shown=True), Bar("B", 0.5, 0.4, 0.6, key="b")])
    found = {one[1]["data-figure"]: one[1]["aria-pressed"] for one in of_class(two, "name")}
    assert found == {"a": "true", "b": "false"}
    (plain,) = of_class(bars([Bar("A", 0.5, 0.4, 0.6)]), "name")
    assert plain[0] == "span"


def test_a_difference_says_who_is_better_above_and_below_zero() -> None:
    drawn = over_labels(track(scale=(-0.5, 0.5), sides=("A is better", "B is better")), "")
    (zero,) = of_class(drawn, "zero")
    assert float(zero[1]["y1"]) == at(0, 0.5)[1]
    heights = {one[2]: float(one[1]["y"]) for one in of_class(drawn, "remark")}
    assert heights["A is better"] < float(zero[1]["y1"]) < heights["B is better"]
    ends = {float(one[1]["x"]) for one in of_class(drawn, "remark")}
    assert all(at(90, 0)[0].expected < end <= WIDTH for end in ends), ends


def test_a_candidate_that_is_out_ends_in_a_cross_below_those_still_in() -> None:
    bounds = ((1, 0.0, 0.2), (2, 0.2, 0.4), (3, 0.4, 0.6))
    rows = [(x, "top 100", low + 0.3, high + 0.3, "in") for x, low, high in bounds]
    rows += [(x, "top 50", low, high, OUT if x > 1 else "in") for x, low, high in bounds]
    rows += [(x, "top 200", low, high, "in") for x, low, high in bounds]
    table = pd.DataFrame(rows, columns=list(MOVED_COLUMNS))
    drawn = living(race_drawing(table, choice(), 100), "words")
    assert [one[1]["stroke"] for one in of_class(drawn, "bound")] == [
        *["var(--quiet)"] * 2,
        *["var(--data-3)"] * 2,
        *["var(--data-2)"] * 2,
    ]
    (gone,) = of_class(drawn, "gone")
    assert gone[2] == "×" and float(gone[1]["x"]) == at(2, 0)[0]
    (wanted,) = of_class(drawn, "goal")
    assert float(wanted[1]["y1"]) == at(0, choice().precision_threshold)[1]
    few = living(race_drawing(table, choice(), 100, {"top 100"}), "words")
    assert len(of_class(few, "bound")) == 2 and not of_class(few, "gone")


def test_of_the_candidates_the_chosen_one_stands_first_and_those_that_are_out_last() -> None:
    names = [f"top {size}" for size in (50, 100, 200, 400, 800)]
    bounds = pd.DataFrame({
        "classifier": names, "size": [50, 100, 200, 400, 800], "value": 0.9, "low": 0.8,
        "high": 0.95, "state": ["in", OUT, "in", OUT, "in"],
    })  # fmt: skip
    for chosen, order in ((names[2], [2, 0, 4, 1]), (None, [0, 2, 4, 1]), (names[3], [3, 0, 2, 4])):
        made = choice(bounds=bounds, chosen=chosen)
        told = [one for one in texts(choice_picture(made, [], 0, ()).bars) if one in names]
        assert told == [names[place] for place in order]


@pytest.mark.parametrize(
    ("views", "barred", "pressed"),
    [((OVER_LABELS,), 2, True), ((OVER_LABELS, "x"), 1, True), ((OVER_LABELS,), 1, False),
     (("x", "y"), 2, False)],
)  # fmt: skip
def test_names_lead_to_other_charts(views: tuple[str, ...], barred: int, pressed: bool) -> None:
    every = [replace(ONE, estimand=name) for name in ("precision", "recall")[:barred]]
    look = SimpleNamespace(views=views, barred=every, view=views[0], charted=every[0], dots={},
                           names={"precision": "Precision", "recall": "Recall"})  # fmt: skip
    drawn = _estimate_bars(look, SimpleNamespace(truths={"precision": 0.4}))  # type: ignore[arg-type]
    assert [one.key for one in drawn] == [one.estimand if pressed else "" for one in every]
    assert [one.shown for one in drawn] == [views[0] == OVER_LABELS, False][:barred]
    assert [one.truth for one in drawn] == [0.4, None][:barred]


def test_a_bar_marks_no_value_where_the_interval_is_too_wide_for_one() -> None:
    wide = Estimate("recall", 1.0, 0.118, 1.0, 0.95, **{**BASIS, "promise": Promise.FIXED})
    bar = estimate_bar(wide, "Recall")
    assert bar.value is None and bar.said == ("", "at least 11")
    assert of_class(bars([bar]), "band") and not of_class(bars([bar]), "tick")
    told = estimate_bar(replace(wide, low=0.41), "Recall")
    assert told.said == ("100 %", "41 to 100") and of_class(bars([told]), "tick")
    nearly_all = estimate_bar(replace(wide, low=0.09), "Recall")
    assert nearly_all.said == ("", "too early") and not of_class(bars([nearly_all]), "band")
    early = estimate_bar(replace(wide, state=State.PROVISIONAL, tentative=True), "Recall")
    assert early.said == ("", "not yet") and not of_class(bars([early]), "tick")


def test_a_remark_on_wide_bounds_is_not_crossed_by_the_cut() -> None:
    for cut, crosses in ((20, False), (80, True)):
        wide = np.ones(100)
        drawn = along(100, cut, low=0 * wide, high=wide)
        (said,) = [one for one in of_class(drawn, "remark") if one[2] == NO_LINE]
        (line,) = of_class(drawn, "cut")
        free = float(line[1]["x1"]) - 5 if crosses else WIDTH - RIGHT
        assert float(said[1]["x"]) == free


def test_the_axes_stand_at_the_plan_whatever_the_data() -> None:
    first, later = over_labels(track(), ""), over_labels(track(labels=np.array([1.0, 50, 90])), "")
    assert of_class(first, "grid") == of_class(later, "grid")
    assert [one for one in texts(first) if one == "100"] == ["100", "100"]  # per cent, labels


def test_band_and_value_are_drawn_from_the_first_label() -> None:
    drawn = over_labels(track(), "")
    (band,) = of_class(drawn, "band")
    assert points(band) == [
        *(at(1, 0.0), at(2, 0.1), at(10, 0.4)),
        *(at(10, 0.95), at(2, 0.9), at(1, 1.0)),
    ]
    drawn = over_labels(track(low=np.array([0.0, np.nan, 0.4])), "")
    (grey,), (sure,) = of_class(drawn, "estimate grey"), of_class(drawn, "estimate")
    assert points(grey) == [at(2, 0.5)] and points(sure) == [at(2, 0.5), at(10, 0.8)]
    (dot,) = of_class(drawn, "last")
    assert (float(dot[1]["cx"]), float(dot[1]["cy"])) == at(10, 0.8)


def test_what_is_expected_starts_at_the_present_interval_and_never_widens() -> None:
    ahead = np.array([5.0, 50.0, 100.0]), np.array([0.9, 0.3, 0.1])
    first_told = np.array([np.nan, np.nan, 0.8])
    (funnel,) = of_class(over_labels(track(ahead=ahead, value=first_told), ""), "expected")
    half = len(points(funnel)) // 2
    low, high = points(funnel)[:half], points(funnel)[half:][::-1]
    assert (low[0], high[0]) == (at(10, 0.4), at(10, 0.95))
    assert (low[-1], high[-1]) == (at(100, 0.7), at(100, 0.9))
    heights = [b - t for (_, b), (_, t) in zip(low, high, strict=True)]
    assert heights == sorted(heights, reverse=True)
    # It begins as wide as the interval is, without a step to what was expected for here.
    assert heights[1] > 0.9 * heights[0]
    over = track(ahead=ahead, labels=np.array([1.0, 2.0, 100.0]))
    assert not of_class(over_labels(over, ""), "expected")


def test_the_goal_is_dashed_at_the_end_of_the_plan() -> None:
    drawn = over_labels(track(margin=0.1), "")
    heights = [float(one[1]["y1"]) for one in of_class(drawn, "goal")]
    assert heights == [at(0, 0.7)[1], at(0, 0.9)[1]]
    assert "goal" in texts(drawn)


def test_what_is_still_possible_is_named_at_the_end_of_the_plan() -> None:
    """Below its lower end where there is room, else above its upper one."""
    for low in (0.4, 0.0):
        certain = np.array([1.0, 10.0]), np.array([0.0, low]), np.array([1.0, 0.9])
        drawn = over_labels(track(certain=certain), "")
        (words,) = (one for one in of_class(drawn, "remark") if one[2] == "still possible")
        assert float(words[1]["x"]) == at(100, 0)[0]


def test_what_is_still_possible_leaves_the_name_of_a_side_free() -> None:
    low = -0.5 + 1.5 * BELOW
    certain = np.array([1.0, 10.0]), np.array([-0.5, low]), np.array([0.5, 0.2])
    value = np.array([np.nan, low, low])
    sides = "A is better", "B is better"
    drawn = over_labels(track(scale=(-0.5, 0.5), sides=sides, certain=certain, value=value), "")
    heights = {one[2]: float(one[1]["y"]) for one in of_class(drawn, "remark")}
    assert all(abs(heights["still possible"] - heights[side]) > 16 for side in sides)


def test_the_line_of_a_first_figure_goes_through_no_words() -> None:
    wide = np.array([0.0, 0.0, 0.05]), np.array([1.0, 1.0, 0.95])
    late = track(
        value=np.full(3, np.nan), low=wide[0], high=wide[1], earliest=95.0,
        ahead=(np.array([10.0, 90.0, 100.0]), np.array([0.45, 0.28, 0.25])),
    )  # fmt: skip
    drawn = over_labels(late, "")
    (line,) = of_class(drawn, "first")
    (said,) = (one for one in of_class(drawn, "remark") if one[2] == "expected")
    assert said[1]["text-anchor"] == "end" and float(said[1]["x"]) < float(line[1]["x1"])


@pytest.mark.parametrize("now", [85.0, 70.0])
def test_what_is_expected_is_named_where_there_is_room(now: float) -> None:
    """The words are a fifth of the chart wide, beside the end of the plan."""
    ahead = np.array([5.0, 50.0, 100.0]), np.array([0.9, 0.3, 0.1])
    drawn = over_labels(track(ahead=ahead, labels=np.array([1.0, 2.0, now])), "")
    assert of_class(drawn, "expected") and ("expected" in texts(drawn)) == (now < 80)


@pytest.mark.parametrize("value", [0.06, 0.08, 0.3])
def test_no_zero_goes_through_what_is_expected(value: float) -> None:
    ahead = np.array([5.0, 50.0, 100.0]), np.array([0.5, 0.1, 0.05])
    ends = {"low": np.full(3, value - 0.3), "high": np.full(3, value + 0.3)}
    sides = {"scale": (-0.5, 0.5), "sides": ("A is better", "B is better")}
    drawn = over_labels(track(ahead=ahead, value=np.full(3, value), **ends, **sides), "")
    (said,) = (one for one in of_class(drawn, "remark") if one[2] == "expected")
    (zero,), bottom = of_class(drawn, "zero"), float(said[1]["y"])
    assert not bottom - 12 < float(zero[1]["y1"]) < bottom + 3


def test_nothing_is_drawn_of_no_label_but_the_axes() -> None:
    nothing = np.empty(0)
    drawn = over_labels(Track(nothing, nothing, nothing, nothing, 100, margin=0.1), "words")
    assert {one[0] for one in nodes(drawn)} == {"svg", "line", "text"}
    assert drawn[1]["aria-label"] == "words"


def test_a_long_session_is_thinned_and_keeps_its_last_label() -> None:
    n = 5000
    grows = np.arange(1.0, n + 1)
    flat = np.full(n, 0.5)
    long = Track(grows, flat, flat - 0.1, flat + 0.1, n)
    (line,) = of_class(over_labels(long, ""), "estimate")
    assert len(points(line)) <= 160 and points(line)[-1] == at(n, 0.5, n)


def curve(items: int, **other: object) -> Band:
    rank = np.arange(1.0, items + 1)
    value = 1.0 - rank / items / 2
    found: dict[str, object] = {
        "estimand": "precision_curve", "x": rank, "value": value, "low": value - 0.1,
        "high": np.minimum(value + 0.1, 1), "threshold": value, "confidence": 0.95,
        "simultaneous": False, "scope": Scope("items.csv", items),
    }  # fmt: skip
    return Band(**{**BASIS, **found, **other})


def along(items: int, cut: int | None = None, **other: object) -> Node:
    return living(precision_drawing(curve(items, **other), cut), "")


def test_the_curve_has_its_band_and_the_own_cut() -> None:
    drawn = along(1000, cut=250)
    (line,), (cut,) = of_class(drawn, "estimate"), of_class(drawn, "cut")
    assert points(line)[-1] == at(1000, 0.5, 1000)
    assert float(cut[1]["x1"]) == at(250, 0, 1000)[0]
    assert "own cut at 250" in texts(drawn)
    assert len(points(line)) <= (WIDTH - LEFT - RIGHT) / 2 + 2


@pytest.mark.parametrize("items", [10_000, 999_999, 1_000_000, 10_000_000])
def test_the_ranks_below_a_long_list_do_not_touch(items: int) -> None:
    drawn = [one for one in nodes(along(items)) if one[0] == "text" and one[2][0].isdigit()]
    lowest = max(float(one[1]["y"]) for one in drawn)
    ends = 0.0
    for one in drawn:
        if float(one[1]["y"]) == lowest:
            wide = DIGIT * len(one[2])
            left = float(one[1]["x"]) - wide / (1 if one[1]["text-anchor"] == "end" else 2)
            assert left > ends + DIGIT
            ends = left + wide


def test_a_curve_without_a_band_is_a_grey_guess() -> None:
    assert not of_class(along(1000), "estimate grey")
    drawn = along(1000, state="too few")
    assert of_class(drawn, "estimate grey") and not of_class(drawn, "estimate")
    assert not of_class(drawn, "band")


def test_every_chart_names_its_axes_and_the_unit() -> None:
    nothing = pd.DataFrame(columns=list(MOVED_COLUMNS))
    drawn = [
        over_labels(track(name="Recall"), ""),
        along(1000),
        living(race_drawing(nothing, choice(), 9), ""),
    ]
    names = [[one[2] for one in of_class(chart, "axis")] for chart in drawn]
    assert names == [
        ["Recall, %", "labels"],
        ["Precision, %", "first items by score"],
        ["Precision, %", "labels"],
    ]


def test_a_list_without_bounds_has_its_axes_already() -> None:
    nothing = np.full(100, np.nan)
    drawn = along(100, value=nothing, low=nothing, high=nothing)
    empty = dict.fromkeys(("x", "value", "low", "high", "threshold"), np.empty(0))
    assert drawn == along(100, **empty)
    assert {one[0] for one in nodes(drawn)} == {"svg", "line", "text"}


def test_bounds_without_confidence_are_two_lines() -> None:
    drawn = along(100, confidence=None)
    assert len(of_class(drawn, "bound")) == 2 and not of_class(drawn, "band")


def test_a_name_is_a_text_and_only_known_parts_are_used() -> None:
    named = re.findall(r'"([\w-]+)"', text_of("nodes.js").split("const made")[0])
    shown = bars([Bar(HOSTILE, 0.5, 0.1, 0.9, (HOSTILE, HOSTILE))], wanted=0.5)
    for tree in (shown, over_labels(track(margin=0.1), HOSTILE), along(100, cut=9)):
        for tag, attributes, *_ in nodes(tree):
            assert tag in named and set(attributes) <= set(named)
    assert texts(shown) == [HOSTILE] * 3
