"""What version 0.1.0 wrote still opens, draws the same items and gives the same figures.

The bundles in ``tests/data/version_0_1_0`` were written by that version, one for each of nine
methods, with unsure, later, undone, changed, flagged and noted items; only their reports were left
out. Near the census they have its bounds, which new plans do not. Never write them again.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import labelcore as lc

WRITTEN = Path(__file__).parent / "data" / "version_0_1_0"
BUNDLES = sorted(file.stem for file in WRITTEN.glob("*.zip"))


def test_there_is_one_of_each() -> None:
    assert len(BUNDLES) == 9


@pytest.mark.parametrize("design", BUNDLES)
def test_a_bundle_replays_to_the_same_figures(design: str) -> None:
    found = lc.replay_bundle(WRITTEN / f"{design}.zip", WRITTEN / "items.csv")
    expected = json.loads((WRITTEN / f"{design}.json").read_text("utf-8"))
    assert set(found.results) == set(expected)
    for key, figures in expected.items():
        now = found.results[key].to_dict()
        assert {name: now[name] for name in figures} == pytest.approx(figures, abs=1e-9)


@pytest.mark.parametrize("design", BUNDLES)
def test_a_frozen_plan_is_read_and_written_as_it_was(design: str) -> None:
    written = zipfile.ZipFile(WRITTEN / f"{design}.zip").read("plan.json").decode().strip()
    plan = lc.Plan.from_json(written)
    assert json.loads(plan.to_json()) == json.loads(written)
    assert plan.interval_rules == 1


@pytest.mark.parametrize("design", ["oversampling", "simple_random"])
def test_the_rules_of_today_are_not_theirs(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lc.Plan, "interval_rules", 2)
    with pytest.raises(lc.errors.ReplayError, match="the look does not follow"):
        lc.replay_bundle(WRITTEN / f"{design}.zip", WRITTEN / "items.csv")
