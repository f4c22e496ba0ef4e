"""Two readings of one list against each other, every cut of the score at once."""

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart, no_line
from labelcore.charts.bounds import bounds, kept, pointed, value_name, value_width
from labelcore.charts.curve_points import (
    RANK,
    SCORE,
    Points,
    curve_table,
    has_line,
    landmarks,
    points_of,
    trend,
    value_words,
)
from labelcore.charts.design import HAIR, REFERENCE
from labelcore.charts.drawing import AnyMark, Axis, Drawing, Ends, Line, Mask, Symbol, Unit
from labelcore.charts.drawing import Points as Path
from labelcore.charts.readings import Reading
from labelcore.promises import State
from labelcore.results.curves import Band
from labelcore.words import sentences as words

ABOUT_UPRIGHT = "The bounds are about {upright}."
ABOUT_BOTH = "The bounds are about both at once."
NOTHING = "No curve yet: it starts with the first estimates of {} and {}."
SHUFFLED = "a shuffled list"
RING = 13.0


def precision_recall_chart(precision: Band, recall: Band, *, cut: int | None = None) -> Chart:
    """Precision against the estimate of recall at the same ranks, with precision's band, where the
    bounds of recall allow an estimate.

    The band is about precision only; hover and table give recall's own interval. ``cut`` is a rank
    to mark. Raises ValueError when the two curves have other ranks.
    """
    return _against(precision, recall, "alone", cut)


def precision_yield_chart(precision: Band, hits: Band, *, cut: int | None = None) -> Chart:
    """Precision against yield. Of the first r items both say the same number of hits, so the bounds
    hold for the pair. Raises ValueError when the two curves have other ranks."""
    return _against(precision, hits, "same way", cut)


def roc_chart(true_rate: Band, false_rate: Band, *, cut: int | None = None) -> Chart:
    """True against false positive rate. More hits among the first r raise the one and lower the
    other, so the bounds hold for the pair, rank by rank. Raises ValueError when the two curves have
    other ranks."""
    return _against(true_rate, false_rate, "other way", cut)


def _against(upright: Band, level: Band, together: str, cut: int | None) -> Chart:
    """``together``: how the level reading moves where the upright one is at its lower bound."""
    if not np.array_equal(upright.x, level.x):
        raise ValueError(
            f"{upright.estimand} and {level.estimand} must have the same ranks, got different ones"
        )
    first, second = points_of(upright), points_of(level)
    told, usable = first.told & second.told, first.usable & second.usable
    if together == "alone":
        usable &= second.told
    names = first.reading.label, second.reading.label
    if not usable.any():
        return empty_chart(NOTHING.format(*map(str.lower, names)), [RANK, SCORE, *names])
    both = Points(upright, first.reading, first.at, usable, usable & first.known & second.known)
    marks = bounds(both, *_sides(both, second, together))
    if together == "other way":
        diagonal = [0.0, 1.0]
        marks.append(Line(diagonal, diagonal, HAIR, "dash", name=SHUFFLED, role=REFERENCE))
    texts = _hover_texts(first, second, usable)
    apart = bool((usable & ~told).any())
    # Midpoints of bounds need not rise along the ranks: as a line they would go to and fro.
    bounded_only = upright.confidence is None and upright.state != State.EXACT
    marks.append(
        Line(
            kept(second.value, told),
            kept(first.value, told),
            0.0 if bounded_only else value_width(both),
            name=value_name(both) if has_line(told) and not bounded_only else "",
            hover=() if apart else texts,
        )
    )
    if apart:
        marks.append(pointed(second.place, first.place, usable, texts))
    alone = ", by its estimate" if together == "alone" else ""
    drawing = Drawing(
        _axis(names[1].lower() + alone, second.reading, (0.0, 1.01)),
        _axis(names[0].lower(), first.reading),
        marks + _ring(first, second, told, cut),
        remarks=[] if told.any() else [no_line()],
        legend=True,
    )
    return Chart(drawing, _alt(first, second, usable, together), _table(upright, level))


def _axis(title: str, reading: Reading, ends: Ends | None = None) -> Axis:
    """An axis from zero on; of shares with the ends given."""
    if reading.unit == "share":
        return Axis(title, Unit.SHARE, ends, zero=True)
    return Axis(title, zero=True)


def _sides(first: Points, second: Points, together: str) -> tuple[Path, Path]:
    """The two lines between which the bounds leave room, as (x, y) each."""
    low, high = first.of(first.band.low), first.of(first.band.high)
    if together == "alone":
        return (second.value, low), (second.value, high)
    across_low, across_high = second.of(second.band.low), second.of(second.band.high)
    if together == "other way":
        across_low, across_high = across_high, across_low
    return (across_low, low), (across_high, high)


def _ring(first: Points, second: Points, told: Mask, cut: int | None) -> list[AnyMark]:
    """A ring at the drawn point next to the cut."""
    if cut is None or not told.any():
        return []
    inside = np.flatnonzero(told)
    near = inside[np.argmin(np.abs(first.rank[inside] - cut))]
    x, y = [float(second.value[near])], [float(first.value[near])]
    name = f"cut at {cut:,}"
    return [Line(x, y, 0.0, dots=RING, symbol=Symbol.HOLLOW, name=name, role=REFERENCE)]


def _hover_texts(first: Points, second: Points, usable: Mask) -> list[str]:
    scores = first.of(first.band.threshold)
    return [
        f"first {words.count(int(first.rank[place]), 'item')} "
        f"(score {words.score_words(scores[place])})\n"
        f"{first.reading.label.lower()} {value_words(first, place)}\n"
        f"{second.reading.label.lower()} {value_words(second, place)}"
        if usable[place]
        else "no estimate"
        for place in range(len(first.rank))
    ]


def _table(upright: Band, level: Band) -> pd.DataFrame:
    table, other = curve_table(upright), curve_table(level)
    name = other.columns[2]
    for column, title in ((name, name), ("Low", f"{name} low"), ("High", f"{name} high")):
        table[title] = other[column]
    return table


def _alt(first: Points, second: Points, usable: Mask, together: str) -> str:
    upright, level = first.reading.label, second.reading.label
    spoken = [
        f"{level.lower()} {value_words(second, place)}, {upright.lower()} "
        f"{value_words(first, place)}"
        for place in landmarks(usable)
    ]
    about = ABOUT_UPRIGHT.format(upright=upright.lower()) if together == "alone" else ABOUT_BOTH
    return " ".join(
        [
            f"{upright} against {level.lower()}, from {words.count(first.band.labels_used)}.",
            trend(
                first.reading,
                np.where(second.told, first.value, np.nan)[usable],
                first.width[usable],
            ),
            "At " + "; at ".join(spoken) + ".",
            *([about] if first.band.has_interval and first.band.state != State.EXACT else []),
            first.band.sentence(),
        ]
    )
