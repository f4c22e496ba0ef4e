"""The difference of two ranked lists with its band along the ranks, and both lists' own lines."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from labelcore.charts.axes import whole_numbers
from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.design import FIRST, SERIES, THIN
from labelcore.charts.drawing import (
    AnyMark,
    Axis,
    Band,
    Drawing,
    Ends,
    Line,
    Remark,
    Rule,
    Side,
    rounds,
)
from labelcore.charts.readings import assurance
from labelcore.results.lists import ListDifference
from labelcore.safe_text import shortened
from labelcore.words.differences import interval_text, signed_points
from labelcore.words.lists import list_sentence
from labelcore.words.sentences import decimals

LOG_FROM, LONGEST, RANKS = 1_000, 24, (100, 300, 1_000, 3_000, 10_000, 100_000)
UP = "Precision or difference, points"
NOTHING = "No picture yet: it starts with the first band."
RANK, DIFFERENCE, LOW, HIGH, BETTER = "First items", "Difference", "Low", "High", "Better"


def list_chart(lists: ListDifference) -> Chart:
    """The band of the difference with a line at zero, both lists as thin lines, as far as their own
    values may be told."""
    if not lists.has_interval:
        return empty_chart(NOTHING, [RANK, DIFFERENCE, LOW, HIGH])
    drawing = replace(lists_drawing(lists), legend=True, along=True)
    return Chart(drawing, list_sentence(lists), list_table(lists))


def lists_drawing(lists: ListDifference) -> Drawing:
    """What ``list_chart`` shows, without a legend."""
    first, last = float(lists.x[0]), float(lists.x[-1])
    ranks = sorted({first, *(rank for rank in RANKS if first < rank < 0.8 * last), last})
    ends, log = (first, max(last, first + 1)), last >= LOG_FROM
    across = whole_numbers("first items of each list", ends, ranks, log=log)
    low, high = _ends(lists)
    tens = [(at, f"{100 * at:.0f}".replace("-", "\N{MINUS SIGN}")) for at in rounds(low, high)]
    up = Axis(UP, ends=(low, high), ticks=tuple(tens))
    zero = Rule(0.0, dash="", kind="zero")
    return Drawing(across.axis, up, _marks(lists), [zero], _remarks(lists))


def _marks(lists: ListDifference) -> list[AnyMark]:
    """The band, the estimate with words for the pointer, and the lists' own lines."""
    at = lists.shown
    x, low, high = (values[at] for values in (lists.x, lists.low, lists.high))
    texts = [_hover(lists, place) for place in at.tolist()]
    marks: list[AnyMark] = [
        Band((x, low), (x, high), name=assurance(lists), role="band", kind="band")
    ]
    for place, band in enumerate(lists.own or ()):
        name = shortened(str(band.scope.classifier), LONGEST)
        marks.append(Line(x, band.told[at], THIN, name=name, role=SERIES[place + 1], kind="list"))
    name = f"difference, {' less '.join(_names(lists))}"
    marks.append(Line(x, lists.value[at], name=name, role=FIRST, hover=texts, kind="estimate"))
    return marks


def _names(lists: ListDifference) -> list[str]:
    return [shortened(str(name), LONGEST) for name in (lists.scope.classifier, lists.scope.versus)]


def _remarks(lists: ListDifference) -> list[Remark]:
    """Which line is which list, where they are furthest apart."""
    names, remarks = _names(lists), list[Remark]()
    values = [band.told for band in lists.own or ()]
    if values and np.isfinite(values[0] - values[1]).any():
        place = int(np.nanargmax(np.abs(values[0] - values[1])))
        upper = int(np.argmax([curve[place] for curve in values]))
        for which, curve in enumerate(values):
            side = Side.ABOVE if which == upper else Side.BELOW
            # Words below a falling line, or above a rising one, end where they point.
            away = (curve[-1] < curve[place]) == (which != upper) and 5 * place > len(curve)
            remarks.append(
                Remark(names[which], lists.x[place], curve[place], side=side,
                       anchor="end" if away else "")
            )  # fmt: skip
    return remarks


def _ends(lists: ListDifference) -> Ends:
    """Round numbers that hold the band, and the lists' own lines."""
    curves = [band.value for band in lists.own or ()]
    seen = np.concatenate([lists.low, lists.high, *curves, [-0.02, 0.02]])
    least, most = float(np.nanmin(seen)), float(np.nanmax(seen))
    step = 0.1 if most - least > 0.3 else 0.05
    return max(math.floor(least / step) * step, -1.0), min(math.ceil(most / step) * step, 1.0)


def _hover(lists: ListDifference, place: int) -> str:
    low, high = float(lists.low[place]), float(lists.high[place])
    text = f"first {int(lists.x[place]):,} of each\n"
    value = float(lists.told[place])
    if value == value:
        text += f"difference {signed_points(value, decimals(high - low))}, "
    text += interval_text("precision_difference", low, high)
    for band in lists.own or ():
        if np.isfinite(own := float(band.told[place])):
            text += f"\n{band.scope.classifier}: {100 * own:.0f} %"
    return text


def list_table(lists: ListDifference) -> pd.DataFrame:
    """Every rank; a value is empty where it may not be told."""
    frame = lists.to_frame()
    columns = {
        RANK: lists.x.astype(int),
        DIFFERENCE: lists.told,
        LOW: lists.low,
        HIGH: lists.high,
        BETTER: frame["better"],
    }
    for band in lists.own or ():
        columns |= {
            str(band.scope.classifier): band.told,
            f"{band.scope.classifier}, low": band.low,
            f"{band.scope.classifier}, high": band.high,
        }
    return pd.DataFrame(columns)
