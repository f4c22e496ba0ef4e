"""A plan for one look whose size follows from a margin, and is learned from a pilot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import NEWEST_RULES, ONE_LOOK_RULES, PORTABLE_RULES
from labelcore.figures import readiness
from labelcore.figures.current import FiguresNow
from labelcore.figures.scalars import scalar_results_of
from labelcore.log.engine import Engine
from labelcore.log.history import state_at
from labelcore.log.kinds import check
from labelcore.plan.pilot import FAR_AT_ONE_LOOK, PILOT, far_ahead, further_pilot
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, end_pilots, label_all, label_each_until
from labelcore.promises import Promise, State
from labelcore.testing.known import Known, fewest, most, write
from labelcore.ui.panels import finish_warning
from labelcore.ui.session_picture import beside, picture
from labelcore.ui.status import counts, progress_parts
from labelcore.ui.summary import summarise
from tests.answering import answer_draws
from tests.cases import repeated

SESSIONS, REACHED, RIGHT = repeated(200), 0.9, 0.8
LITTLE_TOLD = 3
"""A seed whose first 60 labels tell little."""
FIXED = {"promise": "fixed", "design": "recalibrated_neyman"}


@pytest.fixture(scope="module")
def plan(bad: Known) -> lc.Plan:
    return kept_plan(bad.population, lc.Plan(estimands=["recall"], margin=0.15, **FIXED))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Known, lc.Plan]:
    """A classifier that is right in four of five items, by a plain random sample."""
    random = np.random.default_rng(8)
    truth = random.integers(0, 2, 20_000)
    said = np.where(random.random(20_000) < RIGHT, truth, 1 - truth)
    known = write(tmp_path_factory.mktemp("plain"), truth, prediction=said)
    asked = lc.Plan("simple_random", ["accuracy"], margin=0.03, promise="fixed")
    return known, kept_plan(known.population, asked)


def at_the_ends(known: Known, plan: lc.Plan) -> tuple[list[Engine], np.ndarray]:
    """Sessions at their end, and in which of them an interval with a promise was ever wrong that
    was shown at the end of a pilot or of the session."""
    engines = list(beginnings(known.population, plan, range(SESSIONS)))
    (name,), size = plan.estimands, len(known.truth)
    said = known.population.predictions["lr"]
    true = float(
        np.mean(said == known.truth) if name == "accuracy" else said[known.truth == 1].mean()
    )
    wrong, going = np.zeros(SESSIONS, dtype=bool), [*range(SESSIONS)]
    while going:
        some = [engines[place] for place in going]
        for engine in some:
            label_each_until([engine], [known.truth], min(engine.pilot or engine.planned, size))
        end_pilots(some)
        for place, found in zip(going, scalar_results_of(some), strict=True):
            one = found[name]
            wrong[place] |= one.has_interval and not one.low <= true <= one.high
        going = [place for place in going if len(engines[place].asked) < engines[place].limit]
    return engines, wrong


def test_which_plans_learn_at_one_look() -> None:
    asked = lc.Plan("simple_random", ["accuracy"], margin=0.1, promise="fixed")
    assert asked.learns and asked.interval_rules == NEWEST_RULES
    for other in (
        {"budget": 90}, {"margin": None, "budget": 90}, {"existing": "random", "planned": 0},
        {"rules": PORTABLE_RULES, "planned": 80}, {"planned": 80}, {"claims": ("accuracy >= 0.5",)},
        {"estimands": ("accuracy", "average_precision")},
    ):  # fmt: skip
        assert not replace(asked, **other).learns, other
    assert replace(asked, planned=80, rules=ONE_LOOK_RULES).learns


def test_a_plan_of_before_draws_as_it_did(bad: Known, plan: lc.Plan) -> None:
    older = replace(plan, rules=PORTABLE_RULES)
    new, old = (next(beginnings(bad.population, one, [5])) for one in (plan, older))
    label_all([new], bad.truth), label_all([old], bad.truth)
    assert old.pilot == 0 and not old.replans and len(old.asked) == plan.planned
    assert new.replans and len(new.asked) == new.planned > 2 * PILOT


def test_one_look_is_right_and_narrow_enough(plain: tuple[Known, lc.Plan]) -> None:
    known, plan = plain
    engines, wrong = at_the_ends(known, plan)
    assert np.mean(wrong) <= most(SESSIONS, 0.05)
    half = [one["accuracy"].half_width for one in scalar_results_of(engines)]
    assert np.mean(np.array(half) <= 0.03) >= fewest(SESSIONS, REACHED)


@pytest.mark.full
def test_intervals_at_the_ends_of_pilots_would_be_wrong_too_often(
    plain: tuple[Known, lc.Plan],
) -> None:
    """The twin: each end of a pilot is a look, of which the promise is for one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readiness, "complete", lambda engine: True)
        _, wrong = at_the_ends(*plain)
    assert np.mean(wrong) > most(SESSIONS, 0.05)


