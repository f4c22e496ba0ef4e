"""Labelling under a notebook's cell: the surface of the app, without the app."""

import sys
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.ui.actions import TOO_LATE
from labelcore.ui.notebook import label
from labelcore.ui.notebook_surface import SCRIPT, Bench


@pytest.fixture
def session(tmp_path: Path) -> lc.Session:
    rows = [{"id": n, "text": f"message {n}", "s": n / 50} for n in range(50)]
    population = lc.read_population(
        rows, id="id", content="text", scores={"lr": "s"}, thresholds={"lr": 0.5}
    )
    plan = lc.Plan("simple_random", ["accuracy"], budget=3, seed=1)
    return lc.Session(population, plan, f"sqlite:///{tmp_path}/labels.db", project="spam")


def press(bench: Bench, number: int, **what: object) -> dict[str, object]:
    item = bench.shown()["item"]
    bench.take({"id": str(number), "token": item and item["token"], **what})
    return bench.shown()


def test_presses_are_answers_of_the_session(session: lc.Session) -> None:
    bench = Bench(session, "ann")
    first = bench.shown()
    assert first["item"]["view"][0][-1].startswith("message ") and "0 of 3" in first["head"]["said"]
    said = press(bench, 1, act="answer", answer="yes")
    assert said["tools"]["saved"] == "Saved: Yes" and said["done"] == "1"
    bench.take({"id": "1", "token": first["item"]["token"], "act": "answer", "answer": "yes"})
    assert session.labels == 1, "a press that arrives twice is one answer"
    bench.take({"id": "2", "token": first["item"]["token"], "act": "answer", "answer": "no"})
    assert bench.shown()["tools"]["saved"] == TOO_LATE and session.labels == 1
    assert press(bench, 3, act="undo")["head"]["said"][0] == "0 of 3" and not session.labels
    for number in (4, 5, 6):
        said = press(bench, number, act="answer", answer="no")
    assert said["item"] is said["answers"] is None
    assert "accuracy" in said["sentence"] or "right" in said["sentence"]
    assert {event.annotator for event in session.events if event.answers} == {"ann"}


def test_without_the_package_it_says_which(
    session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'labelcore\[notebook\]'"):
        label(session)


def test_the_script_gives_a_notebook_one_thing() -> None:
    assert SCRIPT.count("export default") == 1 and "\nconst drawn = " in SCRIPT
