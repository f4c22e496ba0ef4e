"""What the server does with a press of the labelling surface, however often it arrives."""

from types import SimpleNamespace
from typing import Any

import pytest

from labelcore.log.events import Event
from labelcore.ui import actions, visitor


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a tab holds: a press that has arrived, by somebody who may."""
    held: dict[str, Any] = {"surface": {"press": SENT}}
    monkeypatch.setattr(actions.st, "session_state", held)
    monkeypatch.setattr(visitor, "require", lambda right, project=None: None)
    return held


SENT = {"id": "1", "act": "answer", "token": "t", "answer": "yes"}


class BrokenOff(BaseException):
    """As the toolkit ends a run when the next one is asked for."""


def test_a_press_whose_run_is_broken_off_is_done_when_it_comes_again(
    state: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[str] = []

    def broken_off(*given: str) -> None:
        raise BrokenOff

    monkeypatch.setattr(actions, "press", broken_off)
    with pytest.raises(BrokenOff):
        actions.pressed("spam", "surface")
    assert actions.done() is None, "the page would take it for stored"
    monkeypatch.setattr(actions, "press", lambda project, token, answer: stored.append(answer))
    for _ in range(2):
        actions.pressed("spam", "surface")
    assert stored == ["yes"] and actions.done() == "1"


def test_a_press_that_fails_is_dealt_with(
    state: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: str) -> None:
        raise ValueError("no such token")

    monkeypatch.setattr(actions, "press", fails)
    actions.pressed("spam", "surface")
    assert actions.done() == "1" and state["problem"].startswith("no such token")


@pytest.mark.parametrize(
    ("kinds", "hint"),
    [
        (("labelled", "labelled"), None),
        (("labelled", "late"), actions.KEPT_ALONE),
        (("late", "late"), actions.KEPT_MANY.format(number=2)),
    ],
)
def test_a_page_says_which_answers_are_kept_as_second_readings(
    kinds: tuple[str, str], hint: str | None, state: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = [
        Event(number, kind, "", "me", label="yes", answers=token)
        for number, (kind, token) in enumerate(zip(kinds, "ab", strict=True), 1)
    ]
    session = SimpleNamespace(answer_page=lambda said: stored)
    monkeypatch.setattr(actions.sessions, "session", lambda project: session)
    actions.press_page("spam", ["a", "b"], ["yes", "yes"])
    assert actions.hinted("spam") == (hint or "") and "problem" not in state
    assert actions.hinted("ham") == "", "another project was opened in this tab"
