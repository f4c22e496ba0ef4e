"""Each kind of event is one class; whoever writes, reads or audits a log asks the same rules."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import AnswerError, PlanError, ReplayError
from labelcore.log.events import Event
from labelcore.log.history import state_at, told
from labelcore.log.kinds import KINDS, check
from labelcore.log.rules import Kind, figures_of
from labelcore.log.state import LogState
from labelcore.replay.walk import Walk
from labelcore.session import ledger
from labelcore.session.session import Session
from tests.answering import answer_draws, next_draw
from tests.columns import items

PEOPLE = ("ann", "bob", "cid")
ITEMS, BUDGET = 40, 18


@pytest.fixture(scope="module")
def population() -> lc.Population:
    return items(scores={"m": [n / ITEMS for n in range(ITEMS)]}, thresholds={"m": 0.5})


def start(population: lc.Population, **plan: Any) -> Session:
    chosen = {"budget": BUDGET, "seed": 1, "repeats": 0.3, **plan}
    return lc.Session(population, lc.Plan("simple_random", ["accuracy"], **chosen))


def told_of(session: Session, events: list[Event]) -> LogState:
    return told(events, session.record.fingerprint, session.record.plan_json)


def walk_of(session: Session) -> Walk:
    return Walk(session.engine.beginning(), None)


class AllFlagged(Kind):
    """Every drawn item is marked to be looked at again; not twice in a row."""

    def check(self, state: LogState, event: Event) -> None:
        if all(state.flagged(index) for index in range(1, len(state.engine.asked) + 1)):
            raise AnswerError("every item is flagged already")

    def fold(self, state: LogState, event: Event) -> None:
        for index in range(1, len(state.engine.asked) + 1):
            state.marks["flagged"][index] = replace(event, text="yes")


def test_a_new_kind_needs_one_class_only(
    population: lc.Population, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written by a session, read by another one, shown by the history, replayed, and refused by
    all of them where its own rule says so."""
    session = start(population)
    answer_draws(session, "yes", 5)

    def flag_all() -> Event | None:
        return session.ledger.append(lambda: (session.ledger.event("all_flagged", "me"), {}))

    with pytest.raises(ValueError, match="kind must be one of drawn, .*, got 'all_flagged'"):
        flag_all()
    monkeypatch.setitem(KINDS, "all_flagged", AllFlagged("all_flagged"))
    written = flag_all()
    assert written is not None
    again = lc.Session(population, session.plan, session.store)
    assert [row.flagged for row in again.history()] == [True] * 5
    with pytest.raises(AnswerError, match="flagged already"):
        flag_all()
    walk = walk_of(session)
    for event in session.events:
        walk.take(event)
    assert walk.state.events["all_flagged"] == 1
    with pytest.raises(ReplayError, match="flagged already"):
        walk.take(replace(written, sequence=len(session.events) + 1))
    monkeypatch.delitem(KINDS, "all_flagged")
    with pytest.raises(ReplayError, match="kind must be one of .*, got 'all_flagged'"):
        lc.Session(population, session.plan, session.store)


def test_any_past_moment_can_be_shown(population: lc.Population) -> None:
    session, moments = start(population), []
    for _ in wild(session, seed=3, steps=80):
        engine, at = session.engine, ledger.now()
        moments.append((engine.sequence, at, engine.labels, session.state.status(at)))
    assert len({labels for _, _, labels, _ in moments}) > 5
    for sequence, at, labels, status in moments:
        state = state_at(population, session.plan, session.events, sequence)
        assert (state.sequence, state.engine.labels) == (sequence, labels)
        assert state.status(at) == status


def test_without_its_file_a_log_says_the_same(population: lc.Population) -> None:
    for seed in range(2):
        session = start(population)
        for number, _ in enumerate(wild(session, seed, 90)):
            if number == 40:
                session.note(1, "odd")
                session.reword(question=f"Question {seed}?")
                session.results()
        state, alone = session.state, told_of(session, session.events)
        assert +alone.book.kinds == +state.book.kinds
        for name in ("answers_given", "extended", "finished", "stopped"):
            assert getattr(alone.book, name) == getattr(state.book, name)
        for name in ("hash", "events", "looks", "marks", "words", "last_save"):
            assert getattr(alone, name) == getattr(state, name)
        with pytest.raises(TypeError, match="not open"):
            _ = alone.engine


