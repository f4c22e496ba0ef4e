"""Several people on one project: own items, own undo, items that come back, answers too late."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import AnswerError, LateAnswerError, ReplayError
from labelcore.log.engine import Engine
from labelcore.log.events import Draw, Event
from labelcore.log.people import people_count
from labelcore.log.screens import LEASE
from labelcore.replay.walk import Walk
from labelcore.session import drawing, ledger
from labelcore.session import session as whole
from tests import columns
from tests.answering import answer_draws, next_draw
from tests.awaited import at_once
from tests.report.sessions import again
from tests.session.histories import Clock

A_MINUTE = timedelta(minutes=1)
GOAL = {"budget": None, "margin": 0.2, "stop": "margin", "promise": "watched",
        "design": "recalibrated_neyman"}  # fmt: skip


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (ledger, whole, drawing):
        monkeypatch.setattr(module, "now", made.now)
    return made


def start(store: str | None = None, items: int = 80, **plan: object) -> lc.Session:
    scores = {"m": [n / items for n in range(items)]}
    population = columns.items(scores=scores, thresholds={"m": 0.5})
    terms = {"design": "simple_random", "estimands": ["accuracy"], "budget": 12, "seed": 5, **plan}
    return lc.Session(population, lc.Plan(**terms), store)  # type: ignore[arg-type]


def replays(session: lc.Session) -> None:
    """The log follows from file and plan, and gives the same figures."""
    assert again(session, session.events).seal == session.events[-1].hash


def all_but_one(session: lc.Session) -> Draw:
    """Ann leaves with the first item open, Bob answers everything else."""
    left = next_draw(session, "ann")
    answer_draws(session, "yes", who="bob")
    assert session.status == "waiting"
    return left


def test_an_item_left_open_goes_to_another_person_after_half_an_hour(clock: Clock) -> None:
    session = start()
    left = all_but_one(session)
    clock.pass_by(LEASE - A_MINUTE)
    assert session.next("bob") is None and session.status == "waiting"
    clock.pass_by(A_MINUTE)
    assert session.status == "open"
    again = next_draw(session, "bob")
    assert (again.index, again.item_id) == (left.index, left.item_id)
    assert again.token != left.token
    released = [event for event in session.events if event.kind == "released"]
    assert [(one.annotator, one.index, one.previous) for one in released] == [("bob", 1, 1)]
    session.answer(again, "no")
    assert session.status == "budget used" and session.labels == 12
    replays(session)


def test_an_abandoned_item_does_not_hide_that_the_goal_is_reached(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it matter that another session says so first."""
    session = start(**GOAL)
    other = lc.Session(session.population, session.plan, session.store)
    now, reason = session.ledger.figures, session.ledger.figures.stop_reason
    monkeypatch.setattr(now, "stop_reason", lambda at: reason(at) and (other.next(), reason(at))[1])
    next_draw(session, "ann")
    answer_draws(session, lambda draw: int(draw.item_id[1:]) >= 40, who="bob")
    assert session.status == "waiting"
    clock.pass_by(LEASE)
    assert session.status == "goal reached" and session.next("bob") is None
    assert not any(event.kind == "released" for event in session.events)
    replays(session)


def test_release_gives_an_item_back_at_once() -> None:
    session = start()
    left, own = next_draw(session, "ann"), next_draw(session, "bob")
    assert session.release(left) is not None
    assert session.release(left) is None
    assert session.ahead(own, ["yes"]) == {}, "what was given back comes first"
    session.answer(own, "yes")
    assert next_draw(session, "bob").index == left.index == 1
    assert next_draw(session, "ann").index == 3
    with pytest.raises(AnswerError, match="given to 'ann', and 'bob' cannot"):
        session.release(next_draw(session, "ann"), annotator="bob")
    with pytest.raises(AnswerError, match="no item that was shown: token 'x'"):
        session.release("x")
    replays(session)


@pytest.mark.parametrize("goal", [{}, GOAL])
def test_an_item_judged_again_comes_back_too(goal: dict[str, Any], clock: Clock) -> None:
    session = start(repeats=1.0, **goal)
    while not (draw := next_draw(session, "ann")).repeat:
        session.answer(draw, "yes")
    clock.pass_by(LEASE)
    while (other := session.next("bob")) is not None and other.index != draw.index:
        session.answer(other, "yes")
    assert other is not None and other.repeat
    session.answer(other, "no")
    assert session.answer(draw, "yes").kind == "late"
    assert session.next("ann") is None
    assert session.status == ("goal reached" if goal else "budget used")
    replays(session)


