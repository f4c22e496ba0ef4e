"""New project: what each number costs, and its switch."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from labelcore.ui.asking import DRAFT
from labelcore.ui.new_cards import BOTH, SEVERAL
from tests.app.conftest import created, opened, texts, to_aim
from tests.app.test_new_groups import named


def at_the_price(app, data_folder: Path) -> AppTest:
    return to_aim(opened(app, named(data_folder)), "Is this right?", BOTH.title)


def switch(page: AppTest, name: str):
    (found,) = (one for one in page.toggle if one.key == f"new-switch-numbers-{name}")
    return found


def price(page: AppTest) -> str:
    (found,) = (one.value for one in page.markdown if one.value.startswith("With 200 labels"))
    return found


def test_the_dear_number_is_named_with_what_goes_without_it(app, data_folder: Path) -> None:
    """What the line says of the plan without it is its price once it is switched off; and another
    is switched on."""
    page = at_the_price(app, data_folder)
    (said,) = (one.value for one in page.caption if one.value.startswith("Without *"))
    assert said.startswith("Without *Recall*: ± ") and "(recall)" in price(page)
    less = said.split(": ")[1].removesuffix(".")
    assert less not in price(page)
    assert less in switch(page, "recall").label
    switch(page, "recall").set_value(False).run()
    assert f"{less} (precision)" in price(page) and "Without *" not in texts(page)
    assert switch(page, "precision").value and switch(page, "precision").disabled
    assert not switch(page, "recall").value and not switch(page, "f1").value
    assert "with it ± " in switch(page, "f1").label
    switch(page, "accuracy").set_value(True)
    assert created(page, data_folder).plan.estimands == ("precision", "accuracy")


def test_one_of_several_thresholds_is_left_out(app, data_folder: Path) -> None:
    """Each threshold is a classifier of the plan; its score and the others stay chosen."""
    page = opened(app, named(data_folder, score_b=[n % 100 / 100 for n in range(1_200)]))
    page.session_state[DRAFT].thresholds = {"b": "0.3 0.5"}
    to_aim(page, "Is this right?", SEVERAL.title)
    switches = {one.label.split("**")[1].replace("\\", ""): one for one in page.toggle}
    assert {"classifier", "b>=0.3", "b>=0.5"} <= {*switches}
    switches["b>=0.3"].set_value(False).run()
    now = page.session_state[DRAFT]
    assert (now.classifiers, now.thresholds) == (["classifier", "b"], {"b": "0.5"})
    assert created(page, data_folder).plan.classifiers == ("classifier", "b")
