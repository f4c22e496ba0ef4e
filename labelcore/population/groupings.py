"""The groups of items that a plan asks for: each by itself, and small ones together as others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from labelcore.errors import ArgumentError, did_you_mean
from labelcore.population.groups import Group
from labelcore.population.population import Population
from labelcore.stats.orders import narrow

FEWEST, LABELS_EACH = 50, 40
"""Items that a group has at the least that is asked by itself, and labels planned for each."""
EMPTY, OTHER, CROSS = "(empty)", "other", " × "


@dataclass(frozen=True, eq=False, slots=True)
class Grouping:
    """The items by the groups that are asked.

    by      the columns, one or two that are crossed
    names   of the groups asked, the largest first; last, where there are such, the others as one
    codes   (n_items,), the group of each item
    sizes   (n_groups,), the items of each
    joined  how many groups the last one joins; 0 where none is joined
    """

    by: tuple[str, ...]
    names: tuple[str, ...]
    codes: NDArray[np.signedinteger] = field(repr=False)
    sizes: NDArray[np.int64]
    joined: int = 0

    def part(self, positions: NDArray[np.int64]) -> Grouping:
        """The same groups of some of the items."""
        codes = self.codes[positions]
        sizes = np.bincount(codes, minlength=len(self.names)).astype(np.int64)
        return replace(self, codes=codes, sizes=sizes)

    def members(self, group: int) -> NDArray[np.int64]:
        return np.flatnonzero(self.codes == group)

    @property
    def asked(self) -> tuple[str, ...]:
        """The groups that are asked by themselves."""
        return self.names[: len(self.names) - bool(self.joined)]

    @property
    def label(self) -> str:
        """The column, or both, as results name it."""
        return CROSS.join(self.by)


def grouping_of(
    population: Population,
    by: Sequence[str],
    *,
    planned: int | None = None,
    asked: Sequence[str] | None = None,
) -> Grouping:
    """The groups of one column, or of two crossed; an empty cell is a group of its own.

    asked     the groups that are asked; None: as many as ``planned`` labels can serve, without
              either all. The others are joined as one
    planned   of fewer than ``FEWEST`` items none is asked, and of the others the largest, one for
              each ``LABELS_EACH`` labels

    Raises ArgumentError for a column that is none of groups, or a group that it lacks.
    """
    for name in by:
        if name not in population.groups:
            known, near = ", ".join(population.groups), did_you_mean(name, population.groups)
            which = (
                f"the columns that figures may be told by are {known}{near}"
                if known
                else "the items were read without any, as groups (--groups) would name them"
            )
            raise ArgumentError("by", f"names {name!r}, which is no column of groups; {which}")
    codes, names = _crossed(population, by)
    sizes = np.bincount(codes, minlength=len(names))
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    present = [names[place] for place in order.tolist()]
    if asked is None:
        asked = present if planned is None else _served(present, sizes[order], planned)
    for name in asked:
        if name not in present:
            near = did_you_mean(name, present)
            raise ArgumentError("groups", f"names {name!r}, which {CROSS.join(by)!r} lacks{near}")
    kept = [name for name in present if name in set(asked)]
    joined = len(present) - len(kept)
    place = dict(zip(kept, range(len(kept)), strict=True))
    of_name = np.array([place.get(name, len(kept)) for name in names], dtype=np.int64)
    if joined:
        kept.append(OTHER if OTHER not in kept else f"{OTHER} groups")
    of_item = narrow(of_name, max(len(kept), 1))[codes]
    counts = np.bincount(of_item, minlength=len(kept)).astype(np.int64)
    return Grouping(tuple(by), tuple(kept), of_item, counts, joined)


def may_be_asked(group: Group) -> bool:
    """Whether at least two groups of a column are large enough for labels of their own."""
    sizes = np.bincount(group.codes[group.codes >= 0])
    return int(np.count_nonzero(sizes >= FEWEST)) > 1


def _served(names: Sequence[str], sizes: NDArray[np.int64], planned: int) -> Sequence[str]:
    """The largest groups that so many labels can serve; a last one would stand as others alone."""
    most = max(planned // LABELS_EACH, 1)
    asked = min(int((sizes >= FEWEST).sum()), most)
    return names[: asked + 1] if asked + 1 == len(names) <= most else names[:asked]


def _crossed(population: Population, by: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    """The group of each item, (n_items,), and what each is called."""
    together = np.zeros(len(population), dtype=np.int64)
    names = [""]
    for at, column in enumerate(by):
        group = population.groups[column]
        texts = [EMPTY if EMPTY not in group.names else "(no value)", *group.names]
        together = together * len(texts) + (group.codes.astype(np.int64) + 1)
        names = texts if at == 0 else [f"{name}{CROSS}{other}" for name in names for other in texts]
    return together, names
