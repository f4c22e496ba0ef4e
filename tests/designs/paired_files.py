"""Files with two classifiers and known labels."""

from pathlib import Path

import numpy as np

import labelcore as lc
from labelcore.testing.known import Known
from tests.columns import items
from tests.rows import write_rows

DIFFERENCES = (
    "accuracy_difference", "precision_difference", "recall_difference", "f1_difference",
)  # fmt: skip
BOTH = ("a", "b")


def paired(
    folder: Path, n_items: int, seed: int, *, scores: bool = True, shift: float = 0.6
) -> Known:
    """Labels drawn with chance p; both see p through noise of their own, the second one more of
    it. ``shift`` is the noise of the first on the logit scale."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(-0.7, 1.8, n_items)
    truth = (rng.random(n_items) < 1 / (1 + np.exp(-logit))).astype(int)
    seen = [logit + rng.normal(0, noise, n_items) for noise in (shift, 2 * shift)]
    found = [np.round(1 / (1 + np.exp(-one)), 4) for one in seen]
    said = [(one >= 0.5).astype(int) for one in found]
    ids = [f"i{i}" for i in range(n_items)]
    head = ["id", "text", "score_a", "score_b", "said_a", "said_b", "truth"]
    rows = zip(ids, ["x"] * n_items, *found, *said, truth, strict=True)
    path = write_rows(folder / "pairs.csv", head, rows)
    given = {"a": "score_a", "b": "score_b"} if scores else {}
    population = lc.read_population(
        path, id="id", content="text", scores=given, predictions={"a": "said_a", "b": "said_b"}
    )
    return Known(population, truth)


def true_difference(known: Known, name: str) -> float:
    """From the definition of each quantity."""
    found = []
    for classifier in BOTH:
        said, real = known.population.predictions[classifier] == 1, known.truth == 1
        tp, fp, fn = (said & real).sum(), (said & ~real).sum(), (~said & real).sum()
        above, below = {
            "accuracy_difference": ((said == real).sum(), len(real)),
            "precision_difference": (tp, tp + fp),
            "recall_difference": (tp, tp + fn),
            "f1_difference": (2 * tp, 2 * tp + fp + fn),
        }[name]
        found.append(above / below)
    return float(found[0] - found[1])


def nearly_equal(n_items: int, differ: int, seed: int) -> Known:
    """Two classifiers that disagree on ``differ`` items, all of them near the cut of the first."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(-1.2, 2.0, n_items)
    truth = (rng.random(n_items) < 1 / (1 + np.exp(-logit))).astype(int)
    score = np.round(1 / (1 + np.exp(-(logit + rng.normal(0, 0.6, n_items)))), 4)
    first = (score >= 0.5).astype(int)
    second = first.copy()
    near = np.argsort(abs(score - 0.5), kind="stable")[: 4 * differ]
    turned = rng.choice(near, differ, replace=False)
    second[turned] = 1 - second[turned]
    return Known(items(scores={"a": score}, predictions={"a": first, "b": second}), truth)
