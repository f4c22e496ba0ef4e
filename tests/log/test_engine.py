"""The engine by itself: answers, limits, and a log that does not follow."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import AnswerError, PlanError, ReplayError
from labelcore.figures.current import results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.kinds import take
from labelcore.log.state import LogState
from labelcore.testing.known import SCALARS, Known, calibrated, label, labelled
from tests.cases import once
from tests.designs.synthetic import NEEDED, SCALAR_DESIGNS

known = once(calibrated, 200, seed=3)


@pytest.fixture
def engine(known: Known) -> Engine:
    return known.engine(lc.Plan("recalibrated_neyman", SCALARS, budget=60), 1)


@pytest.mark.parametrize(
    ("answer", "kind", "label_"),
    [(True, "labelled", "yes"), (np.True_, "labelled", "yes"), (1, "labelled", "yes"),
     ("1", "labelled", "yes"), (np.int64(1), "labelled", "yes"), ("yes", "labelled", "yes"),
     (0, "labelled", "no"),
     (False, "labelled", "no"), ("no", "labelled", "no"), ("later", "later", None),
     ("unsure", "unsure", None), ("broken", "broken", None)],
)  # fmt: skip
def test_answers(engine: Engine, answer: Any, kind: str, label_: str | None) -> None:
    assert engine.kind_of(answer) == (kind, label_)


@pytest.mark.parametrize("answer", ["maybe", 2, None, 0.5, "", "Yes ", ["yes"], float("nan")])
def test_unknown_answers_are_refused(engine: Engine, answer: Any) -> None:
    with pytest.raises(AnswerError, match="yes"):
        engine.kind_of(answer)


def test_counts_by_cell_follow_every_answer(engine: Engine, known: Known) -> None:
    for _ in label(engine, known.truth):
        seen = [asked.position for asked in engine.asked]
        cells = engine.tallies["lr"].cells(1)
        said = known.population.predictions["lr"][seen] == 1
        assert cells.labelled.sum() == len(seen) == engine.labels == engine.prefix()
        for side in (True, False):
            mine = cells.predicted == side
            assert cells.positive[mine].sum() == known.truth[seen][said == side].sum()
    assert np.array_equal(engine.drawn, np.bincount([a.stratum for a in engine.asked],
                                                    minlength=engine.frame.n_strata))  # fmt: skip


def test_open_items_inside_the_prefix(engine: Engine) -> None:
    yes = Event(0, "labelled", "", "me", label="yes")
    for _ in range(5):
        engine.draw_next()
    for index in (1, 2, 4):
        engine.answer(index, yes)
    engine.answer(3, Event(0, "later", "", "me"))
    assert engine.prefix() == 4 and engine.open_positions() == [engine.asked[2].position]
    assert engine.waiting_indices() == [3, 5] and engine.answers_given == 3
    engine.retract(4)
    assert engine.prefix() == 2 and engine.open_positions() == [engine.asked[2].position]
    engine.answer(3, Event(0, "unsure", "", "me"))
    assert engine.prefix() == 3 and engine.labels == 2 and engine.answers_given == 3
    assert engine.undecided_positions() == [engine.asked[2].position]
    engine.undo(3)
    engine.undo(1)
    assert engine.owed == [1], "what is put off again is not owed"


def test_looks_back_go_with_the_answers_that_they_saw(engine: Engine) -> None:
    for index in range(1, 7):
        engine.draw_next()
        engine.answer(index, Event(0, "labelled", "", "me", label="yes"))
    engine.seen, engine.told = [(2, "early"), (4, "late")], [(3, "early"), (5, "late")]
    assert engine.at_planned(lambda _: (4, "first")) == "first"
    engine.undo(5)
    assert (engine.seen, engine.told) == ([(2, "early"), (4, "late")], [(3, "early")])
    assert engine.at_planned(lambda _: (4, "again")) == "first"
    engine.undo(4)
    assert (engine.seen, engine.told) == ([(2, "early")], [(3, "early")])
    assert engine.at_planned(lambda _: (4, "again")) == "again"
    engine.finished = True
    assert engine.at_planned(lambda _: (4, "over")) == "over"
    engine.replan(50)
    assert (engine.seen, engine.told) == ([], []) and engine.at_planned(lambda _: (4, "")) == ""


def test_undecided_items_are_those_in_force(engine: Engine) -> None:
    """Whatever the order of answers: put off, changed, taken back."""
    random = np.random.default_rng(4)
    kinds = ("labelled", "unsure", "broken", "later")
    for _ in range(30):
        engine.draw_next()
    for _ in range(400):
        index, kind = int(random.integers(1, 31)), str(random.choice(kinds))
        if engine.in_force(index) is not None and random.random() < 0.4:
            engine.retract(index)
        else:
            label = "yes" if kind == "labelled" else None
            engine.answer(index, Event(0, kind, "", "me", label=label))
        force = [engine.in_force(number) for number in range(1, 31)]
        expected = [
            asked.position
            for asked, event in zip(engine.asked, force, strict=True)
            if event is not None and event.kind in ("unsure", "broken")
        ]
        assert engine.undecided_positions() == expected
        assert engine.undecided == len(expected)


class Counting(Engine):
    """Counts how often an answer is looked up."""

    reads = 0

    def in_force(self, index: int) -> Event | None:
        self.reads += 1
        return super().in_force(index)


@pytest.mark.parametrize("unsure", [pytest.param(1, marks=pytest.mark.full), 20])
def test_a_look_does_not_read_the_log(known: Known, unsure: int) -> None:
    """With items called unsure, few that are left out or many that count both ways."""
    plan = lc.Plan("recalibrated_neyman", SCALARS, budget=180).with_planned(180)
    engine = Counting(known.population, plan)
    for number in range(180):
        index = engine.draw_next()
        label = "yes" if known.truth[engine.asked[index - 1].position] else "no"
        kind = "unsure" if number < unsure else "labelled"
        engine.answer(index, Event(0, kind, "", "me", label=None if number < unsure else label))
    engine.reads = 0
    assert results(engine)["accuracy"].labels_used == 180 - unsure
    assert engine.reads == 0


@pytest.mark.parametrize("budget", [1, 7, 60, 200, 5000])
def test_limit(known: Known, budget: int) -> None:
    for design in SCALAR_DESIGNS:
        plan = lc.Plan(design, SCALARS, budget=budget)
        if budget < NEEDED.get(design, 1):
            words = (
                f"budget must be at least {NEEDED[design]} for design '{design}'.*, got {budget}"
            )
            with pytest.raises(PlanError, match=words):
                known.engine(plan, 1)
            continue
        engine = labelled(known.engine(plan, 1), known.truth)
        assert engine.labels == min(budget, 200)
        with pytest.raises(ValueError, match="nothing is left"):
            engine.draw_next()


def test_beginning_is_a_fresh_engine(engine: Engine, known: Known) -> None:
    steps = label(engine, known.truth)
    for _ in range(30):
        next(steps)
    fresh = engine.beginning()
    assert fresh.labels == 0 and not fresh.asked and fresh.tallies["lr"].counts.sum() == 0
    labelled(fresh, known.truth)
    assert engine.labels == 30 and engine.tallies["lr"].counts.sum() == 30
    for _ in steps:
        pass
    assert [a.position for a in fresh.asked] == [a.position for a in engine.asked]


def test_a_plan_must_be_frozen(known: Known) -> None:
    with pytest.raises(PlanError, match="not frozen"):
        Engine(known.population, lc.Plan("simple_random", SCALARS, budget=60))


@pytest.fixture(scope="module")
def log(known: Known) -> tuple[lc.Plan, list[Event]]:
    session = lc.Session(known.population, lc.Plan("recalibrated_neyman", SCALARS, budget=60))
    undone = False
    while (draw := session.next()) is not None:
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
        if draw.index == 20 and not undone:
            undone = session.undo() is not None
    return session.plan, list(session.events)


def first_fault(known: Known, plan: lc.Plan, events: list[Event]) -> int:
    state = LogState(Engine(known.population, plan))
    for event in events:
        try:
            take(state, event)
        except ReplayError as error:
            return error.sequence
    pytest.fail("nothing was found")


def test_a_changed_label_changes_what_must_be_drawn(
    known: Known, log: tuple[lc.Plan, list[Event]]
) -> None:
    """Turning every early answer round makes the adaptive design ask for other items later."""
    plan, events = log
    early = max(e.index or 0 for e in events if e.batch == 1)
    turned = [
        replace(e, label="no" if e.label == "yes" else "yes")
        if e.kind == "labelled" and (e.index or 0) <= early
        else e
        for e in events
    ]
    shown = max(e.sequence for e in events if e.kind == "drawn" and e.index == early)
    assert first_fault(known, plan, turned) > shown


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"classifier": "svm"}, "it has lr"),
    ({"classifier": ["lr", "svm"]}, "it has lr"),
]


@pytest.mark.parametrize(("values", "words"), REFUSED)
def test_plan_and_file_must_fit(values: dict[str, Any], words: str, known: Known) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=50, planned=50, **values)
    with pytest.raises(PlanError, match=words):
        Engine(known.population, plan)
