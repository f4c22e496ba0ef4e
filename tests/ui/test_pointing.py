"""What the picture of the curve sends: a rank, once."""

from __future__ import annotations

from typing import Any

import pytest

from labelcore.ui import pointing

KEY = "cut-pointer"


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(pointing.st, "session_state", kept)
    return kept


def send(state: dict[str, Any], moved: dict[str, Any] | None) -> list[int]:
    """The ranks that the cut is moved to by one message."""
    ranks: list[int] = []
    state[KEY] = {"moved": moved}
    pointing._moved(KEY, 400, ranks.append)
    return ranks


def test_a_press_delivered_twice_moves_once(state: dict[str, Any]) -> None:
    assert send(state, {"rank": 77, "press": 1.5}) == [77]
    assert send(state, {"rank": 77, "press": 1.5}) == []
    assert send(state, {"rank": 77, "press": 2.5}) == [77]


def test_no_press_moves_nothing(state: dict[str, Any]) -> None:
    assert send(state, None) == []


@pytest.mark.parametrize(("sent", "rank"), [(0, 1), (-3, 1), (401, 400), (400, 400)])
def test_the_cut_stays_in_the_list(state: dict[str, Any], sent: int, rank: int) -> None:
    assert send(state, {"rank": sent, "press": 1}) == [rank]
