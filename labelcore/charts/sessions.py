"""Many sessions of one plan side by side: the promise of an interval as a picture."""

import math
from collections.abc import Sequence

from labelcore.charts.design import FIRST, SECOND
from labelcore.charts.drawing import Axis, Drawing, Ends, Line, Rule
from labelcore.charts.nodes import Node
from labelcore.charts.svg import Box, svg

BOX = Box(448.0, 150.0, 36.0, 438.0, 24.0, 142.0)
THICK = 8.0
STEP = 0.25


def sessions_strip(intervals: Sequence[Ends], truth: float, name: str, words: str) -> Node:
    """An upright bar for each session's interval, of another colour where it misses the truth,
    which is a line through all.

    name    of the figure, above the scale
    words   the same for those who do not see it
    """
    least = STEP * math.floor(min((*(low for low, _ in intervals), truth)) / STEP)
    ticks = tuple((at, f"{100 * at:.0f}") for at in (least, (1 + least) / 2, 1.0))
    bars = [
        Line(
            [place, place],
            [low, high],
            THICK,
            role=FIRST if low <= truth <= high else SECOND,
            kind="hit" if low <= truth <= high else "missed",
            opacity=0.55,
        )
        for place, (low, high) in enumerate(intervals, start=1)
    ]
    across = Axis(ends=(0.0, len(intervals) + 1.0), ticks=())
    title = f"{name}, %, of {len(intervals)} simulated sessions; line: the truth"
    up = Axis(title, ends=(least, 1.0), ticks=ticks)
    line = Rule(truth, dash="", role="ink", kind="known")
    return svg(Drawing(across, up, bars, [line]), "sessions", words, box=BOX)
