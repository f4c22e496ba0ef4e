"""Explore of a choice between candidates: other requirements from the same labels."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

import labelcore as lc
from labelcore.figures.choices import choices_at
from labelcore.log.history import state_at
from labelcore.report import report_html
from labelcore.ui import explore, session_picture
from labelcore.ui.explore_choice import ANOTHER, FURTHER, REQUIREMENTS
from labelcore.ui.summary import summarise
from labelcore.words.choices import further_words
from tests.app.conftest import Once, button, texts

WANTED = {"candidates": (20, 40, 80), "precision_threshold": 0.8}


@pytest.fixture
def session(labelled_once: Once) -> lc.Session:
    return labelled_once("choice", chosen)


def chosen(data_folder: Path) -> lc.Session:
    rows = "".join(f"i{n},item {n},{1 - n / 160:.4f}\n" for n in range(160))
    path = data_folder / "files" / "items.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"id,text,score\n{rows}")
    population = lc.read_population(path, id="id", content="text", scores={"c": "score"})
    plan = lc.Plan("reach_selection", "selection", params=WANTED, budget=80, seed=2)
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    session = lc.Session(population, plan, store, "demo", settings={"question": "Is it?"})
    label(session, Random(5))
    return session


def label(session: lc.Session, random: Random) -> None:
    while (draw := session.next()) is not None:
        session.answer(draw, random.random() < (0.99 if int(draw.item_id[1:]) < 40 else 0.2))


def test_a_report_stands_where_nothing_but_not_sure_was_answered(session: lc.Session) -> None:
    fresh = lc.Session(session.population, session.plan)
    fresh.answer(fresh.next(), "unsure")
    assert "<svg" in report_html(fresh)


def rows(page: Any) -> Any:
    (table,) = page.dataframe
    return table.value


def test_any_precision_may_be_asked(app: Any, session: lc.Session) -> None:
    page = app("explore", project="demo")
    page.number_input(key=ANOTHER).set_value(42.5).run()
    assert "42.5 %" in rows(page)["required precision"].tolist()
    page.number_input(key=ANOTHER).set_value(180).run()
    assert not page.dataframe


def test_labelling_goes_on_until_another_choice_is_made(app: Any, session: lc.Session) -> None:
    """A press on Explore; what was said before stays, the log alone leads to the same draws, and a
    choice that is made, or asks for more items than there are, is refused."""
    before = session.results()["selection"]
    left = [one.precision for one in session.choices_at(REQUIREMENTS) if one.status == "undecided"]
    page = app("explore", project="demo")
    page.segmented_control(key=FURTHER).set_value(left[-1]).run()
    button(page, "go-further").click().run()
    session.sync()
    assert session.going_on and session.engine.sought[0][1] == left[-1]
    with pytest.raises(ValueError, match="labels are asked for another choice still"):
        session.seek_choice(left[0])
    assert "still open" in further_words(session.figures.further_choices()[0])
    label(session, Random(6))
    (made,) = session.figures.further_choices()
    assert made.status == "guaranteed" and session.status == "goal reached"
    assert further_words(made) in texts(app("label", project="demo"))
    assert "is the choice, its precision" in report_html(session)
    after = session.results()["selection"]
    assert (before.chosen, before.status) == (after.chosen, after.status)
    again = state_at(session.population, session.plan, session.events).engine
    assert again.drawn_positions.tolist() == session.engine.drawn_positions.tolist()
    assert choices_at(again, left) == session.choices_at(left)
    with pytest.raises(ValueError, match="precision must be one whose choice is still open"):
        session.seek_choice(left[-1])
    with pytest.raises(ValueError, match="budget must be more than the .* items so far"):
        session.seek_choice(left[0], budget=3)
    session.seek_choice(left[0], budget=70)
    assert summarise(session.record, session.events).planned == 70


def test_the_choices_of_several_topics_stand_side_by_side(app: Any, session: lc.Session) -> None:
    session.results()
    assert len(app("explore", project="demo").dataframe) == 1
    wanted = {**WANTED, "delta": 0.1}
    plan = lc.Plan("reach_selection", "selection", params=wanted, budget=80, seed=4)
    asked = {"question": "Is it about arts?"}
    arts = lc.Session(session.population, plan, session.store, "arts", settings=asked)
    label(arts, Random(8))
    arts.results()
    page = app("explore", project="demo")
    table = page.dataframe[-1].value.set_index("asked")
    assert table.loc["Is it?", "the choice"] == session.results()["selection"].chosen
    assert table.loc["Is it about arts?", "labels"] == str(arts.labels)
    assert "all 2 together with 85 % or more" in texts(page).replace("\\", "")


def test_the_axis_of_a_choice_ends_at_its_labels(session: lc.Session) -> None:
    """A choice that is made early would fill a corner of an axis that is drawn to the budget."""
    now = session_picture.picture(session, session_picture.beside(session), None)
    labels, planned = (f"'{number}'" for number in (session.labels, session.plan.planned))
    assert labels in str(now.chart) and planned not in str(now.chart)


def test_who_asks_for_no_choice_is_told_why(session: lc.Session) -> None:
    plan = lc.Plan("simple_random", "precision", budget=20, seed=1)
    population = lc.read_population(
        session.population.path, id="id", content="text", scores={"c": "score"},
        thresholds={"c": 0.5},
    )  # fmt: skip
    with pytest.raises(ValueError, match="bounds that hold for all candidates together"):
        lc.Session(population, plan).choices_at([0.5])
    with pytest.raises(ValueError, match="above 0 and be at most 1, got 1.5"):
        session.choices_at([1.5])


def test_several_classifiers_are_told_what_chooses_among_them(
    app: Any, session: lc.Session, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = lc.read_population(
        session.population.path, id="id", content="text", scores={"c": "score"},
        thresholds={"c": [0.5, 0.7]},
    )  # fmt: skip
    plan = lc.Plan(
        "recalibrated_neyman", "accuracy", classifier=list(population.classifiers), budget=60
    )
    two = lc.Session(population, plan, f"sqlite:///{data_folder / 'labelcore.db'}", "two")
    while (draw := two.next()) is not None and two.labels < 5:
        two.answer(draw, int(draw.item_id[1:]) < 40)
    shown = texts(app("explore", project="two")).replace("\\", "")
    assert "'Which cut should I ship?' has bounds for all of them" in shown
    assert "has bounds for all of them" not in texts(app("explore", project="demo"))
    core = {"recalibrated_neyman": explore.DESIGNS["recalibrated_neyman"]}
    monkeypatch.setattr(explore, "DESIGNS", core)
    assert "has bounds for all" not in texts(app("explore", project="two")), "no method does it"
