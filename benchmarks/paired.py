"""Two classifiers on one sample: coverage of the difference, and labels for the same width.

    python -m benchmarks.paired [--quick] [--runs 300] [--write]

Fixed: sessions of 500 labels answered by the known labels, run r with the seed (0, r). Watched:
a third as many, looked at after every 20th label; missed is a session in which any look was wrong.

Same width: how many labels other ways need for the mean width that 500 labels had here. A plain
random sample is read by pairs of predictions with the same kind of interval, at expected counts of
the true rates. Recalibrated Neyman is drawn for the first classifier, and the difference runs from
the lower end of the first one's interval less the upper end of the second one's to the opposite:
mean of 3 sessions at each of a row of sizes, log-linear in between.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.real_files import FILES, answered, codes_as_text
from labelcore.estimands import DIFFERENCES, table_of
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.planning.runs import label_all
from labelcore.planning.simulation import run_seed, true_values
from labelcore.planning.truth import true_codes
from labelcore.stats.profile import Cells, fixed_critical
from labelcore.stats.profile_interval import difference_bounds

NAMES = tuple(DIFFERENCES)
PAIRS = {
    "lr-svm": (0, ("lr", "svm")),
    "model-cosine": (1, ("model", "cosine")),
    "gbm-lr": (2, ("gbm", "lr")),
}
LABELS, LOOK_EVERY = 500, 20
GRID = (250, 500, 1000, 2000, 4000, 8000, 16000)


def measured(folder: Path, pair: str, runs: int, watched: int) -> list[Row]:
    """Everything about one pair."""
    place, both = PAIRS[pair]
    population = FILES[place].population(folder)
    codes = true_codes(population, "true_label")
    a, b = (population.predictions[name] == 1 for name in both)
    plan = lc.Plan("paired_comparison", NAMES, classifier=both, budget=LABELS, promise="fixed")
    truth = codes_as_text(population, codes)
    summary = lc.simulate(population, plan, truth=truth, runs=runs).summary()
    rows = summary[["truth", "bias", "rmse", "coverage", "mean_width"]].to_dict("index")
    one = {
        "pair": pair,
        "file": FILES[place].name,
        "items": len(population),
        "disagree": int((a != b).sum()),
        "runs": runs,
        "fixed": rows,
        "random": {name: random_labels(a, b, codes, name, rows[name]) for name in NAMES},
        "neyman": neyman_labels(population, both, codes, rows),
        "watched": missed(population, both, codes, watched),
        "sessions": watched,
    }
    return [one]


def random_labels(
    a: np.ndarray, b: np.ndarray, codes: np.ndarray, name: str, row: dict[str, float]
) -> int | None:
    """Labels of a plain random sample to the width of ``row``; None where that is zero."""
    if row["mean_width"] < 1e-9:
        return None
    side = a + 2 * b
    size = np.bincount(side, minlength=4).astype(float)
    rate = np.bincount(side, codes, minlength=4) / size
    low, high = 20, int(size.sum())
    while high - low > max(1, high // 500):
        middle = (low + high) // 2
        if random_width(size, rate, middle, name) <= row["mean_width"]:
            high = middle
        else:
            low = middle
    return high


def random_width(size: np.ndarray, rate: np.ndarray, labels: int, name: str) -> float:
    said = np.arange(4)
    n = size * labels / size.sum()
    cells = Cells(size, n, n * rate, said % 2 == 1, None, said // 2 == 1)
    difference = table_of([DIFFERENCES[name]], cells)
    critical = fixed_critical(cells, difference, 0.95)
    low, high = difference_bounds(cells, difference, critical)
    return float(high[0] - low[0])


def neyman_labels(
    population: lc.Population,
    both: tuple[str, ...],
    codes: np.ndarray,
    rows: dict[Any, dict[Any, float]],
) -> dict[str, int | None]:
    """Labels drawn for the first classifier to the widths of ``rows``; None beyond ``GRID``."""
    singles = [name.removesuffix("_difference") for name in NAMES]
    sizes = [size for size in GRID if size < 0.7 * len(population)]
    widths = np.array([naive_widths(population, both, codes, singles, size) for size in sizes])
    found: dict[str, int | None] = {}
    for place, name in enumerate(NAMES):
        wanted, mine = rows[name]["mean_width"], widths[:, place]
        if wanted < mine.min() or wanted < 1e-9:
            found[name] = None
        elif wanted > mine.max():
            found[name] = sizes[0]
        else:
            order = np.argsort(mine)
            found[name] = round(
                float(
                    np.exp(
                        np.interp(
                            np.log(wanted), np.log(mine[order]), np.log(np.array(sizes)[order])
                        )
                    )
                )
            )
    return found


def naive_widths(
    population: lc.Population,
    both: tuple[str, ...],
    codes: np.ndarray,
    singles: list[str],
    size: int,
) -> np.ndarray:
    plan = lc.Plan(
        "recalibrated_neyman", singles, classifier=both, budget=size, promise="fixed", planned=size
    )
    found = []
    for run in range(3):
        engine = Engine(population, plan.with_seed(run_seed(0, run)))
        label_all([engine], codes)
        results = scalar_results(engine)
        found.append(
            [
                2 * (results[name].half_width + results[f"{name}@{both[1]}"].half_width)
                for name in singles
            ]
        )
    return np.mean(found, axis=0)


def missed(
    population: lc.Population, both: tuple[str, ...], codes: np.ndarray, sessions: int
) -> dict[str, Any]:
    """The share of watched sessions in which any look misses, and the mean width at the end."""
    plan = lc.Plan(
        "paired_comparison",
        NAMES,
        classifier=both,
        budget=LABELS,
        promise="watched",
        planned=LABELS,
    )
    wrong, width = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0.0)
    for run in range(sessions):
        engine = Engine(population, plan.with_seed(run_seed(1, run)))
        truth, bad = true_values(engine, codes, {}), set()
        for labels in answered(engine, codes):
            if labels % LOOK_EVERY:
                continue
            found = scalar_results(engine)
            bad |= {
                key
                for key, one in found.items()
                if not one.low - 1e-9 <= float(truth[key]) <= one.high + 1e-9  # type: ignore[arg-type]
            }
        for key in NAMES:
            wrong[key] += key in bad
            width[key] += 2 * found[key].half_width
    return {key: [wrong[key] / sessions, width[key] / sessions] for key in NAMES}


def jobs(options: Options) -> dict[str, Job]:
    watched = max(options.runs // 3, 1)
    return {pair: partial(measured, options.data, pair, options.runs, watched) for pair in PAIRS}


def tables(rows: Rows, options: Options) -> str:
    return "\n".join(section(one) for one in flat(rows))


def section(one: Row) -> str:
    """One pair."""
    names = ("difference", "true", "bias", "coverage", "mean width", "watched: missed ever",
             "watched: width", "random sample", "Neyman for the first")  # fmt: skip
    found = []
    for name in NAMES:
        row, (bad, width) = one["fixed"][name], one["watched"][name]
        found.append(
            (name.removesuffix("_difference"), f"{100 * row['truth']:+.2f}",
             f"{100 * row['bias']:+.2f}", f"{row['coverage']:.3f}",
             f"{100 * row['mean_width']:.2f}", f"{bad:.2f}", f"{100 * width:.2f}",
             needed(one["random"][name], row), needed(one["neyman"][name], row))
        )  # fmt: skip
    return (
        f"## {one['pair'].replace('-', ' against ')}, {one['file']}\n\n"
        f"{one['items']:,} items, {one['disagree']:,} disagreements. {one['runs']} sessions of "
        f"{LABELS} labels, fixed; {one['sessions']} watched ones, a look after every "
        f"{LOOK_EVERY}th label. Lowest coverage of the four: "
        f"{min(one['fixed'][name]['coverage'] for name in NAMES):.3f}.\n\n{table(names, found)}"
    )


def needed(labels: int | None, row: dict[str, float]) -> str:
    if row["mean_width"] < 1e-9:
        return "(exact here)"
    return "beyond the sizes tried" if labels is None else f"{labels:,}"


HEAD = f"""# Two classifiers on one sample

