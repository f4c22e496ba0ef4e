"""Items that several people judge: chosen by the seed, each by another person, blind, settled."""

from random import Random

import pytest

import labelcore as lc
from labelcore.errors import AnswerError, LateAnswerError, PlanError, ReplayError
from labelcore.replay import replay_project
from labelcore.ui.summary import summarise
from tests.report.sessions import again, chained, first, swapped
from tests.session.test_people import replays

ITEMS, BUDGET = 500, 60


def started(population: lc.Population, overlap: float = 0.3, readers: int = 2) -> lc.Session:
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], budget=BUDGET, seed=7, overlap=overlap,
        readers=readers,
    )  # fmt: skip
    return lc.Session(population, plan)


def verdict(item_id: str, who: str) -> bool:
    """Ann, bob and eve differ on some items."""
    number = int(item_id[1:])
    return (
        (number % 3 == 0) ^ (who == "bob" and number % 4 == 0) ^ (who == "eve" and number % 5 == 0)
    )


def labelled(session: lc.Session, *people: str) -> list[tuple[str, lc.Draw]]:
    """Everybody answers in turn until nobody has anything to do; who was shown what."""
    shown: list[tuple[str, lc.Draw]] = []
    while True:
        before = len(shown)
        for who in people:
            if (draw := session.next(who)) is not None:
                session.answer(draw, verdict(draw.item_id, who), annotator=who)
                shown.append((who, draw))
        if len(shown) == before:
            return shown


def test_each_chosen_item_goes_to_so_many_people_and_to_nobody_twice(
    population: lc.Population,
) -> None:
    session = started(population, readers=3)
    shown = labelled(session, "ann", "bob", "eve")
    by_item: dict[str, list[str]] = {}
    for who, draw in shown:
        by_item.setdefault(draw.item_id, []).append(who)
    assert len(by_item) == session.engine.answers_given == BUDGET
    several = {item: people for item, people in by_item.items() if len(people) > 1}
    assert 8 <= len(several) <= 28  # .3 of 60 is 18; five standard deviations are 18.
    assert all(len(set(people)) == len(people) == 3 for people in several.values())
    assert session.status == "budget used"
    assert all(one.complete for one in session.engine.repeats.judged())
    replays(session)


def test_nothing_else_depends_on_the_overlap(population: lc.Population) -> None:
    one, other = started(population, 0.0), started(population, 0.4)
    plain, both = labelled(one, "ann"), labelled(other, "ann")
    assert [draw.item_id for _, draw in plain] == [draw.item_id for _, draw in both]
    assert one.status == "budget used"
    assert other.status == "open"  # for somebody else
    chosen = set(other.engine.repeats.due)
    rest = labelled(other, "bob")
    assert {draw.index for _, draw in rest} == chosen
    assert all(draw.repeat for _, draw in rest)
    figures = one.results()
    for key, found in other.results().items():
        if key in figures:
            assert (found.low, found.value, found.high) == (
                figures[key].low, figures[key].value, figures[key].high,
            )  # fmt: skip


def test_the_items_do_not_depend_on_who_labels_or_how(population: lc.Population) -> None:
    one, other = started(population, 1.0), started(population, 0.2)
    labelled(one, "ann", "bob")
    labelled(other, "bob")
    share = {item.first.item_id for item in one.engine.repeats.judged()}
    assert len(share) == BUDGET
    assert {other.engine.in_force(index).item_id for index in other.engine.repeats.due} <= share


def test_take_shares_the_overlap_out(population: lc.Population) -> None:
    session = started(population, 1.0, readers=3)
    for draw in session.take(10, "ann"):
        session.answer(draw, "yes")
    bob, eve = session.take(6, "bob"), session.take(6, "eve")
    assert [draw.repeat for draw in bob] == [True] * 6
    assert {draw.index for draw in bob}.isdisjoint(draw.index for draw in eve)
    for draw in (*bob, *eve):
        session.answer(draw, "no")
    assert {draw.index for draw in session.take(16, "bob") if draw.repeat} == set(range(7, 13))


