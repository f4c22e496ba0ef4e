"""Claims: how many labels until one is decided, and how often a false one is certified.

    python -m benchmarks.claims [--quick] [--runs 15] [--write]

Part one: sessions of up to 3,000 labels are answered by the known labels, one claim each, with the
claim's estimand as the focus of the allocation. Evidence is read on a grid of looks that grows by 4
%; a claim is decided when it reaches 20 (alpha = .05). Part two: claims exactly at their boundary,
so that certifying them is an error, read after every label; beside the evidence the lower end of
the fixed-size interval, watched. Part three: ``benchmarks.compared_claims``. Seeds: run r of part
one uses (21, r), of part two (22, r); the synthetic populations use 5.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import labelcore as lc
from benchmarks.compared_claims import DESIGNS as COMPARED
from benchmarks.compared_claims import GAPS, WHERE_FALSE, compared, section
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, frame_table
from benchmarks.real_files import FILES
from labelcore.designs.base import Look, Progress
from labelcore.estimands import SCALARS, ratios
from labelcore.log.engine import Engine
from labelcore.planning.truth import true_codes
from labelcore.stats.evidence import Linear, log_evidence_at
from labelcore.stats.predictives import IndependentBeta, Predictive, ShiftedScores
from labelcore.stats.profile import Cells

ALPHA, BUDGET, FIRST = 0.05, 3000, 20
DECIDED_SEED, BOUNDARY_SEED, POPULATION_SEED = 21, 22, 5
BOUNDARY_LABELS, NAIVE_EVERY = 1000, 10
PREDICTIVES: dict[str, Predictive] = {"shifted": ShiftedScores(), "uniform": IndependentBeta()}
CLAIMS = ("precision", "recall", "f1", "accuracy")


def neyman(above: int, below: int, floor: float) -> tuple[str, dict[str, Any]]:
    return "recalibrated_neyman", {"n_above": above, "n_below": below, "floor": floor}


DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "simple random": ("simple_random", {}),
    "1 / 1, floor .2": neyman(1, 1, 0.2),
    "1 / 1, floor .5": neyman(1, 1, 0.5),
    "1 / 3, floor .2": neyman(1, 3, 0.2),
    "1 / 3, floor .5": neyman(1, 3, 0.5),
    "1 / 4, floor .5": neyman(1, 4, 0.5),
    "2 / 3, floor .5": neyman(2, 3, 0.5),
    "6 / 12, floor .2": neyman(6, 12, 0.2),
}


@dataclass(frozen=True)
class Source:
    """Where items come from: a real file, or made with this precision, recall and score."""

    name: str
    classifiers: tuple[str, ...]
    precision: float = 0.0
    recall: float = 0.0
    score: str = ""
    predicted: int = 2000

    def load(self, folder: Path) -> tuple[lc.Population, np.ndarray]:
        if not self.score:
            file = next(one for one in FILES if one.name.startswith(self.name))
            population = replace(file, classifiers=self.classifiers).population(folder)
            positive = population.classes.index(population.positive)
            return population, (true_codes(population, "true_label") == positive).astype(float)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "items.csv"
            made = synthetic(self)
            made.to_csv(path, index=False)
            population = lc.read_population(
                path, id="id", content=["text"], scores={"a": "score"}, predictions={"a": "pred"}
            )
        return population, made["truth"].to_numpy(float)

    @property
    def title(self) -> str:
        return self.name if self.score else f"{self.name} {' > '.join(self.classifiers)}"


SYNTHETIC = (
    Source("synthetic .93 / .85, good scores", ("a",), 0.93, 0.85, "good"),
    Source("synthetic .95 / .90, good scores", ("a",), 0.95, 0.90, "good"),
    Source("synthetic .95 / .90, overconfident", ("a",), 0.95, 0.90, "overconfident"),
    Source("synthetic .95 / .90, noise", ("a",), 0.95, 0.90, "noise"),
)
EVEN = (Source("synthetic, even classes, good scores", ("a",), 0.93, 0.896, "good", 8000),)
REAL = (Source("newsgroups", ("lr",)), Source("ppdb", ("model",)))
PAIRS = (
    Source("newsgroups", ("vote", "nb")),
    Source("ppdb", ("model", "cosine")),
    Source("product", ("lr", "title")),
)
GOALS = {"precision": (0.9, 0.06), "recall": (0.8, 0.12), "accuracy": (0.9, 0.05)}
BELOW_TRUTH = {"precision": 0.05, "recall": 0.08, "f1": 0.06}


def synthetic(source: Source) -> pd.DataFrame:
    """20,000 items with exactly the numbers of true and missed positives that are asked for."""
    random = np.random.default_rng(POPULATION_SEED)
    predicted, precision = source.predicted, source.precision
    above = np.sort(random.beta(6 * precision, 6 * (1 - precision), predicted))[::-1]
    below = 0.5 * np.exp(-np.linspace(0, 12, 20_000 - predicted))
    hits = round(precision * predicted)
    missed = round(hits / source.recall) - hits
    chance = np.clip(np.concatenate([above, below]), 1e-5, 1 - 1e-4)
    rank = logit(chance) + random.logistic(size=len(chance))
    truth = np.zeros(len(chance), dtype=int)
    truth[np.argsort(-rank[:predicted])[:hits]] = 1
    truth[predicted + np.argsort(-rank[predicted:])[:missed]] = 1
    called = np.arange(len(chance)) < predicted
    shown = np.where(called, np.maximum(chance, 0.5), np.minimum(chance, 0.499))
    if source.score == "overconfident":
        shown = expit(2 * logit(shown))
    elif source.score == "noise":
        shown = random.random(len(chance)) / 2 + 0.5 * called
    ids = [f"item {place}" for place in range(len(chance))]
    columns = {"id": ids, "text": "-", "score": shown, "pred": called.astype(int), "truth": truth}
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class Setting:
    """A claim on a population under a design, ready to be simulated."""

    engine: Engine
    truth: np.ndarray
    cell_of: np.ndarray
    size: np.ndarray
    predicted: np.ndarray
    rates: np.ndarray
    claim: Linear
    estimand: str
    goal: float


def prepare(
    population: lc.Population, truth: np.ndarray, design: str, estimand: str, gap: float | None
) -> tuple[Setting, str]:
    """``gap`` 0: at the boundary; None: the goals of part one. Two classifiers: A > B."""
    name, params = DESIGNS[design]
    params = {**params, "focus": estimand} if params else {}
    first = population.classifiers[0]
    plan = lc.Plan(name, (estimand,), classifier=first, budget=BUDGET, promise="fixed",
                   params=params).with_planned(BUDGET)  # fmt: skip
    engine = Engine(population, plan)
    scores = np.mean([population.scores[one] for one in population.classifiers], axis=0)
    codes = [population.predictions[one] == population.classes.index(population.positive)
             for one in population.classifiers]  # fmt: skip
    code = sum(part.astype(np.int64) << place for place, part in enumerate(codes))
    present, cell_of = np.unique(engine.frame.stratum * 4 + code, return_inverse=True)
    size = np.bincount(cell_of).astype(float)
    cells = Cells(size, size, np.bincount(cell_of, truth), present % 2 == 1)
    rates = np.clip(np.bincount(cell_of, scores) / size, 1e-5, 1 - 1e-5)
    table = ratios([SCALARS[estimand]], cells)
    value = float(table.value(cells.positive)[0])
    goal = goal_of(value, estimand) if gap is None else value - gap
    if len(codes) == 2:
        other = ratios([SCALARS[estimand]], replace(cells, predicted=present % 4 >= 2))
        claim = Linear(float(table.a0[0] - other.a0[0]), table.a[0] - other.a[0])
        said = "accuracy A > B"
    else:
        claim = Linear(float(table.a0[0] - goal * table.b0[0]), table.a[0] - goal * table.b[0])
        said = f"{estimand} >= {goal:.3f} (is {value:.3f})"
    setting = Setting(engine, truth, cell_of, size, cells.predicted, rates, claim, estimand, goal)
    return setting, said


def goal_of(value: float, estimand: str) -> float:
    """The usual goal where the true value is above it by little, else one near the value."""
    goal, reach = GOALS.get(estimand, (1.0, 0.0))
    if 0 < value - goal < reach:
        return goal
    return value - BELOW_TRUTH.get(estimand, 0.4 * (1 - value))


def draws(setting: Setting, random: np.random.Generator, labels: int) -> np.ndarray:
    """The items of one session in the order asked, (labels,)."""
    engine, frame = setting.engine, setting.engine.frame
    order = [
        random.permutation(frame.queue[first : first + size])
        for first, size in zip(frame.start, frame.sizes, strict=True)
    ]
    drawn = np.zeros(frame.n_strata, dtype=np.int64)
    positive = np.zeros(frame.n_strata)
    asked: list[np.ndarray] = []
    limit = min(labels, engine.limit)
    while drawn.sum() < limit:
        state = Progress(drawn, drawn.astype(float), positive, limit)
        counts = engine.design.allocate(engine.setup, frame, state)  # type: ignore[attr-defined]
        batch = np.concatenate(
            [one[a : a + b] for one, a, b in zip(order, drawn, counts, strict=True)]
        )
        asked.append(random.permutation(batch))
        drawn = drawn + counts
        positive = positive + np.bincount(
            frame.stratum[batch], setting.truth[batch], minlength=frame.n_strata
        )
    return np.concatenate(asked)[:limit]


def counts_at(
    setting: Setting, items: np.ndarray, looks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Labelled and positive of each cell after each number of labels, (n_looks, n_cells)."""
    labelled = np.zeros((len(looks), len(setting.size)))
    positive = np.zeros_like(labelled)
    for row, (start, end) in enumerate(pairwise([0, *looks])):
        part = items[start:end]
        labelled[row] = np.bincount(setting.cell_of[part], minlength=len(setting.size))
        positive[row] = np.bincount(
            setting.cell_of[part], setting.truth[part], minlength=len(setting.size)
        )
    return labelled.cumsum(axis=0), positive.cumsum(axis=0)


