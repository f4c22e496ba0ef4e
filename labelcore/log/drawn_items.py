"""The items that a session drew, in the order drawn."""

from __future__ import annotations

import numpy as np

from labelcore.designs.base import OPEN, IntArray
from labelcore.log.ranked_items import Along


class DrawnItems:
    """Position, stratum, code and rank of each item drawn, in the order drawn.

    A code is the index of the class in force, UNDECIDED or OPEN. Ranks are looked up once, when
    they are asked for first.
    """

    def __init__(self) -> None:
        self._rows: IntArray = np.empty((4, 0), dtype=np.int64)
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def append(self, positions: IntArray, strata: IntArray, code: int | IntArray = OPEN) -> None:
        start, end = self._number, self._number + len(positions)
        if end > self._rows.shape[1]:
            more = np.zeros((4, 2 * end), dtype=np.int64)
            more[:, :start] = self._rows[:, :start]
            self._rows = more
        self._rows[0, start:end], self._rows[1, start:end] = positions, strata
        self._rows[2, start:end] = code
        self._number = end

    def put(self, index: int, code: int) -> None:
        """The code of draw ``index`` (1, 2, ...) from now on."""
        self._rows[2, index - 1] = code

    @property
    def position(self) -> IntArray:
        """(n_drawn,)."""
        return self._rows[0, : self._number]

    @property
    def stratum(self) -> IntArray:
        """(n_drawn,)."""
        return self._rows[1, : self._number]

    @property
    def code(self) -> IntArray:
        """(n_drawn,)."""
        return self._rows[2, : self._number]

    def rank(self, along: Along) -> IntArray:
        """(n_drawn,), 1 for the item with the highest score."""
        ranks = self._rows[3, : self._number]
        new = np.flatnonzero(ranks == 0)
        if len(new):
            ranks[new] = along[self.position[new]]
        return ranks

    def copy(self) -> DrawnItems:
        """The same items, to be changed apart."""
        other = DrawnItems()
        other._rows, other._number = self._rows.copy(), self._number
        return other
