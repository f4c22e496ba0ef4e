"""Items judged twice, on the pages."""

import re

from labelcore.ui.people_page import COME_AGAIN
from tests.app.conftest import button, surface, surface_buttons, texts


def until_a_repeat(session):
    """Answer new items only; returns the repeat that is shown then."""
    while (draw := session.next()) is not None and not draw.repeat:
        session.answer(draw, int(draw.item_id[1:]) % 5 == 0)
    assert draw is not None
    return draw


def test_nothing_tells_a_repeat_before_it_is_answered(app, make) -> None:
    session = make(repeats=0.5)
    for _ in range(10):
        draw = session.next()
        session.note(draw.index, "seen before")
        session.flag(draw.index)
        session.answer(draw, int(draw.item_id[1:]) % 5 == 0)
    draw = until_a_repeat(session)
    page = app("label", project="demo")
    shown = texts(page)
    assert "twice" not in shown
    assert "seen before" not in shown
    assert [one.label for one in surface_buttons(page) if "flag" in one.place] == ["Flag"]
    assert surface(page)["tools"]["note"] == ""
    assert not re.search(rf"\bitem {draw.index}\b", texts(page))
    button(page, "positive").click().run()
    shown = texts(page)
    assert "21 of about 90 answers" in shown
    assert "twice" not in shown
    session.sync()
    assert session.engine.repeats.answered == 1
    assert "20 of 60 " in (shown := texts(app("progress", project="demo")))
    assert "1 judged twice" in shown
    button(page, "undo").click().run()
    session.sync()
    back = session.next()
    assert (back.item_id, back.repeat) == (draw.item_id, True)


def test_at_the_end_the_labels_are_called_a_judgement_and_a_second_pass_is_offered(
    app, make
) -> None:
    session = make(labels=60)
    page = app("label", project="demo")
    assert (
        "agreement with the judgement of the people who gave the answers: no item was judged twice"
        in texts(page)
    )
    button(page, "second-pass").click().run()
    session.sync()
    assert len(session.engine.repeats.due) == 30
    draw = session.next()
    assert draw.repeat
    button(page, "negative").click().run()
    assert "60 of 60 items · 1 of 30 judged twice" in texts(page)


def test_a_second_pass_is_said_to_come_where_it_was_asked_for(app, make) -> None:
    make(labels=40)
    page = app("people", project="demo")
    assert COME_AGAIN not in texts(page)
    button(page, "second-pass").click().run()
    assert COME_AGAIN in texts(page), "the button alone changed, to ask for the other ten"


def finished(make):
    session = make(labels=60)
    session.second_pass(30)
    for place in range(30):
        draw = session.next()
        session.answer(draw, (int(draw.item_id[1:]) % 5 == 0) ^ (place == 0))
    return session


def test_rate_figures_and_items_stand_on_progress_and_in_the_history(app, make) -> None:
    session = finished(make)
    page = app("people", project="demo")
    shown = texts(page)
    assert "1 of 30 repeated items got a different answer the second time" in shown
    assert "Two answers under one name: the same answer to 29 of 30 items" in shown
    (figures,) = (one.value for one in page.table if "Mistakes anywhere" in one.value)
    assert figures["For the truth"].tolist() == ["Accuracy"]
    (items,) = (one.value for one in page.dataframe if "second" in one.value)
    assert items["item"].tolist() == [session.label_error().differing[0].first.item_id]
    assert "1 of 30 repeated" in (report := texts(app("report", project="demo")))
    assert "0 for later, 30 judged a second time" in report
    assert "are not counted" not in report
    page = app("label", project="demo")
    button(page, "history").click().run()
    page.checkbox(key="only-second").check().run()
    rows = [
        one for one in page.button if (one.key or "").startswith("open-") and one.label == "Open"
    ]
    assert len(rows) == 1
    assert "the second time: " in texts(page)
