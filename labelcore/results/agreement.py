"""How far people agree who judged the same items, and what each of them did."""

from dataclasses import dataclass

import pandas as pd

from labelcore.results.base import Result
from labelcore.stats.label_error import Limits


@dataclass(frozen=True, slots=True)
class Person:
    """What one person did; never a ranking.

    answers   first answers in force; further: answers to items that somebody else had judged
    said      each answer that the person gave and how often, the most frequent first
    seconds   the median from showing an item to its answer; None where that is not known
    others    items with a class by this person and by another
    alike     the share of the others' answers to them that are the same, with its interval
    """

    name: str
    answers: int
    further: int
    said: tuple[tuple[str, int], ...]
    seconds: float | None
    others: int
    alike: Limits


@dataclass(frozen=True, slots=True)
class Pair:
    """Two people who judged the same items; kappa is Cohen's.

    where   (class by the first, class by the second, items) where they differ, most frequent first
    """

    first: str
    second: str
    items: int
    share: Limits
    kappa: Limits
    where: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class PeopleAgree(Result):
    """Agreement of people on items that several of them judged.

    Attributes
    ----------
    items
        items with a class by at least two people
    differing
        those of them with two classes
    without_class
        further answers that are no class
    waiting
        items that wait for another person
    unsettled
        items judged differently of which nobody has said yet which answer counts
    overruled
        items that two people settled in two ways; the last one counts
    share
        the share of pairs of answers to one item that are the same, 0 to 1, with its interval
    coefficients
        agreement beyond chance, at most 1, by the names in ``labelcore.stats.agreement``; what is
        undefined has a reason and no value
    pairs
        two people each, with Cohen's kappa
    people
        in the order of their first answer
    confidence
        of each interval on its own
    readers
        how many people are to judge each item
    """

    items: int
    differing: int
    without_class: int
    waiting: int
    unsettled: int
    overruled: int
    share: Limits
    coefficients: dict[str, Limits]
    pairs: tuple[Pair, ...]
    people: tuple[Person, ...]
    confidence: float
    readers: int = 2

    def to_frame(self) -> pd.DataFrame:
        """The coefficients as a table.

        Returns
        -------
        DataFrame
            A row for the share, for each coefficient and for Cohen's kappa of each two people:
            measure, people, items, value, low, high, reason.
        """
        rows = [("share", "", self.items, self.share)]
        rows += [(name, "", self.items, limits) for name, limits in self.coefficients.items()]
        for pair in self.pairs:
            rows.append(("cohen_kappa", f"{pair.first}, {pair.second}", pair.items, pair.kappa))
        return pd.DataFrame(
            [
                {
                    "measure": name,
                    "people": people,
                    "items": items,
                    "value": limits.value,
                    "low": limits.low,
                    "high": limits.high,
                    "reason": limits.reason,
                }
                for name, people, items, limits in rows
            ]
        )
