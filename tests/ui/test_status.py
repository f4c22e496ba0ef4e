from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import labelcore as lc
from labelcore.log.events import Event
from labelcore.log.kinds import fold
from labelcore.log.recorded_answers import Book
from labelcore.log.state import LogState
from labelcore.promises import State
from labelcore.ui.last_look import card_line
from labelcore.ui.status import (
    SECONDS_AN_ITEM,
    Counts,
    counts,
    decision,
    first_figure_line,
    main_and_other,
    pace,
    progress_parts,
    promise_line,
)
from labelcore.ui.summary import Known, Summary, status_words, summarise
from tests.answering import answer_draws
from tests.columns import items


def answer(sequence: int, index: int, kind: str = "labelled", seconds: float = 4.0) -> Event:
    start, end = (
        f"2027-05-03T12:{index:02d}:00+00:00",
        f"2027-05-03T12:{index:02d}:{seconds:09.6f}+00:00",
    )
    return Event(sequence, kind, end, "me", index=index, shown_at=start)


def test_pace_goes_evenly_from_what_is_usual_to_the_median_of_twenty() -> None:
    """Five quick answers do not turn half an hour into a minute."""
    assert pace([]) == SECONDS_AN_ITEM
    told = [pace([answer(n, n, seconds=0.5) for n in range(1, most + 1)]) for most in range(31)]
    steps = [before - after for before, after in pairwise(told)]
    assert steps[:20] == pytest.approx([(SECONDS_AN_ITEM - 0.5) / 20] * 20)
    assert steps[20:] == [0] * 10 and told[-1] == 0.5
    mixed = [answer(n, n, seconds=2 + n % 5) for n in range(1, 21)]
    assert pace([answer(0, 0, seconds=59), *mixed]) == 4.0
    assert pace([*mixed, answer(21, 21, seconds=59)]) == 4.0, "one slow answer among twenty"


def test_progress_states() -> None:
    def said(now: Counts) -> str:
        return " · ".join(progress_parts(now, None))

    assert said(Counts(0, 10, False, 0, 0, 80)) == "0 of 10 · ~1 min left"
    goes_on = [Counts(110, 120, True, 0, 0, seconds, least=True) for seconds in (50, 80)]
    assert list(map(said, goes_on)) == [
        "110 of at least 120", "110 of at least 120 · at least 1 min left"
    ]  # fmt: skip
    assert "goal is not reached" in said(Counts(12, 10, True, 0, 0, 0))
    assert "1 for later" in said(Counts(3, 10, False, 0, 1, 30))
    by_hand, by_goal = (Counts(3, 9, about, 0, 0, 5, "finished") for about in (False, True))
    assert said(by_hand) == "3 of 9 · finished"
    assert (by_hand.share, by_goal.share) == (1 / 3, 1.0)


def after(*events: Event) -> LogState:
    """What these events lead to, their items drawn before."""
    state = LogState(Book())
    for index in range(1, max((event.index or 0 for event in events), default=0) + 1):
        fold(state, Event(index, "drawn", events[0].at, "me", token=f"t{index}", index=index))
    for event in events:
        fold(state, event)
    return state


def test_counts_follow_undo_change_and_later() -> None:
    undone = Event(4, "undone", "2027-05-03T12:00:00+00:00", "me", index=2, previous=3)
    events = [answer(1, 1), answer(2, 1, "unsure"), answer(3, 2), undone, answer(5, 3, "later")]
    assert after(*events).book.answers_given == 1


def test_status_words() -> None:
    at = "2027-05-03T12:00:00+00:00"
    stopped, extended = (
        Event(1, "stopped", at, ""),
        Event(2, "extended", at, "", detail={"budget": 20}),
    )
    finished = Event(3, "finished", at, "")
    answers = [answer(n, n) for n in range(1, 11)]
    assert status_words(after(), 10) == "not started"
    assert status_words(after(*answers[:3]), 10) == "labelling"
    assert status_words(after(*answers), 10) == "all planned labels are there"
    assert status_words(after(*answers, stopped), 10) == "goal reached"
    settled = Event(1, "stopped", at, "", text="claims; deadline 2027-05-03T12:00+00:00")
    assert status_words(after(*answers, settled), 10) == "claims settled and deadline passed"
    undone = Event(2, "undone", at, "", index=9, previous=8)
    assert status_words(after(*answers, stopped, undone), 10) == "labelling"
    assert status_words(after(*answers, stopped, extended), 10) == "extended"
    assert status_words(after(*answers, stopped, extended, finished), 10) == "finished"


