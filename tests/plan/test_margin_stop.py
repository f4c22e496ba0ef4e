"""A fixed promise that stops by itself at its margin, from the plan to the replay."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import labelcore as lc
from labelcore.designs.base import CERTAIN
from labelcore.errors import PlanError
from labelcore.figures.scalars import headline_stage, scalar_results, second_stage_started
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.plan.margin_stop import HIT, MISS, OPEN, UNDECIDED, Stop, find_stop, margin_rule
from labelcore.planning.runs import label_all
from labelcore.replay import replay_project
from labelcore.stats.stop_at_margin import MarginRule, characteristics, label_distribution
from tests.designs.synthetic import Known, calibrated, label, write

MARGIN = 0.08
LATE = "deadline 2099-01-31T18:00"
STRICT = "Agresti-Coull interval at a calibrated stop, calculated exactly (strict)"


def plan_of(*estimands: str, **values: Any) -> lc.Plan:
    given = {"margin": MARGIN, "promise": "fixed", "stop": "margin", **values}
    return lc.Plan(given.pop("design", "simple_random"), estimands or ("accuracy",), **given)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return calibrated(tmp_path_factory.mktemp("stop"), 900, seed=5)


def go(session: lc.Session, known: Known, until: int = 10_000) -> None:
    while session.labels < until and (draw := session.next()) is not None:
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))


def only(session: lc.Session) -> lc.Estimate:
    (found,) = session.results().values()
    assert isinstance(found, lc.Estimate)
    return found


def counts(engine: Engine, draws: int) -> tuple[int, int]:
    """Labels and rightly judged items among the first draws, from the file itself."""
    said = next(iter(engine.population.predictions.values()))
    events = [(asked.position, asked.answers[-1]) for asked in engine.asked[:draws]]
    given = [(said[at], engine.classes[event.label or ""]) for at, event in events if event.label]
    return len(given), sum(int(called == code) for called, code in given)


# --- the plan ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["margin", ("margin", LATE), ("any", "margin")])
@pytest.mark.parametrize("estimand", ["accuracy", "prevalence"])
@pytest.mark.parametrize("target", ["file", "process"])
def test_a_plan_that_stops_by_itself(stop: Any, estimand: str, target: str) -> None:
    plan = plan_of(estimand, stop=stop, target=target, classifier=["lr"])
    assert plan.calibrated_stop and plan.stop_rules[0] == "margin"
    assert lc.Plan.from_json(plan.to_json()) == plan
    assert not replace(plan, promise="watched").calibrated_stop


def test_it_is_asked_for() -> None:
    plan = plan_of(stop=None)
    assert plan.stop == () and not plan.calibrated_stop and margin_rule(plan, 100) is None
    assert not plan_of(stop=LATE).calibrated_stop


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"estimands": ("accuracy", "prevalence")}, "accuracy or prevalence alone"),
        ({"estimands": ("precision",)}, "accuracy or prevalence alone"),
        ({"estimands": ("precision_curve",)}, "accuracy or prevalence alone"),
        ({"design": "recalibrated_neyman"}, "by design 'simple_random'"),
        ({"design": "recalibrated_neyman", "budget": 200}, "promise 'watched'"),
        ({"classifier": ["a", "b"]}, "of one classifier"),
        ({"claims": ["accuracy >= 0.9"]}, "without claims"),
        ({"stop": ("all", "margin", LATE)}, "any of margin and deadline"),
        ({"stop": ("margin", "claims"), "claims": ["accuracy >= 0.9"]}, "without claims"),
        ({"margin": None, "budget": 50}, "the plan has no margin"),
    ],
)
def test_what_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        plan_of(*values.pop("estimands", ()), **values)


def test_what_the_file_refuses(tmp_path: Path) -> None:
    names = np.array(["a", "b", "c"])[np.arange(60) % 3]
    three = write(tmp_path, np.zeros(60, int), prediction=names, classes=["a", "b", "c"]).population
    with pytest.raises(PlanError, match="needs a file with two classes"):
        lc.preview(three, plan_of("prevalence"))
    assert 30 <= lc.preview(three, plan_of("accuracy")).labels < 60
    with pytest.raises(PlanError, match="worked out for up to 20,000: use a larger margin"):
        margin_rule(plan_of(margin=0.001), 1_000_000)
    assert margin_rule(plan_of(margin=0.001), 2000).last == 2000  # type: ignore[union-attr]
    with pytest.raises(PlanError, match=r"cannot keep 0.95 with at most 2 labels of this file"):
        margin_rule(plan_of(budget=2), 100)


@pytest.mark.parametrize(
    ("values", "items", "expected"),
    [
        ({}, 900, {"first": 30, "most": 900, "size": 900}),
        ({"budget": 100}, 900, {"first": 30, "most": 100, "size": 900}),
        ({"budget": 20}, 900, {"first": 20, "most": 20, "size": 900}),
        ({}, 25, {"first": 25, "most": 25, "size": 25}),
        ({"target": "process"}, 60, {"first": 30, "most": 60, "size": None}),
    ],
)
def test_the_rule_of_a_plan(values: dict[str, Any], items: int, expected: dict[str, Any]) -> None:
    rule = margin_rule(plan_of(**values), items)
    assert rule is not None and rule.margin == MARGIN and rule.interval == "agresti_coull"
    assert {name: getattr(rule, name) for name in expected} == expected
    truth = np.arange(items + 1) if rule.size else np.linspace(0, 1, 1001)
    assert characteristics(rule, truth).coverage.min() >= 0.95
    assert rule is margin_rule(plan_of(**values), items), "worked out once"


@pytest.mark.parametrize("target", ["file", "process"])
@pytest.mark.parametrize("budget", [None, 90])
def test_the_preview_is_the_exact_calculation(
    target: str, budget: int | None, known: Known
) -> None:
    plan = plan_of(target=target, budget=budget)
    score = known.population.scores["lr"]
    rate = float(np.where(score >= 0.5, score, 1 - score).mean())
    rule = margin_rule(plan, 900)
    assert rule is not None
    truth = round(rate * 900) if target == "file" else rate
    exact = characteristics(rule, truth)
    ahead = lc.preview(known.population, plan)
    most = label_distribution(rule, truth)[0].max()
    assert (ahead.labels, ahead.draws, ahead.planned) == (most,) * 3 and most <= rule.last
    assert ahead.expected_labels == round(float(exact.expected_labels[0]))
    assert ahead.expected_half_width == {
        "accuracy": pytest.approx(exact.expected_half_width[0], abs=1e-9)
    }
    assert ahead.derived["critical"] == rule.critical > ndtri(0.975)
    assert lc.Session(known.population, plan).plan.planned == most
    again = lc.preview(known.population, lc.Session(known.population, plan).plan)
    assert (again.labels, again.planned) == (ahead.labels, ahead.planned)


# --- where it stops ----------------------------------------------------------------------------


def by_hand(rule: MarginRule, outcomes: list[int]) -> tuple[int | None, int | None]:
    """(with doubtful items both ways, by the classes alone): the first draw with the margin."""
    shown = plain = None
    for draw in range(1, len(outcomes) + 1):
        seen = outcomes[:draw]
        n, s = sum(one >= MISS for one in seen), seen.count(HIT)
        opened, undecided = seen.count(OPEN), seen.count(UNDECIDED)
        if n < rule.first:
            continue
        doubtful = opened + (undecided if undecided > 0.02 * (n + undecided) else 0)
        ends = [rule.limits(n, s)]
        ends += [rule.limits(n + doubtful, s + more) for more in range(doubtful + 1)]
        half = (max(float(end[1]) for end in ends) - min(float(end[0]) for end in ends)) / 2
        if plain is None and rule.half_width(n, s) <= rule.margin:
            plain = draw
        if shown is None and half <= rule.margin and opened <= 0.05 * (n + undecided + opened):
            shown = draw
    return shown, plain


@pytest.mark.parametrize("doubt", [0.0, 0.01, 0.04, 0.1])
def test_the_stop_is_the_first_draw_with_the_margin(doubt: float) -> None:
    rule, delayed = MarginRule(0.08, 2.03, 30, None, 900), 0
    for seed in range(12):
        rng = np.random.default_rng((seed, round(100 * doubt)))
        kinds, shares = [HIT, MISS, UNDECIDED, OPEN], [0.9 - doubt, 0.1, doubt / 2, doubt / 2]
        drawn = rng.choice(kinds, 160, p=shares)
        shown, plain = by_hand(rule, drawn.tolist())
        found = find_stop(rule, drawn.astype(np.int8), 160)
        assert found.draw == shown
        if not doubt:
            assert found == Stop(plain, exact=plain is not None)
        delayed += shown != plain
        assert not (found.exact and shown != plain)
        short = find_stop(rule, drawn.astype(np.int8), 40)
        assert short.draw == (shown if shown is not None and shown <= 40 else None)
    assert (delayed > 0) == (doubt > 0)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([HIT] * 30, Stop(30, exact=True)),
        ([UNDECIDED] + [HIT] * 30, Stop(31, exact=False)),
        ([OPEN] + [HIT] * 30, Stop(31, exact=False)),
        ([OPEN] * 3 + [HIT] * 40, Stop(None, exact=False)),
        ([OPEN] * 3 + [HIT] * 57, Stop(60, exact=False)),
        ([HIT] * 29, Stop(None, exact=True)),
        ([], Stop(None, exact=True)),
    ],
)
def test_a_stop_at_the_first_look(outcomes: list[int], expected: Stop) -> None:
    """A margin so wide that only the open items hold it up: over 5 % of them are waited for."""
    rule = MarginRule(0.3, 2.0, 30)
    assert find_stop(rule, np.array(outcomes, dtype=np.int8), 200) == expected


def test_before_at_and_after_the_stop(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    rule, states, labels = engine.rule, [], 0
    assert rule is not None
    for labels in label(engine, known.truth):
        one = scalar_results(engine)["accuracy"]
        n, s = counts(engine, labels)
        ended = n >= rule.first and float(rule.half_width(n, s)) <= MARGIN
        assert (
            one.has_interval == (one.state == "goal reached") == ended == engine.stop.exact * ended
        )
        right, left = s, len(known.population) - n
        certain = (right / (n + left), (right + left) / (n + left))
        assert one.has_interval or (one.low, one.high) == pytest.approx(certain)
        states.append(one.state)
        if ended:
            break
    assert states == ["provisional"] * (labels - 1) + ["goal reached"]
    assert (one.value, one.low, one.high) == rule.at_stop(*counts(engine, labels))
    assert (one.method, one.form, one.promise) == (STRICT, "strict", "fixed")
    assert one.source == "Frey (2010); Agresti and Coull (1998)"


def test_a_session_stops_goes_on_and_keeps_its_first_stage(known: Known) -> None:
    session = lc.Session(known.population, plan_of(seed=4))
    go(session, known)
    first, labels = only(session), session.labels
    assert session.status == "goal reached" and session.next() is None and session.complete
    assert first.state == "goal reached" and first.half_width <= MARGIN
    assert [event.text for event in session.events if event.kind == "stopped"] == ["margin"]
    assert not second_stage_started(session.engine)
    session.extend(budget=labels + 60)
    go(session, known)
    assert session.labels == labels + 60 and second_stage_started(session.engine)
    assert only(session) == first and first.labels_used == labels
    assert headline_stage(session.engine).labels == labels


def test_undo_after_the_stop_moves_it(known: Known) -> None:
    session = lc.Session(known.population, plan_of(seed=4))
    go(session, known)
    at_stop, labels = only(session), session.labels
    session.undo()
    assert session.status == "open" and only(session).state == "provisional"
    back = session.next()
    assert back is not None and back.index == labels
    session.answer(back, bool(known.truth[known.population.position(back.item_id)]))
    assert session.next() is None and only(session) == at_stop
    assert sum(event.kind == "stopped" for event in session.events) == 2


def test_a_changed_answer_moves_the_stop_to_where_it_would_have_been(known: Known) -> None:
    """Answers changed one after another: further from one half ends sooner, nearer goes on."""
    session = lc.Session(known.population, plan_of(seed=4))
    go(session, known)
    labels, before = session.labels, only(session)
    rule, said = session.engine.rule, known.population.predictions["lr"]
    assert rule is not None
    wrong = [
        index
        for index, asked in enumerate(session.engine.asked, start=1)
        if said[asked.position] != session.engine.classes[asked.answers[-1].label or ""]
    ]
    for index in wrong[:8]:
        right = bool(said[session.engine.asked[index - 1].position])
        session.revise(index, right, f"change {index}")
    after, draw = only(session), session.engine.stop.draw
    assert draw is not None and draw < labels and after.labels_used == draw
    assert (after.value, after.low, after.high) == rule.at_stop(*counts(session.engine, draw))
    assert after.form == "strict" and session.next() is None
    for index in wrong[:8]:
        wronged = not bool(said[session.engine.asked[index - 1].position])
        session.revise(index, wronged, f"back {index}")
    assert only(session) == before
    session.revise(labels, bool(not said[session.engine.asked[-1].position]), "further")
    other = session.engine.asked[labels - 2]
    session.revise(labels - 1, bool(not said[other.position]), "further still")
    for index in range(1, labels - 1):
        session.revise(
            index, index % 2 == said[session.engine.asked[index - 1].position], f"{index}"
        )
    assert session.engine.stop.draw is None and session.next() is not None, "it goes on"
    assert only(session).state == "provisional"


def test_two_people(known: Known) -> None:
    """The item that the second person has open when the session stops is no part of it."""
    session = lc.Session(known.population, plan_of(seed=4))
    truth = {True: "yes", False: "no"}

    def answer(draw: lc.log.Draw) -> None:
        session.answer(draw, truth[bool(known.truth[known.population.position(draw.item_id)])])

    while (one := session.next("a")) is not None:
        other = session.next("b")
        answer(one)
        if other is not None:
            answer(other)
    alone = lc.Session(known.population, plan_of(seed=4))
    go(alone, known)
    assert session.status == "goal reached"
    assert only(session) == only(alone) and session.labels - alone.labels in (0, 1)


def test_a_budget_that_comes_first(known: Known) -> None:
    session = lc.Session(known.population, plan_of(margin=0.02, budget=100, seed=1))
    go(session, known)
    one, rule = only(session), session.engine.rule
    assert rule is not None and rule.last == 100 == session.plan.planned
    assert (session.status, one.state, one.promise) == ("budget used", "not reached", "fixed")
    assert (one.value, one.low, one.high) == rule.at_stop(*counts(session.engine, 100))
    assert one.method == STRICT and "was not reached" in one.sentence()
    session.extend(budget=150)
    go(session, known)
    assert only(session) == one and session.labels == 150


def test_a_small_file_is_labelled_to_the_end(tmp_path: Path) -> None:
    small = calibrated(tmp_path, 24, seed=1)
    session = lc.Session(small.population, plan_of(margin=0.05))
    go(session, small)
    one = only(session)
    assert (one.state, one.value) == ("exact", small.value("accuracy"))
    assert one.low == one.high == one.value and session.plan.planned == 24


def test_items_like_these(known: Known) -> None:
    session = lc.Session(known.population, plan_of(margin=0.04, target="process", seed=3))
    go(session, known)
    one, rule = only(session), session.engine.rule
    assert rule is not None and rule.size is None and one.form == "strict"
    assert (one.value, one.low, one.high) == rule.at_stop(*counts(session.engine, session.labels))
    whole = lc.Session(known.population, plan_of(margin=0.04, seed=3))
    go(whole, known)
    assert whole.labels < session.labels, "the finite file needs fewer"


def test_finished_before_the_stop(known: Known) -> None:
    session = lc.Session(known.population, plan_of(seed=4))
    go(session, known, until=50)
    assert not session.complete
    session.finish("enough")
    one = only(session)
    assert (one.state, one.promise, one.form) == ("stopped early", "none", "approximate")
    assert "before the stop set at plus or minus 8.0 points" in one.sentence()


def test_a_deadline_ends_it_early(known: Known) -> None:
    soon = (datetime.now(UTC) - timedelta(seconds=5)).isoformat()
    session = lc.Session(known.population, plan_of(stop=("margin", f"deadline {soon}")))
    assert session.next() is None and session.status == "goal reached"
    session.extend(budget=40)
    go(session, known)
    assert only(session).state == "provisional", "the interval is not due yet"
    session.finish()
    assert (only(session).state, only(session).promise) == ("stopped early", "none")


# --- doubtful items ----------------------------------------------------------------------------


def give(engine: Engine, kind: str) -> None:
    index = engine.draw_next()
    engine.answer(index, Event(0, kind, "", "me"))


def right(engine: Engine) -> None:
    index = engine.draw_next()
    said = next(iter(engine.population.predictions.values()))
    name = engine.population.classes[said[engine.asked[index - 1].position]]
    engine.answer(index, Event(0, "labelled", "", "me", label=name))


def run_to_the_stop(engine: Engine) -> int:
    while engine.stop.draw is None:
        right(engine)
    return engine.labels


@pytest.mark.parametrize("kind", ["unsure", "broken"])
def test_few_undecided_are_left_out_and_many_delay_the_stop(kind: str, known: Known) -> None:
    plan = plan_of(margin=0.02, rules=CERTAIN - 1)
    plain = run_to_the_stop(known.engine(plan, 1))
    engine = known.engine(plan, 1)
    give(engine, kind)
    assert run_to_the_stop(engine) == plain, "one of so many is left out: the classes decide"
    one = scalar_results(engine)["accuracy"]
    assert one.form == "strict" and one.labels_used == plain and one.draws_used == plain + 1
    engine = known.engine(plan, 1)
    for _ in range(4):
        give(engine, kind)
    delayed = run_to_the_stop(engine)
    one = scalar_results(engine)["accuracy"]
    assert delayed > plain and one.half_width <= 0.02 and one.state == "goal reached"
    assert one.form == "approximate", "what was not calculated is not called so"


def test_the_stop_of_judged_items_passes_over_the_others(known: Known) -> None:
    """However many are unsure, the labels at the stop are those without them; either way one of
    them delays it."""
    plain = run_to_the_stop(known.engine(plan_of(margin=0.02), 1))
    for unsure, delays in (("judged", False), ("either way", True)):
        engine = known.engine(plan_of(margin=0.02, unsure=unsure), 1)
        for _ in range(9):
            give(engine, "unsure")
        assert (run_to_the_stop(engine) > plain) == delays
        assert scalar_results(engine)["accuracy"].half_width <= 0.02


def test_later_counts_both_ways_until_it_is_answered(known: Known) -> None:
    plan = plan_of(margin=0.04)
    plain = run_to_the_stop(known.engine(plan, 1))
    engine = known.engine(plan, 1)
    give(engine, "later")
    put_off = run_to_the_stop(engine)
    one = scalar_results(engine)["accuracy"]
    assert put_off > plain and one.form == "approximate" and one.low < one.value
    said = known.population.predictions["lr"][engine.asked[0].position]
    engine.answer(1, Event(0, "labelled", "", "me", label=engine.population.classes[said]))
    one = scalar_results(headline_stage(engine))["accuracy"]
    assert (one.labels_used, one.form) == (plain, "strict"), "as if it had never been put off"


def test_a_budget_with_undecided_items_is_not_called_exact(known: Known) -> None:
    engine = known.engine(plan_of(margin=0.02, budget=100), 1)
    give(engine, "unsure")
    label_all([engine], known.truth)
    one = scalar_results(engine)["accuracy"]
    assert (one.state, one.labels_used, one.form) == ("not reached", 99, "approximate")


# --- the curve beside it, the log --------------------------------------------------------------


def test_a_curve_has_no_band(known: Known) -> None:
    session = lc.Session(known.population, plan_of(seed=4))
    go(session, known)
    curve = session.curve()
    assert (curve.state, curve.promise) == ("provisional", "none")
    assert "calibrated for one number" in session.band("precision").sentence()
    fixed = lc.Session(known.population, plan_of(stop=None, seed=4))
    go(fixed, known)
    assert fixed.curve().state == "interval", "a fixed size has one"


def test_the_log_replays(known: Known, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    session = lc.Session(known.population, plan_of(seed=4), store, "p")
    draw = session.next()
    assert draw is not None
    session.answer(draw, "later")
    go(session, known, until=60)
    session.results()
    go(session, known)
    session.undo()
    go(session, known)
    session.extend(budget=session.labels + 5)
    go(session, known)
    session.finish()
    found = replay_project(store, "p", file=known.population)
    assert found.results == session.results()
    assert "planned for at most" in " ".join(found.stages)
