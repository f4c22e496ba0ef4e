"""What other columns of a file save in the default method: labels, coverage and bias, on and off.

    python -m benchmarks.helpers [--quick] [--runs 100] [--only WORD] [--rows FILE] [--write]

The files were divided before the first run. Everything that could be chosen was chosen on the
first half (``CHOSEN``); what counts is the second (``SHOWN``). Each pair is a file and one
of its classifiers, judged with the others as helpers; then a verdict of a given accuracy, with
errors independent of everything else, is the only helper. Sessions are drawn stratum by stratum:
with a stratum's items in random order the hits of a batch are hypergeometric. Strata, shares and
intervals are the product's own. Seeds: run r of the pair at place p of its half uses (12, p, r),
on and off.

"Labels" is the square of the ratio of the mean widths with helpers and without, at as many labels.
A figure narrower than 2 points without helpers is left out of it: near zero a ratio is noise. "±"
is a standard error, of a pair the mean over its figures, as if these erred together; "beyond noise"
is by more than two of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.labels.files import synthetic
from labelcore.designs.base import Frame, Progress
from labelcore.designs.profile_figures import profile_figures
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.from_counts import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.stats.profile import Cells
from labelcore.trials.digits import CLASSIFIERS, DARKEST, TRAINED_ON, VOTE, _scores

MAIN = ("accuracy", "precision", "recall", "f1")
SIZES = (150, 300, 1000)
ACCURACIES = (0.95, 0.7, 0.5, 0.3)
SEED, FILE_SEED, NARROW, LIMITS = 12, 53, 0.02, (1.03, 1.12)
DESIGN = "recalibrated_neyman"
VARIANTS: dict[str, dict[str, Any]] = {"off": {"helpers": []}, "on": {}}


@dataclass(frozen=True)
class Table:
    """A file as a table with ``true_label``, and the classifiers in it."""

    name: str
    classifiers: tuple[str, ...]
    scored: bool = True


CHOSEN = (
    Table("newsgroups_med", ("lr", "svm", "nb", "vote")),
    Table("news20_binary", ("lr", "svm", "nb")),
    Table("digit 3", (*CLASSIFIERS, VOTE)),
    Table("synthetic 10 % good", ("own",)),
    Table("synthetic 1 % middling", ("own",)),
)
SHOWN = (
    Table("product_pairs", ("gbm", "lr", "title", "vote")),
    Table("ppdb_pairs", ("model", "cosine")),
    Table("digit 8", (*CLASSIFIERS, VOTE)),
    Table("breast cancer", CLASSIFIERS),
    Table("synthetic 30 % middling", ("own",)),
    Table("synthetic 3 % badly calibrated", ("own",)),
)
HALVES = {"chosen": CHOSEN, "shown": SHOWN}


@lru_cache(maxsize=2)
def table_of(name: str, folder: Path) -> pd.DataFrame:
    """id, true_label, score and prediction of each classifier."""
    if name.startswith("synthetic "):
        return _synthetic(name)
    if name.startswith("digit "):
        return _digits(int(name.split()[1]))
    if name == "breast cancer":
        return _cancer()
    path = next(folder.glob(f"{name}.*"))
    found = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    kept = [one for one in found if one.startswith(("score_", "pred_")) or one == "true_label"]
    return pd.DataFrame({"id": found["id"].astype(str), **{one: found[one] for one in kept}})


def _synthetic(name: str) -> pd.DataFrame:
    share, kind = name.removeprefix("synthetic ").split(" % ")
    items = synthetic(
        np.random.default_rng((FILE_SEED, int(share))), 20_000, int(share) / 100, kind
    )
    return pd.DataFrame(
        {"id": np.arange(len(items.truth)).astype(str), "score_own": items.score,
         "pred_own": items.prediction, "true_label": items.truth}
    )  # fmt: skip


def _digits(digit: int) -> pd.DataFrame:
    from sklearn.datasets import load_digits

    digits = load_digits()
    return _scored(digits.data / DARKEST, (digits.target == digit).astype(int))


def _cancer() -> pd.DataFrame:
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    order = np.random.default_rng(FILE_SEED).permutation(len(found.target))
    pixels = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    return _scored(pixels[order][:, :6], 1 - found.target[order])


def _scored(features: NDArray[Any], truth: NDArray[Any]) -> pd.DataFrame:
    scores = _scores(features, truth)
    said = {name: (score >= 0.5).astype(int) for name, score in scores.items()}
    scores[VOTE] = np.mean(list(scores.values()), axis=0)
    said[VOTE] = (sum(said.values()) >= 2).astype(int)
    unseen = truth[TRAINED_ON:]
    return pd.DataFrame(
        {"id": np.arange(len(unseen)).astype(str),
         **{f"score_{name}": score.round(4) for name, score in scores.items()},
         **{f"pred_{name}": said[name] for name in said}, "true_label": unseen}
    )  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A classifier of a file; ``right`` is the accuracy of the only helper, None for the others."""

    table: Table
    classifier: str
    right: float | None = None

    @property
    def name(self) -> str:
        helper = "" if self.right is None else f", right in {self.right:.0%}"
        return f"{self.table.name} {self.classifier}{helper}"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that the file is read with."""
        return self.table.classifiers if self.right is None else (self.classifier,)

    def population(self, folder: Path) -> lc.Population:
        found = table_of(self.table.name, folder).copy()
        names = self.classifiers
        helpers = {}
        if self.right is not None:
            random = np.random.default_rng((FILE_SEED, round(100 * self.right)))
            truth = found["true_label"].to_numpy()
            found["said"] = np.where(random.random(len(truth)) < self.right, truth, 1 - truth)
            helpers = {"said": "said"}
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "items.csv"
            found.to_csv(path, index=False)
            return lc.read_population(
                path, id="id", content=["id"], helpers=helpers,
                scores={one: f"score_{one}" for one in names},
                predictions={one: f"pred_{one}" for one in names},
            )  # fmt: skip

    def truth(self, folder: Path) -> NDArray[np.bool_]:
        return table_of(self.table.name, folder)["true_label"].to_numpy() == 1


def pairs(half: str) -> Iterator[Pair]:
    """Each classifier beside the others, and beside a verdict of each accuracy."""
    for file in HALVES[half]:
        for name in file.classifiers:
            if len(file.classifiers) > 1:
                yield Pair(file, name)
    for file in HALVES[half]:
        for name in file.classifiers[:2]:
            for right in ACCURACIES:
                yield Pair(file, name, right)


def measure(half: str, pair: Pair, place: int, folder: Path, runs: int) -> list[Row]:
    """A row for each size, with and without helpers, and figure of a pair."""
    population, truth = pair.population(folder), pair.truth(folder)
    rows = []
    for size in (one for one in SIZES if one < len(population)):
        for variant, params in VARIANTS.items():
            plan = lc.Plan(
                DESIGN, MAIN, classifier=pair.classifier, budget=size, promise="fixed",
                params=params, seed=SEED,
            )  # fmt: skip
            rows += figures_of(population, frozen(population, plan, size), truth, runs, place)
            rows[-len(MAIN) :] = [{"variant": variant, **row} for row in rows[-len(MAIN) :]]
    right = np.nan if pair.right is None else pair.right
    return [{"half": half, "pair": pair.name, "right": right, **row} for row in rows]


def figures_of(
    population: lc.Population, plan: lc.Plan, truth: NDArray[np.bool_], runs: int, place: int
) -> list[Row]:
    """Coverage, width, bias and error of each figure."""
    engine = Engine(population, plan)
    size, setup, frame = int(plan.planned or 0), engine.setup, engine.frame
    found = over_sessions(engine, truth, MAIN, runs, (SEED, place))
    error = found[1].std(axis=0) / np.sqrt(max(runs - 1, 1))
    return [
        {"labels": size, "figure": name, "strata": frame.n_strata,
         "helpers": len(setup.params.helpers or ()), "coverage": found[0, :, at].mean(),
         "width": found[1, :, at].mean(), "error": error[at], "bias": found[2, :, at].mean(),
         "rmse": np.sqrt((found[2, :, at] ** 2).mean())}
        for at, name in enumerate(MAIN)
    ]  # fmt: skip


def over_sessions(
    engine: Engine, truth: np.ndarray, names: Sequence[str], runs: int, seed: tuple[int, ...]
) -> np.ndarray:
    """Whether each figure held at the end of each session, its width and its error:
    (3, n_runs, n_figures). Run r has the seed ``(*seed, r)``."""
    setup, frame = engine.setup, engine.frame
    hits = np.bincount(frame.stratum, truth, minlength=frame.n_strata).astype(np.int64)
    rows, look = [SCALARS[name] for name in names], replace(look_at(engine), labels=setup.planned)
    right = ratios(rows, cells_of(frame, frame.sizes, hits)).value(hits.astype(float))
    found = np.zeros((3, runs, len(rows)))
    for run in range(runs):
        progress = session(engine, hits, np.random.default_rng((*seed, run)))
        rates = engine.design.fitted_rates(frame, progress)
        counts = cells_of(frame, progress.drawn, progress.positive)
        figures = profile_figures(rows, counts, look, rates)
        held = (figures.low <= right + 1e-12) & (right <= figures.high + 1e-12)
        found[:, run] = held, figures.high - figures.low, figures.value - right
    return found


def session(engine: Engine, hits: np.ndarray, random: np.random.Generator) -> Progress:
    """One session to its planned size, stratum by stratum: with the items of a stratum in random
    order the hits of a batch are hypergeometric, so that no item need be touched."""
    setup, frame = engine.setup, engine.frame
    drawn, positive = np.zeros((2, frame.n_strata), dtype=np.int64)
    while drawn.sum() < setup.planned:
        state = Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)
        take = engine.design.allocate(setup, frame, state)  # type: ignore[attr-defined]
        rest = frame.sizes - drawn
        positive = positive + random.hypergeometric(
            hits - positive, rest - hits + positive, np.minimum(take, rest)
        )
        drawn = drawn + take
    return Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)


def cells_of(frame: Frame, drawn: np.ndarray, positive: np.ndarray) -> Cells:
    parts = (part.astype(float) for part in (frame.sizes, drawn, positive))
    return Cells(*parts, frame.predicted)


def against_off(found: pd.DataFrame) -> pd.DataFrame:
    """Labels to the same width, one row per pair, size and figure."""
    keys = ["pair", "labels", "figure"]
    off = found[found["variant"] == "off"].set_index(keys)
    on = found[found["variant"] == "on"].set_index(keys)
    base = off.reindex(on.index)
    ratio = (on["width"] / base["width"]).where(base["width"] >= NARROW) ** 2
    noise = np.hypot(on["error"] / on["width"], base["error"] / base["width"])
    return on.assign(
        kind=[kind_of(one) for one in on["right"].astype(float)],
        ratio=ratio, noise=2 * ratio * noise, coverage_off=base["coverage"],
        bias_off=base["bias"], rmse_off=base["rmse"],
    ).reset_index()  # fmt: skip


def summary(found: pd.DataFrame) -> str:
    """A row per kind of helper and number of labels."""
    rows = []
    for (kind, labels), part in against_off(found).groupby(["kind", "labels"]):
        of_pair = part.groupby("pair")[["ratio", "noise"]].mean()
        bias = part.assign(on=part["bias"].abs(), off=part["bias_off"].abs()).groupby("pair")
        worst = of_pair.loc[of_pair["ratio"].idxmax()]
        surely = of_pair["ratio"] - 2 * of_pair["noise"]
        shares = (part["coverage"].mean(), part["coverage"].min(), part["coverage_off"].mean(),
                  part["coverage_off"].min(), bias["on"].max().mean(),
                  bias["off"].max().mean())  # fmt: skip
        rows.append((kind, f"{labels:,}", len(of_pair), f"{of_pair['ratio'].mean():.2f}",
                     f"{worst['ratio']:.2f} ± {worst['noise']:.2f}",
                     " / ".join(str(int((surely > limit).sum())) for limit in LIMITS),
                     f"{part['ratio'].max():.2f}", *(f"{one:.3f}" for one in shares)))  # fmt: skip
    above = " / ".join(f"{limit:.2f}" for limit in LIMITS)
    names = ("helpers", "labels", "pairs", "labels on / off", "worst pair",
             f"pairs above {above} beyond noise", "worst figure", "coverage on", "least", "off",
             "least", "bias of the worst figure on", "off")  # fmt: skip
    return table(names, rows)


def by_figure(found: pd.DataFrame) -> str:
    """A row per kind of helper and number of labels: the mean over the pairs for each figure."""
    mean = against_off(found).groupby(["kind", "labels", "figure"])["ratio"].mean().unstack()
    rows = [
        (kind, f"{labels:,}", *(_two_digits(row[name]) for name in MAIN))
        for (kind, labels), row in mean.iterrows()
    ]
    return table(("helpers", "labels", *MAIN), rows)


def _two_digits(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def kind_of(right: float) -> str:
    return "other classifiers" if np.isnan(right) else f"right in {100 * right:.0f} %"


def by_pair(found: pd.DataFrame) -> str:
    """One row per classifier beside the others: the mean ratio of its figures, and the least
    coverage."""
    both = against_off(found[found["right"].astype(float).isna()])
    wide = both.pivot_table(index="pair", columns="labels", values="ratio")
    least = both.groupby("pair")["coverage"].min()
    sizes = list(wide.columns)
    rows = [(pair, *map(_two_digits, row), f"{least[pair]:.3f}") for pair, row in wide.iterrows()]
    names = ("file and classifier", *(f"{one:,}" for one in sizes), "least coverage")
    return table(names, rows)


def jobs(options: Options) -> dict[str, Job]:
    """Every pair of both halves; the first of each with ``--quick``."""
    found = [(half, place, pair) for half in HALVES for place, pair in enumerate(pairs(half))]
    return {
        f"{half} {pair.name}": partial(measure, half, pair, place, options.data, options.runs)
        for half, place, pair in found
        if not options.quick or place == 0
    }


def tables(rows: Rows, options: Options) -> str:
    """By kind of helper and by pair, the half that was not chosen on first."""
    found = pd.DataFrame(flat(rows))
    parts = [f"{options.runs} runs each."]
    for half in ("shown", "chosen"):
        part = found[found["half"] == half]
        if len(part):
            parts += [f"## The half that was {half}", summary(part), by_figure(part), by_pair(part)]
    return "\n\n".join(parts)


HEAD = f"""# Helpers: what other columns save

{MADE}

"""
BENCHMARK = Benchmark(
    name="helpers", about=str(__doc__), jobs=jobs, tables=tables, runs=100, quick_runs=3,
    page="helpers.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
