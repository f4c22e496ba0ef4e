"""What is generated from the tables of the design: ``python -m docs.make_design``.

Writes docs/design.md and its picture; ``tests/charts/test_design.py`` fails while they are stale.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from labelcore.charts.design import (
    CHART_TEXT,
    DARK,
    HAIR,
    LIGHT,
    LINE,
    STRONG,
    THIN,
    TYPE,
    Theme,
    roles,
)
from labelcore.words.differences import interval_text
from labelcore.words.sentences import percent, points

ROOT = Path(__file__).resolve().parents[1]
USES = {
    "ground": "behind everything",
    "panel": "behind a table's head, a block of code",
    "ink": "text",
    "quiet": "text and marks that matter less; references, goals",
    "warn": "text that warns",
    "border": "around parts of a page",
    "rule": "the grid of a chart",
    "empty": "a scale without data",
    "expected": "the funnel that is expected",
    "band": "an interval, filled",
    "noise": "what chance alone does, filled",
    "uncalled": "bars of items not called positive",
    "data": "the accent: estimate, band, focus; the first classifier",
    **{f"data-{place}": f"classifier {place}" for place in range(2, 7)},
}
SIZES = {
    "tiny": "tables on a telephone",
    "small": "names, ends of intervals, what is said beside",
    "text": "text",
    "reading": "the item; a value; the short sentence",
    "question": "the question; the sentence of a page",
    "part": "a part's title",
    "page": "a page's title",
}
WEIGHTS = {
    "grid, bounds of others": HAIR,
    "goals, references": THIN,
    "estimates": LINE,
    "the interval of a row": STRONG,
}

PAGE = """# Design

Made by `python -m docs.make_design` from `labelcore/charts/design.py`; every chart, page and report
takes its colours from there. What is drawn names roles; the page, the report or the figure has
their colours, light or dark. Texts have a contrast of 4.5 or more with what is behind them, marks
of 3 or more, and a band is seen as well in dark as in light (`tests/charts/test_design.py`); what
the browser computes is measured too (`tests/browser/test_contrast.py`). Hues are those of Okabe and
Ito, as light or dark as the ground needs. Classifiers differ in dashes or marks as well.

![the design in light and dark](design.svg)

One accent; nothing moves but the data. One sentence says one thing; an interval stands beside its
estimate, in tabular figures. What is not known yet is grey and without words.
"""


def page() -> str:
    rows = [
        "## Colours",
        "",
        "| role | light | dark | for |",
        "|---|---|---|---|",
        *(
            f"| {name} | `{light}` | `{roles(DARK)[name]}` | {USES[name]} |"
            for name, light in roles(LIGHT).items()
        ),
        "",
        "## Type",
        "",
        "| size | | for |",
        "|---|---|---|",
        *(f"| {name} | {size} | {SIZES[name]} |" for name, size in TYPE.items()),
        f"| in a chart | {CHART_TEXT} px | ticks and remarks |",
        "",
        "## Lines",
        "",
        "| for | pixels |",
        "|---|---|",
        *(f"| {use} | {weight:g} |" for use, weight in WEIGHTS.items()),
        "",
        "## Numbers",
        "",
        "| what | as | how |",
        "|---|---|---|",
        f"| a share | {percent(0.9137)} | a digit after the point; more near 0 and 1 |",
        f"| an interval | {interval_text('recall', 0.87649, 0.94211)} | rounded outwards |",
        f"| a half-width | {points(0.0312)} | rounded up |",
        "| a difference | "
        f"{interval_text('recall_difference', -0.031, 0.02)} | in points, with its sign |",
        "| a count | 12,345 | a comma between thousands |",
    ]
    return f"{PAGE}\n" + "\n".join(rows) + "\n"


WIDTH, HALF, ROW = 960, 480, 26


def picture() -> str:
    """Both themes side by side: colours, type, lines, a band."""
    height = 450
    parts = [*_half(LIGHT, 0, height), *_half(DARK, HALF, height)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, sans-serif">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _half(theme: Theme, left: int, height: int) -> Iterator[str]:
    yield f'<rect x="{left}" width="{HALF}" height="{height}" fill="{theme.ground}"/>'
    named = [(name, colour) for name, colour in roles(theme).items() if name != "ground"]
    for place, (name, colour) in enumerate(named):
        x, y = left + 24 + 220 * (place % 2), 24 + ROW * (place // 2)
        yield f'<rect x="{x}" y="{y}" width="44" height="18" rx="3" fill="{colour}"/>'
        yield _text(x + 54, y + 14, name, theme.ink, 13)
    top = 24 + ROW * ((len(named) + 1) // 2) + 16
    x = left + 24
    for name, size in TYPE.items():
        pixels = 16 * float(size.removesuffix("rem"))
        yield _text(x, top + 28, name, theme.ink, pixels)
        x += 12 + round(0.52 * pixels * len(name))
    for place, (use, weight) in enumerate(WEIGHTS.items()):
        y = top + 62 + 22 * place
        yield (
            f'<line x1="{left + 24}" x2="{left + 104}" y1="{y}" y2="{y}" '
            f'stroke="{theme.series[0]}" stroke-width="{weight:g}"/>'
        )
        yield _text(left + 116, y + 4, use, theme.quiet, CHART_TEXT)
    yield from _band(theme, left + 290, top + 50)


def _band(theme: Theme, left: int, top: int) -> Iterator[str]:
    """A band that closes in on its estimate, over a grid, with a goal."""
    xs = [left + 8 * place for place in range(21)]
    reach = [46 / (1 + place) ** 0.5 for place in range(21)]
    outline = [*((x, top + 48 - r) for x, r in zip(xs, reach, strict=True))]
    outline += [*((x, top + 48 + r) for x, r in zip(reversed(xs), reversed(reach), strict=True))]
    for y in (top, top + 48, top + 96):
        yield _across(left, y, theme.rule, HAIR)
    yield f'<polygon points="{_points(outline)}" fill="{theme.band}"/>'
    yield _across(left, top + 34, theme.quiet, THIN, ' stroke-dasharray="5 4"')
    yield _across(left, top + 48, theme.series[0], LINE)


def _across(left: int, y: int, colour: str, weight: float, more: str = "") -> str:
    ends = f'x1="{left}" x2="{left + 160}" y1="{y}" y2="{y}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{weight:g}"{more}/>'


def _points(outline: list[tuple[int, float]]) -> str:
    return " ".join(f"{x},{y:.1f}" for x, y in outline)


def _text(x: int, y: int, text: str, colour: str, size: float) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size:g}">{text}</text>'


MADE: dict[str, Callable[[], str]] = {"docs/design.md": page, "docs/design.svg": picture}
"""Each generated file and what it must hold."""


def main() -> None:
    for name, made in MADE.items():
        (ROOT / name).write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
