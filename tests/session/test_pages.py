"""Several items judged together: what a page holds; it is stored whole, and taken back whole."""

from datetime import timedelta
from math import nan
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.errors import AnswerError, StoreError
from labelcore.log.answers import looking_seconds
from labelcore.log.screens import LEASE
from labelcore.session import ledger
from labelcore.session.session import PAGE
from labelcore.ui.status import pace
from tests.answering import answer_draws, next_draw
from tests.session.test_people import Clock, clock, replays, start  # noqa: F401


def right(draw: lc.Draw) -> bool:
    """What the classifier says, of 400 items."""
    return int(draw.item_id[1:]) >= 200


def indices(page: list[lc.Draw]) -> list[int]:
    return [draw.index for draw in page]


def test_a_page_is_stored_at_one_moment_in_the_order_drawn(tmp_path: Path) -> None:
    session = start(f"sqlite:///{tmp_path / 'labels.db'}", budget=20)
    page = session.page()
    assert indices(page) == list(range(1, PAGE + 1)) and session.page() == page
    stored = session.answer_page({draw.token: "yes" for draw in reversed(page)})
    assert [event.index for event in stored] == indices(page) and session.labels == PAGE
    assert len({event.at for event in stored}) == 1
    again = lc.Session.open(f"sqlite:///{tmp_path / 'labels.db'}", "default")
    assert again.events == session.events
    rest = again.page()
    assert indices(rest) == list(range(13, 21)), "what is left of the plan"
    again.answer_page(dict.fromkeys(rest, "no"))
    assert again.page() == [] and again.next() is None
    replays(again)


def test_the_same_page_twice_is_one_page() -> None:
    session = start()
    page = session.page(4)
    first = session.answer_page(dict.fromkeys(page, "yes"))
    before = list(session.events)
    assert session.answer_page(dict.fromkeys(page, "yes")) == first
    assert session.answer_page(dict.fromkeys(page, "no")) == first, "another word comes too late"
    assert session.events == before


def test_a_page_is_stored_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    session = start()
    page = session.page()
    before, store = list(session.events), session.store
    unknown = {**{draw.token: "yes" for draw in page}, "of nobody": "no"}
    with pytest.raises(AnswerError, match="token 'of nobody'"):
        session.answer_page(unknown)
    with pytest.raises(AnswerError, match="'maybe'"):
        session.answer_page({**dict.fromkeys(page, "yes"), page[3]: "maybe"})
    with monkeypatch.context() as broken:

        def full(*_: object) -> None:
            raise StoreError("the disk is full")

        broken.setattr(store, "append", full)
        with pytest.raises(StoreError):
            session.answer_page(dict.fromkeys(page, "yes"))
    assert session.events == before == store.events("default") and session.labels == 0
    session.answer_page(dict.fromkeys(page, "yes"))
    assert session.labels == PAGE


@pytest.mark.parametrize("people", [("ann", "ann"), ("ann", "bob")])
@pytest.mark.parametrize("again", [False, True])
def test_two_answers_to_one_item_are_no_page(
    tmp_path: Path, people: tuple[str, str], again: bool
) -> None:
    """Which was the first decides what the second is; stored together, no log could be read."""
    session = start(f"sqlite:///{tmp_path / 'labels.db'}", overlap=1.0)
    if again:
        session.answer(next_draw(session, "eve"), "yes")
    draws = []
    for who in people:
        draws.append(next_draw(session, who))
        session.release(draws[-1])
    assert {draw.index for draw in draws} == {1} and draws[0].repeat is again
    before = session.labels
    with pytest.raises(AnswerError, match="item 1 has 2 answers here: answer its draws one after"):
        session.answer_page(dict(zip(draws, ("yes", "no"), strict=True)))
    assert session.labels == before
    session.answer_page({draws[0]: "yes"})
    assert lc.Session.open(session.store, "default").events == session.events
    replays(session)


def test_a_page_is_stored_behind_what_others_were_faster_with() -> None:
    session = start(budget=40)
    other = lc.Session(session.population, session.plan, session.store)
    mine, theirs = session.page(annotator="ann"), other.page(annotator="bob")
    assert not {*indices(mine)} & {*indices(theirs)}
    read = session.ledger._read
    slow = [lambda: other.answer_page(dict.fromkeys(theirs, "no"))]

    def overtaken() -> None:
        read()
        if slow:
            slow.pop()()

    session.ledger._read = overtaken  # type: ignore[method-assign]
    stored = session.answer_page(dict.fromkeys(mine, "yes"))
    assert [event.annotator for event in stored] == ["ann"] * PAGE and session.labels == 2 * PAGE
    assert [one.hash for one in session.events] == [
        one.hash for one in session.store.events("default")
    ]
    replays(session)


def test_one_undo_takes_a_page_back_and_the_page_comes_again() -> None:
    session = start(budget=40)
    assert session.undo_page() == 0
    single = next_draw(session)
    session.answer(single, "yes")
    first = session.page(5)
    session.answer_page(dict.fromkeys(first, "yes"))
    open_ = session.page(5)
    assert session.undo_page() == 5 and session.labels == 1
    again = session.page(5)
    assert indices(again) == indices(first) and not {*again} & {*first}
    assert session.page(5) == again
    session.answer_page(dict.fromkeys(again, "no"))
    assert session.page(5) == open_, "the page that was open meanwhile"
    assert session.undo_page() == 5 and session.undo_page() == 1 and session.labels == 0
    replays(session)


