"""Each method that comes in by the door is started from New project: those of the five papers, and
that of the example package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.designs import METHODS, register
from labelcore.papers import METHODS as OF_PAPERS
from labelcore.ui.new_cards import ACCURACY, RANKED
from tests.app.conftest import created, to_aim
from tests.app.test_new_project import with_upload
from tests.cases import sampled

ITEMS = 160
SHIP, SEVERAL = "Which cut should I ship?", "Several classifiers at once"
# Method -> the question, and parameters that suit so few items.
STARTED: dict[str, tuple[str, dict[str, Any]]] = {
    "stratified": (ACCURACY.title, {"n_strata": 4}),
    "oversampling": (ACCURACY.title, {}),
    "recycling": (SEVERAL, {"sample_size": 20}),
    "reach_selection": (SHIP, {}),
    "paula": (RANKED.title, {"epsilon": 0.5, "window": 5, "first_rank": 20}),
    "logarithmic_stratified": (
        RANKED.title,
        {"epsilon": 0.5, "first_rank": 20, "beta": 1.6, "minimum_precision": 0.9},
    ),
    "random_curve": (RANKED.title, {}),
    "tenths": (ACCURACY.title, {"parts": 5}),
}


def content() -> bytes:
    """A score and two classifiers; what the one calls positive the other does too."""
    rows = [f"i{n},item {n},{1 - n / ITEMS:.4f},{int(n < 48)},{int(n < 64)}" for n in range(ITEMS)]
    return "\n".join(["id,text,score_strict,pred_strict,pred_lenient", *rows]).encode()


def field(page: AppTest, name: str) -> Any:
    fields = [*page.number_input, *page.text_input]
    return next(one for one in fields if f"-{name}" in str(one.key) and "param" in str(one.key))


def test_every_method_of_the_papers_is_started_here() -> None:
    assert {one.design.name for one in OF_PAPERS} == {*STARTED} - {"tenths"}


@pytest.mark.usefixtures("price_alone")
@pytest.mark.parametrize("name", sampled(STARTED, 1, seed=1, keep=["tenths"]))
def test_a_method_is_started(
    app: Any, data_folder: Path, root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "tenths":
        monkeypatch.syspath_prepend(root / "examples" / "labelcore-tenths")
        from labelcore_tenths import METHOD

        register(METHOD)
    try:
        start(app, data_folder, name)
    finally:
        METHODS.pop("tenths", None)
        lc.DESIGNS.pop("tenths", None)


def start(app: Any, data_folder: Path, name: str) -> None:
    question, params = STARTED[name]
    both = {"estimands": ("precision", "recall")} if name == "recycling" else {}
    page = with_upload(app, "items.csv", content())
    to_aim(page, "Is it spam?", question, design=name, **both)
    for one, value in params.items():
        field(page, one).set_value(value)
    session = created(page, data_folder)
    assert session.plan.design == name
    assert {key: session.plan.params[key] for key in params} == params
    assert session.next() is not None
