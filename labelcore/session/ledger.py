"""The log of one project as a session holds it: read, applied to the engine, appended to."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from labelcore.errors import BrokenLogError, BrokenLogWarning
from labelcore.log.engine import Engine
from labelcore.log.events import ANSWER_KINDS, Draw, Event, sound_part
from labelcore.log.screens import Screens
from labelcore.store import ConflictError, LabelStore, RepeatedTokenError

Entry = tuple[Event, Mapping[str, Mapping[str, str]]]


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


class Ledger:
    """Events applied so far, and what a session needs to know about them at once.

    screens       which draws were put before whom, and who has which one now
    answered      token -> the event that answered it
    last_answer   sequence number of the last answer or undo
    looked_after  the last answer or undo that a recorded look has seen
    reworded      words of the project as they were mended last, by name
    texts         item -> the digest of its text, as its draw recorded it
    broken_at     the first event that does not follow from those before it, 0 for a sound log: it
                  and all after it are left out, and nothing can be added
    looks         the recorded looks in order: labels, draws, results by key, and when ("at")
    """

    def __init__(self, store: LabelStore, project: str, engine: Engine, genesis: str) -> None:
        self.store, self.project, self.engine = store, project, engine
        self.events: list[Event] = []
        self.screens = Screens()
        self.answered: dict[str, Event] = {}
        self.last_answer = 0
        self.looked_after = 0
        self.reworded: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.broken_at = 0
        self.looks: list[dict[str, Any]] = []
        self._said: dict[tuple[str, int], Event] = {}
        self._genesis = self._hash = genesis
        self._lock = threading.RLock()

    def sync(self) -> None:
        """Take in what other sessions appended, as far as it follows from what is known."""
        with self._lock:
            if self.broken_at:
                return
            last = self.engine.sequence
            found = self.store.events(self.project, last)
            sound = sound_part(found, self._hash, last)
            for event in sound:
                self._take(event)
            if len(sound) < len(found):
                self._break_at(last + len(sound) + 1)

    def check(self) -> None:
        """Read the whole log again: raise BrokenLogError unless it is the one known here."""
        with self._lock:
            self.sync()
            if not self.broken_at:
                found = self.store.events(self.project)
                sound = sound_part(found, self._genesis)
                same = [
                    mine.hash == its.hash for mine, its in zip(self.events, sound, strict=False)
                ]
                if not all(same):
                    self._break_at(same.index(False) + 1)
                elif len(sound) < max(len(found), len(self.events)):
                    self._break_at(len(sound) + 1)
            self.refuse_broken()

    def refuse_broken(self) -> None:
        """Raise BrokenLogError when the log was changed outside Labelcore."""
        if self.broken_at:
            raise BrokenLogError(self.project, self.broken_at)

    def _break_at(self, sequence: int) -> None:
        self.broken_at = sequence
        said = str(BrokenLogError(self.project, sequence))
        warnings.warn(said, BrokenLogWarning, stacklevel=2)

    def append(self, build: Callable[[], Entry | None]) -> Event | None:
        """Store the event that ``build`` makes from the present state, durably.

        ``build`` is asked again when another session was faster; it returns None when there is
        nothing to store any more. A token already in the log gives the event stored first.
        """
        with self._lock:
            while True:
                self.sync()
                self.refuse_broken()
                made = build()
                if made is None:
                    return None
                event = made[0].chained(self._hash)
                try:
                    self.store.append(self.project, [event], made[1])
                except ConflictError:
                    continue
                except RepeatedTokenError as repeated:
                    self.sync()
                    return repeated.event
                self._take(event)
                return event

    def event(self, kind: str, annotator: str, **values: Any) -> Event:
        """An event that would follow the present ones; a look is nobody's."""
        if kind != "looked":
            check_annotator(annotator)
        return Event(self.engine.sequence + 1, kind, now(), annotator, **values)

    def on_screen(self, annotator: str) -> list[Draw]:
        """A person's open draws, without repeats whose first answer was taken back since."""
        due = self.engine.repeats.due
        stack = (one.draw for one in self.screens.on_screen(annotator))
        return [draw for draw in stack if not draw.repeat or draw.index in due]

    def last_said(self, draw: Draw, kind: str) -> str:
        """The text of the last "noted" or "flagged" about an item; of one that is shown a second
        time only since then: what was said before would tell that it is known."""
        said = self._said.get((kind, draw.index))
        since = self.screens.shown[draw.token].sequence if draw.repeat else 0
        return (said.text or "") if said is not None and said.sequence > since else ""

    def status(self) -> str:
        """Where the project stands: "open" while there is something to label for whoever comes,
        "waiting" while only items on somebody's screen are left that are still kept for them."""
        engine, screens, at = self.engine, self.screens, now()
        if engine.finished:
            return "finished"
        if set(engine.repeats.due) - screens.indices(repeat=True, at=at):
            return "open"
        shown = screens.indices(repeat=False, at=at)
        if engine.stopped and not engine.extended:
            return "waiting" if shown else "goal reached"
        if engine.has_more:
            return "open"
        if waiting := set(engine.waiting_indices()):
            return "waiting" if waiting <= shown else "open"
        return "exhausted" if len(engine.asked) >= engine.most else "budget used"

    def _take(self, event: Event) -> None:
        self.engine.apply(event)
        self.events.append(event)
        self._hash = event.hash
        self.screens.take(event)
        if event.answers is not None:
            self.answered[event.answers] = event
        elif event.kind == "looked":
            self.looked_after = int(event.detail.get("after", 0))
            self.looks.append({**event.detail, "at": event.at})
        elif event.kind in ("noted", "flagged"):
            self._said[event.kind, int(event.index or 0)] = event
        elif event.kind == "reworded":
            self.reworded.update(event.detail)
        elif event.kind == "drawn" and "content" in event.detail:
            self.texts[str(event.item_id)] = str(event.detail["content"])
        if event.kind in ANSWER_KINDS or event.kind == "undone":
            self.last_answer = event.sequence
