"""The living picture: interval bars on one scale, and one chart below them.

Everything is a ``Node``, plain lists that the page turns into elements one by one: names become
texts, never markup. Shares are drawn from 0 to 100 %, labels from 0 to the plan, so that nothing
moves but the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.charts.band import runs
from labelcore.charts.history_table import thinned
from labelcore.results.telling import NO_LINE
from labelcore.words.sentences import points

# [tag, attributes, *children]; a child is a Node or a text.
Node = list[Any]
Numbers = NDArray[np.float64]

WIDTH, HEIGHT = 448.0, 256.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 10.0, 24.0, 36.0
MOST_POINTS = 160
NOTE_WIDTH, LONG_NOTE, WIDE_NOTE = 100.0, 200.0, 230.0
"""Room for a remark at the right end; the last also in the larger letters of a telephone."""
GREY = "Grey mark or line: only a first guess."
Scale = tuple[float, float]
SHARES: Scale = (0.0, 1.0)
REACHES = (0.05, 0.1, 0.2, 0.5, 1.0)
LABELS, FIRST_ITEMS = "labels", "first items by score"
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
LOG_FROM_ITEMS = 5000
N_SERIES = 6


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


def node(tag: str, /, *children: Node | str, **attributes: object) -> Node:
    """``klass`` is the attribute class, and underscores are hyphens.

    >>> node("text", "5", klass="tick", text_anchor="end")
    ['text', {'class': 'tick', 'text-anchor': 'end'}, '5']
    """
    named = {
        "class" if name == "klass" else name.replace("_", "-"): str(value)
        for name, value in attributes.items()
    }
    return [tag, named, *children]


def bars(shown: Sequence[Bar], scale: Scale = SHARES, *, wanted: float | None = None) -> Node:
    """Each figure as name, value, bar and interval, one below the other.

    scale    of differences it has a line at zero
    wanted   a value that is asked for, as a line through all bars
    """
    lines = [*([0.0] if scale[0] < 0 else []), *([] if wanted is None else [wanted])]
    return node("div", *(_bar(one, scale, lines) for one in shown), klass="bars", role="list")


def difference_scale(ends: Numbers) -> Scale:
    """A scale around zero that holds every end of an interval so far; NaN are left out.

    >>> difference_scale(np.array([-0.12, 0.31])), difference_scale(np.array([np.nan]))
    ((-0.5, 0.5), (-1.0, 1.0))
    """
    known = np.abs(ends[np.isfinite(ends)])
    most = float(known.max()) if len(known) else 1.0
    reach = next(one for one in REACHES if most <= one + 1e-9)
    return -reach, reach


def _bar(bar: Bar, scale: Scale, lines: Sequence[float]) -> Node:
    least, most = scale

    def place(share: float) -> str:
        return f"{100 * (min(max(share, least), most) - least) / (most - least):.2f}%"

    track = node("div", klass="track", aria_hidden="true")
    if bar.low is not None and bar.high is not None:
        width = 100 * max(bar.high - bar.low, 0.0) / (most - least)
        kind = "band assumed" if bar.assumed else "band"
        track.append(node("div", klass=kind, style=f"left:{place(bar.low)};width:{width:.2f}%"))
    track += [node("div", klass="line", style=f"left:{place(one)}") for one in lines]
    if bar.value is not None:
        track.append(node("div", klass="tick", style=f"left:{place(bar.value)}"))
    if bar.truth is not None:
        track.append(node("div", klass="truth", style=f"left:{place(bar.truth)}"))
    name = node("span", bar.name, klass="name")
    if bar.key:
        name = node(
            "button",
            bar.name,
            klass="name",
            data_figure=bar.key,
            aria_pressed=str(bar.shown).lower(),
        )
    return node(
        "div",
        name,
        node("span", bar.said[0], klass="value"),
        track,
        node("span", bar.said[1], klass="range"),
        klass="bar chosen" if bar.chosen else "bar out" if bar.out else "bar",
        role="listitem",
        style=in_series(bar.series),
    )


def in_series(place: int) -> str:
    """The colour of one among several, for the attribute style.

    >>> in_series(0), in_series(1), in_series(6)
    ('', '--own: var(--data-2)', '')
    """
    place %= N_SERIES
    return f"--own: var(--data-{place + 1})" if place else ""


@dataclass(frozen=True, eq=False, slots=True)
class Track:
    """A figure label by label.

    labels            (n_looks,), rising
    value, low, high  (n_looks,), NaN where there is none
    planned           labels at the end of the axis
    scale             of the figure: shares, or what ``difference_scale`` gives
    margin            the goal around the last value; None without one
    ahead             numbers of labels still to come and the half-widths expected there
    truth             the known truth, at the end of a trial
    sides             what it means above and below zero, of a difference
    name              of the figure with its unit, above the scale
    """

    labels: Numbers
    value: Numbers
    low: Numbers
    high: Numbers
    planned: int
    scale: Scale = SHARES
    margin: float | None = None
    ahead: tuple[Numbers, Numbers] | None = None
    truth: float | None = None
    sides: tuple[str, str] | None = None
    name: str = ""

    @property
    def guessed(self) -> NDArray[np.bool_]:
        """Where a value has no interval: drawn grey."""
        return np.isfinite(self.value) & np.isnan(self.low)


@dataclass(frozen=True, slots=True)
class Frame:
    """The box of a chart: from data to its units."""

    x_ends: Scale
    y_ends: Scale = SHARES
    log: bool = False

    def x(self, at: Numbers) -> Numbers:
        low, high = self.x_ends
        share = (at - low) / (high - low)
        if self.log:
            share = np.log(np.maximum(at, low) / low) / math.log(high / low)
        return LEFT + (WIDTH - LEFT - RIGHT) * np.clip(share, 0.0, 1.0)

    def y(self, at: Numbers) -> Numbers:
        low, high = self.y_ends
        share = np.clip((at - low) / (high - low), 0.0, 1.0)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def points(self, x: Numbers, y: Numbers) -> str:
        """``x1,y1 x2,y2 ...`` to a tenth of a unit."""
        pairs = zip(self.x(x), self.y(y), strict=True)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in pairs)


def over_labels(track: Track, words: str) -> Node:
    """The figure, its interval and what is expected from here, against labels; ``words`` say the
    same for those who do not see it."""
    frame = Frame((0.0, float(max(track.planned, track.labels.max(initial=1.0)))), track.scale)
    count = len(track.labels)
    kept = np.asarray(thinned(count, MOST_POINTS) if count else [], dtype=np.int64)
    x, value = track.labels[kept], track.value[kept]
    low, high, grey = track.low[kept], track.high[kept], track.guessed[kept]
    drawn = _axes(frame, _steps(frame.x_ends[1]), LABELS, track.name)
    drawn += _expected(frame, track)
    drawn += _band(frame, x, low, high)
    drawn += _line(frame, x, value, grey, "estimate grey")
    settled = ~grey & np.isfinite(value)
    # From the last grey point on, so that the line has no gap.
    settled[:-1] |= grey[:-1] & settled[1:]
    drawn += _line(frame, x, value, settled, "estimate")
    drawn += _zero(frame, track)
    drawn += _goal(frame, track)
    drawn += _last(frame, track)
    drawn += _truth(frame, track)
    return _chart(drawn, words)


@dataclass(frozen=True, eq=False, slots=True)
class Runner:
    """One candidate's bounds, label by label, to where it went out.

    labels, low, high  (n_looks,), rising labels
    series             its place among the colours, as its ``Bar`` has it
    """

    labels: Numbers
    low: Numbers
    high: Numbers
    series: int
    chosen: bool = False
    out: bool = False


def race(runners: Sequence[Runner], labels: int, wanted: float, words: str, name: str = "") -> Node:
    """The bounds of several candidates against the ``labels`` that there are, and the value that is
    wanted of them, both of the figure ``name``, with its unit; one that is out ends in a cross. The
    chosen one, then those still in, are drawn on top.
    """
    last = max((float(one.labels[-1]) for one in runners if len(one.labels)), default=1.0)
    frame = Frame((0.0, max(float(labels), last)))
    drawn = _axes(frame, _steps(frame.x_ends[1]), LABELS, name)
    for one in sorted(runners, key=lambda one: (not one.out, one.chosen)):
        drawn += _runner(frame, one)
    y = float(frame.y(np.array([wanted]))[0])
    drawn += [
        node("line", klass="goal", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y),
        node("text", "wanted", klass="note", x=WIDTH - RIGHT, y=y - 5, text_anchor="end"),
    ]
    return _chart(drawn, words)


def _runner(frame: Frame, one: Runner) -> list[Node]:
    if not len(one.labels):
        return []
    kept = np.asarray(thinned(len(one.labels), MOST_POINTS), dtype=np.int64)
    x, low, high = one.labels[kept], one.low[kept], one.high[kept]
    inside = [*_band(frame, x, low, high)]
    every = np.ones(len(x), dtype=bool)
    inside += _line(frame, x, low, every, "bound") + _line(frame, x, high, every, "bound")
    if one.out:
        at, ends = frame.x(x[-1:])[0], frame.y(np.array([(low[-1] + high[-1]) / 2]))
        inside.append(node("text", "×", klass="gone", x=at, y=ends[0] + 5, text_anchor="middle"))
    kind = "runner out" if one.out else "runner chosen" if one.chosen else "runner"
    return [node("g", *inside, klass=kind, style=in_series(one.series))]


@dataclass(frozen=True, eq=False, slots=True)
class Along:
    """A reading such as precision along the ranks of a list.

    rank              (n_points,), rising from 1
    value, low, high  (n_points,), NaN where there is none; without bounds a value is a first
                      guess, drawn grey
    items             how long the list is
    cut               the classifier's own cut, as a rank; None without one
    assumed           the bounds carry no confidence
    provisional       (n_points,), by all labels where the band is of fewer; None without one
    """

    rank: Numbers
    value: Numbers
    low: Numbers
    high: Numbers
    items: int
    cut: int | None = None
    assumed: bool = False
    provisional: Numbers | None = None

    @property
    def grey(self) -> bool:
        """Whether a line of guesses is drawn."""
        return bool((np.isfinite(self.value) & np.isnan(self.low)).any())


def along_scores(along: Along, words: str) -> Node:
    """The reading and its band against how many of the first items are taken."""
    log = along.items >= LOG_FROM_ITEMS
    frame = Frame((1.0 if log else 0.0, float(along.items)), log=log)
    kept = _spread(frame.x(along.rank))
    rank = along.rank[kept]
    ticks = _powers(along.items) if log else _steps(float(along.items))
    drawn = _axes(frame, ticks, FIRST_ITEMS, "Precision, %")
    drawn += _band(frame, rank, along.low[kept], along.high[kept], assumed=along.assumed)
    if along.provisional is not None:
        guess = along.provisional[kept]
        drawn += _line(frame, rank, guess, np.isfinite(guess), "estimate grey")
    value, bounded = along.value[kept], np.isfinite(along.low[kept])
    drawn += _line(frame, rank, value, np.isfinite(value) & bounded, "estimate")
    drawn += _line(frame, rank, value, np.isfinite(value) & ~bounded, "estimate grey")
    x = float(frame.x(np.array([float(along.cut)]))[0]) if along.cut else LEFT
    if bounded.any() and not np.isfinite(value).any():
        # Left of the cut, where that would cross it and there is room.
        crossed = x > WIDTH - RIGHT - WIDE_NOTE and x - LEFT > WIDE_NOTE
        drawn.append(_remark(frame, NO_LINE, 0.7, 1.0, x - 8 if crossed else WIDTH - RIGHT))
    if along.cut:
        near_end = x > WIDTH - 90
        drawn += [
            node("line", klass="cut", x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM),
            node(
                "text",
                f"cut at {along.cut:,}",
                klass="note",
                x=x - 5 if near_end else x + 5,
                y=HEIGHT - BOTTOM - 6,
                text_anchor="end" if near_end else "start",
            ),
        ]
    return _chart(drawn, words)


def _chart(drawn: Sequence[Node], words: str) -> Node:
    box = f"0 0 {WIDTH:g} {HEIGHT:g}"
    return node("svg", *drawn, klass="chart", viewBox=box, role="img", aria_label=words)


def _axes(frame: Frame, ticks: Sequence[float], across: str, up: str) -> list[Node]:
    """Grid and numbers, and what they are of: ``across`` and ``up``."""
    drawn: list[Node] = [
        node("text", up, klass="axis", x=0, y=12),
        node("text", across, klass="axis", x=WIDTH - RIGHT, y=HEIGHT - 4, text_anchor="end"),
    ]
    least, most = frame.y_ends
    for share in QUARTERS:
        value = least + (most - least) * share
        y = float(frame.y(np.array([value]))[0])
        drawn += [
            node("line", klass="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y),
            node("text", _points(value), x=LEFT - 6, y=y + 4, text_anchor="end"),
        ]
    for tick in ticks:
        x = float(frame.x(np.array([tick]))[0])
        anchor = "end" if x > WIDTH - RIGHT - 12 else "middle"
        drawn.append(node("text", f"{tick:,.0f}", x=x, y=HEIGHT - 19, text_anchor=anchor))
    return drawn


def _points(share: float) -> str:
    return f"{100 * share:g}".replace("-", "−")


def _steps(last: float) -> list[float]:
    """Three to five round numbers from 0 on, and the last.

    >>> _steps(150.0), _steps(1180.0)
    ([0.0, 50.0, 100.0, 150.0], [0.0, 500.0, 1180.0])
    """
    rough = last / 3
    scale = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(scale * one for one in (1, 2, 5, 10) if scale * one >= rough - 1e-9)
    inside = [n * step for n in range(math.ceil(last / step)) if last - n * step > 0.4 * step]
    return [*map(float, inside), last]


def _powers(items: int) -> list[float]:
    return [float(10**power) for power in range(int(math.log10(items)) + 1)]


def _spread(x: Numbers) -> NDArray[np.int64]:
    """At most one point for every two units of the chart's width, the ends always."""
    if not len(x):
        return np.empty(0, dtype=np.int64)
    cells = np.round(x / 2)
    keep = np.append(np.flatnonzero(np.diff(cells) > 0), len(x) - 1)
    return np.unique(np.append(keep, 0))


