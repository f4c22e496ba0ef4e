"""What is learned of the items before any label, and kept with a population."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """What the items say, as numbers.

    values    (n_items, n_features), in file order; texts and embeddings as directions of unit
              rows, centred and times 4, everything else between about -1 and 1. Not to be changed
    columns   those that they are made from
    hash      SHA-256 of ``values``, hexadecimal; notes: a clause on each column that says nothing
    """

    values: NDArray[np.float32]
    columns: tuple[str, ...]
    hash: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Opinion:
    """What a model says that learned a classifier's predictions from the content of items.

    score    (n_items,), larger for more positive; constant where it says nothing
    hash     SHA-256 of it, "" where it says nothing
    columns  that it learned from; notes: a clause on each that says nothing
    """

    score: NDArray[np.float32]
    hash: str
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
