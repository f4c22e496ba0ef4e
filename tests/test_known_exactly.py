"""A figure that rests on known items alone is exact before the first label."""

from pathlib import Path

import pytest

import labelcore as lc
from labelcore.results.types import Estimate
from labelcore.ui.last_look import card_line
from labelcore.ui.summary import summarise
from labelcore.words import sentences as words
from tests.existing_files import from_the_top, made, read
from tests.plan.test_existing import labelled, plan_of


@pytest.mark.parametrize("promise", ["fixed", "watched"])
@pytest.mark.parametrize("design", ["recalibrated_neyman", "simple_random"])
def test_precision_of_items_that_are_all_known(tmp_path: Path, design: str, promise: str) -> None:
    score, truth = made()
    called = score >= 0.5
    population = read(tmp_path, from_the_top(int(called.sum()) + 20))
    session = lc.Session(population, plan_of(design, existing="certainty", promise=promise))
    found = session.results()["precision"]
    assert isinstance(found, Estimate)
    assert found.state == "exact" and found.labels_used == 0 and found.has_interval
    assert found.low == found.value == found.high == pytest.approx(truth[called].mean())
    assert f"from 0 labels and {int(called.sum())} known items" in found.sentence()
    assert found.method.startswith("known exactly") and found.form == ""
    assert session.results()["recall"].state == "nothing"
    labelled(session, stop=15)
    assert session.results()["precision"].state == "exact"
    _is_open(session, (truth & called).sum() / truth.sum())


def _is_open(session: lc.Session, truth: float) -> None:
    """Few labels: a fixed recall waits, a watched one has an interval that leaves much open."""
    recall = session.results()["recall"]
    assert isinstance(recall, Estimate)
    if session.plan.promise == "fixed":
        assert recall.state in ("too few", "provisional")
    else:
        assert recall.state == "interval" and recall.told is None
        assert recall.low <= truth <= recall.high < 1 and recall.high - recall.low > 0.5


def test_one_item_that_is_not_known_leaves_it_open(tmp_path: Path) -> None:
    called = int((made()[0] >= 0.5).sum())
    population = read(tmp_path, from_the_top(called - 1))
    session = lc.Session(population, plan_of(existing="certainty"))
    assert session.results()["precision"].state == "nothing"


def test_the_start_page_says_exactly(tmp_path: Path) -> None:
    population = read(tmp_path, from_the_top(int((made()[0] >= 0.5).sum())))
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], classifier="a", budget=60,
                   existing="certainty")  # fmt: skip
    session = lc.Session(population, plan, f"sqlite:///{tmp_path / 'one.db'}", "demo")
    labelled(session, stop=5)
    session.results()
    said = card_line(summarise(session.store.project("demo"), session.events))
    value = session.results()["precision"].value
    assert f"Precision {words.percent(value, 2)} (exact)" in said, said
