"""Files whose labels are known, and an engine answered by them."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import planned_size
from labelcore.population import Population, read_population

SCALARS = ("accuracy", "precision", "recall", "f1")
NOISE = 1e-4
"""The chance that a correct method fails one statistical test by bad luck."""
FORMULAS: Mapping[str, Callable[..., tuple[Any, Any]]] = {
    "accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),
    "f1": lambda tp, fp, fn, tn: (2 * tp, 2 * tp + fp + fn),
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),
    "prevalence": lambda tp, fp, fn, tn: (tp + fn, tp + fp + fn + tn),
    "false_omission_rate": lambda tp, fp, fn, tn: (fn, fn + tn),
    "negative_predictive_value": lambda tp, fp, fn, tn: (tn, fn + tn),
}
"""Both totals of each estimand in the counts of the confusion matrix (TP, FP, FN, TN)."""


class Known:
    """A population and the label (0 or 1) of every item."""

    def __init__(self, population: Population, truth: NDArray[Any]) -> None:
        self.population, self.truth = population, np.asarray(truth, dtype=np.int64)
        self._sizes: dict[str, int] = {}

    def engine(self, plan: Plan, seed: int) -> Engine:
        """Prepared anew: the frame that the file keeps would hide a method that prepares another
        one each time."""
        self.population.let_go()
        plan = plan.with_seed(seed)
        return Engine(self.population, plan.with_planned(plan.planned or self._planned(plan)))

    def _planned(self, plan: Plan) -> int:
        """The planned size. A budget is cut to what can be asked, which is the same for all seeds
        and worked out once."""
        if plan.budget is None:
            return planned_size(self.population, plan)
        key = plan.with_seed(0).to_json()
        if key not in self._sizes:
            self._sizes[key] = planned_size(self.population, plan)
        return self._sizes[key]

    def value(self, name: str) -> float:
        """The true value, from the definition of each quantity."""
        predicted = next(iter(self.population.predictions.values())) == 1
        real = self.truth == 1
        tp, fp, fn = (predicted & real).sum(), (predicted & ~real).sum(), (~predicted & real).sum()
        tn = len(real) - tp - fp - fn
        above, below = FORMULAS[name](tp, fp, fn, tn)
        return float(above / below) if below else float("nan")

    def certain(self, name: str, drawn: Sequence[int]) -> tuple[float, float]:
        """The least and the largest value that the labels of these items leave possible: the
        unlabelled items of each side of the prediction are all positive or all negative."""
        predicted = next(iter(self.population.predictions.values())) == 1
        seen = np.isin(np.arange(len(predicted)), drawn)
        tp, fp, fn, tn = (
            np.count_nonzero(seen & (predicted == side) & (self.truth == real))
            for side, real in ((1, 1), (1, 0), (0, 1), (0, 0))
        )
        above, under = (np.count_nonzero(~seen & (predicted == side)) for side in (1, 0))
        ends = [
            FORMULAS[name](tp + a, fp + above - a, fn + b, tn + under - b)
            for a in (0, above)
            for b in (0, under)
        ]
        if not all(below for _, below in ends):
            return 0.0, 1.0
        values = [float(above / below) for above, below in ends]
        return min(values), max(values)


def write(
    folder: Path, truth: NDArray[Any], *, score: NDArray[Any] | None = None,
    prediction: NDArray[Any] | None = None, **arguments: Any,
) -> Known:  # fmt: skip
    """A CSV file with these columns, read back as a population."""
    columns: dict[str, Any] = {
        "id": [f"i{i}" for i in range(len(truth))],
        "text": ["x"] * len(truth),
    }
    given: dict[str, Any] = {}
    if score is not None:
        columns["score"], given["scores"] = score, {"lr": "score"}
    if prediction is not None:
        columns["said"], given["predictions"] = prediction, {"lr": "said"}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "items.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*columns, "truth"])
        rows.writerows(zip(*columns.values(), truth, strict=True))
    population = read_population(path, id="id", content="text", **{**given, **arguments})
    return Known(population, truth)


def calibrated(
    folder: Path, n_items: int, seed: int, *, a: float = 0.6, b: float = 1.4, threshold: float = 0.5
) -> Known:
    """Scores from a Beta(a, b), labels drawn with the score as their probability."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(a, b, n_items), 6)
    truth = (rng.random(n_items) < score).astype(int)
    return write(folder, truth, score=score, thresholds={"lr": threshold})


def label(engine: Engine, truth: NDArray[Any]) -> Iterator[int]:
    """Draw and answer to the end, giving the number of labels after each one."""
    classes = engine.population.classes
    while engine.peek() is not None:
        index = engine.draw_next()
        name = classes[truth[engine.asked[index - 1].position]]
        engine.answer(index, Event(0, "labelled", "", "test", label=name))
        yield engine.labels


def labelled(engine: Engine, truth: NDArray[Any]) -> Engine:
    for _ in label(engine, truth):
        pass
    return engine


def fewest(runs: int, chance: float) -> float:
    """The share below which ``runs`` trials of at least this chance fall once in 1/NOISE times.

    >>> fewest(400, 0.95)
    0.905
    """
    return float(binom.ppf(NOISE, runs, chance)) / runs


def most(runs: int, chance: float) -> float:
    """The share above which ``runs`` trials of at most this chance rise once in 1/NOISE times.

    >>> most(400, 0.05)
    0.095
    """
    return float(binom.isf(NOISE, runs, chance)) / runs
