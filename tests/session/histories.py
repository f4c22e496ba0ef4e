"""Histories of up to four people on one project, each step held against a simple model.

The model knows no event and no engine: who has which item since when, who said what last, and the
few rules that a person could be told. Everything that a session says is compared with it, at the
end also what another reading of the store says.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import labelcore as lc
from labelcore.errors import AnswerError, LateAnswerError
from labelcore.log.events import Draw, Event, answer_word
from labelcore.log.history import state_at
from labelcore.log.screens import LEASE
from labelcore.population import Population
from labelcore.replay import replay
from labelcore.session import drawing, ledger
from labelcore.session import session as whole
from labelcore.store import LabelStore, MemoryStore, open_store
from tests import columns
from tests.contracts.test_stores import ADDRESSES

PEOPLE = ("ann", "bob", "eve", "kim")
ITEMS, BUDGET, SEED = 9, 5, 3
FINAL = ("yes", "no", "unsure", "broken")
TAKEN_MINUTES = 5
REPLAYED_IN = 40
"""Of so many histories one is replayed with all its figures."""


class Clock:
    """The time that sessions write and compare; it stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 5, 1, 9, tzinfo=UTC)

    def now(self) -> str:
        self.moment += timedelta(microseconds=1)
        return self.moment.isoformat(timespec="microseconds")

    def pass_by(self, time: timedelta) -> None:
        self.moment += time


@cache
def items() -> Population:
    scores = {"m": [n / ITEMS for n in range(ITEMS)]}
    return columns.items(text=[f"text {n}" for n in range(ITEMS)], scores=scores,
                         thresholds={"m": 0.5})  # fmt: skip


# --- the model ------------------------------------------------------------------------------------


@dataclass
class Held:
    """An item before a person."""

    person: str
    index: int
    repeat: bool
    since: datetime
    lease: timedelta = LEASE


@dataclass
class Said:
    """An answer that counts, or did."""

    person: str
    word: str
    sequence: int

    @property
    def label(self) -> str | None:
        return self.word if self.word in ("yes", "no") else None


