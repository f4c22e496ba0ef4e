"""What a picture of figures is made of, read from a session at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelcore.results.curves import Band
from labelcore.results.race import Race
from labelcore.results.types import Claim, Estimate
from labelcore.stats.profile import BoolArray, FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Beside:
    """What is known of the figures beside their labels.

    planned  how many labels there are in the end, with those from before, as far as is foreseen
    widths   half-widths that the plan expects, with the labels they take: (labels, {figure: ...})
    likely   what the scores suggest that a figure is
    truths   of the figures, at the end of a trial
    """

    planned: int
    widths: Sequence[tuple[int, Mapping[str, float]]]
    likely: Mapping[str, float]
    truths: Mapping[str, float]

    def ahead(self, key: str) -> tuple[FloatArray, FloatArray] | None:
        """Labels, and the half-widths of a figure that are expected there; None without any."""
        found = [(size, widths[key]) for size, widths in self.widths if key in widths]
        known = [(size, width) for size, width in found if np.isfinite(width)]
        if not known:
            return None
        labels, half = np.array(known, dtype=float).T
        return labels, half


@dataclass(frozen=True, eq=False, slots=True)
class HeadBands:
    """What is known of the first items of a ranked list.

    ranks    how many items each head has, by name, rising
    bands    the precision of each
    told     the name of the head that the sentence is about
    waiting  what is missing before its bounds; "" where they are there
    first    whether the heads stand above the figures
    """

    ranks: Mapping[str, int]
    bands: Mapping[str, Band | None]
    told: str
    waiting: str
    first: bool

    def longest(self, most: int) -> HeadBands:
        """At most so many: the one that is told, and the longest of the others."""
        others = [name for name in self.ranks if name != self.told]
        kept = {self.told, *others[max(len(self.ranks) - most, 0) :]}
        ranks = {name: rank for name, rank in self.ranks.items() if name in kept}
        return replace(self, ranks=ranks, bands={name: self.bands[name] for name in ranks})


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """All that a picture of figures is made of, read from the session at once.

    estimates   all that are asked of the row that was marked, or of the sample's classifier
    claims      what the plan claims
    heads       of a ranked list; None of others
    names       what the figures are called, by key, on one line
    barred      the first of the estimates, as many as have a bar beside the heads
    charted     the one of these whose chart is asked for
    course      its looks, label by label
    along, cut  precision along the scores, where its chart is asked for, and the own cut
    views       the charts that can be chosen
    view        the one that is
    dots        of each figure and head, whether labels agree with the classifier
    race        of two classifiers, drawn in place of the bar of the first estimate
    margin      the plan's goal
    going_on    whether items are still judged
    model       what that is called whose answers are held against those of people
    """

    estimates: Sequence[Estimate]
    claims: Sequence[Claim]
    heads: HeadBands | None
    names: Mapping[str, str]
    barred: Sequence[Estimate]
    charted: Estimate | None
    course: Sequence[Mapping[str, Any]]
    along: Band | None
    cut: int | None
    views: tuple[str, ...]
    view: str
    dots: Mapping[str, BoolArray]
    race: Race | None
    margin: float | None
    going_on: bool
    model: str
