"""Figures of groups: as they fall out, with labels of their own, and a project for each.

    python -m benchmarks.groups [--quick] [--runs 200] [--only WORD] [--rows FILE] [--write]

Sessions are answered by the known labels, with the draws of the same seeds for every way. "None":
the default without groups, its labels cut by group afterwards (``Session.table``). "By": the same
with ``by``. "Projects": a default project for each group, with an equal part of the labels.
"Watched": ``by``, seen after every tenth label, wrong if an interval was at any of them.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import FILES
from benchmarks.sessions import Prepared, Shown, see
from labelcore.figures.current import results
from labelcore.figures.tables import figure_table
from labelcore.planning.forecast import kept_plan
from labelcore.stats.arrays import BoolArray, FloatArray, IntArray

SEED, ASKED = 11, ("accuracy", "precision", "recall")
SHARES = (0.40, 0.25, 0.12, 0.08, 0.06, 0.05, 0.03, 0.01)
NONE, BY, PROJECTS, WATCHED = "none", "by", "projects", "watched"


@dataclass(frozen=True)
class Case:
    """A file and a column of groups; ``classifier`` is the one that is asked about."""

    name: str
    file: str = ""
    classifier: str = "m"
    worth: float = 0.9

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
        read = pd.read_parquet if self.file.endswith("parquet") else pd.read_csv
        found = read(folder / self.file)
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
        random, items = np.random.default_rng([SEED, int(100 * self.worth)]), 20_000
        sizes = (np.array(SHARES) * items).astype(int)
        group = np.repeat(np.arange(len(sizes)), sizes)
        logit = random.uniform(-1.5, 0.0, len(sizes))[group] + random.normal(0, 2.4, items)
        truth = random.random(items) < 1 / (1 + np.exp(-logit))
        shift = random.normal(0, 0.5, len(sizes))[group]
        score = 1 / (
            1 + np.exp(-(self.worth * logit + shift + random.normal(0, 1 - self.worth, items)))
        )
        return pd.DataFrame(
            {"id": np.arange(items).astype(str), "score": score, "call": (score >= 0.5).astype(int),
             "group": [f"g{one}" for one in group], "truth": truth.astype(int)}
        )  # fmt: skip


CASES = (
    Case("made, .9"),
    Case("made, .7", worth=0.7),
    Case("newsgroups lr", "newsgroups_med.csv.gz", "lr"),
    Case("products gbm", "product_pairs.parquet", "gbm"),
)
SIZES = (400, 1_000)


def measure(case: Case, labels: int, folder: Path, runs: int) -> list[Row]:
    """A row for each way, estimand and group; the group "" is all items."""
    population, codes = case.population(folder)
    ways = {NONE: _guessed, BY: _asked, PROJECTS: _projects}
    found = [
        {"case": case.name, "labels": labels, "way": name, **row}
        for name, way in ways.items()
        for row in _rows(*way(population, codes, labels, runs))
    ]
    return found + [
        {"case": case.name, "labels": labels, "way": WATCHED, **row}
        for row in _watched(population, codes, labels, max(runs // 2, 1))
    ]


def _plan(labels: int, **values: object) -> lc.Plan:
    given = {"budget": labels, "promise": "fixed", **values}
    return lc.Plan("recalibrated_neyman", ASKED, **given)  # type: ignore[arg-type]


def _prepared(population: lc.Population, plan: lc.Plan, codes: IntArray) -> Prepared:
    return Prepared(population, kept_plan(population, plan), codes)


Ends = tuple[list[str], FloatArray, FloatArray, FloatArray]
"""Keys, their truth (n_keys,), and the ends of runs, (n_runs, n_keys) each."""


def _asked(population: lc.Population, codes: IntArray, labels: int, runs: int) -> Ends:
    prepared = _prepared(population, _plan(labels, by="group"), codes)
    shown = _see(prepared, labels, runs)
    truth = np.array([*prepared.truth().values()])
    return prepared.keys, truth, shown.low[:, -1], shown.high[:, -1]


def _guessed(population: lc.Population, codes: IntArray, labels: int, runs: int) -> Ends:
    prepared = _prepared(population, _plan(labels), codes)
    random, found = np.random.default_rng([SEED, 0]), []
    truth: dict[str, float] = {}
    for _ in range(runs):
        session = prepared.session(random)
        session.go_to(labels)
        engine = session.engine
        table = figure_table(engine, results(engine), ("group",))
        cells = [one for one in table.cells if one.figure in ASKED]
        found.append({one.estimate.estimand: one.estimate for one in cells})
    grouped = _prepared(population, _plan(labels, by="group"), codes)
    truth = grouped.truth()
    keys = [key for key in truth if key in found[0]]
    low = np.array([[run[key].low for key in keys] for run in found])
    high = np.array([[run[key].high for key in keys] for run in found])
    return keys, np.array([truth[key] for key in keys]), low, high


def _projects(population: lc.Population, codes: IntArray, labels: int, runs: int) -> Ends:
    group = population.groups["group"]
    keys, truth, low, high = [], [], [], []
    for place, name in enumerate(group.names):
        mine = np.flatnonzero(group.codes == place)
        part = population.part(mine)
        own = max(min(labels // len(group.names), len(mine)), 4)
        prepared = _prepared(part, _plan(own), codes[mine])
        shown = _see(prepared, own, runs)
        keys += [f"{key}[group={name}]" for key in prepared.keys]
        truth += [*prepared.truth().values()]
        low.append(shown.low[:, -1])
        high.append(shown.high[:, -1])
    return keys, np.array(truth), np.concatenate(low, axis=1), np.concatenate(high, axis=1)


def _see(prepared: Prepared, labels: int, runs: int) -> Shown:
    random = np.random.default_rng([SEED, 0])
    return see([prepared.session(random) for _ in range(runs)], [labels])


def _rows(keys: list[str], truth: FloatArray, low: FloatArray, high: FloatArray) -> list[Row]:
    right = _right(truth, low, high)
    rows = []
    for place, key in enumerate(keys):
        name, _, group = key.partition("[group=")
        half = float((high[:, place] - low[:, place]).mean() / 2)
        rows.append({"estimand": name, "group": group.rstrip("]"), "half": half,
                     "right": float(right[:, place].mean())})  # fmt: skip
    for name in ASKED:
        mine = [at for at, key in enumerate(keys) if key.startswith(f"{name}[group=")]
        rows.append({"estimand": name, "group": "every group", "half": np.nan,
                     "right": float(right[:, mine].all(axis=1).mean())})  # fmt: skip
    return rows


def _right(truth: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    """Whether intervals hold the truth; one that does not exist is not asked for."""
    return np.isnan(truth) | ((low <= truth + 1e-9) & (truth <= high + 1e-9))


def _watched(population: lc.Population, codes: IntArray, labels: int, runs: int) -> list[Row]:
    prepared = _prepared(population, _plan(labels, by="group", promise="watched"), codes)
    random, looks = np.random.default_rng([SEED, 1]), [*range(10, labels + 1, 10)]
    shown = see([prepared.session(random) for _ in range(runs)], looks)
    truth = np.array([*prepared.truth().values()])
    wrong = shown.interval & ~_right(truth, shown.low, shown.high)
    return [
        {"estimand": key.partition("[group=")[0], "group": key.partition("[group=")[2].rstrip("]"),
         "half": float((shown.high - shown.low)[:, -1, place].mean() / 2),
         "right": 1 - float(wrong[:, :, place].any(axis=1).mean())}
        for place, key in enumerate(prepared.keys)
    ]  # fmt: skip


DIGITS = {
    "all items": 3,
    "worst group": 3,
    "times none": 2,
    "right": 3,
    "least": 3,
    "every group": 3,
}


def tables(rows: Rows, options: Options) -> str:
    frame = pd.DataFrame(flat(rows))
    lines = []
    for labels, part in frame.groupby("labels"):
        lines += [f"## {labels:,} labels", "", frame_table(_summary(part), DIGITS), ""]
    return "\n".join(lines)


def _summary(part: pd.DataFrame) -> pd.DataFrame:
    """A row for each case, estimand and way."""
    rows = []
    for (case, estimand), mine in part.groupby(["case", "estimand"], sort=False):
        all_items = mine[mine["group"] == ""].set_index("way")["half"]
        for way, of_way in mine.groupby("way", sort=False):
            groups = of_way[~of_way["group"].isin(["", "every group"])]
            every = of_way[of_way["group"] == "every group"]["right"]
            whole = float(all_items.get(way, np.nan))
            rows.append(
                {"case": case, "estimand": estimand, "way": way, "all items": whole,
                 "times none": whole / float(all_items.get(NONE, np.nan)),
                 "worst group": groups["half"].max(), "right": groups["right"].mean(),
                 "least": groups["right"].min(),
                 "every group": float(every.iloc[0]) if len(every) else np.nan}
            )  # fmt: skip
    return pd.DataFrame(rows)


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{case.name}, {labels}": partial(measure, case, labels, options.data, options.runs)
        for case in CASES
        for labels in SIZES
    }


BENCHMARK = Benchmark(
    name="groups", about=__doc__, jobs=jobs, tables=tables, runs=200, quick_runs=10,
    page="groups.md", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
