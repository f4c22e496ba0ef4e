"""Several people on the labelling page: too late presses, and items whose page is gone."""

from types import SimpleNamespace

import pytest

import labelcore as lc
from labelcore.ui import actions, people
from labelcore.words import statuses
from tests.answering import answer_draws, next_draw
from tests.app.conftest import button, texts


@pytest.fixture(autouse=True)
def nobody_was_here() -> None:
    people.presence.clear()


def test_where_no_browser_runs_the_person_is_me(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    button(page, "positive").click().run()
    session.sync()
    assert session.last_answer("me") is not None
    assert session.store.people("demo") == {}
    button(page, "help").click().run()
    assert "stored under the name “me”" in texts(page)


MINE, OTHER = "a" * 32, "b" * 32


@pytest.mark.parametrize(
    ("kept", "cookie", "secret"),
    [
        (MINE, None, MINE), (None, MINE, MINE), (MINE, OTHER, MINE), (None, None, None),
        (None, "A" * 32, None), (None, MINE + "a", None),
    ],
)  # fmt: skip
def test_a_browser_is_known_by_its_page_or_its_cookie(
    kept: str | None, cookie: str | None, secret: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = SimpleNamespace(cookies={people.COOKIE: cookie})
    monkeypatch.setattr(people.st, "context", context)
    monkeypatch.setattr(people.st, "session_state", {people.SECRET: kept})
    assert people.secret() == secret


def test_a_name_that_the_browser_has_in_another_project_is_not_asked_again(
    app, make, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make()
    other = lc.Session(session.population, session.plan, session.store, "other")
    other.introduce("Ann", other.person(MINE))
    me = [session.person(secret) for secret in (OTHER, MINE)][1]
    monkeypatch.setattr(people, "secret", lambda: MINE)
    page = app("label", project="demo")
    session.sync()
    assert session.called(me) == "Ann"
    assert "who-name" not in [one.key for one in page.text_input]


def test_a_press_that_comes_too_late_and_says_something_else_is_told(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    same = app("label", project="demo")
    draw = next_draw(session, "me")
    session.answer(draw, "yes")
    button(same, "positive").click().run()
    assert actions.TOO_LATE not in texts(same) and "Saved: Yes" in texts(same)
    button(page, "negative").click().run()
    assert actions.TOO_LATE in texts(page)
    session.sync()
    assert [event.label for event in session.events if event.kind == "labelled"] == ["yes"]
    button(page, "negative").click().run()
    assert actions.TOO_LATE not in texts(page) and "Saved: No" in texts(page)


def test_a_late_press_on_an_item_of_another_person_is_kept_and_told(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    draw = next_draw(session, "me")
    session.release(draw)
    session.answer(next_draw(session, "bob"), "yes")
    session.introduce("Bob\u202e <b>", "bob")
    button(page, "negative").click().run()
    assert "Bob <b> had answered this item; yours is kept as a second reading." in texts(page)
    assert not page.error
    session.sync()
    kept = next(event for event in session.events if event.answers == draw.token)
    assert (kept.kind, kept.label, kept.answers) == ("late", "no", draw.token)
    assert session.labels == 1 and session.engine.in_force(draw.index).label == "yes"
    page = app("review", project="demo")
    page.session_state["review-opened"] = (draw.index, "c" * 24)
    assert "too late to count" in texts(page.run())


def test_whose_answer_came_first_has_no_name_where_none_was_given(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    draw = next_draw(session, "me")
    session.release(draw)
    session.answer(next_draw(session, "me 2"), "yes")
    button(page, "negative").click().run()
    assert actions.KEPT.format(who=actions.SOMEBODY) in texts(page)


def test_undo_and_history_are_ones_own(app, make) -> None:
    session = make()
    others = next_draw(session, "bob")
    session.answer(others, "yes")
    page = app("label", project="demo")
    assert button(page, "undo").disabled
    button(page, "history").click().run()
    assert "Nothing was judged in this browser yet; the project has 1 answer: see Review." in texts(
        page
    )
    session.sync()
    assert session.last_answer("bob") is not None


def test_an_item_on_another_screen_is_taken_over(app, make) -> None:
    session = make(budget=20)
    left = [next_draw(session, person) for person in ("me 2", "me 3")]
    answer_draws(session, "yes")
    page = app("label", project="demo")
    assert statuses.ELSEWHERE in texts(page)
    assert "They come back in at most 30 min: reload then." in texts(page)
    button(page, "take-over").click().run()
    for one in left:
        assert "Nothing to judge" not in texts(page) and not page.error
        session.sync()
        assert [shown.index for shown in session.state.on_screen("me")] == [one.index]
        button(page, "positive").click().run()
        assert session.answer(one, "no").kind == "late"


def test_no_item_is_taken_over_that_one_must_not_judge(make) -> None:
    """Of an overlap the other answer is another person's."""
    session = make(budget=20, overlap=1.0)
    answer_draws(session, "yes")
    again = next_draw(session, "ann")
    assert again.repeat
    assert [one.draw for one in session.state.elsewhere("bob")] == [again]
    assert session.state.elsewhere("me") == []


def test_an_item_comes_back_when_its_page_has_been_gone(app, make, monkeypatch) -> None:
    session = make(budget=20)
    left = next_draw(session, "bob")
    people.presence().arrive("demo", "bob")
    people.presence().arrive("demo", "bob")
    answer_draws(session, "yes")

    def on_page() -> bool:
        page = app("label", project="demo")
        session.sync()
        return any(
            draw.index == left.index for draw in session.state.on_screen("me")
        ) and "Nothing to judge" not in texts(page)

    monkeypatch.setattr(people, "GONE_SECONDS", 0.0)
    people.presence().arrive("other", "bob")
    for project in ("demo", "other"):
        people.presence().leave(project, "bob")
    assert not on_page(), "another page of this person is open"
    monkeypatch.setattr(people, "GONE_SECONDS", 600.0)
    people.presence().leave("demo", "bob")
    assert not on_page(), "it was closed a moment ago"
    monkeypatch.setattr(people, "GONE_SECONDS", 0.0)
    assert on_page()
    assert [event.annotator for event in session.events if event.kind == "released"] == ["bob"]


def test_what_was_taken_for_a_time_outlasts_a_closed_page(make, monkeypatch) -> None:
    session = make(budget=45)
    taken = session.take(3, "bob", minutes=4320)
    next_draw(session, "eve")
    monkeypatch.setattr(people, "GONE_SECONDS", 0.0)
    for who in ("bob", "eve"):
        people.presence().arrive("demo", who)
        people.presence().leave("demo", who)
    assert people.release_gone(session)
    assert session.state.on_screen("bob") == taken and not session.state.on_screen("eve")
    monkeypatch.setattr(people, "now", lambda: "2999-01-01T00:00:00+00:00")
    assert people.release_gone(session)
    assert not session.state.on_screen("bob")


def test_a_name_is_asked_for_once_somebody_else_is_there(app, make) -> None:
    session = make(labels=2)
    page = app("label", project="demo")
    assert "who-name" not in [one.key for one in page.text_input]
    for secret in ("a" * 32, "b" * 32):
        session.person(secret)
    page = app("label", project="demo")
    button(page, "help").click().run()  # The form stands below the item already.
    assert not page.exception and not page.error
    page.text_input(key="who-name").set_value("Ann").run()
    session.sync()
    assert session.called("me") == "Ann"
    assert "who-name" not in [one.key for one in app("label", project="demo").text_input]
    page = app("review", project="demo")
    page.session_state["review-opened"] = (1, "c" * 24)
    assert "· Ann · " in texts(page.run())
    with pytest.raises(ValueError, match="name must be your own: another person is called 'Ann'"):
        session.introduce("Ann", "me 2")
    with pytest.raises(ValueError, match="name must have at most 60 characters, got 61"):
        session.introduce("x" * 61, "me 2")
    session.introduce(" Bob  B ", "me 2")
    assert session.called("me 2") == "Bob B"
