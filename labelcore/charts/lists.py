"""The difference of two ranked lists with its band along the ranks, and both lists' own lines."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

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
    Unit,
)
from labelcore.charts.names import shortened
from labelcore.charts.readings import assurance
from labelcore.results.lists import ListDifference
from labelcore.words.differences import interval_text, signed_points
from labelcore.words.lists import list_sentence
from labelcore.words.sentences import decimals

LOG_FROM, LONGEST = 1_000, 24
SIDES = "above 0: {} is better, below: {}"
NOTHING = "No picture yet: it starts with the first band."
RANK, DIFFERENCE, LOW, HIGH, BETTER = "First items", "Difference", "Low", "High", "Better"


def list_chart(found: ListDifference) -> Chart:
    """The band of the difference with a line at zero, both lists as thin lines."""
    if not found.has_interval:
        return empty_chart(NOTHING, [RANK, DIFFERENCE, LOW, HIGH])
    first, last = float(found.x[0]), float(found.x[-1])
    log = last >= LOG_FROM
    drawing = Drawing(
        Axis(
            "first items of each list" + (" (log scale)" if log else ""),
            ends=(first, max(last, first + 1)),
            log=log,
        ),
        Axis("precision", Unit.DIFFERENCE, list_ends(found)),
        list_marks(found),
        [Rule(0.0, dash="")],
        list_remarks(found),
        legend=True,
        along=True,
    )
    return Chart(drawing, list_sentence(found), list_table(found))


def list_marks(found: ListDifference, *, told: bool = True) -> list[AnyMark]:
    """The band, the estimate and the lists' own lines; ``told``: with words for the pointer."""
    at = found.shown
    x, low, high = (one[at] for one in (found.x, found.low, found.high))
    texts = [_hover(found, place) for place in at.tolist()] if told else []
    marks: list[AnyMark] = [
        Band((x, low), (x, high), name=assurance(found), role="band", kind="band")
    ]
    for place, one in enumerate(found.own or ()):
        name = shortened(str(one.scope.classifier), LONGEST)
        marks.append(Line(x, one.value[at], THIN, name=name, role=SERIES[place + 1], kind="list"))
    marks.append(Line(x, found.value[at], name="difference", role=FIRST, hover=texts,
                      kind="estimate"))  # fmt: skip
    return marks


def list_remarks(found: ListDifference) -> list[Remark]:
    """Who is better on which side of zero, and which line is which list, where they are furthest
    apart."""
    names = [shortened(str(one), LONGEST) for one in (found.scope.classifier, found.scope.versus)]
    remarks = [Remark(SIDES.format(*names), up=0.0)]
    if found.own is not None:
        values = [one.value for one in found.own]
        place = int(np.argmax(np.abs(values[0] - values[1])))
        upper = int(np.argmax([one[place] for one in values]))
        for which, one in enumerate(values):
            side = Side.ABOVE if which == upper else Side.BELOW
            remarks.append(Remark(names[which], x=found.x[place], y=one[place], side=side))
    return remarks


def list_ends(found: ListDifference) -> Ends:
    """Round numbers that hold the band, and the lists' own lines."""
    own = [one.value for one in found.own or ()]
    seen = np.concatenate([found.low, found.high, *own, [-0.02, 0.02]])
    least, most = float(np.nanmin(seen)), float(np.nanmax(seen))
    step = 0.1 if most - least > 0.3 else 0.05
    return max(math.floor(least / step) * step, -1.0), min(math.ceil(most / step) * step, 1.0)


def _hover(found: ListDifference, place: int) -> str:
    low, high = float(found.low[place]), float(found.high[place])
    said = f"first {int(found.x[place]):,} of each\n"
    told = float(found.told[place])
    if told == told:
        said += f"difference {signed_points(told, decimals(high - low))}, "
    said += interval_text("precision_difference", low, high)
    for one in found.own or ():
        said += f"\n{one.scope.classifier}: {100 * float(one.value[place]):.0f} %"
    return said


def list_table(found: ListDifference) -> pd.DataFrame:
    """Every rank; a value is empty where it may not be told."""
    frame = found.to_frame()
    columns = {
        RANK: found.x.astype(int),
        DIFFERENCE: found.told,
        LOW: found.low,
        HIGH: found.high,
        BETTER: frame["better"],
    }
    for one in found.own or ():
        columns |= {
            str(one.scope.classifier): one.value,
            f"{one.scope.classifier}, low": one.low,
            f"{one.scope.classifier}, high": one.high,
        }
    return pd.DataFrame(columns)
