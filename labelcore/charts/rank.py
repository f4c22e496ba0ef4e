"""A reading of the first items by score, such as precision, against how many of them are taken."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from labelcore.charts.axes import PRECISION, steps, upright, whole_numbers
from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.bounds import bounds, envelope, kept, noise, pointed, value_name, value_width
from labelcore.charts.curve_points import (
    HIGH,
    LOW,
    RANK,
    SCORE,
    Points,
    curve_table,
    hover_texts,
    landmarks,
    points_of,
    trend,
    value_words,
)
from labelcore.charts.design import FIRST, REFERENCE, THIN
from labelcore.charts.drawing import (
    AnyMark,
    Axis,
    Drawing,
    Ends,
    Line,
    Remark,
    Rule,
    Scale,
    Side,
    Unit,
    powers,
)
from labelcore.results.curves import Band
from labelcore.results.told_values import NO_LINE
from labelcore.words import sentences as words

NOTHING = "No curve yet: it starts with the first estimate."
SO_FAR = "provisional, by all labels so far"
LOG_FROM_ITEMS, MOST_RANKS = 5000, 200
WIDE_NOTE = 0.57
"""Room for a remark at the right end, in the larger letters of a telephone too."""


def rank_chart(
    band: Band,
    *,
    cut: int | None = None,
    own: int | None = None,
) -> Chart:
    """One reading along the ranks with its band; without one while there is no interval.

    band       as ``Session.band`` gives it. Bounds without confidence are drawn as two lines, their
               midpoint thin, with what else the method says: envelope and noise of a window
    cut        a rank, drawn as an upright line
    own        the classifier's own cut, a dotted upright line that says so

    The line has gaps where the bounds are too wide for a value; where they are everywhere a remark
    says so. Ranks are on a log scale from 5,000 items on, because what matters is near the top.
    Raises ValueError for a reading that is not known.
    """
    across = _across(band)
    points = points_of(band, log=across.axis.log)
    if not points.usable.any():
        label = points.reading.label
        return empty_chart(NOTHING, [RANK, SCORE, label, LOW, HIGH])
    up = Axis(points.reading.label.lower(), zero=True)
    if points.reading.unit == "share":
        up = replace(up, unit=Unit.SHARE, ends=_share_ends(points))
    marks = [*noise(points), *envelope(points), *curve_marks(points, hover_texts(points))]
    drawing = Drawing(across.axis, up, marks, *_lines(points, across, cut, own))
    drawing = replace(drawing, legend=True, along=True)
    return Chart(drawing, _words(points, cut), curve_table(band))


def precision_drawing(band: Band, own: int | None, *, most: int = MOST_RANKS) -> Drawing:
    """Precision and its band at ``most`` so many places, and the classifier's own cut if it has
    one; never zoomed, and with its axes before there is anything."""
    across = _across(band)
    points = points_of(band, log=across.axis.log, most=most)
    lines = _lines(points, across, own, own)
    return Drawing(across.axis, upright(PRECISION).axis, curve_marks(points), *lines)


def _across(band: Band) -> Scale:
    """All ranks of the list."""
    last = float(max([band.scope.n_items, *band.x[-1:]]))
    log = last >= LOG_FROM_ITEMS
    ends = (1.0, last) if log else (0.0, last)
    places = powers(*ends) if log else steps(last)
    return whole_numbers("first items by score", ends, places, log=log)


def rank_words(band: Band, cut: int | None = None) -> str:
    """What ``rank_chart`` shows, in words."""
    points = points_of(band)
    return _words(points, cut) if points.usable.any() else NOTHING


def curve_marks(points: Points, texts: Sequence[str] = ()) -> list[AnyMark]:
    """The bounds and the values; grey is what has no interval. ``texts``: for the pointer."""
    band, x = points.band, points.rank
    marks = bounds(points, (x, points.of(band.low)), (x, points.of(band.high)))
    if band.provisional is not None and points.told.any():
        so_far, name = kept(points.of(band.provisional), points.told), SO_FAR
        marks.append(Line(x, so_far, THIN, name=name, role=REFERENCE, kind="estimate grey"))
    guess = not points.known.any()
    values = Line(
        x,
        kept(points.value, points.usable),
        value_width(points),
        name="" if points.without_line else value_name(points),
        role=REFERENCE if guess else FIRST,
        kind="estimate grey" if guess else "estimate",
        hover=() if points.gappy else texts,
    )
    there = [pointed(x, points.place, points.usable, texts)] if points.gappy and texts else []
    return [*marks, values, *there]


def _share_ends(points: Points) -> Ends:
    """From a round number below all bounds to 100 %."""
    shown = points.of(points.band.low) if points.known.any() else points.value
    least = float(np.nanmin(shown))
    return max(math.floor(10 * least - 0.2) / 10, 0.0), 1.01


def _lines(
    points: Points, across: Scale, cut: int | None, own: int | None
) -> tuple[list[Rule], list[Remark]]:
    """The cut that is looked at and the classifier's own, and their words."""
    rules, remarks = [], []
    if own is not None and own != cut:
        rules.append(Rule(own, upright=True, dash="dot"))
        remarks.append(Remark(f"own cut at {own:,}", x=own, side=Side.BELOW))
    if cut:
        rules.append(Rule(cut, upright=True, dash="", role="ink", kind="cut"))
        name = "own cut at" if cut == own else "cut at"
        remarks.append(Remark(f"{name} {cut:,}", x=cut, up=0.0))
    if points.without_line:  # Left of the cut, where that would cross it and there is room.
        x = cut if cut and across.place(cut) > WIDE_NOTE else None
        note = Remark(NO_LINE, x=x, across=1.0, up=0.7, side=Side.BELOW, anchor="end")
        remarks.append(note)
    return rules, remarks


def _words(points: Points, cut: int | None) -> str:
    band, label = points.band, points.reading.label
    spoken = [
        f"{words.first_items(int(points.rank[place]))}: {value_words(points, place)}"
        for place in landmarks(points.usable)
    ]
    parts = [
        f"{label} of the items with the highest scores, from {words.count(band.labels_used)}.",
        trend(points.reading, points.value[points.usable], points.width[points.usable]),
        "Of " + "; of ".join(spoken) + ".",
    ]
    if cut is not None:
        parts.append(f"A line marks the cut at {words.count(cut, 'item')}.")
    return " ".join([*parts, band.sentence()])
