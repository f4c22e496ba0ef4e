"""Columns that say where an item belongs: groups that figures may be told by, and prompts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.text import as_text
from labelcore.stats.orders import narrow

MOST = 1_000
"""So many different values a column of groups may have; of prompts there may be any number."""
BLOCK = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A column by which items belong together.

    Attributes
    ----------
    codes
        (n_items,), index into the names, -1 where the cell is empty
    texts
        the different values in ascending order, an array of Arrow
    """

    codes: NDArray[np.signedinteger]
    texts: pa.LargeStringArray

    @property
    def names(self) -> tuple[str, ...]:
        """The different values, in ascending order."""
        return tuple(self.texts.to_pylist())

    def part(self, positions: NDArray[np.int64]) -> Group:
        """What it says of some of the items."""
        return replace(self, codes=self.codes[positions])

    def counts(self, stratum: NDArray[np.signedinteger], strata: int) -> NDArray[np.int64]:
        """How many items of each stratum have each value.

        Parameters
        ----------
        stratum
            (n_items,), that of each item
        strata
            how many there are

        Returns
        -------
        array
            (strata, n_names); items whose cell is empty are in none of them.
        """
        names = len(self.texts)
        found: NDArray[np.int64] = np.zeros(strata * (names + 1), dtype=np.int64)
        for first in range(0, len(self.codes), BLOCK):
            place = stratum[first : first + BLOCK].astype(np.int64) * (names + 1)
            place += self.codes[first : first + BLOCK] + 1
            found += np.bincount(place, minlength=len(found))
        return found.reshape(strata, names + 1)[:, 1:]


def read_group(column: pa.ChunkedArray) -> Group:
    """A column of any type; spaces around a value are no part of it."""
    texts = pc.utf8_trim_whitespace(as_text(column)).cast(pa.large_string())
    encoded = pc.dictionary_encode(texts).unify_dictionaries()
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    found = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], pa.large_string())
    order = pc.sort_indices(found).to_numpy()
    empty = int(len(found) > 0 and found[int(order[0])].as_py() == "")
    place: NDArray[np.int64] = np.empty(len(found) + 1, dtype=np.int64)
    place[order] = np.arange(len(found)) - empty
    whole = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
    return Group(narrow(place, max(len(found), 1))[whole], found.take(pa.array(order[empty:])))


def broken_group(argument: str, name: str, group: Group, items: int) -> str:
    """Why a column cannot be one of groups or of prompts, "" where it can."""
    values = len(group.texts)
    if not values:
        return f"{argument} names {name!r}, which has no value in any row"
    if argument == "groups" and values > MOST:
        return (
            f"groups names {name!r}, which has {values:,} different values; a column of groups "
            f"may have at most {MOST:,}"
        )
    if argument == "prompt" and values == items > 1:
        return (
            f"prompt names {name!r}, which has another value in each row; a column of prompts "
            "joins outputs of several systems, so that rows share them"
        )
    first = group.texts[0].as_py()
    if first[:1] in "[{" and first[-1:] in "]}":
        return (
            f"{argument} names {name!r}, which holds lists or objects; name the part of them that "
            f"is a value by its path, such as {name}[0]"
        )
    return ""
