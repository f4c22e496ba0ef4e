"""The first items that a ranked list is told by."""

from labelcore.estimands import SUMMARIES
from labelcore.figures.current import FiguresNow
from labelcore.figures.curves import band
from labelcore.figures.cuts import own_cut, ranks_that_matter, told_rank
from labelcore.results.look import HeadBands


def landmark_name(rank: int, n_items: int, own: int | None) -> str:
    """
    >>> landmark_name(100, 4000, 151), landmark_name(151, 4000, 151), landmark_name(50, 50, None)
    ('First 100', 'Own cut, 151', 'All 50')
    """
    if rank == own:
        return f"Own cut, {rank:,}"
    return f"All {rank:,}" if rank == n_items else f"First {rank:,}"


def heads_of(figures: FiguresNow, wanted: object) -> HeadBands:
    """The precision of as many first items as a person ``wanted``, else of ``ranks_that_matter``;
    where the bounds end before the last item, of those within them and of all that they reach.
    Told is the own cut if it is among these, else the last."""
    engine, population = figures.engine, figures.engine.population
    items, name = len(population), engine.classifiers[0]
    listed = wanted if isinstance(wanted, list) else []
    ranks = sorted({rank for rank in listed if type(rank) is int and 1 <= rank <= items})
    ranks = ranks or ranks_that_matter(population, name)
    usual, own = told_rank(population, name), own_cut(population, name)
    along = band(engine, figures.curve(), "precision")
    reached = int(along.x[-1]) if along.has_interval and len(along.x) else items
    if reached < items:
        ranks = [*(rank for rank in ranks if rank < reached), reached]
    told = landmark_name(usual if usual in ranks else ranks[-1], items, own)
    names = {landmark_name(rank, items, own): rank for rank in ranks}
    cuts = figures.cuts(ranks) if along.has_interval else []
    known = [cut.readings.get("precision") for cut in cuts] or [None] * len(ranks)
    first = engine.plan.estimands[0] not in SUMMARIES
    return HeadBands(names, dict(zip(names, known, strict=True)), told, along.missing, first)
