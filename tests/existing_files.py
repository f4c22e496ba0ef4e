"""Small files of which some answers are known already."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc

ITEMS = 900


def made(items: int = ITEMS, seed: int = 4) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores that are probabilities, and the truth drawn by them."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(0.5, 1.5, items), 4)
    return score, (rng.random(items) < score).astype(np.int64)


def read(folder: Path, at: NDArray[np.int64] | None = None, **arguments: Any) -> lc.Population:
    """The file with the answers of the items ``at`` in its column "told"."""
    score, truth = made()
    told = np.full(len(score), "", dtype=object)
    if at is not None:
        told[at] = np.where(truth[at], "yes", "no")
    other = np.clip(score + np.random.default_rng(5).normal(0, 0.2, len(score)), 0, 1)
    table = pd.DataFrame(
        {"id": [f"m{i}" for i in range(len(score))], "text": "x", "s": score, "o": other,
         "told": told, "truth": truth}
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    path = folder / "items.csv"
    table.to_csv(path, index=False)
    given: dict[str, Any] = {
        "id": "id", "content": ["text"], "scores": {"a": "s", "b": "o"},
        "thresholds": {"a": 0.5, "b": 0.5}, "known": "told",
    }  # fmt: skip
    return lc.read_population(path, **{**given, **arguments})


def at_random(number: int, seed: int = 1) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(ITEMS)[:number]


def from_the_top(number: int) -> NDArray[np.int64]:
    """The items with the highest scores: what screening by a ranked list leaves behind."""
    return np.argsort(-made()[0], kind="stable")[:number]


def with_known(population: lc.Population, positions: NDArray[np.int64]) -> lc.Population:
    """The same file with other known answers, for runs that repeat the sampling."""
    known = np.full(len(population), -1, dtype=np.int16)
    known[positions] = made()[1][positions]
    return replace(population, known=known)
