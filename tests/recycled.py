"""Files with three noisy classifiers and their vote, and plans that recycle labels among them."""

from typing import Any

import numpy as np

import labelcore as lc
from labelcore.log.engine import Engine
from labelcore.planning.forecast import planned_size
from labelcore.testing.known import Known
from tests.columns import items

N_ITEMS = 600
BOTH = ("precision", "recall")
PARAMS: dict[str, Any] = {
    "parent": "vote", "children": ("a", "b", "c"), "sample_size": 60, "negatives": 60,
}  # fmt: skip


def classifiers(n_items: int, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Truth, what three noisy classifiers and their vote predict, and a score of the first."""
    random = np.random.default_rng(seed)
    score = np.round(random.beta(0.5, 1.5, n_items), 6)
    truth = (random.random(n_items) < score).astype(int)
    seen = [np.clip(score + random.normal(0, s, n_items), 0, 1) for s in (0.0, 0.1, 0.25)]
    said = {name: (one >= 0.5).astype(int) for name, one in zip("abc", seen, strict=True)}
    vote = (sum(said.values()) >= 2).astype(int)
    return truth, {"vote": vote, **said}, score


def written(n_items: int = N_ITEMS, seed: int = 1, **more: np.ndarray) -> Known:
    truth, said, score = classifiers(n_items, seed)
    return Known(items(scores={"a": score}, predictions={**said, **more}), truth)


def plan_of(name: str = "recycling", **values: Any) -> lc.Plan:
    params = {**PARAMS, **values.pop("params", {})}
    return lc.Plan(name, values.pop("estimands", BOTH), params=params, **{"seed": 4, **values})


def engine_of(known: Known, plan: lc.Plan, seed: int = 4) -> Engine:
    """An engine whose planned size is that of its own seed."""
    mine = plan.with_seed(seed)
    return Engine(known.population, mine.with_planned(planned_size(known.population, mine)))


def true_value(known: Known, key: str) -> float:
    name, _, classifier = key.partition("@")
    said = known.population.predictions[classifier or "vote"] == 1
    below = said if name == "precision" else known.truth == 1
    return float((said & (known.truth == 1)).sum() / below.sum())
