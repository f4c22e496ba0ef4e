"""A selection that keeps up with labels that come, are corrected and are taken back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelcore.papers.reach_selection.draws import IntArray
from labelcore.papers.reach_selection.selection import ReachSelection

APART = 200
"""Draws between the places from which a corrected run goes on."""


class ReachFollower:
    """The selection that given verdicts lead to, without drawing everything again each time.

    The result depends on the verdicts alone. Memory of earlier calls only saves time: a run goes
    on from the last place kept at which all verdicts were what they are now.

    begin   makes the selection before its first draw
    """

    def __init__(self, begin: Callable[[], ReachSelection]) -> None:
        self._run = begin()
        self._kept = [self._run.copy()]
        self._items, self._taken = np.zeros((2, self._run.budget), dtype=np.int64)
        self._state: object = None

    def follow(
        self, verdicts: Callable[[IntArray], IntArray], state: object = None
    ) -> ReachSelection:
        """As far as the verdicts go in the order of draws; not to be changed by the caller.

        verdicts   (k,) items -> (k,) NO, YES or DOUBTFUL, -1 where there is none
        state      equal to that of the call before where no verdict changed since, though others
                   may have come; None: nobody knows
        """
        if state is None or state != self._state:
            self._back_to(self._agreed(verdicts))
        self._state = state
        while self._run.item is not None:
            place = self._run.made
            self._items[place] = self._run.item
            verdict = int(verdicts(self._items[place : place + 1])[0])
            if verdict < 0:
                break
            self._taken[place] = verdict
            self._run.take(verdict)
            if self._run.made % APART == 0:
                self._kept.append(self._run.copy())
        return self._run

    def _agreed(self, verdicts: Callable[[IntArray], IntArray]) -> int:
        """The number of draws up to which the verdicts are those taken."""
        made = self._run.made
        changed = np.flatnonzero(verdicts(self._items[:made]) != self._taken[:made])
        return int(changed[0]) if len(changed) else made

    def _back_to(self, draws: int) -> None:
        """At most so many draws are kept."""
        if draws < self._run.made:
            self._kept = self._kept[: draws // APART + 1]
            self._run = self._kept[-1].copy()