def _band(
    frame: Frame, x: Numbers, low: Numbers, high: Numbers, *, assumed: bool = False
) -> list[Node]:
    drawn = []
    for run in runs(np.isfinite(low) & np.isfinite(high)):
        there = np.append(x[run], x[run][::-1])
        ends = np.append(low[run], high[run][::-1])
        kind = "band assumed" if assumed else "band"
        drawn.append(node("polygon", klass=kind, points=frame.points(there, ends)))
    return drawn


def _line(
    frame: Frame, x: Numbers, value: Numbers, keep: NDArray[np.bool_], kind: str
) -> list[Node]:
    return [
        node("polyline", klass=kind, points=frame.points(x[run], value[run])) for run in runs(keep)
    ]


def _expected(frame: Frame, track: Track) -> list[Node]:
    """The half-widths expected from here, around the present value; without one, which says nothing
    of where the interval will be, only that of the end, in words."""
    if track.ahead is None or not len(track.value):
        return []
    labels, half = track.ahead
    if not np.isfinite(track.value[-1]) or track.guessed[-1]:
        ends = float(frame.x(track.labels)[-1])
        if not np.isfinite(half[-1]) or ends > WIDTH - RIGHT - LONG_NOTE:
            return []
        words = f"expected at {labels[-1]:,.0f} labels: ± {points(float(half[-1]))}"
        return [_remark(frame, words, 0.0, 1.0)]
    later = labels > track.labels[-1]
    if not later.any():
        return []
    value = track.value[-1]
    x = np.append(track.labels[-1], labels[later])
    now = (track.low[-1], track.high[-1]) if np.isfinite(track.low[-1]) else frame.y_ends
    low = np.append(now[0], np.maximum(value - half[later], now[0]))
    high = np.append(now[1], np.minimum(value + half[later], now[1]))
    drawn = [
        node(
            "polygon",
            klass="expected",
            points=frame.points(np.append(x, x[::-1]), np.append(low, high[::-1])),
        )
    ]
    if frame.x(x)[0] < WIDTH - RIGHT - NOTE_WIDTH:
        late = frame.x(x) > WIDTH - RIGHT - NOTE_WIDTH
        drawn.append(_remark(frame, "expected width", low[late].min(), high[late].max()))
    return drawn


