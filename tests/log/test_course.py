"""The course of short projects: what each event changes in the state, and why none that is a little
different may happen there, stays as ``tests/data/course.json`` has it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import labelcore as lc
from labelcore.log.events import ANSWER_KINDS, PUT, Event, genesis
from labelcore.log.history import history, marked_open
from labelcore.log.kinds import KINDS, check, fold
from labelcore.log.state import LogState
from labelcore.session import drawing, ledger, projects
from labelcore.session import session as whole
from tests.answering import next_draw
from tests.columns import items
from tests.pinned import stays

PEOPLE = ("ann", "bob", "eve")
Step = Callable[[lc.Session], object]


def population(number: int = 120) -> lc.Population:
    scores = [(7 * place % number) / number for place in range(number)]
    groups = ["even" if place % 2 == 0 else "odd" for place in range(number)]
    return items(
        text=[f"text {place}" for place in range(number)], scores={"m": scores},
        thresholds={"m": 0.5}, groups={"parity": groups},
    )  # fmt: skip


def said(who: str, *answers: str) -> Step:
    """This person's next answers, while something is asked."""

    def step(session: lc.Session) -> None:
        for answer in answers:
            if (draw := session.next(who)) is not None:
                session.answer(draw, answer)

    return step


def late(session: lc.Session) -> None:
    """Bob holds an item for too long, ann answers it, then bob does."""
    kept = next_draw(session, "bob")
    CLOCK[0] += timedelta(hours=2)
    while (draw := next_draw(session, "ann")).index != kept.index:
        session.answer(draw, "yes")
    session.answer(draw, "yes")
    session.answer(kept, "no")


def later(session: lc.Session) -> None:
    CLOCK[0] += timedelta(hours=3)


def marked(session: lc.Session) -> None:
    first = session.events[0].index or 1
    session.note(first, "odd", "ann")
    session.flag(first, annotator="ann")
    session.flag(first, False, annotator="bob")
    session.revise(first, "no", "better", annotator="ann")
    session.explain(first, "slip", annotator="bob")
    for say in (session.flag, lambda index, annotator: session.note(index, "why", annotator)):
        say((draw := next_draw(session, "eve")).index, annotator="eve")
        session.release(draw)
    session.reword(question="Is it?")


def settled(session: lc.Session) -> None:
    for who, answer in (("ann", "no"), ("bob", "yes")):
        for one in session.unsettled()[:2]:
            session.settle(one.first.item_id, answer, who, "it is so")