@dataclass
class Model:
    """What people have before them and what they said.

    share, readers   of the overlap
    limit            how many items may be drawn
    open             token -> what is before somebody
    seen             token -> draw and person, of everything that was ever shown
    spoken           token -> (kind, word), what came of it
    firsts           index -> first answers not taken back, the last in force
    others           index -> person -> the further answer
    undone           (index, repeat) -> who took an answer back last, and when
    waits            those of them that the person has not been shown again
    settled          index -> the answers that somebody's word was about
    chance_of        index -> the share, or what the engine made of it for a later batch
    """

    share: float
    readers: int
    chance_of: Callable[[int], float]
    limit: int = BUDGET
    drawn: int = 0
    finished: bool = False
    ids: dict[int, str] = field(default_factory=dict)
    open: dict[str, Held] = field(default_factory=dict)
    seen: dict[str, tuple[Draw, str]] = field(default_factory=dict)
    spoken: dict[str, tuple[str, str]] = field(default_factory=dict)
    firsts: dict[int, list[Said]] = field(default_factory=dict)
    others: dict[int, dict[str, Said]] = field(default_factory=dict)
    undone: dict[tuple[int, bool], tuple[str, datetime]] = field(default_factory=dict)
    waits: set[tuple[int, bool]] = field(default_factory=set)
    settled: dict[int, list[int]] = field(default_factory=dict)

    # --- questions ---

    def force(self, index: int) -> Said | None:
        said = self.firsts.get(index)
        return said[-1] if said else None

    def final(self, index: int) -> bool:
        said = self.force(index)
        return said is not None and said.word != "later"

    def labelled(self, index: int) -> bool:
        said = self.force(index)
        return said is not None and said.label is not None

    def further(self, index: int) -> list[Said]:
        """The further answers that count, in the order given."""
        if not self.labelled(index):
            return []
        found = [one for one in self.others.get(index, {}).values() if one.word != "later"]
        return sorted(found, key=lambda one: one.sequence)

    def judged_by(self, index: int) -> set[str]:
        firsts = {one.person for one in self.firsts.get(index, []) if one.word != "later"}
        return firsts | {one.person for one in self.further(index)}

    def chosen(self, index: int) -> bool:
        text = f"{SEED}|overlap|{self.ids[index]}"
        place = int.from_bytes(hashlib.md5(text.encode()).digest()[:8]) / 2.0**64
        return bool(self.share) and place < self.chance_of(index)

    def wanted(self, index: int) -> bool:
        """Whether one more person is to judge the item."""
        enough = len(self.further(index)) >= self.readers - 1
        return self.labelled(index) and self.chosen(index) and not enough

    def sequences(self, index: int) -> list[int]:
        first = self.force(index)
        assert first is not None
        return [first.sequence, *[one.sequence for one in self.further(index)]]

    def unsettled(self) -> set[int]:
        found = set()
        for index in self.firsts:
            further = self.further(index)
            labels = {self.firsts[index][-1].label} if self.firsts[index] else set()
            labels |= {one.label for one in further}
            whole_ = bool(further) and len(further) >= self.readers - 1
            if whole_ and len(labels) > 1 and self.settled.get(index) != self.sequences(index):
                found.add(index)
        return found

    def holders(self, index: int, repeat: bool) -> list[Held]:
        return [o for o in self.open.values() if (o.index, o.repeat) == (index, repeat)]

    def last_of(self, person: str) -> tuple[int, int, bool] | None:
        """(sequence, index, repeat) of this person's newest answer that is not taken back."""
        found = [
            (said[-1].sequence, index, False)
            for index, said in self.firsts.items()
            if said and said[-1].person == person
        ]
        found += [
            (said[person].sequence, index, True)
            for index, said in self.others.items()
            if person in said
        ]
        return max(found, default=None)

    def may_have(self, person: str, index: int, repeat: bool, at: datetime) -> bool:
        """Whether this item may be put before the person now."""
        if repeat and (not self.wanted(index) or person in self.judged_by(index)):
            return False
        if not repeat and self.final(index):
            return False
        kept = [o for o in self.holders(index, repeat) if o.person != person]
        if any(at - one.since < one.lease for one in kept):
            return False
        return (index, repeat) not in self.waits or self.own_or_old(person, index, repeat, at)

    def own_or_old(self, person: str, index: int, repeat: bool, at: datetime) -> bool:
        """Whether nobody else took back an answer to it a short while ago."""
        who, when = self.undone.get((index, repeat), (person, at))
        return who == person or at - when >= LEASE

    # --- what happens ---

    def shown(self, person: str, draw: Draw, at: datetime, lease: timedelta) -> None:
        index = draw.index
        if draw.token in self.open:
            held = self.open[draw.token]
            assert (held.person, held.index, held.repeat) == (person, index, draw.repeat)
            return
        assert draw.token not in self.seen, "a token twice"
        if index > self.drawn:
            assert index == self.drawn + 1 <= self.limit and not draw.repeat
            self.drawn = index
            assert draw.item_id not in self.ids.values(), "an item twice"
            self.ids[index] = draw.item_id
        else:
            assert self.ids[index] == draw.item_id
            assert self.may_have(person, index, draw.repeat, at), f"{person} must not have {draw}"
        for token, held in list(self.open.items()):
            if (held.index, held.repeat) == (index, draw.repeat):
                del self.open[token]
        self.waits.discard((index, draw.repeat))
        self.open[draw.token] = Held(person, index, draw.repeat, at, lease)
        self.seen[draw.token] = draw, person

    def outcome(self, token: str, word: str) -> str:
        """What must come of an answer: a kind of event, or "refused"."""
        draw, person = self.seen[token]
        index, mine = draw.index, token in self.open
        elsewhere = not mine and bool(self.holders(index, draw.repeat))
        put_off = word == "later"
        if self.finished:
            return "refused"
        if not draw.repeat:
            if not self.final(index):
                kind = word if word not in ("yes", "no") else "labelled"
                return "refused" if put_off and elsewhere else kind
            force = self.force(index)
            own = force is not None and force.person == person
            return "refused" if own or put_off else "late"
        if person in self.judged_by(index):
            return "refused"
        if not self.wanted(index):
            return "late" if not put_off else "reread" if mine else "refused"
        return "refused" if put_off and elsewhere else "reread"

    def answered(self, token: str, event: Event) -> None:
        draw, person = self.seen[token]
        index, word = draw.index, answer_word(event)
        self.spoken[token] = event.kind, word
        said = Said(person, word, event.sequence)
        if event.kind == "late":
            self.open.pop(token, None)
        elif draw.repeat:
            if self.labelled(index):
                self.others.setdefault(index, {})[person] = said
            self.close(index, repeat=True)
        else:
            self.firsts.setdefault(index, []).append(said)
            if said.label is not None:  # Nobody judges an item twice.
                self.others.get(index, {}).pop(person, None)
            self.close(index, repeat=False)
            self.close(index, repeat=True, person=person)

    def close(self, index: int, *, repeat: bool, person: str | None = None) -> None:
        for token, held in list(self.open.items()):
            mine = person in (None, held.person)
            if mine and (held.index, held.repeat) == (index, repeat):
                del self.open[token]

    def take_back(self, index: int, repeat: bool, person: str, at: datetime) -> None:
        if repeat:
            del self.others[index][person]
        else:
            self.firsts[index].pop()
        self.undone[index, repeat] = person, at
        self.waits.add((index, repeat))


