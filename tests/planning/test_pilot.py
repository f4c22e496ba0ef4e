"""A plan that ends at a margin and learns its size from a pilot of its first labels."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import NEWEST_RULES, PILOT_RULES
from labelcore.errors import AnswerError, PlanError
from labelcore.figures import from_counts
from labelcore.figures.current import FiguresNow
from labelcore.figures.scalars import scalar_results, scalar_results_of, sizes_after_pilot
from labelcore.log.engine import Engine
from labelcore.log.history import state_at
from labelcore.log.kinds import check
from labelcore.plan.pilot import (
    LITTLE_KNOWN,
    NOTHING_KNOWN,
    PILOT,
    far_ahead,
    further_pilot,
    largest_size,
    size_after,
)
from labelcore.planning import runs
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_all, label_each_until
from labelcore.promises import Status
from labelcore.session.drawing import Drawing
from labelcore.stats.horizon import boundary, size_again
from labelcore.testing.known import Known, fewest, most, write
from labelcore.ui.session_picture import beside
from labelcore.ui.status import counts, progress_parts
from labelcore.ui.summary import Summary, summarise
from labelcore.words.pilots import about_size, pilot_words, size_words
from tests import existing_files
from tests.answering import answer_draws
from tests.cases import repeated

MARGIN, REACHED, SESSIONS = 0.15, 0.88, repeated(40)
LITTLE_TOLD = 3
"""A seed whose first 60 labels tell little."""


@pytest.fixture(scope="module")
def plan(bad: Known) -> lc.Plan:
    return kept_plan(bad.population, lc.Plan("recalibrated_neyman", ["recall"], margin=MARGIN))


def ended(bad: Known, plan: lc.Plan) -> tuple[float, list[Engine]]:
    """The share of the sessions that reach the margin, and all of them at their end."""
    engines = list(beginnings(bad.population, plan, range(SESSIONS)))
    statuses = label_all(engines, bad.truth)
    return float(np.mean([one == Status.GOAL_REACHED for one in statuses])), engines


def by_fitted_rates(engines: list[Engine]) -> list[dict[str, Any]]:
    """The twin: the size by the rates fitted to the pilot, as if each stratum had had those."""
    with pytest.MonkeyPatch.context() as patch:
        real = from_counts.answers_of

        def believed(*given: Any) -> list[Any]:
            return [
                replace(one, cells=replace(one.cells, positive=one.rates * one.cells.labelled))
                for one in real(*given)
            ]

        patch.setattr(from_counts, "answers_of", believed)
        return sizes_after_pilot(engines)


def test_a_margin_is_reached_where_the_scores_lie(bad: Known, plan: lc.Plan) -> None:
    """Forecast for 16 labels, it takes about 270."""
    assert int(plan.planned or 0) < PILOT
    share, engines = ended(bad, plan)
    assert share >= fewest(SESSIONS, REACHED)
    truth = float(np.mean(bad.population.predictions["lr"][bad.truth == 1]))
    wrong = [not one["recall"].low <= truth <= one["recall"].high for one in
             scalar_results_of(engines)]  # fmt: skip
    assert np.mean(wrong) <= most(SESSIONS, 0.05)


@pytest.mark.full
def test_a_forecast_that_is_believed_does_not_reach_it(bad: Known, plan: lc.Plan) -> None:
    """Nor do the rates fitted to the pilot: both leave nearly all sessions without what they were
    to give."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lc.Plan, "learns", False)
        believed, _ = ended(bad, plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "sizes_after_pilot", by_fitted_rates)
        fitted, _ = ended(bad, plan)
    assert max(believed, fitted) < fewest(SESSIONS, REACHED)


def widths_around_the_pilot(bad: Known, plan: lc.Plan) -> np.ndarray:
    """Half-widths with the last label of the pilot, before the size is known and after, (2, n)."""
    engines = list(beginnings(bad.population, plan, range(12)))
    label_each_until(engines, [bad.truth] * len(engines), PILOT)
    found = []
    for _ in range(2):
        found.append([one["recall"].half_width for one in scalar_results_of(engines)])
        runs.end_pilots(engines)
    return np.array(found)


def test_the_band_never_jumps_open_when_the_size_is_known(bad: Known, plan: lc.Plan) -> None:
    before, after = widths_around_the_pilot(bad, plan)
    assert (after <= before + 1e-12).all() and after.mean() < before.mean()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "watched_for", property(lambda self: max(self.planned, PILOT)))
        before, after = widths_around_the_pilot(bad, plan)
    assert (after > before + 0.01).any(), "the twin: a band for the size that was forecast"