def test_without_its_file_a_log_tells_people_apart(population: lc.Population) -> None:
    session = start(population, repeats=0.0, overlap=1.0, readers=3)
    for who in PEOPLE:
        session.answer(next_draw(session, who), "yes")
    session.undo("ann")
    session.answer(next_draw(session, "ann"), "no")
    session.undo("bob"), session.undo("cid")
    session.finish()
    state, alone = session.state, told_of(session, session.events)
    assert alone.sequence == state.sequence and alone.book.finished
    assert alone.last_answer == state.last_answer


def test_without_its_file_a_log_is_told_up_to_what_cannot_be(population: lc.Population) -> None:
    """The chain made anew round an event of an unknown kind, or about a draw that never was."""
    session = start(population)
    for _ in wild(session, 1, 60):
        pass
    events = session.events
    for wrong in ({"kind": "guessed"}, {"kind": "undone", "index": 99}):
        forged = replace(events[8], **wrong).chained(events[7].hash)
        assert told_of(session, [*events[:8], forged]).sequence == 8
    changed = [*events[:8], replace(events[8], text="x"), *events[9:]]
    assert told_of(session, changed).sequence == 8


Attempt = tuple[Callable[[], object], Callable[[], Event | None]]
"""What a caller tries, and the event that it would be were there no rule."""


def forged(session: Session, kind: str, person: str, **values: Any) -> Event:
    event = Event(session.state.sequence + 1, kind, ledger.now(), person, **values)
    if event.index is not None and 1 <= event.index <= len(session.engine.asked):
        asked = session.engine.asked[event.index - 1]
        return replace(
            event,
            item_id=session.population.id_at(asked.position),
            stratum=asked.stratum,
            batch=asked.batch,
        )
    return event


def attempts(session: Session, dice: random.Random) -> Attempt:
    """Something that a person or a program may try at any moment, sensible or not."""
    person, index = dice.choice(PEOPLE), dice.randint(0, len(session.engine.asked) + 1)
    shown = list(session.state.screens.shown.values())
    budget, items = dice.randint(0, ITEMS + 3), dice.randint(-1, 3)
    one = dice.choice(shown) if shown else None
    force = session.engine.in_force(index) if 0 < index <= len(session.engine.asked) else None
    said = dice.choice(["yes", "no", "unsure", "broken", "later"])
    kind, label = ("labelled", said) if said in ("yes", "no") else (said, None)
    token = f"revision {session.state.sequence}"

    def answered() -> Event | None:
        if one is None or one.draw.token in session.state.answered:
            return None
        first = session.engine.repeats.first(one.draw.index) if one.draw.repeat else None
        event = forged(
            session, kind, one.annotator, index=one.draw.index, answers=one.draw.token, label=label
        )
        if not one.draw.repeat:
            return event
        text, previous = None if label else kind, first.sequence if first else None
        return replace(event, kind="reread", text=text, previous=previous)

    def released() -> Event | None:
        return one and forged(
            session, "released", one.annotator, index=one.draw.index, previous=one.sequence
        )

    def undone() -> Event | None:
        last = session.last_answer(None)
        again = last is not None and last.kind == "reread"
        return last and forged(
            session, "reread_undone" if again else "undone", person, index=last.index,
            previous=last.sequence,
        )  # fmt: skip

    def revised() -> Event:
        before = force.sequence if force else 0
        return forged(
            session, kind, person, index=index, answers=token, label=label, previous=before
        )

    choices: list[Attempt] = [
        (lambda: session.extend(budget=budget, annotator=person),
         lambda: forged(session, "extended", person, detail={"budget": budget})),
        (lambda: session.second_pass(items, person),
         lambda: forged(session, "second_pass", person, detail={"items": items})),
        (lambda: session.flag(index, True, person),
         lambda: forged(session, "flagged", person, index=index, text="yes")),
        (lambda: session.finish("enough", person),
         lambda: forged(session, "finished", person, text="enough")),
        (lambda: session.revise(index, said, token, annotator=person), revised),
        (lambda: session.undo(person), undone),
    ]  # fmt: skip
    if one is not None:
        choices += 3 * [
            (lambda: session.answer(one.draw, said), answered),
            (lambda: session.release(one.draw), released),
        ]
    return dice.choice(choices)


