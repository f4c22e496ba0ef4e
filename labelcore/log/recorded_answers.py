"""The answers of a log, as far as it tells of them without its file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labelcore.log.events import Event
from labelcore.log.repeats import Judged, Repeats

NOWHERE = -1
"""The position of an item whose file is not open."""


@dataclass(slots=True)
class Asked:
    """One drawn item and the answers it got; the last of ``answers`` is in force."""

    position: int
    stratum: int
    batch: int
    answers: list[Event] = field(default_factory=list)


class Book:
    """Draws, answers in force and the course of a session, kept by what happens to them.

    kinds      how many answers of each kind are in force
    replans    sizes that were forecast anew in the pilot of a margin plan, each with the labels
               to which the pilot goes on, 0 where it has ended
    recuts     what was recorded when strata were cut once more, at most one
    sought     (items drawn, required precision) of each further choice that labels are asked for
    limit      how many items may be drawn; without the file 0 until the session is extended
    settled    draw -> what was last said to count for an item that people judge differently
    overruled  draws of which two people said differently what counts
    version    counts what has changed any answer
    """

    def __init__(self, repeats: Repeats | None = None) -> None:
        self.sequence = 0
        self.asked: list[Asked] = []
        self.kinds: Counter[str] = Counter()
        self.repeats = repeats or Repeats(0, 0.0)
        self.settled: dict[int, Event] = {}
        self.overruled: set[int] = set()
        self.version = 0
        self.limit = 0
        self.replans: tuple[tuple[int, int], ...] = ()
        self.recuts: tuple[Mapping[str, Any], ...] = ()
        self.sought: tuple[tuple[int, float], ...] = ()
        self.extended = self.finished = self.stopped = False

    # --- what happens --------------------------------------------------------------------------

    def draw(self, event: Event) -> None:
        """An item is put before somebody, for the first time or once more."""
        if int(event.index or 0) > len(self.asked):
            self.asked.append(Asked(NOWHERE, 0, 0))  # Only the file tells where it lies.

    def answer(self, index: int, event: Event) -> None:
        """Put an answer in force for the item with this index."""
        self._count(index, -1)
        self.asked[index - 1].answers.append(event)
        self._put_in(index)

    def first_answer(self, index: int, event: Event) -> None:
        """An answer that somebody gave: put it in force, and count it for the second readings."""
        self.answer(index, event)
        self.repeats.put_first(index, self.asked[index - 1].answers)
        self.repeats.count_answer()

    def further_answer(self, event: Event) -> None:
        """A further answer that somebody gave: put it in force, and count it."""
        self.repeats.count_answer()
        self.repeats.answer(event)
        self.version += 1

    def undo_further(self, index: int, annotator: str) -> None:
        """Take back the further answer of this person."""
        self.repeats.take_back(index, annotator)
        self.version += 1

    def settle(self, event: Event) -> None:
        """Say what counts for an item that people judge differently."""
        index = int(event.index or 0)
        before = self.settled.get(index, event)
        otherwise = before.label != event.label and before.annotator != event.annotator
        if otherwise and before.detail == event.detail:
            self.overruled.add(index)
        self.settled[index] = event
        self.version += 1

    def retract(self, index: int) -> None:
        """Take back the answer in force; the one before it, if any, is in force again."""
        self._count(index, -1)
        self.asked[index - 1].answers.pop()
        self._put_in(index)

    def undo(self, index: int) -> None:
        """Take back the answer in force; whether to stop is asked anew."""
        self.retract(index)
        self.stopped = False

    def extend(self, budget: int, estimand: str | None = None, group: str | None = None) -> None:
        """Go on until so many items in all; for which figure, and of which group."""
        self.limit, self.extended, self.finished = budget, True, False

    def seek(self, precision: float, budget: int) -> None:
        """Go on within so many items until the choice at another required precision is made."""
        self.sought = (*self.sought, (len(self.asked), precision))
        self.limit = budget
        self.extended = self.finished = self.stopped = False

    def replan(self, planned: int, pilot: int = 0) -> None:
        """The size was forecast anew, and the pilot goes on to so many labels unless 0."""
        self.replans = (*self.replans, (planned, pilot))
        self.version += 1

    def cut_anew(self, told: Mapping[str, Any]) -> None:
        """The labels so far have cut strata once more, or had nothing to say of them."""
        self.recuts = (*self.recuts, told)
        self.version += 1

    def _put_in(self, index: int) -> None:
        self._count(index, 1)

    def _count(self, index: int, number: int) -> None:
        event = self.in_force(index)
        if event is not None:
            self.kinds[event.kind] += number

    # --- questions -----------------------------------------------------------------------------

    @property
    def replanned(self) -> int:
        """The size that was forecast anew last; 0 before."""
        return self.replans[-1][0] if self.replans else 0

    @property
    def pilot_until(self) -> int:
        """The labels to which a pilot goes on that told too little; 0 where none does."""
        return self.replans[-1][1] if self.replans else 0

    @property
    def ended(self) -> bool:
        """Whether it is over whatever its limit: finished, or stopped and not extended since."""
        return self.finished or (self.stopped and not self.extended)

    def in_force(self, index: int) -> Event | None:
        """The answer that counts for the item with this index; None if there is none."""
        answers = self.asked[index - 1].answers
        return answers[-1] if answers else None

    def answered(self, index: int) -> bool:
        """Whether the item has a class, or was called unsure or broken."""
        event = self.in_force(index)
        return event is not None and event.kind != "later"

    def settlement(self, one: Judged) -> Event | None:
        """What was said to count for an item; None where nothing was, or one of the answers that it
        was said of was taken back. A first answer changed after the others leaves it."""
        settled = self.settled.get(one.index)
        stands = settled is not None and settled.detail.get("answers") == one.sequences
        return settled if stands else None

    @property
    def answers_given(self) -> int:
        """Items with a class, unsure or broken: what the budget counts."""
        return self.kinds["labelled"] + self.kinds["unsure"] + self.kinds["broken"]
