"""The log of one project as a session holds it: read, folded, appended to."""

import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from labelcore.errors import AnswerError, BrokenLogError, BrokenLogWarning, SupersededError
from labelcore.log.events import Draw, Event, common, rewritten, sound_part
from labelcore.log.kinds import check, fold, kind_named, take
from labelcore.log.rules import Figures
from labelcore.log.state import LogState
from labelcore.promises import Status
from labelcore.store import (
    ConflictError,
    Contents,
    Copy,
    Difference,
    LabelStore,
    RepeatedTokenError,
    difference,
    identity_of,
    refuse_another,
)
from labelcore.store.base import NO_CONTENTS


def differs(gap: Difference, key: str, events: int) -> str:
    """What is wrong with a log of so many events that follows and is not the one that is known."""
    copy, first = gap.copy, gap.first
    if not first:
        return f"cannot be told from another one: {copy.damage}"
    seal = copy.projects[key].seal
    when = f"{seal.at[:10]} {seal.at[11:16]} UTC"
    if first > events:
        return (
            f"ends at event {events:,}, and had {seal.events:,} on {when}, by {copy.what}: the "
            "others were lost, as when an older copy is put back"
        )
    if first > 1:
        return (
            f"is not the one that was stored until {when}, by {copy.what}: event {first:,} is the "
            "first that is another one"
        )
    return (
        f"is not the one that was stored until {when}, by {copy.what}: it was written anew, or all "
        "of it is missing"
    )


NEWEST = 3
"""Backups that a log is held against when it is opened; ``verify`` takes all."""
Entry = tuple[Event, Contents]


