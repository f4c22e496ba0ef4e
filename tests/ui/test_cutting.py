"""The cut and the widgets that move it: one rank, whatever a replaced widget still sends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from labelcore.ui import cutting
from labelcore.ui.cutting import CutKeys


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> CutKeys:
    monkeypatch.setattr(cutting.st, "session_state", {})
    monkeypatch.setattr(cutting, "own_cut_of", lambda session: None)
    session: Any = SimpleNamespace(population=Items())
    made = CutKeys(session)
    made.begin()
    return made


class Items:
    fingerprint = "0123456789abcdef"

    def __len__(self) -> int:
        return 400


def show(keys: CutKeys, way: str, value: float) -> str:
    """A person sets a widget; its key."""
    key = keys.key(way)
    cutting.st.session_state[key] = value
    return key


def test_it_starts_at_a_tenth_in_every_widget(keys: CutKeys) -> None:
    assert keys.rank == 40
    assert {cutting.st.session_state[keys.key(way)] for way in ("slider", "rank")} == {40}


def test_it_starts_at_the_classifiers_own_cut(
    keys: CutKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutting.st.session_state.clear()
    monkeypatch.setattr(cutting, "own_cut_of", lambda session: 25)
    session: Any = SimpleNamespace(population=Items())
    assert CutKeys(session).rank == 25


def test_every_way_moves_the_others(keys: CutKeys) -> None:
    cutting._slid(keys, show(keys, "slider", 90))
    keys.begin()
    assert keys.rank == 90 == cutting.st.session_state[keys.key("rank")]
    cutting._typed(keys, show(keys, "rank", 77))
    keys.begin()
    assert keys.rank == 77 == cutting.st.session_state[keys.key("slider")]
    keys.move(200, "pointer")
    keys.begin()
    assert keys.rank == 200
    assert {cutting.st.session_state[keys.key(way)] for way in ("slider", "rank")} == {200}


def test_a_widget_keeps_its_key_when_it_is_the_one_that_moves(keys: CutKeys) -> None:
    key = show(keys, "rank", 77)
    cutting._typed(keys, key)
    assert keys.key("rank") == key


@pytest.mark.parametrize(("way", "callback"), [("slider", cutting._slid), ("rank", cutting._typed)])
def test_what_a_replaced_widget_sends_moves_nothing(keys: CutKeys, way: str, callback: Any) -> None:
    key = show(keys, way, 40)
    keys.move(223, "pointer")
    cutting.st.session_state[key] = 40
    callback(keys, key)
    assert keys.rank == 223


def test_a_rank_outside_the_list_moves_nothing(keys: CutKeys) -> None:
    cutting._typed(keys, show(keys, "rank", 401))
    cutting._typed(keys, show(keys, "rank", 0))
    assert keys.rank == 40
