"""The size of a plan that ends at a margin, before its pilot and after it, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labelcore.log.engine import Engine
from labelcore.plan.pilot import pilot_of
from labelcore.words.sentences import count

SUPPOSED = {True: "your scores are good", False: "our guess is right"}
OPEN = "if {supposed}; we know after {pilot}"
MORE = {
    True: "your scores are weaker than they looked",
    False: "it takes more than we guessed",
}
AS_GOOD = {True: "your scores are as good as they looked", False: "our guess was right"}
SLACK = 1.15
"""By how much a size is above the forecast that nobody calls it more: a tenth is reserve."""


def rounded(labels: int) -> int:
    """Two digits of a forecast, three of what begins with 1.

    >>> rounded(449), rounded(1169), rounded(60)
    (450, 1170, 60)
    """
    step: int = 10 ** max(len(str(labels)) - (3 if str(labels)[0] == "1" else 2), 0)
    return int(round(labels / step) * step)


def found_words(forecast: int, pilot: int, planned: int, *, scored: bool) -> str:
    """What the pilot is to tell of the size, or has told.

    forecast  the size before the pilot; pilot: the labels of the pilot
    planned   the size forecast after it; 0 before
    scored    whether the first forecast is from scores

    >>> found_words(52, 60, 0, scored=True), found_words(52, 60, 449, scored=False)
    ('if your scores are good; we know after 60', 'it takes more than we guessed')
    """
    if not planned:
        return OPEN.format(supposed=SUPPOSED[scored], pilot=pilot)
    return (MORE if planned > SLACK * max(forecast, pilot) else AS_GOOD)[scored]


def size_words(forecast: int, pilot: int, planned: int, *, scored: bool) -> str:
    """How many labels it takes, and how that is known; arguments as in ``found_words``.

    >>> size_words(52, 60, 0, scored=True)
    'About 60 labels if your scores are good; we know after 60.'
    >>> size_words(52, 60, 449, scored=True)
    'Your scores are weaker than they looked: about 450 labels.'
    >>> size_words(240, 60, 240, scored=True)
    'Your scores are as good as they looked: about 240 labels.'
    """
    labels = count(rounded(max(planned or forecast, pilot)))
    found = found_words(forecast, pilot, planned, scored=scored)
    after = f"{found[:1].upper()}{found[1:]}: about {labels}."
    return after if planned else f"About {labels} {found}."


def pilot_words(engine: Engine, say: Callable[..., str] = found_words) -> str:
    """What the pilot of a margin plan is to tell of its size, or has told; "" for other plans."""
    if not engine.plan.learns:
        return ""
    scored = any(name in engine.population.scores for name in engine.classifiers)
    sizes = engine.setup.planned, pilot_of(engine.given), engine.replanned
    return say(*sizes, scored=scored)


def record_words(detail: Mapping[str, Any], forecast: int) -> str:
    """The re-forecast of a log, for a report.

    >>> record_words({"labels": 60, "half_width": 0.26, "planned": 449}, 52)
    'After 60 labels the size was forecast anew by the width that they gave, from 52 to 449 labels.'
    """
    return (
        f"After {count(int(detail['labels']))} the size was forecast anew by the width that they "
        f"gave, from {forecast:,} to {count(int(detail['planned']))}."
    )
