"""The picture of two lists tells no value that its bounds leave open."""

from pathlib import Path

import numpy as np

import labelcore as lc
from labelcore.charts.lists import list_chart
from tests.designs.paired_files import paired


def test_the_own_values_of_a_list_are_told_where_its_own_bounds_allow_it(tmp_path: Path) -> None:
    """Its line, what the pointer is told and the table, as of every other curve."""
    known = paired(tmp_path, 600, seed=8, shift=1.5)
    plan = lc.Plan(
        "paired_lists", "precision_curve_difference", classifier=["a", "b"], budget=160, seed=2
    )
    session = lc.Session(known.population, plan)
    while (lists := session.list_difference()).own is None or not lists.has_interval:
        draw = session.next()
        assert draw is not None
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
    assert lists.own is not None
    told = lists.own[0].told
    assert np.isnan(told).any() and np.isfinite(lists.own[0].value).all()
    chart = list_chart(lists)
    assert np.array_equal(chart.table["a"], told, equal_nan=True)
    assert "difference, points" in chart.drawing.y.title, "it goes below 0"
    assert "difference, a less b" in [mark.name for mark in chart.drawing.marks]
    assert all(remark.x is not None for remark in chart.drawing.remarks), "none lies on the band"
    lines = [mark for mark in chart.drawing.marks if mark.kind == "list"]
    assert np.array_equal(lines[0].points[1], told[lists.shown], equal_nan=True)
    hover = next(mark.hover for mark in chart.drawing.marks if mark.kind == "estimate")
    named = ["\na: " in text for text in hover]
    assert named == np.isfinite(told[lists.shown]).tolist()
