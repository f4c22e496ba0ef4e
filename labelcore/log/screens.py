"""Which draw each person has on the screen, since when, and which ones were given up."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from labelcore.log.events import Draw, Event

LEASE = timedelta(minutes=30)
"""How long an item is kept for the person it was given to, when others have nothing else to do."""
LONGEST_LEASE = 366 * 24 * 60
"""Minutes for which items may be taken."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A draw that was put before a person.

    at        when, UTC, ISO 8601
    sequence  the event of the log that put it there
    minutes   for how long the person took it; None where no time was named
    """

    draw: Draw
    annotator: str
    at: str
    sequence: int
    minutes: int | None = None

    def over(self, at: str) -> bool:
        """Whether others may have it at the time ``at``."""
        lease = LEASE if self.minutes is None else timedelta(minutes=self.minutes)
        return lease_over(self.at, at, lease)


def lease_over(since: str, at: str, lease: timedelta = LEASE) -> bool:
    """Whether what was given to a person at the time ``since`` may go to others at the time ``at``.

    >>> lease_over("2026-01-01T10:00:00+00:00", "2026-01-01T10:29:59+00:00")
    False
    >>> lease_over("2026-01-01T10:00:00+00:00", "2026-01-01T10:30:00+00:00")
    True
    """
    return datetime.fromisoformat(at) - datetime.fromisoformat(since) >= lease


def page_order(draw: Draw) -> tuple[bool, int]:
    """Sorts the draws of a page as they are drawn, those shown once more last."""
    return draw.repeat, draw.index


class Screens:
    """Folded event by event from the log.

    shown        token -> every draw that was ever put before a person
    released     draws to be answered the first time that were given up and not shown since
    """

    def __init__(self) -> None:
        self.shown: dict[str, Shown] = {}
        self.released: set[int] = set()
        self._open: dict[str, Shown] = {}
        self._taken_back: dict[tuple[int, bool], Event] = {}

    # --- events --------------------------------------------------------------------------------

    def put(self, event: Event, *, repeat: bool) -> None:
        """A draw is put before a person."""
        draw = Draw(
            token=str(event.token),
            item_id=str(event.item_id),
            index=int(event.index or 0),
            stratum=event.stratum,
            batch=int(event.batch or 0),
            repeat=repeat,
        )
        minutes = event.detail.get("minutes")
        shown = Shown(draw, event.annotator, event.at, event.sequence, minutes)
        self.shown[draw.token] = self._open[draw.token] = shown
        if not repeat:
            self.released.discard(draw.index)

    def give_up(self, sequence: int) -> None:
        """What this event put before a person goes back, unanswered."""
        shown = self.given_by(sequence)
        if shown is None:
            return
        del self._open[shown.draw.token]
        if not shown.draw.repeat:
            self.released.add(shown.draw.index)

    def clear(self, index: int, *, repeat: bool, annotator: str | None = None) -> None:
        """Answered: whoever had the item before them has it no more, or only this person."""
        for token, shown in list(self._open.items()):
            mine = annotator in (None, shown.annotator)
            if mine and shown.draw.index == index and shown.draw.repeat == repeat:
                del self._open[token]
        if not repeat:
            self.released.discard(index)

    def close(self, token: str) -> None:
        """Answered too late to count: whoever has this draw before them has it no more."""
        self._open.pop(token, None)

    def take_back(self, event: Event, *, repeat: bool) -> None:
        """An answer is taken back by the person who gave it."""
        self._taken_back[int(event.index or 0), repeat] = event

    # --- questions -----------------------------------------------------------------------------

    def on_screen(self, annotator: str) -> list[Shown]:
        """The open draws of a person, the newest last."""
        return [shown for shown in self._open.values() if shown.annotator == annotator]

    def of_others(self, annotator: str) -> list[Shown]:
        """The open draws of everybody else, the one shown first first."""
        return [shown for shown in self._open.values() if shown.annotator != annotator]

    def given_by(self, sequence: int) -> Shown | None:
        """What this event put before a person, if they still have it."""
        given = (shown for shown in self._open.values() if shown.sequence == sequence)
        return next(given, None)

    def is_open(self, token: str) -> bool:
        """Whether the draw is still on the screen of the person it was given to."""
        return token in self._open

    def indices(self, *, repeat: bool, at: str | None = None) -> set[int]:
        """The draws on somebody's screen, for the first time or to be read again; with ``at`` only
        those still kept for that person then."""
        return {
            shown.draw.index
            for shown in self._open.values()
            if shown.draw.repeat == repeat and not (at and shown.over(at))
        }

    def holder(self, draw: Draw) -> str | None:
        same = (
            shown.annotator
            for shown in self._open.values()
            if (shown.draw.index, shown.draw.repeat) == (draw.index, draw.repeat)
        )
        return next(same, None)

    def expired(self, at: str) -> list[Shown]:
        """The open draws that may go to others, the one shown first first."""
        return [shown for shown in self._open.values() if shown.over(at)]

    def taken_back(self, index: int, *, repeat: bool = False) -> Event | None:
        """The event that took back a first or a second answer to the draw, the last one."""
        return self._taken_back.get((index, repeat))