# --- the histories --------------------------------------------------------------------------------

people = st.integers(0, len(PEOPLE) - 1)
picks = st.integers(0, 40)


class History(RuleBasedStateMachine):
    """Random doings, held against the model. ``stores`` opens the store of one history twice."""

    number = count()
    told: ClassVar[dict[str, int]] = {}

    def stores(self) -> Callable[[], LabelStore]:
        store = MemoryStore()
        return lambda: store

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.before = [(module, module.now) for module in (ledger, whole, drawing)]
        for module, _ in self.before:
            module.now = self.clock.now  # type: ignore[attr-defined]
        self.ready = False
        self.read, self.tokens = 0, {}

    @initialize(
        number=st.sampled_from([3, 2, 4, 1]),
        share=st.sampled_from([1.0, 0.5, 0.0]),
        readers=st.sampled_from([2, 3]),
    )
    def begin(self, number: int, share: float, readers: int) -> None:
        self.people = PEOPLE[:number]
        self.model = Model(share, readers if share else 2, self.chance)
        self.open_store = self.stores()
        plan = lc.Plan(
            "simple_random", ["accuracy"], budget=BUDGET, seed=SEED,
            **({"overlap": share, "readers": readers} if share else {}),
        )  # fmt: skip
        self.session = lc.Session(items(), plan, self.open_store(), f"history {next(self.number)}")
        self.ready = True

    def chance(self, index: int) -> float:
        engine = self.session.engine
        first = engine.in_force(index) if self.model.labelled(index) else None
        return self.model.share if first is None else engine.chance_of(index, first)

    def who(self, number: int) -> str:
        return self.people[number % len(self.people)]

    def tell(self, what: str) -> None:
        self.told[what] = self.told.get(what, 0) + 1

    # --- doings ---

    @rule(number=people)
    def asks(self, number: int) -> None:
        person = self.who(number)
        draw = self.session.next(person)
        self.came_back()
        if draw is None:
            self.nothing_left_for(person)
        else:
            self.show(person, draw)

    @rule(number=people, pick=picks, word=st.sampled_from(["yes", "yes", "no", *FINAL, "later"]))
    def asks_and_answers(self, number: int, pick: int, word: str) -> None:
        self.asks(number)
        mine = [token for token, one in self.model.open.items() if one.person == self.who(number)]
        if mine:
            self.say(mine[pick % len(mine)], word)

    @rule(number=people, words=st.lists(st.sampled_from(["yes", "no"]), min_size=4, max_size=8))
    def all_answer(self, number: int, words: list[str]) -> None:
        for place, word in enumerate(words):
            self.asks_and_answers(number=number + place, pick=0, word=word)
        self.settles(number=number, word=words[0])

    @rule(number=people, word=st.sampled_from(FINAL))
    def is_overtaken(self, number: int, word: str) -> None:
        """Gives an item back, somebody else answers it, then the answer arrives."""
        self.asks(number)
        mine = [token for token, one in self.model.open.items() if one.person == self.who(number)]
        if mine:
            self.release(mine[-1])
            self.asks_and_answers(number=number + 1, pick=0, word="yes")
            self.say(mine[-1], word)

    @rule(number=people)
    def takes_two(self, number: int) -> None:
        person = self.who(number)
        taken = self.session.take(2, person, minutes=TAKEN_MINUTES)
        self.came_back()
        for draw in taken:
            self.show(person, draw, timedelta(minutes=TAKEN_MINUTES))

    @precondition(lambda self: self.ready and self.model.seen)
    @rule(pick=picks, word=st.sampled_from([*FINAL, "later"]))
    def answers_whenever(self, pick: int, word: str) -> None:
        tokens = list(self.model.seen)
        self.say(tokens[pick % len(tokens)], word)

    @rule(minutes=st.sampled_from([1, TAKEN_MINUTES, 30]))
    def time_passes(self, minutes: int) -> None:
        self.clock.pass_by(timedelta(minutes=minutes))

    @rule(number=people)
    def undoes(self, number: int) -> None:
        person, model = self.who(number), self.model
        last = model.last_of(person)
        if model.finished and last:
            with pytest.raises(AnswerError, match="finished"):
                self.session.undo(person)
            return
        event = self.session.undo(person)
        assert (event and (event.previous, event.index)) == (last and last[:2])
        if last:
            model.take_back(last[1], last[2], person, self.clock.moment)
            self.tell("taken back")

    @precondition(lambda self: self.ready and self.model.seen)
    @rule(pick=picks)
    def gives_back(self, pick: int) -> None:
        tokens = list(self.model.seen)
        self.release(tokens[pick % len(tokens)])

    def release(self, token: str) -> None:
        found = self.session.release(token)
        assert (found is not None) == (token in self.model.open)
        if self.model.open.pop(token, None):
            self.tell("given back")

    @precondition(lambda self: self.ready and len(self.people) > 1)
    @rule(number=people)
    def takes_over(self, number: int) -> None:
        person = self.who(number)
        self.session.sync()
        for shown in self.session.state.elsewhere(person)[:1]:
            assert self.model.open[shown.draw.token].person == shown.annotator != person
            self.session.release(shown.draw)
            del self.model.open[shown.draw.token]
            self.tell("taken over")

    @rule(number=people, word=st.sampled_from(["yes", "no"]))
    def settles(self, number: int, word: str) -> None:
        found = self.session.unsettled()
        if not found:
            return
        one = found[0]
        if self.model.finished:
            with pytest.raises(AnswerError, match="finished"):
                self.session.settle(str(one.first.item_id), word, self.who(number))
            return
        event = self.session.settle(str(one.first.item_id), word, self.who(number))
        self.model.settled[one.index] = self.model.sequences(one.index)
        assert event.detail["answers"] == self.model.settled[one.index]
        self.tell("settled")

    @precondition(lambda self: self.ready and self.model.drawn > 2)
    @rule(number=people)
    def ends_or_goes_on(self, number: int) -> None:
        model = self.model
        if not model.finished:
            self.session.ledger.write(
                lambda: self.session.ledger.event("finished", self.who(number), text="")
            )
            model.finished = True
        elif model.limit < ITEMS:
            self.session.extend(budget=model.limit + 1, annotator=self.who(number))
            model.limit, model.finished = model.limit + 1, False
            self.tell("extended")

    @rule()
    def opens_it_anew(self) -> None:
        session = self.session
        self.session = lc.Session(items(), session.plan, self.open_store(), session.project)
        self.tell("opened anew")

    # --- what must hold ---

    def came_back(self) -> None:
        """What was given back by itself had been with its person for too long."""
        log = self.session.events
        for event in log[self.read :]:
            if event.kind != "released":
                continue
            held = self.model.open.pop(self.tokens.get(event.previous or 0, ""), None)
            if held is not None:
                assert self.clock.moment - held.since >= held.lease, "taken away too early"
                self.tell("came back after its time")
        self.read = len(log)

    def show(self, person: str, draw: Draw, lease: timedelta = LEASE) -> None:
        self.tokens[self.session.state.screens.shown[draw.token].sequence] = draw.token
        self.model.shown(person, draw, self.clock.moment, lease)
        self.tell("shown")

    def nothing_left_for(self, person: str) -> None:
        model, at = self.model, self.clock.moment
        if model.finished:
            return
        assert model.drawn == model.limit, "there are items that nobody has seen"
        for index in range(1, model.drawn + 1):
            for repeat in (False, True):
                free = model.may_have(person, index, repeat, at)
                recent = not model.own_or_old(person, index, repeat, at)
                assert not free or recent, (person, index, repeat)

    def say(self, token: str, word: str) -> None:
        model, (draw, person) = self.model, self.model.seen[token]
        if token in model.spoken:
            if word != model.spoken[token][1]:
                with pytest.raises(LateAnswerError, match="was not stored"):
                    self.session.answer(draw, word, annotator=person)
                return
            again = self.session.answer(draw, word, annotator=person)
            assert (again.kind, answer_word(again)) == model.spoken[token]
            return
        expected = model.outcome(token, word)
        if expected == "refused":
            with pytest.raises(AnswerError if model.finished else LateAnswerError):
                self.session.answer(draw, word, annotator=person)
            self.tell("refused with a sentence")
            return
        event = self.session.answer(draw, word, annotator=person)
        found = (event.kind, event.annotator, event.index, event.item_id, answer_word(event))
        assert found == (expected, person, draw.index, draw.item_id, word)
        model.answered(token, event)
        self.tell("kept as a second reading" if event.kind == "late" else "answered")

    def teardown(self) -> None:
        try:
            if self.ready:
                self.holds_together()
        finally:
            for module, was in self.before:
                module.now = was  # type: ignore[attr-defined]

    def holds_together(self) -> None:
        """Nothing was lost or counted twice, and the store alone says the same."""
        session, model = self.session, self.model
        session.sync()
        log = session.store.events(session.project)
        stored = {e.answers: (e.kind, answer_word(e)) for e in log if e.answers}
        assert stored == model.spoken and sum(bool(e.answers) for e in log) == len(stored)
        again = state_at(items(), session.plan, log)
        for engine in (session.engine, again.engine):
            for index in range(1, model.drawn + 1):
                force, said = engine.in_force(index), model.force(index)
                assert (force and force.sequence) == (said and said.sequence)
            judged = {one.index: one.sequences for one in engine.repeats.judged()}
            expected = {i: model.sequences(i) for i in model.ids if model.further(i)}
            assert judged == expected
        assert {one.index for one in session.unsettled()} == model.unsettled()
        assert not log or again.hash == session.state.hash == log[-1].hash
        self.tell("histories")
        if self.told["histories"] % REPLAYED_IN == 1:
            self.replays()

    def replays(self) -> None:
        session, record = self.session, self.session.record
        results = session.results()
        found = replay(items(), record.plan_json, session.events, fingerprint=record.fingerprint)
        assert found.results == results
        self.tell("replayed with every figure")


