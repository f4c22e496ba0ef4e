"""Watching from the first label: how many sessions are ever wrong, and what watching costs.

    python -m benchmarks.watched [--quick] [--runs 200] [--write]

For each real file, classifier and design, sessions of 200 planned labels with promise "watched" are
answered by the known labels and looked at on the way: at every label up to 20, then at every
fourth. A session counts as wrong when the interval excluded the truth at least once. The promise at
95 % confidence is at most 5 in 100 sessions for each figure.

Beside it: the same sessions stopped at the first look at which the interval is narrow enough;
sessions that may go on to four times their planned 60 labels (every sixth label); what a fixed
promise gives with 200 labels, and the watched one with 280. The twin, intervals as narrow at every
look as if it were the only one, must fail.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import FILES, RealFile
from benchmarks.sessions import Prepared, Shown, see
from labelcore.planning.truth import true_codes
from labelcore.stats.horizon import boundary

DESIGNS = ("simple_random", "recalibrated_neyman")
ESTIMANDS = ("accuracy", "precision", "recall", "f1")
LABELS, MORE, SEED = 200, 280, 11
LOOKS = [*range(1, 21), *range(24, LABELS + 1, 4)]
SMALL, HORIZON = 60, 4
LATER_LOOKS = [*range(6, HORIZON * SMALL + 1, 6)]
EARLY = (10, 30, 60)
NARROW = 1.25
"""Stopped at the first look with an interval at most so many times the mean width at the end."""


def plan_of(design: str, classifier: str, labels: int, **values: object) -> lc.Plan:
    given = {"promise": "watched", "budget": labels, **values}
    return lc.Plan(design, ESTIMANDS, classifier=classifier, **given).with_planned(labels)  # type: ignore[arg-type]


def measure(folder: Path, file: RealFile, classifier: str, runs: int) -> list[Row]:
    """The rows of one file and classifier."""
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    rows: list[Row] = []
    for design in DESIGNS:
        seen = partial(_seen, population, codes, runs)
        shown, truth = seen(plan_of(design, classifier, LABELS), LOOKS)
        later, _ = seen(
            plan_of(design, classifier, SMALL, params={"horizon": HORIZON}),
            LATER_LOOKS,
            extended=HORIZON * SMALL,
        )
        once = plan_of(design, classifier, LABELS, promise="fixed")
        fixed, _ = seen(once, [LABELS])
        more, _ = seen(plan_of(design, classifier, MORE), [MORE])
        for place, name in enumerate(ESTIMANDS):
            of_one, true = shown.part(slice(None), slice(None), place), truth[place]
            wrong = _wrong(of_one, true)
            width = (of_one.high - of_one.low).mean(axis=0)
            wide = (fixed.high - fixed.low)[:, 0, place].mean()
            row: Row = {
                "file": file.name,
                "classifier": classifier,
                "design": design,
                "estimand": name,
                "sessions": runs,
                "ever wrong": wrong.any(axis=1).mean(),
                "in the first 60": wrong[:, np.array(LOOKS) <= 60].any(axis=1).mean(),
                "stopped when narrow": _at_stop(of_one, wrong),
                f"going on to {HORIZON} times": _wrong(
                    later.part(slice(None), slice(None), place), true
                )
                .any(axis=1)
                .mean(),
                "twin": _wrong(_not_spent(of_one), true).any(axis=1).mean(),
                "width / fixed": width[-1] / wide,
                f"width at {MORE} / fixed": (more.high - more.low)[:, 0, place].mean() / wide,
            }
            for labels in EARLY:
                at = int(np.searchsorted(LOOKS, labels))
                known = ~np.isnan(of_one.value[:, at])
                lean = of_one.value[known, at].mean() - true if known.any() else np.nan
                row |= {f"width at {labels}": width[at], f"lean at {labels}": lean}
            rows.append(row)
    return rows


def _seen(
    population: lc.Population,
    codes: NDArray[np.int64],
    runs: int,
    plan: lc.Plan,
    looks: list[int],
    extended: int = 0,
) -> tuple[Shown, list[float]]:
    """What the sessions of a plan show at these looks, and the true values."""
    prepared = Prepared(population, plan, codes)
    random = np.random.default_rng([SEED, 0])
    sessions = [prepared.session(random) for _ in range(runs)]
    for session in sessions if extended else ():
        session.engine.extend(extended)
    return see(sessions, looks), list(prepared.truth().values())


def _not_spent(shown: Shown) -> Shown:
    """The twin: intervals as narrow at every look as if it were the only one."""
    narrow = 1.96 / boundary(np.array(LOOKS) / LABELS, 0.0, 0.05)
    low = shown.value - (shown.value - shown.low) * narrow
    return replace(shown, low=low, high=shown.value + (shown.high - shown.value) * narrow)


def _wrong(shown: Shown, truth: float) -> NDArray[np.bool_]:
    """Whether the interval excludes the truth, (n_sessions, n_looks)."""
    return np.asarray(shown.interval & ((shown.low > truth + 1e-9) | (shown.high < truth - 1e-9)))


def _at_stop(shown: Shown, wrong: NDArray[np.bool_]) -> float:
    """The share of sessions wrong at the first look that is narrow enough."""
    width = shown.high - shown.low
    narrow = shown.interval & (width <= NARROW * width[:, -1].mean())
    at = np.where(narrow.any(axis=1), narrow.argmax(axis=1), wrong.shape[1] - 1)
    return float(wrong[np.arange(len(at)), at].mean())


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{file.name} {one}": partial(measure, options.data, file, one, options.runs)
        for file in FILES
        for one in file.classifiers
    }


DIGITS = {
    "ever wrong": 3, "in the first 60": 3, "stopped when narrow": 3,
    f"going on to {HORIZON} times": 3, "twin": 3, "width / fixed": 2,
    f"width at {MORE} / fixed": 2, **{f"width at {one}": 2 for one in EARLY},
    **{f"lean at {one}": 3 for one in EARLY},
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    table = table.sort_values("ever wrong", ascending=False, kind="stable")
    measured = list(DIGITS)
    means = table.groupby(["design", "estimand"], sort=False)[measured].mean().reset_index()
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    said = f"{options.runs} sessions each; the standard error of a share of 0.05 is {noise:.3f}."
    return "\n".join(
        [said, "", "## Means over files and classifiers", "", frame_table(means, DIGITS), "",
         "## Worst first", "", frame_table(table, DIGITS)]
    )  # fmt: skip


HEAD = f"""## Sessions of {LABELS} labels

