"""New project: the offer to learn from what the items say."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from labelcore.errors import CancelledError
from labelcore.safe_text import plain
from labelcore.ui import files, new_repeats
from labelcore.ui.new_cards import BOTH
from labelcore.ui.new_content import AT_HALF, LEARN, LEAVE_OUT, NOT_AT_HALF, NOTHING, offered
from tests.app.conftest import created, opened, texts, to_aim

pytestmark = pytest.mark.usefixtures("price_alone")

ITEMS = 600


def written(data_folder: Path, *, says: bool = True) -> str:
    """Items of two topics; the classifier is wrong on a quarter, whatever they say. Their texts
    name the topic, or nothing."""
    random = np.random.default_rng(2)
    truth = random.random(ITEMS) < 0.3
    said = np.where(random.random(ITEMS) < 0.25, ~truth, truth)
    path = data_folder / "files" / "items.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    topics = [
        ("engine oil car" if one else "doctor pill ward") if says else "word" for one in truth
    ]
    rows = (
        f"i{place},{topic} {' '.join(f'w{n}' for n in random.integers(30, size=3))},"
        f"{0.7 if one else 0.2},{'yes' if one else 'no'}\n"
        for place, (topic, one) in enumerate(zip(topics, said, strict=True))
    )
    path.write_text("id,text,lr_score,lr_pred\n" + "".join(rows))
    return "files/items.csv"


def at_the_price(app, data_folder: Path, **given: bool) -> AppTest:
    path = written(data_folder, **given)
    return to_aim(opened(app, path), "Is this right?", BOTH.title)


def press(page: AppTest, label: str) -> AppTest:
    (found,) = (one for one in page.button if one.label == label)
    return found.click().run()


def test_one_press_makes_the_helper_and_says_what_it_saves(app, data_folder: Path) -> None:
    """It can be left out again."""
    page = press(at_the_price(app, data_folder), LEARN)
    assert "What the items say may save about" in texts(page)
    assert LEARN not in [one.label for one in page.button]
    assert LEARN in [one.label for one in press(page, LEAVE_OUT).button]
    page = press(page, LEARN)
    plan = created(page, data_folder).plan
    assert [*plan.params["helpers"]] == ["content"] and plan.params["content"]


def test_what_saves_no_more_than_noise_stays_off(app, data_folder: Path) -> None:
    page = press(at_the_price(app, data_folder, says=False), LEARN)
    assert plain(NOTHING) in texts(page)
    assert "helpers" not in created(page, data_folder).plan.params


def test_cancelled_the_plan_goes_on_without(app, data_folder: Path, monkeypatch) -> None:
    def cancelled(*_: object, **__: object) -> None:
        raise CancelledError("Learning from items.csv was cancelled.")

    monkeypatch.setattr(files, "learned", cancelled)
    page = press(at_the_price(app, data_folder), LEARN)
    assert LEARN in [one.label for one in page.button]


def test_learning_at_half_is_one_press_and_off_for_two(app, data_folder: Path, monkeypatch) -> None:
    page = press(at_the_price(app, data_folder), AT_HALF)
    assert NOT_AT_HALF in [one.label for one in page.button]
    monkeypatch.setattr(new_repeats, "spendings_of", lambda *_: [])  # Nothing is foretold.
    two = page.segmented_control(key="new-readers").set_value(2).run()
    assert new_repeats.NOT_AT_HALF in (said := texts(two))
    assert new_repeats.NONE_SETTLED not in said
    page = two.segmented_control(key="new-readers").set_value(1).run()
    session = created(page, data_folder)
    assert session.plan.params["recut"] == "once"
    assert session.population.features, "made before the first item, and kept"


def test_each_condition_of_the_offer_counts() -> None:
    ways: dict[str, tuple[Any, Any]] = {
        "classes": ((0, 1), (0, 1, 2)), "address": (None, "a table"), "helpers": ({}, {"h": 1}),
        "content_columns": (["text"], []), "claims": ((), ["recall > 0"]),
        "estimands": (["recall"], ["precision_curve"]), "classifiers": (["m"], ["m", "n"]),
        "design_params": (SimpleNamespace(content=None), SimpleNamespace()),
    }  # fmt: skip
    for off in (None, *ways):
        given = {name: ways[name][name == off] for name in ways}
        one: Any = SimpleNamespace(**given, arguments={"scores": {}, "predictions": {}})
        assert offered(one, one) == (off is None), off
