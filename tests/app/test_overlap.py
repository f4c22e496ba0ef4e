"""Items that several people judge, on the pages."""

from __future__ import annotations

import labelcore as lc
from labelcore.ui import review
from labelcore.ui.new_repeats import said
from labelcore.ui.reviewed import SETTLE, reviewed
from labelcore.words.statuses import TITLES
from tests.app.conftest import button, texts


def by_two(session: lc.Session, number: int = 4) -> None:
    """Ann answers so many items yes, and the person of the page, "me", each of them no."""
    for _ in range(number):
        session.answer(session.next("ann"), "yes")
    for _ in range(number):
        draw = session.next("me")
        assert draw.repeat
        session.answer(draw, "no")


def test_what_people_judge_differently_is_settled_on_review(app, make) -> None:
    session = make(overlap=1.0)
    by_two(session)
    assert reviewed(session, "lr", "me").lists()[SETTLE] == 4
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (2, "b" * 24)
    page.run()
    assert "Judged differently: ann Yes, me No. Which answer counts?" in texts(page)
    page.text_input(key=f"{review.REASON}-{'b' * 24}").set_value("an offer").run()
    button(page, "change-settle-negative").click().run()
    assert not page.exception
    assert "settled as No: an offer" in texts(page)
    session.sync()
    assert [one.index for one in session.unsettled()] == [1, 3, 4]
    assert session.engine.in_force(2).label == "yes"


def test_a_first_answer_changed_after_the_others_is_told(app, make) -> None:
    session = make(overlap=1.0)
    by_two(session, 1)
    session.settle(str(session.engine.in_force(1).item_id), "no", "eve")
    session.revise(1, "no", "changed", annotator="ann")
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (1, "d" * 24)
    page.run()
    said = f"Judged differently: ann Yes (later changed to No), me No. {review.SETTLED}"
    assert said in texts(page) and not page.exception


def test_a_further_reader_sees_the_own_answer_and_no_keys(app, make) -> None:
    session = make(overlap=1.0, readers=3)
    by_two(session, 1)
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (1, "c" * 24)
    page.run()
    assert f"You answered No. {review.SECOND}" in texts(page)
    assert not [one.key for one in page.button if str(one.key).startswith("change-")]
    assert not page.exception


def test_review_hides_what_this_person_is_still_to_judge(make) -> None:
    session = make(overlap=1.0)
    for _ in range(3):
        session.answer(session.next("ann"), "yes")
    assert len(reviewed(session, "lr", "ann").table) == 3
    assert reviewed(session, "lr", "me").table.empty


def test_a_person_alone_is_told_for_whom_the_rest_is(app, make) -> None:
    make(overlap=1.0, labels=60)
    page = app("label", project="demo")
    assert TITLES["for others"] in [one.value for one in page.header]
    button(page, "state-finish").click().run()
    assert not page.exception


def test_what_the_choice_costs_is_said() -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=200)
    assert "about 1 in 10 of the items asked, most likely 12 to 28 here" in said(
        plan, 0.1, others=True
    )
