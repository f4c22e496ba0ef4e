"""Items that several people judge, on the pages."""

import pytest

import labelcore as lc
from labelcore.ui import people_page, review, settling
from labelcore.ui.new_repeats import seen_words
from labelcore.ui.reviewed import SETTLE, reviewed
from labelcore.words.sentences import percent
from labelcore.words.statuses import TITLES
from tests.answering import answer_draws
from tests.app.conftest import (
    button,
    created,
    pictures,
    surface_buttons,
    texts,
    to_aim,
    with_upload,
)


def by_two(session: lc.Session, number: int = 4) -> None:
    """Ann answers so many items yes, and the person of the page, "me", each of them no."""
    answer_draws(session, "yes", number, who="ann")
    for _ in range(number):
        draw = session.next("me")
        assert draw.repeat
        session.answer(draw, "no")


def test_what_people_judge_differently_is_settled_by_key_on_people(
    app, make, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make(overlap=1.0)
    by_two(session)
    for index, text in ((2, "an offer?"), (1, "no longer said"), (1, "")):
        session.note(index, text, "ann")
    assert reviewed(session, "lr", "me").lists()[SETTLE] == 4
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (2, "b" * 24)
    page.run()
    assert "Judged differently: ann Yes, me No." in texts(page)
    button(page, "settle-this").click().run()
    seen = page.session_state[settling.SEEN]
    page = app("people", project="demo")
    page.session_state[settling.SEEN] = seen
    shown: list[tuple[str, ...]] = []
    monkeypatch.setattr(settling.trail, "saw", lambda *given: shown.append(given))
    page.run()
    first = next(row.first for row in session.unsettled() if row.index == 2)
    assert ("demo", first.item_id, "2") in shown, "the trail says whose content was seen"
    assert settling.ASKED in (said := texts(page)) and "0 of 4 settled" in said
    assert "an offer?" in said and "**Yes**" in said and "**No**" in said
    page.text_input(key=f"{settling.REASON}-2").set_value("an offer").run()
    button(page, "change-settle-negative-2").click().run()
    assert "1 of 4 settled" in (said := texts(page)) and settling.ASKED in said
    assert "no longer said" not in said
    button(page, "settle-back").click().run()
    assert settling.SETTLED in texts(page)
    button(page, "change-settle-negative-2").click().run()
    for index in (1, 3, 4):
        button(page, f"change-settle-positive-{index}").click().run()
    assert settling.ASKED not in texts(page) and "4 of 4 settled" in texts(page)
    button(page, "settle-back").click().run()
    assert settling.SETTLED in texts(page), "the last one may be settled anew, too"
    session.sync()
    settled = [(one.index, one.label, one.text) for one in session.events if one.kind == "settled"]
    assert settled == [(2, "no", "an offer"), *((index, "yes", "") for index in (1, 3, 4))]
    assert session.unsettled() == [] and session.engine.in_force(2).label == "yes"


def test_people_says_who_did_what_and_whose_the_figure_is(app, make) -> None:
    session = make(overlap=1.0, labels=24, budget=24)
    said = app("people", project="demo").title[0].value
    assert said.startswith("As settled by two people: Accuracy, 0 of ")
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 7 == 0, who="ann")
    page = app("people", project="demo")
    assert page.title[0].value.startswith("As settled by two people")
    assert "%" in page.title[0].value and " %" not in page.title[0].value
    (shown,) = [one["said"] for one in pictures(app("progress", project="demo")) if one["said"]]
    assert shown[1].startswith("As settled by two people: Accuracy ")
    each, pairs = (one.value for one in page.table[:2])
    assert each["Person"].tolist() == ["me", "ann"] and each["First answers"].tolist() == [
        "24",
        "0",
    ]
    assert pairs["Two people"].tolist() == ["ann, me"]
    same = pairs["The same class"].tolist()[0]
    assert "%" in same and " %" not in same, "no line ends before the sign"
    assert "yes against no" in pairs["Where they differ"].tolist()[0]
    differ = len(session.unsettled()) / 24
    said = seen_words(session)
    assert said.startswith(f"Two people differ on {percent(round(differ, 2), 0)} of")
    assert "once all of them are settled" in said, "all 48 answers are in"
    assert said in texts(page).replace("\N{NO-BREAK SPACE}", " ")
    for one in session.unsettled():
        session.settle(str(one.first.item_id), "no", "ann")
    assert "once all" not in texts(app("people", project="demo")), "all are in and settled"


