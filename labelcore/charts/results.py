"""A result on its own as a figure, for a notebook: ``Estimate.figure()`` and the like."""

from functools import singledispatch
from typing import Any

import plotly.graph_objects as go

from labelcore.charts.base import Row, rows_drawing
from labelcore.charts.calibration import calibration_chart
from labelcore.charts.candidates import candidates_chart
from labelcore.charts.design import FIRST, REFERENCE
from labelcore.charts.drawing import Axis, Bars, Drawing, Rule, Unit, named_axis
from labelcore.charts.figure_table import row_name
from labelcore.charts.lists import list_chart
from labelcore.charts.plotted import plotted
from labelcore.charts.rank import rank_chart
from labelcore.results.calibration import Calibration
from labelcore.results.cells import Table
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.safe_text import shortened
from labelcore.words.claims import LEAST_TIMES, MOST_TIMES
from labelcore.words.tables import cell_said


@singledispatch
def figure_of(result: Any) -> go.Figure:
    """The figure of a result, found by its type."""
    raise TypeError(f"there is no figure of a {type(result).__name__}")


@figure_of.register
def _(result: Estimate) -> go.Figure:
    """The interval as a line, the value as a point; the goal of the plan is in its sentence."""
    row = _row(shortened(result.estimand), result, FIRST, result.sentence(), value=result.told)
    unit, least = (Unit.DIFFERENCE, -1.0) if result.is_difference else (Unit.SHARE, 0.0)
    return plotted(rows_drawing(Axis(unit=unit, ends=(least, 1.0)), [row]))


@figure_of.register
def _(result: Table) -> go.Figure:
    """A row for each cell on one scale, those of a figure together; a first guess in grey."""
    cells = [cell for figure in result.figures for cell in result.cells if cell.figure == figure]
    several = len({classifier for classifier, _ in result.rows}) > 1
    rows = []
    for cell in cells:
        name = shortened(f"{cell.figure}: {row_name(cell.row, several)}")
        value, role = (cell.estimate.told, FIRST) if cell.asked else (None, REFERENCE)
        rows.append(_row(name, cell.estimate, role, cell_said(cell), value=value))
    return plotted(rows_drawing(Axis(unit=Unit.SHARE), rows))


def _row(name: str, result: Estimate, role: str, hover: str, *, value: float | None) -> Row:
    low, high = (result.low, result.high) if result.has_interval else (None, None)
    return Row(name, value, low, high, role, hover)


@figure_of.register
def _(result: Band) -> go.Figure:
    return rank_chart(result).figure


@figure_of.register
def _(result: ListDifference) -> go.Figure:
    return list_chart(result).figure


@figure_of.register
def _(result: Calibration) -> go.Figure:
    return calibration_chart(result).figure


@figure_of.register
def _(result: Choice) -> go.Figure:
    return candidates_chart(result).figure


@figure_of.register
def _(result: Claim) -> go.Figure:
    """The evidence for the claim and for its opposite; the line is where it settles one of them."""
    evidence = [
        min(max(side, LEAST_TIMES), MOST_TIMES)
        for side in (result.evidence, result.evidence_against)
    ]
    names, sentences = ("for", "against"), [result.sentence()]
    bars = [
        Bars([place], [times], role=role, hover=sentences)
        for place, (times, role) in enumerate(zip(evidence, (FIRST, REFERENCE), strict=True))
    ]
    times = Axis("evidence (times)", log=True)
    return plotted(Drawing(named_axis(names), times, bars, [Rule(1 / result.alpha)]))