def test_what_was_taken_for_a_time_goes_back_to_the_queue(tmp_path: Path, clock: Clock) -> None:
    session = start(f"sqlite:///{tmp_path / 'labels.db'}")
    batch = session.take(3, "ann", minutes=5)
    assert [one.index for one in batch] == [1, 2, 3]
    clock.pass_by(5 * A_MINUTE - timedelta(seconds=1))
    mine = next_draw(session, "bob")
    assert mine.index == 4 and session.take(3, "ann", minutes=5) == batch
    session.answer(batch[1], "yes")
    session.answer(mine, "yes")
    clock.pass_by(timedelta(seconds=1))
    again = lc.Session.open(f"sqlite:///{tmp_path / 'labels.db'}", "default")
    for_bob, for_eve = next_draw(again, "bob"), next_draw(again, "eve")
    assert [for_bob.index, for_eve.index] == [1, 3]
    released = [event for event in again.events if event.kind == "released"]
    assert [(one.annotator, one.index) for one in released] == [("bob", 1), ("bob", 3)]
    late = session.answer(batch[0], "no")
    assert late.annotator == "ann", "an answer that is the first counts"
    assert again.answer(for_bob, "yes").kind == "late"
    replays(again)


def test_without_a_time_nothing_is_taken_away_while_others_have_work(clock: Clock) -> None:
    """The broken twin of the rule above: what ``next`` gave is not what ``take`` gave."""
    session = start()
    left = next_draw(session, "ann")
    clock.pass_by(10 * LEASE)
    assert next_draw(session, "bob").index == 2 and next_draw(session, "ann") == left
    session.take(1, "eve")
    clock.pass_by(LEASE)
    session.answer(next_draw(session, "bob"), "yes")
    assert next_draw(session, "bob").index == 3, "thirty minutes where none are named"


def test_a_time_is_a_number_of_minutes() -> None:
    session = start()
    with pytest.raises(TypeError, match=r"minutes must be a whole number of minutes, got 0\.5"):
        session.take(1, "ann", minutes=0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="minutes must be at least 1, got 0"):
        session.take(1, "ann", minutes=0)
    with pytest.raises(ValueError, match="minutes must be at most 527,040, got 600,000"):
        session.take(1, "ann", minutes=600_000)
    session.take(1, "ann", minutes=7)
    event = session.events[0]
    for wrong in (0, "7", True):
        walk = Walk(Engine(session.population, session.plan), None)
        with pytest.raises(ReplayError, match="minutes must be a whole number from 1 to"):
            walk.take(replace(event, detail={**event.detail, "minutes": wrong}))


def test_a_late_answer_counts_while_nobody_else_has_answered(clock: Clock) -> None:
    session = start()
    left = all_but_one(session)
    clock.pass_by(LEASE)
    again = next_draw(session, "bob")
    with pytest.raises(LateAnswerError, match="item 1 was released, and is given to 'bob' now"):
        session.answer(left, "later")
    stored = session.answer(left, "no")
    assert (stored.annotator, stored.label) == ("ann", "no")
    with pytest.raises(
        LateAnswerError, match="item 1 was released, and 'ann' has answered it since: this answer"
    ):
        session.answer(again, "later")
    assert session.answer(again, "yes").kind == "late"
    assert session.next("bob") is None and session.labels == 12
    assert session.answer(left, "no") == stored
    with pytest.raises(LateAnswerError, match="item 1 was answered 'no' by this draw"):
        session.answer(left, "yes")
    replays(session)


def test_a_late_answer_counts_when_somebody_elses_was_taken_back(clock: Clock) -> None:
    session = start()
    left = all_but_one(session)
    clock.pass_by(LEASE)
    session.answer(next_draw(session, "bob"), "yes")
    session.undo("bob")
    assert session.answer(left, "no").kind == "labelled"
    assert session.next("bob") is None and session.status == "budget used"
    replays(session)


