"""Which item is drawn next for several candidates: pooled or in turn, with or without replacement.

Source: Bennett, Chickering, Meek and Zhu (2017), section 4: algorithm 2 and the round robin.
"""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


class ReachDraws:
    """A sequence of draws that was fixed before the first label, but for the active candidates.

    Pooled: each draw is uniform over the items that an active candidate calls positive, and counts
    for every active candidate that does. In turn: the active candidates take turns, and a draw is
    uniform over the items of the one whose turn it is, and counts for it alone.

    Assumption: ``order`` is a random permutation, ``words`` are random, and neither depends on a
    label. Then the draws that count for a candidate are, as long as it is active, a uniform sample
    of its items, whatever becomes of the others. Once it is not, they are not: only items shared
    with an active candidate would come. One that is active again goes on where it was left: without
    replacement the items passed over meanwhile come first, those that others were drawn for among
    them, so that its items come in the order of the permutation as if it had never been out.

    member   (n_items, m), whether the candidate calls the item positive, each item by one at least
    order    (n_items,), the permutation along which items are drawn without replacement
    words    (T,) numbers of 64 bits, one per draw, for draws with replacement; None: without
    Raises   ValueError for shapes that do not fit.
    """

    def __init__(
        self,
        member: BoolArray,
        order: IntArray,
        words: NDArray[np.uint64] | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        if member.ndim != 2 or len(order) != len(member):
            raise ValueError(
                f"order must hold one place for each row of member, got shapes {order.shape} "
                f"and {member.shape}"
            )
        self._along, self._order, self._words = member[order], order, words
        self._in_turn, self._number, self._turn = in_turn, 0, -1
        self._reached = np.full(member.shape[1], -1)
        self._pooled_for = b""
        candidates = range(member.shape[1]) if in_turn else ()
        self._pools: list[IntArray] = [np.flatnonzero(self._along[:, one]) for one in candidates]
        self._places = [0] * len(self._pools)

    def draw(self, active: BoolArray) -> tuple[int, IntArray] | None:
        """The next item and the candidates that it counts for; None when there is none left.

        active   (m,), the candidates still drawn for
        """
        if not active.any():
            return None
        found = self._next_in_turn(active) if self._in_turn else self._next_pooled(active)
        self._number += found is not None
        return found

    def copy(self) -> Self:
        """The same sequence at the same place, going on by itself."""
        other = copy(self)
        other._pools, other._places = list(self._pools), list(self._places)
        other._reached = self._reached.copy()
        return other

    def _next_pooled(self, active: BoolArray) -> tuple[int, IntArray] | None:
        if self._pooled_for != active.tobytes():
            start = int(self._reached[active].min()) + 1
            due = np.arange(start, len(self._order))[:, None] > self._reached
            called = (self._along[start:] & active & due).any(axis=1)
            self._pools = [start + np.flatnonzero(called)]
            self._places, self._pooled_for = [0], active.tobytes()
        rank = self._from_pool(0)
        if rank is None:
            return None
        counts = self._along[rank] & active & (rank > self._reached)
        if self._words is None:
            self._reached[active] = np.maximum(self._reached[active], rank)
        return int(self._order[rank]), np.flatnonzero(counts)

    def _next_in_turn(self, active: BoolArray) -> tuple[int, IntArray] | None:
        """The turn passes over a candidate all of whose items were drawn."""
        count = len(active)
        for one in ((self._turn + 1 + step) % count for step in range(count)):
            rank = self._from_pool(one) if active[one] else None
            if rank is not None:
                self._turn = one
                return int(self._order[rank]), np.array([one])
        return None

    def _from_pool(self, pool: int) -> int | None:
        """The next place along ``order`` among those of a pool, None when there is none left."""
        ranks = self._pools[pool]
        if self._words is not None:
            if self._number >= len(self._words):
                return None
            return int(ranks[(int(self._words[self._number]) * len(ranks)) >> 64])
        place = self._places[pool]
        if place >= len(ranks):
            return None
        self._places[pool] = place + 1
        return int(ranks[place])
