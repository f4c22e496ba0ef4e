"""What is read along the ranks: names, units and words of each reading."""

import math
from dataclasses import dataclass

from labelcore.promises import Promise, State
from labelcore.results.curves import Band
from labelcore.words import sentences as words


@dataclass(frozen=True, slots=True)
class Reading:
    """A row of ``READINGS``.

    label    for axes and choices; unit: "share", "items", "times" or "gain"
    meaning  one sentence for people who do not know the word
    """

    label: str
    unit: str
    meaning: str

    def number(self, value: float, width: float | None = None) -> str:
        """A value with the decimals that an interval so wide supports.

        >>> READINGS["precision"].number(0.5, 0.2), READINGS["yield"].number(1234.4)
        ('50 %', '1,234 items')
        """
        if self.unit == "share":
            return words.percent(value, None if width is None else words.decimals(width))
        if self.unit == "items":
            return words.count(round(value), "item")
        return f"{value:.2f} times" if self.unit == "times" else f"{value:.2f}"

    def span(self, low: float, high: float) -> tuple[str, str]:
        """Both ends, rounded outwards; a single value is given as it is.

        >>> READINGS["yield"].span(10.2, 30.7), READINGS["gain"].span(1.234, 2.0)
        (('10', '31 items'), ('1.23', '2.00 times'))
        """
        if high - low < 1e-12:
            return (self.number(low),) * 2
        if self.unit == "share":
            bottom, top = words.percent_range(low, high)
            return bottom, top
        if self.unit == "items":
            return f"{_floor(low):,}", words.count(_ceil(high), "item")
        return f"{_floor(100 * low) / 100:.2f}", self.number(_ceil(100 * high) / 100)

    def range(self, low: float, high: float) -> str:
        """
        >>> READINGS["recall"].range(0.121, 0.3), READINGS["yield"].range(25, 25)
        ('12 to 30 %', '25 items')
        """
        bottom, top = self.span(low, high)
        if bottom == top:
            return top
        return words.range_text(low, high) if self.unit == "share" else f"{bottom} to {top}"

    def words(
        self,
        value: float,
        low: float,
        high: float,
        *,
        state: State = State.INTERVAL,
        between: str = "between",
    ) -> str:
        """Value and interval in words, as far as the state allows; the interval alone where the
        value is NaN.

        between   what leads to the two ends

        >>> READINGS["precision"].words(0.9, 0.8512, 0.9433)
        '90.0 %, between 85.1 % and 94.4 %'
        >>> READINGS["recall"].words(1.0, 1.0, 1.0)
        '100 %'
        """
        bottom, top = self.span(low, high)
        ends = top if bottom == top else f"{between} {bottom} and {top}"
        if value != value:
            return ends
        shown = self.number(value, high - low if state.has_interval else 1.0)
        if state == State.EXACT:
            return f"exactly {shown}"
        if not state.has_interval:
            return f"{shown}, without an interval yet"
        return top if bottom == top else f"{shown}, {ends}"


READINGS = {
    "precision": Reading(
        "Precision", "share", "Of the items down to this rank, the share that are positive."
    ),
    "recall": Reading(
        "Recall", "share", "Of all positive items in the list, the share down to this rank."
    ),
    "yield": Reading("Yield", "items", "How many positive items there are down to this rank."),
    "f1": Reading("F1", "share", "Precision and recall in one number (their harmonic mean)."),
    "accuracy": Reading(
        "Accuracy",
        "share",
        "Calling everything down to this rank positive and the rest not: the share judged "
        "correctly.",
    ),
    "gain": Reading(
        "Gain",
        "times",
        "How many times denser the positive items are down to this rank than in the whole list.",
    ),
    "dcg": Reading(
        "DCG",
        "gain",
        "Each positive item counts 1 / log2(rank + 1): the earlier it stands, the more.",
    ),
    "ndcg": Reading(
        "nDCG", "share", "DCG over that of the same list with all its positive items first."
    ),
    "specificity": Reading(
        "Specificity", "share", "Of the items that are not positive, the share below this rank."
    ),
    "true_positive_rate": Reading(
        "True positive rate", "share", "Of all positive items, the share down to this rank."
    ),
    "false_positive_rate": Reading(
        "False positive rate",
        "share",
        "Of all items that are not positive, the share down to this rank.",
    ),
}


def reading_of(band: Band) -> Reading:
    """The row of a band's reading. Raises ValueError for one that is not in the table."""
    name = band.estimand.removesuffix("_curve")
    if name not in READINGS:
        raise ValueError(
            f"band must hold one of {', '.join(READINGS)}, got the estimand {band.estimand!r}"
        )
    return READINGS[name]


def assurance(band: Band) -> str:
    """What the bounds of a band are called, in a legend.

    A band without confidence is never called one.
    """
    if band.state == State.EXACT:
        return "exact"
    if band.confidence is None:
        return "bounds, no confidence goes with them"
    if band.promise == Promise.NONE:
        return "interval without a promise"
    where = "all ranks together" if band.simultaneous else "each rank on its own"
    return f"{words.confidence_words(band.confidence)} band, {where}"


def _floor(x: float) -> int:
    return math.floor(x + 1e-9)


def _ceil(x: float) -> int:
    return math.ceil(x - 1e-9)