def test_a_changed_answer_leaves_the_item_with_who_judges_it_next(
    population: lc.Population,
) -> None:
    session = started(population, 1.0)
    draw = session.next("ann")
    session.answer(draw, "yes")
    again = session.next("bob")
    assert again is not None and again.repeat and again.index == draw.index
    session.revise(1, "no", "changed", annotator="ann")
    assert session.next("bob") == again


def test_a_second_reading_is_the_first_two_answers(population: lc.Population) -> None:
    """A third one that differs is no part of it."""
    session = started(population, 1.0, readers=3)
    for who, answer in (("ann", "yes"), ("bob", "yes"), ("eve", "no")):
        session.answer(session.next(who), answer)
    (judged,), (reading,) = session.engine.repeats.judged(), session.engine.repeats.readings()
    assert judged.differs and not reading.differs
    assert (reading.second.annotator, reading.same_person) == ("bob", False)


def test_undo_and_later_are_a_persons_own(population: lc.Population) -> None:
    session = started(population, 1.0, readers=3)
    draw = session.next("ann")
    session.answer(draw, "yes")
    first = session.answer(session.next("bob"), "no")
    eve, repeats = session.next("eve"), session.engine.repeats
    event = session.answer(eve, "later")
    assert session.last_answer("eve") == event and repeats.in_force(event)
    assert repeats.judges(1) == {"ann", "bob"}
    session.answer(session.next("eve"), "yes")  # a new item comes before the one put off
    assert session.undo("bob").kind == "reread_undone"
    (waits,) = repeats.put_off()
    assert (waits.index, waits.others, waits.complete, waits.chance) == (1, (), False, 1.0)
    back = session.next("bob")
    assert (back.index, back.repeat) == (draw.index, True)
    second = session.answer(back, "yes")
    assert (repeats.in_force(first), repeats.in_force(second)) == (False, True)
    assert [one.label for one in session.engine.repeats.judged()[0].answers] == ["yes", "yes"]
    replays(session)


def test_who_changed_the_first_answer_is_not_asked_for_another(population: lc.Population) -> None:
    session = started(population, 1.0)
    session.answer(session.next("ann"), "yes")
    open_ = session.next("bob")
    assert open_.repeat
    session.revise(1, "no", "changed", annotator="bob")
    with pytest.raises(LateAnswerError, match="item 1 was judged by 'bob' already"):
        session.answer(open_, "yes", annotator="bob")
    following = session.next("bob")
    assert following.index != 1
    assert session.next("eve").index == 1
    replays(session)


def test_a_further_reader_does_not_change_the_first_answer(population: lc.Population) -> None:
    session = started(population, 1.0, readers=3)
    session.answer(session.next("ann"), "yes")
    own = session.answer(session.next("bob"), "no")
    assert session.own_reading(1, "bob") == own
    with pytest.raises(AnswerError, match="item 1 was judged by 'bob' after another person"):
        session.revise(1, "no", "changed", annotator="bob")
    assert session.engine.in_force(1).annotator == "ann"
    session.answer(session.next("eve"), "later")
    assert session.own_reading(1, "eve") is session.own_reading(1, "ann") is None
    session.revise(1, "no", "own", annotator="ann")
    assert session.engine.in_force(1).label == "no"
    replays(session)


def test_a_first_answer_taken_back_leaves_the_other_readings(population: lc.Population) -> None:
    session = started(population, 1.0)
    session.answer(session.next("ann"), "yes")
    session.answer(session.next("bob"), "no")
    session.undo("ann")
    assert session.engine.repeats.judged() == []
    session.answer(session.next("ann"), "no")
    (one,) = session.engine.repeats.judged()
    assert (one.differs, one.complete) == (False, True)
    replays(session)


def test_who_answers_first_now_has_no_further_answer_left(population: lc.Population) -> None:
    session = started(population, 1.0, readers=3)
    session.answer(session.next("ann"), "yes")
    for who in ("bob", "eve"):
        session.answer(session.next(who), "no")
    session.undo("ann")
    session.release(session.next("ann"))
    repeats = session.engine.repeats
    assert (repeats.judged(), repeats.put_off(), 1 in repeats.due) == ([], [], False)
    draw = session.next("bob")
    assert (draw.index, draw.repeat) == (1, False)
    session.answer(draw, "yes")
    (one,) = repeats.judged()
    assert [event.annotator for event in one.answers] == ["bob", "eve"]
    assert one.first == session.engine.in_force(1) and not one.complete
    assert [repeats.wanted_of(1, who) for who in ("ann", "bob", "eve")] == [True, False, False]
    replays(session)