{MADE}

Sessions of {LABELS} planned labels, promise "watched", 95 % confidence, looked at from the first
label on: after every label up to 20, then after every fourth. A session is wrong when the interval
excluded the truth at any look; the promise is at most 0.05 for each figure. "Stopped when narrow":
wrong at the first look with at most {NARROW} times the mean width at the end. "Going on": planned
for {SMALL} labels and continued to {HORIZON * SMALL} with the horizon {HORIZON}. "Twin": intervals
as narrow at every look as if it were the only one. "Width": high minus low, in the mean; "/ fixed":
over that of a fixed promise with {LABELS} labels, for the watched one with {LABELS} and with {MORE}
(1.4 times) planned labels. "Lean": mean value minus truth, of the sessions that have a value by
then. A plain random sample's shares are calculated exactly in [horizon.md](horizon.md).

The rule for sessions without end, which plans frozen before keep, was ever wrong in 0.95 %
(`recalibrated_neyman`) and 0.29 % (`simple_random`) of sessions of 500 labels. The boundary for a
planned size spends the whole error level on purpose: intervals are narrower, and more sessions are
ever wrong.

"""
BENCHMARK = Benchmark(
    name="watched", about=__doc__, jobs=jobs, tables=tables,
    runs=200, quick_runs=3, page="watched.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
