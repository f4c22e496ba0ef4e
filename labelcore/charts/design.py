"""The design of everything that is drawn: colours by role, for light and dark; type; lines.

docs/design.md shows it (``python -m docs.make_design``). What is drawn names roles; the page, the
report or the figure has their colours. Contrast: texts 4.5 and more, marks 3 and more.
"""

from dataclasses import asdict, dataclass

Series = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Theme:
    """A colour for each role.

    ground, panel      behind everything; behind a head of a table, a block of code
    ink, quiet         text; text and marks that matter less, and what is compared with
    warn               text that warns
    border, rule       around and between parts; the grid of a chart
    empty, expected    a scale without data; the funnel that is expected
    series             the first is the accent: estimate and band; then further classifiers
    band, noise        filled, over the grid: an interval; what chance alone does
    uncalled           bars of items that are not called positive
    """

    ground: str
    panel: str
    ink: str
    quiet: str
    warn: str
    border: str
    rule: str
    empty: str
    expected: str
    series: Series
    band: str
    noise: str
    uncalled: str


# Hues that colour-blind readers can tell apart (Okabe and Ito), as light or dark as the ground
# needs it.
LIGHT = Theme(
    ground="#FFFFFF",
    panel="#F6F8FA",
    ink="#1B1F24",
    quiet="#5C6670",
    warn="#B34700",
    border="#D0D7DE",
    rule="#E3E7EB",
    empty="#EDF0F3",
    expected="#E9ECEF",
    series=("#0072B2", "#D55E00", "#009E73", "#B4558E", "#B87700", "#3F4850"),
    band="rgba(0, 114, 178, 0.32)",
    noise="rgba(230, 159, 0, 0.28)",
    uncalled="rgba(128, 128, 128, 0.55)",
)
DARK = Theme(
    ground="#0E1117",
    panel="#181F27",
    ink="#E6EDF3",
    quiet="#A3ABB4",
    warn="#F0A35E",
    border="#3A434D",
    rule="#343B43",
    empty="#2A3037",
    expected="#2A3037",
    series=("#4DA6DC", "#F0883E", "#2DBE93", "#E199C4", "#E6B13A", "#C3CAD1"),
    band="rgba(77, 166, 220, 0.32)",
    noise="rgba(230, 177, 58, 0.3)",
    uncalled="rgba(160, 160, 160, 0.6)",
)

# Sizes of type: a number in brackets below a chart, text beside the item, text, the item itself,
# a question or a sentence that stands for the page, a part's title, a page's title.
TYPE = {
    "tiny": "0.8rem",
    "small": "0.875rem",
    "text": "1rem",
    "reading": "1.1rem",
    "question": "1.25rem",
    "part": "1.4rem",
    "page": "2rem",
}
CHART_TEXT = 12
"""Pixels."""
SERIES = ("data", "data-2", "data-3", "data-4", "data-5", "data-6")
DASHES = ("", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS = ("", "/", "x", "-", "+", ".")
FIRST, SECOND, REFERENCE = "data", "data-2", "quiet"
HAIR, THIN, LINE, STRONG = 1.0, 1.5, 2.0, 3.0
"""Weights of lines in pixels: grid and bounds of others; goals and references; estimates; the
interval that a row is about."""

_COVER, _SHADE = "var(--ground) 50%, #0000", "color-mix(in srgb, currentcolor 30%, #0000), #0000"
SCROLLS = "overflow-x: auto; background: " + ", ".join(
    f"linear-gradient({way}deg, {colours}) {side} / {width} 100% no-repeat {moves}"
    for colours, width, moves in ((_COVER, "4rem", "local"), (_SHADE, "1rem", "scroll"))
    for way, side in ((90, "left"), (270, "right"))
)
"""What scrolls sideways is shaded at the edge behind which there is more."""


def roles(theme: Theme) -> dict[str, str]:
    """{name: colour}, the series as data, data-2, ... data-6."""
    plain = {name: value for name, value in asdict(theme).items() if name != "series"}
    names = ("data", *(f"data-{place}" for place in range(2, len(theme.series) + 1)))
    return {**plain, **dict(zip(names, theme.series, strict=True))}


def properties(theme: Theme) -> str:
    """The roles as custom properties of a style sheet: ``--ink: #1B1F24; ...``"""
    return " ".join(f"--{name}: {colour};" for name, colour in roles(theme).items())


def both(*names: str) -> str:
    """Custom properties of these roles that follow the page's own theme.

    >>> both("ink")
    '--ink: light-dark(#1B1F24, #E6EDF3);'
    """
    light, dark = roles(LIGHT), roles(DARK)
    return " ".join(f"--{name}: light-dark({light[name]}, {dark[name]});" for name in names)
