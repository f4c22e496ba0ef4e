"""The trials label by label: when a figure is told first, how wide it ends, how often it was wrong.

    python -m benchmarks.trial [--quick] [--runs 200] [--write]

Sessions of each trial's own plan and of the same with the strata that the default would take,
answered by the known labels and looked at after every label from the first on. A session is wrong
when an interval excluded the truth at any look; a figure is told when its value is first shown. Run
r uses seed r.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, table
from labelcore.figures.scalars import scalar_results_of
from labelcore.plan.against_file import frozen
from labelcore.planning.runs import beginnings, label_each_until
from labelcore.planning.simulation import true_numbers
from labelcore.planning.truth import true_codes
from labelcore.trials.table import TRIALS

AT = (5, 10, 15, 20, 30, 40)
STRATA = {"few strata, as the trial has": None, "as the default takes them": {}}


def labels_of(name: str) -> int:
    """How many labels a trial plans."""
    return int(TRIALS[name].plan.budget or 0)


def measure(name: str, few: bool, runs: int) -> list[Row]:
    """A row for each figure."""
    trial = TRIALS[name]
    with tempfile.TemporaryDirectory() as folder:
        population = lc.read_population(trial.write(Path(folder)), **trial.read_arguments)
        codes = true_codes(population, trial.truth_column)
    plan = trial.plan if few else replace(trial.plan, params={})
    engines = list(beginnings(population, frozen(population, plan, labels_of(name)), range(runs)))
    truth = true_numbers(engines[0], codes)
    keys = [question.key for question in engines[0].questions]
    right = np.array([truth[key] for key in keys], dtype=float)
    found = []
    for labels in range(1, labels_of(name) + 1):
        label_each_until(engines, [codes] * runs, labels)
        found.append([[(one[k].low, one[k].high, one[k].told is not None) for k in keys]
                      for one in scalar_results_of(engines)])  # fmt: skip
    low, high, shown = np.moveaxis(np.array(found, dtype=float), -1, 0)
    wrong = ((low > right + 1e-9) | (high < right - 1e-9)).any(axis=0)
    told = np.where(shown.any(axis=0), shown.argmax(axis=0) + 1, labels_of(name) + 1)
    width = high - low
    return [
        {
            "trial": trial.label, "labels": labels_of(name), "figure": key,
            "strata": engines[0].frame.n_strata,
            "wrong": wrong[:, place].mean(), "widths": width[[n - 1 for n in AT], :, place].mean(1),
            "told": np.quantile(told[:, place], (0.1, 0.5, 0.9), method="inverted_cdf"),
        }
        for place, key in enumerate(keys)
    ]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{name}, {strata}": partial(measure, name, params is None, options.runs)
        for name in TRIALS for strata, params in STRATA.items()
    }  # fmt: skip


def tables(found: Rows, options: Options) -> str:
    def when(labels: float, planned: int) -> str:
        return f"{labels:.0f}" if labels <= planned else "not"

    rows = [
        (row["trial"], row["labels"], row["strata"], row["figure"],
         *(when(one, row["labels"]) for one in row["told"]), f"{row['wrong']:.3f}",
         *(f"{100 * one:.0f}" for one in row["widths"]))
        for mine in found.values() for row in mine
    ]  # fmt: skip
    head = ("trial", "labels", "strata", "figure", "told at: a tenth by", "half by",
            "nine tenths by", "ever wrong", *(f"width at {n}" for n in AT))  # fmt: skip
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    return (
        f"{options.runs} sessions each; the standard error of a share of 0.05 is {noise:.3f}. "
        f"Widths in points, means.\n\n{table(head, rows)}"
    )


HEAD = f"""# The trials, label by label

{MADE}

Each trial is watched, 95 %, with two figures of one classifier, or of one judge, looked at after
every label from the first on. A figure is told, as everywhere, once its interval is narrower than
60 points.

"""
BENCHMARK = Benchmark(
    name="trial", about=__doc__ or "", jobs=jobs, tables=tables, runs=200, quick_runs=5,
    page="trial.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
