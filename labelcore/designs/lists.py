"""What a method that compares two ranked lists can do, and what it says of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from labelcore.designs.base import Design, FrameT, IntArray, Look, Setup
from labelcore.promises import Method, Promise, State
from labelcore.stats.arrays import BoolArray
from labelcore.stats.list_difference import Bounds
from labelcore.stats.profile import FloatArray

LIST_DIFFERENCE = "precision_curve_difference"


@dataclass(frozen=True, eq=False, slots=True)
class ListAnswers:
    """The answers so far in the order drawn, (n_answers,) each.

    index     the draw (1, 2, ...) of each
    position  the item
    verdict   1 positive, 0 not, NaN for unsure, broken and open items
    """

    index: IntArray
    position: IntArray
    verdict: FloatArray

    def until(self, draw: int) -> ListAnswers:
        """Those of the first ``draw`` draws."""
        kept = self.index <= draw
        return ListAnswers(self.index[kept], self.position[kept], self.verdict[kept])

    @property
    def doubtful(self) -> BoolArray:
        return np.asarray(np.isnan(self.verdict))

    @property
    def labels(self) -> int:
        """Answered items with a class."""
        return int((~self.doubtful).sum())


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """What a method says of two lists at a look.

    rank      (n_ranks,), increasing
    bounds    kind -> value, low and high; "difference", and "first" and "second" where each list's
              own precision is asked for; what is certain while there is no band
    possible  (n_ranks,), how far apart the ends of the difference were before the first label
    state, missing, promise, labels, draws, method, assumptions, notes   as in a ``Curve``
    """

    rank: IntArray
    bounds: Mapping[str, Bounds]
    possible: FloatArray
    state: State
    promise: Promise
    labels: int
    draws: int
    method: Method
    assumptions: tuple[str, ...]
    missing: str = ""
    notes: tuple[str, ...] = ()


class ComparesLists(Design[FrameT]):
    """A method that compares the ranked lists of exactly two classifiers."""

    ability: ClassVar[str] = "compare two ranked lists"

    @abstractmethod
    def compared(self, setup: Setup, frame: FrameT, answers: ListAnswers, look: Look) -> Compared:
        """What is known along the ranks of both lists."""

    @abstractmethod
    def list_half_width(self, setup: Setup, frame: FrameT, look: Look) -> float:
        """The expected half-width of the difference where its band is widest."""

    @abstractmethod
    def ranks_of(self, frame: FrameT) -> tuple[IntArray, IntArray, IntArray]:
        """The items that the method looks at, and the rank of each in either list."""

    def watched_until(self, planned: int) -> int:
        """The labels until which a watched band is."""
        return planned
