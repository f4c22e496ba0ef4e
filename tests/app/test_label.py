import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.ui import actions, sessions, without_item
from labelcore.ui.figures import SWAY
from labelcore.ui.status import goal_line
from labelcore.words.pilots import pilot_words, size_words
from labelcore.words.sentences import points
from labelcore.words.unsure import EITHER_WAY_TITLE, either_way_words, odds_words
from tests.answering import answer_draws
from tests.app.conftest import (
    HOSTILE,
    bar_texts,
    button,
    item_texts,
    pictures,
    surface,
    surface_buttons,
    texts,
)
from tests.columns import items


def spaced(text: str) -> str:
    """A text of a page with plain spaces."""
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def fresh(session: lc.Session) -> lc.Session:
    session.sync()
    return session


def test_press_stores_the_answer_of_the_item_shown(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    keys = {one.label: one.shortcut.lower() for one in surface_buttons(page)}
    assert {"Yes": "y", "No": "n", "Not sure": "s", "Later": "l"}.items() <= keys.items()
    draw = session.next()
    button(page, "positive").click().run()
    event = fresh(session).last_answer()
    assert (event.item_id, event.label) == (draw.item_id, "yes")
    assert "Saved: Yes" in texts(page)
    assert session.next().token != draw.token


def test_item_is_shown_literally(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    for _ in range(4):
        draw = session.next()
        assert session.item(draw)["text"] in item_texts(page)
        button(page, "negative").click().run()
    assert HOSTILE not in "".join(str(one.value) for one in page.markdown)


def test_other_answers(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    for key in ("unsure", "later", "broken"):
        button(page, key).click().run()
        assert fresh(session).last_answer().kind == key


def test_undo_is_repeatable_and_brings_the_item_back(app, make) -> None:
    session = make(labels=3)
    page = app("label", project="demo")
    button(page, "undo").click().run()
    button(page, "undo").click().run()
    assert fresh(session).labels == 1
    said = texts(page)
    assert "Taken back: " in said and "Saved: " not in said, (
        "the answer before it was told as saved"
    )
    button(page, "flag").click().run()
    assert actions.FLAGGED[True] in texts(page)
    button(page, "positive").click().run()
    assert "Saved: Yes" in texts(page)


def test_undo_of_a_screen_that_is_old_does_nothing(make) -> None:
    session = make(labels=3)
    actions.take_back.__wrapped__("demo", 1)
    assert fresh(session).labels == 3


def test_no_answer_button_behind_a_panel(app, make) -> None:
    make(labels=1)
    for name in ("history", "finish"):
        page = app("label", project="demo")
        button(page, name).click().run()
        assert not surface_buttons(page)


def test_the_end_waits_behind_a_panel(app, make) -> None:
    title = without_item.title(make(labels=60))
    page = app("label", project="demo")
    assert title in texts(page)
    button(page, "history").click().run()
    assert title not in texts(page) and "The last 50 answers" in texts(page)


def test_the_count_asks_for_more_labels_and_says_what_they_bring(app, make) -> None:
    session = make(labels=40, params={"horizon": 4})
    before = session.engine.limit
    page = app("label", project="demo")
    button(page, "extend").click().run()
    assert not surface_buttons(page) and page.slider[0].value == 50
    said = r"50 more: about ± ([\d.]+) → ± ([\d.]+) points for accuracy, ~?\w+.* of labelling\."
    wide = re.search(said, texts(page))
    page.slider[0].set_value(100).run()
    more = re.search(said.replace("50", "100", 1), texts(page))
    assert wide and more, texts(page)
    now, then, later = float(wide[1]), float(wide[2]), float(more[2])
    assert now == float(more[1]) > then > later and fresh(session).engine.limit == before
    button(page, "go-on").click().run()
    assert fresh(session).engine.limit == before + 100
    assert [e.detail for e in session.events if e.kind == "extended"] == [{"budget": before + 100}]
    assert button(page, "positive") and f"of {before + 100}" in surface(page)["head"]["said"][0]


def test_labels_beyond_a_plan_that_ends_there_promise_no_narrower_interval(app, make) -> None:
    make(labels=40)
    page = app("label", project="demo")
    button(page, "extend").click().run()
    assert "would be a second stage, reported apart from this result." in texts(page)
    assert "50 more: under a minute of labelling." in texts(page) and "→" not in texts(page)


def two_projects() -> None:
    import streamlit as st

    from labelcore.ui import actions, people, sessions
    from labelcore.ui.answers import tools_shown

    actions.open_panel("said", project="first")
    opened = {name: sessions.session(name) for name in ("first", "second")}
    for name, session in opened.items():
        undo = tools_shown(session, people.name(session), None, False)["buttons"][0]
        st.text(f"{name} {undo['off']}")


def test_whoever_saw_a_verdict_can_undo_an_answer_of_another_project(make) -> None:
    """The last answer is event 4 of either log."""
    make("first", labels=2, here=True), make("second", labels=2, here=True)
    page = AppTest.from_function(two_projects, default_timeout=60).run()
    assert [one.value for one in page.text] == ["first True", "second False"]


def test_note_and_flag(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    button(page, "flag").click().run()
    note = button(page, "note")
    replace(note, press={**note.press, "text": "why **so**"}).click().run()
    assert "Note saved." in texts(page) and surface(page)["tools"]["note"] == "why **so**"
    kinds = {e.kind: e.text for e in fresh(session).events if e.kind in ("flagged", "noted")}
    assert kinds == {"flagged": "yes", "noted": "why **so**"}


def test_the_help_leaves_item_and_answers_and_is_closed_by_its_key(app, make) -> None:
    session = make()
    page = app("label", project="demo")
    item = surface(page)["item"]
    button(page, "help").click().run()
    assert "Junk counts." in texts(page) and surface(page)["item"] == item
    tools = {one["key"] for one in surface(page)["tools"]["buttons"] if one["key"]}
    told = {line.split("  ")[0].strip() for line in re.split(r"\n|, ", texts(page))}
    assert "G" in tools and tools <= told
    button(page, "positive").click().run()
    assert fresh(session).labels == 1 and "Junk counts." in texts(page)
    button(page, "help").click().run()
    assert "Junk counts." not in texts(page)


def test_what_the_first_labels_say_is_shown_in_dots(app, make) -> None:
    session = make(labels=3)
    shown = app("label", project="demo")
    found, page = session.results()["accuracy"], texts(shown)
    assert found.told is None and found.has_interval
    assert ["Accuracy", "", "too early"] in bar_texts(shown)
    assert re.search(r"About \d+ labels? to a first figure\.", page)
    assert "against" not in page and "agreed" not in str(pictures(shown))
    # Dots are off where nobody said that they are on.
    button = next(one for one in shown.button if one.label.startswith("Show by dots"))
    button.click()
    shown.run()
    said = r"Accuracy: \d of 3 answers went against the classifier; about \d+ more for a first"
    assert re.search(said, texts(shown)) and fresh(session).settings["dots"] is True
    assert "agreed" in str(pictures(shown)) and SWAY.format(model="classifier") in texts(shown)
    session = make("later", labels=50)
    page = texts(app("label", project="later"))
    assert "95 % sure: 'lr' gets" in page and session.results()["accuracy"].sentence() in page
    assert "items.csv" in page and "95 % confidence, approximate, valid at every look" in page


def test_what_unsure_items_leave_open_stands_beside_the_figure(app, make) -> None:
    """Of all items by the odds under the sentence, either way behind a press; neither while nobody
    was unsure, nor where the sentence is about all items."""
    session = make(labels=40, estimands=["accuracy", "recall"], budget=120)
    assert "Of all items" not in texts(app("label", project="demo"))
    truth = lambda draw: int(draw.item_id[1:]) % 5 == 0  # noqa: E731
    answer_draws(session, lambda draw: truth(draw) if draw.index % 3 else "unsure", 15)
    page, found = app("label", project="demo"), session.results()
    (shown,) = [one.value for one in page.text if one.value.startswith("Of all items")]
    assert spaced(shown) == odds_words(found["accuracy"]) != odds_words(found["recall"])
    (behind,) = [one.value for one in page.text if EITHER_WAY_TITLE in one.value]
    for key, name in (("accuracy", "Accuracy"), ("recall", "Recall")):
        assert either_way_words(found[key], name) in spaced(behind)
    page.session_state["picture figure"] = "recall"
    page.run()
    (shown,) = [one.value for one in page.text if one.value.startswith("Of all items")]
    assert spaced(shown) == odds_words(found["recall"]), "of the figure that the sentence is about"


def test_fixed_promise_shows_no_interval_before_its_end(app, make) -> None:
    make(labels=50, promise="fixed")
    page = app("label", project="demo")
    assert "so far; its interval comes with the planned 60 labels." in texts(page)
    ((_, value, interval),) = bar_texts(page)
    assert value.endswith(" %") and not interval


def test_a_deadline_before_a_fixed_promise_is_due(app, make, monkeypatch) -> None:
    monkeypatch.setattr("labelcore.session.projects.now", lambda: "2020-01-01T00:00:00+00:00")
    make(labels=0, promise="fixed", stop="deadline 2020-01-31T18:00")
    page = app("label", project="demo")
    assert "The deadline has passed" in texts(page)
    assert "The promised interval is not due yet" in texts(page)
    assert "second stage" not in texts(page)


def test_budget_used_then_finish(app, make) -> None:
    session = make(labels=60)
    page = app("label", project="demo")
    assert "All the labels asked for are there" in texts(page)
    assert surface(page)["stands"] == "All the labels asked for are there"
    assert "finish" not in [one.place for one in surface_buttons(page)], "it stands once"
    assert button(page, "state-finish").proto.type == "primary"
    button(page, "state-finish").click().run()
    assert fresh(session).status == "finished"
    assert "This project is finished" in texts(page)
    assert button(page, "to-report").proto.type == "primary"
    assert texts(app("progress", project="demo")).count("finished") == 1


def test_goal_reached_then_go_on(app, make) -> None:
    session = make(budget=None, margin=0.3)
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 5 == 0)
    assert session.status == "goal reached" and goal_line(session) == ""
    page = app("label", project="demo")
    assert "The goal is reached" in texts(page)
    button(page, "go-on").click().run()
    assert fresh(session).status == "open"
    assert goal_line(fresh(session)).endswith(", goal ± 30.0 points.")
    assert button(page, "positive")


def test_a_goal_reached_while_an_item_is_open_elsewhere(app, make) -> None:
    session = make(budget=None, margin=0.2)
    assert session.next("me 2") is not None
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 5 == 0)
    assert session.engine.stopped and session.status == "waiting"
    for name in ("label", "progress"):
        page = texts(app(name, project="demo"))
        assert "goal reached · waiting for 1 open item" in page, name
        assert "is not reached yet" not in page and " min left" not in page, name
        assert "Labelling is going on" not in page, name
    assert "goal reached" in texts(app())


@pytest.mark.parametrize("labels", [10, 60])
def test_the_report_says_as_much_of_a_size_that_is_learned(app, make, labels: int) -> None:
    engine = make(labels=labels, budget=None, margin=0.05).engine
    said, of_plan = pilot_words(engine), pilot_words(engine, size_words)
    assert said in texts(app("label", project="demo")) and said in of_plan.lower()
    report = texts(app("report", project="demo"))
    assert f"Size: {of_plan}\n" in report and " planned, " not in report


def test_finish_asks_a_reason(app, make) -> None:
    session = make(labels=60, budget=None, margin=0.05, promise="watched")
    page, half = app("label", project="demo"), session.results()["accuracy"].half_width
    button(page, "finish").click().run()
    there = f"The plan is not reached yet: 60 of about {session.engine.planned} answers."
    assert f"{there} Now ± {points(half)}, goal ± 5.0 points." in spaced(texts(page))
    page.text_input[0].set_value("tired").run()
    button(page, "finish-now").click().run()
    assert [e.text for e in fresh(session).events if e.kind == "finished"] == ["tired"]


def test_exhausted(app, data_folder) -> None:
    population = items(predictions={"lr": [0, 1] * 6})
    plan = lc.Plan("simple_random", ["accuracy"], budget=12)
    session = lc.Session(population, plan, sessions.store(), "demo")
    answer_draws(session, "yes")
    assert "Everything there was to judge has been judged" in texts(app("label", project="demo"))


def test_hostile_class_names_and_project(app, items, data_folder) -> None:
    population = lc.read_population(
        items, content="text", scores={"lr": "score_lr"}, predictions={"lr": "pred_lr"},
        classes=["**no**", HOSTILE], positive=HOSTILE,
    )  # fmt: skip
    plan = lc.Plan("simple_random", ["accuracy"], budget=50)
    lc.Session(population, plan, sessions.store(), HOSTILE[:60])
    page = app("label", project=HOSTILE[:60])
    assert [one.label for one in surface_buttons(page)][:2] == [HOSTILE[:39] + "…", "**no**"]
    assert all("**" not in b.label and ":red[" not in b.label for b in page.button)


def test_a_failed_write_is_told_and_the_item_stays(app, make, monkeypatch) -> None:
    make()
    page = app("label", project="demo")

    def full(*_: object, **__: object) -> None:
        raise lc.errors.StoreError("the disk is full")

    monkeypatch.setattr(lc.Session, "answer", full)
    button(page, "positive").click().run()
    assert "was not stored" in texts(page) and "disk is full" in texts(page)
    assert button(page, "positive")
