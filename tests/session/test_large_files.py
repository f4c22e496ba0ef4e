"""Items whose contents stay where they are: every plan that a small file takes is drawn there too,
and drawn alike."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs import base
from labelcore.population.engines import sources
from tests.cases import sampled

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

N, SEED = 4_000, 11
READ: dict[str, Any] = {
    "id": "id",
    "content": "text",
    "scores": {"lr": "score", "raw": "raw"},
    "predictions": {"lr": "call", "said": "said"},
    "thresholds": {"raw": 0.5},
    "descending": ["raw"],
    "helpers": {"judge": "judge"},
    "known": "known",
}
BOTH = {"classifier": ["lr", "said"], "budget": 60}
plan = partial(partial, lc.Plan)
PLANS: dict[str, partial[lc.Plan]] = {
    "helpers": plan("recalibrated_neyman", ["precision", "recall"], classifier="lr", budget=60,
        params={"helpers": ["judge", "raw"]}, existing="certainty", seed=SEED),
    "a claim": plan("agreement_patterns", "recall", claims=["recall@lr > recall@said"],
        existing="ignored", **BOTH),
    "a curve": plan("recalibrated_neyman", "precision_curve", classifier="lr", budget=60,
        existing="random"),
    "reach": plan("reach_selection", "selection", classifier="lr", budget=60,
        params={"candidates": [100, 300], "precision_threshold": 0.6}, existing="ignored"),
    "recycling": plan("recycling", "precision",
        params={"parent": "lr", "children": ["said"], "sample_size": 50}, existing="ignored"),
    "rare patterns": plan("agreement_patterns", "precision", classifier=["lr", "raw"], budget=60,
        existing="ignored"),
}  # fmt: skip


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    random = np.random.default_rng(3)
    score = np.round(random.beta(0.5, 1.5, N), 2)
    known = np.where(random.random(N) < 0.01, np.where(score > 0.5, "yes", "no"), None)
    return pd.DataFrame(
        {
            "id": [f"item {number * 7919 % 100_003}" for number in range(N)],
            "score": score,
            "raw": random.normal(0, 2, N) - 4 * score,
            "judge": score + random.normal(0, 0.2, N),
            "said": (score + random.normal(0, 0.2, N) >= 0.5).astype(int),
            "call": ((score >= 0.5) ^ (random.random(N) < 0.05)).astype(int),
            "known": known,
            "text": [f"text {number}" for number in range(N)],
        }
    )


def labelled(session: lc.Session, number: int) -> list[str]:
    """What is drawn, and what the figures are after each label."""
    found = []
    for step in range(number):
        draw = session.next()
        if draw is None:
            break
        found.append(f"{draw.item_id} {draw.stratum} {session.item(draw)['text']}")
        session.answer(draw, step % 3 == 0)
        found += [f"{key} {one.to_json()}" for key, one in session.results().items()]
    return found


@pytest.mark.parametrize("name", sampled(PLANS, 1, seed=1, keep=["a curve"]))
def test_no_plan_is_refused_where_contents_stay(
    name: str, rows: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "LARGE", 1)
    asked = PLANS[name]()
    file = tmp_path / "items.parquet"
    rows.to_parquet(file)
    wanted = labelled(lc.Session(lc.read_population(file, **READ), asked), 2)
    monkeypatch.setattr(sources, "LARGE", 1)
    population = lc.read_population(file, **READ)
    assert population.stays
    store = f"sqlite:///{tmp_path}/labels.db"
    first = labelled(lc.Session(population, asked, store, "p"), 2)
    again = lc.Session.open(store, "p")
    assert len(wanted) >= 4 and first == wanted[: len(first)]
    assert again.next() is not None
