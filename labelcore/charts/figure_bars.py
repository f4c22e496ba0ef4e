"""A result as a row of the interval picture, the same on the pages and in the report."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from labelcore.charts.drawing import Ends
from labelcore.charts.live_picture import Bar, difference_scale
from labelcore.promises import CandidateState, State
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.told_values import Told, is_early
from labelcore.results.types import Choice
from labelcore.safe_text import shortened
from labelcore.words.differences import told_interval
from labelcore.words.sentences import value_percent
from labelcore.words.short_sentences import range_of, short_value
from labelcore.words.tables import TOO_EARLY

LONGEST_OF_TWO = 20
NOT_YET, EARLY = ("", "not yet"), ("", TOO_EARLY)
EXACT_TO, EXACTLY = 1e-12, "exact"


def estimate_bar(estimate: Told, name: str) -> Bar:
    """An estimate with its interval, and its value where that may be told."""
    value, drawn = short_value(estimate), estimate.told
    if not estimate.shows_interval:
        return Bar(name, drawn, None, None, (value, "") if value else NOT_YET)
    if estimate.says_little:
        return Bar(name, None, None, None, EARLY)
    exact = estimate.state == State.EXACT
    between = EXACTLY if exact else told_interval(estimate, unit="")
    ends = estimate.low, estimate.high
    return Bar(name, drawn, *ends, (value, between), assumed=estimate.confidence is None)


def head_bar(band: Band | None, name: str) -> Bar:
    """The first items of a ranked list; ``band`` has their one rank. Where the interval is too wide
    for a value there is none, as along the curve."""
    if band is None or not band.has_interval or np.isnan(band.low[0]):
        return Bar(name, None, None, None, NOT_YET)
    value, low, high = (float(ends[0]) for ends in (band.told, band.low, band.high))
    assumed = band.confidence is None
    return share_bar(name, None if assumed or np.isnan(value) else value, low, high, assumed)


def share_bar(name: str, value: float | None, low: float, high: float, assumed: bool) -> Bar:
    """A share with its interval; without a value where none is told, ``assumed`` where the interval
    has no confidence. Nothing but that it is early where nearly everything is possible."""
    if is_early(low, high):
        return Bar(name, None, None, None, EARLY)
    if high - low < EXACT_TO:
        return Bar(name, low, low, high, (value_percent(low, low, high), EXACTLY))
    texts = "" if value is None else value_percent(value, low, high), range_of(low, high)
    return Bar(name, value, low, high, texts, assumed=assumed)


def candidate_bar(row: Mapping[Any, Any], name: str, choice: Choice) -> Bar:
    """A candidate of a choice, by its row of ``choice.bounds``, with its two bounds."""
    low, high, out = float(row["low"]), float(row["high"]), CandidateState(row["state"]).out
    texts = "out" if out else "", range_of(low, high, choice.precision_threshold)
    chosen = str(row["classifier"]) == choice.chosen
    return Bar(name, None, low, high, texts, chosen=chosen, out=out)


def list_bars(lists: ListDifference, *, named: bool = True) -> list[Bar]:
    """The difference of two lists at a few ranks, the first list less the second one; ``named``:
    whether each row has their names."""
    names = (lists.scope.classifier, lists.scope.versus)
    first, second = (shortened(str(name), LONGEST_OF_TWO) for name in names)
    rows = []
    for rank in lists.landmarks():
        name = f"First {rank:,}" + f": {first} less {second}" * named
        waiting = Bar(name, None, None, None, NOT_YET)
        rows.append(estimate_bar(lists.at_rank(rank), name) if lists.has_interval else waiting)
    return rows


def list_scale(lists: ListDifference) -> Ends:
    """A scale that holds the ends at these ranks."""
    if not lists.has_interval:
        return difference_scale(np.array([np.nan]))
    ends = [lists.at(rank)[1] for rank in lists.landmarks()]
    return difference_scale(np.array([end for bounds in ends for end in (bounds.low, bounds.high)]))