def test_the_band_of_a_pilot_is_not_for_the_largest_size(bad: Known, plan: lc.Plan) -> None:
    """The twin is a plan of before, which keeps its band: that of nearly the whole file."""
    assert plan.interval_rules == NEWEST_RULES
    half = {}
    for of in (plan, replace(plan, rules=PILOT_RULES)):
        engines = list(beginnings(bad.population, of, range(12)))
        label_each_until(engines, [bad.truth] * len(engines), PILOT)
        half[of.rules] = np.mean([one["recall"].half_width for one in scalar_results_of(engines)])
    assert half[NEWEST_RULES] < 0.9 * half[PILOT_RULES] and half[PILOT_RULES] > 0.45


@pytest.mark.parametrize("half", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("target", ["file", "process"])
def test_the_size_is_the_one_whose_band_meets_the_margin(half: float, target: str) -> None:
    """The variance of so many labels, with the finite-file factor, and the boundary at the planned
    size; three tenths more."""
    margin, items, labels = 0.04, 20_000, 60
    plan = lc.Plan("simple_random", ["accuracy"], margin=margin, target=target)
    size = size_after(plan, 1, items, 0, half, labels)
    rest = (lambda n: 1 - n / items) if target == "file" else (lambda n: 1.0)
    shrunk = np.sqrt(rest(size) / size / (rest(labels) / labels))
    wider = float(boundary(1.0, 0.0, 0.05, 4)) / 1.959964
    met = half * shrunk * wider * np.sqrt(1.3)
    assert met == pytest.approx(margin, rel=0.01) if size < items else met > margin
    assert size_after(plan, 1, items, 9_000, half, labels) == max(size, 9_000)
    largest = largest_size(plan, 1, items, 0, 0)
    assert size <= largest <= items
    assert size_after(plan, 1, items, 0, NOTHING_KNOWN, 16 * PILOT) == largest, "of any pilot"


def test_a_size_is_never_above_the_largest_nor_under_the_pilot() -> None:
    plan = lc.Plan("simple_random", ["accuracy"], margin=0.4)
    assert size_after(plan, 1, 10_000, 0, 0.001, 60) == 60
    assert largest_size(plan, 1, 10_000, 0, 0) >= 16 * PILOT
    assert largest_size(plan, 1, 45, 0, 0) == 45
    assert size_again(0.5, 60, 0.01, 0.95, items=50) == 50


@pytest.mark.parametrize(
    ("values", "learns"),
    [
        ({}, True),
        ({"stop": ("margin", "deadline 2099-01-01T00:00")}, True),
        ({"budget": 90}, False),
        ({"promise": "fixed", "stop": ()}, True),
        ({"stop": ()}, False),
        ({"params": {"interval": "sequence"}}, False),
        ({"rules": 7, "planned": 80}, False),
    ],
)
def test_which_plans_learn(values: dict[str, Any], learns: bool) -> None:
    assert lc.Plan("simple_random", ["accuracy"], margin=0.1, **values).learns == learns


def test_the_log_holds_the_forecast_and_tells_it_again(
    bad: Known, plan: lc.Plan, tmp_path: Path
) -> None:
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    session = lc.Session(bad.population, plan, store, "learns")
    engine = session.engine
    answer_draws(session, bad, until=PILOT - 1)
    assert engine.pilot == PILOT and engine.watched_for == engine.largest >= 10 * PILOT
    answer_draws(session, bad, until=PILOT)
    (event,) = [one for one in session.events if one.kind == "reforecast"]
    assert event.detail["labels"] == PILOT and event.detail["planned"] == engine.watched_for
    assert "pilot" not in event.detail, "it told enough"
    assert engine.pilot == 0 and engine.limit == 4 * engine.planned
    said = session.results()["recall"]
    assert said.scope.planned == engine.planned > int(plan.planned or 0)
    session.undo()
    answer_draws(session, bad, until=PILOT + 3)
    assert sum(one.kind == "reforecast" for one in session.events) == 1, "once, whatever follows"
    again = lc.Session.open(store, "learns", population=bad.population)
    assert again.results()["recall"].to_json() == session.results()["recall"].to_json()
    assert again.engine.planned == engine.planned
    early = state_at(bad.population, plan, session.events, event.sequence - 1).engine
    assert scalar_results(early)["recall"].half_width > said.half_width
    check(state_at(bad.population, plan, session.events, event.sequence - 1), event)


def test_a_pilot_that_tells_little_goes_on_to_twice_its_labels(
    bad: Known, plan: lc.Plan, tmp_path: Path
) -> None:
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    session = lc.Session(bad.population, plan.with_seed(LITTLE_TOLD), store, "goes on")
    engine = session.engine
    answer_draws(session, bad, until=PILOT)
    assert engine.pilot == 2 * PILOT and engine.watched_for == engine.largest > engine.planned
    assert pilot_words(engine) == "how many it takes is still open"
    judged = progress_parts(counts(session), None)[0]
    assert judged == "60 of at least 120: how many it takes is still open"
    told = summarise(session.store.project("goes on"), session.events)
    assert told.of_planned == "of at least 120 judged"
    assert session.results()["recall"].scope.planned == 2 * PILOT
    answer_draws(session, bad, until=2 * PILOT + 5)
    first, second = [one for one in session.events if one.kind == "reforecast"]
    assert first.detail["half_width"] > LITTLE_KNOWN >= second.detail["half_width"]
    assert (first.detail["pilot"], second.detail["labels"]) == (2 * PILOT, 2 * PILOT)
    assert engine.pilot == 0 and engine.watched_for == engine.planned == second.detail["planned"]
    stages = engine.stages([PILOT - 1, PILOT, 2 * PILOT - 1, 2 * PILOT])
    sizes = [int(plan.planned or 0), first.detail["planned"], engine.planned]
    assert [(one.pilot, one.planned) for one in stages] == [
        (PILOT, sizes[0]), (2 * PILOT, sizes[1]), (2 * PILOT, sizes[1]), (0, sizes[2])
    ]  # fmt: skip
    again = lc.Session.open(store, "goes on", population=bad.population)
    assert again.results()["recall"].to_json() == session.results()["recall"].to_json()
    for event in (first, second):
        state = state_at(bad.population, session.plan, session.events, event.sequence - 1)
        check(state, event, FiguresNow(state.engine))
        forged = replace(event, detail={**event.detail, "pilot": 4 * PILOT})
        with pytest.raises(AnswerError, match="does not follow"):
            check(state, forged, FiguresNow(state.engine))


@pytest.mark.parametrize(
    ("half", "labels", "planned", "goes_on"),
    [
        (0.4, 60, 900, 120),
        (0.26, 480, 3000, 960),
        (0.25, 60, 240, 0),
        (0.25, 60, 241, 120),
        (0.4, 60, 120, 0),
        (0.4, 960, 9000, 0),
    ],
)
def test_where_a_pilot_ends(half: float, labels: int, planned: int, goes_on: int) -> None:
    assert further_pilot(half, labels, planned, 0) == goes_on
    unknown = goes_on if half > LITTLE_KNOWN else 0
    far = far_ahead(lc.Plan("simple_random", "accuracy", margin=0.1, rules=PILOT_RULES - 1))
    assert further_pilot(half, labels, planned, 0, far=far) == unknown


def test_few_errors_take_few_labels(tmp_path: Path) -> None:
    """An interval narrows nearly with the labels where one answer in a hundred is wrong, not with
    their root; the twin is the rule before, by which 60 labels forecast a size far too large."""
    random = np.random.default_rng(6)
    truth = (random.random(8_000) < 0.2).astype(int)
    said = np.where(random.random(8_000) < 0.01, 1 - truth, truth)
    score = np.clip(0.5 + 0.2 * (said - 0.5) + 0.2 * random.random(8_000), 0, 1)
    known = write(tmp_path, truth, score=score, prediction=said)
    new = kept_plan(known.population, lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.02))
    labels = {}
    for plan in (new, replace(new, rules=PILOT_RULES - 1)):
        engines = list(beginnings(known.population, plan, range(12)))
        assert {*label_all(engines, known.truth)} == {Status.GOAL_REACHED}
        labels[plan.rules] = np.median([engine.labels for engine in engines])
    assert 2 * labels[new.rules] < labels[PILOT_RULES - 1]


