"""What is known about errors of the labels, from items answered twice."""

from dataclasses import asdict, dataclass
from typing import Any

from labelcore.log.events import answer_word
from labelcore.log.repeats import Judged
from labelcore.results.base import Result
from labelcore.results.types import Estimate
from labelcore.stats.label_error import Limits

ENOUGH = 20
"""From this many second answers on, figures for the truth are given: fewer say hardly anything."""
MANY = 40
"""From this many answers on the second half is compared with the first."""


@dataclass(frozen=True, slots=True)
class TrueFigure(Result):
    """A figure of the plan, and what the second answers say about the truth behind it.

    alike    the value and interval if mistakes are alike everywhere; second answers without a class
             are left out
    bounds   an interval that holds wherever the mistakes are; it has no value
    If either is undefined, it has a reason in words, and its interval is 0 to 1.
    """

    observed: Estimate
    alike: Limits
    bounds: Limits
    confidence: float

    @property
    def estimand(self) -> str:
        return self.observed.estimand


@dataclass(frozen=True, slots=True)
class Agreement(Result):
    """How often the two answers to an item, by one person or by two, are the same.

    same_person  whether both answers have the same name; known: whether that is one person's
    share, ac1   value and interval, or a reason in words if they are undefined
    """

    same_person: bool
    known: bool
    pairs: int
    differing: int
    share: Limits
    ac1: Limits


@dataclass(frozen=True, slots=True)
class Drift:
    """Mistakes in the first half of the answers against those in the second.

    change   the share of wrong answers in the second half less that in the first, with its interval
    differing, repeated   items of each half that got another second answer, and that got one
    """

    change: Limits
    differing: tuple[int, int]
    repeated: tuple[int, int]

    @property
    def seen(self) -> bool:
        """Whether they became more, or fewer, beyond chance."""
        return not self.change.low <= 0 <= self.change.high


@dataclass(frozen=True, slots=True)
class LabelError(Result):
    """What is known about errors of the labels.

    readings   every item answered twice; waiting: items still to be shown again
    people     how many people gave the answers in force; None if that cannot be known
    existing   whether labels from before the project are among them
    share      the share of repeated items that got a different answer, with its interval
    error      the share of wrong labels, if mistakes are alike everywhere
    figures    the plan's figures for the truth; none while labelling goes on, or with fewer than 20
               second answers
    drift      once labelling is over, where it can be told; in words only where it is beyond chance
    confidence of each interval on its own, for one look when labelling is over
    """

    readings: tuple[Judged, ...]
    waiting: int
    people: int | None
    existing: bool
    share: Limits
    error: Limits
    agreements: tuple[Agreement, ...]
    figures: tuple[TrueFigure, ...]
    confidence: float
    drift: Drift | None = None

    @property
    def differing(self) -> tuple[Judged, ...]:
        return tuple(reading for reading in self.readings if reading.differs)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "sentence": self.sentence(),
            "repeated": len(self.readings),
            "differing": len(self.differing),
            "waiting": self.waiting,
            "enough": ENOUGH,
            "confidence": self.confidence,
            "share": asdict(self.share),
            "error": asdict(self.error),
            "drift": asdict(self.drift) if self.drift and self.drift.seen else None,
            "agreements": [{**asdict(one), "sentence": one.sentence()} for one in self.agreements],
            "figures": [
                {
                    "estimand": figure.estimand,
                    "alike": asdict(figure.alike),
                    "bounds": asdict(figure.bounds),
                    "sentence": figure.sentence(),
                }
                for figure in self.figures
            ],
            "items": [
                {
                    "draw_index": reading.index,
                    "item_id": reading.first.item_id,
                    "first": answer_word(reading.first),
                    "second": answer_word(reading.second),
                    "first_by": reading.first.annotator,
                    "second_by": reading.second.annotator,
                }
                for reading in self.readings
            ],
        }
