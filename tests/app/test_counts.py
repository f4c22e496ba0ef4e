"""One line counts the answers, and every page has the same one, whatever came before."""

import json
import random

import pytest

from labelcore.report import report_json
from tests.app.conftest import Make, texts

STEPS = ("yes", "no", "yes", "no", "yes", "no", "unsure", "broken", "later", "undo")


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in (0, 3, 4, 6, 7))]
)
def test_all_places_agree(seed: int, app, make: Make) -> None:
    chance = random.Random(seed)
    session = make(budget=60)
    force: dict[str, str] = {}
    for _ in range(chance.randint(8, 45)):
        step, draw = chance.choice(STEPS), session.next()
        assert draw is not None
        if step != "undo":
            session.answer(draw, step)
            force[draw.item_id] = step
        elif force and (back := session.undo()) is not None:
            force.pop(back.item_id)
    session.results()
    kinds = {
        "labelled": sum(one in ("yes", "no") for one in force.values()),
        **{kind: list(force.values()).count(kind) for kind in ("unsure", "broken", "later")},
    }
    answered = kinds["labelled"] + kinds["unsure"] + kinds["broken"]
    parts = [f"{kinds['labelled']} labelled", f"{kinds['unsure']} not sure",
             f"{kinds['broken']} broken"]  # fmt: skip
    line = " + ".join(part for part in parts if not part.startswith("0 "))
    assert kinds["unsure"] + kinds["broken"], "such a history says something"
    line += f" = {answered}"
    pages = {page: texts(app(page, project="demo")) for page in ("label", "progress", "report")}
    assert f"{answered} of 60 judged" in texts(app())
    for page, text in pages.items():
        assert line in text, (page, line, text[:600])
    assert pages["label"].count(line) == 2, "above the item and beside it"
    for page in ("label", "progress"):
        assert f"{line} of 60" in pages[page], page
    for page in ("label", "progress"):
        assert (f"{kinds['later']} for later" in pages[page]) == (kinds["later"] > 0)
    counts = json.loads(report_json(session))["counts"]
    assert {kind: counts[kind] for kind in ("labelled", "unsure", "broken")} == {
        kind: kinds[kind] for kind in ("labelled", "unsure", "broken")
    }