def evidence(
    setting: Setting, labelled: np.ndarray, positive: np.ndarray, predictive: Predictive
) -> np.ndarray:
    return log_evidence_at(
        setting.size, labelled, positive, setting.claim, setting.rates, predictive
    )


def decisions(folder: Path, source: Source, design: str, estimand: str, runs: int) -> list[Row]:
    """Part one for one source, design and estimand: a row for each predictive."""
    population, truth = source.load(folder)
    setting, said = prepare(population, truth, design, estimand, None)
    most = min(BUDGET, setting.engine.limit)
    looks = np.unique(np.ceil(np.geomspace(FIRST, most, 128)).astype(int))
    first: dict[str, list[float]] = {name: [] for name in PREDICTIVES}
    for run in range(runs):
        items = draws(setting, np.random.default_rng((DECIDED_SEED, run)), most)
        labelled, positive = counts_at(setting, items, looks)
        for name, predictive in PREDICTIVES.items():
            reached = evidence(setting, labelled, positive, predictive) >= -np.log(ALPHA)
            first[name].append(float(looks[np.argmax(reached)]) if reached.any() else np.inf)
    return [
        {"population": source.title, "claim": said, "strata": design, "predictive": name,
         "median labels": float(np.median(values)),
         "decided": float(np.mean(np.isfinite(values)))}
        for name, values in first.items()
    ]  # fmt: skip


