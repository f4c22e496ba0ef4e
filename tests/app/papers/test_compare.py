"""Compare methods: what is asked, refused and shared; what it says is in ``test_offered``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.errors import CancelledError
from labelcore.papers import METHODS
from labelcore.papers.oversampling.planner import ONE_GROUP
from labelcore.papers.reach_selection.planner import NOTHING
from labelcore.ui import waiting
from labelcore.ui.new_cards import ACCURACY
from tests.app.conftest import HOSTILE, button, created, plainly, texts, to_aim
from tests.rows import write_rows

pytestmark = pytest.mark.usefixtures("price_alone")

STRATA, OVERSAMPLING, RECYCLING, CHOICE, CURVE = dict.fromkeys(
    one.planner.title for one in METHODS if one.planner is not None
)
ITEMS = 1200


def write(path: Path, *, second: str = "b", prediction: bool = True) -> Path:
    """1,200 items; score and prediction of a classifier, and the predictions of another."""
    random = np.random.default_rng(4)
    score = random.beta(0.4, 1.6, ITEMS).round(4)
    other = np.where(random.random(ITEMS) < 0.9, score >= 0.5, score >= 0.2).astype(int)
    rows = [[f"i{n}", f"item {n}", score[n], int(score[n] >= 0.5), other[n]] for n in range(ITEMS)]
    head = ["id", "text", "score_a", "pred_a", f"pred_{second}"]
    if not prediction:
        head, rows = head[:3], [row[:3] for row in rows]
    return write_rows(path, head, rows)


@pytest.fixture
def file(data_folder: Path) -> Path:
    return write(data_folder / "two.csv")


@pytest.fixture
def opened(app: Callable, file: Path) -> Callable[..., AppTest]:
    """``opened(planner)``: the page with a file of the data folder and one planner."""

    def build(planner: str = STRATA, page: str = "compare", name: str = file.name) -> AppTest:
        test = app("method", page=page)
        test.session_state["compare-planner"] = planner
        if any(one.key == "new-another" for one in test.button):
            test.button(key="new-another").click().run()
        test.text_input(key="new-typed").set_value(name).run()
        return test

    return build


def number(test: AppTest, start: str) -> Any:
    return next(one for one in test.number_input if (one.key or "").startswith(start))


def goes_on(test: AppTest, data_folder: Path) -> lc.Plan:
    """Press the button, ask a question and create the project; its plan."""
    button(test, "compare-use-").click().run()
    assert test.title[0].value == "Items · 1 of 3"
    test.switch_page("pages/new_project.py")
    to_aim(test, "Is it so?")
    assert not test.error
    return created(test, data_folder).plan


def test_empty_with_the_ways_that_every_page_has(app: Callable) -> None:
    page = app("method", page="compare")
    assert [one.value for one in page.header] == ["1 · Items"]
    ways = [one.proto.label for one in page.main.get("page_link")]
    assert ways == ["Projects", "Watch", "New project"]


def test_a_choice_between_classifiers(opened: Callable) -> None:
    page = opened(CHOICE)
    way = next(c for c in page.segmented_control if c.label == "What is there to choose from?")
    way.set_value("Classifiers").run()
    assert page.dataframe[-1].value["candidate"].tolist() == ["a", "b"]
    page.multiselect[-1].set_value(["a"]).run()
    assert "Choose at least two candidates" in page.info[-1].value


@pytest.mark.parametrize(
    ("planner", "scored", "said"),
    [
        (STRATA, False, "This needs a score to sort by, and a has only predictions."),
        (CURVE, False, "This needs a score, and a has only predictions."),
        (CHOICE, False, NOTHING),
        (OVERSAMPLING, True, ONE_GROUP),
    ],
)
def test_a_file_without_what_a_planner_needs_is_told_so(
    opened: Callable, data_folder: Path, planner: str, scored: bool, said: str
) -> None:
    rows = [[f"i{n}", f"item {n}", 3 if scored else n % 2] for n in range(240)]
    head = ["id", "text", "score_a" if scored else "pred_a"]
    write_rows(data_folder / "bare.csv", head, rows)
    page = opened(planner, name="bare.csv")
    assert said in [one.value.replace("\\", "") for one in page.info] and not page.error


@pytest.mark.parametrize("planner", [STRATA, CURVE])
def test_what_was_cancelled_is_no_error(
    opened: Callable, planner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(*_: Any, **__: Any) -> None:
        raise CancelledError("said where it was waited for")

    monkeypatch.setattr(waiting, "worked_out", cancelled)
    page = opened(planner)
    assert page.segmented_control and not page.error


@pytest.mark.parametrize(
    ("planner", "wrong"),
    [
        (
            OVERSAMPLING,
            {"compare-precision": 0.0, "compare-margin": 60.0, "compare-recall": 1.0},
        ),
        (RECYCLING, {"compare-draws": 0}),
        (CHOICE, {"compare-wanted": 101.0, "compare-slack": 95.0, "compare-budget": 0}),
        (CURVE, {"compare-factor": 1.0, "compare-window": 0, "compare-least": 0.0}),
    ],
)
def test_what_is_wrong_gets_a_sentence(
    opened: Callable, planner: str, wrong: dict[str, float]
) -> None:
    page = opened(planner)
    for key, value in wrong.items():
        kept = number(page, key).value
        number(page, key).set_value(value).run()
        assert len(page.error) == 1, key
        assert "needed" in page.error[0].value or "must" in page.error[0].value, key
        assert not [one for one in page.button if (one.key or "").startswith("compare-use")]
        number(page, key).set_value(kept).run()
        assert not page.error


def test_sizes_that_are_wrong_get_a_sentence(opened: Callable) -> None:
    page = opened(CHOICE)
    for typed, told in (
        ("50, many", "whole numbers"),
        ("50; 5000", "may name a top n from 1 to the 1,200 items"),
        ("50, 50", "names one twice"),
    ):
        field = next(one for one in page.text_input if (one.key or "").startswith("compare-sizes"))
        field.set_value(typed).run()
        assert told in plainly(page) and "params" not in plainly(page)


def test_file_and_threshold_are_shared_with_new_project(
    opened: Callable, data_folder: Path
) -> None:
    write(data_folder / "one.csv", prediction=False)
    page = opened(RECYCLING, name="one.csv")
    page.slider[0].set_value(0.8).run()
    line = next(text.value for text in page.text if "would be called" in text.value)
    assert "this file has 1" in plainly(page)
    page.switch_page("pages/new_project.py").run()
    to_aim(page, "Is it so?", ACCURACY.title)
    assert line in texts(page)
    links = [one.proto.label for one in page.main.get("page_link")]
    assert "The papers' own pictures" in links
    page.switch_page("pages/method.py")
    page.query_params["page"] = "compare"
    page.run()
    assert line in texts(page) and page.segmented_control(key="compare-planner").value == RECYCLING


def test_several_classes_and_no_classifier(opened: Callable, data_folder: Path) -> None:
    rows = "".join(f"{n},text {n},{n % 50 / 50},{'abc'[n % 3]}\n" for n in range(150))
    (data_folder / "many.csv").write_text(f"id,text,score,prediction\n{rows}", "utf-8")
    page = opened(STRATA, name="many.csv")
    assert "The best here are" in plainly(page)
    for planner in (OVERSAMPLING, RECYCLING, CHOICE, CURVE):
        page.segmented_control(key="compare-planner").set_value(planner).run()
        assert "two classes, one of them positive; the file has 3" in page.info[-1].value
    rows = "".join(f"{n},text {n}\n" for n in range(100))
    (data_folder / "bare.csv").write_text(f"id,text\n{rows}", "utf-8")
    page.button(key="new-another").click().run()
    page.text_input(key="new-typed").set_value("bare.csv").run()
    assert "nothing to compare" in page.info[-1].value


def test_names_from_the_file_do_nothing(opened: Callable, data_folder: Path) -> None:
    write(data_folder / "bad.csv", second=HOSTILE.replace(",", ""))
    page = opened(RECYCLING, name="bad.csv")
    for planner in (RECYCLING, CHOICE):
        page.segmented_control(key="compare-planner").set_value(planner).run()
        shown = [
            one.value
            for kind in ("markdown", "caption", "error", "info")
            for one in getattr(page, kind)
        ]
        assert not any("<img" in value or ":red[x]" in value for value in shown)
