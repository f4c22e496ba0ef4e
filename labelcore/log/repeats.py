"""Which labelled items are shown once more, and what the further answers were.

A repeat is no draw of the design: draws, budget and estimates are what they are without it. An item
is read again when its hash, md5("{seed}|repeat|{id}") as a number in [0, 1), is below its chance:
at random, and the same in a replay. The same person reads again with the plan's share as chance.
With an overlap the hash is md5("{seed}|overlap|{id}"), and each item that it chooses goes to as
many other people as the plan asks for, one after another, never twice to the same; its chance is
larger where the first answer is likelier to be settled otherwise (``log.further_readings``). A
second pass adds the labelled items whose hash is the least part of their chance: as if all chances
had been larger by a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from labelcore.log.events import Event
from labelcore.stats.orders import hash_keys

LATER = "later"
SPACING = 20
"""An item comes again to the same person at the earliest so many items later, unless nothing else
is left to show."""
ANYBODY = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """An item with all that was answered to it.

    first      the answer in force when the first of the others came
    others     in the order given
    complete   whether as many people as the plan asks for have judged it
    chance     with which an item with its first answer came to be read again
    """

    index: int
    first: Event
    others: tuple[Event, ...]
    complete: bool
    chance: float = 1.0

    @property
    def second(self) -> Event:
        return self.others[0]

    @property
    def same_person(self) -> bool:
        return self.first.annotator == self.second.annotator

    @property
    def answers(self) -> tuple[Event, ...]:
        return (self.first, *self.others)

    @property
    def sequences(self) -> list[int]:
        """The numbers of the answers in the log."""
        return [answer.sequence for answer in self.answers]

    @property
    def differs(self) -> bool:
        """Whether any two answers differ; "unsure" or "broken" differs from every class."""
        return len({answer.label for answer in self.answers}) > 1


@dataclass(slots=True)
class Repeats:
    """The state of the further readings.

    readers   how many answers an item gets that is read again, the first one included
    others    whether each of them is to come from another person: an overlap
    chance_of  (draw, first answer) -> the chance that it is read again; None: the share for all
    due       draws to be read again -> the number of answers there were when each got its label
    owed      draws whose further answer was taken back, oldest first
    """

    seed: int
    share: float
    readers: int = 2
    others: bool = False
    chance_of: Callable[[int, Event], float] | None = field(default=None, compare=False)
    due: dict[int, int] = field(default_factory=dict)
    owed: list[int] = field(default_factory=list)
    _answers: int = 0
    _first: dict[int, Event] = field(default_factory=dict)
    _gave_first: dict[int, set[str]] = field(default_factory=dict)
    _factor: dict[int, float] = field(default_factory=dict)
    _further: dict[int, dict[str, tuple[Event, Event]]] = field(default_factory=dict)

    # --- events --------------------------------------------------------------------------------

    def put_first(self, index: int, answers: Sequence[Event]) -> None:
        """Take in the first answers that the draw has now, the last one in force."""
        first = answers[-1] if answers and answers[-1].kind == "labelled" else None
        if first is not None:
            self._first[index] = first
        else:
            self._first.pop(index, None)
        if self.others:
            self._gave_first[index] = {vote.annotator for vote in answers if vote.kind != "later"}
        for person, (held, further) in list(self._further.get(index, {}).items()):
            if held in answers:
                continue
            if self.others and first is not None and person not in self._gave_first[index]:
                self._further[index][person] = first, further
            elif first is not None or not self.others:
                del self._further[index][person]
        self._set_due(index)

    def count_answer(self) -> None:
        """One more answer, a first or a second one: what is due comes nearer."""
        self._answers += 1

    def show(self, index: int) -> None:
        """The item is put before somebody once more."""
        if index in self.owed:
            self.owed.remove(index)

    def answer(self, event: Event) -> None:
        """Put a further answer in force, where it is held against the label it was asked for."""
        index = int(event.index or 0)
        both = self._first[index], event
        self._further.setdefault(index, {})[self._slot(event.annotator)] = both
        self.due.pop(index, None)  # After "later" it is the last one again.
        self._set_due(index)

    def take_back(self, index: int, annotator: str) -> None:
        """Take a further answer back: the item is shown again next."""
        del self._further[index][self._slot(annotator)]
        self._set_due(index)
        if index in self.due:
            self.owed.append(index)

    def ask(self, items: int) -> None:
        """A second pass: so many more of the labelled items, or all there are."""
        free = [index for index in self._first if not self._chosen(index)]
        chosen = sorted(free, key=lambda index: (self._place_of(index), index))[:items]
        if not chosen:
            return
        everything = len(chosen) == len(free)
        factor = np.inf if everything else self._place_of(chosen[-1])
        for index in self._first:
            self._factor[index] = max(factor, self._factor.get(index, 0.0))
        for index in chosen:
            self._set_due(index)

    def copied(self) -> Repeats:
        """The same state, to be changed apart from this one."""
        return replace(
            self,
            due=dict(self.due),
            owed=list(self.owed),
            _first=dict(self._first),
            _gave_first=dict(self._gave_first),
            _factor=dict(self._factor),
            _further={index: dict(each) for index, each in self._further.items()},
        )

    # --- questions -----------------------------------------------------------------------------

    def ready(self, annotator: str, *, anything: bool = False) -> list[int]:
        """The draws that this person may be shown again now, the first due first: those taken back,
        those that lie far enough behind; with ``anything`` every one that is due. Of an overlap
        those that the person has not judged, and has not put off a short while ago."""
        near = {index for index, at in self.due.items() if self._is_near(index, at, annotator)}
        now = [index for index in self.due if anything or index not in near]
        draws = dict.fromkeys([*self.owed, *now])
        return [index for index in draws if annotator not in self.judges(index)]

    def _is_near(self, index: int, at: int, annotator: str) -> bool:
        waits = not self.others or annotator in self._further.get(index, {})
        return waits and self._answers - at < SPACING

    def judges(self, index: int) -> set[str]:
        """Who must not judge the item once more; nobody where it may be the same person."""
        if not self.others:
            return set()
        done = {person for person, both in self._given(index).items() if both[1].text != LATER}
        return self._gave_first.get(index, set()) | done

    def wanted_of(self, index: int, annotator: str) -> bool:
        """Whether the item waits for one more answer, which this person may give."""
        return index in self.due and annotator not in self.judges(index)

    def first(self, index: int) -> Event | None:
        """The label in force that a further answer now would be held against."""
        return self._first.get(index)

    def further(self, index: int, annotator: str) -> Event | None:
        """The further answer in force, of this person where there may be several; "later" too."""
        both = self._further.get(index, {}).get(self._slot(annotator))
        return None if both is None else both[1]

    def in_force(self, event: Event) -> bool:
        """Whether a further answer counts, or was put off for later and not answered since."""
        answer = self.further(int(event.index or 0), event.annotator)
        return answer is not None and answer.sequence == event.sequence

    def judged(self) -> list[Judged]:
        """Every item read again, in the order of the first of the further answers."""
        judged = []
        for index in self._further:
            given = sorted(self._given(index).values(), key=lambda both: both[1].sequence)
            done = [both for both in given if both[1].text != LATER]
            if done:
                others = tuple(further for _, further in done)
                complete = len(others) >= self.readers - 1
                first = done[0][0]
                judged.append(Judged(index, first, others, complete, self._chance(index, first)))
        return sorted(judged, key=lambda judged_item: judged_item.others[0].sequence)

    def put_off(self) -> list[Judged]:
        """Items that somebody was to judge as well and put off for later, in the order drawn: no
        random part of those that wait."""
        put_off = []
        for index in sorted(self.due):
            given = list(self._given(index).values())
            if any(further.text == LATER for _, further in given):
                first = given[0][0]
                put_off.append(Judged(index, first, (), False, self._chance(index, first)))
        return put_off

    def readings(self) -> list[Judged]:
        """Every item read twice, by its first two answers, in the order of the second ones."""
        return [replace(judged, others=judged.others[:1]) for judged in self.judged()]

    @property
    def answered(self) -> int:
        """How many further answers were given."""
        return sum(len(item.others) for item in self.judged())

    def free(self) -> int:
        """Labelled items that a second pass could still add."""
        return sum(not self._chosen(index) for index in self._first)

    def _given(self, index: int) -> dict[str, tuple[Event, Event]]:
        """The further answers that are held against a label; none while the first is taken back."""
        return self._further.get(index, {}) if index in self._first else {}

    def _slot(self, annotator: str) -> str:
        return annotator if self.others else ANYBODY

    def _chosen(self, index: int) -> bool:
        return self._place_of(index) <= self._reach(index)

    def _reach(self, index: int) -> float:
        """Up to which part of its chance the hash of an item may be; a little under 1 where nobody
        asked for more, and under 0 where nothing is read again unless somebody asks."""
        return self._factor.get(index, np.nextafter(1.0, 0.0) if self.share > 0 else -1.0)

    def _place_of(self, index: int) -> float:
        """The item's hash as a part of its chance."""
        return self._share_of(index) / self._chance_by_plan(index, self._first[index])

    def _chance(self, index: int, first: Event) -> float:
        """The chance of an item that was read again."""
        return min(self._chance_by_plan(index, first) * self._factor.get(index, 1.0), 1.0)

    def _chance_by_plan(self, index: int, first: Event) -> float:
        if self.chance_of is not None:
            return self.chance_of(index, first)
        return self.share or 1.0

    def _set_due(self, index: int) -> None:
        given = self._given(index).values()
        open_ = sum(further.text != LATER for _, further in given) < self.readers - 1
        if not (open_ and index in self._first and self._chosen(index)):
            self.due.pop(index, None)
            self.show(index)
        elif index not in self.due:
            self.due[index] = self._answers

    def _share_of(self, index: int) -> float:
        """The item's hash as a number in [0, 1)."""
        purpose = "overlap" if self.others else "repeat"
        key = hash_keys(self.seed, purpose, [str(self._first[index].item_id)])
        return float(key[0, 0]) / 2.0**64
