"""The living picture: interval bars on one scale, and one chart below them.

Shares are drawn from 0 to 100 %, labels from 0 to the plan, so that nothing moves but the data.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.charts.axes import SHARES, labels_along, upright
from labelcore.charts.design import REFERENCE, SERIES, THIN
from labelcore.charts.drawing import (
    Band,
    Drawing,
    Ends,
    Line,
    Mask,
    Numbers,
    Part,
    Remark,
    Rule,
    Scale,
    Side,
    Symbol,
)
from labelcore.charts.history_table import thinned
from labelcore.charts.nodes import Node, node
from labelcore.charts.svg import Box, colour, svg
from labelcore.results.told_values import too_wide
from labelcore.results.types import Estimate

WIDTH, HEIGHT = 448.0, 256.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 10.0, 24.0, 36.0
BOX = Box(WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM)
INSIDE = BOX.right - BOX.left
MOST_POINTS, MOST_AHEAD = 160, 24
FIRST_FIGURE = "first figure, about here"
NOTE = 100 / INSIDE
"""Room for a remark at the right end."""
BELOW = 18 / (BOX.bottom - BOX.top)
"""Room for a remark at the bottom."""
GOAL_START = 1 - 48 / INSIDE
REACHES = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LARGE_DOTS = 15
"""So many dots fit one row, and twice as many small ones."""
POSSIBLE = "still possible"
INK = "ink"


@dataclass(frozen=True, slots=True)
class Bar:
    """One figure and its interval on the common scale.

    value      None while there is none
    low, high  None where no interval may be shown
    said       value and interval as they are written beside the bar
    assumed    the ends are no confidence bounds: drawn as an outline
    chosen     the leader among several
    out        no longer among those that may be chosen
    truth      the known truth, at the end of a trial
    key        of the figure, where its chart can be asked for by pressing the name
    shown      whether that chart is the one below
    series     its place among the colours of a chart that shows several, from 0 on
    dots       of each label that counts for it, whether the classifier says the same; None where
               that is not told
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    said: tuple[str, str] = ("", "")
    assumed: bool = False
    chosen: bool = False
    out: bool = False
    truth: float | None = None
    key: str = ""
    shown: bool = False
    series: int = 0
    dots: Sequence[bool] | NDArray[np.bool_] | None = None

    @property
    def guessed(self) -> bool:
        """Whether it has a value without an interval: drawn grey."""
        return self.value is not None and self.low is None


def bars(shown: Sequence[Bar], scale: Ends = SHARES, *, wanted: float | None = None) -> Node:
    """Each figure as name, value, bar and interval, one below the other.

    scale    of differences it has a line at zero
    wanted   a value that is asked for, as a line through all bars
    """
    lines = [*([0.0] if scale[0] < 0 else []), *([] if wanted is None else [wanted])]
    dotted = any(bar.dots is not None for bar in shown)
    klass = "bars dotted" if dotted else "bars"
    role = {"role": "list"} if shown else {}
    return node("div", *(_bar(bar, scale, lines) for bar in shown), klass=klass, **role)