def wild(session: Session, seed: int, steps: int) -> Iterator[Event | None]:
    """Three people label, and try what they should not. Gives, after each step, the event that
    was refused, None when something was written or there was nothing to refuse."""
    dice = random.Random(seed)
    for _ in range(steps):
        before = session.state.sequence
        if dice.random() < 0.55:
            draw = session.next(dice.choice(PEOPLE))
            if draw is not None and dice.random() < 0.8:
                session.answer(draw, dice.choice(["yes", "no", "later"]))
            yield None
            continue
        attempt, event = attempts(session, dice)
        would_be = event()
        try:
            attempt()
        except (AnswerError, PlanError):
            assert session.state.sequence == before
        yield would_be if session.state.sequence == before else None


def disagreements(session: Session, seed: int, steps: int) -> tuple[list[str], set[str]]:
    """Where the auditor thinks otherwise than the writer, and the kinds that were refused."""
    walk, faults, refused = walk_of(session), [], set()
    for event in wild(session, seed, steps):
        for written in session.events[walk.state.sequence :]:
            try:
                walk.take(written)
            except ReplayError as error:
                return [*faults, f"written, not replayed: {error}"], refused
        if event is not None:
            refused.add(event.kind)
            try:
                walk.take(event)
            except ReplayError:
                continue
            return [*faults, f"not written, replayed: {event}"], refused
    return faults, refused


@pytest.mark.parametrize(
    "plan",
    [{}, {"margin": 0.2, "budget": None}, {"promise": "fixed"}],
)
def test_what_the_writer_refuses_the_auditor_refuses(
    population: lc.Population, plan: dict[str, Any]
) -> None:
    refused: set[str] = set()
    for seed in range(2):
        faults, kinds = disagreements(start(population, **plan), seed, 110)
        assert faults == []
        refused |= kinds
    assert refused >= {
        "extended", "second_pass", "flagged", "finished", "labelled", "later", "undone", "released",
    }  # fmt: skip


