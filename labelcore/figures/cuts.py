"""Cutting a ranked list: what keeping the first items means, and where a required precision ends.

A place that was chosen after seeing the labels is only covered by bounds that hold for all ranks
together, so the searches need a method with such bounds.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from labelcore.designs.curves import Curve
from labelcore.errors import whole_number
from labelcore.figures.curves import band, ranked_curve, whole_curve
from labelcore.log.engine import Engine
from labelcore.population import Population
from labelcore.promises import State
from labelcore.results.curves import CheapestCut, Cut
from labelcore.stats import curve_readings

SHOWN = ("precision", "recall", "yield", "f1")
NO_BOUNDS = (
    "the method {name!r} cannot search for the best rank: its bounds hold at one rank at a time. "
    "Choose a method for ranked lists, such as 'Geometric strata'"
)


def cut_at(engine: Engine, rank: int) -> Cut:
    """The first ``rank`` items. Raises ValueError for a rank outside 1 to N or without a score."""
    return cuts_at(engine, [rank])[0]


def cuts_at(engine: Engine, ranks: Sequence[int]) -> list[Cut]:
    """``cut_at`` of several ranks, from one curve."""
    n_items = len(engine.population)
    for rank in ranks:
        check_rank(rank, n_items)
    curve = ranked_curve(engine, np.unique(np.array([*ranks, n_items], dtype=np.int64)))
    names = [name for name in SHOWN if name in curve.names and len(curve.rank)]
    bands = {name: band(engine, curve, name) for name in names}
    scores = engine.rank_of.scores(ranks)
    levels = engine.rank_of.levels(scores)
    cuts = []
    for rank, score, (better, until) in zip(ranks, scores.tolist(), levels, strict=True):
        place = np.flatnonzero(curve.rank == rank)
        readings = {
            name: whole.part(slice(place[0], place[0] + 1))
            for name, whole in bands.items()
            if len(place)
        }
        cuts.append(Cut(int(rank), n_items, score, (better + 1, until), readings))
    return cuts


RANKS, USUAL_RANK = (10, 100, 1_000), 100
"""How many first items people ask about, beside those that a classifier calls positive."""


def ranks_that_matter(population: Population, classifier: str | None) -> list[int]:
    """The ranks that a ranked list is told by, increasing: ``RANKS`` as far as it goes, and the
    classifier's own cut."""
    n_items, place = len(population), own_cut(population, classifier)
    ranks = {rank for rank in RANKS if rank <= n_items} | ({place} if place else set())
    return sorted(ranks or {n_items})


def told_rank(population: Population, classifier: str | None) -> int:
    """How many first items a ranked list is told by in one sentence: those that the classifier
    calls positive itself, else 100, or fewer of those that matter."""
    matter = ranks_that_matter(population, classifier)
    return own_cut(population, classifier) or min(USUAL_RANK, matter[-1])


def own_cut(population: Population, classifier: str | None) -> int | None:
    """How many items of the list a classifier calls positive itself; None where it calls none so,
    or others than the first ones by score: of equal scores, which the list orders by chance, it
    calls all so or none."""
    called = population.predictions.get(classifier or "")
    score = population.scores.get(classifier or "")
    if called is None or score is None or len(population.classes) > 2:
        return None
    turned = -score if classifier in population.descending else score
    positive = called == population.classes.index(population.positive)
    if positive.all() or not positive.any() or turned[positive].min() <= turned[~positive].max():
        return None
    return int(np.count_nonzero(positive))


def check_rank(rank: object, n_items: int) -> None:
    """Raises TypeError or ValueError unless it is one of the ranks of so many items."""
    if not 1 <= whole_number("rank", rank) <= n_items:
        raise ValueError(f"rank must lie between 1 and {n_items:,}, got {rank!r}")


def rank_of_score(engine: Engine, score: float) -> int:
    """How many items have ``score`` or a better one; 0 for none. Raises ValueError without a
    score."""
    return engine.rank_of.levels([score])[0][1]


def deepest_cut(
    engine: Engine, precision: float, at_most: int | None = None, whole: Curve | None = None
) -> Cut | None:
    """The longest head of the list, of ``at_most`` so many items, of which at least ``precision``
    are positive by the bounds; None where there is none. Raises ValueError where the bounds do not
    hold for all ranks.

    whole   ``whole_curve`` now, where that is at hand
    """
    if at_most is not None:
        check_rank(at_most, len(engine.population))
    yields = _simultaneous(engine, whole or whole_curve(engine, ranked_curve(engine)))
    if yields is None:
        return None
    rank = curve_readings.falls_below(yields, precision)[0]
    if at_most is not None and rank > at_most:
        rank = curve_readings.sure_within(yields, precision, at_most)
    return cut_at(engine, rank) if rank else None


def cheapest_cut(
    engine: Engine, miss: float, false_alarm: float, whole: Curve | None = None
) -> CheapestCut | None:
    """The head of the list whose mistakes cost least, and between which others it lies by the
    bounds; None before there are bounds or an estimate. Raises ValueError where the bounds do not
    hold for all ranks, or for a cost that is not above 0."""
    curve = whole or whole_curve(engine, ranked_curve(engine))
    yields = _simultaneous(engine, curve)
    if yields is None:
        return None
    rank, first, last = curve_readings.cheapest(yields, miss, false_alarm)
    if rank is None:
        return None
    return CheapestCut(
        rank,
        first,
        last,
        float(miss),
        float(false_alarm),
        float(engine.rank_of.scores([rank])[0]) if rank else None,
        band(engine, curve, "precision"),
    )


def packages(
    engine: Engine, precisions: Sequence[float], whole: Curve | None = None
) -> pd.DataFrame:
    """The list cut where each of the falling ``precisions`` still holds by the bounds.

    A row per package: precision (required), first, last (ranks), items, score (of the last item),
    low, high (precision of everything down to there), own_low, own_high (of the package alone).
    Raises ValueError where the bounds do not hold for all ranks.
    """
    columns = ["precision", "first", "last", "items", "score", "low", "high", "own_low", "own_high"]
    yields = _simultaneous(engine, whole or whole_curve(engine, ranked_curve(engine)))
    if yields is None:
        return pd.DataFrame(columns=columns)
    parts = curve_readings.packages(yields, list(precisions))
    scores = iter(engine.rank_of.scores([part.last_rank for part in parts if part.last_rank]))
    rows, before = [], 0
    for part in parts:
        last = part.last_rank
        items = last - before
        first = before + 1 if items else None
        score = float(next(scores)) if last else None
        ends = part.low, part.high, part.own_low, part.own_high
        rows.append((part.precision, first, last, items, score, *ends))
        before = last
    return pd.DataFrame(rows, columns=columns)


def _simultaneous(engine: Engine, curve: Curve) -> curve_readings.Yields | None:
    if curve.yields is None and curve.state in (State.INTERVAL, State.STOPPED_EARLY):
        raise ValueError(NO_BOUNDS.format(name=engine.design.label))
    yields = curve.yields
    if yields is None or not len(yields.rank):
        return None
    return replace(yields, n_items=int(yields.rank[-1]))  # nothing is said beyond what is reached