def test_people_of_one_person_and_of_nobody(app, make) -> None:
    make()
    assert people_page.NOBODY_YET in texts(app("people", project="demo"))
    make("other", labels=12)
    page = app("people", project="other")
    assert page.table[0].value["First answers"].tolist() == ["12"]


def test_a_first_answer_changed_after_the_others_is_told(app, make) -> None:
    session = make(overlap=1.0)
    by_two(session, 1)
    session.settle(str(session.engine.in_force(1).item_id), "no", "eve")
    session.revise(1, "no", "changed", annotator="ann")
    page = app("people", project="demo")
    page.session_state[settling.SEEN] = {"demo": {"chosen": 1}}
    said = texts(page.run())
    assert "later changed to No" in said and settling.SETTLED in said


def test_a_further_reader_sees_the_own_answer_and_no_keys(app, make) -> None:
    session = make(overlap=1.0, readers=3)
    by_two(session, 1)
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (1, "c" * 24)
    page.run()
    assert f"You answered No. {review.SECOND}" in texts(page)
    assert not [one.key for one in page.button if str(one.key).startswith("change-")]


def test_review_hides_what_this_person_is_still_to_judge(make) -> None:
    session = make(overlap=1.0)
    answer_draws(session, "yes", 3, who="ann")
    assert len(reviewed(session, "lr", "ann").table) == 3
    assert reviewed(session, "lr", "me").table.empty


def test_a_person_alone_is_told_for_whom_the_rest_is(app, make) -> None:
    make(overlap=1.0, labels=24, budget=24)
    page = app("label", project="demo")
    assert TITLES["for others"] in [one.value for one in page.header]
    assert "Live: looked at" in texts(page), "it goes on when the others are done"
    assert [one.key for one in page.button if one.label == "Finish"] == ["state-finish"]
    assert "finish" not in [one.place for one in surface_buttons(page)]
    button(page, "state-finish").click().run()


@pytest.fixture
def judged_by_both(make) -> lc.Session:
    """All labels are there, half of them are judged by two, and some are to be settled."""
    session = make(overlap=0.5, labels=24, budget=24)
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 7 == 0, who="ann")
    return session


def test_items_to_settle_lead_on_at_the_end(app, judged_by_both: lc.Session) -> None:
    page = app("label", project="demo")
    settle, finish = button(page, "to-settle"), button(page, "state-finish")
    assert (settle.proto.type, finish.proto.type) == ("primary", "secondary")


def test_a_report_has_settled_figures_once_and_the_share_as_planned(
    app, judged_by_both: lc.Session
) -> None:
    report = app("report", project="demo")
    (settled,) = (one.value for one in report.table if "settled" in one.value.to_string().lower())
    assert [*settled] == ["As settled by two people", "Value"]
    assert "50 % of the labelled items, drawn at random, to be judged by 2 people" in texts(report)


def test_readers_and_overlap_take_two_presses(app, items, data_folder) -> None:
    page = to_aim(with_upload(app, "items.csv", items.read_bytes()), "Spam?")
    page.segmented_control(key="new-readers").set_value(3).run()
    page.select_slider(key="new-overlap").set_value(0.65).run()
    assert "of them judged by 3 people (± " in texts(page)
    assert any(one.value.endswith(", by first answers alone") for one in page.markdown)
    assert "new-repeats" not in [one.key for one in page.segmented_control]
    plan = created(page, data_folder).plan
    assert (plan.readers, plan.overlap, plan.repeats) == (3, 0.65, 0.0)