def test_the_start_page_has_the_size_that_was_learned(
    bad: Known, plan: lc.Plan, tmp_path: Path
) -> None:
    session = lc.Session(bad.population, plan, f"sqlite:///{tmp_path / 'one.db'}", "learns")
    before = int(session.plan.planned or 0)

    def summary() -> Summary:
        now = summarise(session.store.project("learns"), session.events)
        label = progress_parts(counts(session), None)[0]
        assert f" {now.of_planned.removesuffix(' judged')}" in label
        return now

    assert summary().of_planned == f"of about {about_size(max(before, PILOT)):,} judged"
    assert beside(session).ahead("recall") is not None
    answer_draws(session, bad, until=max(PILOT, before + 1))
    after = session.engine.planned
    assert after > before + 1 and summary().status == "labelling"
    assert summary().of_planned == f"of about {about_size(after):,} judged"
    assert beside(session).ahead("recall") is None, "what the scores foretold is no more expected"


@pytest.mark.parametrize(("margin", "sizes"), [(0.15, (53, 53, 53)), (0.04, (135, 135, 127))])
def test_labels_from_before_count_nowhere_in_the_size(
    margin: float, sizes: tuple[int, int, int], tmp_path: Path
) -> None:
    asked = {"classifier": "a", "margin": margin, "existing": "random", "seed": 1}
    population = existing_files.read(tmp_path, existing_files.at_random(40))
    plan = kept_plan(population, lc.Plan("recalibrated_neyman", ["precision"], **asked))
    session = lc.Session(population, plan, f"sqlite:///{tmp_path / 'one.db'}", "learns")
    truth = existing_files.made()[1]
    assert session.engine.given == 7, "of what is called positive"
    for until, size in zip((0, PILOT - 1, PILOT), sizes, strict=True):
        answer_draws(session, lambda draw: truth[int(draw.item_id[1:])], until=until)
        summary = summarise(session.store.project("learns"), session.events)
        assert summary.of_planned == f"of about {size} judged"
        assert counts(session).total == size
        assert f"bout {size} labels" in (said := pilot_words(session.engine, size_words))
        assert until == PILOT or said.endswith("we know more after 53 labels.")