def test_a_writer_without_rules_is_told(
    population: lc.Population, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: a session that asks nobody writes what the auditor refuses."""
    monkeypatch.setattr(ledger, "check", lambda *_: None)
    found = [disagreements(start(population), seed, 150)[0] for seed in range(6)]
    assert all(faults and faults[0].startswith("written, not replayed") for faults in found)


def test_a_cause_is_refused_alike(population: lc.Population) -> None:
    """By the writer and by the auditor: of no answer, of another one, or another word."""
    session = start(population)
    draw = next_draw(session, "ann")
    first = session.answer(draw, "yes", annotator="ann").sequence
    events, verdicts = session.events, []
    for text, previous in (("slip", first), ("", first), ("mine", first), ("slip", None)):
        event = forged(session, "explained", "bob", index=1, text=text, previous=previous)
        verdicts.append(writes(from_store(session, events), event))
        assert verdicts[-1] == replays(session, [*events, event])
    assert verdicts == [True, True, False, False]


def changed(event: Event, dice: random.Random, events: list[Event]) -> Event:
    """The event with one field changed to what it is in another event, or to the next number."""
    fields = ("kind", "token", "answers", "index", "item_id", "stratum", "batch", "basis", "label",
              "text", "previous", "detail", "annotator")  # fmt: skip
    other = event
    while other == event:
        name = dice.choice(fields)
        value = getattr(dice.choice(events), name)
        if isinstance(value, int) and dice.random() < 0.5:
            value += 1
        other = replace(event, **{name: value})
    return other


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("drawn", {"index": 1, "token": "t"}, "draw 1 is shown again though it has an answer"),
    ("drawn", {"index": 4, "token": "t"}, "draw 4 is shown again while somebody has it"),
    ("drawn", {"index": 5, "token": "t"}, "draw 5 lies beyond the planned draws"),
    ("redrawn", {"index": 1, "token": "t"}, "draw 1 is not to be shown again at this point"),
    ("released", {"index": 4, "previous": 3}, "releases event 3, which nobody has before them"),
    ("released", {"index": 4, "previous": 7}, "releases event 7, still kept for 'cid'"),
    ("labelled", {"index": 4, "answers": "open", "label": "yes", "previous": 2}, "must not use"),
    ("labelled", {"index": 1, "answers": "r", "label": "yes", "previous": 4}, "event 4, which is"),
    ("labelled", {"index": 1, "answers": "r", "label": "odd", "previous": 2}, "of the classes"),
    ("unsure", {"index": 1, "answers": "r", "label": "no", "previous": 2}, "'no' with 'unsure'"),
    ("later", {"index": 1, "answers": "r", "previous": 2}, "cannot be put off for later"),
    ("settled", {"index": 1, "label": "yes"}, "item 1 was judged by one person"),
    ("flagged", {"index": 1, "text": "maybe"}, "must be 'yes' or 'no', got 'maybe'"),
    ("looked", {}, "it looks at what a look has seen already"),
    ("reforecast", {"detail": {"planned": 9}}, "at the end of a margin plan's pilot"),
    ("restarted", {"text": " "}, "a monitor begins anew for a reason"),
    ("erased", {"text": " "}, "erased for a reason"),
    ("erased", {"text": "asked", "detail": {"items": "i1"}}, "must be a list of ids"),
    ("noted", {"index": 1, "sequence": 3}, "expected event 9"),
]


@pytest.mark.parametrize(("kind", "values", "reason"), REFUSED)
def test_each_rule_is_said(
    population: lc.Population, kind: str, values: dict[str, Any], reason: str
) -> None:
    """Of four items three are answered and looked at, and somebody has the last one."""
    session = start(population, budget=4, repeats=0.0)
    for who in PEOPLE:
        session.answer(next_draw(session, who), "yes")
    given = next_draw(session, "cid").token
    session.results()
    values = {name: given if value == "open" else value for name, value in values.items()}
    event = replace(forged(session, kind, "bob", index=values.get("index")), **values)
    with pytest.raises((ValueError, TypeError), match=reason):
        check(session.state, event)
    assert not replays(session, [*session.events, event])


def from_store(session: Session, events: list[Event]) -> Session:
    """Another session with the same file and plan, and a store that holds these events."""
    store = lc.open_store("memory://")
    store.create(session.record)
    store.append(session.project, events)
    return lc.Session(session.population, session.plan, store, session.project)


def writes(session: Session, event: Event) -> bool:
    try:
        session.ledger.append(lambda: (event, {}))
    except (ValueError, TypeError):
        return False
    return session.state.sequence == event.sequence


def replays(session: Session, events: list[Event]) -> bool:
    walk = walk_of(session)
    for event in events[:-1]:
        walk.take(event)
    try:
        walk.take(events[-1])
    except ReplayError:
        return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_of_a_changed_event_writer_and_auditor_think_the_same(
    population: lc.Population, seed: int
) -> None:
    """16 changes of one field; some do no harm, such as another person's name on a note."""
    verdicts = []
    session, dice = start(population), random.Random(seed)
    for number, _ in enumerate(wild(session, seed, 60)):
        if number % 5 == 0:
            session.results()
    events = session.events
    for _ in range(16):
        place = dice.randrange(len(events))
        other = changed(events[place], dice, events)
        written = writes(from_store(session, events[:place]), other)
        assert written == replays(session, [*events[:place], other]), other
        verdicts.append(written)
    assert 0.05 < sum(verdicts) / len(verdicts) < 0.6


def test_a_token_is_that_of_a_draw(population: lc.Population) -> None:
    """Neither writer nor auditor takes it with another event, such as a look."""
    session = start(population)
    draw = next_draw(session)
    session.answer(draw, "yes")
    session.results()
    *before, look = session.events
    assert look.kind == "looked"
    for token in (draw.token, "0" * 24):
        other = replace(look, token=token)
        assert not writes(from_store(session, before), other)
        assert not replays(session, [*before, other])


def test_a_look_is_compared_without_what_an_older_one_lacks() -> None:
    now = {
        "results": {"curve": {"value": 0.5, "head": [0.9], "tentative": True}, "new": {"head": []}}
    }
    older = {"results": {"curve": {"value": 0.5}}}
    assert figures_of(now, older) == {"results": {"curve": {"value": 0.5}, "new": {}}}
    assert figures_of(now)["results"]["curve"] == {"value": 0.5, "head": [0.9]}
