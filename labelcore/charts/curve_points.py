"""The points of a band that are drawn, their words, and the same as a table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.charts.drawing import Mask, Numbers
from labelcore.charts.readings import Reading, reading_of
from labelcore.promises import State
from labelcore.results.curves import Band
from labelcore.results.told_values import NO_LINE
from labelcore.words import sentences as words

MOST_POINTS = 400
RANK, SCORE, LOW, HIGH, PROVISIONAL = "First items by score", "Score there", "Low", "High", "So far"


@dataclass(frozen=True, eq=False, slots=True)
class Points:
    """A band thinned to what a screen can show, arrays (n_points,).

    value    NaN where it may not be told
    known    where there are bounds of a value
    usable   where there is a value to tell, or bounds of one
    """

    band: Band
    reading: Reading
    at: NDArray[np.int64]
    usable: Mask
    known: Mask

    def of(self, values: Numbers) -> Numbers:
        """The drawn ones of an array along the ranks."""
        return np.asarray(values[self.at])

    @property
    def width(self) -> Numbers:
        """Of the bounds; of a value without bounds all that is possible."""
        bounds = self.of(self.band.high) - self.of(self.band.low)
        return np.where(self.known, bounds, 1.0)

    @property
    def rank(self) -> Numbers:
        return self.of(self.band.x)

    @property
    def value(self) -> Numbers:
        return self.of(self.band.told)

    @property
    def told(self) -> Mask:
        """Where there is a value to tell."""
        return np.isfinite(self.value)

    @property
    def place(self) -> Numbers:
        """Where the pointer finds a point: its value; without one the middle of its bounds."""
        middle = (self.of(self.band.low) + self.of(self.band.high)) / 2
        return np.where(self.told, self.value, middle)

    @property
    def gappy(self) -> bool:
        """Whether some of what is drawn has bounds and no value to tell."""
        return bool((self.usable & ~self.told).any())

    @property
    def without_line(self) -> bool:
        """Whether there are bounds, and no value between them may be told."""
        return bool(self.known.any() and not self.told.any())


def points_of(band: Band, *, log: bool = False, most: int = MOST_POINTS) -> Points:
    """At most so many points, always the first and the last; ``log``: evenly on a log scale."""
    number = len(band.x)
    even = np.linspace(0, number - 1, min(number, most)).round()
    if log and number > most:
        ranks = np.geomspace(band.x[0], band.x[-1], most)
        even = np.append(np.searchsorted(band.x, ranks[:-1]), number - 1)
    at = np.unique(even.astype(np.int64))
    known = np.isfinite(band.value[at]) & band.has_interval
    return Points(band, reading_of(band), at, known | np.isfinite(band.told[at]), known)


def value_words(points: Points, place: int) -> str:
    """Value and interval at one drawn point, and what else is known there."""
    band, i = points.band, int(points.at[place])
    bounds = band.confidence is None and points.known[place] and band.state != State.EXACT
    value = float(points.value[place])
    text = points.reading.words(
        value,
        band.low[i],
        band.high[i],
        state=band.state,
        between="bounds" if bounds else "between",
    )
    return f"midpoint {text}" if bounds and value == value else text


def hover_texts(points: Points) -> list[str]:
    """A sentence for every point: rank, score, value and interval."""
    return [
        f"first {words.count(int(rank), 'item')} (score {words.score_words(score)})\n"
        f"{points.reading.label.lower()} {value_words(points, place)}{_more(points, place)}"
        if points.usable[place]
        else "no estimate"
        for place, (rank, score) in enumerate(
            zip(points.rank, points.of(points.band.threshold), strict=True)
        )
    ]


def _more(points: Points, place: int) -> str:
    band, i = points.band, int(points.at[place])
    text = ""
    if band.provisional is not None and np.isfinite(band.provisional[i]) and points.told[place]:
        text += f"\nso far, provisional: {points.reading.number(float(band.provisional[i]))}"
    if "noise" in band.extra and band.extra["noise"][i] > 0:
        text += f"\nnoise of one window: ± {words.points(float(band.extra['noise'][i]))}"
    return text


def curve_table(band: Band) -> pd.DataFrame:
    """Every point; a value is empty where it may not be told, Low and High where there is no
    interval."""
    known = np.isfinite(band.value) & band.has_interval
    columns = {
        RANK: band.x.astype(int),
        SCORE: band.threshold,
        reading_of(band).label: band.told,
        LOW: np.where(known, band.low, np.nan),
        HIGH: np.where(known, band.high, np.nan),
    }
    if band.provisional is not None:
        columns[PROVISIONAL] = np.where(np.isnan(band.told), np.nan, band.provisional)
    more = {name.replace("_", " ").capitalize(): values for name, values in band.extra.items()}
    return pd.DataFrame({**columns, **more})


def landmarks(usable: Mask) -> list[int]:
    """Positions of up to four points to put into words: the first, two between, the last."""
    inside = np.flatnonzero(usable)
    picks = np.unique(np.linspace(0, len(inside) - 1, 4).round().astype(int))
    return [int(inside[i]) for i in picks]


def has_line(kept: Mask) -> bool:
    """Whether two neighbours are drawn, so that there is a line between them."""
    return bool((kept[1:] & kept[:-1]).any())


def trend(reading: Reading, values: Numbers, width: Numbers) -> str:
    """How the drawn values go from the first to the last; NaN are left out.

    width   (n_points,), that of the bounds, which says how many decimals a value has
    """
    kept = np.isfinite(values)
    values, width = values[kept], width[kept]
    if not len(values):
        return f"{NO_LINE[:1].upper()}{NO_LINE[1:]}."
    ends, widths = values[[0, -1]].tolist(), width[[0, -1]].tolist()
    alike = {reading.number(end, max(widths)) for end in ends}
    if len(alike) == 1:
        return f"It is about {alike.pop()} from the first point to the last."
    first, last = (reading.number(end, own) for end, own in zip(ends, widths, strict=True))
    how = "falls" if ends[1] < ends[0] else "rises"
    return f"It {how} from {first} at the first point to {last} at the last."
