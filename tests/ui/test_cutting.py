"""The cut and the widgets that move it: one rank, whatever a replaced widget still sends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelcore.ui import cutting
from labelcore.ui.cutting import CutKeys


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> CutKeys:
    """Of a list whose first 300 items are sure to keep 90 %."""
    monkeypatch.setattr(cutting.st, "session_state", {})
    monkeypatch.setattr(cutting, "own_cut_of", lambda session: None)
    made = CutKeys(listed())
    made.begin(300)
    return made


def listed() -> Any:
    """What of a session the cut asks for."""
    band = SimpleNamespace(has_interval=True, low=np.array([0.6]), high=np.array([0.95]))
    sure = {0.9: 300, 0.5: 400, 1.0: 0}

    def deepest_cut(precision: float, at_most: int | None = None) -> Any:
        rank = min(sure[precision], at_most or 400)
        return SimpleNamespace(rank=rank) if rank else None

    return SimpleNamespace(
        population=Items(),
        deepest_cut=deepest_cut,
        cut=lambda rank: SimpleNamespace(readings={"precision": band}),
    )


class Items:
    fingerprint = "0123456789abcdef"

    def __len__(self) -> int:
        return 400


def show(keys: CutKeys, way: str, value: float) -> str:
    """A person sets a widget; its key."""
    key = keys.key(way)
    cutting.st.session_state[key] = value
    return key


def test_it_starts_as_deep_as_is_sure(keys: CutKeys) -> None:
    assert keys.rank == 300
    assert {cutting.st.session_state[keys.key(way)] for way in ("slider", "rank")} == {300}


@pytest.mark.parametrize(("own", "starts"), [(25, 25), (350, 300)])
def test_it_starts_at_the_classifiers_own_cut_where_that_is_sure(
    keys: CutKeys, monkeypatch: pytest.MonkeyPatch, own: int, starts: int
) -> None:
    cutting.st.session_state.clear()
    monkeypatch.setattr(cutting, "own_cut_of", lambda session: own)
    assert CutKeys(listed()).rank == starts


@pytest.mark.parametrize(
    "way", [cutting._slid, cutting._typed, lambda keys, key: keys.move(350, "pointer")]
)
def test_no_way_leads_to_a_rank_that_is_not_sure(keys: CutKeys, way: Any) -> None:
    """It goes as far as is sure, and says what is known of the rank that was wished."""
    name = "rank" if way is cutting._typed else "slider"
    way(keys, show(keys, name, 350))
    assert keys.rank == 300
    said = cutting.st.session_state[keys.fault]
    assert said == "The first 350 are not sure to keep 90.0 %: at least 60 % so far."
    keys.begin(300)
    assert {cutting.st.session_state[keys.key(way)] for way in ("slider", "rank")} == {300}
    keys.move(120, "pointer")
    assert keys.rank == 120 and keys.fault not in cutting.st.session_state


def test_what_is_required_decides_what_is_sure(keys: CutKeys) -> None:
    keys.move(120, "pointer")
    cutting.st.session_state[cutting.REQUIRED] = 100.0
    assert keys.rank is None
    cutting.st.session_state[cutting.REQUIRED] = 50.0
    keys.move(390, "pointer")
    assert keys.rank == 390


def test_a_method_without_bounds_for_all_ranks_has_no_cut(keys: CutKeys) -> None:
    def refused(precision: float, at_most: int | None = None) -> None:
        raise ValueError("each rank has its own")

    keys.session.deepest_cut = refused
    assert keys.rank is None


def test_every_way_moves_the_others(keys: CutKeys) -> None:
    cutting._slid(keys, show(keys, "slider", 90))
    keys.begin(90)
    assert keys.rank == 90 == cutting.st.session_state[keys.key("rank")]
    cutting._typed(keys, show(keys, "rank", 77))
    keys.begin(77)
    assert keys.rank == 77 == cutting.st.session_state[keys.key("slider")]
    keys.move(200, "pointer")
    keys.begin(200)
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
    assert keys.rank == 300
