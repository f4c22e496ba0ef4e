"""Which labelled items are shown a second time, and what the second answers were.

A repeat is no draw of the design: draws, budget and estimates are what they are without it. An item
is read again when its hash, md5("{seed}|repeat|{id}") as a number in [0, 1), is below the plan's
share: at random, and the same in a replay. A second pass adds the labelled items of lowest hash
that are not read again already, so that all of them are a random part of the labelled ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from labelcore.log.events import Event
from labelcore.stats.orders import hash_keys

LATER = "later"
SPACING = 20
"""An item comes again at the earliest so many items later, unless nothing else is left to show."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An item that was answered twice; ``first`` is the answer in force when the second came."""

    index: int
    first: Event
    second: Event

    @property
    def differs(self) -> bool:
        """Whether the second answer was another one; a second "unsure" or "broken" is another."""
        return self.first.label != self.second.label

    @property
    def same_person(self) -> bool:
        return self.first.annotator == self.second.annotator


@dataclass(slots=True)
class Repeats:
    """The state of the second readings.

    due      draws to be read again -> the number of answers there were when each got its label
    owed     draws whose second answer was taken back, oldest first
    """

    seed: int
    share: float
    due: dict[int, int] = field(default_factory=dict)
    owed: list[int] = field(default_factory=list)
    _answers: int = 0
    _first: dict[int, Event] = field(default_factory=dict)
    _asked_for: set[int] = field(default_factory=set)
    _second: dict[int, tuple[Event, Event]] = field(default_factory=dict)

    # --- events --------------------------------------------------------------------------------

    def settle(self, index: int, answers: Sequence[Event]) -> None:
        """Take in the first answers that the draw has now, the last one in force."""
        if answers and answers[-1].kind == "labelled":
            self._first[index] = answers[-1]
        else:
            self._first.pop(index, None)
        second = self._second.get(index)
        if second is not None and second[0] not in answers:
            del self._second[index]
        self._set_due(index)

    def count_answer(self) -> None:
        """One more answer, a first or a second one: what is due comes nearer."""
        self._answers += 1

    def show(self, index: int) -> None:
        """The item is put before somebody a second time."""
        if index in self.owed:
            self.owed.remove(index)

    def answer(self, event: Event) -> None:
        """Put a second answer in force, where it is held against the label it was asked for."""
        index = int(event.index or 0)
        first = self._first.get(index)
        if first is None or first.sequence != event.previous:
            return
        self._second[index] = (first, event)
        self.due.pop(index, None)  # After "later" it is the last one again.
        self._set_due(index)

    def take_back(self, index: int) -> None:
        """Take a second answer back: the item is shown again next."""
        del self._second[index]
        self._set_due(index)
        if index in self.due:
            self.owed.append(index)

    def ask(self, items: int) -> None:
        """A second pass: so many more of the labelled items, or all there are."""
        free = [index for index in self._first if not self._chosen(index)]
        for index in sorted(free, key=lambda one: (self._share_of(one), one))[:items]:
            self._asked_for.add(index)
            self._set_due(index)

    def copied(self) -> Repeats:
        """The same state, to be changed apart from this one."""
        return replace(
            self,
            due=dict(self.due),
            owed=list(self.owed),
            _first=dict(self._first),
            _asked_for=set(self._asked_for),
            _second=dict(self._second),
        )

    # --- questions -----------------------------------------------------------------------------

    def ready(self, *, anything: bool = False) -> list[int]:
        """The draws that may be shown again now, the first due first: those taken back, those that
        lie far enough behind; with ``anything`` every one that is due."""
        far = [index for index, at in self.due.items() if self._answers - at >= SPACING]
        return list(dict.fromkeys([*self.owed, *far, *(self.due if anything else ())]))

    def first(self, index: int) -> Event | None:
        """The label in force that a second answer now would be held against."""
        return self._first.get(index)

    def second(self, index: int) -> Event | None:
        """The second answer in force, "later" too."""
        found = self._second.get(index)
        return None if found is None else found[1]

    def in_force(self, event: Event) -> bool:
        """Whether a second answer counts, or was put off for later and not answered since."""
        second = self.second(int(event.index or 0))
        return second is not None and second.sequence == event.sequence

    def readings(self) -> list[Reading]:
        """Every item read twice, in the order of the second answers."""
        found = [Reading(index, *both) for index, both in self._second.items()]
        return sorted((one for one in found if one.second.text != LATER), key=_place)

    @property
    def answered(self) -> int:
        """How many items were answered a second time."""
        return sum(second.text != LATER for _, second in self._second.values())

    def free(self) -> int:
        """Labelled items that a second pass could still add."""
        return sum(not self._chosen(index) for index in self._first)

    def _chosen(self, index: int) -> bool:
        drawn = self.share > 0 and self._share_of(index) < self.share
        return drawn or index in self._asked_for

    def _set_due(self, index: int) -> None:
        second = self._second.get(index)
        open_ = second is None or second[1].text == LATER
        if not (open_ and index in self._first and self._chosen(index)):
            self.due.pop(index, None)
            self.show(index)
        elif index not in self.due:
            self.due[index] = self._answers

    def _share_of(self, index: int) -> float:
        """The item's hash as a number in [0, 1)."""
        key = hash_keys(self.seed, "repeat", [str(self._first[index].item_id)])
        return float(key[0, 0]) / 2.0**64


def _place(reading: Reading) -> int:
    return reading.second.sequence
