"""Curves of a ranked list: provisional values, bounds without confidence, cuts, pairs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from labelcore.charts import rank
from labelcore.charts.against import precision_recall_chart, precision_yield_chart, roc_chart
from labelcore.charts.bounds import ENVELOPE_NAME
from labelcore.charts.curve_points import MOST_POINTS
from labelcore.charts.rank import LOG_FROM_ITEMS, rank_chart
from labelcore.charts.readings import READINGS, assurance
from labelcore.results.curves import Band
from labelcore.results.types import Scope

Make = Callable[..., Band]


def traces(chart: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in chart.figure.data}


def without_confidence(band: Band) -> Band:
    noise = np.array([0.0, 0.05, 0.05])
    extra = {"envelope_low": band.low / 2, "envelope_high": band.high, "noise": noise}
    return replace(band, confidence=None, promise="none", extra=extra, notes=("It rises.",))


@pytest.mark.parametrize("name", READINGS)
def test_every_reading_has_its_name_its_unit_and_its_words(make_band: Make, name: str) -> None:
    chart = rank_chart(make_band(name, [0.9, 0.8, 0.5]))
    label = READINGS[name].label
    assert label in chart.table and chart.alt.startswith(f"{label} of the items")
    assert chart.figure.layout.yaxis.title.text == label.lower()
    shares = READINGS[name].unit == "share"
    assert (chart.figure.layout.yaxis.tickformat == ".3~%") is shares
    assert label.lower() in chart.figure.data[-1].hovertext[0]


def test_an_unknown_reading_is_refused(make_band: Make) -> None:
    with pytest.raises(ValueError, match="band must hold one of precision, .*'kappa_curve'"):
        rank_chart(make_band("kappa", [0.5]))


def test_provisional_values_are_a_thin_line_called_so(make_band: Make) -> None:
    band = replace(make_band("precision", [0.9, 0.8, 0.5]), provisional=np.array([0.8, 0.7, 0.4]))
    chart = rank_chart(band)
    thin, thick = traces(chart)["provisional, by all labels so far"], traces(chart)["estimate"]
    assert thin.y == (0.8, 0.7, 0.4) and thick.y == (0.9, 0.8, 0.5)
    assert thin.line.width < thick.line.width
    assert "so far, provisional: 70.0 %" in thick.hovertext[1]
    assert chart.table["So far"].tolist() == [0.8, 0.7, 0.4]


def test_the_band_is_named_by_its_promise(make_band: Make) -> None:
    pointwise = make_band("precision", [0.9, 0.8, 0.5])
    assert "95 % band, each rank on its own" in traces(rank_chart(pointwise))
    together = replace(pointwise, simultaneous=True)
    assert "95 % band, all ranks together" in traces(rank_chart(together))
    stopped = replace(together, state="stopped early", promise="none")
    assert "interval without a promise" in traces(rank_chart(stopped))


def test_bounds_without_confidence_are_two_lines_and_no_percentage_of_confidence(
    make_band: Make,
) -> None:
    band = without_confidence(make_band("precision", [0.9, 0.8, 0.5]))
    chart = rank_chart(band)
    low, high = (t for t in chart.figure.data if t.name == assurance(band))
    assert low.y == tuple(band.low) and high.y == tuple(band.high)
    assert low.fill is None and high.fill is None
    assert not [name for name in traces(chart) if "%" in name or "band" in name]
    assert "95 %" not in chart.alt
    midpoint = traces(chart)["midpoint of the bounds"]
    assert midpoint.line.width < low.line.width
    assert "midpoint 80 %, bounds 70 % and 90 %" in midpoint.hovertext[1]
    assert "noise of one window: ± 5.0 points" in midpoint.hovertext[1]
    assert "noise" not in midpoint.hovertext[0]
    assert "It rises." in chart.alt
    dotted = [t for t in chart.figure.data if t.name == ENVELOPE_NAME]
    assert [t.line.dash for t in dotted] == ["dot", "dot"]
    assert dotted[0].y == tuple(band.low / 2)


def test_noise_is_around_the_midpoint_where_there_is_any(make_band: Make) -> None:
    chart = rank_chart(without_confidence(make_band("precision", [0.9, 0.8, 0.5])))
    noise = traces(chart)["noise of one window, ± 1 standard error"]
    assert noise.x == (20, 30, 30, 20, 20)
    assert noise.y == pytest.approx((0.75, 0.45, 0.55, 0.85, 0.75))
    plain = without_confidence(make_band("precision", [0.9, 0.8, 0.5]))
    silent = replace(plain, extra={**plain.extra, "noise": np.zeros(3)})
    assert not [name for name in traces(rank_chart(silent)) if "noise" in name]


def test_an_exact_curve_has_a_line_and_no_band(make_band: Make) -> None:
    chart = rank_chart(make_band("precision", [0.9, 0.5], state="exact", half=0.0))
    assert list(traces(chart)) == ["precision, exact"]
    assert "exactly 90.00 %" in chart.alt


@pytest.mark.parametrize("log", [False, True])
def test_a_cut_is_a_line_with_words(make_band: Make, log: bool) -> None:
    band = make_band("precision", [0.9, 0.8, 0.5])
    long = replace(band, scope=Scope("a.csv", LOG_FROM_ITEMS))
    chart = rank_chart(long if log else band, cut=20)
    (cut,) = chart.figure.layout.shapes
    assert (cut.x0, cut.x1) == (20, 20)
    notes = chart.figure.layout.annotations
    assert notes[0].x == pytest.approx(np.log10(20) if log else 20)
    assert [note.text.strip() for note in notes] == ["cut at 20"]
    assert "the cut at 20 items" in chart.alt


def test_a_long_list_has_a_log_scale_and_the_axis_spans_the_list(make_band: Make) -> None:
    band = replace(make_band("precision", [0.9, 0.5]), scope=Scope("a.csv", 1000))
    axis = rank_chart(band).figure.layout.xaxis
    assert axis.range == (0, 1000) and axis.type is None and axis.ticktext == ("0", "500", "1,000")
    low, high = rank_chart(replace(band, scope=Scope("a.csv", 10_000))).figure.layout.xaxis.range
    assert -1e-6 < low < 0 and 4 < high < 4 + 1e-6  # A dot at the first rank lies inside.
    far = rank_chart(replace(band, x=np.array([10.0, 50_000.0]))).figure
    assert far.layout.xaxis.type == "log" and far.data[-1].x == (10, 50_000)


def test_a_long_band_is_thinned_and_its_table_is_not(
    make_band: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    band = make_band("precision", list(np.linspace(1, 0.2, 1201)))
    chart = rank_chart(band)
    drawn = traces(chart)["estimate"]
    assert 100 < len(drawn.x) <= MOST_POINTS and len(chart.table) == 1201
    monkeypatch.setattr(rank, "LOG_FROM_ITEMS", 1_000_000)
    even = traces(rank_chart(band))["estimate"]
    assert len(even.x) == MOST_POINTS
    assert sum(x < 1000 for x in drawn.x) > 2 * sum(x < 1000 for x in even.x), "log scale"
    assert (drawn.x[0], drawn.x[-1]) == (band.x[0], band.x[-1])
    assert set(drawn.x) <= set(band.x.tolist())


def test_roc_bounds_join_the_low_of_one_with_the_high_of_the_other(make_band: Make) -> None:
    true_rate = make_band("true_positive_rate", [0.5, 0.8, 1.0])
    false_rate = make_band("false_positive_rate", [0.1, 0.4, 1.0], half=0.05)
    chart = roc_chart(true_rate, false_rate, cut=21)
    band, diagonal, curve, ring = chart.figure.data
    assert band.x[:3] == tuple(false_rate.high) and band.y[:3] == tuple(true_rate.low)
    assert band.x[3:6] == tuple(false_rate.low[::-1]) and band.y[3:6] == tuple(true_rate.high[::-1])
    assert diagonal.x == diagonal.y == (0, 1)
    assert curve.x == (0.1, 0.4, 1.0) and curve.y == (0.5, 0.8, 1.0)
    assert (ring.x, ring.y, ring.name) == ((0.4,), (0.8,), "cut at 21")
    assert "False positive rate low" in chart.table
    assert "The bounds are about both at once." in chart.alt


def test_yield_bounds_move_with_precision(make_band: Make) -> None:
    precision, hits = make_band("precision", [0.9, 0.5]), make_band("yield", [0.9, 0.95], half=0.2)
    band = precision_yield_chart(precision, hits).figure.data[0]
    assert band.x[:2] == tuple(hits.low) and band.y[:2] == tuple(precision.low)


def test_recall_chart_says_that_its_band_is_about_precision(make_band: Make) -> None:
    chart = precision_recall_chart(make_band("precision", [0.9]), make_band("recall", [0.5]))
    assert "The bounds are about precision." in chart.alt


def test_midpoints_are_no_line_in_a_pair(make_band: Make) -> None:
    true_rate = without_confidence(make_band("true_positive_rate", [0.5, 0.8, 1.0]))
    false_rate = without_confidence(make_band("false_positive_rate", [0.1, 0.4, 1.0]))
    *_, midpoints = roc_chart(true_rate, false_rate).figure.data
    assert midpoints.line.width == 0 and midpoints.showlegend is False
    assert "midpoint 80 %" in midpoints.hovertext[1]