def test_an_undo_leaves_what_another_person_stored_at_the_same_moment(
    clock: Clock,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, at = start(), clock.now()
    monkeypatch.setattr(ledger, "now", lambda: at)
    pages = {who: session.page(3, who) for who in ("ann", "bob")}
    for page in pages.values():
        session.answer_page(dict.fromkeys(page, "yes"))
    assert session.undo_page("bob") == 3 and session.labels == 3


def test_an_answer_changed_since_is_taken_back_by_itself() -> None:
    session = start()
    page = session.page(3)
    session.answer_page(dict.fromkeys(page, "yes"))
    session.revise(2, "no", "t")
    assert session.undo_page() == 1 and session.labels == 3
    assert session.undo_page() == 3
    assert indices(session.page()) == [1, 2, 3], "what was taken back, by itself"


def test_a_page_ends_with_a_pilot() -> None:
    session = start(budget=None, margin=0.2, promise="watched", stop="margin", items=400)
    pilot = session.engine.pilot
    while session.engine.pilot == pilot:
        assert session.labels < pilot, "with its last answer"
        page = session.page(7)
        assert session.labels + len(page) <= pilot
        session.answer_page(dict.fromkeys(page, "yes"))
    assert session.labels == pilot and session.state.events["reforecast"] == 1
    replays(session)


def test_nothing_is_said_to_follow_the_last_label_of_a_pilot() -> None:
    """It may show that the margin is reached, as it does here."""
    session = start(budget=None, margin=0.05, promise="watched", stop="margin", items=400)
    answer_draws(session, right, session.engine.pilot - 1)
    draw = next_draw(session)
    assert session.ahead(draw, ["yes", "no"]) == {}
    session.answer(draw, right(draw))
    assert session.next() is None and session.status == "goal reached"


def test_what_is_left_for_later_is_one_page() -> None:
    session = start(budget=5)
    page = session.page()
    session.answer_page(dict.fromkeys(page, "later"))
    assert indices(session.page()) == indices(page) == [1, 2, 3, 4, 5]


def test_a_batch_that_was_given_up_is_one_page() -> None:
    session = start(budget=40, design="recalibrated_neyman")
    page = session.page(30, "ann")
    assert 1 < len(page) < 30, "the next batch depends on the answers"
    for draw in page:
        session.release(draw)
    assert indices(session.page(30, "bob")) == indices(page)


def test_second_readings_and_what_was_put_off_come_in_pages_too() -> None:
    session = start(budget=40, repeats=0.4)
    off = next_draw(session)
    session.answer(off, "later")
    while page := session.page():
        session.answer_page(dict.fromkeys(page, "yes"))
    assert session.labels == 40 and session.engine.repeats.answered > 5
    assert session.status == "budget used"
    replays(session)


def test_a_page_left_open_goes_to_others_after_a_while(clock: Clock) -> None:  # noqa: F811
    session = start(budget=40)
    left = session.page(3, "ann")
    assert indices(session.page(3, "bob")) == [4, 5, 6]
    clock.pass_by(LEASE)
    assert session.page(3, "ann") == left, "theirs until somebody else asks"
    assert indices(session.page(3, "eve")) == [1, 2, 3]
    late = session.answer_page(dict.fromkeys(left, "yes"))
    assert [event.kind for event in late] == ["labelled"] * 3
    replays(session)


def test_the_answers_of_a_page_share_its_time(clock: Clock) -> None:  # noqa: F811
    session = start(budget=13)
    page = session.page()
    clock.pass_by(timedelta(seconds=24))
    stored = session.answer_page(dict.fromkeys(page, "yes"))
    assert looking_seconds(stored) == pytest.approx([2.0] * PAGE, abs=0.001)
    expected = 8 + PAGE / 20 * (2.0 - 8)  # as much of the usual pace as there are too few of twenty
    assert pace(session.events) == pytest.approx(expected, abs=0.001)
    assert session.labels_table()["seconds"].tolist() == pytest.approx([2.0] * PAGE, abs=0.001)
    draw = next_draw(session)
    clock.pass_by(timedelta(hours=-2))  # It is set back while somebody looks.
    assert looking_seconds([session.answer(draw, "yes")]) == [pytest.approx(nan, nan_ok=True)]


def test_the_page_that_follows_is_told_only_where_it_is_sure() -> None:
    session = start(budget=40)
    page = session.page()
    ahead = session.page_ahead(page)
    assert len(ahead) == PAGE and len(session.page_ahead(page, 3)) == 3
    session.answer_page(dict.fromkeys(page, "yes"))
    page = session.page()
    assert [(one.index, one.item_id) for one in page] == ahead
    session.answer_page(dict.fromkeys(page, "yes"))
    page = session.page()
    assert len(session.page_ahead(page)) == 4, "what is left of the plan"
    assert (draw := session.next("another")) is not None and session.page_ahead(page) == []
    assert session.release(draw) is not None and session.page_ahead(page) == [], "it comes again"
    for plan in ({"repeats": 0.2}, {"stop": "margin", "margin": 0.1}):
        terms = {"budget": None, "promise": "watched"} if "stop" in plan else {"budget": 40}
        other = start(**terms, **plan)
        assert other.page_ahead(other.page()) == []


def test_what_follows_is_not_sure_where_a_second_pass_is_due() -> None:
    session = start(budget=60)
    session.answer_page(dict.fromkeys(session.page(), "yes"))
    page = session.page()
    assert session.page_ahead(page)
    session.undo_page()
    assert session.page_ahead(page) == [], "what was taken back comes next"
    session.answer_page(dict.fromkeys(session.page(), "yes"))
    session.second_pass(2)
    assert session.page_ahead(session.page()) == []


def test_a_page_has_a_number_of_items() -> None:
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        start().page(0)