def test_a_project_that_was_extended_is_told_by_its_new_size() -> None:
    nine = items(predictions={"m": [n % 2 for n in range(9)]})
    session = lc.Session(nine, lc.Plan("simple_random", "accuracy", budget=2))
    session.extend(budget=4)
    told = summarise(session.record, answer_draws(session, "yes").events)
    assert (told.answered, told.of_planned, told.status) == (4, "of 4 judged", "extended")
    session.introduce("Ann")
    assert summarise(session.record, session.events).people == ("Ann",)


@pytest.mark.parametrize(
    ("terms", "size", "status"),
    [
        ({"budget": 4}, "of 4 judged", "all planned labels are there"),
        ({"budget": 4, "margin": 0.2}, "of 4 judged", "all planned labels are there"),
        ({"margin": 0.2}, "of about", "labelling"),
        ({"promise": "watched", "claims": ["accuracy >= 0.9"], "budget": 60}, "of about 60", ""),
    ],
)
def test_only_a_size_that_is_learned_is_about(terms: Any, size: str, status: str) -> None:
    """Or one that a goal may change; *Label* says as much. Of a method that is away the number."""
    population = items(predictions={"m": [0, 1] * 45})
    plan = lc.Plan("simple_random", "accuracy", **{"promise": "fixed", **terms})
    session = lc.Session(population, plan)
    told = summarise(session.record, answer_draws(session, "yes", 4).events)
    assert told.of_planned.startswith(size) and told.status.startswith(status)
    assert f" {told.of_planned.removesuffix(' judged')}" in progress_parts(counts(session), None)[0]
    away = session.record.plan_json.replace("simple_random", "taken_away")
    unread = summarise(replace(session.record, plan_json=away), session.events)
    assert unread.of_planned == f"of {session.plan.planned} unchanged", "its log has another root"


@pytest.mark.parametrize(
    ("design", "params", "confident"),
    [
        ("geometric_strata", {"first_edge": 5}, True),
        ("paula", {"epsilon": 0.3, "window": 5}, False),
    ],
)
def test_words_of_a_curve_plan(design: str, params: dict[str, float], confident: bool) -> None:
    scores = {"m": [n / 100 for n in range(100)]}
    for low_is_good in (False, True):
        population = items(scores=scores, descending=["m"] if low_is_good else [])
        budget = {"budget": 90} if confident else {}
        session = lc.Session(
            population, lc.Plan(design, ["precision_curve"], params=params, **budget), None, "p"
        )
        due = session.first_figure
        assert first_figure_line(session) == f"0 of {due} before the first band"
        assert decision(session).endswith("lowest first" if low_is_good else "highest first")
        assert ("95 % confidence" in promise_line(session)) is confident
        assert ("no confidence goes with them" in promise_line(session)) is not confident


def test_a_comparison_names_both_classifiers_by_whatever_method() -> None:
    population = items(predictions={"a": [0, 1] * 20, "b": [1] * 40})
    for design in ("recalibrated_neyman", "paired_comparison"):
        plan = lc.Plan(design, ["accuracy_difference"], classifier=["a", "b"], budget=20)
        assert decision(lc.Session(population, plan, None, "p")) == (
            "a against b, which disagree on 20 items"
        )


def test_a_class_with_an_at_sign_is_no_other_classifier() -> None:
    """The key "precision[a@b]" names a class, "precision[a@b]@two" the second classifier."""
    population = items(predictions={"one": ["a@b", "c", "d"] * 20, "two": ["c", "a@b", "d"] * 20})
    plan = lc.Plan("simple_random", ["precision"], classifier=["one", "two"], budget=30)
    mine, others = main_and_other(lc.Session(population, plan).results())
    assert [one.estimand for one in mine] == [f"precision[{n}]" for n in ("a@b", "c", "d")]
    assert [one.scope.classifier for one in others] == ["two"] * 3


def test_a_value_without_an_interval_has_no_brackets_with_nothing_in_them() -> None:
    known = Known("precision", 0.86, 0.0, 1.0, State.PROVISIONAL)
    one = Summary("p", "", "f.csv", 3, "3", 9, known, (), "labelling", None, "", size="9")
    assert card_line(one) == "3 of 9 judged · Precision 86 % · labelling · f.csv"