@pytest.mark.full
def test_a_margin_is_reached_at_one_look_where_the_scores_lie(bad: Known, plan: lc.Plan) -> None:
    """Forecast for few labels; the twin believes that."""
    assert int(plan.planned or 0) < PILOT
    engines, wrong = at_the_ends(bad, plan)
    half = np.array([one["recall"].half_width for one in scalar_results_of(engines)])
    assert np.mean(half <= 0.15) >= fewest(SESSIONS, REACHED)
    assert np.mean(wrong) <= most(SESSIONS, 0.05)
    engines, _ = at_the_ends(bad, replace(plan, rules=PORTABLE_RULES))
    half = np.array([one["recall"].half_width for one in scalar_results_of(engines)])
    assert np.mean(half <= 0.15) < 0.1


def test_a_pilot_for_one_look_goes_on_until_its_size_is_near() -> None:
    plan = lc.Plan("simple_random", "accuracy", margin=0.1, promise="fixed")
    far, watched = far_ahead(plan), far_ahead(replace(plan, promise="watched"))
    assert far == FAR_AT_ONE_LOOK < watched < far_ahead(replace(plan, rules=PORTABLE_RULES))
    found = [further_pilot(0.1, 60, size, 0, far=far) for size in (120, 121)]
    assert found == [0, 120]


def test_what_is_told_until_the_size_is_known(bad: Known, plan: lc.Plan, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'one.db'}"
    plan = plan.with_seed(LITTLE_TOLD)
    session = lc.Session(bad.population, plan, store, "once")

    def told() -> tuple[str, str, str]:
        summary = summarise(session.store.project("once"), session.events)
        parts = progress_parts(counts(session), None)
        return parts[0], f"{summary.of_planned}, {summary.status}", finish_warning(session)

    begun = picture(session, beside(session), None)
    assert begun.sentence == "Too early for a figure." and "first figure" not in repr(begun.chart)
    answer_draws(session, bad, until=PILOT - 1)
    judged, start, _ = told()
    assert judged.startswith(f"{PILOT - 1} of about {PILOT} ")
    assert start == f"of about {PILOT} judged, labelling"
    assert int(plan.planned or 0) < PILOT - 1
    assert session.results()["recall"].state == State.PROVISIONAL, "not at the size forecast"
    answer_draws(session, bad, until=PILOT)
    engine = session.engine
    assert engine.pilot == 2 * PILOT and engine.limit == engine.largest
    judged, start, finish = told()
    assert judged == f"{PILOT} of at least {2 * PILOT}: how many it takes is still open"
    assert start == f"of at least {2 * PILOT} judged, labelling"
    assert "promises an interval at its end. " in finish
    found = session.results()["recall"]
    assert (found.state, found.scope.planned) == (State.PROVISIONAL, 0)
    assert "valid at the end of the plan only" in found.sentence()
    assert "'goal'" not in repr(picture(session, beside(session), None).chart), "its end is open"
    answer_draws(session, bad)
    (judged, start, _), size = told(), engine.planned
    assert engine.pilot == 0 and session.labels == size == engine.limit
    assert judged.startswith(f"{size} of {size}: ")
    assert start == f"of {size} judged, all planned labels are there"
    assert "'goal'" in repr(picture(session, beside(session), None).chart)
    found = session.results()["recall"]
    assert found.promise == Promise.FIXED and found.has_interval and found.scope.planned == size
    events = [one for one in session.events if one.kind == "reforecast"]
    assert [one.detail.get("pilot", 0) for one in events][-1] == 0 < len(events) - 1
    for event in events:
        state = state_at(bad.population, plan, session.events, event.sequence - 1)
        check(state, event, FiguresNow(state.engine))
    again = lc.Session.open(store, "once", population=bad.population)
    assert again.results()["recall"].to_json() == found.to_json()
    session.extend(budget=size + 20)
    answer_draws(session, bad)
    assert session.labels == size + 20
    assert session.results()["recall"].to_json() == found.to_json(), "the first stage stays"
