"""What New project says that labels will give."""

from __future__ import annotations

from pathlib import Path

import pytest

import labelcore as lc
from labelcore.planning.methods import Line
from labelcore.ui.new_price import RANDOM, THIS_PLAN, WITH_SCORES, Ahead

ROWS = "".join(f"{n},{'yes' if n % 3 else 'no'},{n / 40}\n" for n in range(40))


@pytest.mark.parametrize(
    ("design", "scored", "name"),
    [
        ("recalibrated_neyman", True, WITH_SCORES),
        ("recalibrated_neyman", False, THIS_PLAN),
        ("simple_random", True, RANDOM),
    ],
)
def test_a_curve_is_called_by_what_its_plan_uses(
    tmp_path: Path, design: str, scored: bool, name: str
) -> None:
    (tmp_path / "items.csv").write_text(f"id,predicted,score\n{ROWS}")
    population = lc.read_population(
        tmp_path / "items.csv",
        id="id",
        content="id",
        predictions={"model": "predicted"},
        scores={"model": "score"} if scored else {},
    )
    plan = lc.Plan(design, ["accuracy"], budget=20)
    assert Ahead(plan, population, Line(design, design), {}).called(design) == name
