"""What a curve plan says: a few rows in words, and the charts that can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Heads:
    """The first items that a ranked list is told by.

    ranks  how many items each has, rising
    told   the one of these that the sentence is about
    items  of the list
    own    how many the classifier calls positive itself; None where these are no head
    """

    ranks: Sequence[int]
    told: int
    items: int
    own: int | None

    def name(self, rank: int) -> str:
        return landmark_name(rank, self.items, self.own)

    def at_most(self, most: int) -> dict[str, int]:
        """{name: rank} of so many, the longest ones and the one that is told.

        >>> Heads([10, 100, 151, 4000], 151, 4000, 151).at_most(2)
        {'Own cut, 151': 151, 'All 4,000': 4000}
        """
        others = sorted((rank for rank in self.ranks if rank != self.told), reverse=True)
        return {self.name(rank): rank for rank in sorted([self.told, *others[: most - 1]])}


def landmark_name(rank: int, n_items: int, own: int | None) -> str:
    """
    >>> landmark_name(100, 4000, 151), landmark_name(151, 4000, 151), landmark_name(50, 50, None)
    ('First 100', 'Own cut, 151', 'All 50')
    """
    if rank == own:
        return f"Own cut, {rank:,}"
    return f"All {rank:,}" if rank == n_items else f"First {rank:,}"


def heads_of(session: Session, band: Band) -> Heads:
    """The person's own list, else ``ranks_that_matter``, as far as the bounds of ``band`` go, and
    where these end before the last item the last that they reach. The own cut is told if it is
    among them, else the last."""
    population, name = session.population, ranked_by(session)
    given, items = session.settings.get("ranks"), len(population)
    listed = given if isinstance(given, list) else []
    ranks = sorted({rank for rank in listed if type(rank) is int and 1 <= rank <= items})
    ranks = ranks or ranks_that_matter(population, name)
    reached = int(band.x[-1]) if band.has_interval and len(band.x) else items
    if reached < items:
        ranks = [*(rank for rank in ranks if rank < reached), reached]
    told = told_rank(population, name)
    return Heads(ranks, told if told in ranks else ranks[-1], items, own_cut(population, name))


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
