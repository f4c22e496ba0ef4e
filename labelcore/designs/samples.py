"""Which labels are a random sample of which part of the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.profile import BoolArray

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Samples:
    """Parts of a file, and the items whose labels are, given their number, a random sample of each.

    part     (n_items,), the part that each item belongs to, 0, 1, ...
    member   (n_items,), whether the item's label is one of its part's sample; labels of other items
             were asked for something else, and say nothing of the part as long as it has items
             without a label
    """

    part: IntArray
    member: BoolArray

    def counting(self, known: BoolArray) -> BoolArray:
        """The labels that count: those of the samples, and all of a part in which every item has
        one; ``known`` is (n_items,)."""
        left = np.bincount(self.part, ~known)
        return np.asarray(known & (self.member | (left == 0)[self.part]))