class InAStore(History):
    """The same in the store at an address, where each history is a project of its own."""

    address = ""

    def stores(self) -> Callable[[], LabelStore]:
        self.opened: list[LabelStore] = []

        def open_one() -> LabelStore:
            self.opened.append(open_store(self.address))
            return self.opened[-1]

        return open_one

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            if self.ready:
                for store in self.opened:
                    store.close()


@contextmanager
def counting(machine: type[History]) -> Iterator[dict[str, int]]:
    """What the histories made within the block did."""
    told: ClassVar[dict[str, int]] = {}
    before, machine.told = machine.told, told
    try:
        yield told
    finally:
        machine.told = before


def address_of(scheme: str, folder: Path, request: pytest.FixtureRequest) -> str:
    """Where a test may keep a store of this kind."""
    address = ADDRESSES[scheme]
    if "{postgres_url}" in address:
        return str(request.getfixturevalue("postgres_url"))
    return address.format(folder=folder)


def run(
    histories: int, seed: int, at: str = "", *, steps: int = 30, shrunk: bool = True
) -> dict[str, int]:
    """At least so many histories, in memory or in the store at an address; what they did. Raises
    AssertionError where one disagrees, ``shrunk`` to the shortest that does."""
    kind: type[History] = InAStore if at else History
    Seeded = type("Seeded", (kind,), {"address": at})

    chosen: dict[str, Any] = {"suppress_health_check": list(HealthCheck), "deadline": None}
    if not shrunk:
        chosen["phases"] = (Phase.generate,)
    chosen |= {"database": None, "max_examples": histories, "stateful_step_count": steps}
    Seeded._hypothesis_internal_use_seed = seed  # type: ignore[attr-defined]
    with counting(Seeded) as told:
        run_state_machine_as_test(Seeded, settings=settings(**chosen))
    return told