def now() -> str:
    """The present moment, UTC, ISO 8601 with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


LONGEST_ANNOTATOR = 200


def check_characters(argument: str, text: str) -> None:
    """ValueError for text that no file can hold."""
    if "\0" in text:
        raise ValueError(f"{argument} must not hold a NUL character, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{argument} must not hold half of a character, got {text!r}") from None


def check_draw(draw: object) -> None:
    """TypeError for what ``Session.next`` does not give."""
    if not isinstance(draw, Draw):
        raise TypeError(f"draw must be one that next gives, got {draw!r}")


def check_annotator(name: object) -> None:
    """TypeError or ValueError for what cannot be the name of a person."""
    if not isinstance(name, str):
        raise TypeError(f"annotator must be text, got {type(name).__name__}")
    if not name.strip():
        raise ValueError("annotator must be a name that is not empty")
    if len(name) > LONGEST_ANNOTATOR:
        raise ValueError(
            f"annotator must be a name of at most {LONGEST_ANNOTATOR} characters, got {len(name):,}"
        )
    check_characters("annotator", name)


def placed(one: Draw | Event) -> dict[str, Any]:
    """What an event says of the draw that it is about, by the draw or another event about it."""
    return {name: getattr(one, name) for name in ("index", "item_id", "stratum", "batch")}


class Ledger:
    """The log of one project in its store, and the state that it leads to.

    genesis       the hash before the first event
    events        those of the log as read so far
    words         those that the project begins with: the first event of a new log
    broken_at     the first event that does not follow from those before it, or that the log must
                  have by its seal or a backup and has not, 0 for a sound log: it and all after it
                  are left out, and nothing can be added
    stale         whether something was erased in events that were read before: what is known of
                  them here is opened anew
    """

    def __init__(
        self,
        store: LabelStore,
        project: str,
        state: LogState,
        figures: Figures,
        words: Mapping[str, Any],
    ) -> None:
        self.store, self.project, self.state, self.figures = store, project, state, figures
        self._words = words
        self.events: list[Event] = []
        self.broken_at = 0
        self.stale = False
        self._why = ""
        self._held_against_copies = False
        self.genesis = state.hash
        self._identity = identity_of(store.project(project))
        self._lock = threading.RLock()
        self._looking = threading.local()

    @contextmanager
    def one_look(self) -> Iterator[None]:
        """Read the log now, and within the block not again in this thread, unless another session
        was faster to append."""
        before = getattr(self._looking, "now", False)
        self.sync()
        self._looking.now = True
        try:
            yield
        finally:
            self._looking.now = before

    def sync(self) -> None:
        """Take in what other sessions appended, as far as it follows from what is known."""
        if not getattr(self._looking, "now", False):
            self._read()

    def _read(self) -> None:
        with self._lock:
            if self.broken_at:
                return
            last = self.state.sequence
            copies = () if self._held_against_copies else self.store.copies(NEWEST)
            log = self.store.events(self.project, max(last - 1, 0))
            if last and log and log[0].hash != self.state.hash:
                refuse_another(self.store, self.project, self._identity)
            events = log[1:] if last else log
            sound = sound_part(events, self.state.hash, last)
            if len(sound) == len(events):
                sound = self._as_in(copies, sound)
            self._held_against_copies = True
            if last and (gone := rewritten(sound)):
                self._read_again(gone)
            for event in sound:
                take(self.state, event)
                self.events.append(event)
            if len(sound) < len(events) and not self.broken_at:
                self._break_at(last + len(sound) + 1)

    def _read_again(self, numbers: Collection[int]) -> None:
        """Take these events as they stand in the store now, without what was erased in them."""
        self.stale, log = True, self.store.events(self.project)
        for number in numbers:
            if number <= len(self.events):
                self.events[number - 1] = log[number - 1]

    def _as_in(self, copies: Sequence[Copy], log: Sequence[Event]) -> Sequence[Event]:
        """The whole log, held against what is kept outside of it; nothing of one that differs from
        its first event on."""
        if copies and (gap := difference(log, copies, self._identity)):
            first = max(1, gap.first)
            self._break_at(first, differs(gap, self._identity, len(log)))
            return log[: first - 1]
        return log

    def check(self) -> Sequence[Copy]:
        """Read the whole log again: raise BrokenLogError unless it is the one known here, and in
        everything that is kept of it, which is returned."""
        copies: Sequence[Copy] = ()
        with self._lock:
            self._read()
            if not self.broken_at:
                copies = self.store.copies()
                events = self.store.events(self.project)
                sound = sound_part(events, self.genesis)
                mine, its = [event.hash for event in self.events], [event.hash for event in sound]
                same = common(mine, its)
                if same < min(len(mine), len(its)):
                    self._break_at(same + 1)
                elif len(sound) < max(len(events), len(self.events)):
                    self._break_at(len(sound) + 1)
                else:
                    self._as_in(copies, sound)
            self.refuse_broken()
        return copies

    def refuse_broken(self) -> None:
        """Raise BrokenLogError when the log was changed outside Labelcore."""
        if self.broken_at:
            raise self.broken()

    def refuse_superseded(self) -> None:
        """Raise SupersededError where nothing more is labelled."""
        if self.state.engine.plan.superseded:
            raise SupersededError(self.project)

    def broken(self) -> BrokenLogError:
        """What is wrong with the log, where something is."""
        return BrokenLogError(self.project, self.broken_at, self._why)

    def _break_at(self, sequence: int, why: str = "") -> None:
        self.broken_at, self._why = sequence, why
        warnings.warn(str(self.broken()), BrokenLogWarning, stacklevel=2)

    def append(self, build: Callable[[], Entry | None]) -> Event | None:
        """Store the event that ``build`` makes from the present state, durably.

        ``build`` is asked again when another session was faster; it returns None when there is
        nothing to store any more. A token already in the log gives the event stored first. Raises
        what the rules of the event's kind raise when it may not happen now.
        """
        with self._lock:
            self.sync()
            while True:
                self.refuse_broken()
                entry = build()
                if entry is None:
                    return None
                if not kind_named(entry[0].kind).still_said:
                    self.refuse_superseded()
                first = self._words and not self.state.sequence
                if first:
                    words = dict(self._words)
                    entry = self.event("worded", entry[0].annotator, detail=words), {}
                try:
                    self._add([entry[0]], entry[1])
                except ConflictError:
                    self._read()
                    continue
                except RepeatedTokenError as repeated:
                    return self._told(repeated)
                if not first:
                    return self.events[-1]

    def _add(self, events: Sequence[Event], contents: Contents = NO_CONTENTS) -> None:
        """Check these events by the present state, store all or none, and take them in."""
        before, chained = self.state.hash, []
        for place, event in enumerate(events):
            check(self.state, replace(event, sequence=self.state.sequence + 1), self.figures)
            following = replace(event, sequence=self.state.sequence + 1 + place).chained(before)
            chained.append(following)
            before = following.hash
        self.store.append(self.project, chained, contents)
        for event in chained:
            fold(self.state, event)
            self.events.append(event)

    def write_together(self, build: Callable[[], Sequence[Event]]) -> None:
        """As ``write``, for several events, of which none depends on another: all are stored, at
        one moment and in this order, or none."""
        with self._lock:
            self.sync()
            while True:
                self.refuse_broken()
                events = build()
                if not events:
                    return
                self.refuse_superseded()
                try:
                    self._add([replace(event, at=events[0].at) for event in events])
                except ConflictError:
                    self._read()
                    continue
                except RepeatedTokenError as repeated:
                    self._told(repeated)  # What is built next leaves it out.
                    continue
                return

    def _told(self, repeated: RepeatedTokenError) -> Event:
        """The event that has the token already; AnswerError for one of another project."""
        if repeated.project != self.project:
            raise AnswerError(f"{repeated}: make up another one") from repeated
        self._read()
        return repeated.event

    def write(self, build: Callable[[], Event | None]) -> Event | None:
        """As ``append``, for an event that brings no text of an item with it."""

        def entry() -> Entry | None:
            event = build()
            return (event, {}) if event else None

        return self.append(entry)

    def record(self, kind: str, annotator: str, **values: Any) -> None:
        """Write an event that says just this."""
        self.write(lambda: self.event(kind, annotator, **values))

    def spelled(self, annotator: str) -> str:
        """A person's name as the log has it: case and spaces make nobody another person."""
        check_annotator(annotator)
        return self.state.spelled(str(annotator))

    def event(self, kind: str, annotator: str, **values: Any) -> Event:
        """An event that would follow the present ones; a look is nobody's."""
        if kind != "looked":
            annotator = self.spelled(annotator)
        return Event(self.state.sequence + 1, kind, now(), annotator, **values)

    def status(self) -> Status:
        """Where the project stands at the present moment."""
        return self.state.status(now())
