"""What must hold for one event, given the file, the plan and the events before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from labelcore.errors import ReplayError
from labelcore.figures.looks import look_detail, results
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine
from labelcore.log.events import ANSWER_KINDS, RESERVED_ANSWERS, Event, text_digest
from labelcore.replay.forms import check_fields
from labelcore.results.types import Result

TOLERANCE = 1e-9


class Walk:
    """The state of a replay: an engine, and what the chain and the tokens need.

    start   the hash before the first event; None leaves the chain unchecked
    """

    def __init__(self, engine: Engine, start: str | None) -> None:
        self.engine = engine
        self.hash = start or ""
        self.kinds: Counter[str] = Counter()
        self._chained = start is not None
        self._shown: dict[str, Event] = {}
        self._answered: dict[str, int] = {}
        self._given: dict[int, Event] = {}
        self._last_answer = 0
        self._checks: dict[str, Callable[[Event], None]] = {
            "drawn": self._check_drawn,
            "undone": self._check_item,
            "noted": self._check_item,
            "flagged": self._check_item,
            "looked": self._check_looked,
            "stopped": self._check_stopped,
            "extended": self._check_extended,
            "redrawn": self._check_redrawn,
            "reread": self._check_reread,
            "reread_undone": self._check_item,
            "second_pass": self._check_second_pass,
            "released": self._check_released,
            **dict.fromkeys(ANSWER_KINDS, self._check_answer),
        }

    def take(self, event: Event) -> None:
        """Check one event and fold it into the state.

        Raises ReplayError when it does not follow.
        """
        check_fields(event, self.engine.sequence + 1)
        self._check_chain(event)
        check = self._checks.get(event.kind)
        if check is not None:
            check(event)
        self.engine.apply(event)
        self._check_text(event)
        self._after(event)

    def results(self) -> dict[str, Result]:
        """The results at this point of the log."""
        return results(self.engine)

    def _after(self, event: Event) -> None:
        self.kinds[event.kind] += 1
        self.hash = event.hash
        if event.kind in ("drawn", "redrawn"):
            self._shown[str(event.token)] = event
            self._given[event.sequence] = event
        if event.kind == "released":
            del self._given[int(event.previous or 0)]
        if event.answers is not None:
            self._answered[event.answers] = event.sequence
        if event.kind in ANSWER_KINDS or event.kind == "undone":
            self._last_answer = event.sequence

    def _check_chain(self, event: Event) -> None:
        if not self._chained or event.digest(self.hash) == event.hash:
            return
        if event.sequence == 1:
            raise ReplayError(
                1,
                "its hash does not follow from the file, the plan and this event: one was changed",
            )
        raise ReplayError(
            event.sequence,
            f"its hash does not follow from event {event.sequence - 1} and its own words: one of "
            "the two was changed",
        )

    def _check_drawn(self, event: Event) -> None:
        self._check_token(event)
        if event.index is None or event.index < 1:
            raise ReplayError(event.sequence, f"draw {event.index} is out of order")
        if event.index <= len(self.engine.asked):
            self._check_item(event)
            if self.engine.answered(event.index):
                raise ReplayError(
                    event.sequence, f"draw {event.index} is shown again though it has an answer"
                )

    def _check_text(self, event: Event) -> None:
        """The text that was shown is that of the file, where the log holds its digest."""
        if event.kind != "drawn" or "content" not in event.detail:
            return
        item_id = str(event.item_id)
        found = text_digest(item_id, self.engine.population.content(item_id))
        if found != event.detail["content"]:
            raise ReplayError(
                event.sequence, f"the text of item {item_id!r} is another one than was shown"
            )

    def _check_answer(self, event: Event) -> None:
        token = self._check_unanswered(event)
        if event.previous is None:
            self._check_shown(event, "drawn")
        elif token in self._shown:
            raise ReplayError(event.sequence, "a changed answer must not use the token of a draw")
        self._check_item(event)
        if event.previous is not None:
            force = self.engine.in_force(int(event.index or 0))
            if force is None or force.sequence != event.previous:
                raise ReplayError(
                    event.sequence, f"it changes event {event.previous}, which is not in force"
                )
        if (event.label is not None) != (event.kind == "labelled"):
            raise ReplayError(event.sequence, f"a label of {event.label!r} with {event.kind!r}")

    def _check_token(self, event: Event) -> None:
        if not event.token or event.token in self._shown or event.token in self._answered:
            raise ReplayError(event.sequence, f"its token {event.token!r} was used before")

    def _check_unanswered(self, event: Event) -> str:
        """The token that the event answers, for the first time."""
        token = event.answers
        if token is None or token in self._answered:
            first = self._answered.get(token or "")
            raise ReplayError(
                event.sequence,
                "it answers no item" if first is None else f"event {first} answered this already",
            )
        return token

    def _check_shown(self, event: Event, kind: str) -> None:
        """The token that the event answers was shown, as this kind, for the same draw."""
        shown = self._shown.get(str(event.answers))
        if shown is None or shown.kind != kind:
            raise ReplayError(
                event.sequence, f"it answers the token {event.answers!r}, never shown"
            )
        if shown.index != event.index:
            raise ReplayError(
                event.sequence,
                f"it speaks of draw {event.index}, its token was shown for draw {shown.index}",
            )

    def _check_redrawn(self, event: Event) -> None:
        """A repeat is one that the seed or a second pass chose, and it is its turn."""
        self._check_token(event)
        self._check_item(event)
        engine = self.engine
        if event.index in engine.repeats.ready():
            return
        ended = engine.stopped or engine.peek() is None
        if not (ended and event.index in engine.repeats.ready(anything=True)):
            raise ReplayError(
                event.sequence, f"draw {event.index} is not to be shown again at this point"
            )

    def _check_reread(self, event: Event) -> None:
        self._check_unanswered(event)
        self._check_shown(event, "redrawn")
        self._check_item(event)
        first = self.engine.repeats.first(int(event.index or 0))
        if event.previous != (None if first is None else first.sequence):
            raise ReplayError(
                event.sequence, f"it is held against event {event.previous}, not in force"
            )
        known = event.label in self.engine.classes and event.text is None
        if not known and (event.label is not None or event.text not in RESERVED_ANSWERS):
            raise ReplayError(event.sequence, f"it answers {event.label or event.text!r}")

    def _check_released(self, event: Event) -> None:
        """It takes back a draw that was given to somebody and not answered since."""
        self._check_item(event)
        given = self._given.get(int(event.previous or 0))
        if given is None or given.index != event.index:
            raise ReplayError(
                event.sequence, f"it releases event {event.previous}, which gave nobody this draw"
            )
        if str(given.token) in self._answered:
            raise ReplayError(
                event.sequence, f"it releases event {event.previous}, answered already"
            )

    def _check_second_pass(self, event: Event) -> None:
        items = event.detail.get("items")
        if type(items) is not int or items < 1:
            raise ReplayError(event.sequence, f"a second pass on {items!r} items")

    def _check_item(self, event: Event) -> None:
        """The event names a drawn item by its right id, stratum and batch."""
        asked = self.engine.asked
        if event.index is None or not 1 <= event.index <= len(asked):
            raise ReplayError(event.sequence, f"it speaks of draw {event.index}, never drawn")
        one = asked[event.index - 1]
        names = ("item_id",) if event.kind in ("noted", "flagged") else None
        truth = {
            "item_id": self.engine.population.id_at(one.position),
            "stratum": one.stratum,
            "batch": one.batch,
        }
        for name in names or truth:
            if getattr(event, name) != truth[name]:
                raise ReplayError(
                    event.sequence,
                    f"draw {event.index} has {name} {truth[name]!r}, the log has "
                    f"{getattr(event, name)!r}",
                )

    def _check_looked(self, event: Event) -> None:
        expected = look_detail(self.engine, results(self.engine), self._last_answer)
        found = difference(dict(event.detail), expected)
        if found:
            raise ReplayError(event.sequence, f"the look does not follow: {found}")

    def _check_stopped(self, event: Event) -> None:
        reason = stop_reason(self.engine, event.at)
        if not reason or reason != event.text:
            raise ReplayError(
                event.sequence,
                f"labelling stopped for {event.text!r}, and the rules met then are {reason!r}",
            )

    def _check_extended(self, event: Event) -> None:
        budget = event.detail.get("budget")
        items = len(self.engine.population)
        if type(budget) is not int or not len(self.engine.asked) < budget <= items:
            raise ReplayError(
                event.sequence,
                f"the new budget must be more than the {len(self.engine.asked):,} items drawn and "
                f"at most {items:,}, the log has {budget!r}",
            )


def difference(recorded: Any, expected: Any, name: str = "") -> str:
    """Where two JSON values differ, in words; "" when they agree within ``TOLERANCE``.

    >>> difference({"low": 0.25}, {"low": 0.5})
    'low is 0.25 in the log and 0.5 when computed again'
    >>> difference({"low": 0.5}, {"low": 0.5 + 1e-12})
    ''
    """
    if isinstance(expected, Mapping) and isinstance(recorded, Mapping):
        for key in [*expected, *(key for key in recorded if key not in expected)]:
            here = f"{name}, {key}" if name else str(key)
            if (key in recorded) != (key in expected):
                return f"{here} is {'missing in' if key in expected else 'only in'} the log"
            found = difference(recorded[key], expected[key], here)
            if found:
                return found
        return ""
    if _same(recorded, expected):
        return ""
    return f"{name or 'it'} is {recorded!r} in the log and {expected!r} when computed again"


def _same(recorded: Any, expected: Any) -> bool:
    numbers = (int, float)
    if isinstance(recorded, bool) or isinstance(expected, bool):
        return recorded is expected
    if isinstance(recorded, numbers) and isinstance(expected, numbers):
        return abs(recorded - expected) <= TOLERANCE
    return type(recorded) is type(expected) and bool(recorded == expected)
