"""A figure that rests on the items of one prediction alone: nothing is asked about the others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.figures.scalars import scalar_results
from labelcore.testing.known import Known, calibrated, fewest, label, labelled, write
from labelcore.testing.scalars import Narrow
from tests.answering import answer_draws, many_labelled
from tests.cases import SOUND_AND_BROKEN, once, repeated

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

RECALIBRATED = "recalibrated_neyman"
PARTS = {"precision": True, "false_omission_rate": False, "negative_predictive_value": False}
"""Figures and the prediction of the items that they rest on."""

known = once(calibrated, 1_000, seed=4)


def plan_of(estimand: str, **values: Any) -> lc.Plan:
    return lc.Plan(RECALIBRATED, [estimand], **{"budget": 100, "promise": "fixed", **values})


def asked(known: Known, plan: lc.Plan) -> tuple[int, int]:
    """Labels of items that are called positive, and of the others."""
    engine = labelled(known.engine(plan, 1), known.truth)
    above = int(engine.drawn[engine.frame.predicted].sum())
    return above, int(engine.drawn.sum()) - above


@pytest.mark.parametrize("promise", ["fixed", "watched"])
@pytest.mark.parametrize("estimand", PARTS)
def test_the_labels_go_where_the_figure_rests(known: Known, estimand: str, promise: str) -> None:
    found = asked(known, plan_of(estimand, promise=promise))
    assert found == ((100, 0) if PARTS[estimand] else (0, 100))


@pytest.mark.parametrize(
    "values",
    [
        {"estimands": ["precision", "recall"]},
        {"estimands": ["recall"]},
        {"params": {"focus": "precision_recall"}},
        {"params": {"allocation": "neyman"}},
        {"claims": ["precision >= 0.5"], "promise": None},
        {"claims": ["recall >= 0.2"], "promise": None,
         "params": {"allocation": "two_ended", "n_above": 6}},
    ],
)  # fmt: skip
def test_everything_is_asked_where_more_is_wanted(known: Known, values: dict[str, Any]) -> None:
    plan = lc.Plan(
        RECALIBRATED,
        values.pop("estimands", ["precision"]),
        **{"budget": 100, "promise": "fixed", **values},
    )
    assert min(asked(known, plan)) > 0


def test_a_second_classifier_is_asked_about_too(tmp_path: Path) -> None:
    random = np.random.default_rng(6)
    score = random.beta(0.5, 2, 1_000)
    two = {"scores": {"one": "score", "two": "score"}, "thresholds": {"one": 0.5, "two": 0.3}}
    file = write(tmp_path, (random.random(1_000) < score).astype(int), score=score, **two)
    assert min(asked(file, plan_of("precision", classifier=["one", "two"]))) > 0


def test_all_of_them_labelled_is_the_end(known: Known) -> None:
    called = int((known.population.predictions["lr"] == 1).sum())
    plan = plan_of("precision", budget=1_000)
    session = lc.Session(known.population, plan)
    answer_draws(session, known)
    found = session.results()["precision"]
    assert session.labels == called and session.plan.planned == called
    assert found.state == "exact" and found.low == found.high == known.value("precision")
    wider = known.engine(plan_of("precision", budget=called, target="process"), 1)
    process = scalar_results(labelled(wider, known.truth))["precision"]
    assert process.state == "interval" and process.half_width > 0.01


def test_plan_report_and_curve_say_so(known: Known) -> None:
    plan = plan_of("precision")
    said = f"Only items that the classifier calls {known.population.positive!r} are asked"
    assert any(
        note.startswith(said) for note in lc.preview(known.population, plan).derived["notes"]
    )
    session = lc.Session(known.population, plan)
    with pytest.raises(ValueError, match="there is no curve: nothing is asked about some items"):
        session.curve()


def covered(known: Known, runs: int) -> float:
    """How often 60 labels at confidence 80 % cover precision."""
    plan, inside, truth = (
        plan_of("precision", budget=60, confidence=0.8),
        0,
        known.value("precision"),
    )
    for engine in many_labelled(known, plan, runs):
        found = scalar_results(engine)["precision"]
        inside += found.low <= truth <= found.high
    return inside / runs


def test_a_watched_promise_rests_on_any_number_of_strata(known: Known) -> None:
    for name, figure in (("n_above", "precision"), ("n_below", "false_omission_rate")):
        for number in (1, 5):
            plan = plan_of(figure, promise="watched", budget=40, params={name: number})
            engine = labelled(known.engine(plan, 1), known.truth)
            assert np.count_nonzero(engine.drawn) == number
            found = scalar_results(engine)[figure]
            assert found.has_interval
            assert ("likelihood-ratio interval" in found.method) == (number == 1)


def test_a_handful_of_called_items_is_all_that_is_asked(tmp_path: Path) -> None:
    """Ten: two strata of five; watched, the last label makes the figure exact."""
    score = np.linspace(0, 1, 1_000)
    file = write(tmp_path, np.arange(1_000) % 2, score=score, thresholds={"lr": score[-10]})
    engine = file.engine(plan_of("precision", promise="watched"), 1)
    for labels in label(engine, file.truth):
        found = scalar_results(engine)["precision"]
        assert found.low <= 0.5 <= found.high
        assert found.state == ("interval" if labels < 10 else "exact")
    assert engine.labels == 10


@pytest.mark.slow
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_the_interval_covers(broken: bool, known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 runs: not below the limit of the binomial noise (.69); with half the width it is."""
    runs = repeated(200)
    if broken:
        narrow = type("Narrow", (Narrow, RecalibratedNeyman), {})
        monkeypatch.setitem(lc.DESIGNS, RECALIBRATED, narrow())
    assert (covered(known, runs) < fewest(runs, 0.8)) == broken
