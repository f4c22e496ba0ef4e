"""Columns that say where an item belongs: groups that figures may be told by, and prompts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.checks import number_of
from labelcore.population.text import as_text
from labelcore.stats.orders import narrow

MOST = 1_000
"""So many different values a column of groups may have; of prompts there may be any number."""
MANY, PARTS = 20, 4
"""More different numbers than so many are cut into so many ranges, dates into months."""
CODE = re.compile(r"[+-]?0\d")
DATE = re.compile(r"(\d{4}-\d{2})-\d{2}([T ].*)?")
BLOCK = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A column by which items belong together.

    Attributes
    ----------
    codes
        (n_items,), index into the names, -1 where the cell is empty
    texts
        the different values, or the ranges of numbers, in ascending order, an array of Arrow
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
        sums: NDArray[np.int64] = np.zeros(strata * (names + 1), dtype=np.int64)
        for first in range(0, len(self.codes), BLOCK):
            place = stratum[first : first + BLOCK].astype(np.int64) * (names + 1)
            place += self.codes[first : first + BLOCK] + 1
            sums += np.bincount(place, minlength=len(sums))
        return sums.reshape(strata, names + 1)[:, 1:]


def read_group(column: pa.ChunkedArray) -> Group:
    """A column of any type; spaces around a value are no part of it."""
    texts = pc.utf8_trim_whitespace(as_text(column)).cast(pa.large_string())
    encoded = pc.dictionary_encode(texts).unify_dictionaries()
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    values = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], pa.large_string())
    order = pc.sort_indices(values).to_numpy()
    empty = int(len(values) > 0 and values[int(order[0])].as_py() == "")
    place: NDArray[np.int64] = np.empty(len(values) + 1, dtype=np.int64)
    place[order] = np.arange(len(values)) - empty
    whole = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
    return Group(narrow(place, max(len(values), 1))[whole], values.take(pa.array(order[empty:])))


def cut_group(group: Group, edges: Sequence[float] = (), decimal: str = ".") -> Group:
    """Numbers by ranges that end before each of ``edges``, without these at their quartiles; dates
    by month. Other columns, those of codes such as 0815, and those of few values, as they are.

    Raises ValueError with the first value that is no number where there are edges.
    """
    names = group.names
    if not edges and len(names) <= MANY:
        return group
    numbers = [_number(name, decimal) for name in names]
    if edges and None in numbers:
        raise ValueError(names[numbers.index(None)])
    if None not in numbers:
        values = np.array(numbers, dtype=float)
        ends = list(edges) or _quartiles(group, values)
        return _joined(group, np.searchsorted(ends, values, side="right"), _ranges(ends))
    months = [match[1] for match in map(DATE.fullmatch, names) if match]
    if len(months) < len(names):
        return group
    kept = sorted({*months})
    return _joined(group, np.array([kept.index(month) for month in months]), kept)


def may_be_cut(values: Collection[str], decimal: str = ".") -> bool:
    """Whether a column of these values is one of numbers or dates, which ``cut_group`` cuts.

    >>> may_be_cut(["3", "-1.5"]), may_be_cut(["2026-01-05"]), may_be_cut(["3", "x"])
    (True, True, False)
    """
    numbers = all(_number(value, decimal) is not None for value in values)
    return bool(values) and (numbers or all(map(DATE.fullmatch, values)))


def _number(text: str, decimal: str) -> float | None:
    number = number_of(text, decimal)
    return number if np.isfinite(number) and not CODE.match(text) else None


def _quartiles(group: Group, values: NDArray[np.float64]) -> list[float]:
    """Three values that part the items as evenly as can be, to two digits if they then still do."""
    order = np.argsort(values)
    counts = np.bincount(group.codes[group.codes >= 0], minlength=len(values))[order]
    share = np.cumsum(counts) / counts.sum()
    cuts = values[order][np.searchsorted(share, np.arange(1, PARTS) / PARTS)]
    short = np.array([float(f"{cut:.2g}") for cut in cuts])
    apart = bool((np.diff(short) > 0).all()) and short[0] > values.min() < values.max() >= short[-1]
    return [float(cut) for cut in (short if apart else np.unique(cuts[cuts > values.min()]))]


def _ranges(ends: Sequence[float]) -> list[str]:
    """
    >>> _ranges([100.0, 1500.0]), _ranges([1700000068.5, 1700000138.5])[1]
    (['under 100', '100 to 1,500', '1,500 or more'], '1700000068.5 to 1700000138.5')
    >>> _ranges([1700010.5])[0]
    'under 1700010.5'
    """
    for digits in (6, 15, 17):
        texts = [f"{end:,.0f}" if end == round(end) else f"{end:.{digits}g}" for end in ends]
        if len({*texts}) == len(texts) and "e+" not in "".join(texts):
            break
    inner = [f"{low} to {high}" for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *inner, f"{texts[-1]} or more"] if texts else ["all"]


def _joined(group: Group, place: NDArray[np.int64], names: Sequence[str]) -> Group:
    """A group of groups: ``place`` is where in ``names`` each one belongs; those that are there."""
    there = np.unique(place)
    of_name = np.append(np.searchsorted(there, place), -1)
    texts = pa.array([names[place] for place in there.tolist()], pa.large_string())
    return Group(narrow(of_name, max(len(there), 1))[group.codes], texts)


def broken_group(argument: str, name: str, group: Group, items: int) -> str:
    """Why a column cannot be one of groups or of prompts, "" where it can."""
    values = len(group.texts)
    if not values:
        return f"{argument} names {name!r}, which has no value in any row"
    if argument == "groups" and values > MOST:
        return (
            f"groups names {name!r}, which has {values:,} different values; a column of groups "
            f"may have at most {MOST:,}, unless all are numbers or dates"
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
