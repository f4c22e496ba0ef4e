"""The state of a log: everything that is known after its first so many events."""

import json
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from labelcore.errors import AnswerError
from labelcore.log.engine import Engine
from labelcore.log.events import SALTED, Draw, Event
from labelcore.log.people import folded
from labelcore.log.recorded_answers import Asked, Book
from labelcore.log.screens import Screens, Shown
from labelcore.promises import Status


class ErasedItems(set[str]):
    """Items whose text is gone; with ``everything`` those too that no draw has named."""

    everything = False

    def __contains__(self, item: object) -> bool:
        return self.everything or super().__contains__(item)


class LogState:
    """One moment of a session. ``labelcore.log.kinds`` says what each kind of event does to it.

    book          draws and answers in force; with the file it is the engine
    screens       which draws were put before whom, and who has which one now
    answered      token -> the event that answered it
    last_save     when an answer was given or taken back last, a second one too
    stop_reason   the rules that ended the session last, "" where none did
    last_answer   sequence number of the last answer or undo
    looked_after  the last answer or undo that a recorded look has seen
    looks         the recorded looks in order: labels, draws, results by key, and when ("at")
    worded        whether the log has the words that the project began with: those of older projects
                  stand beside it
    words         words of the project as the log has them last, by name
    texts         item -> the digest of its text, as its draw recorded it
    changed       items that were another row in their source when they were drawn
    erased        items whose text is gone since
    changed_run   how many of them were drawn last, one after another
    marks         kind -> draw -> the last event of that kind about it, such as a note
    events        how many events of each kind there were
    names         those of the people, by what the ways to write a name share, the first one first
    hash          that of the last event, or ``start`` before the first
    """

    def __init__(self, book: Book, start: str = "") -> None:
        self.book = book
        self.screens = Screens()
        self.answered: dict[str, Event] = {}
        self.last_save: str | None = None
        self.stop_reason = ""
        self.last_answer = 0
        self.looked_after = 0
        self.looks: list[dict[str, Any]] = []
        self.worded = False
        self.words: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.changed: set[str] = set()
        self.erased = ErasedItems()
        self.changed_run = 0
        self.marks: defaultdict[str, dict[int, Event]] = defaultdict(dict)
        self.events: Counter[str] = Counter()
        self.names: dict[str, list[str]] = {}
        self.hash = start

    def settings(self, beside: str) -> dict[str, Any]:
        """The words of the project now.

        beside   JSON text of those that it began with, where its log has them not
        """
        salted = next(iter(self.texts.values()), "").startswith(SALTED)
        if self.worded or salted:  # Salted texts: of a version that leaves no words beside the log.
            return dict(self.words)
        return {**json.loads(beside), **self.words}

    @property
    def sequence(self) -> int:
        """The number of the last event."""
        return self.book.sequence

    @property
    def engine(self) -> Engine:
        """What draws and computes, with the file. Raises TypeError where the file is not open."""
        if not isinstance(self.book, Engine):
            raise TypeError("the file of the items is not open")
        return self.book

    def passed(self, event: Event) -> None:
        """The event has done all that it does: the next one follows it."""
        self.events[event.kind] += 1
        if event.annotator not in (names := self.names.setdefault(folded(event.annotator), [])):
            names.append(event.annotator)
        self.book.sequence = event.sequence
        self.hash = event.hash

    def further_saved(self, event: Event) -> None:
        """A further answer, or what was settled, is stored; with an overlap figures rest on it."""
        self.last_save = event.at
        if self.book.repeats.others:
            self.last_answer = event.sequence

    # --- questions -----------------------------------------------------------------------------

    def asked(self, index: int | None) -> Asked:
        """The drawn item with this index. Raises AnswerError if there is none."""
        if not isinstance(index, (int, np.integer)) or not 1 <= index <= len(self.book.asked):
            raise AnswerError(f"draw {index!r} was never drawn")
        return self.book.asked[index - 1]

    def lost(self, item: str) -> bool:
        """Whether nobody can judge an item any more."""
        return item in self.changed or item in self.erased

    def in_force(self, event: Event) -> bool:
        """Whether an answer, a first or a second one, was neither taken back nor changed."""
        if event.kind == "reread":
            return self.book.repeats.in_force(event)
        if event.answers is None or event.kind == "late":
            return False
        force = self.book.in_force(int(event.index or 0))
        return force is not None and force.sequence == event.sequence

    def said(self, kind: str, index: int) -> str:
        """The text of the last event of a kind about a draw, "" where there is none."""
        mark = self.marks[kind].get(index)
        return (mark.text or "") if mark else ""

    def flagged(self, index: int) -> bool:
        """Whether the draw is to be looked at again."""
        return self.said("flagged", index) == "yes"

    def cause(self, index: int) -> str:
        """Why the answer in force and a classifier differ, "" where nobody said."""
        cause, force = self.marks["explained"].get(index), self.book.in_force(index)
        return (cause.text or "") if cause and force and cause.previous == force.sequence else ""

    def spelled(self, annotator: str) -> str:
        """A person's name as the log has it, however it is written here."""
        known = self.names.get(folded(annotator), [annotator])
        return annotator if annotator in known else known[0]

    def on_screen(self, annotator: str) -> list[Draw]:
        """A person's open draws, without repeats whose first answer was taken back since."""
        wanted = self.book.repeats.wanted_of
        stack = (shown.draw for shown in self.screens.on_screen(annotator))
        return [draw for draw in stack if not draw.repeat or wanted(draw.index, annotator)]

    def elsewhere(self, annotator: str) -> list[Shown]:
        """What others have on the screen and this person could judge, the one shown first first."""
        engine = self.engine
        again = engine.repeats.ready(annotator, anything=True)
        return [
            shown
            for shown in self.screens.of_others(annotator)
            if (shown.draw.index in again if shown.draw.repeat else not engine.ended)
        ]

    def last_said(self, draw: Draw, kind: str) -> str:
        """The text of the last event of a kind about an item; of one that is shown a second time
        only since then: what was said before would tell that it is known."""
        mark = self.marks[kind].get(draw.index)
        since = self.screens.shown[draw.token].sequence if draw.repeat else 0
        return (mark.text or "") if mark is not None and mark.sequence > since else ""

    def status(self, at: str) -> Status:
        """Where the project stands: "open" while there is something to label for whoever comes,
        "waiting" while only items on somebody's screen are left that are still kept for them."""
        engine, screens = self.engine, self.screens
        if engine.plan.superseded:
            return Status.SUPERSEDED
        if engine.finished:
            return Status.FINISHED
        if set(engine.repeats.due) - screens.indices(repeat=True, at=at):
            return Status.OPEN
        shown = screens.indices(repeat=False, at=at)
        if engine.stopped and not engine.extended:
            return Status.WAITING if shown else Status.GOAL_REACHED
        if engine.has_more:
            return Status.OPEN
        if waiting := set(engine.waiting_indices()):
            return Status.WAITING if waiting <= shown else Status.OPEN
        return Status.EXHAUSTED if len(engine.asked) >= engine.most else Status.BUDGET_USED

    def going_on(self, at: str) -> bool:
        """Whether labels are still to come by the plan."""
        return self.status(at) in (Status.OPEN, Status.WAITING)
