"""Differences of classifiers, of groups and of each group from the rest, all of them at once.

    python -m benchmarks.differences [--quick] [--runs 200] [--only WORD] [--rows FILE] [--write]

Sessions are answered by the known labels and looked at once, at their planned size. "All right":
the share of sessions in which every difference of accuracy holds the true one. "Wrong ahead": in
which any is told to be ahead that is not. "Decided": the share of pairs of which one is told to be
ahead; "half": the mean half-width in points. "Table all right": every cell of ``Session.table`` of
the same labels, first guesses too, with ``together``; "each right": a cell by itself, without it,
in the mean. The true values are counted here, by other code.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import FILES
from benchmarks.sessions import Prepared
from labelcore.figures.current import results
from labelcore.figures.differences import REST, differences
from labelcore.figures.tables import figure_table
from labelcore.planning.forecast import kept_plan
from labelcore.results.cells import Table
from labelcore.stats.arrays import IntArray

SEED, LABELS, NEAR = 13, (100, 300), 1e-9
ASKED = ("accuracy", "precision", "recall", "f1")
FOUR = {
    "newsgroups_med": ("lr", "svm", "nb", "vote"),
    "product_pairs": ("gbm", "lr", "title", "vote"),
    "ppdb_pairs": ("model", "cosine", "model strict", "cosine strict"),
}
"""Four classifiers of each file; eight are these and a stricter one of each."""
GROUPS_SEED, WORTH = 11, 0.9
SHARES = 0.40, 0.25, 0.12, 0.08, 0.06, 0.05, 0.03, 0.01
Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Set:
    """Classifiers of a file; one called "strict" calls half as many items positive as the one that
    it is named after, by the same score."""

    file: str
    classifiers: tuple[str, ...]

    def read(self, folder: Path) -> tuple[lc.Population, Truth]:
        path = next(folder.glob(f"{self.file}.*"))
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        for name in self.classifiers:
            if name.endswith(" strict"):
                before = name.removesuffix(" strict")
                score, half = table[f"score_{before}"], int(table[f"pred_{before}"].sum()) // 2
                table[f"score_{name}"] = score
                table[f"pred_{name}"] = (score >= score.nlargest(half).iloc[-1]).astype(int)
        table["id"] = table["id"].astype(str)
        population = lc.read_population(
            table, id="id", content="id",
            scores={one: f"score_{one}" for one in self.classifiers},
            predictions={one: f"pred_{one}" for one in self.classifiers},
        )  # fmt: skip
        return population, table["true_label"].to_numpy() == 1


def with_stricter(names: tuple[str, ...]) -> tuple[str, ...]:
    """Twice as many: those named, and for each the next stricter one that is not."""
    found = list(names)
    for one in names:
        stricter = f"{one} strict"
        while stricter in found:
            stricter += " strict"
        found.append(stricter)
    return tuple(found)


@dataclass(frozen=True)
class Groups:
    """A file and a column of groups; ``classifier`` is the one that is asked about."""

    file: str = ""
    classifier: str = "m"

    def population(self, folder: Path) -> tuple[lc.Population, IntArray]:
        frame = self._read(folder) if self.file else self._made()
        population = lc.read_population(
            frame, id="id", content="id", scores={"m": "score"}, predictions={"m": "call"},
            groups=("group",),
        )  # fmt: skip
        return population, frame["truth"].to_numpy().astype(np.int64)

    def _read(self, folder: Path) -> pd.DataFrame:
        """A file whose items are in four groups by the length of their texts, as many in each."""
        (file,) = (one for one in FILES if one.name == self.file)
        found = pd.read_csv(folder / self.file)
        length = (
            found[list(file.content)].astype(str).apply(lambda text: text.str.len()).sum(axis=1)
        )
        quarter = pd.qcut(
            length.rank(method="first"), 4, labels=["short", "second", "third", "long"]
        )
        own = self.classifier
        return pd.DataFrame(
            {"id": found["id"].astype(str), "score": found[f"score_{own}"],
             "call": found[f"pred_{own}"], "group": quarter.astype(str),
             "truth": found["true_label"]}
        )  # fmt: skip

    def _made(self) -> pd.DataFrame:
        """20,000 items in eight groups of 40 to 1 %, each with another rate of positives, and with
        scores that are off by a shift of its own."""
        random, items = np.random.default_rng([GROUPS_SEED, 90]), 20_000
        sizes = (np.array(SHARES) * items).astype(int)
        group = np.repeat(np.arange(len(sizes)), sizes)
        logit = random.uniform(-1.5, 0.0, len(sizes))[group] + random.normal(0, 2.4, items)
        truth = random.random(items) < 1 / (1 + np.exp(-logit))
        shift = random.normal(0, 0.5, len(sizes))[group]
        score = 1 / (1 + np.exp(-(WORTH * logit + shift + random.normal(0, 1 - WORTH, items))))
        return pd.DataFrame(
            {"id": np.arange(items).astype(str), "score": score, "call": (score >= 0.5).astype(int),
             "group": [f"g{one}" for one in group], "truth": truth.astype(int)}
        )  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """A file whose rows are compared: classifiers, or groups, with each other or with the rest."""

    name: str
    source: Set | Groups
    rest: bool = False

    @property
    def by(self) -> tuple[str, ...]:
        return ("group",) if isinstance(self.source, Groups) else ()

    def read(self, folder: Path) -> tuple[lc.Population, Truth]:
        if isinstance(self.source, Groups):
            population, codes = self.source.population(folder)
            return population, codes == 1
        return self.source.read(folder)

    def plan(self, population: lc.Population, labels: int) -> lc.Plan:
        names = list(population.classifiers)
        asked = "accuracy" if self.by else ASKED
        return lc.Plan(
            "recalibrated_neyman", asked, classifier=names, budget=labels, promise="fixed",
            **({"by": "group"} if self.by else {}),
        )  # fmt: skip


def true_value(figure: str, called: Truth, truth: Truth) -> float:
    """A figure of all these items, by counting; NaN for nothing of nothing."""
    both, said, there = (called & truth).sum(), called.sum(), truth.sum()
    above, below = {
        "accuracy": ((called == truth).sum(), len(truth)),
        "precision": (both, said),
        "recall": (both, there),
        "f1": (2 * both, said + there),
    }[figure]
    return float(above / below) if below else np.nan


def measure(compared: Compared, labels: int, folder: Path, runs: int) -> list[Row]:
    population, truth = compared.read(folder)
    positive = population.classes.index(population.positive)
    called = {name: population.predictions[name] == positive for name in population.classifiers}
    plan = kept_plan(population, compared.plan(population, labels))
    prepared = Prepared(population, plan, truth.astype(np.int64))
    groups = prepared.engine.setup.groups
    names = () if groups is None else groups.names
    inside = {name: groups.codes == place for place, name in enumerate(names) if groups}
    random, first = np.random.default_rng([SEED, labels]), next(iter(called))
    everything = np.ones(len(truth), dtype=bool)

    def value(row: str, other: str) -> float:
        if not compared.by:
            return true_value("accuracy", called[row], truth)
        mine = ~inside[other] if row == REST else inside[row]
        return true_value("accuracy", called[first][mine], truth[mine])

    def holds(table: Table) -> list[bool]:
        right = []
        for cell in table.cells:
            name, group = cell.row
            mine = everything if group is None else inside[group]
            true = true_value(cell.figure, called[str(name)][mine], truth[mine])
            found = cell.estimate
            right.append(np.isnan(true) or found.low - NEAR <= true <= found.high + NEAR)
        return right

    counts: list[Row] = []
    for _ in range(runs):
        session = prepared.session(random)
        session.go_to(labels)
        engine = session.engine
        pairs = differences(engine, compared.by, "accuracy", rest=compared.rest)
        less = np.array(
            [value(a, b) - value(b, a) for a, b in zip(pairs["a"], pairs["b"], strict=True)]
        )
        known = pairs["low"].notna().to_numpy()
        inner = (pairs["low"] - NEAR <= less) & (less <= pairs["high"] + NEAR)
        ahead = np.where(pairs["ahead"] == pairs["a"], 1, np.where(pairs["ahead"] != "", -1, 0))
        told = results(engine)
        each, together = (
            holds(figure_table(engine, told, compared.by, together=at_once))
            for at_once in (False, True)
        )
        counts.append(
            {"all right": bool(inner[known].all()), "wrong ahead": bool((ahead * less < 0).any()),
             "decided": float((ahead != 0).mean()),
             "half": float((pairs["high"] - pairs["low"]).mean() * 50),
             "each right": float(np.mean(each)), "table all right": bool(np.all(together)),
             "pairs": len(pairs), "cells": len(each)}
        )  # fmt: skip
    mean = pd.DataFrame(counts).astype(float).mean().to_dict()
    return [{"rows": compared.name, "labels": labels, **mean}]


def _cases() -> list[Compared]:
    found = []
    for file, four in FOUR.items():
        found.append(Compared(f"{file}, 4", Set(file, four)))
        found.append(Compared(f"{file}, 8", Set(file, with_stricter(four))))
    made = Groups()
    lengths = Groups("newsgroups_med.csv.gz", "lr")
    found += [Compared("8 groups", made), Compared("8 groups, the rest", made, rest=True)]
    found += [Compared("4 lengths", lengths), Compared("4 lengths, the rest", lengths, rest=True)]
    return found


CASES = _cases()
DIGITS = {"all right": 3, "wrong ahead": 3, "decided": 2, "half": 1, "each right": 3,
          "table all right": 3, "pairs": 0, "cells": 0}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    return frame_table(pd.DataFrame(flat(rows)), DIGITS)


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{one.name}, {labels}": partial(measure, one, labels, options.data, options.runs)
        for one in CASES
        for labels in LABELS
    }


BENCHMARK = Benchmark(
    name="differences", about=__doc__, jobs=jobs, tables=tables, runs=200, quick_runs=4,
    page="differences.md", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
