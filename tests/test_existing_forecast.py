"""What planning says where a random sample is there already: its labels count as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import labelcore as lc
from labelcore.planning.outlook import Outlook
from tests.existing_files import at_random, made, read
from tests.plan.test_existing import plan_of


@pytest.mark.parametrize("design", ["recalibrated_neyman", "simple_random"])
def test_the_forecast_for_no_new_label_is_the_interval_that_is_there(
    tmp_path: Path, design: str
) -> None:
    population = read(tmp_path, at_random(150))
    plan = plan_of(design, existing="random", budget=0)
    found = Outlook(population, plan).half_widths(0, 0)
    shown = lc.Session(population, plan).results()
    for name in ("accuracy", "recall"):
        assert found[name] == pytest.approx(shown[name].half_width, rel=0.05)


def test_scores_that_are_far_off_do_not_spoil_the_forecast(tmp_path: Path) -> None:
    """Scores a sixth of what is true: the labels correct them, before the first new one."""
    low = [round(float(one) / 6, 5) for one in made()[0]]
    path = tmp_path / "low"
    path.mkdir()
    right = read(tmp_path / "right", at_random(150))
    lines = right.path.read_text("utf-8").splitlines()
    cells = [line.split(",") for line in lines[1:]]
    rows = [",".join([*row[:2], f"{s}", *row[3:]]) for row, s in zip(cells, low, strict=True)]
    (path / "items.csv").write_text("\n".join([lines[0], *rows]) + "\n", "utf-8")
    wrong = lc.read_population(
        path / "items.csv", id="id", content=["text"], scores={"a": "s"},
        thresholds={"a": 0.5 / 6}, known="told",
    )  # fmt: skip
    plans = [plan_of(existing="random"), plan_of(existing="ignored")]
    believed, ignored = (lc.preview(wrong, plan).expected_half_width["recall"] for plan in plans)
    truth = lc.preview(right, plans[0]).expected_half_width["recall"]
    assert believed == pytest.approx(truth, rel=0.15)
    assert ignored != pytest.approx(truth, rel=0.15)
