"""How far the labelling is, as a method may see it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from labelcore.stats.arrays import IntArray as IntArray
from labelcore.stats.profile import FloatArray

NO_ANSWER, UNDECIDED, OPEN = -1, -2, -3
"""Codes of items without a class: never drawn, unsure or broken, drawn and still open."""


class AnswerCodes:
    """The class index of each answered item, UNDECIDED or OPEN of one that was drawn, NO_ANSWER of
    any other: memory and time go by what was drawn, however large the file is.

    changes   how often the code of an item that was answered became another one
    """

    def __init__(self) -> None:
        self._code: dict[int, int] = {}
        self.changes = 0

    def __getitem__(self, positions: Any) -> Any:
        """The code of one item, or of several in the shape of ``positions``."""
        asked = np.asarray(positions)
        if not asked.ndim:
            return self._code.get(int(asked), NO_ANSWER)
        codes = map(self._code.get, asked.reshape(-1).tolist(), repeat(NO_ANSWER))
        return np.fromiter(codes, np.int64, asked.size).reshape(asked.shape)

    def __setitem__(self, positions: Any, codes: Any) -> None:
        if isinstance(positions, int):
            self.changes += self._code.get(positions, OPEN) not in (OPEN, codes)
            self._code[positions] = int(codes)
            return
        asked = np.asarray(positions)
        each = np.broadcast_to(np.asarray(codes, dtype=np.int64), asked.shape).reshape(-1)
        new = dict(zip(asked.reshape(-1).tolist(), each.tolist(), strict=True))
        if not self._code.keys().isdisjoint(new):
            before = ((self._code.get(position, OPEN), code) for position, code in new.items())
            self.changes += sum(old not in (OPEN, code) for old, code in before)
        self._code.update(new)

    @property
    def positions(self) -> IntArray:
        """The items that have a code, (n,), in the order in which they got one first."""
        return np.fromiter(self._code, np.int64, len(self._code))

    @property
    def labelled(self) -> IntArray:
        """The items that have a class, (n_labelled,), in that order."""
        there = self.positions
        return np.asarray(there[self[there] > NO_ANSWER])

    def of_all(self, number: int) -> IntArray:
        """The codes of all ``number`` items of the file, (n_items,)."""
        codes = np.full(number, NO_ANSWER, dtype=np.int64)
        there = self.positions
        codes[there] = self[there]
        return codes

    def copy(self) -> AnswerCodes:
        """The same codes, to be changed apart."""
        other = AnswerCodes()
        other._code, other.changes = self._code.copy(), self.changes
        return other


@dataclass(frozen=True, eq=False, slots=True)
class Progress:
    """What a method may look at when it chooses a batch, arrays (n_strata,).

    drawn      items drawn so far
    labelled   items with a class, positive: of these positive (rightly judged with several classes)
    limit      the most items that may be drawn in all
    right      labelled items that the first classifier judges rightly
    codes      of the items drawn so far
    asked      (n_drawn,), the items drawn, in that order
    memory     what the method keeps from one call to the next to save time; nothing depends on it
    sought     (items drawn, required precision) of each further choice that labels are asked for
    """

    drawn: IntArray
    labelled: FloatArray
    positive: FloatArray
    limit: int
    right: FloatArray | None = None
    codes: AnswerCodes | None = None
    asked: IntArray | None = None
    memory: dict[Hashable, Any] = field(default_factory=dict)
    sought: tuple[tuple[int, float], ...] = ()