def _remark(frame: Frame, words: str, low: float, high: float, x: float = WIDTH - RIGHT) -> Node:
    """Words that end at ``x``, below what reaches from ``low`` to ``high`` there, or else above."""
    below, above = (float(one) for one in frame.y(np.array([low, high])))
    y = below + 14 if below < HEIGHT - BOTTOM - 18 else max(above - 5, TOP + 10)
    return node("text", words, klass="note", x=x, y=f"{y:.1f}", text_anchor="end")


def _goal(frame: Frame, track: Track) -> list[Node]:
    """Where the ends of the interval would stand at the goal: dashes at the end of the plan."""
    if track.margin is None or not len(track.value) or not np.isfinite(track.value[-1]):
        return []
    value = track.value[-1]
    ends = [end for end in (value - track.margin, value + track.margin) if abs(end) <= 1]
    x1, x2 = WIDTH - RIGHT - 48, WIDTH - RIGHT
    drawn: list[Node] = []
    for end in ends:
        y = float(frame.y(np.array([end]))[0])
        drawn.append(node("line", klass="goal", x1=x1, x2=x2, y1=y, y2=y))
    if ends:
        y = float(frame.y(np.array([ends[0]]))[0])
        drawn.append(node("text", "goal", klass="note", x=x1 - 5, y=y + 4, text_anchor="end"))
    return drawn


