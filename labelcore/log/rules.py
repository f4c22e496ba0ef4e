"""What a kind of event is, and the rules that several kinds share.

A rule that is broken raises the error that a caller gets who tries it.
"""

from collections.abc import Mapping
from math import isclose
from typing import Any, Protocol

from labelcore.errors import AnswerError, LateAnswerError
from labelcore.log.events import Event
from labelcore.log.screens import LONGEST_LEASE, Shown
from labelcore.log.state import LogState


class Figures(Protocol):
    """The figures of the state before an event; the log itself computes none."""

    def look(self, after: int, like: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
        """What a look records that has seen the answers up to event ``after``, of as many first
        items as a look ``like`` it; None where an earlier rule makes it."""

    def stop_reason(self, at: str) -> str | None:
        """The stop rules that end the session at this time, "" when it goes on; None where an
        earlier rule says it."""

    def reforecast(self) -> Mapping[str, Any]:
        """What the end of a margin plan's pilot records; nothing while it is not due."""

    def recut(self) -> Mapping[str, Any]:
        """What is recorded when strata are cut once more; nothing while it is not due, or nothing
        is known of the content."""


class Kind:
    """One kind of event.

    written      whether its text is words of somebody, in which a name may stand
    still_said   whether it may be added to a project that was measured by an earlier rule
    """

    def __init__(self, name: str, *, written: bool = True, still_said: bool = False) -> None:
        self.name, self.written, self.still_said = name, written, still_said

    def check(self, state: LogState, event: Event) -> None:
        """Raise a ValueError or TypeError with the rule unless the event may happen now."""

    def audit(self, state: LogState, event: Event, figures: Figures) -> None:
        """Raise one unless what the event records of figures is what they are."""

    def fold(self, state: LogState, event: Event) -> None:
        """Take the event into the state."""


def check_going_on(state: LogState) -> None:
    """A finished project is final: its report would not be the one handed over."""
    if state.engine.finished:
        raise AnswerError("the project is finished; extend it to change answers")


def check_item(state: LogState, event: Event, *names: str) -> int:
    """The event names a drawn item by its right id, stratum and batch; its index."""
    asked = state.asked(event.index)
    truth = {
        "item_id": state.engine.population.id_at(asked.position),
        "stratum": asked.stratum,
        "batch": asked.batch,
    }
    for name in names or truth:
        if getattr(event, name) != truth[name]:
            raise AnswerError(
                f"draw {event.index} has {name} {truth[name]!r}, the log has "
                f"{getattr(event, name)!r}"
            )
    return int(event.index or 0)


def check_new_token(state: LogState, event: Event) -> None:
    """A draw has a token of its own."""
    if not event.token or event.token in state.screens.shown or event.token in state.answered:
        raise AnswerError(f"its token {event.token!r} was used before")


def check_lease(event: Event) -> None:
    """A draw that was taken for a time says so in whole minutes."""
    minutes = event.detail.get("minutes")
    if minutes is None:
        return
    if type(minutes) is not int or not 1 <= minutes <= LONGEST_LEASE:
        raise AnswerError(
            f"minutes must be a whole number from 1 to {LONGEST_LEASE:,}, got {minutes!r}"
        )


def check_first_answer(state: LogState, event: Event) -> None:
    """A token is answered once."""
    first = state.answered.get(event.answers or "")
    if first is not None:
        raise AnswerError(f"event {first.sequence} answered this already")
    if not event.answers:
        raise AnswerError("it answers no item")


def check_shown(state: LogState, event: Event, *, repeat: bool) -> Shown:
    """The token that the event answers was shown, in this way, for the same draw."""
    shown = state.screens.shown.get(str(event.answers))
    if shown is None or shown.draw.repeat != repeat:
        raise AnswerError(f"it answers the token {event.answers!r}, never shown")
    if shown.draw.index != event.index:
        raise AnswerError(
            f"it speaks of draw {event.index}, its token was shown for draw {shown.draw.index}"
        )
    return shown


def comes_late(state: LogState, shown: Shown) -> bool:
    """Whether an answer to the draw would come after those of others that leave no room for it:
    another person has answered the item, as many as were wanted have judged it once more, or the
    label that was to be judged is taken back. Whose own answer is there already is not late."""
    draw, engine, person = shown.draw, state.engine, shown.annotator
    if draw.repeat:
        repeats = engine.repeats
        judged = person in repeats.judges(draw.index)
        return not judged and not repeats.wanted_of(draw.index, person)
    answer = engine.in_force(draw.index) if engine.answered(draw.index) else None
    return answer is not None and answer.annotator != person


def check_not_late(state: LogState, shown: Shown, *, later: bool) -> None:
    """A draw that is on no screen any more may be answered until somebody else does."""
    draw, engine, screens = shown.draw, state.engine, state.screens
    if screens.is_open(draw.token):
        return
    since = ""
    if draw.repeat and not engine.repeats.wanted_of(draw.index, shown.annotator):
        since = "was answered a second time already"
    elif not draw.repeat and engine.answered(draw.index):
        answer = engine.in_force(draw.index)
        since = "was answered already"
        if answer and answer.annotator != shown.annotator:
            since = f"was released, and {answer.annotator!r} has answered it since"
    elif later and (holder := screens.holder(draw)):
        since = f"was released, and is given to {holder!r} now"
    if since:
        raise LateAnswerError(f"item {draw.index} {since}: this answer was not stored")


def check_takes_back(event: Event, answer: Event | None) -> None:
    """Whoever takes an answer back gave it, and it is in force."""
    if answer is None or answer.sequence != event.previous:
        raise AnswerError(f"takes back event {event.previous}, not in force")
    if answer.annotator != event.annotator:
        raise AnswerError(f"takes back an answer of {answer.annotator!r}, of somebody else")


def figures_of(detail: Mapping[str, Any], like: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A look without the word for values that are not told: when they are is no figure, and
    versions differ in it. Without the first items of a ranked list where an older look ``like`` it
    has none."""
    results, there = detail.get("results", {}), (like or detail).get("results", {})
    kept = {
        key: {
            name: result[name]
            for name in result
            if name != "tentative" and (name != "head" or name in there.get(key, {}))
        }
        for key, result in results.items()
    }
    return {**detail, "results": kept}


TOLERANCE = 1e-7
"""How near two numbers are that count as one, as a share of those above 1. Ends of intervals are
solved for to 1e-9, and the last digits of another processor move them (docs/processors.md)."""


def difference(recorded: Any, expected: Any, name: str = "") -> str:
    """Where two JSON values differ, in words; "" when they agree within ``TOLERANCE``.

    >>> difference({"low": 0.25}, {"low": 0.5})
    'low is 0.25 in the log and 0.5 when computed again'
    >>> difference({"low": 0.5}, {"low": 0.5 + 1e-12})
    ''
    >>> difference({"items": 2_000_000_000}, {"items": 2_000_000_001})
    'items is 2000000000 in the log and 2000000001 when computed again'
    """
    if isinstance(expected, Mapping) and isinstance(recorded, Mapping):
        for key in [*expected, *(key for key in recorded if key not in expected)]:
            here = f"{name}, {key}" if name else str(key)
            if (key in recorded) != (key in expected):
                return f"{here} is {'missing in' if key in expected else 'only in'} the log"
            differs = difference(recorded[key], expected[key], here)
            if differs:
                return differs
        return ""
    if _same(recorded, expected):
        return ""
    return f"{name or 'it'} is {recorded!r} in the log and {expected!r} when computed again"


def _same(recorded: Any, expected: Any) -> bool:
    numbers, kinds = (int, float), {type(recorded), type(expected)}
    if isinstance(recorded, bool) or isinstance(expected, bool):
        return recorded is expected
    if isinstance(recorded, numbers) and isinstance(expected, numbers) and kinds != {int}:
        return isclose(recorded, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(recorded) is type(expected) and bool(recorded == expected)
