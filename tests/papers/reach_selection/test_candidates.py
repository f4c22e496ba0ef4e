"""Candidates of a choice, read from the plan."""

from __future__ import annotations

from pathlib import Path

import labelcore as lc
from labelcore.log.engine import Engine
from labelcore.papers.reach_selection.candidates import TIED, candidates_of


def test_only_a_top_n_is_told_that_it_cuts_among_equal_scores(tmp_path: Path) -> None:
    """Ten items share each score; "rule" calls five of ten positive, by something else."""
    path = tmp_path / "items.csv"
    rows = (f"i{n},x,{(99 - n) // 10 / 10},{int(n < 35)}" for n in range(100))
    path.write_text("id,text,score,rule\n" + "\n".join(rows), "utf-8")
    population = lc.read_population(
        path, id="id", content="text", scores={"m": "score"}, predictions={"rule": "rule"}
    )
    plan = lc.Plan(
        "reach_selection", ["selection"], classifier="m", budget=50,
        params={"candidates": [30, 35, 100, 0.5, "rule"]},
    ).with_planned(50)  # fmt: skip
    found, notes = candidates_of(Engine(population, plan).setup)
    sizes = {one.name: len(one.items) for one in found}
    assert sizes == {"top 30": 30, "top 35": 35, "top 100": 100, "m>=0.5": 50, "rule": 35}
    assert notes == (TIED.format(name="top 35"),)
