"""A drawing as a Plotly figure: for notebooks, and for pages where the pointer asks for numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from labelcore.charts.design import CHART_TEXT, LIGHT, LINE, THIN, Theme, roles
from labelcore.charts.drawing import (
    NARROW_BAND,
    AnyMark,
    Band,
    Bars,
    Drawing,
    Line,
    Numbers,
    Remark,
    Rule,
    Scale,
    Symbol,
    Unit,
)

SHARE_TICKS, NUMBER_TICKS = ".3~%", ",~r"
MOST_NAMES = 40
BEYOND = 1e-9
"""Of a logarithm: rounding takes a dot at the very end of an axis for one outside."""
MARKUP = frozenset("&<>${}*_`[]\\")


def plotted(drawing: Drawing, theme: Theme = LIGHT) -> go.Figure:
    """The figure in the colours of a theme. Nothing moves, zoom is kept, the page's own background
    shows, and no text is read as markup."""
    return go.Figure(_Plotted(drawing, roles(theme)).json())


def letters(text: str) -> str:
    r"""A text that Plotly shows letter by letter; it reads no markup in decoded entities.

    >>> letters("<b>50 %</b>"), letters("one,\ntwo")
    ('&#60;b&#62;50 %&#60;/b&#62;', 'one,<br>two')
    """
    shown = "".join(f"&#{ord(sign)};" if sign in MARKUP else sign for sign in text)
    return "<br>".join(shown.splitlines())


class _Plotted:
    """The parts of one figure, as Plotly's JSON."""

    def __init__(self, drawing: Drawing, colours: dict[str, str]) -> None:
        self.drawing, self.colours = drawing, colours
        self.first = {id(mark) for mark in drawing.named}

    def json(self) -> dict[str, Any]:
        return {
            "data": [self._trace(mark) for mark in self.drawing.marks],
            "layout": self._layout(),
        }

    def _layout(self) -> dict[str, Any]:
        drawing, words = self.drawing, {"size": CHART_TEXT, "color": self.colours["quiet"]}
        uprights = drawing.uprights
        axes: dict[str, Any] = {"xaxis": self._axis(drawing.level, not uprights[0].axis.grid)}
        for place, (upright, panel) in enumerate(zip(uprights, drawing.panels, strict=True)):
            name = f"yaxis{place + 1 if place else ''}"
            axes[name] = self._axis(upright, upright.axis.grid)
            if len(uprights) > 1:
                axes[name]["domain"] = list(panel)
                axes["xaxis"]["anchor"] = f"y{len(uprights)}"
        return {
            **axes,
            "height": drawing.height,
            "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": words,
            "uirevision": "labelcore",
            "hovermode": "x" if drawing.along else "closest",
            "dragmode": False,
            "showlegend": drawing.legend,
            "legend": {
                "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": {"text": ""},
                "font": {"color": self.colours["ink"]},
                **({"y": 0, "yref": "container"} if drawing.below else {}),
            },
            "barmode": "overlay",
            "bargap": 0,
            "shapes": [self._rule(rule) for rule in drawing.rules],
            "annotations": [self._remark(remark, words) for remark in drawing.remarks],
        }  # fmt: skip

    def _axis(self, scale: Scale, grid: bool) -> dict[str, Any]:
        axis, ends = scale.axis, scale.ends
        given: dict[str, Any] = {
            "title": {"text": letters(axis.title)},
            "gridcolor": self.colours["rule"],
            "linecolor": self.colours["rule"],
            "showgrid": grid,
            "zeroline": False,
            "automargin": True,
            "visible": not self.drawing.bare,
            "range": list(ends),
        }
        if axis.log:
            low, high = (math.log10(end) for end in ends)
            given |= {"type": "log", "range": [low - BEYOND, high + BEYOND]}
        if axis.unit.limits is not None:
            given["minallowed"], given["maxallowed"] = axis.unit.limits
        if axis.ticks is None and not axis.log:
            shares = axis.unit != Unit.NUMBER
            return {
                **given,
                "nticks": scale.most,
                "tickformat": SHARE_TICKS if shares else NUMBER_TICKS,
            }
        ticks = scale.ticks()
        every = math.ceil(len(ticks) / MOST_NAMES) or 1
        return {
            **given,
            "tickvals": [at for at, _ in ticks[::every]],
            "ticktext": [letters(text) for _, text in ticks[::every]],
        }

    def _trace(self, mark: AnyMark) -> dict[str, Any]:
        upright = {"yaxis": f"y{mark.panel + 1}"} if mark.panel else {}
        shared = {
            "name": letters(mark.name),
            "legendgroup": letters(mark.name),
            "showlegend": id(mark) in self.first,
            "opacity": mark.opacity,
            **upright,
            **_hover(mark.hover),
        }
        if isinstance(mark, Bars):
            return {**shared, **self._bars(mark)}
        look = self._band(mark) if isinstance(mark, Band) else self._line(mark)
        return {**shared, "type": "scatter", **look}

    def _line(self, mark: Line) -> dict[str, Any]:
        x, y = mark.points
        colour = self.colours[mark.role]
        modes = ["lines"] if mark.width or not mark.dotted else []
        modes += ["markers"] if mark.dotted else []
        given: dict[str, Any] = {
            "x": gaps(x),
            "y": gaps(y),
            "mode": "+".join(modes),
            "cliponaxis": False,
            "line": {"color": colour, "width": mark.width},
        }
        if mark.dash:
            given["line"]["dash"] = mark.dash
        if mark.dotted:
            size = mark.dots if isinstance(mark.dots, int | float) else list(mark.dots)
            given["marker"] = {"color": colour, "size": size, "symbol": mark.symbol.value}
            given["marker"]["opacity"] = 1  # Else those of several sizes are seen through.
        if mark.symbol == Symbol.RINGED:
            ring = {"color": self.colours["ground"], "width": LINE}
            given["marker"] |= {"symbol": Symbol.DOT.value, "line": ring}
        elif mark.symbol in (Symbol.HOLLOW, Symbol.HOLLOW_DIAMOND):
            given["marker"]["line"] = {"width": THIN}
        return given

    def _band(self, mark: Band) -> dict[str, Any]:
        """One closed outline; where a stretch is of one point it is seen as a broad line."""
        xs: list[float | None] = []
        ys: list[float | None] = []
        for outline in mark.outlines():
            for numbers, values in zip((xs, ys), outline, strict=True):
                numbers += [*([None] if numbers else []), *values.tolist(), float(values[0])]
        colour = self.colours[mark.role]
        edge = {"width": NARROW_BAND if mark.narrow else 0, "color": colour}
        look = {"fill": "toself", "fillcolor": colour, "line": edge}
        return {"x": xs, "y": ys, "mode": "lines", **look}

    def _bars(self, mark: Bars) -> dict[str, Any]:
        x, y = mark.points
        look: dict[str, Any] = {"color": self.colours[mark.role], "line": {"width": 0}}
        if mark.pattern:
            look["pattern"] = {"shape": mark.pattern, "fillmode": "overlay"}
        width = np.broadcast_to(mark.width, len(x)).tolist()
        return {"type": "bar", "x": x.tolist(), "y": gaps(y), "width": width, "marker": look}

    def _rule(self, rule: Rule) -> dict[str, Any]:
        line: dict[str, Any] = {"color": self.colours[rule.role], "width": rule.width}
        if rule.dash:
            line["dash"] = rule.dash
        level, upright = ((rule.start, 1), (rule.at, rule.at))[:: -1 if rule.upright else 1]
        return {
            "type": "line",
            "yref" if rule.upright else "xref": "paper",
            "x0": level[0], "x1": level[1], "y0": upright[0], "y1": upright[1],
            "line": line,
        }  # fmt: skip

    def _remark(self, remark: Remark, words: dict[str, Any]) -> dict[str, Any]:
        level = self.drawing.level
        anchor = remark.anchored(level)
        x: float = remark.across if remark.x is None else remark.x
        y: float = remark.up if remark.y is None else remark.y
        upright = self.drawing.uprights[0]
        return {
            "text": letters(remark.text),
            "showarrow": False,
            "font": words,
            # On a logarithmic axis an annotation takes the logarithm, a shape the number itself.
            "x": math.log10(x) if remark.x is not None and level.axis.log else x,
            "y": math.log10(y) if remark.y is not None and upright.axis.log else y,
            "xref": "paper" if remark.x is None else "x",
            "yref": "paper" if remark.y is None else "y",
            "xanchor": {"start": "left", "end": "right", "middle": "center"}[anchor],
            "yanchor": remark.side.value,
            "xshift": 0 if remark.x is None else {"start": 4, "end": -4, "middle": 0}[anchor],
        }


def gaps(values: Numbers) -> list[float | None]:
    """Numbers for Plotly: None where there is none, so that a line breaks there."""
    known = np.isfinite(values)
    return [float(v) if shown else None for v, shown in zip(values, known, strict=True)]


def _hover(sentences: Sequence[str]) -> dict[str, Any]:
    """Ready sentences as the only words of the pointer."""
    if not len(sentences):
        return {"hoverinfo": "skip"}
    texts = [letters(sentence) for sentence in sentences]
    return {"hovertext": texts, "hovertemplate": "%{hovertext}<extra></extra>"}
