"""What a session holds for each item, as ``benchmarks.scale`` counts it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from benchmarks import scale
from benchmarks.scale import FOUR, Clock, held, label, read, write_file
from labelcore.session import prepared
from labelcore.session.session import Session

GOAL = 36
"""Two scores 16, the hash of an id and its place in their order 12, strata, draws and calls 8."""


def test_a_session_holds_few_bytes_an_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "LEAST", 1)
    write_file(tmp_path / "items.parquet", 40_000)
    population = read(tmp_path / "items.parquet")
    plan = lc.Plan("recalibrated_neyman", FOUR, classifier="s0", budget=100, seed=7)
    store = f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(population, plan, store, "x")
    label(session, Clock(), 3)
    again = Session.open(store, "x")
    label(again, Clock(), 3)
    for one in (session, again):
        memory, mapped = held(one)
        assert memory <= 2 and 20 < mapped <= GOAL, "all but the answers lies on the disk"


def test_an_array_that_is_kept_twice_is_counted_once() -> None:
    population = read_list(4)
    session = lc.Session(population, lc.Plan("simple_random", "prevalence", budget=2))
    before = sum(held(session))
    session.engine.__dict__["spare"] = session.engine.frame.queue
    assert sum(held(session)) == before
    session.engine.__dict__["spare"] = np.zeros(4)
    assert sum(held(session)) == before + 8


@pytest.mark.full
def test_with_many_items_a_process_may_not_take_more_than_its_limit() -> None:
    with pytest.raises(MemoryError):
        scale.alone(partial(_bytes_held, 5 * 10**9), scale.LIMITED)
    assert scale.alone(partial(_bytes_held, 10**9), scale.LIMITED) == {"bytes": 10**9}


def _bytes_held(number: int) -> dict[str, int]:
    return {"bytes": len(np.zeros(number, dtype=np.uint8))}


def read_list(rows: int) -> lc.Population:
    return lc.read_population([{"text": str(row)} for row in range(rows)], content="text")
