"""One small picture: labels for one target by the share of positives, a panel per kind of score."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.labels.files import SEPARATION, SHARES
from benchmarks.labels.measured import Cell
from benchmarks.labels.methods import LIMIT, METHODS, OURS, PLAIN

WIDE, HIGH, LEFT, TOP, BETWEEN = 250, 210, 62, 74, 22
LEAST, MOST = 50.0, 100_000.0
COLOURS = {PLAIN: "#555555", OURS: "#0072b2", LIMIT: "#009e73"}
OTHERS = ("#d55e00", "#cc79a7", "#e69f00")


def picture(cells: Sequence[Cell], target: str) -> str:
    """An SVG text. Dots with a hole: the interval covered too seldom there."""
    methods = [
        one.name
        for one in METHODS
        if "watched" not in one.name and "focus" not in one.name
        if any(cell.method == one.name and cell.target == target for cell in cells)
    ]
    rest = iter(OTHERS)
    colours = {name: COLOURS.get(name) or next(rest) for name in methods}
    width = LEFT + 3 * WIDE + 2 * BETWEEN + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HIGH + 44}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="16" font-size="13">Labels until {target} is known to 5 points '
        "(a ring: covered too seldom)</text>",
        *legend(colours),
    ]
    for place, kind in enumerate(SEPARATION):
        parts += panel(cells, target, kind, colours, LEFT + place * (WIDE + BETWEEN), place == 0)
    return "\n".join([*parts, "</svg>", ""])


def legend(colours: dict[str, str]) -> Iterator[str]:
    for place, (name, colour) in enumerate(colours.items()):
        x, y = LEFT + 270 * (place % 3), 34 + 16 * (place // 3)
        yield f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{colour}"/>'
        yield f'<text x="{x + 12}" y="{y}">{name}</text>'


def height(labels: float) -> float:
    share = np.log(np.clip(labels, LEAST, MOST) / LEAST) / np.log(MOST / LEAST)
    return TOP + HIGH * (1 - float(share))


def panel(
    cells: Sequence[Cell], target: str, kind: str, colours: dict[str, str], left: int, first: bool
) -> Iterator[str]:
    step = WIDE / len(SHARES)
    yield f'<text x="{left}" y="{TOP - 5}">{kind} scores</text>'
    for labels in (100, 1_000, 10_000, 100_000):
        y = height(labels)
        yield f'<path d="M{left} {y:.0f}h{WIDE}" stroke="#dddddd"/>'
        if first:
            yield f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{labels:,}</text>'
    xs = {share: left + step * (place + 0.5) for place, share in enumerate(SHARES)}
    for share, x in xs.items():
        name = f"{100 * share:g} %"
        yield f'<text x="{x:.0f}" y="{TOP + HIGH + 16}" text-anchor="middle">{name}</text>'
    yield (
        f'<text x="{left + WIDE / 2:.0f}" y="{TOP + HIGH + 34}" text-anchor="middle">'
        "share of positives</text>"
    )
    for method, colour in colours.items():
        points = [
            (xs[share], height(cell.median), cell.short)
            for share in SHARES
            for cell in cells
            if (cell.file, cell.method, cell.target)
            == (f"{100 * share:g} %, {kind}", method, target)
        ]
        if not points:
            continue
        path = "L".join(f"{x:.0f} {y:.0f}" for x, y, _ in points)
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        for x, y, short in points:
            fill = "white" if short else colour
            yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="{fill}" stroke="{colour}"/>'