{MADE}

`paired_comparison` estimates how much better one classifier is than another, in accuracy,
precision, recall and F1, from labels that go where the two disagree. The first lines of
[the benchmark](../benchmarks/paired.py) say how each figure was measured.

All figures are in percentage points except coverage, shares and labels. Coverage has a binomial
standard error of .013 at .95 and 300 sessions. The last two columns: labels that a plain random
sample, or recalibrated Neyman drawn for the first classifier with the two intervals taken apart,
needs for the width that 500 labels have here.

The labels serve all four differences at once here. With `focus` on accuracy alone (measured once,
300 sessions, not by this script) its width on the file of phrases is 2.7 instead of 3.5 points, and
that of precision 14.4 instead of 7.8. "Beyond the sizes tried" is more than 16,000 labels, or seven
tenths of the file.

With two classes nothing is to be learned about accuracy where both say the same, so that labels of
all disagreements make its difference exact. Precision rests on what either calls positive, recall
and F1 on all items, but on those where the two agree by the difference itself only, which is small.
Where accuracy is asked for and the planned labels reach every disagreement, these are asked first,
all of them (parameter `disagreements`); without accuracy where half of the labels do. Before, half
was the rule for all. Of `lr` against `svm` with 150 labels (108 disagreements, 150 sessions,
measured once, not by this script) sampling them gave widths of .05, 1.01, 2.02 and 1.59 points in
the order below and covered accuracy in .89; all of them first gave 0, 1.00, 2.15 and 1.59. With 125
labels, of which 17 are left for the others, .10, 1.31, 2.45 and 1.94 became 0, 1.20, 3.76 and 2.27:
recall and F1 pay where hardly a label is left.

With so few disagreements that they make less than five strata, a watched session shows what is
certain whatever the others are until they are complete, and the band over the other strata after
that. In 150 watched sessions of 200 labels each (measured once, not by this script)
that band was ever wrong in 3 for precision, 2 for recall and 1 for F1 with 19 disagreements among
5,000 items, in 2, 0 and 0 with 12 among 600, in none with 8 among 5,000.

About items like these rather than this file, the number of disagreements varies too. In 120 redrawn
files of 600 items with 150 labels (measured once, not by this script) the difference in recall was
covered in .825 with 6 disagreements in the mean, in .950 with 18: below 15 such a plan is refused.

"""
BENCHMARK = Benchmark(
    name="paired", about=__doc__, jobs=jobs, tables=tables, runs=300, quick_runs=3,
    page="paired.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
