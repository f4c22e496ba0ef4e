"""Items shown a second time: blind, spaced, redrawn by a replay, and no part of the sample."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import AnswerError, LateAnswerError, PlanError, ReplayError
from labelcore.log.events import Event, answer_word
from labelcore.log.repeats import SPACING
from labelcore.replay import replay_project
from tests.answering import answer_draws, next_draw
from tests.report.sessions import again, chained, swapped

ITEMS, BUDGET = 600, 80


def started(population: lc.Population, repeats: float = 0.3) -> lc.Session:
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], budget=BUDGET, repeats=repeats, seed=7
    )
    return lc.Session(population, plan)


def verdict(item_id: str) -> bool:
    return int(item_id[1:]) % 3 == 0


def labelled(session: lc.Session, number: int = 10_000, people: tuple[str, ...] = ("me",)):
    """Label as ``verdict`` says; returns the draws in the order shown."""
    shown: list[lc.Draw] = []
    while len(shown) < number:
        who = people[len(shown) % len(people)]
        draw = session.next(who)
        if draw is None:
            break
        session.answer(draw, verdict(draw.item_id), annotator=who)
        shown.append(draw)
    return shown


def next_repeat(session: lc.Session) -> lc.Draw:
    while (draw := session.next()) is not None and not draw.repeat:
        session.answer(draw, verdict(draw.item_id))
    assert draw is not None
    return draw


def test_draws_budget_and_results_are_those_without_repeats(population: lc.Population) -> None:
    without, with_them = started(population, 0.0), started(population)
    plain = labelled(without)
    every = labelled(with_them)
    again = [draw for draw in every if draw.repeat]
    assert [d.item_id for d in every if not d.repeat] == [d.item_id for d in plain]
    assert len(plain) == with_them.engine.answers_given == BUDGET
    assert 10 <= len(again) <= 38
    assert len({draw.item_id for draw in again}) == len(again)
    found, wanted = with_them.results(), without.results()
    assert {key: (one.low, one.value, one.high) for key, one in found.items()} == {
        key: (one.low, one.value, one.high) for key, one in wanted.items()
    }
    assert with_them.status == "budget used"
    readings = with_them.engine.repeats.readings()
    assert len(readings) == len(again) and all(one.same_person for one in readings)


def test_an_item_comes_again_after_some_others_and_the_rest_at_the_end(
    population: lc.Population,
) -> None:
    shown = labelled(started(population))
    first = {draw.item_id: place for place, draw in enumerate(shown) if not draw.repeat}
    last_new = max(first.values())
    repeats = [(place, draw) for place, draw in enumerate(shown) if draw.repeat]
    assert any(place < last_new for place, _ in repeats)
    assert any(place > last_new for place, _ in repeats)
    for place, draw in repeats:
        assert place > last_new or place - first[draw.item_id] >= SPACING


def test_the_items_to_repeat_do_not_depend_on_the_answers(population: lc.Population) -> None:
    again = {draw.item_id for draw in labelled(started(population)) if draw.repeat}
    other = started(population)
    answer_draws(other, True)
    drawn = {other.population.id_at(asked.position) for asked in other.engine.asked}
    found = {str(one.first.item_id) for one in other.engine.repeats.readings()}
    assert found & drawn & again == {one for one in again if one in drawn}


def test_undo_takes_a_second_answer_back_and_shows_the_item_next(population: lc.Population) -> None:
    session = started(population)
    draw = next_repeat(session)
    event = session.answer(draw, "unsure")
    assert (event.kind, event.label, answer_word(event)) == ("reread", None, "unsure")
    assert session.last_answer() == event
    before = session.engine.answers_given
    assert session.undo().previous == event.sequence
    assert session.engine.answers_given == before
    back = next_draw(session)
    assert (back.item_id, back.repeat) == (draw.item_id, True)
    assert back.token != draw.token
    session.answer(back, "yes")
    assert [one.second.label for one in session.engine.repeats.readings()] == ["yes"]
    assert session.answer(back, "yes").label == "yes"  # The same token again is the same answer.
    with pytest.raises(LateAnswerError, match="a second reading stays as it was given"):
        session.answer(back, "no")


def test_a_person_who_differs_from_themselves_has_nothing_to_settle(
    population: lc.Population,
) -> None:
    session = started(population)
    draw = next_repeat(session)
    session.answer(draw, not verdict(draw.item_id))
    assert session.differing(draw.index) is session.own_reading(draw.index) is None
    assert session.revise(draw.index, "unsure", "t1").index == draw.index


def test_undo_past_a_repeat_takes_back_the_answer_before_it(population: lc.Population) -> None:
    session = started(population)
    draw = next_repeat(session)
    given = session.engine.answers_given
    session.answer(draw, "yes")
    session.undo()
    undone = session.undo()
    assert undone is not None
    assert session.engine.answers_given == given - 1
    first = next_draw(session)
    assert (first.index, first.repeat) == (undone.index, False)


def test_later_puts_a_repeat_behind_the_others(population: lc.Population) -> None:
    session = started(population)
    draw = next_repeat(session)
    event = session.answer(draw, "later")
    assert session.last_answer() == event
    following = next_draw(session)
    assert following.item_id != draw.item_id
    labelled(session)
    assert draw.index in {one.index for one in session.engine.repeats.readings()}


def test_a_changed_first_answer_leaves_what_was_read_and_an_undone_one_does_not(
    population: lc.Population,
) -> None:
    session = started(population, 1.0)
    draw = next_repeat(session)
    session.answer(draw, verdict(draw.item_id))
    session.revise(draw.index, not verdict(draw.item_id), "t1")
    (reading,) = session.engine.repeats.readings()
    assert not reading.differs
    while any(one.index == draw.index for one in session.engine.repeats.readings()):
        session.undo()
    # The second answer went first, so the item is to be shown again.
    assert draw.index in session.engine.repeats.due


def test_a_reading_goes_with_the_answer_that_it_was_held_against(population: lc.Population) -> None:
    """A change that is taken back, and the answer itself."""
    session = started(population, 1.0)
    repeats, (first,) = session.engine.repeats, labelled(session, 1)
    session.revise(first.index, "no", "t1")
    for changed in (True, False):
        while (draw := session.next("b")).index != first.index:
            session.answer(draw, "no", annotator="b")
        session.answer(draw, "no", annotator="b")
        assert first.index in {one.index for one in repeats.readings()}
        assert first.index not in repeats.due
        session.undo()
        assert first.index not in {one.index for one in repeats.readings()}
        assert (first.index in repeats.due) == changed
    session.answer(session.next(), "yes")
    assert first.index in repeats.due


def test_a_person_never_has_the_repeat_of_another_screen(population: lc.Population) -> None:
    session = started(population, 1.0)
    labelled(session, SPACING + 1)
    draws = [session.next(who) for who in ("me", "b", "c")]
    assert len({draw.index for draw in draws if draw}) == 3
    shown = labelled(session, people=("me", "b", "c"))
    assert session.status == "budget used"
    readings = session.engine.repeats.readings()
    assert {one.same_person for one in readings} == {True, False}
    assert len(readings) == BUDGET
    assert len({draw.token for draw in shown}) == len(shown)


def test_a_second_pass_is_a_random_part_of_the_labelled_items(population: lc.Population) -> None:
    session = started(population, 0.0)
    labelled(session)
    assert session.status == "budget used"
    assert session.engine.repeats.free() == BUDGET
    session.second_pass(30)
    assert session.status == "open"
    again = labelled(session)
    assert len(again) == 30
    assert all(draw.repeat for draw in again)
    assert session.engine.answers_given == BUDGET
    (chance,) = {one.chance for one in session.engine.repeats.readings()}
    assert abs(chance - 30 / BUDGET) < 4 * (0.25 / BUDGET) ** 0.5
    session.second_pass(1000)
    assert len(labelled(session)) == BUDGET - 30
    assert {one.chance for one in session.engine.repeats.readings()} == {1.0}
    assert session.engine.repeats.free() == 0


def test_bad_input_says_what_is_wrong(population: lc.Population) -> None:
    session = started(population, 0.0)
    with pytest.raises(PlanError, match="items must be at least 1, got 0"):
        session.second_pass(0)
    with pytest.raises(TypeError, match="items must be a whole number of items, got 2.5"):
        session.second_pass(2.5)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="repeats must be a share from 0 to 1, got 1.5"):
        started(population, 1.5)
    with pytest.raises(TypeError, match="repeats must be a number, got 'some'"):
        started(population, "some")  # type: ignore[arg-type]
    session.finish()
    with pytest.raises(AnswerError, match="is finished"):
        session.second_pass()


@pytest.fixture(scope="module")
def finished(population: lc.Population) -> lc.Session:
    session = started(population)
    draw = next_repeat(session)
    session.answer(draw, "later")
    session.answer(next_repeat(session), "yes")
    session.undo()
    labelled(session)
    session.second_pass(5)
    labelled(session)
    session.finish()
    return session


def test_a_replay_shows_the_same_items_again(finished: lc.Session) -> None:
    result = replay_project(finished.store, finished.project)
    assert any(line.startswith("Repeats: ") for line in result.stages)
    opened = lc.Session.open(finished.store, finished.project)
    assert opened.engine.repeats.readings() == finished.engine.repeats.readings()
    assert opened.label_error() == finished.label_error()


def changed(session: lc.Session, event: Event, **values: object) -> list[Event]:
    """The log with one event changed and its chain mended."""
    return chained(session, swapped(session.events, event.sequence - 1, **values))


def test_a_replay_refuses_a_repeat_that_the_seed_did_not_choose(finished: lc.Session) -> None:
    repeats = finished.engine.repeats
    chosen = {one.index for one in repeats.readings()}
    event = next(event for event in finished.events if event.kind == "redrawn")
    other = next(
        one for one in finished.events
        if one.kind == "drawn" and one.index not in chosen and one.sequence < event.sequence
    )  # fmt: skip
    logs = {
        "is not to be shown again": changed(
            finished, event, index=other.index, item_id=other.item_id, stratum=other.stratum,
            batch=other.batch,
        ),
        "was used before": changed(finished, event, token=other.token),
    }  # fmt: skip
    answer = next(event for event in finished.events if event.kind == "reread" and event.label)
    logs["not in force"] = changed(finished, answer, previous=1)
    logs["it answers 'perhaps'"] = changed(finished, answer, label="perhaps")
    logs["never shown"] = changed(finished, answer, answers=other.token + "x")
    undone = next(event for event in finished.events if event.kind == "reread_undone")
    logs["takes back event 1, not in force"] = changed(finished, undone, previous=1)
    logs[f"takes back event {undone.previous}, not in force"] = changed(
        finished, undone, index=other.index, item_id=other.item_id, stratum=other.stratum,
        batch=other.batch,
    )  # fmt: skip
    for message, log in logs.items():
        with pytest.raises(ReplayError, match=message):
            again(finished, log)


def by_the_whole_log(session: lc.Session, draw: lc.Draw, kind: str) -> str:
    """What ``Session.last_said`` means, read from the log backwards."""
    for event in reversed(session.events):
        if draw.repeat and event.token == draw.token:
            return ""
        if event.kind == kind and event.index == draw.index:
            return event.text or ""
    return ""


def test_what_was_last_said_of_an_item(population: lc.Population) -> None:
    """Notes and flags before and after an answer; a repeat does not know those of the first time,
    neither do sessions opened later."""
    session, random = started(population), np.random.default_rng(2)
    store = session.store
    said = {"noted": 0, "flagged": 0}
    while (draw := session.next()) is not None:
        later = [lc.Session.open(store, session.project)] if draw.index % 25 == 0 else []
        for reader in (session, *later):
            for kind in said:
                found = reader.last_said(draw, kind)
                assert found == by_the_whole_log(session, draw, kind)
                said[kind] += bool(found)
        earlier = int(random.integers(1, draw.index + 1))
        session.flag(earlier, bool(random.random() < 0.6))
        session.note(earlier, str(random.choice(["odd", "", "look again"])))
        session.flag(draw.index, bool(random.random() < 0.6))
        session.note(draw.index, "while shown")
        assert session.last_said(draw, "noted") == "while shown"
        if random.random() < 0.3:
            session.answer(draw, "later")
        else:
            session.answer(draw, verdict(draw.item_id))
    assert session.engine.repeats.answered > 10
    assert min(said.values()) > 10


class Walks(list[Event]):
    """Counts how often it is gone through."""

    walks = 0

    def __iter__(self):
        self.walks += 1
        return super().__iter__()

    def __reversed__(self):
        self.walks += 1
        return super().__reversed__()


def test_flags_and_looks_are_found_without_reading_the_log(population: lc.Population) -> None:
    session = started(population)
    for draw in labelled(session, 20):
        session.flag(draw.index)
        session.results()
    expected = [{**e.detail, "at": e.at} for e in session.events if e.kind == "looked"]
    session.ledger.events = walked = Walks(session.events)
    draw = next_draw(session)
    assert session.last_said(draw, "flagged") == ""
    assert session.looks() == expected and expected
    assert walked.walks == 0
    session.looks().clear()
    assert session.looks() == expected