def test_settling(population: lc.Population) -> None:
    session = started(population, 1.0)
    labelled(session, "ann", "bob")
    judged = session.engine.repeats.judged()
    one = next(one for one in judged if one.differs)
    item = str(one.first.item_id)
    before, version = session.labels_table(), session.engine.version
    event = session.settle(item, True, "eve", "a prize")
    assert session.engine.version > version, "no earlier state comes back"
    assert (event.kind, event.label, event.text, event.annotator) == (
        "settled", "yes", "a prize", "eve",
    )  # fmt: skip
    assert session.engine.settlement(one) == event
    again = session.settle(item, "no", "ann")
    assert session.engine.settlement(one) == again and session.engine.overruled == {one.index}
    assert session.labels_table().equals(before)
    replays(session)
    alike = next(one for one in judged if not one.differs)
    with pytest.raises(AnswerError, match=f"item {alike.index} has the same answer by everybody"):
        session.settle(str(alike.first.item_id), "yes")


def test_a_settlement_ends_with_the_answers_it_was_of(population: lc.Population) -> None:
    session = started(population, 1.0)
    session.answer(session.next("ann"), "yes")
    draw = session.next("bob")
    session.answer(draw, "no")
    session.settle(draw.item_id, "yes")
    session.undo("bob")
    session.answer(session.next("bob"), "unsure")
    (one,) = session.engine.repeats.judged()
    assert session.engine.settlement(one) is None
    assert session.settle(draw.item_id, "no", "eve").detail == {"answers": one.sequences}
    assert not session.engine.overruled, "the first was said of other answers"
    replays(session)


def test_a_settlement_outlasts_a_change_of_the_first_answer(population: lc.Population) -> None:
    """It was said of what each person answered alone; taken back, it ends."""
    session = started(population, 1.0)
    session.answer(session.next("ann"), "yes")
    draw = session.next("bob")
    session.answer(draw, "no")
    event = session.settle(draw.item_id, "yes", "eve")
    session.revise(1, "no", "changed", annotator="ann")
    (one,) = session.engine.repeats.judged()
    assert (one.first.label, session.engine.settlement(one)) == ("yes", event)
    session.undo("ann")
    assert session.engine.settlement(one) == event
    session.undo("ann")
    session.answer(session.next("ann"), "yes")
    (one,) = session.engine.repeats.judged()
    assert session.engine.settlement(one) is None
    replays(session)


def test_what_cannot_be_settled_says_why(population: lc.Population) -> None:
    session = started(population, 1.0, readers=3)
    draw = session.next("ann")
    session.answer(draw, "yes")
    with pytest.raises(AnswerError, match="was not judged by a second person"):
        session.settle(draw.item_id, "yes")
    session.answer(session.next("bob"), "no")
    with pytest.raises(AnswerError, match="item 1 waits for another person's answer"):
        session.settle(draw.item_id, "yes")
    session.answer(session.next("eve"), "no")
    with pytest.raises(AnswerError, match="None is not one of the classes"):
        session.settle(draw.item_id, "unsure")
    session.finish()
    with pytest.raises(AnswerError, match="the project is finished"):
        session.settle(draw.item_id, "yes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"overlap": 1.5}, "overlap must be a share from 0 to 1, got 1.5"),
        ({"overlap": True}, "overlap must be a number, got True"),
        ({"overlap": 0.1, "readers": 1}, "readers must be at least 2, got 1"),
        ({"overlap": 0.1, "readers": 99}, "readers must be at most 10: nothing is settled of an"),
        ({"overlap": 0.1, "readers": 2.5}, "readers must be a whole number of people, got 2.5"),
        ({"readers": 3}, "readers needs overlap above 0, got 3"),
        ({"overlap": 0.1, "repeats": 0.1}, "repeats cannot go with overlap"),
    ],
)
def test_bad_input_says_what_is_wrong(arguments: dict[str, object], message: str) -> None:
    error = TypeError if "number" in message else PlanError
    with pytest.raises(error, match=message):
        lc.Plan("simple_random", ["accuracy"], budget=20, **arguments)  # type: ignore[arg-type]


