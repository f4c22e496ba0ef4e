"""Explore's picture: a reading along the first items, the cut in it, and what is needed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from labelcore.charts.axes import upright, whole_numbers
from labelcore.charts.curve_points import points_of
from labelcore.charts.design import THIN
from labelcore.charts.drawing import (
    LETTER_SHARE,
    AnyMark,
    Drawing,
    Line,
    Part,
    Remark,
    Rule,
    Scale,
    Side,
    Symbol,
    powers,
    rounds,
)
from labelcore.charts.nodes import Node
from labelcore.charts.rank import LOG_FROM_ITEMS, curve_marks
from labelcore.charts.svg import Box, svg
from labelcore.results.curves import Band
from labelcore.results.told_values import NO_LINE, SOME_LINE
from labelcore.words.sentences import percent_range

WIDTH, HEIGHT = 640.0, 430.0
BOX = Box(WIDTH, HEIGHT, 34, WIDTH - 12, 40, HEIGHT - 48)
MOST_POINTS = 240
BAR, DOT, RING = 6.0, 13.0, 11.0
TITLES = {"precision": "right, %", "recall": "found of all that are right, %"}
LESS, MORE, BESIDE = "at least {}", "at most {}", 0.035
"""Two remarks nearer than the last, as a share of the height, would lie on each other."""
NEAR, BEHIND = 0.15, 0.1
"""The handle hides what stands at the axis nearer to the cut, as a share of the width; a number
nearer than the second stands half behind it."""
HANDLE, FOOT = 0.13, 0.08
"""What hangs below an end lower than the first lies behind the handle of the cut; what stands above
the second does not, on a narrow screen either."""
WORDS = 0.05
"""How high words are, as a share of the height."""
BELOW_AXIS = -0.143
"""Beside the title of the axis, where no cut goes through the words."""


@dataclass(frozen=True, eq=False, slots=True)
class CutPicture:
    """What is drawn.

    band   the reading along the ranks; at: the same at the cut
    last   rank at which the picture ends
    cut    how many of the first items are kept
    own    how many the classifier itself would keep; None where it has no such cut
    need   a precision that is asked for; sure: how many of the first items surely have it
    """

    band: Band
    at: Band | None
    last: int
    cut: int
    own: int | None = None
    need: float | None = None
    sure: int | None = None

    @property
    def log(self) -> bool:
        return self.last >= LOG_FROM_ITEMS

    @property
    def level(self) -> Scale:
        """The axis of the ranks."""
        ends = (1.0, float(max(self.last, 2))) if self.log else (0.0, float(self.last))
        places = powers(*ends) if self.log else [*rounds(0.0, ends[1], 5)]
        axis = partial(whole_numbers, "first items by score", ends, log=self.log)
        place = axis(()).place
        return axis([at for at in places if abs(place(at) - place(self.cut)) > BEHIND])

    def places(self) -> dict[str, Any]:
        """Where a rank stands in the picture, for a script: shares of its width and height."""
        first, last = self.level.ends
        return {
            "left": BOX.left / WIDTH,
            "right": BOX.right / WIDTH,
            "top": BOX.top / HEIGHT,
            "bottom": BOX.bottom / HEIGHT,
            "first": first,
            "last": last,
            "log": self.log,
        }

    def node(self, words: str) -> Node:
        """The picture; ``words`` say the same for those who do not see it."""
        return svg(self.drawing(), "cut-picture", words, box=BOX)

    def drawing(self) -> Drawing:
        reading = self.band.estimand.removesuffix("_curve")
        band = self._through_cut()
        # What is provisional needs a name, for which a legend would be the place.
        shown = replace(band.part(band.x <= self.last), provisional=None)
        points = points_of(shown, log=self.log, most=MOST_POINTS)
        parts: list[Part] = []
        if points.usable.any():
            parts += [_thin(mark) for mark in curve_marks(points)]
        if points.without_line:
            parts.append(Remark(NO_LINE, up=BELOW_AXIS))
        elif points.gappy:
            parts.append(Remark(SOME_LINE, up=BELOW_AXIS))
        parts += [*self._needed(), *self._kept()]
        return Drawing.of(self.level.axis, upright(TITLES.get(reading, reading)).axis, parts)

    def _through_cut(self) -> Band:
        """A curve that is known at few ranks, each on its own, with the cut as one of them: its
        line goes through the dot."""
        band, at = self.band, self.at
        if at is None or not len(at.x) or band.simultaneous or self.cut in band.x:
            return band
        place = int(np.searchsorted(band.x, self.cut))
        along = ("x", "value", "low", "high", "threshold")
        both: dict[str, Any] = {
            name: np.insert(getattr(band, name), place, getattr(at, name)) for name in along
        }
        return replace(band, **both)

    def _needed(self) -> list[Part]:
        """What is needed as a line across, and how far down it surely is."""
        if self.need is None:
            return []
        text = f"I need {100 * self.need:g} %"
        places = [(across, side) for across in (1.0, 0.0) for side in (Side.ABOVE, Side.BELOW)]
        free = (place for place in places if not self._crosses(text, self.need, *place))
        across, side = next(free, places[0])
        parts: list[Part] = [Rule(self.need), Remark(text, y=self.need, across=across, side=side)]
        if self.sure is not None and self.sure <= self.last:
            down = [float(self.sure)] * 2
            parts.append(Line(down, [0.0, self.need], THIN, "dot", role="quiet"))
            ring = down[:1], [self.need]
            parts.append(Line(*ring, 0.0, dots=RING, symbol=Symbol.HOLLOW, role="ink"))
            if abs(self.level.place(self.sure) - self.level.place(self.cut)) > NEAR:
                parts.append(Remark(f"{self.sure:,}", x=self.sure, up=0.0))
        return parts

    def _crosses(self, text: str, line: float, across: float, side: Side) -> bool:
        """Whether an edge of the band, or what is sure, goes through words at an end of a line."""
        shown, wide = self.band.part(self.band.x <= self.last), LETTER_SHARE * len(text)
        share, bottom = self.level.share(shown.x), line - WORDS * (side == Side.BELOW)
        first = max(int(np.searchsorted(share, 1 - wide)) - 1, 0)
        part = slice(first, None) if across else slice(int(np.searchsorted(share, wide)) + 1)
        if not across and self.sure is not None and self.level.place(self.sure) < wide:
            return True
        edges = [edge[part] for edge in (shown.low, shown.high) if len(edge)]
        return any(edge.min() < bottom + WORDS and edge.max() > bottom for edge in edges)

    def _kept(self) -> list[Part]:
        """The cut with the interval there, and the classifier's own cut."""
        parts: list[Part] = []
        if self.own is not None and self.own != self.cut and self.own <= self.last:
            parts.append(Rule(self.own, upright=True, dash="dot"))
            parts.append(Remark(f"own cut at {self.own:,}", x=self.own))
        if self.cut > self.last:
            return parts
        parts.append(Rule(self.cut, upright=True, dash="", role="ink"))
        if self.own == self.cut:
            parts.append(Remark("own cut", x=self.cut))
        at = self.at
        if at is None or not at.has_interval or not at.low[0] <= at.high[0]:
            return parts
        low, high, value = float(at.low[0]), float(at.high[0]), float(at.told[0])
        x = float(self.cut)
        if low <= 0 and high >= 1:
            return parts
        parts.append(Line([x, x], [low, high], BAR, role="data", opacity=0.75))
        if high - low > 2 * BESIDE:
            least, most = (end.removesuffix(" %") for end in percent_range(low, high))
            if low > HANDLE:
                parts.append(Remark(LESS.format(least), x=x, y=low, side=Side.BELOW))
            elif low > BESIDE and high - FOOT > 2 * BESIDE:
                parts.append(Remark(LESS.format(least), x=x, y=max(low, FOOT)))
            if high < 1 - BESIDE:
                parts.append(Remark(MORE.format(most), x=x, y=high))
        if not math.isnan(value):
            parts.append(Line([x], [value], 0.0, dots=DOT, symbol=Symbol.RINGED))
        return parts


def _thin(mark: AnyMark) -> AnyMark:
    """The line of values is no way to a cut: it stands behind its band."""
    if isinstance(mark, Line) and mark.kind.startswith("estimate"):
        return replace(mark, width=min(mark.width, THIN))
    return mark


def window(ranks: Sequence[int | None], n_items: int) -> int:
    """A round number of first items that shows all of these ranks with room beside them.

    >>> window([151, 58, None], 6997), window([151], 200), window([30], 6997)
    (400, 200, 100)
    """
    rough = max(2.2 * max((rank or 0) for rank in ranks), 90.0)
    power = 10 ** math.floor(math.log10(rough))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    last = next(round(power * step) for step in steps if power * step >= rough - 1e-9)
    return n_items if 1.5 * last > n_items else last
