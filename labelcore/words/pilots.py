"""The size of a plan that ends at a margin, before its pilot and after it, in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labelcore.log.engine import Engine
from labelcore.log.recorded_answers import Book
from labelcore.plan.pilot import pilot_of
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import looking
from labelcore.words.sentences import count

SUPPOSED = {True: "your scores are good", False: "our guess is right"}
OPEN = "if {supposed}; we know more after {pilot} labels"
STILL_OPEN = "how many it takes is still open"
MORE = {
    True: "your scores are weaker than they looked",
    False: "it takes more than we guessed",
}
AS_GOOD = {True: "your scores are as good as they looked", False: "our guess was right"}
LITTLE = "The width that {labels} labels gave told too little of the size."
ANEW = "After {labels} their width forecast the size anew, from {before} to {planned}."
FEWER = {True: "it takes fewer than your scores said", False: "it takes fewer than we guessed"}
SLACK = 1.35
"""By how much a size differs from the forecast that nobody calls it more, or fewer: three tenths
are reserve."""


@dataclass(frozen=True)
class Size:
    """How many labels a plan takes by what its log tells; labels from before it are not counted.

    labels     as it is told now; open_end: whether a pilot or a goal may still change that
    forecast   before a pilot; pilot: its labels, 0 for a plan that has none
    planned    after it, 0 before; until: those to which the pilot goes on, 0 if it does not
    """

    labels: int
    open_end: bool = False
    forecast: int = 0
    pilot: int = 0
    planned: int = 0
    until: int = 0

    @property
    def how(self) -> str:
        """What ``labels`` are, before their number."""
        return "" if not self.open_end else "at least " if self.until else "about "


def size_now(plan: Plan, book: Book, given: int) -> Size:
    """The size of a plan of whose labels so many were there before."""
    learns, beyond = plan.learns, book.extended or bool(book.sought)
    forecast = int(plan.planned or plan.budget or 0)
    pilot = learns * (pilot_of(given) - given)
    planned, until = (max(labels - given, 0) for labels in (book.replanned, book.pilot_until))
    in_pilot = learns and (not book.replans or until > 0)
    goals = {*looking(plan.stop_rules)} - {"choice"}  # Of which the planned labels are the most.
    open_end = bool(goals or in_pilot) and not book.extended
    labels = book.limit if beyond else until or max(planned or forecast, pilot)
    labels = about_size(labels) if learns and open_end and not beyond else labels
    return Size(labels, open_end, forecast, pilot, planned, until)


def about_size(labels: int) -> int:
    """A number of labels in two digits, three of what begins with 1.

    >>> about_size(449), about_size(1169), about_size(53)
    (450, 1170, 53)
    """
    step: int = 10 ** max(len(str(labels)) - (3 if str(labels)[0] == "1" else 2), 0)
    return int(round(labels / step) * step)


def found_words(forecast: int, pilot: int, planned: int, again: int = 0, *, scored: bool) -> str:
    """What the pilot is to tell of the size, or has told.

    forecast  the size before the pilot; pilot: the labels of the pilot
    planned   the size forecast after it; 0 before
    again     the labels to which the pilot goes on, of which alone is told then: a size far ahead
              nearly always falls; 0 where it has ended
    scored    whether the first forecast is from scores

    >>> found_words(52, 60, 0, scored=True), found_words(52, 60, 449, scored=False)
    ('if your scores are good; we know more after 60 labels', 'it takes more than we guessed')
    >>> found_words(52, 60, 934, 120, scored=True)
    'how many it takes is still open'
    """
    if not planned:
        return OPEN.format(supposed=SUPPOSED[scored], pilot=pilot)
    if again:
        return STILL_OPEN
    more, fewer = planned > SLACK * max(forecast, pilot), SLACK * planned < forecast
    return (MORE if more else FEWER if fewer else AS_GOOD)[scored]


def size_words(forecast: int, pilot: int, planned: int, again: int = 0, *, scored: bool) -> str:
    """How many labels it takes, and how that is known; arguments as in ``found_words``.

    >>> size_words(52, 60, 0, scored=True)
    'About 60 labels if your scores are good; we know more after 60 labels.'
    >>> size_words(52, 60, 449, scored=True)
    'Your scores are weaker than they looked: about 450 labels.'
    >>> size_words(240, 60, 240, scored=True)
    'Your scores are as good as they looked: about 240 labels.'
    >>> size_words(4955, 60, 449, scored=True)
    'It takes fewer than your scores said: about 450 labels.'
    >>> size_words(52, 60, 934, 120, scored=True)
    'At least 120 labels: how many it takes is still open.'
    """
    if again:
        return f"At least {count(again)}: {STILL_OPEN}."
    labels = f"about {count(about_size(max(planned or forecast, pilot)))}"
    outcome = found_words(forecast, pilot, planned, scored=scored)
    if not planned:
        return f"{labels[:1].upper()}{labels[1:]} {outcome}."
    return f"{outcome[:1].upper()}{outcome[1:]}: {labels}."


def pilot_words(engine: Engine, say: Callable[..., str] = found_words) -> str:
    """What the pilot of a margin plan is to tell of its size, or has told; "" for other plans."""
    if not engine.plan.learns:
        return ""
    scored = any(name in engine.population.scores for name in engine.classifiers)
    size = size_now(engine.plan, engine, engine.given)
    return say(size.forecast, size.pilot, size.planned, size.until, scored=scored)


def record_words(details: Sequence[Mapping[str, Any]], forecast: int, given: int = 0) -> str:
    """The re-forecasts of a log, for a report; "" where there is none. Labels that were there
    before, ``given``, are not counted.

    >>> record_words([{"labels": 60, "half_width": 0.2, "planned": 449}], 52)
    'After 60 labels their width forecast the size anew, from 52 to 449 labels.'
    >>> record_words([{"labels": 60, "half_width": 0.4, "planned": 934, "pilot": 120}], 52, 7)
    'The width that 53 labels gave told too little of the size.'
    """
    ended = [detail for detail in details if not detail.get("pilot")]
    little = [f"{int(detail['labels']) - given:,}" for detail in details if detail.get("pilot")]
    told = [LITTLE.format(labels=" and ".join(little))] if little else []
    told += [
        ANEW.format(
            labels=count(int(detail["labels"]) - given),
            before=f"{forecast:,}",
            planned=count(int(detail["planned"]) - given),
        )
        for detail in ended
    ]
    return " ".join(told)