def dot_row(dots: Sequence[bool] | NDArray[np.bool_]) -> Node:
    """A dot for each label, hollow where it went against the classifier: few are large, more of
    them small, and of many the last ones."""
    number, small = len(dots), len(dots) > LARGE_DOTS
    first = LARGE_DOTS * max(-(-(number - 2 * LARGE_DOTS) // LARGE_DOTS), 0)
    nodes = [node("span", klass="agreed" if agreed else "against") for agreed in dots[first:]]
    if nodes:
        nodes[-1][1]["class"] += " newest"
    words = f"{sum(dots):,} of {number:,} agreed" if number else "no label yet"
    klass = "dots small" if small else "dots"
    return node("div", *nodes, klass=klass, role="img", aria_label=words)


def possible_scale(estimates: Iterable[Estimate]) -> Ends:
    """Shares from 0 to 100 %; differences as far around zero as was possible of all items before
    the first label, and as the interval goes, which without the unsure ones may go further: up to
    the next point whose half is one, too, of a short scale the next tenth."""
    ends = [
        abs(end)
        for one in estimates
        if one.is_difference
        for end in (one.possible.low, one.possible.high, one.low, one.high)
    ]
    reach = max(ends, default=0.0) or 1.0
    step = 0.02 if reach > 0.04 else 0.002
    reach = min(round(math.ceil(reach / step - 1e-9) * step, 9), 1.0)
    return (-reach, reach) if ends else SHARES


def difference_scale(ends: Numbers) -> Ends:
    """A scale around zero that holds every end of an interval so far; NaN are left out.

    >>> difference_scale(np.array([-0.12, 0.31])), difference_scale(np.array([np.nan]))
    ((-0.5, 0.5), (-1.0, 1.0))
    """
    known = np.abs(ends[np.isfinite(ends)])
    most = float(known.max()) if len(known) else 1.0
    reach = next(end for end in REACHES if most <= end + 1e-9)
    return -reach, reach


def _bar(bar: Bar, scale: Ends, lines: Sequence[float]) -> Node:
    return node(
        "div",
        bar_name(bar),
        node("span", bar.said[0], klass="value"),
        track_node(bar, scale, lines),
        node("span", bar.said[1], klass="range"),
        *([] if bar.dots is None else [dot_row(bar.dots)]),
        klass="bar chosen" if bar.chosen else "bar out" if bar.out else "bar",
        role="listitem",
        style=in_series(bar.series),
    )


def track_node(bar: Bar, scale: Ends = SHARES, lines: Sequence[float] = ()) -> Node:
    """The scale with the interval, lines through it, the value and the truth."""
    least, most = scale

    def place(share: float) -> str:
        return f"{100 * (min(max(share, least), most) - least) / (most - least):.2f}%"

    track = node("div", klass="track", aria_hidden="true")
    if bar.low is not None and bar.high is not None:
        width = 100 * max(bar.high - bar.low, 0.0) / (most - least)
        kind = "band assumed" if bar.assumed else "band"
        track.append(node("div", klass=kind, style=f"left:{place(bar.low)};width:{width:.2f}%"))
    track += [node("div", klass="across", style=f"left:{place(line)}") for line in lines]
    if bar.value is not None:
        kind = "tick grey" if bar.guessed else "tick"
        track.append(node("div", klass=kind, style=f"left:{place(bar.value)}"))
    if bar.truth is not None:
        track.append(node("div", klass="truth", style=f"left:{place(bar.truth)}"))
    return track


def bar_name(bar: Bar) -> Node:
    """Its name, as a button where its chart is asked for by it."""
    if not bar.key:
        return node("span", bar.name, klass="name")
    pressed = {"data_figure": bar.key, "aria_pressed": str(bar.shown).lower()}
    return node("button", bar.name, klass="name", **pressed)


def in_series(place: int) -> str:
    """The colour of one among several, for the attribute style.

    >>> in_series(0), in_series(1), in_series(6)
    ('', '--own: var(--data-2)', '')
    """
    place %= len(SERIES)
    return f"--own: {colour(SERIES[place])}" if place else ""


@dataclass(frozen=True, eq=False, slots=True)
class Track:
    """A figure label by label.

    labels            (n_looks,), rising
    value, low, high  (n_looks,), NaN where there is none
    planned           labels at the end of the axis
    scale             of the figure: shares, or what ``difference_scale`` gives
    margin            the goal around the last value; None without one
    ahead             numbers of labels, and the half-widths expected there
    suggested         what the scores say that it is, where no label has told anything yet
    earliest          the fewest labels of a first figure; None once it is there
    possible          the width of what was possible before the first label
    truth             the known truth, at the end of a trial
    sides             what it means above and below zero, of a difference
    name              of the figure, above the scale with its unit
    hover             (n_looks,), what the pointer is told of each
    certain           numbers of labels, and between which values the figure lies for certain there,
                      whatever the other items are; it is then exact at the last of ``planned``
    """

    labels: Numbers
    value: Numbers
    low: Numbers
    high: Numbers
    planned: int
    scale: Ends = SHARES
    margin: float | None = None
    ahead: tuple[Numbers, Numbers] | None = None
    suggested: float | None = None
    earliest: float | None = None
    possible: float = 1.0
    truth: float | None = None
    sides: tuple[str, str] | None = None
    name: str = ""
    hover: Sequence[str] = ()
    certain: tuple[Numbers, Numbers, Numbers] | None = None

    @property
    def guessed(self) -> NDArray[np.bool_]:
        """Where a value has no interval: drawn grey."""
        return np.isfinite(self.value) & np.isnan(self.low)

    @property
    def now(self) -> float:
        """The labels so far."""
        return float(self.labels[-1]) if len(self.labels) else 0.0

    def expected(self) -> tuple[Numbers, Numbers, Numbers] | None:
        """Labels from here to the end, and the ends of the interval expected there; None without
        a forecast.

        It begins as wide as the interval is now, ends as wide as was expected for the end, lies
        around the value, or around what the scores suggest while there is none, and never leaves
        the interval.
        """
        now, last = self.now, float(self.planned)
        if self.ahead is None or now >= last or not len(self.ahead[0]):
            return None
        x = np.unique(np.append(np.linspace(now, last, MOST_AHEAD), self.ahead[0]))
        x = x[(x >= now) & (x <= last)]
        low, high = self.scale
        value = self.suggested
        if len(self.labels):
            if np.isfinite(self.low[-1]):
                low, high = float(self.low[-1]), float(self.high[-1])
            if np.isfinite(self.value[-1]):
                value = float(self.value[-1])
        most = (high - low) / 2
        half = np.minimum(_half_widths(x, *self.ahead), (self.scale[1] - self.scale[0]) / 2)
        # What it is wider now than was expected for now fades until the end.
        half += (most - half[0]) * (last - x) / (last - now)
        half = np.minimum(np.maximum.accumulate(half[::-1])[::-1], most)
        middle = np.clip((low + high) / 2 if value is None else value, low + half, high - half)
        return x, middle - half, middle + half

    def first_figure(self) -> float | None:
        """The number of labels at which a value is expected to be told; None if it is told, or
        nothing is foreseen."""
        expected = None if self.earliest is None else self.expected()
        if expected is None:
            return None
        x, low, high = expected
        narrow = x[~too_wide(low, high, self.possible)]
        return float(max(narrow[0], self.earliest or 0.0)) if len(narrow) else None

    @property
    def until_first_figure(self) -> float | None:
        """The labels from now to ``first_figure``."""
        first = self.first_figure()
        return None if first is None else first - self.now


def living(drawing: Drawing, words: str) -> Node:
    """A chart below the bars; ``words`` say the same for those who do not see it."""
    return svg(drawing, "picture", words, box=BOX)


def labels_drawing(track: Track) -> Drawing:
    """The figure, its interval and what is expected from here, against labels."""
    count = len(track.labels)
    kept = np.asarray(thinned(count, MOST_POINTS) if count else [], dtype=np.int64)
    x, value, grey = track.labels[kept], track.value[kept], track.guessed[kept]
    settled = ~grey & np.isfinite(value)
    # From the last grey point on, so that the line has no gap.
    settled[:-1] |= grey[:-1] & settled[1:]
    texts = [track.hover[place] for place in kept] if track.hover else []
    across = labels_along(float(max(track.planned, track.labels.max(initial=1.0))))
    up = upright(f"{track.name}, {'points' if track.sides else '%'}", track.scale)
    bounds = (x, track.low[kept]), (x, track.high[kept])
    parts = [
        *(_expected(across, up, track) if track.certain is None else _certain(up, track)),
        Band(*bounds, name="interval", role="band", kind="band"),
        _guess(x, value, grey, texts),
        _estimate(x, value, settled, texts),
        *_zero(track),
        *_goal(track),
        *_last(track),
        *_truth(across, up, track),
    ]
    return Drawing.of(across.axis, up.axis, parts)


def _estimate(x: Numbers, value: Numbers, keep: Mask, texts: Sequence[str] = ()) -> Line:
    there = np.where(keep, value, np.nan)
    return Line(x, there, name="estimate", kind="estimate", hover=texts)


def _guess(x: Numbers, value: Numbers, keep: Mask, texts: Sequence[str] = ()) -> Line:
    there, name = np.where(keep, value, np.nan), "estimate without interval"
    return Line(x, there, THIN, name=name, role=REFERENCE, kind="estimate grey", hover=texts)


def _half_widths(x: Numbers, labels: Numbers, half: Numbers) -> Numbers:
    """Half-widths at ``x`` from those at some numbers of labels; with the root of the labels where
    they are fewer."""
    at = np.maximum(x, 1.0)
    widths = np.interp(np.log(at), np.log(labels), half)
    return np.where(at < labels[0], half[0] * np.sqrt(labels[0] / at), widths)


def _expected(across: Scale, up: Scale, track: Track) -> list[Part]:
    """The interval expected from here on, and where it brings a first figure."""
    expected = track.expected()
    if expected is None:
        return []
    x, low, high = expected
    parts: list[Part] = [Band((x, low), (x, high), role="expected", kind="expected")]
    first = track.first_figure()
    crossed = first is not None and 1 - NOTE < across.share(first) < 1
    end = first if first is not None and crossed else float(track.planned)
    if across.share(track.now) < across.share(end) - NOTE:
        late = (across.share(x) > across.share(end) - NOTE) & (x <= end)
        ends = float(low[late].min()), float(high[late].max())
        parts.append(_remark(up, "expected", *ends, track=track, before=end if crossed else None))
    if first is not None and first < track.planned:
        parts.append(Rule(first, upright=True, kind="first"))
        parts.append(Remark(FIRST_FIGURE, x=first, up=0.0))
    return parts


def _certain(up: Scale, track: Track) -> list[Part]:
    """What was possible for certain at each label, and what still is: at the last it is exact."""
    if track.certain is None:
        return []
    x, low, high = track.certain
    if x[-1] >= track.planned:
        return [Band((x, low), (x, high), role="expected", kind="expected")]
    middle = (low[-1] + high[-1]) / 2
    value = track.value[-1] if len(track.value) and np.isfinite(track.value[-1]) else middle
    x, ends = np.append(x, track.planned), (np.append(end, value) for end in (low, high))
    least, most = ends
    band = Band((x, least), (x, most), role="expected", kind="expected")
    near, far = (float(np.interp((1 - NOTE) * track.planned, x, end)) for end in (least, most))
    return [band, _remark(up, POSSIBLE, near, far, track=track)]


def _remark(
    up: Scale, words: str, low: float, high: float, *, track: Track, before: float | None = None
) -> Remark:
    """At the right end, or left of the line at ``before``: below what reaches from ``low`` to
    ``high`` there, or else above. At the bottom it leaves the name of a side free, and no zero
    goes through it."""
    anchor = "" if before is None else "end"
    struck = track.sides is not None and 0 <= up.share(low) - up.share(0.0) < BELOW
    if not struck and up.share(low) > (BELOW if track.sides is None else 2 * BELOW):
        return Remark(words, x=before, y=low, across=1.0, side=Side.BELOW, anchor=anchor)
    return Remark(words, x=before, y=high, across=1.0, anchor=anchor)


def _goal(track: Track) -> list[Part]:
    """Where the ends of the interval would stand at the goal: dashes at the end of the plan."""
    if track.margin is None or not len(track.value) or not np.isfinite(track.value[-1]):
        return []
    value = track.value[-1]
    least = -1.0 if track.scale[0] < 0 else 0.0
    both = value - track.margin, value + track.margin
    ends = [end for end in both if least <= end <= 1]
    goal = Remark("goal", y=ends[0], across=GOAL_START, side=Side.BESIDE, anchor="end")
    return [*(Rule(end, role=INK, start=GOAL_START, kind="goal") for end in ends), goal]


def _zero(track: Track) -> list[Part]:
    """Of a difference: where the two are equally good, and who is better on which side."""
    if track.sides is None:
        return []
    above, below = track.sides
    return [
        Rule(0.0, dash="", kind="zero"),
        Remark(above, across=1.0, side=Side.BELOW),
        Remark(below, across=1.0, up=0.0),
    ]


def _truth(across: Scale, up: Scale, track: Track) -> list[Part]:
    """The truth, as a dot where the last label stands; the word beside the band, on free ground."""
    if track.truth is None or not len(track.labels):
        return []
    late = across.share(track.labels) > 1 - NOTE
    near = np.concatenate([track.low[late], track.high[late], [track.truth]])
    near = near[np.isfinite(near)]
    return [
        _dot(track.labels[-1], track.truth, 12, INK, "truth"),
        _remark(up, "dot: the truth", near.min(), near.max(), track=track),
    ]


def _last(track: Track) -> list[Part]:
    """The last label, as a dot."""
    if not len(track.labels) or not np.isfinite(track.value[-1]):
        return []
    role, kind = (REFERENCE, "last grey") if track.guessed[-1] else (SERIES[0], "last")
    return [_dot(track.labels[-1], track.value[-1], 10, role, kind)]


def _dot(x: float, y: float, size: float, role: str, kind: str) -> Line:
    return Line([x], [y], 0.0, dots=size, symbol=Symbol.RINGED, role=role, kind=kind)
