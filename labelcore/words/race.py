"""What is said of two that are compared: what is possible, who is ahead, what decides it."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from labelcore.promises import State
from labelcore.results.race import Race
from labelcore.results.types import Estimate
from labelcore.words.differences import points_range, signed_points
from labelcore.words.sentences import count

LIMITS = (
    "They disagree on {differ} of {items}: whatever you answer, the difference stays within "
    "±{most} points."
)
RIGHT, OPEN_ONES = "{name} right {wins:,}", "open {left:,}"
SETTLES, SETTLED = "half: {more:,} more for {name} {settle} it", "settled: no open one can turn it"
LEVEL_SO_FAR = "half: level so far"
AHEAD, LEVEL, OPEN = "{name} ahead", "level", "open"
DECIDE, ALL_DECIDE, EXACT_AT = "about {more:,} more decide it", "all {more:,} decide it", "exact"
ALL_JUDGED = (
    "They disagree on {differ} of {items}, all judged: the difference in accuracy is exact."
)
ANSWERED = (
    "They disagree on {differ} of {items}, all judged: accuracy is answered, more labels serve the "
    "other figures."
)
THESE_FIRST = "These items are asked first: where both say the same, neither can be more accurate."
ONLY_THESE = "Only these items are asked: where both say the same, neither can be better."
ALL_EXACT = "{more:,} more make it exact"
AHEAD_BY, LEVEL_EXACT, NO_DIFFERENCE = "{name} by {by}", "level, exact", "not yet"
NEEDS, TOO_CLOSE = "about {labels}", "too close to tell"
LONGEST = 18


def limits_words(race: Race) -> str:
    """What is certain before the first answer, and once the last disagreement is judged."""
    differ, items = f"{race.differ:,}", count(race.items, "item")
    if race.differ and not race.open:
        return (ALL_JUDGED if race.only else ANSWERED).format(differ=differ, items=items)
    share = race.differ / race.items
    most = points_range(-share, share)[1].lstrip("+").removesuffix(" points")
    return LIMITS.format(differ=differ, items=items, most=most)


def heads_words(race: Race) -> tuple[str, str, str]:
    """What stands above the race: left, middle, right."""
    left, right = (
        RIGHT.format(name=short_name(name), wins=wins)
        for name, wins in zip((race.first, race.second), race.wins, strict=True)
    )
    return left, OPEN_ONES.format(left=race.open), right


def settles_words(race: Race) -> str:
    """How many more right answers of the leader settle it for certain."""
    more = race.settles()
    if not race.leader:
        return LEVEL_SO_FAR if race.open else ""
    if not more:
        return SETTLED if race.open else ""
    settle = "settles" if more == 1 else "settle"
    return SETTLES.format(more=more, name=short_name(race.leader), settle=settle)


def verdict_words(estimate: Estimate) -> tuple[str, bool]:
    """Who is ahead, and whether one of the two is named; level only where that is exact."""
    scope, ends = estimate.scope, (estimate.low, estimate.high)
    if estimate.state == State.EXACT and estimate.value == 0:
        return LEVEL, False
    if not (estimate.has_interval or estimate.state == State.EXACT) or ends[0] <= 0 <= ends[1]:
        return OPEN, False
    name = scope.classifier if ends[0] > 0 else scope.versus
    return AHEAD.format(name=short_name(str(name))), True


def more_words(race: Race, estimate: Estimate) -> str:
    """What is left to do: a forecast while it is open, then what makes it exact."""
    if not race.open:
        return EXACT_AT
    if verdict_words(estimate)[1]:
        return ALL_EXACT.format(more=race.open)
    value = race.lead * race.differ / max(len(race.won), 1) / race.items
    more = race.expected(value, estimate.low, estimate.high)
    return (ALL_DECIDE if more >= race.open else DECIDE).format(more=more)


def pair_words(row: Mapping[Any, Any]) -> str:
    """A difference of two classifiers in a cell: who is ahead by how much, or what decides it.

    ``row``: one of ``Session.differences``, in shares
    """
    value, low, high = float(row["value"]), float(row["low"]), float(row["high"])
    if math.isnan(value):
        return NO_DIFFERENCE
    if high - low < 1e-12:
        if not value:
            return LEVEL_EXACT
        ahead = row["a"] if value > 0 else row["b"]
        by = signed_points(abs(value)).lstrip("+").removesuffix(" points")
        return AHEAD_BY.format(name=short_name(str(ahead)), by=f"{by}, exact")
    near, far = points_range(low, high)
    if row["ahead"]:
        ends = points_range(*sorted((abs(low), abs(high))))
        by = f"{ends[0]} to {ends[1]}".replace("+", "").removesuffix(" points")
        return AHEAD_BY.format(name=short_name(str(row["ahead"])), by=by)
    more = None if pd.isna(row["more"]) else int(row["more"])
    needs = TOO_CLOSE if more is None else NEEDS.format(labels=count(more, "more label"))
    return f"{near} to {far.removesuffix(' points')}: {needs}"


def short_name(name: str) -> str:
    """A classifier's name on one line of a narrow place."""
    text = " ".join(name.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
