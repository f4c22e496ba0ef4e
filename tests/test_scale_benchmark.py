"""What a session holds for each item, as ``benchmarks.scale`` counts it."""

from pathlib import Path

import pytest

import labelcore as lc
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
