"""The list that a session's curve is about: ranks of its items, scores at its ranks.

Each is asked of the items once: what a pass over all of them tells is kept for the items and ranks
that were asked for, and nothing of the size of the file is made.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray, Setup, whole_list
from labelcore.stats.profile import FloatArray


class Along:
    """The items of a setup from the highest score of its first classifier to the lowest.

    coming   items that are likely to be asked for next, which the same pass can look up
    grid     ranks of which the same holds

    Raises PlanError where the classifier has no score.
    """

    def __init__(
        self, setup: Setup, coming: Callable[[], IntArray], grid: Callable[[], IntArray]
    ) -> None:
        self._items, self._whole = setup.items(), whole_list(setup)
        self._coming, self._grid = coming, grid
        self._ranks: dict[int, int] = {}
        self._scores: dict[int, float] = {}
        self._levels: dict[float, tuple[int, int]] = {}

    def __getitem__(self, positions: Any) -> Any:
        """The ranks 1, 2, ... of the items at these positions."""
        asked = np.asarray(positions, dtype=np.int64)
        flat = asked.reshape(-1).tolist()
        if any(position not in self._ranks for position in flat):
            wanted = {*flat, *self._coming().tolist()} - self._ranks.keys()
            missing = np.array(sorted(wanted), dtype=np.int64)
            ranks = self._items.ranks(self._whole, missing)
            self._ranks.update(zip(missing.tolist(), ranks.tolist(), strict=True))
        asked_ranks = np.array([self._ranks[position] for position in flat], dtype=np.int64)
        return asked_ranks.reshape(asked.shape)[()]

    def scores(self, ranks: Iterable[int] | IntArray) -> FloatArray:
        """The scores of the items at these ranks, as in the file, (n,)."""
        asked = [int(rank) for rank in ranks]
        missing = sorted({*asked} - self._scores.keys())
        if missing:
            missing = sorted({*missing, *self._grid().tolist()} - self._scores.keys())
        if missing:
            scores = self._items.scores_at(self._whole, missing)
            self._scores.update(zip(missing, scores.tolist(), strict=True))
        return np.array([self._scores[rank] for rank in asked])

    def levels(self, scores: Iterable[float]) -> list[tuple[int, int]]:
        """How many items are better than each of these scores, and how many at least as good."""
        asked = [float(score) for score in scores]
        missing = sorted({*asked} - self._levels.keys())
        if missing:
            edges = np.unique([*missing, *np.nextafter(missing, np.inf)])
            counted = self._items.histogram(str(self._whole.score), edges, {})
            until = np.append(0, np.cumsum(counted))
            for score in missing:
                below = int(until[np.searchsorted(edges, score) + 1])
                upto = int(until[np.searchsorted(edges, np.nextafter(score, np.inf)) + 1])
                every = int(until[-1])
                falling = self._whole.falling
                self._levels[score] = (every - upto, every - below) if falling else (below, upto)
        return [self._levels[score] for score in asked]
