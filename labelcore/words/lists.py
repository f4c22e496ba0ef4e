"""The sentences about the difference of two ranked lists."""

from __future__ import annotations

from labelcore.promises import State
from labelcore.results.lists import ListDifference
from labelcore.words.differences import points_range
from labelcore.words.sentences import (
    confidence_words,
    count,
    form_words,
    labels_words,
    scope_words,
    valid_words,
)

STATES = {
    State.NOTHING: "{scope}, nothing is known yet of which list is better: {missing}.",
    State.TOO_FEW: "{scope}, there are too few labels to compare the lists: {missing}.",
    State.PROVISIONAL: "{scope}, the difference of the two lists has no band yet: {missing}.",
    State.INTERVAL: "{scope}, by precision at ranks {first} to {last} {finding} ({confidence} "
    "confidence for all ranks together{form}, {when}), from {labels}.",
    State.STOPPED_EARLY: "{scope}, by precision at ranks {first} to {last} {finding}; but "
    "labelling stopped before the planned {planned} labels, so {when}. From {labels}.",
    State.EXACT: "{scope}, by precision at ranks {first} to {last} {finding}, exactly: every item "
    "that matters has a label.",
}
OPEN = "neither list is shown to be better: at rank {rank} {one} less {other} is {range}"
OPEN_SHORT = "Neither list is shown to be better at any rank from {first} to {last}."
MOST_RANGES, MOST_SHORT = 2, 1
SHORT_WAITING = "Which list is better is told after {missing}."
SURE = "{sure} sure: {finding}."


def ranges_words(found: ListDifference, most: int = MOST_RANGES) -> str:
    """Which list is better where; "" where nothing is sure.

    most    the longest ranges are told, so many of them
    """
    ranges = found.ranges()
    if ranges.empty:
        return ""
    longest = (ranges["last"] / ranges["first"]).sort_values(ascending=False).index[:most]
    kept, parts = ranges.loc[sorted(longest)], []
    for name, mine in kept.groupby("better", sort=False):
        where = [_range_words(*one) for one in mine[["first", "last"]].itertuples(index=False)]
        parts.append(f"{str(name)!r} is better {' and '.join(where)}")
    more = len(ranges) - len(kept)
    shorter = f", and in {count(more, 'shorter range')}" if more and most > MOST_SHORT else ""
    return "; ".join(parts) + shorter


def _range_words(first: int, last: int) -> str:
    return f"at rank {first:,}" if first == last else f"from rank {first:,} to {last:,}"


def open_words(found: ListDifference) -> str:
    """That neither is shown to be better, and how far apart they may be at the last rank."""
    last = int(found.x[-1])
    _, ends = found.at(last)
    between = " to ".join(points_range(ends.low, ends.high))
    first, second = repr(found.scope.classifier), repr(found.scope.versus)
    return OPEN.format(rank=f"{last:,}", one=first, other=second, range=between)


def list_sentence(found: ListDifference, given: str = "") -> str:
    """Which list is better at which ranks, how surely, and under which condition."""
    scope = found.scope
    text = STATES[found.state].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        first=f"{int(found.x[0]):,}",
        last=f"{int(found.x[-1]):,}",
        finding=ranges_words(found) or open_words(found),
        confidence="" if found.confidence is None else confidence_words(found.confidence),
        form=form_words(found.form),
        when=valid_words(found.promise, scope),
        labels=labels_words(found.labels_used, scope, given),
        planned=f"{scope.planned:,}",
        missing=found.missing or "no label yet",
    )
    return " ".join([text, *found.notes])


def short_lists(found: ListDifference) -> str:
    """The same in at most twenty words, where names are short."""
    if not found.has_interval:
        return SHORT_WAITING.format(missing=f"{found.scope.first_figure:,} labels")
    first, last = (f"{int(one):,}" for one in found.x[[0, -1]])
    finding = ranges_words(found, MOST_SHORT)
    if not finding:
        return OPEN_SHORT.format(first=first, last=last)
    if found.state == State.EXACT or found.confidence is None:
        return f"{finding[:1].upper()}{finding[1:]}."
    return SURE.format(sure=confidence_words(found.confidence), finding=finding)