def test_the_answer_of_another_persons_draw_is_refused() -> None:
    session = start()
    draw = next_draw(session, "ann")
    with pytest.raises(AnswerError, match="item 1 was given to 'ann', and 'mallory' cannot"):
        session.answer(draw, "yes", annotator="mallory")
    assert session.answer(draw, "yes").annotator == "ann"


def test_what_a_person_took_back_and_left_goes_to_others_in_the_end(clock: Clock) -> None:
    session = start()
    session.answer(next_draw(session, "ann"), "yes")
    answer_draws(session, "yes", who="bob")
    session.undo("ann")
    assert session.next("bob") is None
    clock.pass_by(LEASE)
    assert next_draw(session, "bob").index == 1
    replays(session)


def test_nothing_is_said_of_what_follows_while_a_second_reading_is_owed() -> None:
    """A person took back what they had said of another's item, and has not judged it anew."""
    session = start(overlap=0.2)
    while not session.engine.repeats.due:
        session.answer(session.next("ann"), True)  # type: ignore[arg-type]
    again = session.next("bob")
    assert again is not None and again.repeat
    session.answer(again, True, annotator="bob")
    mine = session.next("ann")
    assert mine is not None and session.ahead(mine, ["unsure"]), "it is sure what follows"
    session.undo("bob")
    assert session.engine.repeats.owed == [again.index]
    assert session.ahead(mine, ["unsure"]) == {}


def test_what_was_put_off_and_taken_back_stays_with_whoever_has_it() -> None:
    session = start(budget=1)
    session.answer(next_draw(session, "ann"), "later")
    others = next_draw(session, "bob")
    session.undo("ann")
    assert session.next("ann") is None and next_draw(session, "bob") == others
    session.answer(others, "yes")
    assert session.next("ann") is None and session.status == "budget used"
    replays(session)


def test_two_pages_of_one_person_have_one_item(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    first = start(store)
    pages = [lc.Session(first.population, first.plan, store) for _ in range(4)]
    tokens = at_once(lambda page: next_draw(page, "ann").token, pages)
    assert len(tokens) == 4 and len(set(tokens)) == 1


def test_replay_refuses_a_release_of_what_nobody_has() -> None:
    session = start()
    draw = next_draw(session, "ann")
    released = session.release(draw)
    assert released is not None
    known = session.events
    answer_after = session.answer(next_draw(session, "bob"), "yes")
    assert answer_after.sequence == 4

    def refused(events: list[Event]) -> None:
        walk = Walk(session.engine.beginning(), None)
        for event in events[:-1]:
            walk.take(event)
        with pytest.raises(ReplayError, match="releases event"):
            walk.take(events[-1])

    def numbered(*events: Event) -> list[Event]:
        return [replace(event, sequence=n) for n, event in enumerate(events, start=1)]

    drawn, again, answered = known[0], known[2], known[3]
    refused(numbered(drawn, released, released))
    refused([*known, *numbered(*known, released)[4:]])
    late = replace(released, sequence=5, previous=again.sequence)
    assert answered.answers == again.token
    refused([*known, late])


def test_each_secret_is_a_person_of_the_project(tmp_path: Path) -> None:
    session = start(f"sqlite:///{tmp_path / 'labels.db'}")
    secrets = ["a" * 32, "b" * 32, "a" * 32]
    assert [session.person(one) for one in secrets] == ["me", "me 2", "me"]
    again = lc.Session(session.population, session.plan, session.store)
    assert [again.person(one) for one in ("b" * 32, "c" * 32)] == ["me 2", "me 3"]
    for file in tmp_path.glob("labels.db*"):
        assert b"aaaaaaaa" not in file.read_bytes()


def test_people_are_counted_by_what_is_known_of_them() -> None:
    def answers(*who: str) -> list[Event]:
        return [Event(n, "labelled", f"2026-01-0{n}", one) for n, one in enumerate(who, start=1)]

    assert people_count([], {}) == 0
    assert people_count(answers("ann", "bob", "ann"), {}) == 2
    assert people_count(answers("me", "bob"), {}) is None
    browsers = {"me": "2026-01-01", "me 2": "2026-01-02"}
    assert people_count(answers("me", "ann"), browsers) == 2
    assert people_count(answers("me", "me 2"), browsers) is None
    assert people_count(answers("me", "me 2"), browsers, apart=True) == 2
    assert people_count(answers("me", "me"), {"me": "2026-01-02"}) is None
