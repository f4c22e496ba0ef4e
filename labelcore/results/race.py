"""Two classifiers as a race: which of them was right where they disagree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Race:
    """The items of a file on which two classifiers disagree, and those of them that have a label.

    first, second  the classifiers
    items, differ  of the file, and on which the two disagree
    labels         (n_answered,), the labels that there were at each answer to one of these
    won            (n_answered,), whether the first one was right there
    alone          whether no other item is asked before them
    only           whether no other item is asked at all
    """

    first: str
    second: str
    items: int
    differ: int
    labels: FloatArray
    won: NDArray[np.bool_]
    alone: bool = True
    only: bool = True

    @property
    def wins(self) -> tuple[int, int]:
        """How often each of the two was right."""
        first = int(self.won.sum())
        return first, len(self.won) - first

    @property
    def open(self) -> int:
        """Disagreements without an answer."""
        return self.differ - len(self.won)

    @property
    def lead(self) -> int:
        """How often the first one was right more often than the second."""
        first, second = self.wins
        return first - second

    @property
    def leader(self) -> str:
        """Who was right more often; "" while they are level."""
        return self.first if self.lead > 0 else self.second if self.lead < 0 else ""

    def settles(self) -> int:
        """How many of the open ones settle it if the leader is right there, 0 where it is settled.

        Where the two are level that is of either.

        >>> Race("a", "b", 6997, 56, np.arange(38.0), np.arange(38) < 26).settles()
        3
        """
        return max((self.open - abs(self.lead)) // 2 + 1, 0) if self.open else 0

    def course(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Labels from 0 on, and between which differences in accuracy the true one lies for certain
        there, (n_answered + 1,) each."""
        done = np.arange(len(self.won) + 1)
        lead = np.append(0, np.cumsum(np.where(self.won, 1, -1)))
        left = self.differ - done
        labels = np.append(0.0, self.labels)
        return labels, (lead - left) / self.items, (lead + left) / self.items

    def expected(self, value: float, low: float, high: float) -> int:
        """About how many of the open ones decide it if it goes on as it has: all of them where
        fewer may not. 0 where the interval or what is certain names one already.

        Forecast, no promise: the interval narrows as that of so many draws from all of these does,
        and the leader goes on to be right as often as it was.

        >>> race = Race("a", "b", 6997, 56, np.arange(20.0), np.arange(20) < 14)
        >>> race.expected(8 / 20 * 56 / 6997, -0.001, 0.007)
        8
        """
        if low > 0 or high < 0 or not self.settles():
            return 0
        answered, most = len(self.won), self.open
        share = (max(self.wins) + 0.5) / (answered + 1)
        certain = int((most - abs(self.lead)) / (2 * share)) + 1
        reach = value - low if value > 0 else high - value
        if not value or not answered or reach <= 0:
            return min(certain, most)
        left = (1 / answered - 1 / self.differ) * (value / max(reach, abs(value))) ** 2
        drawn = int(np.ceil(1 / (left + 1 / self.differ))) - answered
        return max(min(certain, drawn, most), 1)
