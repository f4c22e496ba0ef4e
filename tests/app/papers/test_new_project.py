"""New project by the methods of the papers: a choice between candidates, recycled samples."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.answering import answer_draws
from tests.app.conftest import button, created, error, store, texts, to_aim, with_upload

pytestmark = pytest.mark.usefixtures("price_alone")

SHIP = "Which cut should I ship?"
SEVERAL = "Several classifiers at once"
ITEMS = 160


def content() -> bytes:
    """A score and two classifiers; what the one calls positive the other does too."""
    rows = [f"i{n},item {n},{1 - n / ITEMS:.4f},{int(n < 48)},{int(n < 64)}" for n in range(ITEMS)]
    return "\n".join(["id,text,score_strict,pred_strict,pred_lenient", *rows]).encode()


def asked(app: Any, card: str, **chosen: Any) -> AppTest:
    return to_aim(with_upload(app, "items.csv", content()), "Is it spam?", card, **chosen)


def recycled(app: Any) -> AppTest:
    """Precision and recall of both classifiers by recycled samples."""
    return asked(app, SEVERAL, estimands=("precision", "recall"), design="recycling")


def field(page: AppTest, name: str) -> Any:
    """The input of a parameter."""
    fields = [*page.number_input, *page.text_input]
    return next(one for one in fields if f"-{name}" in str(one.key) and "param" in str(one.key))


def refused(page: AppTest, data_folder: Path) -> str:
    """The sentence that says why nothing can be created."""
    assert not [one for one in page.button if one.key == "new-create"]
    assert store(data_folder).projects() == []
    assert "params" not in error(page)
    return error(page)


def test_a_choice_between_classifiers(app, data_folder: Path) -> None:
    page = asked(app, SHIP)
    assert field(page, "candidates").value == "strict, lenient"
    assert "At most 64 labels" in texts(page) and "fewer if the choice is clear" in texts(page)
    field(page, "precision_threshold").set_value(0.8).run()
    session = created(page, data_folder)
    assert (session.plan.design, session.plan.estimands) == ("reach_selection", ("selection",))
    assert session.plan.stop == ("choice",) and session.plan.promise == "watched"
    assert session.plan.params["precision_threshold"] == 0.8
    called = session.engine.design.candidates(session.engine.frame)
    assert {name: len(items) for name, items in called.items()} == {"strict": 48, "lenient": 64}


def test_a_choice_between_cuts_of_one_score(app, data_folder: Path) -> None:
    page = asked(app, SHIP, classifiers=("strict",))
    field(page, "candidates").set_value("20; 0.75, 80").run()
    session = created(page, data_folder)
    called = session.engine.design.candidates(session.engine.frame)
    found = {name: len(items) for name, items in called.items()}
    assert found == {"top 20": 20, "strict>=0.75": 41, "top 80": 80}


def test_nothing_is_offered_once_the_choice_is_made(app, data_folder: Path) -> None:
    page = asked(app, SHIP)
    field(page, "precision_threshold").set_value(0.5).run()
    session = created(page, data_folder)
    answer_draws(session, True)
    assert session.labels < ITEMS and session.status == "goal reached"
    page = app()
    page.menu_button[0].set_value("Go on longer").run()
    assert not page.number_input
    assert "The choice is made: no further item would be asked." in texts(page)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
            ("precision_threshold", 0.0,
             "Precision threshold must be above 0 and at most 1, got 0.0"),
            ("precision_threshold", 1.5, "from 0.0 to 1.0 is needed here, and this is 1.5"),
            ("candidates", "20, 40", "name 'lenient' there too, or 'strict' alone"),
        ],
)  # fmt: skip
def test_a_choice_that_cannot_be_made(
    app, data_folder: Path, name: str, value: Any, told: str
) -> None:
    page = asked(app, SHIP)
    assert button(page, "new-create")
    field(page, name).set_value(value).run()
    assert told in refused(page, data_folder)


def test_recycled_samples_and_those_that_cannot_be(app, data_folder: Path) -> None:
    page = recycled(app)
    for name, value, told in (
        ("parent", "nobody", "'nobody'"),
        ("parent", "", "Parent must name a classifier, got none"),
        ("children", "nobody", "Children names 'nobody', which has no predictions in the file"),
        ("sample_size", 0, "from 1 to 1,000,000 is needed here, and this is 0."),
    ):
        before = field(page, name).value
        field(page, name).set_value(value).run()
        assert told in refused(page, data_folder)
        field(page, name).set_value(before)
    page.run()
    assert (field(page, "parent").value, field(page, "children").value) == ("strict", "lenient")
    field(page, "sample_size").set_value(20)
    field(page, "negatives").set_value(10).run()
    size = re.search(r"asks for exactly (\d+) labels", texts(page))
    session = created(page, data_folder)
    plan = session.plan
    assert size is not None and plan.planned == int(size[1])
    assert (plan.design, plan.estimands) == ("recycling", ("precision", "recall"))
    assert plan.params["parent"] == "strict" and plan.classifiers == ("strict", "lenient")
    assert "precision@lenient" in session.results()


def test_another_parent_than_the_first_classifier(app, data_folder: Path) -> None:
    page = recycled(app)
    field(page, "children").set_value("strict").run()
    assert "must not name the parent" in refused(page, data_folder)
    field(page, "parent").set_value("lenient").run()
    session = created(page, data_folder)
    assert session.plan.classifiers == ("lenient", "strict")
    assert {"precision", "precision@strict"} <= session.results().keys()
