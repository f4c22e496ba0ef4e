"""Which estimates along the ranks are told."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.promises import State
from labelcore.results.curves import Band, Cut
from labelcore.results.told_values import NO_LINE
from labelcore.ui import cutting
from labelcore.ui.curve_view import PAIRS, band_figure, choices, curve_chart
from labelcore.ui.cutting import barely
from labelcore.ui.explore import estimate_words, screen
from labelcore.words.curves import cut_facts
from tests.answering import answer_draws
from tests.columns import items
from tests.findings import BASIS


def band(value: float, low: float, high: float, rank: float = 10.0, **more: object) -> Band:
    point = {name: np.array([one]) for name, one in (("value", value), ("low", low))}
    given = {"state": State.INTERVAL, "confidence": 0.95, **more}
    return Band(
        estimand="precision_curve", x=np.array([rank]), high=np.array([high]),
        threshold=np.array([0.5]), simultaneous=True, **BASIS, **point, **given,
    )  # type: ignore[arg-type]  # fmt: skip


def test_an_estimate_that_says_little_is_not_told() -> None:
    assert band_figure(band(0.66, 0.1, 0.99)) == "10 to 99 %"
    assert band_figure(band(0.66, 0.7, 0.6)) == "bounds contradict each other"
    assert estimate_words("precision", band(0.66, 0.1, 0.99)) == "not yet"
    assert band_figure(band(0.66, 0.4, 0.99)).startswith("66 %")
    assert estimate_words("precision", band(0.66, 0.4, 0.99)) == "66 %"


@pytest.mark.parametrize(
    ("design", "last"),
    [
        ("simple_random", ["accuracy", "precision-recall"]),
        ("random_curve", ["ndcg", "roc", "precision-recall", "precision-yield"]),
        ("paula", ["ndcg", "roc", "precision-yield"]),
    ],
)
def test_what_is_drawn_against_what(design: str, last: list[str]) -> None:
    """Without estimates there is no recall to draw precision against."""
    scores = np.linspace(0, 1, 200)
    population = items(scores={"m": scores}, predictions={"m": (scores > 0.5).astype(int)})
    given = {} if design == "paula" else {"budget": 60}
    plan = lc.Plan(design, "precision_curve", promise="fixed", **given)
    session = lc.Session(population, plan)
    answer_draws(session, "yes", 30)
    assert [*choices(session.curve())][-len(last) :] == last


def along(*lows: float) -> Band:
    many, ones = len(lows), np.ones(len(lows))
    x = np.arange(1.0, many + 1)
    shown = {"x": x, "value": 0.9 * ones, "low": np.array(lows), "high": ones, "threshold": ones}
    return replace(band(0.9, 0, 1), **shown)  # type: ignore[arg-type]


@dataclass(frozen=True)
class OneBand:
    """What gives the same band for every reading."""

    one: Band

    def band(self, name: str, curve: object) -> Band:
        return self.one


def test_the_band_is_drawn_where_no_line_is_and_says_so() -> None:
    session: Any = OneBand(replace(along(0.1, 0.2, 0.1), provisional=np.full(3, 0.4)))
    curve: Any = None
    chart = curve_chart(session, curve, "precision", cut=2)
    drawn = chart.figure.data
    told: Any = OneBand(along(0.8, 0.85, 0.8))
    assert all(curve_chart(told, curve, pair, cut=2).figure.data for pair in PAIRS)
    (area,) = (trace for trace in drawn if trace.fill == "toself")
    assert (min(area.y), max(area.y)) == (0.1, 1.0)
    lines = [trace for trace in drawn if trace is not area]
    assert all(one is None for trace in lines if trace.line.width for one in trace.y)
    (pointed,) = (trace for trace in lines if trace.line.width == 0)
    assert "precision between 20 % and 100 %" in pointed.hovertext[1], "hover says the bounds"
    assert not any(trace.showlegend for trace in lines)
    assert NO_LINE in [note.text for note in chart.figure.layout.annotations]
    assert "No line yet: the bounds are wide." in chart.alt and "90.0 %" not in chart.alt
    assert chart.table["Precision"].isna().all()


def test_the_line_has_a_gap_where_the_bounds_are_wide() -> None:
    session: Any = OneBand(replace(along(0.1, 0.7, 0.8), provisional=np.full(3, 0.4)))
    curve: Any = None
    chart = curve_chart(session, curve, "precision")
    for name, value in (("estimate", 0.9), ("provisional, by all labels so far", 0.4)):
        (line,) = (trace for trace in chart.figure.data if trace.name == name)
        assert line.y == (None, value, value)
    assert NO_LINE not in [note.text for note in chart.figure.layout.annotations]


def test_bounds_without_confidence_are_no_estimate_however_wide() -> None:
    for low in (0.1, 0.4):
        one = band(0.66, low, 0.99, confidence=None)
        assert estimate_words("precision", one) == "none by this method"


@pytest.mark.parametrize(
    ("rank", "n_items", "state", "little"),
    [
        (2, 1547, State.INTERVAL, True),
        (10, 1547, State.INTERVAL, False),
        (2, 1547, State.EXACT, False),
        (5, 5, State.INTERVAL, False),
    ],
)
def test_a_few_items_are_no_cut(rank: int, n_items: int, state: State, little: bool) -> None:
    at = {"precision": band(0.9, 0.8, 1.0, float(rank), state=state)}
    assert barely(Cut(rank, n_items, 0.9, (rank, rank), at)) == little


def test_the_picture_ends_behind_the_cut_or_with_the_list() -> None:
    population = items(scores={"m": [n / 1000 for n in range(1000)]})
    session = lc.Session(population, lc.Plan("random_curve", ["precision_curve"], budget=60))
    answer_draws(session, True, 12)

    def shown(rank: int) -> str:
        return str(screen(session, session.curve(), session.cut(rank), None, "no search")["range"])

    assert [shown(100), shown(101)] == ["first 100 of 1,000", "all 1,000"]
    assert " keeps " not in cut_facts(session.cut(100)), "its score is that of no other item"


def test_what_was_chosen_is_drawn_where_the_curve_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting.st, "session_state", {cutting.VIEW: "recall"})
    assert cutting.view_of(("precision", "recall")) == "recall"
    assert cutting.view_of(("precision",)) == "precision"
