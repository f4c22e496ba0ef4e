"""Files with known labels for statistical tests, and an engine answered by them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

import labelcore as lc
from labelcore.designs.ranked_list import RankedListDesign
from labelcore.designs.scalars import ComparesTwo
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.forecast import planned_size
from tests.test_estimands import FORMULAS

SCALARS = ("accuracy", "precision", "recall", "f1")
SCALAR_DESIGNS = [
    name
    for name, one in lc.DESIGNS.items()
    if set(SCALARS) <= {*one.estimands} and not isinstance(one, ComparesTwo)
]
WATCHED = {
    name: asked
    for name in SCALAR_DESIGNS
    for asked in (SCALARS[:1], SCALARS)
    if "watched" in lc.DESIGNS[name].promises_for(asked, lc.DESIGNS[name].Params())
}
"""The most that each of these methods can be watched for; one that cannot be watched is not in it.
"""
PROMISED = [(name, str(one)) for name in SCALAR_DESIGNS for one in lc.DESIGNS[name].promises]
"""Each of these methods with each of its promises."""
NEEDED = {"stratified": 20, "oversampling": 2}
"""The fewest labels of methods that cannot do with one, on a file with both predictions."""
LIST_DESIGNS = [name for name, one in lc.DESIGNS.items() if isinstance(one, RankedListDesign)]
NOISE = 1e-4
"""The chance that a correct method fails one statistical test by bad luck."""


class Known:
    """A population and the label (0 or 1) of every item."""

    def __init__(self, population: lc.Population, truth: np.ndarray) -> None:
        self.population, self.truth = population, np.asarray(truth, dtype=np.int64)
        self._sizes: dict[str, int] = {}

    def engine(self, plan: lc.Plan, seed: int) -> Engine:
        """Prepared anew: the frame that the file keeps would hide a method that prepares another
        one each time."""
        self.population.let_go()
        plan = plan.with_seed(seed)
        return Engine(self.population, plan.with_planned(plan.planned or self._planned(plan)))

    def _planned(self, plan: lc.Plan) -> int:
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
        said = next(iter(self.population.predictions.values())) == 1
        real = self.truth == 1
        tp, fp, fn = (said & real).sum(), (said & ~real).sum(), (~said & real).sum()
        tn = len(real) - tp - fp - fn
        above, below = FORMULAS[name](tp, fp, fn, tn)
        return float(above / below) if below else float("nan")

    def certain(self, name: str, drawn: Sequence[int]) -> tuple[float, float]:
        """The least and the largest value that the labels of these items leave possible: the
        unlabelled items of each side of the prediction are all positive or all negative."""
        said = next(iter(self.population.predictions.values())) == 1
        seen = np.isin(np.arange(len(said)), drawn)
        tp, fp, fn, tn = (
            np.count_nonzero(seen & (said == one) & (self.truth == real))
            for one, real in ((1, 1), (1, 0), (0, 1), (0, 0))
        )
        above, under = (np.count_nonzero(~seen & (said == one)) for one in (1, 0))
        ends = [
            FORMULAS[name](tp + a, fp + above - a, fn + b, tn + under - b)
            for a in (0, above)
            for b in (0, under)
        ]
        if not all(below for _, below in ends):
            return 0.0, 1.0
        values = [float(one / below) for one, below in ends]
        return min(values), max(values)


def write(
    folder: Path, truth: np.ndarray, *, score: np.ndarray | None = None,
    prediction: np.ndarray | None = None, **arguments: Any,
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
    population = lc.read_population(path, id="id", content="text", **{**given, **arguments})
    return Known(population, truth)


def calibrated(
    folder: Path, n_items: int, seed: int, *, a: float = 0.6, b: float = 1.4, threshold: float = 0.5
) -> Known:
    """Scores from a Beta(a, b), labels drawn with the score as their probability."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(a, b, n_items), 6)
    truth = (rng.random(n_items) < score).astype(int)
    return write(folder, truth, score=score, thresholds={"lr": threshold})


def label(engine: Engine, truth: np.ndarray) -> Iterator[int]:
    """Draw and answer to the end, giving the number of labels after each one."""
    classes = engine.population.classes
    while engine.peek() is not None:
        index = engine.draw_next()
        name = classes[truth[engine.asked[index - 1].position]]
        engine.answer(index, Event(0, "labelled", "", "test", label=name))
        yield engine.labels


def labelled(engine: Engine, truth: np.ndarray) -> Engine:
    for _ in label(engine, truth):
        pass
    return engine


def fewest(runs: int, chance: float) -> float:
    """The share below which ``runs`` trials of at least this chance fall once in 1/NOISE times."""
    return float(binom.ppf(NOISE, runs, chance)) / runs


def most(runs: int, chance: float) -> float:
    """The share above which ``runs`` trials of at most this chance rise once in 1/NOISE times."""
    return float(binom.isf(NOISE, runs, chance)) / runs


def standard_errors(errors: np.ndarray) -> float:
    """The mean error in units of its standard error."""
    kept = errors[~np.isnan(errors)]
    return float(kept.mean() / (kept.std(ddof=1) / np.sqrt(len(kept))))


Maker = Callable[..., Known]
