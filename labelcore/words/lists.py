"""The sentences about the difference of two ranked lists."""

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


def ranges_words(lists: ListDifference, most: int = MOST_RANGES) -> str:
    """Which list is better where; "" where nothing is sure.

    most    the longest ranges are told, so many of them
    """
    ranges = lists.ranges()
    if ranges.empty:
        return ""
    longest = (ranges["last"] / ranges["first"]).sort_values(ascending=False).index[:most]
    kept, parts = ranges.loc[sorted(longest)], []
    for name, mine in kept.groupby("better", sort=False):
        where = [_range_words(*row) for row in mine[["first", "last"]].itertuples(index=False)]
        parts.append(f"{str(name)!r} is better {' and '.join(where)}")
    more = len(ranges) - len(kept)
    shorter = f", and in {count(more, 'shorter range')}" if more and most > MOST_SHORT else ""
    return "; ".join(parts) + shorter


def _range_words(first: int, last: int) -> str:
    return f"at rank {first:,}" if first == last else f"from rank {first:,} to {last:,}"


def open_words(lists: ListDifference) -> str:
    """That neither is shown to be better, and how far apart they may be at the last rank."""
    last = int(lists.x[-1])
    _, ends = lists.at(last)
    between = " to ".join(points_range(ends.low, ends.high))
    first, second = repr(lists.scope.classifier), repr(lists.scope.versus)
    return OPEN.format(rank=f"{last:,}", one=first, other=second, range=between)


def list_sentence(lists: ListDifference, given: str = "") -> str:
    """Which list is better at which ranks, how surely, and under which condition."""
    scope = lists.scope
    text = STATES[lists.state].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        first=f"{int(lists.x[0]):,}",
        last=f"{int(lists.x[-1]):,}",
        finding=ranges_words(lists) or open_words(lists),
        confidence="" if lists.confidence is None else confidence_words(lists.confidence),
        form=form_words(lists.form),
        when=valid_words(lists.promise, scope),
        labels=labels_words(lists.labels_used, scope, given),
        planned=f"{scope.planned:,}",
        missing=lists.missing or "no label yet",
    )
    return " ".join([text, *lists.notes])


def short_lists(lists: ListDifference) -> str:
    """The same in at most twenty words, where names are short."""
    if not lists.has_interval:
        return SHORT_WAITING.format(missing=count(lists.scope.first_figure, "answer"))
    first, last = (f"{int(rank):,}" for rank in lists.x[[0, -1]])
    finding = ranges_words(lists, MOST_SHORT)
    if not finding:
        return OPEN_SHORT.format(first=first, last=last)
    if lists.state == State.EXACT or lists.confidence is None:
        return f"{finding[:1].upper()}{finding[1:]}."
    return SURE.format(sure=confidence_words(lists.confidence), finding=finding)
