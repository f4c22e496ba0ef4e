"""The report of items that stay in their engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.population import items
from labelcore.population.engines import sources
from labelcore.report.facts import Facts, gather
from labelcore.report.page import report_html
from labelcore.report.sections import population

N = 600
LEFT_OUT = "The curve along the ranks is left out: it would take the score of each of 600 items"


def labelled(folder: Path, method: str, estimand: str) -> lc.Session:
    found = lc.read_population(
        folder, id="id", content="text", scores={"lr": "score"}, predictions={"lr": "call"}
    )
    plan = lc.Plan(method, estimand, classifier="lr", budget=150, seed=3)
    session = lc.Session(found, plan)
    for number in range(12):
        session.answer(session.next(), number % 3 == 0)
    return session


@pytest.mark.parametrize(
    ("method", "estimand"),
    [("simple_random", "precision"), ("geometric_strata", "precision_curve")],
)
def test_says_what_the_report_of_arrays_says(
    method: str, estimand: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score = np.random.default_rng(4).random(N).round(3)
    table = pd.DataFrame(
        {"id": range(N), "text": "a", "score": score, "call": (score > 0.4).astype(int)}
    )
    table.to_parquet(tmp_path / "part-0.parquet")
    monkeypatch.setattr(sources, "LARGE", 1)
    held = gather(labelled(tmp_path, method, estimand))
    monkeypatch.setattr(items, "IN_MEMORY", N // 2)
    monkeypatch.setattr(items, "HELD", N // 2)
    session = labelled(tmp_path, method, estimand)
    away = gather(session)
    assert held.population.kept is None and away.population.kept is not None
    assert str(population(away)) == str(population(held))
    assert f"{int(table.call.sum()):,}" in str(population(away))
    assert away.strata.equals(held.strata) and away.sentence == held.sentence
    assert held.curves and not held.curve_left_out
    same_curve_or_said(held, away, report_html(session))


def same_curve_or_said(held: Facts, away: Facts, page: str) -> None:
    """A method that cannot draw its curve without arrays says so."""
    if away.curves is None:
        assert away.curve_left_out.startswith(LEFT_OUT) and LEFT_OUT in page
        return
    assert held.curves is not None and LEFT_OUT not in page
    for one, other in zip(held.curves, away.curves, strict=True):
        assert np.array_equal(one.low, other.low) and np.array_equal(one.high, other.high)