@pytest.fixture(scope="module")
def piloted(bad: Known, plan: lc.Plan) -> lc.Session:
    """A session at the end of its pilot."""
    session = lc.Session(bad.population, plan)
    answer_draws(session, bad, until=PILOT)
    return session


@pytest.mark.parametrize("change", ["planned", "early", "twice"])
def test_a_forecast_that_does_not_follow_is_refused(
    change: str, bad: Known, plan: lc.Plan, piloted: lc.Session
) -> None:
    session = piloted
    (event,) = [one for one in session.events if one.kind == "reforecast"]
    at = {"planned": event.sequence - 1, "early": event.sequence - 3, "twice": event.sequence}
    state = state_at(bad.population, plan, session.events, at[change])
    other = {**event.detail, "planned": event.detail["planned"] + 1}
    forged = replace(
        event, sequence=at[change] + 1, detail=other if change == "planned" else event.detail
    )
    words = "does not follow" if change == "planned" else "once, at the end"
    with pytest.raises(AnswerError, match=words):
        check(state, forged, FiguresNow(state.engine))


def test_simulated_sessions_learn_what_a_session_learns(bad: Known, plan: lc.Plan) -> None:
    (engine,) = beginnings(bad.population, plan, [5])
    label_each_until([engine], [bad.truth], PILOT)
    (found,) = sizes_after_pilot([engine])
    assert found == FiguresNow(engine).reforecast()
    runs.end_pilots([engine])
    assert engine.planned == found["planned"] and FiguresNow(engine).reforecast() == {}


def test_the_size_follows_from_the_widest_figure(bad: Known) -> None:
    asked = lc.Plan("recalibrated_neyman", ["accuracy", "recall"], margin=MARGIN)
    both = kept_plan(bad.population, asked)
    found = []
    for plan in (
        both,
        replace(both, estimands=("recall",)),
        replace(both, estimands=("accuracy",)),
    ):
        (engine,) = beginnings(bad.population, plan, [5])
        label_each_until([engine], [bad.truth], PILOT)
        found += sizes_after_pilot([engine])
    assert found[0]["half_width"] == max(one["half_width"] for one in found)


def test_a_margin_that_no_size_reaches_is_refused_before_the_first_label(bad: Known) -> None:
    asked = lc.Plan("simple_random", ["recall"], margin=0.01, target="process")
    for make in (lc.preview, lc.Session):
        with pytest.raises(PlanError, match=r"margin must be at least 0\.\d+, which all 5,000"):
            make(bad.population, asked)
    assert lc.preview(bad.population, replace(asked, target="file")).planned <= 5000


@pytest.mark.parametrize("finished", [False, True])
def test_nothing_is_forecast_after_the_end(finished: bool) -> None:
    written: list[Any] = []
    engine = SimpleNamespace(pilot=60, labels=60, finished=finished)
    both: Any = SimpleNamespace(engine=engine, ledger=SimpleNamespace(write=written.append))
    Drawing.end_pilot(both, "me")
    assert len(written) == (not finished)
