"""An answer that comes after another person's is kept beside it, and no figure rests on it."""

from dataclasses import replace
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.errors import AnswerError, LateAnswerError, ReplayError
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.replay.walk import Walk
from labelcore.report import events_csv
from labelcore.report.facts import Facts
from labelcore.results.agreement import PeopleAgree
from labelcore.store import STORES
from tests.answering import next_draw
from tests.session.histories import address_of
from tests.session.test_people import replays, start


def overtaken(session: lc.Session, late: str = "no") -> Event:
    """Ann gives the first item back, Bob says yes to it, then Ann's answer arrives."""
    left = next_draw(session, "ann")
    session.release(left)
    session.answer(next_draw(session, "bob"), "yes")
    return session.answer(left, late)


def label_all(session: lc.Session, *people: str) -> None:
    """Everybody in turn, with other answers to items read again, until nothing is left."""
    going = True
    while going:
        draws = [(session.next(person), person) for person in people]
        going = any(draw for draw, _ in draws)
        for draw, person in draws:
            if draw is not None:
                session.answer(draw, person == "ann")


def without_pace(session: lc.Session) -> PeopleAgree:
    found = session.agreement()
    return replace(found, people=tuple(replace(one, seconds=None) for one in found.people))


@pytest.mark.parametrize("scheme", STORES)
def test_every_store_keeps_it_and_no_figure_rests_on_it(
    scheme: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    address = address_of(scheme, tmp_path, request)
    one = start(address, overlap=1.0)
    other = start(overlap=1.0)
    kept = overtaken(one)
    assert (kept.kind, kept.annotator, kept.label, kept.previous) == ("late", "ann", "no", 4)
    assert one.state.last_save == kept.at
    other.release(next_draw(other, "ann"))
    other.answer(next_draw(other, "bob"), "yes")
    for session in (one, other):
        assert session.labels == 1 and session.last_answer("ann") is None
        label_all(session, "ann", "bob", "eve")
    assert one.results() == other.results() and one.status == other.status
    assert without_pace(one) == without_pace(other)
    errors = [replace(session.label_error(), readings=()) for session in (one, other)]
    assert errors[0] == errors[1]
    assert len(one.label_error().readings) == len(other.label_error().readings) > 5
    assert "accuracy@settled" in one.results()
    assert [event.kind for event in one.events].count("late") == 1
    assert one.store.events(one.project)[4] == kept
    assert "no,late" in events_csv(one) and Facts(one).counts["late"] == 1
    replays(one)


def test_a_second_reading_counted_would_be_seen() -> None:
    """The broken twin: the same answer, taken for one of the overlap, changes the figures."""
    session = start(overlap=1.0, budget=4)
    kept = overtaken(session)
    before = session.agreement()
    session.engine.repeats.answer(replace(kept, kind="reread"))
    assert session.agreement() != before


def test_it_arrives_once_and_cannot_be_taken_back() -> None:
    session = start()
    kept = overtaken(session, "unsure")
    assert (kept.kind, kept.label, kept.text) == ("late", None, "unsure")
    assert session.answer(str(kept.answers), "unsure") == kept
    with pytest.raises(LateAnswerError, match="second reading stays as it was given"):
        session.answer(str(kept.answers), "yes")
    assert session.undo("ann") is None
    assert next_draw(session, "ann").index == 2
    replays(session)


@pytest.mark.parametrize("plan", [{"overlap": 1.0}, {"repeats": 1.0}])
def test_a_second_answer_whose_first_was_taken_back_is_kept(plan: dict[str, float]) -> None:
    """It was stored without a word, and nothing ever showed it again."""
    session = start(budget=1, **plan)
    session.answer(next_draw(session, "ann"), "yes")
    again = next_draw(session, "bob")
    assert again.repeat
    session.undo("ann")
    kept = session.answer(again, "no")
    assert (kept.kind, kept.previous, kept.label) == ("late", None, "no")
    session.answer(next_draw(session, "ann"), "yes")
    anew = next_draw(session, "bob")
    assert anew.repeat and anew.token != again.token
    session.answer(anew, "yes")
    assert session.next("ann") is None and session.status == "budget used"
    replays(session)


def test_one_reader_more_than_wanted_is_kept_apart() -> None:
    session = start(budget=1, overlap=1.0)
    session.answer(next_draw(session, "ann"), "yes")
    left = next_draw(session, "bob")
    session.release(left)
    session.answer(next_draw(session, "eve"), "yes")
    assert session.answer(left, "no").kind == "late"
    assert [one.annotator for one in session.engine.repeats.judged()[0].answers] == ["ann", "eve"]
    assert session.unsettled() == []
    replays(session)


def test_a_log_that_tells_of_one_too_early_is_refused() -> None:
    session = start()
    kept = overtaken(session)
    log = list(session.events)

    def refused(event: Event, before: int, reason: str) -> None:
        walk = Walk(Engine(session.population, session.plan), None)
        for one in log[:before]:
            walk.take(one)
        with pytest.raises(ReplayError, match=reason):
            walk.take(replace(event, sequence=before + 1))

    refused(kept, 3, "was not answered by others")
    refused(replace(kept, previous=1), 4, "kept beside event 1, not in force")
    refused(replace(kept, annotator="eve"), 4, "never shown to 'eve'")
    refused(replace(kept, label=None, text="later"), 4, "it answers 'later'")
    open_ = next_draw(session, "ann")
    session.finish()
    with pytest.raises(AnswerError, match="the project is finished"):
        session.answer(open_, "no")
