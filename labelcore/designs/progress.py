"""How far the labelling is, as a method may see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.stats.profile import FloatArray

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Progress:
    """What a method may look at when it chooses a batch, arrays (n_strata,).

    drawn      items drawn so far
    labelled   items with a class, positive: of these positive (rightly judged with several classes)
    limit      the most items that may be drawn in all
    right      labelled items that the first classifier judges rightly
    codes      (n_items,), class index of each answered item, NO_ANSWER, UNDECIDED or OPEN elsewhere
    asked      (n_drawn,), the items drawn, in that order
    memory     what the method keeps from one call to the next to save time; nothing depends on it
    """

    drawn: IntArray
    labelled: FloatArray
    positive: FloatArray
    limit: int
    right: FloatArray | None = None
    codes: IntArray | None = None
    asked: IntArray | None = None
    memory: dict[int, Any] = field(default_factory=dict)