def boundary(folder: Path, design: str, estimand: str, runs: int) -> list[Row]:
    """Part two: the shares of sessions that ever certify, by evidence and by the interval."""
    source = Source("boundary", ("a",), 0.9, 0.8, "good")
    population, truth = source.load(folder)
    setting, said = prepare(population, truth, design, estimand, 0.0)
    looks = np.arange(FIRST, BOUNDARY_LABELS + 1)
    wrong = np.zeros((runs, 2))
    for run in range(runs):
        items = draws(setting, np.random.default_rng((BOUNDARY_SEED, run)), BOUNDARY_LABELS)
        labelled, positive = counts_at(setting, items, looks)
        found = evidence(setting, labelled, positive, PREDICTIVES["shifted"])
        wrong[run, 0] = found.max() >= -np.log(ALPHA)
        lows = fixed_bounds(setting, labelled, positive)
        wrong[run, 1] = any(low > setting.goal + 1e-12 for low in lows)
    shares = wrong.mean(axis=0)
    row = {
        "claim, exactly true": said, "strata": design, "certified by evidence": shares[0],
        "certified by the interval": shares[1],
        "noise of .05": float(np.sqrt(0.05 * 0.95 / runs)),
    }  # fmt: skip
    return [row]


def fixed_bounds(setting: Setting, labelled: np.ndarray, positive: np.ndarray) -> Iterator[float]:
    """The lower end of the fixed-size 90 % interval at every tenth look from 100 labels on."""
    for place in range(100 - FIRST, len(labelled), NAIVE_EVERY):
        n, s, seen = labelled[place], positive[place], int(labelled[place].sum())
        look = Look(0.9, "fixed", seen, seen, "file", setting.engine.frame.n_strata, seen)
        cells = Cells(setting.size, n, s, setting.predicted)
        row = SCALARS[setting.estimand]
        yield float(setting.engine.design.estimate([row], cells, look, None).low[0])


