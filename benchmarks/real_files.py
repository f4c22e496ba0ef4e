"""Both designs on every real file and classifier: bias, coverage, and labels to the same width.

    python -m benchmarks.real_files [--quick] [--runs 400] [--write]

For each file, classifier, design and size (300 and 1,000 labels, promise "fixed") the engine is
answered by the known labels. Bias is given in standard errors of the mean over the runs, coverage
with its binomial standard error. "Same width": the median over runs of the number of labels at
which simple random sampling first reaches the mean width that recalibrated Neyman had, so
a ratio under 1 means fewer labels. Seeds: run r uses (0, r).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from labelcore.figures.from_counts import look_at
from labelcore.log.engine import Engine
from labelcore.planning.simulation import run_seed
from labelcore.planning.truth import true_codes
from labelcore.stats.profile import Cells

ESTIMANDS = ("accuracy", "precision", "recall")
SIZES = (300, 1000)
DESIGNS = ("simple_random", "recalibrated_neyman")


@dataclass(frozen=True)
class RealFile:
    name: str
    content: tuple[str, ...]
    classifiers: tuple[str, ...]

    def population(self, folder: Path) -> lc.Population:
        return lc.read_population(
            folder / self.name,
            id="id",
            content=list(self.content),
            scores={name: f"score_{name}" for name in self.classifiers},
            predictions={name: f"pred_{name}" for name in self.classifiers},
        )


FILES = (
    RealFile("newsgroups_med.csv.gz", ("text",), ("lr", "svm", "nb", "vote")),
    RealFile("ppdb_pairs.csv.gz", ("phrase1", "phrase2"), ("model", "cosine")),
    RealFile("product_pairs.parquet", ("amazon", "google"), ("gbm", "lr", "title", "vote")),
)
NEWS = RealFile("news20_binary.csv.gz", ("id",), ("lr", "svm", "nb"))


def measure(folder: Path, file: RealFile, classifier: str, runs: int) -> list[Row]:
    """The rows of one file and classifier."""
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    found: list[Row] = []
    widths: dict[tuple[int, str], float] = {}
    for design in DESIGNS:
        for size in SIZES:
            plan = lc.Plan(design, ESTIMANDS, classifier=classifier, budget=size, promise="fixed")
            table = lc.simulate(population, plan, truth=codes_as_text(population, codes), runs=runs)
            for name, part in table.table().groupby("estimand", sort=False):
                row = summary(part)
                widths[size, str(name)] = float(row["mean width"])
                found.append(
                    {"file": file.name, "classifier": classifier, "design": design,
                     "labels": size, "estimand": name, **row}
                )  # fmt: skip
    needed = labels_to_width(population, classifier, codes, widths, min(runs, 100))
    for row in found:
        key = (row["labels"], row["estimand"])
        mine = row["design"] == "recalibrated_neyman"
        row["plain labels to the same width"] = needed[key] if mine else np.nan
        row["ratio"] = key[0] / needed[key] if mine else np.nan
    return found


def codes_as_text(population: lc.Population, codes: np.ndarray) -> list[str]:
    return [population.classes[code] for code in codes]


def summary(part: pd.DataFrame) -> dict[str, float]:
    valued = part.dropna(subset=["value"])
    errors = valued["value"] - valued["truth"]
    coverage = float(part["covered"].mean())
    scale = float(errors.std(ddof=1) / np.sqrt(max(len(errors), 1)))
    return {
        "truth": float(part["truth"].iloc[0]),
        "bias in standard errors": float(errors.mean()) / scale if scale > 0 else 0.0,
        "bias in points": 100 * float(errors.mean()),
        "coverage": coverage,
        "coverage noise": float(np.sqrt(coverage * (1 - coverage) / len(part))),
        "mean width": float((part["high"] - part["low"]).mean()),
        "no value": float(part["value"].isna().sum()),
    }


def labels_to_width(
    population: lc.Population,
    classifier: str,
    codes: np.ndarray,
    widths: dict[tuple[int, str], float],
    runs: int,
) -> dict[tuple[int, str], float]:
    """Median labels at which plain random sampling reaches each width."""
    first = {key: np.full(runs, float(len(population))) for key in widths}
    grid = np.unique(np.rint(np.geomspace(100, len(population), 140)).astype(int))
    for run in range(runs):
        plan = lc.Plan(
            "simple_random", ESTIMANDS, classifier=classifier, budget=len(population),
            promise="fixed", seed=run_seed(0, run),
        ).with_planned(len(population))  # fmt: skip
        engine = Engine(population, plan)
        done: set[tuple[int, str]] = set()
        for size, cells in prefixes(engine, codes, grid):
            rows = [question.row for question in engine.questions]
            figures = engine.design.estimate(rows, cells, look_at(engine), None)
            for place, question in enumerate(engine.questions):
                width = figures.high[place] - figures.low[place]
                for key in widths:
                    if key not in done and key[1] == question.key and width <= widths[key]:
                        first[key][run] = size
                        done.add(key)
            if len(done) == len(widths):
                break
    return {key: float(np.median(values)) for key, values in first.items()}


def prefixes(engine: Engine, codes: np.ndarray, grid: np.ndarray) -> Iterator[tuple[int, Cells]]:
    """The counts of plain random sampling after each number of labels in ``grid``."""
    tally = engine.tallies[engine.classifiers[0]]
    order = engine.frame.queue
    positive = engine.classes[engine.population.positive]
    cell = tally.cell_of[order]
    hit = (codes[order] == positive).astype(float)
    predicted = tally.prediction == positive
    for size in grid:
        labelled = np.bincount(cell[:size], minlength=len(tally.size)).astype(float)
        hits = np.bincount(cell[:size], hit[:size], minlength=len(tally.size))
        yield int(size), Cells(tally.size, labelled, hits, predicted)


def by_classifier(measure: Callable[..., list[Row]], options: Options) -> dict[str, Job]:
    """A job for each real file and classifier."""
    return {
        f"{file.name} {classifier}": partial(measure, options.data, file, classifier, options.runs)
        for file in FILES
        for classifier in file.classifiers
    }


DIGITS = {
    "truth": 4, "bias in standard errors": 1, "bias in points": 2, "coverage": 3,
    "coverage noise": 3, "mean width": 4, "no value": 0, "plain labels to the same width": 0,
    "ratio": 2,
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    table = table.sort_values(["coverage", "file"], kind="stable")
    ours = table[table["design"] == "recalibrated_neyman"]
    means = table.groupby("design")["coverage"].agg(["mean", "min"])
    lines = [
        f"{options.runs} runs each, seeds (0, 0) to (0, {options.runs - 1}).",
        "",
        *(
            f"- `{design}`: mean coverage {row['mean']:.3f}, least {row['min']:.3f}"
            for design, row in means.iterrows()
        ),
        *(
            f"- labels against plain random sampling at the same width, {name}: "
            f"median {part['ratio'].median():.2f}, worst {part['ratio'].max():.2f}"
            for name, part in ours.groupby("estimand", sort=False)
        ),
    ]
    return "\n".join([*lines, "", frame_table(table, DIGITS)])


HEAD = f"""# Real files: bias, coverage, labels

{MADE}

Each engine is answered by the file's known labels; promise "fixed", confidence 95 %, intervals for
this file. Bias is in standard errors of its own mean (beyond about 3 it is real) and in points;
coverage has its binomial standard error beside it; "plain labels to the same width" is the median
number of labels at which plain random sampling reaches the same mean width, and ratio is our labels
over those. Worst coverage first.

"""
BENCHMARK = Benchmark(
    name="real_files", about=__doc__, jobs=partial(by_classifier, measure), tables=tables,
    runs=400, quick_runs=5, page="real_files.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