def _zero(frame: Frame, track: Track) -> list[Node]:
    """Of a difference: where the two are equally good, and who is better on which side."""
    if track.sides is None:
        return []
    y = float(frame.y(np.zeros(1))[0])
    above, below = track.sides
    return [
        node("line", klass="zero", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y),
        node("text", above, klass="note", x=WIDTH - RIGHT, y=TOP + 12, text_anchor="end"),
        node(
            "text", below, klass="note", x=WIDTH - RIGHT, y=HEIGHT - BOTTOM - 6, text_anchor="end"
        ),
    ]


def _truth(frame: Frame, track: Track) -> list[Node]:
    """The truth, as a dot where the last label stands; the word beside the band, on free ground."""
    if track.truth is None or not len(track.labels):
        return []
    x = float(frame.x(track.labels[-1:])[0])
    y = float(frame.y(np.array([track.truth]))[0])
    late = frame.x(track.labels) > WIDTH - RIGHT - NOTE_WIDTH
    near = np.concatenate([track.low[late], track.high[late], [track.truth]])
    near = near[np.isfinite(near)]
    return [
        node("circle", klass="truth", cx=f"{x:.1f}", cy=f"{y:.1f}", r=6),
        _remark(frame, "dot: the truth", near.min(), near.max()),
    ]


def _last(frame: Frame, track: Track) -> list[Node]:
    """The last label, as a dot."""
    if not len(track.labels) or not np.isfinite(track.value[-1]):
        return []
    x = float(frame.x(track.labels[-1:])[0])
    y = float(frame.y(track.value[-1:])[0])
    kind = "last grey" if track.guessed[-1] else "last"
    return [node("circle", klass=kind, cx=f"{x:.1f}", cy=f"{y:.1f}", r=5)]