def by_predictive(frame: pd.DataFrame) -> pd.DataFrame:
    """A column of median labels (share decided) for each predictive."""
    cell = [
        f"{'over ' + format(BUDGET, ',') if np.isinf(median) else format(median, ',.0f')} "
        f"({share:.0%})"
        for median, share in zip(frame["median labels"], frame["decided"], strict=True)
    ]
    keys = ["population", "claim", "strata"]
    wide = frame.assign(cell=cell).pivot_table(
        index=keys, columns="predictive", values="cell", aggfunc="first", sort=False
    )
    return wide[list(PREDICTIVES)].reset_index()


def summary(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The share decided and the geometric mean of median labels, at most the budget."""
    labels = frame["median labels"].clip(upper=BUDGET)
    rows = frame.assign(log=np.log(labels)).groupby(column, sort=False)
    found = rows.agg(decided=("decided", "mean"), log=("log", "mean")).reset_index()
    found["mean of median labels"] = np.exp(found.pop("log"))
    return found.rename(columns={"decided": "share decided"})


DECIDED, FALSE, THREE = "decided", "false", "three classes"


def jobs(options: Options) -> dict[str, Job]:
    folder, runs = options.data, options.runs
    found: dict[str, Job] = {}
    for sources, estimands in ((SYNTHETIC + REAL, CLAIMS), (EVEN + PAIRS, ("accuracy",))):
        for source in sources:
            for estimand in estimands:
                for design in DESIGNS:
                    job = partial(decisions, folder, source, design, estimand, runs)
                    found[f"{DECIDED}: {source.title}, {estimand}, {design}"] = job
    for design in ("simple random", "1 / 1, floor .2", "1 / 3, floor .5"):
        for estimand in ("precision", "recall", "accuracy"):
            job = partial(boundary, folder, design, estimand, 6 * runs)
            found[f"{FALSE}: {estimand}, {design}"] = job
    for gap in GAPS:
        for design in COMPARED:
            sessions = runs_compared(options) * (1 if gap else WHERE_FALSE)
            found[f"{THREE}: {gap:g}, {design}"] = partial(compared, gap, design, sessions)
    return found


def runs_compared(options: Options) -> int:
    return options.runs * 4 // 3


def tables(rows: Rows, options: Options) -> str:
    parts = {
        kind: [row for name, part in rows.items() if name.startswith(kind) for row in part]
        for kind in (DECIDED, FALSE, THREE)
    }
    decided, wrong = pd.DataFrame(parts[DECIDED]), pd.DataFrame(parts[FALSE])
    digits = {"share decided": 2, "mean of median labels": 0}
    ours = decided[decided["predictive"] == "shifted"]
    small = decided[decided["strata"] != "6 / 12, floor .2"]
    return "\n".join(
        [
            f"{options.runs} sessions for each row of part one, {6 * options.runs} for each of the "
            "false claims.\n",
            "## Strata, with the predictive `shifted`\n",
            frame_table(summary(ours, "strata"), digits),
            "## Predictives, over the designs with few strata\n",
            frame_table(summary(small, "predictive"), digits),
            "## False certification, read after every label\n",
            frame_table(wrong, dict.fromkeys(wrong.columns[2:], 3)),
            "## Every claim: median labels to the decision (share decided)\n",
            frame_table(by_predictive(decided), {}),
            section(parts[THREE], runs_compared(options)),
        ]
    )


HEAD = f"""# Claims: labels to a decision, and false certification

{MADE}

One claim a session, at most 3,000 labels, alpha .05; the strata are those above / below the
threshold of `recalibrated_neyman`, whose allocation has the claim's estimand as its focus. The mean
over claims is geometric and of medians, 3,000 where the median session did not decide. "shifted" is
`ShiftedScores`, the recommended predictive, "uniform" `IndependentBeta`. In the part on false
certification the claim is exactly at its boundary, so that certifying it is an error; "interval" is
the lower end of the fixed-size 90 % interval (5 % on this side) watched at every tenth label from
100 labels on. With few strata claims need fewest labels. A plan with claims takes 1 / 4, floor .5,
by itself: a watched interval beside the claim needs five strata. A plan that is about one claim
alone may ask for fewer.

Approximate claims, settled by the one-sided watched region instead, are beside these in
[likely_claims.md](likely_claims.md).

"""


BENCHMARK = Benchmark(
    name="claims", about=__doc__, jobs=jobs, tables=tables, runs=15, quick_runs=1,
    page="claims.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
