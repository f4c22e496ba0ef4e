"""What a curve plan says: a few rows in words, and the charts that can be chosen."""

from __future__ import annotations

import numpy as np

from labelcore.charts.against import precision_recall_chart, precision_yield_chart, roc_chart
from labelcore.charts.base import Chart
from labelcore.charts.rank import rank_chart
from labelcore.charts.readings import READINGS
from labelcore.designs.curves import Curve
from labelcore.figures.cuts import own_cut, ranks_that_matter, told_rank
from labelcore.promises import State
from labelcore.results.curves import Band
from labelcore.session.session import Session
from labelcore.words import sentences as words

MOST_HEADS = 4
"""First items that have a bar each."""
ALONG = ("precision", "recall", "yield", "f1", "accuracy", "gain", "dcg", "ndcg")
PAIRS = {
    "roc": ("ROC", ("true_positive_rate", "false_positive_rate")),
    "precision-recall": ("Precision and recall", ("precision", "recall")),
    "precision-yield": ("Precision and yield", ("precision", "yield")),
}
PAIR_MEANINGS = {
    "roc": "Of all positive items, the share down to a rank, against the share of all others.",
    "precision-recall": "How pure the head of the list is against how much of all it holds.",
    "precision-yield": "How pure the head of the list is against how many positive items it holds.",
}


def waiting(session: Session, band: Band) -> str:
    """What is missing before the first band; "" when it is there."""
    if band.has_interval:
        return ""
    return band.missing or f"{session.labels:,} of {session.plan.planned:,} labels before the band"


def nothing_drawn(session: Session, choice: str, curve: Curve, chart: Chart) -> str:
    """Why there is no picture, and what is missing."""
    band = session.band(choice if choice not in PAIRS else PAIRS[choice][1][0], curve)
    missing = waiting(session, band)
    return f"{chart.alt} {missing[:1].upper()}{missing[1:]}." if missing else chart.alt


def landmarks(session: Session, most: int = MOST_HEADS) -> list[tuple[str, int]]:
    """(name, rank) of at most so many first items that a ranked list is told by: the person's own
    list, else ``ranks_that_matter``, as far as the bounds go, and where these end before the last
    item the last that they reach; never without that of ``told_head``."""
    population, head = session.population, told_head(session)
    own_rank = own_cut(population, ranked_by(session))
    others = [rank for rank in heads_of(session) if rank != head]
    ranks = sorted([head, *sorted(others, reverse=True)[: most - 1]])
    return [(landmark_name(rank, len(population), own_rank), rank) for rank in ranks]


def heads_of(session: Session) -> list[int]:
    """The ranks that may have a bar, increasing."""
    given, most = session.settings.get("ranks"), len(session.population)
    listed = given if isinstance(given, list) else []
    ranks = sorted({rank for rank in listed if type(rank) is int and 1 <= rank <= most})
    ranks = ranks or ranks_that_matter(session.population, ranked_by(session))
    band = session.band("precision")
    reached = int(band.x[-1]) if band.has_interval and len(band.x) else most
    return ranks if reached == most else [*(rank for rank in ranks if rank < reached), reached]


def landmark_name(rank: int, n_items: int, own: int | None) -> str:
    """
    >>> landmark_name(100, 4000, 151), landmark_name(151, 4000, 151), landmark_name(50, 50, None)
    ('First 100', 'Own cut, 151', 'All 50')
    """
    if rank == own:
        return f"Own cut, {rank:,}"
    return f"All {rank:,}" if rank == n_items else f"First {rank:,}"


def told_head(session: Session) -> int:
    """The first items that the sentence is about: the own cut where it is among ``heads_of``, or
    the last of these."""
    ranks = heads_of(session)
    rank = told_rank(session.population, ranked_by(session))
    return rank if rank in ranks else ranks[-1]


def ranked_by(session: Session) -> str | None:
    """The classifier that the list is ranked by."""
    return next(iter((*session.plan.classifiers, *session.population.classifiers)), None)


def band_figure(band: Band) -> str:
    """Value and interval of a band of one point of shares, on one line; the bounds only where they
    have no confidence, or are too wide for a value."""
    value, low, high = (float(numbers[0]) for numbers in (band.told, band.low, band.high))
    if np.isnan(value) and not band.has_interval:
        return "not yet"
    if band.has_interval and high - low < -1e-12:
        return "bounds contradict each other"
    if band.state == State.EXACT or (band.has_interval and high - low < 1e-12):
        return f"{READINGS['precision'].number(value)}   exact"
    if not band.has_interval:
        return f"{READINGS['precision'].number(value, 1.0)}   a first guess"
    span = READINGS["precision"].range(low, high)
    if band.confidence is None or np.isnan(value):
        return span
    return f"{words.value_percent(value, low, high)}   {span}"


def choices(curve: Curve) -> dict[str, str]:
    """{name: label} of what this curve can show."""
    readings = {name: READINGS[name].label for name in ALONG if name in curve.names}
    pairs = {name: label for name, (label, both) in PAIRS.items() if {*both} <= {*curve.names}}
    if curve.confidence is None:
        # Without estimates there is no recall to draw precision against.
        pairs.pop("precision-recall", None)
    return {**readings, **pairs}


def meaning(choice: str) -> str:
    """One sentence for people who do not know the word."""
    return PAIR_MEANINGS.get(choice) or READINGS[choice].meaning


def curve_chart(
    session: Session, curve: Curve, choice: str, *, cut: int | None = None, own: int | None = None
) -> Chart:
    """The chart of one of ``choices``; ``own`` the classifier's own cut."""
    if choice not in PAIRS:
        band = session.band(choice, curve)
        return rank_chart(band, cut=cut, own=own)
    upright, level = (session.band(name, curve) for name in PAIRS[choice][1])
    draw = {
        "roc": roc_chart,
        "precision-recall": precision_recall_chart,
        "precision-yield": precision_yield_chart,
    }[choice]
    return draw(upright, level, cut=cut)
