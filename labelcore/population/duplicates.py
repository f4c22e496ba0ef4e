"""Rows with the same content, found by hashes so that no text is kept."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.population.text import Columns, as_text

MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Rows whose content stands in an earlier row too.

    count     number of these rows
    examples  (row, the first row with this content) of the first of them, counted from 1

    Contents are told apart by a 64-bit hash: in a million rows two different ones are taken for
    the same with a chance of 3e-8.
    """

    count: int
    examples: tuple[tuple[int, int], ...]


def find_duplicates(batches: Iterable[Columns]) -> Duplicates:
    """From batches of the content columns; 24 bytes a row are held."""
    hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *map(_hashes, batches)])
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else order
    firsts = np.repeat(order[starts], np.diff(np.r_[starts, len(order)]))
    later = np.flatnonzero(order != firsts)
    shown = later[np.argsort(order[later])][:MOST_SHOWN]
    pairs = zip(order[shown].tolist(), firsts[shown].tolist(), strict=True)
    return Duplicates(len(later), tuple((row + 1, first + 1) for row, first in pairs))


def _hashes(columns: Columns) -> NDArray[np.uint64]:
    """(n_rows,) hashes of the columns together, the same in every process."""
    frame = pd.DataFrame(
        {
            str(place): np.array(as_text(column).to_pylist(), dtype=object)
            for place, column in enumerate(columns.values())
        }
    )
    return np.asarray(pd.util.hash_pandas_object(frame, index=False, categorize=False))
