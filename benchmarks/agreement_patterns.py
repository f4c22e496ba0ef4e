"""Labels until several classifiers are known within 5 points, by one design or another.

    python -m benchmarks.agreement_patterns [--quick] [--runs 200] [--only WORD] [--rows FILE]
        [--write]

The files were divided before the first run: what could be chosen was chosen on the first half
(``CHOSEN``); what counts is the second (``SHOWN``). Every method is planned for the promise
"fixed"; its size is the smallest at which the widest of all figures has a half-width of at most 5
points in the mean of ``PILOT`` sessions, up to ``MOST`` labels. Then further sessions of that size.
"Patterns": recalibrated Neyman with all of them. "Default": recalibrated Neyman drawn for the
classifier that recycling suggests as the parent (the majority vote where there is one), the others
read off the same labels, as it was before there were patterns. "Plain": a plain random
sample read by predictions with the same kind of interval, at expected counts of the true rates.

Accuracy, precision, recall and F1 of two, four and eight classifiers are asked together at the
``SIZES``, seed ``FOUR_SEED``: "labels" is the square of the ratio of the widest mean half-widths.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.helpers import table_of
from labelcore.designs import DESIGNS
from labelcore.designs.samples import suggested_params
from labelcore.designs.score_frame import STRATA
from labelcore.errors import PlanError
from labelcore.estimands import SCALARS, ratios
from labelcore.plan.against_file import frozen
from labelcore.stats.profile import Cells, fixed_critical, profile_bounds

GOAL, MOST, LEAST, PILOT, NEAR = 0.05, 4_000, 30, 6, 0.03
PILOT_SEED, SEED, CLAIM_SEED, FOUR_SEED = 17, 18, 19, 20
SIZES, FOUR_SHARE, LARGEST_SHARE = (100, 400), 0.12, 0.6
"""The share of the runs for four figures, and of the items that a size may be at most."""
FOUR_FIGURES = ("accuracy", "precision", "recall", "f1")
PATTERNS, RECYCLING, DEFAULT, PLAIN = "patterns", "recycling", "default", "plain"
ASKED = {"precision": ("precision",), "precision and recall": ("precision", "recall")}
METHODS = {PATTERNS: 1.0, RECYCLING: 0.1, DEFAULT: 0.3}
"""Methods that are simulated, and the share of the runs that each of them gets."""
CLAIM_MOST, CLAIM_SHARE = 2_000, 0.1
LARGE, LARGE_SHARE = 100_000, 0.2
"""For precision and recall of files with more items: this share of the runs."""
EXACT, FAR = 1e-6, 1.05
FOUR = ("lr", "svm", "nb", "vote")


@dataclass(frozen=True)
class Set:
    """Classifiers of a file that are asked about together; a name that ends in "strict" calls half
    as many items positive as the one before it, by the same score."""

    file: str
    classifiers: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.file.split('_')[0]} ({len(self.classifiers)}: {', '.join(self.classifiers)})"

    def population(self, folder: Path) -> lc.Population:
        found = with_strict(table_of(self.file, folder), self.classifiers)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "items.csv"
            found.to_csv(path, index=False)
            return lc.read_population(
                path, id="id", content=["id"],
                scores={one: f"score_{one}" for one in self.classifiers},
                predictions={one: f"pred_{one}" for one in self.classifiers},
            )  # fmt: skip

    def truth(self, folder: Path) -> NDArray[np.bool_]:
        return table_of(self.file, folder)["true_label"].to_numpy() == 1


def with_strict(found: pd.DataFrame, classifiers: tuple[str, ...]) -> pd.DataFrame:
    made = found.copy()
    for name in classifiers:
        if name.endswith(" strict"):
            score = made[f"score_{name.removesuffix(' strict')}"]
            half = int(made[f"pred_{name.removesuffix(' strict')}"].sum()) // 2
            made[f"score_{name}"] = score
            made[f"pred_{name}"] = (score >= score.nlargest(half).iloc[-1]).astype(int)
    return made


CHOSEN = (
    Set("newsgroups_med", FOUR),
    Set("newsgroups_med", ("lr", "nb")),
    Set("newsgroups_med", (*FOUR, "lr strict", "nb strict")),
    Set("news20_binary", ("lr", "svm", "nb")),
    Set("digit 3", ("logistic", "neighbours", "bayes", "vote")),
)
SHOWN = (
    Set("product_pairs", ("gbm", "lr", "title", "vote")),
    Set("product_pairs", ("gbm", "title")),
    Set("product_pairs", ("gbm", "lr", "title", "vote", "lr strict", "title strict")),
    Set("ppdb_pairs", ("model", "cosine")),
    Set("digit 8", ("logistic", "neighbours", "bayes", "vote")),
    Set("digit 8", ("logistic", "neighbours", "bayes")),
    Set("breast cancer", ("logistic", "neighbours", "bayes")),
)
HALVES = {"chosen": CHOSEN, "shown": SHOWN}
TOGETHER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "newsgroups_med": (("lr", "nb"), FOUR),
    "product_pairs": (("gbm", "title"), ("gbm", "lr", "title", "vote")),
    "ppdb_pairs": (("model", "cosine"), ("model", "cosine", "model strict", "cosine strict")),
    "news20_binary": (("lr", "nb"), ("lr", "svm", "nb", "nb strict")),
    "digit 3": (("logistic", "bayes"), ("logistic", "neighbours", "bayes", "vote")),
    "digit 8": (("logistic", "bayes"), ("logistic", "neighbours", "bayes", "vote")),
}
"""Two and four classifiers of each file; eight are the four and a strict one of each."""


def sets_of_four_figures() -> list[Set]:
    return [
        Set(file, names)
        for file, (two, four) in TOGETHER.items()
        for names in (two, four, with_stricter(four))
    ]


def with_stricter(names: tuple[str, ...]) -> tuple[str, ...]:
    """Twice as many: those named, and for each the next stricter one that is not."""
    found = list(names)
    for one in names:
        stricter = f"{one} strict"
        while stricter in found:
            stricter += " strict"
        found.append(stricter)
    return tuple(found)


@lru_cache(maxsize=1)
def read(one: Set, folder: Path) -> tuple[lc.Population, NDArray[np.bool_], str]:
    """The file, its answers, and the classifier that others are read off beside."""
    population = one.population(folder)
    shared = suggested_params(DESIGNS["recycling"], population, one.classifiers)
    return population, one.truth(folder), str(shared["parent"])


def plan_of(
    population: lc.Population,
    one: Set,
    first: str,
    method: str,
    estimands: tuple[str, ...],
    size: int,
    **params: Any,
) -> lc.Plan:
    others = [name for name in one.classifiers if name != first]
    if method == RECYCLING:
        shared = {"parent": first, "children": others, "sample_size": size}
        return lc.Plan("recycling", estimands, params=shared)
    design = "recalibrated_neyman"
    if method == DEFAULT:
        alone = lc.Plan(design, estimands, classifier=first, budget=size, promise="fixed")
        strata = {"n_above": STRATA[0], "n_below": STRATA[1], "helpers": ()}
        params = {**strata, **frozen(population, alone, size).params, **params}
    return lc.Plan(
        design, estimands, classifier=[first, *others], budget=size, promise="fixed", params=params
    )


@dataclass(frozen=True)
class Found:
    """Sessions of one plan: labels, widest half-width, and coverage by figure."""

    labels: float
    widest: float
    coverage: NDArray[np.float64]


def simulated(
    population: lc.Population, plan: lc.Plan, truth: NDArray[np.bool_], runs: int, seed: int
) -> Found:
    rows = lc.simulate(
        population, plan, truth=names_of(population, truth), runs=runs, seed=seed
    ).table()
    rows["half"] = (rows["high"] - rows["low"]) / 2
    by_run = rows.groupby("run")
    return Found(
        float(by_run["labels_used"].max().median()), float(by_run["half"].max().mean()),
        rows.groupby("estimand")["covered"].mean().to_numpy(),
    )  # fmt: skip


def names_of(population: lc.Population, truth: NDArray[np.bool_]) -> NDArray[Any]:
    positive = population.classes.index(population.positive)
    return np.array(population.classes)[np.where(truth, positive, 1 - positive)]


def needed(widest: Callable[[int], float], most: int) -> int:
    """The smallest size at which the mean widest half-width is at most ``GOAL``; ``most`` where
    none is."""
    low, high = LEAST, most
    while high - low > max(1, NEAR * low):
        middle = max(int(np.sqrt(low * high)), low + 1)
        low, high = (low, middle) if widest(middle) <= GOAL else (middle, high)
    return high


def measure(half: str, one: Set, asked: str, folder: Path, runs: int) -> list[Row]:
    """A row for each method that estimates these figures."""
    population, truth, first = read(one, folder)
    estimands, most = ASKED[asked], min(MOST, len(population))
    if len(population) > LARGE and len(estimands) > 1:
        runs = max(round(LARGE_SHARE * runs), 1)
    rows: list[Row] = []
    for method, share in METHODS.items():
        if method == RECYCLING and len(estimands) > 1:
            continue  # Its size for recall has a second parameter.
        plan = partial(plan_of, population, one, first, method, estimands)

        def widest(size: int, plan: Callable[[int], lc.Plan] = plan) -> float:
            try:
                return simulated(population, plan(size), truth, PILOT, PILOT_SEED).widest
            except PlanError:
                return np.inf

        size = needed(widest, most)
        found = simulated(population, plan(size), truth, max(round(share * runs), 1), SEED)
        rows.append({
            "method": method, "labels": found.labels, "widest": found.widest,
            "coverage": found.coverage.mean(), "least": found.coverage.min(),
            "figures": len(found.coverage),
        })  # fmt: skip
    labels = plain_labels(population, truth, one.classifiers, estimands)
    rows.append({"method": PLAIN, "labels": labels, "widest": GOAL})
    return [{"half": half, "set": one.name, "asked": asked, **row} for row in rows]


def measure_four(one: Set, folder: Path, runs: int) -> list[Row]:
    """A row for each size: the widest half-width and the coverage by both."""
    population, truth, first = read(one, folder)
    rows: list[Row] = []
    for size in (size for size in SIZES if size <= LARGEST_SHARE * len(population)):
        row: Row = {"together": one.name, "classifiers": len(one.classifiers), "size": size}
        for method in (DEFAULT, PATTERNS):
            plan = plan_of(population, one, first, method, FOUR_FIGURES, size)
            found = simulated(population, plan, truth, runs, FOUR_SEED)
            row |= {
                f"{method} widest": found.widest, f"{method} least": found.coverage.min(),
                f"{method} coverage": found.coverage.mean(),
            }  # fmt: skip
        rows.append({**row, "figures": len(found.coverage)})
    return rows


def plain_labels(
    population: lc.Population,
    truth: NDArray[np.bool_],
    classifiers: tuple[str, ...],
    estimands: tuple[str, ...],
) -> int:
    """Labels of a plain random sample whose expected counts give the goal; all items where none
    do."""
    rows = [SCALARS[name] for name in estimands]
    sides = [population.predictions[name] == 1 for name in classifiers]

    def widest(labels: int) -> float:
        found = []
        for side in sides:
            size = np.bincount(side, minlength=2).astype(float)
            rate = np.bincount(side, truth, minlength=2) / size
            n = size * labels / size.sum()
            cells = Cells(size, n, n * rate, np.array([False, True]))
            table_of_rows = ratios(rows, cells)
            low, high = profile_bounds(
                cells, table_of_rows, fixed_critical(cells, table_of_rows, 0.95)
            )
            found.append(float((high - low).max()) / 2)
        return max(found)

    return needed(widest, len(truth))


def claims_of(half: str, one: Set, folder: Path, runs: int) -> list[Row]:
    """A row for each claim that the best of the classifiers is better than the worst."""
    population, truth, _ = read(one, folder)
    rows: list[Row] = []
    for name in ("accuracy", "precision"):
        right = {
            c: true_value(name, population.predictions[c] == 1, truth) for c in one.classifiers
        }
        best, worst = max(right, key=right.__getitem__), min(right, key=right.__getitem__)
        others = [own for own in one.classifiers if own not in (best, worst)]
        for design, named in (
            ("paired_comparison", [best, worst]),
            ("recalibrated_neyman", [best, worst]),
            ("recalibrated_neyman", [best, worst, *others]),
        ):
            if len(named) > 2 and not others:
                continue
            claim = f"{name}[{best}] > {name}[{worst}]"
            plan = lc.Plan(
                design, f"{name}_difference", classifier=named, claims=[claim], budget=CLAIM_MOST
            )
            labels = labels_until(population, plan, truth, runs)
            rows.append({
                "half": half, "set": one.name, "claim": claim, "gap": right[best] - right[worst],
                "design": design, "classifiers": len(named), "labels": float(np.median(labels)),
                "ended": float((labels < CLAIM_MOST).mean()),
            })  # fmt: skip
    return rows


def labels_until(
    population: lc.Population, plan: lc.Plan, truth: NDArray[np.bool_], runs: int
) -> NDArray[np.int64]:
    """The labels of each session; a comparison with few disagreements asks all of them first."""
    run = partial(
        lc.simulate, population, truth=names_of(population, truth), runs=runs, seed=CLAIM_SEED
    )
    try:
        found = run(plan=plan).table()
    except PlanError:
        found = run(plan=replace(plan, params={"disagreements": "all"})).table()
    return found.groupby("run")["labels_used"].max().to_numpy()


def true_value(name: str, said: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    return float((said == truth).mean() if name == "accuracy" else truth[said].mean())


def jobs(options: Options) -> dict[str, Job]:
    """Every set of both halves; the first of each with ``--quick``."""
    found: dict[str, Job] = {}
    for half, sets in HALVES.items():
        for one in sets[:1] if options.quick else sets:
            for asked in ASKED:
                name = f"{half} {one.name} {asked}"
                found[name] = partial(measure, half, one, asked, options.data, options.runs)
            runs = max(round(CLAIM_SHARE * options.runs), 1)
            found[f"{half} {one.name} claims"] = partial(claims_of, half, one, options.data, runs)
    runs = max(round(FOUR_SHARE * options.runs), 1)
    several = sets_of_four_figures()
    for one in several[:1] if options.quick else several:
        found[f"together {one.name}"] = partial(measure_four, one, options.data, runs)
    return found


def tables(rows: Rows, options: Options) -> str:
    found = pd.DataFrame(flat(rows))
    parts = []
    if "together" in found:
        four = found[found["together"].notna()]
        parts += ["## Four figures of two, four and eight", together_table(four)]
    for half in ("shown", "chosen") if "half" in found else ():
        part = found[found["half"] == half]
        if not len(part):
            continue
        parts.append(f"## The half that was {half}")
        for asked in ASKED:
            parts += [
                f"Every {asked} within 5 points:",
                figures_table(part[part["asked"] == asked]),
            ]
        parts += ["Claims:", claims_table(part[part["claim"].notna()])]
    return "\n\n".join(parts)


def figures_table(found: pd.DataFrame) -> str:
    """One row per set: labels by each method, and the coverage of patterns and of the default."""
    rows = []
    for name, part in found.groupby("set", sort=False):
        by = part.set_index("method")
        ours, theirs = by.loc[PATTERNS], by.loc[DEFAULT]
        ratio = ours["labels"] * ours["widest"] ** 2 / (theirs["labels"] * theirs["widest"] ** 2)
        rows.append((
            name, *(labels_words(by, method) for method in (*METHODS, PLAIN)),
            f"{ratio:.2f}" if theirs["widest"] > EXACT else "–", *(
                f"{one['coverage']:.3f} / {one['least']:.3f}" for one in (ours, theirs)
            ),
        ))  # fmt: skip
    names = ("file and classifiers", *METHODS, PLAIN, "patterns / default",
             "coverage of patterns, mean / least", "of the default")  # fmt: skip
    return table(names, rows)


def together_table(found: pd.DataFrame) -> str:
    """One row per set and size."""
    rows = []
    for _, row in found.iterrows():
        ends = [f"{100 * row[f'{method} widest']:.1f}" for method in (DEFAULT, PATTERNS)]
        held = [
            f"{row[f'{method} coverage']:.3f} / {row[f'{method} least']:.2f}"
            for method in (DEFAULT, PATTERNS)
        ]
        ratio = (row[f"{PATTERNS} widest"] / row[f"{DEFAULT} widest"]) ** 2
        rows.append((row["together"], f"{row['size']:.0f}", *ends, f"{ratio:.2f}", *held))
    names = ("file and classifiers", "labels", "±, default", "±, patterns", "patterns / default",
             "coverage of the default, mean / least", "of patterns")  # fmt: skip
    return table(names, rows)


def labels_words(by: pd.DataFrame, method: str) -> str:
    """The labels, with the half-width where the goal was not reached."""
    if method not in by.index:
        return "–"
    labels, widest = by.loc[method, "labels"], by.loc[method, "widest"]
    far = f" (± {100 * widest:.1f})" if widest > FAR * GOAL else ""
    return f"{labels:,.0f}{far}"


def claims_table(found: pd.DataFrame) -> str:
    rows = []
    for (name, claim), part in found.groupby(["set", "claim"], sort=False):
        said = [
            f"{row['labels']:,.0f} ({row['ended']:.0%})".replace("%", " %")
            for _, row in part.iterrows()
        ]
        gap = f"{100 * part['gap'].iloc[0]:.1f}"
        rows.append((name, claim, gap, *said, *([""] * (3 - len(said)))))
    names = ("file and classifiers", "claim", "points apart", "paired comparison",
             "patterns of the two", "patterns of all")  # fmt: skip
    return table(names, rows)


BENCHMARK = Benchmark(
    name="agreement_patterns", about=str(__doc__), jobs=jobs, tables=tables, runs=200,
    quick_runs=10, page="agreement_patterns.md",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