def test_a_replay_refuses_what_no_session_writes(population: lc.Population) -> None:
    session = started(population, 1.0)
    labelled(session, "ann", "bob")
    one = next(one for one in session.engine.repeats.judged() if one.differs)
    session.settle(str(one.first.item_id), "no", "eve")
    for change, values, message in (
        ("redrawn", {"annotator": "ann"}, "judged by 'ann' already"),
        ("settled", {"label": "maybe"}, "not one of the classes"),
        ("settled", {"detail": {"answers": [1, 2]}}, "look at the answers again"),
        ("settled", {"item_id": "no such"}, "has item_id"),
    ):
        place = first(session.events, change)
        with pytest.raises(ReplayError, match=message):
            again(session, chained(session, swapped(session.events, place, **values)))
    assert replay_project(session.store, session.project)


@pytest.mark.parametrize("seed", range(6))
def test_wild_sessions_keep_the_rules(population: lc.Population, seed: int) -> None:
    """Three people do what they like: nobody's answer to an item stands twice, the log replays, and
    another session on it knows the same."""
    random = Random(seed)
    plan = lc.Plan("simple_random", ["accuracy"], budget=BUDGET, seed=7,
                   overlap=random.choice([0.3, 1.0]), readers=random.choice([2, 3]))  # fmt: skip
    session = lc.Session(population, plan)
    people = ("ann", "bob", "eve")
    for step in range(90):
        who = random.choice(people)
        draw = session.next(who)
        act = random.random()
        try:
            if act < 0.12:
                session.undo(who)
            elif act < 0.17 and draw is not None:
                session.release(draw)
            elif act < 0.22 and session.engine.asked:
                index = random.randint(1, len(session.engine.asked))
                session.revise(index, random.choice(["yes", "no"]), f"t{step}", annotator=who)
            elif act < 0.3 and session.unsettled():
                one = random.choice(session.unsettled())
                session.settle(str(one.first.item_id), random.choice(["yes", "no"]), who)
            elif draw is not None:
                answer = random.choices(["yes", "no", "unsure", "later"], [6, 6, 1, 1])[0]
                session.answer(draw, answer, annotator=who)
        except AnswerError:
            continue
        if step == 40:
            session.results()
    repeats = session.engine.repeats
    assert len(repeats.judged()) > 5
    for one in repeats.judged():
        people_of = [event.annotator for event in one.answers]
        assert len(set(people_of)) == len(people_of) <= repeats.readers
        assert one.complete == (len(people_of) == repeats.readers)
    for who in people:
        draw = session.next(who)
        assert draw is None or not draw.repeat or who not in repeats.judges(draw.index)
    again = lc.Session(population, session.plan, session.store)
    assert again.engine.repeats == session.engine.repeats
    assert again.results() == session.results()
    replays(session)


def test_a_curve_is_read_again_alike_everywhere(population: lc.Population) -> None:
    plan = lc.Plan("recalibrated_neyman", ["precision_curve"], budget=20, overlap=0.3, readers=3)
    session = lc.Session(population, plan)
    labelled(session, *"abc")
    judged = session.engine.repeats.judged()
    assert {one.chance for one in judged} == {0.3} and all(one.complete for one in judged)
    assert [one for one in session.results() if "settled" in one] == []


def test_who_only_judged_as_a_second_reader_is_counted(population: lc.Population) -> None:
    session = started(population, overlap=0.5)
    while session.labels < 60 and (draw := session.next("me")) is not None:
        session.answer(draw, True, annotator="me")
    labelled(session, "ben")
    kinds = {event.kind for event in session.events if event.annotator == "ben"}
    assert "reread" in kinds and "labelled" not in kinds
    assert set(summarise(session.record, session.events).people) == {"me", "ben"}
