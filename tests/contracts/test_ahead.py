"""What is said to follow an answer is what the session draws after it, for every method."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

import labelcore as lc
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.promises import Promise
from tests.contracts.test_tables import CASES, NAMED, Case, files  # noqa: F401

ITEMS = 70
"""Draws of each session; enough for several batches of every method."""
ONE_OF_EACH = list({case.design: case for case in reversed(CASES)}.values())
OTHERS = ("unsure", "later", "broken")


def session_of(case: Case, file: object, **more: object) -> tuple[lc.Session, Random]:
    known = file(0)  # type: ignore[operator]
    return lc.Session(known.population, case.plan(**more)), Random(3)


def follow(session: lc.Session, random: Random, *, detours: bool = True) -> Counter[str]:
    """Label, and hold every draw against what was said of it; how often something was said."""
    classes = [*session.population.classes]
    answers = [*classes, *OTHERS]
    said: Counter[str] = Counter()
    for _ in range(ITEMS):
        draw = session.next()
        if draw is None:
            break
        before = len(session.events), session.engine.version
        ahead = session.ahead(draw, answers)
        assert (len(session.events), session.engine.version) == before
        answer = random.choice(OTHERS) if detours and random.random() < 0.2 else None
        answer = answer or random.choice(classes)
        session.answer(draw, answer)
        follows = session.next()
        if answer in ahead:
            assert follows is not None
            assert (follows.index, follows.item_id) == ahead[answer]
        said["sure" if answer in ahead else "not sure"] += 1
        if len(set(ahead.values())) > 1:
            said["another for each answer"] += 1
        if detours and random.random() < 0.1:
            session.undo()
    return said


@pytest.mark.parametrize(
    "case",
    ONE_OF_EACH,
    ids=lambda case: case.design,
)
def test_what_follows_is_what_is_drawn(case: Case, files) -> None:  # noqa: F811
    said = follow(*session_of(case, files[case.file]))
    assert said["sure"] > 0.5 * said.total(), said


DEPENDS = NAMED["patterns, sample"]
SEEDS = (4,)


def followed(file: object) -> Counter[str]:
    """Sessions in which a batch depends on the answer before it."""
    sessions = (session_of(DEPENDS, file, seed=seed) for seed in SEEDS)
    return sum((follow(*one, detours=False) for one in sessions), Counter())


def test_a_batch_may_depend_on_the_answer(files) -> None:  # noqa: F811
    assert followed(files[DEPENDS.file])["another for each answer"]


def test_the_comparison_finds_a_batch_of_the_old_state(
    files,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = Engine.supposing

    def unanswered(self: Engine, index: int, event: Event) -> Engine:
        after = sound(self, index, event)
        after.retract(index)
        return after

    monkeypatch.setattr(Engine, "supposing", unanswered)
    with pytest.raises(AssertionError):
        followed(files[DEPENDS.file])


def test_nothing_is_said_of_an_answer_that_ends_the_session(files) -> None:  # noqa: F811
    case = NAMED["neyman, watched"]
    goal = {"promise": Promise.WATCHED, "budget": None, "margin": 0.49, "stop": "margin"}
    session, random = session_of(replace(case, asked=("accuracy",)), files["two"], **goal)
    classes = [*session.population.classes]
    while (draw := session.next()) is not None:
        ahead, answer = session.ahead(draw, classes), random.choice(classes)
        session.answer(draw, answer)
        assert (session.next() is not None) == (answer in ahead)
    assert session.status == "goal reached"


def test_nothing_is_said_where_others_label_too(files) -> None:  # noqa: F811
    session, _ = session_of(NAMED["neyman"], files["two"])
    draw = session.next()
    assert draw is not None and session.ahead(draw, ["unsure"])
    assert session.next("another") is not None
    assert session.ahead(draw, ["unsure"]) == {}


def test_a_second_reading_that_comes_due_is_left_out(files) -> None:  # noqa: F811
    session, random = session_of(NAMED["neyman"], files["two"], repeats=0.5)
    said = follow(session, random, detours=False)
    assert said["not sure"] and said["sure"] and session.engine.repeats.answered