MIXED = ("yes", "no", "unsure", "yes", "later", "no", "broken", "yes")
STORIES: dict[str, tuple[dict[str, Any], list[Step]]] = {
    "read twice": (
        {"repeats": 0.5, "budget": 12},
        [said("ann", *MIXED), marked, lambda s: s.undo("ann"), said("ann", *MIXED[:5]),
         lambda s: s.second_pass(2), said("bob", "no", "later", "yes"), lambda s: s.undo("bob"),
         lambda s: s.finish("enough"), lambda s: s.extend(budget=16), said("ann", "no", "yes")],
    ),
    "overlap": (
        {"overlap": 0.8, "readers": 3, "budget": 9},
        [said("ann", "yes", "no", "yes"), said("bob", "no", "later", "yes", "no"), marked,
         said("eve", "yes", "no", "unsure"), lambda s: s.undo("eve"), late,
         said("ann", "no", "no"), said("eve", "no", "yes"), settled, lambda s: s.undo("bob"),
         lambda s: s.finish()],
    ),
    "two people": (
        {"overlap": 1.0, "budget": 6},
        [said("ann", *MIXED[:4]), said("bob", *MIXED[:4]), settled,
         said("ann", "no", "yes"), said("bob", "no", "no"), settled],
    ),
    "stopped": (
        {"design": "recalibrated_neyman", "stop": "deadline 2026-05-03T09:00", "by": "parity",
         "budget": 80},
        [said("ann", *["yes"] * 10), lambda s: s.results(), later, said("ann", "no"),
         lambda s: s.results(), lambda s: s.extend(budget=90, group="odd"), said("bob", *MIXED),
         lambda s: s.results()],
    ),
    "pilot": (
        {"promise": "watched", "margin": 0.15, "budget": None},
        [said("ann", *["yes", "yes", "no", "unsure"] * 14), lambda s: s.results(),
         lambda s: s.undo("ann"), said("bob", *["yes", "no"] * 12), lambda s: s.results()],
    ),
    "choice": (
        {"design": "reach_selection", "estimands": "selection", "budget": 50, "params": {
            "candidates": [0.3, 0.5, 0.7], "precision_threshold": 0.6, "precision_slack": 0.1}},
        [said("ann", *["yes", "yes", "no"] * 17), lambda s: s.seek_choice(0.55, budget=60),
         said("bob", *["yes", "no", "broken"] * 4)],
    ),
    "changed": ({"budget": 8}, [said("ann", *MIXED), lambda s: s.undo("ann")]),
}  # fmt: skip
CLOCK = [datetime(2026, 5, 3, 8, tzinfo=UTC)]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each event is a second after the one before."""

    def now() -> str:
        CLOCK[0] += timedelta(seconds=1)
        return CLOCK[0].isoformat(timespec="microseconds")

    CLOCK[0] = datetime(2026, 5, 3, 8, tzinfo=UTC)
    for module in (drawing, ledger, projects, whole):
        monkeypatch.setattr(module, "now", now)


def otherwise(event: Event, token: str) -> Iterator[tuple[str, Event]]:
    """The event with one thing changed, and what that is."""
    number = event.sequence
    near = {name: (getattr(event, name) or 0) + 1 for name in ("index", "stratum", "batch")}
    for name, values in {
        "sequence": (number + 1,), "index": (None, 0, 1, near["index"]), "item_id": ("i0", None),
        "stratum": (near["stratum"],), "batch": (near["batch"],), "basis": (number,),
        "annotator": PEOPLE, "label": (None, "no", "maybe"), "token": (None, token, "new"),
        "answers": (None, token, "new"), "text": (None, " ", "yes", "later", "broken", "slip"),
        "previous": (None, number - 1, number - 2),
        "detail": ({}, {"minutes": 0}, {"minutes": 1}, {"minutes": 527_040}, {"minutes": 527_041},
                   {"items": 0}, {"items": "i0"}, {"budget": 1}, {"budget": 100, "group": "oddd"},
                   {"precision": 1.5, "budget": 70}, {"planned": 50, "pilot": 0.5}),
    }.items():  # fmt: skip
        yield from ((name, replace(event, **{name: value})) for value in values)
    for kind in KINDS:
        token = event.token if kind in PUT else None
        answers = event.answers if kind in (*ANSWER_KINDS, "reread", "late") else None
        yield f"as {kind}", replace(event, kind=kind, token=token, answers=answers)


def lived(name: str) -> lc.Session:
    plan, steps = STORIES[name]
    given = {"design": "simple_random", "estimands": ["accuracy"], "classifier": "m", "seed": 3}
    given |= plan
    made = lc.Plan(given.pop("design"), given.pop("estimands"), **given)
    session = lc.Session(population(), made, project=name)
    for step in steps:
        step(session)
    return session


def shown(state: LogState, at: str) -> dict[str, object]:
    """What the state says of itself, by name."""
    engine, repeats, screens = state.engine, state.engine.repeats, state.screens
    there = range(1, len(engine.asked) + 1)
    found: dict[str, object] = {
        "status": str(state.status(at)), "going on": state.going_on(at), "last": state.last_answer,
        "looked": state.looked_after, "changed": state.changed_run, "reason": state.stop_reason,
        "saved": (state.last_save or "")[11:19], "words": state.words, "names": state.names,
        "flags": [one for one in there if state.flagged(one)],
        "notes": {one: note.text for one, note in state.marks["noted"].items()},
        "causes": [state.cause(one) for one in there if state.cause(one)],
        "marked": [(row.index, row.flagged, row.note) for row in marked_open(state)],
        "kinds": {kind: number for kind, number in engine.kinds.items() if number},
        "given": engine.answers_given, "waiting": engine.waiting_indices(), "owed": engine.owed,
        "open": engine.open_draws(), "prefix": engine.prefix(), "limit": engine.limit,
        "allowed": engine.allowed, "planned": engine.planned, "left": engine.batch_left,
        "more": engine.has_more, "directed": [engine.directed(one) for one in (None, "odd")],
        "undecided": engine.undecided, "overruled": sorted(engine.overruled),
        "settled": {one: each.label for one, each in engine.settled.items()},
        "stands": [one.index for one in repeats.judged() if engine.settlement(one)],
        "due": dict(repeats.due), "owed again": list(repeats.owed), "free": repeats.free(),
        "judged": [(one.index, one.sequences, one.complete, one.differs, round(one.chance, 6))
                   for one in repeats.judged()],
        "put off": [one.index for one in repeats.put_off()], "answered": repeats.answered,
        "released": sorted(screens.released), "over": len(screens.expired(at)),
        "kept": sorted(screens.indices(repeat=False, at=at)),
    }  # fmt: skip
    for who in PEOPLE:
        found[f"{who} sees"] = [(draw.index, draw.repeat) for draw in state.on_screen(who)]
        found[f"{who} again"] = repeats.ready(who), repeats.ready(who, anything=True)
        found[f"{who} could"] = [one.draw.index for one in state.elsewhere(who)]
    return found


def walked(session: lc.Session) -> Iterator[tuple[LogState, Event]]:
    """The state before each event, and the event; in the end the state after all."""
    start = genesis(session.record.fingerprint, session.record.plan_json)
    state = LogState(session.engine.beginning(), start)
    for event in session.events:
        if session.project == "changed" and event.kind == "drawn" and event.index != 5:
            event = replace(event, detail={**event.detail, "changed": True})
        yield state, event
        check(state, event)
        fold(state, event)
    yield state, replace(event, sequence=event.sequence + 1)


@pytest.mark.parametrize("name", STORIES)
def test_what_events_change_stays(name: str) -> None:
    session = lived(name)
    lines, before, done = [], dict[str, object](), "at first"
    refused = Counter[tuple[str, str]]()
    for state, event in walked(session):
        now = shown(state, event.at)
        changed = [f"{key} {value}" for key, value in now.items() if before.get(key) != value]
        lines.append(f"{done}: " + "; ".join(changed))
        for what, other in otherwise(event, next(reversed(state.screens.shown), "none")):
            refused[event.kind, why_not(state, other, what)] += 1
        before, done = now, f"{event.sequence} {event.kind} {event.index} {event.annotator}"
    rows = [str(row) for row in history(session.events, session.state, None, None)]
    reasons = [f"{kind}, {why} ({times})" for (kind, why), times in refused.items()]
    stays("course", name, {"events": lines, "history": rows, "otherwise": sorted(reasons)})


def why_not(state: LogState, event: Event, changed: str) -> str:
    """Why an event that was changed so may not happen now, without numbers and tokens."""
    try:
        check(state, event)
    except (ValueError, TypeError) as error:
        return f"{changed}: " + re.sub(r"'[\w-]{20,}'|\d[\d,]*", "#", str(error))
    return "may happen"
