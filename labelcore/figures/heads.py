"""The first items that a ranked list is told by."""

from __future__ import annotations

from labelcore.figures.cuts import own_cut, ranks_that_matter, told_rank
from labelcore.population import Population
from labelcore.results.curves import Band


def landmark_name(rank: int, n_items: int, own: int | None) -> str:
    """
    >>> landmark_name(100, 4000, 151), landmark_name(151, 4000, 151), landmark_name(50, 50, None)
    ('First 100', 'Own cut, 151', 'All 50')
    """
    if rank == own:
        return f"Own cut, {rank:,}"
    return f"All {rank:,}" if rank == n_items else f"First {rank:,}"


def heads_of(
    population: Population, band: Band, wanted: object, most: int
) -> tuple[dict[str, int], str]:
    """{name: rank} of at most so many first items, and the name of those that are told first.

    They are what a person ``wanted``, else ``ranks_that_matter``, as far as the bounds of ``band``
    go, and where these end before the last item the last that they reach: the longest, and what is
    told, which is the own cut if it is among them, else the last.
    """
    items, name = len(population), band.scope.classifier
    listed = wanted if isinstance(wanted, list) else []
    ranks = sorted({rank for rank in listed if type(rank) is int and 1 <= rank <= items})
    ranks = ranks or ranks_that_matter(population, name)
    reached = int(band.x[-1]) if band.has_interval and len(band.x) else items
    if reached < items:
        ranks = [*(rank for rank in ranks if rank < reached), reached]
    usual, own = told_rank(population, name), own_cut(population, name)
    told = usual if usual in ranks else ranks[-1]
    longest = [rank for rank in ranks if rank != told][max(len(ranks) - most, 0) :]
    names = {landmark_name(rank, items, own): rank for rank in sorted([told, *longest])}
    return names, landmark_name(told, items, own)
