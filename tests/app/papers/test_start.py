"""Each method that comes in by the door is started from New project: those of the five papers, and
that of the example package."""

from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.designs import METHODS, register
from labelcore.papers import METHODS as OF_PAPERS
from labelcore.ui.new_cards import ACCURACY, RANKED
from tests.app.conftest import created, to_aim, with_upload
from tests.app.papers.test_new_project import content, field

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


def test_every_method_of_the_papers_is_started_here() -> None:
    assert {one.design.name for one in OF_PAPERS} == {*STARTED} - {"tenths"}


@pytest.mark.usefixtures("price_alone")
@pytest.mark.parametrize("name", STARTED)
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
